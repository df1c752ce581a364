/*
 * What the orphans of a partition say of themselves: which inputs' rows each of them holds.
 */
#ifndef LITH_JOB_GC_ORPHANS_H
#define LITH_JOB_GC_ORPHANS_H

#include "job/job.h"

/* Reads the footers of the orphans, in the job's arena. One that cannot be read, or does not say,
 * is not known. NOMEM, CANCELLED. */
LITH_MUST_CHECK enum lith_code lith_gc_orphans_read(const struct lith_job *job,
                                                    const struct lith_snapshot *snapshot,
                                                    struct lith_orphan_inputs **ret_orphans,
                                                    size_t *ret_count, struct lith_err *err);

#endif
