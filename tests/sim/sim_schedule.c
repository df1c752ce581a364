#include "sim_schedule.h"

#include <stdio.h>
#include <string.h>

#include "sim_audit.h"
#include "sim_people.h"

#define YEAR_2026_NS INT64_C(1767225600000000000)
/* Of passes when all is over: two of them are longer than anything is remembered. */
#define ROUND_PAUSE (24 * SIM_HOUR)
#define REST_BYTES_MAX 65536u
#define ROUNDS_QUIET 2u
#define ROUNDS_MAX 100u

/* Some kinds of request have a trouble of their own, in some schedules several at once: the traps
 * that take the most are a late landing behind a pause behind a second landing. */
static void trouble_draw(struct sim_world *world, uint32_t one_of, uint32_t *chance)
{
    if (sim_draw(world, one_of) == 0)
        *chance += 50 + (uint32_t)sim_draw(world, 400);
}

/*
 * All goes well but for one thing: what was sent is heard again, hours later. An output that gc has
 * deleted and forgotten is there once more when a job that stood still tries its commit again, and
 * then the delete comes again, too. That takes several such things in one order, and nobody who
 * works at the same files meanwhile: in other mixes it does not come about in 100,000 schedules.
 */
static struct sim_mix echo_mix(struct sim_world *world)
{
    struct sim_mix mix = {
        .pause_ns_min = 10 * SIM_MINUTE, .landing_ns_min = 10 * SIM_MINUTE, .plot = SIM_PLOT_ECHO};

    mix.faults[SIM_KIND_OUTPUT].lands_twice = 500 + (uint32_t)sim_draw(world, 500);
    mix.faults[SIM_KIND_DELETE].lands_twice = 500 + (uint32_t)sim_draw(world, 500);
    mix.faults[SIM_KIND_COMMIT].pauses = 50 + (uint32_t)sim_draw(world, 250);
    return mix;
}

/*
 * Two gcs, one of which leaves retired files alone for much longer: each fence condemns other
 * files. One stands still between its fence and its deletes, commits that fail leave orphans for
 * the other, and the operator rolls back meanwhile.
 */
static struct sim_mix quarrel_mix(struct sim_world *world)
{
    struct sim_mix mix = {
        .pause_ns_min = SIM_HOUR, .landing_ns_min = SIM_SECOND, .plot = SIM_PLOT_QUARREL};

    mix.faults[SIM_KIND_DELETE].pauses = 200 + (uint32_t)sim_draw(world, 400);
    mix.faults[SIM_KIND_COMMIT].fails = 50 + (uint32_t)sim_draw(world, 200);
    return mix;
}

/* Who has listed may stand still until what was listed is merged, deleted, and forgotten. */
static struct sim_mix sleep_mix(struct sim_world *world)
{
    return (struct sim_mix){.pauses_listed = 5 + (uint32_t)sim_draw(world, 50),
                            .pause_ns_min = SIM_REPLAY_WINDOW + SIM_HOUR,
                            .landing_ns_min = SIM_SECOND,
                            .plot = SIM_PLOT_SLEEP};
}

/* How much goes wrong: nothing in some schedules, in others a lot. */
static struct sim_mix mix_draw(struct sim_world *world)
{
    if (world->backend == SIM_OBJECTS && sim_draw(world, 6) == 0)
        return echo_mix(world);
    switch (sim_draw(world, 24)) {
    case 0:
        return quarrel_mix(world);
    case 1:
        return sleep_mix(world);
    default:
        break;
    }

    uint32_t much = (uint32_t)sim_draw(world, 4);
    uint32_t one_of = sim_draw(world, 4) ? 12 : 2;
    struct sim_mix mix = {.pause_ns_min = 10 * SIM_MINUTE,
                          .landing_ns_min = SIM_SECOND,
                          .reads_fail = much * 5,
                          .crashes = (uint32_t)sim_draw(world, 3) * 4,
                          .pauses = (uint32_t)sim_draw(world, 3) * 4};

    for (unsigned i = 0; i < SIM_KINDS; i++) {
        struct sim_faults *faults = &mix.faults[i];
        *faults = (struct sim_faults){.fails = much * 5,
                                      .fails_after = much * 20,
                                      .lands_late = much * 20,
                                      .lands_twice = much * 30};
        if (much == 0)
            continue;
        trouble_draw(world, one_of, &faults->fails_after);
        trouble_draw(world, one_of, &faults->lands_late);
        trouble_draw(world, one_of, &faults->lands_twice);
        trouble_draw(world, one_of, &faults->pauses);
    }
    return mix;
}

struct sim_actor *sim_cast_add(struct sim_world *world, struct sim_cast *cast, const char *name,
                               void (*run)(struct sim_actor *actor))
{
    struct sim_actor *actor = sim_actor_add(world, name, run, cast);

    actor->died = sim_locks_drop;
    actor->is_audited = sim_chance(world, cast->audited);
    actor->skew_ns = (int64_t)sim_draw(world, 4 * SIM_MINUTE) - 2 * SIM_MINUTE;
    return actor;
}

/* The schedule settles: from then on nothing goes wrong, and everybody comes to an end. */
static void settle(struct sim_effect *effect, struct sim_world *world)
{
    (void)effect;
    if (!world->is_settling)
        sim_tell(world, "from here on nothing goes wrong");
    world->is_settling = true;
}

static struct sim_effect settling = {settle};

/* How long it goes on behind the last writer at the most. */
static uint64_t storm_ns(const struct sim_world *world)
{
    return (uint64_t)(world->mix.plot == SIM_PLOT_SLEEP ? 40 * SIM_HOUR : 6 * SIM_HOUR);
}

/* Writers write, and when they are done the schedule goes on for some hours. */
static void writer_run(struct sim_actor *actor)
{
    struct sim_world *world = actor->world;

    sim_writer_run(actor);
    sim_effect_plan(world, world->now_ns + SIM_HOUR + (int64_t)sim_draw(world, storm_ns(world)),
                    &settling);
}

static void cast_add(struct sim_world *world, struct sim_cast *cast)
{
    static const char *const compactors[] = {"compactor 1", "compactor 2", "compactor 3"};
    static const char *const gcs[] = {"gc 1", "gc 2"};
    uint32_t compactor_count =
        1 + (world->mix.plot == SIM_PLOT_ECHO ? 0 : (uint32_t)sim_draw(world, 3));
    bool is_quarrel = world->mix.plot == SIM_PLOT_QUARREL;
    uint32_t gc_count = 1 + (is_quarrel ? 1 : (uint32_t)sim_draw(world, 2));

    sim_cast_add(world, cast, "writer", writer_run)->is_immortal = true;
    for (uint32_t i = 0; i < compactor_count; i++)
        (void)sim_cast_add(world, cast, compactors[i], sim_compactor_run);
    for (uint32_t i = 0; i < gc_count; i++)
        sim_cast_add(world, cast, gcs[i], sim_gc_run)->is_other = i == 1;
    sim_cast_add(world, cast, "reader", sim_reader_run)->is_immortal = true;
    sim_cast_add(world, cast, "lib reader", sim_library_reader_run)->is_immortal = true;
    sim_cast_add(world, cast, "operator", sim_operator_run)->is_immortal = true;
}

/* One pass over everything. */
static void round_run(struct sim_actor *actor)
{
    struct sim_lake *lake = sim_lake_of(actor->world);

    for (uint32_t i = 0; i < lake->dir_count; i++) {
        if (!sim_is_partition(&lake->dirs[i]))
            continue;
        sim_compact_run(actor, actor->ctx, &lake->dirs[i]);
        (void)sim_pass_run(actor, actor->ctx, SIM_GC, &lake->dirs[i], NULL);
    }
}

/* Rounds until nothing has changed for longer than any grace. */
void sim_rest_run(struct sim_actor *actor)
{
    struct sim_world *world = actor->world;
    struct sim_lake *lake = sim_lake_of(world);
    uint32_t quiet = 0;

    for (uint32_t i = 0; quiet < ROUNDS_QUIET && i < ROUNDS_MAX; i++) {
        uint64_t effects = world->effect_count;
        sim_wait(actor, ROUND_PAUSE);
        round_run(actor);
        quiet = world->effect_count == effects ? quiet + 1 : 0;
    }
    if (quiet < ROUNDS_QUIET)
        sim_fail(world, "the lake does not come to rest");
    for (uint32_t i = 0; i < lake->dir_count; i++)
        sim_oracle_settled(&lake->dirs[i]);
    sim_audit_settled(world);
}

/* One or two partitions, or some that are rolled up into another one; then true. Files of Parquet
 * have no column for what their path would lose, so they are never rolled up. */
static bool lake_draw(struct sim_world *world)
{
    struct sim_lake *lake = sim_lake_of(world);

    if (sim_draw(world, 4) == 0 && !world->is_real) {
        bool has_month = sim_draw(world, 3) == 0;
        sim_family_add(world, has_month, (has_month ? 1 : 2) + (uint32_t)sim_draw(world, 2));
        return true;
    }
    (void)sim_dir_add(lake, world, "tenant_id=a");
    if (sim_draw(world, 2) == 0)
        (void)sim_dir_add(lake, world, "tenant_id=b");
    sim_dir_add_hollow(lake, world, "");
    if (sim_draw(world, 6) == 0)
        sim_dir_add_journals(lake, world);
    return false;
}

bool sim_schedule_run(struct sim_world *world, uint64_t seed, struct sim_tally *tally)
{
    static const uint32_t audited[] = {0, 700, 1000, 1000};
    struct sim_cast *cast;

    sim_world_begin(world, seed);
    /* At any time of the day: the audit series has one directory for each. */
    world->now_ns = YEAR_2026_NS + (int64_t)sim_draw(world, 24 * SIM_HOUR);
    world->backend = sim_draw(world, 2) ? SIM_LOCAL : SIM_OBJECTS;
    world->mix = mix_draw(world);
    if (sim_draw(world, 3) == 0)
        world->log_kept = 2 + sim_draw(world, 6);
    sim_oracle_begin(world);
    cast = sim_take(world, sizeof(*cast));
    sim_cast_init(cast, world);
    bool is_family = lake_draw(world);
    if (sim_lake_of(world)->is_glob)
        cast->options.readers = LITH_READERS_GLOB;
    cast->other_options = cast->options;
    if (sim_draw(world, 2))
        cast->other_options.gc.bytes_max = cast->options.policy.target_file_bytes;
    if (sim_draw(world, 2))
        cast->other_options.gc.reader_grace_ns = 10 * SIM_READER_GRACE;
    cast->writes_left = 5 + (uint32_t)sim_draw(world, 40);
    cast->acts_left = (uint32_t)sim_draw(world, 3) * 4;
    if (world->mix.plot == SIM_PLOT_QUARREL) {
        cast->other_options.gc.reader_grace_ns = 10 * SIM_READER_GRACE;
        cast->acts_left = 8;
    }
    cast->audited = audited[sim_draw(world, 4)];
    cast->is_clumsy = sim_draw(world, 4) == 0 && !is_family;
    cast->odd_writes = (uint32_t)sim_draw(world, 3) * 120;
    sim_tell(world, "seed %llu: %s", (unsigned long long)seed,
             world->backend == SIM_LOCAL ? "a directory" : "objects");
    cast_add(world, cast);
    int64_t end_ns = 2 * SIM_HOUR + (int64_t)sim_draw(world, 22 * SIM_HOUR);
    if (world->mix.plot == SIM_PLOT_SLEEP)
        end_ns += 40 * SIM_HOUR;
    sim_effect_plan(world, world->now_ns + end_ns, &settling);
    sim_world_run(world);
    if (!world->is_failed) {
        /* A brake that a single file is above holds it for ever: merged audit events may be. */
        if (cast->options.gc.bytes_max < REST_BYTES_MAX)
            cast->options.gc.bytes_max = REST_BYTES_MAX;
        struct sim_actor *rest = sim_cast_add(world, cast, "rest", sim_rest_run);
        rest->is_immortal = true;
        rest->is_audited = cast->audited > 0;
        sim_world_run(world);
    }
    struct sim_tally one = {.schedules = 1, .effects = world->effect_count};
    world->things[world->backend == SIM_LOCAL ? SIM_DIRECTORIES : SIM_STORES]++;
    world->things[SIM_PLAIN] += world->is_plain;
    world->things[SIM_REAL] += world->is_real;
    world->things[SIM_AUDITED] += cast->audited > 0;
    world->things[SIM_FAMILIES] += is_family;
    world->things[SIM_GLOBS] += sim_lake_of(world)->is_glob;
    memcpy(one.things, world->things, sizeof(one.things));
    sim_tally_add(tally, &one);
    return !world->is_failed;
}
