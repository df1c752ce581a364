/*
 * Two schemas: the same meaning in one form, and whether they are equal.
 *
 * Converted types and logical types say the same thing twice (LogicalTypes.md). After
 * normalising, a node has both wherever both exist; where they contradict each other, readers go
 * by the logical type, and so does the comparison. parquet-splice.md section 6.2.
 */
#include "parquet/schema.h"

#include <stdio.h>

#include "parquet/thrift.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The longest encoded union here: TIMESTAMP or DECIMAL with two 5-byte numbers. */
#define LOGICAL_BYTES_MAX 64u

/* What each converted type is as a logical one. `unit`, `bits` only where they apply. */
struct equivalent {
    int kind;
    int unit;
    int bits;
    bool is_signed;
};

static const struct equivalent equivalents[] = {
    [LITH_CONVERTED_UTF8] = {.kind = LITH_LOGICAL_STRING},
    [LITH_CONVERTED_MAP] = {.kind = LITH_LOGICAL_MAP},
    [LITH_CONVERTED_MAP_KEY_VALUE] = {.kind = LITH_LOGICAL_MAP},
    [LITH_CONVERTED_LIST] = {.kind = LITH_LOGICAL_LIST},
    [LITH_CONVERTED_ENUM] = {.kind = LITH_LOGICAL_ENUM},
    [LITH_CONVERTED_DECIMAL] = {.kind = LITH_LOGICAL_DECIMAL},
    [LITH_CONVERTED_DATE] = {.kind = LITH_LOGICAL_DATE},
    [LITH_CONVERTED_TIME_MILLIS] = {.kind = LITH_LOGICAL_TIME, .unit = LITH_UNIT_MILLIS},
    [LITH_CONVERTED_TIME_MICROS] = {.kind = LITH_LOGICAL_TIME, .unit = LITH_UNIT_MICROS},
    [LITH_CONVERTED_TIMESTAMP_MILLIS] = {.kind = LITH_LOGICAL_TIMESTAMP, .unit = LITH_UNIT_MILLIS},
    [LITH_CONVERTED_TIMESTAMP_MICROS] = {.kind = LITH_LOGICAL_TIMESTAMP, .unit = LITH_UNIT_MICROS},
    [LITH_CONVERTED_UINT_8] = {.kind = LITH_LOGICAL_INTEGER, .bits = 8},
    [LITH_CONVERTED_UINT_16] = {.kind = LITH_LOGICAL_INTEGER, .bits = 16},
    [LITH_CONVERTED_UINT_32] = {.kind = LITH_LOGICAL_INTEGER, .bits = 32},
    [LITH_CONVERTED_UINT_64] = {.kind = LITH_LOGICAL_INTEGER, .bits = 64},
    [LITH_CONVERTED_INT_8] = {.kind = LITH_LOGICAL_INTEGER, .bits = 8, .is_signed = true},
    [LITH_CONVERTED_INT_16] = {.kind = LITH_LOGICAL_INTEGER, .bits = 16, .is_signed = true},
    [LITH_CONVERTED_INT_32] = {.kind = LITH_LOGICAL_INTEGER, .bits = 32, .is_signed = true},
    [LITH_CONVERTED_INT_64] = {.kind = LITH_LOGICAL_INTEGER, .bits = 64, .is_signed = true},
    [LITH_CONVERTED_JSON] = {.kind = LITH_LOGICAL_JSON},
    [LITH_CONVERTED_BSON] = {.kind = LITH_LOGICAL_BSON},
};

static bool is_time(int kind)
{
    return kind == LITH_LOGICAL_TIME || kind == LITH_LOGICAL_TIMESTAMP;
}

/* The parameters of the kinds that have some. */
static void logical_write(struct lith_thrift_writer *w, const struct lith_logical *logical)
{
    lith_thrift_write_struct(w, (int16_t)logical->kind);
    if (logical->kind == LITH_LOGICAL_DECIMAL) {
        lith_thrift_write_i32(w, 1, logical->scale);
        lith_thrift_write_i32(w, 2, logical->precision);
    } else if (logical->kind == LITH_LOGICAL_INTEGER) {
        lith_thrift_write_i8(w, 1, (int8_t)logical->bit_width);
        lith_thrift_write_bool(w, 2, logical->is_signed);
    } else if (is_time(logical->kind)) {
        lith_thrift_write_bool(w, 1, logical->utc);
        lith_thrift_write_struct(w, 2);
        lith_thrift_write_struct(w, (int16_t)logical->unit);
        lith_thrift_write_stop(w);
        lith_thrift_write_stop(w);
    }
    lith_thrift_write_stop(w);
    lith_thrift_write_stop(w);
}

static enum lith_code logical_encode(struct lith_logical *logical, struct lith_arena *arena,
                                     struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf buf;
    struct lith_thrift_writer w;
    void *copy;

    lith_buf_init(&buf, arena->mem, LOGICAL_BYTES_MAX);
    lith_thrift_writer_init(&w, &buf, err);
    logical_write(&w, logical);
    LITH_TRY(w.code);
    LITH_TRY(lith_arena_copy(arena, buf.data, buf.bytes, &copy, err));
    logical->raw = (struct lith_slice){copy, buf.bytes};
    return LITH_OK;
}

/* Fills the logical type from the converted one. A DECIMAL without precision has none. */
static enum lith_code logical_fill(struct lith_schema_node *node, struct lith_arena *arena,
                                   struct lith_err *err)
{
    if (node->converted_type < 0 || (size_t)node->converted_type >= COUNT(equivalents))
        return LITH_OK;
    const struct equivalent *same = &equivalents[node->converted_type];
    if (same->kind == LITH_LOGICAL_DECIMAL && !node->has_precision)
        return LITH_OK;
    struct lith_logical logical = {
        .kind = same->kind,
        .utc = is_time(same->kind),
        .unit = same->unit,
        .bit_width = same->bits,
        .is_signed = same->is_signed,
        .scale = same->kind == LITH_LOGICAL_DECIMAL ? node->scale : 0,
        .precision = same->kind == LITH_LOGICAL_DECIMAL ? node->precision : 0,
    };
    LITH_TRY(logical_encode(&logical, arena, err));
    node->logical = logical;
    return LITH_OK;
}

/* True when the converted type means exactly what the logical one says. */
static bool is_equivalent(const struct equivalent *same, const struct lith_logical *logical)
{
    if (same->kind != logical->kind)
        return false;
    if (is_time(logical->kind))
        return logical->utc && same->unit == logical->unit;
    if (logical->kind == LITH_LOGICAL_INTEGER)
        return same->bits == logical->bit_width && same->is_signed == logical->is_signed;
    return true;
}

static void converted_fill(struct lith_schema_node *node)
{
    for (size_t i = 0; i < COUNT(equivalents); i++) {
        if (is_equivalent(&equivalents[i], &node->logical)) {
            node->converted_type = (int)i;
            return;
        }
    }
}

static bool is_map(const struct lith_schema_node *node)
{
    return node->logical.kind == LITH_LOGICAL_MAP || node->converted_type == LITH_CONVERTED_MAP;
}

/* MAP_KEY_VALUE means MAP on the outer group, and nothing on the group inside a MAP. Parents
 * come before their children, so the parent is normalised already. */
static void map_normalise(const struct lith_schema *schema, struct lith_schema_node *node)
{
    if (node->converted_type != LITH_CONVERTED_MAP_KEY_VALUE)
        return;
    bool inside = node->parent != LITH_NO_INDEX && is_map(&schema->nodes[node->parent]);
    node->converted_type = inside ? LITH_CONVERTED_NONE : LITH_CONVERTED_MAP;
}

static void decimal_normalise(struct lith_schema_node *node)
{
    if (node->logical.kind == LITH_LOGICAL_DECIMAL) {
        node->scale = node->logical.scale;
        node->precision = node->logical.precision;
        node->has_precision = true;
        node->has_scale = true;
    }
    if (node->converted_type == LITH_CONVERTED_DECIMAL)
        node->has_scale = true; /* a missing scale is 0 */
}

enum lith_code lith_schema_normalise(struct lith_schema *schema, struct lith_arena *arena,
                                     struct lith_err *err)
{
    for (uint32_t i = 1; i < schema->node_count; i++) {
        struct lith_schema_node *node = &schema->nodes[i];
        map_normalise(schema, node);
        decimal_normalise(node);
        if (node->logical.kind == LITH_LOGICAL_NONE)
            LITH_TRY(logical_fill(node, arena, err));
        else if (node->converted_type == LITH_CONVERTED_NONE)
            converted_fill(node);
    }
    return LITH_OK;
}

/* INTEGER(32, signed) on INT32 and INTEGER(64, signed) on INT64 say what the type says. */
bool lith_schema_is_plain_integer(const struct lith_schema_node *node)
{
    int bits = node->type == LITH_TYPE_INT32 ? 32 : 64;

    if (node->is_group || (node->type != LITH_TYPE_INT32 && node->type != LITH_TYPE_INT64))
        return false;
    if (node->logical.kind == LITH_LOGICAL_NONE)
        return node->converted_type == LITH_CONVERTED_NONE;
    return node->logical.kind == LITH_LOGICAL_INTEGER && node->logical.is_signed &&
           node->logical.bit_width == bits;
}

/* What stands behind the header of the union's member, which writers spell in a short form, with a
 * difference, or in a long one, with the number (thrift-compact-protocol.md, "Struct"). */
static struct lith_slice parameters_of(const struct lith_logical *logical)
{
    struct lith_slice raw = logical->raw;
    size_t header = 1;

    if (raw.bytes == 0)
        return raw;
    if (raw.data[0] >> 4 == 0) {
        while (header < raw.bytes && raw.data[header] & 0x80)
            header++;
        header++;
    }
    if (header > raw.bytes)
        header = raw.bytes;
    return (struct lith_slice){raw.data + header, raw.bytes - header};
}

bool lith_schema_annotation_equal(const struct lith_schema_node *a,
                                  const struct lith_schema_node *b)
{
    const struct lith_logical *left = &a->logical;
    const struct lith_logical *right = &b->logical;

    if (lith_schema_is_plain_integer(a) && lith_schema_is_plain_integer(b))
        return true;
    if (left->kind != right->kind)
        return false;
    if (left->kind == LITH_LOGICAL_NONE)
        return a->converted_type == b->converted_type && a->has_scale == b->has_scale &&
               a->scale == b->scale && a->has_precision == b->has_precision &&
               a->precision == b->precision;
    if (left->kind == LITH_LOGICAL_DECIMAL)
        return left->scale == right->scale && left->precision == right->precision;
    if (left->kind == LITH_LOGICAL_INTEGER)
        return left->bit_width == right->bit_width && left->is_signed == right->is_signed;
    if (is_time(left->kind))
        return left->utc == right->utc && left->unit == right->unit;
    return lith_slice_equal(parameters_of(left), parameters_of(right));
}

#define TEXT_BYTES 128u

static void annotation_text(const struct lith_schema_node *node, char text[TEXT_BYTES])
{
    static const char *const units[] = {"?", "MILLIS", "MICROS", "NANOS"};
    const struct lith_logical *logical = &node->logical;
    const char *name = lith_logical_name(logical->kind);
    const char *converted = lith_converted_name(node->converted_type);

    if (logical->kind == LITH_LOGICAL_NONE && node->converted_type == LITH_CONVERTED_NONE)
        (void)snprintf(text, TEXT_BYTES, "no annotation");
    else if (logical->kind == LITH_LOGICAL_NONE && converted)
        (void)snprintf(text, TEXT_BYTES, "%s", converted);
    else if (logical->kind == LITH_LOGICAL_NONE)
        (void)snprintf(text, TEXT_BYTES, "converted type (%d)", node->converted_type);
    else if (logical->kind == LITH_LOGICAL_DECIMAL)
        (void)snprintf(text, TEXT_BYTES, "DECIMAL(%d, %d)", logical->precision, logical->scale);
    else if (logical->kind == LITH_LOGICAL_INTEGER)
        (void)snprintf(text, TEXT_BYTES, "INTEGER(%d, %s)", logical->bit_width,
                       logical->is_signed ? "signed" : "unsigned");
    else if (is_time(logical->kind))
        (void)snprintf(text, TEXT_BYTES, "%s(%s, %s)", name, logical->utc ? "UTC" : "local",
                       units[logical->unit >= 1 && logical->unit <= 3 ? logical->unit : 0]);
    else if (name)
        (void)snprintf(text, TEXT_BYTES, "%s", name);
    else
        (void)snprintf(text, TEXT_BYTES, "logical type (%d)", logical->kind);
}

static void type_text(const struct lith_schema_node *node, char text[TEXT_BYTES])
{
    if (node->is_group)
        (void)snprintf(text, TEXT_BYTES, "a group of %u", node->child_count);
    else if (node->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        (void)snprintf(text, TEXT_BYTES, "FIXED_LEN_BYTE_ARRAY(%d)", node->type_length);
    else
        (void)snprintf(text, TEXT_BYTES, "%s", lith_type_name((int)node->type));
}

void lith_schema_node_text(const struct lith_schema_node *node, char text[LITH_NODE_TEXT_BYTES])
{
    char type[TEXT_BYTES], annotation[TEXT_BYTES];
    bool is_bare =
        node->logical.kind == LITH_LOGICAL_NONE && node->converted_type == LITH_CONVERTED_NONE;

    type_text(node, type);
    annotation_text(node, annotation);
    (void)snprintf(text, LITH_NODE_TEXT_BYTES, "%s%s%s", type,
                   is_bare          ? ""
                   : node->is_group ? ", "
                                    : " ",
                   is_bare ? "" : annotation);
}

static void field_id_text(const struct lith_schema_node *node, char text[TEXT_BYTES])
{
    if (node->has_field_id)
        (void)snprintf(text, TEXT_BYTES, "field id %d", node->field_id);
    else
        (void)snprintf(text, TEXT_BYTES, "no field id");
}

static void repetition_text(const struct lith_schema_node *node, char text[TEXT_BYTES])
{
    (void)snprintf(text, TEXT_BYTES, "%s", lith_repetition_name((int)node->repetition));
}

static void name_text(const struct lith_schema_node *node, char text[TEXT_BYTES])
{
    (void)snprintf(text, TEXT_BYTES, "the name \"%.*s\"", LITH_SLICE_ARGS(node->name));
}

typedef void node_text(const struct lith_schema_node *node, char text[TEXT_BYTES]);

/* What two nodes differ in, as the function that words it; NULL when in nothing. */
static node_text *difference_of(const struct lith_schema_node *a, const struct lith_schema_node *b)
{
    if (!lith_slice_equal(a->name, b->name))
        return name_text;
    if (a->is_group != b->is_group || a->child_count != b->child_count)
        return type_text;
    if (!a->is_group && (a->type != b->type || a->type_length != b->type_length))
        return type_text;
    if (a->repetition != b->repetition)
        return repetition_text;
    if (!lith_schema_annotation_equal(a, b))
        return annotation_text;
    if (a->has_field_id != b->has_field_id || (a->has_field_id && a->field_id != b->field_id))
        return field_id_text;
    return NULL;
}

static enum lith_code difference_format(const struct lith_schema *a, const struct lith_schema *b,
                                        uint32_t index, node_text *words, struct lith_arena *arena,
                                        const char **ret_difference, struct lith_err *err)
{
    char path[256];
    char left[TEXT_BYTES];
    char right[TEXT_BYTES];
    char *text;

    lith_schema_path(a, index, path, sizeof(path));
    words(&a->nodes[index], left);
    words(&b->nodes[index], right);
    LITH_TRY(lith_arena_format(arena, &text, err, "column %s: %s against %s", path, left, right));
    *ret_difference = text;
    return LITH_OK;
}

/* One has what the other has, and more: the first column of that. */
static enum lith_code count_difference_format(const struct lith_schema *a,
                                              const struct lith_schema *b, struct lith_arena *arena,
                                              const char **ret_difference, struct lith_err *err)
{
    bool a_has_more = a->node_count > b->node_count;
    char path[256];
    char *text;

    if (a_has_more)
        lith_schema_path(a, b->node_count, path, sizeof(path));
    else
        lith_schema_path(b, a->node_count, path, sizeof(path));
    LITH_TRY(lith_arena_format(arena, &text, err,
                               "%u columns against %u, column %s is in the %s alone", a->leaf_count,
                               b->leaf_count, path, a_has_more ? "first" : "second"));
    *ret_difference = text;
    return LITH_OK;
}

/* The root's name, id and repetition mean nothing: every writer has its own. */
enum lith_code lith_schema_equal(const struct lith_schema *a, const struct lith_schema *b,
                                 struct lith_arena *arena, bool *ret_equal,
                                 const char **ret_difference, struct lith_err *err)
{
    uint32_t count = a->node_count < b->node_count ? a->node_count : b->node_count;
    *ret_equal = false;
    for (uint32_t i = 1; i < count; i++) {
        node_text *words = difference_of(&a->nodes[i], &b->nodes[i]);
        if (words)
            return difference_format(a, b, i, words, arena, ret_difference, err);
    }
    if (a->node_count != b->node_count)
        return count_difference_format(a, b, arena, ret_difference, err);
    *ret_equal = true;
    return LITH_OK;
}
