/*
 * Dealing the rows of units into the buckets of a span, column by column.
 *
 * Every column of a sorted rewrite follows the recipe by being dealt and gathered: the values of a
 * unit, decoded once, are appended to the bucket that holds their output row; later a bucket is
 * loaded whole and read in the order of the output (gather.h). So sources are read from end to end,
 * and what is read at random fits memory.
 *
 *     lith_deal_new
 *     for each leaf of the output:         lith_deal_leaf, or lith_deal_leaf_ids
 *         for each unit, ascending:        where lith_deal_rows says that it has rows in the span
 *             lith_deal_unit, lith_deal_add for each batch, lith_deal_unit_end
 *         lith_deal_leaf_end
 *     then gather
 *
 * A span takes at most its memory_bytes_max at a time: half for buffers, an eighth for
 * dictionaries, the rest for destinations and for the first bytes of what was dealt; beside it 16
 * bytes a unit, 12 for each extent dealt (they are as long as the buffers, so of 64 KiB where
 * memory allows) and 50 KiB.
 */
#ifndef LITH_SORT_DEAL_H
#define LITH_SORT_DEAL_H

#include "parquet/chunk_reader.h"
#include "sort/bucket_store.h"
#include "sort/deal_span.h"

struct lith_deal;

/* Reads the span's part of the recipe (destinations.h says how often). The span is copied, what it
 * points to outlives the deal. CANCELLED, NOMEM, LIMIT (the budget; scratch space), IO. */
LITH_MUST_CHECK enum lith_code lith_deal_new(const struct lith_deal_span *span,
                                             struct lith_deal **ret_deal, struct lith_err *err);

/*
 * A deal of the same span, for other leaves in another thread: first and twins are as many as the
 * span's dealers at most. The first outlives it, and knows what it has dealt for as long as it is.
 * NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_deal_twin(struct lith_deal *first, struct lith_deal **ret_deal,
                                              struct lith_err *err);

/* NULL is a no-op. */
void lith_deal_free(struct lith_deal *deal);

/* How many rows of a unit go to the span. With none its chunks need not be read. */
uint32_t lith_deal_rows(const struct lith_deal *deal, uint32_t unit);

/* Begins a leaf of the output, known by its index, which outlives the deal. LIMIT for one that is
 * nested deeper than a byte counts, NOMEM. */
LITH_MUST_CHECK enum lith_code
lith_deal_leaf(struct lith_deal *deal, const struct lith_schema_node *leaf, struct lith_err *err);

/*
 * Begins a leaf whose values are dealt as ids of a dictionary that is made on the way, with an
 * eighth of the span's memory for those of all leaves. Once lith_deal_is_full the dictionary has no
 * use, or no room: what is added goes nowhere, and lith_deal_leaf_again begins the leaf anew, with
 * values.
 */
LITH_MUST_CHECK enum lith_code lith_deal_leaf_ids(struct lith_deal *deal,
                                                  const struct lith_schema_node *leaf,
                                                  struct lith_err *err);
bool lith_deal_is_full(const struct lith_deal *deal);
LITH_MUST_CHECK enum lith_code lith_deal_leaf_again(struct lith_deal *deal, struct lith_err *err);

/* Whether batches of the leaf at hand may have ids. */
bool lith_deal_takes_ids(const struct lith_deal *deal);

/* Begins a unit that has rows in the span, by its number; they ascend within a leaf. IO. */
LITH_MUST_CHECK enum lith_code lith_deal_unit(struct lith_deal *deal, uint32_t unit,
                                              struct lith_err *err);

/*
 * Deals the next positions of the unit: levels of the output's leaf, values of its type, or ids
 * where the leaf takes them; def_levels may be NULL where no position is null. A row may go on in
 * the next batch. CORRUPT for more rows than the unit has, or a first position that goes on with a
 * row; CANCELLED, NOMEM, LIMIT (the budget; scratch space, with what to raise), IO.
 */
LITH_MUST_CHECK enum lith_code lith_deal_add(struct lith_deal *deal, const struct lith_batch *batch,
                                             struct lith_err *err);

/* So many of the next rows of the unit surely go nowhere: a caller may pass over pages instead of
 * decoding them, and then say so. Between rows only. */
uint64_t lith_deal_idle_rows(struct lith_deal *deal);
void lith_deal_skip(struct lith_deal *deal, uint64_t row_count);

/* Ends the unit. CORRUPT when rows are missing. */
LITH_MUST_CHECK enum lith_code lith_deal_unit_end(struct lith_deal *deal, struct lith_err *err);

/* Ends the leaf: all units that have rows in the span were dealt. It can now be gathered. */
LITH_MUST_CHECK enum lith_code lith_deal_leaf_end(struct lith_deal *deal, struct lith_err *err);

/* For who gathers: also, of the first deal, leaves that a twin has dealt. */
const struct lith_deal_span *lith_deal_span(const struct lith_deal *deal);
struct lith_bucket_store *lith_deal_store(const struct lith_deal *deal, uint32_t leaf);

#endif
