/*
 * What a pass did, as JSON (docs/json.md): written partition by partition, so that a lake of any
 * size takes the memory of one.
 */
#ifndef LITH_CLI_REPORT_JSON_H
#define LITH_CLI_REPORT_JSON_H

#include "cli/report.h"

void lith_report_json_partition(struct lith_report *report, const struct lith_partition_report *p);
/* `summary` NULL: the pass failed with `err`. */
void lith_report_json_end(struct lith_report *report, const struct lith_summary *summary,
                          const struct lith_err *err);

#endif
