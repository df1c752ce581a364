/*
 * The witness: what a merge must leave as proof, taken from the source bytes as read.
 *
 * For each output row group and leaf: rows, positions, nulls, and an order-bound fingerprint of
 * the decoded stream. The merge adds every batch it reads before a mover touches it; verify makes
 * the same from the output as read back, through its own reader, and compares. For files: the row
 * count of each source. DESIGN.md section 8.
 */
#ifndef LITH_PARQUET_WITNESS_H
#define LITH_PARQUET_WITNESS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/spool.h"
#include "parquet/chunk_reader.h"

/* A running fingerprint of (repetition level, definition level, value) in order: independent of
 * how the stream is cut into batches and pages. */
struct lith_stream_hash {
    void *state; /* XXH3-128 */
    uint64_t positions;
    uint64_t values;
    uint64_t rows;
};

LITH_MUST_CHECK enum lith_code
lith_stream_hash_new(struct lith_mem *mem, struct lith_stream_hash *ret_hash, struct lith_err *err);
void lith_stream_hash_reset(struct lith_stream_hash *hash);
void lith_stream_hash_add(struct lith_stream_hash *hash, const struct lith_batch *batch);
struct lith_hash128 lith_stream_hash_end(const struct lith_stream_hash *hash);
void lith_stream_hash_done(struct lith_stream_hash *hash);

/* One output chunk. */
struct lith_witness_chunk {
    uint64_t positions;
    uint64_t values; /* not null */
    uint64_t rows;
    struct lith_hash128 fingerprint;
};

/* One output file: chunks in row-group, then leaf order, spooled as they come. */
struct lith_witness {
    struct lith_spool chunks; /* struct lith_witness_chunk each */
    uint64_t chunk_count;
    uint64_t rows;
    uint32_t leaf_count;
    uint32_t row_group_count;
};

void lith_witness_init(struct lith_witness *witness, const struct lith_work *work,
                       uint32_t leaf_count);
void lith_witness_done(struct lith_witness *witness);
LITH_MUST_CHECK enum lith_code lith_witness_add(struct lith_witness *witness,
                                                const struct lith_witness_chunk *chunk,
                                                struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_witness_at(struct lith_witness *witness, uint64_t index,
                                               struct lith_witness_chunk *ret_chunk,
                                               struct lith_err *err);

#endif
