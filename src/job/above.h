/*
 * What outputs of the partition above say that they were made of: files of this one, which a
 * roll-up has taken.
 *
 * Asked where this partition has no manifest: one that had files taken had one, so it was lost, and
 * what has its rows above must not count here once more. DESIGN.md section 6.6.
 */
#ifndef LITH_JOB_ABOVE_H
#define LITH_JOB_ABOVE_H

#include "job/job.h"
#include "lake/snapshot.h"

/* What is told of one; %s are the file and the path of the output. */
#define LITH_ABOVE_FORMAT "its manifest was lost: %s was rolled up into %s, and is still here"

struct lith_above_file {
    const char *name; /* in this partition */
    uint64_t size;
    const struct lith_object *output; /* that lists it: of the view */
};

/* All zero: nothing is known to have been taken. */
struct lith_above {
    struct lith_arena arena;
    struct lith_folder *folder;
    struct lith_view view;
    bool takes;                    /* it has taken files of partitions below */
    int64_t last_ns;               /* when it did so last */
    const char *pid;               /* its own */
    const char *path;              /* of the partition above */
    struct lith_above_file *files; /* by name, then size; one that went into several outputs is
                                      there once for each */
    size_t count;
};

/* Has the partition above ever taken files of one below? Its manifest alone is read, and nothing
 * in a lake without roll-ups. CORRUPT: it cannot say. */
LITH_MUST_CHECK enum lith_code lith_above_takes(const struct lith_job *job, bool *ret_takes,
                                                struct lith_err *err);

/* The same, and what its outputs list: their footers are read. An output that cannot be read lists
 * nothing. CONFLICT: one vanished meanwhile. To be given to lith_above_done, whatever came of it.
 */
LITH_MUST_CHECK enum lith_code lith_above_take(const struct lith_job *job,
                                               struct lith_above *ret_above, struct lith_err *err);
void lith_above_done(struct lith_above *above);

/* The first output that lists a file of that name and size, or NULL. */
const struct lith_object *lith_above_lister(const struct lith_above *above, const char *name,
                                            uint64_t size);

/* Are all rows of that file in the outputs that list it? Everything is read. A file that cannot be
 * read has none there. */
LITH_MUST_CHECK enum lith_code lith_above_holds(const struct lith_above *above,
                                                const struct lith_job *job,
                                                const struct lith_object *object, bool *ret_holds,
                                                struct lith_err *err);

/*
 * For whoever only reads: a live file of the snapshot, which has no manifest, that an output above
 * lists. *ret_text says so, in `arena`; NULL: there is none, or there is a manifest by now.
 */
LITH_MUST_CHECK enum lith_code lith_above_find(const struct lith_job *job,
                                               const struct lith_snapshot *snapshot,
                                               struct lith_arena *arena, const char **ret_file,
                                               const char **ret_text, struct lith_err *err);

#endif
