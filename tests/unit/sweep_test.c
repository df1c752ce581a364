/*
 * Passes over a lake of several partitions, and the public functions around them: selection,
 * several jobs at once, one failure among them, the wish to stop, status, and merging by name.
 */
#include "job_support.h"

#include "api/lake_state.h"
#include "sweep/sweep.h"

#define PARTITIONS 12u

static struct lith_lake *lake;
static struct lith_options options;
static struct lith_control control;
/* What `each` was told. */
static size_t told[LITH_PARTITION_STATE_COUNT];
static size_t rows_told;
static volatile sig_atomic_t stop_now;
static size_t stop_after;

static void tell(void *ctx, const struct lith_partition_report *report)
{
    (void)ctx;
    told[report->state]++;
    rows_told += report->rows;
    assert_non_null(report->reason);
    if (report->state == LITH_PARTITION_FAILED)
        assert_non_null(report->err);
    if (stop_after && --stop_after == 0)
        stop_now = 1;
}

static void told_reset(void)
{
    memset(told, 0, sizeof(told));
    rows_told = 0;
}

static void partition_fd(unsigned index, int *ret_fd)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "tenant_id=t%u", index % 3);
    (void)mkdirat(dir_fd, name, 0755);
    (void)snprintf(name, sizeof(name), "tenant_id=t%u/p=%02u", index % 3, index);
    (void)mkdirat(dir_fd, name, 0755);
    *ret_fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(*ret_fd >= 0);
}

static void lake_make(void)
{
    char name[32];
    int fd;

    for (unsigned p = 0; p < PARTITIONS; p++) {
        partition_fd(p, &fd);
        for (unsigned i = 0; i < 5; i++) {
            struct test_parquet file = {.begin = i * 10, .rows = 10, .age_s = DAY_S};
            (void)snprintf(name, sizeof(name), "f%u.parquet", i);
            test_parquet_write(fd, name, &file);
        }
        (void)close(fd);
    }
}

static void lake_open(void)
{
    MUST(lith_lake_open(path, &options, &control, &lake, &err));
}

static int sweep_setup(void **state)
{
    (void)setup(state);
    lith_options_default(&options);
    options.readers = "manifest";
    options.settle_ns = 2 * (int64_t)DAY_S * LITH_SECOND_NS;
    control = (struct lith_control){.memory_bytes_max = 128 << 20, .cancel = &stop_now};
    stop_now = 0;
    stop_after = 0;
    told_reset();
    lake_make();
    return 0;
}

static int sweep_teardown(void **state)
{
    lith_lake_close(lake);
    lake = NULL;
    return teardown(state);
}

static struct lith_summary compact(void)
{
    struct lith_summary summary;

    told_reset();
    MUST(lith_lake_compact(lake, tell, NULL, &summary, &err));
    return summary;
}

static void a_lake_is_compacted_once(void **state)
{
    struct lith_summary summary;

    (void)state;
    lake_open();
    MUST(lith_lake_gc(lake, tell, NULL, &summary, &err));
    assert_int_equal(summary.partitions, 0);
    MUST(lith_lake_plan(lake, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS);
    assert_int_equal(summary.files_after, PARTITIONS);
    summary = compact();
    assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS);
    assert_int_equal(summary.rows, PARTITIONS * 50);
    assert_int_equal(rows_told, PARTITIONS * 50);
    summary = compact();
    assert_int_equal(summary.by_state[LITH_PARTITION_LEFT], PARTITIONS);
    assert_int_equal(summary.files_after, PARTITIONS);
    MUST(lith_lake_gc(lake, tell, NULL, &summary, &err));
    assert_int_equal(summary.deleted, 0);
}

/* Calls of a store's verbs. */
static const struct lith_store_ops *counted;
static size_t lists;
static size_t gets;
static size_t locks;

static enum lith_code list_count(struct lith_folder *folder, struct lith_arena *to,
                                 struct lith_listing *ret_listing, struct lith_err *e)
{
    lists++;
    return counted->list(folder, to, ret_listing, e);
}

static enum lith_code get_count(struct lith_folder *folder, const char *name, size_t limit,
                                struct lith_arena *to, struct lith_blob *ret_blob,
                                struct lith_err *e)
{
    gets += strcmp(name, LITH_MANIFEST_NAME) == 0;
    return counted->get(folder, name, limit, to, ret_blob, e);
}

static enum lith_code lock_count(struct lith_folder *folder, enum lith_lock_wait wait,
                                 struct lith_err *e)
{
    locks++;
    return counted->lock(folder, wait, e);
}

/* A partition at rest costs its list and its manifest, each once; what is new in one of them does
 * not change what the others cost. */
static void rest_costs_a_list_and_a_manifest(void **state)
{
    struct test_parquet late = {.begin = 50, .rows = 10, .age_s = DAY_S};
    struct lith_store_ops ops;
    int fd;

    (void)state;
    lake_open();
    (void)compact();
    counted = lake->store->ops;
    ops = *counted;
    ops.list = list_count;
    ops.get = get_count;
    ops.lock = lock_count;
    lake->store->ops = &ops;
    lists = gets = locks = 0;
    struct lith_summary summary = compact();
    assert_int_equal(summary.by_state[LITH_PARTITION_LEFT], PARTITIONS);
    assert_int_equal(lists, 1 + 3 + PARTITIONS); /* root, tenants, partitions */
    assert_int_equal(gets, PARTITIONS);
    assert_int_equal(locks, 0);
    partition_fd(4, &fd);
    test_parquet_write(fd, "late.parquet", &late);
    (void)close(fd);
    gets = locks = 0;
    summary = compact();
    assert_int_equal(summary.partitions, PARTITIONS);
    assert_int_equal(summary.folded, 1);
    assert_int_equal(locks, 1);
    assert_in_range(gets, PARTITIONS + 1, PARTITIONS + 8);
    lake->store->ops = counted;
}

/* gc_bytes_max is of the whole pass: what one partition takes, another one has no more. */
static void the_brake_of_gc_is_of_the_pass(void **state)
{
    struct lith_summary summary;
    uint64_t all = 0;
    uint64_t deleted = 0;

    (void)state;
    options.reader_grace_ns = 0;
    options.orphan_grace_ns = 0;
    options.jobs = 2;
    lake_open();
    all = compact().input_bytes;
    lith_lake_close(lake);
    options.gc_bytes_max = all / 2;
    lake_open();
    MUST(lith_lake_gc(lake, tell, NULL, &summary, &err));
    assert_in_range(summary.deleted_bytes, 1, all / 2);
    deleted = summary.deleted_bytes;
    for (size_t i = 0; i < 4 && deleted < all; i++) {
        MUST(lith_lake_gc(lake, tell, NULL, &summary, &err));
        assert_in_range(summary.deleted_bytes, 1, all / 2);
        deleted += summary.deleted_bytes;
    }
    assert_int_equal(deleted, all);
}

static void keep_reason(void *ctx, const struct lith_partition_report *partition)
{
    (void)snprintf(ctx, 128, "%s", partition->reason);
}

static void the_brake_of_gc_is_a_reason(void **state)
{
    struct lith_summary summary;
    char reason[128] = "";

    (void)state;
    options.reader_grace_ns = 0;
    options.gc_bytes_max = 1;
    lake_open();
    (void)compact();
    MUST(lith_lake_gc(lake, keep_reason, reason, &summary, &err));
    assert_int_equal(summary.deleted, 0);
    assert_non_null(strstr(reason, "gc_bytes_max"));
}

/* By its path one partition is changed, and only what leads to it is looked at; without a path all
 * that the options select. */
static void changes_by_hand_are_passes(void **state)
{
    struct lith_change change = {.partition = "tenant_id=t1/p=04"};
    const char *name = "f0.parquet";
    struct lith_summary summary;

    (void)state;
    lake_open();
    assert_int_equal(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err), LITH_E_INVALID);
    assert_non_null(strstr(err.text, "_lithify.json"));
    (void)compact();
    told_reset();
    change.dry_run = true;
    MUST(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_CHANGED], 1);
    change.dry_run = false;
    MUST(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.partitions, 1);
    assert_int_equal(summary.files_after, 5);
    assert_int_equal(rows_told, 100);
    MUST(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_FAILED], 1);
    change.files = &name;
    change.file_count = 1;
    MUST(lith_lake_retire(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_CHANGED], 1);
    assert_int_equal(summary.files_after, 4);
    change.partition = NULL;
    assert_int_equal(lith_lake_retire(lake, &change, tell, NULL, &summary, &err), LITH_E_INVALID);
    MUST(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_CHANGED], PARTITIONS - 1);
    assert_int_equal(summary.by_state[LITH_PARTITION_FAILED], 1); /* retired from meanwhile */
    MUST(lith_lake_adopt(lake, LITH_UNLISTED_ASK, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_LEFT], PARTITIONS);
    assert_int_equal(lith_lake_adopt(lake, (enum lith_unlisted)7, tell, NULL, &summary, &err),
                     LITH_E_INVALID);
}

static void paths_that_are_no_partition_are_refused(void **state)
{
    static const char *const paths[] = {
        "tenant_id=t1",       "tenant_id=t1/p=04/x", "tenant_id=t1/p=0", "tenant_id=t1/p=040",
        "tenant_id=t1/p=04/", "/tenant_id=t1/p=04",  "../lake",          "_lithify.json",
        "tenant_id"};
    struct lith_summary summary;

    (void)state;
    lake_open();
    (void)compact();
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct lith_change change = {.partition = paths[i], .dry_run = true};
        if (lith_lake_rollback(lake, &change, tell, NULL, &summary, &err) != LITH_E_NOT_FOUND)
            fail_msg("%s: %s", paths[i], err.text);
    }
    /* Within a table of another format, however deep. */
    assert_int_equal(mkdirat(dir_fd, "tenant_id=t1/_delta_log", 0755), 0);
    struct lith_change change = {.partition = "tenant_id=t1/p=04"};
    MUST(lith_lake_rollback(lake, &change, tell, NULL, &summary, &err));
    assert_int_equal(summary.by_state[LITH_PARTITION_BLOCKED], 1);
}

static void a_lake_without_a_mode_is_refused(void **state)
{
    struct lith_summary summary;

    (void)state;
    options.readers = NULL;
    lake_open();
    assert_int_equal(lith_lake_compact(lake, tell, NULL, &summary, &err), LITH_E_INVALID);
    assert_false(test_file_exists(dir_fd, "_lithify.json"));
}

static void one_failure_stops_no_other(void **state)
{
    static const uint32_t jobs[] = {1, 4};
    void *none = NULL;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int fd;
        partition_fd(5, &fd);
        test_file_write(fd, LITH_MANIFEST_NAME, "{ no manifest");
        (void)close(fd);
        partition_fd(7, &fd);
        assert_int_equal(mkdirat(fd, "_delta_log", 0755), 0);
        (void)close(fd);
        options.jobs = jobs[i];
        lake_open();
        struct lith_summary summary = compact();
        assert_int_equal(summary.partitions, PARTITIONS);
        assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS - 2);
        assert_int_equal(summary.by_state[LITH_PARTITION_BLOCKED], 2);
        assert_int_equal(told[LITH_PARTITION_BLOCKED], 2);
        sweep_teardown(&none);
        sweep_setup(&none);
    }
}

static void parts_of_a_lake_are_chosen(void **state)
{
    size_t total = 0;

    (void)state;
    options.partition_glob = "tenant_id=t1/*";
    lake_open();
    assert_int_equal(compact().partitions, PARTITIONS / 3);
    options.partition_glob = NULL;
    options.shard_count = 3;
    for (options.shard_index = 0; options.shard_index < 3; options.shard_index++) {
        lith_lake_close(lake);
        lake_open();
        struct lith_summary summary = compact();
        total += summary.partitions;
        assert_true(summary.partitions < PARTITIONS);
    }
    assert_int_equal(total, PARTITIONS);
    options.shard_index = 0;
    options.shard_count = 1;
    lith_lake_close(lake);
    lake_open();
    assert_int_equal(compact().by_state[LITH_PARTITION_LEFT], PARTITIONS);
}

static void a_wish_to_stop_ends_the_pass(void **state)
{
    struct lith_summary summary;

    (void)state;
    lake_open();
    stop_after = 4;
    assert_int_equal(lith_lake_compact(lake, tell, NULL, &summary, &err), LITH_E_CANCELLED);
    assert_int_equal(summary.partitions, 4);
    assert_int_equal(told[LITH_PARTITION_FAILED], 0);
    stop_now = 0;
    summary = compact();
    assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS - 4);
}

/* More jobs than the memory has room for: fewer run at once, none fails. */
static void little_memory_means_fewer_jobs(void **state)
{
    (void)state;
    options.jobs = 64;
    control.memory_bytes_max = 24 << 20;
    lake_open();
    assert_int_equal(compact().by_state[LITH_PARTITION_COMPACTED], PARTITIONS);
}

/* A partition too large for its part of the memory is done when all of it is free again. */
static void a_large_partition_gets_all_the_memory(void **state)
{
    char name[256];
    int fd;

    (void)state;
    partition_fd(0, &fd);
    for (unsigned i = 0; i < 9000; i++) {
        (void)snprintf(name, sizeof(name), "part-%090u.parquet", i);
        assert_int_equal(linkat(fd, "f0.parquet", fd, name, 0), 0);
    }
    (void)close(fd);
    options.jobs = 3;
    control.memory_bytes_max = 64 << 20;
    lake_open();
    struct lith_summary summary = compact();
    assert_int_equal(summary.partitions, PARTITIONS);
    assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS);
}

/* A folder whose list does not fit the memory is a failed partition, not the end of the pass. */
static void a_folder_too_large_stops_no_other(void **state)
{
    char name[256];
    int fd;

    (void)state;
    partition_fd(1, &fd);
    for (unsigned i = 0; i < 40000; i++) {
        (void)snprintf(name, sizeof(name), "%0200u", i);
        int file = openat(fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        assert_true(file >= 0);
        (void)close(file);
    }
    (void)close(fd);
    control.memory_bytes_max = 16 << 20;
    lake_open();
    struct lith_summary summary = compact();
    assert_int_equal(summary.by_state[LITH_PARTITION_FAILED], 1);
    assert_int_equal(summary.by_state[LITH_PARTITION_COMPACTED], PARTITIONS - 1);
}

static void status_counts_by_tenant(void **state)
{
    struct lith_status status;

    (void)state;
    lake_open();
    MUST(lith_lake_status(lake, &status, &err));
    assert_int_equal(status.total.files, PARTITIONS * 5);
    assert_int_equal(status.total.mergeable_files, PARTITIONS * 5);
    assert_int_equal(status.total.due_partitions, PARTITIONS);
    assert_int_equal(status.tenant_count, 3);
    assert_string_equal(status.tenants[1].tenant, "t1");
    assert_int_equal(status.tenants[1].partitions, PARTITIONS / 3);
    lith_status_done(&status);
    (void)compact();
    MUST(lith_lake_status(lake, &status, &err));
    assert_int_equal(status.total.files, PARTITIONS);
    assert_int_equal(status.total.mergeable_files, 0);
    assert_int_equal(status.total.due_partitions, 0);
    assert_true(status.total.held_bytes > 0);
    lith_status_done(&status);
}

static void live_files_are_listed(void **state)
{
    struct lith_snapshot_files *files;

    (void)state;
    lake_open();
    MUST(lith_snapshot_files_open(lake, NULL, false, &files, &err));
    assert_int_equal(lith_snapshot_files_count(files), PARTITIONS * 5);
    lith_snapshot_files_close(files);
    (void)compact();
    MUST(lith_snapshot_files_open(lake, "tenant_id=t0/p=00", true, &files, &err));
    assert_int_equal(lith_snapshot_files_count(files), 1);
    assert_true(lith_snapshot_files_bytes(files, 0) > 0);
    lith_snapshot_files_close(files);
    assert_int_equal(lith_snapshot_files_open(lake, "tenant_id=../x", true, &files, &err),
                     LITH_E_NOT_FOUND);
    assert_int_equal(lith_snapshot_files_open(lake, "..", true, &files, &err), LITH_E_INVALID);
}

/* Paths below the test's folder. */
static char names[4][160];

static void name_set(unsigned slot, const char *name)
{
    (void)snprintf(names[slot], sizeof(names[slot]), "%s/%s", path, name);
}

static void merged_files_spare_what_is_there(void **state)
{
    const char *inputs[] = {names[0], names[1]};
    struct lith_merge_request request;
    struct lith_merge_result result;
    struct lith_compare_result same;
    const char *output = names[2];

    (void)state;
    test_files(0, 1, 3000);
    test_files(1, 1, 3000);
    assert_int_equal(renameat(dir_fd, "f0001.parquet", dir_fd, "out-1.parquet"), 0);
    name_set(0, "f0000.parquet");
    name_set(1, "out-1.parquet");
    name_set(2, "out.parquet");
    lith_merge_request_default(&request);
    request.inputs = inputs;
    request.input_count = 2;
    request.output = output;
    request.overwrite = true;
    request.target_file_bytes = 20000;
    request.row_group_rows = 1000;
    /* The second output would be the second input. */
    uint64_t before = test_folder_state();
    assert_int_equal(lith_merge_files(&request, NULL, &result, &err), LITH_E_INVALID);
    assert_int_equal(test_folder_state(), before);
    request.target_file_bytes = 0;
    MUST(lith_merge_files(&request, NULL, &result, &err));
    assert_int_equal(result.rows, 6000);
    MUST(lith_compare_files(inputs, 2, &output, 1, NULL, &same, &err));
    assert_true(same.equal);
    request.overwrite = false;
    assert_int_equal(lith_merge_files(&request, NULL, &result, &err), LITH_E_CONFLICT);
}

#define T(test) cmocka_unit_test_setup_teardown(test, sweep_setup, sweep_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_lake_is_compacted_once),
        T(rest_costs_a_list_and_a_manifest),
        T(the_brake_of_gc_is_of_the_pass),
        T(the_brake_of_gc_is_a_reason),
        T(changes_by_hand_are_passes),
        T(paths_that_are_no_partition_are_refused),
        T(a_lake_without_a_mode_is_refused),
        T(one_failure_stops_no_other),
        T(parts_of_a_lake_are_chosen),
        T(a_wish_to_stop_ends_the_pass),
        T(little_memory_means_fewer_jobs),
        T(a_large_partition_gets_all_the_memory),
        T(a_folder_too_large_stops_no_other),
        T(status_counts_by_tenant),
        T(live_files_are_listed),
        T(merged_files_spare_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
