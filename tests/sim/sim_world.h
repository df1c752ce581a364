/*
 * The world of one schedule: virtual time, what happens when, and who does it.
 *
 * Everything is drawn from one seed. Actors are coroutines; one runs at a time, until it waits.
 * Whatever takes effect in the world does so between two waits, so a schedule is a sequence of
 * effects, and the oracle looks at each. A seed that fails is run again, telling its history.
 */
#ifndef LITH_TESTS_SIM_WORLD_H
#define LITH_TESTS_SIM_WORLD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim_heap.h"
#include "sim_tally.h"

#define SIM_SECOND INT64_C(1000000000)
#define SIM_MINUTE (60 * SIM_SECOND)
#define SIM_HOUR (60 * SIM_MINUTE)

#define SIM_ACTORS_MAX 12u

struct sim_world;
struct sim_actor;

/* How storage is: a directory with real locks, or objects of a store in the network, where a
 * request may land long after its caller gave up, and nobody can be kept out. */
enum sim_backend { SIM_LOCAL, SIM_OBJECTS };

/* What a request is for: in some schedules one kind has more trouble than others. */
enum sim_kind { SIM_KIND_OUTPUT, SIM_KIND_COMMIT, SIM_KIND_DELETE, SIM_KIND_OTHER, SIM_KINDS };

/* How often requests of a kind go wrong, per 1000. */
struct sim_faults {
    uint32_t fails;       /* nothing happened, and the caller is told so */
    uint32_t fails_after; /* it happened, and the caller is told that it failed */
    uint32_t lands_late;  /* objects: the caller is told that it failed, and then it happens */
    uint32_t lands_twice; /* objects: it happens again, later */
    uint32_t pauses;      /* before it the actor stands still */
};

/* What a schedule is about, where that takes several things in one order: in the general mix those
 * do not come about in 100,000 schedules. */
enum sim_plot {
    SIM_PLOT_NONE,
    SIM_PLOT_ECHO,    /* what was sent is heard again, hours later */
    SIM_PLOT_QUARREL, /* two gcs differ on what may go, and one stands still before it deletes */
    SIM_PLOT_SLEEP,   /* who has listed stands still for longer than anything is remembered */
};

/* How often things go wrong, per 1000 calls of a verb. */
struct sim_mix {
    struct sim_faults faults[SIM_KINDS];
    uint32_t reads_fail;
    uint32_t crashes;       /* the actor dies at the call */
    uint32_t pauses;        /* the actor stands still, for longer than any grace */
    uint32_t pauses_listed; /* ... with a list in its hand */
    int64_t pause_ns_min;   /* how long it does, at the least */
    int64_t landing_ns_min; /* how late what lands late, or again, is at the least */
    enum sim_plot plot;
};

/* Which schedules have manifests of JSON (sim_codec.h): `--same` asks for both. */
enum sim_plain { SIM_PLAIN_SOME, SIM_PLAIN_ALL, SIM_PLAIN_NONE };

/* What becomes of a request that changes something. */
enum sim_fate {
    SIM_FATE_DONE,
    SIM_FATE_FAILS,       /* nothing happens, and the caller is told so */
    SIM_FATE_FAILS_AFTER, /* it happens, and the caller is told that it failed */
    SIM_FATE_LATE,  /* the caller is told that it failed; it happens after sim_world.fate_ns */
    SIM_FATE_TWICE, /* it happens now, and after fate_ns again */
};

/* Something that takes effect later. */
struct sim_effect {
    void (*apply)(struct sim_effect *effect, struct sim_world *world);
};

struct sim_event {
    int64_t at_ns;
    uint64_t number;           /* of two at one time the first that was planned */
    struct sim_actor *actor;   /* goes on, or NULL */
    struct sim_effect *effect; /* takes place, or NULL */
    uint32_t life;             /* of the actor: an earlier one is dead */
};

/* One who does something. `run` is a life; it is called again after a crash. */
struct sim_actor {
    struct sim_world *world;
    const char *name;
    void (*run)(struct sim_actor *actor);
    void *ctx;
    void (*died)(struct sim_actor *actor); /* after a crash: what the system takes back; or NULL */
    int64_t skew_ns;                       /* its clock less the world's */
    bool is_immortal;
    bool is_done;
    bool has_lost;   /* a commit, in the pass at hand */
    const void *dir; /* whose garbage it collects; NULL: none */
    bool is_other;   /* works with other options */
    bool is_audited; /* its commits leave events */
    void *series;    /* what its program knows of the audit series; NULL: nothing yet */
    uint32_t life;
    struct sim_heap heap;
    uint8_t *stack;
    jmp_buf context;
    bool is_begun; /* this life has run before */
};

struct sim_world {
    uint64_t seed;
    uint64_t random[4];
    enum sim_backend backend;
    struct sim_mix mix;
    int64_t now_ns; /* also the clock of the store */
    /* Of a fixed case: decides instead of the seed what becomes of a request (a struct sim_op); it
     * may wait. */
    enum sim_fate (*fate)(struct sim_actor *actor, const void *op);
    void (*asked)(struct sim_actor *actor); /* likewise of requests that change nothing; or NULL */
    int64_t fate_ns;
    uint32_t stage;   /* of a fixed case, for its own use */
    bool is_settling; /* nothing goes wrong any more, and actors end */
    bool is_told;     /* the history is printed */
    bool is_plain;    /* manifests are JSON (sim_codec.h) */
    enum sim_plain plain;
    size_t log_kept; /* commits that a log keeps; the library's own number, or fewer */
    bool is_real;    /* files are Parquet (sim_parquet.h) */
    bool all_real;   /* ... in every schedule */
    bool is_failed;
    char failure[1024];
    uint64_t effect_count;
    uint64_t digest; /* of all effects: who, what, when */
    uint64_t things[SIM_THINGS];
    struct sim_heap heap;     /* of what the world holds */
    struct sim_event *events; /* a heap, the earliest first */
    uint32_t event_count;
    uint32_t event_room;
    uint64_t event_number;
    struct sim_actor actors[SIM_ACTORS_MAX];
    uint32_t actor_count;
    struct sim_actor *running; /* NULL: none, the schedule itself */
    jmp_buf schedule;
    void *lake;  /* of the oracle and the store: struct sim_lake */
    void *audit; /* of sim_audit.c */
};

/* Heaps and stacks are taken once and used for schedule after schedule. */
void sim_world_init(struct sim_world *world);
/* Begins a schedule: no actors, nothing planned. */
void sim_world_begin(struct sim_world *world, uint64_t seed);

/* A uniform number below `end`. */
uint64_t sim_draw(struct sim_world *world, uint64_t end);
/* True `chance` times of a thousand. */
bool sim_chance(struct sim_world *world, uint32_t chance);
/* Between the two, small ones as often as large ones. */
int64_t sim_draw_span(struct sim_world *world, int64_t least_ns, int64_t most_ns);

struct sim_actor *sim_actor_add(struct sim_world *world, const char *name,
                                void (*run)(struct sim_actor *actor), void *ctx);
void sim_effect_plan(struct sim_world *world, int64_t at_ns, struct sim_effect *effect);

/* Runs what is planned, in order, until nothing is left or the schedule has failed. */
void sim_world_run(struct sim_world *world);

/* Of an actor: stands still so long. It may not come back. */
void sim_wait(struct sim_actor *actor, int64_t ns);
/* Of an actor, before and after a verb takes effect. */
void sim_delay(struct sim_actor *actor);
/* Of an actor: `chance` times of a thousand it stands still, for longer than any grace. */
bool sim_pause(struct sim_actor *actor, uint32_t chance);
/* Of an actor: here it may die. */
void sim_peril(struct sim_actor *actor);

/* The schedule has failed: the reason. Of an actor it does not return. */
void sim_fail(struct sim_world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line of the history. */
void sim_tell(struct sim_world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Memory of the world, cleared; until the next schedule. */
void *sim_take(struct sim_world *world, size_t bytes);
char *sim_text(struct sim_world *world, const char *text);

#endif
