/*
 * Values of columns as texts for people.
 */
#include "parquet/value_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/time.h"
#include "base/utf8.h"

#define DAY_NS (LITH_SECOND_NS * 24 * 3600)

static bool is_printable(const uint8_t *at, size_t bytes)
{
    return *at >= 0x20 && *at != 0x7f && !(bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

bool lith_text_prefix(struct lith_slice text, size_t bytes_max, size_t *ret_bytes)
{
    size_t kept = 0;

    for (size_t at = 0; at < text.bytes;) {
        size_t bytes = lith_utf8_character(text.data + at, text.bytes - at);
        if (!bytes || !is_printable(text.data + at, bytes))
            return false;
        at += bytes;
        if (at <= bytes_max)
            kept = at;
        else
            break;
    }
    *ret_bytes = kept;
    return true;
}

static enum lith_code bytes_text(struct lith_slice value, struct lith_arena *arena, char **ret_text,
                                 struct lith_err *err)
{
    size_t kept;

    if (!lith_text_prefix(value, LITH_INSPECT_BOUND_BYTES_MAX, &kept))
        return LITH_OK;
    return lith_arena_format(arena, ret_text, err, "%.*s%s", (int)kept,
                             kept ? (const char *)value.data : "", kept < value.bytes ? "..." : "");
}

/* Nanoseconds of one unit. */
static int64_t unit_ns(int unit)
{
    return unit == LITH_UNIT_MILLIS ? 1000000 : unit == LITH_UNIT_MICROS ? 1000 : 1;
}

/* A moment, its date or its time of day; the bare number where it passes 64 bits of ns. */
static enum lith_code moment_text(int64_t value, int64_t factor, int kind, bool utc,
                                  struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    char text[LITH_TIME_TEXT_BYTES];
    int64_t ns;

    bool fits = lith_mul_i64(value, factor, &ns);
    if (!fits || (kind == LITH_LOGICAL_TIME && (ns < 0 || ns >= DAY_NS)))
        return lith_arena_format(arena, ret_text, err, "%" PRId64, value);
    lith_time_text(ns, text);
    int bytes = (int)strlen(text) - (utc ? 0 : 1); /* without the Z */
    if (kind == LITH_LOGICAL_DATE)
        return lith_arena_format(arena, ret_text, err, "%.10s", text);
    if (kind == LITH_LOGICAL_TIME)
        return lith_arena_format(arena, ret_text, err, "%.*s", bytes - 11, text + 11);
    return lith_arena_format(arena, ret_text, err, "%.*s", bytes, text);
}

/* The digits of `value` with a point in front of the last `scale` of them. */
static enum lith_code decimal_text(int64_t value, int32_t scale, struct lith_arena *arena,
                                   char **ret_text, struct lith_err *err)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[72];

    if (scale <= 0 || scale > 38)
        return lith_arena_format(arena, ret_text, err, "%" PRId64, value);
    int count = snprintf(digits, sizeof(digits), "%0*" PRIu64, scale + 1, magnitude);
    return lith_arena_format(arena, ret_text, err, "%s%.*s.%s", value < 0 ? "-" : "", count - scale,
                             digits, digits + count - scale);
}

static enum lith_code integer_text(const struct lith_schema_node *leaf, int64_t value,
                                   struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    const struct lith_logical *logical = &leaf->logical;

    switch (logical->kind) {
    case LITH_LOGICAL_DATE:
        return moment_text(value, DAY_NS, logical->kind, false, arena, ret_text, err);
    case LITH_LOGICAL_TIME:
    case LITH_LOGICAL_TIMESTAMP:
        return moment_text(value, unit_ns(logical->unit), logical->kind, logical->utc, arena,
                           ret_text, err);
    case LITH_LOGICAL_DECIMAL:
        return decimal_text(value, logical->scale, arena, ret_text, err);
    default:
        break;
    }
    if (logical->kind == LITH_LOGICAL_INTEGER && !logical->is_signed)
        return lith_arena_format(arena, ret_text, err, "%" PRIu64,
                                 leaf->type == LITH_TYPE_INT32 ? (uint64_t)(uint32_t)value
                                                               : (uint64_t)value);
    return lith_arena_format(arena, ret_text, err, "%" PRId64, value);
}

/* The fewest digits that read back as the same number. */
static enum lith_code real_text(double value, int digits_min, int digits_max, bool is_float,
                                struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    char text[40];

    for (int digits = digits_min; digits <= digits_max; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        double back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (isnan(value) || back == value)
            break;
    }
    return lith_arena_format(arena, ret_text, err, "%s", text);
}

/* IEEE 754 binary16. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double value;

    if (exponent == 31)
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* Big-endian two's complement; false when it does not fit 64 bits. */
static bool big_endian(struct lith_slice value, int64_t *ret_value)
{
    uint8_t fill = value.bytes && (value.data[0] & 0x80) ? 0xff : 0;
    uint64_t bits = fill ? UINT64_MAX : 0;

    while (value.bytes > 8 && value.data[0] == fill) {
        value.data++;
        value.bytes--;
    }
    if (value.bytes == 0 || value.bytes > 8)
        return false;
    for (size_t i = 0; i < value.bytes; i++)
        bits = bits << 8 | value.data[i];
    bool negative = bits >> 63;
    *ret_value = (int64_t)bits;
    return negative == (fill != 0);
}

static enum lith_code uuid_text(const uint8_t *b, struct lith_arena *arena, char **ret_text,
                                struct lith_err *err)
{
    return lith_arena_format(arena, ret_text, err,
                             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
                             b[11], b[12], b[13], b[14], b[15]);
}

static enum lith_code binary_text(const struct lith_schema_node *leaf, struct lith_slice value,
                                  struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    int64_t number;

    switch (leaf->logical.kind) {
    case LITH_LOGICAL_DECIMAL:
        if (!big_endian(value, &number))
            return LITH_OK;
        return decimal_text(number, leaf->logical.scale, arena, ret_text, err);
    case LITH_LOGICAL_UUID:
        return value.bytes == 16 ? uuid_text(value.data, arena, ret_text, err) : LITH_OK;
    case LITH_LOGICAL_FLOAT16:
        if (value.bytes != 2)
            return LITH_OK;
        return real_text(half((uint16_t)(value.data[0] | value.data[1] << 8)), 3, 5, false, arena,
                         ret_text, err);
    default:
        return bytes_text(value, arena, ret_text, err);
    }
}

/* Impala's form: nanoseconds of the day, then the Julian day. */
static enum lith_code int96_text(const uint8_t *data, struct lith_arena *arena, char **ret_text,
                                 struct lith_err *err)
{
    int64_t day = (int64_t)lith_load_u32(data + 8) - 2440588;
    uint64_t of_day = lith_load_u64(data);
    int64_t ns;

    if (of_day > INT64_MAX || !lith_mul_i64(day, DAY_NS, &ns) ||
        !lith_add_i64(ns, (int64_t)of_day, &ns))
        return LITH_OK;
    return moment_text(ns, 1, LITH_LOGICAL_TIMESTAMP, false, arena, ret_text, err);
}

enum lith_code lith_value_text(const struct lith_schema_node *leaf, struct lith_slice value,
                               struct lith_arena *arena, char **ret_text, struct lith_err *err)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);
    double real;
    float small;

    *ret_text = NULL;
    if (!value.data || (width && value.bytes != width))
        return LITH_OK;
    switch (leaf->type) {
    case LITH_TYPE_BOOLEAN:
        return lith_arena_format(arena, ret_text, err, "%s", value.data[0] ? "true" : "false");
    case LITH_TYPE_INT32:
        return integer_text(leaf, (int32_t)lith_load_u32(value.data), arena, ret_text, err);
    case LITH_TYPE_INT64:
        return integer_text(leaf, (int64_t)lith_load_u64(value.data), arena, ret_text, err);
    case LITH_TYPE_INT96:
        return int96_text(value.data, arena, ret_text, err);
    case LITH_TYPE_FLOAT:
        memcpy(&small, value.data, sizeof(small));
        return real_text((double)small, 6, 9, true, arena, ret_text, err);
    case LITH_TYPE_DOUBLE:
        memcpy(&real, value.data, sizeof(real));
        return real_text(real, 15, 17, false, arena, ret_text, err);
    case LITH_TYPE_BYTE_ARRAY:
    case LITH_TYPE_FIXED_LEN_BYTE_ARRAY:
        return binary_text(leaf, value, arena, ret_text, err);
    case LITH_TYPE_COUNT:
        break;
    }
    return LITH_OK;
}
