/*
 * The page indexes of a chunk: places, lengths, bounds that can be bounds, the boundary order.
 * Whether bounds contain the values is checked where the values are (content.c).
 */
#include "verify/index_check.h"

#include <inttypes.h>

/* The sign of a number whose last byte has it. */
static bool is_negative(struct lith_slice value)
{
    return value.bytes > 0 && value.data[value.bytes - 1] >> 7;
}

enum lith_code lith_bounds_pair_check(const struct lith_schema_node *leaf, struct lith_slice min,
                                      struct lith_slice max, struct lith_err *err)
{
    enum lith_order order = lith_order_of(leaf);
    size_t width = lith_type_width(leaf->type, leaf->type_length);

    if (order == LITH_ORDER_NONE)
        return lith_fail(err, LITH_E_CORRUPT, "bounds for a column whose order is undefined");
    if (width > 0 && (min.bytes != width || max.bytes != width))
        return lith_fail(err, LITH_E_CORRUPT, "bounds of %zu and %zu bytes for values of %zu",
                         min.bytes, max.bytes, width);
    if (lith_order_is_nan(order, min) || lith_order_is_nan(order, max))
        return lith_fail(err, LITH_E_CORRUPT, "NaN as a bound");
    /* Zeros of both signs are one value to most readers: a bound must hold the other one too. */
    if ((lith_order_is_zero(order, min) && !is_negative(min)) ||
        (lith_order_is_zero(order, max) && is_negative(max)))
        return lith_fail(err, LITH_E_CORRUPT, "+0 as the minimum or -0 as the maximum");
    if (lith_order_compare(order, min, max) > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a lower bound above the upper one");
    return LITH_OK;
}

static enum lith_code read_range(struct lith_source *source, const struct lith_footer *footer,
                                 int64_t offset, int32_t bytes, struct lith_arena *arena,
                                 uint8_t **ret_data, struct lith_err *err)
{
    void *block;

    if (offset < 4 || bytes <= 0 || (uint64_t)offset > footer->footer_offset ||
        (uint64_t)bytes > footer->footer_offset - (uint64_t)offset)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRId32 " bytes at %" PRId64, bytes, offset);
    LITH_TRY(lith_arena_alloc(arena, (size_t)bytes, &block, err));
    LITH_TRY(lith_source_read(source, (uint64_t)offset, block, (size_t)bytes, err));
    *ret_data = block;
    return LITH_OK;
}

static enum lith_code offsets_check(const struct lith_seen *seen,
                                    const struct lith_offset_index *index, int64_t num_rows,
                                    struct lith_err *err)
{
    const struct lith_seen_page *pages = lith_seen_pages(seen);
    int64_t row = 0; /* of the page, as long as the pages tell their rows */

    if (index->page_count != seen->page_count)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " entries, but %zu data pages",
                         index->page_count, seen->page_count);
    for (size_t i = 0; i < seen->page_count; i++) {
        const struct lith_page_location *at = &index->pages[i];
        if ((uint64_t)at->offset != pages[i].offset || (uint32_t)at->bytes != pages[i].bytes)
            return lith_fail(err, LITH_E_CORRUPT,
                             "entry %zu says %" PRId32 " bytes at %" PRId64
                             ", the page has %" PRIu32 " at %" PRIu64,
                             i, at->bytes, at->offset, pages[i].bytes, pages[i].offset);
        bool rises = i == 0 ? at->first_row == 0 : at->first_row > index->pages[i - 1].first_row;
        if (!rises || at->first_row >= num_rows || (row >= 0 && at->first_row != row))
            return lith_fail(err, LITH_E_CORRUPT,
                             "entry %zu says first row %" PRId64 ", it must be %" PRId64
                             " (of %" PRId64 "; -1: more than the one before)",
                             i, at->first_row, row, num_rows);
        row = row < 0 || pages[i].rows < 0 ? -1 : row + pages[i].rows;
    }
    return LITH_OK;
}

static enum lith_code order_check(const struct lith_column_index *index, enum lith_order order,
                                  struct lith_err *err)
{
    bool has_last = false;
    uint32_t last = 0;

    for (uint32_t i = 0; i < index->page_count; i++) {
        if (index->null_pages[i])
            continue;
        int min = 0;
        int max = 0;
        if (has_last) {
            min = lith_order_compare(order, index->min_values[last], index->min_values[i]);
            max = lith_order_compare(order, index->max_values[last], index->max_values[i]);
        }
        if ((index->boundary_order == LITH_BOUNDARY_ASCENDING && (min > 0 || max > 0)) ||
            (index->boundary_order == LITH_BOUNDARY_DESCENDING && (min < 0 || max < 0)))
            return lith_fail(err, LITH_E_CORRUPT,
                             "boundary_order %d, but not from page %" PRIu32 " to %" PRIu32,
                             (int)index->boundary_order, last, i);
        has_last = true;
        last = i;
    }
    return LITH_OK;
}

static enum lith_code columns_check(const struct lith_seen *seen,
                                    const struct lith_column_index *index,
                                    const struct lith_schema_node *leaf, struct lith_err *err)
{
    size_t rep = seen->page_count * ((size_t)leaf->max_rep + 1);
    size_t def = seen->page_count * ((size_t)leaf->max_def + 1);

    if (index->page_count != seen->page_count)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " entries, but %zu data pages",
                         index->page_count, seen->page_count);
    if ((index->rep_histogram_count && index->rep_histogram_count != rep) ||
        (index->def_histogram_count && index->def_histogram_count != def))
        return lith_fail(err, LITH_E_CORRUPT,
                         "histograms of %" PRIu32 " and %" PRIu32 " entries, they must be %zu "
                         "and %zu",
                         index->rep_histogram_count, index->def_histogram_count, rep, def);
    for (uint32_t i = 0; i < index->page_count; i++) {
        if (index->null_pages[i]) {
            if (index->min_values[i].bytes || index->max_values[i].bytes)
                return lith_fail(err, LITH_E_CORRUPT, "page %" PRIu32 ": bounds of a null page", i);
            continue;
        }
        enum lith_code code =
            lith_bounds_pair_check(leaf, index->min_values[i], index->max_values[i], err);
        if (code != LITH_OK)
            (void)lith_err_prefix(err, "page %" PRIu32, i);
        LITH_TRY(code);
    }
    return order_check(index, lith_order_of(leaf), err);
}

static enum lith_code offsets_read(const struct lith_seen *seen, struct lith_source *source,
                                   const struct lith_footer *footer,
                                   const struct lith_chunk_meta *meta, int64_t num_rows,
                                   struct lith_arena *arena, struct lith_offset_index *index,
                                   struct lith_err *err)
{
    uint8_t *data;

    LITH_TRY(read_range(source, footer, meta->offset_index_offset, meta->offset_index_length, arena,
                        &data, err));
    LITH_TRY(lith_offset_index_parse(data, (size_t)meta->offset_index_length, arena, index, err));
    return offsets_check(seen, index, num_rows, err);
}

static enum lith_code columns_read(const struct lith_seen *seen, struct lith_source *source,
                                   const struct lith_footer *footer,
                                   const struct lith_chunk_meta *meta,
                                   const struct lith_schema_node *leaf, struct lith_arena *arena,
                                   struct lith_column_index *index, struct lith_err *err)
{
    uint8_t *data;

    LITH_TRY(read_range(source, footer, meta->column_index_offset, meta->column_index_length, arena,
                        &data, err));
    LITH_TRY(lith_column_index_parse(data, (size_t)meta->column_index_length, arena, index, err));
    return columns_check(seen, index, leaf, err);
}

enum lith_code lith_indexes_read(const struct lith_seen *seen, struct lith_source *source,
                                 const struct lith_footer *footer, uint32_t row_group,
                                 uint32_t leaf, struct lith_arena *arena,
                                 struct lith_indexes *ret_indexes, struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[row_group];
    const struct lith_chunk_meta *meta = &group->chunks[leaf];
    struct lith_indexes indexes = {.has_offsets = meta->offset_index_offset != 0,
                                   .has_columns = meta->column_index_offset != 0};
    enum lith_code code = LITH_OK;

    if (indexes.has_columns && !indexes.has_offsets)
        return lith_fail(err, LITH_E_CORRUPT, "a column index without an offset index");
    if (indexes.has_offsets)
        code =
            offsets_read(seen, source, footer, meta, group->num_rows, arena, &indexes.offsets, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "offset index");
    if (indexes.has_columns)
        code = columns_read(seen, source, footer, meta, lith_schema_leaf(&footer->schema, leaf),
                            arena, &indexes.columns, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "column index");
    *ret_indexes = indexes;
    return LITH_OK;
}
