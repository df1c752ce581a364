/*
 * A lith_store over the storage of a schedule, and the clock and randomness of an actor.
 */
#ifndef LITH_TESTS_SIM_STORE_H
#define LITH_TESTS_SIM_STORE_H

#include "base/env.h"
#include "sim_dir.h"
#include "store/store.h"

/* What an actor has of the world. */
struct sim_view {
    struct lith_env env; /* first: the verbs of the environment find the rest by it */
    struct lith_store store;
    struct lith_store series; /* of the audit events */
    struct sim_actor *actor;
};

void sim_view_init(struct sim_view *view, struct sim_actor *actor, struct lith_mem *mem);

/* The system gives back the locks of one who died. */
void sim_locks_drop(struct sim_actor *actor);

/* One operation of an actor's: it may fail, land late, or twice. *ret_result holds where it says
 * LITH_OK. */
enum lith_code sim_send(struct sim_actor *actor, struct sim_op *op, enum sim_result *ret_result,
                        struct lith_err *err);

#endif
