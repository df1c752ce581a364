/*
 * Multisets of hashes against the plain way to compare them, with tables from ample to tiny.
 */
#include "support.h"

#include "verify/row_subset.h"

#define COUNT_MAX 3000u
#define MANY 200000u

static struct lith_err err;
static struct lith_mem mem;

/* Hashes of a few values by turns, so that most stand several times. */
static struct lith_hash128 hash_of(uint64_t value)
{
    return lith_hash128(&value, sizeof(value), 7);
}

static bool ask(const struct lith_hash128 *part, size_t part_count,
                const struct lith_hash128 *whole, size_t whole_count, size_t table_bytes)
{
    struct lith_memory_source a, b;
    bool is_subset = false;

    lith_memory_source_init(&a, part, part_count * sizeof(*part));
    lith_memory_source_init(&b, whole, whole_count * sizeof(*whole));
    MUST(lith_row_subset(&a.base, &b.base, table_bytes, &mem, &is_subset, &err));
    return is_subset;
}

/* One value of each multiset at a time. */
static bool ask_plainly(const uint32_t *part, const uint32_t *whole, size_t values)
{
    for (size_t i = 0; i < values; i++) {
        if (part[i] > whole[i])
            return false;
    }
    return true;
}

static size_t spread(const uint32_t *counts, size_t values, struct lith_hash128 *to, uint64_t *seed)
{
    size_t count = 0;

    for (size_t i = 0; i < values; i++) {
        for (uint32_t k = 0; k < counts[i]; k++)
            to[count++] = hash_of(i);
    }
    for (size_t i = count; i > 1; i--) {
        size_t k = test_random(seed) % i;
        struct lith_hash128 kept = to[i - 1];
        to[i - 1] = to[k];
        to[k] = kept;
    }
    return count;
}

static void random_multisets(void **state)
{
    static struct lith_hash128 part[COUNT_MAX], whole[COUNT_MAX];
    uint32_t in_part[COUNT_MAX / 4], in_whole[COUNT_MAX / 4];
    uint64_t seed = test_seed();
    unsigned yes = 0;

    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        size_t values = 1 + test_random(&seed) % (COUNT_MAX / 4);
        for (size_t i = 0; i < values; i++) {
            in_whole[i] = (uint32_t)(test_random(&seed) % 5);
            in_part[i] = (uint32_t)(test_random(&seed) % (in_whole[i] + 1));
        }
        if (round % 2) /* one row more than there is */
            in_part[test_random(&seed) % values] = 4;
        bool expected = ask_plainly(in_part, in_whole, values);
        size_t part_count = spread(in_part, values, part, &seed);
        size_t whole_count = spread(in_whole, values, whole, &seed);
        for (size_t bytes = 1; bytes < (size_t)1 << 20; bytes *= 16)
            assert_int_equal(ask(part, part_count, whole, whole_count, bytes), expected);
        yes += expected;
    }
    assert_in_range(yes, 150, 300);
}

/* Far more rows than a table has slots; and as many that are all the same. */
static void more_than_fits(void **state)
{
    struct lith_hash128 *hashes = calloc(MANY, sizeof(*hashes));
    struct lith_hash128 *same = calloc(MANY, sizeof(*same));

    (void)state;
    assert_true(hashes && same);
    for (size_t i = 0; i < MANY; i++)
        hashes[i] = hash_of(i);
    assert_true(ask(hashes, MANY, hashes, MANY, 1 << 16));
    assert_true(ask(hashes, MANY - 1, hashes, MANY, 1 << 16));
    assert_false(ask(hashes, MANY, hashes, MANY - 1, 1 << 16));
    hashes[MANY / 2] = hash_of(3);
    assert_false(ask(same, 1, hashes, MANY, 1 << 16));
    assert_true(ask(same, MANY, same, MANY, 1));
    assert_false(ask(same, MANY, same, MANY - 1, 1));
    free(hashes);
    free(same);
}

static void nothing_is_among_anything(void **state)
{
    struct lith_hash128 one = hash_of(1);

    (void)state;
    assert_true(ask(&one, 0, &one, 0, 1));
    assert_true(ask(&one, 0, &one, 1, 1));
    assert_false(ask(&one, 1, &one, 0, 1));
}

/* Hashes that begin alike never fall apart into tables that fit: told, not gone on with for ever.
 */
static void hashes_of_an_enemy(void **state)
{
    struct lith_hash128 *alike = calloc(COUNT_MAX, sizeof(*alike));
    struct lith_memory_source source;
    bool is_subset;

    (void)state;
    assert_non_null(alike);
    for (size_t i = 0; i < COUNT_MAX; i++)
        alike[i].low = i;
    lith_memory_source_init(&source, alike, COUNT_MAX * sizeof(*alike));
    assert_int_equal(lith_row_subset(&source.base, &source.base, 1, &mem, &is_subset, &err),
                     LITH_E_LIMIT);
    free(alike);
}

static void allocations_may_fail(void **state)
{
    struct lith_hash128 one = hash_of(1);
    struct lith_memory_source source;
    bool is_subset;

    (void)state;
    lith_memory_source_init(&source, &one, sizeof(one));
    for (int64_t n = 0; n < 2; n++) {
        atomic_store(&mem.fail_after, n);
        assert_int_equal(lith_row_subset(&source.base, &source.base, 1, &mem, &is_subset, &err),
                         LITH_E_NOMEM);
    }
    atomic_store(&mem.fail_after, -1);
    assert_true(ask(&one, 1, &one, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_multisets),          cmocka_unit_test(more_than_fits),
        cmocka_unit_test(nothing_is_among_anything), cmocka_unit_test(hashes_of_an_enemy),
        cmocka_unit_test(allocations_may_fail),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_mem_done(&mem);
    return failed;
}
