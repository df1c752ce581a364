/*
 * Extremes of every order against values compared one by one.
 */
#include "support.h"

#include "verify/extremes.h"

#define COUNT 70u

static const struct {
    enum lith_order order;
    enum lith_type type;
    size_t width; /* 0: byte arrays */
} kinds[] = {
    {LITH_ORDER_BOOLEAN, LITH_TYPE_BOOLEAN, 1},
    {LITH_ORDER_SIGNED_32, LITH_TYPE_INT32, 4},
    {LITH_ORDER_SIGNED_64, LITH_TYPE_INT64, 8},
    {LITH_ORDER_UNSIGNED_32, LITH_TYPE_INT32, 4},
    {LITH_ORDER_UNSIGNED_64, LITH_TYPE_INT64, 8},
    {LITH_ORDER_FLOAT, LITH_TYPE_FLOAT, 4},
    {LITH_ORDER_DOUBLE, LITH_TYPE_DOUBLE, 8},
    {LITH_ORDER_FLOAT16, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2},
    {LITH_ORDER_BYTES, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 11},
    {LITH_ORDER_BYTES, LITH_TYPE_BYTE_ARRAY, 0},
    {LITH_ORDER_DECIMAL_BYTES, LITH_TYPE_BYTE_ARRAY, 0},
};

static void values_make(enum lith_order order, size_t width, uint8_t *fixed,
                        struct lith_slice *slices, uint64_t *seed)
{
    static const uint64_t nan = 0x7ff8000000000001;
    static uint8_t texts[COUNT][24];

    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = test_random(seed);
        for (size_t k = 0; k < width; k++)
            fixed[i * width + k] = (uint8_t)(bits >> (8 * (k % 8)));
        if (order == LITH_ORDER_BOOLEAN)
            fixed[i] &= 1;
        if (order == LITH_ORDER_DOUBLE && bits % 3 == 0)
            memcpy(fixed + i * width, &nan, width);
        if (order == LITH_ORDER_FLOAT && bits % 3 == 0)
            memset(fixed + i * width, 0xff, width);
        /* Prefixes of one another, equal in their first eight bytes, and with zeros. */
        memset(texts[i], 'a', sizeof(texts[i]));
        texts[i][bits % 24] = bits % 5 == 0 ? 0 : (uint8_t)('a' + bits % 3);
        slices[i] = (struct lith_slice){texts[i], 1 + (bits >> 8) % 24};
    }
}

static void find_plainly(enum lith_order order, const struct lith_values *values,
                         struct lith_extremes *e)
{
    *e = (struct lith_extremes){.found = false};
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

static void extremes_are_those_of_each_value(void **state)
{
    static uint8_t fixed[COUNT * 16];
    static struct lith_slice slices[COUNT];
    uint64_t seed = test_seed();

    (void)state;
    for (size_t round = 0; round < 200; round++) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            enum lith_order order = kinds[k].order;
            struct lith_extremes found;
            struct lith_extremes expected;
            values_make(order, kinds[k].width, fixed, slices, &seed);
            struct lith_values values = {.type = kinds[k].type,
                                         .width = kinds[k].width,
                                         .count = test_random(&seed) % (COUNT + 1)};
            if (kinds[k].width)
                values.fixed = fixed;
            else
                values.slices = slices;
            find_plainly(order, &values, &expected);
            lith_extremes_find(order, &values, &found);
            assert_int_equal(found.nans, expected.nans);
            assert_int_equal(found.found, expected.found);
            if (!found.found)
                continue;
            assert_int_equal(lith_order_compare(order, found.min, expected.min), 0);
            assert_int_equal(lith_order_compare(order, found.max, expected.max), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_are_those_of_each_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
