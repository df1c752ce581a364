/*
 * Rows of a manifest for files that come into a live set, or leave it, by their lineage.
 */
#ifndef LITH_JOB_KIN_ENTRIES_H
#define LITH_JOB_KIN_ENTRIES_H

#include "job/lineage.h"
#include "lake/snapshot.h"

struct lith_kin_entries {
    const struct lith_job *job;
    const struct lith_lineage *lineage;
    const struct lith_snapshot *snapshot; /* of the list that the lineage was read from */
    struct lith_arena *arena;
    bool dry_run;
};

/*
 * By the manifest of the snapshot, where it knows the file, else by the file itself. One that is
 * there is read to its end for its crc32, unless that is known (P10); in a dry run none is. One
 * that is not there has no etag.
 */
LITH_MUST_CHECK enum lith_code lith_kin_entries_make(const struct lith_kin_entries *making,
                                                     const size_t *kins, size_t count,
                                                     struct lith_entry **ret_entries,
                                                     struct lith_err *err);

#endif
