/*
 * The memory and scratch space of one public object or call.
 */
#ifndef LITH_API_BUDGET_H
#define LITH_API_BUDGET_H

#include "base/work.h"

struct lith_budget {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control; /* a copy */
    struct lith_work work;
};

/* Fills it from the caller's control (NULL: defaults), which is copied; the texts in it stay
 * borrowed. INVALID for a budget that is too small. The budget must not move afterwards. */
LITH_MUST_CHECK enum lith_code lith_budget_init(struct lith_budget *budget,
                                                const struct lith_control *control,
                                                struct lith_err *err);

#endif
