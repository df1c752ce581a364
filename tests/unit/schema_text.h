/*
 * Schemas as text, for tests that join them: "?a:INT32 !s#7{*b:BYTES/STRING
 * ?d:FLBA4/DECIMAL(9,2)}".
 *
 * REQUIRED, OPTIONAL and REPEATED are ! ? *; #7 is a field id; children stand in braces. An
 * annotation in capitals is a logical type, one in small letters a converted type. What is read is
 * linked and normalised, so what is written has capitals wherever a logical type exists.
 */
#ifndef LITH_TESTS_SCHEMA_TEXT_H
#define LITH_TESTS_SCHEMA_TEXT_H

#include "arena_support.h"

#include "base/buf.h"
#include "parquet/schema.h"

struct annotation_word {
    const char *text;
    int converted;
    struct lith_logical logical; /* without raw */
    const char *parameters;      /* what the logical type's own struct holds in the file */
};

#define LITH_WORD(word, ...)                                                                       \
    {                                                                                              \
        word, LITH_CONVERTED_NONE, {__VA_ARGS__}, ""                                               \
    }
#define LITH_TIMES(word, ...)                                                                      \
    LITH_WORD(word "_MILLIS", __VA_ARGS__, .unit = LITH_UNIT_MILLIS),                              \
        LITH_WORD(word "_MICROS", __VA_ARGS__, .unit = LITH_UNIT_MICROS),                          \
        LITH_WORD(word "_NANOS", __VA_ARGS__, .unit = LITH_UNIT_NANOS)
#define LITH_INTEGERS(word, ...)                                                                   \
    LITH_WORD(word "_8", .kind = LITH_LOGICAL_INTEGER, .bit_width = 8, __VA_ARGS__),               \
        LITH_WORD(word "_16", .kind = LITH_LOGICAL_INTEGER, .bit_width = 16, __VA_ARGS__),         \
        LITH_WORD(word "_32", .kind = LITH_LOGICAL_INTEGER, .bit_width = 32, __VA_ARGS__),         \
        LITH_WORD(word "_64", .kind = LITH_LOGICAL_INTEGER, .bit_width = 64, __VA_ARGS__)

static const struct annotation_word annotation_words[] = {
    LITH_WORD("STRING", .kind = LITH_LOGICAL_STRING),
    LITH_WORD("MAP", .kind = LITH_LOGICAL_MAP),
    LITH_WORD("LIST", .kind = LITH_LOGICAL_LIST),
    LITH_WORD("ENUM", .kind = LITH_LOGICAL_ENUM),
    LITH_WORD("DATE", .kind = LITH_LOGICAL_DATE),
    LITH_WORD("UNKNOWN", .kind = LITH_LOGICAL_UNKNOWN),
    LITH_WORD("JSON", .kind = LITH_LOGICAL_JSON),
    LITH_WORD("BSON", .kind = LITH_LOGICAL_BSON),
    LITH_WORD("UUID", .kind = LITH_LOGICAL_UUID),
    LITH_WORD("FLOAT16", .kind = LITH_LOGICAL_FLOAT16),
    LITH_WORD("VARIANT", .kind = LITH_LOGICAL_VARIANT),
    LITH_WORD("GEOMETRY", .kind = LITH_LOGICAL_GEOMETRY),
    {"GEOMETRY_CRS", LITH_CONVERTED_NONE, {.kind = LITH_LOGICAL_GEOMETRY}, "\x18\x01x"},
    LITH_WORD("GEOGRAPHY", .kind = LITH_LOGICAL_GEOGRAPHY),
    {"GEOGRAPHY_EDGES", LITH_CONVERTED_NONE, {.kind = LITH_LOGICAL_GEOGRAPHY}, "\x25\x02"},
    LITH_TIMES("TIME_UTC", .kind = LITH_LOGICAL_TIME, .utc = true),
    LITH_TIMES("TIME", .kind = LITH_LOGICAL_TIME),
    LITH_TIMES("TIMESTAMP_UTC", .kind = LITH_LOGICAL_TIMESTAMP, .utc = true),
    LITH_TIMES("TIMESTAMP", .kind = LITH_LOGICAL_TIMESTAMP),
    LITH_INTEGERS("INT", .is_signed = true),
    LITH_INTEGERS("UINT", .is_signed = false),
    {"utf8", LITH_CONVERTED_UTF8, {.kind = 0}, ""},
    {"map", LITH_CONVERTED_MAP, {.kind = 0}, ""},
    {"map_key_value", LITH_CONVERTED_MAP_KEY_VALUE, {.kind = 0}, ""},
    {"list", LITH_CONVERTED_LIST, {.kind = 0}, ""},
    {"enum", LITH_CONVERTED_ENUM, {.kind = 0}, ""},
    {"date", LITH_CONVERTED_DATE, {.kind = 0}, ""},
    {"time_millis", LITH_CONVERTED_TIME_MILLIS, {.kind = 0}, ""},
    {"time_micros", LITH_CONVERTED_TIME_MICROS, {.kind = 0}, ""},
    {"timestamp_millis", LITH_CONVERTED_TIMESTAMP_MILLIS, {.kind = 0}, ""},
    {"timestamp_micros", LITH_CONVERTED_TIMESTAMP_MICROS, {.kind = 0}, ""},
    {"uint_8", LITH_CONVERTED_UINT_8, {.kind = 0}, ""},
    {"uint_16", LITH_CONVERTED_UINT_16, {.kind = 0}, ""},
    {"uint_32", LITH_CONVERTED_UINT_32, {.kind = 0}, ""},
    {"uint_64", LITH_CONVERTED_UINT_64, {.kind = 0}, ""},
    {"int_8", LITH_CONVERTED_INT_8, {.kind = 0}, ""},
    {"int_16", LITH_CONVERTED_INT_16, {.kind = 0}, ""},
    {"int_32", LITH_CONVERTED_INT_32, {.kind = 0}, ""},
    {"int_64", LITH_CONVERTED_INT_64, {.kind = 0}, ""},
    {"json", LITH_CONVERTED_JSON, {.kind = 0}, ""},
    {"bson", LITH_CONVERTED_BSON, {.kind = 0}, ""},
    {"interval", LITH_CONVERTED_INTERVAL, {.kind = 0}, ""},
};
#define LITH_WORD_COUNT (sizeof(annotation_words) / sizeof(annotation_words[0]))

/* By enum lith_type. */
static const char *const type_words[] = {"BOOLEAN", "INT32",  "INT64", "INT96",
                                         "FLOAT",   "DOUBLE", "BYTES", "FLBA"};

/* The union of LogicalType as files have it: a field, the parameters, two ends. */
static inline struct lith_slice logical_raw(const struct annotation_word *word)
{
    uint8_t bytes[16];
    size_t count = 0;
    void *copy;

    if (word->logical.kind < 16) {
        bytes[count++] = (uint8_t)(word->logical.kind << 4 | 0x0c);
    } else {
        bytes[count++] = 0x0c;
        bytes[count++] = (uint8_t)(word->logical.kind * 2);
    }
    for (const char *byte = word->parameters; *byte; byte++)
        bytes[count++] = (uint8_t)*byte;
    bytes[count++] = 0;
    bytes[count++] = 0;
    MUST(lith_arena_copy(&arena, bytes, count, &copy, &err));
    return (struct lith_slice){copy, count};
}

/* Reads what stands before a space, a brace or the end of the text. */
static inline void annotation_read(struct lith_schema_node *node, const char **at)
{
    size_t bytes = strcspn(*at, " {}");
    char text[32] = "";
    int precision, scale;

    assert_true(bytes < sizeof(text));
    memcpy(text, *at, bytes);
    *at += bytes;
    if (sscanf(text, "DECIMAL(%d,%d)", &precision, &scale) == 2) {
        node->logical = (struct lith_logical){
            .kind = LITH_LOGICAL_DECIMAL, .precision = precision, .scale = scale};
        return;
    }
    if (sscanf(text, "decimal(%d,%d)", &precision, &scale) == 2) {
        node->converted_type = LITH_CONVERTED_DECIMAL;
        node->has_precision = node->has_scale = true;
        node->precision = precision;
        node->scale = scale;
        return;
    }
    for (size_t i = 0; i < LITH_WORD_COUNT; i++) {
        if (strcmp(text, annotation_words[i].text) != 0)
            continue;
        node->converted_type = annotation_words[i].converted;
        node->logical = annotation_words[i].logical;
        if (node->logical.kind)
            node->logical.raw = logical_raw(&annotation_words[i]);
        return;
    }
    fail_msg("unknown annotation %s", text);
}

static inline void type_read(struct lith_schema_node *node, const char **at)
{
    size_t bytes = strcspn(*at, " /{}");

    node->is_group = false;
    for (size_t i = 0; i < LITH_TYPE_COUNT; i++) {
        size_t word_bytes = strlen(type_words[i]);
        bool has_length = i == LITH_TYPE_FIXED_LEN_BYTE_ARRAY;
        if (has_length ? bytes <= word_bytes : bytes != word_bytes)
            continue;
        if (memcmp(*at, type_words[i], word_bytes) != 0)
            continue;
        node->type = (enum lith_type)i;
        if (has_length)
            node->type_length = (int32_t)strtol(*at + word_bytes, NULL, 10);
        *at += bytes;
        return;
    }
    fail_msg("unknown type at %s", *at);
}

/* Reads a field, up to its children. */
static inline struct lith_schema_node field_read(const char **at)
{
    struct lith_schema_node node = {.is_group = true, .converted_type = LITH_CONVERTED_NONE};
    size_t name_bytes = strcspn(*at + 1, "#:/{");

    node.repetition = **at == '!' ? LITH_REQUIRED : **at == '?' ? LITH_OPTIONAL : LITH_REPEATED;
    node.name = (struct lith_slice){(const uint8_t *)*at + 1, name_bytes};
    *at += 1 + name_bytes;
    if (**at == '#') {
        char *end;
        node.has_field_id = true;
        node.field_id = (int32_t)strtol(*at + 1, &end, 10);
        *at = end;
    }
    if (**at == ':') {
        ++*at;
        type_read(&node, at);
    }
    if (**at == '/') {
        ++*at;
        annotation_read(&node, at);
    }
    return node;
}

/* The schema of a text, whose bytes its names borrow. */
/* Linked, not normalised. */
static inline struct lith_schema schema_read_raw(const char *text)
{
    uint32_t open[LITH_SCHEMA_DEPTH_MAX] = {0};
    uint32_t depth = 1;
    uint32_t count = 1;
    struct lith_schema schema = {.node_count = 1};
    void *block;

    for (const char *at = text; *at; at++)
        count += *at == '!' || *at == '?' || *at == '*';
    MUST(lith_arena_array(&arena, count, sizeof(*schema.nodes), &block, &err));
    schema.nodes = block;
    schema.nodes[0] = (struct lith_schema_node){
        .name = lith_slice_text("root"), .is_group = true, .converted_type = LITH_CONVERTED_NONE};
    for (const char *at = text; *at;) {
        if (*at == ' ') {
            at++;
        } else if (*at == '}') {
            depth--;
            at++;
        } else {
            assert_true(*at == '!' || *at == '?' || *at == '*');
            schema.nodes[open[depth - 1]].child_count++;
            schema.nodes[schema.node_count] = field_read(&at);
            if (*at == '{') {
                assert_true(depth < LITH_SCHEMA_DEPTH_MAX);
                open[depth++] = schema.node_count;
                at++;
            }
            schema.node_count++;
        }
    }
    assert_int_equal(depth, 1);
    assert_int_equal(schema.node_count, count);
    MUST(lith_schema_link(&schema, &arena, &err));
    return schema;
}

static inline struct lith_schema schema_read(const char *text)
{
    struct lith_schema schema = schema_read_raw(text);

    MUST(lith_schema_normalise(&schema, &arena, &err));
    return schema;
}

static inline bool is_annotation(const struct lith_schema_node *node,
                                 const struct annotation_word *word)
{
    const struct lith_logical *a = &node->logical;
    const struct lith_logical *b = &word->logical;

    if (a->kind == LITH_LOGICAL_NONE || b->kind == LITH_LOGICAL_NONE)
        return a->kind == b->kind && node->converted_type == word->converted;
    if (a->kind != b->kind || a->utc != b->utc || a->unit != b->unit ||
        a->bit_width != b->bit_width || a->is_signed != b->is_signed)
        return false;
    return !*word->parameters ||
           (a->raw.bytes > 2 && a->raw.data[2] == (uint8_t)word->parameters[0]);
}

static inline void text_put(struct lith_buf *to, const char *text)
{
    MUST(lith_buf_append(to, text, strlen(text), &err));
}

static inline void annotation_write(struct lith_buf *to, const struct lith_schema_node *node)
{
    const char *word = "?";
    char text[48];

    if (node->logical.kind == LITH_LOGICAL_NONE && node->converted_type == LITH_CONVERTED_NONE)
        return;
    for (size_t i = 0; i < LITH_WORD_COUNT; i++) {
        if (is_annotation(node, &annotation_words[i]))
            word = annotation_words[i].text;
    }
    (void)snprintf(text, sizeof(text), "/%s", word);
    if (node->logical.kind == LITH_LOGICAL_DECIMAL)
        (void)snprintf(text, sizeof(text), "/DECIMAL(%d,%d)", node->logical.precision,
                       node->logical.scale);
    text_put(to, text);
}

/* Writes a field, up to its children. */
static inline void field_text(struct lith_buf *to, const struct lith_schema_node *node)
{
    char text[48];

    MUST(lith_buf_append_byte(to, (uint8_t) "!?*"[node->repetition], &err));
    MUST(lith_buf_append(to, node->name.data, node->name.bytes, &err));
    if (node->has_field_id) {
        (void)snprintf(text, sizeof(text), "#%d", node->field_id);
        text_put(to, text);
    }
    if (!node->is_group) {
        (void)snprintf(text, sizeof(text), ":%s", type_words[node->type]);
        text_put(to, text);
    }
    if (!node->is_group && node->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY) {
        (void)snprintf(text, sizeof(text), "%d", node->type_length);
        text_put(to, text);
    }
    annotation_write(to, node);
}

/* The text of a linked schema, in the arena. */
static inline const char *schema_write(const struct lith_schema *schema)
{
    LITH_AUTO(buf) struct lith_buf text;
    void *copy;

    lith_buf_init(&text, &mem, 16 << 20);
    for (uint32_t i = 1; i < schema->node_count; i++) {
        const struct lith_schema_node *node = &schema->nodes[i];
        uint32_t next_depth = i + 1 < schema->node_count ? node[1].depth : 1;
        field_text(&text, node);
        if (node->is_group)
            text_put(&text, "{");
        for (uint32_t depth = node->depth + node->is_group; depth > next_depth; depth--)
            text_put(&text, "}");
        if (i + 1 < schema->node_count && next_depth <= node->depth)
            text_put(&text, " ");
    }
    MUST(lith_arena_copy(&arena, text.data, text.bytes, &copy, &err));
    return copy;
}

#endif
