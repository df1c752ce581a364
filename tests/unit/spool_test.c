/*
 * Spools: the same bytes come back from memory and from files, limits hold, failures undo.
 */
#include "support.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/spool.h"

static struct lith_err err;
static struct lith_mem mem;
static char folder[64];
static int dir_fd;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    test_folder_make(folder, &dir_fd);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    test_folder_remove(folder, dir_fd); /* fails if a spool left a name behind */
    lith_mem_done(&mem);
    return 0;
}

/* A sink over memory, to copy to. */
struct collector {
    struct lith_sink base;
    uint8_t data[100000];
};

static enum lith_code collect(struct lith_sink *sink, const void *from, size_t bytes,
                              struct lith_err *e)
{
    struct collector *to = (struct collector *)sink;

    (void)e;
    assert_true(sink->written + bytes <= sizeof(to->data));
    memcpy(to->data + sink->written, from, bytes);
    return LITH_OK;
}

/* Appends pieces of random sizes and reads random ranges after each. */
static void same_bytes_in_memory_and_file(void **state)
{
    static const struct lith_sink_ops ops = {.write = collect};
    static const size_t memory_maxima[] = {0, 1, 1000, 50000, 100000};
    static struct collector copy;
    static uint8_t all[100000];
    static uint8_t back[100000];
    uint64_t seed = test_seed();
    struct lith_scratch scratch;
    struct lith_spool spool;

    (void)state;
    lith_scratch_init(&scratch, folder, 0);
    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = (uint8_t)test_random(&seed);
    for (size_t i = 0; i < sizeof(memory_maxima) / sizeof(memory_maxima[0]); i++) {
        lith_spool_init(&spool, &mem, &scratch, memory_maxima[i]);
        assert_non_null(lith_spool_memory(&spool));
        for (size_t round = 0; round < 2; round++) {
            size_t size = 0;
            while (size < sizeof(all)) {
                size_t bytes = 1 + test_random(&seed) % 5000;
                bytes = bytes < sizeof(all) - size ? bytes : sizeof(all) - size;
                MUST(lith_sink_write(&spool.sink, all + size, bytes, &err));
                size += bytes;
                assert_int_equal(spool.source.size, size);
                size_t from = test_random(&seed) % size;
                MUST(lith_source_read(&spool.source, from, back, size - from, &err));
                assert_memory_equal(back, all + from, size - from);
            }
            assert_int_equal(lith_spool_memory(&spool) == NULL, memory_maxima[i] < size);
            assert_int_equal(scratch.used, memory_maxima[i] < size ? size : 0);
            assert_int_equal(lith_source_read(&spool.source, size, back, 1, &err), LITH_E_CORRUPT);
            copy.base = (struct lith_sink){.ops = &ops};
            MUST(lith_spool_copy(&spool, &copy.base, &err));
            assert_int_equal(copy.base.written, size);
            assert_memory_equal(copy.data, all, size);
            if (!lith_spool_memory(&spool)) { /* a copy out of a file takes a buffer */
                atomic_store(&mem.fail_after, 0);
                assert_int_equal(lith_spool_copy(&spool, &copy.base, &err), LITH_E_NOMEM);
            }
            lith_spool_clear(&spool);
            assert_int_equal(scratch.used, 0);
        }
        lith_spool_done(&spool);
        assert_int_equal(mem.used, 0);
    }
}

static void scratch_limit_holds_for_all(void **state)
{
    struct lith_scratch scratch;
    struct lith_spool a;
    struct lith_spool b;
    char back[8] = {0};

    (void)state;
    lith_scratch_init(&scratch, folder, 10);
    lith_spool_init(&a, &mem, &scratch, 4);
    lith_spool_init(&b, &mem, &scratch, 4);
    MUST(lith_sink_write(&a.sink, "0123456", 7, &err));
    MUST(lith_sink_write(&b.sink, "abc", 3, &err));
    assert_int_equal(scratch.used, 7);
    assert_int_equal(lith_sink_write(&b.sink, "de", 2, &err), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "raise --scratch-max"));
    assert_non_null(strstr(err.text, "10 bytes"));
    assert_int_equal(b.source.size, 3);
    MUST(lith_source_read(&b.source, 0, back, 3, &err)); /* still whole */
    assert_string_equal(back, "abc");
    lith_spool_clear(&a);
    MUST(lith_sink_write(&b.sink, "defg", 4, &err));
    assert_int_equal(scratch.used, 7);
    MUST(lith_source_read(&b.source, 0, back, 7, &err));
    assert_string_equal(back, "abcdefg");
    lith_spool_done(&a);
    lith_spool_done(&b);
    assert_int_equal(scratch.used, 0);
}

static void budget_too_small_goes_to_file(void **state)
{
    struct lith_mem small;
    struct lith_scratch scratch;
    struct lith_spool spool;
    static uint8_t data[5000];
    static uint8_t back[5000];

    (void)state;
    lith_mem_init(&small, 1000, NULL);
    lith_scratch_init(&scratch, folder, 0);
    lith_spool_init(&spool, &small, &scratch, 1 << 20);
    memset(data, 7, sizeof(data));
    MUST(lith_sink_write(&spool.sink, data, 500, &err));
    assert_non_null(lith_spool_memory(&spool));
    MUST(lith_sink_write(&spool.sink, data + 500, 4500, &err));
    assert_null(lith_spool_memory(&spool));
    MUST(lith_source_read(&spool.source, 0, back, 5000, &err));
    assert_memory_equal(back, data, 5000);
    assert_int_equal(small.used, 0);
    lith_spool_done(&spool);
}

static void failures_leave_it_whole(void **state)
{
    struct lith_scratch scratch;
    struct lith_spool spool = {0};

    (void)state;
    bool was_open = fcntl(0, F_GETFD) >= 0;
    lith_spool_done(&spool); /* zeroed: its descriptor 0 is not a spool's */
    assert_int_equal(fcntl(0, F_GETFD) >= 0, was_open);
    lith_scratch_init(&scratch, "/nonexistent/folder", 0);
    lith_spool_init(&spool, &mem, &scratch, 4);
    MUST(lith_sink_write(&spool.sink, "abc", 3, &err));
    assert_int_equal(lith_sink_write(&spool.sink, "de", 2, &err), LITH_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
    assert_non_null(strstr(err.text, "--scratch"));
    assert_int_equal(scratch.used, 0);
    assert_int_equal(spool.source.size, 3);
    lith_spool_done(&spool);
    lith_spool_init(&spool, &mem, &scratch, 1000);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_sink_write(&spool.sink, "abc", 3, &err), LITH_E_NOMEM);
    assert_int_equal(spool.source.size, 0);
    lith_spool_done(&spool);
}

/* A file that may not grow stands for a full disk: what was written stays, the charge goes back. */
static void refused_writes_are_not_charged(void **state)
{
    static const uint8_t data[5000];
    struct rlimit before;
    struct lith_scratch scratch;
    struct lith_spool spool;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    struct rlimit tight = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
    lith_scratch_init(&scratch, folder, 0);
    lith_spool_init(&spool, &mem, &scratch, 100);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    enum lith_code first = lith_sink_write(&spool.sink, data, 50, &err);
    enum lith_code in_file = lith_sink_write(&spool.sink, data, 3000, &err);
    enum lith_code refused = lith_sink_write(&spool.sink, data, 5000, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(first, LITH_OK);
    assert_int_equal(in_file, LITH_OK);
    assert_int_equal(refused, LITH_E_IO);
    assert_int_equal(scratch.used, 3050);
    assert_int_equal(spool.source.size, 3050);
    MUST(lith_sink_write(&spool.sink, data, 5000, &err));
    assert_int_equal(scratch.used, 8050);
    lith_spool_done(&spool);
    assert_int_equal(scratch.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_bytes_in_memory_and_file, setup, teardown),
        cmocka_unit_test_setup_teardown(scratch_limit_holds_for_all, setup, teardown),
        cmocka_unit_test_setup_teardown(budget_too_small_goes_to_file, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_leave_it_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_writes_are_not_charged, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
