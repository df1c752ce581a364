/*
 * Sources and sinks: ranges are checked before a concrete one sees them, bytes are counted.
 */
#include "support.h"

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
        cmocka_unit_test(sinks_count_what_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
