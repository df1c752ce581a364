/*
 * Reading page indexes back: OffsetIndex and ColumnIndex from Thrift, with their lists of one
 * length. Whether they tell the truth about the pages is checked by those who use them.
 */
#include "parquet/page_index.h"
#include "parquet/thrift.h"

/* Arrays grow from the arena by the number of elements, which the bytes left bound. */
static enum lith_code i64_list(struct lith_cursor *c, struct lith_thrift_field field,
                               struct lith_arena *arena, int64_t **ret_values, uint32_t *ret_count,
                               struct lith_err *err)
{
    struct lith_thrift_field element = {0, 0};
    uint32_t count = lith_thrift_list(c, field, &element.type);
    void *block;

    if (count > lith_cursor_left(c))
        c->failed = true;
    if (c->failed)
        return LITH_OK;
    LITH_TRY(lith_arena_array(arena, count, sizeof(int64_t), &block, err));
    int64_t *values = block;
    for (uint32_t i = 0; i < count && !c->failed; i++)
        values[i] = lith_thrift_i64(c, element);
    *ret_values = values;
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code binary_list(struct lith_cursor *c, struct lith_thrift_field field,
                                  struct lith_arena *arena, struct lith_slice **ret_values,
                                  uint32_t *ret_count, struct lith_err *err)
{
    struct lith_thrift_field element = {0, 0};
    uint32_t count = lith_thrift_list(c, field, &element.type);
    void *block;

    if (count > lith_cursor_left(c))
        c->failed = true;
    if (c->failed)
        return LITH_OK;
    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_slice), &block, err));
    struct lith_slice *values = block;
    for (uint32_t i = 0; i < count && !c->failed; i++)
        values[i] = lith_thrift_binary(c, element);
    *ret_values = values;
    *ret_count = count;
    return LITH_OK;
}

/* In lists a bool is a byte: 1 is true; false is 2, or 0 from some writers. */
static enum lith_code bool_list(struct lith_cursor *c, struct lith_thrift_field field,
                                struct lith_arena *arena, bool **ret_values, uint32_t *ret_count,
                                struct lith_err *err)
{
    uint8_t type = 0;
    uint32_t count = lith_thrift_list(c, field, &type);
    void *block;

    if (count > lith_cursor_left(c) ||
        (count > 0 && type != LITH_THRIFT_TRUE && type != LITH_THRIFT_FALSE))
        c->failed = true;
    if (c->failed)
        return LITH_OK;
    LITH_TRY(lith_arena_array(arena, count, sizeof(bool), &block, err));
    bool *values = block;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t byte = lith_cursor_byte(c);
        if (byte > 2)
            c->failed = true;
        values[i] = byte == 1;
    }
    *ret_values = values;
    *ret_count = count;
    return LITH_OK;
}

static struct lith_page_location location_parse(struct lith_cursor *c)
{
    struct lith_page_location location = {.offset = -1, .bytes = -1, .first_row = -1};
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == 1)
            location.offset = lith_thrift_i64(c, field);
        else if (field.id == 2)
            location.bytes = lith_thrift_i32(c, field);
        else if (field.id == 3)
            location.first_row = lith_thrift_i64(c, field);
        else
            lith_thrift_skip(c, field.type);
    }
    if (location.offset < 0 || location.bytes < 0 || location.first_row < 0)
        c->failed = true;
    return location;
}

static enum lith_code location_list(struct lith_cursor *c, struct lith_thrift_field field,
                                    struct lith_arena *arena, struct lith_offset_index *index,
                                    struct lith_err *err)
{
    uint8_t type = 0;
    uint32_t count = lith_thrift_list(c, field, &type);
    void *block;

    if (count > lith_cursor_left(c) || (count > 0 && type != LITH_THRIFT_STRUCT))
        c->failed = true;
    if (c->failed)
        return LITH_OK;
    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_page_location), &block, err));
    index->pages = block;
    index->page_count = count;
    for (uint32_t i = 0; i < count && !c->failed; i++)
        index->pages[i] = location_parse(c);
    return LITH_OK;
}

enum lith_code lith_offset_index_parse(const uint8_t *data, size_t bytes, struct lith_arena *arena,
                                       struct lith_offset_index *ret_index, struct lith_err *err)
{
    struct lith_cursor c = lith_cursor_at(data, bytes);
    struct lith_offset_index index = {.pages = NULL};
    struct lith_thrift_field field;
    uint32_t unencoded_count = 0;
    int16_t last_id = 0;

    while (lith_thrift_field_next(&c, &last_id, &field)) {
        if (field.id == 1)
            LITH_TRY(location_list(&c, field, arena, &index, err));
        else if (field.id == 2)
            LITH_TRY(i64_list(&c, field, arena, &index.unencoded_bytes, &unencoded_count, err));
        else
            lith_thrift_skip(&c, field.type);
    }
    if (c.failed || !index.pages)
        return lith_fail(err, LITH_E_CORRUPT, "an offset index of %zu bytes cannot be read", bytes);
    if (index.unencoded_bytes && unencoded_count != index.page_count)
        return lith_fail(err, LITH_E_CORRUPT, "an offset index of %u pages has %u sizes",
                         index.page_count, unencoded_count);
    *ret_index = index;
    return LITH_OK;
}

/* The lengths of the lists, which must all be the same. */
struct column_counts {
    uint32_t mins;
    uint32_t maxes;
    uint32_t nulls;
    uint32_t nans;
};

static enum lith_code column_field(struct lith_cursor *c, struct lith_thrift_field field,
                                   struct lith_arena *arena, struct lith_column_index *index,
                                   struct column_counts *counts, struct lith_err *err)
{
    switch (field.id) {
    case 1:
        return bool_list(c, field, arena, &index->null_pages, &index->page_count, err);
    case 2:
        return binary_list(c, field, arena, &index->min_values, &counts->mins, err);
    case 3:
        return binary_list(c, field, arena, &index->max_values, &counts->maxes, err);
    case 4:
        index->boundary_order = (enum lith_boundary_order)lith_thrift_i32(c, field);
        return LITH_OK;
    case 5:
        return i64_list(c, field, arena, &index->null_counts, &counts->nulls, err);
    case 6:
        return i64_list(c, field, arena, &index->rep_histograms, &index->rep_histogram_count, err);
    case 7:
        return i64_list(c, field, arena, &index->def_histograms, &index->def_histogram_count, err);
    case 8:
        return i64_list(c, field, arena, &index->nan_counts, &counts->nans, err);
    default:
        lith_thrift_skip(c, field.type);
        return LITH_OK;
    }
}

enum lith_code lith_column_index_parse(const uint8_t *data, size_t bytes, struct lith_arena *arena,
                                       struct lith_column_index *ret_index, struct lith_err *err)
{
    struct lith_cursor c = lith_cursor_at(data, bytes);
    struct lith_column_index index = {.null_pages = NULL};
    struct column_counts counts = {0};
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(&c, &last_id, &field))
        LITH_TRY(column_field(&c, field, arena, &index, &counts, err));
    if (c.failed || !index.null_pages || !index.min_values || !index.max_values)
        return lith_fail(err, LITH_E_CORRUPT, "a column index of %zu bytes cannot be read", bytes);
    if ((unsigned)index.boundary_order > LITH_BOUNDARY_DESCENDING)
        return lith_fail(err, LITH_E_CORRUPT, "a column index of boundary order %d",
                         (int)index.boundary_order);
    if (counts.mins != index.page_count || counts.maxes != index.page_count ||
        (index.null_counts && counts.nulls != index.page_count) ||
        (index.nan_counts && counts.nans != index.page_count))
        return lith_fail(err, LITH_E_CORRUPT,
                         "a column index of %u pages has %u mins, %u maxes, %u null counts and "
                         "%u NaN counts",
                         index.page_count, counts.mins, counts.maxes, counts.nulls, counts.nans);
    *ret_index = index;
    return LITH_OK;
}
