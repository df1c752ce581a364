/*
 * The steps of every pass that deletes: fence, delete, clean.
 *
 * The fence is a commit that raises the epoch and names what is about to go, so that no output
 * begun before it can ever be committed. Only then are files deleted, each by its identity; and
 * only a list made after that takes names out of the manifest. DESIGN.md section 5, GC.
 */
#ifndef LITH_JOB_GC_STEPS_H
#define LITH_JOB_GC_STEPS_H

#include "job/job.h"
#include "lake/gc.h"

/* Deletes that failed; the others are done all the same. */
struct lith_gc_failures {
    uint64_t count;
    struct lith_err first;
};

/* Commits it on the view's manifest. Where an earlier fence has condemned all that the plan
 * deletes, that one is only made to last: who committed it may have been cut off then. */
LITH_MUST_CHECK enum lith_code lith_gc_fence(const struct lith_job *job,
                                             const struct lith_view *view,
                                             const struct lith_gc_plan *plan, int64_t now_ns,
                                             struct lith_err *err);

/* Deletes in the plan's order, counts it in the report, and makes it durable. What became another
 * file, or is gone already, is no failure. Fails itself only when asked to stop. */
LITH_MUST_CHECK enum lith_code lith_gc_delete(const struct lith_job *job,
                                              const struct lith_gc_plan *plan,
                                              struct lith_partition_report *report,
                                              struct lith_gc_failures *ret_failures,
                                              struct lith_err *err);

/* Takes what is gone out of the manifest; `view` is from lith_view_take_list_last, made after the
 * deletes. No commit where nothing is. */
LITH_MUST_CHECK enum lith_code lith_gc_clean(const struct lith_job *job,
                                             const struct lith_view *view,
                                             const struct lith_gc_plan *plan, int64_t now_ns,
                                             struct lith_err *err);

#endif
