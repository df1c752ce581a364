/*
 * A job on another partition than the one that began it: a parent, or a child, of a roll-up.
 *
 * It shares options, budget, arena and clock with the job it was made from, and has a folder, a
 * lock and audit events of its own.
 */
#ifndef LITH_JOB_MEMBER_H
#define LITH_JOB_MEMBER_H

#include "job/events.h"

struct lith_member {
    struct lith_job job;
    struct lith_job_events events;
    struct lith_folder *folder; /* the job's */
};

/* Opens the partition at `path` below the root. NOT_FOUND, DENIED. The member must not be moved. */
LITH_MUST_CHECK enum lith_code lith_member_open(struct lith_member *member,
                                                const struct lith_job *like, const char *path,
                                                struct lith_err *err);
/* Takes the lock, and writes the events that are owed. CONFLICT: somebody else has it. */
LITH_MUST_CHECK enum lith_code lith_member_lock(struct lith_member *member, struct lith_err *err);
/* Gives the lock back, and adds the member's events to the report. A zeroed member is a no-op. */
void lith_member_close(struct lith_member *member, struct lith_partition_report *report);

#endif
