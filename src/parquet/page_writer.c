/*
 * The pages of one chunk on their way out.
 *
 * Body of a data page (V1): repetition levels, definition levels, each with a 4-byte length, then
 * the values; compressed as one. README.md of the format, "Data pages"; parquet-splice.md 1.3.
 */
#include "parquet/page_writer.h"

#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "codec/snappy_join.h"
#include "parquet/encoder.h"
#include "parquet/level_prefix.h"
#include "parquet/metadata_write.h"
#include "parquet/rle.h"

/* Bounds of chunk and page, two each, together have a quarter of a share. */
#define BOUND_SHARES 16u
/* Buffers that one large value has stretched further than this are given back. */
#define KEEP_BYTES_MAX ((size_t)(2 * LITH_PAGE_BYTES_TARGET))

void lith_page_writer_init(struct lith_page_writer *writer, struct lith_sink *sink,
                           struct lith_codec_context *codecs, const struct lith_work *work)
{
    *writer = (struct lith_page_writer){.sink = sink, .codecs = codecs, .work = work};
    lith_buf_init(&writer->body, work->mem, INT32_MAX);
    lith_buf_init(&writer->compressed, work->mem, INT32_MAX);
    lith_buf_init(&writer->header, work->mem, LITH_PAGE_HEADER_BYTES_MAX);
    lith_buf_init(&writer->room, work->mem, 2 * LITH_STATISTICS_BYTES_MAX);
}

static void chunk_done(struct lith_page_writer *writer)
{
    lith_index_builder_free(writer->index);
    writer->index = NULL;
    lith_bounds_done(&writer->page_bounds);
    lith_bounds_done(&writer->chunk_bounds);
    lith_free(writer->histograms);
    writer->histograms = NULL;
}

void lith_page_writer_done(struct lith_page_writer *writer)
{
    chunk_done(writer);
    lith_buf_done(&writer->body);
    lith_buf_done(&writer->compressed);
    lith_buf_done(&writer->header);
    lith_buf_done(&writer->room);
}

static int64_t *page_rep_histogram(const struct lith_page_writer *writer)
{
    return writer->leaf->max_rep ? writer->histograms : NULL;
}

static int64_t *page_def_histogram(const struct lith_page_writer *writer)
{
    return writer->leaf->max_def ? writer->histograms + writer->leaf->max_rep + 1 : NULL;
}

enum lith_code lith_page_writer_begin(struct lith_page_writer *writer,
                                      const struct lith_schema_node *leaf, enum lith_codec codec,
                                      struct lith_err *err)
{
    size_t bound_bytes_max = lith_work_share(writer->work) / BOUND_SHARES;
    struct lith_mem *mem = writer->work->mem;
    enum lith_order order = lith_order_of(leaf);
    void *block;

    chunk_done(writer);
    writer->leaf = leaf;
    lith_bounds_init(&writer->page_bounds, order, mem, bound_bytes_max);
    lith_bounds_init(&writer->chunk_bounds, order, mem, bound_bytes_max);
    writer->histogram_count = (size_t)leaf->max_rep + leaf->max_def + 2;
    LITH_TRY(lith_alloc_array(mem, 2 * writer->histogram_count, sizeof(int64_t), &block, err));
    writer->histograms = block;
    LITH_TRY(lith_index_builder_new(mem, leaf, &writer->index, err));
    writer->rows = 0;
    writer->page_unencoded_bytes = 0;
    writer->chunk_unencoded_bytes = 0;
    memset(writer->data_pages, 0, sizeof(writer->data_pages));
    writer->meta = (struct lith_chunk_meta){.codec = (int)codec};
    writer->packed_plain_bytes = 0;
    writer->packed_stored_bytes = 0;
    writer->is_covered = false;
    writer->histograms_unknown = false;
    writer->unencoded_unknown = false;
    return LITH_OK;
}

enum lith_code lith_page_writer_note(struct lith_page_writer *writer,
                                     const struct lith_values *values, struct lith_err *err)
{
    if (values->slices)
        for (size_t i = 0; i < values->count; i++)
            writer->page_unencoded_bytes += (int64_t)values->slices[i].bytes;
    return lith_bounds_add(&writer->page_bounds, values, err);
}

enum lith_code lith_page_writer_note_distinct(struct lith_page_writer *writer,
                                              const struct lith_values *values,
                                              struct lith_err *err)
{
    int64_t count = writer->page_bounds.value_count;

    LITH_TRY(lith_bounds_add(&writer->page_bounds, values, err));
    writer->page_bounds.value_count = count;
    return LITH_OK;
}

void lith_page_writer_note_counts(struct lith_page_writer *writer, int64_t values, int64_t bytes)
{
    writer->page_bounds.value_count += values;
    writer->page_unencoded_bytes += bytes;
}

/* A body as stored, in two parts. */
struct stored {
    struct lith_slice front; /* may be empty */
    struct lith_slice back;
};

/* Writes header and body as stored, and adds both to the totals. *ret_bytes is what the page takes
 * in the file. */
static enum lith_code stored_put(struct lith_page_writer *writer, const struct stored *stored,
                                 size_t plain_bytes, struct lith_page_header *header,
                                 int32_t *ret_bytes, struct lith_err *err)
{
    size_t bytes;

    LITH_TRY(lith_work_check(writer->work, err));
    header->uncompressed_bytes = (int32_t)plain_bytes;
    size_t stored_bytes = stored->front.bytes + stored->back.bytes;
    header->compressed_bytes = (int32_t)stored_bytes;
    header->has_crc = true;
    header->crc = lith_crc32(0, stored->front.data, stored->front.bytes);
    header->crc = lith_crc32(header->crc, stored->back.data, stored->back.bytes);
    lith_buf_clear(&writer->header);
    LITH_TRY(lith_page_header_write(header, &writer->header, err));
    if (!lith_add_size(writer->header.bytes, stored_bytes, &bytes) || bytes > INT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a page of %zu bytes, at most %d can be written", bytes,
                         INT32_MAX);
    LITH_TRY(lith_sink_write(writer->sink, writer->header.data, writer->header.bytes, err));
    LITH_TRY(lith_sink_write(writer->sink, stored->front.data, stored->front.bytes, err));
    LITH_TRY(lith_sink_write(writer->sink, stored->back.data, stored->back.bytes, err));
    writer->meta.total_uncompressed_size += (int64_t)(writer->header.bytes + plain_bytes);
    writer->meta.total_compressed_size += (int64_t)bytes;
    *ret_bytes = (int32_t)bytes;
    return LITH_OK;
}

/* Compresses `body` and writes it. */
static enum lith_code page_store(struct lith_page_writer *writer, struct lith_slice body,
                                 struct lith_page_header *header, int32_t *ret_bytes,
                                 struct lith_err *err)
{
    struct lith_slice stored = body;

    if (writer->meta.codec != LITH_CODEC_UNCOMPRESSED) {
        lith_buf_clear(&writer->compressed);
        LITH_TRY(lith_compress(writer->codecs, (enum lith_codec)writer->meta.codec, body.data,
                               body.bytes, &writer->compressed, err));
        stored = (struct lith_slice){writer->compressed.data, writer->compressed.bytes};
    }
    const struct stored parts = {.back = stored};
    LITH_TRY(stored_put(writer, &parts, body.bytes, header, ret_bytes, err));
    if (writer->compressed.capacity > KEEP_BYTES_MAX)
        lith_buf_done(&writer->compressed);
    return LITH_OK;
}

enum lith_code lith_page_writer_dictionary(struct lith_page_writer *writer, struct lith_slice plain,
                                           uint32_t count, struct lith_err *err)
{
    struct lith_page_header header = {
        .type = LITH_PAGE_DICTIONARY, .num_values = count, .encoding = LITH_ENCODING_PLAIN};
    int64_t offset = (int64_t)writer->sink->written;
    int32_t bytes;

    LITH_ASSERT(writer->meta.total_compressed_size == 0);
    LITH_TRY(page_store(writer, plain, &header, &bytes, err));
    writer->meta.dictionary_page_offset = offset;
    writer->meta.encodings |= 1u << LITH_ENCODING_PLAIN;
    return LITH_OK;
}

/* `levels` NULL: all are `max`. */
static enum lith_code levels_append(struct lith_buf *body, const uint16_t *levels, size_t count,
                                    uint16_t max, struct lith_err *err)
{
    size_t start = body->bytes;
    unsigned width = lith_bit_width(max);
    uint8_t length[4] = {0};

    if (max == 0)
        return LITH_OK;
    LITH_TRY(lith_buf_append(body, length, sizeof(length), err));
    if (levels)
        LITH_TRY(lith_rle_encode_u16(levels, count, width, body, err));
    else
        LITH_TRY(lith_rle_put_repeat(max, count, width, body, err));
    lith_store_u32(body->data + start, (uint32_t)(body->bytes - start - sizeof(length)));
    return LITH_OK;
}

static void histogram_count(int64_t *histogram, const uint16_t *levels, size_t count, uint16_t max)
{
    if (!histogram)
        return;
    if (!levels) {
        histogram[max] += (int64_t)count;
        return;
    }
    for (size_t i = 0; i < count; i++)
        histogram[levels[i]]++;
}

enum lith_code lith_page_writer_encode(struct lith_page_writer *writer,
                                       const struct lith_new_page *page, struct lith_err *err)
{
    const struct lith_schema_node *leaf = writer->leaf;
    size_t value_count = page->ids ? page->id_count : page->values.count;
    bool is_plain = value_count == 0 && !page->keeps_encoding;
    enum lith_encoding encoding = is_plain ? LITH_ENCODING_PLAIN : page->encoding;
    struct lith_buf *body = &writer->body;

    LITH_ASSERT((int64_t)value_count == writer->page_bounds.value_count);
    lith_buf_clear(body);
    LITH_TRY(levels_append(body, page->rep_levels, page->position_count, leaf->max_rep, err));
    LITH_TRY(levels_append(body, page->def_levels, page->position_count, leaf->max_def, err));
    if (value_count && page->ids)
        LITH_TRY(lith_encode_ids(page->ids, value_count, page->dictionary_count, body, err));
    else if (value_count)
        LITH_TRY(lith_encode(encoding, &page->values, writer->work->mem, body, err));
    else if (!is_plain)
        LITH_TRY(lith_buf_append_byte(body, 0, err)); /* the width */
    lith_bounds_add_nulls(&writer->page_bounds, (int64_t)(page->position_count - value_count));
    histogram_count(page_rep_histogram(writer), page->rep_levels, page->position_count,
                    leaf->max_rep);
    histogram_count(page_def_histogram(writer), page->def_levels, page->position_count,
                    leaf->max_def);
    writer->page_inside = leaf->max_rep && page->rep_levels[0] != 0;
    writer->page_rows = page->row_count;
    writer->page = (struct lith_page_header){
        .type = LITH_PAGE_DATA,
        .num_values = (uint32_t)page->position_count,
        .encoding = (int32_t)encoding,
        .def_encoding = LITH_ENCODING_RLE,
        .rep_encoding = LITH_ENCODING_RLE,
    };
    return LITH_OK;
}

/* Adds what was noted of the page to the chunk, unless the chunk knows it already, and begins the
 * next page's notes. */
static enum lith_code notes_close(struct lith_page_writer *writer, struct lith_err *err)
{
    if (!writer->is_covered) {
        LITH_TRY(lith_bounds_merge(&writer->chunk_bounds, &writer->page_bounds, err));
        for (size_t i = 0; i < writer->histogram_count; i++)
            writer->histograms[writer->histogram_count + i] += writer->histograms[i];
        writer->chunk_unencoded_bytes += writer->page_unencoded_bytes;
    }
    lith_bounds_clear(&writer->page_bounds);
    memset(writer->histograms, 0, writer->histogram_count * sizeof(*writer->histograms));
    writer->page_unencoded_bytes = 0;
    return LITH_OK;
}

/* Counts a data page that is in the sink. */
static enum lith_code page_count(struct lith_page_writer *writer,
                                 const struct lith_index_page *entry, struct lith_err *err)
{
    const struct lith_page_header *page = &writer->page;

    if (writer->meta.data_page_offset == 0)
        writer->meta.data_page_offset = entry->offset;
    if (writer->page_inside)
        lith_index_builder_drop(writer->index);
    LITH_TRY(lith_index_builder_add(writer->index, entry, err));
    if (writer->leaf->max_def || writer->leaf->max_rep)
        writer->meta.encodings |= 1u << LITH_ENCODING_RLE;
    writer->meta.encodings |= 1u << page->encoding;
    writer->meta.num_values += page->num_values;
    writer->data_pages[page->type == LITH_PAGE_DATA_V2][page->encoding]++;
    writer->rows += (int64_t)writer->page_rows;
    return LITH_OK;
}

/* The index entry of the page at hand, whose first byte comes next. */
static struct lith_index_page entry_of(struct lith_page_writer *writer)
{
    return (struct lith_index_page){
        .offset = (int64_t)writer->sink->written,
        .first_row = writer->rows,
        .bounds = &writer->page_bounds,
        .unencoded_bytes = writer->page_unencoded_bytes,
        .rep_histogram = page_rep_histogram(writer),
        .def_histogram = page_def_histogram(writer),
    };
}

enum lith_code lith_page_writer_put(struct lith_page_writer *writer, struct lith_err *err)
{
    struct lith_slice body = {writer->body.data, writer->body.bytes};
    struct lith_index_page entry = entry_of(writer);

    LITH_TRY(page_store(writer, body, &writer->page, &entry.bytes, err));
    LITH_TRY(page_count(writer, &entry, err));
    if (writer->page.encoding == LITH_ENCODING_PLAIN) {
        writer->packed_plain_bytes += body.bytes;
        writer->packed_stored_bytes += (uint64_t)writer->page.compressed_bytes;
    }
    if (writer->body.capacity > KEEP_BYTES_MAX)
        lith_buf_done(&writer->body);
    return notes_close(writer, err);
}

enum lith_code lith_page_writer_note_facts(struct lith_page_writer *writer,
                                           const struct lith_facts *facts, struct lith_err *err)
{
    LITH_ASSERT(facts->unencoded_bytes >= 0);
    writer->page_unencoded_bytes += facts->unencoded_bytes;
    return lith_bounds_add_facts(&writer->page_bounds, facts, err);
}

enum lith_code lith_page_writer_put_joined(struct lith_page_writer *writer,
                                           const struct lith_joined_page *page,
                                           struct lith_err *err)
{
    const struct lith_schema_node *leaf = writer->leaf;
    struct lith_level_run levels = {.bytes = 0};
    struct lith_buf *front = &writer->compressed;
    struct lith_index_page entry;

    LITH_ASSERT(writer->meta.codec == LITH_CODEC_SNAPPY);
    LITH_ASSERT(leaf->max_rep == 0);
    if (leaf->max_def)
        levels = lith_level_run((uint32_t)page->count, leaf->max_def, leaf->max_def, true);
    lith_buf_clear(front);
    LITH_TRY(lith_snappy_begin(levels.bytes + page->plain_bytes,
                               (struct lith_slice){levels.data, levels.bytes}, front, err));
    histogram_count(page_rep_histogram(writer), NULL, page->count, 0);
    histogram_count(page_def_histogram(writer), NULL, page->count, leaf->max_def);
    writer->page_inside = false;
    writer->page_rows = page->count;
    writer->page = (struct lith_page_header){
        .type = LITH_PAGE_DATA,
        .num_values = (uint32_t)page->count,
        .encoding = LITH_ENCODING_PLAIN,
        .def_encoding = LITH_ENCODING_RLE,
        .rep_encoding = LITH_ENCODING_RLE,
    };
    entry = entry_of(writer);
    const struct stored stored = {.front = {front->data, front->bytes}, .back = page->values};
    LITH_TRY(stored_put(writer, &stored, levels.bytes + (size_t)page->plain_bytes, &writer->page,
                        &entry.bytes, err));
    LITH_TRY(page_count(writer, &entry, err));
    return notes_close(writer, err);
}

/* The counts of `more`, which is NULL where they are not known; false where one is too large. */
static bool histogram_add(int64_t *to, const int64_t *more, size_t count)
{
    for (size_t i = 0; more && i < count; i++)
        if (!lith_add_i64(to[i], more[i], &to[i]))
            return false;
    return true;
}

/* Adds facts to what the chunk's metadata says. */
static enum lith_code facts_add(struct lith_page_writer *writer, const struct lith_facts *facts,
                                struct lith_err *err)
{
    const struct lith_schema_node *leaf = writer->leaf;
    int64_t *rep = writer->histograms + writer->histogram_count;
    int64_t *def = rep + leaf->max_rep + 1;

    if ((leaf->max_rep && !facts->rep_histogram) || (leaf->max_def && !facts->def_histogram))
        writer->histograms_unknown = true;
    if (!histogram_add(rep, facts->rep_histogram, leaf->max_rep + 1u) ||
        !histogram_add(def, facts->def_histogram, leaf->max_def + 1u))
        return lith_fail(err, LITH_E_LIMIT, "the levels of a chunk are more than a number holds");
    if (facts->unencoded_bytes < 0)
        writer->unencoded_unknown = true;
    else
        writer->chunk_unencoded_bytes += facts->unencoded_bytes;
    return lith_bounds_add_facts(&writer->chunk_bounds, facts, err);
}

enum lith_code lith_page_writer_source(struct lith_page_writer *writer,
                                       const struct lith_facts *facts, int64_t rows,
                                       struct lith_err *err)
{
    writer->source_rows = writer->rows + rows;
    if (!facts)
        return LITH_OK;
    LITH_TRY(facts_add(writer, facts, err));
    writer->is_covered = true;
    return LITH_OK;
}

void lith_page_writer_source_end(struct lith_page_writer *writer)
{
    writer->is_covered = false;
    writer->rows = writer->source_rows;
}

enum lith_code lith_page_writer_copy(struct lith_page_writer *writer,
                                     const struct lith_copied_page *page, struct lith_err *err)
{
    const struct lith_facts *facts = page->facts;
    size_t bytes;

    LITH_TRY(lith_work_check(writer->work, err));
    writer->page = page->header;
    writer->page.statistics = (struct lith_statistics){.min_value = {NULL, 0}};
    lith_buf_clear(&writer->header);
    LITH_TRY(lith_page_header_write(&writer->page, &writer->header, err));
    if (!lith_add_size(writer->header.bytes, (size_t)page->header.compressed_bytes, &bytes) ||
        bytes > INT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a page of %zu bytes, at most %d can be written", bytes,
                         INT32_MAX);
    if (!writer->is_covered)
        LITH_TRY(facts_add(writer, facts, err));
    LITH_TRY(lith_bounds_add_facts(&writer->page_bounds, facts, err));
    writer->page_inside = page->rows < 0;
    writer->page_rows = page->rows < 0 ? 0 : (size_t)page->rows;
    writer->copied = (struct lith_index_page){
        .offset = (int64_t)writer->sink->written,
        .bytes = (int32_t)bytes,
        .first_row = writer->rows,
        .bounds = &writer->page_bounds,
        .unencoded_bytes = facts->unencoded_bytes,
        .rep_histogram = facts->rep_histogram,
        .def_histogram = facts->def_histogram,
    };
    writer->copied_left = (uint64_t)page->header.compressed_bytes;
    writer->meta.total_uncompressed_size +=
        (int64_t)writer->header.bytes + page->header.uncompressed_bytes;
    writer->meta.total_compressed_size += (int64_t)bytes;
    return lith_sink_write(writer->sink, writer->header.data, writer->header.bytes, err);
}

enum lith_code lith_page_writer_copy_bytes(struct lith_page_writer *writer, const void *data,
                                           size_t bytes, struct lith_err *err)
{
    LITH_ASSERT(bytes <= writer->copied_left);
    writer->copied_left -= bytes;
    return lith_sink_write(writer->sink, data, bytes, err);
}

enum lith_code lith_page_writer_copy_end(struct lith_page_writer *writer, struct lith_err *err)
{
    LITH_ASSERT(writer->copied_left == 0);
    LITH_TRY(page_count(writer, &writer->copied, err));
    lith_bounds_clear(&writer->page_bounds);
    return LITH_OK;
}

static void stats_fill(struct lith_page_writer *writer)
{
    struct lith_chunk_meta *meta = &writer->meta;

    meta->encoding_stats = writer->stats;
    if (meta->dictionary_page_offset)
        writer->stats[meta->encoding_stat_count++] = (struct lith_encoding_stat){
            .page_type = LITH_PAGE_DICTIONARY, .encoding = LITH_ENCODING_PLAIN, .count = 1};
    for (int is_v2 = 0; is_v2 < 2; is_v2++)
        for (int encoding = 0; encoding < LITH_ENCODING_COUNT; encoding++)
            if (writer->data_pages[is_v2][encoding])
                writer->stats[meta->encoding_stat_count++] = (struct lith_encoding_stat){
                    .page_type = is_v2 ? LITH_PAGE_DATA_V2 : LITH_PAGE_DATA,
                    .encoding = encoding,
                    .count = (int32_t)writer->data_pages[is_v2][encoding]};
}

enum lith_code lith_page_writer_end(struct lith_page_writer *writer, struct lith_buf *column_index,
                                    struct lith_buf *offset_index, struct lith_chunk_meta *ret_meta,
                                    struct lith_err *err)
{
    const struct lith_schema_node *leaf = writer->leaf;
    struct lith_chunk_meta *meta = &writer->meta;
    int64_t *histograms = writer->histograms + writer->histogram_count;
    bool known = !writer->histograms_unknown;

    lith_buf_done(&writer->body);
    lith_buf_done(&writer->compressed);
    LITH_TRY(lith_index_builder_finish(writer->index, column_index, offset_index, err));
    lith_buf_clear(&writer->room);
    LITH_TRY(lith_bounds_statistics(&writer->chunk_bounds, lith_order_is_utf8(leaf),
                                    LITH_STATISTICS_BYTES_MAX, &writer->room, &meta->statistics,
                                    err));
    meta->size_statistics = (struct lith_size_statistics){
        .present = leaf->type == LITH_TYPE_BYTE_ARRAY || leaf->max_def || leaf->max_rep,
        .has_unencoded_bytes = leaf->type == LITH_TYPE_BYTE_ARRAY && !writer->unencoded_unknown,
        .unencoded_bytes = writer->chunk_unencoded_bytes,
        .rep_histogram = leaf->max_rep && known ? histograms : NULL,
        .def_histogram = leaf->max_def && known ? histograms + leaf->max_rep + 1 : NULL,
    };
    stats_fill(writer);
    *ret_meta = *meta;
    return LITH_OK;
}
