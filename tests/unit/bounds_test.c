/*
 * Bounds: NaN, zeros, decimals, truncation; and random runs against comparing value by value.
 */
#include "support.h"

#include <math.h>

#include "parquet/bounds.h"
#include "parquet/truncate.h"

static struct lith_mem mem;
static struct lith_err err;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 << 22, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

static struct lith_values fixed_values(enum lith_type type, const void *data, size_t width,
                                       size_t count)
{
    return (struct lith_values){.type = type, .width = width, .count = count, .fixed = data};
}

static struct lith_values text_values(const struct lith_slice *slices, size_t count)
{
    return (struct lith_values){.type = LITH_TYPE_BYTE_ARRAY, .count = count, .slices = slices};
}

/* Signs of zero are seen in the bytes, so bounds are compared as bytes. */
static void test_floats(void **state)
{
    static const struct {
        float values[3];
        size_t count;
        bool bounds;
        float min;
        float max;
        int64_t nans;
    } cases[] = {
        {{1, -2, 3}, 3, true, -2, 3, 0},
        {{0.0f, 0.0f}, 2, true, -0.0f, 0.0f, 0},
        {{-0.0f}, 1, true, -0.0f, 0.0f, 0},
        {{-0.0f, -5}, 2, true, -5, 0.0f, 0},
        {{NAN, 2, NAN}, 3, true, 2, 2, 2},
        {{NAN, NAN}, 2, false, 0, 0, 2},
        {{INFINITY, INFINITY}, 2, true, INFINITY, INFINITY, 0},
        {{-INFINITY, NAN}, 2, true, -INFINITY, -INFINITY, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_bounds bounds;
        struct lith_statistics s;
        struct lith_buf room;
        struct lith_values values =
            fixed_values(LITH_TYPE_FLOAT, cases[i].values, 4, cases[i].count);

        lith_bounds_init(&bounds, LITH_ORDER_FLOAT, &mem, 64);
        lith_buf_init(&room, &mem, 64);
        MUST(lith_bounds_add(&bounds, &values, &err));
        lith_bounds_add_nulls(&bounds, 7);
        MUST(lith_bounds_statistics(&bounds, false, 64, &room, &s, &err));
        assert_int_equal(s.min_value.data != NULL, cases[i].bounds);
        assert_int_equal(s.max_value.data != NULL, cases[i].bounds);
        assert_true(s.has_nan_count);
        assert_int_equal(s.nan_count, cases[i].nans);
        assert_true(s.has_null_count);
        assert_int_equal(s.null_count, 7);
        assert_int_equal(bounds.value_count, cases[i].count);
        if (cases[i].bounds) {
            assert_memory_equal(s.min_value.data, &cases[i].min, 4);
            assert_memory_equal(s.max_value.data, &cases[i].max, 4);
        }
        lith_bounds_done(&bounds);
        lith_buf_done(&room);
    }
}

struct cut_case {
    bool utf8;
    const char *value;
    size_t max; /* bytes */
    const char *lower;
    const char *upper; /* NULL: none, so neither bound is written */
};

static const struct cut_case cut_cases[] = {
    {true, "abcdef", 4, "abcd", "abce"},
    {false, "abcdef", 4, "abcd", "abce"},
    {false, "ab\xff\xff\xff", 4, "ab\xff\xff", "ac"},
    {false, "\xff\xff\xff\xff\xff", 4, NULL, NULL},
    {true, "aaa\xc3\xa9zz", 4, "aaa", "aab"}, /* e acute begins at byte 3 */
    {true, "aa\xc3\xa9zz", 4, "aa\xc3\xa9", "aa\xc3\xaa"},
    {true, "aa\xc3\xbfzz", 4, "aa\xc3\xbf", "aa\xc4\x80"},
    {true, "aaa\x7fzz", 4, "aaa\x7f", "aab"}, /* U+0080 would not fit */
    {true, "aa\x7fzzz", 5, "aa\x7fzz", "aa\x7fz{"},
    {true, "a\xed\x9f\xbf...", 4, "a\xed\x9f\xbf", "a\xee\x80\x80"}, /* over the surrogates */
    {true, "\xf4\x8f\xbf\xbfz", 4, NULL, NULL},                      /* the last code point */
    {true, "b\xf4\x8f\xbf\xbf!", 5, "b\xf4\x8f\xbf\xbf", "c"},
    {true, "ab\xff\xff\xff", 4, NULL, NULL},  /* not UTF-8 */
    {true, "\xed\xa0\x80zzz", 4, NULL, NULL}, /* a surrogate */
    {true, "\xc0\x80zzz", 4, NULL, NULL},     /* overlong */
};

static void test_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cut_cases) / sizeof(cut_cases[0]); i++) {
        const struct cut_case *c = &cut_cases[i];
        struct lith_slice value = lith_slice_text(c->value);
        struct lith_values values = text_values(&value, 1);
        struct lith_bounds bounds;
        struct lith_statistics s;
        struct lith_buf room;

        lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 64);
        lith_buf_init(&room, &mem, 64);
        MUST(lith_bounds_add(&bounds, &values, &err));
        MUST(lith_bounds_statistics(&bounds, c->utf8, c->max, &room, &s, &err));
        if ((s.min_value.data != NULL) != (c->lower != NULL) ||
            (s.max_value.data != NULL) != (c->upper != NULL))
            fail_msg("case %zu: bounds present: %d, %d", i, s.min_value.data != NULL,
                     s.max_value.data != NULL);
        if (c->lower && (!lith_slice_equal(s.min_value, lith_slice_text(c->lower)) ||
                         !lith_slice_equal(s.max_value, lith_slice_text(c->upper))))
            fail_msg("case %zu: %.*s %.*s", i, LITH_SLICE_ARGS(s.min_value),
                     LITH_SLICE_ARGS(s.max_value));
        assert_false(s.min_exact);
        assert_false(s.max_exact);
        lith_bounds_done(&bounds);
        lith_buf_done(&room);
    }
}

static void test_exact_and_dropped(void **state)
{
    struct lith_slice values[] = {lith_slice_text("m"), lith_slice_text(""),
                                  lith_slice_text("zzzzzzzz")};
    struct lith_values all = text_values(values, 3);
    struct lith_bounds bounds, other;
    struct lith_statistics s;
    struct lith_buf room;

    (void)state;
    lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 8);
    lith_bounds_init(&other, LITH_ORDER_BYTES, &mem, 100);
    lith_buf_init(&room, &mem, 64);
    MUST(lith_bounds_add(&bounds, &all, &err));
    MUST(lith_bounds_statistics(&bounds, true, 4, &room, &s, &err));
    assert_true(s.min_exact);
    assert_non_null(s.min_value.data); /* an empty bound is there */
    assert_int_equal(s.min_value.bytes, 0);
    assert_false(s.max_exact);
    assert_true(lith_slice_equal(s.max_value, lith_slice_text("zzz{")));

    /* A bound of more than the 8 bytes it may have ends the bounds, also through a merge. */
    values[0] = lith_slice_text("zzzzzzzzz");
    MUST(lith_bounds_add(&other, &all, &err));
    MUST(lith_bounds_merge(&bounds, &other, &err));
    assert_true(bounds.dropped);
    MUST(lith_bounds_statistics(&bounds, true, 64, &room, &s, &err));
    assert_null(s.min_value.data);
    assert_null(s.max_value.data);
    assert_int_equal(bounds.value_count, 6);
    lith_bounds_clear(&bounds);
    assert_false(bounds.dropped);
    lith_bounds_done(&bounds);
    lith_bounds_done(&other);
    lith_buf_done(&room);
}

static void test_never_truncated(void **state)
{
    struct lith_slice decimal = {(const uint8_t *)"\x01\x02\x03\x04\x05\x06", 6};
    struct lith_values decimals = text_values(&decimal, 1);
    struct lith_values fixed = fixed_values(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, decimal.data, 6, 1);
    struct lith_bounds bounds;
    struct lith_statistics s;
    struct lith_buf room;

    (void)state;
    lith_buf_init(&room, &mem, 64);
    for (int i = 0; i < 2; i++) {
        lith_bounds_init(&bounds, i ? LITH_ORDER_BYTES : LITH_ORDER_DECIMAL_BYTES, &mem, 64);
        MUST(lith_bounds_add(&bounds, i ? &fixed : &decimals, &err));
        MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
        assert_null(s.min_value.data);
        assert_null(s.max_value.data);
        MUST(lith_bounds_statistics(&bounds, false, 6, &room, &s, &err));
        assert_true(s.min_exact);
        lith_bounds_done(&bounds);
    }
    lith_buf_done(&room);
}

/* Runs of random values, added in two parts and merged, against comparing one by one. */
static void test_random_runs(void **state)
{
    static const struct {
        enum lith_order order;
        enum lith_type type;
        size_t width;
    } kinds[] = {
        {LITH_ORDER_SIGNED_32, LITH_TYPE_INT32, 4},
        {LITH_ORDER_UNSIGNED_32, LITH_TYPE_INT32, 4},
        {LITH_ORDER_SIGNED_64, LITH_TYPE_INT64, 8},
        {LITH_ORDER_UNSIGNED_64, LITH_TYPE_INT64, 8},
        {LITH_ORDER_FLOAT, LITH_TYPE_FLOAT, 4},
        {LITH_ORDER_DOUBLE, LITH_TYPE_DOUBLE, 8},
        {LITH_ORDER_FLOAT16, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2},
        {LITH_ORDER_BYTES, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3},
        {LITH_ORDER_DECIMAL_BYTES, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3},
    };
    uint64_t seed = test_seed();

    (void)state;
    for (size_t round = 0; round < 900; round++) {
        uint64_t data[50];
        size_t k = round % 9, width = kinds[k].width;
        size_t count = 1 + (size_t)(test_random(&seed) % (sizeof(data) / width));
        size_t split = (size_t)(test_random(&seed) % (count + 1));
        struct lith_bounds a, b;
        struct lith_values values;
        int64_t nans = 0;

        for (size_t i = 0; i < 50; i++)
            data[i] = test_random(&seed);
        const uint8_t *bytes = (const uint8_t *)data;
        lith_bounds_init(&a, kinds[k].order, &mem, 64);
        lith_bounds_init(&b, kinds[k].order, &mem, 64);
        values = fixed_values(kinds[k].type, bytes, width, split);
        MUST(lith_bounds_add(&a, &values, &err));
        values = fixed_values(kinds[k].type, bytes + split * width, width, count - split);
        MUST(lith_bounds_add(&b, &values, &err));
        MUST(lith_bounds_merge(&a, &b, &err));

        bool min_met = false, max_met = false;
        struct lith_slice min = {a.min.data, a.min.bytes}, max = {a.max.data, a.max.bytes};
        for (size_t i = 0; i < count; i++) {
            struct lith_slice value = {bytes + i * width, width};
            if (lith_order_is_nan(kinds[k].order, value)) {
                nans++;
                continue;
            }
            assert_true(lith_order_compare(kinds[k].order, min, value) <= 0);
            assert_true(lith_order_compare(kinds[k].order, max, value) >= 0);
            min_met |= lith_order_compare(kinds[k].order, min, value) == 0;
            max_met |= lith_order_compare(kinds[k].order, max, value) == 0;
        }
        assert_int_equal(a.nan_count, nans);
        assert_int_equal(a.value_count, count);
        assert_true(!a.has_bounds || (min_met && max_met));
        lith_bounds_done(&a);
        lith_bounds_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_exact_and_dropped),
        cmocka_unit_test(test_never_truncated),
        cmocka_unit_test(test_random_runs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
