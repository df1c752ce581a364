/*
 * What tests of journals share: readers = glob, what a reader that globs sees, and jobs that end in
 * the middle.
 */
#ifndef LITH_TESTS_RECOVERY_SUPPORT_H
#define LITH_TESTS_RECOVERY_SUPPORT_H

#include "faulty_support.h"

#define FILE_ROWS 100u
#define ROWS (6 * FILE_ROWS)
#define STATE LITH_JOURNAL_FOLDER "/" LITH_JOURNAL_TIER

static inline struct lith_job_options options_of_test(void)
{
    struct lith_job_options options = test_job_options();

    options.readers = LITH_READERS_GLOB;
    return options;
}

static inline void two_outputs(struct lith_job_options *options)
{
    struct stat st;

    assert_int_equal(fstatat(dir_fd, "f0000.parquet", &st, 0), 0);
    options->policy.target_file_bytes = 2 * (uint64_t)st.st_size;
    options->row_group_rows = FILE_ROWS;
}

static inline void fresh_make(void)
{
    test_files(0, 6, FILE_ROWS);
}

/* Names in the folder of journals that end so. */
static inline size_t state_names(const char *suffix, char ret_last[300])
{
    int fd = openat(dir_fd, STATE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    size_t count = 0;

    while (dir && (entry = readdir(dir))) {
        size_t bytes = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || bytes < strlen(suffix) ||
            strcmp(entry->d_name + bytes - strlen(suffix), suffix) != 0)
            continue;
        if (ret_last)
            (void)snprintf(ret_last, 300, "%s", entry->d_name);
        count++;
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

static inline size_t journals(void)
{
    return state_names(".json", NULL);
}

static inline void all_read(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    struct test_seen *seen = ctx;
    struct test_tools tools;

    test_tools_init(&tools);
    for (size_t i = 0; i < view->listing.object_count; i++) {
        LITH_AUTO(source) struct lith_source *source = NULL;
        if (!lith_name_is_data(view->listing.objects[i].name))
            continue;
        MUST(lith_folder_source_open(folder, &view->listing.objects[i], &source, &err));
        seen->live++;
        seen->unreadable += !test_parquet_read(source, seen->counts, TEST_IDS_MAX, &tools);
    }
    lith_mem_done(&tools.mem);
}

/* A reader that takes whatever is listed sees the ids [0, rows) at least once, and at most
 * `most` times. Returns the files. */
static inline size_t globbed(size_t rows, uint32_t most)
{
    struct test_seen seen = {.counts = calloc(TEST_IDS_MAX, sizeof(uint32_t))};

    assert_non_null(seen.counts);
    test_look(all_read, &seen);
    for (size_t i = 0; i < TEST_IDS_MAX; i++) {
        if (seen.counts[i] < (i < rows) || seen.counts[i] > (i < rows ? most : 0))
            fail_msg("row %zu is there %u times (of %zu rows)", i, seen.counts[i], rows);
    }
    free(seen.counts);
    return seen.live;
}

static inline unsigned inputs_left(void)
{
    char name[32];
    unsigned count = 0;

    for (unsigned i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof(name), "f%04u.parquet", i);
        count += test_file_exists(dir_fd, name);
    }
    return count;
}

/* Whoever reads sees each row once; nothing is left to do. */
static inline void assert_settled(size_t rows)
{
    char name[300];

    (void)test_rows(rows);
    (void)globbed(rows, 1);
    if (state_names("", name))
        fail_msg("%s is left", name);
}

/* Ends a compaction at the n-th arrival at a step. */
static const char *cut_step;
static unsigned cut_arrival;

static inline void cut_hook(const char *step)
{
    if (cut_step && strcmp(step, cut_step) == 0 && --cut_arrival == 0)
        _exit(TEST_CRASHED);
}

static inline void cut_at(const char *step, unsigned arrival)
{
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        cut_step = step;
        cut_arrival = arrival;
        test_hook = cut_hook;
        two_outputs(&options);
        _exit(test_job(TEST_COMPACT, &options, &report) == LITH_OK ? 0 : 9);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != TEST_CRASHED)
        fail_msg("never came to %s for the %u. time", step, arrival);
    env.seed += 100; /* the child drew numbers that this process did not */
}

#endif
