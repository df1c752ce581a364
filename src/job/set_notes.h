/*
 * What a commit notes of sets of files that do not join, or that nobody can merge: which live file
 * is of which, and why.
 *
 * With it the next looks know without any footer that nothing is left to merge, and can still say
 * why. It is noted only where the sets of all files that could be merged are known.
 */
#ifndef LITH_JOB_SET_NOTES_H
#define LITH_JOB_SET_NOTES_H

#include "job/look.h"
#include "job/merge_step.h"

/* Sets are numbered anew, without those that no file is of. Empty where all files join and can be
 * merged, or not all are known. Borrows from the look, until it looks again. */
struct lith_set_notes {
    struct lith_file_set *files; /* those that could be merged, by name */
    size_t file_count;
    uint16_t input_set; /* of the plan's inputs, thus of the outputs */
    const struct lith_schema_conflict **conflicts;
    size_t conflict_count;
    const char **refusals; /* by set; where none is refused their count is 0 */
    size_t refusal_count;
};

/* Must be asked before the book forgets. In `arena`. */
LITH_MUST_CHECK enum lith_code lith_set_notes_take(const struct lith_look *look,
                                                   struct lith_arena *arena,
                                                   struct lith_set_notes *ret_notes,
                                                   struct lith_err *err);

/* The notes as a commit wants them. `step` (may be NULL) is what it commits: the files it merged
 * bear the name of the first output in texts, which are in `arena`. */
LITH_MUST_CHECK enum lith_code lith_set_notes_list(const struct lith_set_notes *notes,
                                                   const struct lith_merge_step *step,
                                                   struct lith_arena *arena,
                                                   struct lith_file_sets *ret_sets,
                                                   struct lith_err *err);

#endif
