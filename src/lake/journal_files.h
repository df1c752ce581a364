/*
 * Journals where they are stored: listed once for a whole pass, read, put and removed one by one.
 */
#ifndef LITH_LAKE_JOURNAL_FILES_H
#define LITH_LAKE_JOURNAL_FILES_H

#include "lake/journal.h"
#include "store/store.h"

struct lith_journal_file {
    const char *tier;
    const char *name;     /* of the journal */
    const char *leftover; /* of what a put or a removal left that was cut off; NULL: the journal */
    const char *etag;
    uint64_t size;
    size_t stem_bytes; /* 0: it is not named as a journal */
    const char *found; /* what bears the name instead of a file; NULL: a file. No leftover then */
};

/* Everything that ends in .json in a folder of _compaction_state, or did before it was cut off; and
 * what bears the name of a journal beside these folders. Whatever it is: what cannot be read as a
 * journal is not absent. */
struct lith_journal_files {
    struct lith_journal_file *files; /* those of one partition in a row */
    size_t count;
};

/* Lists them. None where there is no such folder; any doubt is a failure, as is anything else in
 * its place, or in that of a folder in it. */
LITH_MUST_CHECK enum lith_code lith_journal_files_list(struct lith_store *store,
                                                       struct lith_arena *arena,
                                                       struct lith_journal_files *ret_files,
                                                       struct lith_err *err);

/* How many are of the partition with that stem: files[*ret_begin] and those behind it. */
size_t lith_journal_files_of(const struct lith_journal_files *files, const char *stem,
                             size_t *ret_begin);

/* A journal as it was read: what it says, and its own identity. In the arena of the call. */
struct lith_journal_read {
    struct lith_journal journal;
    struct lith_object object;
};

/* NOT_FOUND: it is away. CORRUPT (also of what is no file; nothing is opened then) and UNSUPPORTED
 * as lith_journal_parse. */
LITH_MUST_CHECK enum lith_code lith_journal_file_read(struct lith_store *store,
                                                      const struct lith_journal_file *file,
                                                      struct lith_arena *arena,
                                                      struct lith_journal_read *ret_read,
                                                      struct lith_err *err);

/* Stores a journal, durably, in place of `expected` (no etag: of none), and tells what it is known
 * by then. CONFLICT: it was not `expected`. */
LITH_MUST_CHECK enum lith_code lith_journal_put(struct lith_store *store,
                                                const struct lith_journal *journal,
                                                const struct lith_blob *expected,
                                                struct lith_arena *arena,
                                                struct lith_blob *ret_blob, struct lith_err *err);

/* Takes it away, durably. One that is not there, or another one by now, is no failure. */
LITH_MUST_CHECK enum lith_code lith_journal_remove(struct lith_store *store, const char *tier,
                                                   const struct lith_object *object,
                                                   struct lith_err *err);

/* Takes away what was left of one: under the lock of its partition, so that nobody is at it. */
LITH_MUST_CHECK enum lith_code lith_journal_leftover_remove(struct lith_store *store,
                                                            const struct lith_journal_file *file,
                                                            struct lith_err *err);

/* Is the journal of that commit there? In doubt it is. */
bool lith_journal_is_there(struct lith_store *store, const char *partition, const char *job_id);

#endif
