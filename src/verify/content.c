/*
 * The contents of an output chunk: one pass over its pages, of which each is decoded or passed
 * over.
 */
#include "verify/content.h"

#include <inttypes.h>

#include "parquet/page_source.h"
#include "verify/value_check.h"
#include "verify/tally.h"

struct check {
    const struct lith_content *content;
    const struct lith_schema_node *leaf;
    const struct lith_chunk_meta *meta;
    struct lith_tally chunk; /* of decoded pages */
    struct lith_tally page;
    uint32_t page_index;
    uint64_t row; /* that the page begins with */
    bool row_known;
    bool passed; /* a page was passed over */
    struct lith_value_check values;
    struct lith_segments segments;
    struct lith_stream_hash hash; /* of the decoded segment at hand */
};

static enum lith_code count_check(const char *what, bool claimed, int64_t claim, uint64_t found,
                                  struct lith_err *err)
{
    if (claimed && (claim < 0 || (uint64_t)claim != found))
        return lith_fail(err, LITH_E_CORRUPT, "%s says %" PRId64 ", there are %" PRIu64, what,
                         claim, found);
    return LITH_OK;
}

/* A count of the whole chunk; where pages were passed over it may be more than was found. */
static enum lith_code total_check(const struct check *check, const char *what, bool claimed,
                                  int64_t claim, uint64_t found, struct lith_err *err)
{
    if (check->passed && claim >= 0 && (uint64_t)claim >= found)
        return LITH_OK;
    return count_check(what, claimed, claim, found, err);
}

static bool histogram_differs(const int64_t *claimed, const int64_t *found, size_t count)
{
    return claimed && memcmp(claimed, found, count * sizeof(*found)) != 0;
}

/* A page that has ended, against the column index. */
static enum lith_code page_columns_check(const struct check *check, struct lith_err *err)
{
    const struct lith_column_index *index = &check->content->indexes->columns;
    const struct lith_tally *page = &check->page;
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

static enum lith_code page_begin(struct check *check, struct lith_err *err)
{
    const struct lith_indexes *indexes = check->content->indexes;
    uint32_t i = check->page_index;

    check->values.page = i;
    if ((indexes->has_offsets && i >= indexes->offsets.page_count) ||
        (indexes->has_columns && i >= indexes->columns.page_count))
        return lith_fail(err, LITH_E_CORRUPT, "more pages than entries in the page index");
    if (!indexes->has_offsets)
        return LITH_OK;
    if (check->row_known)
        return count_check("first_row_index", true, indexes->offsets.pages[i].first_row, check->row,
                           err);
    check->row = (uint64_t)indexes->offsets.pages[i].first_row;
    check->row_known = true;
    return LITH_OK;
}

static enum lith_code batch_check(struct check *check, const struct lith_batch *batch,
                                  bool is_copied, struct lith_err *err)
{
    const struct lith_content *content = check->content;

    if (batch->page_start && content->indexes->has_offsets && batch->rep_levels &&
        batch->rep_levels[0] != 0)
        return lith_fail(err, LITH_E_CORRUPT, "the page begins inside a row, despite its index");
    lith_tally_batch(&check->page, batch, check->leaf);
    LITH_TRY(lith_value_check_add(&check->values, &batch->values, &check->page.nans, err));
    if (content->witness && !is_copied)
        LITH_TRY(lith_stream_hash_add(&check->hash, batch, err));
    if (content->key_counts)
        LITH_TRY(lith_key_counts_add(content->key_counts, batch, err));
    return LITH_OK;
}

/* A page of nulls alone may only lack a body where it is PLAIN: readers want the header of other
 * encodings. */
static enum lith_code empty_check(const struct check *check, const struct lith_page *page,
                                  struct lith_err *err)
{
    uint64_t begin, count;

    if (page->header.encoding == LITH_ENCODING_PLAIN)
        return LITH_OK;
    LITH_TRY(lith_chunk_reader_page_values(check->content->reader, &begin, &count, err));
    if (count > 0 || page->values.bytes > begin)
        return LITH_OK;
    return lith_fail(err, LITH_E_CORRUPT, "a %s page without values, and without a body",
                     lith_encoding_name((int)page->header.encoding));
}

static enum lith_code page_decode(struct check *check, const struct lith_page *page, bool is_copied,
                                  struct lith_err *err)
{
    const struct lith_indexes *indexes = check->content->indexes;
    struct lith_batch batch;

    LITH_TRY(empty_check(check, page, err));
    do {
        LITH_TRY(lith_chunk_reader_page_batch(check->content->reader, &batch, err));
        if (batch.position_count > 0)
            LITH_TRY(batch_check(check, &batch, is_copied, err));
    } while (batch.position_count > 0);
    LITH_TRY(lith_value_check_page_end(&check->values, err));
    if (indexes->has_columns)
        LITH_TRY(page_columns_check(check, err));
    if (indexes->has_offsets && indexes->offsets.unencoded_bytes)
        LITH_TRY(count_check("unencoded_byte_array_data_bytes", true,
                             indexes->offsets.unencoded_bytes[check->page_index],
                             check->page.value_bytes, err));
    check->row += check->page.rows;
    lith_tally_add(&check->chunk, &check->page, check->leaf);
    lith_tally_clear(&check->page, check->leaf);
    return LITH_OK;
}

/* Passes a copied page over; only its header says something of it. */
static enum lith_code page_pass(struct check *check, const struct lith_page *page,
                                struct lith_err *err)
{
    const struct lith_indexes *indexes = check->content->indexes;
    const struct lith_page_header *header = &page->header;
    const int64_t *nulls = indexes->has_columns ? indexes->columns.null_counts : NULL;

    check->passed = true;
    if (check->leaf->max_rep == 0)
        check->row += header->num_values;
    else if (page->is_v2)
        check->row += header->num_rows;
    else
        check->row_known = false;
    if (page->is_v2 && nulls)
        return count_check("null_counts", true, nulls[check->page_index], header->num_nulls, err);
    return LITH_OK;
}

/* A decoded segment that has ended, against what the sources had. */
static enum lith_code segment_check(struct check *check, struct lith_err *err)
{
    const struct lith_segment *expected = &check->segments.segment;
    const struct lith_stream_hash *hash = &check->hash;

    if (hash->rows != expected->rows || hash->positions != expected->positions ||
        hash->values != expected->values)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " rows, %" PRIu64 " positions, %" PRIu64 " values; the sources "
                         "had %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                         hash->rows, hash->positions, hash->values, expected->rows,
                         expected->positions, expected->values);
    if (!lith_hash128_equal(lith_stream_hash_end(hash), expected->fingerprint))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values as in the sources, but not the same ones in the same "
                         "order",
                         expected->values);
    lith_stream_hash_reset(&check->hash);
    return LITH_OK;
}

static enum lith_code page_check(struct check *check, const struct lith_page *page,
                                 struct lith_err *err)
{
    const struct lith_content *content = check->content;
    bool is_copied = false;

    if (content->witness) {
        LITH_TRY(lith_segments_page(&check->segments, page->header.num_values, err));
        is_copied = check->segments.segment.kind == LITH_SEGMENT_COPIED;
    }
    LITH_TRY(page_begin(check, err));
    if (is_copied && !content->key_counts && !content->decodes_copied)
        LITH_TRY(page_pass(check, page, err));
    else
        LITH_TRY(page_decode(check, page, is_copied, err));
    check->page_index++;
    if (content->witness && !is_copied && lith_segments_at_border(&check->segments))
        return segment_check(check, err);
    return LITH_OK;
}

static enum lith_code histograms_check(const struct check *check, const int64_t *claimed,
                                       const int64_t *found, size_t count, struct lith_err *err)
{
    bool differs = !check->passed && histogram_differs(claimed, found, count);

    for (size_t i = 0; check->passed && claimed && i < count; i++)
        differs = differs || claimed[i] < found[i];
    if (differs)
        return lith_fail(err, LITH_E_CORRUPT, "a level histogram that is not the chunk's");
    return LITH_OK;
}

static enum lith_code statistics_check(const struct check *check, struct lith_err *err)
{
    const struct lith_statistics *statistics = &check->meta->statistics;
    const struct lith_size_statistics *sizes = &check->meta->size_statistics;
    const struct lith_tally *chunk = &check->chunk;
    const struct lith_value_check *values = &check->values;

    LITH_TRY(total_check(check, "null_count", statistics->has_null_count, statistics->null_count,
                         chunk->positions - chunk->values, err));
    LITH_TRY(total_check(check, "nan_count", statistics->has_nan_count, statistics->nan_count,
                         chunk->nans, err));
    if (!check->passed && statistics->min_value.data &&
        ((statistics->min_exact && !values->min_attained) ||
         (statistics->max_exact && !values->max_attained)))
        return lith_fail(err, LITH_E_CORRUPT, "a bound that says it is exact, but no value has it");
    LITH_TRY(total_check(check, "unencoded_byte_array_data_bytes", sizes->has_unencoded_bytes,
                         sizes->unencoded_bytes, chunk->value_bytes, err));
    LITH_TRY(histograms_check(check, sizes->rep_histogram, chunk->rep_histogram,
                              (size_t)check->leaf->max_rep + 1, err));
    return histograms_check(check, sizes->def_histogram, chunk->def_histogram,
                            (size_t)check->leaf->max_def + 1, err);
}

static enum lith_code pages_check(struct check *check, struct lith_err *err)
{
    const struct lith_content *content = check->content;
    const struct lith_page *page;
    uint64_t rows;

    LITH_TRY(lith_chunk_reader_begin(content->reader, content->source, content->ref, err));
    for (;;) {
        LITH_TRY(lith_chunk_reader_page(content->reader, &page, err));
        if (!page)
            break;
        LITH_TRY(page_check(check, page, err));
    }
    if (content->witness)
        LITH_TRY(lith_segments_end(&check->segments, &rows, err));
    LITH_TRY(statistics_check(check, err));
    if (check->passed)
        return LITH_OK;
    return lith_siblings_add(content->siblings, content->ref->leaf, check->chunk.rep_histogram,
                             check->chunk.def_histogram, err);
}

static enum lith_code prepare(struct check *check, struct lith_err *err)
{
    const struct lith_content *content = check->content;
    struct lith_mem *mem = content->work->mem;

    LITH_TRY(lith_tally_init(&check->chunk, check->leaf, mem, err));
    LITH_TRY(lith_tally_init(&check->page, check->leaf, mem, err));
    if (content->witness)
        LITH_TRY(lith_stream_hash_new(mem, &check->hash, err));
    lith_segments_begin(&check->segments, content->witness, content->place);
    return lith_value_check_init(&check->values, content->source, content->ref, content->indexes,
                                 mem, err);
}

enum lith_code lith_content_check(const struct lith_content *content, struct lith_err *err)
{
    struct check check = {
        .content = content,
        .leaf = lith_schema_leaf(content->ref->schema, content->ref->leaf),
        .meta = content->ref->meta,
        .row_known = true,
    };
    enum lith_code code = prepare(&check, err);

    if (code == LITH_OK)
        code = pages_check(&check, err);
    lith_value_check_done(&check.values);
    lith_stream_hash_done(&check.hash);
    lith_tally_done(&check.page);
    lith_tally_done(&check.chunk);
    return code;
}
