/*
 * Growing arrays: nothing is lost on the way, memory stays within twice the need, failures change
 * nothing.
 */
#include "support.h"

#include "base/array.h"

static struct lith_err err;

/* Appends to both kinds and looks at all of it after each step that may have moved it. */
static void all_elements_stay(void **state)
{
    enum { COUNT = 3000 };
    struct lith_mem mem;
    LITH_AUTO(arena) struct lith_arena arena;
    LITH_AUTO(block) void *heap = NULL;
    void *in = NULL;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    for (uint32_t i = 0; i < COUNT; i++) {
        void *before[] = {heap, in};
        MUST(lith_array_grow(&mem, &heap, i, sizeof(i), &err));
        MUST(lith_array_grow_in(&arena, &in, i, sizeof(i), &err));
        ((uint32_t *)heap)[i] = i;
        ((uint32_t *)in)[i] = i;
        if (before[0] == heap && before[1] == in)
            continue;
        for (uint32_t at = 0; at <= i; at++) {
            assert_int_equal(((uint32_t *)heap)[at], at);
            assert_int_equal(((uint32_t *)in)[at], at);
        }
    }
    assert_true(mem.used - lith_arena_bytes(&arena) <= 2 * COUNT * sizeof(uint32_t) + 100);
}

static void failures_change_nothing(void **state)
{
    struct lith_mem mem;
    LITH_AUTO(arena) struct lith_arena arena;
    LITH_AUTO(block) void *heap = NULL;
    void *in = NULL;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_array_grow(&mem, &heap, 0, 1000, &err), LITH_E_NOMEM);
    assert_null(heap);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_array_grow_in(&arena, &in, 0, 1000, &err), LITH_E_NOMEM);
    assert_null(in);
    MUST(lith_array_grow(&mem, &heap, 0, 1000, &err));
    void *before = heap;
    atomic_store(&mem.fail_after, 0);
    MUST(lith_array_grow(&mem, &heap, 15, 1000, &err)); /* there is room: nothing is taken */
    assert_int_equal(lith_array_grow(&mem, &heap, 16, 1000, &err), LITH_E_NOMEM);
    assert_ptr_equal(heap, before);
    size_t half = (size_t)1 << (sizeof(size_t) * 8 - 1);
    assert_int_equal(lith_array_grow(&mem, &heap, half, 1, &err), LITH_E_LIMIT);
    assert_int_equal(lith_array_grow(&mem, &heap, half / 2, 4, &err), LITH_E_LIMIT);
    assert_int_equal(lith_array_grow_in(&arena, &in, half / 2, 4, &err), LITH_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_elements_stay),
        cmocka_unit_test(failures_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
