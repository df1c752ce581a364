/*
 * Counted memory: limits of a budget and of its parents, the N-th failure, sizes that overflow.
 */
#include "support.h"

#include "base/checked.h"

static struct lith_err err;

static void budgets_count_exactly(void **state)
{
    struct lith_mem process;
    struct lith_mem job;
    void *a = NULL;
    void *b = NULL;

    (void)state;
    lith_mem_init(&process, 1000, NULL);
    lith_mem_init(&job, 500, &process);
    MUST(lith_alloc(&job, 300, &a, &err));
    assert_int_equal((uintptr_t)a % 16, 0);
    assert_int_equal(job.used, 316);
    assert_int_equal(process.used, 316);
    assert_int_equal(lith_mem_left(&job), 184);
    assert_int_equal(lith_alloc(&job, 169, &b, &err), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "raise --memory"));
    assert_non_null(strstr(err.text, "316 in use"));
    MUST(lith_alloc(&job, 168, &b, &err));
    assert_int_equal(lith_mem_left(&job), 0);
    lith_free(b);
    MUST(lith_alloc(&process, 600, &b, &err));
    assert_int_equal(lith_mem_left(&job), 1000 - 316 - 616);
    void *c = NULL;
    assert_int_equal(lith_alloc(&job, 100, &c, &err), LITH_E_LIMIT); /* the parent's */
    assert_int_equal(job.used, 316);
    assert_null(c);
    lith_free(a);
    lith_free(b);
    lith_free(NULL);
    assert_int_equal(job.peak, 500);
    lith_mem_done(&job);
    lith_mem_done(&process);
}

static void realloc_keeps_contents_and_counts(void **state)
{
    struct lith_mem mem;
    void *block = NULL;

    (void)state;
    lith_mem_init(&mem, 1000, NULL);
    MUST(lith_realloc(&mem, &block, 10, &err));
    memcpy(block, "0123456789", 10);
    MUST(lith_realloc(&mem, &block, 900, &err));
    assert_memory_equal(block, "0123456789", 10);
    assert_int_equal(mem.used, 916);
    void *same = block;
    assert_int_equal(lith_realloc(&mem, &block, 1000, &err), LITH_E_LIMIT);
    assert_int_equal(lith_realloc(&mem, &block, SIZE_MAX, &err), LITH_E_LIMIT);
    assert_ptr_equal(block, same);
    MUST(lith_realloc(&mem, &block, 4, &err));
    assert_memory_equal(block, "0123", 4);
    assert_int_equal(mem.used, 20);
    lith_free(block);
    lith_mem_done(&mem);
}

static void sizes_that_overflow_are_refused(void **state)
{
    struct lith_mem mem;
    void *block = NULL;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    assert_int_equal(lith_alloc(&mem, SIZE_MAX, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_alloc(&mem, SIZE_MAX - 15, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_alloc_array(&mem, SIZE_MAX / 8 + 1, 8, &block, &err), LITH_E_LIMIT);
    MUST(lith_alloc_array(&mem, 0, 8, &block, &err));
    lith_free(block);
    MUST(lith_alloc_array(&mem, 3, 8, &block, &err));
    assert_memory_equal(block, (uint8_t[24]){0}, 24);
    lith_free(block);
    lith_mem_done(&mem);
}

static void nth_allocation_fails_once(void **state)
{
    struct lith_mem mem;
    void *block;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    for (int64_t n = 0; n < 5; n++) {
        atomic_store(&mem.fail_after, n);
        for (int64_t i = 0; i < 8; i++) {
            enum lith_code code = lith_alloc(&mem, 1, &block, &err);
            assert_int_equal(code, i == n ? LITH_E_NOMEM : LITH_OK);
            if (code == LITH_OK)
                lith_free(block);
        }
    }
    lith_mem_done(&mem);
}

static void checked_arithmetic_at_its_edges(void **state)
{
    uint64_t u;
    int64_t i;
    size_t s;

    (void)state;
    assert_true(lith_add_u64(UINT64_MAX - 1, 1, &u) && u == UINT64_MAX);
    assert_false(lith_add_u64(UINT64_MAX, 1, &u));
    assert_true(lith_sum_u64(UINT64_MAX - 1, 1) == UINT64_MAX && lith_sum_u64(2, 3) == 5);
    assert_true(lith_sum_u64(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(lith_product_u64(1ull << 63, 2) == UINT64_MAX && lith_product_u64(2, 3) == 6);
    assert_true(lith_mul_u64(UINT32_MAX, UINT32_MAX, &u) && u == 0xfffffffe00000001u);
    assert_false(lith_mul_u64((uint64_t)1 << 32, (uint64_t)1 << 32, &u));
    assert_true(lith_add_i64(INT64_MAX, INT64_MIN, &i) && i == -1);
    assert_false(lith_add_i64(INT64_MAX, 1, &i));
    assert_false(lith_add_i64(INT64_MIN, -1, &i));
    assert_false(lith_mul_i64(INT64_MIN, -1, &i));
    assert_true(lith_mul_i64(INT64_MIN / 2, 2, &i) && i == INT64_MIN);
    assert_false(lith_add_size(SIZE_MAX, 1, &s));
    assert_false(lith_mul_size(SIZE_MAX / 2, 3, &s));
    assert_true(lith_mul_size(SIZE_MAX, 0, &s) && s == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_count_exactly),
        cmocka_unit_test(realloc_keeps_contents_and_counts),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(nth_allocation_fails_once),
        cmocka_unit_test(checked_arithmetic_at_its_edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
