/*
 * Sources and sinks: ranges are checked before a concrete one sees them, bytes are counted.
 */
#include "support.h"

#include "base/limits.h"
#include "base/source.h"

static struct lith_err err;

static void ranges_are_checked(void **state)
{
    static const struct {
        uint64_t offset;
        size_t bytes;
        enum lith_code code;
    } cases[] = {
        {0, 10, LITH_OK},
        {10, 0, LITH_OK},
        {9, 1, LITH_OK},
        {10, 1, LITH_E_CORRUPT},
        {11, 0, LITH_E_CORRUPT},
        {0, 11, LITH_E_CORRUPT},
        {5, SIZE_MAX, LITH_E_CORRUPT},
        {UINT64_MAX, 1, LITH_E_CORRUPT},
        {UINT64_MAX - 3, 10, LITH_E_CORRUPT},
    };
    static const char digits[] = "0123456789";
    struct lith_memory_source memory;
    char to[16];

    (void)state;
    lith_memory_source_init(&memory, digits, 10);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(lith_source_read(&memory.base, cases[i].offset, to, cases[i].bytes, &err),
                         cases[i].code);
        if (cases[i].code == LITH_OK)
            assert_memory_equal(to, digits + cases[i].offset, cases[i].bytes);
    }
    lith_source_close(&memory.base);
    lith_source_close(NULL);
}

static void views_stand_where_reads_do(void **state)
{
    static const char digits[] = "0123456789";
    static const struct lith_source_ops without = {0};
    struct lith_source other = {.ops = &without, .size = 10};
    struct lith_memory_source memory;
    char to[4];

    (void)state;
    assert_null(lith_source_view(&other, 0, 1));
    lith_memory_source_init(&memory, digits, 10);
    assert_ptr_equal(lith_source_view(&memory.base, 3, 7), digits + 3);
    assert_null(lith_source_view(&memory.base, 3, 8));
    assert_null(lith_source_view(&memory.base, 3, 0));
    assert_null(lith_source_view(&memory.base, UINT64_MAX, 1));
    lith_memory_source_init_at(&memory, 100, digits, 10);
    assert_int_equal(memory.base.size, 110);
    assert_ptr_equal(lith_source_view(&memory.base, 103, 7), digits + 3);
    assert_null(lith_source_view(&memory.base, 103, 8));
    assert_null(lith_source_view(&memory.base, 99, 2));
    MUST(lith_source_read(&memory.base, 106, to, 4, &err));
    assert_memory_equal(to, "6789", 4);
    assert_int_equal(lith_source_read(&memory.base, 99, to, 2, &err), LITH_E_CORRUPT);
    assert_int_equal(lith_source_read(&memory.base, 107, to, 4, &err), LITH_E_CORRUPT);
}

static enum lith_code write_three_at_most(struct lith_sink *sink, const void *from, size_t bytes,
                                          struct lith_err *e)
{
    (void)from;
    assert_true(bytes > 0);
    if (sink->written + bytes > 3)
        return lith_fail(e, LITH_E_IO, "full");
    return LITH_OK;
}

static void sinks_count_what_was_written(void **state)
{
    static const struct lith_sink_ops ops = {.write = write_three_at_most};
    struct lith_sink sink = {.ops = &ops};

    (void)state;
    MUST(lith_sink_write(&sink, "ab", 2, &err));
    MUST(lith_sink_write(&sink, NULL, 0, &err));
    assert_int_equal(lith_sink_write(&sink, "cd", 2, &err), LITH_E_IO);
    assert_int_equal(sink.written, 2);
    MUST(lith_sink_write(&sink, "c", 1, &err));
    assert_int_equal(sink.written, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(views_stand_where_reads_do),
        cmocka_unit_test(sinks_count_what_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
