/*
 * A manifest that was lost, made anew from what the files say.
 */
#ifndef LITH_JOB_REPAIR_MANIFEST_H
#define LITH_JOB_REPAIR_MANIFEST_H

#include "job/repair_try.h"

/* `t` has no manifest in place. *ret_due is false where none was lost; *ret_why: why none can be
 * made, in t's arena; NULL: one can. */
LITH_MUST_CHECK enum lith_code lith_repair_manifest_plan(struct lith_repair_try *t, bool *ret_due,
                                                         const char **ret_why,
                                                         struct lith_err *err);
/* Makes the commit of the plan. */
LITH_MUST_CHECK enum lith_code lith_repair_manifest_fill(struct lith_repair_try *t,
                                                         struct lith_err *err);

#endif
