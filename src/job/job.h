/*
 * One partition: planned, compacted, cleaned, or changed by hand.
 *
 * Sequences lake, plan, merge and verify; knows neither the format nor the layout of manifests.
 * A job holds the partition's lock from its first to its last commit. DESIGN.md section 5.
 */
#ifndef LITH_JOB_JOB_H
#define LITH_JOB_JOB_H

#include <stdatomic.h>

#include "base/codec_choice.h"
#include "base/uuid.h"
#include "base/work.h"
#include "lake/gc.h"
#include "lake/lake_file.h"
#include "lake/path_keys.h"
#include "merge/schema_union.h"
#include "plan/plan.h"
#include "store/store.h"

/* Steps of a job besides those of the store (store/steps.h): lith_env.step is called with them. */
#define LITH_JOB_STEP_ROW_GROUP "row-group" /* an output row group is written */
#define LITH_JOB_STEP_VERIFIED "verified"   /* an output was read back */

#define LITH_JOB_STEP_JOURNALED "journaled"     /* nothing of the job can be seen yet */
#define LITH_JOB_STEP_UNJOURNALED "unjournaled" /* a journal is away */

struct lith_format;
struct lith_job_events;
struct lith_journal_files;

/* What all jobs of a pass share. Read-only while they run. */
struct lith_job_options {
    struct lith_policy policy;
    char policy_hash[33];
    char sets_hash[33]; /* of what decides which files can be merged with which */
    struct lith_gc_policy gc;
    int64_t replay_window_ns;
    uint64_t row_group_bytes;
    int64_t row_group_rows;
    struct lith_union_rules allow; /* by_id is not looked at */
    enum lith_match match;
    const char *sort_by; /* NULL: rows stay in the order of inputs */
    bool row_group_by_size;
    struct lith_codec_choice codec;
    enum lith_unknown_keys unknown_keys;
    enum lith_verify_level verify;
    const char *const *key_columns;
    size_t key_column_count;
    bool key_columns_given;    /* by the caller: where one is missing it is told */
    uint32_t min_free_percent; /* of the file system, that outputs leave free */
    const char *manifest_name;
    enum lith_readers readers; /* glob: jobs keep journals, and delete what they merged at once */
    struct lith_path_options path;
    bool tier_days;          /* roll-ups: hours into their day */
    bool tier_months;        /* ... days into their month */
    bool has_tiers;          /* files of the lake may have been rolled up, by whatever run */
    const char *time_column; /* its values lie in the period of the path; NULL: nothing is said */
    const char *time_column_fallback;   /* counts where time_column is null or 0; may be NULL */
    const char *const *path_check_skip; /* names of keys that columns are not compared with */
    size_t path_check_skip_count;
    bool explain; /* lith_job_plan also says how columns would be merged */
    const struct lith_format *format;
};

/* One partition and what a job on it may use. Single-thread. */
struct lith_job {
    struct lith_folder *folder;
    const char *table_format; /* the marker at or above it (lake/walk.h), or NULL */
    const struct lith_job_options *options;
    struct lith_env *env;
    struct lith_uuid_source *uuids;
    const struct lith_work *work;
    struct lith_arena *arena;       /* of the report's texts; outlives the job */
    struct lith_job_events *events; /* NULL: no audit series is kept */
    /* What the pass found of journals when it began; NULL: nobody looked. Readers = glob only. */
    const struct lith_journal_files *journals;
    _Atomic uint64_t
        *gc_bytes_left; /* what gc may still delete in this pass; NULL: the policy alone */
};

/*
 * Each fills the report of one partition (path, tenant and err are the caller's). A failure leaves
 * the partition at its old or its new generation, and the report's numbers as far as it came;
 * CONFLICT: somebody else was there first; TRANSIENT: the outcome is not known yet.
 */

/* What a list and the manifest say of a partition: no footer is read. */
struct lith_glance {
    uint64_t gain;      /* of struct lith_plan_rank */
    int64_t waiting_ns; /* and this */
    bool at_rest;       /* a job would look once more, and change nothing */
};

/* A glance, for the order of a sweep, from a list of the folder that was taken just now. Of one at
 * rest it fills the report: most of a lake needs no job. */
LITH_MUST_CHECK enum lith_code lith_job_glance(const struct lith_job *job,
                                               const struct lith_listing *listing,
                                               struct lith_glance *ret_glance,
                                               struct lith_partition_report *report,
                                               struct lith_err *err);
/* What compact would do now. Changes nothing. */
LITH_MUST_CHECK enum lith_code lith_job_plan(const struct lith_job *job,
                                             struct lith_partition_report *report,
                                             struct lith_err *err);
/* Folds late files; compacts when it is due. */
LITH_MUST_CHECK enum lith_code lith_job_compact(const struct lith_job *job,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);
/* Deletes what is past its grace. */
LITH_MUST_CHECK enum lith_code
lith_job_gc(const struct lith_job *job, struct lith_partition_report *report, struct lith_err *err);
/* What gc would do now, with a verdict for each file. Changes nothing, not even for a moment. */
LITH_MUST_CHECK enum lith_code lith_job_gc_plan(const struct lith_job *job,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);
/*
 * Undoes the last compaction: its outputs are superseded, its inputs live again. INVALID says why
 * it cannot be. `dry_run` changes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_job_rollback(const struct lith_job *job, bool dry_run,
                                                 struct lith_partition_report *report,
                                                 struct lith_err *err);
/*
 * Takes files out of the live set, with their rows. Late ones are named first, in a commit of its
 * own. INVALID names those that are not live; then nothing was changed. `dry_run` changes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_job_retire(const struct lith_job *job, const char *const *names,
                                               size_t count, bool dry_run,
                                               struct lith_partition_report *report,
                                               struct lith_err *err);
/* A file that was read whole. */
struct lith_text {
    const char *name;
    const void *data;
    size_t bytes;
};
/*
 * Brings the live set of an older manifest of the partition back. INVALID says why it cannot be:
 * what is no manifest, or of another partition, included. `dry_run` changes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_job_restore(const struct lith_job *job,
                                                const struct lith_text *manifest, bool dry_run,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);
/*
 * Live files that vanished leave the live set, for files that hold their rows where there are any;
 * a manifest that was lost is made anew from what outputs say. LEFT: there is nothing to repair;
 * BLOCKED: it cannot be, with the reason. `dry_run` changes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_job_repair(const struct lith_job *job, bool dry_run,
                                               struct lith_partition_report *report,
                                               struct lith_err *err);
/* What is wrong in the partition, and what is only left to do. Changes nothing, takes no lock, asks
 * no clock of the store. `deep`: reads live files whole. CONFLICT: it changed all the while. */
LITH_MUST_CHECK enum lith_code lith_job_fsck(const struct lith_job *job, bool deep,
                                             struct lith_partition_report *report,
                                             struct lith_err *err);
/* Gives the partition a manifest that names what is there. `unlisted` says what the files are that
 * another program's manifest does not name. */
LITH_MUST_CHECK enum lith_code lith_job_adopt(const struct lith_job *job,
                                              enum lith_unlisted unlisted,
                                              struct lith_partition_report *report,
                                              struct lith_err *err);

#endif
