/*
 * What is held for partitions that are gone, or have begun anew.
 */
#ifndef LITH_SWEEP_LEFTOVERS_H
#define LITH_SWEEP_LEFTOVERS_H

#include "sweep/sweep.h"

/*
 * Of stores that hold files where readers do not list them: takes those away, past their graces,
 * whose partition has no manifest any more. One that fails stops no other; the first failure is
 * returned.
 */
LITH_MUST_CHECK enum lith_code lith_sweep_leftovers(const struct lith_sweep *sweep,
                                                    struct lith_err *err);

#endif
