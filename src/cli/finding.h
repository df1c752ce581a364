/*
 * What fsck found, as text and as JSON.
 */
#ifndef LITH_CLI_FINDING_H
#define LITH_CLI_FINDING_H

#include "base/json.h"
#include "lithify.h"

/* Each finding on a line of its own: what wants a hand is marked. */
void lith_findings_print(const struct lith_partition_report *partition);
/* "clean", or how many there are; no newline. */
void lith_findings_summary_print(const struct lith_summary *summary);
/* NULL only when out of memory. */
struct lith_json *lith_findings_json(const struct lith_partition_report *partition);

#endif
