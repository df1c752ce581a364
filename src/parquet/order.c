/*
 * The order of a column's values: which one it is, and how two values compare in it.
 *
 * Two tables, one by annotation and one by physical type. A pair that stands in neither has no
 * order, so that an annotation on a type it does not belong to never leads to bounds.
 * LogicalTypes.md; parquet.thrift, ColumnOrder.
 */
#include "parquet/order.h"

#include <string.h>

#include "base/err.h"

struct order_rule {
    int kind; /* logical kind or converted type */
    enum lith_type type;
    enum lith_order order;
};

static const struct order_rule logical_rules[] = {
    {LITH_LOGICAL_STRING, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_LOGICAL_ENUM, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_LOGICAL_JSON, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_LOGICAL_BSON, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_LOGICAL_UUID, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_LOGICAL_DECIMAL, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_LOGICAL_DECIMAL, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_LOGICAL_DECIMAL, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_DECIMAL_BYTES},
    {LITH_LOGICAL_DECIMAL, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LITH_ORDER_DECIMAL_BYTES},
    {LITH_LOGICAL_DATE, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_LOGICAL_TIME, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_LOGICAL_TIME, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_LOGICAL_TIMESTAMP, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_LOGICAL_FLOAT16, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LITH_ORDER_FLOAT16},
};

static const struct order_rule converted_rules[] = {
    {LITH_CONVERTED_UTF8, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_CONVERTED_ENUM, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_CONVERTED_JSON, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_CONVERTED_BSON, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_BYTES},
    {LITH_CONVERTED_DECIMAL, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_DECIMAL, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_CONVERTED_DECIMAL, LITH_TYPE_BYTE_ARRAY, LITH_ORDER_DECIMAL_BYTES},
    {LITH_CONVERTED_DECIMAL, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LITH_ORDER_DECIMAL_BYTES},
    {LITH_CONVERTED_DATE, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_TIME_MILLIS, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_TIME_MICROS, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_CONVERTED_TIMESTAMP_MILLIS, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_CONVERTED_TIMESTAMP_MICROS, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
    {LITH_CONVERTED_UINT_8, LITH_TYPE_INT32, LITH_ORDER_UNSIGNED_32},
    {LITH_CONVERTED_UINT_16, LITH_TYPE_INT32, LITH_ORDER_UNSIGNED_32},
    {LITH_CONVERTED_UINT_32, LITH_TYPE_INT32, LITH_ORDER_UNSIGNED_32},
    {LITH_CONVERTED_UINT_64, LITH_TYPE_INT64, LITH_ORDER_UNSIGNED_64},
    {LITH_CONVERTED_INT_8, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_INT_16, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_INT_32, LITH_TYPE_INT32, LITH_ORDER_SIGNED_32},
    {LITH_CONVERTED_INT_64, LITH_TYPE_INT64, LITH_ORDER_SIGNED_64},
};

static const enum lith_order physical_orders[LITH_TYPE_COUNT] = {
    [LITH_TYPE_BOOLEAN] = LITH_ORDER_BOOLEAN,  [LITH_TYPE_INT32] = LITH_ORDER_SIGNED_32,
    [LITH_TYPE_INT64] = LITH_ORDER_SIGNED_64,  [LITH_TYPE_INT96] = LITH_ORDER_NONE,
    [LITH_TYPE_FLOAT] = LITH_ORDER_FLOAT,      [LITH_TYPE_DOUBLE] = LITH_ORDER_DOUBLE,
    [LITH_TYPE_BYTE_ARRAY] = LITH_ORDER_BYTES, [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = LITH_ORDER_BYTES,
};

static enum lith_order rule_find(const struct order_rule *rules, size_t count, int kind,
                                 enum lith_type type)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].kind == kind && rules[i].type == type)
            return rules[i].order;
    return LITH_ORDER_NONE;
}

static enum lith_order integer_order(const struct lith_schema_node *leaf)
{
    if (leaf->type == LITH_TYPE_INT32)
        return leaf->logical.is_signed ? LITH_ORDER_SIGNED_32 : LITH_ORDER_UNSIGNED_32;
    if (leaf->type == LITH_TYPE_INT64)
        return leaf->logical.is_signed ? LITH_ORDER_SIGNED_64 : LITH_ORDER_UNSIGNED_64;
    return LITH_ORDER_NONE;
}

enum lith_order lith_order_of(const struct lith_schema_node *leaf)
{
    if (leaf->logical.kind == LITH_LOGICAL_INTEGER)
        return integer_order(leaf);
    if (leaf->logical.kind == LITH_LOGICAL_FLOAT16 && leaf->type_length != 2)
        return LITH_ORDER_NONE;
    if (leaf->logical.kind != LITH_LOGICAL_NONE)
        return rule_find(logical_rules, sizeof(logical_rules) / sizeof(logical_rules[0]),
                         leaf->logical.kind, leaf->type);
    if (leaf->converted_type != LITH_CONVERTED_NONE)
        return rule_find(converted_rules, sizeof(converted_rules) / sizeof(converted_rules[0]),
                         leaf->converted_type, leaf->type);
    return physical_orders[leaf->type];
}

bool lith_order_is_utf8(const struct lith_schema_node *leaf)
{
    int kind = leaf->logical.kind;
    int converted = leaf->converted_type;

    if (leaf->type != LITH_TYPE_BYTE_ARRAY)
        return false;
    if (kind != LITH_LOGICAL_NONE)
        return kind == LITH_LOGICAL_STRING || kind == LITH_LOGICAL_ENUM ||
               kind == LITH_LOGICAL_JSON;
    return converted == LITH_CONVERTED_UTF8 || converted == LITH_CONVERTED_ENUM ||
           converted == LITH_CONVERTED_JSON;
}

static int none_compare(struct lith_slice a, struct lith_slice b)
{
    (void)a;
    (void)b;
    lith_assert_failed("a column without an order is not compared", __FILE__, __LINE__);
}

static int boolean_compare(struct lith_slice a, struct lith_slice b)
{
    return a.data[0] - b.data[0];
}

static int unsigned_32_compare(struct lith_slice a, struct lith_slice b)
{
    uint32_t x = lith_load_u32(a.data), y = lith_load_u32(b.data);

    return (x > y) - (x < y);
}

static int signed_32_compare(struct lith_slice a, struct lith_slice b)
{
    int32_t x = (int32_t)lith_load_u32(a.data), y = (int32_t)lith_load_u32(b.data);

    return (x > y) - (x < y);
}

static int unsigned_64_compare(struct lith_slice a, struct lith_slice b)
{
    uint64_t x = lith_load_u64(a.data), y = lith_load_u64(b.data);

    return (x > y) - (x < y);
}

static int signed_64_compare(struct lith_slice a, struct lith_slice b)
{
    int64_t x = (int64_t)lith_load_u64(a.data), y = (int64_t)lith_load_u64(b.data);

    return (x > y) - (x < y);
}

static int float_compare(struct lith_slice a, struct lith_slice b)
{
    float x, y;

    memcpy(&x, a.data, sizeof(x));
    memcpy(&y, b.data, sizeof(y));
    LITH_ASSERT(x == x);
    LITH_ASSERT(y == y);
    return (x > y) - (x < y);
}

static int double_compare(struct lith_slice a, struct lith_slice b)
{
    double x, y;

    memcpy(&x, a.data, sizeof(x));
    memcpy(&y, b.data, sizeof(y));
    LITH_ASSERT(x == x);
    LITH_ASSERT(y == y);
    return (x > y) - (x < y);
}

static int float16_compare(struct lith_slice a, struct lith_slice b)
{
    LITH_ASSERT(!lith_order_is_nan(LITH_ORDER_FLOAT16, a));
    LITH_ASSERT(!lith_order_is_nan(LITH_ORDER_FLOAT16, b));
    return lith_float16_rank(a.data) - lith_float16_rank(b.data);
}

static int bytes_compare(struct lith_slice a, struct lith_slice b)
{
    size_t common = a.bytes < b.bytes ? a.bytes : b.bytes;
    int difference = common ? memcmp(a.data, b.data, common) : 0;

    return difference ? difference : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

/* Numbers of the same sign compare as their sign-extended bytes do. An empty one is 0. */
static int decimal_compare(struct lith_slice a, struct lith_slice b)
{
    uint8_t a_fill = a.bytes && (a.data[0] & 0x80) ? 0xff : 0;
    uint8_t b_fill = b.bytes && (b.data[0] & 0x80) ? 0xff : 0;
    size_t bytes = a.bytes > b.bytes ? a.bytes : b.bytes;

    if (a_fill != b_fill)
        return a_fill ? -1 : 1;
    if (a.bytes == b.bytes)
        return bytes ? memcmp(a.data, b.data, bytes) : 0;
    for (size_t left = bytes; left > 0; left--) {
        uint8_t x = left > a.bytes ? a_fill : a.data[a.bytes - left];
        uint8_t y = left > b.bytes ? b_fill : b.data[b.bytes - left];
        if (x != y)
            return x - y;
    }
    return 0;
}

int lith_order_compare(enum lith_order order, struct lith_slice a, struct lith_slice b)
{
    static int (*const compare[])(struct lith_slice, struct lith_slice) = {
        [LITH_ORDER_NONE] = none_compare,
        [LITH_ORDER_BOOLEAN] = boolean_compare,
        [LITH_ORDER_SIGNED_32] = signed_32_compare,
        [LITH_ORDER_SIGNED_64] = signed_64_compare,
        [LITH_ORDER_UNSIGNED_32] = unsigned_32_compare,
        [LITH_ORDER_UNSIGNED_64] = unsigned_64_compare,
        [LITH_ORDER_FLOAT] = float_compare,
        [LITH_ORDER_DOUBLE] = double_compare,
        [LITH_ORDER_FLOAT16] = float16_compare,
        [LITH_ORDER_BYTES] = bytes_compare,
        [LITH_ORDER_DECIMAL_BYTES] = decimal_compare,
    };

    return compare[order](a, b);
}

bool lith_order_is_nan(enum lith_order order, struct lith_slice value)
{
    if (order == LITH_ORDER_FLOAT)
        return (lith_load_u32(value.data) & 0x7fffffffu) > 0x7f800000u;
    if (order == LITH_ORDER_DOUBLE)
        return (lith_load_u64(value.data) & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
    if (order == LITH_ORDER_FLOAT16)
        return ((value.data[0] | value.data[1] << 8) & 0x7fff) > 0x7c00;
    return false;
}

bool lith_order_is_zero(enum lith_order order, struct lith_slice value)
{
    if (order == LITH_ORDER_FLOAT)
        return (lith_load_u32(value.data) & 0x7fffffffu) == 0;
    if (order == LITH_ORDER_DOUBLE)
        return (lith_load_u64(value.data) & 0x7fffffffffffffffu) == 0;
    if (order == LITH_ORDER_FLOAT16)
        return value.data[0] == 0 && (value.data[1] & 0x7f) == 0;
    return false;
}
