/*
 * Kinds of files: those of one schema and one meaning, known by a hash of both.
 *
 * A partition of hundreds of thousands of files has few kinds, and each is joined once. The hash is
 * of the normalised schema, the root's own name aside; it is finer than lith_schema_equal, so that
 * one kind may come as two, which then join.
 */
#ifndef LITH_JOB_KIND_TABLE_H
#define LITH_JOB_KIND_TABLE_H

#include "base/hash.h"
#include "merge/meaning.h"

struct lith_kind_slot {
    struct lith_hash128 id;
    uint32_t set; /* the number of its set; 0: the slot is empty */
};

/* An open table: `room` is a power of two, and at most half of it is full. */
struct lith_kind_table {
    struct lith_mem *mem;
    struct lith_hasher *hasher;
    struct lith_kind_slot *slots;
    size_t room;
    size_t count;
};

LITH_MUST_CHECK enum lith_code lith_kind_table_init(struct lith_kind_table *kinds,
                                                    struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_kind_table_done(struct lith_kind_table *kinds);

struct lith_hash128 lith_kind_table_id(const struct lith_kind_table *kinds,
                                       const struct lith_schema *schema,
                                       const struct lith_meaning *meaning, bool numbers_fields);
/* The set of a kind; 0: it is new. */
uint32_t lith_kind_table_set(const struct lith_kind_table *kinds, struct lith_hash128 id);
/* A kind that is new, and its set (not 0). */
LITH_MUST_CHECK enum lith_code lith_kind_table_add(struct lith_kind_table *kinds,
                                                   struct lith_hash128 id, uint32_t set,
                                                   struct lith_err *err);

#endif
