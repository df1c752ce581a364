/*
 * Readers = glob: every verb fails in every way, every allocation fails, every step is the last
 * one; of a job, and of the recovery of one that was cut off. Nothing is lost, and the next job
 * finishes.
 */
#include "recovery_support.h"

static void rows_check(bool done)
{
    (void)test_rows(ROWS);
    (void)globbed(ROWS, done ? 1 : 2);
    if (done)
        assert_settled(ROWS);
}

static void cut_make(void)
{
    fresh_make();
    cut_at("committed", 1);
}

static void cut_early_make(void)
{
    fresh_make();
    cut_at("output-durable", 2);
}

static void walk(const struct test_walk *walk, bool allocations)
{
    struct lith_job_options options = options_of_test();

    test_walk_verbs(walk, &options);
    test_walk_crashes(walk, &options);
    if (allocations)
        test_walk_allocations(walk, &options);
}

/* P3. That of allocations in a merge is job_test's. */
static void a_job_that_fails_anywhere(void **state)
{
    static const struct test_walk job = {
        .make = fresh_make, .kind = TEST_COMPACT, .check = rows_check};

    (void)state;
    walk(&job, false);
}

static void a_recovery_that_fails_anywhere(void **state)
{
    static const struct test_walk after_commit = {
        .make = cut_make, .kind = TEST_GC, .check = rows_check};

    (void)state;
    walk(&after_commit, true);
}

static void a_recovery_of_outputs_that_fails_anywhere(void **state)
{
    static const struct test_walk before_commit = {
        .make = cut_early_make, .kind = TEST_GC, .check = rows_check};

    (void)state;
    walk(&before_commit, true);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_job_that_fails_anywhere),
        T(a_recovery_that_fails_anywhere),
        T(a_recovery_of_outputs_that_fails_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
