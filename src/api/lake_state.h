/*
 * The inside of an open lake.
 */
#ifndef LITH_API_LAKE_STATE_H
#define LITH_API_LAKE_STATE_H

#include "api/budget.h"
#include "lake/lake_file.h"
#include "sweep/sweep.h"

struct lith_lake {
    struct lith_budget budget;
    struct lith_arena arena;
    struct lith_store *store;
    struct lith_job_options job;
    struct lith_sweep sweep;
    enum lith_readers readers; /* as asked for */
    const char *manifest_name; /* as asked for; NULL: nothing was */
};

/* Commits need a readers mode, and a store that keeps its word: UNSUPPORTED, INVALID. */
LITH_MUST_CHECK enum lith_code lith_lake_commits_prepare(struct lith_lake *lake,
                                                         struct lith_err *err);

#endif
