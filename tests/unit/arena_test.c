/*
 * Arenas: blocks of random sizes stay apart, aligned, cleared and whole until the end.
 */
#include "support.h"

#include "base/arena.h"

static struct lith_err err;

static void blocks_stay_apart(void **state)
{
    static struct {
        uint8_t *at;
        size_t bytes;
    } blocks[500];
    uint64_t seed = test_seed();
    struct lith_mem mem;
    struct lith_arena arena;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 500; i++) {
            void *at;
            size_t bytes = test_random(&seed) % (i % 50 == 0 ? 3000000 : 3000);
            MUST(lith_arena_alloc(&arena, bytes, &at, &err));
            assert_int_equal((uintptr_t)at % 16, 0);
            blocks[i].at = at;
            blocks[i].bytes = bytes;
            for (size_t b = 0; b < bytes; b += 97)
                assert_int_equal(blocks[i].at[b], 0);
            if (bytes)
                memset(at, (int)(i % 251), bytes);
        }
        for (size_t i = 0; i < 500; i++) {
            for (size_t b = 0; b < blocks[i].bytes; b++) {
                if (blocks[i].at[b] != i % 251)
                    fail_msg("block %zu was overwritten at %zu", i, b);
            }
        }
        assert_int_equal(lith_arena_bytes(&arena) > 0, 1);
        lith_arena_done(&arena);
        assert_int_equal(lith_arena_bytes(&arena), 0);
        assert_int_equal(mem.used, 0);
    }
    struct lith_arena zeroed = {0};
    lith_arena_done(&zeroed);
}

static void copies_and_texts_end_in_zero(void **state)
{
    struct lith_mem mem;
    void *copy = NULL;
    char *text = NULL;
    char long_text[6000];

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    LITH_AUTO(arena) struct lith_arena arena;
    lith_arena_init(&arena, &mem);
    MUST(lith_arena_array(&arena, 3, 8, &copy, &err));
    assert_memory_equal(copy, (uint8_t[24]){0}, 24);
    MUST(lith_arena_copy(&arena, "abcdef", 3, &copy, &err));
    assert_string_equal(copy, "abc");
    MUST(lith_arena_copy(&arena, NULL, 0, &copy, &err));
    assert_string_equal(copy, "");
    MUST(lith_arena_format(&arena, &text, &err, "%s-%d", "x", 12));
    assert_string_equal(text, "x-12");
    memset(long_text, 'y', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = 0;
    MUST(lith_arena_format(&arena, &text, &err, "%s", long_text));
    assert_string_equal(text, long_text);
}

static void impossible_sizes_and_failures(void **state)
{
    struct lith_mem mem;
    struct lith_arena arena;
    void *block = NULL;

    (void)state;
    lith_mem_init(&mem, 10000, NULL);
    lith_arena_init(&arena, &mem);
    assert_int_equal(lith_arena_alloc(&arena, SIZE_MAX, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_arena_alloc(&arena, SIZE_MAX - 40, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_arena_array(&arena, SIZE_MAX / 4, 8, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_arena_copy(&arena, "", SIZE_MAX, &block, &err), LITH_E_LIMIT);
    assert_int_equal(lith_arena_alloc(&arena, 20000, &block, &err), LITH_E_LIMIT);
    assert_null(block);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_arena_alloc(&arena, 8, &block, &err), LITH_E_NOMEM);
    MUST(lith_arena_alloc(&arena, 8, &block, &err)); /* a failure leaves it usable */
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_stay_apart),
        cmocka_unit_test(copies_and_texts_end_in_zero),
        cmocka_unit_test(impossible_sizes_and_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
