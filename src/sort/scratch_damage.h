/*
 * The error of scratch space that does not keep what it is given.
 *
 * What was written there is our own, but what comes back is checked as other bytes from outside
 * are: before a number of it is an index, a length or a count.
 */
#ifndef LITH_SORT_SCRATCH_DAMAGE_H
#define LITH_SORT_SCRATCH_DAMAGE_H

#include "base/err.h"

/* Scratch gave back other bytes than it got. Returns IO. */
static inline enum lith_code lith_scratch_damaged(struct lith_err *err)
{
    return lith_fail(err, LITH_E_IO,
                     "scratch space gave back other bytes than were written; check its disk, or "
                     "name another directory with --scratch");
}

#endif
