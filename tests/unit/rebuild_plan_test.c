/*
 * What a lost manifest said, by what is there: who is live, who was replaced, what is refused.
 */
#include "job/rebuild_plan.h"

#include "kin_world.h"

static struct lith_rebuild_plan plan;

static void world_plan(const struct file *files, size_t count)
{
    world_fill(files, count, false);
    MUST(lith_rebuild_plan_make(&w.lineage, &w.judge.base, &arena, &plan, &err));
}

#define CASE(...)                                                                                  \
    do {                                                                                           \
        static const struct file files[] = {__VA_ARGS__};                                          \
        world_plan(files, sizeof(files) / sizeof(files[0]));                                       \
    } while (0)

static void assert_planned(const char *live, const char *out)
{
    if (plan.refusal)
        fail_msg("refused: %s", plan.refusal);
    assert_non_null(plan.pid);
    assert_list(plan.live, plan.live_count, live);
    assert_list(plan.out, plan.out_count, out);
}

static void assert_refused(const char *says)
{
    assert_non_null(plan.refusal);
    if (!strstr(plan.refusal, says))
        fail_msg("%s: not %s", plan.refusal, says);
}

static void nothing_was_lost(void **state)
{
    (void)state;
    CASE({"a.parquet", "", 1, {0}}, {"b.parquet", "", 2, {0}});
    assert_null(plan.pid);
    assert_null(plan.refusal);
    CASE({OUT("1"), "", 3, {"x.parquet"}}, {"b.parquet", "", 4, {0}},
         {"x.parquet", "absent", 3, {0}});
    assert_null(plan.pid);
    assert_null(plan.refusal);
}

static void outputs_are_live(void **state)
{
    (void)state;
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "", 1, {0}},
         {"b.parquet", "", 2, {0}}, {"c.parquet", "", 4, {0}});
    assert_planned(OUT("1") " c.parquet", "a.parquet b.parquet");
    /* Generations, some of whose files are gone. */
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {OUT("2"), "", 7, {OUT("1"), "c.parquet"}},
         {"a.parquet", "", 1, {0}}, {"b.parquet", "absent", 2, {0}}, {"c.parquet", "", 4, {0}});
    assert_planned(OUT("2"), OUT("1") " a.parquet c.parquet");
    /* Outputs of one job that share an input. */
    CASE({OUT("1"), "joint", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "joint", 12, {"b.parquet", "c.parquet"}}, {"a.parquet", "", 1, {0}},
         {"b.parquet", "", 6, {0}}, {"c.parquet", "", 8, {0}});
    assert_planned(OUT("1") " " OUT("2"), "a.parquet b.parquet c.parquet");
    CASE({OUT("1"), "joint", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "joint", 12, {"b.parquet", "c.parquet"}}, {"a.parquet", "absent", 1, {0}},
         {"b.parquet", "", 6, {0}}, {"c.parquet", "", 8, {0}});
    assert_planned(OUT("1") " " OUT("2"), "b.parquet c.parquet");
}

static void outputs_give_way(void **state)
{
    (void)state;
    /* Cut off behind its first output; made twice. */
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "", 1, {0}},
         {"b.parquet", "", 6, {0}});
    assert_planned("a.parquet b.parquet", OUT("1"));
    CASE({OUT("1"), "joint", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "joint", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "", 1, {0}},
         {"b.parquet", "", 2, {0}});
    assert_planned("a.parquet b.parquet", OUT("1") " " OUT("2"));
    /* An attempt with fewer inputs, none of which is there. */
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "", 7, {"a.parquet", "b.parquet", "c.parquet"}},
         {"a.parquet", "absent", 1, {0}}, {"b.parquet", "absent", 2, {0}},
         {"c.parquet", "", 4, {0}});
    assert_planned(OUT("2"), OUT("1") " c.parquet");
}

static void what_has_two_readings(void **state)
{
    (void)state;
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "", 6, {"b.parquet", "c.parquet"}}, {"a.parquet", "absent", 1, {0}},
         {"b.parquet", "absent", 2, {0}}, {"c.parquet", "absent", 4, {0}});
    assert_refused("neither holds all");
    CASE({OUT("1"), "joint", 3, {"a.parquet", "b.parquet"}},
         {OUT("2"), "joint", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "absent", 1, {0}},
         {"b.parquet", "", 2, {0}});
    assert_refused("made twice");
    /* Other bytes under the name of an input. */
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "", 1, {0}},
         {"b.parquet", "", 8, {0}});
    assert_refused("rows of b.parquet are not all in " OUT("1"));
    CASE({OUT("1"), "", 3, {"a.parquet", "b.parquet"}}, {"a.parquet", "absent", 1, {0}},
         {"b.parquet", "", 8, {0}});
    assert_refused("rows of b.parquet are not all in " OUT("1"));
    /* The output in between is gone. */
    CASE({OUT("1"), "absent", 3, {0}}, {OUT("2"), "", 7, {OUT("1"), "c.parquet"}},
         {"a.parquet", "", 1, {0}}, {"c.parquet", "", 4, {0}});
    assert_refused("not all of whose making is known");
}

static void lists_that_lie(void **state)
{
    (void)state;
    CASE({OUT("1"), "", 1, {OUT("2")}}, {OUT("2"), "", 1, {OUT("1")}});
    assert_refused("made of itself");
    CASE({OUT("1"), "", 1, {OUT("1"), "a.parquet"}}, {"a.parquet", "", 1, {0}});
    assert_true(plan.refusal || plan.live_count == 1);
    CASE({OUT("1"), "bad", 1, {0}}, {"a.parquet", "", 1, {0}});
    assert_refused(OUT("1") " holds cannot be read: garbage");
    CASE({OUT("1"), "", 1, {"a.parquet"}}, {"a.parquet", "bad", 1, {0}});
    assert_refused("a.parquet holds cannot be read");
    CASE({OUT("1"), "", 1, {"hour=00/a.parquet"}}, {"b.parquet", "", 2, {0}},
         {"hour=00/a.parquet", "absent", 1, {0}});
    assert_refused("rolled up");
    CASE({"a.parquet", "", 1, {0}}, {"copy.parquet", "", 1, {"a.parquet"}});
    assert_refused("copy.parquet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_was_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(outputs_are_live, setup, teardown),
        cmocka_unit_test_setup_teardown(outputs_give_way, setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_two_readings, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_that_lie, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
