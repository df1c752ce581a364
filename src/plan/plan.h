/*
 * The planner: what one partition needs, with a reason for every file. No I/O, no clock.
 *
 * DESIGN.md section 6, rules 1, 2, 3 and 5.
 */
#ifndef LITH_PLAN_PLAN_H
#define LITH_PLAN_PLAN_H

#include "lake/path_keys.h"
#include "lake/snapshot.h"
#include "plan/policy.h"

/* What the caller found out about one live file besides its listing. All optional. */
struct lith_file_facts {
    const char *name;
    uint64_t rows;
    /* Files whose schemas cannot join are planned apart: the caller gives one number, from 1, per
     * set of schemas that do join. 0: joins with any. Where the facts do not say of all files that
     * could be merged which set they are of, and the manifest does, its word counts. */
    uint64_t schema_set;
    uint32_t lacks; /* bits, each of something that one of the files of a merge must have */
    const char
        *blocked; /* a reason of its own to stay out (encrypted, foreign sort ...), or NULL */
    const char *misplaced; /* which of its rows does not belong to the path, or NULL */
    bool has_rows;         /* `rows` is known */
    bool blocked_for_good; /* the reason lies in the bytes, so that it holds as long as they do */
};

/* Why a file is, or is not, an input. */
enum lith_file_reason {
    LITH_WHY_MERGE,      /* it is an input */
    LITH_WHY_NOT_LIVE,   /* retired, orphan, replay, temporary, other */
    LITH_WHY_LARGE,      /* target_file or more */
    LITH_WHY_LADDER,     /* it would neither double nor become final: see plan.c */
    LITH_WHY_LEFT_ALONE, /* it would join, but the partition is not due */
    LITH_WHY_MAX_INPUTS, /* the job is full: the next one takes it */
    LITH_WHY_QUARANTINE, /* its text is in `detail` */
    LITH_WHY_BLOCKED,    /* a reason of its own, in `detail` */
    LITH_WHY_LINK,       /* a symbolic link */
    LITH_WHY_CHANGED,    /* its bytes are not those that the manifest names */
    LITH_WHY_SCHEMA,     /* of another set of schemas than the job of this pass */
    LITH_WHY_REFUSED,    /* no merge of its set can be made, for the reason in `detail` */
    LITH_WHY_MISPLACED,  /* a row of it does not belong to the path: which, in `detail` */
    LITH_FILE_REASON_COUNT
};

/* Why a partition is, or is not, due. */
enum lith_part_reason {
    LITH_PART_DUE,
    LITH_PART_TABLE_FORMAT, /* blocked: the marker is in `detail` */
    LITH_PART_FOREIGN,      /* blocked: another program's manifest; lithify adopt */
    LITH_PART_MISSING,      /* blocked: a live file is not there; fsck --repair */
    LITH_PART_MISPLACED,    /* blocked, but for late files: rows that do not belong to the path */
    LITH_PART_MISFIT,       /* its path does not fit the layout, which is in `detail` */
    LITH_PART_NOT_SEALED,   /* its period, or its quiet time, is not over */
    LITH_PART_TOO_FEW,      /* fewer than min_files, and settle is not over */
    LITH_PART_NOTHING,      /* fewer than two files may join */
    LITH_PART_NO_GAIN,      /* the number of files would not fall */
    LITH_PART_CONVERGED,    /* the outcome in the manifest is that of this live set and policy */
    LITH_PART_ROLLED_BACK,  /* likewise, and the outcome is that a merge was undone */
    LITH_PART_REASON_COUNT
};

const char *lith_file_reason_text(enum lith_file_reason reason);
/* What a file is whose rows do not count; NULL where its state says no more than that. */
const char *lith_not_live_text(const struct lith_snapshot_file *file);
const char *lith_part_reason_text(enum lith_part_reason reason);
/* True for the reasons that count as blocked (exit 3). */
bool lith_part_reason_blocks(enum lith_part_reason reason);
/* True for those of them in which nothing may be committed at all, not even late files. */
bool lith_part_reason_stops(enum lith_part_reason reason);

struct lith_plan_file {
    const struct lith_snapshot_file *file;
    enum lith_file_reason reason;
    const char *detail; /* more words, or NULL */
};

struct lith_plan {
    enum lith_part_reason reason;
    const char *detail;           /* more words with numbers, or NULL */
    struct lith_plan_file *files; /* one for each file of the snapshot, in its order */
    size_t file_count;
    const struct lith_snapshot_file **inputs; /* by name: the order of the rows */
    size_t input_count;
    uint64_t input_bytes;
    uint64_t output_count; /* predicted */
    bool settled;          /* planned with the rule of a quarter; goes into lith_compact */
    uint64_t gain;         /* files removed: input_count - output_count; 0 when not due */
    int64_t waiting_ns;    /* how long the newest file has been quiet: ages the order */
    /* Where files that could be merged are of several sets: why each set beyond the first does not
     * join an earlier one. Texts are the manifest's or the request's. */
    const char **conflicts;
    size_t conflict_count;
    int64_t due_ns; /* not sealed, too few: the store's time at which to look again; else 0 */
};

struct lith_plan_request {
    const struct lith_snapshot *snapshot; /* open */
    const struct lith_path_keys *keys;
    const struct lith_file_facts *facts; /* sorted by name; may lack files */
    size_t fact_count;
    const char *const *conflicts; /* of the sets of `facts` from 2 on: why they do not join */
    size_t conflict_count;
    const char *const
        *refusals; /* by set, from 1: why no files of it can be merged; NULL: they can */
    size_t refusal_count;
    const struct lith_policy *policy;
    const char *policy_hash;
    const char *sets_hash;  /* of what decides which files join, as in the outcome */
    const char *rules_hash; /* of what decides which rows belong, as in notes of misplaced files */
    const char *table_format; /* the marker at or above, or NULL */
    int64_t now_ns;           /* by the store's clock */
};

/* Plans one partition. Pure: the same request gives the same plan. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_plan_partition(const struct lith_plan_request *request,
                                                   struct lith_arena *arena,
                                                   struct lith_plan *ret_plan,
                                                   struct lith_err *err);

/* max(1, round(bytes / target)). */
uint64_t lith_plan_output_count(uint64_t bytes, uint64_t target_file_bytes);

/* The order of partitions: expected gain, aged, so that none waits for ever. */
struct lith_plan_rank {
    const char *path;
    uint64_t gain;
    int64_t waiting_ns;
};
/* For qsort: the partition to do first sorts first; ties by path. */
int lith_plan_rank_compare(const void *a, const void *b);

#endif
