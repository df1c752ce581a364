/*
 * Why a job that is due is not begun now.
 */
#ifndef LITH_JOB_HOLD_H
#define LITH_JOB_HOLD_H

#include "job/look.h"

struct lith_hold {
    const char *reason; /* in the job's arena; NULL: nothing holds it back */
    enum lith_partition_state state;
};

/*
 * Too little room, or a directory that cannot be replaced as it is (readers = exchange): what would
 * fail after all the work is known before it. Nothing holds back what is not due. Writes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_hold_find(const struct lith_job *job,
                                              const struct lith_look *look,
                                              struct lith_hold *ret_hold, struct lith_err *err);

/* Puts it into the report, where there is one. */
void lith_hold_report(const struct lith_hold *hold, struct lith_partition_report *report);

#endif
