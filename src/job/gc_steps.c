/*
 * Fence, delete, clean.
 */
#include "job/gc_steps.h"

#include "job/commits.h"

enum lith_code lith_gc_fence(const struct lith_job *job, const struct lith_view *view,
                             const struct lith_gc_plan *plan, int64_t now_ns, struct lith_err *err)
{
    struct lith_manifest next;
    struct lith_stamp stamp;

    if (!plan->fence_wanted)
        return lith_folder_sync(job->folder, err);
    lith_job_stamp_at(job, now_ns, &stamp);
    LITH_TRY(lith_commit_fence(lith_view_manifest(view), plan->fence_names, plan->fence_count,
                               &stamp, job->arena, &next, err));
    return lith_job_commit(job, view, &next, err);
}

static void failure_add(struct lith_gc_failures *failures, const struct lith_err *err)
{
    if (failures->count++ == 0)
        failures->first = *err;
}

enum lith_code lith_gc_delete(const struct lith_job *job, const struct lith_gc_plan *plan,
                              struct lith_partition_report *report,
                              struct lith_gc_failures *ret_failures, struct lith_err *err)
{
    struct lith_err why;

    *ret_failures = (struct lith_gc_failures){0};
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct lith_gc_item *item = &plan->items[i];
        if (item->verdict != LITH_GC_DELETE)
            continue;
        LITH_TRY(lith_work_check(job->work, err));
        enum lith_code code = lith_folder_delete_if(job->folder, &item->target, &why);
        if (code == LITH_E_CONFLICT || code == LITH_E_NOT_FOUND)
            continue;
        if (code != LITH_OK) {
            failure_add(ret_failures, &why);
            continue;
        }
        report->deleted++;
        report->deleted_bytes += item->file->object->size;
    }
    if (lith_folder_deletes_end(job->folder, &why) != LITH_OK)
        failure_add(ret_failures, &why);
    return LITH_OK;
}

enum lith_code lith_gc_clean(const struct lith_job *job, const struct lith_view *view,
                             const struct lith_gc_plan *plan, int64_t now_ns, struct lith_err *err)
{
    const struct lith_manifest *base;
    struct lith_manifest next;
    struct lith_stamp stamp;
    bool changed = false;
    struct lith_clean clean = {
        .listing = &view->listing,
        .kept = plan->kept,
        .kept_count = plan->kept_count,
        .keep_all = plan->keep_all || lith_gc_is_orphan_new(plan, &view->snapshot),
        .replay_window_ns = job->options->replay_window_ns,
    };

    lith_job_stamp_at(job, now_ns, &stamp);
    LITH_TRY(lith_job_base(view, &base, err));
    LITH_TRY(lith_commit_clean(base, &clean, &stamp, job->arena, &changed, &next, err));
    return changed ? lith_job_commit(job, view, &next, err) : LITH_OK;
}
