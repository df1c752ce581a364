/*
 * A running fingerprint of a decoded stream: (repetition level, definition level, value) in order,
 * however it is cut into batches and pages, and however its pages are encoded.
 *
 * A batch of ids costs one gather: byte array entries of a dictionary are hashed once, and the
 * stream of values is the stream of their hashes. DESIGN.md section 8.
 */
#ifndef LITH_PARQUET_STREAM_HASH_H
#define LITH_PARQUET_STREAM_HASH_H

#include "base/hash.h"
#include "parquet/chunk_reader.h"
#include "parquet/dictionary.h"

struct lith_stream_hash {
    void *state; /* XXH3-128, three of them */
    uint64_t positions;
    uint64_t values; /* not null */
    uint64_t rows;
};

LITH_MUST_CHECK enum lith_code
lith_stream_hash_new(struct lith_mem *mem, struct lith_stream_hash *ret_hash, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_stream_hash_done(struct lith_stream_hash *hash);
void lith_stream_hash_reset(struct lith_stream_hash *hash);
/* NOMEM, where a dictionary's entries are hashed for the first time. */
LITH_MUST_CHECK enum lith_code lith_stream_hash_add(struct lith_stream_hash *hash,
                                                    const struct lith_batch *batch,
                                                    struct lith_err *err);
struct lith_hash128 lith_stream_hash_end(const struct lith_stream_hash *hash);

/*
 * A fingerprint of the first `count` entries (at most dictionary->count), held in memory or not:
 * what ids below `count` mean.
 */
LITH_MUST_CHECK enum lith_code lith_dictionary_fingerprint(struct lith_dictionary *dictionary,
                                                           uint32_t count,
                                                           struct lith_hash128 *ret_fingerprint,
                                                           struct lith_err *err);

#endif
