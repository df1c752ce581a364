/*
 * Room for outputs: where there is too little a job is not begun, and says why with the numbers.
 */
#include "job_support.h"

static struct lith_space space;
static enum lith_code space_code;

static enum lith_code fake_free_bytes(struct lith_folder *folder, struct lith_space *ret_space,
                                      struct lith_err *e)
{
    (void)folder;
    if (space_code != LITH_OK)
        return lith_fail(e, space_code, "injected");
    *ret_space = space;
    return LITH_OK;
}

static struct lith_store_ops ops;

static void known_change(struct lith_store *store)
{
    ops = *store->ops;
    ops.free_bytes = fake_free_bytes;
    store->ops = &ops;
}

static void unknown_change(struct lith_store *store)
{
    ops = *store->ops;
    ops.free_bytes = NULL;
    store->ops = &ops;
}

static void a_job_without_room_is_not_begun(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    options.min_free_percent = 10;
    uint64_t bytes = test_must(TEST_PLAN, &options).input_bytes;
    test_store_change = known_change;
    space = (struct lith_space){.total_bytes = 10 * LITH_MIB, .free_bytes = LITH_MIB + bytes - 1};
    uint64_t before = test_folder_state();
    for (unsigned kind = TEST_PLAN; kind <= TEST_COMPACT; kind++) {
        struct lith_partition_report report = test_must((enum test_kind)kind, &options);
        assert_int_equal(report.state,
                         kind == TEST_PLAN ? LITH_PARTITION_LEFT : LITH_PARTITION_PENDING);
        assert_non_null(strstr(report.reason, "too little space: "));
        assert_non_null(strstr(report.reason, " of 10MiB are free"));
        assert_non_null(strstr(report.reason, "and 1MiB (min_free, 10%)"));
        assert_int_equal(report.files_after, 6);
    }
    assert_int_equal(test_folder_state(), before);
    space.free_bytes = 0;
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_PENDING);
    space.free_bytes = LITH_MIB + bytes;
    assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_rows(60), 1);
    /* What is not due is not asked about. */
    space.free_bytes = 0;
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_null(strstr(report.reason, "space"));
}

/* It was let go by the first look, and meanwhile others have filled the disk. */
static bool is_filled;

static enum lith_code filling_lock(struct lith_folder *folder, enum lith_lock_wait wait,
                                   struct lith_err *e)
{
    (void)folder;
    (void)wait;
    (void)e;
    is_filled = true;
    space.free_bytes = 0;
    return LITH_OK;
}

static void filling_unlock(struct lith_folder *folder)
{
    (void)folder;
}

static void filling_change(struct lith_store *store)
{
    known_change(store);
    ops.lock = filling_lock;
    ops.unlock = filling_unlock;
}

static void it_is_asked_again_under_the_lock(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    options.min_free_percent = 1;
    space = (struct lith_space){.total_bytes = LITH_GIB, .free_bytes = LITH_GIB};
    test_store_change = filling_change;
    uint64_t before = test_folder_state();
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_true(is_filled);
    assert_int_equal(report.state, LITH_PARTITION_PENDING);
    assert_non_null(strstr(report.reason, "too little space: 0B of "));
    assert_int_equal(test_folder_state(), before);
}

/* Naming late files takes next to no room, and strict readers wait for it. */
static void late_files_are_named_without_room(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_files(6, 6, 10);
    options.min_free_percent = 10;
    test_store_change = known_change;
    space = (struct lith_space){.total_bytes = LITH_MIB};
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.folded, 6);
    assert_int_equal(report.state, LITH_PARTITION_PENDING);
    assert_non_null(strstr(report.reason, "too little space"));
    assert_int_equal(report.inputs, 0);
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_PENDING);
    assert_int_equal(test_folder_state(), before);
    assert_int_equal(test_rows(120), 7);
}

static void what_is_not_known_holds_nothing_back(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 6, 10);
    /* Without a share of its own nobody asks. */
    test_store_change = known_change;
    space = (struct lith_space){0};
    space_code = LITH_E_IO;
    assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_COMPACTED);
    options.min_free_percent = 100;
    assert_int_equal(test_job(TEST_COMPACT, &options, &report), LITH_E_IO);
    assert_int_equal(test_job(TEST_PLAN, &options, &report), LITH_E_IO);
    space_code = LITH_OK;
    test_store_change = unknown_change;
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
}

/* The file system that the test is on: it has some room, and less than all of it is free. */
static void the_local_store_knows(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    options.min_free_percent = 100;
    assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_LEFT);
    options.min_free_percent = 0;
    assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_COMPACTED);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_job_without_room_is_not_begun),
        T(it_is_asked_again_under_the_lock),
        T(late_files_are_named_without_room),
        T(what_is_not_known_holds_nothing_back),
        T(the_local_store_knows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
