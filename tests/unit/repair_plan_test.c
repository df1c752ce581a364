/*
 * What becomes of live files that vanished: the ways back, and what is lost.
 */
#include "job/repair_plan.h"

#include "kin_world.h"

static struct lith_repair_plan plan;
static bool lands_late;

static void world_plan(const struct file *files, size_t count)
{
    world_fill(files, count, true);
    struct lith_repair_request request = {.lineage = &w.lineage,
                                          .base = &w.base,
                                          .listing = &w.listing,
                                          .snapshot = &w.snapshot,
                                          .judge = &w.judge.base,
                                          .lands_late = lands_late};
    MUST(lith_repair_plan_make(&request, &arena, &plan, &err));
}

#define CASE(...)                                                                                  \
    do {                                                                                           \
        static const struct file files[] = {__VA_ARGS__};                                          \
        world_plan(files, sizeof(files) / sizeof(files[0]));                                       \
    } while (0)

static void assert_planned(const char *coming, const char *out, const char *lost)
{
    char found[400] = "";

    if (plan.restore.refusal)
        fail_msg("refused: %s", plan.restore.refusal);
    assert_list(plan.coming, plan.coming_count, coming);
    assert_list(plan.restore.out, plan.restore.out_count, out);
    for (size_t i = 0; i < plan.loss_count; i++) {
        (void)strncat(found, i ? " " : "", sizeof(found) - strlen(found) - 1);
        (void)strncat(found, plan.losses[i].entry->name, sizeof(found) - strlen(found) - 1);
    }
    assert_string_equal(found, lost);
}

static void nothing_has_its_rows(void **state)
{
    (void)state;
    CASE({"a.parquet", "missing", 1, {0}}, {"b.parquet", "live", 2, {0}});
    assert_planned("", "", "a.parquet");
    assert_null(plan.losses[0].why);
    /* An output, and all it was made of is gone. */
    CASE({OUT("1"), "missing said", 3, {"a.parquet"}}, {"a.parquet", "absent", 3, {0}});
    assert_planned("", "", OUT("1"));
    assert_null(plan.losses[0].why);
}

static void down_to_what_it_was_made_of(void **state)
{
    (void)state;
    CASE({OUT("1"), "missing said", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "retired", 1, {0}}, {"b.parquet", "retired", 2, {0}},
         {"c.parquet", "live other", 4, {0}});
    assert_planned("a.parquet b.parquet", OUT("1"), "");
    /* Its sibling goes along: its rows come, too. */
    CASE({OUT("1"), "missing said", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "live", 4, {"b.parquet"}}, {"a.parquet", "retired", 1, {0}},
         {"b.parquet", "retired", 6, {0}});
    assert_planned("a.parquet b.parquet", OUT("1") " " OUT("2"), "");
    /* Not all is there: what is, is told of. */
    CASE({OUT("1"), "missing said", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "retired", 1, {0}}, {"b.parquet", "absent", 2, {0}});
    assert_planned("", "", OUT("1"));
    assert_non_null(strstr(plan.losses[0].why, "a.parquet may hold"));
    /* It is there, and does not add up: the manifest says that of something else. */
    CASE({OUT("1"), "missing said", 7, {"a.parquet"}}, {"a.parquet", "retired", 1, {0}});
    assert_planned("", "", OUT("1"));
    assert_non_null(strstr(plan.losses[0].why, "does not add up"));
    /* A sibling that was merged further, with something that is gone. */
    CASE({OUT("1"), "missing said", 3, {"a.parquet"}},
         {OUT("2"), "retired other", 4, {"a.parquet"}},
         {OUT("3"), "live other", 12, {OUT("2"), "x.parquet"}}, {"a.parquet", "retired", 7, {0}},
         {"x.parquet", "absent", 8, {0}});
    assert_planned("", "", OUT("1"));
    assert_non_null(plan.losses[0].why);
}

static void up_to_what_was_made_of_it(void **state)
{
    (void)state;
    /* One that was not committed, and one that was rolled back. */
    CASE({OUT("1"), "orphan", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "live", 2, {0}}, {"c.parquet", "live", 4, {0}});
    assert_planned(OUT("1"), "a.parquet b.parquet", "");
    CASE({OUT("1"), "retired joint", 1, {"a.parquet"}},
         {OUT("2"), "retired joint", 2, {"b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "live", 2, {0}});
    assert_planned(OUT("1") " " OUT("2"), "a.parquet b.parquet", "");
    /* Of a job that was repeated one output. */
    CASE({OUT("1"), "orphan joint", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "orphan joint", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "missing", 1, {0}}, {"b.parquet", "live", 2, {0}});
    assert_planned(OUT("1"), "a.parquet b.parquet", "");
    /* Rows that it does not have, or that nobody asked for. */
    CASE({OUT("1"), "orphan", 2, {"a.parquet", "b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "live", 2, {0}});
    assert_planned("", "", "a.parquet");
    assert_non_null(plan.losses[0].why);
    CASE({OUT("1"), "orphan", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "retired", 2, {0}});
    assert_planned("", "", "a.parquet");
    /* Lists that lie. */
    CASE({OUT("1"), "orphan", 9, {"a.parquet", "b.parquet"}}, {"a.parquet", "missing", 1, {0}},
         {"b.parquet", "live", 2, {0}});
    assert_planned("", "", "a.parquet");
}

static void several_at_once(void **state)
{
    (void)state;
    CASE({OUT("1"), "missing said", 3, {"a.parquet", "b.parquet"}},
         {"a.parquet", "retired", 1, {0}}, {"b.parquet", "retired", 2, {0}},
         {"x.parquet", "missing other", 4, {0}});
    assert_planned("a.parquet b.parquet", OUT("1"), "x.parquet");
}

/* An output that leaves for what comes needs another input, which gc has deleted, and which is
 * there again: where the delete may land once more it is nothing to count on. */
static void what_gc_has_deleted_is_not_counted_on(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        lands_late = late;
        CASE({OUT("1"), "missing said", 3, {"a.parquet", "b.parquet"}},
             {OUT("2"), "live other", 5, {"a.parquet", "c.parquet"}},
             {"a.parquet", "retired", 1, {0}}, {"b.parquet", "retired", 2, {0}},
             {"c.parquet", "gone", 4, {0}});
        if (late) {
            assert_planned("", "", OUT("1"));
            assert_non_null(strstr(plan.losses[0].why, "of c.parquet, which cannot"));
        } else {
            assert_planned("a.parquet b.parquet", OUT("1") " " OUT("2"), "");
        }
    }
    lands_late = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_has_its_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(down_to_what_it_was_made_of, setup, teardown),
        cmocka_unit_test_setup_teardown(up_to_what_was_made_of_it, setup, teardown),
        cmocka_unit_test_setup_teardown(several_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_gc_has_deleted_is_not_counted_on, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
