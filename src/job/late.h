/*
 * Files that came after the manifest: which of them a fold names.
 *
 * Late files are live at once, and named once they are old enough and their footer parses. A file
 * under a name that was used before is not live until it is folded; one that was only written again
 * is known by its checksum, and goes once more. DESIGN.md sections 4 and 5.
 */
#ifndef LITH_JOB_LATE_H
#define LITH_JOB_LATE_H

#include "job/look.h"

/* True when the listing shows a file that a fold may have to name now. */
bool lith_late_waits(const struct lith_look *look, const struct lith_job *job);

/* True when one of them can be folded, by what its footer says. */
bool lith_late_foldable(const struct lith_look *look, const struct lith_job *job);

/* The fold, in `arena`; with `at_once` young late files too. Reads files under names that
 * were used before to their end: CONFLICT when one changes meanwhile. */
LITH_MUST_CHECK enum lith_code lith_late_fold(const struct lith_look *look,
                                              const struct lith_job *job, bool at_once,
                                              struct lith_arena *arena, struct lith_fold *ret_fold,
                                              struct lith_err *err);

/* Adds to the fold the live files that are broken for good, so that later passes, which read no
 * footers while nothing changes, still tell of them. */
LITH_MUST_CHECK enum lith_code lith_late_set_aside(const struct lith_look *look, int64_t now_ns,
                                                   struct lith_arena *arena, struct lith_fold *fold,
                                                   struct lith_err *err);

#endif
