/*
 * Building blocks of commits: tables of the next manifest, filled row by row. Private to lake.
 */
#ifndef LITH_LAKE_COMMIT_BUILD_H
#define LITH_LAKE_COMMIT_BUILD_H

#include "lake/commit.h"
#include "lake/name_index.h"

/* The next manifest while it is made. `base` may be NULL (adopt). */
struct lith_commit_build {
    const struct lith_manifest *base;
    const struct lith_stamp *stamp;
    struct lith_arena *arena;
    struct lith_manifest next;
    const char *commit_id; /* the stamp's, in the arena */
    /* Looked up in `base`; refs of a row give its number in the table. */
    struct lith_name_index files;
    struct lith_name_index retired;
    struct lith_name_index gone;
    struct lith_name_index condemned;
};

/*
 * Starts from `base`: generation and commit id are the next one's, the log has one more entry, and
 * the tables are copies with room for `more` rows each (files, retired, gone). INVALID for a
 * foreign base.
 */
LITH_MUST_CHECK enum lith_code lith_commit_build_begin(struct lith_commit_build *b,
                                                       const struct lith_manifest *base,
                                                       enum lith_op op, bool raise_epoch,
                                                       size_t more, const struct lith_stamp *stamp,
                                                       struct lith_arena *arena,
                                                       struct lith_err *err);

/* Checks and gives the result. */
LITH_MUST_CHECK enum lith_code lith_commit_build_end(struct lith_commit_build *b,
                                                     struct lith_manifest *ret_next,
                                                     struct lith_err *err);

/* Adds a row; the room was asked for at the beginning. Texts are copied. */
LITH_MUST_CHECK enum lith_code lith_commit_build_add_file(struct lith_commit_build *b,
                                                          const struct lith_entry *entry,
                                                          struct lith_err *err);
/* The same, where the texts outlive the commit. */
void lith_commit_build_name_file(struct lith_commit_build *b, const struct lith_entry *entry);
LITH_MUST_CHECK enum lith_code lith_commit_build_add_retired(struct lith_commit_build *b,
                                                             const struct lith_entry *entry,
                                                             struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_commit_build_add_gone(struct lith_commit_build *b,
                                                          const struct lith_entry *entry,
                                                          struct lith_err *err);

/* One that nobody has any more: its row keeps the commit that had brought it in. */
LITH_MUST_CHECK enum lith_code lith_commit_build_add_lost(struct lith_commit_build *b,
                                                          const struct lith_entry *entry,
                                                          struct lith_err *err);

/* Lost files whose rows count again otherwise go from `lost` to `gone`, so that they do not count
 * when they are put back; without a checksum, so that nobody deletes them either: nobody has read
 * them since. The room in `gone` was asked for at the beginning. */
LITH_MUST_CHECK enum lith_code lith_commit_build_supersede(struct lith_commit_build *b,
                                                           const struct lith_entry *entries,
                                                           size_t count, struct lith_err *err);

/* Drops the rows whose name is in `names`, and keeps the order of the others. */
void lith_commit_build_drop(struct lith_entry *entries, size_t *count,
                            const struct lith_name_index *names);

/* True when `gone` of the base has that name and size. */
bool lith_commit_build_is_gone(const struct lith_commit_build *b, const char *name, uint64_t size);

/* INVALID: not an output of this partition and epoch, or known to it already. */
LITH_MUST_CHECK enum lith_code lith_commit_build_output_check(const struct lith_commit_build *b,
                                                              const struct lith_entry *output,
                                                              struct lith_err *err);
/* INVALID: it waits for a roll-up, and nothing else may move it. */
LITH_MUST_CHECK enum lith_code lith_commit_build_stays(const struct lith_commit_build *b,
                                                       const char *name, struct lith_err *err);

bool lith_commit_build_is_condemned(const struct lith_commit_build *b, const char *name);

LITH_MUST_CHECK enum lith_code lith_commit_build_index(const struct lith_entry *entries,
                                                       size_t count, struct lith_arena *arena,
                                                       struct lith_name_index *ret_index,
                                                       struct lith_err *err);

/* Sets the outcome; live_hash is that of next.files, and of sets that do not join nothing is known
 * any more. */
LITH_MUST_CHECK enum lith_code
lith_commit_build_outcome(struct lith_commit_build *b, const char *policy_hash, const char *verdict,
                          bool settled, uint64_t files_before, struct lith_err *err);

#endif
