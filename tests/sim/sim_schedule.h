/*
 * One schedule: a world drawn from a seed, run to its end, and looked at when it is at rest.
 */
#ifndef LITH_TESTS_SIM_SCHEDULE_H
#define LITH_TESTS_SIM_SCHEDULE_H

#include "sim_world.h"

/* False: it failed, as world->failure says. */
bool sim_schedule_run(struct sim_world *world, uint64_t seed, struct sim_tally *tally);

#endif
