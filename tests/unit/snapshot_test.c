/*
 * The reader rule: every kind of file against every kind of manifest, both rules.
 */
#include "arena_support.h"

#include "lake/snapshot.h"

#define PID "5f21c0de"
#define OURS(n) "0198f0c2-7c1e-7000-8000-00000000000" n "_" PID "_e1.parquet"
#define THEIRS "0198f0c2-7c1e-7000-8000-000000000009_00000000_e1.parquet"

/* In order of names. */
static struct lith_object objects[] = {
    {.name = ".hidden.parquet", .etag = "1:1", .size = 1, .mtime_ns = 900},
    {.name = OURS("1"), .etag = "5:1", .size = 5, .mtime_ns = 800},
    {.name = OURS("2"), .etag = "5:1", .size = 5, .mtime_ns = 800},
    {.name = OURS("2") ".tmp", .etag = "5:1", .size = 5, .mtime_ns = 800},
    {.name = OURS("2") ".tmp.gone.tmp", .etag = "5:1", .size = 5, .mtime_ns = 800},
    {.name = THEIRS, .etag = "5:1", .size = 5, .mtime_ns = 10},
    {.name = "_staged.parquet", .etag = "1:1", .size = 1, .mtime_ns = 900},
    {.name = "changed.parquet", .etag = "4:7", .size = 4, .mtime_ns = 7},
    {.name = "gone.parquet", .etag = "6:1", .size = 6, .mtime_ns = 900},
    {.name = "gone2.parquet", .etag = "7:1", .size = 7, .mtime_ns = 20},
    {.name = "late.parquet", .etag = "3:1", .size = 3, .mtime_ns = 30},
    {.name = "live.parquet", .etag = "3:1", .size = 3, .mtime_ns = 5},
    {.name = "manifest.json", .etag = "1:1", .size = 1, .mtime_ns = 900},
    {.name = "manifest.json.tmp", .etag = "1:1", .size = 1, .mtime_ns = 900},
    {.name = "notes.txt", .etag = "1:1", .size = 1, .mtime_ns = 900},
    {.name = "old.parquet", .etag = "2:1", .size = 2, .mtime_ns = 900},
    {.name = "old.parquet.gone.tmp", .etag = "2:1", .size = 2, .mtime_ns = 900},
    {.name = "old2.parquet", .etag = "9:1", .size = 9, .mtime_ns = 900},
};
static const struct lith_listing listing = {.objects = objects,
                                            .object_count = sizeof(objects) / sizeof(objects[0])};

static struct lith_entry files[] = {
    {.name = OURS("1"), .etag = "5:1", .size = 5},
    {.name = "changed.parquet", .etag = "3:7", .size = 3},
    {.name = "live.parquet", .etag = "3:1", .size = 3},
    {.name = "missing.parquet", .etag = "3:1", .size = 3},
};
static struct lith_entry retired[] = {
    {.name = "old.parquet", .etag = "2:1", .size = 2},
    {.name = "old2.parquet", .etag = "8:1", .size = 8},
    {.name = "old3.parquet", .etag = "8:1", .size = 8},
};
static struct lith_entry gone[] = {
    {.name = "gone.parquet", .size = 5},
    {.name = "gone.parquet", .size = 6},
    {.name = "gone2.parquet", .size = 6},
};
static const char *condemned[] = {"old.parquet"};
static struct lith_quarantine quarantine[] = {
    {.name = "live.parquet", .etag = "3:1", .reason = "torn"},
    {.name = "changed.parquet", .etag = "3:7", .reason = "torn"},
};

static const struct lith_manifest manifest = {
    .name = "manifest.json",
    .generation = 1,
    .pid = PID,
    .files = files,
    .file_count = 4,
    .retired = retired,
    .retired_count = 3,
    .gone = gone,
    .gone_count = 3,
    .condemned = condemned,
    .condemned_count = 1,
    .quarantine = quarantine,
    .quarantine_count = 2,
};

static const struct {
    const char *name;
    enum lith_file_state with;  /* the manifest */
    enum lith_file_state alone; /* without one */
} states[] = {
    {".hidden.parquet", LITH_FILE_OTHER, LITH_FILE_OTHER},
    {OURS("1"), LITH_FILE_LIVE, LITH_FILE_LATE},
    {OURS("2"), LITH_FILE_ORPHAN, LITH_FILE_LATE},
    {OURS("2") ".tmp", LITH_FILE_OUR_TMP, LITH_FILE_OTHER},
    {OURS("2") ".tmp.gone.tmp", LITH_FILE_GONE_TMP, LITH_FILE_OTHER},
    {THEIRS, LITH_FILE_LATE, LITH_FILE_LATE},
    {"_staged.parquet", LITH_FILE_OTHER, LITH_FILE_OTHER},
    {"changed.parquet", LITH_FILE_LIVE, LITH_FILE_LATE},
    {"gone.parquet", LITH_FILE_GONE, LITH_FILE_LATE},
    {"gone2.parquet", LITH_FILE_LATE, LITH_FILE_LATE},
    {"late.parquet", LITH_FILE_LATE, LITH_FILE_LATE},
    {"live.parquet", LITH_FILE_LIVE, LITH_FILE_LATE},
    {"manifest.json", LITH_FILE_MANIFEST, LITH_FILE_MANIFEST},
    {"manifest.json.tmp", LITH_FILE_MANIFEST, LITH_FILE_MANIFEST},
    {"missing.parquet", LITH_FILE_LIVE, LITH_FILE_STATE_COUNT},
    {"notes.txt", LITH_FILE_OTHER, LITH_FILE_OTHER},
    {"old.parquet", LITH_FILE_RETIRED, LITH_FILE_LATE},
    {"old.parquet.gone.tmp", LITH_FILE_GONE_TMP, LITH_FILE_GONE_TMP},
    {"old2.parquet", LITH_FILE_RETIRED, LITH_FILE_LATE},
};

static void every_file_gets_its_state(void **state)
{
    struct lith_snapshot open;
    struct lith_snapshot strict;
    struct lith_snapshot alone;

    (void)state;
    MUST(lith_snapshot_resolve(&listing, &manifest, LITH_SNAPSHOT_OPEN, &arena, &open, &err));
    MUST(lith_snapshot_resolve(&listing, &manifest, LITH_SNAPSHOT_STRICT, &arena, &strict, &err));
    MUST(lith_snapshot_resolve(&listing, NULL, LITH_SNAPSHOT_OPEN, &arena, &alone, &err));
    assert_int_equal(open.file_count, sizeof(states) / sizeof(states[0]));
    for (size_t i = 0; i < open.file_count; i++) {
        const struct lith_snapshot_file *file = &open.files[i];
        enum lith_file_state with = states[i].with;
        assert_string_equal(file->name, states[i].name);
        if (file->state != with)
            fail_msg("%s is in state %d, not %d", file->name, (int)file->state, (int)with);
        assert_int_equal(file->live, with == LITH_FILE_LIVE || with == LITH_FILE_LATE);
        assert_int_equal(strict.files[i].state, with);
        assert_int_equal(strict.files[i].live, with == LITH_FILE_LIVE);
        const struct lith_snapshot_file *bare = lith_snapshot_find(&alone, states[i].name);
        if (states[i].alone == LITH_FILE_STATE_COUNT) {
            assert_null(bare);
            continue;
        }
        assert_int_equal(bare->state, states[i].alone);
        assert_int_equal(bare->live, states[i].alone == LITH_FILE_LATE);
    }
    assert_int_equal(open.missing_count, 1);
    assert_int_equal(open.differ_count, 1);
    assert_int_equal(open.live_count, 7);
    assert_int_equal(open.live_bytes, 5 + 4 + 3 + 3 + 5 + 7 + 3);
    assert_true(open.newest_ns == 30);
    assert_true(lith_snapshot_find(&open, "old2.parquet")->differs);
    assert_true(lith_snapshot_find(&open, "old.parquet")->condemned);
    assert_false(lith_snapshot_find(&open, "old.parquet")->differs);
    assert_non_null(lith_snapshot_find(&open, "live.parquet")->quarantine);
    assert_null(lith_snapshot_find(&open, "changed.parquet")->quarantine);
    assert_null(lith_snapshot_find(&open, "missing.parquet")->object);
}

static void a_foreign_manifest_counts_alone(void **state)
{
    struct lith_manifest foreign = {
        .name = "manifest.json", .foreign = true, .files = files + 2, .file_count = 1};
    struct lith_snapshot open;

    (void)state;
    MUST(lith_snapshot_resolve(&listing, &foreign, LITH_SNAPSHOT_OPEN, &arena, &open, &err));
    assert_int_equal(open.live_count, 1);
    assert_true(lith_snapshot_find(&open, "live.parquet")->live);
    assert_false(lith_snapshot_find(&open, "late.parquet")->live);
}

static void an_empty_folder_is_no_partition(void **state)
{
    struct lith_listing nothing = {0};
    struct lith_object one = {.name = "x.txt"};
    struct lith_listing other = {.objects = &one, .object_count = 1};
    struct lith_snapshot s;

    (void)state;
    MUST(lith_snapshot_resolve(&nothing, NULL, LITH_SNAPSHOT_OPEN, &arena, &s, &err));
    assert_int_equal(s.file_count, 0);
    assert_true(s.newest_ns == INT64_MIN);
    assert_false(lith_listing_is_partition(&nothing));
    assert_false(lith_listing_is_partition(&other));
    assert_true(lith_listing_is_partition(&listing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_file_gets_its_state, setup, teardown),
        cmocka_unit_test_setup_teardown(a_foreign_manifest_counts_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(an_empty_folder_is_no_partition, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
