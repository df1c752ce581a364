/*
 * What a roll-up has taken of a partition whose manifest was lost: files that outputs of the
 * partition above list.
 *
 * Asked only where there is no manifest: a partition that had files taken had one, and what has its
 * rows above must not count here once more. DESIGN.md section 6.6.
 */
#ifndef LITH_JOB_ABOVE_H
#define LITH_JOB_ABOVE_H

#include "job/job.h"
#include "lake/snapshot.h"

struct lith_above_file {
    const char *name; /* in this partition */
    uint64_t size;
    const struct lith_object *output; /* that lists it: of the view */
};

/* All zero: nothing was taken, by anybody's word. */
struct lith_above {
    struct lith_arena arena;
    struct lith_folder *folder; /* the partition above, and its path */
    const char *path;
    struct lith_view view;
    bool has_manifest; /* of ours */
    bool has_taken;    /* files of partitions below, as it or its outputs say */
    int64_t last_ns;   /* when it did so last; not known: when it was committed to last */
    bool has_period;   /* its path has one, as roll-ups want it */
    /* An output of it that is missing, may be another file by its time, or cannot be read, so that
     * nobody knows what it was made of; NULL: there is none. */
    const char *unknown;
    struct lith_above_file *files; /* by name, then size: one for each output that lists it */
    size_t count;
};

/*
 * Reads the manifest of the partition above, if its path has a period as roll-ups want it, and the
 * footers of all outputs that it names; where it has none, of all files that are named like
 * outputs. CORRUPT, UNSUPPORTED: the partition above cannot say; CONFLICT: it changes meanwhile. To
 * be given to lith_above_done, whatever came of it.
 */
LITH_MUST_CHECK enum lith_code lith_above_read(const struct lith_job *job,
                                               struct lith_above *ret_above, struct lith_err *err);
void lith_above_done(struct lith_above *above);

/* Those that list a file of that name and size; *ret_count: how many, from the one returned on.
 * NULL: none does. */
const struct lith_above_file *lith_above_listers(const struct lith_above *above, const char *name,
                                                 uint64_t size, size_t *ret_count);

/* Are all rows of some files, each as often, in the outputs that list them? All of it is read.
 * CORRUPT, UNSUPPORTED: a file cannot be. */
LITH_MUST_CHECK enum lith_code lith_above_holds(const struct lith_above *above,
                                                const struct lith_job *job,
                                                const struct lith_object *const *objects,
                                                size_t count, bool *ret_holds,
                                                struct lith_err *err);

/* What keeps a partition without a manifest from being listed, or given one. */
struct lith_above_doubt {
    const char *why; /* NULL: nothing does */
    const char *todo;
    bool is_lost; /* its manifest was; else the partition above cannot say */
};

/*
 * Was the manifest of the snapshot's partition lost after a roll-up? Texts are in `arena`. Nothing,
 * where there is one of ours, or by now; and where nothing was ever rolled up in this lake.
 */
LITH_MUST_CHECK enum lith_code
lith_above_find(const struct lith_job *job, const struct lith_snapshot *snapshot,
                struct lith_arena *arena, struct lith_above_doubt *ret_doubt, struct lith_err *err);

#endif
