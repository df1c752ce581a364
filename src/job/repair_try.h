/*
 * One try to repair a partition, and what its steps hand to each other.
 *
 * A repair is a restore of a manifest that is made up: the plans say what is to be live, the fills
 * make `file` and `commit` of them.
 */
#ifndef LITH_JOB_REPAIR_TRY_H
#define LITH_JOB_REPAIR_TRY_H

#include "job/in_place.h"
#include "job/rebuild_plan.h"
#include "job/repair_held.h"
#include "job/repair_plan.h"

struct lith_repair_try {
    const struct lith_job *job;
    bool dry_run;
    struct lith_in_place place;
    struct lith_arena arena; /* of all that follows */
    struct lith_lineage lineage;
    struct lith_manifest file; /* made up for the commit */
    struct lith_restore commit;

    /* Where there is a manifest. */
    struct lith_listing known;   /* the files that are there, but for those written again */
    struct lith_snapshot former; /* of them: what was written again is missing */
    struct lith_entry *anew;     /* the files that were written again, as they are */
    size_t anew_count;
    struct lith_repair_plan plan;

    /* Where there is none. */
    struct lith_listing shown;      /* the files that a reader may list */
    struct lith_snapshot by_itself; /* of them, without a manifest */
    struct lith_rebuild_plan rebuild;
    struct lith_repair_held held;
    char pid[LITH_PID_TEXT_BYTES]; /* where nothing that is shown says which it was */
};

#endif
