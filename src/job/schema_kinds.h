/*
 * Kinds of files: those of one schema and one meaning, known by a hash of both.
 *
 * A partition of hundreds of thousands of files has few kinds, and each is joined once. The hash is
 * of the normalised schema, the root's own name aside; it is finer than lith_schema_equal, so that
 * one kind may come as two, which then join.
 */
#ifndef LITH_JOB_SCHEMA_KINDS_H
#define LITH_JOB_SCHEMA_KINDS_H

#include "base/hash.h"
#include "merge/meaning.h"

struct lith_schema_kind {
    struct lith_hash128 id;
    uint32_t set; /* the number of its set; 0: the slot is empty */
};

/* An open table: `room` is a power of two, and at most half of it is full. */
struct lith_schema_kinds {
    struct lith_mem *mem;
    struct lith_hasher *hasher;
    struct lith_schema_kind *slots;
    size_t room;
    size_t count;
};

LITH_MUST_CHECK enum lith_code lith_schema_kinds_init(struct lith_schema_kinds *kinds,
                                                      struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_schema_kinds_done(struct lith_schema_kinds *kinds);

struct lith_hash128 lith_schema_kinds_id(const struct lith_schema_kinds *kinds,
                                         const struct lith_schema *schema,
                                         const struct lith_meaning *meaning, bool numbers_fields);
/* The set of a kind; 0: it is new. */
uint32_t lith_schema_kinds_set(const struct lith_schema_kinds *kinds, struct lith_hash128 id);
/* A kind that is new, and its set (not 0). */
LITH_MUST_CHECK enum lith_code lith_schema_kinds_add(struct lith_schema_kinds *kinds,
                                                     struct lith_hash128 id, uint32_t set,
                                                     struct lith_err *err);

#endif
