/*
 * Annotations against types: what clearly contradicts itself is refused.
 *
 * Each annotation has the set of physical types it may stand on (LogicalTypes.md). Unknown
 * annotations, and known ones that are merely odd (LIST on a leaf), are carried as they are.
 */
#include "parquet/footer_parse.h"

#define ON(type) (1u << (type))
#define ON_GROUP (1u << LITH_TYPE_COUNT)
#define ON_ANY UINT32_MAX
#define ON_BYTES (ON(LITH_TYPE_BYTE_ARRAY) | ON(LITH_TYPE_FIXED_LEN_BYTE_ARRAY))
#define ON_DECIMAL (ON(LITH_TYPE_INT32) | ON(LITH_TYPE_INT64) | ON_BYTES)

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint32_t converted_types(int converted)
{
    static const uint32_t table[] = {
        [LITH_CONVERTED_UTF8] = ON_BYTES,
        [LITH_CONVERTED_MAP] = ON_ANY,
        [LITH_CONVERTED_MAP_KEY_VALUE] = ON_ANY,
        [LITH_CONVERTED_LIST] = ON_ANY,
        [LITH_CONVERTED_ENUM] = ON_BYTES,
        [LITH_CONVERTED_DECIMAL] = ON_DECIMAL,
        [LITH_CONVERTED_DATE] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_TIME_MILLIS] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_TIME_MICROS] = ON(LITH_TYPE_INT64),
        [LITH_CONVERTED_TIMESTAMP_MILLIS] = ON(LITH_TYPE_INT64),
        [LITH_CONVERTED_TIMESTAMP_MICROS] = ON(LITH_TYPE_INT64),
        [LITH_CONVERTED_UINT_8] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_UINT_16] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_UINT_32] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_UINT_64] = ON(LITH_TYPE_INT64),
        [LITH_CONVERTED_INT_8] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_INT_16] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_INT_32] = ON(LITH_TYPE_INT32),
        [LITH_CONVERTED_INT_64] = ON(LITH_TYPE_INT64),
        [LITH_CONVERTED_JSON] = ON_BYTES,
        [LITH_CONVERTED_BSON] = ON_BYTES,
        [LITH_CONVERTED_INTERVAL] = ON(LITH_TYPE_FIXED_LEN_BYTE_ARRAY),
    };

    return converted >= 0 && (size_t)converted < COUNT(table) ? table[converted] : ON_ANY;
}

static uint32_t time_types(int unit)
{
    if (unit == LITH_UNIT_MILLIS)
        return ON(LITH_TYPE_INT32);
    return unit == LITH_UNIT_MICROS || unit == LITH_UNIT_NANOS ? ON(LITH_TYPE_INT64) : ON_ANY;
}

static uint32_t logical_types(const struct lith_logical *logical)
{
    static const uint32_t table[] = {
        [LITH_LOGICAL_STRING] = ON_BYTES,
        [LITH_LOGICAL_ENUM] = ON_BYTES,
        [LITH_LOGICAL_DECIMAL] = ON_DECIMAL,
        [LITH_LOGICAL_DATE] = ON(LITH_TYPE_INT32),
        [LITH_LOGICAL_TIMESTAMP] = ON(LITH_TYPE_INT64),
        [LITH_LOGICAL_JSON] = ON_BYTES,
        [LITH_LOGICAL_BSON] = ON_BYTES,
        [LITH_LOGICAL_UUID] = ON(LITH_TYPE_FIXED_LEN_BYTE_ARRAY),
        [LITH_LOGICAL_FLOAT16] = ON(LITH_TYPE_FIXED_LEN_BYTE_ARRAY),
        [LITH_LOGICAL_VARIANT] = ON_GROUP,
        [LITH_LOGICAL_GEOMETRY] = ON_BYTES,
        [LITH_LOGICAL_GEOGRAPHY] = ON_BYTES,
    };

    if (logical->kind == LITH_LOGICAL_TIME)
        return time_types(logical->unit);
    if (logical->kind == LITH_LOGICAL_INTEGER)
        return logical->bit_width == 64 ? ON(LITH_TYPE_INT64) : ON(LITH_TYPE_INT32);
    if (logical->kind < 0 || (size_t)logical->kind >= COUNT(table) || table[logical->kind] == 0)
        return ON_ANY;
    return table[logical->kind];
}

/* The length a FIXED_LEN_BYTE_ARRAY must have under an annotation; 0 = any. */
static int32_t length_of(const struct lith_schema_node *node)
{
    if (node->logical.kind == LITH_LOGICAL_UUID)
        return 16;
    if (node->logical.kind == LITH_LOGICAL_FLOAT16)
        return 2;
    return node->converted_type == LITH_CONVERTED_INTERVAL ? 12 : 0;
}

/* Says of a DECIMAL what its two forms disagree on; NULL when nothing. */
static const char *decimal_conflict(const struct lith_schema_node *node)
{
    if (node->logical.kind != LITH_LOGICAL_DECIMAL)
        return NULL;
    if (node->has_scale && node->scale != node->logical.scale)
        return "scale";
    if (node->has_precision && node->precision != node->logical.precision)
        return "precision";
    return NULL;
}

static enum lith_code node_check(const struct lith_schema_node *node, struct lith_err *err)
{
    uint32_t type = node->is_group ? ON_GROUP : ON(node->type);
    const char *type_name = node->is_group ? "a group" : lith_type_name((int)node->type);

    if (!(converted_types(node->converted_type) & type))
        return lith_fail(err, LITH_E_CORRUPT, "it is annotated %s, but is %s",
                         lith_converted_name(node->converted_type), type_name);
    if (!(logical_types(&node->logical) & type))
        return lith_fail(err, LITH_E_CORRUPT, "it is annotated %s (bit width %d), but is %s",
                         lith_logical_name(node->logical.kind), node->logical.bit_width, type_name);
    int32_t length = length_of(node);
    if (length > 0 && type == ON(LITH_TYPE_FIXED_LEN_BYTE_ARRAY) && node->type_length != length)
        return lith_fail(err, LITH_E_CORRUPT,
                         "its annotation asks for %d bytes, its type_length is %d", length,
                         node->type_length);
    const char *conflict = decimal_conflict(node);
    if (conflict)
        return lith_fail(err, LITH_E_CORRUPT, "the two forms of its DECIMAL differ in %s",
                         conflict);
    return LITH_OK;
}

enum lith_code lith_schema_check(const struct lith_schema *schema, struct lith_err *err)
{
    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (node_check(&schema->nodes[i], err) == LITH_OK)
            continue;
        char path[256];
        lith_schema_path(schema, i, path, sizeof(path));
        return lith_err_prefix(err, "column %s", path);
    }
    return LITH_OK;
}
