/*
 * Reading ahead: the same bytes as without it, in few reads, and none past the range.
 */
#include "support.h"

#include "base/limits.h"
#include "base/read_ahead.h"

#define FILE_BYTES (2u << 20)

static struct lith_err err;
static struct lith_mem mem;
static uint8_t bytes_of_file[FILE_BYTES];

/* A source that notes what is read of it. */
static struct {
    struct lith_source base;
    size_t reads;
    uint64_t end_max; /* the furthest byte read */
    bool broken;
} file;

static enum lith_code file_read(struct lith_source *source, uint64_t offset, void *to, size_t bytes,
                                struct lith_err *e)
{
    (void)source;
    if (file.broken)
        return lith_fail(e, LITH_E_IO, "broken");
    file.reads++;
    file.end_max = offset + bytes > file.end_max ? offset + bytes : file.end_max;
    memcpy(to, bytes_of_file + offset, bytes);
    return LITH_OK;
}

static const struct lith_source_ops file_ops = {.read = file_read};

static int setup(void **state)
{
    uint64_t seed = 1;

    (void)state;
    memset(&file, 0, sizeof(file));
    file.base = (struct lith_source){.ops = &file_ops, .size = FILE_BYTES};
    for (size_t i = 0; i < FILE_BYTES; i++)
        bytes_of_file[i] = (uint8_t)test_random(&seed);
    lith_mem_init(&mem, SIZE_MAX, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

static void small_pieces_take_few_reads(void **state)
{
    const uint64_t begin = 1000;
    const uint64_t end = begin + 3 * LITH_READ_AHEAD_BYTES;
    struct lith_read_ahead ahead;
    uint8_t piece[1000];

    (void)state;
    lith_read_ahead_init(&ahead, &mem, LITH_READ_AHEAD_BYTES);
    lith_read_ahead_open(&ahead, &file.base, begin, end);
    assert_int_equal(mem.used, 0);
    for (uint64_t at = begin; at < end;) {
        size_t bytes = end - at < sizeof(piece) ? (size_t)(end - at) : sizeof(piece);
        MUST(lith_source_read(&ahead.base, at, piece, bytes, &err));
        assert_memory_equal(piece, bytes_of_file + at, bytes);
        at += bytes;
    }
    assert_int_equal(file.reads, 3);
    assert_int_equal(file.end_max, end);
    /* A short range costs what it is long. */
    file.end_max = 0;
    lith_read_ahead_open(&ahead, &file.base, 50, 60);
    assert_non_null(lith_source_view(&ahead.base, 50, 2));
    assert_int_equal(file.end_max, 60);
    assert_null(lith_source_view(&ahead.base, 55, 6)); /* past the range */
    MUST(lith_source_read(&ahead.base, 55, piece, 100, &err));
    assert_memory_equal(piece, bytes_of_file + 55, 100);
    assert_int_equal(file.end_max, 155);
    lith_read_ahead_done(&ahead);
}

static void lookups_fetch_no_buffer(void **state)
{
    struct lith_read_ahead ahead;
    uint8_t piece[8];

    (void)state;
    lith_read_ahead_init(&ahead, &mem, LITH_READ_AHEAD_BYTES);
    lith_read_ahead_open(&ahead, &file.base, 0, FILE_BYTES);
    for (uint64_t at = FILE_BYTES - 100; at > 100; at -= 100) {
        MUST(lith_source_read(&ahead.base, at, piece, sizeof(piece), &err));
        assert_memory_equal(piece, bytes_of_file + at, sizeof(piece));
    }
    assert_int_equal(mem.used, 0);
    lith_read_ahead_done(&ahead);
}

static void any_order_gives_the_same_bytes(void **state)
{
    static uint8_t back[FILE_BYTES];
    uint64_t seed = test_seed();
    struct lith_read_ahead ahead;
    uint64_t at = 0;

    (void)state;
    lith_read_ahead_init(&ahead, &mem, LITH_READ_AHEAD_BYTES);
    for (size_t round = 0; round < 20000; round++) {
        if (round % 500 == 0) {
            uint64_t begin = test_random(&seed) % FILE_BYTES;
            lith_read_ahead_open(&ahead, &file.base, begin,
                                 begin + test_random(&seed) % (FILE_BYTES + 1000));
        }
        if (test_random(&seed) % 4 == 0)
            at = test_random(&seed) % FILE_BYTES;
        static const size_t sizes[] = {10, 3000, 200000, 400000};
        size_t bytes = 1 + test_random(&seed) % sizes[test_random(&seed) % 4];
        bytes = bytes < FILE_BYTES - at ? bytes : (size_t)(FILE_BYTES - at);
        if (test_random(&seed) % 2) {
            const uint8_t *view = lith_source_view(&ahead.base, at, bytes);
            if (view)
                assert_memory_equal(view, bytes_of_file + at, bytes);
        } else {
            MUST(lith_source_read(&ahead.base, at, back, bytes, &err));
            assert_memory_equal(back, bytes_of_file + at, bytes);
        }
        at = (at + bytes) % FILE_BYTES;
    }
    assert_true(mem.used < LITH_READ_AHEAD_BYTES + 100);
    lith_read_ahead_done(&ahead);
}

static void failures_are_told_by_reads(void **state)
{
    struct lith_read_ahead ahead;
    uint8_t piece[8];

    (void)state;
    lith_read_ahead_init(&ahead, &mem, LITH_READ_AHEAD_BYTES);
    lith_read_ahead_open(&ahead, &file.base, 0, FILE_BYTES);
    file.broken = true;
    assert_null(lith_source_view(&ahead.base, 0, 8));
    assert_int_equal(lith_source_read(&ahead.base, 0, piece, 8, &err), LITH_E_IO);
    file.broken = false;
    MUST(lith_source_read(&ahead.base, 0, piece, 8, &err));
    assert_memory_equal(piece, bytes_of_file, 8);
    assert_int_equal(lith_source_read(&ahead.base, FILE_BYTES - 4, piece, 8, &err), LITH_E_CORRUPT);
    lith_read_ahead_done(&ahead);
    /* Without memory for the buffer it reads as if it were not there. */
    lith_read_ahead_init(&ahead, &mem, LITH_READ_AHEAD_BYTES);
    lith_read_ahead_open(&ahead, &file.base, 0, FILE_BYTES);
    for (int i = 0; i < 2; i++) {
        atomic_store(&mem.fail_after, 0);
        assert_null(lith_source_view(&ahead.base, 0, 8));
        atomic_store(&mem.fail_after, 0);
        MUST(lith_source_read(&ahead.base, 8u * (unsigned)i, piece, 8, &err));
        assert_memory_equal(piece, bytes_of_file + 8 * i, 8);
    }
    atomic_store(&mem.fail_after, -1);
    lith_read_ahead_done(&ahead);
    struct lith_read_ahead zero = {0};
    lith_read_ahead_done(&zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(small_pieces_take_few_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(lookups_fetch_no_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(any_order_gives_the_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_are_told_by_reads, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
