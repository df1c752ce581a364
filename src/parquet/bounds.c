/*
 * Bounds and counts of runs of values or of facts, and the statistics made of them.
 *
 * Numbers go through one tight loop per type; only the smallest and greatest of a run meet the
 * bounds held. parquet-splice.md sections 3.2 and 3.3: NaN is never a bound, zeros are widened.
 */
#include "parquet/bounds.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
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
    bounds->min_exact = false;
    bounds->max_exact = false;
    bounds->nulls_unknown = false;
    bounds->nans_unknown = false;
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

/* A pair that goes into the bounds held. */
struct pair {
    struct lith_slice min;
    struct lith_slice max;
    bool min_exact; /* it is a value */
    bool max_exact;
};

/* How a bound is to the one held: negative is further out. An equal one replaces one that is not
 * exact: a decimal has several forms, and the value's own is the one to show. */
static int bound_compare(const struct lith_bounds *bounds, struct lith_slice bound, bool is_max)
{
    if (!bounds->has_bounds)
        return -1;
    if (is_max)
        return lith_order_compare(bounds->order, buf_slice(&bounds->max), bound);
    return lith_order_compare(bounds->order, bound, buf_slice(&bounds->min));
}

static enum lith_code bounds_widen(struct lith_bounds *bounds, const struct pair *pair,
                                   struct lith_err *err)
{
    int min = bound_compare(bounds, pair->min, false);
    int max = bound_compare(bounds, pair->max, true);
    bool lower = min < 0 || (min == 0 && pair->min_exact && !bounds->min_exact);
    bool higher = max < 0 || (max == 0 && pair->max_exact && !bounds->max_exact);
    size_t bytes_max = bounds->min.limit;
    /* A decimal of no bytes is no number that a reader could take as a bound. */
    bool is_decimal = bounds->order == LITH_ORDER_DECIMAL_BYTES;

    if ((lower && (pair->min.bytes > bytes_max || (is_decimal && pair->min.bytes == 0))) ||
        (higher && (pair->max.bytes > bytes_max || (is_decimal && pair->max.bytes == 0)))) {
        bounds_drop(bounds);
        return LITH_OK;
    }
    if (lower) {
        LITH_TRY(bound_set(&bounds->min, pair->min, err));
        bounds->min_exact = pair->min_exact;
    }
    if (higher) {
        LITH_TRY(bound_set(&bounds->max, pair->max, err));
        bounds->max_exact = pair->max_exact;
    }
    bounds->has_bounds = true;
    zeros_widen(bounds);
    return LITH_OK;
}

/* Takes the smallest and the greatest of values. */
static enum lith_code values_widen(struct lith_bounds *bounds, struct lith_slice min,
                                   struct lith_slice max, struct lith_err *err)
{
    struct pair pair = {.min = min, .max = max, .min_exact = true, .max_exact = true};

    return bounds_widen(bounds, &pair, err);
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
    return values_widen(bounds, min, max, err);
}

enum lith_code lith_bounds_add(struct lith_bounds *bounds, const struct lith_values *values,
                               struct lith_err *err)
{
    bounds->value_count += (int64_t)values->count;
    bounds->is_fixed = values->type != LITH_TYPE_BYTE_ARRAY;
    if (bounds->order == LITH_ORDER_NONE || values->count == 0)
        return LITH_OK;
    /* Without bounds NaN is still counted. */
    if (bounds->dropped && !lith_order_is_floating(bounds->order))
        return LITH_OK;
    if (!ranges[bounds->order].find)
        return bytes_add(bounds, values, err);

    struct range range = {.nan_count = 0};
    size_t width = ranges[bounds->order].width;
    LITH_ASSERT(values->width == width);
    ranges[bounds->order].find(values->fixed, values->count, &range);
    bounds->nan_count += (int64_t)range.nan_count;
    if (bounds->dropped || range.nan_count == values->count)
        return LITH_OK;
    return values_widen(bounds, (struct lith_slice){range.min, width},
                        (struct lith_slice){range.max, width}, err);
}

void lith_bounds_add_nulls(struct lith_bounds *bounds, int64_t count)
{
    bounds->null_count += count;
}

/* Certainly nothing that bounds would be about. */
static bool facts_need_no_bounds(const struct lith_facts *facts)
{
    return facts->is_all_null || (facts->has_null_count && facts->has_nan_count &&
                                  facts->null_count + facts->nan_count == facts->positions);
}

enum lith_code lith_bounds_add_facts(struct lith_bounds *bounds, const struct lith_facts *facts,
                                     struct lith_err *err)
{
    int64_t nulls = facts->has_null_count ? facts->null_count : 0;
    int64_t nans = facts->has_nan_count ? facts->nan_count : 0;
    struct pair pair = {facts->min, facts->max, facts->min_exact, facts->max_exact};

    if (!lith_add_i64(bounds->null_count, nulls, &bounds->null_count) ||
        !lith_add_i64(bounds->nan_count, nans, &bounds->nan_count) ||
        !lith_add_i64(bounds->value_count, facts->positions - nulls, &bounds->value_count))
        return lith_fail(err, LITH_E_LIMIT, "the values of a chunk are more than a number holds");
    bounds->nulls_unknown |= !facts->has_null_count;
    bounds->nans_unknown |= !facts->has_nan_count && !facts->is_all_null;
    bounds->is_fixed |= facts->is_fixed;
    if (bounds->order == LITH_ORDER_NONE || bounds->dropped || facts_need_no_bounds(facts))
        return LITH_OK;
    if (facts->has_bounds)
        return bounds_widen(bounds, &pair, err);
    bounds_drop(bounds);
    return LITH_OK;
}

enum lith_code lith_bounds_merge(struct lith_bounds *into, const struct lith_bounds *from,
                                 struct lith_err *err)
{
    struct pair pair = {buf_slice(&from->min), buf_slice(&from->max), from->min_exact,
                        from->max_exact};

    LITH_ASSERT(into->order == from->order);
    if (!lith_add_i64(into->value_count, from->value_count, &into->value_count) ||
        !lith_add_i64(into->null_count, from->null_count, &into->null_count) ||
        !lith_add_i64(into->nan_count, from->nan_count, &into->nan_count))
        return lith_fail(err, LITH_E_LIMIT, "the values of a chunk are more than a number holds");
    into->is_fixed |= from->is_fixed;
    into->nulls_unknown |= from->nulls_unknown;
    into->nans_unknown |= from->nans_unknown;
    if (from->dropped)
        bounds_drop(into);
    if (into->dropped || !from->has_bounds)
        return LITH_OK;
    return bounds_widen(into, &pair, err);
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
    statistics->min_exact = bounds->min_exact && min.bytes == bounds->min.bytes;
    statistics->max_exact = bounds->max_exact && max.data == bounds->max.data;
    statistics->min_value = min;
    statistics->max_value = max;
    return LITH_OK;
}

enum lith_code lith_bounds_statistics(const struct lith_bounds *bounds, bool is_utf8,
                                      size_t bytes_max, struct lith_buf *room,
                                      struct lith_statistics *ret_statistics, struct lith_err *err)
{
    struct lith_statistics statistics = {
        .has_null_count = !bounds->nulls_unknown,
        .null_count = bounds->null_count,
        .has_nan_count = lith_order_is_floating(bounds->order) && !bounds->nans_unknown,
        .nan_count = bounds->nan_count,
    };
    struct lith_slice min = buf_slice(&bounds->min);
    struct lith_slice max = buf_slice(&bounds->max);

    if (bounds->has_bounds && min.bytes <= bytes_max && max.bytes <= bytes_max) {
        statistics.min_value = min;
        statistics.max_value = max;
        /* A zero may have been widened, so it is not claimed as the very value. */
        statistics.min_exact = bounds->min_exact && !lith_order_is_zero(bounds->order, min);
        statistics.max_exact = bounds->max_exact && !lith_order_is_zero(bounds->order, max);
    } else if (bounds->has_bounds) {
        LITH_TRY(bounds_truncate(bounds, is_utf8, bytes_max, room, &statistics, err));
    }
    *ret_statistics = statistics;
    return LITH_OK;
}
