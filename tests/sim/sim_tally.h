/*
 * What schedules have had: counted, so that what never happens is seen.
 */
#ifndef LITH_TESTS_SIM_TALLY_H
#define LITH_TESTS_SIM_TALLY_H

#include <stdint.h>

enum sim_thing {
    /* Schedules. */
    SIM_DIRECTORIES,
    SIM_STORES,
    SIM_PLAIN,
    SIM_REAL,
    SIM_AUDITED,
    SIM_FAMILIES,
    SIM_GLOBS,
    /* Commits, by their operation. */
    SIM_ADOPTS,
    SIM_LEASES,
    SIM_COMPACTS,
    SIM_FOLDS,
    SIM_FENCES,
    SIM_CLEANS,
    SIM_ROLLBACKS,
    SIM_RETIRES,
    SIM_RESTORES,
    SIM_HANDS,
    SIM_ROLLUPS,
    SIM_MOVES,
    SIM_UNHANDS,
    SIM_REPAIRS,
    SIM_DELETES,
    SIM_LOST_COMMITS,
    SIM_RETRIED_COMMITS,
    SIM_STUCK_ORPHANS,
    /* Of the audit series. */
    SIM_EVENTS_WRITTEN,
    SIM_EVENTS_REPAIRED,
    SIM_EVENTS_MERGED,
    /* Passes, by what they were and how they ended. */
    SIM_COMPACTIONS,
    SIM_GCS,
    SIM_ROLLBACKS_TRIED,
    SIM_RETIREMENTS,
    SIM_ROLLUPS_TRIED,
    SIM_RESTORES_TRIED,
    SIM_REPAIRS_TRIED,
    SIM_PASSES_DONE,
    SIM_PASSES_LEFT,
    SIM_PASSES_BLOCKED,
    SIM_PASSES_LOST,
    SIM_PASSES_UNKNOWN,
    SIM_PASSES_FAILED,
    /* Other people. */
    SIM_FILES,
    SIM_REPLAYS,
    SIM_REUSES,
    SIM_MOVED_OUTPUTS,
    SIM_DAMAGED_FILES,
    SIM_NOTES,
    SIM_OPEN_READINGS,
    SIM_STRICT_READINGS,
    SIM_FAMILY_READINGS,
    SIM_STARTS_OVER,
    SIM_HAND_COPIES,
    SIM_HAND_DELETES,
    /* What goes wrong. */
    SIM_ASKS_FAILED,
    SIM_FAILED_BEFORE,
    SIM_FAILED_AFTER,
    SIM_LATE_LANDINGS,
    SIM_SECOND_LANDINGS,
    SIM_SPLIT_LISTS,
    SIM_LOCKED_OUT,
    SIM_DEATHS,
    SIM_PAUSES,
    SIM_THINGS
};

/* What a number of schedules came to. */
struct sim_tally {
    uint64_t schedules;
    uint64_t effects;
    uint64_t things[SIM_THINGS];
};

void sim_tally_add(struct sim_tally *sum, const struct sim_tally *tally);
/* A line for each kind of things. */
void sim_tally_print(const struct sim_tally *tally);

#endif
