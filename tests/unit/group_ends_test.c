/*
 * The ends of row groups: equal parts where nothing is long, and borders where a first key changes.
 */
#include "mem_support.h"

#include "merge/group_ends.h"

#define STRETCHES_MAX 200

static struct lith_err err;

/* Row groups of at most 80 rows: 40 are long, 10 are one of their own. */
static void pieces(void **state)
{
    static const struct {
        struct lith_key_stretch stretches[4];
        size_t stretch_count;
        uint64_t row_count;
        uint64_t ends[8];
        size_t count;
    } cases[] = {
        {{{0}}, 0, 0, {0}, 0},
        {{{0}}, 0, 80, {80}, 1},
        {{{0}}, 0, 81, {41, 81}, 2},
        {{{0}}, 0, 250, {63, 126, 189, 250}, 4},
        {{{0, 250}}, 1, 250, {63, 126, 189, 250}, 4},           /* all are the same */
        {{{0, 40}, {40, 121}}, 2, 121, {40, 81, 121}, 3},       /* side by side */
        {{{0, 40}, {49, 90}}, 2, 90, {49, 90}, 2},              /* few go with those before */
        {{{0, 40}, {50, 90}}, 2, 90, {40, 50, 90}, 3},          /* some do not */
        {{{9, 60}}, 1, 69, {69}, 1},                            /* or behind, then before */
        {{{10, 60}}, 1, 70, {10, 60, 70}, 3},                   /* likewise */
        {{{0, 75}, {84, 124}}, 2, 124, {42, 84, 124}, 3},       /* too many together */
        {{{90, 130}}, 1, 300, {45, 90, 130, 187, 244, 300}, 6}, /* among many */
        {{{5, 45}, {50, 90}, {95, 135}}, 3, 140, {50, 95, 140}, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_group_ends ends;
        MUST(lith_group_ends_init(&ends, cases[i].stretches, cases[i].stretch_count,
                                  cases[i].row_count, 80, &mem, &err));
        if (ends.count != cases[i].count)
            fail_msg("case %zu: %zu row groups, not %zu", i, ends.count, cases[i].count);
        for (size_t k = 0; k < ends.count; k++) {
            if (ends.ends[k] != cases[i].ends[k])
                fail_msg("case %zu: an end at %" PRIu64 ", not %" PRIu64, i, ends.ends[k],
                         cases[i].ends[k]);
        }
        lith_group_ends_done(&ends);
        lith_group_ends_done(&ends);
    }
}

static bool ends_at(const struct lith_group_ends *ends, uint64_t row)
{
    for (size_t i = 0; i < ends->count; i++) {
        if (ends->ends[i] == row)
            return true;
    }
    return row == 0;
}

/* Rows in a random order of long stretches and others. */
static size_t stretches_make(struct lith_key_stretch *stretches, uint64_t rows_max,
                             uint64_t *ret_rows, uint64_t *seed)
{
    size_t count = test_random(seed) % STRETCHES_MAX;
    uint64_t row = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t gap = test_random(seed) % 3 ? test_random(seed) % (rows_max / 4 + 1)
                                             : test_random(seed) % 2 * test_random(seed) % 5000;
        uint64_t more = test_random(seed) % (test_random(seed) % 4 ? rows_max : 3000);
        stretches[i].begin = row + gap;
        row = stretches[i].end = row + gap + lith_group_ends_rows_min(rows_max) + more;
    }
    *ret_rows = row + test_random(seed) % (rows_max + 1);
    return count;
}

/* Ends ascend to the last row, none of the groups is too large, there are not many of them, and
 * each stretch begins and ends with one but where few rows stand beside it. */
static void whatever_the_stretches(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 5000; round++) {
        struct lith_key_stretch stretches[STRETCHES_MAX];
        struct lith_group_ends ends;
        uint64_t rows_max = 1 + test_random(&seed) % (round % 3 ? 500 : 9);
        uint64_t rows, before = 0, few = rows_max / 8;
        size_t count = stretches_make(stretches, rows_max, &rows, &seed);
        MUST(lith_group_ends_init(&ends, stretches, count, rows, rows_max, &mem, &err));
        for (size_t i = 0; i < ends.count; i++) {
            assert_true(ends.ends[i] > before);
            assert_true(ends.ends[i] - before <= rows_max);
            before = ends.ends[i];
        }
        assert_int_equal(before, rows);
        assert_true(ends.count <= rows / rows_max + 2 * count + 1);
        for (size_t i = 0; i < count; i++) {
            uint64_t gap = stretches[i].begin - (i ? stretches[i - 1].end : 0);
            uint64_t behind = (i + 1 < count ? stretches[i + 1].begin : rows) - stretches[i].end;
            /* Rows before the first stretch go with it, others with the stretch before them. */
            assert_true(ends_at(&ends, stretches[i].begin) || (gap > 0 && gap < few && i == 0));
            assert_true(ends_at(&ends, stretches[i].end) || (behind > 0 && behind < few));
        }
        lith_group_ends_done(&ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces, mem_setup, mem_teardown),
        cmocka_unit_test_setup_teardown(whatever_the_stretches, mem_setup, mem_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
