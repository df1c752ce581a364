/*
 * The merging part of a job: plan in, verified outputs out.
 */
#ifndef LITH_JOB_MERGE_STEP_H
#define LITH_JOB_MERGE_STEP_H

#include "job/journal.h"
#include "job/outputs.h"
#include "merge/explain_sums.h"
#include "plan/plan.h"

/* What the merge of one plan came to. */
struct lith_merge_step {
    struct lith_job_journal *journal; /* of the job; set by the caller; NULL: none is kept */
    struct lith_job_outputs outputs;
    struct lith_entry *inputs; /* as read to the end: name, size, etag, rows; in the job's arena */
    size_t input_count;
    const char *bad_input;   /* on failure: the input whose contents were the reason, or NULL */
    const char *missing_key; /* a key column that none of the inputs has at its top, or NULL */
    const struct lith_err *refuted; /* why all was decoded after all, or NULL; in the job's arena */
};

/*
 * Merges the plan's inputs under `manifest` (pid, epoch), verifies, and checks that every input
 * still is what was read. Nothing can be seen yet: lith_job_outputs_publish.
 */
LITH_MUST_CHECK enum lith_code lith_merge_step_run(struct lith_merge_step *step,
                                                   const struct lith_job *job,
                                                   const struct lith_manifest *manifest,
                                                   const struct lith_plan *plan,
                                                   struct lith_err *err);
/* Plans the same merge, and writes nothing. Failures as above, but for those of writing. */
LITH_MUST_CHECK enum lith_code lith_merge_step_explain(const struct lith_job *job,
                                                       const struct lith_plan *plan,
                                                       struct lith_explain_sums *sums,
                                                       struct lith_err *err);
/* How the inputs of a job are merged, but for what belongs to one partition. */
struct lith_merge_options lith_job_merge_options(const struct lith_job *job);

/* A zeroed step is a no-op. */
void lith_merge_step_done(struct lith_merge_step *step);

#endif
