/*
 * The outputs of a job: written under names no reader counts, verified, then published together.
 *
 * Nothing is published before all of them are durable and have passed verification, so a failure
 * in the last one leaves only temporary files, which the job removes.
 */
#ifndef LITH_JOB_OUTPUTS_H
#define LITH_JOB_OUTPUTS_H

#include "job/job.h"
#include "lake/manifest.h"
#include "merge/merge.h"

struct lith_job_journal;

struct lith_job_outputs {
    struct lith_merge_outputs base; /* what the merge writes to */
    const struct lith_job *job;
    const char *pid;
    uint64_t epoch;
    const char *const *input_names; /* whose owner and mode the outputs take */
    size_t input_count;
    struct lith_opener *opener; /* of the inputs, for verify level decode */
    struct lith_codec_context *codecs;
    struct lith_job_journal *journal; /* there before any of them can be seen */
    struct lith_output **outputs;
    struct lith_entry *entries; /* one per output; etags are set by publishing */
    size_t count;
    uint64_t bytes;
    uint64_t rows;
    bool is_mingled; /* some have rows that were sorted */
    bool is_refuted; /* verification found an output wrong */
};

LITH_MUST_CHECK enum lith_code lith_job_outputs_init(struct lith_job_outputs *outputs,
                                                     const struct lith_job *job, const char *pid,
                                                     uint64_t epoch, struct lith_err *err);
/* All have been written: checks what can only be checked of all of them together. */
LITH_MUST_CHECK enum lith_code lith_job_outputs_check(struct lith_job_outputs *outputs,
                                                      struct lith_err *err);
/* Puts the journal, and gives all their final names, durably, in order; then entries are complete.
 */
LITH_MUST_CHECK enum lith_code lith_job_outputs_publish(struct lith_job_outputs *outputs,
                                                        struct lith_err *err);
/* Ends them; what was not published is removed. */
void lith_job_outputs_done(struct lith_job_outputs *outputs);

#endif
