/*
 * _lithify.json in the root: what all programs that commit to this lake agree on.
 */
#ifndef LITH_LAKE_LAKE_FILE_H
#define LITH_LAKE_LAKE_FILE_H

#include "store/store.h"

#define LITH_LAKE_FILE_NAME "_lithify.json"
/* In the root of an audit series, which is a lake of its own, and no part of one that it lies in.
 */
#define LITH_SERIES_MARK_NAME "_lithify_audit.json"

enum lith_readers {
    LITH_READERS_NONE, /* not chosen */
    LITH_READERS_MANIFEST,
    LITH_READERS_EXCHANGE,
    LITH_READERS_GLOB,
    LITH_READERS_COUNT
};

/* "manifest" and so on; "" for none. */
const char *lith_readers_name(enum lith_readers readers);
/* INVALID for another word. */
LITH_MUST_CHECK enum lith_code lith_readers_parse(const char *text, enum lith_readers *ret_readers,
                                                  struct lith_err *err);

struct lith_lake_file {
    char lake_id[33];
    enum lith_readers readers;
    char policy_hash[33];      /* "" when not stored */
    const char *manifest_name; /* static storage */
    bool has_tiers;      /* files may be rolled up: who reads a partition looks above it, too */
    const char *staging; /* readers = exchange: in the arena of the call; NULL: the sibling */
};

/* What a lake is to be from its first compact or adopt on. */
struct lith_lake_choice {
    enum lith_readers readers; /* NONE asks for none: then it must have been chosen */
    const char *policy_hash;
    const char *manifest_name;
    const char *staging; /* NULL: the sibling */
};

/* Reads it. NOT_FOUND: never committed to. CORRUPT, UNSUPPORTED (a newer format). */
LITH_MUST_CHECK enum lith_code lith_lake_file_read(struct lith_store *store,
                                                   struct lith_arena *arena,
                                                   struct lith_lake_file *ret_file,
                                                   struct lith_err *err);

/* Writes down, durably, that files may be rolled up, before the first one is. Programs that know
 * nothing of that keep away from then on: the format is 2. */
LITH_MUST_CHECK enum lith_code
lith_lake_file_mark_tiers(struct lith_store *store, struct lith_arena *arena, struct lith_err *err);

/*
 * Reads it, or creates it with a new lake id, before the first commit. INVALID when the lake has
 * another readers mode than the one asked for.
 */
LITH_MUST_CHECK enum lith_code lith_lake_file_ensure(struct lith_store *store,
                                                     const struct lith_lake_choice *choice,
                                                     struct lith_arena *arena,
                                                     struct lith_lake_file *ret_file,
                                                     struct lith_err *err);

/* Writes down another staging directory; NULL: the sibling. CONFLICT: somebody changed the file. */
LITH_MUST_CHECK enum lith_code
lith_lake_file_move_staging(struct lith_store *store, const char *staging, struct lith_err *err);

#endif
