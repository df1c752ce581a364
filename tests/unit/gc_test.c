/*
 * Who may be deleted: one table of files, at different times and with different knowledge; the
 * walk and the lake's own file on a real directory.
 */
#include "arena_support.h"
#include "store_support.h"

#include "lake/gc.h"
#include "lake/lake_file.h"
#include "lake/walk.h"

#define PID "5f21c0de"
#define OUTPUT(n, e) "0198f0c2-7c1e-7000-8000-00000000000" n "_" PID "_e" e ".parquet"

/* In order of names. */
static struct lith_object objects[] = {
    {.name = OUTPUT("1", "1"), .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("2", "1"), .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("3", "1"), .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("4", "1"), .etag = "e", .size = 10, .mtime_ns = 950},
    {.name = OUTPUT("5", "1"), .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("6", "9"), .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("7", "1") ".tmp", .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = OUTPUT("8", "1") ".tmp.gone.tmp", .etag = "e", .size = 10, .mtime_ns = 0},
    {.name = "late.parquet", .etag = "e", .size = 10},
    {.name = "live.parquet", .etag = "e", .size = 10},
    {.name = "r1.parquet", .etag = "e", .size = 10},
    {.name = "r2.parquet", .etag = "other", .size = 10},
    {.name = "r3.parquet.gone.tmp", .etag = "e", .size = 10},
    {.name = "r4.parquet", .etag = "e", .size = 10, .is_link = true},
    {.name = "r5.parquet", .etag = "e", .size = 10},
    {.name = "r6.parquet", .etag = "e", .size = 10},
    {.name = "r6.parquet.gone.tmp", .etag = "other", .size = 10},
    {.name = "r7.parquet.gone.tmp", .etag = "other", .size = 10},
    {.name = "r8.parquet", .etag = "e", .size = 10},
    {.name = "r8.parquet.gone.tmp", .etag = "e", .size = 10},
    {.name = "who.parquet.gone.tmp", .etag = "e", .size = 10},
};
static struct lith_entry files[] = {{.name = "live.parquet", .etag = "e", .size = 10}};
static struct lith_entry retired[] = {
    {.name = "r1.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r2.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r3.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r4.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r5.parquet", .etag = "e", .size = 10, .generation = 5, .at_ns = 0},
    {.name = "r6.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r7.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
    {.name = "r8.parquet", .etag = "e", .size = 10, .generation = 3, .at_ns = 0},
};
static const char *condemned[] = {OUTPUT("5", "1")};
static const char *const elsewhere[] = {"live.parquet", "r1.parquet"};
static const char *const nowhere[] = {"live.parquet", "vanished.parquet"};
static const uint64_t sizes[] = {10, 10};
static const struct lith_orphan_inputs orphans[] = {
    {.name = OUTPUT("1", "1"),
     .known = true,
     .inputs = elsewhere,
     .sizes = sizes,
     .input_count = 2},
    {.name = OUTPUT("2", "1"), .known = true, .inputs = nowhere, .sizes = sizes, .input_count = 2},
    {.name = OUTPUT("4", "1"),
     .known = true,
     .inputs = elsewhere,
     .sizes = sizes,
     .input_count = 2},
    {.name = OUTPUT("6", "9"),
     .known = true,
     .inputs = elsewhere,
     .sizes = sizes,
     .input_count = 2},
};
static const struct lith_gc_policy policy = {
    .reader_grace_ns = 100, .orphan_grace_ns = 100, .bytes_max = UINT64_MAX};

static struct lith_view view_make(void)
{
    struct lith_view view = {
        .listing = {.objects = objects, .object_count = sizeof(objects) / sizeof(objects[0])},
        .blob = {.etag = ""},
        .manifest = {.name = "manifest.json",
                     .generation = 5,
                     .pid = PID,
                     .epoch = 3,
                     .mtime_ns = 950,
                     .files = files,
                     .file_count = 1,
                     .retired = retired,
                     .retired_count = sizeof(retired) / sizeof(retired[0]),
                     .condemned = condemned,
                     .condemned_count = 1}};

    return view;
}

static void view_resolve(struct lith_view *view)
{
    MUST(lith_snapshot_resolve(&view->listing, &view->manifest, LITH_SNAPSHOT_OPEN, &arena,
                               &view->snapshot, &err));
}

static void each_file_has_its_verdict(void **state)
{
    static const struct {
        const char *name;
        enum lith_gc_verdict verdict;
    } expected[] = {
        {OUTPUT("1", "1"), LITH_GC_DELETE},
        {OUTPUT("2", "1"), LITH_GC_KEEP_NEEDED},
        {OUTPUT("3", "1"), LITH_GC_KEEP_UNKNOWN}, /* its footer was not read */
        {OUTPUT("4", "1"), LITH_GC_KEEP_YOUNG},
        {OUTPUT("5", "1"), LITH_GC_DELETE},       /* condemned before */
        {OUTPUT("6", "9"), LITH_GC_KEEP_UNKNOWN}, /* of an epoch to come */
        {OUTPUT("7", "1") ".tmp", LITH_GC_DELETE},
        {OUTPUT("8", "1") ".tmp.gone.tmp", LITH_GC_DELETE}, /* the delete of one was cut off */
        {"r3.parquet.gone.tmp", LITH_GC_DELETE},
        {"r6.parquet.gone.tmp", LITH_GC_KEEP_DIFFERS}, /* cannot have its name back */
        {"r7.parquet.gone.tmp", LITH_GC_DELETE},       /* gets it back */
        {"r8.parquet.gone.tmp", LITH_GC_DELETE},       /* the file that was to go */
        {"who.parquet.gone.tmp", LITH_GC_KEEP_UNKNOWN},
        {"r1.parquet", LITH_GC_DELETE},
        {"r2.parquet", LITH_GC_KEEP_DIFFERS},
        {"r4.parquet", LITH_GC_KEEP_LINK},
        {"r5.parquet", LITH_GC_KEEP_YOUNG}, /* of this generation: since the manifest's time */
        {"r6.parquet", LITH_GC_KEEP_DIFFERS},
        {"r8.parquet", LITH_GC_DELETE},
    };
    struct lith_view view = view_make();
    struct lith_gc_plan plan;

    (void)state;
    view_resolve(&view);
    MUST(lith_gc_plan(&view, orphans, 4, &policy, 1000, &arena, &plan, &err));
    assert_int_equal(plan.item_count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < plan.item_count; i++) {
        assert_string_equal(plan.items[i].file->name, expected[i].name);
        if (plan.items[i].verdict != expected[i].verdict)
            fail_msg("%s: %s", expected[i].name, lith_gc_verdict_text(plan.items[i].verdict));
    }
    assert_int_equal(plan.delete_count, 9);
    assert_int_equal(plan.fence_count, 4);
    assert_string_equal(plan.items[8].target.name, "r3.parquet");
    assert_true(plan.keep_all);
    assert_true(plan.clean_wanted); /* r2 is another file: what was retired is gone */
}

static void time_and_brake(void **state)
{
    struct lith_view view = view_make();
    struct lith_gc_policy braked = policy;
    struct lith_gc_plan plan;

    (void)state;
    view_resolve(&view);
    MUST(lith_gc_plan(&view, orphans, 4, &policy, 99, &arena, &plan, &err));
    assert_int_equal(plan.delete_count, 4); /* only the deletes that were cut off */
    MUST(lith_gc_plan(&view, orphans, 4, &policy, 1050, &arena, &plan, &err));
    assert_int_equal(plan.delete_count, 11);
    braked.bytes_max = 35;
    MUST(lith_gc_plan(&view, orphans, 4, &braked, 1050, &arena, &plan, &err));
    assert_int_equal(plan.delete_count, 3);
    assert_int_equal(plan.delete_bytes, 30);
}

/* What is named has no grace and no brake but by its identity; nothing else is looked at. */
static void what_is_named_alone(void **state)
{
    static const struct lith_gc_named named[] = {
        {.name = OUTPUT("4", "1")}, /* young */
        {.name = OUTPUT("7", "1")}, /* its .tmp is there */
        {.name = OUTPUT("2", "1")}, /* its rows may be nowhere else */
        {.name = "live.parquet"},
        {.name = "live.parquet", .etag = "e", .size = 10},
        {.name = "late.parquet", .etag = "e", .size = 10},
        {.name = "r1.parquet", .etag = "x", .size = 10}, /* not as it was retired */
        {.name = "r3.parquet", .etag = "e", .size = 10}, /* its .gone.tmp is there */
        {.name = "r5.parquet", .etag = "e", .size = 10}, /* young */
        {.name = "r5.parquet", .etag = "other", .size = 10},
        {.name = "r8.parquet"}, /* named as an orphan: it is none */
        {.name = "vanished.parquet", .etag = "e", .size = 10},
    };
    static const struct {
        const char *name;
        enum lith_gc_verdict verdict;
    } expected[] = {
        {OUTPUT("2", "1"), LITH_GC_KEEP_NEEDED},
        {OUTPUT("4", "1"), LITH_GC_DELETE},
        {OUTPUT("7", "1") ".tmp", LITH_GC_DELETE},
        {"r3.parquet.gone.tmp", LITH_GC_DELETE},
        {"r5.parquet", LITH_GC_DELETE},
    };
    struct lith_gc_policy only = policy;
    struct lith_view view = view_make();
    struct lith_gc_plan plan;

    (void)state;
    view_resolve(&view);
    only.only_named = true;
    only.named = named;
    only.named_count = sizeof(named) / sizeof(named[0]);
    MUST(lith_gc_plan(&view, orphans, 4, &only, 0, &arena, &plan, &err));
    assert_int_equal(plan.item_count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < plan.item_count; i++) {
        assert_string_equal(plan.items[i].file->name, expected[i].name);
        assert_int_equal(plan.items[i].verdict, expected[i].verdict);
    }
    assert_true(plan.fence_wanted);
    only.named_count = 0;
    MUST(lith_gc_plan(&view, orphans, 4, &only, 0, &arena, &plan, &err));
    assert_int_equal(plan.item_count, 0);
    assert_false(plan.fence_wanted);
}

/* Of what is named the rows may also be in late files: whoever names it lets nobody fold them
 * first. */
static void rows_in_late_files(void **state)
{
    static const char *const late[] = {"late.parquet", "live.parquet"};
    static const uint64_t other[] = {11, 10};
    static const struct lith_gc_named named[] = {{.name = OUTPUT("2", "1")}};
    struct lith_orphan_inputs orphan = {
        .name = OUTPUT("2", "1"), .known = true, .inputs = late, .sizes = sizes, .input_count = 2};
    struct lith_gc_policy only = policy;
    struct lith_view view = view_make();
    struct lith_gc_plan plan;

    (void)state;
    view_resolve(&view);
    only.only_named = true;
    only.named = named;
    only.named_count = 1;
    MUST(lith_gc_plan(&view, &orphan, 1, &only, 0, &arena, &plan, &err));
    assert_int_equal(plan.items[0].verdict, LITH_GC_DELETE);
    orphan.sizes = other;
    MUST(lith_gc_plan(&view, &orphan, 1, &only, 0, &arena, &plan, &err));
    assert_int_equal(plan.items[0].verdict, LITH_GC_KEEP_NEEDED);
    orphan.sizes = sizes;
    MUST(lith_gc_plan(&view, &orphan, 1, &policy, 1000, &arena, &plan, &err));
    assert_string_equal(plan.items[1].file->name, OUTPUT("2", "1"));
    assert_int_equal(plan.items[1].verdict, LITH_GC_KEEP_NEEDED);
}

/* What an earlier fence has condemned needs no other one. */
static void a_fence_only_where_one_is_wanted(void **state)
{
    static const struct lith_gc_named named[] = {{.name = OUTPUT("5", "1")},
                                                 {.name = OUTPUT("1", "1")}};
    struct lith_gc_policy only = policy;
    struct lith_view view = view_make();
    struct lith_gc_plan plan;

    (void)state;
    view_resolve(&view);
    only.only_named = true;
    only.named = named;
    for (size_t count = 1; count <= 2; count++) {
        only.named_count = count;
        MUST(lith_gc_plan(&view, orphans, 4, &only, 0, &arena, &plan, &err));
        assert_int_equal(plan.delete_count, count);
        assert_int_equal(plan.fence_wanted, count == 2);
    }
}

static void nothing_is_deleted_in_doubt(void **state)
{
    struct lith_view view = view_make();
    struct lith_gc_plan plan;

    (void)state;
    files[0].etag = "changed";
    view_resolve(&view);
    assert_int_equal(lith_gc_plan(&view, orphans, 4, &policy, 1000, &arena, &plan, &err),
                     LITH_E_INVALID);
    files[0].etag = "e";
    files[0].name = "missing.parquet";
    view_resolve(&view);
    assert_int_equal(lith_gc_plan(&view, orphans, 4, &policy, 1000, &arena, &plan, &err),
                     LITH_E_INVALID);
    files[0].name = "live.parquet";
    view.manifest.foreign = true;
    view_resolve(&view);
    assert_int_equal(lith_gc_plan(&view, orphans, 4, &policy, 1000, &arena, &plan, &err),
                     LITH_E_INVALID);
    view.blob.etag = NULL;
    assert_int_equal(lith_gc_plan(&view, orphans, 4, &policy, 1000, &arena, &plan, &err),
                     LITH_E_INVALID);
}

struct stops {
    char text[1000];
};

static enum lith_code stop_note(void *ctx, const struct lith_walk_stop *stop, struct lith_err *e)
{
    struct stops *stops = ctx;
    size_t bytes = strlen(stops->text);

    (void)e;
    (void)snprintf(stops->text + bytes, sizeof(stops->text) - bytes, "%s%s%s\n", stop->path,
                   stop->table_format ? " " : "", stop->table_format ? stop->table_format : "");
    return LITH_OK;
}

static void the_walk_finds_partitions(void **state)
{
    static const char *const folders[] = {"a",     "a/x=1",     "a/x=2", "_tmp",
                                          "delta", "delta/x=1", "empty", "delta/_delta_log"};
    static const char *const data[] = {"a/x=1/f.parquet", "a/x=2/manifest.json", "_tmp/f.parquet",
                                       "delta/x=1/f.parquet", "empty/notes.txt"};
    LITH_AUTO(store) struct lith_store *store = NULL;
    struct test_env env;
    struct stops stops = {""};
    struct lith_lake_file file;
    char path[64];
    int dir_fd;

    (void)state;
    test_env_init(&env, 1);
    test_folder_make(path, &dir_fd);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(mkdirat(dir_fd, folders[i], 0755), 0);
    for (size_t i = 0; i < 5; i++)
        test_file_write(dir_fd, data[i], "x");
    assert_int_equal(symlinkat("..", dir_fd, "a/loop"), 0);
    struct lith_local_options options = {.root = path};
    MUST(lith_local_open(&options, &env.base, &mem, &store, &err));
    MUST(lith_lake_walk(store, NULL, stop_note, &stops, &err));
    assert_string_equal(stops.text, "a/x=1\na/x=2\ndelta/x=1 _delta_log\n");
    /* The lake's own file. */
    assert_int_equal(lith_lake_file_read(store, &arena, &file, &err), LITH_E_NOT_FOUND);
    struct lith_lake_choice choice = {.policy_hash = "", .manifest_name = "manifest.json"};
    assert_int_equal(lith_lake_file_ensure(store, &choice, &arena, &file, &err), LITH_E_INVALID);
    choice.readers = LITH_READERS_MANIFEST;
    choice.manifest_name = "_manifest.json";
    MUST(lith_lake_file_ensure(store, &choice, &arena, &file, &err));
    choice.readers = LITH_READERS_GLOB;
    assert_int_equal(lith_lake_file_ensure(store, &choice, &arena, &file, &err), LITH_E_INVALID);
    struct lith_lake_file back;
    choice.readers = LITH_READERS_NONE;
    choice.manifest_name = "manifest.json";
    MUST(lith_lake_file_ensure(store, &choice, &arena, &back, &err));
    assert_string_equal(back.lake_id, file.lake_id);
    assert_string_equal(back.manifest_name, "_manifest.json");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(unlinkat(dir_fd, data[i], 0), 0);
    assert_int_equal(unlinkat(dir_fd, "a/loop", 0), 0);
    for (size_t i = 8; i > 0; i--)
        (void)unlinkat(dir_fd, folders[i - 1], AT_REMOVEDIR);
    (void)unlinkat(dir_fd, "delta", AT_REMOVEDIR);
    test_folder_remove(path, dir_fd);
}

static enum lith_gc_verdict verdict_of(const struct lith_gc_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->item_count; i++) {
        if (strcmp(plan->items[i].file->name, name) == 0)
            return plan->items[i].verdict;
    }
    fail_msg("%s is not there", name);
    return LITH_GC_VERDICT_COUNT;
}

/* P10: what was replaced before an output was lost stays as long as the grace for that; the lost
 * one itself, back, for ever. */
static void while_an_output_is_lost(void **state)
{
    static const struct {
        const char *lost;
        int64_t now_ns;
        enum lith_gc_verdict first, fifth, retired, cut_off;
    } cases[] = {
        {OUTPUT("9", "1"), 1099, LITH_GC_KEEP_LOST, LITH_GC_KEEP_LOST, LITH_GC_KEEP_LOST,
         LITH_GC_KEEP_LOST},
        {OUTPUT("9", "1"), 1100, LITH_GC_DELETE, LITH_GC_DELETE, LITH_GC_DELETE, LITH_GC_DELETE},
        {OUTPUT("1", "1"), 1100, LITH_GC_KEEP_LOST, LITH_GC_DELETE, LITH_GC_DELETE, LITH_GC_DELETE},
        {"plain.parquet", 1099, LITH_GC_DELETE, LITH_GC_DELETE, LITH_GC_DELETE, LITH_GC_DELETE},
    };
    struct lith_gc_policy patient = policy;

    (void)state;
    patient.loss_grace_ns = 200;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_entry lost = {
            .name = cases[i].lost, .size = 10, .generation = 4, .at_ns = 900, .commit_id = "c"};
        struct lith_view view = view_make();
        struct lith_gc_plan plan;
        view.manifest.lost = &lost;
        view.manifest.lost_count = 1;
        view_resolve(&view);
        MUST(lith_gc_plan(&view, orphans, 4, &patient, cases[i].now_ns, &arena, &plan, &err));
        assert_int_equal(verdict_of(&plan, OUTPUT("1", "1")), cases[i].first);
        assert_int_equal(verdict_of(&plan, OUTPUT("5", "1")), cases[i].fifth);
        assert_int_equal(verdict_of(&plan, "r1.parquet"), cases[i].retired);
        assert_int_equal(verdict_of(&plan, "r3.parquet.gone.tmp"), cases[i].cut_off);
        /* Replaced after it. */
        if (cases[i].now_ns > 1050)
            assert_int_equal(verdict_of(&plan, "r5.parquet"), LITH_GC_DELETE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_file_has_its_verdict, setup, teardown),
        cmocka_unit_test_setup_teardown(while_an_output_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(time_and_brake, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_named_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_in_late_files, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fence_only_where_one_is_wanted, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_deleted_in_doubt, setup, teardown),
        cmocka_unit_test_setup_teardown(the_walk_finds_partitions, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
