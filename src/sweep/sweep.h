/*
 * One pass over a lake: every partition that was asked for, by expected gain, several at once.
 *
 * An error in one partition is told and never stops the others. DESIGN.md section 6, rule 5.
 */
#ifndef LITH_SWEEP_SWEEP_H
#define LITH_SWEEP_SWEEP_H

#include "audit/series.h"
#include "job/job.h"

enum lith_pass {
    LITH_PASS_PLAN,
    LITH_PASS_COMPACT,
    LITH_PASS_GC,
    LITH_PASS_GC_PLAN,
    LITH_PASS_ROLLBACK,
    LITH_PASS_RETIRE,
    LITH_PASS_ADOPT,
    LITH_PASS_FSCK,
    LITH_PASS_RESTORE,
    LITH_PASS_REPAIR,
};

struct lith_sweep {
    struct lith_store *store;
    const struct lith_job_options *options;
    struct lith_series *series; /* of the commits' audit events; NULL: none is kept */
    struct lith_env *env;
    const struct lith_work *work; /* the whole process's budget: divided between the jobs */
    const char *partition_glob;   /* NULL: all */
    uint32_t shard_index;
    uint32_t shard_count;
    uint32_t jobs; /* at once; fewer where the memory is too small for so many */
    /* Of passes by hand. */
    struct lith_change change; /* with a partition: of all that are selected, that one alone */
    struct lith_fsck fsck;     /* but for the partition */
    struct lith_text manifest; /* restore: the older one */
    enum lith_unlisted unlisted;
};

/*
 * Runs one pass. `each` is told of every partition, one call at a time. What cannot be listed is a
 * failed partition. Fails only when the walk itself cannot go on (root gone, cancelled); what was
 * not begun by then is not told. One that was stopped in the middle is pending.
 */
LITH_MUST_CHECK enum lith_code lith_sweep_run(const struct lith_sweep *sweep, enum lith_pass pass,
                                              lith_partition_fn each, void *ctx,
                                              struct lith_summary *ret_summary,
                                              struct lith_err *err);

/* True when the path is one of those that the sweep was asked for. */
bool lith_sweep_selects(const struct lith_sweep *sweep, const char *path);

#endif
