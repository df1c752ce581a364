/*
 * Extremes: numbers in one loop per type, strings by their first eight bytes before anything else.
 */
#include "verify/extremes.h"

/* Values that are compared side by side, so that none waits for the one before. */
#define LANES 8u

/* From `begin`, which is a value already found. */
#define NUMBERS(name, number)                                                                      \
    static void name(const uint8_t *at, size_t begin, size_t count, struct lith_extremes *e)       \
    {                                                                                              \
        number least[LANES], most[LANES], values[LANES];                                           \
        size_t i = begin;                                                                          \
        for (size_t lane = 0; lane < LANES; lane++)                                                \
            memcpy(&least[lane], at + begin * sizeof(number), sizeof(number));                     \
        memcpy(most, least, sizeof(most));                                                         \
        for (; i + LANES <= count; i += LANES) {                                                   \
            memcpy(values, at + i * sizeof(number), sizeof(values));                               \
            for (size_t lane = 0; lane < LANES; lane++) {                                          \
                least[lane] = values[lane] < least[lane] ? values[lane] : least[lane];             \
                most[lane] = values[lane] > most[lane] ? values[lane] : most[lane];                \
            }                                                                                      \
        }                                                                                          \
        for (; i < count; i++) {                                                                   \
            memcpy(values, at + i * sizeof(number), sizeof(number));                               \
            least[0] = values[0] < least[0] ? values[0] : least[0];                                \
            most[0] = values[0] > most[0] ? values[0] : most[0];                                   \
        }                                                                                          \
        for (size_t lane = 1; lane < LANES; lane++) {                                              \
            least[0] = least[lane] < least[0] ? least[lane] : least[0];                            \
            most[0] = most[lane] > most[0] ? most[lane] : most[0];                                 \
        }                                                                                          \
        memcpy(e->room[0], least, sizeof(number));                                                 \
        memcpy(e->room[1], most, sizeof(number));                                                  \
        e->found = true;                                                                           \
        e->min = (struct lith_slice){e->room[0], sizeof(number)};                                  \
        e->max = (struct lith_slice){e->room[1], sizeof(number)};                                  \
    }

NUMBERS(booleans, uint8_t)
NUMBERS(signed_32, int32_t)
NUMBERS(signed_64, int64_t)
NUMBERS(unsigned_32, uint32_t)
NUMBERS(unsigned_64, uint64_t)
NUMBERS(floats, float)
NUMBERS(doubles, double)

/* Comparisons with NaN are false: behind the first number NaNs change nothing. */
#define COUNT_NANS(name, number)                                                                   \
    static uint64_t name(const uint8_t *at, size_t count)                                          \
    {                                                                                              \
        number value;                                                                              \
        uint64_t nans = 0;                                                                         \
        for (size_t i = 0; i < count; i++) {                                                       \
            memcpy(&value, at + i * sizeof(value), sizeof(value));                                 \
            nans += value != value;                                                                \
        }                                                                                          \
        return nans;                                                                               \
    }

COUNT_NANS(float_nans, float)
COUNT_NANS(double_nans, double)

/* Any order, value by value. */
static void each(enum lith_order order, const struct lith_values *values, struct lith_extremes *e)
{
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        if (lith_order_is_nan(order, value)) {
            e->nans++;
            continue;
        }
        if (!e->found || lith_order_compare(order, value, e->min) < 0)
            e->min = value;
        if (!e->found || lith_order_compare(order, value, e->max) > 0)
            e->max = value;
        e->found = true;
    }
}

/* The first eight bytes as a number of the same order; zeros behind a shorter value. */
static uint64_t prefix_of(struct lith_slice value)
{
    uint64_t prefix = 0;

    if (value.bytes >= sizeof(prefix))
        memcpy(&prefix, value.data, sizeof(prefix));
    else if (value.bytes > 0)
        memcpy(&prefix, value.data, value.bytes);
    return __builtin_bswap64(prefix);
}

static void slices(const struct lith_slice *values, size_t count, struct lith_extremes *e)
{
    if (count == 0)
        return;
    struct lith_slice min = values[0];
    struct lith_slice max = values[0];
    uint64_t least = prefix_of(min);
    uint64_t most = least;
    for (size_t i = 1; i < count; i++) {
        uint64_t prefix = prefix_of(values[i]);
        if (prefix > least && prefix < most)
            continue;
        if (lith_order_compare(LITH_ORDER_BYTES, values[i], min) < 0) {
            min = values[i];
            least = prefix;
        }
        if (lith_order_compare(LITH_ORDER_BYTES, values[i], max) > 0) {
            max = values[i];
            most = prefix;
        }
    }
    e->found = true;
    e->min = min;
    e->max = max;
}

static void floating(enum lith_order order, const struct lith_values *values,
                     struct lith_extremes *e)
{
    bool is_float = order == LITH_ORDER_FLOAT;
    size_t begin = 0;

    e->nans = is_float ? float_nans(values->fixed, values->count)
                       : double_nans(values->fixed, values->count);
    while (begin < values->count && lith_order_is_nan(order, lith_values_at(values, begin)))
        begin++;
    if (begin == values->count)
        return;
    if (is_float)
        floats(values->fixed, begin, values->count, e);
    else
        doubles(values->fixed, begin, values->count, e);
}

void lith_extremes_find(enum lith_order order, const struct lith_values *values,
                        struct lith_extremes *ret_extremes)
{
    static void (*const numbers[])(const uint8_t *, size_t, size_t, struct lith_extremes *) = {
        [LITH_ORDER_BOOLEAN] = booleans,        [LITH_ORDER_SIGNED_32] = signed_32,
        [LITH_ORDER_SIGNED_64] = signed_64,     [LITH_ORDER_UNSIGNED_32] = unsigned_32,
        [LITH_ORDER_UNSIGNED_64] = unsigned_64, [LITH_ORDER_DECIMAL_BYTES] = NULL,
    };
    struct lith_extremes *e = ret_extremes;

    LITH_ASSERT(!values->ids);
    e->found = false;
    e->nans = 0;
    if (values->count == 0)
        return;
    if (numbers[order])
        numbers[order](values->fixed, 0, values->count, e);
    else if (order == LITH_ORDER_FLOAT || order == LITH_ORDER_DOUBLE)
        floating(order, values, e);
    else if (order == LITH_ORDER_BYTES && values->slices)
        slices(values->slices, values->count, e);
    else
        each(order, values, e);
}
