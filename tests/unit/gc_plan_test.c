/*
 * The dry run of gc: a verdict for each file, those that gc then comes to, and nothing written.
 */
#include "faulty_support.h"

#include "lake/commit.h"

static void retired_make(void)
{
    struct lith_job_options options = test_job_options();

    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_file_write(dir_fd, "notes.txt", "not ours");
}

static void it_says_what_gc_does(void **state)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet other = {.begin = 60, .rows = 7, .age_s = 60};

    (void)state;
    assert_int_equal(test_must(TEST_GC_PLAN, &options).file_count, 0);
    retired_make();
    test_parquet_write(dir_fd, "f0003.parquet", &other); /* another file under a retired name */
    options.gc.reader_grace_ns = DAY_S * LITH_SECOND_NS;
    struct lith_partition_report report = test_must(TEST_GC_PLAN, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.file_count, 6);
    assert_int_equal(report.deleted, 0);
    options.gc.reader_grace_ns = 0;
    options.gc.bytes_max = report.held_bytes / 2;
    report = test_must(TEST_GC_PLAN, &options);
    assert_int_equal(report.file_count, 6);
    assert_in_range(report.deleted, 1, 4);
    assert_int_equal(report.deleted + report.more_due, 5);
    assert_non_null(strstr(report.reason, "gc_bytes_max"));
    options.gc.bytes_max = UINT64_MAX;
    report = test_must(TEST_GC_PLAN, &options);
    assert_int_equal(report.deleted, 5);
    struct lith_partition_report done = test_must(TEST_GC, &options);
    assert_int_equal(done.deleted, report.deleted);
    assert_int_equal(done.deleted_bytes, report.deleted_bytes);
    assert_int_equal(test_must(TEST_GC_PLAN, &options).deleted, 0);
}

/* Neither the lock nor a clock: a directory without the right to write will do. */
static void nothing_is_written(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    retired_make();
    uint64_t before = test_folder_state();
    env.steps = 0;
    test_store_change = faulty_change;
    assert_int_equal(test_must(TEST_GC_PLAN, &options).deleted, 6);
    test_store_change = NULL;
    assert_true(faulty_calls > 0);
    assert_int_equal(faulty_writes, 0);
    assert_int_equal(env.steps, 0);
    assert_int_equal(test_folder_state(), before);
}

static void what_blocks_gc_blocks_it(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, "{");
    assert_int_equal(test_must(TEST_GC_PLAN, &options).state, LITH_PARTITION_BLOCKED);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, "{\"generation\": 1, \"files\": []}");
    assert_int_equal(test_must(TEST_GC_PLAN, &options).state, LITH_PARTITION_BLOCKED);
}

static void all_is_there(bool done)
{
    (void)done;
    assert_int_equal(test_rows(60), 1);
    assert_int_equal(test_names("parquet"), 7);
}

static void every_failure_leaves_it_whole(void **state)
{
    const struct test_walk walk = {
        .make = retired_make, .kind = TEST_GC_PLAN, .check = all_is_there};
    struct lith_job_options options = test_job_options();

    (void)state;
    test_walk_verbs(&walk, &options);
    test_walk_allocations(&walk, &options);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(it_says_what_gc_does),
        T(nothing_is_written),
        T(what_blocks_gc_blocks_it),
        T(every_failure_leaves_it_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
