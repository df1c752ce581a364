/*
 * Widening, and the way back that proves it.
 */
#include "parquet/widen.h"

#include "base/checked.h"

#define FLOAT_FRACTION_BITS 23u
#define DOUBLE_FRACTION_BITS 52u
#define DOUBLE_EXPONENT_ALL 0x7ffu

static int64_t units_in_day(int unit)
{
    static const int64_t seconds = 86400;

    switch (unit) {
    case LITH_UNIT_MILLIS:
        return seconds * 1000;
    case LITH_UNIT_MICROS:
        return seconds * 1000 * 1000;
    default:
        return seconds * 1000 * 1000 * 1000;
    }
}

static enum lith_widening_kind kind_of(const struct lith_schema_node *from,
                                       const struct lith_schema_node *to)
{
    if (from->type == LITH_TYPE_FLOAT)
        return LITH_WIDEN_FLOAT;
    if (from->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        return LITH_WIDEN_LENGTH;
    if (to->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        return LITH_WIDEN_BYTES;
    return from->logical.kind == LITH_LOGICAL_DATE ? LITH_WIDEN_DATE : LITH_WIDEN_INTEGER;
}

struct lith_widening lith_widening_of(const struct lith_schema_node *from,
                                      const struct lith_schema_node *to)
{
    struct lith_widening widening = {
        .kind = kind_of(from, to),
        .type = to->type,
        .from_width = lith_type_width(from->type, from->type_length),
        .to_width = lith_type_width(to->type, to->type_length),
        .is_unsigned = from->logical.kind == LITH_LOGICAL_INTEGER && !from->logical.is_signed,
        .factor = units_in_day(to->logical.unit),
    };

    bool is_fixed = widening.kind == LITH_WIDEN_BYTES || widening.kind == LITH_WIDEN_LENGTH;
    LITH_ASSERT(is_fixed || (widening.from_width == 4 && widening.to_width == 8));
    LITH_ASSERT(widening.from_width > 0 && widening.to_width > 0);
    return widening;
}

static int64_t integer_at(const uint8_t *from, size_t width)
{
    return width == 4 ? (int32_t)lith_load_u32(from) : (int64_t)lith_load_u64(from);
}

/* A NaN is moved by its bits: processors make quiet ones of those that signal. */
static void float_widen(const uint8_t *from, uint8_t *to)
{
    uint32_t bits = lith_load_u32(from);
    float narrow;
    double wide;

    memcpy(&narrow, &bits, sizeof(narrow));
    if (narrow != narrow) {
        uint64_t fraction = bits & ((1u << FLOAT_FRACTION_BITS) - 1);
        lith_store_u64(to, (uint64_t)(bits >> 31) << 63 |
                               (uint64_t)DOUBLE_EXPONENT_ALL << DOUBLE_FRACTION_BITS |
                               fraction << (DOUBLE_FRACTION_BITS - FLOAT_FRACTION_BITS));
        return;
    }
    wide = (double)narrow;
    memcpy(to, &wide, sizeof(wide));
}

/* Two's complement, most significant byte first. */
static void bytes_widen(int64_t value, uint8_t *to, size_t width)
{
    for (size_t i = width; i > 0; i--) {
        to[i - 1] = (uint8_t)value;
        value = value < 0 ? ~(~value >> 8) : value >> 8;
    }
}

static enum lith_code date_widen(const struct lith_widening *widening, int64_t days, uint8_t *to,
                                 struct lith_err *err)
{
    int64_t units;

    if (__builtin_mul_overflow(days, widening->factor, &units))
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "the date of day %lld does not fit the timestamps that other files have",
                         (long long)days);
    lith_store_u64(to, (uint64_t)units);
    return LITH_OK;
}

static enum lith_code value_widen(const struct lith_widening *widening, const uint8_t *from,
                                  uint8_t *to, struct lith_err *err)
{
    switch (widening->kind) {
    case LITH_WIDEN_INTEGER:
        lith_store_u64(to, widening->is_unsigned
                               ? lith_load_u32(from)
                               : (uint64_t)integer_at(from, widening->from_width));
        return LITH_OK;
    case LITH_WIDEN_FLOAT:
        float_widen(from, to);
        return LITH_OK;
    case LITH_WIDEN_BYTES:
        bytes_widen(integer_at(from, widening->from_width), to, widening->to_width);
        return LITH_OK;
    case LITH_WIDEN_LENGTH:
        memset(to, from[0] & 0x80 ? 0xff : 0, widening->to_width - widening->from_width);
        memcpy(to + widening->to_width - widening->from_width, from, widening->from_width);
        return LITH_OK;
    case LITH_WIDEN_DATE:
        return date_widen(widening, integer_at(from, widening->from_width), to, err);
    }
    lith_assert_failed("a kind of widening", __FILE__, __LINE__);
}

/* The bits of the float that a double holds, where it is one; else another NaN than any. */
static uint64_t float_bits(uint64_t wide)
{
    uint32_t exponent = (uint32_t)(wide >> DOUBLE_FRACTION_BITS) & DOUBLE_EXPONENT_ALL;
    double number;
    float narrow;
    uint32_t bits;

    if (exponent == DOUBLE_EXPONENT_ALL) {
        uint64_t dropped = wide & ((1ull << (DOUBLE_FRACTION_BITS - FLOAT_FRACTION_BITS)) - 1);
        uint32_t fraction = (uint32_t)(wide >> (DOUBLE_FRACTION_BITS - FLOAT_FRACTION_BITS)) &
                            ((1u << FLOAT_FRACTION_BITS) - 1);
        return dropped ? UINT64_MAX : (uint32_t)(wide >> 63) << 31 | 0x7f800000u | fraction;
    }
    memcpy(&number, &wide, sizeof(number));
    narrow = (float)number;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

/* Whether big-endian bytes are the sign extension of a little-endian number. */
static bool bytes_are(const uint8_t *bytes, size_t width, const uint8_t *number,
                      size_t number_width)
{
    uint8_t sign = number[number_width - 1] & 0x80 ? 0xff : 0;

    for (size_t i = 0; i < width || i < number_width; i++) {
        uint8_t wanted = i < number_width ? number[i] : sign;
        uint8_t found = i < width ? bytes[width - 1 - i] : (bytes[0] & 0x80 ? 0xff : 0);
        if (wanted != found)
            return false;
    }
    return true;
}

/* Whether the bytes in front of a number say nothing but its sign. */
static bool is_extended(const uint8_t *narrow, const uint8_t *wide, size_t more)
{
    for (size_t i = 0; i < more; i++) {
        if (wide[i] != (uint8_t)(0 - (narrow[0] >> 7)))
            return false;
    }
    return true;
}

static bool value_is(const struct lith_widening *widening, const uint8_t *narrow,
                     const uint8_t *wide)
{
    switch (widening->kind) {
    case LITH_WIDEN_INTEGER:
        return memcmp(narrow, wide, 4) == 0 &&
               lith_load_u32(wide + 4) ==
                   (narrow[3] & 0x80 && !widening->is_unsigned ? UINT32_MAX : 0);
    case LITH_WIDEN_FLOAT:
        return float_bits(lith_load_u64(wide)) == lith_load_u32(narrow);
    case LITH_WIDEN_BYTES:
        return bytes_are(wide, widening->to_width, narrow, widening->from_width);
    case LITH_WIDEN_LENGTH: {
        size_t more = widening->to_width - widening->from_width;
        return is_extended(narrow, wide, more) &&
               memcmp(narrow, wide + more, widening->from_width) == 0;
    }
    case LITH_WIDEN_DATE: {
        int64_t units = (int64_t)lith_load_u64(wide);
        return units % widening->factor == 0 &&
               units / widening->factor == (int32_t)lith_load_u32(narrow);
    }
    }
    lith_assert_failed("a kind of widening", __FILE__, __LINE__);
}

enum lith_code lith_widen(const struct lith_widening *widening, const struct lith_values *from,
                          uint8_t *to, struct lith_err *err)
{
    size_t from_width = widening->from_width;
    size_t to_width = widening->to_width;

    LITH_ASSERT(from->count == 0 || from->fixed);
    for (size_t i = 0; i < from->count; i++)
        LITH_TRY(value_widen(widening, from->fixed + i * from_width, to + i * to_width, err));
    for (size_t i = 0; i < from->count; i++) {
        if (!value_is(widening, from->fixed + i * from_width, to + i * to_width))
            return lith_fail(err, LITH_E_CORRUPT,
                             "a value does not fit the type that other files have for the column: "
                             "it has more digits than the column's annotation allows");
    }
    return LITH_OK;
}

enum lith_code lith_widen_into(const struct lith_widening *widening, struct lith_values *values,
                               struct lith_buf *room, struct lith_err *err)
{
    lith_buf_clear(room);
    LITH_TRY(lith_buf_reserve(room, values->count * widening->to_width, err));
    LITH_TRY(lith_widen(widening, values, room->data, err));
    *values = (struct lith_values){.type = widening->type,
                                   .width = widening->to_width,
                                   .count = values->count,
                                   .fixed = room->data};
    return LITH_OK;
}
