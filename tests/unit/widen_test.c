/*
 * Widening: every kind at its edges, against values written down here; and what has no place.
 */
#include "support.h"

#include <math.h>

#include "parquet/widen.h"

static struct lith_schema_node leaf(enum lith_type type, int32_t length)
{
    return (struct lith_schema_node){.type = type, .type_length = length, .converted_type = -1};
}

static struct lith_schema_node decimal(enum lith_type type, int32_t length)
{
    struct lith_schema_node node = leaf(type, length);

    node.logical.kind = LITH_LOGICAL_DECIMAL;
    return node;
}

static struct lith_schema_node timestamp(int unit)
{
    struct lith_schema_node node = leaf(LITH_TYPE_INT64, 0);

    node.logical = (struct lith_logical){.kind = LITH_LOGICAL_TIMESTAMP, .unit = unit};
    return node;
}

static struct lith_schema_node date(void)
{
    struct lith_schema_node node = leaf(LITH_TYPE_INT32, 0);

    node.logical.kind = LITH_LOGICAL_DATE;
    return node;
}

static struct lith_schema_node unsigned_integer(enum lith_type type, int bits)
{
    struct lith_schema_node node = leaf(type, 0);

    node.logical = (struct lith_logical){.kind = LITH_LOGICAL_INTEGER, .bit_width = bits};
    return node;
}

/* Widens one value. */
static enum lith_code widen(struct lith_schema_node from, struct lith_schema_node to,
                            const void *value, void *ret_wide, struct lith_err *err)
{
    struct lith_widening widening = lith_widening_of(&from, &to);
    const struct lith_values values = {
        .type = from.type, .width = widening.from_width, .count = 1, .fixed = value};

    return lith_widen(&widening, &values, ret_wide, err);
}

static void integers(void **state)
{
    static const int32_t values[] = {0, 1, -1, INT32_MAX, INT32_MIN, 0x01020304, -2};
    struct lith_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int64_t wide;
        MUST(widen(leaf(LITH_TYPE_INT32, 0), leaf(LITH_TYPE_INT64, 0), &values[i], &wide, &err));
        assert_true(wide == values[i]);
        MUST(widen(decimal(LITH_TYPE_INT32, 0), decimal(LITH_TYPE_INT64, 0), &values[i], &wide,
                   &err));
        assert_true(wide == values[i]);
        MUST(widen(unsigned_integer(LITH_TYPE_INT32, 32), unsigned_integer(LITH_TYPE_INT64, 64),
                   &values[i], &wide, &err));
        assert_true((uint64_t)wide == (uint32_t)values[i]);
    }
}

static void floats(void **state)
{
    static const float values[] = {0.0f,   -0.0f,    1.5f,     -1e30f,    3.4028234e38f,
                                   1e-45f, 1.1e-38f, INFINITY, -INFINITY, 0.1f};
    static const uint32_t nans[][2] = {
        /* The upper halves of the doubles: the fraction is moved, its first bit says "quiet". */
        {0x7fc00000u, 0x7ff80000u},
        {0xffc00000u, 0xfff80000u},
        {0x7fa00000u, 0x7ff40000u}, /* one that signals */
        {0xff800008u, 0xfff00001u},
    };
    struct lith_err err;
    double wide;

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        MUST(widen(leaf(LITH_TYPE_FLOAT, 0), leaf(LITH_TYPE_DOUBLE, 0), &values[i], &wide, &err));
        double expected = (double)values[i];
        assert_memory_equal(&wide, &expected, sizeof(wide));
    }
    for (size_t i = 0; i < sizeof(nans) / sizeof(nans[0]); i++) {
        uint64_t bits;
        MUST(widen(leaf(LITH_TYPE_FLOAT, 0), leaf(LITH_TYPE_DOUBLE, 0), &nans[i][0], &bits, &err));
        assert_true(bits == (uint64_t)nans[i][1] << 32);
    }
}

static void decimals(void **state)
{
    static const int64_t number = -0x0102030405060708;
    static const uint8_t in_16[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xf8};
    static const int32_t small = 0x7fffff;
    static const int32_t large = 0x800000;
    uint8_t wide[16];
    struct lith_err err;

    (void)state;
    MUST(widen(decimal(LITH_TYPE_INT64, 0), decimal(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16), &number,
               wide, &err));
    assert_memory_equal(wide, in_16, 16);
    MUST(widen(decimal(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 9),
               decimal(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16), in_16 + 7, wide, &err));
    assert_memory_equal(wide, in_16, 16);
    MUST(widen(decimal(LITH_TYPE_INT32, 0), decimal(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3), &small,
               wide, &err));
    assert_memory_equal(wide, "\x7f\xff\xff", 3);
    /* More digits than the annotation allows, so that it does not fit. */
    assert_int_equal(widen(decimal(LITH_TYPE_INT32, 0), decimal(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3),
                           &large, wide, &err),
                     LITH_E_CORRUPT);
}

static void dates(void **state)
{
    static const struct {
        int unit;
        int32_t day;
        int64_t expected;
    } cases[] = {
        {LITH_UNIT_MILLIS, 1, 86400000},
        {LITH_UNIT_MICROS, -1, -86400000000},
        {LITH_UNIT_NANOS, 19000, 1641600000000000000},
        {LITH_UNIT_MILLIS, INT32_MAX, 185542587100800000},
        {LITH_UNIT_NANOS, 106751, 9223286400000000000},
    };
    const int32_t beyond = 106752;
    int64_t wide;
    struct lith_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MUST(widen(date(), timestamp(cases[i].unit), &cases[i].day, &wide, &err));
        assert_true(wide == cases[i].expected);
    }
    assert_int_equal(widen(date(), timestamp(LITH_UNIT_NANOS), &beyond, &wide, &err),
                     LITH_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats),
        cmocka_unit_test(decimals),
        cmocka_unit_test(dates),
    };

    return cmocka_run_group_tests_name("widen", tests, NULL, NULL);
}
