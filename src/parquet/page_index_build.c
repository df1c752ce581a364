/*
 * Building page indexes: one entry per data page, Thrift at the end of the chunk.
 *
 * Memory is a fixed share of the budget. A chunk with more pages than fit, or than readers take,
 * goes without histograms and bounds first, then without index: missing indexes make reading
 * slower, never wrong. PageIndex.md; parquet-splice.md section 2.
 */

#include "base/limits.h"
#include "parquet/page_index.h"
#include "parquet/thrift.h"

/* What is kept of a page; its bounds and histograms stand in two buffers beside. */
struct entry {
    int64_t offset;
    int64_t first_row;
    int64_t unencoded_bytes;
    int64_t null_count;
    int64_t nan_count;
    int32_t bytes;
    uint32_t min_bytes;
    uint32_t max_bytes;
    bool is_null;
};

struct lith_index_builder {
    enum lith_order order;
    bool is_utf8;
    bool is_byte_array;
    bool has_columns;     /* a ColumnIndex can still be written */
    bool dropped;         /* neither index can */
    bool has_null_counts; /* these lists can: known of every page so far */
    bool has_nan_counts;
    bool has_histograms;
    bool has_unencoded;
    bool ascending;
    bool descending;
    bool has_last; /* last_min and last_max are of the last page that has bounds */
    size_t bound_bytes_max;
    size_t rep_count; /* histogram entries of a page */
    size_t def_count;
    struct lith_buf entries;
    struct lith_buf bounds;     /* min, max of each page in turn */
    struct lith_buf histograms; /* rep, then def entries of each page in turn */
    struct lith_buf last_min;
    struct lith_buf last_max;
    struct lith_buf room;
};

/* Indexes may take a sixteenth of the budget while they grow. */
#define INDEX_SHARES 16u

enum lith_code lith_index_builder_new(struct lith_mem *mem, const struct lith_schema_node *leaf,
                                      struct lith_index_builder **ret_builder, struct lith_err *err)
{
    size_t limit = mem->limit / INDEX_SHARES;
    void *block;

    LITH_TRY(lith_alloc_array(mem, 1, sizeof(struct lith_index_builder), &block, err));
    struct lith_index_builder *b = block;
    b->order = lith_order_of(leaf);
    b->is_utf8 = lith_order_is_utf8(leaf);
    b->is_byte_array = leaf->type == LITH_TYPE_BYTE_ARRAY;
    b->has_unencoded = b->is_byte_array;
    b->has_null_counts = true;
    b->has_nan_counts = lith_order_is_floating(b->order);
    b->has_histograms = true;
    b->has_columns = b->order != LITH_ORDER_NONE;
    b->ascending = true;
    b->descending = true;
    /* Only bytes of no fixed width can be cut; all else stands in full or not at all. */
    b->bound_bytes_max = b->is_byte_array && b->order == LITH_ORDER_BYTES
                             ? LITH_INDEX_BOUND_BYTES_MAX
                             : LITH_STATISTICS_BYTES_MAX;
    b->rep_count = leaf->max_rep ? leaf->max_rep + 1u : 0;
    b->def_count = leaf->max_def ? leaf->max_def + 1u : 0;
    lith_buf_init(&b->entries, mem, limit);
    lith_buf_init(&b->bounds, mem, limit);
    lith_buf_init(&b->histograms, mem, limit);
    lith_buf_init(&b->last_min, mem, LITH_STATISTICS_BYTES_MAX);
    lith_buf_init(&b->last_max, mem, LITH_STATISTICS_BYTES_MAX);
    lith_buf_init(&b->room, mem, 2 * LITH_STATISTICS_BYTES_MAX);
    *ret_builder = b;
    return LITH_OK;
}

static void columns_drop(struct lith_index_builder *b)
{
    b->has_columns = false;
    lith_buf_done(&b->bounds);
    lith_buf_done(&b->histograms);
}

void lith_index_builder_drop(struct lith_index_builder *builder)
{
    builder->dropped = true;
    columns_drop(builder);
    lith_buf_done(&builder->entries);
}

static enum lith_code last_set(struct lith_buf *last, struct lith_slice value, struct lith_err *err)
{
    lith_buf_clear(last);
    return lith_buf_append(last, value.data, value.bytes, err);
}

/* Compares with the page before that has bounds, as they are written. */
static enum lith_code order_update(struct lith_index_builder *b,
                                   const struct lith_statistics *statistics, struct lith_err *err)
{
    if (b->has_last) {
        struct lith_slice last_min = {b->last_min.data, b->last_min.bytes};
        struct lith_slice last_max = {b->last_max.data, b->last_max.bytes};
        int min = lith_order_compare(b->order, statistics->min_value, last_min);
        int max = lith_order_compare(b->order, statistics->max_value, last_max);
        b->ascending = b->ascending && min >= 0 && max >= 0;
        b->descending = b->descending && min <= 0 && max <= 0;
    }
    b->has_last = true;
    LITH_TRY(last_set(&b->last_min, statistics->min_value, err));
    return last_set(&b->last_max, statistics->max_value, err);
}

static enum lith_code histograms_add(struct lith_index_builder *b,
                                     const struct lith_index_page *page, struct lith_err *err)
{
    if ((b->rep_count && !page->rep_histogram) || (b->def_count && !page->def_histogram))
        b->has_histograms = false;
    if (!b->has_histograms) {
        lith_buf_done(&b->histograms);
        return LITH_OK;
    }
    LITH_TRY(
        lith_buf_append(&b->histograms, page->rep_histogram, b->rep_count * sizeof(int64_t), err));
    return lith_buf_append(&b->histograms, page->def_histogram, b->def_count * sizeof(int64_t),
                           err);
}

/* The part of an entry that goes into the ColumnIndex. */
static enum lith_code columns_add(struct lith_index_builder *b, const struct lith_index_page *page,
                                  struct entry *entry, struct lith_err *err)
{
    struct lith_statistics statistics;

    lith_buf_clear(&b->room);
    LITH_TRY(lith_bounds_statistics(page->bounds, b->is_utf8, b->bound_bytes_max, &b->room,
                                    &statistics, err));
    entry->is_null = page->bounds->value_count == 0;
    entry->null_count = page->bounds->null_count;
    entry->nan_count = page->bounds->nan_count;
    b->has_null_counts = b->has_null_counts && !page->bounds->nulls_unknown;
    b->has_nan_counts = b->has_nan_counts && !page->bounds->nans_unknown;
    if (!entry->is_null && !statistics.min_value.data) {
        columns_drop(b);
        return LITH_OK;
    }
    entry->min_bytes = (uint32_t)statistics.min_value.bytes;
    entry->max_bytes = (uint32_t)statistics.max_value.bytes;
    if (!entry->is_null)
        LITH_TRY(order_update(b, &statistics, err));
    LITH_TRY(lith_buf_append(&b->bounds, statistics.min_value.data, entry->min_bytes, err));
    LITH_TRY(lith_buf_append(&b->bounds, statistics.max_value.data, entry->max_bytes, err));
    return histograms_add(b, page, err);
}

enum lith_code lith_index_builder_add(struct lith_index_builder *builder,
                                      const struct lith_index_page *page, struct lith_err *err)
{
    struct entry entry = {
        .offset = page->offset,
        .first_row = page->first_row,
        .bytes = page->bytes,
        .unencoded_bytes = page->unencoded_bytes,
    };

    if (builder->dropped)
        return LITH_OK;
    if (builder->entries.bytes / sizeof(entry) >= LITH_THRIFT_ELEMENTS_MAX) {
        lith_index_builder_drop(builder);
        return LITH_OK;
    }
    builder->has_unencoded = builder->has_unencoded && page->unencoded_bytes >= 0;
    if (builder->has_columns) {
        enum lith_code code = columns_add(builder, page, &entry, err);
        if (code == LITH_E_LIMIT)
            columns_drop(builder);
        else
            LITH_TRY(code);
    }
    enum lith_code code = lith_buf_append(&builder->entries, &entry, sizeof(entry), err);
    if (code == LITH_E_LIMIT) {
        lith_index_builder_drop(builder);
        return LITH_OK;
    }
    return code;
}

static void bounds_write(struct lith_thrift_writer *w, int16_t id, const struct entry *entries,
                         uint32_t count, const uint8_t *at, bool is_max)
{
    lith_thrift_write_list(w, id, LITH_THRIFT_BINARY, count);
    for (uint32_t i = 0; i < count; i++) {
        struct lith_slice min = {at, entries[i].min_bytes};
        struct lith_slice max = {at ? at + entries[i].min_bytes : at, entries[i].max_bytes};
        lith_thrift_write_element_binary(w, is_max ? max : min);
        at = max.data ? max.data + max.bytes : at;
    }
}

/* The entries [begin, begin + count) of each page's `stride` ones. */
static void histograms_write(struct lith_thrift_writer *w, int16_t id,
                             const struct lith_index_builder *b, uint32_t page_count, size_t begin,
                             size_t count)
{
    size_t stride = b->rep_count + b->def_count;

    if (!b->has_histograms || count == 0 || page_count * count > LITH_THRIFT_ELEMENTS_MAX)
        return;
    lith_thrift_write_list(w, id, LITH_THRIFT_I64, (uint32_t)(page_count * count));
    for (size_t page = 0; page < page_count; page++)
        for (size_t i = begin; i < begin + count; i++) {
            const uint8_t *at = b->histograms.data + (page * stride + i) * sizeof(int64_t);
            lith_thrift_write_element_i64(w, (int64_t)lith_load_u64(at));
        }
}

static enum lith_code columns_write(const struct lith_index_builder *b, const struct entry *entries,
                                    uint32_t count, struct lith_buf *to, struct lith_err *err)
{
    enum lith_boundary_order order = b->ascending    ? LITH_BOUNDARY_ASCENDING
                                     : b->descending ? LITH_BOUNDARY_DESCENDING
                                                     : LITH_BOUNDARY_UNORDERED;
    struct lith_thrift_writer w;

    lith_thrift_writer_init(&w, to, err);
    lith_thrift_write_list(&w, 1, LITH_THRIFT_TRUE, count);
    for (uint32_t i = 0; i < count; i++)
        lith_thrift_write_element_bool(&w, entries[i].is_null);
    bounds_write(&w, 2, entries, count, b->bounds.data, false);
    bounds_write(&w, 3, entries, count, b->bounds.data, true);
    lith_thrift_write_i32(&w, 4, (int32_t)order);
    if (b->has_null_counts) {
        lith_thrift_write_list(&w, 5, LITH_THRIFT_I64, count);
        for (uint32_t i = 0; i < count; i++)
            lith_thrift_write_element_i64(&w, entries[i].null_count);
    }
    histograms_write(&w, 6, b, count, 0, b->rep_count);
    histograms_write(&w, 7, b, count, b->rep_count, b->def_count);
    if (b->has_nan_counts) {
        lith_thrift_write_list(&w, 8, LITH_THRIFT_I64, count);
        for (uint32_t i = 0; i < count; i++)
            lith_thrift_write_element_i64(&w, entries[i].nan_count);
    }
    lith_thrift_write_stop(&w);
    return w.code;
}

static void location_write(struct lith_thrift_writer *w, const struct lith_page_location *page)
{
    lith_thrift_write_struct(w, 0);
    lith_thrift_write_i64(w, 1, page->offset);
    lith_thrift_write_i32(w, 2, page->bytes);
    lith_thrift_write_i64(w, 3, page->first_row);
    lith_thrift_write_stop(w);
}

static enum lith_code offsets_write(const struct lith_index_builder *b, const struct entry *entries,
                                    uint32_t count, struct lith_buf *to, struct lith_err *err)
{
    struct lith_thrift_writer w;

    lith_thrift_writer_init(&w, to, err);
    lith_thrift_write_list(&w, 1, LITH_THRIFT_STRUCT, count);
    for (uint32_t i = 0; i < count; i++) {
        struct lith_page_location page = {
            .offset = entries[i].offset,
            .bytes = entries[i].bytes,
            .first_row = entries[i].first_row,
        };
        location_write(&w, &page);
    }
    if (b->has_unencoded) {
        lith_thrift_write_list(&w, 2, LITH_THRIFT_I64, count);
        for (uint32_t i = 0; i < count; i++)
            lith_thrift_write_element_i64(&w, entries[i].unencoded_bytes);
    }
    lith_thrift_write_stop(&w);
    return w.code;
}

enum lith_code lith_index_builder_finish(struct lith_index_builder *builder,
                                         struct lith_buf *column_index,
                                         struct lith_buf *offset_index, struct lith_err *err)
{
    /* The buffer's memory comes from lith_alloc, which aligns it. */
    const struct entry *entries = (const void *)builder->entries.data;
    uint32_t count = (uint32_t)(builder->entries.bytes / sizeof(struct entry));

    if (builder->dropped || count == 0)
        return LITH_OK;
    if (builder->has_columns)
        LITH_TRY(columns_write(builder, entries, count, column_index, err));
    return offsets_write(builder, entries, count, offset_index, err);
}

enum lith_code lith_offset_index_shift(struct lith_slice from, int64_t shift, struct lith_buf *to,
                                       struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_offset_index index;
    struct lith_thrift_writer w;

    lith_arena_init(&arena, to->mem);
    LITH_TRY(lith_offset_index_parse(from.data, from.bytes, &arena, &index, err));
    lith_thrift_writer_init(&w, to, err);
    lith_thrift_write_list(&w, 1, LITH_THRIFT_STRUCT, index.page_count);
    for (uint32_t i = 0; i < index.page_count; i++) {
        index.pages[i].offset += shift;
        location_write(&w, &index.pages[i]);
    }
    if (index.unencoded_bytes) {
        lith_thrift_write_list(&w, 2, LITH_THRIFT_I64, index.page_count);
        for (uint32_t i = 0; i < index.page_count; i++)
            lith_thrift_write_element_i64(&w, index.unencoded_bytes[i]);
    }
    lith_thrift_write_stop(&w);
    return w.code;
}

void lith_index_builder_free(struct lith_index_builder *builder)
{
    if (!builder)
        return;
    lith_buf_done(&builder->entries);
    lith_buf_done(&builder->bounds);
    lith_buf_done(&builder->histograms);
    lith_buf_done(&builder->last_min);
    lith_buf_done(&builder->last_max);
    lith_buf_done(&builder->room);
    lith_free(builder);
}
