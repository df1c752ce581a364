#include "sim_guards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"

static const char *const names_known[LITH_GUARD_COUNT] = {
    [LITH_GUARD_EPOCH] = "epoch",
    [LITH_GUARD_INPUTS] = "inputs",
    [LITH_GUARD_OUTPUTS] = "outputs",
    [LITH_GUARD_FENCE_EPOCH] = "fence-epoch",
    [LITH_GUARD_CONDEMNED_GROWS] = "condemned-grows",
    [LITH_GUARD_ROLLBACK_FENCED] = "rollback-fenced",
    [LITH_GUARD_LIST_FIRST] = "list-first",
    [LITH_GUARD_STRICT_SECOND_LOOK] = "strict-second-look",
    [LITH_GUARD_PID] = "pid",
    [LITH_GUARD_LINEAGE] = "lineage",
    [LITH_GUARD_ABSENT_FILE] = "absent-file",
    [LITH_GUARD_GRACE_SEEN] = "grace-seen",
    [LITH_GUARD_GONE] = "gone",
    [LITH_GUARD_AUDIT_REPAIR] = "audit-repair",
    [LITH_GUARD_AUDIT_LOOK] = "audit-look",
    [LITH_GUARD_AUDIT_NOTES] = "audit-notes",
    [LITH_GUARD_AUDIT_GRACE] = "audit-grace",
    [LITH_GUARD_LATE_THERE] = "late-there",
    [LITH_GUARD_HANDED_FIRST] = "handed-first",
    [LITH_GUARD_HANDED_STAYS] = "handed-stays",
    [LITH_GUARD_TAKEN_LOOK] = "taken-look",
    [LITH_GUARD_UNHAND_FENCE] = "unhand-fence",
    [LITH_GUARD_TIERS_SECOND_LOOK] = "tiers-second-look",
    [LITH_GUARD_TIERS_NEW_DAY] = "tiers-new-day",
    [LITH_GUARD_SYNC_FIRST] = "sync-first",
    [LITH_GUARD_LOCK_SAME] = "lock-same",
};

static void take_out(const char *name)
{
    unsigned guard = 0;

    while (guard < LITH_GUARD_COUNT && strcmp(names_known[guard], name) != 0)
        guard++;
#ifdef LITH_GUARDS_OUT
    if (guard < LITH_GUARD_COUNT) {
        lith_guards_out |= 1u << guard;
        return;
    }
    (void)fprintf(stderr, "there is no guard %s\n", name);
#else
    (void)fprintf(stderr, "this build keeps its guards; meson setup -Dguards_out=true\n");
#endif
    exit(2);
}

void sim_guards_take_out(char *names)
{
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        take_out(name);
}
