/*
 * The rows of buckets while they wait: parts of columns, as extents in one spool.
 *
 * A column of a bucket is up to four parts, each a run of bytes of its own: repetition levels,
 * definition levels (a byte each; none where no value is null), values (of fixed width, or the
 * lengths of byte arrays, 4 bytes each), and the bytes of byte arrays. Rows stand in the order in
 * which they came: by unit, then row. What was gathered of a part becomes an extent; extents of all
 * buckets stand one behind the other, each with a checksum: nobody could tell later that scratch
 * changed a value.
 */
#ifndef LITH_SORT_BUCKET_STORE_H
#define LITH_SORT_BUCKET_STORE_H

#include "base/work.h"
#include "parquet/schema.h"
#include "sort/deal_dictionary.h"

enum lith_bucket_part {
    LITH_PART_REP,
    LITH_PART_DEF,
    LITH_PART_VALUES,
    LITH_PART_BYTES,
    LITH_PART_COUNT
};

struct lith_extent {
    uint32_t bytes;
    uint32_t crc32;
    uint8_t bucket;
    uint8_t part;
};

struct lith_stored_leaf {
    const struct lith_schema_node *node; /* NULL: it is not in this store */
    size_t extent;                       /* its first one */
    size_t extent_end;
    uint64_t offset; /* where the first one begins */
    /* Of the ids that are its values; owned; NULL: values are there as they are. */
    struct lith_deal_dictionary *dictionary;
};

struct lith_bucket_store {
    struct lith_mem *mem;
    struct lith_spool spool;
    struct lith_extent *extents;
    size_t extent_count;
    struct lith_stored_leaf *leaves; /* of the output */
    uint32_t leaf_count;
    uint32_t leaf; /* that was begun last */
};

/* Takes 40 bytes a leaf now, later 12 an extent and up to `memory_bytes_max` of contents, behind
 * which they go to scratch. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_bucket_store_init(struct lith_bucket_store *store,
                                                      const struct lith_work *work,
                                                      uint32_t leaf_count, size_t memory_bytes_max,
                                                      struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_bucket_store_done(struct lith_bucket_store *store);

/* Begins a leaf, which was not there before; the node outlives the store. */
void lith_bucket_store_leaf(struct lith_bucket_store *store, const struct lith_schema_node *node);

/* Forgets what was put into the leaf begun last, but for the room it takes in the spool. */
void lith_bucket_store_restart(struct lith_bucket_store *store);

/* Gives the leaf begun last its dictionary. */
void lith_bucket_store_dictionary(struct lith_bucket_store *store,
                                  struct lith_deal_dictionary *dictionary);

/* Appends to a part of the leaf begun last. NOMEM, LIMIT (the budget, scratch space), IO. */
LITH_MUST_CHECK enum lith_code lith_bucket_store_put(struct lith_bucket_store *store,
                                                     uint32_t bucket, enum lith_bucket_part part,
                                                     const void *from, size_t bytes,
                                                     struct lith_err *err);

/* What was put into the parts of a leaf of a bucket. */
uint64_t lith_bucket_store_bytes(const struct lith_bucket_store *store, uint32_t leaf,
                                 uint32_t bucket);

/* A piece of a part: it begins at `begin` of the part, and at `offset` of the spool. */
struct lith_part_piece {
    uint64_t begin;
    uint64_t offset;
    uint32_t crc32;
};

struct lith_stored_part {
    struct lith_bucket_store *store;
    const struct lith_part_piece *pieces;
    size_t piece_count;
    uint64_t bytes;
};

/* The parts of one leaf in one bucket. */
struct lith_stored_parts {
    struct lith_part_piece *pieces; /* of all; freed with lith_free */
    struct lith_stored_part parts[LITH_PART_COUNT];
};

/* Finds them; 24 bytes a piece. The store outlives them, and gets no more of that leaf. NOMEM,
 * LIMIT. */
LITH_MUST_CHECK enum lith_code lith_bucket_store_find(struct lith_bucket_store *store,
                                                      uint32_t leaf, uint32_t bucket,
                                                      struct lith_stored_parts *ret_parts,
                                                      struct lith_err *err);

/* Reads all of a part. IO, also where scratch gave back other bytes than it got. */
LITH_MUST_CHECK enum lith_code lith_stored_part_load(const struct lith_stored_part *part, void *to,
                                                     struct lith_err *err);

/* Whether scratch gives back what it got: reads all of it once, through `room`. NOMEM, LIMIT, IO.
 */
LITH_MUST_CHECK enum lith_code lith_stored_part_check(const struct lith_stored_part *part,
                                                      struct lith_buf *room, struct lith_err *err);

/* Reads bytes of a part, which has them, unchecked. IO. */
LITH_MUST_CHECK enum lith_code lith_stored_part_read(const struct lith_stored_part *part,
                                                     uint64_t at, void *to, size_t bytes,
                                                     struct lith_err *err);

#endif
