/*
 * Reading the recipe bucket by bucket.
 */
#include "sort/deal_span.h"

enum lith_code lith_deal_scan_open(const struct lith_deal_span *span, uint32_t begin, uint32_t end,
                                   struct lith_deal_scan *ret_scan, struct lith_err *err)
{
    struct lith_deal_scan scan = {
        .span = span, .bucket = begin, .bucket_end = end, .row = span->borders[begin]};

    LITH_ASSERT(begin < end);
    LITH_ASSERT(end <= span->bucket_count);
    LITH_ASSERT(span->borders[end] <= span->recipe->row_count);
    LITH_TRY(lith_recipe_open_at(span->recipe, scan.row, &scan.reader, err));
    *ret_scan = scan;
    return LITH_OK;
}

enum lith_code lith_deal_scan_next(struct lith_deal_scan *scan, struct lith_recipe_run *ret_run,
                                   struct lith_err *err)
{
    const struct lith_deal_span *span = scan->span;

    if (scan->row == span->borders[scan->bucket + 1]) {
        LITH_TRY(lith_work_check(span->work, err));
        if (scan->bucket + 1 == scan->bucket_end) {
            ret_run->row_count = 0;
            return LITH_OK;
        }
        scan->bucket++;
    }
    LITH_TRY(
        lith_recipe_next(&scan->reader, span->borders[scan->bucket + 1] - scan->row, ret_run, err));
    uint32_t unit = ret_run->unit - span->unit_begin; /* wraps where it is below */
    if (ret_run->row_count == 0 || unit >= span->unit_count ||
        ret_run->row + ret_run->row_count > span->units[unit].row_count)
        return lith_deal_damaged(err);
    ret_run->unit = unit;
    scan->row += ret_run->row_count;
    return LITH_OK;
}
