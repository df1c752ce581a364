/*
 * What the commits of jobs have in common: a stamp by the store's clock, and a put that a job goes
 * on from only where it is known to hold.
 */
#ifndef LITH_JOB_COMMITS_H
#define LITH_JOB_COMMITS_H

#include "job/job.h"
#include "lake/commit.h"

/* A new commit id, and "now" by the store's clock. */
LITH_MUST_CHECK enum lith_code lith_job_stamp(const struct lith_job *job,
                                              struct lith_stamp *ret_stamp, struct lith_err *err);

/* Replaces the manifest of the view. CONFLICT: another program's came first, nothing of ours is
 * stored; TRANSIENT: what became of it is not known. */
LITH_MUST_CHECK enum lith_code lith_job_commit(const struct lith_job *job,
                                               const struct lith_view *view,
                                               const struct lith_manifest *next,
                                               struct lith_err *err);

#endif
