/*
 * What a partition has handed to a roll-up that did not come to its end here.
 *
 * The manifest of the partition above decides: it has taken the files, or it never will.
 */
#ifndef LITH_JOB_HANDED_H
#define LITH_JOB_HANDED_H

#include "job/job.h"
#include "lake/snapshot.h"

/*
 * Under the partition's lock, with a fresh view of it: files that were handed leave the live set,
 * or stay in it once a fence above has shut that commit out; a commit here either way. A no-op
 * where nothing is handed. *ret_changed: the view is stale. CONFLICT: the roll-up is going on.
 * CORRUPT: the partition above has no manifest, or one that cannot be read; nothing was changed.
 */
LITH_MUST_CHECK enum lith_code lith_handed_settle(const struct lith_job *job,
                                                  const struct lith_view *view, bool *ret_changed,
                                                  struct lith_err *err);
/* The same in a pass: a partition above that cannot say blocks this one, which is a report and no
 * failure. */
LITH_MUST_CHECK enum lith_code lith_handed_pass(const struct lith_job *job,
                                                const struct lith_view *view,
                                                struct lith_partition_report *report,
                                                bool *ret_changed, struct lith_err *err);
/* The same with a view of its own. A manifest that cannot be read says of nothing that it is
 * handed: whoever goes on meets it himself. */
LITH_MUST_CHECK enum lith_code lith_handed_settle_now(const struct lith_job *job,
                                                      struct lith_err *err);

/* Has the partition above ever taken files of a partition below it? CORRUPT: it cannot say. */
LITH_MUST_CHECK enum lith_code lith_handed_above(const struct lith_job *job, bool *ret_takes,
                                                 struct lith_err *err);

/* The path of the partition above, in `arena`; NULL for the root. */
LITH_MUST_CHECK enum lith_code lith_path_above(const char *path, struct lith_arena *arena,
                                               const char **ret_above, struct lith_err *err);

#endif
