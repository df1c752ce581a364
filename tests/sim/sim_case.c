#include "sim_case.h"

#include <stdio.h>
#include <string.h>

#define YEAR_2026_NS INT64_C(1767225600000000000)

struct sim_dir *sim_case_dir(struct sim_world *world)
{
    return &sim_lake_of(world)->dirs[0];
}

void sim_stage_await(struct sim_actor *actor, uint32_t stage)
{
    while (actor->world->stage < stage)
        sim_wait(actor, SIM_MINUTE);
}

void sim_stage_set(struct sim_world *world, uint32_t stage)
{
    sim_tell(world, "  -- stage %u --", stage);
    world->stage = stage;
}

bool sim_is_named(const struct sim_actor *actor, const char *name)
{
    return strcmp(actor->name, name) == 0;
}

bool is_manifest_put(const struct sim_op *op)
{
    return op->verb == SIM_PUT_IF && strcmp(op->name, "manifest.json") == 0;
}

bool sim_is_commit(struct sim_actor *actor, const struct sim_op *op, const char *wanted)
{
    return is_manifest_put(op) &&
           strcmp(sim_manifest_read(actor->world, op->blob)->op, wanted) == 0;
}

enum lith_code sim_case_pass(struct sim_actor *actor, enum sim_pass pass)
{
    return sim_pass_run(actor, actor->ctx, pass, sim_case_dir(actor->world), NULL);
}

void sim_must(struct sim_actor *actor, bool is_true, const char *what)
{
    if (!is_true)
        sim_fail(actor->world, "expected: %s", what);
}

void sim_files_write(struct sim_dir *dir, const char *names)
{
    char name[] = "?.parquet";

    for (; *names; names++) {
        name[0] = *names;
        sim_file_put(dir, name, 4);
    }
}

void sim_graces_pass(struct sim_actor *actor)
{
    sim_wait(actor, 2 * SIM_HOUR);
}

enum sim_fate sim_all_done(struct sim_actor *actor, const void *op)
{
    (void)actor;
    (void)op;
    return SIM_FATE_DONE;
}

static void plain_add(struct sim_world *world)
{
    (void)sim_dir_add(sim_lake_of(world), world, "tenant_id=a");
    sim_dir_add_hollow(sim_lake_of(world), world, "");
}

static bool case_run(struct sim_world *world, const struct sim_case *fixed, bool is_family,
                     uint64_t seed)
{
    struct sim_cast *cast;

    sim_world_begin(world, seed);
    world->now_ns = YEAR_2026_NS;
    world->backend = fixed->backend;
    world->mix = (struct sim_mix){.pause_ns_min = 10 * SIM_MINUTE, .landing_ns_min = SIM_SECOND};
    world->fate = fixed->fate;
    world->asked = fixed->asked;
    sim_oracle_begin(world);
    cast = sim_take(world, sizeof(*cast));
    sim_cast_init(cast, world);
    cast->options.policy.min_files = 2;
    cast->options.policy.max_inputs = 100;
    cast->options.gc.bytes_max = UINT64_MAX;
    if (is_family)
        sim_family_add(world, false, 2);
    else
        plain_add(world);
    fixed->cast(world, cast);
    sim_world_run(world);
    world->is_settling = true;
    if (!world->is_failed) {
        (void)sim_cast_add(world, cast, "rest", sim_rest_run);
        sim_world_run(world);
    }
    return !world->is_failed;
}

/* They draw how long requests take. */
#define CASE_SEEDS 20u

static unsigned table_run(struct sim_world *world, const struct sim_case *cases, bool is_family,
                          unsigned *number)
{
    unsigned failed = 0;

    for (const struct sim_case *fixed = cases; fixed->name; fixed++) {
        uint64_t seed = 1;
        while (seed <= CASE_SEEDS && case_run(world, fixed, is_family, seed))
            seed++;
        bool is_good = seed > CASE_SEEDS;
        (void)printf("%s %u - %s%s%s\n", is_good ? "ok" : "not ok", ++*number, fixed->name,
                     is_good ? "" : ": ", is_good ? "" : world->failure);
        failed += !is_good;
    }
    return failed;
}

unsigned sim_cases_run(struct sim_world *world)
{
    unsigned number = 0;
    unsigned failed = table_run(world, sim_cases_protocol, false, &number);

    failed += table_run(world, sim_cases_audit, false, &number);
    return failed + table_run(world, sim_cases_tiers, true, &number);
}
