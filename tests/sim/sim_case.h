/*
 * Fixed cases: schedules that were thought out, each a trap that the protocol steps around.
 *
 * A case says who does what, and what becomes of the requests that matter. `stage` of the world
 * counts what has happened, so that one waits for another.
 */
#ifndef LITH_TESTS_SIM_CASE_H
#define LITH_TESTS_SIM_CASE_H

#include "sim_people.h"

struct sim_case {
    const char *name; /* NULL: behind the last one of a table */
    enum sim_backend backend;
    void (*cast)(struct sim_world *world, struct sim_cast *cast);
    enum sim_fate (*fate)(struct sim_actor *actor, const void *op);
    void (*asked)(struct sim_actor *actor); /* or NULL */
};

extern const struct sim_case sim_cases_protocol[];
extern const struct sim_case sim_cases_audit[];
extern const struct sim_case sim_cases_tiers[]; /* in a day and two of its hours */

/* Runs all of them, each with several seeds, and prints what came of each; how many failed. */
unsigned sim_cases_run(struct sim_world *world);

/* The one partition of a case; of a family the one above. */
struct sim_dir *sim_case_dir(struct sim_world *world);
enum lith_code sim_case_pass(struct sim_actor *actor, enum sim_pass pass);

void sim_stage_await(struct sim_actor *actor, uint32_t stage);
void sim_stage_set(struct sim_world *world, uint32_t stage);

bool sim_is_named(const struct sim_actor *actor, const char *name);
/* Is it the put of a manifest whose last commit is that? */
bool sim_is_commit(struct sim_actor *actor, const struct sim_op *op, const char *wanted);
void sim_must(struct sim_actor *actor, bool is_true, const char *what);

/* A file of four rows for each letter. */
void sim_files_write(struct sim_dir *dir, const char *names);
/* Time that lets every grace end. */
void sim_graces_pass(struct sim_actor *actor);
/* Nothing goes wrong. */
enum sim_fate sim_all_done(struct sim_actor *actor, const void *op);

#endif
