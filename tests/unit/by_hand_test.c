/*
 * Rollback and retire on a real directory: what they bring back and take away, what they refuse,
 * and that every failure leaves the partition as it was or as it was to be.
 */
#include "faulty_support.h"

#include <sys/file.h>

#include "base/limits.h"
#include "lake/commit.h"

#define ROWS 60u /* of six files */

static struct lith_job_options options_of_test(void)
{
    struct lith_job_options options = test_job_options();

    options.gc.reader_grace_ns = DAY_S * LITH_SECOND_NS;
    return options;
}

static void compacted_make(void)
{
    struct lith_job_options options = options_of_test();

    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
}

static void late_write(const char *name, uint64_t begin, size_t rows)
{
    struct test_parquet file = {.begin = begin, .rows = rows, .age_s = 3600};

    test_parquet_write(dir_fd, name, &file);
}

/* The job is refused with that in its text, and changes nothing. */
static void assert_refused(enum test_kind kind, const char *text)
{
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;
    uint64_t before = test_folder_state();

    assert_int_equal(test_job(kind, &options, &report), LITH_E_INVALID);
    if (!strstr(err.text, text))
        fail_msg("%s: not %s", err.text, text);
    assert_int_equal(test_folder_state(), before);
}

static void a_compaction_is_undone(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    compacted_make();
    assert_int_equal(test_rows(ROWS), 1);
    struct lith_partition_report report = test_must(TEST_ROLLBACK, &options);
    assert_int_equal(report.state, LITH_PARTITION_CHANGED);
    assert_int_equal(report.files_before, 1);
    assert_int_equal(report.files_after, 6);
    assert_int_equal(report.inputs, 1);
    assert_int_equal(report.outputs, 6);
    assert_int_equal(report.rows, ROWS);
    assert_int_equal(report.file_count, 7);
    assert_true(report.held_bytes == report.input_bytes && report.held_until_ns > 0);
    assert_int_equal(test_rows(ROWS), 6);
    assert_refused(TEST_ROLLBACK, "rolled back already");
}

/* It is not done again, however often it is looked at, until something else is there to do. */
static void what_was_undone_stays_so(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    for (unsigned release = 0; release < 2; release++) {
        void *none = NULL;
        compacted_make();
        (void)test_must(TEST_ROLLBACK, &options);
        for (unsigned pass = 0; pass < 3; pass++) {
            uint64_t before = test_folder_state();
            options.policy.settle_ns = pass == 1 ? 0 : 2 * (int64_t)DAY_S * LITH_SECOND_NS;
            struct lith_partition_report report = test_must(TEST_COMPACT, &options);
            assert_int_equal(report.state, LITH_PARTITION_LEFT);
            assert_non_null(strstr(report.reason, "rolled back"));
            assert_int_equal(test_folder_state(), before);
        }
        size_t rows = ROWS;
        if (release == 0) {
            test_files(6, 1, 10);
            rows += 10;
        } else {
            options.policy_hash[0] = '8';
        }
        assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
        assert_int_equal(test_rows(rows), 1);
        /* And that can be undone in turn. */
        (void)test_must(TEST_ROLLBACK, &options);
        assert_int_equal(test_rows(rows), 6 + (release == 0));
        options = options_of_test();
        teardown(&none);
        setup(&none);
    }
}

/* gc takes the outputs that were superseded, and never the inputs that are live again. */
static void gc_follows_a_rollback(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    compacted_make();
    (void)test_must(TEST_ROLLBACK, &options);
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    options.gc.reader_grace_ns = 0;
    assert_int_equal(test_must(TEST_GC, &options).deleted, 1);
    assert_int_equal(test_rows(ROWS), 6);
    assert_int_equal(test_names("parquet"), 6);
    assert_refused(TEST_ROLLBACK, "rolled back already");
}

static void late_files_and_folds_stay(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    compacted_make();
    late_write("f0006.parquet", 60, 10);
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 1);
    late_write("f0007.parquet", 70, 10);
    assert_int_equal(test_rows(80), 3);
    struct lith_partition_report report = test_must(TEST_ROLLBACK, &options);
    assert_int_equal(report.files_before, 3);
    assert_int_equal(report.files_after, 8);
    assert_int_equal(test_rows(80), 8);
}

/* An output that was lost: its inputs are still there. */
static void a_lost_output_is_no_hindrance(void **state)
{
    struct lith_job_options options = options_of_test();
    DIR *dir;
    struct dirent *entry;

    (void)state;
    compacted_make();
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (strstr(entry->d_name, "_e"))
            assert_int_equal(unlinkat(dir_fd, entry->d_name, 0), 0);
    }
    (void)closedir(dir);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
    (void)test_must(TEST_ROLLBACK, &options);
    assert_int_equal(test_rows(ROWS), 6);
}

static void a_dry_run_only_tells(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    compacted_make();
    uint64_t before = test_folder_state();
    test_store_change = faulty_change;
    struct lith_partition_report report = test_must(TEST_ROLLBACK_DRY, &options);
    assert_int_equal(faulty_writes, 0);
    assert_int_equal(report.state, LITH_PARTITION_CHANGED);
    assert_int_equal(report.files_after, 6);
    assert_int_equal(report.rows, ROWS);
    late_write("f0006.parquet", 60, 10);
    test_retired[0] = "f0006.parquet";
    test_retired_count = 1;
    uint64_t with_late = test_folder_state();
    report = test_must(TEST_RETIRE_DRY, &options);
    assert_int_equal(faulty_writes, 0);
    test_store_change = NULL;
    assert_int_equal(report.folded, 1);
    assert_int_equal(report.rows, 10);
    assert_int_equal(report.files_before, 2);
    assert_int_equal(report.files_after, 1);
    assert_int_equal(test_folder_state(), with_late);
    assert_int_equal(unlinkat(dir_fd, "f0006.parquet", 0), 0);
    assert_int_equal(test_folder_state(), before);
    assert_refused(TEST_RETIRE_DRY, "f0006.parquet is not there");
}

static void condemn_view(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_manifest next;
    struct lith_stamp stamp;
    enum lith_put put;

    lith_arena_init(&arena, lith_mem_root());
    lith_stamp_draw(&env.base, 1, &stamp);
    MUST(lith_commit_fence(lith_view_manifest(view), ctx, 1, &stamp, &arena, &next, &err));
    MUST(lith_commit_put(folder, &view->blob, &next, lith_mem_root(), &put, &err));
    assert_int_equal(put, LITH_PUT_COMMITTED);
}

static void a_rollback_that_would_lose_rows_is_refused(void **state)
{
    const char *condemned = "f0002.parquet";
    struct lith_job_options options = options_of_test();
    void *none = NULL;

    (void)state;
    test_files(0, 6, 10);
    assert_refused(TEST_ROLLBACK, "there is no manifest");
    (void)test_must(TEST_ADOPT, &options);
    assert_refused(TEST_ROLLBACK, "no compaction");
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(renameat(dir_fd, "f0003.parquet", dir_fd, "away"), 0);
    assert_refused(TEST_ROLLBACK, "f0003.parquet is not there");
    assert_int_equal(renameat(dir_fd, "away", dir_fd, "f0003.parquet"), 0);
    test_age(dir_fd, "f0003.parquet", 100);
    assert_refused(TEST_ROLLBACK, "f0003.parquet is ");
    assert_refused(TEST_ROLLBACK_DRY, "f0003.parquet is ");
    teardown(&none);
    setup(&none);
    compacted_make();
    test_look(condemn_view, &condemned);
    assert_refused(TEST_ROLLBACK, "f0002.parquet is being deleted");
    options.gc.reader_grace_ns = 0;
    (void)test_must(TEST_GC, &options);
    assert_refused(TEST_ROLLBACK, "deleted already");
    teardown(&none);
    setup(&none);
    compacted_make();
    late_write("f0006.parquet", 60, 10);
    test_retired[0] = "f0006.parquet";
    test_retired_count = 1;
    (void)test_must(TEST_RETIRE, &options);
    assert_refused(TEST_ROLLBACK, "was a retire");
    assert_int_equal(test_rows(ROWS), 1);
}

/* A blank behind the manifest: other bytes, the same meaning. */
static unsigned touches;

static void touch_manifest(const char *step)
{
    if (touches == 0 || strcmp(step, LITH_STEP_PUT_LOCKED) != 0)
        return;
    touches--;
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, " ", 1), 1);
    (void)close(fd);
}

static void a_lost_commit_starts_over(void **state)
{
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;

    (void)state;
    compacted_make();
    test_hook = touch_manifest;
    touches = 1000u;
    assert_int_equal(test_job(TEST_ROLLBACK, &options, &report), LITH_E_CONFLICT);
    assert_int_equal(1000u - touches, LITH_LOOK_AGAIN_MAX);
    assert_int_equal(test_rows(ROWS), 1);
    touches = 3;
    MUST(test_job(TEST_ROLLBACK, &options, &report));
    assert_int_equal(touches, 0);
    assert_int_equal(test_rows(ROWS), 6);
    late_write("f0006.parquet", 60, 10);
    test_retired[0] = "f0006.parquet";
    test_retired_count = 1;
    touches = 2; /* of the fold, and of its second try */
    MUST(test_job(TEST_RETIRE, &options, &report));
    assert_int_equal(touches, 0);
    assert_int_equal(report.folded, 1);
    assert_int_equal(test_rows(ROWS), 6);
}

static void another_holder_of_the_lock_is_left_alone(void **state)
{
    static const enum test_kind kinds[] = {TEST_ROLLBACK, TEST_RETIRE};
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;

    (void)state;
    compacted_make();
    late_write("f0006.parquet", 60, 10);
    test_retired[0] = "f0006.parquet";
    test_retired_count = 1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    uint64_t before = test_folder_state();
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(test_job(kinds[i], &options, &report), LITH_E_CONFLICT);
    assert_int_equal(test_folder_state(), before);
    /* Looking needs no lock. */
    (void)test_must(TEST_ROLLBACK_DRY, &options);
    (void)close(fd);
}

static void a_manifest_that_cannot_be_read_blocks(void **state)
{
    static const enum test_kind kinds[] = {TEST_ROLLBACK, TEST_ROLLBACK_DRY, TEST_RETIRE,
                                           TEST_RETIRE_DRY, TEST_ADOPT};
    struct lith_job_options options = options_of_test();

    (void)state;
    test_files(0, 6, 10);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, "{");
    test_retired[0] = "f0000.parquet";
    test_retired_count = 1;
    uint64_t before = test_folder_state();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        assert_int_equal(test_must(kinds[i], &options).state, LITH_PARTITION_BLOCKED);
    assert_int_equal(test_folder_state(), before);
}

/* Files with the last rows, so that those that are left are [0, n). */
static void retire_names(const char *a, const char *b)
{
    test_retired[0] = a;
    test_retired[1] = b;
    test_retired_count = b ? 2 : 1;
}

static void adopted_make(void)
{
    struct lith_job_options options = options_of_test();

    test_files(0, 6, 10);
    (void)test_must(TEST_ADOPT, &options);
    retire_names("f0005.parquet", "f0004.parquet");
}

static void retired_files_take_their_rows_along(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    adopted_make();
    struct lith_partition_report report = test_must(TEST_RETIRE, &options);
    assert_int_equal(report.state, LITH_PARTITION_CHANGED);
    assert_int_equal(report.inputs, 2);
    assert_int_equal(report.outputs, 0);
    assert_int_equal(report.rows, 20);
    assert_int_equal(report.files_after, 4);
    assert_int_equal(report.held_bytes, report.input_bytes);
    assert_int_equal(test_rows(40), 4);
    assert_refused(TEST_RETIRE, "f0005.parquet was retired already; f0004.parquet was retired");
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    /* A compaction takes what is left. */
    assert_int_equal(test_must(TEST_COMPACT, &options).inputs, 4);
    assert_int_equal(test_rows(40), 1);
    options.gc.reader_grace_ns = 0;
    assert_int_equal(test_must(TEST_GC, &options).deleted, 6);
    assert_int_equal(test_rows(40), 1);
    assert_int_equal(test_names("parquet"), 1);
}

static void all_files_may_go(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    test_files(0, 2, 10);
    (void)test_must(TEST_ADOPT, &options);
    retire_names("f0000.parquet", "f0001.parquet");
    assert_int_equal(test_must(TEST_RETIRE, &options).files_after, 0);
    assert_int_equal(test_rows(0), 0);
}

static void late_files_are_named_first(void **state)
{
    struct lith_job_options options = options_of_test();
    struct test_parquet young = {.begin = 70, .rows = 10};

    (void)state;
    compacted_make();
    late_write("f0006.parquet", 60, 10);
    test_parquet_write(dir_fd, "f0007.parquet", &young);
    retire_names("f0006.parquet", "f0007.parquet");
    struct lith_partition_report report = test_must(TEST_RETIRE, &options);
    assert_int_equal(report.folded, 2);
    assert_int_equal(report.rows, 20);
    assert_int_equal(test_rows(ROWS), 1);
    test_file_write(dir_fd, "bad.parquet", "no footer");
    retire_names("bad.parquet", NULL);
    assert_refused(TEST_RETIRE, "footer cannot be read");
    assert_int_equal(symlinkat("f0000.parquet", dir_fd, "link.parquet"), 0);
    retire_names("link.parquet", NULL);
    assert_refused(TEST_RETIRE, "symbolic link");
}

static void what_is_not_live_is_named(void **state)
{
    (void)state;
    test_files(0, 6, 10);
    retire_names("f0005.parquet", NULL);
    assert_refused(TEST_RETIRE, "no manifest");
    adopted_make();
    retire_names("f0005.parquet", "gone.parquet");
    assert_refused(TEST_RETIRE, "retire: gone.parquet is not there; nothing");
    retire_names("manifest.json", "f0005.parquet");
    assert_refused(TEST_RETIRE, "manifest.json is not live");
    retire_names("f0005.parquet", "f0005.parquet");
    assert_refused(TEST_RETIRE, "f0005.parquet twice");
    test_retired_count = 0;
    assert_refused(TEST_RETIRE, "no file is named");
    for (test_retired_count = 0; test_retired_count < 8; test_retired_count++) {
        static char names[8][16];
        (void)snprintf(names[test_retired_count], 16, "x%zu", test_retired_count);
        test_retired[test_retired_count] = names[test_retired_count];
    }
    assert_refused(TEST_RETIRE, "x3 is not there; and 4 more");
    /* Other bytes under the name would come alive again at the next fold. */
    test_age(dir_fd, "f0005.parquet", 50);
    retire_names("f0005.parquet", NULL);
    assert_refused(TEST_RETIRE, "is not the file that the manifest names");
    assert_int_equal(unlinkat(dir_fd, "f0005.parquet", 0), 0);
    assert_refused(TEST_RETIRE, "f0005.parquet is missing");
}

static void a_damaged_file_may_go(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    test_file_write(dir_fd, "bad.parquet", "no footer");
    test_age(dir_fd, "bad.parquet", DAY_S);
    test_files(0, 6, 10);
    assert_int_equal(test_must(TEST_ADOPT, &options).blocked_files, 1);
    retire_names("bad.parquet", "f0005.parquet");
    struct lith_partition_report report = test_must(TEST_RETIRE, &options);
    assert_int_equal(report.rows, 10);
    assert_non_null(strstr(report.reason, "without the rows of 1"));
    assert_int_equal(test_rows(50), 5);
    assert_int_equal(test_must(TEST_COMPACT, &options).blocked_files, 0);
    assert_int_equal(test_rows(50), 1);
}

static void rolled_back_or_not(bool done)
{
    size_t live = test_rows(ROWS);

    assert_true(live == 6 || (!done && live == 1));
}

/* All of it or none. */
static void retired_or_not(bool done)
{
    size_t live = test_live();

    assert_true(live == 4 || (!done && live == 6));
    (void)test_rows(live * 10);
}

static void late_make(void)
{
    struct lith_job_options options = options_of_test();

    test_files(0, 1, ROWS);
    (void)test_must(TEST_ADOPT, &options);
    late_write("f0006.parquet", 60, 10);
    retire_names("f0006.parquet", NULL);
}

static void late_retired_or_not(bool done)
{
    size_t live = test_live();

    assert_true(live == 1 || (!done && live == 2));
    (void)test_rows(ROWS + (live - 1) * 10);
}

static const struct test_walk walks[] = {
    {.make = compacted_make, .kind = TEST_ROLLBACK, .check = rolled_back_or_not, .once = true},
    {.make = adopted_make, .kind = TEST_RETIRE, .check = retired_or_not, .once = true},
    {.make = late_make, .kind = TEST_RETIRE, .check = late_retired_or_not, .once = true},
};
#define WALKS (sizeof(walks) / sizeof(walks[0]))

static void every_verb_may_fail(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_verbs(&walks[i], &options);
}

static void every_allocation_may_fail(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_allocations(&walks[i], &options);
}

static void a_crash_at_any_step_loses_nothing(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    for (size_t i = 0; i < WALKS; i++)
        test_walk_crashes(&walks[i], &options);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_compaction_is_undone),
        T(what_was_undone_stays_so),
        T(gc_follows_a_rollback),
        T(late_files_and_folds_stay),
        T(a_lost_output_is_no_hindrance),
        T(a_dry_run_only_tells),
        T(a_rollback_that_would_lose_rows_is_refused),
        T(a_lost_commit_starts_over),
        T(another_holder_of_the_lock_is_left_alone),
        T(a_manifest_that_cannot_be_read_blocks),
        T(retired_files_take_their_rows_along),
        T(all_files_may_go),
        T(late_files_are_named_first),
        T(what_is_not_live_is_named),
        T(a_damaged_file_may_go),
        T(every_verb_may_fail),
        T(every_allocation_may_fail),
        T(a_crash_at_any_step_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
