/*
 * What tests of jobs share: one partition in a folder of its own, a job on it, and the question
 * that matters: does a reader see every row exactly once?
 */
#ifndef LITH_TESTS_JOB_SUPPORT_H
#define LITH_TESTS_JOB_SUPPORT_H

#include "parquet_support.h"
#include "store_support.h"

#include "base/time.h"
#include "job/format.h"
#include "lake/journal_files.h"
#include "lake/snapshot.h"

#define TEST_IDS_MAX 100000u

static struct lith_err err;
static struct test_env env;
static struct lith_mem mem;
static char path[64];
static int dir_fd;
static const char *test_partition = ""; /* below it */
/* What the job does at a step, besides counting it; NULL: nothing. */
static void (*test_hook)(const char *step);
/* May change the store that a job is given; NULL: nothing does. */
static void (*test_store_change)(struct lith_store *store);
/* Readers = glob: the pass began before there was a journal. */
static bool test_journals_stale;

static inline void test_hooked_step(struct lith_env *base, const char *name)
{
    if (test_hook)
        test_hook(name);
    test_env_step(base, name);
}

static int setup(void **state)
{
    (void)state;
    test_env_init(&env, 1);
    env.base.step = test_hooked_step;
    test_hook = NULL;
    test_store_change = NULL;
    test_journals_stale = false;
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    test_folder_make(path, &dir_fd);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)close(dir_fd);
    assert_int_equal(nftw(path, test_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    lith_mem_done(&mem);
    return 0;
}

/* A day old: sealed, not settled (6 hours would be; settle is set to two days). */
#define DAY_S (24 * 3600)

static inline struct lith_job_options test_job_options(void)
{
    static const char *const keys[] = {"template_id"};
    struct lith_job_options options = {
        .policy = lith_policy_default(),
        .gc = {.bytes_max = UINT64_MAX},
        .replay_window_ns = 7 * (int64_t)DAY_S * LITH_SECOND_NS,
        .row_group_bytes = 128 * LITH_MIB,
        .row_group_rows = 1048576,
        .verify = LITH_VERIFY_CONTENT,
        .key_columns = keys,
        .key_column_count = 1,
        .manifest_name = LITH_MANIFEST_NAME,
        .path = {.tenant_key = "tenant_id"},
        .format = lith_parquet_format(),
    };

    options.policy.settle_ns = 2 * (int64_t)DAY_S * LITH_SECOND_NS;
    memset(options.policy_hash, '7', 32);
    memset(options.sets_hash, '7', 32);
    return options;
}

enum test_kind {
    TEST_PLAN,
    TEST_COMPACT,
    TEST_GC,
    TEST_GC_PLAN,
    TEST_ROLLBACK,
    TEST_ROLLBACK_DRY,
    TEST_RETIRE,
    TEST_RETIRE_DRY,
    TEST_ADOPT,
    TEST_FSCK,
    TEST_RESTORE,
    TEST_RESTORE_DRY,
};

/* What retire and adopt are asked for. */
static const char *test_retired[8];
static size_t test_retired_count;
static enum lith_unlisted test_unlisted;
/* What restore brings back. */
static struct lith_text test_manifest = {.name = "older.json"};

static struct lith_control test_control;
/* Texts of the last report that outlive its job. */
static char test_reason[LITH_ERR_TEXT_BYTES];
#define TEST_CONFLICTS_MAX 4
static char test_conflicts[TEST_CONFLICTS_MAX][LITH_ERR_TEXT_BYTES];

/* Leftovers that want a hand, of the last fsck. */
static size_t test_leftovers;

static inline void test_texts_keep(struct lith_partition_report *report)
{
    static const char *texts[TEST_CONFLICTS_MAX];

    (void)snprintf(test_reason, sizeof(test_reason), "%s", report->reason ? report->reason : "");
    report->reason = test_reason;
    report->tenant = NULL;
    report->files = NULL;
    test_leftovers = 0;
    for (size_t i = 0; i < report->finding_count; i++)
        test_leftovers +=
            report->findings[i].wants_hand && strcmp(report->findings[i].kind, "leftover") == 0;
    report->findings = NULL;
    assert_true(report->conflict_count <= TEST_CONFLICTS_MAX);
    for (size_t i = 0; i < report->conflict_count; i++) {
        (void)snprintf(test_conflicts[i], LITH_ERR_TEXT_BYTES, "%s", report->conflicts[i]);
        texts[i] = test_conflicts[i];
    }
    report->conflicts = texts;
}

static inline enum lith_code test_job_run(enum test_kind kind, const struct lith_job *job,
                                          struct lith_partition_report *report)
{
    switch (kind) {
    case TEST_PLAN:
        return lith_job_plan(job, report, &err);
    case TEST_COMPACT:
        return lith_job_compact(job, report, &err);
    case TEST_GC:
        return lith_job_gc(job, report, &err);
    case TEST_GC_PLAN:
        return lith_job_gc_plan(job, report, &err);
    case TEST_ROLLBACK:
    case TEST_ROLLBACK_DRY:
        return lith_job_rollback(job, kind == TEST_ROLLBACK_DRY, report, &err);
    case TEST_RETIRE:
    case TEST_RETIRE_DRY:
        return lith_job_retire(job, test_retired, test_retired_count, kind == TEST_RETIRE_DRY,
                               report, &err);
    case TEST_ADOPT:
        return lith_job_adopt(job, test_unlisted, report, &err);
    case TEST_FSCK:
        return lith_job_fsck(job, true, report, &err);
    case TEST_RESTORE:
    case TEST_RESTORE_DRY:
        return lith_job_restore(job, &test_manifest, kind == TEST_RESTORE_DRY, report, &err);
    }
    return LITH_E_INVALID;
}

static inline enum lith_code test_job_under(enum test_kind kind,
                                            const struct lith_job_options *options,
                                            struct lith_mem *budget,
                                            struct lith_partition_report *report)
{
    struct lith_local_options local = {.root = path};
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_scratch scratch;
    struct lith_work work = {.mem = budget, .scratch = &scratch, .control = &test_control};
    struct lith_uuid_source uuids = {.env = &env.base};
    struct lith_journal_files journals = {0};

    *report = (struct lith_partition_report){.path = test_partition};
    lith_arena_init(&arena, budget);
    lith_scratch_init(&scratch, "/tmp", 0);
    LITH_TRY(lith_local_open(&local, &env.base, budget, &store, &err));
    if (test_store_change)
        test_store_change(store);
    if (options->readers == LITH_READERS_GLOB && !test_journals_stale)
        LITH_TRY(lith_journal_files_list(store, &arena, &journals, &err)); /* as a sweep does */
    LITH_TRY(lith_folder_open(store, test_partition, &folder, &err));
    struct lith_job job = {.folder = folder,
                           .journals = &journals,
                           .options = options,
                           .env = &env.base,
                           .uuids = &uuids,
                           .work = &work,
                           .arena = &arena};
    enum lith_code code = test_job_run(kind, &job, report);
    assert_false(folder->locked);
    test_texts_keep(report);
    return code;
}

static inline enum lith_code test_job(enum test_kind kind, const struct lith_job_options *options,
                                      struct lith_partition_report *report)
{
    return test_job_under(kind, options, &mem, report);
}

static inline struct lith_partition_report test_must(enum test_kind kind,
                                                     const struct lith_job_options *options)
{
    struct lith_partition_report report;

    MUST(test_job(kind, options, &report));
    return report;
}

/* Calls `each` for a view of the partition. */
static inline void test_look(void (*each)(struct lith_folder *folder, const struct lith_view *view,
                                          void *ctx),
                             void *ctx)
{
    struct lith_local_options local = {.root = path};
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    struct test_tools tools;

    test_tools_init(&tools);
    MUST(lith_local_open(&local, &env.base, &tools.mem, &store, &err));
    MUST(lith_folder_open(store, test_partition, &folder, &err));
    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &tools.mem, &view, &err));
    each(folder, &view, ctx);
}

struct test_seen {
    uint32_t *counts;
    size_t live;
    size_t unreadable;
};

static inline void test_rows_read(struct lith_folder *folder, const struct lith_view *view,
                                  void *ctx)
{
    struct test_seen *seen = ctx;
    struct test_tools tools;

    test_tools_init(&tools);
    for (size_t i = 0; i < view->snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        LITH_AUTO(source) struct lith_source *source = NULL;
        if (!file->live)
            continue;
        assert_non_null(file->object);
        MUST(lith_folder_source_open(folder, file->object, &source, &err));
        seen->live++;
        seen->unreadable += !test_parquet_read(source, seen->counts, TEST_IDS_MAX, &tools);
    }
    lith_mem_done(&tools.mem);
}

/* A reader sees the ids [0, rows) once each and no others. Returns the live files. */
static inline size_t test_rows(size_t rows)
{
    struct test_seen seen = {.counts = calloc(TEST_IDS_MAX, sizeof(uint32_t))};

    assert_non_null(seen.counts);
    test_look(test_rows_read, &seen);
    for (size_t i = 0; i < TEST_IDS_MAX; i++) {
        if (seen.counts[i] != (i < rows))
            fail_msg("row %zu is there %u times (of %zu rows)", i, seen.counts[i], rows);
    }
    free(seen.counts);
    return seen.live;
}

static inline void test_live_count(struct lith_folder *folder, const struct lith_view *view,
                                   void *ctx)
{
    size_t *live = ctx;

    (void)folder;
    *live = view->snapshot.live_count;
}

/* How many files are live. */
static inline size_t test_live(void)
{
    size_t live = 0;

    test_look(test_live_count, &live);
    return live;
}

/* Writes files f<first>.parquet ... with `rows` rows each, ids in a row, a day old. */
static inline void test_files(unsigned first, unsigned count, size_t rows)
{
    char name[32];

    for (unsigned i = first; i < first + count; i++) {
        struct test_parquet file = {.begin = (uint64_t)i * rows, .rows = rows, .age_s = DAY_S};
        (void)snprintf(name, sizeof(name), "f%04u.parquet", i);
        test_parquet_write(dir_fd, name, &file);
    }
}

/* Names, sizes, times and inodes of a folder in one number. */
static inline uint64_t test_folder_state(void)
{
    uint64_t sum = 0;
    DIR *dir = opendir(path);
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        struct stat st;
        uint64_t seed = 0;
        if (entry->d_name[0] == '.')
            continue;
        assert_int_equal(fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW), 0);
        for (const char *at = entry->d_name; *at; at++)
            seed = seed * 31 + (uint64_t)*at;
        seed ^=
            (uint64_t)st.st_size ^ (uint64_t)st.st_mtim.tv_nsec << 20 ^ (uint64_t)st.st_ino << 40;
        sum += test_random(&seed);
    }
    (void)closedir(dir);
    return sum;
}

/* How many names there are with this in them. */
static inline size_t test_names(const char *part)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    size_t count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += strstr(entry->d_name, part) != NULL;
    (void)closedir(dir);
    return count;
}

#endif
