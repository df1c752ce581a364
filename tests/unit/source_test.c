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

/* A sink over memory, and what `each` saw of it. */
struct collector {
    struct lith_sink sink;
    uint8_t written[1 << 20];
    size_t seen;
    size_t fail_at; /* bytes after which `each` fails */
};

static enum lith_code collect(struct lith_sink *sink, const void *from, size_t bytes,
                              struct lith_err *e)
{
    struct collector *to = (struct collector *)sink;

    (void)e;
    assert_int_equal(sink->written + bytes, to->seen); /* seen first */
    memcpy(to->written + sink->written, from, bytes);
    return LITH_OK;
}

static enum lith_code see(void *ctx, const uint8_t *block, size_t bytes, struct lith_err *e)
{
    struct collector *to = ctx;

    (void)block;
    to->seen += bytes;
    return to->seen > to->fail_at ? lith_fail(e, LITH_E_CANCELLED, "enough") : LITH_OK;
}

static enum lith_code plain_read(struct lith_source *source, uint64_t offset, void *to,
                                 size_t bytes, struct lith_err *e)
{
    (void)e;
    memcpy(to, ((struct lith_memory_source *)source)->data + offset, bytes);
    return LITH_OK;
}

static void copies_are_seen_and_written(void **state)
{
    static const struct lith_sink_ops sink_ops = {.write = collect};
    static const struct lith_source_ops plain_ops = {.read = plain_read};
    static struct collector to;
    static uint8_t data[1 << 20];
    uint64_t seed = test_seed();
    struct lith_memory_source memory;
    struct lith_mem mem;
    struct lith_buf room;

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)test_random(&seed);
    lith_mem_init(&mem, 1 << 20, NULL);
    lith_buf_init(&room, &mem, LITH_COPY_BLOCK_BYTES);
    for (int viewless = 0; viewless < 2; viewless++) {
        lith_memory_source_init(&memory, data, sizeof(data));
        if (viewless)
            memory.base.ops = &plain_ops;
        to = (struct collector){.sink.ops = &sink_ops, .fail_at = SIZE_MAX};
        struct lith_copy copy = {.source = &memory.base,
                                 .offset = 5,
                                 .bytes = sizeof(data) - 5,
                                 .sink = &to.sink,
                                 .each = see,
                                 .ctx = &to};
        MUST(lith_copy_run(&copy, &room, &err));
        assert_int_equal(to.sink.written, sizeof(data) - 5);
        assert_memory_equal(to.written, data + 5, sizeof(data) - 5);
        assert_int_equal(mem.used > 0, viewless);
        to = (struct collector){.sink.ops = &sink_ops, .fail_at = LITH_COPY_BLOCK_BYTES};
        assert_int_equal(lith_copy_run(&copy, &room, &err), LITH_E_CANCELLED);
        assert_int_equal(to.sink.written, LITH_COPY_BLOCK_BYTES);
        to = (struct collector){.sink.ops = &sink_ops, .fail_at = SIZE_MAX};
        copy.bytes++;
        assert_int_equal(lith_copy_run(&copy, &room, &err), LITH_E_CORRUPT);
    }
    lith_buf_done(&room);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(views_stand_where_reads_do),
        cmocka_unit_test(copies_are_seen_and_written),
        cmocka_unit_test(sinks_count_what_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
