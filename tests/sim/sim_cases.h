/*
 * Fixed cases: schedules that were thought out, each a trap that the protocol steps around.
 */
#ifndef LITH_TESTS_SIM_CASES_H
#define LITH_TESTS_SIM_CASES_H

#include "sim_world.h"

/* Runs all of them and prints what came of each; how many failed. */
unsigned sim_cases_run(struct sim_world *world);

#endif
