/*
 * The inside of an open lake.
 */
#ifndef LITH_API_LAKE_STATE_H
#define LITH_API_LAKE_STATE_H

#include "api/budget.h"
#include "audit/series.h"
#include "lake/lake_file.h"
#include "sweep/sweep.h"

struct lith_lake {
    struct lith_budget budget;
    struct lith_arena arena;
    struct lith_store *store;
    struct lith_store *front; /* what readers list: of the same root; not owned */
    struct lith_job_options job;
    struct lith_sweep sweep;
    struct lith_series series; /* store NULL: no audit series is kept */
    struct lith_job_options series_job;
    struct lith_sweep series_sweep;
    enum lith_readers readers; /* as asked for */
    const char *manifest_name; /* as asked for; NULL: nothing was */
    bool reader_grace_given;   /* as asked for */
    struct lith_err damage;    /* why _lithify.json cannot be read; code OK: it can, or is absent */
    /* Of readers = exchange: real paths. */
    const char *staging;      /* in use; NULL: another mode */
    const char *staging_kept; /* as it is to be written down; NULL: the sibling of the root */
    const char *staging_left; /* what another one was asked for instead of; NULL: nothing was */
    bool is_new;              /* nothing was committed yet */
};

/* Checks the options and makes a job's of them; texts go to the arena. INVALID. */
LITH_MUST_CHECK enum lith_code lith_job_options_make(const struct lith_options *options,
                                                     struct lith_arena *arena,
                                                     struct lith_job_options *ret_job,
                                                     struct lith_err *err);

/* Finds the place of the lake's audit series, and what its own passes are made with. The lake's
 * store is open. Writes nothing. INVALID for a place that cannot be one. */
LITH_MUST_CHECK enum lith_code lith_lake_series_open(struct lith_lake *lake, const char *root,
                                                     const struct lith_options *options,
                                                     struct lith_err *err);
/* After a pass over the lake: the same over the series, where there is one. `each` is told of what
 * was done or failed there, with the place in front of paths. */
LITH_MUST_CHECK enum lith_code lith_lake_series_run(struct lith_lake *lake, enum lith_pass pass,
                                                    lith_partition_fn each, void *ctx,
                                                    struct lith_summary *summary,
                                                    struct lith_err *err);

/* Where the lake is, or is to be, read by listing: lays the staging directory beside the store.
 * `file` is NULL where nothing was committed yet. Writes nothing. INVALID for a place that cannot
 * be one. */
LITH_MUST_CHECK enum lith_code lith_lake_staging_open(struct lith_lake *lake, const char *root,
                                                      const char *given,
                                                      const struct lith_lake_file *file,
                                                      struct lith_err *err);
/* Before changes: the staging directory is there, and serves; one that was asked for instead of it
 * takes its place if nothing is held in it. Nothing to do in other modes. */
LITH_MUST_CHECK enum lith_code lith_lake_staging_prepare(struct lith_lake *lake,
                                                         struct lith_err *err);

/* Tries out whether commits to that store would be safe: UNSUPPORTED. */
LITH_MUST_CHECK enum lith_code lith_store_commits_check(struct lith_store *store,
                                                        struct lith_err *err);
/* Commits need a readers mode, and a store that keeps its word: UNSUPPORTED, INVALID. */
LITH_MUST_CHECK enum lith_code lith_lake_commits_prepare(struct lith_lake *lake,
                                                         struct lith_err *err);

/* A pass by hand over a lake that was committed to; `change->partition` must be one. A dry run
 * tries out nothing. INVALID, NOT_FOUND. */
LITH_MUST_CHECK enum lith_code
lith_lake_change_run(struct lith_lake *lake, const struct lith_sweep *sweep, enum lith_pass pass,
                     bool dry_run, lith_partition_fn each, void *ctx,
                     struct lith_summary *ret_summary, struct lith_err *err);

#endif
