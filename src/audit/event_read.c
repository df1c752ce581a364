/*
 * Events from Parquet: of each row group a column after the other, dealt to the events of its rows.
 *
 * Day partitions are merged, and a series may have been written by other versions: columns are
 * known by their names, and one that is not there leaves its fields null.
 */
#include <string.h>

#include "audit/event_file.h"
#include "audit/event_schema.h"
#include "base/bytes.h"
#include "parquet/chunk_reader.h"

/* One column of one row group while it is read. */
struct reading {
    const struct lith_event_column *column;
    const struct lith_schema_node *leaf;
    uint16_t list_def; /* lists: from this level on there is an element */
    struct lith_event *events;
    size_t event_count;
    size_t row; /* rows begun so far */
    struct lith_arena *arena;
    /* Lists: the elements of the row at hand. */
    const char **texts;
    size_t text_count;
    size_t text_room;
};

static void *field_at(struct lith_event *event, size_t offset)
{
    return (uint8_t *)event + offset;
}

/* The leaf of that column in a file, or LITH_NO_INDEX. *ret_list_def as in struct reading. */
static uint32_t leaf_find(const struct lith_schema *schema, const struct lith_event_column *column,
                          uint16_t *ret_list_def)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];

    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        uint32_t depth = lith_schema_ancestry(schema, schema->leaves[leaf], path);
        if (!lith_slice_equal(schema->nodes[path[0]].name, lith_slice_text(column->name)))
            continue;
        *ret_list_def = 0;
        for (uint32_t i = 0; i < depth; i++) {
            if (schema->nodes[path[i]].repetition == LITH_REPEATED)
                *ret_list_def = schema->nodes[path[i]].max_def;
        }
        return leaf;
    }
    return LITH_NO_INDEX;
}

static enum lith_code leaf_check(const struct lith_event_column *column,
                                 const struct lith_schema_node *leaf, struct lith_err *err)
{
    bool is_list = column->kind == LITH_EVENT_TEXTS;
    bool is_text = is_list || column->kind == LITH_EVENT_TEXT;
    bool is_number = leaf->type == LITH_TYPE_INT32 || leaf->type == LITH_TYPE_INT64;

    if (leaf->max_rep == is_list && (is_text ? leaf->type == LITH_TYPE_BYTE_ARRAY : is_number))
        return LITH_OK;
    return lith_fail(err, LITH_E_UNSUPPORTED, "column %s is not what an audit event has there",
                     column->name);
}

static enum lith_code text_copy(struct reading *r, struct lith_slice value, const char **ret_text,
                                struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(r->arena, value.data, value.bytes, &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

static enum lith_code list_grow(struct reading *r, struct lith_err *err)
{
    size_t room = r->text_room ? 2 * r->text_room : 8;
    void *block;

    if (r->text_count < r->text_room)
        return LITH_OK;
    LITH_TRY(lith_arena_array(r->arena, room, sizeof(char *), &block, err));
    if (r->text_count)
        memcpy(block, r->texts, r->text_count * sizeof(char *));
    r->texts = block;
    r->text_room = room;
    return LITH_OK;
}

/* A position of a list: its row's list is as long as what was read of it. */
static enum lith_code texts_take(struct reading *r, struct lith_event *event, bool begins,
                                 uint16_t def, struct lith_slice value, struct lith_err *err)
{
    if (begins) {
        r->texts = NULL;
        r->text_count = r->text_room = 0;
    }
    if (def + 1 < r->list_def)
        return LITH_OK; /* null */
    LITH_TRY(list_grow(r, err));
    *(const char *const **)field_at(event, r->column->field) = r->texts;
    if (def < r->list_def)
        return LITH_OK; /* empty */
    r->texts[r->text_count] = "";
    if (def == r->leaf->max_def)
        LITH_TRY(text_copy(r, value, &r->texts[r->text_count], err));
    *(size_t *)field_at(event, r->column->other) = ++r->text_count;
    return LITH_OK;
}

static enum lith_code value_take(struct reading *r, struct lith_event *event,
                                 struct lith_slice value, struct lith_err *err)
{
    if (r->column->kind == LITH_EVENT_TEXT)
        return text_copy(r, value, (const char **)field_at(event, r->column->field), err);
    uint64_t number = value.bytes == 4 ? lith_load_u32(value.data) : lith_load_u64(value.data);
    *(uint64_t *)field_at(event, r->column->field) = number;
    if (!r->column->required)
        *(bool *)field_at(event, r->column->other) = true;
    return LITH_OK;
}

static enum lith_code batch_take(struct reading *r, const struct lith_batch *batch,
                                 struct lith_err *err)
{
    size_t value_next = 0;

    for (size_t i = 0; i < batch->position_count; i++) {
        struct lith_slice value = {0};
        uint16_t def = batch->def_levels ? batch->def_levels[i] : r->leaf->max_def;
        bool begins = !batch->rep_levels || batch->rep_levels[i] == 0;
        r->row += begins;
        if (r->row == 0 || r->row > r->event_count)
            return lith_fail(err, LITH_E_CORRUPT, "column %s: rows beyond the row group's",
                             r->column->name);
        struct lith_event *event = &r->events[r->row - 1];
        if (def == r->leaf->max_def)
            value = lith_values_at(&batch->values, value_next++);
        if (r->column->kind == LITH_EVENT_TEXTS)
            LITH_TRY(texts_take(r, event, begins, def, value, err));
        else if (def == r->leaf->max_def)
            LITH_TRY(value_take(r, event, value, err));
    }
    return LITH_OK;
}

/* What a file is read with. */
struct event_file {
    struct lith_source *source;
    const struct lith_footer *footer;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_arena *arena;
    bool ids_only;
};

static enum lith_code column_read(const struct event_file *file, uint32_t group,
                                  const struct lith_event_column *column, struct lith_event *events,
                                  struct lith_err *err)
{
    struct reading r = {.column = column,
                        .events = events,
                        .event_count = (size_t)file->footer->row_groups[group].num_rows,
                        .arena = file->arena};
    struct lith_chunk_reader *reader;
    struct lith_batch batch;

    uint32_t leaf = leaf_find(&file->footer->schema, column, &r.list_def);
    if (leaf == LITH_NO_INDEX)
        return LITH_OK;
    r.leaf = lith_schema_leaf(&file->footer->schema, leaf);
    LITH_TRY(leaf_check(column, r.leaf, err));
    LITH_TRY(lith_chunk_reader_open(file->source, file->footer, group, leaf, file->codecs,
                                    file->work, &reader, err));
    enum lith_code code;
    do {
        code = lith_chunk_reader_next(reader, &batch, err);
        if (code == LITH_OK)
            code = batch_take(&r, &batch, err);
    } while (code == LITH_OK && batch.position_count);
    lith_chunk_reader_close(reader);
    return code;
}

static enum lith_code groups_read(const struct event_file *file, struct lith_event *events,
                                  struct lith_err *err)
{
    for (uint32_t group = 0; group < file->footer->row_group_count; group++) {
        for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
            bool wanted = !file->ids_only || strcmp(lith_event_columns[i].name, "commit_id") == 0;
            if (wanted)
                LITH_TRY(column_read(file, group, &lith_event_columns[i], events, err));
        }
        events += file->footer->row_groups[group].num_rows;
    }
    return LITH_OK;
}

static enum lith_code columns_check(const struct lith_schema *schema, struct lith_err *err)
{
    uint16_t ignored;

    for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
        const struct lith_event_column *column = &lith_event_columns[i];
        if (column->required && leaf_find(schema, column, &ignored) == LITH_NO_INDEX)
            return lith_fail(err, LITH_E_UNSUPPORTED,
                             "it is no file of audit events: it has no column %s; move it out of "
                             "the series",
                             column->name);
    }
    return LITH_OK;
}

/* Where required columns hold nulls, their texts are empty. */
static void required_fill(struct lith_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        events[i].tenant = events[i].tenant ? events[i].tenant : "";
        events[i].type = events[i].type ? events[i].type : "";
    }
}

static enum lith_code file_read(struct lith_source *source, const struct lith_work *work,
                                bool ids_only, struct lith_arena *arena,
                                struct lith_event **ret_events, size_t *ret_count,
                                struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_codec_context *codecs;
    struct lith_footer footer;
    void *block;

    lith_arena_init(&scratch, work->mem);
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    if (!ids_only)
        LITH_TRY(columns_check(&footer.schema, err)); /* of others there may be any number */
    size_t count = (size_t)footer.num_rows;
    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_event), &block, err));
    LITH_TRY(lith_codec_context_new(work->mem, &codecs, err));
    struct event_file file = {.source = source,
                              .footer = &footer,
                              .codecs = codecs,
                              .work = work,
                              .arena = arena,
                              .ids_only = ids_only};
    enum lith_code code = groups_read(&file, block, err);
    lith_codec_context_free(codecs);
    LITH_TRY(code);
    required_fill(block, count);
    *ret_events = block;
    *ret_count = count;
    return LITH_OK;
}

enum lith_code lith_events_read(struct lith_source *source, const struct lith_work *work,
                                struct lith_arena *arena, struct lith_event **ret_events,
                                size_t *ret_count, struct lith_err *err)
{
    return file_read(source, work, false, arena, ret_events, ret_count, err);
}

enum lith_code lith_events_read_ids(struct lith_source *source, const struct lith_work *work,
                                    struct lith_arena *arena, struct lith_event **ret_events,
                                    size_t *ret_count, struct lith_err *err)
{
    return file_read(source, work, true, arena, ret_events, ret_count, err);
}
