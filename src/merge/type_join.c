/*
 * Which types join: a few pairs, each a function that says which side is the wider one.
 */
#include "merge/type_join.h"

static bool is_same_storage(const struct lith_schema_node *a, const struct lith_schema_node *b)
{
    return a->type == b->type && a->type_length == b->type_length;
}

static bool has_no_annotation(const struct lith_schema_node *node)
{
    return node->logical.kind == LITH_LOGICAL_NONE && node->converted_type == LITH_CONVERTED_NONE;
}

/* The bits of an integer column, by its annotation or else its type; 0: it is none. */
static int integer_bits(const struct lith_schema_node *node, bool *ret_signed)
{
    *ret_signed = true;
    if (node->type != LITH_TYPE_INT32 && node->type != LITH_TYPE_INT64)
        return 0;
    if (has_no_annotation(node))
        return node->type == LITH_TYPE_INT32 ? 32 : 64;
    if (node->logical.kind != LITH_LOGICAL_INTEGER)
        return 0;
    *ret_signed = node->logical.is_signed;
    return node->logical.bit_width;
}

/* True when `wide` holds all numbers of `narrow`, of its kind. */
static bool is_wider_number(const struct lith_schema_node *narrow,
                            const struct lith_schema_node *wide)
{
    bool narrow_signed, wide_signed;
    int narrow_bits = integer_bits(narrow, &narrow_signed);
    int wide_bits = integer_bits(wide, &wide_signed);

    if (narrow_bits && wide_bits)
        return narrow_bits < wide_bits && narrow_signed == wide_signed;
    return narrow->type == LITH_TYPE_FLOAT && wide->type == LITH_TYPE_DOUBLE &&
           has_no_annotation(narrow) && has_no_annotation(wide);
}

static bool is_decimal(const struct lith_schema_node *node)
{
    return node->logical.kind == LITH_LOGICAL_DECIMAL;
}

/* Bytes that the unscaled values of so many digits need, in two's complement: a digit is 3.322
 * bits, and there is a sign. */
static uint64_t decimal_bytes(int32_t precision)
{
    uint64_t digits = precision > 0 ? (uint64_t)precision : 0;

    return (digits * 3322 + 1000 + 7999) / 8000;
}

/* True when decimals stored as `narrow` are can be stored as `wide` are. */
static bool is_wider_decimal(const struct lith_schema_node *narrow,
                             const struct lith_schema_node *wide)
{
    if (narrow->type == LITH_TYPE_INT32 && wide->type == LITH_TYPE_INT64)
        return true;
    if (narrow->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        return wide->type == narrow->type && wide->type_length > narrow->type_length;
    return (narrow->type == LITH_TYPE_INT32 || narrow->type == LITH_TYPE_INT64) &&
           wide->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY;
}

static enum lith_type_side decimal_join(const struct lith_schema_node *left,
                                        const struct lith_schema_node *right,
                                        enum lith_type_side *ret_annotation)
{
    int32_t left_digits = left->logical.precision;
    int32_t right_digits = right->logical.precision;
    const struct lith_schema_node *wide = NULL;

    if (left->logical.scale != right->logical.scale)
        return LITH_SIDE_NONE;
    if (is_same_storage(left, right) || is_wider_decimal(right, left))
        wide = left;
    else if (is_wider_decimal(left, right))
        wide = right;
    else
        return LITH_SIDE_NONE;
    *ret_annotation = right_digits > left_digits ? LITH_SIDE_RIGHT : LITH_SIDE_LEFT;
    int32_t digits = right_digits > left_digits ? right_digits : left_digits;
    /* Values of one storage stay as they are; others must find room in the wider one. */
    if (!is_same_storage(left, right) &&
        decimal_bytes(digits) > lith_type_width(wide->type, wide->type_length))
        return LITH_SIDE_NONE;
    return wide == left ? LITH_SIDE_LEFT : LITH_SIDE_RIGHT;
}

/* An instant is on another day elsewhere, so a day has no beginning in UTC: Iceberg joins it with
 * local times only. */
static bool is_date_in(const struct lith_schema_node *date, const struct lith_schema_node *time)
{
    return date->logical.kind == LITH_LOGICAL_DATE &&
           time->logical.kind == LITH_LOGICAL_TIMESTAMP && !time->logical.utc &&
           time->type == LITH_TYPE_INT64;
}

static bool is_string_in(const struct lith_schema_node *bytes, const struct lith_schema_node *text)
{
    return bytes->type == LITH_TYPE_BYTE_ARRAY && has_no_annotation(bytes) &&
           text->type == LITH_TYPE_BYTE_ARRAY && text->logical.kind == LITH_LOGICAL_STRING;
}

static bool is_unknown(const struct lith_schema_node *node)
{
    return node->logical.kind == LITH_LOGICAL_UNKNOWN;
}

/* Whether all that `narrow` has is at home in `wide`, whose type and annotation then stand. */
static bool widens(const struct lith_schema_node *narrow, const struct lith_schema_node *wide,
                   const struct lith_union_rules *rules)
{
    return is_unknown(narrow) || is_wider_number(narrow, wide) ||
           (rules->dates_widen && is_date_in(narrow, wide)) ||
           (rules->strings_widen && is_string_in(narrow, wide));
}

enum lith_type_side lith_type_join(const struct lith_schema_node *left,
                                   const struct lith_schema_node *right,
                                   const struct lith_union_rules *rules,
                                   enum lith_type_side *ret_annotation)
{
    bool is_same = is_same_storage(left, right) && lith_schema_annotation_equal(left, right);
    enum lith_type_side side = LITH_SIDE_NONE;

    if (!is_same && is_decimal(left) && is_decimal(right))
        return decimal_join(left, right, ret_annotation);
    if (is_same || widens(right, left, rules))
        side = LITH_SIDE_LEFT;
    else if (widens(left, right, rules))
        side = LITH_SIDE_RIGHT;
    *ret_annotation = side;
    return side;
}
