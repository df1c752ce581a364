/*
 * The commit of a restore as a function: what it makes of two manifests, and what it refuses.
 */
#include "commit_support.h"

#define OUTPUT "0198f0c2-7c1e-7000-8000-000000000001_" PID "_e1.parquet"

static struct lith_object objects[] = {
    {.name = OUTPUT, .etag = "e", .size = 9},
    {.name = "a.parquet", .etag = "e", .size = 1},
    {.name = "b.parquet", .etag = "e", .size = 2},
    {.name = "c.parquet", .etag = "e", .size = 3},
};
static const struct lith_listing listing = {.objects = objects, .object_count = 4};

/* a, b and c; generation 1, epoch 1. */
static struct lith_manifest older(void)
{
    struct lith_listing first = {.objects = objects + 1, .object_count = 3};
    struct lith_adopt adopt = {.manifest_name = LITH_MANIFEST_NAME, .pid = PID, .listing = &first};
    struct lith_stamp stamp = stamp_at(100);
    struct lith_manifest m;

    MUST(lith_commit_adopt(NULL, &adopt, &stamp, &arena, &m, &err));
    return m;
}

/* a and b are one output by now; c stays. */
static struct lith_manifest newer(void)
{
    static struct lith_manifest base;
    struct lith_entry inputs[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_entry outputs[] = {entry(OUTPUT, 9, 11)};
    struct lith_compact compact = {.inputs = inputs,
                                   .input_count = 2,
                                   .outputs = outputs,
                                   .output_count = 1,
                                   .policy_hash = POLICY_HASH};
    struct lith_stamp stamp = stamp_at(200);
    struct lith_manifest m;

    base = older();
    MUST(lith_commit_compact(&base, &compact, &stamp, &arena, &m, &err));
    return m;
}

static struct lith_restore restore_of(const struct lith_manifest *file,
                                      const struct lith_entry *out, size_t out_count)
{
    return (struct lith_restore){.file = file,
                                 .listing = &listing,
                                 .out = out,
                                 .out_count = out_count,
                                 .epoch_min = 7,
                                 .manifest_name = LITH_MANIFEST_NAME_HIDDEN};
}

static const struct lith_entry *row_of(const struct lith_entry *rows, size_t count,
                                       const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

static void files_come_back_and_an_output_leaves(void **state)
{
    struct lith_manifest file = older(), base = newer(), next;
    struct lith_entry out[] = {entry(OUTPUT, 9, 11)};
    struct lith_restore restore = restore_of(&file, out, 1);
    struct lith_stamp stamp = stamp_at(900);

    (void)state;
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.generation, base.generation + 1);
    assert_int_equal(next.epoch, 8);
    assert_int_equal(next.file_count, 3);
    assert_int_equal(next.retired_count, 1);
    assert_string_equal(next.retired[0].name, OUTPUT);
    assert_int_equal(next.retired[0].at_ns, 900);
    assert_int_equal(next.retired[0].generation, next.generation);
    assert_false(next.has_outcome);
    assert_string_equal(next.name, LITH_MANIFEST_NAME);
    assert_int_equal(next.log[next.log_count - 1].op, LITH_OP_RESTORE);
    /* c was live all the while: it is no news. */
    assert_int_equal(row_of(next.files, 3, "c.parquet")->generation, 1);
    assert_int_equal(row_of(next.files, 3, "a.parquet")->generation, next.generation);
}

static void graces_begin_anew(void **state)
{
    struct lith_manifest file = newer(), base = newer(), next;
    struct lith_restore restore = restore_of(&file, NULL, 0);
    struct lith_stamp stamp = stamp_at(900);
    struct lith_entry gone = entry("g.parquet", 4, 4);

    (void)state;
    base.gone = &gone;
    base.gone_count = 1;
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.retired_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(next.retired[i].at_ns, 900);
    assert_int_equal(next.gone[0].at_ns, 900);
}

/* An older manifest stands in the place of a newer one: what that knows to be superseded stays so
 * where it is gone; numbers rise above both. */
static void a_newer_one_comes_back(void **state)
{
    struct lith_manifest file = newer(), base = older(), next;
    struct lith_listing cleaned = {.objects = objects, .object_count = 4};
    struct lith_object left[] = {objects[0], objects[3]};
    struct lith_entry out[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_restore restore = restore_of(&file, out, 2);
    struct lith_stamp stamp = stamp_at(900);

    (void)state;
    cleaned.objects = left;
    cleaned.object_count = 2;
    restore.listing = &cleaned;
    out[0].etag = out[1].etag = NULL; /* gone */
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.generation, file.generation + 1);
    assert_int_equal(next.file_count, 2);
    assert_int_equal(next.retired_count, 0);
    assert_int_equal(next.gone_count, 2);
    assert_non_null(row_of(next.gone, 2, "a.parquet"));
    out[0].etag = out[1].etag = "e";
    restore.listing = &listing;
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.retired_count, 2);
    assert_int_equal(next.gone_count, 0);
}

static void nothing_is_in_place(void **state)
{
    struct lith_manifest file = older(), next;
    struct lith_entry back[] = {entry(OUTPUT, 9, 11)};
    struct lith_restore restore = restore_of(&file, NULL, 0);
    struct lith_stamp stamp = stamp_at(900);

    (void)state;
    restore.back = back;
    restore.back_count = 1;
    MUST(lith_commit_restore(NULL, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.generation, 2);
    assert_int_equal(next.epoch, 8);
    assert_int_equal(next.file_count, 4);
    assert_string_equal(next.name, LITH_MANIFEST_NAME_HIDDEN);
    assert_string_equal(next.pid, PID);
    assert_int_equal(next.log_count, 2);
}

/* What is not there is written off, and comes back as any late file; the row says which commit had
 * brought it in. */
static void what_is_lost(void **state)
{
    struct lith_manifest base = newer(), next, after;
    struct lith_manifest file = {
        .name = LITH_MANIFEST_NAME, .pid = PID, .generation = 2, .epoch = 1};
    struct lith_listing short_list = {.objects = objects, .object_count = 3};
    struct lith_entry lost[] = {entry("c.parquet", 3, 1)};
    struct lith_restore restore = restore_of(&file, NULL, 0);
    struct lith_stamp stamp = stamp_at(900);
    struct lith_fold fold = {.files = lost, .file_count = 1};

    (void)state;
    restore.is_repair = true;
    restore.lost = lost;
    restore.lost_count = 1;
    assert_int_equal(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_string_equal(err.text, "repair: c.parquet is not lost");
    restore.listing = &short_list;
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    assert_int_equal(next.file_count, 1);
    assert_string_equal(next.files[0].name, OUTPUT);
    assert_int_equal(next.lost_count, 1);
    assert_string_equal(next.lost[0].name, "c.parquet");
    assert_int_equal(next.lost[0].generation, next.generation);
    assert_string_equal(next.lost[0].commit_id,
                        row_of(base.files, base.file_count, "c.parquet")->commit_id);
    assert_int_equal(next.log[next.log_count - 1].op, LITH_OP_REPAIR);
    assert_true(next.epoch > base.epoch && next.generation > base.generation);
    assert_int_equal(next.gone_count, 0);
    MUST(lith_commit_fold(&next, &fold, &stamp, &arena, &after, &err));
    assert_int_equal(after.lost_count, 0);
    assert_int_equal(after.file_count, 2);
}

/* An output that was lost is folded with the checksum that it had, and with no other one. */
static void a_lost_output_is_back(void **state)
{
    struct lith_manifest base = newer(), next, after;
    struct lith_manifest file = {
        .name = LITH_MANIFEST_NAME, .pid = PID, .generation = 2, .epoch = 1};
    struct lith_listing short_list = {.objects = objects + 1, .object_count = 3};
    struct lith_entry lost[] = {entry(OUTPUT, 9, 11)};
    struct lith_restore restore = restore_of(&file, NULL, 0);
    struct lith_stamp stamp = stamp_at(900);
    struct lith_fold fold = {.files = lost, .file_count = 1};

    (void)state;
    restore.is_repair = true;
    restore.listing = &short_list;
    restore.lost = lost;
    restore.lost_count = 1;
    MUST(lith_commit_restore(&base, &restore, &stamp, &arena, &next, &err));
    lost[0].crc32++;
    assert_int_equal(lith_commit_fold(&next, &fold, &stamp, &arena, &after, &err), LITH_E_INVALID);
    lost[0].crc32--;
    MUST(lith_commit_fold(&next, &fold, &stamp, &arena, &after, &err));
    assert_int_equal(after.lost_count, 0);
    assert_true(row_of(after.files, after.file_count, OUTPUT)->has_crc);
}

static void assert_refused(const struct lith_manifest *base, const struct lith_restore *restore,
                           const char *says)
{
    struct lith_stamp stamp = stamp_at(900);
    struct lith_manifest next;

    assert_int_equal(lith_commit_restore(base, restore, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    if (!strstr(err.text, says))
        fail_msg("%s: not %s", err.text, says);
}

static void refusals(void **state)
{
    static const char *condemned[] = {"b.parquet"};
    struct lith_manifest file = older(), base = newer();
    struct lith_entry out[] = {entry(OUTPUT, 9, 11)};
    struct lith_restore restore = restore_of(&file, out, 1);
    struct lith_listing short_list = {.objects = objects, .object_count = 3};

    (void)state;
    restore.listing = &short_list;
    assert_refused(&base, &restore, "c.parquet is not there any more");
    restore.listing = &listing;
    objects[1].etag = "other";
    assert_refused(&base, &restore, "a.parquet is other, was e");
    objects[1].etag = "e";
    base.condemned = condemned;
    base.condemned_count = 1;
    assert_refused(&base, &restore, "b.parquet is being deleted");
    base.condemned_count = 0;
    out[0].has_crc = false;
    assert_refused(&base, &restore, "without its crc32");
    out[0] = entry("c.parquet", 3, 1);
    assert_refused(&base, &restore, "c.parquet comes and leaves");
    out[0] = entry(OUTPUT, 9, 11);
    memcpy(file.pid, "00000000", 8);
    assert_refused(&base, &restore, "of partition 00000000");
    memcpy(file.pid, PID, 8);
    base.has_handed = true;
    base.handed.parent = "day=01";
    assert_refused(&base, &restore, "being rolled up into day=01");
    base.has_handed = false;
    file.has_handed = true;
    file.handed.parent = "day=02";
    assert_refused(&base, &restore, "being rolled up into day=02");
    file.has_handed = false;
    base.foreign = true;
    assert_refused(&base, &restore, "another program's");
    base.foreign = false;
    file.foreign = true;
    assert_refused(&base, &restore, "another program's");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_back_and_an_output_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(graces_begin_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_one_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lost_output_is_back, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
