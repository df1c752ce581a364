/*
 * Everything a file says of itself, as JSON.
 */
#include <fcntl.h>

#include "api/inspect.h"
#include "base/file.h"

static enum lith_code meaning_find(struct lith_inspect *in, struct lith_err *err)
{
    LITH_TRY(lith_schema_copy(&in->footer.schema, in->arena, &in->meaning, err));
    return lith_schema_normalise(&in->meaning, in->arena, err);
}

static struct lith_json *orders_make(const struct lith_footer *footer)
{
    static const char *const names[] = {"UNDEFINED", "TYPE_ORDER", "IEEE_754_TOTAL_ORDER",
                                        "INT96_TIMESTAMP_ORDER"};
    if (!footer->column_orders)
        return lith_json_null();
    struct lith_json *array = lith_json_array();
    bool ok = array != NULL;
    for (uint32_t i = 0; ok && i < footer->schema.leaf_count; i++) {
        uint8_t order = footer->column_orders[i];
        ok = lith_json_push(array, lith_inspect_name(order < 4 ? names[order] : NULL, order));
    }
    if (ok)
        return array;
    lith_json_free(array);
    return NULL;
}

static bool head_fill(struct lith_json *object, const struct lith_inspect *in, const char *path)
{
    const struct lith_footer *footer = &in->footer;
    bool ok = lith_json_set(object, "format", lith_json_int(1)) &&
              lith_inspect_set_bytes(object, "path", lith_slice_text(path),
                                     LITH_INSPECT_VALUE_BYTES_MAX) &&
              lith_json_set(object, "bytes", lith_json_int((int64_t)in->source->size)) &&
              lith_json_set(object, "version", lith_json_int(footer->version));

    if (footer->created_by.data)
        ok = ok && lith_inspect_set_bytes(object, "created_by", footer->created_by,
                                          LITH_INSPECT_VALUE_BYTES_MAX);
    else
        ok = ok && lith_json_set(object, "created_by", lith_json_null());
    return ok && lith_json_set(object, "rows", lith_json_int(footer->num_rows)) &&
           lith_json_set(object, "footer_offset", lith_json_int((int64_t)footer->footer_offset)) &&
           lith_json_set(object, "footer_bytes", lith_json_int(footer->footer_bytes)) &&
           lith_json_set(object, "row_group_count", lith_json_int(footer->row_group_count)) &&
           lith_json_set(object, "column_count", lith_json_int(footer->schema.leaf_count)) &&
           lith_json_set(object, "key_values",
                         lith_inspect_key_values(footer->key_values, footer->key_value_count)) &&
           lith_json_set(object, "column_orders", orders_make(footer));
}

static struct lith_json *sorting_make(const struct lith_inspect *in,
                                      const struct lith_row_group *group)
{
    struct lith_json *array = lith_json_array();
    bool ok = array != NULL;

    for (uint32_t i = 0; ok && i < group->sorting_column_count; i++) {
        const struct lith_sorting_column *column = &group->sorting_columns[i];
        struct lith_json *object = lith_json_object();
        char path[512] = "";
        if (column->column_index >= 0 &&
            (uint32_t)column->column_index < in->footer.schema.leaf_count)
            lith_inspect_path(in, (uint32_t)column->column_index, path);
        ok = object && lith_json_set(object, "column", lith_json_int(column->column_index)) &&
             lith_json_set(object, "path", lith_json_text(path)) &&
             lith_json_set(object, "descending", lith_json_bool(column->descending)) &&
             lith_json_set(object, "nulls_first", lith_json_bool(column->nulls_first));
        ok &= lith_json_push(array, object);
    }
    if (ok)
        return array;
    lith_json_free(array);
    return NULL;
}

static enum lith_code row_group_write(struct lith_inspect *in, uint32_t index, struct lith_err *err)
{
    const struct lith_row_group *group = &in->footer.row_groups[index];
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set(object, "index", lith_json_int(index)) &&
              lith_json_set(object, "rows", lith_json_int(group->num_rows)) &&
              lith_json_set(object, "uncompressed_bytes", lith_json_int(group->total_byte_size)) &&
              lith_json_set(object, "sorting_columns", sorting_make(in, group));

    LITH_TRY(lith_inspect_value(in, object, ok, true, err));
    LITH_TRY(lith_inspect_raw(in, ",\"columns\":[", err));
    for (uint32_t leaf = 0; leaf < in->footer.schema.leaf_count; leaf++) {
        if (leaf)
            LITH_TRY(lith_inspect_raw(in, ",", err));
        LITH_TRY(lith_inspect_chunk(in, index, leaf, err));
    }
    return lith_inspect_raw(in, "]}", err);
}

static enum lith_code file_write(struct lith_inspect *in, const char *path, struct lith_err *err)
{
    struct lith_json *schema;

    LITH_TRY(lith_footer_read(in->source, in->arena, &in->footer, err));
    LITH_TRY(meaning_find(in, err));
    LITH_TRY(lith_inspect_schema(in, &schema, err));
    struct lith_json *object = lith_json_object();
    bool ok = object && head_fill(object, in, path);
    ok &= lith_json_set(object, "schema", schema);
    LITH_TRY(lith_inspect_value(in, object, ok, true, err));
    LITH_TRY(lith_inspect_raw(in, ",\"row_groups\":[", err));
    for (uint32_t i = 0; i < in->footer.row_group_count; i++) {
        if (i)
            LITH_TRY(lith_inspect_raw(in, ",", err));
        LITH_TRY(row_group_write(in, i, err));
    }
    LITH_TRY(lith_inspect_raw(in, "]}", err));
    return lith_buf_append_byte(in->text, 0, err);
}

static enum lith_code file_inspect(const char *path, bool pages, struct lith_budget *budget,
                                   struct lith_buf *text, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_inspect in = {.arena = &arena, .work = &budget->work, .text = text, .pages = pages};

    lith_arena_init(&arena, &budget->mem);
    lith_arena_init(&in.scratch, &budget->mem);
    LITH_TRY(lith_file_source_open(AT_FDCWD, path, &budget->mem, &source, err));
    in.source = source;
    enum lith_code code = file_write(&in, path, err);
    lith_arena_done(&in.scratch);
    if (code == LITH_OK || code == LITH_E_CANCELLED)
        return code;
    return lith_err_prefix(err, "%s", path);
}

enum lith_code lith_inspect_file(const char *path, bool pages, const struct lith_control *control,
                                 char **ret_json, struct lith_err *err)
{
    struct lith_budget budget;
    struct lith_buf text;

    LITH_TRY(lith_budget_init(&budget, control, err));
    /* The text outlives the budget; it may grow as large as that. */
    size_t limit = budget.mem.limit;
    lith_buf_init(&text, lith_mem_root(),
                  limit < LITH_INSPECT_BYTES_MAX ? limit : (size_t)LITH_INSPECT_BYTES_MAX);
    enum lith_code code = file_inspect(path, pages, &budget, &text, err);
    if (code != LITH_OK) {
        lith_buf_done(&text);
        return code;
    }
    *ret_json = (char *)text.data;
    return LITH_OK;
}

void lith_text_free(char *text)
{
    lith_free(text);
}
