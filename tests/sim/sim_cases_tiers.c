/*
 * The traps of roll-ups: who reads, or works in an hour, while it goes into its day.
 */
#include <string.h>

#include "sim_case.h"

static struct sim_dir *hour_of(struct sim_world *world, uint32_t number)
{
    return &sim_lake_of(world)->dirs[1 + number];
}

static void hours_write(struct sim_world *world)
{
    sim_files_write(hour_of(world, 0), "ab");
    sim_files_write(hour_of(world, 1), "cd");
}

static void roller(struct sim_actor *actor)
{
    sim_must(actor, sim_case_pass(actor, SIM_ROLLUP) == LITH_OK, "a pass, which is too early");
    sim_stage_await(actor, 1);
    sim_must(actor, sim_case_pass(actor, SIM_ROLLUP) == LITH_OK, "a roll-up");
    sim_must(actor, actor->world->things[SIM_MOVES] == 2, "both hours go into the day");
    sim_stage_set(actor->world, 2);
}

/* A reader stands still at some moment of its look while the hours go into a day that was not there
 * before. */
static void reader_across(struct sim_actor *actor)
{
    struct sim_dir *day = sim_case_dir(actor->world);

    sim_wait(actor, SIM_HOUR);
    actor->world->fate_ns = (int64_t)sim_draw(actor->world, 40);
    sim_must(actor, sim_read_once(actor, day, false), "the reader reads");
    sim_stage_set(actor->world, actor->world->stage ? actor->world->stage : 1);
}

static void some_request_waits(struct sim_actor *actor)
{
    if (!sim_is_named(actor, "reader") || actor->world->fate_ns-- != 0)
        return;
    sim_stage_set(actor->world, 1);
    sim_stage_await(actor, 2);
}

static void case_reader(struct sim_world *world, struct sim_cast *cast)
{
    hours_write(world);
    (void)sim_cast_add(world, cast, "reader", reader_across);
    (void)sim_cast_add(world, cast, "roller", roller);
}

/* No lock keeps a compaction of an hour from a roll-up: between its lease and its next look the
 * files are handed over. It gives way. */
static void compactor_of_an_hour(struct sim_actor *actor)
{
    sim_wait(actor, SIM_HOUR);
    sim_must(actor,
             sim_pass_run(actor, actor->ctx, SIM_COMPACT, hour_of(actor->world, 0), NULL) ==
                 LITH_E_CONFLICT,
             "the compaction gives way");
    sim_must(actor, actor->world->stage == 2, "it waits for the roll-up");
}

/* At its first request behind the lease. */
static void look_waits(struct sim_actor *actor)
{
    const struct sim_manifest *m = sim_manifest_of(hour_of(actor->world, 0));

    if (!sim_is_named(actor, "compactor") || actor->world->stage || !m->blob ||
        strcmp(m->op, "lease") != 0)
        return;
    sim_stage_set(actor->world, 1);
    sim_stage_await(actor, 2);
}

static void hander(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    (void)sim_case_pass(actor, SIM_ROLLUP);
    sim_must(actor, actor->world->things[SIM_ROLLUPS] == 1, "a roll-up");
    sim_must(actor, sim_manifest_of(hour_of(actor->world, 0))->handed_to != NULL,
             "the hour has not heard of it");
    sim_stage_set(actor->world, 2);
}

static enum sim_fate moves_fail(struct sim_actor *actor, const void *op)
{
    bool is_move = sim_is_named(actor, "roller") && sim_is_commit(actor, op, "moved");

    return is_move ? SIM_FATE_FAILS : SIM_FATE_DONE;
}

static void case_handed_behind_a_lease(struct sim_world *world, struct sim_cast *cast)
{
    hours_write(world);
    (void)sim_cast_add(world, cast, "compactor", compactor_of_an_hour);
    (void)sim_cast_add(world, cast, "roller", hander);
}

/* A compaction of an hour stands still at some moment of its looks, for longer than replays are
 * remembered: what it has listed was rolled up, deleted and forgotten meanwhile, and of the hour
 * nothing is left that its list would have to show. It must not name it again. */
static void job_of_an_old_list(struct sim_actor *actor)
{
    sim_wait(actor, SIM_HOUR);
    actor->world->fate_ns = (int64_t)actor->world->seed; /* at each request in turn */
    (void)sim_pass_run(actor, actor->ctx, SIM_COMPACT, hour_of(actor->world, 0), NULL);
    if (actor->world->stage == 0)
        sim_stage_set(actor->world, 1);
}

static void hour_pass(struct sim_actor *actor, enum sim_pass pass, const char *name)
{
    struct sim_dir *hour = hour_of(actor->world, 0);

    sim_graces_pass(actor);
    sim_must(actor, sim_pass_run(actor, actor->ctx, pass, hour, name) == LITH_OK,
             "a pass over the hour");
}

static void forgetter(struct sim_actor *actor)
{
    struct sim_dir *hour = hour_of(actor->world, 0);

    sim_stage_await(actor, 1);
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_ROLLUP) == LITH_OK, "a roll-up");
    hour_pass(actor, SIM_GC, NULL);
    sim_wait(actor, 2 * SIM_REPLAY_WINDOW);
    sim_files_write(hour, "ef");
    hour_pass(actor, SIM_COMPACT, NULL);
    hour_pass(actor, SIM_RETIRE, sim_manifest_of(hour)->files.names[0]);
    hour_pass(actor, SIM_GC, NULL);
    sim_must(actor, !sim_names_have(&sim_manifest_of(hour)->gone, "a.parquet"),
             "what was rolled up is forgotten");
    sim_stage_set(actor->world, 2);
}

static void some_look_waits(struct sim_actor *actor)
{
    if (!sim_is_named(actor, "job") || actor->world->stage || actor->world->fate_ns-- != 0)
        return;
    sim_stage_set(actor->world, 1);
    sim_stage_await(actor, 2);
}

static void case_old_list(struct sim_world *world, struct sim_cast *cast)
{
    hours_write(world);
    (void)sim_cast_add(world, cast, "job", job_of_an_old_list);
    (void)sim_cast_add(world, cast, "forgetter", forgetter);
}

const struct sim_case sim_cases_tiers[] = {
    {"tiers: a reader across a roll-up into a new day (P2)", SIM_LOCAL, case_reader, sim_all_done,
     some_request_waits},
    {"tiers: the same in a store of objects (P2)", SIM_OBJECTS, case_reader, sim_all_done,
     some_request_waits},
    {"tiers: files are handed over behind the lease of a compaction (P2)", SIM_OBJECTS,
     case_handed_behind_a_lease, moves_fail, look_waits},
    {"tiers: a list that is older than replays are remembered (P2, P9)", SIM_OBJECTS, case_old_list,
     sim_all_done, some_look_waits},
    {0},
};
