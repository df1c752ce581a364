/*
 * Is there room for the outputs of a job?
 */
#ifndef LITH_JOB_SPACE_H
#define LITH_JOB_SPACE_H

#include "job/job.h"

/*
 * Why a job that writes about so many bytes is not begun now: a reason with the numbers, in the
 * job's arena; NULL: it may be, also where the store does not know.
 */
LITH_MUST_CHECK enum lith_code lith_space_reason(const struct lith_job *job, uint64_t output_bytes,
                                                 const char **ret_reason, struct lith_err *err);

#endif
