/*
 * Counts per value: against a plain array, beyond the table, and their comparison.
 */
#include "support.h"

#include "base/limits.h"
#include "parquet/dictionary.h"
#include "parquet/key_counts.h"

static struct lith_err err;
static struct lith_mem mem;

static enum lith_code add_range(struct lith_key_counts *counts, uint32_t begin, uint32_t end)
{
    static uint32_t values[LITH_BATCH_POSITIONS];

    while (begin < end) {
        size_t count = 0;
        for (; begin < end && count < LITH_BATCH_POSITIONS; begin++)
            values[count++] = begin;
        const struct lith_batch batch = {
            .position_count = count,
            .values = {.width = 4, .count = count, .fixed = (const uint8_t *)values}};
        LITH_TRY(lith_key_counts_add(counts, &batch, &err));
    }
    return LITH_OK;
}

static void add_text(struct lith_key_counts *counts, const char *text, size_t nulls)
{
    struct lith_slice slice = lith_slice_text(text);
    const struct lith_batch batch = {.position_count = 1 + nulls,
                                     .values = {.count = 1, .slices = &slice}};

    MUST(lith_key_counts_add(counts, &batch, &err));
}

static void values_are_counted(void **state)
{
    struct lith_key_counts counts;

    (void)state;
    lith_key_counts_init(&counts, &mem);
    for (uint32_t i = 0; i < 3000; i++)
        MUST(add_range(&counts, i % 7, 1000 + i % 13));
    assert_int_equal(counts.distinct, 1012);
    for (uint32_t value = 0; value < 1020; value++) {
        uint64_t expected = 0;
        for (uint32_t i = 0; i < 3000; i++)
            expected += value >= i % 7 && value < 1000 + i % 13;
        struct lith_slice slice = {(const uint8_t *)&value, 4};
        assert_int_equal(lith_key_counts_of(&counts, slice), expected);
    }
    lith_key_counts_done(&counts);
}

/* One by one, in runs, and as ids of dictionaries of both sizes. */
static void ways_to_add_are_one(void **state)
{
    static uint32_t entries[1000];
    static uint32_t ids[LITH_BATCH_POSITIONS];
    static uint32_t values[LITH_BATCH_POSITIONS];
    static const uint32_t sizes[] = {1, 100, 256, 257, 1000};
    uint64_t seed = test_seed();

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct lith_dictionary dictionary = {
            .width = 4, .count = sizes[s], .fixed = (const uint8_t *)entries};
        struct lith_key_counts each;
        struct lith_key_counts runs;
        struct lith_key_counts by_id;
        struct lith_batch batch = {.position_count = 1, .values = {.width = 4, .count = 1}};
        lith_key_counts_init(&each, &mem);
        lith_key_counts_init(&runs, &mem);
        lith_key_counts_init(&by_id, &mem);
        for (uint32_t i = 0; i < sizes[s]; i++)
            entries[i] = i * i;
        for (size_t i = 0; i < LITH_BATCH_POSITIONS; i++) {
            bool again = i > 0 && test_random(&seed) % 3 > 0;
            ids[i] = again ? ids[i - 1] : (uint32_t)(test_random(&seed) % sizes[s]);
            values[i] = entries[ids[i]];
            batch.values.fixed = (const uint8_t *)&values[i];
            MUST(lith_key_counts_add(&each, &batch, &err));
        }
        batch.position_count = batch.values.count = LITH_BATCH_POSITIONS;
        batch.values.fixed = (const uint8_t *)values;
        MUST(lith_key_counts_add(&runs, &batch, &err));
        batch.values.fixed = NULL;
        batch.values.ids = ids;
        batch.values.dictionary = &dictionary;
        MUST(lith_key_counts_add(&by_id, &batch, &err));
        MUST(lith_key_counts_compare(&each, &runs, &err));
        MUST(lith_key_counts_compare(&each, &by_id, &err));
        assert_true(lith_hash128_equal(each.sum, runs.sum));
        assert_true(lith_hash128_equal(each.sum, by_id.sum));
        lith_key_counts_done(&each);
        lith_key_counts_done(&runs);
        lith_key_counts_done(&by_id);
    }
}

static void differences_are_named(void **state)
{
    struct lith_key_counts a;
    struct lith_key_counts b;

    (void)state;
    lith_key_counts_init(&a, &mem);
    lith_key_counts_init(&b, &mem);
    add_text(&a, "login", 1);
    add_text(&a, "logout", 0);
    add_text(&b, "logout", 0);
    add_text(&b, "login", 1);
    MUST(lith_key_counts_compare(&a, &b, &err));
    add_text(&b, "login", 0);
    assert_int_equal(lith_key_counts_compare(&a, &b, &err), LITH_E_CORRUPT);
    assert_string_equal(err.text, "value login occurs 2 times, it must be 1");
    add_text(&a, "login", 0);
    add_text(&b, "other\n", 0);
    assert_int_equal(lith_key_counts_compare(&a, &b, &err), LITH_E_CORRUPT);
    assert_string_equal(err.text, "value 6f746865720a occurs 1 times, it must be 0");
    add_text(&a, "other\n", 3);
    assert_int_equal(lith_key_counts_compare(&a, &b, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "1 nulls and 4 values, it must be 4 and 4"));
    lith_key_counts_done(&a);
    lith_key_counts_done(&b);
}

static void many_values_fold_to_a_sum(void **state)
{
    struct lith_key_counts a;
    struct lith_key_counts b;
    uint32_t many = LITH_KEY_VALUES_MAX + 10;

    (void)state;
    lith_key_counts_init(&a, &mem);
    lith_key_counts_init(&b, &mem);
    MUST(add_range(&a, 0, many));
    MUST(add_range(&b, many / 2, many));
    MUST(add_range(&b, 0, many / 2));
    assert_true(a.folded);
    assert_true(b.folded);
    MUST(lith_key_counts_compare(&a, &b, &err));
    MUST(add_range(&a, 5, 6));
    MUST(add_range(&b, 6, 7));
    assert_int_equal(lith_key_counts_compare(&a, &b, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "not the same ones"));
    lith_key_counts_done(&a);
    lith_key_counts_done(&b);
}

/* No budget for a table is no failure, no memory at all is. */
static void memory_may_end(void **state)
{
    struct lith_key_counts counts;
    struct lith_mem small;

    (void)state;
    lith_mem_init(&small, 8192, NULL);
    lith_key_counts_init(&counts, &small);
    MUST(add_range(&counts, 0, 1000));
    assert_true(counts.folded);
    lith_key_counts_done(&counts);
    lith_key_counts_init(&counts, &small);
    atomic_store(&small.fail_after, 0);
    assert_int_equal(add_range(&counts, 0, 1000), LITH_E_NOMEM);
    lith_key_counts_done(&counts);
    lith_mem_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_counted),    cmocka_unit_test(ways_to_add_are_one),
        cmocka_unit_test(differences_are_named), cmocka_unit_test(many_values_fold_to_a_sum),
        cmocka_unit_test(memory_may_end),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
