/*
 * Compaction and gc on a real directory when a verb of the store fails, the first, the second ...,
 * in each way; likewise every allocation, and a crash at every step. Readers see every row once all
 * the time, and the next pass leaves nothing but what counts.
 */
#include "faulty_support.h"

#include "lake/commit.h"

#define ROWS 60u /* of six files */
#define LATE 40u /* of one more */

static const char *killed_step;

static void die(const char *step)
{
    if (strcmp(step, killed_step) == 0)
        _exit(TEST_CRASHED);
}

/* A compaction by a process that ends at a step. */
static void compact_until(const char *step)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        killed_step = step;
        test_hook = die;
        _exit(test_job(TEST_COMPACT, &options, &report) == LITH_OK ? 0 : 9);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == TEST_CRASHED);
    env.seed++; /* the child drew numbers that this process did not */
}

static void fresh_make(void)
{
    test_files(0, 6, 10);
}

/* A merged file, and one more that no manifest names yet and that it takes in. */
static void late_make(void)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet late = {.begin = ROWS, .rows = LATE, .age_s = DAY_S};

    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_parquet_write(dir_fd, "late.parquet", &late);
}

/* All that gc takes: retired files, an output of no commit, one that was never ended. */
static void garbage_make(void)
{
    struct lith_job_options options = test_job_options();

    test_files(0, 6, 10);
    compact_until(LITH_STEP_OUTPUT_DURABLE);
    compact_until(LITH_STEP_OUTPUT_WRITTEN);
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_names(".parquet"), 6 + 2 + 1);
    assert_int_equal(test_names(".tmp"), 1);
}

/* One file is live, and nothing else is there, nor told of, after gc. */
static void assert_clean(size_t rows)
{
    struct lith_job_options options = test_job_options();

    for (unsigned pass = 0; pass < 2; pass++)
        (void)test_must(TEST_GC, &options);
    assert_int_equal(test_rows(rows), 1);
    assert_int_equal(test_names(".parquet"), 1);
    assert_int_equal(test_names(".tmp"), 0);
}

static void compacted_or_not(bool done)
{
    size_t live = test_rows(ROWS);

    assert_true(live == 1 || (!done && live == 6));
    if (done)
        assert_clean(ROWS);
}

static void late_merged_or_not(bool done)
{
    size_t live = test_rows(ROWS + LATE);

    assert_true(live == 1 || (!done && live == 2));
    if (done)
        assert_clean(ROWS + LATE);
}

/* An orphan that cannot be read stays, and is no failure of the pass: the next one takes it. */
static void collected_or_not(bool done)
{
    assert_int_equal(test_rows(ROWS), 1);
    if (done)
        assert_clean(ROWS);
}

static const struct test_walk walks[] = {
    {.make = fresh_make, .kind = TEST_COMPACT, .check = compacted_or_not},
    {.make = late_make, .kind = TEST_COMPACT, .check = late_merged_or_not},
    {.make = garbage_make, .kind = TEST_GC, .check = collected_or_not},
};
#define WALKS (sizeof(walks) / sizeof(walks[0]))

/* Two files are enough, and late ones are folded and merged in one pass. */
static struct lith_job_options eager_options(void)
{
    struct lith_job_options options = test_job_options();

    options.policy.settle_ns = 1800 * LITH_SECOND_NS;
    return options;
}

static void every_verb_may_fail(void **state)
{
    struct lith_job_options options = eager_options();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_verbs(&walks[i], &options);
}

static void every_allocation_may_fail(void **state)
{
    struct lith_job_options options = eager_options();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_allocations(&walks[i], &options);
}

static void a_crash_at_any_step_loses_nothing(void **state)
{
    struct lith_job_options options = eager_options();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_crashes(&walks[i], &options);
}

/* Whatever a job had read of it before: it ends, and says something, or goes on. */
static void the_manifest_may_be_taken_away_at_any_moment(void **state)
{
    static const enum test_kind kinds[] = {TEST_COMPACT, TEST_GC, TEST_ADOPT, TEST_ROLLBACK};
    struct lith_job_options options = eager_options();
    struct lith_partition_report report;

    (void)state;
    faulty_kind = FAULT_TAKEN;
    for (size_t i = 0; i < WALKS * sizeof(kinds) / sizeof(kinds[0]); i++) {
        bool reached = true;
        for (uint64_t n = 1; reached; n++) {
            test_walk_again(&walks[i % WALKS]);
            faulty_at = n;
            test_store_change = faulty_change;
            err.text[0] = '\0';
            enum lith_code code = test_job(kinds[i / WALKS], &options, &report);
            assert_true(code == LITH_OK || err.text[0]);
            test_store_change = NULL;
            reached = faulty_calls >= n;
            assert_true(n < 500);
        }
    }
    faulty_at = 0;
    faulty_kind = FAULT_BEFORE;
}

static enum lith_code put_then_denied(struct lith_folder *folder, const char *name,
                                      const struct lith_blob *expected, struct lith_content *body,
                                      struct lith_err *e)
{
    MUST(faulty_below->put_if(folder, name, expected, body, e));
    return lith_fail(e, LITH_E_DENIED, "fsync %s: the file system is read-only", name);
}

static void put_change(struct lith_store *store)
{
    faulty_below = store->ops;
    faulty_ops = *store->ops;
    faulty_ops.put_if = put_then_denied;
    store->ops = &faulty_ops;
}

/* Between the rename and its fsync: the commit stands there, and nobody knows for how long. */
static void a_disk_that_turned_read_only_leaves_the_outcome_open(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_store_change = put_change;
    assert_int_equal(test_job(TEST_ROLLBACK, &options, &report), LITH_E_TRANSIENT);
    assert_non_null(strstr(err.text, "not known"));
    assert_non_null(strstr(err.text, "read-only"));
    assert_int_equal(test_rows(ROWS), 6);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_verb_may_fail),
        T(every_allocation_may_fail),
        T(a_crash_at_any_step_loses_nothing),
        T(the_manifest_may_be_taken_away_at_any_moment),
        T(a_disk_that_turned_read_only_leaves_the_outcome_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
