/*
 * What becomes of each file when the live set of an older manifest comes back.
 *
 * The file's own live files come back as they are. A live file of now that it does not know stays
 * live, unless its rows are in what comes back: an output whose inputs come back leaves, and takes
 * along into the live set those of its inputs that the older manifest does not know. No file leaves
 * before its rows were found in those that come. Pure but for the judge.
 */
#ifndef LITH_JOB_RESTORE_PLAN_H
#define LITH_JOB_RESTORE_PLAN_H

#include "job/lineage.h"
#include "lake/snapshot.h"

struct lith_restore_request {
    const struct lith_lineage *lineage;
    const struct lith_manifest *file;     /* what comes back */
    const struct lith_manifest *base;     /* what is now; NULL: nothing that can be read */
    const struct lith_listing *listing;   /* made after base was read */
    const struct lith_snapshot *snapshot; /* of it, open: by base, or else by the file */
    struct lith_row_judge *judge;
    bool lands_late; /* what gc has deleted, and is there again, may be deleted by the same request
                        once more */
};

struct lith_restore_plan {
    const char *refusal; /* why it cannot be done; NULL: it can */
    size_t *back;        /* kins that come into the live set besides the file's own */
    size_t back_count;
    size_t *out; /* kins that leave it: their rows are in what comes back, or is late */
    size_t out_count;
    size_t *named; /* without a base: outputs that the file does not know, and that stay */
    size_t named_count;
    struct lith_entry *superseded; /* of base's `lost`, and no outputs: their rows come back */
    size_t superseded_count;
};

/* In `arena`. */
LITH_MUST_CHECK enum lith_code lith_restore_plan_make(const struct lith_restore_request *request,
                                                      struct lith_arena *arena,
                                                      struct lith_restore_plan *ret_plan,
                                                      struct lith_err *err);

#endif
