/*
 * What becomes of live files that vanished.
 *
 * Their rows may still be in what a vanished output was made of, or in an output that was made of
 * them and is not live: then those come back. What is left is lost. Pure but for the judge.
 */
#ifndef LITH_JOB_REPAIR_PLAN_H
#define LITH_JOB_REPAIR_PLAN_H

#include "job/restore_plan.h"

struct lith_repair_request {
    const struct lith_lineage *lineage;
    const struct lith_manifest *base;
    const struct lith_listing *listing;   /* made after base was read */
    const struct lith_snapshot *snapshot; /* of both, open */
    struct lith_row_judge *judge;
    bool lands_late; /* as for a restore */
};

/* A live file whose rows are nowhere. */
struct lith_loss {
    const struct lith_entry *entry; /* of base */
    /* Why it does not come back from what may hold its rows, and is there; NULL: nothing is. */
    const char *why;
};

struct lith_repair_plan {
    size_t *coming; /* kins that come into the live set for files that vanished */
    size_t coming_count;
    struct lith_restore_plan restore; /* of them, alone in the older manifest */
    struct lith_loss *losses;
    size_t loss_count;
};

/* In `arena`. */
LITH_MUST_CHECK enum lith_code lith_repair_plan_make(const struct lith_repair_request *request,
                                                     struct lith_arena *arena,
                                                     struct lith_repair_plan *ret_plan,
                                                     struct lith_err *err);

#endif
