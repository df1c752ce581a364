/*
 * A rate that is kept by waiting, by a clock that only sleeping moves: what it costs, what is not
 * saved up, who is not kept waiting; and the local store that keeps one.
 */
#include "store_support.h"

#include "base/pool.h"
#include "base/throttle.h"
#include "base/time.h"

static struct lith_err err;

/* A clock that stands still but for sleep. */
struct fake {
    struct lith_env base;
    _Atomic int64_t now_ns;
    _Atomic unsigned sleeps;
    volatile sig_atomic_t stop;
    unsigned stop_after; /* so many sleeps; 0: never */
};

static int64_t fake_now(struct lith_env *base)
{
    return ((struct fake *)base)->now_ns;
}

static void fake_sleep(struct lith_env *base, int64_t ns)
{
    struct fake *fake = (struct fake *)base;

    assert_true(ns > 0 && ns <= LITH_SECOND_NS);
    fake->now_ns += ns;
    if (++fake->sleeps == fake->stop_after)
        fake->stop = 1;
}

static void fake_step(struct lith_env *base, const char *name)
{
    (void)base;
    (void)name;
}

static void fake_init(struct fake *fake)
{
    memset(fake, 0, sizeof(*fake));
    fake->base = (struct lith_env){
        .now_ns = fake_now, .monotonic_ns = fake_now, .sleep_ns = fake_sleep, .step = fake_step};
    fake->now_ns = 1000 * LITH_SECOND_NS;
}

static struct lith_throttle *throttle_new(struct fake *fake, uint64_t rate)
{
    struct lith_throttle *throttle;

    MUST(lith_throttle_new(lith_mem_root(), &fake->base, rate, &fake->stop, &throttle, &err));
    return throttle;
}

static void a_rate_is_kept(void **state)
{
    static const struct {
        uint64_t rate;
        uint64_t bytes; /* in each of ten pieces */
        int64_t wanted_ns;
    } cases[] = {
        {1000, 100, LITH_SECOND_NS},
        {1000, 1, LITH_SECOND_NS / 100},
        {1, 1, 10 * LITH_SECOND_NS},
        {7, 21, 30 * LITH_SECOND_NS},
        {1 << 20, 1 << 22, 40 * LITH_SECOND_NS},
        {UINT64_MAX, UINT64_MAX, 10 * LITH_SECOND_NS},
        {UINT64_MAX / 2, UINT64_MAX / 4, 5 * LITH_SECOND_NS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fake fake;
        fake_init(&fake);
        int64_t begin = fake.now_ns;
        struct lith_throttle *throttle = throttle_new(&fake, cases[i].rate);
        for (unsigned piece = 0; piece < 10; piece++)
            lith_throttle_take(throttle, cases[i].bytes);
        int64_t took = fake.now_ns - begin;
        int64_t off = cases[i].wanted_ns / 10; /* rounding of a high rate */
        if (took < cases[i].wanted_ns - off || took > cases[i].wanted_ns + off)
            fail_msg("case %zu: %lld ns", i, (long long)took);
        lith_throttle_free(throttle);
    }
}

/* Whoever was idle for an hour may take a burst, and no more. */
static void idle_time_is_not_saved_up(void **state)
{
    struct fake fake;

    (void)state;
    fake_init(&fake);
    struct lith_throttle *throttle = throttle_new(&fake, 1000);
    fake.now_ns += 3600 * LITH_SECOND_NS;
    int64_t begin = fake.now_ns;
    lith_throttle_take(throttle, 100);
    assert_int_equal(fake.now_ns, begin);
    lith_throttle_take(throttle, 1000);
    assert_int_equal(fake.now_ns, begin + LITH_SECOND_NS);
    lith_throttle_take(throttle, 0);
    assert_int_equal(fake.now_ns, begin + LITH_SECOND_NS);
    lith_throttle_free(throttle);
    lith_throttle_free(NULL);
}

/* More than there will ever be time for; but a wish to stop is heard. */
static void a_wish_to_stop_ends_the_waiting(void **state)
{
    struct fake fake;

    (void)state;
    fake_init(&fake);
    fake.stop_after = 5;
    struct lith_throttle *throttle = throttle_new(&fake, 1);
    lith_throttle_take(throttle, UINT64_MAX);
    lith_throttle_take(throttle, UINT64_MAX);
    lith_throttle_take(throttle, UINT64_MAX);
    assert_int_equal(fake.sleeps, 5);
    lith_throttle_free(throttle);
}

static void task_take(void *ctx)
{
    for (unsigned i = 0; i < 100; i++)
        lith_throttle_take(ctx, 10);
}

/* Four threads at once get no more than one would. */
static void threads_share_a_rate(void **state)
{
    struct lith_pool *pool;
    struct fake fake;

    (void)state;
    fake_init(&fake);
    int64_t begin = fake.now_ns;
    struct lith_throttle *throttle = throttle_new(&fake, 1000);
    MUST(lith_pool_new(lith_mem_root(), 4, 4, &pool, &err));
    for (unsigned i = 0; i < 4; i++)
        lith_pool_add(pool, task_take, throttle);
    lith_pool_free(pool);
    assert_true(fake.now_ns - begin >= 4 * LITH_SECOND_NS - LITH_SECOND_NS / 10);
    lith_throttle_free(throttle);
}

static void file_write(struct lith_folder *folder, size_t bytes, struct lith_arena *arena)
{
    static uint8_t data[5000];
    LITH_AUTO(output) struct lith_output *output = NULL;
    struct lith_output_options options = {.name = "a.parquet"};
    struct lith_object object;

    MUST(lith_output_new(folder, &options, &output, &err));
    for (size_t done = 0; done < bytes; done += sizeof(data))
        MUST(lith_sink_write(output->sink, data, sizeof(data), &err));
    assert_int_equal(output->sink->written, bytes);
    MUST(lith_output_seal(output, &err));
    assert_int_equal(output->size, bytes);
    MUST(lith_output_publish(output, arena, &object, &err));
    assert_int_equal(object.size, bytes);
}

static void file_read(struct lith_folder *folder, size_t bytes)
{
    static uint8_t to[50000];
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_object object = {.name = "a.parquet"};

    MUST(lith_folder_source_open(folder, &object, &source, &err));
    assert_int_equal(source->size, bytes);
    MUST(lith_source_read(source, 0, to, bytes, &err));
}

/* Reads and writes of one open folder together; every allocation may fail. */
static void a_local_folder_keeps_a_rate(void **state)
{
    struct lith_local_options options = {.io_bytes_per_second = 10000};
    char path[64];
    int dir_fd;

    (void)state;
    test_folder_make(path, &dir_fd);
    options.root = path;
    for (int64_t n = 0, done = 0; !done; n++) {
        struct lith_store *store = NULL;
        struct lith_folder *folder = NULL;
        LITH_AUTO(arena) struct lith_arena arena;
        struct lith_mem mem;
        struct fake fake;
        fake_init(&fake);
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_arena_init(&arena, lith_mem_root());
        MUST(lith_local_open(&options, &fake.base, &mem, &store, &err));
        atomic_store(&mem.fail_after, n);
        int64_t begin = fake.now_ns;
        if (lith_folder_open(store, "", &folder, &err) == LITH_OK) {
            atomic_store(&mem.fail_after, -1);
            file_write(folder, 50000, &arena);
            file_read(folder, 50000);
            assert_int_equal(fake.now_ns - begin, 10 * LITH_SECOND_NS);
            struct lith_object object = {.name = "a.parquet"};
            struct lith_source *source = NULL;
            for (int64_t k = 0; !source; k++) {
                atomic_store(&mem.fail_after, k);
                if (lith_folder_source_open(folder, &object, &source, &err) != LITH_OK)
                    source = NULL;
            }
            atomic_store(&mem.fail_after, -1);
            lith_source_close(source);
            done = 1;
        }
        lith_folder_close(folder);
        lith_store_close(store);
        lith_mem_done(&mem);
    }
    assert_int_equal(unlinkat(dir_fd, "a.parquet", 0), 0);
    test_folder_remove(path, dir_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_kept),
        cmocka_unit_test(idle_time_is_not_saved_up),
        cmocka_unit_test(a_wish_to_stop_ends_the_waiting),
        cmocka_unit_test(threads_share_a_rate),
        cmocka_unit_test(a_local_folder_keeps_a_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
