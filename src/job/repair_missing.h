/*
 * A live set with files that vanished, or were written again by others after they had been read.
 */
#ifndef LITH_JOB_REPAIR_MISSING_H
#define LITH_JOB_REPAIR_MISSING_H

#include "job/repair_try.h"

/* `t` has a manifest in place. *ret_due is false where all is whole; *ret_why: why it cannot be
 * repaired, in t's arena; NULL: it can. */
LITH_MUST_CHECK enum lith_code lith_repair_missing_plan(struct lith_repair_try *t, bool *ret_due,
                                                        const char **ret_why, struct lith_err *err);
/* Makes the commit of the plan. */
LITH_MUST_CHECK enum lith_code lith_repair_missing_fill(struct lith_repair_try *t,
                                                        struct lith_err *err);

#endif
