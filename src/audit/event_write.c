/*
 * Events to Parquet: a column after the other, its positions gathered from all events.
 */
#include <string.h>

#include "audit/event_file.h"
#include "audit/event_schema.h"
#include "parquet/file_writer.h"

/* A column's positions while they are gathered. */
struct gathered {
    const struct lith_event_column *column;
    const struct lith_schema_node *leaf;
    uint16_t *defs;
    uint16_t *reps;
    struct lith_slice *slices;
    uint8_t *fixed;
    size_t position_count;
    size_t value_count;
};

static const void *field_at(const struct lith_event *event, size_t offset)
{
    return (const uint8_t *)event + offset;
}

static const char *text_of(const struct lith_event *event, const struct lith_event_column *column)
{
    return *(const char *const *)field_at(event, column->field);
}

static const char *const *texts_of(const struct lith_event *event,
                                   const struct lith_event_column *column, size_t *ret_count)
{
    *ret_count = *(const size_t *)field_at(event, column->other);
    return *(const char *const *const *)field_at(event, column->field);
}

static uint64_t number_of(const struct lith_event *event, const struct lith_event_column *column)
{
    return *(const uint64_t *)field_at(event, column->field);
}

static bool has_number(const struct lith_event *event, const struct lith_event_column *column)
{
    return column->required || *(const bool *)field_at(event, column->other);
}

static void position_add(struct gathered *g, uint16_t rep, uint16_t def)
{
    g->reps[g->position_count] = rep;
    g->defs[g->position_count++] = def;
}

static void text_add(struct gathered *g, uint16_t rep, const char *text)
{
    position_add(g, rep, g->leaf->max_def);
    g->slices[g->value_count++] = lith_slice_text(text);
}

static void texts_add(struct gathered *g, const struct lith_event *event)
{
    size_t count;
    const char *const *texts = texts_of(event, g->column, &count);

    if (!texts || count == 0)
        position_add(g, 0, texts ? 1 : 0);
    for (size_t i = 0; texts && i < count; i++)
        text_add(g, i > 0, texts[i]);
}

static void number_add(struct gathered *g, uint64_t number)
{
    position_add(g, 0, g->leaf->max_def);
    if (g->column->kind == LITH_EVENT_BYTE)
        lith_store_u32(g->fixed + 4 * g->value_count, (uint32_t)number);
    else
        lith_store_u64(g->fixed + 8 * g->value_count, number);
    g->value_count++;
}

static void event_add(struct gathered *g, const struct lith_event *event)
{
    switch (g->column->kind) {
    case LITH_EVENT_TEXTS:
        texts_add(g, event);
        return;
    case LITH_EVENT_TEXT:
        if (text_of(event, g->column))
            text_add(g, 0, text_of(event, g->column));
        else
            position_add(g, 0, 0);
        return;
    case LITH_EVENT_NUMBER:
    case LITH_EVENT_BYTE:
    case LITH_EVENT_TIME:
        if (has_number(event, g->column))
            number_add(g, number_of(event, g->column));
        else
            position_add(g, 0, 0);
        return;
    }
}

static enum lith_code room_take(struct gathered *g, const struct lith_event *events, size_t count,
                                struct lith_arena *arena, struct lith_err *err)
{
    size_t room = count;
    size_t more;
    void *block;

    for (size_t i = 0; g->column->kind == LITH_EVENT_TEXTS && i < count; i++) {
        (void)texts_of(&events[i], g->column, &more);
        room += more;
    }
    LITH_TRY(lith_arena_array(arena, room, sizeof(uint16_t), &block, err));
    g->defs = block;
    LITH_TRY(lith_arena_array(arena, room, sizeof(uint16_t), &block, err));
    g->reps = block;
    LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_slice), &block, err));
    g->slices = block;
    g->fixed = block; /* of a column only one of them is used */
    return LITH_OK;
}

/* The positions from `at` on, as many as a batch takes. */
static struct lith_batch batch_of(const struct gathered *g, size_t at, size_t value_at)
{
    size_t left = g->position_count - at;
    struct lith_batch batch = {.position_count =
                                   left < LITH_BATCH_POSITIONS ? left : LITH_BATCH_POSITIONS};

    batch.def_levels = g->leaf->max_def ? g->defs + at : NULL;
    batch.rep_levels = g->leaf->max_rep ? g->reps + at : NULL;
    batch.values.type = g->leaf->type;
    batch.values.width = lith_type_width(g->leaf->type, 0);
    for (size_t i = at; i < at + batch.position_count; i++)
        batch.values.count += g->defs[i] == g->leaf->max_def;
    if (batch.values.width)
        batch.values.fixed = g->fixed + batch.values.width * value_at;
    else
        batch.values.slices = g->slices + value_at;
    return batch;
}

static enum lith_code column_write(struct lith_file_writer *writer, const struct gathered *g,
                                   struct lith_err *err)
{
    static const struct lith_chunk_plan plan = {.codec = LITH_CODEC_UNCOMPRESSED};
    size_t value_at = 0;

    LITH_TRY(lith_file_writer_chunk(writer, &plan, err));
    for (size_t at = 0; at < g->position_count;) {
        struct lith_batch batch = batch_of(g, at, value_at);
        LITH_TRY(lith_file_writer_add(writer, &batch, err));
        at += batch.position_count;
        value_at += batch.values.count;
    }
    return lith_file_writer_chunk_end(writer, err);
}

static enum lith_code events_put(struct lith_file_writer *writer, const struct lith_schema *schema,
                                 const struct lith_event *events, size_t count,
                                 struct lith_mem *mem, struct lith_err *err)
{
    LITH_TRY(lith_file_writer_row_group(writer, (int64_t)count, err));
    for (uint32_t leaf = 0; leaf < LITH_EVENT_COLUMNS; leaf++) {
        LITH_AUTO(arena) struct lith_arena arena;
        struct gathered g = {.column = &lith_event_columns[leaf],
                             .leaf = lith_schema_leaf(schema, leaf)};
        lith_arena_init(&arena, mem);
        LITH_TRY(room_take(&g, events, count, &arena, err));
        for (size_t i = 0; i < count; i++)
            event_add(&g, &events[i]);
        LITH_TRY(column_write(writer, &g, err));
    }
    LITH_TRY(lith_file_writer_row_group_end(writer, err));
    return lith_file_writer_finish(writer, NULL, 0, err);
}

enum lith_code lith_events_write(const struct lith_event *events, size_t count,
                                 struct lith_sink *sink, const struct lith_work *work,
                                 struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_codec_context *codecs = NULL;
    struct lith_file_writer *writer = NULL;
    struct lith_schema schema;

    LITH_ASSERT(count > 0);
    lith_arena_init(&arena, work->mem);
    LITH_TRY(lith_event_schema(&arena, &schema, err));
    LITH_TRY(lith_codec_context_new(work->mem, &codecs, err));
    enum lith_code code = lith_file_writer_new(sink, &schema, codecs, work, &writer, err);
    if (code == LITH_OK)
        code = events_put(writer, &schema, events, count, work->mem, err);
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
    return code;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_texts(const struct lith_event *a, const struct lith_event *b,
                          const struct lith_event_column *column)
{
    size_t a_count, b_count;
    const char *const *a_texts = texts_of(a, column, &a_count);
    const char *const *b_texts = texts_of(b, column, &b_count);

    if (!a_texts || !b_texts)
        return a_texts == b_texts;
    for (size_t i = 0; a_count == b_count && i < a_count; i++) {
        if (!is_same_text(a_texts[i], b_texts[i]))
            return false;
    }
    return a_count == b_count;
}

static bool is_same_number(const struct lith_event *a, const struct lith_event *b,
                           const struct lith_event_column *column)
{
    bool has = has_number(a, column);

    return has == has_number(b, column) && (!has || number_of(a, column) == number_of(b, column));
}

bool lith_event_equal(const struct lith_event *a, const struct lith_event *b)
{
    for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
        const struct lith_event_column *column = &lith_event_columns[i];
        bool same = column->kind == LITH_EVENT_TEXT
                        ? is_same_text(text_of(a, column), text_of(b, column))
                    : column->kind == LITH_EVENT_TEXTS ? is_same_texts(a, b, column)
                                                       : is_same_number(a, b, column);
        if (!same)
            return false;
    }
    return true;
}
