/*
 * The contents of an output chunk: one pass over its batches.
 *
 * Bounds are checked with the least and greatest value of each batch, so a value costs two
 * comparisons whatever is said about it. Bloom filters are probed by code of its own.
 */
#include "verify/content.h"

#include <inttypes.h>

#include "parquet/bloom.h"

/* What a page, or the whole chunk, was found to hold. */
struct tally {
    uint64_t positions;
    uint64_t values;
    uint64_t nans;
    uint64_t rows;
    uint64_t value_bytes;
    int64_t *rep_histogram; /* max_rep + 1 */
    int64_t *def_histogram; /* max_def + 1 */
};

struct check {
    const struct lith_content *content;
    const struct lith_schema_node *leaf;
    const struct lith_chunk_meta *meta;
    enum lith_order order;
    struct tally chunk;
    struct tally page;
    uint32_t page_index;
    bool in_page;
    bool min_attained;
    bool max_attained;
    struct lith_bloom bloom;
    struct lith_stream_hash hash;
};

static enum lith_code tally_init(struct tally *tally, const struct lith_schema_node *leaf,
                                 struct lith_mem *mem, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(mem, (size_t)leaf->max_rep + leaf->max_def + 2, sizeof(int64_t),
                              &block, err));
    *tally = (struct tally){.rep_histogram = block};
    tally->def_histogram = tally->rep_histogram + leaf->max_rep + 1;
    return LITH_OK;
}

static void tally_clear(struct tally *tally, const struct lith_schema_node *leaf)
{
    memset(tally->rep_histogram, 0,
           ((size_t)leaf->max_rep + leaf->max_def + 2) * sizeof(*tally->rep_histogram));
    *tally = (struct tally){.rep_histogram = tally->rep_histogram,
                            .def_histogram = tally->def_histogram};
}

static void tally_add(struct tally *into, const struct tally *from,
                      const struct lith_schema_node *leaf)
{
    into->positions += from->positions;
    into->values += from->values;
    into->nans += from->nans;
    into->rows += from->rows;
    into->value_bytes += from->value_bytes;
    for (size_t i = 0; i < (size_t)leaf->max_rep + leaf->max_def + 2; i++)
        into->rep_histogram[i] += from->rep_histogram[i];
}

/* Positions and levels of a batch. */
static void tally_levels(struct tally *tally, const struct lith_batch *batch,
                         const struct lith_schema_node *leaf)
{
    int64_t rows = tally->rep_histogram[0];

    tally->positions += batch->position_count;
    for (size_t i = 0; i < batch->position_count; i++)
        tally->rep_histogram[batch->rep_levels ? batch->rep_levels[i] : 0]++;
    for (size_t i = 0; i < batch->position_count; i++)
        tally->def_histogram[batch->def_levels ? batch->def_levels[i] : leaf->max_def]++;
    tally->rows += (uint64_t)(tally->rep_histogram[0] - rows);
}

/* The least and greatest value that is not NaN; false when there is none. */
static bool extremes(enum lith_order order, const struct lith_values *values,
                     struct lith_slice *ret_min, struct lith_slice *ret_max, uint64_t *nans)
{
    bool found = false;

    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        if (lith_order_is_nan(order, value)) {
            ++*nans;
            continue;
        }
        if (!found || lith_order_compare(order, value, *ret_min) < 0)
            *ret_min = value;
        if (!found || lith_order_compare(order, value, *ret_max) > 0)
            *ret_max = value;
        found = true;
    }
    return found;
}

static enum lith_code bounds_check(const struct check *check, struct lith_slice min,
                                   struct lith_slice max, struct lith_slice low,
                                   struct lith_slice high, const char *what, struct lith_err *err)
{
    if (lith_order_compare(check->order, min, low) < 0)
        return lith_fail(err, LITH_E_CORRUPT, "a value below the minimum of the %s", what);
    if (lith_order_compare(check->order, max, high) > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a value above the maximum of the %s", what);
    return LITH_OK;
}

static enum lith_code values_check(struct check *check, const struct lith_values *values,
                                   struct lith_err *err)
{
    const struct lith_statistics *statistics = &check->meta->statistics;
    const struct lith_indexes *indexes = check->content->indexes;
    uint32_t page = check->page_index;
    struct lith_slice min;
    struct lith_slice max;

    if (check->order == LITH_ORDER_NONE ||
        !extremes(check->order, values, &min, &max, &check->page.nans))
        return LITH_OK;
    if (statistics->min_value.data) {
        struct lith_slice low = statistics->min_value;
        struct lith_slice high = statistics->max_value;
        LITH_TRY(bounds_check(check, min, max, low, high, "chunk's statistics", err));
        check->min_attained |= lith_order_compare(check->order, min, low) == 0;
        check->max_attained |= lith_order_compare(check->order, max, high) == 0;
    }
    if (!indexes->has_columns || indexes->columns.null_pages[page])
        return LITH_OK;
    return bounds_check(check, min, max, indexes->columns.min_values[page],
                        indexes->columns.max_values[page], "column index's entry", err);
}

/* BloomFilter.md: a block by the upper half of the hash, one bit in each of its eight words by
 * the lower half. */
static bool bloom_has(const struct lith_bloom *bloom, uint64_t hash)
{
    static const uint32_t salts[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                      0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
    uint64_t blocks = bloom->bytes / 32;
    const uint8_t *block = bloom->bits + ((hash >> 32) * blocks >> 32) * 32;
    bool has = true;

    for (size_t i = 0; i < 8; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        has = has && (lith_load_u32(block + 4 * i) >> bit & 1);
    }
    return has;
}

static enum lith_code bloom_check(const struct check *check, const struct lith_values *values,
                                  struct lith_err *err)
{
    for (size_t i = 0; check->bloom.bits && i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        if (!bloom_has(&check->bloom, lith_xxh64(value.data, value.bytes)))
            return lith_fail(err, LITH_E_CORRUPT, "a value of %zu bytes is not in the bloom filter",
                             value.bytes);
    }
    return LITH_OK;
}

static enum lith_code count_check(const char *what, bool claimed, int64_t claim, uint64_t found,
                                  struct lith_err *err)
{
    if (claimed && (claim < 0 || (uint64_t)claim != found))
        return lith_fail(err, LITH_E_CORRUPT, "%s says %" PRId64 ", there are %" PRIu64, what,
                         claim, found);
    return LITH_OK;
}

static bool histogram_differs(const int64_t *claimed, const int64_t *found, size_t count)
{
    return claimed && memcmp(claimed, found, count * sizeof(*found)) != 0;
}

/* A page that has ended, against the column index. */
static enum lith_code page_columns_check(const struct check *check, struct lith_err *err)
{
    const struct lith_column_index *index = &check->content->indexes->columns;
    const struct tally *page = &check->page;
    uint32_t i = check->page_index;
    size_t rep = (size_t)check->leaf->max_rep + 1;
    size_t def = (size_t)check->leaf->max_def + 1;

    if (index->null_pages[i] != (page->values == 0))
        return lith_fail(err, LITH_E_CORRUPT, "null_pages says %d, there are %" PRIu64 " values",
                         index->null_pages[i], page->values);
    LITH_TRY(count_check("null_counts", index->null_counts != NULL,
                         index->null_counts ? index->null_counts[i] : 0,
                         page->positions - page->values, err));
    LITH_TRY(count_check("nan_counts", index->nan_counts != NULL,
                         index->nan_counts ? index->nan_counts[i] : 0, page->nans, err));
    if ((index->rep_histogram_count &&
         histogram_differs(index->rep_histograms + i * rep, page->rep_histogram, rep)) ||
        (index->def_histogram_count &&
         histogram_differs(index->def_histograms + i * def, page->def_histogram, def)))
        return lith_fail(err, LITH_E_CORRUPT, "a level histogram that is not the page's");
    return LITH_OK;
}

static enum lith_code page_end(struct check *check, struct lith_err *err)
{
    const struct lith_indexes *indexes = check->content->indexes;

    if (!check->in_page)
        return LITH_OK;
    if (indexes->has_columns)
        LITH_TRY(page_columns_check(check, err));
    if (indexes->has_offsets && indexes->offsets.unencoded_bytes)
        LITH_TRY(count_check("unencoded_byte_array_data_bytes", true,
                             indexes->offsets.unencoded_bytes[check->page_index],
                             check->page.value_bytes, err));
    tally_add(&check->chunk, &check->page, check->leaf);
    tally_clear(&check->page, check->leaf);
    check->page_index++;
    check->in_page = false;
    return LITH_OK;
}

static enum lith_code page_begin(struct check *check, const struct lith_batch *batch,
                                 struct lith_err *err)
{
    const struct lith_indexes *indexes = check->content->indexes;
    uint32_t i = check->page_index;

    check->in_page = true;
    if ((indexes->has_offsets && i >= indexes->offsets.page_count) ||
        (indexes->has_columns && i >= indexes->columns.page_count))
        return lith_fail(err, LITH_E_CORRUPT, "more pages than entries in the page index");
    if (!indexes->has_offsets)
        return LITH_OK;
    LITH_TRY(count_check("first_row_index", true, indexes->offsets.pages[i].first_row,
                         check->chunk.rows, err));
    if (batch->rep_levels && batch->rep_levels[0] != 0)
        return lith_fail(err, LITH_E_CORRUPT, "the page begins inside a row, despite its index");
    return LITH_OK;
}

static enum lith_code batch_check(struct check *check, const struct lith_batch *batch,
                                  struct lith_err *err)
{
    if (batch->page_start) {
        LITH_TRY(page_end(check, err));
        LITH_TRY(page_begin(check, batch, err));
    }
    tally_levels(&check->page, batch, check->leaf);
    check->page.values += batch->values.count;
    for (size_t i = 0; batch->values.slices && i < batch->values.count; i++)
        check->page.value_bytes += batch->values.slices[i].bytes;
    LITH_TRY(values_check(check, &batch->values, err));
    LITH_TRY(bloom_check(check, &batch->values, err));
    lith_stream_hash_add(&check->hash, batch);
    if (check->content->key_counts)
        LITH_TRY(lith_key_counts_add(check->content->key_counts, batch, err));
    return LITH_OK;
}

static enum lith_code statistics_check(const struct check *check, struct lith_err *err)
{
    const struct lith_statistics *statistics = &check->meta->statistics;
    const struct lith_size_statistics *sizes = &check->meta->size_statistics;
    const struct tally *chunk = &check->chunk;

    LITH_TRY(count_check("null_count", statistics->has_null_count, statistics->null_count,
                         chunk->positions - chunk->values, err));
    LITH_TRY(count_check("nan_count", statistics->has_nan_count, statistics->nan_count, chunk->nans,
                         err));
    if (statistics->min_value.data && ((statistics->min_exact && !check->min_attained) ||
                                       (statistics->max_exact && !check->max_attained)))
        return lith_fail(err, LITH_E_CORRUPT, "a bound that says it is exact, but no value has it");
    LITH_TRY(count_check("unencoded_byte_array_data_bytes", sizes->has_unencoded_bytes,
                         sizes->unencoded_bytes, chunk->value_bytes, err));
    if (histogram_differs(sizes->rep_histogram, chunk->rep_histogram,
                          (size_t)check->leaf->max_rep + 1) ||
        histogram_differs(sizes->def_histogram, chunk->def_histogram,
                          (size_t)check->leaf->max_def + 1))
        return lith_fail(err, LITH_E_CORRUPT, "a level histogram that is not the chunk's");
    return LITH_OK;
}

static enum lith_code witness_check(const struct check *check, struct lith_err *err)
{
    const struct lith_witness_chunk *expected = check->content->expected;

    if (!expected)
        return LITH_OK;
    if (check->hash.rows != expected->rows || check->hash.positions != expected->positions ||
        check->hash.values != expected->values)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " rows, %" PRIu64 " positions, %" PRIu64 " values; the sources "
                         "had %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                         check->hash.rows, check->hash.positions, check->hash.values,
                         expected->rows, expected->positions, expected->values);
    struct lith_hash128 found = lith_stream_hash_end(&check->hash);
    if (!lith_hash128_equal(found, expected->fingerprint))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values as in the sources, but not the same ones in the same "
                         "order",
                         expected->values);
    return LITH_OK;
}

static enum lith_code read_batches(struct check *check, struct lith_chunk_reader *reader,
                                   struct lith_err *err)
{
    struct lith_batch batch;

    do {
        LITH_TRY(lith_chunk_reader_next(reader, &batch, err));
        if (batch.position_count > 0)
            LITH_TRY(batch_check(check, &batch, err));
    } while (batch.position_count > 0);
    LITH_TRY(page_end(check, err));
    LITH_TRY(statistics_check(check, err));
    return witness_check(check, err);
}

static enum lith_code prepare(struct check *check, struct lith_err *err)
{
    const struct lith_content *content = check->content;
    struct lith_mem *mem = content->work->mem;

    LITH_TRY(tally_init(&check->chunk, check->leaf, mem, err));
    LITH_TRY(tally_init(&check->page, check->leaf, mem, err));
    LITH_TRY(lith_stream_hash_new(mem, &check->hash, err));
    if (check->meta->bloom_filter_offset > 0)
        LITH_TRY(lith_bloom_read(content->source, (uint64_t)check->meta->bloom_filter_offset,
                                 (uint32_t)check->meta->bloom_filter_length, mem, &check->bloom,
                                 err));
    return LITH_OK;
}

enum lith_code lith_content_check(const struct lith_content *content, struct lith_err *err)
{
    struct check check = {
        .content = content,
        .leaf = lith_schema_leaf(&content->footer->schema, content->leaf),
        .meta = &content->footer->row_groups[content->row_group].chunks[content->leaf],
    };
    struct lith_chunk_reader *reader = NULL;

    check.order = lith_order_of(check.leaf);
    enum lith_code code = prepare(&check, err);
    if (code == LITH_OK)
        code = lith_chunk_reader_open(content->source, content->footer, content->row_group,
                                      content->leaf, content->codecs, content->work, &reader, err);
    if (code == LITH_OK)
        code = read_batches(&check, reader, err);
    lith_chunk_reader_close(reader);
    lith_bloom_done(&check.bloom);
    lith_stream_hash_done(&check.hash);
    lith_free(check.page.rep_histogram);
    lith_free(check.chunk.rep_histogram);
    return code;
}
