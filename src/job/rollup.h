/*
 * A roll-up: the files of the partitions below one, of shorter periods, become files of that one.
 *
 * Hour to day, day to month. hand in each child, the commit above, moved in each child; what is cut
 * off in between is settled by handed.h. DESIGN.md section 6.6.
 */
#ifndef LITH_JOB_ROLLUP_H
#define LITH_JOB_ROLLUP_H

#include "job/job.h"

/* Is `path` a partition, or a folder, that files below may be rolled up into? */
LITH_MUST_CHECK enum lith_code lith_rollup_is_tier(const char *path,
                                                   const struct lith_job_options *options,
                                                   struct lith_arena *arena, bool *ret_is,
                                                   struct lith_err *err);

/*
 * Rolls up into the job's folder what lies in the partitions directly below it, when that is due;
 * `dry_run` changes nothing. The report is as that of lith_job_compact; LEFT says why not.
 * Partitions below that are blocked stay out, with all that they hold. CONFLICT: one of them, or
 * the partition itself, is being worked on.
 */
LITH_MUST_CHECK enum lith_code lith_job_rollup(const struct lith_job *job, bool dry_run,
                                               struct lith_partition_report *report,
                                               struct lith_err *err);

#endif
