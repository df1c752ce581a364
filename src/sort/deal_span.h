/*
 * A span: consecutive buckets of output rows, whose rows are dealt in one go.
 *
 * A bucket is a range of output rows small enough that one column of it fits memory.
 */
#ifndef LITH_SORT_DEAL_SPAN_H
#define LITH_SORT_DEAL_SPAN_H

#include "sort/recipe.h"
#include "sort/scratch_damage.h"

/* A unit, as far as dealing knows it. */
struct lith_deal_unit {
    uint32_t row_count; /* 0: the recipe does not name it */
    bool in_order;      /* its rows stand in the output in the order they have in the unit */
};

/* All pointers are borrowed and outlive what is made of the span. */
struct lith_deal_span {
    const struct lith_work *work;
    struct lith_recipe *recipe; /* ended; no other reader of it moves meanwhile */
    /* Output rows: bucket i is [borders[i], borders[i + 1]), none empty, none of 2^32 rows. */
    const uint64_t *borders;
    uint32_t bucket_count; /* at most LITH_DEAL_BUCKETS_MAX */
    uint32_t unit_begin;   /* number of the first one in `units` */
    uint32_t unit_count;
    const struct lith_deal_unit *units;
    uint32_t leaf_count;
    uint32_t dealer_count; /* of leaves at once, each with its part of the memory; 0: one */
    /* For each dealer at least bucket_count * LITH_DEAL_MEMORY_BYTES_MIN. */
    size_t memory_bytes_max;
};

/* A unit's index in `units`. */
static inline uint32_t lith_deal_unit_index(const struct lith_deal_span *span, uint32_t unit)
{
    LITH_ASSERT(unit >= span->unit_begin);
    LITH_ASSERT(unit - span->unit_begin < span->unit_count);
    return unit - span->unit_begin;
}

/* Rows of a bucket: some, and below 2^32. */
static inline size_t lith_deal_bucket_rows(const struct lith_deal_span *span, uint32_t bucket)
{
    uint64_t rows = span->borders[bucket + 1] - span->borders[bucket];

    LITH_ASSERT(rows > 0);
    LITH_ASSERT(rows < LITH_UNIT_ROWS_MAX);
    return (size_t)rows;
}

#define LITH_DEAL_SCAN_RUNS 128u

/* The recipe's runs of some buckets, cut at their borders. */
struct lith_deal_scan {
    const struct lith_deal_span *span;
    struct lith_recipe_reader reader;
    uint32_t bucket; /* of the runs that were given last */
    uint32_t bucket_end;
    uint64_t row; /* the next one of the output */
    struct lith_recipe_run runs[LITH_DEAL_SCAN_RUNS];
};

/* Scans buckets [begin, end), at least one. NOMEM, LIMIT, IO. */
LITH_MUST_CHECK enum lith_code lith_deal_scan_open(const struct lith_deal_span *span,
                                                   uint32_t begin, uint32_t end,
                                                   struct lith_deal_scan *ret_scan,
                                                   struct lith_err *err);

/* The next runs, in scan->runs and of one bucket; their units are indexes in `units`. *ret_count is
 * 0 at the end. CANCELLED, IO (also for rows that no unit has). */
LITH_MUST_CHECK enum lith_code lith_deal_scan_next(struct lith_deal_scan *scan, size_t *ret_count,
                                                   struct lith_err *err);

/* A zeroed one is a no-op. */
static inline void lith_deal_scan_auto(struct lith_deal_scan *scan)
{
    lith_recipe_close(&scan->reader);
}

#endif
