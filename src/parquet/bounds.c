/*
 * Bounds and counts of runs of values, and the statistics made of them.
 *
 * Numbers go through one tight loop per type; only the smallest and greatest of a run meet the
 * bounds held. parquet-splice.md sections 3.2 and 3.3: NaN is never a bound, zeros are widened.
 */
#include "parquet/bounds.h"

#include <math.h>
#include <string.h>

#include "parquet/truncate.h"

/* What one run of values has: its bounds, unless all are NaN. */
struct range {
    uint8_t min[8];
    uint8_t max[8];
    size_t nan_count;
};

#define RANGE_LOOP(name, number)                                                                   \
    static void name(const uint8_t *at, size_t count, struct range *range)                         \
    {                                                                                              \
        number min, max, value;                                                                    \
        memcpy(&min, at, sizeof(min));                                                             \
        max = min;                                                                                 \
        for (size_t i = 1; i < count; i++) {                                                       \
            memcpy(&value, at + i * sizeof(value), sizeof(value));                                 \
            min = value < min ? value : min;                                                       \
            max = value > max ? value : max;                                                       \
        }                                                                                          \
        memcpy(range->min, &min, sizeof(min));                                                     \
        memcpy(range->max, &max, sizeof(max));                                                     \
    }

/* A comparison with NaN is false, so NaN changes neither bound. */
#define RANGE_LOOP_FLOATING(name, number, infinity)                                                \
    static void name(const uint8_t *at, size_t count, struct range *range)                         \
    {                                                                                              \
        number min = (infinity), max = -(infinity), value;                                         \
        size_t nan_count = 0;                                                                      \
        for (size_t i = 0; i < count; i++) {                                                       \
            memcpy(&value, at + i * sizeof(value), sizeof(value));                                 \
            nan_count += value != value;                                                           \
            min = value < min ? value : min;                                                       \
            max = value > max ? value : max;                                                       \
        }                                                                                          \
        range->nan_count = nan_count;                                                              \
        memcpy(range->min, &min, sizeof(min));                                                     \
        memcpy(range->max, &max, sizeof(max));                                                     \
    }

RANGE_LOOP(u8_range, uint8_t)
RANGE_LOOP(i32_range, int32_t)
RANGE_LOOP(i64_range, int64_t)
RANGE_LOOP(u32_range, uint32_t)
RANGE_LOOP(u64_range, uint64_t)
RANGE_LOOP_FLOATING(float_range, float, HUGE_VALF)
RANGE_LOOP_FLOATING(double_range, double, HUGE_VAL)

static void float16_range(const uint8_t *at, size_t count, struct range *range)
{
    const uint8_t *min = NULL, *max = NULL;

    for (const uint8_t *end = at + count * 2; at < end; at += 2) {
        if (lith_order_is_nan(LITH_ORDER_FLOAT16, (struct lith_slice){at, 2})) {
            range->nan_count++;
            continue;
        }
        if (!min || lith_float16_rank(at) < lith_float16_rank(min))
            min = at;
        if (!max || lith_float16_rank(at) > lith_float16_rank(max))
            max = at;
    }
    if (min)
        memcpy(range->min, min, 2);
    if (max)
        memcpy(range->max, max, 2);
}

static const struct {
    void (*find)(const uint8_t *at, size_t count, struct range *range);
    size_t width;
} ranges[] = {
    [LITH_ORDER_NONE] = {NULL, 0},
    [LITH_ORDER_BOOLEAN] = {u8_range, 1},
    [LITH_ORDER_SIGNED_32] = {i32_range, 4},
    [LITH_ORDER_SIGNED_64] = {i64_range, 8},
    [LITH_ORDER_UNSIGNED_32] = {u32_range, 4},
    [LITH_ORDER_UNSIGNED_64] = {u64_range, 8},
    [LITH_ORDER_FLOAT] = {float_range, 4},
    [LITH_ORDER_DOUBLE] = {double_range, 8},
    [LITH_ORDER_FLOAT16] = {float16_range, 2},
    [LITH_ORDER_BYTES] = {NULL, 0},
    [LITH_ORDER_DECIMAL_BYTES] = {NULL, 0},
};

void lith_bounds_init(struct lith_bounds *bounds, enum lith_order order, struct lith_mem *mem,
                      size_t bytes_max)
{
    *bounds = (struct lith_bounds){.order = order};
    lith_buf_init(&bounds->min, mem, bytes_max);
    lith_buf_init(&bounds->max, mem, bytes_max);
}

void lith_bounds_done(struct lith_bounds *bounds)
{
    lith_buf_done(&bounds->min);
    lith_buf_done(&bounds->max);
}

void lith_bounds_clear(struct lith_bounds *bounds)
{
    bounds->has_bounds = false;
    bounds->dropped = false;
    bounds->value_count = 0;
    bounds->null_count = 0;
    bounds->nan_count = 0;
}

static void bounds_drop(struct lith_bounds *bounds)
{
    bounds->dropped = true;
    bounds->has_bounds = false;
}

/* Never NULL: an empty value is a bound that is there. */
static struct lith_slice buf_slice(const struct lith_buf *buf)
{
    return (struct lith_slice){buf->data ? buf->data : (const uint8_t *)"", buf->bytes};
}

static enum lith_code bound_set(struct lith_buf *buf, struct lith_slice value, struct lith_err *err)
{
    lith_buf_clear(buf);
    return lith_buf_append(buf, value.data, value.bytes, err);
}

/* The rules of ColumnOrder for floats: a reader must find both zeros between the bounds. */
static void zeros_widen(struct lith_bounds *bounds)
{
    if (lith_order_is_zero(bounds->order, buf_slice(&bounds->min)))
        bounds->min.data[bounds->min.bytes - 1] = 0x80;
    if (lith_order_is_zero(bounds->order, buf_slice(&bounds->max)))
        bounds->max.data[bounds->max.bytes - 1] = 0;
}

/* Takes a pair of bounds into those held. */
static enum lith_code bounds_widen(struct lith_bounds *bounds, struct lith_slice min,
                                   struct lith_slice max, struct lith_err *err)
{
    bool lower =
        !bounds->has_bounds || lith_order_compare(bounds->order, min, buf_slice(&bounds->min)) < 0;
    bool higher =
        !bounds->has_bounds || lith_order_compare(bounds->order, max, buf_slice(&bounds->max)) > 0;
    size_t bytes_max = bounds->min.limit;
    /* A decimal of no bytes is no number that a reader could take as a bound. */
    bool is_decimal = bounds->order == LITH_ORDER_DECIMAL_BYTES;

    if ((lower && (min.bytes > bytes_max || (is_decimal && min.bytes == 0))) ||
        (higher && (max.bytes > bytes_max || (is_decimal && max.bytes == 0)))) {
        bounds_drop(bounds);
        return LITH_OK;
    }
    if (lower)
        LITH_TRY(bound_set(&bounds->min, min, err));
    if (higher)
        LITH_TRY(bound_set(&bounds->max, max, err));
    bounds->has_bounds = true;
    zeros_widen(bounds);
    return LITH_OK;
}

static enum lith_code bytes_add(struct lith_bounds *bounds, const struct lith_values *values,
                                struct lith_err *err)
{
    struct lith_slice min = lith_values_at(values, 0);
    struct lith_slice max = min;

    for (size_t i = 1; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        if (lith_order_compare(bounds->order, value, min) < 0)
            min = value;
        else if (lith_order_compare(bounds->order, value, max) > 0)
            max = value;
    }
    return bounds_widen(bounds, min, max, err);
}

enum lith_code lith_bounds_add(struct lith_bounds *bounds, const struct lith_values *values,
                               struct lith_err *err)
{
    bounds->value_count += (int64_t)values->count;
    bounds->is_fixed = values->type != LITH_TYPE_BYTE_ARRAY;
    if (bounds->order == LITH_ORDER_NONE || bounds->dropped || values->count == 0)
        return LITH_OK;
    if (!ranges[bounds->order].find)
        return bytes_add(bounds, values, err);

    struct range range = {.nan_count = 0};
    size_t width = ranges[bounds->order].width;
    LITH_ASSERT(values->width == width);
    ranges[bounds->order].find(values->fixed, values->count, &range);
    bounds->nan_count += (int64_t)range.nan_count;
    if (range.nan_count == values->count)
        return LITH_OK;
    return bounds_widen(bounds, (struct lith_slice){range.min, width},
                        (struct lith_slice){range.max, width}, err);
}

void lith_bounds_add_nulls(struct lith_bounds *bounds, int64_t count)
{
    bounds->null_count += count;
}

enum lith_code lith_bounds_merge(struct lith_bounds *into, const struct lith_bounds *from,
                                 struct lith_err *err)
{
    LITH_ASSERT(into->order == from->order);
    into->value_count += from->value_count;
    into->null_count += from->null_count;
    into->nan_count += from->nan_count;
    into->is_fixed |= from->is_fixed;
    if (from->dropped)
        bounds_drop(into);
    if (into->dropped || !from->has_bounds)
        return LITH_OK;
    return bounds_widen(into, buf_slice(&from->min), buf_slice(&from->max), err);
}

/* Fills min and max from bounds longer than `bytes_max`; leaves both out where it cannot. */
static enum lith_code bounds_truncate(const struct lith_bounds *bounds, bool is_utf8,
                                      size_t bytes_max, struct lith_buf *room,
                                      struct lith_statistics *statistics, struct lith_err *err)
{
    struct lith_slice min = buf_slice(&bounds->min);
    struct lith_slice max = buf_slice(&bounds->max);

    if (bounds->order != LITH_ORDER_BYTES || bounds->is_fixed)
        return LITH_OK;
    if (min.bytes > bytes_max) {
        min.bytes = lith_truncate_min(min, is_utf8, bytes_max);
        if (min.bytes == 0)
            return LITH_OK;
    }
    if (max.bytes > bytes_max) {
        LITH_TRY(lith_buf_reserve(room, bytes_max, err));
        uint8_t *to = room->data + room->bytes;
        max.bytes = lith_truncate_max(max, is_utf8, bytes_max, to);
        if (max.bytes == 0)
            return LITH_OK;
        max.data = to;
        room->bytes += max.bytes;
    }
    statistics->min_exact = min.bytes == bounds->min.bytes;
    statistics->max_exact = max.data == bounds->max.data;
    statistics->min_value = min;
    statistics->max_value = max;
    return LITH_OK;
}

enum lith_code lith_bounds_statistics(const struct lith_bounds *bounds, bool is_utf8,
                                      size_t bytes_max, struct lith_buf *room,
                                      struct lith_statistics *ret_statistics, struct lith_err *err)
{
    struct lith_statistics statistics = {
        .has_null_count = true,
        .null_count = bounds->null_count,
        .has_nan_count = lith_order_is_floating(bounds->order),
        .nan_count = bounds->nan_count,
    };
    struct lith_slice min = buf_slice(&bounds->min);
    struct lith_slice max = buf_slice(&bounds->max);

    if (bounds->has_bounds && min.bytes <= bytes_max && max.bytes <= bytes_max) {
        statistics.min_value = min;
        statistics.max_value = max;
        /* A zero may have been widened, so it is not claimed as the very value. */
        statistics.min_exact = !lith_order_is_zero(bounds->order, min);
        statistics.max_exact = !lith_order_is_zero(bounds->order, max);
    } else if (bounds->has_bounds) {
        LITH_TRY(bounds_truncate(bounds, is_utf8, bytes_max, room, &statistics, err));
    }
    *ret_statistics = statistics;
    return LITH_OK;
}
