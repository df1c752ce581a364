/*
 * Gathering: a leaf of a bucket in the order of the output.
 *
 * A bucket that fits memory is loaded and its rows picked. One that does not (its byte arrays or
 * lists are much longer than was guessed) is read row by row where it lies, slowly: some
 * microseconds a row.
 */
#ifndef LITH_SORT_GATHER_H
#define LITH_SORT_GATHER_H

#include "parquet/chunk_reader.h"
#include "sort/bucket_order.h"
#include "sort/deal.h"

struct lith_gather;

/*
 * A gatherer of what `deal` and its twins, which outlive it, have dealt, to be used for one leaf of
 * a bucket after another. Threads may have one each, for different leaves. It takes about 150 KiB,
 * and while it gathers up to `memory_bytes_max`, 16 bytes for each extent of the leaf in the
 * bucket, and LITH_GATHER_BATCH_BYTES or one value.
 */
LITH_MUST_CHECK enum lith_code lith_gather_new(const struct lith_deal *deal,
                                               size_t memory_bytes_max,
                                               struct lith_gather **ret_gather,
                                               struct lith_err *err);

/* What loading a leaf of a bucket takes at most; more than a gatherer's memory is never loaded. */
uint64_t lith_gather_bytes(const struct lith_deal *deal, uint32_t leaf, uint32_t bucket);

/* Begins an output chunk of a leaf: what ids of the leaf meant in the chunk before is forgotten. */
void lith_gather_chunk(struct lith_gather *gather, uint32_t leaf);

/* Begins a leaf, by its index, of a bucket, whose order outlives the gathering. CANCELLED, NOMEM,
 * LIMIT, IO (scratch gave back other bytes than it got). */
LITH_MUST_CHECK enum lith_code lith_gather_begin(struct lith_gather *gather, uint32_t leaf,
                                                 const struct lith_bucket_order *order,
                                                 struct lith_err *err);

/*
 * The next batch, with ids where the leaf was dealt as such, borrowed until the next call: at most
 * LITH_BATCH_POSITIONS positions, fewer where values are wide; the last row may go on in the next
 * one. page_start is set in the first batch of a bucket, since that is where values of other rows
 * begin. At the end position_count is 0, and what was loaded is let go.
 */
LITH_MUST_CHECK enum lith_code lith_gather_next(struct lith_gather *gather,
                                                struct lith_batch *ret_batch, struct lith_err *err);

/* NULL is a no-op. */
void lith_gather_free(struct lith_gather *gather);

#endif
