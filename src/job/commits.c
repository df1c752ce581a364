/*
 * The commits of jobs: stamped, put, and judged.
 */
#include "job/commits.h"

#include "base/limits.h"
#include "job/events.h"
#include "lake/journal_files.h"
#include "lake/showing.h"

void lith_job_stamp_at(const struct lith_job *job, int64_t now_ns, struct lith_stamp *ret_stamp)
{
    lith_stamp_draw(job->env, now_ns, ret_stamp);
    ret_stamp->no_event = !job->events;
}

enum lith_code lith_job_stamp(const struct lith_job *job, struct lith_stamp *ret_stamp,
                              struct lith_err *err)
{
    int64_t now_ns;

    LITH_TRY(lith_folder_now(job->folder, &now_ns, err));
    lith_job_stamp_at(job, now_ns, ret_stamp);
    return LITH_OK;
}

/* A commit that is about to leave the log stays as long as its journal is there, which asks for it.
 */
static void journals_forget(const struct lith_job *job, struct lith_manifest *next)
{
    for (size_t i = 0; i + LITH_LOG_COUNT_MIN < next->log_count; i++) {
        struct lith_log_entry *entry = &next->log[i];
        if (entry->journal &&
            !lith_journal_is_there(job->folder->store, job->folder->path, entry->commit_id))
            entry->journal = false;
    }
    lith_manifest_log_trim(next);
}

static enum lith_code put_over(const struct lith_job *job, const struct lith_manifest *base,
                               const struct lith_blob *expected, struct lith_manifest *next,
                               enum lith_put *ret_put, struct lith_err *err)
{
    LITH_TRY(lith_job_events_before(job, base, next, err));
    journals_forget(job, next);
    LITH_TRY(lith_commit_put(job->folder, expected, next, job->work->mem, ret_put, err));
    lith_job_events_after(job, base, next, *ret_put);
    return LITH_OK;
}

enum lith_code lith_job_base(const struct lith_view *view, const struct lith_manifest **ret_base,
                             struct lith_err *err)
{
    *ret_base = lith_view_manifest(view);
    if (*ret_base && !(*ret_base)->foreign)
        return LITH_OK;
    return lith_fail(err, LITH_E_CONFLICT, "another program took the manifest away; run again");
}

enum lith_code lith_job_put(const struct lith_job *job, const struct lith_view *view,
                            struct lith_manifest *next, enum lith_put *ret_put,
                            struct lith_err *err)
{
    return put_over(job, lith_view_manifest(view), &view->blob, next, ret_put, err);
}

enum lith_code lith_job_unknown(struct lith_err *err)
{
    err->code = LITH_E_TRANSIENT;
    return lith_err_prefix(
        err, "the outcome of a commit is not known, everything is kept, run again to settle it");
}

enum lith_code lith_job_commit_over(const struct lith_job *job, const struct lith_manifest *base,
                                    const struct lith_blob *expected, struct lith_manifest *next,
                                    struct lith_err *err)
{
    enum lith_put put;

    LITH_TRY(put_over(job, base, expected, next, &put, err));
    if (put == LITH_PUT_LOST)
        return lith_fail(err, LITH_E_CONFLICT, "another program committed first; run again");
    if (put == LITH_PUT_UNKNOWN)
        return lith_job_unknown(err);
    return LITH_OK;
}

enum lith_code lith_job_commit(const struct lith_job *job, const struct lith_view *view,
                               struct lith_manifest *next, struct lith_err *err)
{
    return lith_job_commit_over(job, lith_view_manifest(view), &view->blob, next, err);
}

enum lith_code lith_job_lock(const struct lith_job *job, struct lith_partition_report *report,
                             struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_manifest_showing showing; /* by names alone */
    struct lith_settled settled;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_manifest_showing_init(&showing, NULL, &scratch, err));
    LITH_TRY(lith_folder_lock(job->folder, LITH_LOCK_TRY, err));
    enum lith_code code = lith_folder_settle(job->folder, &showing.base, job->arena, &settled, err);
    if (code != LITH_OK) {
        lith_folder_unlock(job->folder);
        return code;
    }
    report->carried = settled.carried;
    report->stray = settled.stray;
    return LITH_OK;
}

void lith_job_unlock(const struct lith_job *job, struct lith_partition_report *report)
{
    lith_job_events_end(job, report);
    lith_folder_unlock(job->folder);
}
