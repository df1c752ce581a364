/*
 * Outputs that were lost, and are back: which of them may count again.
 *
 * Not one that does not say what it holds, and none that was made of the same as something that
 * counts. A file that was lost, too, and that one of them was made of, must not count any more when
 * it is put back in its turn: a fold tells the manifest so.
 */
#ifndef LITH_JOB_COMEBACK_H
#define LITH_JOB_COMEBACK_H

#include "job/lineage.h"
#include "job/look.h"

struct lith_comeback {
    const struct lith_look *look;
    const struct lith_job *job;
    struct lith_arena *arena;
    struct lith_lineage lineage; /* read once it is needed */
    bool is_read;
    bool *counts; /* kins that count now, or will by this fold */
    bool *made;   /* what the file that was asked for last was made of */
};

/* All of it is in `arena`, and borrows from the look. */
void lith_comeback_init(struct lith_comeback *comeback, const struct lith_look *look,
                        const struct lith_job *job, struct lith_arena *arena);

/* `file`: an orphan of the look's view that was lost. CONFLICT: a file changes meanwhile. */
LITH_MUST_CHECK enum lith_code lith_comeback_ask(struct lith_comeback *comeback,
                                                 const struct lith_snapshot_file *file,
                                                 bool *ret_counts, struct lith_err *err);

/* The file that was asked for last counts: adds what is superseded by it to the fold, which has
 * room for all lost files. */
void lith_comeback_take(struct lith_comeback *comeback, const struct lith_snapshot_file *file,
                        struct lith_entry *superseded, size_t *count);

#endif
