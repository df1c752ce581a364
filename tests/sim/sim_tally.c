#include "sim_tally.h"

#include <inttypes.h>
#include <stdio.h>

/* The first of a line bears its heading. */
static const struct {
    const char *heading;
    const char *name;
} things[SIM_THINGS] = {
    [SIM_DIRECTORIES] = {"schedules", "with a directory"},
    [SIM_STORES] = {NULL, "with a store of objects"},
    [SIM_PLAIN] = {NULL, "with manifests of JSON"},
    [SIM_REAL] = {NULL, "with files of Parquet"},
    [SIM_AUDITED] = {NULL, "with audit events"},
    [SIM_FAMILIES] = {NULL, "with roll-ups"},
    [SIM_GLOBS] = {NULL, "with journals"},
    [SIM_ADOPTS] = {"commits", "adopt"},
    [SIM_LEASES] = {NULL, "lease"},
    [SIM_COMPACTS] = {NULL, "compact"},
    [SIM_FOLDS] = {NULL, "fold"},
    [SIM_FENCES] = {NULL, "fence"},
    [SIM_CLEANS] = {NULL, "clean"},
    [SIM_ROLLBACKS] = {NULL, "rollback"},
    [SIM_RETIRES] = {NULL, "retire"},
    [SIM_RESTORES] = {NULL, "restore"},
    [SIM_HANDS] = {NULL, "hand"},
    [SIM_ROLLUPS] = {NULL, "rollup"},
    [SIM_MOVES] = {NULL, "moved"},
    [SIM_UNHANDS] = {NULL, "unhand"},
    [SIM_REPAIRS] = {NULL, "repair"},
    [SIM_DELETES] = {NULL, "deletes"},
    [SIM_LOST_COMMITS] = {NULL, "commits that came too late"},
    [SIM_RETRIED_COMMITS] = {NULL, "merges committed at the second try"},
    [SIM_STUCK_ORPHANS] = {NULL, "orphans that fsck is left with"},
    [SIM_EVENTS_WRITTEN] = {"audit", "events written"},
    [SIM_EVENTS_REPAIRED] = {NULL, "of them by a later pass"},
    [SIM_EVENTS_MERGED] = {NULL, "merges of the series"},
    [SIM_COMPACTIONS] = {"passes", "compaction"},
    [SIM_GCS] = {NULL, "gc"},
    [SIM_ROLLBACKS_TRIED] = {NULL, "rollback"},
    [SIM_RETIREMENTS] = {NULL, "retirement"},
    [SIM_ROLLUPS_TRIED] = {NULL, "roll-up"},
    [SIM_RESTORES_TRIED] = {NULL, "restore"},
    [SIM_REPAIRS_TRIED] = {NULL, "repair"},
    [SIM_PASSES_DONE] = {NULL, "changed something"},
    [SIM_PASSES_LEFT] = {NULL, "left things alone"},
    [SIM_PASSES_BLOCKED] = {NULL, "were blocked"},
    [SIM_PASSES_LOST] = {NULL, "gave way to others"},
    [SIM_PASSES_UNKNOWN] = {NULL, "had no answer"},
    [SIM_PASSES_FAILED] = {NULL, "failed"},
    [SIM_FILES] = {"people", "new files"},
    [SIM_REPLAYS] = {NULL, "replays"},
    [SIM_REUSES] = {NULL, "names used again"},
    [SIM_MOVED_OUTPUTS] = {NULL, "outputs moved here"},
    [SIM_DAMAGED_FILES] = {NULL, "damaged files"},
    [SIM_NOTES] = {NULL, "notes"},
    [SIM_OPEN_READINGS] = {NULL, "open readings"},
    [SIM_STRICT_READINGS] = {NULL, "strict readings"},
    [SIM_FAMILY_READINGS] = {NULL, "of them across roll-ups"},
    [SIM_STARTS_OVER] = {NULL, "readings begun again"},
    [SIM_HAND_COPIES] = {NULL, "manifests copied over"},
    [SIM_HAND_DELETES] = {NULL, "live files deleted"},
    [SIM_ASKS_FAILED] = {"faults", "reads failed"},
    [SIM_FAILED_BEFORE] = {NULL, "changes failed"},
    [SIM_FAILED_AFTER] = {NULL, "failed after they were made"},
    [SIM_LATE_LANDINGS] = {NULL, "failed and landed late"},
    [SIM_SECOND_LANDINGS] = {NULL, "landed twice"},
    [SIM_SPLIT_LISTS] = {NULL, "lists of two moments"},
    [SIM_LOCKED_OUT] = {NULL, "locks not had"},
    [SIM_DEATHS] = {NULL, "crashes"},
    [SIM_PAUSES] = {NULL, "pauses"},
};

void sim_tally_add(struct sim_tally *sum, const struct sim_tally *tally)
{
    sum->schedules += tally->schedules;
    sum->effects += tally->effects;
    for (unsigned i = 0; i < SIM_THINGS; i++)
        sum->things[i] += tally->things[i];
}

void sim_tally_print(const struct sim_tally *tally)
{
    for (unsigned i = 0; i < SIM_THINGS; i++) {
        if (things[i].heading)
            (void)printf("%s%s: ", i ? "\n" : "", things[i].heading);
        else
            (void)printf(", ");
        (void)printf("%" PRIu64 " %s", tally->things[i], things[i].name);
    }
    (void)putchar('\n');
}
