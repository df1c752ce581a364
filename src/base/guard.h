/*
 * Guards: conditions that a promise rests on, one by one.
 *
 * A test that passes without a guard does not test it. So test builds (-Dguards_out=true) can take
 * each out, and tests/sim must then find what goes wrong; of the last two, which are about a real
 * file system, tests/py does (LITHIFY_GUARDS_OUT, bits). In other builds a guard is its condition,
 * and nothing else.
 */
#ifndef LITH_BASE_GUARD_H
#define LITH_BASE_GUARD_H

#include <stdbool.h>

enum lith_guard {
    LITH_GUARD_EPOCH,           /* a job that lost its commit tries again in its own epoch only */
    LITH_GUARD_INPUTS,          /* ... with inputs that still are what was read */
    LITH_GUARD_OUTPUTS,         /* ... and outputs that are there and not condemned */
    LITH_GUARD_FENCE_EPOCH,     /* a fence raises the epoch */
    LITH_GUARD_CONDEMNED_GROWS, /* a fence keeps what others condemned */
    LITH_GUARD_ROLLBACK_FENCED, /* rollback wants nothing back that is being deleted */
    LITH_GUARD_LIST_FIRST,      /* the open rule lists before it reads the manifest */
    LITH_GUARD_STRICT_SECOND_LOOK, /* the strict rule looks for a manifest after its list */
    LITH_GUARD_PID,                /* an output of another partition is data */
    LITH_GUARD_LINEAGE,            /* an orphan goes only if its rows are elsewhere */
    LITH_GUARD_ABSENT_FILE,        /* gc deletes nothing where a live file is not there */
    LITH_GUARD_GRACE_SEEN,         /* a grace runs from when readers could see it */
    LITH_GUARD_GONE,               /* what was deleted is remembered for writers who replay */
    LITH_GUARD_AUDIT_REPAIR,       /* a pass writes the events that an earlier one owes */
    LITH_GUARD_AUDIT_LOOK,         /* ... where it does not find them */
    LITH_GUARD_AUDIT_NOTES,        /* without locks no note says that all events are there */
    LITH_GUARD_AUDIT_GRACE,  /* ... and a merged event bars its name for as long as a replay */
    LITH_GUARD_LATE_THERE,   /* a late file is named only if it is there behind the manifest */
    LITH_GUARD_HANDED_FIRST, /* a roll-up takes only what all partitions below have handed to it */
    LITH_GUARD_HANDED_STAYS, /* nothing else moves what is handed to a roll-up */
    LITH_GUARD_TAKEN_LOOK,   /* it goes from below only where the partition above has taken it */
    LITH_GUARD_UNHAND_FENCE, /* ... and stays only where a fence there has shut that out */
    LITH_GUARD_TIERS_SECOND_LOOK, /* who reads across a roll-up looks at those below again */
    LITH_GUARD_TIERS_NEW_DAY,     /* ... and at folders above that were no partitions */
    LITH_GUARD_SYNC_FIRST,        /* bytes are on the disk before they have their name */
    LITH_GUARD_LOCK_SAME,         /* a locked directory is the one at its path */
    LITH_GUARD_COUNT
};

#ifdef LITH_GUARDS_OUT
/* Taken out: a bit each. Set before anything else happens. */
extern unsigned lith_guards_out;
static inline bool lith_guard_is_out(enum lith_guard guard)
{
    return lith_guards_out >> guard & 1;
}
#define LITH_GUARD(name, condition) (lith_guard_is_out(LITH_GUARD_##name) || (condition))
#else
static inline bool lith_guard_is_out(enum lith_guard guard)
{
    (void)guard;
    return false;
}
#define LITH_GUARD(name, condition) (condition)
#endif

#endif
