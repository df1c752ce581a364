/*
 * What becomes of each file when an older manifest comes back: files with rows of their own, lists
 * that say what they were made from, and a judge that knows the rows.
 */
#include "job/restore_plan.h"

#include "kin_world.h"

static struct lith_restore_plan plan;
static bool lands_late;

static void world_make(const struct file *files, size_t count, bool has_base)
{
    world_fill(files, count, has_base);
    struct lith_restore_request request = {.lineage = &w.lineage,
                                           .file = &w.file,
                                           .base = has_base ? &w.base : NULL,
                                           .listing = &w.listing,
                                           .snapshot = &w.snapshot,
                                           .judge = &w.judge.base,
                                           .lands_late = lands_late};
    MUST(lith_restore_plan_make(&request, &arena, &plan, &err));
}

#define CASE(has_base, ...)                                                                        \
    do {                                                                                           \
        static const struct file files[] = {__VA_ARGS__};                                          \
        world_make(files, sizeof(files) / sizeof(files[0]), has_base);                             \
    } while (0)

static void assert_planned(const char *back, const char *out, const char *named)
{
    if (plan.refusal)
        fail_msg("refused: %s", plan.refusal);
    assert_list(plan.back, plan.back_count, back);
    assert_list(plan.out, plan.out_count, out);
    assert_list(plan.named, plan.named_count, named);
}

static void assert_refused(const char *says)
{
    assert_non_null(plan.refusal);
    if (!strstr(plan.refusal, says))
        fail_msg("%s: not %s", plan.refusal, says);
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

/* A live output that is not there, or cannot be read, and the log does not reach back to what it
 * was made of. It may be what comes. --repair looks at what is missing alone. */
static void beside_an_output_that_nobody_can_ask(void **state)
{
    (void)state;
    CASE(true, {OUT("1"), "missing", 3, {0}}, {"a.parquet", "retired own", 1, {0}});
    assert_refused("is not there, and nobody knows what it was made of");
    assert_non_null(strstr(plan.refusal, "put it back from a copy, or run fsck --repair first"));
    CASE(true, {OUT("1"), "live bad", 3, {0}}, {"a.parquet", "retired own", 1, {0}});
    assert_refused("cannot be read, and nobody knows what it was made of: put it back from a copy");
    assert_null(strstr(plan.refusal, "--repair"));
    /* As many rows come as leave: nothing new is shown. */
    CASE(true, {OUT("1"), "missing", 3, {0}}, {OUT("2"), "own", 4, {"a.parquet"}},
         {"a.parquet", "live", 4, {0}});
    assert_planned("", "a.parquet", "");
    /* It is a writer's: it was made of nothing. */
    CASE(true, {"a.parquet", "retired own", 1, {0}}, {"b.parquet", "missing", 2, {0}});
    assert_planned("", "", "");
}

/* gc has deleted it, and it is there again: put back from a copy, or a request that landed twice.
 * In a store where that may be, the delete may come again as well. */
static void deleted_and_back(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        lands_late = late;
        CASE(true, {OUT("1"), "gone own", 3, {"a.parquet", "b.parquet"}},
             {"a.parquet", "live", 1, {0}}, {"b.parquet", "live", 2, {0}});
        if (late)
            assert_refused("was deleted by gc and is there again");
        else
            assert_planned("", "a.parquet b.parquet", "");
        CASE(true, {OUT("1"), "live", 3, {"a.parquet", "b.parquet"}},
             {"a.parquet", "retired own", 1, {0}}, {"b.parquet", "gone", 2, {0}});
        if (late)
            assert_refused("of b.parquet, which cannot");
        else
            assert_planned("b.parquet", OUT("1"), "");
    }
    lands_late = false;
}

/* An output in the middle is gone: what lists it is retired, and nobody knows what it was made of.
 */
static void through_an_output_that_is_gone(void **state)
{
    (void)state;
    CASE(true, {OUT("1"), "absent", 1, {0}}, {OUT("2"), "retired", 3, {OUT("1"), "x.parquet"}},
         {OUT("3"), "live", 7, {OUT("2"), "y.parquet"}}, {"a.parquet", "retired own", 1, {0}},
         {"x.parquet", "retired", 2, {0}}, {"y.parquet", "retired", 4, {0}});
    assert_refused("which stays");
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
        assert_non_null(plan.refusal);
        CASE(has_base, {OUT("1"), "live", 3, {OUT("1")}}, {"a.parquet", "live own", 4, {0}});
        if (!plan.refusal)
            assert_list(plan.out, plan.out_count, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(over_a_manifest, setup, teardown),
        cmocka_unit_test_setup_teardown(beside_an_output_that_nobody_can_ask, setup, teardown),
        cmocka_unit_test_setup_teardown(deleted_and_back, setup, teardown),
        cmocka_unit_test_setup_teardown(through_an_output_that_is_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(back_to_an_output, setup, teardown),
        cmocka_unit_test_setup_teardown(over_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_that_make_no_sense, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
