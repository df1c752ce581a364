/*
 * The layout of outputs: row groups and files close by their own bounds.
 */
#include "support.h"

#include "merge/layout.h"

#define MIB ((uint64_t)1 << 20)

static const struct lith_unit units[] = {
    {.rows = 100, .uncompressed_bytes = 40, .compressed_bytes = 10},
    {.rows = 100, .uncompressed_bytes = 40, .compressed_bytes = 10},
    {.rows = 900, .uncompressed_bytes = 40, .compressed_bytes = 10},
    {.rows = 100, .uncompressed_bytes = 500, .compressed_bytes = 10},
    {.rows = 1, .uncompressed_bytes = 1, .compressed_bytes = 10},
    {.rows = INT64_MAX, .uncompressed_bytes = UINT64_MAX, .compressed_bytes = 10},
};

/* Where the row group that begins at `begin` ends. */
static size_t row_group_end(size_t begin, const struct lith_layout_limits *limits)
{
    struct lith_layout_row_group group = {0};
    size_t end = begin + 1;

    assert_true(lith_layout_begins(&group, &units[begin], limits));
    while (end < 6 && !lith_layout_begins(&group, &units[end], limits))
        end++;
    return end;
}

static void test_row_group_end(void **state)
{
    static const struct {
        struct lith_layout_limits limits;
        size_t begin;
        size_t end;
    } cases[] = {
        {{0, 0, 0}, 0, 5},     /* no bounds: all, up to where sums would wrap */
        {{120, 0, 0}, 0, 3},   /* exactly full */
        {{119, 0, 0}, 0, 2},   /* one byte less */
        {{0, 1100, 0}, 0, 3},  /* rows exactly full */
        {{0, 1099, 0}, 0, 2},  /* one row less */
        {{10, 0, 0}, 0, 1},    /* a unit above the bound stands alone */
        {{10, 5, 0}, 3, 4},    /* likewise in the middle */
        {{501, 0, 0}, 3, 5},   /* bytes of both */
        {{0, 0, 0}, 5, 6},     /* the last one */
        {{120, 200, 0}, 0, 2}, /* the tighter of the two */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t end = row_group_end(cases[i].begin, &cases[i].limits);
        if (end != cases[i].end)
            fail_msg("case %zu: ends at %zu, expected %zu", i, end, cases[i].end);
    }
}

static void test_file_count(void **state)
{
    (void)state;
    assert_int_equal(lith_layout_file_count(0, 512 * MIB), 1);
    assert_int_equal(lith_layout_file_count(100 * MIB, 512 * MIB), 1);
    assert_int_equal(lith_layout_file_count(767 * MIB, 512 * MIB), 1);
    assert_int_equal(lith_layout_file_count(768 * MIB, 512 * MIB), 2);
    assert_int_equal(lith_layout_file_count(1024 * MIB, 512 * MIB), 2);
    assert_int_equal(lith_layout_file_count(10, 0), 1); /* no bound */
    assert_int_equal(lith_layout_file_count(UINT64_MAX, 1), UINT64_MAX);
}

static void test_file_goal(void **state)
{
    (void)state;
    assert_true(lith_layout_file_goal(1000, 1) == UINT64_MAX); /* the last takes what is left */
    assert_int_equal(lith_layout_file_goal(1000, 4), 250);
    assert_int_equal(lith_layout_file_goal(0, 4), 0);
}

static void test_scaled(void **state)
{
    (void)state;
    assert_int_equal(lith_layout_scaled(100, 0, 0), 100); /* nothing is known yet */
    assert_int_equal(lith_layout_scaled(100, 30, 10), 300);
    assert_int_equal(lith_layout_scaled(100, 10, 40), 25);
    assert_int_equal(lith_layout_scaled(0, 10, 40), 0);
    assert_int_equal(lith_layout_scaled(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_group_end),
        cmocka_unit_test(test_file_count),
        cmocka_unit_test(test_file_goal),
        cmocka_unit_test(test_scaled),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
