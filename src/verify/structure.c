/*
 * The structure of an output: footer, row groups, chunk metadata.
 */
#include "verify/structure.h"

#include <inttypes.h>

#include "base/checked.h"
#include "verify/index_check.h"

static int64_t chunk_begin(const struct lith_chunk_meta *meta)
{
    return meta->dictionary_page_offset > 0 ? meta->dictionary_page_offset : meta->data_page_offset;
}

static enum lith_code row_group_check(const struct lith_footer *footer, uint32_t index,
                                      uint64_t *end, struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[index];
    int64_t bytes = 0;

    if (group->num_rows <= 0)
        return lith_fail(err, LITH_E_CORRUPT, "row group %" PRIu32 " has %" PRId64 " rows", index,
                         group->num_rows);
    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        const struct lith_chunk_meta *meta = &group->chunks[leaf];
        int64_t begin = chunk_begin(meta);
        if (begin < 0 || (uint64_t)begin < *end || meta->total_compressed_size < 0)
            return lith_fail(err, LITH_E_CORRUPT,
                             "row group %" PRIu32 ", column %" PRIu32 " begins at %" PRId64
                             ", before the end of the chunk before it at %" PRIu64,
                             index, leaf, begin, *end);
        *end = (uint64_t)begin + (uint64_t)meta->total_compressed_size;
        if (!lith_add_i64(bytes, meta->total_uncompressed_size, &bytes))
            return lith_fail(err, LITH_E_CORRUPT, "row group %" PRIu32 ": sizes overflow", index);
    }
    if (bytes != group->total_byte_size)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 " says total_byte_size %" PRId64
                         ", its chunks have %" PRId64,
                         index, group->total_byte_size, bytes);
    for (uint32_t i = 0; i < group->sorting_column_count; i++) {
        int32_t column = group->sorting_columns[i].column_index;
        if (column < 0 || (uint32_t)column >= footer->schema.leaf_count)
            return lith_fail(err, LITH_E_CORRUPT,
                             "row group %" PRIu32 " is sorted by column %" PRId32 " of %" PRIu32,
                             index, column, footer->schema.leaf_count);
    }
    return LITH_OK;
}

enum lith_code lith_structure_file(const struct lith_footer *footer, struct lith_err *err)
{
    uint64_t end = 4; /* the leading magic */
    int64_t rows = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        LITH_TRY(row_group_check(footer, i, &end, err));
        if (!lith_add_i64(rows, footer->row_groups[i].num_rows, &rows))
            return lith_fail(err, LITH_E_CORRUPT, "the rows of the row groups overflow");
    }
    if (end > footer->footer_offset)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the last chunk ends at %" PRIu64 ", the footer begins at %" PRIu64, end,
                         footer->footer_offset);
    if (rows != footer->num_rows)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the footer says %" PRId64 " rows, the row groups %" PRId64,
                         footer->num_rows, rows);
    return LITH_OK;
}

/* Encodings that pages have. Levels are RLE, and BIT_PACKED is claimed by some for no levels. */
static enum lith_code encodings_check(const struct lith_seen *seen,
                                      const struct lith_chunk_meta *meta, struct lith_err *err)
{
    uint32_t levels = 1u << LITH_ENCODING_RLE | 1u << LITH_ENCODING_BIT_PACKED;
    uint32_t found = 0;

    for (unsigned type = 0; type < LITH_SEEN_TYPES; type++) {
        for (unsigned encoding = 0; encoding < LITH_SEEN_ENCODINGS; encoding++)
            found |= seen->counts[type][encoding] ? 1u << encoding : 0;
    }
    if ((found & ~meta->encodings) != 0 || (meta->encodings & ~(found | levels)) != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "encodings says %#" PRIx32 ", the pages have %#" PRIx32
                         " (bits by number)",
                         meta->encodings, found);
    return LITH_OK;
}

static enum lith_code encoding_stats_check(const struct lith_seen *seen,
                                           const struct lith_chunk_meta *meta, struct lith_err *err)
{
    uint64_t claimed = 0;
    uint64_t found = 0;

    if (meta->encoding_stat_count == 0)
        return LITH_OK;
    for (unsigned type = 0; type < LITH_SEEN_TYPES; type++) {
        for (unsigned encoding = 0; encoding < LITH_SEEN_ENCODINGS; encoding++)
            found += seen->counts[type][encoding];
    }
    for (uint32_t i = 0; i < meta->encoding_stat_count; i++) {
        const struct lith_encoding_stat *stat = &meta->encoding_stats[i];
        bool known = stat->page_type >= 0 && stat->page_type < LITH_SEEN_TYPES &&
                     stat->encoding >= 0 && stat->encoding < LITH_SEEN_ENCODINGS;
        uint32_t pages = known ? seen->counts[stat->page_type][stat->encoding] : 0;
        if (stat->count < 0 || (uint32_t)stat->count != pages)
            return lith_fail(err, LITH_E_CORRUPT,
                             "encoding_stats says %" PRId32 " pages of type %" PRId32
                             " and encoding %" PRId32 ", there are %" PRIu32,
                             stat->count, stat->page_type, stat->encoding, pages);
        claimed += pages;
    }
    if (claimed != found)
        return lith_fail(err, LITH_E_CORRUPT,
                         "encoding_stats tells of %" PRIu64 " pages, there are %" PRIu64, claimed,
                         found);
    return LITH_OK;
}

static enum lith_code totals_check(const struct lith_seen *seen, const struct lith_chunk_meta *meta,
                                   struct lith_err *err)
{
    if (seen->num_values != (uint64_t)meta->num_values)
        return lith_fail(err, LITH_E_CORRUPT,
                         "num_values says %" PRId64 ", the pages have %" PRIu64, meta->num_values,
                         seen->num_values);
    if (seen->uncompressed_bytes != (uint64_t)meta->total_uncompressed_size)
        return lith_fail(err, LITH_E_CORRUPT,
                         "total_uncompressed_size says %" PRId64 ", the pages have %" PRIu64,
                         meta->total_uncompressed_size, seen->uncompressed_bytes);
    if (seen->has_dictionary != (meta->dictionary_page_offset > 0))
        return lith_fail(err, LITH_E_CORRUPT,
                         "dictionary_page_offset is %" PRId64 ", but there is "
                         "%s dictionary page",
                         meta->dictionary_page_offset, seen->has_dictionary ? "a" : "no");
    if (seen->data_begin != (uint64_t)meta->data_page_offset)
        return lith_fail(err, LITH_E_CORRUPT,
                         "data_page_offset says %" PRId64 ", the first data page is at %" PRIu64,
                         meta->data_page_offset, seen->data_begin);
    return LITH_OK;
}

/* Readers that go by the encodings of the data pages find no dictionary in such a chunk, and take a
 * wrong place for its begin. */
static enum lith_code dictionary_check(const struct lith_seen *seen, struct lith_err *err)
{
    uint64_t pages = 0;

    for (unsigned type = 0; type < LITH_SEEN_TYPES; type++) {
        if (type != LITH_PAGE_DICTIONARY)
            pages += (uint64_t)seen->counts[type][LITH_ENCODING_RLE_DICTIONARY] +
                     seen->counts[type][LITH_ENCODING_PLAIN_DICTIONARY];
    }
    if (seen->has_dictionary && pages == 0)
        return lith_fail(err, LITH_E_CORRUPT, "a dictionary page that no data page uses");
    return LITH_OK;
}

static enum lith_code statistics_check(const struct lith_footer *footer, uint32_t row_group,
                                       uint32_t leaf, struct lith_err *err)
{
    const struct lith_chunk_meta *meta = &footer->row_groups[row_group].chunks[leaf];
    const struct lith_statistics *statistics = &meta->statistics;
    enum lith_order order = lith_order_of(lith_schema_leaf(&footer->schema, leaf));
    bool has_min = statistics->min_value.data != NULL;
    bool has_max = statistics->max_value.data != NULL;

    if (statistics->has_null_count &&
        (statistics->null_count < 0 || statistics->null_count > meta->num_values))
        return lith_fail(err, LITH_E_CORRUPT, "null_count %" PRId64 " of %" PRId64 " values",
                         statistics->null_count, meta->num_values);
    if (statistics->legacy_min.data || statistics->legacy_max.data)
        return lith_fail(err, LITH_E_CORRUPT, "bounds in the deprecated fields");
    if (statistics->has_distinct_count)
        return lith_fail(err, LITH_E_CORRUPT, "a distinct_count, which nothing proves");
    if (has_min != has_max)
        return lith_fail(err, LITH_E_CORRUPT, "statistics with one bound alone");
    if (!has_min)
        return LITH_OK;
    if (order == LITH_ORDER_NONE)
        return lith_fail(err, LITH_E_CORRUPT, "bounds for a column whose order is undefined");
    if (!footer->column_orders || footer->column_orders[leaf] == LITH_ORDER_UNDEFINED)
        return lith_fail(err, LITH_E_CORRUPT, "bounds without a column order");
    if (footer->column_orders[leaf] != LITH_ORDER_TYPE)
        return lith_fail(err, LITH_E_CORRUPT, "bounds of column order %d, not of TYPE_ORDER",
                         footer->column_orders[leaf]);
    return lith_bounds_pair_check(lith_schema_leaf(&footer->schema, leaf), statistics->min_value,
                                  statistics->max_value, err);
}

enum lith_code lith_structure_chunk(const struct lith_seen *seen, struct lith_source *source,
                                    const struct lith_footer *footer, uint32_t row_group,
                                    uint32_t leaf, struct lith_arena *arena,
                                    struct lith_indexes *ret_indexes, struct lith_err *err)
{
    const struct lith_chunk_meta *meta = &footer->row_groups[row_group].chunks[leaf];

    LITH_TRY(totals_check(seen, meta, err));
    LITH_TRY(encodings_check(seen, meta, err));
    LITH_TRY(encoding_stats_check(seen, meta, err));
    LITH_TRY(dictionary_check(seen, err));
    LITH_TRY(statistics_check(footer, row_group, leaf, err));
    return lith_indexes_read(seen, source, footer, row_group, leaf, arena, ret_indexes, err);
}
