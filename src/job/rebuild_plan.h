/*
 * What a lost manifest said, as far as the files that are there tell.
 *
 * Live are the outputs that no other output was made of, and files that nobody lists as an input;
 * the others were replaced. No file is taken for replaced before its rows were found in what is
 * live. Pure but for the judge.
 */
#ifndef LITH_JOB_REBUILD_PLAN_H
#define LITH_JOB_REBUILD_PLAN_H

#include "job/lineage.h"

struct lith_rebuild_plan {
    const char *refusal; /* why it cannot be told; NULL: it can */
    const char *pid;     /* the partition's; NULL: no manifest was lost here */
    size_t *live;        /* kins */
    size_t live_count;
    size_t *out; /* kins that were replaced */
    size_t out_count;
};

/* `lineage` without a manifest, of files that readers can list. In `arena`. */
LITH_MUST_CHECK enum lith_code lith_rebuild_plan_make(const struct lith_lineage *lineage,
                                                      struct lith_row_judge *judge,
                                                      struct lith_arena *arena,
                                                      struct lith_rebuild_plan *ret_plan,
                                                      struct lith_err *err);

#endif
