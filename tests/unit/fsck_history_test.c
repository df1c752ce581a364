/*
 * Random histories of a partition that older manifests are put back into.
 *
 * Writers add files; jobs compact (into one output or several), are killed at any step, are rolled
 * back, and gc deletes. Now and then an older manifest comes back. Whatever was before: each row is
 * shown exactly once, or the restore is refused and has changed nothing (P1, P2, P10).
 */
#include "job_support.h"

#include <errno.h>

#define ROWS 6u
#define SAVED_MAX 12
#define HISTORIES 12u
#define OPERATIONS 24u

static uint64_t seed;
static unsigned file_count; /* written so far, ROWS rows each */
static struct saved {
    char *text;
    size_t bytes;
} saved[SAVED_MAX];
static unsigned restored, idle, refused;

static uint64_t below(uint64_t n)
{
    return test_random(&seed) % n;
}

static struct lith_job_options options_draw(void)
{
    struct lith_job_options options = test_job_options();

    options.policy.settle_ns = 0;
    options.policy.min_files = 2;
    options.policy.target_file_bytes = below(2) ? 1500 : 1 << 20;
    options.row_group_rows = 2 * ROWS + 1;
    options.policy_hash[0] = below(4) ? '7' : '8'; /* other outputs of the same files */
    return options;
}

static void manifest_save(void)
{
    struct saved *to = &saved[below(SAVED_MAX)];
    struct stat st;
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    assert_int_equal(fstat(fd, &st), 0);
    free(to->text);
    to->bytes = (size_t)st.st_size;
    to->text = malloc(to->bytes);
    assert_non_null(to->text);
    assert_int_equal(read(fd, to->text, to->bytes), st.st_size);
    (void)close(fd);
}

static void pass_run(enum test_kind kind, bool killed)
{
    struct lith_job_options options = options_draw();
    struct lith_partition_report report;
    int status = 0;

    pid_t pid = fork(); /* a job that fails leaves nothing behind in this process */
    assert_true(pid >= 0);
    if (pid == 0) {
        env.steps = 0;
        env.crash_at = killed ? 1 + below(40) : 0;
        enum lith_code code = test_job(kind, &options, &report);
        if (code != LITH_OK && code != LITH_E_INVALID)
            (void)fprintf(stderr, "%d: %s\n", (int)kind, err.text);
        _exit(code == LITH_OK || code == LITH_E_INVALID ? 0 : 9);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == TEST_CRASHED);
    env.seed++; /* the child drew numbers that this process did not */
    (void)below(2);
}

static void restore_run(void)
{
    struct lith_job_options options = options_draw();
    struct lith_partition_report report;
    const struct saved *from = &saved[below(SAVED_MAX)];
    bool lost = below(4) == 0; /* the manifest in place, too */
    size_t rows = file_count * ROWS;

    if (!from->text)
        return;
    if (lost && unlinkat(dir_fd, LITH_MANIFEST_NAME, 0) != 0)
        assert_int_equal(errno, ENOENT);
    uint64_t before = test_folder_state();
    test_manifest.data = from->text;
    test_manifest.bytes = from->bytes;
    enum lith_code code = test_job(TEST_RESTORE_DRY, &options, &report);
    assert_int_equal(test_folder_state(), before);
    assert_int_equal(test_job(TEST_RESTORE, &options, &report), code);
    if (code == LITH_OK) {
        restored += report.state == LITH_PARTITION_CHANGED;
        idle += report.state == LITH_PARTITION_LEFT;
        (void)test_rows(rows);
        return;
    }
    refused++;
    assert_int_equal(code, LITH_E_INVALID);
    assert_int_equal(test_folder_state(), before);
}

/* One operation; the manifest that is lost for a refused restore is put back. */
static void operation_run(void)
{
    struct saved kept = {0};
    unsigned what = (unsigned)below(10);

    manifest_save();
    if (what < 3) {
        unsigned count = 1 + (unsigned)below(3);
        test_files(file_count, count, ROWS);
        file_count += count;
    } else if (what < 6) {
        pass_run(TEST_COMPACT, below(3) == 0);
    } else if (what == 6) {
        pass_run(TEST_GC, below(4) == 0);
    } else if (what == 7) {
        pass_run(TEST_ROLLBACK, false);
    } else {
        struct stat st;
        int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            assert_int_equal(fstat(fd, &st), 0);
            kept.bytes = (size_t)st.st_size;
            kept.text = calloc(1, kept.bytes + 1);
            assert_int_equal(read(fd, kept.text, kept.bytes), st.st_size);
            (void)close(fd);
        }
        restore_run();
        if (kept.text && !test_file_exists(dir_fd, LITH_MANIFEST_NAME))
            test_file_write(dir_fd, LITH_MANIFEST_NAME, kept.text);
        free(kept.text);
    }
    (void)test_rows(file_count * ROWS);
}

static void settle(void)
{
    struct lith_job_options options = options_draw();
    struct lith_partition_report report;

    for (unsigned pass = 0; pass < 6; pass++) {
        MUST(test_job(TEST_COMPACT, &options, &report));
        MUST(test_job(TEST_GC, &options, &report));
        (void)test_rows(file_count * ROWS);
    }
    uint64_t before = test_folder_state();
    MUST(test_job(TEST_COMPACT, &options, &report));
    MUST(test_job(TEST_GC, &options, &report));
    assert_int_equal(test_folder_state(), before);
    MUST(test_job(TEST_FSCK, &options, &report));
    /* What a manifest that was lost was about to delete is not known to an older one. */
    assert_int_equal(report.hands, test_leftovers);
}

static void random_histories(void **state)
{
    void *none = NULL;

    seed = test_seed();
    (void)teardown(state);
    for (unsigned history = 0; history < HISTORIES; history++) {
        (void)setup(&none);
        env.seed = below(UINT32_MAX);
        file_count = 0;
        for (unsigned i = 0; i < OPERATIONS; i++)
            operation_run();
        settle();
        for (size_t i = 0; i < SAVED_MAX; i++) {
            free(saved[i].text);
            saved[i] = (struct saved){0};
        }
        (void)teardown(&none);
    }
    (void)setup(&none);
    print_message("%u restored, %u were so, %u refused\n", restored, idle, refused);
    assert_true(restored > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_histories, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
