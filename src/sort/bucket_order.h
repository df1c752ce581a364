/*
 * The order of a bucket: where each of its output rows stands among the rows that arrived.
 *
 * Rows arrive by unit, then row. The order is the same for all columns, so it is found once and
 * kept as long as the bucket's row group is written.
 */
#ifndef LITH_SORT_BUCKET_ORDER_H
#define LITH_SORT_BUCKET_ORDER_H

#include "sort/deal_span.h"

struct lith_bucket_order {
    uint32_t bucket;
    uint32_t *arrivals; /* of each output row, its index among those that arrived */
    size_t row_count;
};

/*
 * Reads the bucket's part of the recipe, twice where it has few of the rows that its units have.
 * Holds 4 bytes a row; while it lasts 12 a unit and at most half of the span's memory, which
 * dealing needs no more, or else 12 a unit, 8 for each row of units that are not in order, and 8
 * for each row of the largest of these. CANCELLED, NOMEM, LIMIT, IO.
 */
LITH_MUST_CHECK enum lith_code lith_bucket_order_find(const struct lith_deal_span *span,
                                                      uint32_t bucket,
                                                      struct lith_bucket_order *ret_order,
                                                      struct lith_err *err);

/* The two ways to it: by ranks in a set of the rows of all units, below 2^32; by sorting. */
LITH_MUST_CHECK enum lith_code lith_bucket_order_rank(const struct lith_deal_span *span,
                                                      uint32_t bucket,
                                                      struct lith_bucket_order *ret_order,
                                                      struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_bucket_order_sort(const struct lith_deal_span *span,
                                                      uint32_t bucket,
                                                      struct lith_bucket_order *ret_order,
                                                      struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_bucket_order_done(struct lith_bucket_order *order);

#endif
