/*
 * What footer.h promises of a footer that was read: counts, sums, byte ranges.
 *
 * A chunk without values has no pages, and writers put anything into its offsets: they are
 * cleared. Old writers give chunk sizes that are too small (parquet-mr < 1.2.9, PARQUET-816):
 * page_source.h knows by how much. parquet-splice.md section 9.1, 4 and 5.
 */
#include "parquet/footer_parse.h"

#include <inttypes.h>

#include "base/checked.h"

#define MAGIC_BYTES 4

static enum lith_code negative(const char *what, int64_t value, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT, "%s is %" PRId64, what, value);
}

static enum lith_code counts_check(const struct lith_chunk_meta *chunk, struct lith_err *err)
{
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {
        {"num_values", chunk->num_values},
        {"total_uncompressed_size", chunk->total_uncompressed_size},
        {"total_compressed_size", chunk->total_compressed_size},
        {"data_page_offset", chunk->data_page_offset},
        {"dictionary_page_offset", chunk->dictionary_page_offset},
        {"offset_index_offset", chunk->offset_index_offset},
        {"offset_index_length", chunk->offset_index_length},
        {"column_index_offset", chunk->column_index_offset},
        {"column_index_length", chunk->column_index_length},
        {"bloom_filter_offset", chunk->bloom_filter_offset},
        {"bloom_filter_length", chunk->bloom_filter_length},
    };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (counts[i].value < 0)
            return negative(counts[i].name, counts[i].value, err);
    }
    return LITH_OK;
}

/* Every row has one position in a flat column, and at least one in a repeated one. */
static enum lith_code rows_check(const struct lith_chunk_meta *chunk,
                                 const struct lith_schema_node *leaf, int64_t num_rows,
                                 struct lith_err *err)
{
    if (leaf->max_rep == 0 ? chunk->num_values == num_rows : chunk->num_values >= num_rows)
        return LITH_OK;
    return lith_fail(err, LITH_E_CORRUPT,
                     "%" PRId64 " values of a column with maximum repetition level %u in a row "
                     "group of %" PRId64 " rows",
                     chunk->num_values, leaf->max_rep, num_rows);
}

static int64_t chunk_start(const struct lith_chunk_meta *chunk)
{
    return chunk->dictionary_page_offset ? chunk->dictionary_page_offset : chunk->data_page_offset;
}

static enum lith_code range_check(struct lith_chunk_meta *chunk, uint64_t footer_offset,
                                  struct lith_err *err)
{
    int64_t start = chunk_start(chunk);
    int64_t end;

    if (chunk->num_values == 0) {
        chunk->data_page_offset = 0;
        chunk->dictionary_page_offset = 0;
        chunk->total_compressed_size = 0;
        return LITH_OK;
    }
    if (chunk->dictionary_page_offset > chunk->data_page_offset)
        return lith_fail(err, LITH_E_CORRUPT,
                         "dictionary_page_offset %" PRId64 " lies behind data_page_offset %" PRId64,
                         chunk->dictionary_page_offset, chunk->data_page_offset);
    if (start < MAGIC_BYTES || !lith_add_i64(start, chunk->total_compressed_size, &end) ||
        (uint64_t)end > footer_offset || (uint64_t)chunk->data_page_offset >= footer_offset)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRId64 " bytes at offset %" PRId64 " do not lie between the leading "
                         "magic and the footer at %" PRIu64,
                         chunk->total_compressed_size, start, footer_offset);
    return LITH_OK;
}

static enum lith_code chunk_check(const struct lith_footer *footer, uint32_t row_group,
                                  uint32_t leaf, struct lith_err *err)
{
    struct lith_chunk_meta *chunk = &footer->row_groups[row_group].chunks[leaf];
    const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);

    LITH_TRY(counts_check(chunk, err));
    LITH_TRY(rows_check(chunk, node, footer->row_groups[row_group].num_rows, err));
    return range_check(chunk, footer->footer_offset, err);
}

static enum lith_code row_group_check(const struct lith_footer *footer, uint32_t index,
                                      struct lith_err *err)
{
    const struct lith_row_group *row_group = &footer->row_groups[index];

    if (row_group->num_rows < 0)
        return negative("num_rows", row_group->num_rows, err);
    if (row_group->total_byte_size < 0)
        return negative("total_byte_size", row_group->total_byte_size, err);
    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        if (chunk_check(footer, index, leaf, err) != LITH_OK) {
            char path[256];
            lith_schema_path(&footer->schema, footer->schema.leaves[leaf], path, sizeof(path));
            return lith_err_prefix(err, "column %s", path);
        }
    }
    return LITH_OK;
}

/* The bytes of one chunk, and whose they are. */
struct range {
    int64_t begin;
    int64_t end;
    uint32_t row_group;
    uint32_t leaf;
};

static void sift_down(struct range *ranges, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && ranges[child].begin < ranges[child + 1].begin)
            child++;
        if (ranges[root].begin >= ranges[child].begin)
            return;
        struct range swap = ranges[root];
        ranges[root] = ranges[child];
        ranges[child] = swap;
        root = child;
    }
}

/* Heapsort: in place, and no input makes it slow. */
static void ranges_sort(struct range *ranges, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sift_down(ranges, i - 1, count);
    for (size_t end = count; end > 1; end--) {
        struct range largest = ranges[0];
        ranges[0] = ranges[end - 1];
        ranges[end - 1] = largest;
        sift_down(ranges, 0, end - 1);
    }
}

static struct range range_of(const struct lith_footer *footer, uint32_t row_group, uint32_t leaf)
{
    const struct lith_chunk_meta *chunk = &footer->row_groups[row_group].chunks[leaf];
    int64_t begin = chunk_start(chunk);

    return (struct range){begin, begin + chunk->total_compressed_size, row_group, leaf};
}

/* Writers put chunks one behind the other: then no sort is needed. */
static bool is_ascending(const struct lith_footer *footer)
{
    int64_t end = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            struct range range = range_of(footer, i, leaf);
            if (range.begin == range.end)
                continue;
            if (range.begin < end)
                return false;
            end = range.end;
        }
    }
    return true;
}

static enum lith_code overlap_check(const struct lith_footer *footer, struct lith_mem *mem,
                                    struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    size_t count = 0;

    if (is_ascending(footer))
        return LITH_OK;
    LITH_TRY(lith_alloc_array(mem, (size_t)footer->row_group_count * footer->schema.leaf_count,
                              sizeof(struct range), &block, err));
    struct range *ranges = block;
    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            ranges[count] = range_of(footer, i, leaf);
            count += ranges[count].begin < ranges[count].end;
        }
    }
    ranges_sort(ranges, count);
    for (size_t i = 1; i < count; i++) {
        if (ranges[i].begin < ranges[i - 1].end)
            return lith_fail(err, LITH_E_CORRUPT,
                             "the chunks of row group %u column %u and row group %u column %u "
                             "overlap at offset %" PRId64,
                             ranges[i - 1].row_group, ranges[i - 1].leaf, ranges[i].row_group,
                             ranges[i].leaf, ranges[i].begin);
    }
    return LITH_OK;
}

enum lith_code lith_footer_check(struct lith_footer *footer, struct lith_mem *mem,
                                 struct lith_err *err)
{
    int64_t rows = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        if (row_group_check(footer, i, err) != LITH_OK)
            return lith_err_prefix(err, "row group %u", i);
        if (!lith_add_i64(rows, footer->row_groups[i].num_rows, &rows))
            return lith_fail(err, LITH_E_CORRUPT, "the rows of the row groups overflow");
    }
    if (footer->num_rows != 0 && footer->num_rows != rows)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the footer says %" PRId64 " rows, its row groups have %" PRId64,
                         footer->num_rows, rows);
    footer->num_rows = rows;
    return overlap_check(footer, mem, err);
}
