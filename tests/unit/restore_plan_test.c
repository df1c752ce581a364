/*
 * What becomes of each file when an older manifest comes back: files with rows of their own, lists
 * that say what they were made from, and a judge that knows the rows.
 */
#include "job/restore_plan.h"

#include "arena_support.h"

#define PID "5f21c0de"
#define OUT(n) "0198f0c2-7c1e-7000-8000-00000000000" n "_" PID "_e1.parquet"
#define FILES_MAX 8
#define INPUTS_MAX 4

/* A file of a case: its rows are the bits of `rows`. */
struct file {
    const char *name;
    const char *state; /* of: now live, retired, absent (only listed), gone missing; own: F's */
    uint64_t rows;
    const char *inputs[INPUTS_MAX];
};

struct judge {
    struct lith_row_judge base;
    const struct file *const *files; /* by kin */
};

static enum lith_code judge_holds(struct lith_row_judge *base, const size_t *part,
                                  size_t part_count, const size_t *whole, size_t whole_count,
                                  bool *ret_holds, struct lith_err *ret_err)
{
    const struct judge *judge = (const struct judge *)base;
    uint64_t rows = 0;

    (void)ret_err;
    for (size_t i = 0; i < whole_count; i++)
        rows |= judge->files[whole[i]]->rows;
    *ret_holds = true;
    for (size_t i = 0; i < part_count; i++)
        *ret_holds = *ret_holds && (judge->files[part[i]]->rows & ~rows) == 0;
    return LITH_OK;
}

struct world {
    const struct file *files; /* sorted by name */
    size_t count;
    bool has_base;
    struct lith_object objects[FILES_MAX];
    struct lith_kin kins[FILES_MAX];
    size_t inputs[FILES_MAX][INPUTS_MAX];
    const struct file *by_kin[FILES_MAX];
    struct lith_entry live[FILES_MAX], retired[FILES_MAX], own[FILES_MAX];
    struct lith_manifest base, file;
    struct lith_listing listing;
    struct lith_snapshot snapshot;
    struct lith_lineage lineage;
    struct judge judge;
    struct lith_restore_plan plan;
};
static struct world w;

static bool has(const struct file *file, const char *word)
{
    return strstr(file->state, word) != NULL;
}

static void file_put(size_t i)
{
    const struct file *file = &w.files[i];
    struct lith_kin *kin = &w.kins[i];
    bool is_there = !has(file, "absent") && !has(file, "missing");
    struct lith_entry entry = {.name = file->name, .etag = "e", .size = 1, .commit_id = "c"};

    entry.rows = (uint64_t)__builtin_popcountll(file->rows);
    entry.has_rows = true;
    *kin = (struct lith_kin){.name = file->name, .size = 1, .rows = entry.rows, .has_rows = true};
    w.by_kin[i] = file;
    if (is_there) {
        w.objects[w.listing.object_count] =
            (struct lith_object){.name = file->name, .etag = "e", .size = 1};
        kin->object = &w.objects[w.listing.object_count++];
    }
    if (has(file, "live") || has(file, "missing"))
        w.live[w.base.file_count++] = entry;
    if (has(file, "retired"))
        w.retired[w.base.retired_count++] = entry;
    if (has(file, "own"))
        w.own[w.file.file_count++] = entry;
    for (size_t k = 0; k < INPUTS_MAX && file->inputs[k]; k++) {
        kin->is_output = true;
        kin->inputs = w.inputs[i];
        for (size_t n = 0; n < w.count; n++) {
            if (strcmp(w.files[n].name, file->inputs[k]) == 0)
                kin->inputs[kin->input_count++] = n;
        }
    }
}

static void world_make(const struct file *files, size_t count, bool has_base)
{
    w = (struct world){.files = files, .count = count, .has_base = has_base};
    w.listing.objects = w.objects;
    w.base = (struct lith_manifest){.files = w.live, .retired = w.retired, .pid = PID};
    w.file = (struct lith_manifest){.files = w.own, .pid = PID};
    for (size_t i = 0; i < count; i++)
        file_put(i);
    w.lineage = (struct lith_lineage){.files = w.kins, .count = count, .arena = &arena};
    w.judge = (struct judge){.base = {.holds = judge_holds}, .files = w.by_kin};
    MUST(lith_snapshot_resolve(&w.listing, has_base ? &w.base : &w.file, LITH_SNAPSHOT_OPEN, &arena,
                               &w.snapshot, &err));
    struct lith_restore_request request = {.lineage = &w.lineage,
                                           .file = &w.file,
                                           .base = has_base ? &w.base : NULL,
                                           .listing = &w.listing,
                                           .snapshot = &w.snapshot,
                                           .judge = &w.judge.base};
    MUST(lith_restore_plan_make(&request, &arena, &w.plan, &err));
}

/* The chosen ones are exactly these, in order. */
static void assert_list(const size_t *list, size_t count, const char *expected)
{
    char found[200] = "";

    for (size_t i = 0; i < count; i++) {
        (void)strncat(found, i ? " " : "", sizeof(found) - strlen(found) - 1);
        (void)strncat(found, w.files[list[i]].name, sizeof(found) - strlen(found) - 1);
    }
    assert_string_equal(found, expected);
}

#define CASE(has_base, ...)                                                                        \
    do {                                                                                           \
        static const struct file files[] = {__VA_ARGS__};                                          \
        world_make(files, sizeof(files) / sizeof(files[0]), has_base);                             \
    } while (0)

static void assert_planned(const char *back, const char *out, const char *named)
{
    if (w.plan.refusal)
        fail_msg("refused: %s", w.plan.refusal);
    assert_list(w.plan.back, w.plan.back_count, back);
    assert_list(w.plan.out, w.plan.out_count, out);
    assert_list(w.plan.named, w.plan.named_count, named);
}

static void assert_refused(const char *says)
{
    assert_non_null(w.plan.refusal);
    if (!strstr(w.plan.refusal, says))
        fail_msg("%s: not %s", w.plan.refusal, says);
}

static void over_a_manifest(void **state)
{
    (void)state;
    /* Outputs give way to their inputs, whatever generation. */
    CASE(true, {OUT("1"), "retired", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "live", 7, {OUT("1"), "d.parquet"}}, {"a.parquet", "retired own", 1, {0}},
         {"b.parquet", "retired own", 2, {0}}, {"d.parquet", "retired", 4, {0}});
    assert_planned("d.parquet", OUT("2"), "");
    /* What shares nothing stays. */
    CASE(true, {OUT("1"), "live", 3, {"x.parquet"}}, {"a.parquet", "live own", 4, {0}},
         {"b.parquet", "live", 8, {0}}, {"x.parquet", "absent", 3, {0}});
    assert_planned("", "", "");
    /* A part of it can come back, the rest is gone. */
    CASE(true, {OUT("1"), "live", 3, {"a.parquet", "x.parquet"}},
         {"a.parquet", "retired own", 1, {0}}, {"x.parquet", "absent", 2, {0}});
    assert_refused("of x.parquet, which cannot");
    /* A shared input pulls the other output of the job along. */
    CASE(true, {OUT("1"), "live", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "live", 12, {"b.parquet", "c.parquet"}}, {"a.parquet", "retired own", 1, {0}},
         {"b.parquet", "retired", 6, {0}}, {"c.parquet", "retired", 8, {0}});
    assert_planned("b.parquet c.parquet", OUT("1") " " OUT("2"), "");
    /* Lists that lie: the rows are not there. */
    CASE(true, {OUT("1"), "live", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "retired own", 1, {0}}, {"b.parquet", "retired own", 4, {0}});
    assert_refused("are not all in the files that would come back");
}

static void back_to_an_output(void **state)
{
    (void)state;
    /* Its inputs, live after a rollback, leave. */
    CASE(true, {OUT("1"), "retired own", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "live", 1, {0}}, {"b.parquet", "live", 2, {0}},
         {"c.parquet", "live", 4, {0}});
    assert_planned("", "a.parquet b.parquet", "");
    /* One of them bears other rows by now. */
    CASE(true, {OUT("1"), "retired own", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "live", 1, {0}}, {"b.parquet", "live", 8, {0}});
    assert_planned("", "a.parquet", "");
    /* Another merge of the same, with more. */
    CASE(true, {OUT("1"), "retired own", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "live", 7, {"a.parquet", "b.parquet", "c.parquet"}},
         {"a.parquet", "absent", 1, {0}}, {"b.parquet", "absent", 2, {0}},
         {"c.parquet", "retired", 4, {0}});
    assert_planned("c.parquet", OUT("2"), "");
    /* A missing file that the output lists is not missed any more. */
    CASE(true, {OUT("1"), "own", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "live", 2, {0}});
    assert_planned("", "a.parquet b.parquet", "");
}

static void over_nothing(void **state)
{
    (void)state;
    CASE(false, {OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "own", 1, {0}},
         {"b.parquet", "", 2, {0}});
    assert_planned("", OUT("1"), "");
    /* Generations that were never needed. */
    CASE(false, {OUT("1"), "", 6, {"b.parquet", "c.parquet"}},
         {OUT("2"), "", 14, {OUT("1"), "d.parquet"}}, {"a.parquet", "own", 1, {0}},
         {"b.parquet", "", 2, {0}}, {"c.parquet", "", 4, {0}}, {"d.parquet", "", 8, {0}});
    assert_planned("", OUT("1") " " OUT("2"), "");
    /* And one that is needed, with what is left of its inputs at any depth. */
    CASE(false, {OUT("1"), "", 6, {"b.parquet", "c.parquet"}},
         {OUT("2"), "", 14, {OUT("1"), "d.parquet"}}, {"a.parquet", "own", 1, {0}},
         {"b.parquet", "", 2, {0}}, {"c.parquet", "absent", 4, {0}}, {"d.parquet", "", 8, {0}});
    assert_planned("", OUT("2") " b.parquet", OUT("1"));
    CASE(false, {OUT("1"), "absent", 6, {0}}, {OUT("2"), "", 14, {OUT("1"), "d.parquet"}},
         {"a.parquet", "own", 1, {0}}, {"d.parquet", "", 8, {0}});
    assert_planned("", "d.parquet", OUT("2"));
    /* Two that were made of the same, which is gone. */
    CASE(false, {OUT("1"), "", 6, {"x.parquet", "y.parquet"}},
         {OUT("2"), "", 12, {"y.parquet", "z.parquet"}}, {"a.parquet", "own", 1, {0}},
         {"x.parquet", "absent", 2, {0}}, {"y.parquet", "absent", 4, {0}},
         {"z.parquet", "absent", 8, {0}});
    assert_refused("hold rows of the same files");
    /* An output of ours that says nothing. */
    CASE(false, {OUT("1"), "", 6, {0}}, {"a.parquet", "own", 1, {0}});
    assert_refused("does not say what it holds");
    /* What stays holds what would come, by way of one that is gone. */
    CASE(false, {OUT("1"), "absent", 3, {0}}, {OUT("2"), "", 7, {OUT("1"), "d.parquet"}},
         {"a.parquet", "own", 1, {0}}, {"d.parquet", "absent", 4, {0}});
    assert_refused("are in " OUT("2") " already");
}

/* Lists of an enemy, or of chance: in a circle, of itself, twice the same. */
static void lists_that_make_no_sense(void **state)
{
    (void)state;
    for (int has_base = 0; has_base < 2; has_base++) {
        CASE(has_base, {OUT("1"), "live", 3, {OUT("2"), "a.parquet"}},
             {OUT("2"), "live", 3, {OUT("1"), OUT("2"), OUT("1")}},
             {"a.parquet", "retired own", 1, {0}});
        assert_non_null(w.plan.refusal);
        CASE(has_base, {OUT("1"), "live", 3, {OUT("1")}}, {"a.parquet", "live own", 4, {0}});
        if (!w.plan.refusal)
            assert_list(w.plan.out, w.plan.out_count, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(over_a_manifest, setup, teardown),
        cmocka_unit_test_setup_teardown(back_to_an_output, setup, teardown),
        cmocka_unit_test_setup_teardown(over_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_that_make_no_sense, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
