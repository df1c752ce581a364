/*
 * Adoption on a real directory: every file is named and none rewritten, whatever comes between; a
 * manifest of another program, or a lost one, is not guessed about.
 */
#include "faulty_support.h"

#include "lake/commit.h"

#define ROWS 60u /* of six files */

static void fresh_make(void)
{
    test_files(0, 6, 10);
}

/* Another program's manifest, which names the first four of six files. */
static void foreign_make(void)
{
    test_files(0, 6, 10);
    test_file_write(dir_fd, LITH_MANIFEST_NAME,
                    "{\"generation\": 3, \"files\": [\"f0000.parquet\", \"f0001.parquet\","
                    " \"f0002.parquet\", \"f0003.parquet\"], \"theirs\": 1}");
}

static uint64_t data_state(void)
{
    struct stat st;
    uint64_t sum = 0;
    char name[32];

    for (unsigned i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof(name), "f%04u.parquet", i);
        assert_int_equal(fstatat(dir_fd, name, &st, 0), 0);
        sum = sum * 31 + (uint64_t)st.st_ino + (uint64_t)st.st_mtim.tv_nsec;
    }
    return sum;
}

static void manifest_text(char text[16384])
{
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    ssize_t bytes = read(fd, text, 16383);
    assert_true(bytes > 0);
    text[bytes] = 0;
    (void)close(fd);
}

static void every_file_is_named(void **state)
{
    static char text[16384];
    struct lith_job_options options = test_job_options();

    (void)state;
    fresh_make();
    uint64_t data = data_state();
    struct lith_partition_report report = test_must(TEST_ADOPT, &options);
    assert_int_equal(report.state, LITH_PARTITION_CHANGED);
    assert_int_equal(report.files_after, 6);
    assert_int_equal(report.folded, 0);
    assert_int_equal(data_state(), data);
    assert_int_equal(test_rows(ROWS), 6);
    manifest_text(text);
    assert_non_null(strstr(text, "\"f0005.parquet\""));
    assert_int_equal(test_names(""), 6 + 1 + 2); /* . and .. */
    uint64_t before = test_folder_state();
    report = test_must(TEST_ADOPT, &options);
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_string_equal(report.reason, "adopted already");
    assert_int_equal(test_folder_state(), before);
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
    assert_int_equal(test_rows(ROWS), 1);
    assert_string_equal(test_must(TEST_ADOPT, &options).reason, "adopted already");
}

static void file_comes(const char *step)
{
    struct test_parquet young = {.begin = ROWS, .rows = 10};

    if (strcmp(step, LITH_STEP_ADOPTED) == 0)
        test_parquet_write(dir_fd, "f0006.parquet", &young);
}

/* However young: strict readers have seen it before there was a manifest. */
static void what_comes_between_is_named_at_once(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    fresh_make();
    test_hook = file_comes;
    struct lith_partition_report report = test_must(TEST_ADOPT, &options);
    assert_int_equal(report.folded, 1);
    assert_int_equal(report.files_after, 7);
    assert_int_equal(test_rows(ROWS + 10), 7);
}

/* Cut off behind the manifest: the next adoption names what came. */
static void a_cut_off_adoption_is_ended(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    int status = 0;

    (void)state;
    fresh_make();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        env.crash_at = 6; /* behind the five steps of a put: adopted */
        (void)test_job(TEST_ADOPT, &options, &report);
        _exit(strcmp(env.last_step, LITH_STEP_ADOPTED) == 0 ? TEST_CRASHED : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), TEST_CRASHED);
    env.seed++;
    file_comes(LITH_STEP_ADOPTED);
    report = test_must(TEST_ADOPT, &options);
    assert_int_equal(report.folded, 1);
    assert_string_equal(report.reason, "adopted already");
    assert_int_equal(test_rows(ROWS + 10), 7);
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_ADOPT, &options).folded, 0);
    assert_int_equal(test_folder_state(), before);
}

static void another_programs_manifest_needs_a_word(void **state)
{
    static char text[16384];
    static const struct {
        enum lith_unlisted unlisted;
        size_t live;
    } cases[] = {{LITH_UNLISTED_LIVE, 6}, {LITH_UNLISTED_IGNORE, 4}};
    struct lith_job_options options = test_job_options();
    void *none = NULL;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        foreign_make();
        assert_int_equal(test_rows(40), 4);
        uint64_t before = test_folder_state();
        test_unlisted = LITH_UNLISTED_ASK;
        struct lith_partition_report report = test_must(TEST_ADOPT, &options);
        assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        assert_non_null(strstr(report.reason, "--unlisted"));
        assert_int_equal(test_folder_state(), before);
        test_unlisted = cases[i].unlisted;
        report = test_must(TEST_ADOPT, &options);
        assert_int_equal(report.state, LITH_PARTITION_CHANGED);
        assert_int_equal(report.files_before, cases[i].live);
        assert_int_equal(test_rows(cases[i].live * 10), cases[i].live);
        manifest_text(text);
        assert_non_null(strstr(text, "theirs"));
        assert_non_null(strstr(text, "\"generation\":4"));
        /* What does not count is never deleted, nor merged. */
        assert_int_equal(test_must(TEST_COMPACT, &options).inputs, cases[i].live);
        assert_int_equal(test_must(TEST_GC, &options).deleted, cases[i].live);
        assert_int_equal(test_rows(cases[i].live * 10), 1);
        assert_int_equal(test_names("f000"), 6 - cases[i].live);
        test_unlisted = LITH_UNLISTED_ASK;
        teardown(&none);
        setup(&none);
    }
}

static void a_foreign_manifest_that_names_too_much_blocks(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    foreign_make();
    assert_int_equal(unlinkat(dir_fd, "f0002.parquet", 0), 0);
    test_unlisted = LITH_UNLISTED_LIVE;
    uint64_t before = test_folder_state();
    struct lith_partition_report report = test_must(TEST_ADOPT, &options);
    test_unlisted = LITH_UNLISTED_ASK;
    assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
    assert_non_null(strstr(report.reason, "f0002.parquet"));
    assert_int_equal(test_folder_state(), before);
}

/* An output and its inputs: named together, rows would be there twice. */
static void a_lost_manifest_blocks(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    fresh_make();
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(unlinkat(dir_fd, LITH_MANIFEST_NAME, 0), 0);
    for (unsigned pass = 0; pass < 3; pass++) {
        /* Another program's may stand in its place. */
        if (pass > 0)
            test_file_write(dir_fd, LITH_MANIFEST_NAME,
                            "{\"generation\": 1, \"files\": [\"f0000.parquet\"]}");
        test_unlisted = (enum lith_unlisted)pass;
        uint64_t before = test_folder_state();
        struct lith_partition_report report = test_must(TEST_ADOPT, &options);
        test_unlisted = LITH_UNLISTED_ASK;
        assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        assert_non_null(strstr(report.reason, "manifest was lost"));
        assert_int_equal(test_folder_state(), before);
    }
}

/* A file that nobody can read is named, and set aside with the reason. */
static void damaged_files_are_set_aside(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    fresh_make();
    test_file_write(dir_fd, "bad.parquet", "no footer");
    test_age(dir_fd, "bad.parquet", DAY_S);
    struct lith_partition_report report = test_must(TEST_ADOPT, &options);
    assert_int_equal(report.state, LITH_PARTITION_CHANGED);
    assert_int_equal(report.files_after, 7);
    assert_int_equal(report.blocked_files, 1);
    assert_int_equal(test_must(TEST_COMPACT, &options).inputs, 6);
}

static void adopted_or_not(bool done)
{
    assert_int_equal(test_rows(ROWS), 6);
    if (done)
        assert_true(test_file_exists(dir_fd, LITH_MANIFEST_NAME));
}

static void foreign_or_not(bool done)
{
    size_t live = test_live();

    assert_true(live == 6 || (!done && live == 4));
    (void)test_rows(live * 10);
}

static void every_failure_leaves_it_whole(void **state)
{
    static const struct test_walk walks[] = {
        {.make = fresh_make, .kind = TEST_ADOPT, .check = adopted_or_not},
        {.make = foreign_make, .kind = TEST_ADOPT, .check = foreign_or_not},
    };
    struct lith_job_options options = test_job_options();

    (void)state;
    test_unlisted = LITH_UNLISTED_LIVE;
    for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
        test_walk_verbs(&walks[i], &options);
        test_walk_allocations(&walks[i], &options);
        test_walk_crashes(&walks[i], &options);
    }
    test_unlisted = LITH_UNLISTED_ASK;
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_file_is_named),
        T(what_comes_between_is_named_at_once),
        T(a_cut_off_adoption_is_ended),
        T(another_programs_manifest_needs_a_word),
        T(a_foreign_manifest_that_names_too_much_blocks),
        T(a_lost_manifest_blocks),
        T(damaged_files_are_set_aside),
        T(every_failure_leaves_it_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
