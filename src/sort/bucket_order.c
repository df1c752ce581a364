/*
 * Finding the order by ranks: a bucket's rows are those of all units together that are in a set of
 * bits, and a row arrives as the one that so many of them stand in front of.
 *
 * That takes a walk over all bits, and memory for them. Where a bucket has few of many rows it is
 * sorted instead (bucket_order_sorted.c).
 */
#include "sort/bucket_order.h"

#include "base/checked.h"
#include "sort/row_ranks.h"

/* Of the span's memory: the buffers of dealing have so much, which is over. */
#define MEMORY_SHARES 2u
/* Words of bits for each row of the bucket: a few nanoseconds. */
#define WORDS_PER_ROW_MAX 8u

struct ranked_unit {
    uint32_t first;  /* its first row among those of all units */
    uint32_t row_at; /* in order: a row before this one never comes; else 0 */
    bool in_order;
};

struct ranking {
    const struct lith_deal_span *span;
    struct lith_row_ranks ranks;
    struct ranked_unit *units;
    uint32_t *to; /* the place of the next arrival */
};

static uint64_t unit_rows(const struct lith_deal_span *span)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < span->unit_count; i++)
        rows += span->units[i].row_count; /* 24 bits of units, 32 of rows */
    return rows;
}

/* Whether ranks pay for a bucket of so many rows. */
static bool is_dense(const struct lith_deal_span *span, uint64_t row_count)
{
    uint64_t all = unit_rows(span);

    return all <= UINT32_MAX &&
           lith_row_ranks_bytes(all) <= span->memory_bytes_max / MEMORY_SHARES &&
           all / LITH_ROW_RANKS_WORD / WORDS_PER_ROW_MAX <= row_count;
}

static enum lith_code ranking_init(struct ranking *r, struct lith_err *err)
{
    const struct lith_deal_span *span = r->span;
    uint32_t sum = 0;
    void *block;

    LITH_TRY(lith_row_ranks_init(&r->ranks, unit_rows(span), span->work->mem, err));
    LITH_TRY(lith_alloc_array(span->work->mem, span->unit_count, sizeof(*r->units), &block, err));
    r->units = block;
    for (uint32_t i = 0; i < span->unit_count; i++) {
        r->units[i].first = sum;
        r->units[i].in_order = span->units[i].in_order;
        sum += span->units[i].row_count;
    }
    return LITH_OK;
}

static void ranking_done(struct ranking *r)
{
    lith_row_ranks_done(&r->ranks);
    lith_free(r->units);
}

/* Adds rows to the set and notes each in the place of its arrival; false where that cannot be. */
static inline bool run_add(struct ranking *r, const struct lith_recipe_run *run)
{
    struct ranked_unit *unit = &r->units[run->unit];
    uint32_t row = unit->first + (uint32_t)run->row, rows = (uint32_t)run->row_count;
    bool is_behind = run->row >= unit->row_at;

    if (unit->in_order)
        unit->row_at = (uint32_t)run->row + rows;
    *r->to++ = row; /* nearly always all, in many sorts */
    for (uint32_t i = 1; i < rows; i++)
        *r->to++ = row + i;
    return lith_row_ranks_add(&r->ranks, row, rows) && is_behind;
}

/* No row comes twice, and there are as many as the bucket has: the ranks are all that there are. */
static enum lith_code rows_read(struct ranking *r, struct lith_bucket_order *order,
                                struct lith_err *err)
{
    LITH_AUTO(deal_scan) struct lith_deal_scan scan = {0};
    uint32_t *end = order->arrivals + order->row_count;
    size_t count;

    LITH_TRY(lith_deal_scan_open(r->span, order->bucket, order->bucket + 1, &scan, err));
    for (r->to = order->arrivals; r->to < end;) {
        bool is_good = true;
        LITH_TRY(lith_deal_scan_next(&scan, &count, err));
        for (size_t i = 0; i < count; i++)
            is_good &= run_add(r, &scan.runs[i]);
        if (!is_good)
            return lith_scratch_damaged(err);
    }
    return LITH_OK;
}

/* Rows become arrivals. */
static void ranks_set(const struct ranking *r, struct lith_bucket_order *order)
{
    uint32_t *arrivals = order->arrivals;

    for (size_t i = 0; i < order->row_count; i++)
        arrivals[i] = lith_row_ranks_of(&r->ranks, arrivals[i]);
}

enum lith_code lith_bucket_order_rank(const struct lith_deal_span *span, uint32_t bucket,
                                      struct lith_bucket_order *ret_order, struct lith_err *err)
{
    struct lith_bucket_order order = {.bucket = bucket,
                                      .row_count = lith_deal_bucket_rows(span, bucket)};
    struct ranking ranking = {.span = span};
    void *block = NULL;

    enum lith_code code =
        lith_alloc(span->work->mem, order.row_count * sizeof(*order.arrivals), &block, err);
    order.arrivals = block;
    if (code == LITH_OK)
        code = ranking_init(&ranking, err);
    if (code == LITH_OK)
        code = rows_read(&ranking, &order, err);
    if (code == LITH_OK) {
        lith_row_ranks_count(&ranking.ranks);
        ranks_set(&ranking, &order);
        *ret_order = order;
    } else {
        lith_bucket_order_done(&order);
    }
    ranking_done(&ranking);
    return code;
}

enum lith_code lith_bucket_order_find(const struct lith_deal_span *span, uint32_t bucket,
                                      struct lith_bucket_order *ret_order, struct lith_err *err)
{
    return is_dense(span, lith_deal_bucket_rows(span, bucket))
               ? lith_bucket_order_rank(span, bucket, ret_order, err)
               : lith_bucket_order_sort(span, bucket, ret_order, err);
}

void lith_bucket_order_done(struct lith_bucket_order *order)
{
    lith_free(order->arrivals);
    *order = (struct lith_bucket_order){0};
}
