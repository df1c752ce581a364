/*
 * Buffers: growth up to the limit and not a byte further, in a tight budget too.
 */
#include "support.h"

#include "base/buf.h"

static struct lith_err err;

static void contents_survive_growth(void **state)
{
    uint64_t seed = test_seed();
    uint8_t shadow[5000];
    struct lith_mem mem;
    struct lith_buf buf;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_buf_init(&buf, &mem, sizeof(shadow));
    while (buf.bytes < sizeof(shadow)) {
        uint8_t piece[300];
        size_t bytes = test_random(&seed) % sizeof(piece);
        size_t before = buf.bytes;
        for (size_t i = 0; i < bytes; i++)
            piece[i] = (uint8_t)test_random(&seed);
        if (before + bytes > sizeof(shadow)) {
            assert_int_equal(lith_buf_append(&buf, piece, bytes, &err), LITH_E_LIMIT);
            assert_int_equal(buf.bytes, before);
            bytes = 1;
        }
        if (bytes == 1)
            MUST(lith_buf_append_byte(&buf, piece[0], &err));
        else
            MUST(lith_buf_append(&buf, piece, bytes, &err));
        memcpy(shadow + before, piece, bytes);
        assert_true(buf.capacity <= buf.limit);
    }
    assert_memory_equal(buf.data, shadow, sizeof(shadow));
    assert_int_equal(lith_buf_append_byte(&buf, 0, &err), LITH_E_LIMIT);
    assert_int_equal(lith_buf_reserve(&buf, SIZE_MAX, &err), LITH_E_LIMIT);
    lith_buf_clear(&buf);
    MUST(lith_buf_reserve(&buf, sizeof(shadow), &err));
    lith_buf_done(&buf);
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

static void tight_budgets_do_without_doubling(void **state)
{
    static const uint8_t data[700];
    struct lith_mem mem;
    struct lith_buf buf;

    (void)state;
    lith_mem_init(&mem, 1000, NULL);
    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_buf_append(&buf, data, 700, &err));
    MUST(lith_buf_append(&buf, data, 100, &err)); /* 1400 would not fit, 800 does */
    assert_int_equal(lith_buf_append(&buf, data, 200, &err), LITH_E_LIMIT);
    assert_int_equal(buf.bytes, 800);
    lith_buf_done(&buf);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_buf_append(&buf, data, 1, &err), LITH_E_NOMEM);
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_survive_growth),
        cmocka_unit_test(tight_budgets_do_without_doubling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
