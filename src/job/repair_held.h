/*
 * What is held beside a lake without a manifest (readers = exchange): a commit took it out of
 * sight, whatever has become of its manifest.
 */
#ifndef LITH_JOB_REPAIR_HELD_H
#define LITH_JOB_REPAIR_HELD_H

#include "job/lineage.h"

struct lith_repair_held {
    struct lith_lineage lineage; /* of what is shown and of what is held */
    size_t *kins;                /* of it: held, and what is shown was made of them */
    size_t kin_count;
    const char *pid;     /* of the manifest that was lost, by the outputs; NULL: not known */
    const char *refusal; /* why that cannot be told; NULL: it can */
};

/* Which files are shown, and which of those leave since others that are shown were made of them. */
struct lith_repair_shown {
    const struct lith_lineage *lineage; /* of what is shown alone */
    const size_t *out;
    size_t out_count;
};

/*
 * What is held is superseded where what is shown was made of it, and needless where it was made of
 * such files. Refused where it may have rows that nothing shown has, and where a file is shown
 * beside what was made of it through files that are held. `listing` has both. In `arena`.
 */
LITH_MUST_CHECK enum lith_code
lith_repair_held_judge(const struct lith_job *job, const struct lith_listing *listing,
                       const struct lith_repair_shown *shown, struct lith_arena *arena,
                       struct lith_repair_held *ret_held, struct lith_err *err);

#endif
