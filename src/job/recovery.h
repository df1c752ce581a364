/*
 * What a job that was cut off left to be done (readers = glob), by its journal.
 *
 * The journal says what to look at, the manifest what became of it: where the commit is in the log,
 * or an output is named, the deletes of the inputs are finished; else the outputs were never
 * committed, and go through a fence. Either way by the steps of gc, and only then does the journal
 * go. A job that was not cut off ends in the same way. DESIGN.md section 5, readers = glob.
 */
#ifndef LITH_JOB_RECOVERY_H
#define LITH_JOB_RECOVERY_H

#include "job/journal.h"

/* Did the pass find a journal of the job's partition, or what is left of one? The lock is worth
 * taking then. */
LITH_MUST_CHECK enum lith_code lith_recovery_wanted(const struct lith_job *job, bool *ret_wanted,
                                                    struct lith_err *err);

/* The report of a pass that changes nothing: BLOCKED, with the reason that lith_recovery_run would
 * give, where a journal or what its manifest says of it cannot be gone by; else PENDING, unless the
 * partition is blocked already. A no-op where there is no journal. */
LITH_MUST_CHECK enum lith_code lith_recovery_foresee(const struct lith_job *job,
                                                     struct lith_partition_report *report,
                                                     struct lith_err *err);

/*
 * Finishes what journals of the partition speak of. Under the lock, before anything else is done
 * there. *ret_settled false: something is left, nothing else may be done, and the report says what
 * and why: BLOCKED where it needs a hand, PENDING where deletes failed. True also where there was
 * nothing.
 */
LITH_MUST_CHECK enum lith_code lith_recovery_run(const struct lith_job *job,
                                                 struct lith_partition_report *report,
                                                 bool *ret_settled, struct lith_err *err);

/* The end of a job that has committed: its inputs are deleted. What fails makes the report PENDING:
 * the commit holds, and the next pass goes on from the journal. A no-op for other readers. */
void lith_recovery_finish(struct lith_job_journal *journal, struct lith_partition_report *report);

/* The end of one that has not, or does not know: what it published goes at once, where it can. */
void lith_recovery_undo(struct lith_job_journal *journal, struct lith_partition_report *report);

#endif
