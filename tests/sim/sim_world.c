/*
 * Events in order, coroutines, and numbers from a seed.
 */
#include "sim_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/limits.h"
#include "sim_codec.h"
#include "sim_parquet.h"

#define STACK_BYTES ((size_t)512 << 10)
#define EVENTS_FIRST 64u

void sim_world_init(struct sim_world *world)
{
    memset(world, 0, sizeof(*world));
    sim_heap_init(&world->heap);
    for (uint32_t i = 0; i < SIM_ACTORS_MAX; i++) {
        struct sim_actor *actor = &world->actors[i];
        sim_heap_init(&actor->heap);
        actor->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (actor->stack == MAP_FAILED)
            abort();
    }
}

/* splitmix64: states of the generator from a seed. */
static uint64_t seed_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t rotated(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

/* xoshiro256**. */
static uint64_t random_next(uint64_t s[4])
{
    uint64_t result = rotated(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 45);
    return result;
}

void sim_world_begin(struct sim_world *world, uint64_t seed)
{
    uint64_t state = seed;

    sim_heap_reset(&world->heap);
    for (uint32_t i = 0; i < SIM_ACTORS_MAX; i++)
        sim_heap_reset(&world->actors[i].heap);
    world->seed = seed;
    for (int i = 0; i < 4; i++)
        world->random[i] = seed_next(&state);
    world->fate = NULL;
    world->asked = NULL;
    world->stage = 0;
    world->is_settling = false;
    world->is_failed = false;
    world->effect_count = 0;
    memset(world->things, 0, sizeof(world->things));
    world->event_count = 0;
    world->event_number = 0;
    world->event_room = EVENTS_FIRST;
    world->events = sim_take(world, EVENTS_FIRST * sizeof(*world->events));
    world->actor_count = 0;
    world->running = NULL;
    world->lake = NULL;
    world->is_real = world->all_real || seed % SIM_REAL_SHARE == SIM_REAL_SHARE / 2;
    world->is_plain =
        world->plain == SIM_PLAIN_ALL ||
        (world->plain == SIM_PLAIN_SOME && (world->is_real || seed % SIM_PLAIN_SHARE == 0));
    world->digest = 0;
    world->log_kept = LITH_LOG_COUNT_MIN;
    sim_codec_begin(world);
}

uint64_t sim_draw(struct sim_world *world, uint64_t end)
{
    return random_next(world->random) % end;
}

bool sim_chance(struct sim_world *world, uint32_t chance)
{
    return sim_draw(world, 1000) < chance;
}

int64_t sim_draw_span(struct sim_world *world, int64_t least_ns, int64_t most_ns)
{
    uint32_t doublings = 0;

    while (least_ns << doublings < most_ns)
        doublings++;
    int64_t most = least_ns << sim_draw(world, doublings + 1);
    most = most < most_ns ? most : most_ns;
    return least_ns + (int64_t)sim_draw(world, (uint64_t)(most - least_ns) + 1);
}

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

static void event_add(struct sim_world *world, struct sim_event event)
{
    event.number = world->event_number++;
    if (world->event_count == world->event_room) {
        size_t bytes = world->event_room * sizeof(*world->events);
        struct sim_event *grown = sim_take(world, 2 * bytes);
        memcpy(grown, world->events, bytes);
        world->events = grown;
        world->event_room *= 2;
    }
    uint32_t at = world->event_count++;
    for (; at > 0 && is_before(&event, &world->events[(at - 1) / 2]); at = (at - 1) / 2)
        world->events[at] = world->events[(at - 1) / 2];
    world->events[at] = event;
}

static struct sim_event event_take(struct sim_world *world)
{
    struct sim_event first = world->events[0];
    struct sim_event last = world->events[--world->event_count];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= world->event_count)
            break;
        if (child + 1 < world->event_count &&
            is_before(&world->events[child + 1], &world->events[child]))
            child++;
        if (!is_before(&world->events[child], &last))
            break;
        world->events[at] = world->events[child];
        at = child;
    }
    world->events[at] = last;
    return first;
}

static void actor_plan(struct sim_actor *actor, int64_t at_ns)
{
    event_add(actor->world,
              (struct sim_event){.at_ns = at_ns, .actor = actor, .life = actor->life});
}

void sim_effect_plan(struct sim_world *world, int64_t at_ns, struct sim_effect *effect)
{
    event_add(world, (struct sim_event){.at_ns = at_ns, .effect = effect});
}

/*
 * A life begins with makecontext; from then on _setjmp and _longjmp switch between it and the
 * schedule, since swapcontext asks the system for the mask of signals each time.
 */
static void leave(struct sim_actor *actor)
{
    if (_setjmp(actor->context) == 0)
        _longjmp(actor->world->schedule, 1);
}

/* The pointer comes as two halves: makecontext passes integers. */
static void life_begin(uint32_t high, uint32_t low)
{
    struct sim_actor *actor = (struct sim_actor *)((uintptr_t)high << 32 | low);

    actor->run(actor);
    actor->is_done = true;
    _longjmp(actor->world->schedule, 1);
}

static void life_run(struct sim_actor *actor)
{
    uintptr_t address = (uintptr_t)actor;
    ucontext_t begin;

    actor->is_begun = true;
    (void)getcontext(&begin);
    begin.uc_stack.ss_sp = actor->stack;
    begin.uc_stack.ss_size = STACK_BYTES;
    begin.uc_link = NULL;
    makecontext(&begin, (void (*)(void))life_begin, 2, (uint32_t)(address >> 32),
                (uint32_t)address);
    (void)setcontext(&begin);
}

struct sim_actor *sim_actor_add(struct sim_world *world, const char *name,
                                void (*run)(struct sim_actor *actor), void *ctx)
{
    if (world->actor_count == SIM_ACTORS_MAX)
        abort();
    struct sim_actor *actor = &world->actors[world->actor_count++];

    actor->world = world;
    actor->name = name;
    actor->run = run;
    actor->ctx = ctx;
    actor->died = NULL;
    actor->skew_ns = 0;
    actor->is_immortal = false;
    actor->is_done = false;
    actor->life = 0;
    actor->is_begun = false;
    actor->dir = NULL;
    actor->is_audited = false;
    actor->is_other = false;
    actor->series = NULL;
    actor_plan(actor, world->now_ns);
    return actor;
}

static void resume(struct sim_world *world, struct sim_actor *actor)
{
    struct sim_heap *before = sim_heap_use(&actor->heap);

    world->running = actor;
    if (_setjmp(world->schedule) == 0) {
        if (actor->is_begun)
            _longjmp(actor->context, 1);
        life_run(actor);
    }
    world->running = NULL;
    (void)sim_heap_use(before);
}

void sim_world_run(struct sim_world *world)
{
    while (world->event_count && !world->is_failed) {
        struct sim_event event = event_take(world);
        world->now_ns = event.at_ns > world->now_ns ? event.at_ns : world->now_ns;
        if (event.effect)
            event.effect->apply(event.effect, world);
        else if (event.life == event.actor->life && !event.actor->is_done)
            resume(world, event.actor);
    }
}

void sim_wait(struct sim_actor *actor, int64_t ns)
{
    actor_plan(actor, actor->world->now_ns + ns);
    leave(actor);
}

/* The actor dies where it is, and is started again later. */
static void die(struct sim_actor *actor)
{
    struct sim_world *world = actor->world;

    sim_tell(world, "dies");
    world->things[SIM_DEATHS]++;
    actor->life++;
    if (actor->died)
        actor->died(actor);
    actor_plan(actor, world->now_ns + sim_draw_span(world, SIM_SECOND, SIM_HOUR));
    sim_heap_reset(&actor->heap);
    actor->is_begun = false;
    leave(actor);
}

void sim_peril(struct sim_actor *actor)
{
    struct sim_world *world = actor->world;

    if (!world->is_settling && !actor->is_immortal && sim_chance(world, world->mix.crashes))
        die(actor);
}

/* Most answers come at once; some take as long as a whole pass of somebody else. */
static int64_t latency_draw(struct sim_world *world)
{
    static const int64_t most_ns[16] = {
        SIM_SECOND / 20, SIM_SECOND / 20, SIM_SECOND / 20, SIM_SECOND / 20,
        SIM_SECOND / 20, SIM_SECOND / 20, SIM_SECOND / 20, SIM_SECOND / 20,
        10 * SIM_SECOND, 10 * SIM_SECOND, 10 * SIM_SECOND, 10 * SIM_SECOND,
        2 * SIM_MINUTE,  2 * SIM_MINUTE,  2 * SIM_MINUTE,  20 * SIM_MINUTE,
    };

    return 1 + (int64_t)sim_draw(world, (uint64_t)most_ns[sim_draw(world, 16)]);
}

bool sim_pause(struct sim_actor *actor, uint32_t chance)
{
    struct sim_world *world = actor->world;

    if (world->is_settling || !sim_chance(world, chance))
        return false;
    int64_t ns = sim_draw_span(world, world->mix.pause_ns_min, 20 * SIM_HOUR);
    world->things[SIM_PAUSES]++;
    sim_tell(world, "stands still for %lld minutes", (long long)(ns / SIM_MINUTE));
    sim_wait(actor, ns);
    return true;
}

void sim_delay(struct sim_actor *actor)
{
    struct sim_world *world = actor->world;

    sim_peril(actor);
    if (sim_pause(actor, world->mix.pauses))
        return;
    sim_wait(actor, world->is_settling ? SIM_SECOND / 1000 : latency_draw(world));
}

void sim_fail(struct sim_world *world, const char *format, ...)
{
    va_list args;

    if (!world->is_failed) {
        va_start(args, format);
        (void)vsnprintf(world->failure, sizeof(world->failure), format, args);
        va_end(args);
        world->is_failed = true;
        sim_tell(world, "FAILED: %s", world->failure);
    }
    if (world->running)
        leave(world->running);
}

void sim_tell(struct sim_world *world, const char *format, ...)
{
    va_list args;

    if (!world->is_told)
        return;
    (void)printf("%12.3f  %-12s ", (double)world->now_ns / (double)SIM_SECOND,
                 world->running ? world->running->name : "");
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    (void)putchar('\n');
}

void *sim_take(struct sim_world *world, size_t bytes)
{
    return sim_heap_take(&world->heap, bytes);
}

char *sim_text(struct sim_world *world, const char *text)
{
    size_t bytes = strlen(text) + 1;

    return memcpy(sim_take(world, bytes), text, bytes);
}
