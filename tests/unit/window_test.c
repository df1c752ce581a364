/*
 * Windows: the same reads over memory and over a source with a tiny buffer; ends and limits.
 */
#include "parquet/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct lith_mem mem;
static struct lith_err err;
static uint8_t data[1000];
static struct lith_memory_source source;

static struct lith_body body_of(bool in_memory)
{
    if (in_memory)
        return (struct lith_body){.data = data, .bytes = sizeof(data)};
    return (struct lith_body){.source = &source.base, .bytes = sizeof(data)};
}

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 7);
    lith_memory_source_init(&source, data, sizeof(data));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

static void test_reads_all(void **state)
{
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        struct lith_body body = body_of(in_memory);
        struct lith_window w;
        uint64_t at = 3;

        assert_int_equal(lith_window_init(&w, &body, 3, 997, &mem, 16, 64, &err), LITH_OK);
        for (size_t step = 1; at < 997; step = step % 40 + 1) {
            size_t bytes = step < 997 - at ? step : (size_t)(997 - at);
            assert_true(lith_window_need(&w, bytes));
            assert_memory_equal(w.next, data + at, bytes);
            assert_int_equal(lith_window_left(&w), 997 - at);
            w.next += bytes;
            at += bytes;
        }
        assert_true(lith_window_need(&w, 0));
        assert_false(lith_window_need(&w, 1));
        assert_int_equal(w.code, LITH_E_CORRUPT);
        lith_window_done(&w);
    }
}

static void test_skips(void **state)
{
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        struct lith_body body = body_of(in_memory);
        struct lith_window w;
        uint64_t at = 0;

        assert_int_equal(lith_window_init(&w, &body, 0, 1000, &mem, 16, 64, &err), LITH_OK);
        for (uint64_t step = 0; at + step < 1000; step += 9) {
            assert_true(lith_window_skip(&w, step));
            at += step;
            assert_true(lith_window_need(&w, 1));
            assert_int_equal(*w.next, data[at]);
        }
        assert_false(lith_window_skip(&w, 1001 - at));
        assert_int_equal(w.code, LITH_E_CORRUPT);
        assert_false(lith_window_skip(&w, 0));
        assert_int_equal(lith_window_left(&w), 0);
        lith_window_done(&w);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct lith_body body = body_of(false);
    struct lith_window w;

    assert_int_equal(lith_window_init(&w, &body, 0, 1000, &mem, 16, 64, &err), LITH_OK);
    assert_true(lith_window_need(&w, 64));
    w.next += 1;
    assert_false(lith_window_need(&w, 65));
    assert_int_equal(w.code, LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "65"));
    assert_non_null(strstr(err.text, "64"));
    lith_window_done(&w);
    assert_int_equal(lith_window_init(&w, &body, 5, 1001, &mem, 16, 64, &err), LITH_E_CORRUPT);
    assert_int_equal(lith_window_init(&w, &body, 6, 5, &mem, 16, 64, &err), LITH_E_CORRUPT);
    mem.fail_after = 0;
    assert_int_equal(lith_window_init(&w, &body, 0, 1000, &mem, 16, 64, &err), LITH_OK);
    assert_false(lith_window_need(&w, 1));
    assert_int_equal(w.code, LITH_E_NOMEM);
    lith_window_done(&w);
    mem.fail_after = -1;
}

static void test_varints(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[11];
        size_t count;
        uint64_t value;
        enum lith_code code;
    } cases[] = {
        {{0}, 1, 0, LITH_OK},
        {{0x7f}, 1, 127, LITH_OK},
        {{0x80, 1}, 2, 128, LITH_OK},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10, UINT64_MAX, LITH_OK},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 10, 0, LITH_E_CORRUPT},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, 11, 0, LITH_E_CORRUPT},
        {{0x80}, 1, 0, LITH_E_CORRUPT},
        {{0}, 0, 0, LITH_E_CORRUPT},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_body body = {.data = cases[i].bytes, .bytes = cases[i].count};
        struct lith_window w;

        assert_int_equal(lith_window_init(&w, &body, 0, body.bytes, &mem, 16, 64, &err), LITH_OK);
        assert_int_equal(lith_window_varint(&w), cases[i].value);
        assert_int_equal(w.code, cases[i].code);
        lith_window_done(&w);
    }
    struct lith_body body = {.data = (const uint8_t[]){3}, .bytes = 1};
    struct lith_window w;
    assert_int_equal(lith_window_init(&w, &body, 0, 1, &mem, 16, 64, &err), LITH_OK);
    assert_int_equal(lith_window_zigzag(&w), -2);
    lith_window_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reads_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_skips, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_varints, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
