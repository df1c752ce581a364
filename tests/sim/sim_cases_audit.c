/*
 * The traps of audit events: what comes between a commit and its event, and what is merged
 * meanwhile.
 */
#include <string.h>

#include "sim_audit.h"
#include "sim_case.h"

static void audited_add(struct sim_world *world, struct sim_cast *cast, const char *name,
                        void (*run)(struct sim_actor *actor))
{
    sim_cast_add(world, cast, name, run)->is_audited = true;
}

/* One whom the trap kills, and who then does nothing more. */
static void job_that_dies(struct sim_actor *actor)
{
    if (actor->world->stage)
        return;
    sim_wait(actor, 10 * SIM_MINUTE);
    (void)sim_case_pass(actor, SIM_COMPACT);
    sim_must(actor, false, "the job dies");
}

/* All that is not immortal dies at its next step. */
static void deadly_set(struct sim_world *world, bool is_deadly)
{
    world->mix.crashes = is_deadly ? 1000 : 0;
}

static void gc_behind_it(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_wait(actor, SIM_HOUR);
    deadly_set(actor->world, false);
    sim_must(actor, sim_dir_get(sim_case_dir(actor->world), "_lithify_events") != NULL,
             "a note says that events are owed");
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(sim_case_dir(actor->world), "_lithify_events"),
             "the note is gone");
}

static enum sim_fate dies_behind_its_commit(struct sim_actor *actor, const void *op)
{
    if (sim_is_named(actor, "job") && sim_is_commit(actor, op, "compact")) {
        sim_stage_set(actor->world, 1);
        deadly_set(actor->world, true);
    }
    return SIM_FATE_DONE;
}

static void case_commit_without_event(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    audited_add(world, cast, "job", job_that_dies);
    audited_add(world, cast, "gc", gc_behind_it);
    world->actors[1].is_immortal = true;
}

static bool is_event_put(const struct sim_op *op)
{
    return op->dir->is_series && op->verb == SIM_PUT_IF && strstr(op->name, "_g") != NULL;
}

/* The job dies behind the event of its last commit: it is there, and no manifest says so. The day
 * is merged before anybody looks. */
static enum sim_fate dies_behind_its_event(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    if (sim_is_named(actor, "job") && is_event_put(op) &&
        strcmp(sim_manifest_of(sim_case_dir(actor->world))->op, "compact") == 0) {
        sim_stage_set(actor->world, 1);
        deadly_set(actor->world, true);
    }
    return SIM_FATE_DONE;
}

static void series_pass(struct sim_actor *actor, enum sim_pass pass)
{
    struct sim_lake *lake = sim_lake_of(actor->world);

    for (uint32_t i = 0; i < lake->dir_count; i++) {
        if (lake->dirs[i].is_series && sim_is_partition(&lake->dirs[i]))
            sim_must(actor, sim_pass_run(actor, actor->ctx, pass, &lake->dirs[i], NULL) == LITH_OK,
                     "a pass over the series");
    }
}

static void merger_of_the_day(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_wait(actor, SIM_HOUR);
    deadly_set(actor->world, false);
    sim_wait(actor, 25 * SIM_HOUR);
    series_pass(actor, SIM_COMPACT);
    sim_must(actor, actor->world->things[SIM_EVENTS_MERGED] > 0, "the day is merged");
    sim_graces_pass(actor);
    series_pass(actor, SIM_GC);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, actor->world->things[SIM_EVENTS_REPAIRED] == 0, "no event is written again");
}

static void case_merged_event(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    audited_add(world, cast, "job", job_that_dies);
    audited_add(world, cast, "merger", merger_of_the_day);
    world->actors[1].is_immortal = true;
}

/* The series cannot be written to for a while, which holds up nothing. */
static void job_without_a_series(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_must(actor, actor->world->things[SIM_COMPACTS] == 1, "it merges");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(dir, "a.parquet"), "gc deletes");
    sim_stage_set(actor->world, 1);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc, and the series is there again");
}

static enum sim_fate series_fails(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    return op->dir->is_series && actor->world->stage == 0 ? SIM_FATE_FAILS : SIM_FATE_DONE;
}

static void case_without_a_series(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    audited_add(world, cast, "job", job_without_a_series);
}

const struct sim_case sim_cases_audit[] = {
    {"audit: a job dies between its commit and the event (P8, P3)", SIM_LOCAL,
     case_commit_without_event, dies_behind_its_commit, NULL},
    {"audit: a job dies behind an event, which is merged (P8)", SIM_LOCAL, case_merged_event,
     dies_behind_its_event, NULL},
    {"audit: the series fails for a while (P8)", SIM_LOCAL, case_without_a_series, series_fails,
     NULL},
    {0},
};
