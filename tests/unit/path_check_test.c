/*
 * P4: rows that do not belong to their partition's path stop the job; which is remembered, and
 * forgotten when files or rules change.
 */
#include "job_support.h"

#include "base/limits.h"

/* Files of one row each, whose template_id is its number modulo 5; the partition is that of 0. */
#define PARTITION "template_id=0"

static int partition_setup(void **state)
{
    int top;

    (void)setup(state);
    test_partition = PARTITION;
    top = dir_fd;
    assert_int_equal(mkdirat(top, PARTITION, 0755), 0);
    dir_fd = openat(top, PARTITION, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir_fd >= 0);
    (void)close(top);
    return 0;
}

static void row_write(unsigned number, uint64_t id)
{
    struct test_parquet file = {.begin = id, .rows = 1, .age_s = DAY_S};
    char name[32];

    (void)snprintf(name, sizeof(name), "f%04u.parquet", number);
    test_parquet_write(dir_fd, name, &file);
}

static void rows_write(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        row_write(i, 5 * (uint64_t)i);
}

static void notes_count(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    (void)folder;
    *(size_t *)ctx = lith_view_manifest(view) ? view->manifest.misplaced_count : 0;
}

static size_t notes(void)
{
    size_t count = 0;

    test_look(notes_count, &count);
    return count;
}

static size_t entries(void)
{
    DIR *dir = fdopendir(dup(dir_fd));
    size_t count = 0;

    assert_non_null(dir);
    rewinddir(dir);
    while (readdir(dir))
        count++;
    (void)closedir(dir);
    return count;
}

static void p4_a_wrong_row_blocks(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    rows_write(5);
    row_write(5, 26);
    /* A dry run says the same, and writes nothing. */
    size_t before = entries();
    struct lith_partition_report report = test_must(TEST_PLAN, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_non_null(strstr(test_reason, "f0005.parquet: column template_id holds 1"));
    assert_non_null(strstr(test_reason, PARTITION));
    assert_int_equal(entries(), before);
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(report.blocked_files, 1);
    assert_int_equal(notes(), 1);
    before = entries();
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(entries(), before);
    /* The file goes: so does the reason. */
    test_retired[0] = "f0005.parquet";
    test_retired_count = 1;
    (void)test_must(TEST_RETIRE, &options);
    assert_int_equal(notes(), 0);
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_live(), 1);
}

/* Under other rules what was found is nothing; under the old ones it counts again. */
static void rules_change(void **state)
{
    static const char *const skip[] = {"template_id"};
    struct lith_job_options options = test_job_options();
    struct lith_job_options other = options;

    (void)state;
    other.path_check_skip = skip;
    other.path_check_skip_count = 1;
    rows_write(5);
    row_write(5, 26);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
    assert_int_equal(test_must(TEST_PLAN, &other).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_BLOCKED);
    assert_int_equal(test_must(TEST_COMPACT, &other).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(notes(), 0);
    assert_int_equal(test_live(), 1);
}

/* The file is written again, as it ought to be. */
static void the_file_changes(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    rows_write(5);
    row_write(5, 26);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
    row_write(5, 25);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(notes(), 0);
    assert_int_equal(test_live(), 1);
}

/* Late files are named all the same, and gc goes on. */
static void late_files_are_folded(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    rows_write(5);
    row_write(5, 26);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
    row_write(6, 30);
    row_write(7, 36); /* it would not belong either, but no job is due that would look */
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(report.folded, 2);
    assert_int_equal(test_live(), 8);
    (void)test_must(TEST_GC, &options);
    assert_int_equal(test_live(), 8);
}

/* More wrong files than are noted: enough of them, and a second pass writes nothing. */
static void many_wrong_files(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    for (unsigned i = 0; i < LITH_MISPLACED_MAX + 10; i++)
        row_write(i, 5 * (uint64_t)i + 1);
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(report.blocked_files, LITH_MISPLACED_MAX + 10);
    assert_int_equal(notes(), LITH_MISPLACED_MAX);
    uint64_t steps = env.steps;
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(report.blocked_files, LITH_MISPLACED_MAX);
    assert_int_equal(env.steps, steps);
}

/* The N-th allocation fails, for every N: nothing is merged, and the next pass finds the same. */
static void failing_memory(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report = {0};
    bool has_failed = true;
    int64_t n = 0;

    for (; has_failed; n++) {
        assert_true(n < 5000);
        rows_write(5);
        row_write(5, 26);
        atomic_store(&mem.fail_after, n);
        enum lith_code code = test_job(TEST_COMPACT, &options, &report);
        has_failed = atomic_load(&mem.fail_after) < 0;
        atomic_store(&mem.fail_after, -1);
        if (code != LITH_OK && code != LITH_E_NOMEM)
            fail_msg("%" PRId64 ": %s", n, err.text);
        assert_int_equal(test_live(), 6);
        if (!has_failed)
            break;
        assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
        assert_int_equal(notes(), 1);
        teardown(state);
        partition_setup(state);
    }
    assert_true(n > 100);
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_int_equal(notes(), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, partition_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(p4_a_wrong_row_blocks), TEST(rules_change),     TEST(the_file_changes),
        TEST(late_files_are_folded), TEST(many_wrong_files), TEST(failing_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
