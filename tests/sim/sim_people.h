/*
 * Who acts in a schedule: compactors, gc, writers, readers, an operator.
 */
#ifndef LITH_TESTS_SIM_PEOPLE_H
#define LITH_TESTS_SIM_PEOPLE_H

#include "job/job.h"
#include "sim_oracle.h"
#include "sim_store.h"

/* The times of a schedule, all small against the virtual days it lasts. */
#define SIM_QUIET (1 * SIM_MINUTE)
#define SIM_SETTLE (10 * SIM_MINUTE)
#define SIM_READER_GRACE (40 * SIM_MINUTE)
#define SIM_ORPHAN_GRACE (30 * SIM_MINUTE)
#define SIM_REPLAY_WINDOW (12 * SIM_HOUR)
/* Of the audit series: longer than anybody stands still, and than what it sent then takes. */
#define SIM_SERIES_WINDOW (40 * SIM_HOUR)

/* What all people of a schedule share. */
struct sim_cast {
    struct lith_job_options options;
    struct lith_job_options other_options; /* of the second gc: other graces, another brake */
    uint32_t writes_left;
    uint32_t odd_writes; /* of a thousand: replays, reuses, damaged files, notes, moved outputs */
    uint32_t acts_left;  /* of the operator */
    bool is_clumsy;      /* the operator also copies and deletes files by hand */
    uint32_t audited;    /* of a thousand: actors whose commits leave events */
};

void sim_cast_init(struct sim_cast *cast, struct sim_world *world);

/* Lives; ctx is the cast. */
void sim_compactor_run(struct sim_actor *actor);
void sim_gc_run(struct sim_actor *actor);
void sim_writer_run(struct sim_actor *actor);
void sim_reader_run(struct sim_actor *actor);
void sim_library_reader_run(struct sim_actor *actor); /* asks the library what is live */
/* One reading as the library has it. False: it could not. */
bool sim_read_once(struct sim_actor *actor, struct sim_dir *dir, bool is_strict);
void sim_operator_run(struct sim_actor *actor);

/* One who dies as programs do: the system takes the locks back. */
struct sim_actor *sim_cast_add(struct sim_world *world, struct sim_cast *cast, const char *name,
                               void (*run)(struct sim_actor *actor));
/* The life of one who brings everything to rest, and has it looked at. */
void sim_rest_run(struct sim_actor *actor);

/* A writer's file of so many new rows under that name. */
void sim_file_put(struct sim_dir *dir, const char *name, uint32_t rows);
/* What was there under that name once more. */
void sim_file_replay(struct sim_dir *dir, const char *name);

/* A family (sim_dir.h), in a lake that is none with roll-ups yet. */
void sim_family_add(struct sim_world *world, bool has_month, uint32_t hours);

/* What a job, or a look, works with; its memory is the actor's, and goes with it. */
struct sim_tools {
    struct sim_view view;
    struct lith_mem mem;
    struct lith_control control;
    struct lith_scratch scratch;
    struct lith_work work;
    struct lith_uuid_source uuids;
    struct lith_arena arena;
};
void sim_tools_init(struct sim_tools *tools, struct sim_actor *actor);
/* Everything was given back. */
void sim_tools_done(struct sim_tools *tools);

/* One pass over a directory, of an actor. What it did is told; *ret_changed: something. */
enum sim_pass {
    SIM_COMPACT,
    SIM_GC,
    SIM_ROLLBACK,
    SIM_RETIRE,
    SIM_ROLLUP,
    SIM_RESTORE,
    SIM_REPAIR,
};
enum lith_code sim_pass_run(struct sim_actor *actor, const struct sim_cast *cast,
                            enum sim_pass pass, struct sim_dir *dir, const char *name);
/* Brings the live set of an older manifest back. */
enum lith_code sim_restore_run(struct sim_actor *actor, const struct sim_cast *cast,
                               struct sim_dir *dir, const struct sim_blob *manifest);
/* What a compactor does at a directory. */
void sim_compact_run(struct sim_actor *actor, const struct sim_cast *cast, struct sim_dir *dir);
/* A directory that is a partition, of the lake or of its audit series. */
bool sim_is_partition(const struct sim_dir *dir);

#endif
