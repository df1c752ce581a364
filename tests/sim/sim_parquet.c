#include "sim_parquet.h"

#include <stdlib.h>
#include <string.h>

#include "audit/event_file.h"
#include "base/work.h"
#include "codec/codec.h"
#include "merge/input_list.h"
#include "parquet/chunk_reader.h"
#include "parquet/footer.h"
#include "sim_audit.h"

#define MAGIC "PAR1"
#define MAGIC_BYTES 4u
#define COLUMN "row"
#define FILE_BYTES_MAX 2048u

bool sim_parquet_is(const struct sim_blob *blob)
{
    return blob->bytes > 2 * MAGIC_BYTES && memcmp(blob->data, MAGIC, MAGIC_BYTES) == 0;
}

/* Thrift's compact protocol, as far as a footer of one column takes it. */
struct thrift {
    uint8_t bytes[FILE_BYTES_MAX];
    size_t count;
    int last_field;
};

enum thrift_type {
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12
};

static void byte_put(struct thrift *t, uint64_t byte)
{
    if (t->count == sizeof(t->bytes))
        abort();
    t->bytes[t->count++] = (uint8_t)byte;
}

static void bytes_put(struct thrift *t, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        byte_put(t, ((const uint8_t *)from)[i]);
}

static void varint_put(struct thrift *t, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        byte_put(t, (value & 127) | 128);
    byte_put(t, value);
}

static void field_put(struct thrift *t, int field, enum thrift_type type)
{
    byte_put(t, (uint64_t)(field - t->last_field) << 4 | type);
    t->last_field = field;
}

/* Numbers are zigzag: none of ours is below zero. */
static void number_put(struct thrift *t, int field, enum thrift_type type, uint64_t value)
{
    field_put(t, field, type);
    varint_put(t, value << 1);
}

static void text_put(struct thrift *t, int field, const char *text)
{
    if (field)
        field_put(t, field, THRIFT_BINARY);
    varint_put(t, strlen(text));
    bytes_put(t, text, strlen(text));
}

static void list_put(struct thrift *t, int field, uint64_t count, enum thrift_type type)
{
    field_put(t, field, THRIFT_LIST);
    byte_put(t, count << 4 | type);
}

/* A struct's fields count from 0; `outside` is given back when it ends. */
static int struct_begin(struct thrift *t, int field)
{
    if (field)
        field_put(t, field, THRIFT_STRUCT);
    int outside = t->last_field;
    t->last_field = 0;
    return outside;
}

static void struct_end(struct thrift *t, int outside)
{
    byte_put(t, 0);
    t->last_field = outside;
}

static void page_put(struct thrift *t, uint32_t count)
{
    int outside = struct_begin(t, 0);

    number_put(t, 1, THRIFT_I32, 0); /* DATA_PAGE */
    number_put(t, 2, THRIFT_I32, 8 * count);
    number_put(t, 3, THRIFT_I32, 8 * count);
    int inside = struct_begin(t, 5);
    number_put(t, 1, THRIFT_I32, count);
    number_put(t, 2, THRIFT_I32, 0); /* PLAIN */
    number_put(t, 3, THRIFT_I32, 3); /* RLE */
    number_put(t, 4, THRIFT_I32, 3);
    struct_end(t, inside);
    struct_end(t, outside);
}

static void schema_put(struct thrift *t)
{
    list_put(t, 2, 2, THRIFT_STRUCT);
    int outside = struct_begin(t, 0);
    text_put(t, 4, "schema");
    number_put(t, 5, THRIFT_I32, 1);
    struct_end(t, outside);
    outside = struct_begin(t, 0);
    number_put(t, 1, THRIFT_I32, 2); /* INT64 */
    number_put(t, 3, THRIFT_I32, 0); /* REQUIRED */
    text_put(t, 4, COLUMN);
    struct_end(t, outside);
}

static void chunk_put(struct thrift *t, uint32_t count, uint64_t bytes)
{
    int outside = struct_begin(t, 0);

    number_put(t, 2, THRIFT_I64, 0);
    int inside = struct_begin(t, 3);
    number_put(t, 1, THRIFT_I32, 2);
    list_put(t, 2, 1, THRIFT_I32);
    varint_put(t, 0); /* PLAIN */
    list_put(t, 3, 1, THRIFT_BINARY);
    text_put(t, 0, COLUMN);
    number_put(t, 4, THRIFT_I32, 0); /* UNCOMPRESSED */
    number_put(t, 5, THRIFT_I64, count);
    number_put(t, 6, THRIFT_I64, bytes);
    number_put(t, 7, THRIFT_I64, bytes);
    number_put(t, 9, THRIFT_I64, MAGIC_BYTES);
    struct_end(t, inside);
    struct_end(t, outside);
}

static void footer_put(struct thrift *t, uint32_t count, uint64_t bytes)
{
    size_t begin = t->count;

    t->last_field = 0;
    number_put(t, 1, THRIFT_I32, 1);
    schema_put(t);
    number_put(t, 3, THRIFT_I64, count);
    list_put(t, 4, 1, THRIFT_STRUCT);
    int outside = struct_begin(t, 0);
    list_put(t, 1, 1, THRIFT_STRUCT);
    chunk_put(t, count, bytes);
    number_put(t, 2, THRIFT_I64, bytes);
    number_put(t, 3, THRIFT_I64, count);
    struct_end(t, outside);
    byte_put(t, 0);
    for (size_t i = 0, length = t->count - begin; i < 4; i++)
        byte_put(t, length >> 8 * i & 255);
}

const struct sim_blob *sim_parquet_new(struct sim_world *world, const uint32_t *rows,
                                       uint32_t count)
{
    struct thrift t = {0};

    bytes_put(&t, MAGIC, MAGIC_BYTES);
    page_put(&t, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = rows[i];
        bytes_put(&t, &value, sizeof(value));
    }
    footer_put(&t, count, t.count - MAGIC_BYTES);
    bytes_put(&t, MAGIC, MAGIC_BYTES);
    return sim_blob_new(world, t.bytes, t.count);
}

/* A blob as a source. */
struct blob_source {
    struct lith_source base;
    const struct sim_blob *blob;
};

static enum lith_code blob_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                struct lith_err *err)
{
    (void)err;
    memcpy(to, ((struct blob_source *)base)->blob->data + offset, bytes);
    return LITH_OK;
}

/* What the library's reader works with: the C library's memory, which is all given back. */
struct tools {
    struct sim_heap *before;
    struct blob_source source;
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct lith_arena arena;
    struct lith_codec_context *codecs;
    struct lith_err err;
};

static void tools_init(struct tools *tools, const struct sim_blob *blob)
{
    static const struct lith_source_ops ops = {.read = blob_read};

    *tools = (struct tools){.before = sim_heap_use(NULL),
                            .source = {{.ops = &ops, .size = blob->bytes}, blob}};
    lith_mem_init(&tools->mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&tools->scratch, "/tmp", 0);
    tools->work = (struct lith_work){
        .mem = &tools->mem, .scratch = &tools->scratch, .control = &tools->control};
    lith_arena_init(&tools->arena, &tools->mem);
    if (lith_codec_context_new(&tools->mem, &tools->codecs, &tools->err) != LITH_OK)
        abort();
}

static void tools_done(struct tools *tools)
{
    lith_codec_context_free(tools->codecs);
    lith_arena_done(&tools->arena);
    (void)sim_heap_use(tools->before);
}

/* Rows that are being gathered. */
struct gathering {
    struct sim_world *world;
    uint32_t *rows;
    uint32_t count;
    uint32_t room;
};

static void row_add(struct gathering *g, uint32_t row)
{
    if (g->count == g->room) {
        uint32_t *grown = sim_take(g->world, 2 * (g->room + 8) * sizeof(*grown));
        if (g->count)
            memcpy(grown, g->rows, g->count * sizeof(*grown));
        g->rows = grown;
        g->room = 2 * (g->room + 8);
    }
    g->rows[g->count++] = row;
}

static enum lith_code chunk_read(struct tools *tools, const struct lith_footer *footer,
                                 uint32_t group, struct gathering *g)
{
    struct lith_chunk_reader *reader;
    struct lith_batch batch = {.position_count = 1};
    enum lith_code code;

    LITH_TRY(lith_chunk_reader_open(&tools->source.base, footer, group, 0, tools->codecs,
                                    &tools->work, &reader, &tools->err));
    while ((code = lith_chunk_reader_next(reader, &batch, &tools->err)) == LITH_OK &&
           batch.position_count) {
        for (size_t i = 0; i < batch.values.count; i++)
            row_add(g, (uint32_t)lith_load_u64(lith_values_at(&batch.values, i).data));
    }
    lith_chunk_reader_close(reader);
    return code;
}

static enum lith_code events_read(struct tools *tools, struct gathering *g)
{
    struct lith_event *events;
    size_t count;

    LITH_TRY(sim_audit_read(&tools->source.base, &tools->work, &tools->arena, &events, &count,
                            &tools->err));
    for (size_t i = 0; i < count; i++)
        row_add(g, sim_audit_row(g->world, &events[i]));
    return LITH_OK;
}

static enum lith_code file_read(struct tools *tools, struct gathering *g)
{
    struct lith_footer footer;

    LITH_TRY(lith_footer_read(&tools->source.base, &tools->arena, &footer, &tools->err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &tools->arena, &tools->err));
    if (footer.schema.leaf_count != 1)
        return events_read(tools, g);
    for (uint32_t i = 0; i < footer.row_group_count; i++)
        LITH_TRY(chunk_read(tools, &footer, i, g));
    return LITH_OK;
}

struct sim_rows sim_parquet_rows(struct sim_world *world, const struct sim_blob *blob)
{
    struct gathering g = {.world = world};
    struct tools tools;

    tools_init(&tools, blob);
    enum lith_code code = file_read(&tools, &g);
    tools_done(&tools);
    if (code != LITH_OK)
        sim_fail(world, "a file of Parquet cannot be read: %s", tools.err.text);
    return (struct sim_rows){g.rows, g.count};
}

struct sim_inputs sim_parquet_inputs(struct sim_world *world, const struct sim_blob *blob)
{
    struct sim_inputs inputs = {0};
    struct lith_listed_input *listed;
    struct lith_footer footer;
    struct tools tools;
    size_t count = 0;

    tools_init(&tools, blob);
    enum lith_code code = lith_footer_read(&tools.source.base, &tools.arena, &footer, &tools.err);
    if (code == LITH_OK)
        code = lith_input_list_read(&tools.source.base, &footer, tools.codecs, &tools.arena,
                                    &listed, &count, &tools.err);
    inputs.names = sim_take(world, (count + 1) * sizeof(char *));
    inputs.sizes = sim_take(world, (count + 1) * sizeof(uint64_t));
    for (size_t i = 0; code == LITH_OK && i < count; i++) {
        inputs.names[i] = sim_text(world, listed[i].name);
        inputs.sizes[i] = listed[i].size;
        inputs.count++;
    }
    tools_done(&tools);
    return inputs;
}
