/*
 * What the changes of a live set by hand have in common: rollback, retire, restore, repair.
 *
 * Each is one commit, tried again on a new view where another program came first.
 */
#ifndef LITH_JOB_BY_HAND_H
#define LITH_JOB_BY_HAND_H

#include "job/job.h"
#include "lake/commit.h"

/* One try. CONFLICT: once more. */
typedef enum lith_code (*lith_by_hand_fn)(const struct lith_job *job, void *ctx,
                                          struct lith_partition_report *report,
                                          struct lith_err *err);

/*
 * Tries under the partition's lock; `dry_run`: without it, and once. The report has a tenant by
 * then. A partition of a table format, or with a manifest that cannot be read, is blocked, and
 * nothing is tried there.
 */
LITH_MUST_CHECK enum lith_code lith_by_hand_run(const struct lith_job *job, bool dry_run,
                                                lith_by_hand_fn attempt, void *ctx,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);

/* As lith_job_stamp; a dry run goes by the system's clock, since asking the store's one writes. */
LITH_MUST_CHECK enum lith_code lith_by_hand_stamp(const struct lith_job *job, bool dry_run,
                                                  struct lith_stamp *ret_stamp,
                                                  struct lith_err *err);

/*
 * What `next` changes: the files that its commit brings into the live set of the view or takes out
 * of it, their sizes, the live files before and after, what waits for gc then. Rows are those of
 * the files that come in, or where none does, that go out, as far as the manifest has them.
 */
LITH_MUST_CHECK enum lith_code lith_by_hand_report(const struct lith_job *job,
                                                   const struct lith_view *view,
                                                   const struct lith_manifest *next,
                                                   struct lith_partition_report *report,
                                                   struct lith_err *err);

#endif
