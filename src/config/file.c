/*
 * Configuration files: YAML through libcyaml.
 *
 * The schema is made at run time from the table of options: one mapping, each key an optional
 * text. Units and ranges are checked here, by the same function as flags and variables, so that a
 * message always says file, line, key and what is accepted. The outline gives the lines.
 */
#include <fcntl.h>
#include <string.h>

#include <cyaml/cyaml.h>

#include "base/file.h"
#include "base/limits.h"
#include "config/outline.h"
#include "config/values.h"

/* What a file says; of an option either its text or its list. */
struct file_values {
    char *texts[LITH_OPTION_COUNT];
    char **lists[LITH_OPTION_COUNT];
    unsigned list_counts[LITH_OPTION_COUNT];
};

struct schema {
    cyaml_schema_field_t fields[LITH_OPTION_COUNT + 1]; /* the last ends the list */
    cyaml_schema_value_t item;
    cyaml_schema_value_t top;
};

static const cyaml_schema_value_t text_value = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED)};

static void schema_make(struct schema *schema, const bool is_list[LITH_OPTION_COUNT])
{
    *schema = (struct schema){.item = text_value};
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        cyaml_schema_field_t *field = &schema->fields[id];
        field->key = lith_options_table[id].key;
        field->data_offset =
            (uint32_t)(offsetof(struct file_values, texts) + (size_t)id * sizeof(char *));
        field->value = text_value;
        if (is_list[id]) {
            field->data_offset =
                (uint32_t)(offsetof(struct file_values, lists) + (size_t)id * sizeof(char **));
            field->count_offset = (uint32_t)(offsetof(struct file_values, list_counts) +
                                             (size_t)id * sizeof(unsigned));
            field->count_size = sizeof(unsigned);
            field->value = (cyaml_schema_value_t){CYAML_VALUE_SEQUENCE(
                CYAML_FLAG_POINTER, char *, &schema->item, 0, LITH_CONFIG_LIST_MAX)};
        }
        field->value.flags |= CYAML_FLAG_OPTIONAL;
    }
    schema->top = (cyaml_schema_value_t){
        CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_values, schema->fields)};
}

/* cyaml's memory is charged to the budget like all else. */
static void *memory(void *ctx, void *block, size_t bytes)
{
    struct lith_err ignored;

    if (bytes == 0) {
        lith_free(block);
        return NULL;
    }
    return lith_realloc(ctx, &block, bytes, &ignored) == LITH_OK ? block : NULL;
}

/* Unknown keys, keys given twice, and lists where none is taken: what cyaml would refuse without
 * saying where. */
static enum lith_code outline_check(const struct lith_outline *outline, struct lith_err *err)
{
    for (size_t i = 0; i < outline->count; i++) {
        const struct lith_outline_key *key = &outline->keys[i];
        enum lith_option_id id = lith_option_find(key->name, strlen(key->name));
        if (strchr(key->name, '-') || id == LITH_OPTION_COUNT) {
            const char *nearest = lith_option_nearest(key->name);
            return lith_fail(err, LITH_E_INVALID, "line %zu: there is no key %.100s%s%s%s",
                             key->line, key->name, nearest ? "; did you mean " : "",
                             nearest ? nearest : "", nearest ? "?" : "");
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(outline->keys[j].name, key->name) == 0)
                return lith_fail(err, LITH_E_INVALID, "line %zu: %s stands on line %zu already",
                                 key->line, key->name, outline->keys[j].line);
        }
        if (key->is_list && lith_options_table[id].kind != LITH_KIND_LIST)
            return lith_fail(err, LITH_E_INVALID, "line %zu: %s: expected one value, not a list",
                             key->line, key->name);
    }
    return LITH_OK;
}

/* The list as the comma text that flags have. */
static enum lith_code list_join(struct lith_config *config, char *const *list, unsigned count,
                                char **ret_text, struct lith_err *err)
{
    char *text = NULL;

    for (unsigned i = 0; i < count; i++) {
        if (strchr(list[i], ','))
            return lith_fail(err, LITH_E_INVALID, "\"%.100s\": a name with a comma", list[i]);
        LITH_TRY(lith_arena_format(&config->arena, &text, err, "%s%s%s", text ? text : "",
                                   text ? "," : "", list[i]));
    }
    *ret_text = text;
    return LITH_OK;
}

static enum lith_code values_take(struct lith_config *config, const struct lith_outline *outline,
                                  const struct file_values *values, struct lith_err *err)
{
    for (size_t i = 0; i < outline->count; i++) {
        const struct lith_outline_key *key = &outline->keys[i];
        enum lith_option_id id = lith_option_find(key->name, strlen(key->name));
        enum lith_code code = LITH_OK;
        char *text = values->texts[id];
        if (key->is_list)
            code = list_join(config, values->lists[id], values->list_counts[id], &text, err);
        if (code == LITH_OK)
            code = lith_config_take(config, id, LITH_RANK_FILE, text ? text : "", err);
        if (code == LITH_E_INVALID)
            return lith_err_prefix(err, "line %zu: %s", key->line, key->name);
        LITH_TRY(code);
    }
    return LITH_OK;
}

static enum lith_code load(struct lith_config *config, const struct lith_outline *outline,
                           const uint8_t *text, size_t bytes, struct lith_err *err)
{
    cyaml_config_t cyaml = {
        .mem_fn = memory, .mem_ctx = config->arena.mem, .flags = CYAML_CFG_NO_ALIAS};
    struct schema schema;
    cyaml_data_t *data = NULL;
    bool is_list[LITH_OPTION_COUNT] = {0};

    for (size_t i = 0; i < outline->count; i++) {
        const char *name = outline->keys[i].name;
        is_list[lith_option_find(name, strlen(name))] = outline->keys[i].is_list;
    }
    schema_make(&schema, is_list);
    cyaml_err_t status = cyaml_load_data(text, bytes, &cyaml, &schema.top, &data, NULL);
    enum lith_code code;
    if (status == CYAML_ERR_OOM)
        code = lith_fail(err, LITH_E_NOMEM, "out of memory for %zu bytes of YAML", bytes);
    else if (status != CYAML_OK)
        code = lith_fail(err, LITH_E_INVALID, "%s", cyaml_strerror(status));
    else
        code = values_take(config, outline, data, err);
    (void)cyaml_free(&cyaml, &schema.top, data, 0);
    return code;
}

enum lith_code lith_config_yaml(struct lith_config *config, const uint8_t *text, size_t bytes,
                                struct lith_err *err)
{
    struct lith_outline outline;

    LITH_TRY(lith_outline_read(text, bytes, &config->arena, &outline, err));
    LITH_TRY(outline_check(&outline, err));
    return outline.count ? load(config, &outline, text, bytes, err) : LITH_OK;
}

enum lith_code lith_config_file(struct lith_config *config, const char *path, struct lith_err *err)
{
    uint8_t *text;
    size_t bytes;

    LITH_TRY(lith_file_read_all(AT_FDCWD, path, LITH_CONFIG_BYTES_MAX, config->arena.mem, &text,
                                &bytes, err));
    enum lith_code code = lith_config_yaml(config, text, bytes, err);
    lith_free(text);
    return code == LITH_OK ? LITH_OK : lith_err_prefix(err, "%s", path);
}
