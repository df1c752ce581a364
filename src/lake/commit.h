/*
 * Commits: each operation as a pure function from one manifest to the next, and the putting.
 *
 * lith_commit_<op> builds the next generation in an arena and changes nothing else; base and
 * arena must outlive it. lith_commit_put replaces the stored one on condition that it still is
 * what the base was read from. DESIGN.md sections 4 and 5.
 */
#ifndef LITH_LAKE_COMMIT_H
#define LITH_LAKE_COMMIT_H

#include "lake/snapshot.h"

/* Every commit bears one. */
struct lith_stamp {
    char commit_id[LITH_COMMIT_ID_BYTES];
    int64_t at_ns; /* by the store's clock */
    bool no_event; /* nobody keeps an audit series: its log entry waits for no event */
    bool journal;  /* a journal speaks of it: its log entry waits until that is away */
};

/* Draws a commit id; `at_ns` from lith_folder_now. */
void lith_stamp_draw(struct lith_env *env, int64_t at_ns, struct lith_stamp *ret_stamp);

/*
 * adopt: names what is there (files of a listing that are data), draws nothing: the pid is given.
 * The listing must outlive the result. `base` is NULL, or a foreign manifest; `unlisted_live` then
 * says what becomes of the data files that it does not name (false: they are written down as
 * `gone`, and stay so while they are there).
 */
struct lith_adopt {
    const char *manifest_name; /* LITH_MANIFEST_NAME or _HIDDEN */
    const char *pid;
    const struct lith_listing *listing;
    bool unlisted_live;
};
LITH_MUST_CHECK enum lith_code
lith_commit_adopt(const struct lith_manifest *base, const struct lith_adopt *adopt,
                  const struct lith_stamp *stamp, struct lith_arena *arena,
                  struct lith_manifest *ret_next, struct lith_err *err);

/* lease: raises the epoch. */
LITH_MUST_CHECK enum lith_code
lith_commit_lease(const struct lith_manifest *base, const struct lith_stamp *stamp,
                  struct lith_arena *arena, struct lith_manifest *ret_next, struct lith_err *err);

/*
 * Where live files are of several sets that do not join, or some cannot be merged: which file is of
 * which (sorted by name; those of files that are not live do not matter), why each set beyond the
 * first does not join an earlier one, and by set why it cannot be merged (NULL: it can). Without
 * files nothing is noted. Texts go to the commit's arena.
 */
struct lith_file_set {
    const char *name;
    uint16_t set; /* from 1 */
};
struct lith_file_sets {
    const struct lith_file_set *files;
    size_t file_count;
    const char *hash; /* of what decided the sets, 32 hex digits */
    const char *const *conflicts;
    size_t conflict_count;
    const char *const *refusals;
    size_t refusal_count;
};

/*
 * compact: retires the inputs, which were read to the end (name, size, etag, rows, crc32 as
 * found), and adds the outputs. Late inputs are allowed: they go straight to `retired`. Writes
 * the outcome (live_hash is computed here). INVALID when an input is neither live in `base` nor
 * unknown to it, or an output is known to it.
 */
struct lith_compact {
    const struct lith_entry *inputs;
    size_t input_count;
    const struct lith_entry *outputs;
    size_t output_count;
    const char *policy_hash;
    bool settled; /* lith_plan.settled */
    struct lith_file_sets sets;
    uint16_t output_set;
};
LITH_MUST_CHECK enum lith_code
lith_commit_compact(const struct lith_manifest *base, const struct lith_compact *compact,
                    const struct lith_stamp *stamp, struct lith_arena *arena,
                    struct lith_manifest *ret_next, struct lith_err *err);

/*
 * fold: late files become named. A name that `retired` holds with another identity may be folded
 * (same name, other bytes): the old entry leaves `retired`; so may one that `gone` holds with the
 * same size, if both crc32 are known and differ. An output that was lost may come back, with
 * its crc32. Also writes `quarantine` entries: a
 * new one replaces an older one of the same name; those of names no longer live are dropped. The
 * same holds for `misplaced`.
 */
struct lith_fold {
    const struct lith_entry *files; /* name, size, etag, rows where the footer was read */
    size_t file_count;
    const struct lith_quarantine *quarantine; /* live files to set aside from now on */
    size_t quarantine_count;
    /* Retired names whose file was written again with the same crc32 and rows: the entry takes
     * the new identity, its grace starts anew. */
    const struct lith_entry *refreshed;
    size_t refreshed_count;
    /* Files that are gone and were written again, with the same crc32 and rows: retired once more,
     * so that they go again. */
    const struct lith_entry *replays;
    size_t replay_count;
    /* Live files that were written again by their writers, with the same crc32 where that is known:
     * the entry takes the new identity, rows and crc32. */
    const struct lith_entry *renewed;
    size_t renewed_count;
    struct lith_file_sets sets; /* by the writer of the outcome that there is */
    /* Live files with rows that do not belong here; those noted before under the same rules stay.
     */
    const struct lith_misplaced *misplaced;
    size_t misplaced_count;
    /* Of `lost`, and no outputs: their rows are in what comes back. */
    const struct lith_entry *superseded;
    size_t superseded_count;
};
LITH_MUST_CHECK enum lith_code
lith_commit_fold(const struct lith_manifest *base, const struct lith_fold *fold,
                 const struct lith_stamp *stamp, struct lith_arena *arena,
                 struct lith_manifest *ret_next, struct lith_err *err);

/* fence: raises the epoch and condemns exactly the names that are deleted next. */
LITH_MUST_CHECK enum lith_code
lith_commit_fence(const struct lith_manifest *base, const char *const *names, size_t count,
                  const struct lith_stamp *stamp, struct lith_arena *arena,
                  struct lith_manifest *ret_next, struct lith_err *err);

/*
 * clean: what a list made after reading `base` does not show, or shows as another file, leaves
 * `condemned` and `retired` (for `gone`, until `replay_window_ns` has passed). `kept` names inputs
 * of listed orphans, which stay retired. What is gone is forgotten after the window, unless it is
 * there, or an input of one. *ret_changed is false when there was nothing to do.
 */
struct lith_clean {
    const struct lith_listing *listing; /* made after base was read */
    const char *const *kept;            /* sorted */
    size_t kept_count;
    bool keep_all; /* an orphan's inputs are unknown: nothing retired leaves */
    int64_t replay_window_ns;
};
LITH_MUST_CHECK enum lith_code
lith_commit_clean(const struct lith_manifest *base, const struct lith_clean *clean,
                  const struct lith_stamp *stamp, struct lith_arena *arena, bool *ret_changed,
                  struct lith_manifest *ret_next, struct lith_err *err);

/* rollback of the last compact: `listing` was made after base was read. INVALID says why not. */
LITH_MUST_CHECK enum lith_code
lith_commit_rollback(const struct lith_manifest *base, const struct lith_listing *listing,
                     const struct lith_stamp *stamp, struct lith_arena *arena,
                     struct lith_manifest *ret_next, struct lith_err *err);

/* retire: takes live files out of the live set (retention): name, and crc32 where the file was read
 * to its end; by that it is known again. INVALID for a name not live. */
LITH_MUST_CHECK enum lith_code
lith_commit_retire(const struct lith_manifest *base, const struct lith_entry *files, size_t count,
                   const struct lith_stamp *stamp, struct lith_arena *arena,
                   struct lith_manifest *ret_next, struct lith_err *err);

/*
 * A roll-up, in three steps (DESIGN.md section 6.6). hand: live files, which were read to the end
 * (name, size, etag, rows, crc32 as found), wait for a commit of the partition above. INVALID when
 * one is not live as it was read, or files are handed already.
 */
struct lith_hand {
    const char *parent;    /* the partition above, below the root */
    const char *commit_id; /* of its commit */
    const struct lith_entry *inputs;
    size_t input_count;
};
LITH_MUST_CHECK enum lith_code
lith_commit_hand(const struct lith_manifest *base, const struct lith_hand *hand,
                 const struct lith_stamp *stamp, struct lith_arena *arena,
                 struct lith_manifest *ret_next, struct lith_err *err);

/* rollup, in the partition above, under the id that the files were handed to: adds the outputs,
 * which hold `rows` rows, and remembers for good that it did. */
struct lith_rollup {
    const struct lith_entry *outputs;
    size_t output_count;
    uint64_t rows;
};
LITH_MUST_CHECK enum lith_code
lith_commit_rollup(const struct lith_manifest *base, const struct lith_rollup *rollup,
                   const struct lith_stamp *stamp, struct lith_arena *arena,
                   struct lith_manifest *ret_next, struct lith_err *err);

/* moved: what was handed to `commit_id`, which was committed, leaves the live set. */
LITH_MUST_CHECK enum lith_code
lith_commit_moved(const struct lith_manifest *base, const char *commit_id,
                  const struct lith_stamp *stamp, struct lith_arena *arena,
                  struct lith_manifest *ret_next, struct lith_err *err);

/* unhand: it stays, since `commit_id` can never be committed any more: a fence there shut it out.
 */
LITH_MUST_CHECK enum lith_code
lith_commit_unhand(const struct lith_manifest *base, const char *commit_id,
                   const struct lith_stamp *stamp, struct lith_arena *arena,
                   struct lith_manifest *ret_next, struct lith_err *err);

/*
 * restore: the live set of an older manifest comes back. Its files are taken as they are there;
 * INVALID where one is condemned, missing or another one, and for another partition's manifest.
 * Live files that it does not know stay, but for those of `out`. Generation and epoch rise above
 * both manifests, every grace begins anew, the outcome is forgotten. `base` may be NULL: nothing
 * that can be read is in place.
 */
struct lith_restore {
    const struct lith_manifest *file;
    const struct lith_listing *listing; /* made after base was read */
    const struct lith_entry *back;      /* come, too: as they are there */
    size_t back_count;
    /* Leave: into `retired`, read to their ends (crc32); without an etag they are not there, and
     * go into `gone`. */
    const struct lith_entry *out;
    size_t out_count;
    const struct lith_entry *superseded; /* of base's `lost`, no outputs: their rows come, too */
    size_t superseded_count;
    uint64_t epoch_min;        /* the highest in the names of outputs that are there */
    const char *manifest_name; /* without a base: under which it is stored */
    /* op repair: `file` is what the live set is to be, made up of what is there. */
    bool is_repair;
    const struct lith_entry *lost; /* live in base, not there, and their rows are nowhere (name) */
    size_t lost_count;
};
LITH_MUST_CHECK enum lith_code
lith_commit_restore(const struct lith_manifest *base, const struct lith_restore *restore,
                    const struct lith_stamp *stamp, struct lith_arena *arena,
                    struct lith_manifest *ret_next, struct lith_err *err);

/* What came of a put. */
enum lith_put {
    LITH_PUT_COMMITTED,
    LITH_PUT_LOST,    /* somebody else's came first; nothing of ours is stored */
    LITH_PUT_UNKNOWN, /* keep everything; the next sweep settles it */
};

/*
 * Writes `next` on condition that the manifest still is `expected` (NULL or no etag: none), and
 * settles an ambiguous answer by reading the log. Calls env.step after it with the step's name of
 * its operation. Of LITH_PUT_UNKNOWN *err tells the answer that was ambiguous. A failure means that
 * nothing was committed and that the next try may not help; LIMIT also where too many commits wait
 * for their audit events.
 */
LITH_MUST_CHECK enum lith_code lith_commit_put(struct lith_folder *folder,
                                               const struct lith_blob *expected,
                                               const struct lith_manifest *next,
                                               struct lith_mem *mem, enum lith_put *ret_put,
                                               struct lith_err *err);

/* After LITH_PUT_LOST: what a job may do, judged on a manifest and a list made after it. */
enum lith_retry {
    LITH_RETRY_DONE,  /* it had committed: its commit id, or an output, is there */
    LITH_RETRY_AGAIN, /* once more, on this manifest */
    LITH_RETRY_DROP,  /* give up; delete nothing */
};
struct lith_attempt {
    const char *commit_id;
    uint64_t epoch; /* of its outputs */
    const struct lith_entry *inputs;
    size_t input_count;
    const struct lith_entry *outputs;
    size_t output_count;
};
/* `view` is from lith_view_take_list_last. `ret_why` (static storage) explains a drop. */
enum lith_retry lith_commit_judge(const struct lith_view *view, const struct lith_attempt *attempt,
                                  const char **ret_why);

#endif
