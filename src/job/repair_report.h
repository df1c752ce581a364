/*
 * What is told of a repair: each file, with why it comes, leaves or is lost, and the sum of it.
 */
#ifndef LITH_JOB_REPAIR_REPORT_H
#define LITH_JOB_REPAIR_REPORT_H

#include "job/repair_try.h"

/* Of a commit that was made; its texts are copied to the job's arena. */
LITH_MUST_CHECK enum lith_code lith_repair_report(const struct lith_repair_try *t,
                                                  struct lith_partition_report *report,
                                                  struct lith_err *err);

#endif
