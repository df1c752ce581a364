/*
 * A file with levels put in front of its pages and columns that it lacks, for other engines to
 * read: define_columns IN OUT [GROUP SIBLING].
 *
 * Not a test by itself: tests/py/test_define.py writes the input and compares. Columns that are
 * REQUIRED from the root on become OPTIONAL; a column `added` and a list `added_list` of nulls come
 * last in GROUP (a path; without one, the root), with the levels of the leaf SIBLING. All other
 * pages are copied. Prints how many pages were defined and how many had to be compressed again.
 */
#include "support.h"

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/chunk_reader.h"
#include "parquet/level_prefix.h"
#include "parquet/metadata_write.h"
#include "parquet/null_page.h"

#define ADDED_NODES 4u /* added, added_list.list.element */
#define ADDED_LEAVES 2u

static struct lith_err err;
static struct lith_mem mem;

struct job {
    struct lith_buf in;
    struct lith_buf out;
    struct lith_memory_source source;
    struct lith_work work;
    struct lith_codec_context *codecs;
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_schema schema; /* of the output */
    uint32_t group;            /* node of the input */
    uint32_t sibling;          /* leaf of the input */
    uint32_t added;            /* leaf of the output: the first of ADDED_LEAVES */
    unsigned defined;
    unsigned recoded;
};

static void must(enum lith_code code)
{
    if (code == LITH_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", lith_code_name(code), err.text);
    exit(1);
}

static void file_read(const char *path, struct lith_buf *to)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 1;

    while (file && bytes > 0) {
        must(lith_buf_reserve(to, (size_t)1 << 16, &err));
        bytes = fread(to->data + to->bytes, 1, (size_t)1 << 16, file);
        to->bytes += bytes;
    }
    if (!file || fclose(file) != 0)
        exit(1);
}

static uint32_t node_find(const struct lith_schema *schema, const char *path)
{
    char name[512];

    for (uint32_t i = 1; i < schema->node_count; i++) {
        lith_schema_path(schema, i, name, sizeof(name));
        if (strcmp(name, path) == 0)
            return i;
    }
    (void)fprintf(stderr, "no column %s\n", path);
    exit(1);
}

static struct lith_schema_node node_of(const char *name, enum lith_repetition repetition,
                                       uint32_t child_count)
{
    return (struct lith_schema_node){.name = lith_slice_text(name),
                                     .is_group = child_count > 0,
                                     .child_count = child_count,
                                     .type = LITH_TYPE_INT32,
                                     .repetition = repetition,
                                     .converted_type = LITH_CONVERTED_NONE};
}

static void schema_make(struct job *job)
{
    const struct lith_schema *from = &job->footer.schema;
    uint32_t end = job->group + 1; /* of the group's nodes */
    uint32_t count = 0;
    void *block;

    while (end < from->node_count && from->nodes[end].depth > from->nodes[job->group].depth)
        end++;
    must(lith_arena_array(&job->arena, from->node_count + ADDED_NODES,
                          sizeof(struct lith_schema_node), &block, &err));
    struct lith_schema_node *nodes = block;
    for (uint32_t i = 0; i <= from->node_count; i++) {
        if (i == end) {
            job->added = 0;
            for (uint32_t n = 0; n < count; n++)
                job->added += !nodes[n].is_group;
            nodes[count++] = node_of("added", LITH_OPTIONAL, 0);
            nodes[count] = node_of("added_list", LITH_OPTIONAL, 1);
            nodes[count++].converted_type = LITH_CONVERTED_LIST;
            nodes[count++] = node_of("list", LITH_REPEATED, 1);
            nodes[count++] = node_of("element", LITH_OPTIONAL, 0);
        }
        if (i == from->node_count)
            break;
        nodes[count] = from->nodes[i];
        if (i == job->group)
            nodes[count].child_count += 2;
        if (!nodes[count].is_group && nodes[count].max_def == 0)
            nodes[count].repetition = LITH_OPTIONAL;
        count++;
    }
    job->schema = (struct lith_schema){.nodes = nodes, .node_count = count};
    must(lith_schema_link(&job->schema, &job->arena, &err));
}

/* What a merge does where the codec cannot: decompressed, levels in front, compressed again. */
static void page_recode(struct job *job, enum lith_codec codec, struct lith_slice body,
                        struct lith_page_header *header, struct lith_buf *to)
{
    struct lith_level_run run = lith_level_run(header->num_values, 1, 1, true);
    LITH_AUTO(buf) struct lith_buf plain;
    size_t bytes = (size_t)header->uncompressed_bytes;

    lith_buf_init(&plain, &mem, INT32_MAX);
    must(lith_buf_append(&plain, run.data, run.bytes, &err));
    must(lith_buf_reserve(&plain, bytes, &err));
    must(lith_decompress(job->codecs, codec, body.data, body.bytes, plain.data + run.bytes, bytes,
                         &err));
    must(lith_compress(job->codecs, codec, plain.data, run.bytes + bytes, to, &err));
    header->uncompressed_bytes += (int32_t)run.bytes;
    header->compressed_bytes = (int32_t)to->bytes;
    header->crc = lith_crc32(0, to->data, to->bytes);
}

static void page_put(struct job *job, const struct lith_page_header *header, struct lith_slice body,
                     struct lith_chunk_meta *meta)
{
    size_t before = job->out.bytes;

    if (header->type == LITH_PAGE_DICTIONARY)
        meta->dictionary_page_offset = (int64_t)before;
    else if (meta->data_page_offset == 0)
        meta->data_page_offset = (int64_t)before;
    must(lith_page_header_write(header, &job->out, &err));
    size_t header_bytes = job->out.bytes - before;
    must(lith_buf_append(&job->out, body.data, body.bytes, &err));
    meta->total_compressed_size += (int64_t)(header_bytes + body.bytes);
    meta->total_uncompressed_size += (int64_t)header_bytes + header->uncompressed_bytes;
}

/* One chunk of the input, page by page; `define` puts levels in front. */
static void chunk_copy(struct job *job, const struct lith_chunk_meta *from, bool define,
                       struct lith_chunk_meta *meta)
{
    int64_t start = from->data_page_offset;
    int64_t left = from->num_values;
    size_t bytes;

    if (from->dictionary_page_offset > 0 && from->dictionary_page_offset < start)
        start = from->dictionary_page_offset;
    const uint8_t *at = job->in.data + start;
    while (left > 0) {
        struct lith_page_header header;
        LITH_AUTO(buf) struct lith_buf to;
        lith_buf_init(&to, &mem, INT32_MAX);
        must(lith_page_header_parse(at, (size_t)(job->in.data + job->in.bytes - at), &header,
                                    &bytes, &err));
        struct lith_slice body = {at + bytes, (size_t)header.compressed_bytes};
        at = body.data + body.bytes;
        if (header.type != LITH_PAGE_DICTIONARY)
            left -= header.num_values;
        if (define && header.type != LITH_PAGE_DICTIONARY) {
            enum lith_codec codec = (enum lith_codec)from->codec;
            enum lith_code code = lith_page_define(&header, codec, 1, body, &to, &header, &err);
            if (code == LITH_E_UNSUPPORTED)
                page_recode(job, codec, body, &header, &to);
            else
                must(code);
            job->defined += code == LITH_OK;
            job->recoded += code == LITH_E_UNSUPPORTED;
            body = (struct lith_slice){to.data, to.bytes};
            meta->encodings |= 1u << LITH_ENCODING_RLE;
        }
        page_put(job, &header, body, meta);
    }
}

/* Null pages of new leaf `leaf`: runs below the root, else the levels of the sibling. */
static void chunk_add(struct job *job, uint32_t row_group, uint32_t leaf,
                      struct lith_chunk_meta *meta)
{
    const struct lith_schema_node *node = lith_schema_leaf(&job->schema, leaf);
    const struct lith_schema_node *group = &job->footer.schema.nodes[job->group];
    struct lith_page_header header;
    struct lith_chunk_reader *reader;
    struct lith_batch batch = {.position_count = 1};
    static uint16_t rep[LITH_BATCH_POSITIONS], def[LITH_BATCH_POSITIONS];
    LITH_AUTO(buf) struct lith_buf body;

    lith_buf_init(&body, &mem, INT32_MAX);
    meta->encodings = 1u << LITH_ENCODING_PLAIN | 1u << LITH_ENCODING_RLE;
    for (int64_t left = job->footer.row_groups[row_group].num_rows; job->group == 0 && left > 0;) {
        uint32_t rows = (uint32_t)lith_min_u64((uint64_t)left, LITH_PAGE_ROWS_MAX);
        lith_buf_clear(&body);
        must(lith_null_page_run(job->codecs, (enum lith_codec)meta->codec, node, rows, 0, &body,
                                &header, &err));
        page_put(job, &header, (struct lith_slice){body.data, body.bytes}, meta);
        meta->num_values += rows;
        left -= rows;
    }
    if (job->group == 0)
        return;
    must(lith_chunk_reader_open(&job->source.base, &job->footer, row_group, job->sibling,
                                job->codecs, &job->work, &reader, &err));
    for (;;) {
        must(lith_chunk_reader_next(reader, &batch, &err));
        if (batch.position_count == 0)
            break;
        struct lith_levels levels = {batch.rep_levels, batch.def_levels, batch.position_count};
        levels.count = lith_levels_clip(&levels, group->max_rep, group->max_def, rep, def);
        levels.rep_levels = rep;
        levels.def_levels = def;
        if (levels.count == 0)
            continue;
        lith_buf_clear(&body);
        must(lith_null_page(job->codecs, (enum lith_codec)meta->codec, node, &levels, &body,
                            &header, &err));
        page_put(job, &header, (struct lith_slice){body.data, body.bytes}, meta);
        meta->num_values += (int64_t)levels.count;
    }
    lith_chunk_reader_close(reader);
}

static void row_group_write(struct job *job, uint32_t index, struct lith_thrift_writer *thrift)
{
    const struct lith_row_group *from = &job->footer.row_groups[index];
    struct lith_row_group_tail tail = {
        .num_rows = from->num_rows, .file_offset = (int64_t)job->out.bytes, .ordinal = -1};

    lith_row_group_head_write(thrift, job->schema.leaf_count);
    for (uint32_t leaf = 0; leaf < job->schema.leaf_count; leaf++) {
        bool added = leaf >= job->added && leaf < job->added + ADDED_LEAVES;
        uint32_t old = leaf < job->added ? leaf : leaf - ADDED_LEAVES;
        const struct lith_chunk_meta *chunk = &from->chunks[added ? 0 : old];
        struct lith_chunk_meta meta = {.codec = chunk->codec};
        if (added) {
            chunk_add(job, index, leaf, &meta);
        } else {
            meta.num_values = chunk->num_values;
            meta.encodings = chunk->encodings;
            meta.statistics = chunk->statistics;
            chunk_copy(job, chunk, lith_schema_leaf(&job->footer.schema, old)->max_def == 0, &meta);
        }
        lith_chunk_meta_write(thrift, &job->schema, leaf, &meta);
        tail.total_byte_size += meta.total_uncompressed_size;
        tail.total_compressed_size += meta.total_compressed_size;
    }
    lith_row_group_tail_write(thrift, &tail);
}

static void file_write(struct job *job, const char *path)
{
    struct lith_thrift_writer thrift;
    LITH_AUTO(buf) struct lith_buf footer;
    uint8_t length[4];

    lith_buf_init(&footer, &mem, LITH_FOOTER_BYTES_MAX);
    lith_thrift_writer_init(&thrift, &footer, &err);
    must(lith_buf_append(&job->out, "PAR1", 4, &err));
    lith_footer_head_write(&thrift, &job->schema, job->footer.num_rows,
                           job->footer.row_group_count);
    for (uint32_t i = 0; i < job->footer.row_group_count; i++)
        row_group_write(job, i, &thrift);
    lith_footer_tail_write(&thrift, NULL, 0, lith_slice_text("define_columns"),
                           job->schema.leaf_count);
    must(thrift.code);
    lith_store_u32(length, (uint32_t)footer.bytes);
    must(lith_buf_append(&job->out, footer.data, footer.bytes, &err));
    must(lith_buf_append(&job->out, length, 4, &err));
    must(lith_buf_append(&job->out, "PAR1", 4, &err));
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(job->out.data, 1, job->out.bytes, file) != job->out.bytes ||
        fclose(file) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    static const struct lith_control control;
    struct lith_scratch scratch;
    struct job job = {.work = {.mem = &mem, .scratch = &scratch, .control = &control}};

    if (argc != 3 && argc != 5) {
        (void)fprintf(stderr, "usage: define_columns IN OUT [GROUP SIBLING]\n");
        return 2;
    }
    lith_mem_init(&mem, (size_t)1 << 30, NULL);
    lith_scratch_init(&scratch, NULL, 0);
    lith_arena_init(&job.arena, &mem);
    lith_buf_init(&job.in, &mem, SIZE_MAX);
    lith_buf_init(&job.out, &mem, SIZE_MAX);
    must(lith_codec_context_new(&mem, &job.codecs, &err));
    file_read(argv[1], &job.in);
    lith_memory_source_init(&job.source, job.in.data, job.in.bytes);
    must(lith_footer_read(&job.source.base, &job.arena, &job.footer, &err));
    if (job.footer.schema.leaf_count == 0) {
        (void)fprintf(stderr, "%s has no columns\n", argv[1]);
        return 1;
    }
    if (argc == 5) {
        const struct lith_schema *schema = &job.footer.schema;
        job.group = node_find(schema, argv[3]);
        job.sibling = schema->nodes[node_find(schema, argv[4])].leaf_index;
    }
    schema_make(&job);
    file_write(&job, argv[2]);
    (void)printf("defined %u recoded %u\n", job.defined, job.recoded);
    lith_codec_context_free(job.codecs);
    lith_buf_done(&job.in);
    lith_buf_done(&job.out);
    lith_arena_done(&job.arena);
    lith_mem_done(&mem);
    return 0;
}
