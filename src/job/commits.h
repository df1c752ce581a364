/*
 * What the commits of jobs have in common: a stamp by the store's clock, a put that a job goes on
 * from only where it is known to hold, and the event behind it.
 */
#ifndef LITH_JOB_COMMITS_H
#define LITH_JOB_COMMITS_H

#include "job/job.h"
#include "lake/commit.h"

/* A new commit id, and "now" by the store's clock. */
LITH_MUST_CHECK enum lith_code lith_job_stamp(const struct lith_job *job,
                                              struct lith_stamp *ret_stamp, struct lith_err *err);
/* The same, where the time was asked for before. */
void lith_job_stamp_at(const struct lith_job *job, int64_t now_ns, struct lith_stamp *ret_stamp);

/* The manifest that a commit goes on from. CONFLICT: somebody took it away, or it is another
 * program's by now. */
LITH_MUST_CHECK enum lith_code lith_job_base(const struct lith_view *view,
                                             const struct lith_manifest **ret_base,
                                             struct lith_err *err);

/*
 * Replaces the manifest of the view, which `next` was built on; `next` learns which of its log's
 * commits have their events. CONFLICT: another program's came first, nothing of ours is stored;
 * TRANSIENT: what became of it is not known. An event that cannot be written is told by
 * lith_job_events_end, and undoes nothing.
 */
LITH_MUST_CHECK enum lith_code lith_job_commit(const struct lith_job *job,
                                               const struct lith_view *view,
                                               struct lith_manifest *next, struct lith_err *err);
/* The same over what cannot be read as a manifest (no etag: over none); `base` may be NULL. */
LITH_MUST_CHECK enum lith_code lith_job_commit_over(const struct lith_job *job,
                                                    const struct lith_manifest *base,
                                                    const struct lith_blob *expected,
                                                    struct lith_manifest *next,
                                                    struct lith_err *err);
/* As lith_job_commit; *ret_put tells what came of it. */
LITH_MUST_CHECK enum lith_code lith_job_put(const struct lith_job *job,
                                            const struct lith_view *view,
                                            struct lith_manifest *next, enum lith_put *ret_put,
                                            struct lith_err *err);

/* The failure that LITH_PUT_UNKNOWN is, of the answer in *err. TRANSIENT. */
LITH_MUST_CHECK enum lith_code lith_job_unknown(struct lith_err *err);

/* Takes the partition's lock (CONFLICT: another program has it), and ends what an earlier commit
 * has left to do in the store; the report says what that was. */
LITH_MUST_CHECK enum lith_code lith_job_lock(const struct lith_job *job,
                                             struct lith_partition_report *report,
                                             struct lith_err *err);
/* Ends what lith_job_lock began: the note of owed events first, then the report of events. */
void lith_job_unlock(const struct lith_job *job, struct lith_partition_report *report);

#endif
