/*
 * The journal of a running job (readers = glob): there before its outputs can be seen.
 *
 * Taken away by job/recovery.h, once what it names is settled.
 */
#ifndef LITH_JOB_JOURNAL_H
#define LITH_JOB_JOURNAL_H

#include "job/job.h"
#include "lake/journal_files.h"

struct lith_job_outputs;

/* Of a job with other readers it stays zeroed, and all of these are no-ops. */
struct lith_job_journal {
    const struct lith_job *job;
    const char *commit_id;           /* of the commit that is to come */
    const struct lith_entry *inputs; /* of the job, by identity; borrowed */
    size_t input_count;
    struct lith_journal value; /* as it was put last; texts in the job's arena */
    struct lith_blob blob;     /* what it is known by; etag NULL: it was not put yet */
};

void lith_job_journal_init(struct lith_job_journal *journal, const struct lith_job *job,
                           const char *commit_id);

/* Puts the journal (NULL: none), or replaces it, with the outputs as they are known now. CONFLICT:
 * another program took it away, or changed it. */
LITH_MUST_CHECK enum lith_code lith_job_journal_put(struct lith_job_journal *journal,
                                                    const struct lith_job_outputs *outputs,
                                                    struct lith_err *err);

/* Puts it once more where it was taken away meanwhile: by somebody who took the job for dead, and
 * could not know what it would still publish. */
LITH_MUST_CHECK enum lith_code lith_job_journal_ensure(struct lith_job_journal *journal,
                                                       struct lith_err *err);

#endif
