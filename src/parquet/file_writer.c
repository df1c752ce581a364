/*
 * Writing a Parquet file.
 *
 * Chunks go out as they come. What the footer says of them waits in spools: chunk metadata, row
 * groups, both kinds of index; bloom filters wait for the end of their row group. Offsets in the
 * spools are relative to what is not placed yet; one pass at the end makes them absolute and
 * writes the footer piece by piece. parquet-splice.md sections 1.4, 1.5 and 2.1.
 */
#include "parquet/file_writer.h"

#include <string.h>

#include "base/checked.h"
#include "parquet/chunk_record.h"
#include "parquet/chunk_writer.h"
#include "parquet/metadata_write.h"

/* Each spool may keep this part of a share in memory, and no more than this: what files of some GiB
 * need, so that larger ones take no more memory than they do. */
#define SPOOL_SHARES 16u
#define SPOOL_BYTES_MAX ((size_t)512 * LITH_KIB)
/* The footer goes out in pieces of about this size. */
#define FOOTER_PIECE_BYTES ((size_t)64 * LITH_KIB)

static const char magic[4] = {'P', 'A', 'R', '1'};

struct row_group_record {
    int64_t num_rows;
    int64_t total_byte_size;
    int64_t total_compressed_size;
    int64_t file_offset;
    int64_t bloom_base; /* where its bloom filters begin */
};

struct lith_file_writer {
    struct lith_sink *sink;
    const struct lith_schema *schema;
    const struct lith_work *work;
    struct lith_chunk_writer chunk;
    struct lith_spool chunks;     /* chunk records, in file order */
    struct lith_spool row_groups; /* struct row_group_record each */
    struct lith_spool column_indexes;
    struct lith_spool offset_indexes;
    struct lith_spool blooms;     /* of the open row group */
    struct lith_buf column_index; /* of the chunk that ends; then room for its record */
    struct lith_buf offset_index;
    struct lith_buf bloom;
    struct row_group_record row_group;
    uint32_t row_group_count;                  /* finished */
    uint32_t leaf;                             /* of the chunk that is open, or comes next */
    const struct lith_sorting_column *sorting; /* of every row group */
    uint32_t sorting_count;
    int64_t rows;
    bool in_row_group;
    bool in_chunk;
    bool has_blob;
};

static enum lith_code writer_make(struct lith_sink *sink, const struct lith_schema *schema,
                                  struct lith_codec_context *codecs, const struct lith_work *work,
                                  struct lith_file_writer **ret_writer, struct lith_err *err)
{
    size_t memory = lith_min_size(lith_work_share(work) / SPOOL_SHARES, SPOOL_BYTES_MAX);
    void *block;

    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_file_writer), &block, err));
    struct lith_file_writer *w = block;
    w->sink = sink;
    w->schema = schema;
    w->work = work;
    lith_chunk_writer_init(&w->chunk, sink, codecs, work);
    lith_spool_init(&w->chunks, work->mem, work->scratch, memory);
    lith_spool_init(&w->row_groups, work->mem, work->scratch, memory);
    lith_spool_init(&w->column_indexes, work->mem, work->scratch, memory);
    lith_spool_init(&w->offset_indexes, work->mem, work->scratch, memory);
    lith_spool_init(&w->blooms, work->mem, work->scratch, memory);
    lith_buf_init(&w->column_index, work->mem, INT32_MAX);
    lith_buf_init(&w->offset_index, work->mem, INT32_MAX);
    lith_buf_init(&w->bloom, work->mem, INT32_MAX);
    *ret_writer = w;
    return LITH_OK;
}

enum lith_code lith_file_writer_new(struct lith_sink *sink, const struct lith_schema *schema,
                                    struct lith_codec_context *codecs, const struct lith_work *work,
                                    struct lith_file_writer **ret_writer, struct lith_err *err)
{
    struct lith_file_writer *w;

    LITH_ASSERT(sink->written == 0);
    LITH_TRY(writer_make(sink, schema, codecs, work, &w, err));
    enum lith_code code = lith_sink_write(sink, magic, sizeof(magic), err);
    if (code != LITH_OK) {
        lith_file_writer_free(w);
        return code;
    }
    *ret_writer = w;
    return LITH_OK;
}

void lith_file_writer_free(struct lith_file_writer *writer)
{
    if (!writer)
        return;
    lith_chunk_writer_done(&writer->chunk);
    lith_spool_done(&writer->chunks);
    lith_spool_done(&writer->row_groups);
    lith_spool_done(&writer->column_indexes);
    lith_spool_done(&writer->offset_indexes);
    lith_spool_done(&writer->blooms);
    lith_buf_done(&writer->column_index);
    lith_buf_done(&writer->offset_index);
    lith_buf_done(&writer->bloom);
    lith_free(writer);
}

uint64_t lith_file_writer_bytes(const struct lith_file_writer *writer)
{
    return writer->sink->written;
}

int64_t lith_file_writer_rows(const struct lith_file_writer *writer)
{
    return writer->rows;
}

void lith_file_writer_sorted(struct lith_file_writer *writer,
                             const struct lith_sorting_column *columns, uint32_t count)
{
    writer->sorting = columns;
    writer->sorting_count = count;
}

enum lith_code lith_file_writer_row_group(struct lith_file_writer *writer, int64_t num_rows,
                                          struct lith_err *err)
{
    LITH_ASSERT(!writer->in_row_group);
    LITH_ASSERT(!writer->has_blob);
    LITH_ASSERT(num_rows > 0);
    if (writer->row_group_count >= LITH_THRIFT_ELEMENTS_MAX)
        return lith_fail(err, LITH_E_LIMIT, "more than %u row groups in one file",
                         LITH_THRIFT_ELEMENTS_MAX);
    writer->row_group = (struct row_group_record){.num_rows = num_rows,
                                                  .file_offset = (int64_t)writer->sink->written};
    writer->in_row_group = true;
    writer->leaf = 0;
    return LITH_OK;
}

/* Puts row group and column in front of a failure. */
static enum lith_code chunk_context(const struct lith_file_writer *w, enum lith_code code,
                                    struct lith_err *err)
{
    char path[200];

    if (code == LITH_OK)
        return LITH_OK;
    lith_schema_path(w->schema, w->schema->leaves[w->leaf], path, sizeof(path));
    return lith_err_prefix(err, "output row group %u, column %s", w->row_group_count, path);
}

enum lith_code lith_file_writer_chunk(struct lith_file_writer *writer,
                                      const struct lith_chunk_plan *plan, struct lith_err *err)
{
    LITH_ASSERT(writer->in_row_group);
    LITH_ASSERT(!writer->in_chunk);
    LITH_ASSERT(writer->leaf < writer->schema->leaf_count);
    enum lith_code code =
        lith_chunk_writer_begin(&writer->chunk, lith_schema_leaf(writer->schema, writer->leaf),
                                plan, writer->row_group.num_rows, err);
    writer->in_chunk = code == LITH_OK;
    return chunk_context(writer, code, err);
}

enum lith_code lith_file_writer_add(struct lith_file_writer *writer, const struct lith_batch *batch,
                                    struct lith_err *err)
{
    LITH_ASSERT(writer->in_chunk);
    return chunk_context(writer, lith_chunk_writer_add(&writer->chunk, batch, err), err);
}

bool lith_file_writer_joins(const struct lith_file_writer *writer)
{
    return writer->in_chunk && lith_chunk_writer_joins(&writer->chunk);
}

enum lith_code lith_file_writer_join(struct lith_file_writer *writer,
                                     const struct lith_facts *facts, struct lith_slice elements,
                                     struct lith_err *err)
{
    LITH_ASSERT(writer->in_chunk);
    return chunk_context(writer, lith_chunk_writer_join(&writer->chunk, facts, elements, err), err);
}

enum lith_code lith_file_writer_source(struct lith_file_writer *writer,
                                       const struct lith_facts *facts, int64_t rows,
                                       struct lith_err *err)
{
    LITH_ASSERT(writer->in_chunk);
    return chunk_context(writer, lith_chunk_writer_source(&writer->chunk, facts, rows, err), err);
}

enum lith_code lith_file_writer_source_end(struct lith_file_writer *writer, struct lith_err *err)
{
    return chunk_context(writer, lith_chunk_writer_source_end(&writer->chunk, err), err);
}

enum lith_code lith_file_writer_copy(struct lith_file_writer *writer,
                                     const struct lith_copied_page *page, struct lith_err *err)
{
    return chunk_context(writer, lith_chunk_writer_copy(&writer->chunk, page, err), err);
}

enum lith_code lith_file_writer_copy_bytes(struct lith_file_writer *writer, const void *data,
                                           size_t bytes, struct lith_err *err)
{
    return lith_page_writer_copy_bytes(&writer->chunk.pages, data, bytes, err);
}

enum lith_code lith_file_writer_copy_end(struct lith_file_writer *writer, struct lith_err *err)
{
    return chunk_context(writer, lith_page_writer_copy_end(&writer->chunk.pages, err), err);
}

void lith_file_writer_bloom(struct lith_file_writer *writer, struct lith_bloom *bloom)
{
    lith_chunk_writer_bloom_or(&writer->chunk, bloom);
}

void lith_file_writer_packed(const struct lith_file_writer *writer, uint64_t *ret_plain_bytes,
                             uint64_t *ret_stored_bytes)
{
    *ret_plain_bytes = writer->chunk.pages.packed_plain_bytes;
    *ret_stored_bytes = writer->chunk.pages.packed_stored_bytes;
}

/* Appends to a spool; *ret_offset is the place in it. */
static enum lith_code part_spool(struct lith_spool *spool, const struct lith_buf *part,
                                 int64_t *ret_offset, int32_t *ret_length, struct lith_err *err)
{
    *ret_offset = (int64_t)spool->source.size;
    *ret_length = (int32_t)part->bytes;
    return lith_sink_write(&spool->sink, part->data, part->bytes, err);
}

static void parts_clear(struct lith_file_writer *w)
{
    lith_buf_clear(&w->column_index);
    lith_buf_clear(&w->offset_index);
    lith_buf_clear(&w->bloom);
}

/* Spools what is known of a finished chunk: `meta`, and the parts in the writer's buffers. */
static enum lith_code chunk_spool(struct lith_file_writer *w, struct lith_chunk_meta *meta,
                                  struct lith_err *err)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(w->schema, w->leaf);

    LITH_TRY(part_spool(&w->column_indexes, &w->column_index, &meta->column_index_offset,
                        &meta->column_index_length, err));
    LITH_TRY(part_spool(&w->offset_indexes, &w->offset_index, &meta->offset_index_offset,
                        &meta->offset_index_length, err));
    LITH_TRY(part_spool(&w->blooms, &w->bloom, &meta->bloom_filter_offset,
                        &meta->bloom_filter_length, err));
    lith_buf_done(&w->bloom);
    w->row_group.total_byte_size += meta->total_uncompressed_size;
    w->row_group.total_compressed_size += meta->total_compressed_size;
    return lith_chunk_record_write(&w->chunks, leaf, meta, &w->column_index, err);
}

static enum lith_code chunk_finish(struct lith_file_writer *w, struct lith_err *err)
{
    struct lith_chunk_meta meta;

    parts_clear(w);
    LITH_TRY(lith_chunk_writer_end(&w->chunk, &w->column_index, &w->offset_index, &w->bloom, &meta,
                                   err));
    return chunk_spool(w, &meta, err);
}

enum lith_code lith_file_writer_chunk_end(struct lith_file_writer *writer, struct lith_err *err)
{
    LITH_ASSERT(writer->in_chunk);
    LITH_TRY(chunk_context(writer, chunk_finish(writer, err), err));
    writer->in_chunk = false;
    writer->leaf++;
    return LITH_OK;
}

enum lith_code lith_file_writer_part_new(const struct lith_schema *schema,
                                         const struct lith_work *work,
                                         struct lith_file_writer **ret_part, struct lith_err *err)
{
    return writer_make(NULL, schema, NULL, work, ret_part, err);
}

void lith_file_writer_part(struct lith_file_writer *part, const struct lith_file_writer *writer,
                           uint32_t leaf, struct lith_sink *sink, struct lith_codec_context *codecs)
{
    LITH_ASSERT(!part->in_chunk);
    LITH_ASSERT(sink->written == LITH_PART_OFFSET);
    part->sink = sink;
    part->chunk.pages.sink = sink;
    part->chunk.pages.codecs = codecs;
    lith_spool_clear(&part->chunks);
    lith_spool_clear(&part->column_indexes);
    lith_spool_clear(&part->offset_indexes);
    lith_spool_clear(&part->blooms);
    part->row_group = (struct row_group_record){.num_rows = writer->row_group.num_rows};
    part->row_group_count = writer->row_group_count; /* for errors */
    part->in_row_group = true;
    part->leaf = leaf;
}

/* Reads a piece of a part's spool. */
static enum lith_code piece_read(struct lith_spool *spool, int64_t offset, int32_t length,
                                 struct lith_buf *to, struct lith_err *err)
{
    if (length == 0)
        return LITH_OK;
    LITH_TRY(lith_buf_reserve(to, (size_t)length, err));
    LITH_TRY(lith_source_read(&spool->source, (uint64_t)offset, to->data + to->bytes,
                              (size_t)length, err));
    to->bytes += (size_t)length;
    return LITH_OK;
}

/* Places the chunk whose record is at *at: all offsets in the file grow by `shift`. */
static enum lith_code chunk_place(struct lith_file_writer *w, struct lith_file_writer *part,
                                  uint64_t *at, int64_t shift, struct lith_err *err)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(w->schema, w->leaf);
    struct lith_chunk_meta meta;

    parts_clear(w);
    parts_clear(part);
    LITH_TRY(lith_chunk_record_read(&part->chunks, at, leaf, &part->column_index, &meta, err));
    LITH_TRY(piece_read(&part->column_indexes, meta.column_index_offset, meta.column_index_length,
                        &w->column_index, err));
    LITH_TRY(piece_read(&part->blooms, meta.bloom_filter_offset, meta.bloom_filter_length,
                        &w->bloom, err));
    LITH_TRY(piece_read(&part->offset_indexes, meta.offset_index_offset, meta.offset_index_length,
                        &part->offset_index, err));
    struct lith_slice index = {part->offset_index.data, part->offset_index.bytes};
    if (index.bytes)
        LITH_TRY(lith_offset_index_shift(index, shift, &w->offset_index, err));
    meta.data_page_offset += shift;
    if (meta.dictionary_page_offset > 0)
        meta.dictionary_page_offset += shift;
    return chunk_spool(w, &meta, err);
}

enum lith_code lith_file_writer_place(struct lith_file_writer *writer,
                                      struct lith_file_writer *part, uint64_t begin,
                                      struct lith_err *err)
{
    int64_t shift = (int64_t)begin - (int64_t)LITH_PART_OFFSET;
    uint64_t at = 0;

    LITH_ASSERT(writer->in_row_group && !writer->in_chunk && !part->in_chunk);
    LITH_ASSERT(writer->sink->written - begin == part->sink->written - LITH_PART_OFFSET);
    while (at < part->chunks.source.size) {
        LITH_TRY(chunk_context(writer, chunk_place(writer, part, &at, shift, err), err));
        writer->leaf++;
    }
    LITH_ASSERT(writer->leaf == part->leaf);
    part->in_row_group = false;
    return LITH_OK;
}

struct lith_sink *lith_file_writer_sink(struct lith_file_writer *writer)
{
    LITH_ASSERT(!writer->in_chunk);
    return writer->sink;
}

enum lith_code lith_file_writer_row_group_end(struct lith_file_writer *writer, struct lith_err *err)
{
    LITH_ASSERT(writer->in_row_group);
    LITH_ASSERT(!writer->in_chunk);
    LITH_ASSERT(writer->leaf == writer->schema->leaf_count);
    writer->row_group.bloom_base = (int64_t)writer->sink->written;
    LITH_TRY(lith_spool_copy(&writer->blooms, writer->sink, err));
    lith_spool_clear(&writer->blooms);
    LITH_TRY(lith_sink_write(&writer->row_groups.sink, &writer->row_group,
                             sizeof(writer->row_group), err));
    writer->rows += writer->row_group.num_rows;
    writer->row_group_count++;
    writer->in_row_group = false;
    return LITH_OK;
}

enum lith_code lith_file_writer_blob(struct lith_file_writer *writer, const void *data,
                                     size_t bytes, uint64_t *ret_offset, struct lith_err *err)
{
    uint64_t offset = writer->sink->written;

    LITH_ASSERT(!writer->in_row_group);
    writer->has_blob = true;
    LITH_TRY(lith_sink_write(writer->sink, data, bytes, err));
    *ret_offset = offset;
    return LITH_OK;
}

/* Where the spooled parts of a file begin in it. */
struct bases {
    int64_t column_indexes;
    int64_t offset_indexes;
};

/* A part's place in the file; a part of no bytes was never written, and has none. */
static int64_t place(int64_t base, int64_t offset, int32_t length)
{
    return length ? base + offset : 0;
}

/* Writes what the Thrift writer has so far, once it is a piece or `all` is wanted. */
static enum lith_code piece_write(struct lith_file_writer *w, struct lith_thrift_writer *thrift,
                                  bool all, struct lith_err *err)
{
    struct lith_buf *buf = thrift->buf;

    LITH_TRY(thrift->code);
    if (!all && buf->bytes < FOOTER_PIECE_BYTES)
        return LITH_OK;
    LITH_TRY(lith_sink_write(w->sink, buf->data, buf->bytes, err));
    lith_buf_clear(buf);
    return LITH_OK;
}

static enum lith_code row_group_write(struct lith_file_writer *w, uint32_t index,
                                      const struct bases *bases, uint64_t *chunk_offset,
                                      struct lith_thrift_writer *thrift, struct lith_err *err)
{
    struct row_group_record record;
    struct lith_chunk_meta meta;

    LITH_TRY(lith_work_check(w->work, err));
    LITH_TRY(lith_source_read(&w->row_groups.source, index * (uint64_t)sizeof(record), &record,
                              sizeof(record), err));
    lith_row_group_head_write(thrift, w->schema->leaf_count);
    for (uint32_t leaf = 0; leaf < w->schema->leaf_count; leaf++) {
        LITH_TRY(lith_chunk_record_read(&w->chunks, chunk_offset, lith_schema_leaf(w->schema, leaf),
                                        &w->column_index, &meta, err));
        meta.column_index_offset =
            place(bases->column_indexes, meta.column_index_offset, meta.column_index_length);
        meta.offset_index_offset =
            place(bases->offset_indexes, meta.offset_index_offset, meta.offset_index_length);
        meta.bloom_filter_offset =
            place(record.bloom_base, meta.bloom_filter_offset, meta.bloom_filter_length);
        lith_chunk_meta_write(thrift, w->schema, leaf, &meta);
        LITH_TRY(piece_write(w, thrift, false, err));
    }
    struct lith_row_group_tail tail = {
        .num_rows = record.num_rows,
        .total_byte_size = record.total_byte_size,
        .total_compressed_size = record.total_compressed_size,
        .file_offset = record.file_offset,
        .sorting_columns = w->sorting,
        .sorting_column_count = w->sorting_count,
        /* On all row groups or on none: a mixture is what readers fail on. */
        .ordinal = w->row_group_count <= INT16_MAX ? (int32_t)index : -1,
    };
    lith_row_group_tail_write(thrift, &tail);
    return thrift->code;
}

static enum lith_code footer_write(struct lith_file_writer *w, const struct bases *bases,
                                   const struct lith_key_value *key_values,
                                   uint32_t key_value_count, struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf buf;
    struct lith_thrift_writer thrift;
    uint64_t start = w->sink->written;
    uint64_t chunk_offset = 0;
    uint8_t end[8];

    lith_buf_init(&buf, w->work->mem, LITH_FOOTER_BYTES_MAX);
    lith_thrift_writer_init(&thrift, &buf, err);
    lith_footer_head_write(&thrift, w->schema, w->rows, w->row_group_count);
    for (uint32_t i = 0; i < w->row_group_count; i++)
        LITH_TRY(row_group_write(w, i, bases, &chunk_offset, &thrift, err));
    lith_footer_tail_write(&thrift, key_values, key_value_count,
                           lith_slice_text("lithify version " LITH_VERSION), w->schema->leaf_count);
    LITH_TRY(piece_write(w, &thrift, true, err));

    uint64_t bytes = w->sink->written - start;
    if (bytes > LITH_FOOTER_BYTES_MAX)
        return lith_fail(err, LITH_E_LIMIT,
                         "a footer of %llu bytes, at most %llu are written; use fewer row groups",
                         (unsigned long long)bytes, (unsigned long long)LITH_FOOTER_BYTES_MAX);
    lith_store_u32(end, (uint32_t)bytes);
    memcpy(end + 4, magic, sizeof(magic));
    return lith_sink_write(w->sink, end, sizeof(end), err);
}

enum lith_code lith_file_writer_finish(struct lith_file_writer *writer,
                                       const struct lith_key_value *key_values,
                                       uint32_t key_value_count, struct lith_err *err)
{
    struct bases bases;

    LITH_ASSERT(!writer->in_row_group);
    bases.column_indexes = (int64_t)writer->sink->written;
    LITH_TRY(lith_spool_copy(&writer->column_indexes, writer->sink, err));
    bases.offset_indexes = (int64_t)writer->sink->written;
    LITH_TRY(lith_spool_copy(&writer->offset_indexes, writer->sink, err));
    return footer_write(writer, &bases, key_values, key_value_count, err);
}
