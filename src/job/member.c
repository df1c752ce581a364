/*
 * A job on another partition than the one that began it.
 */
#include "job/member.h"

#include "job/commits.h"

enum lith_code lith_member_open(struct lith_member *member, const struct lith_job *like,
                                const char *path, struct lith_err *err)
{
    struct lith_folder *folder;

    *member = (struct lith_member){0};
    LITH_TRY(lith_folder_open(like->folder->store, path, &folder, err));
    member->folder = folder;
    member->job = *like;
    member->job.folder = folder;
    member->job.events = NULL;
    if (like->events) {
        lith_job_events_init(&member->events, like->events->series, like->env);
        member->job.events = &member->events;
    }
    return LITH_OK;
}

enum lith_code lith_member_lock(struct lith_member *member, struct lith_err *err)
{
    LITH_TRY(lith_folder_lock(member->folder, LITH_LOCK_TRY, err));
    return lith_job_events_repair(&member->job, err);
}

void lith_member_close(struct lith_member *member, struct lith_partition_report *report)
{
    struct lith_partition_report own = {0};

    if (!member->folder)
        return;
    if (member->folder->locked)
        lith_job_unlock(&member->job, &own);
    report->events += own.events;
    report->events_pending += own.events_pending;
    if (own.event_error)
        report->event_error = own.event_error;
    lith_job_events_done(&member->events);
    lith_folder_close(member->folder);
    *member = (struct lith_member){0};
}
