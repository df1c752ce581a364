/*
 * Jobs on a real directory: merged end to end, nothing done twice, what is damaged set aside,
 * what changes under the job given up, and every crash and failed allocation survived.
 */
#include "job_support.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "lake/commit.h"

static void a_partition_is_compacted(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    struct lith_partition_report plan = test_must(TEST_PLAN, &options);
    assert_int_equal(plan.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(plan.files_after, 1);
    assert_int_equal(test_names("manifest"), 0);
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(report.files_before, 6);
    assert_int_equal(report.files_after, 1);
    assert_int_equal(report.inputs, 6);
    assert_int_equal(report.outputs, 1);
    assert_int_equal(report.rows, 60);
    assert_int_equal(test_rows(60), 1);
    assert_int_equal(test_names("tmp"), 0);
}

/* Descriptors and memory are those of one output, however many there are. */
static void many_outputs_need_no_more_than_one(void **state)
{
    struct lith_job_options options = test_job_options();
    struct rlimit before;
    struct lith_partition_report report;
    struct lith_mem budget;

    (void)state;
    test_files(0, 200, 100);
    options.policy.target_file_bytes = 5000;
    options.row_group_rows = 200;
    lith_mem_init(&budget, (size_t)8 << 20, NULL);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit few = {.rlim_cur = 150, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    options.policy.min_files = 2;
    enum lith_code code = test_job_under(TEST_COMPACT, &options, &budget, &report);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    if (code != LITH_OK)
        fail_msg("%s", err.text);
    lith_mem_done(&budget);
    assert_true(report.outputs > 25);
    assert_int_equal(test_rows(20000), report.files_after);
}

static void a_second_pass_writes_nothing(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    for (unsigned pass = 0; pass < 3; pass++) {
        uint64_t before = test_folder_state();
        if (pass == 2)
            options.policy.settle_ns = 0;
        struct lith_partition_report report = test_must(TEST_COMPACT, &options);
        assert_int_equal(report.state, LITH_PARTITION_LEFT);
        assert_int_equal(test_folder_state(), before);
    }
}

static void a_late_file_is_folded_and_merged_after_settle(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_files(6, 1, 40);
    struct test_parquet late = {.begin = 60, .rows = 40, .age_s = 3600};
    test_parquet_write(dir_fd, "f0006.parquet", &late);
    assert_int_equal(test_rows(100), 2);
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.folded, 1);
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 0);
    assert_int_equal(test_folder_state(), before);
    options.policy.settle_ns = 1800 * LITH_SECOND_NS;
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_rows(100), 1);
    before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_LEFT);
    assert_int_equal(test_folder_state(), before);
}

static void late_files_without_a_footer_stay_out(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_file_write(dir_fd, "bad.parquet", "no footer");
    test_age(dir_fd, "bad.parquet", DAY_S);
    uint64_t before = test_folder_state();
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.folded, 0);
    assert_int_equal(test_folder_state(), before);
}

/* Flips one byte near the front, inside the first page. */
static void damage(const char *name, off_t at)
{
    int fd = openat(dir_fd, name, O_RDWR | O_CLOEXEC);
    uint8_t byte;
    struct stat st;

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x40;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    struct timespec times[2] = {st.st_mtim, st.st_mtim};
    assert_int_equal(futimens(fd, times), 0);
    (void)close(fd);
}

static void a_damaged_file_is_set_aside(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 8, 10);
    damage("f0007.parquet", 60);
    test_file_write(dir_fd, "bad.parquet", "no footer");
    test_age(dir_fd, "bad.parquet", DAY_S);
    MUST(test_job(TEST_COMPACT, &options, &report));
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(report.inputs, 7);
    assert_int_equal(report.rows, 70);
    assert_int_equal(report.blocked_files, 2);
    assert_true(test_file_exists(dir_fd, "f0007.parquet"));
    uint64_t before = test_folder_state();
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(test_folder_state(), before);
}

static void find_output(char name[256], const char *suffix)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    name[0] = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        size_t bytes = strlen(entry->d_name);
        if (strstr(entry->d_name, "_e") && bytes > strlen(suffix) &&
            strcmp(entry->d_name + bytes - strlen(suffix), suffix) == 0)
            (void)snprintf(name, 256, "%s", entry->d_name);
    }
    (void)closedir(dir);
    assert_true(name[0]);
}

/* Files of one kind: numbers or texts in a column of that name. */
static void more_files(unsigned first, unsigned count, const char *more, bool is_text)
{
    char name[32];

    for (unsigned i = first; i < first + count; i++) {
        struct test_parquet file = {
            .begin = i * 10u, .rows = 10, .more = more, .is_text = is_text, .age_s = DAY_S};
        (void)snprintf(name, sizeof(name), "f%04u.parquet", i);
        test_parquet_write(dir_fd, name, &file);
    }
}

static void assert_conflict(const struct lith_partition_report *report, size_t index,
                            const char *begin)
{
    assert_true(index < report->conflict_count);
    if (strncmp(report->conflicts[index], begin, strlen(begin)) != 0)
        fail_msg("%s, not %s", report->conflicts[index], begin);
}

/* Breaks the footers of files with this in their names, whose identity stays: who reads one would
 * tell. */
static void break_footers(const char *part)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    struct stat st;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (!strstr(entry->d_name, part) || !strstr(entry->d_name, ".parquet"))
            continue;
        assert_int_equal(fstatat(dir_fd, entry->d_name, &st, 0), 0);
        for (off_t at = 9; at < 200; at++)
            damage(entry->d_name, st.st_size - at);
    }
    (void)closedir(dir);
}

static void files_that_do_not_join_are_merged_apart(void **state)
{
    struct lith_job_options options = test_job_options();
    char name[256];
    char text[512];

    (void)state;
    more_files(0, 6, "extra", false);
    more_files(6, 5, "extra", true);
    more_files(11, 4, "Extra", true);
    struct lith_partition_report report = test_must(TEST_PLAN, &options);
    assert_int_equal(report.conflict_count, 2);
    assert_conflict(&report, 0,
                    "column extra: INT64 (in f0000.parquet) against BYTE_ARRAY STRING "
                    "(in f0006.parquet)");
    assert_conflict(&report, 1, "column extra: this name (in f0000.parquet) against the name");
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.inputs, 6);
    assert_int_equal(report.blocked_files, 0); /* a later pass takes them */
    assert_int_equal(report.more_due, 5);
    assert_int_equal(report.conflict_count, 2);
    assert_int_equal(test_rows(150), 10);
    find_output(name, ".parquet");
    (void)snprintf(text, sizeof(text),
                   "column extra: INT64 (in %s) against BYTE_ARRAY STRING (in "
                   "f0006.parquet)",
                   name);
    assert_string_equal(report.conflicts[0], text);
    assert_int_equal(test_must(TEST_COMPACT, &options).inputs, 5);
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.inputs, 4);
    assert_int_equal(report.more_due, 0);
    assert_int_equal(test_rows(150), 3);
}

/* Files that do not join are no work, also once settled, and no footer tells that: the manifest. */
static void what_stays_apart_is_told_from_the_manifest(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    more_files(0, 6, "extra", false);
    more_files(6, 5, "extra", true);
    (void)test_must(TEST_COMPACT, &options);
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_rows(110), 2);
    break_footers("_e");
    uint64_t before = test_folder_state();
    for (unsigned pass = 0; pass < 3; pass++) {
        if (pass == 1)
            options.policy.settle_ns = 0;
        /* Of what joins another policy may say the same. */
        if (pass == 2)
            memset(options.policy_hash, '8', 32);
        struct lith_partition_report report =
            test_must(pass == 2 ? TEST_PLAN : TEST_COMPACT, &options);
        assert_int_equal(report.state, LITH_PARTITION_LEFT);
        assert_int_equal(report.blocked_files, 0);
        assert_int_equal(report.conflict_count, 1);
        assert_non_null(strstr(report.conflicts[0], "column extra: "));
        assert_non_null(strstr(report.reason, "2 kinds of files do not join"));
        assert_int_equal(test_folder_state(), before);
    }
    /* Other rules may join them: the footers are asked again. */
    memset(options.sets_hash, '8', 32);
    assert_int_equal(test_must(TEST_PLAN, &options).blocked_files, 2);
}

/* Late files that look like a job by the list, and are one of each kind: they are named, with their
 * sets, and from then on no footer is read to leave them alone. */
static void late_files_are_of_sets_too(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    more_files(0, 6, "extra", false);
    more_files(6, 6, "extra", true);
    (void)test_must(TEST_COMPACT, &options);
    (void)test_must(TEST_COMPACT, &options);
    options.policy.min_files = 2;
    more_files(12, 1, "extra", false);
    more_files(13, 1, "extra", true);
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.folded, 2);
    assert_int_equal(test_rows(140), 4);
    break_footers("");
    uint64_t before = test_folder_state();
    report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.blocked_files, 0);
    assert_int_equal(report.conflict_count, 1);
    assert_int_equal(test_folder_state(), before);
}

/* More files than a job takes: not all are known, so nothing is noted that is half the truth. */
static void sets_of_more_files_than_a_job_takes(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    unsigned passes = 0;

    (void)state;
    options.policy.max_inputs = 6;
    more_files(0, 9, "extra", false);
    more_files(9, 9, "extra", true);
    do {
        report = test_must(TEST_COMPACT, &options);
        if (passes == 0)
            assert_int_equal(report.conflict_count, 0);
        (void)test_rows(180);
        assert_true(++passes < 12);
    } while (report.state == LITH_PARTITION_COMPACTED);
    assert_int_equal(report.files_before, 2);
    assert_int_equal(report.conflict_count, 1);
}

/* Those without the column that rows are sorted by hold up no others, though a job would take them
 * first, and not all files are known. */
static void more_files_without_a_sort_key_than_a_job_takes(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    unsigned passes = 0;

    (void)state;
    options.policy.max_inputs = 6;
    options.sort_by = "extra";
    more_files(0, 14, "Extra", false);
    more_files(14, 9, "extra", false);
    do {
        report = test_must(TEST_COMPACT, &options);
        (void)test_rows(230);
        assert_true(++passes < 8);
    } while (report.state == LITH_PARTITION_COMPACTED);
    assert_int_equal(report.files_before, 15);
    assert_int_equal(report.blocked_files, 14);
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).blocked_files, 14);
    assert_int_equal(test_folder_state(), before);
    more_files(23, 1, "Extra", false);
    options.sort_by = "Extra";
    memset(options.policy_hash, '8', 32);
    memset(options.sets_hash, '8', 32);
    for (passes = 0; passes == 0 || report.state == LITH_PARTITION_COMPACTED; passes++) {
        report = test_must(TEST_COMPACT, &options);
        assert_true(passes < 8);
    }
    assert_int_equal(test_rows(240), 2);
}

static void another_policy_is_looked_at_anew(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    memset(options.policy_hash, '8', 32);
    options.policy.settle_ns = 0;
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_LEFT);
    assert_int_equal(test_folder_state(), before);
}

/* Offset 20: inside the header or body of the output's first page. */
static void damage_output(const char *step)
{
    char name[256];

    if (strcmp(step, LITH_STEP_OUTPUT_SYNCED) != 0)
        return;
    find_output(name, ".tmp");
    damage(name, 60);
}

static void an_output_that_fails_verification_changes_nothing(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    uint64_t after_first = 0;

    (void)state;
    test_files(0, 6, 10);
    test_hook = damage_output;
    for (unsigned pass = 0; pass < 3; pass++) {
        assert_int_equal(test_job(TEST_COMPACT, &options, &report), LITH_E_CORRUPT);
        assert_non_null(strstr(err.text, "does not hold what was read"));
        assert_int_equal(test_rows(60), 6);
        assert_int_equal(test_names("_e"), 0);
        assert_int_equal(test_names("tmp"), 0);
        /* A failing job must not write a manifest at every pass. */
        if (pass == 0)
            after_first = test_folder_state();
        assert_int_equal(test_folder_state(), after_first);
    }
    test_hook = NULL;
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_rows(60), 1);
}

static const char *change_at;

static void replace_input(const char *step)
{
    struct test_parquet file = {.begin = 0, .rows = 10, .age_s = DAY_S - 5};

    if (strcmp(step, change_at) == 0)
        test_parquet_write(dir_fd, "f0000.parquet", &file);
}

static void remove_input(const char *step)
{
    if (strcmp(step, change_at) == 0)
        (void)unlinkat(dir_fd, "f0000.parquet", 0);
}

static void inputs_that_change_stop_the_job(void **state)
{
    static const char *const steps[] = {LITH_STEP_LEASED, LITH_STEP_OUTPUT_CREATED,
                                        LITH_JOB_STEP_ROW_GROUP, LITH_JOB_STEP_VERIFIED};
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(steps) / sizeof(steps[0]); i++) {
        void *none = NULL;
        test_files(0, 6, 10);
        change_at = steps[i / 2];
        test_hook = i % 2 ? remove_input : replace_input;
        enum lith_code code = test_job(TEST_COMPACT, &options, &report);
        test_hook = NULL;
        /* Gone right after the lease: the next look sees it and blocks. */
        if (i == 1)
            assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        else if (i == 0)
            assert_int_equal(code, LITH_OK); /* seen, and left out: it is not what is named */
        else
            assert_int_equal(code, LITH_E_CONFLICT);
        if (i > 0)
            assert_int_equal(test_names("_e"), 0);
        assert_int_equal(test_names("tmp"), 0);
        teardown(&none);
        setup(&none);
    }
}

/* Adds a blank to the manifest, as an editor would: other bytes, the same meaning. */
static void touch_manifest(const char *step)
{
    if (strcmp(step, LITH_STEP_OUTPUT_DURABLE) != 0)
        return;
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, " ", 1), 1);
    (void)close(fd);
}

static void fence_view(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    LITH_AUTO(arena) struct lith_arena arena;
    LITH_AUTO(buf) struct lith_buf text;
    struct lith_manifest next;
    struct lith_stamp stamp;

    (void)ctx;
    (void)folder;
    lith_arena_init(&arena, lith_mem_root());
    lith_buf_init(&text, lith_mem_root(), 1 << 20);
    lith_stamp_draw(&env.base, 1, &stamp);
    MUST(lith_commit_fence(lith_view_manifest(view), NULL, 0, &stamp, &arena, &next, &err));
    MUST(lith_manifest_write(&next, &text, &err));
    int fd = openat(dir_fd, "other", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data, text.bytes), (ssize_t)text.bytes);
    (void)close(fd);
    assert_int_equal(renameat(dir_fd, "other", dir_fd, LITH_MANIFEST_NAME), 0);
}

/* A program that does not know the lock raises the epoch. */
static void fence_manifest(const char *step)
{
    if (strcmp(step, LITH_STEP_OUTPUT_DURABLE) == 0)
        test_look(fence_view, NULL);
}

static void a_lost_commit_is_judged(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 6, 10);
    test_hook = fence_manifest;
    assert_int_equal(test_job(TEST_COMPACT, &options, &report), LITH_E_CONFLICT);
    assert_non_null(strstr(err.text, "epoch"));
    assert_int_equal(test_rows(60), 6);
    assert_int_equal(test_names("_e"), 1); /* an orphan, for gc */
    test_hook = touch_manifest;
    MUST(test_job(TEST_COMPACT, &options, &report));
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_rows(60), 1);
}

static void another_holder_of_the_lock_is_left_alone(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    test_files(0, 6, 10);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    uint64_t before = test_folder_state();
    assert_int_equal(test_job(TEST_COMPACT, &options, &report), LITH_E_CONFLICT);
    assert_int_equal(test_folder_state(), before);
    (void)close(fd);
    (void)test_must(TEST_COMPACT, &options);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    before = test_folder_state();
    assert_int_equal(test_job(TEST_GC, &options, &report), LITH_E_CONFLICT);
    assert_int_equal(test_folder_state(), before);
    (void)close(fd);
}

static void gc_waits_for_the_grace(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    assert_int_equal(test_must(TEST_GC, &options).state, LITH_PARTITION_LEFT);
    test_files(0, 6, 10);
    struct lith_partition_report report = test_must(TEST_GC, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT); /* no manifest: nothing to do */
    (void)test_must(TEST_COMPACT, &options);
    options.gc.reader_grace_ns = 3600 * LITH_SECOND_NS;
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    assert_int_equal(test_folder_state(), before);
    options.gc.reader_grace_ns = 0;
    /* One input was written again meanwhile: it is not the file that was merged. */
    struct test_parquet other = {.begin = 60, .rows = 7, .age_s = 60};
    test_parquet_write(dir_fd, "f0003.parquet", &other);
    report = test_must(TEST_GC, &options);
    assert_int_equal(report.deleted, 5);
    assert_true(test_file_exists(dir_fd, "f0003.parquet"));
    assert_int_equal(report.file_count, 1); /* the one that stays is told */
    assert_int_equal(test_names("tmp"), 0);
    before = test_folder_state();
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    assert_int_equal(test_folder_state(), before);
    /* What it replaced is gone for good, so it is a late file like any other. */
    assert_int_equal(test_rows(67), 2);
    options.policy.quiet_for_ns = 1;
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 1);
    assert_int_equal(test_rows(67), 2);
}

static int64_t skew_ns;

static int64_t skewed_now(struct lith_env *base)
{
    (void)base;
    return lith_env_system()->now_ns(lith_env_system()) + skew_ns;
}

/* The clock of this machine is three days ahead, or behind: ages are by the store's. */
static void a_wrong_clock_ages_nothing(void **state)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet fresh = {.begin = 60, .rows = 10, .age_s = 0};

    (void)state;
    test_files(0, 6, 10);
    test_parquet_write(dir_fd, "fresh.parquet", &fresh);
    env.base.now_ns = skewed_now;
    skew_ns = 3 * (int64_t)DAY_S * LITH_SECOND_NS;
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_LEFT);
    assert_int_equal(test_names("_e"), 0); /* the fresh file is not quiet yet */
    test_age(dir_fd, "fresh.parquet", DAY_S);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
    options.gc.reader_grace_ns = (int64_t)DAY_S * LITH_SECOND_NS;
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    skew_ns = -skew_ns;
    assert_int_equal(test_must(TEST_GC, &options).deleted, 0);
    options.gc.reader_grace_ns = 0;
    assert_int_equal(test_must(TEST_GC, &options).deleted, 7);
    assert_int_equal(test_rows(70), 1);
}

static void a_file_written_again_with_the_same_bytes_stays_retired(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_age(dir_fd, "f0002.parquet", 7200);
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 0);
    assert_int_equal(test_rows(60), 1);
    uint64_t before = test_folder_state();
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_folder_state(), before);
    assert_int_equal(test_must(TEST_GC, &options).deleted, 6);
    assert_int_equal(test_rows(60), 1);
    /* A replay after it was deleted is not live either, and goes once more. */
    test_files(2, 1, 10);
    assert_int_equal(test_rows(60), 1);
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 0);
    assert_int_equal(test_rows(60), 1);
    assert_int_equal(test_must(TEST_GC, &options).deleted, 1);
    assert_false(test_file_exists(dir_fd, "f0002.parquet"));
    assert_int_equal(test_rows(60), 1);
}

/* The name and the size of a file that was merged and deleted, but other rows. */
static void other_rows_under_a_name_that_is_gone_are_new(void **state)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet other = {.begin = 60, .rows = 10, .age_s = 3600};
    struct stat before, after;

    (void)state;
    test_files(0, 6, 10);
    assert_int_equal(fstatat(dir_fd, "f0003.parquet", &before, 0), 0);
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_must(TEST_GC, &options).deleted, 6);
    test_parquet_write(dir_fd, "f0003.parquet", &other);
    assert_int_equal(fstatat(dir_fd, "f0003.parquet", &after, 0), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 1);
    assert_int_equal(test_rows(70), 2);
}

/* A writer that sends a live file once more changes nothing, whether it was read before or not. */
static void a_live_file_written_again_is_the_same(void **state)
{
    struct lith_job_options options = test_job_options();
    char name[256];

    (void)state;
    options.policy.min_files = 3;
    test_files(0, 3, 10);
    (void)test_must(TEST_COMPACT, &options);
    find_output(name, ".parquet");
    test_files(3, 1, 10);
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 1);
    test_age(dir_fd, name, 7200);            /* read to its end: an output */
    test_age(dir_fd, "f0003.parquet", 7200); /* only named */
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 0);
    assert_int_equal(test_must(TEST_PLAN, &options).blocked_files, 0);
    assert_int_equal(test_rows(40), 2);
    uint64_t before = test_folder_state();
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_folder_state(), before);
    /* Other bytes where rows were that are nowhere else: somebody has to look. */
    struct test_parquet other = {.begin = 90, .rows = 30, .age_s = 3600};
    test_parquet_write(dir_fd, name, &other);
    assert_int_equal(test_must(TEST_PLAN, &options).blocked_files, 1);
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_must(TEST_GC, &options).state, LITH_PARTITION_BLOCKED);
}

/* A delete that was cut off had caught another file: it gets its name back. */
static void a_cut_off_delete_returns_another_file(void **state)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet other = {.begin = 60, .rows = 7, .age_s = 3600};

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    test_parquet_write(dir_fd, "f0003.parquet", &other);
    assert_int_equal(renameat(dir_fd, "f0003.parquet", dir_fd, "f0003.parquet.gone.tmp"), 0);
    (void)test_must(TEST_GC, &options);
    assert_true(test_file_exists(dir_fd, "f0003.parquet"));
    assert_int_equal(test_must(TEST_COMPACT, &options).folded, 1);
    assert_int_equal(test_rows(67), 2);
}

static void a_lost_manifest_blocks(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(unlinkat(dir_fd, LITH_MANIFEST_NAME, 0), 0);
    test_age(dir_fd, ".", 0);
    char name[256];
    find_output(name, ".parquet");
    test_age(dir_fd, name, DAY_S);
    options.policy.settle_ns = 0;
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
    assert_int_equal(test_folder_state(), before);
}

static void a_manifest_that_cannot_be_read_blocks(void **state)
{
    static const char *const texts[] = {"{", "", "{\"generation\": 1, \"files\": []}",
                                        "{\"files\":[\"../x.parquet\"]}"};
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        test_file_write(dir_fd, LITH_MANIFEST_NAME, texts[i]);
        uint64_t before = test_folder_state();
        assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_BLOCKED);
        assert_int_equal(test_must(TEST_PLAN, &options).state, LITH_PARTITION_BLOCKED);
        assert_int_equal(test_must(TEST_GC, &options).state, LITH_PARTITION_BLOCKED);
        assert_int_equal(test_folder_state(), before);
    }
}

/* A list after which another program commits, once. */
static enum lith_code (*list_before)(struct lith_folder *folder, struct lith_arena *arena,
                                     struct lith_listing *ret_listing, struct lith_err *e);
static bool commit_after_list;

static enum lith_code list_then_commit(struct lith_folder *folder, struct lith_arena *arena,
                                       struct lith_listing *ret_listing, struct lith_err *e)
{
    struct lith_job_options options = test_job_options();
    enum lith_code code = list_before(folder, arena, ret_listing, e);

    if (commit_after_list) {
        commit_after_list = false;
        (void)test_must(TEST_COMPACT, &options);
    }
    return code;
}

static void a_commit_between_list_and_manifest_is_seen_whole(void **state)
{
    struct lith_local_options local = {.root = path};
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_store_ops ops;
    struct test_tools tools;

    (void)state;
    test_tools_init(&tools);
    MUST(lith_local_open(&local, &env.base, &tools.mem, &store, &err));
    MUST(lith_folder_open(store, "", &folder, &err));
    ops = *store->ops;
    list_before = ops.list;
    ops.list = list_then_commit;
    store->ops = &ops;
    for (unsigned pass = 0; pass < 3; pass++) {
        LITH_AUTO(view) struct lith_view view = {0};
        test_files(pass * 6, 6, 10);
        commit_after_list = pass < 2;
        if (pass == 2) {
            struct lith_job_options options = test_job_options();
            char name[256];
            (void)test_must(TEST_GC, &options);
            find_output(name, ".parquet");
            assert_int_equal(unlinkat(dir_fd, name, 0), 0);
        }
        MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &tools.mem, &view, &err));
        assert_int_equal(view.snapshot.missing_count, pass == 2);
    }
}

static void modes_follow_the_inputs(void **state)
{
    struct lith_job_options options = test_job_options();
    struct test_parquet file = {.begin = 60, .rows = 10, .age_s = DAY_S, .mode = 0666};
    struct stat st;
    char name[256];

    (void)state;
    test_files(0, 6, 10);
    test_parquet_write(dir_fd, "f0006.parquet", &file);
    assert_int_equal(fchmodat(dir_fd, "f0000.parquet", 0600, 0), 0);
    (void)test_must(TEST_COMPACT, &options);
    find_output(name, ".parquet");
    assert_int_equal(fstatat(dir_fd, name, &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0666);
    if (geteuid() != 0)
        return;
    void *none = NULL;
    teardown(&none);
    setup(&none);
    test_files(0, 6, 10);
    for (unsigned i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof(name), "f%04u.parquet", i);
        assert_int_equal(fchownat(dir_fd, name, 12345, 23456, 0), 0);
    }
    (void)test_must(TEST_COMPACT, &options);
    find_output(name, ".parquet");
    assert_int_equal(fstatat(dir_fd, name, &st, 0), 0);
    assert_int_equal(st.st_uid, 12345);
    assert_int_equal(st.st_gid, 23456);
}

static void symbolic_links_stay_out(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    assert_int_equal(renameat(dir_fd, "f0005.parquet", dir_fd, "elsewhere"), 0);
    assert_int_equal(symlinkat("elsewhere", dir_fd, "f0005.parquet"), 0);
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.inputs, 5);
    assert_int_equal(report.blocked_files, 1);
    assert_int_equal(test_rows(60), 2);
    assert_int_equal(test_must(TEST_GC, &options).deleted, 5);
    assert_int_equal(test_rows(60), 2);
}

static void a_wish_to_stop_is_heard(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 6, 10);
    test_control.cancel = &stop;
    enum lith_code code = test_job(TEST_COMPACT, &options, &report);
    test_control.cancel = NULL;
    assert_int_equal(code, LITH_E_CANCELLED);
    assert_int_equal(test_rows(60), 6);
}

/* The directory gives way to a copy in the middle of the job, as an exchange of directories does.
 */
static void swap_folder(const char *step)
{
    char text[200];

    if (strcmp(step, change_at) != 0)
        return;
    change_at = "";
    int bytes =
        snprintf(text, sizeof(text), "mv %s %s.old && cp -a %s.old %s", path, path, path, path);
    assert_in_range(bytes, 1, sizeof(text) - 1);
    assert_int_equal(system(text), 0);
}

static void a_swapped_folder_gets_no_commit(void **state)
{
    static const char *const steps[] = {LITH_STEP_ADOPTED, LITH_STEP_LEASED,
                                        LITH_STEP_OUTPUT_CREATED, LITH_JOB_STEP_VERIFIED,
                                        LITH_STEP_OUTPUT_DURABLE};
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    char old[80];
    void *none = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        test_files(0, 6, 10);
        change_at = steps[i];
        test_hook = swap_folder;
        assert_int_equal(test_job(TEST_COMPACT, &options, &report), LITH_E_CONFLICT);
        test_hook = NULL;
        assert_int_equal(test_rows(60), 6);
        (void)close(dir_fd);
        dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
        assert_int_equal(test_rows(60), 1);
        (void)snprintf(old, sizeof(old), "%s.old", path);
        assert_int_equal(nftw(old, test_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
        teardown(&none);
        setup(&none);
    }
}

static void a_settled_pass_is_written_down(void **state)
{
    struct lith_job_options options = test_job_options();
    static char text[8192];

    (void)state;
    test_files(0, 2, 10);
    options.policy.settle_ns = 0;
    assert_int_equal(test_must(TEST_COMPACT, &options).inputs, 2);
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    (void)close(fd);
    assert_non_null(strstr(text, "\"settled\":true"));
}

/* What a reader sees while others work: every row of [0, rows) once. Files that went away
 * between the view and the reading make it start over. */
static enum lith_code reader_look(uint32_t *counts)
{
    struct lith_local_options local = {.root = path};
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    struct test_tools tools;

    test_tools_init(&tools);
    LITH_TRY(lith_local_open(&local, &env.base, &tools.mem, &store, &err));
    LITH_TRY(lith_folder_open(store, "", &folder, &err));
    LITH_TRY(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &tools.mem, &view, &err));
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view.snapshot.files[i];
        LITH_AUTO(source) struct lith_source *source = NULL;
        if (!file->live)
            continue;
        if (!file->object)
            return lith_fail(&err, LITH_E_NOT_FOUND, "%s is missing", file->name);
        LITH_TRY(lith_folder_source_open(folder, file->object, &source, &err));
        assert_true(test_parquet_read(source, counts, TEST_IDS_MAX, &tools));
    }
    return LITH_OK;
}

static void reader_check(size_t rows)
{
    uint32_t *counts = calloc(TEST_IDS_MAX, sizeof(uint32_t));
    enum lith_code code = LITH_E_NOT_FOUND;

    assert_non_null(counts);
    for (unsigned look = 0; code == LITH_E_NOT_FOUND && look < 100; look++) {
        memset(counts, 0, TEST_IDS_MAX * sizeof(uint32_t));
        code = reader_look(counts);
    }
    if (code != LITH_OK)
        fail_msg("%s: %s", lith_code_name(code), err.text);
    for (size_t i = 0; i < TEST_IDS_MAX; i++) {
        if (counts[i] != (i < rows))
            fail_msg("row %zu is there %u times (of %zu rows)", i, counts[i], rows);
    }
    free(counts);
}

/* A program that compacts and cleans for ever, without any grace. */
static pid_t program_start(uint64_t seed)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    env.seed = seed;
    options.policy.settle_ns = 0;
    for (;;) {
        enum lith_code code = test_job(TEST_COMPACT, &options, &report);
        if (code != LITH_OK && code != LITH_E_CONFLICT)
            _exit(1);
        code = test_job(TEST_GC, &options, &report);
        if (code != LITH_OK && code != LITH_E_CONFLICT)
            _exit(2);
    }
}

/* Killed at any moment; one that ended by itself found something wrong. */
static void program_kill(pid_t pid)
{
    int status = 0;

    (void)kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status))
        fail_msg("a program ended with %d", WEXITSTATUS(status));
}

static void programs_killed_at_any_time_keep_every_row(void **state)
{
    struct lith_job_options options = test_job_options();
    uint64_t seed = test_seed();
    pid_t programs[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        programs[i] = program_start(test_random(&seed));
    for (unsigned batch = 0; batch < 40; batch++) {
        size_t victim = test_random(&seed) % 3;
        test_files(batch * 3, 3, 10);
        reader_check((batch + 1) * 30);
        (void)usleep((useconds_t)(test_random(&seed) % 20000));
        reader_check((batch + 1) * 30);
        program_kill(programs[victim]);
        programs[victim] = program_start(test_random(&seed));
    }
    for (size_t i = 0; i < 3; i++)
        program_kill(programs[i]);
    env.seed = seed;
    options.policy.settle_ns = 0;
    for (unsigned pass = 0; pass < 3; pass++) {
        (void)test_must(TEST_COMPACT, &options);
        (void)test_must(TEST_GC, &options);
    }
    reader_check(1200);
    assert_int_equal(test_names("tmp"), 0);
}

/* In a child: one pass that ends at a step. True when it came to its end. */
static bool crashed_pass(enum test_kind kind, const struct lith_job_options *options, uint64_t step)
{
    struct lith_partition_report report;
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        env.steps = 0;
        env.crash_at = step;
        _exit(test_job(kind, options, &report) == LITH_OK ? 0 : 9);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == TEST_CRASHED);
    env.seed++; /* the child drew numbers that this process did not */
    return WEXITSTATUS(status) == 0;
}

static void a_crash_at_any_step_loses_nothing(void **state)
{
    struct lith_job_options options = test_job_options();
    void *none = NULL;
    bool ended = false;

    (void)state;
    for (uint64_t step = 1; !ended; step++) {
        test_files(0, 6, 10);
        ended = crashed_pass(TEST_COMPACT, &options, step);
        (void)test_rows(60);
        (void)crashed_pass(TEST_GC, &options, 1 + step % 7);
        (void)test_rows(60);
        (void)test_must(TEST_COMPACT, &options);
        assert_int_equal(test_rows(60), 1);
        (void)test_must(TEST_GC, &options);
        (void)test_must(TEST_GC, &options);
        assert_int_equal(test_rows(60), 1);
        assert_int_equal(test_names("parquet"), 1);
        assert_int_equal(test_names("tmp"), 0);
        assert_true(step < 200);
        teardown(&none);
        setup(&none);
    }
}

static void a_crash_of_gc_at_any_step_loses_nothing(void **state)
{
    struct lith_job_options options = test_job_options();
    void *none = NULL;
    bool ended = false;

    (void)state;
    for (uint64_t step = 1; !ended; step++) {
        test_files(0, 6, 10);
        (void)test_must(TEST_COMPACT, &options);
        ended = crashed_pass(TEST_GC, &options, step);
        assert_int_equal(test_rows(60), 1);
        (void)test_must(TEST_GC, &options);
        assert_int_equal(test_rows(60), 1);
        assert_int_equal(test_names("parquet"), 1);
        assert_int_equal(test_names("tmp"), 0);
        assert_true(step < 200);
        teardown(&none);
        setup(&none);
    }
}

static void every_allocation_may_fail(void **state)
{
    struct lith_job_options options = test_job_options();
    void *none = NULL;
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    test_files(0, 6, 10);
    for (int64_t n = 0; code != LITH_OK; n++) {
        struct lith_partition_report report;
        struct lith_mem budget;
        lith_mem_init(&budget, (size_t)64 << 20, NULL);
        atomic_store(&budget.fail_after, n);
        code = test_job_under(TEST_COMPACT, &options, &budget, &report);
        lith_mem_done(&budget);
        if (code != LITH_OK || n % 64 == 0)
            assert_int_equal(test_rows(60), test_names("_e") && code == LITH_OK ? 1 : 6);
        assert_true(n < 20000);
    }
    assert_int_equal(test_rows(60), 1);
    teardown(&none);
    setup(&none);
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
    code = LITH_E_NOMEM;
    for (int64_t n = 0; code != LITH_OK; n++) {
        struct lith_partition_report report;
        struct lith_mem budget;
        lith_mem_init(&budget, (size_t)64 << 20, NULL);
        atomic_store(&budget.fail_after, n);
        code = test_job_under(TEST_GC, &options, &budget, &report);
        lith_mem_done(&budget);
        assert_int_equal(test_rows(60), 1);
        assert_true(n < 20000);
    }
    (void)test_must(TEST_GC, &options);
    assert_int_equal(test_names("parquet"), 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_partition_is_compacted),
        T(many_outputs_need_no_more_than_one),
        T(a_second_pass_writes_nothing),
        T(a_late_file_is_folded_and_merged_after_settle),
        T(late_files_without_a_footer_stay_out),
        T(a_damaged_file_is_set_aside),
        T(files_that_do_not_join_are_merged_apart),
        T(what_stays_apart_is_told_from_the_manifest),
        T(late_files_are_of_sets_too),
        T(more_files_without_a_sort_key_than_a_job_takes),
        T(sets_of_more_files_than_a_job_takes),
        T(another_policy_is_looked_at_anew),
        T(an_output_that_fails_verification_changes_nothing),
        T(inputs_that_change_stop_the_job),
        T(a_lost_commit_is_judged),
        T(another_holder_of_the_lock_is_left_alone),
        T(gc_waits_for_the_grace),
        T(a_wrong_clock_ages_nothing),
        T(a_file_written_again_with_the_same_bytes_stays_retired),
        T(other_rows_under_a_name_that_is_gone_are_new),
        T(a_live_file_written_again_is_the_same),
        T(a_cut_off_delete_returns_another_file),
        T(a_lost_manifest_blocks),
        T(a_manifest_that_cannot_be_read_blocks),
        T(a_commit_between_list_and_manifest_is_seen_whole),
        T(modes_follow_the_inputs),
        T(symbolic_links_stay_out),
        T(a_wish_to_stop_is_heard),
        T(a_swapped_folder_gets_no_commit),
        T(a_settled_pass_is_written_down),
        T(programs_killed_at_any_time_keep_every_row),
        T(a_crash_at_any_step_loses_nothing),
        T(a_crash_of_gc_at_any_step_loses_nothing),
        T(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
