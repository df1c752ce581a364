/*
 * Reading the recipe bucket by bucket.
 */
#include "sort/deal_span.h"

enum lith_code lith_deal_scan_open(const struct lith_deal_span *span, uint32_t begin, uint32_t end,
                                   struct lith_deal_scan *ret_scan, struct lith_err *err)
{
    LITH_ASSERT(begin < end);
    LITH_ASSERT(end <= span->bucket_count);
    LITH_ASSERT(span->borders[end] <= span->recipe->row_count);
    LITH_TRY(lith_recipe_open_at(span->recipe, span->borders[begin], &ret_scan->reader, err));
    ret_scan->span = span;
    ret_scan->bucket = begin;
    ret_scan->bucket_end = end;
    ret_scan->row = span->borders[begin];
    return LITH_OK;
}

/* Units become indexes; the rows of all runs are counted. */
static enum lith_code runs_check(const struct lith_deal_span *span, struct lith_recipe_run *runs,
                                 size_t count, uint64_t *ret_rows, struct lith_err *err)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t unit = runs[i].unit - span->unit_begin; /* wraps where it is below */
        if (unit >= span->unit_count ||
            runs[i].row + runs[i].row_count > span->units[unit].row_count)
            return lith_scratch_damaged(err);
        runs[i].unit = unit;
        rows += runs[i].row_count;
    }
    *ret_rows = rows;
    return LITH_OK;
}

enum lith_code lith_deal_scan_next(struct lith_deal_scan *scan, size_t *ret_count,
                                   struct lith_err *err)
{
    const struct lith_deal_span *span = scan->span;
    uint64_t rows;

    if (scan->row == span->borders[scan->bucket + 1]) {
        LITH_TRY(lith_work_check(span->work, err));
        if (scan->bucket + 1 == scan->bucket_end) {
            *ret_count = 0;
            return LITH_OK;
        }
        scan->bucket++;
    }
    LITH_TRY(lith_recipe_next_some(&scan->reader, span->borders[scan->bucket + 1] - scan->row,
                                   LITH_DEAL_SCAN_RUNS, scan->runs, ret_count, err));
    if (*ret_count == 0)
        return lith_scratch_damaged(err);
    LITH_TRY(runs_check(span, scan->runs, *ret_count, &rows, err));
    scan->row += rows;
    return LITH_OK;
}
