/*
 * Cleaning one partition of what is past its grace. DESIGN.md section 5, GC.
 */
#include "job/job.h"

#include <string.h>

#include "job/commits.h"
#include "job/events.h"
#include "job/gc_orphans.h"
#include "job/gc_steps.h"
#include "job/handed.h"
#include "job/look.h"
#include "job/lost.h"
#include "job/recovery.h"
#include "lake/showing.h"

/* Neither time nor another pass takes these away: somebody should know of them. */
static bool is_stuck(enum lith_gc_verdict verdict)
{
    return verdict == LITH_GC_KEEP_UNKNOWN || verdict == LITH_GC_KEEP_NEEDED ||
           verdict == LITH_GC_KEEP_DIFFERS || verdict == LITH_GC_KEEP_LINK;
}

/* The files that stay for a reason of their own; `all`: every file that was judged. */
static enum lith_code files_report(const struct lith_job *job, const struct lith_gc_plan *plan,
                                   bool all, struct lith_partition_report *report,
                                   struct lith_err *err)
{
    void *block;
    size_t count = 0;

    for (size_t i = 0; i < plan->item_count; i++)
        count += all || is_stuck(plan->items[i].verdict) ? 1 : 0;
    LITH_TRY(lith_arena_array(job->arena, count, sizeof(struct lith_file_report), &block, err));
    struct lith_file_report *file = block;
    report->files = file;
    report->file_count = count;
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct lith_gc_item *item = &plan->items[i];
        if (!all && !is_stuck(item->verdict))
            continue;
        LITH_TRY(
            lith_arena_copy(job->arena, item->file->name, strlen(item->file->name), &block, err));
        *file++ = (struct lith_file_report){.name = block,
                                            .bytes = item->file->object->size,
                                            .is_input = item->verdict == LITH_GC_DELETE,
                                            .reason = all && item->verdict == LITH_GC_DELETE
                                                          ? "would be deleted"
                                                          : lith_gc_verdict_text(item->verdict)};
    }
    return LITH_OK;
}

/* Takes what is gone out of the manifest, by a list made after the manifest was read. */
static enum lith_code clean(const struct lith_job *job, const struct lith_gc_plan *plan,
                            int64_t now_ns, struct lith_partition_report *report,
                            struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take_list_last(job->folder, job->work->mem, &view, err));
    lith_held_report(&view.snapshot, job, report);
    return lith_gc_clean(job, &view, plan, now_ns, err);
}

/* Without a manifest nobody knows what was superseded. Where something is held there was one. */
static enum lith_code unmanaged_report(const struct lith_job *job,
                                       const struct lith_snapshot *snapshot,
                                       struct lith_partition_report *report, struct lith_err *err)
{
    uint64_t bytes;
    char *reason;
    size_t held = lith_lost_held(snapshot, &bytes);

    report->reason = "no manifest: nothing here is known to be superseded";
    if (held == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_format(job->arena, &reason, err, LITH_LOST_HELD_FORMAT, held));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = reason;
    return LITH_OK;
}

/* Why nothing may be deleted here, in the report; false when something may. */
static enum lith_code gc_stopped(const struct lith_job *job, const struct lith_view *view,
                                 struct lith_partition_report *report, bool *ret_stopped,
                                 struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *m = lith_view_manifest(view);
    struct lith_gc_plan plan;
    struct lith_err why;
    void *text;

    lith_arena_init(&arena, job->work->mem);
    *ret_stopped = true;
    report->files_before = view->snapshot.live_count;
    report->files_after = view->snapshot.live_count;
    lith_held_report(&view->snapshot, job, report);
    if (!m)
        return unmanaged_report(job, &view->snapshot, report, err);
    enum lith_code code =
        lith_gc_plan(view, NULL, 0, &job->options->gc, INT64_MIN, &arena, &plan, &why);
    if (code == LITH_E_INVALID) {
        LITH_TRY(lith_arena_copy(job->arena, why.text, strlen(why.text), &text, err));
        report->state = LITH_PARTITION_BLOCKED;
        report->reason = text;
        return LITH_OK;
    }
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    *ret_stopped = plan.item_count == 0 && !plan.clean_wanted && !m->has_handed;
    return LITH_OK;
}

/* Takes what is to be deleted from the share of the whole pass; false when others left less. */
static bool share_take(const struct lith_job *job, uint64_t bytes)
{
    if (!job->gc_bytes_left)
        return true;
    uint64_t left = atomic_load(job->gc_bytes_left);
    while (bytes <= left) {
        if (atomic_compare_exchange_weak(job->gc_bytes_left, &left, left - bytes))
            return true;
    }
    return false;
}

/* Planned anew, with less, while other jobs take from the same share: it only becomes smaller. */
static enum lith_code plan_in_share(const struct lith_job *job, const struct lith_view *view,
                                    const struct lith_orphan_inputs *orphans, size_t orphan_count,
                                    int64_t now_ns, struct lith_gc_plan *ret_plan,
                                    struct lith_err *err)
{
    struct lith_gc_policy policy = job->options->gc;

    do {
        if (job->gc_bytes_left)
            policy.bytes_max = atomic_load(job->gc_bytes_left);
        LITH_TRY(
            lith_gc_plan(view, orphans, orphan_count, &policy, now_ns, job->arena, ret_plan, err));
    } while (!share_take(job, ret_plan->delete_bytes));
    return LITH_OK;
}

static uint64_t braked_count(const struct lith_gc_plan *plan)
{
    uint64_t count = 0;

    for (size_t i = 0; i < plan->item_count; i++)
        count += plan->items[i].verdict == LITH_GC_KEEP_BRAKE ? 1 : 0;
    return count;
}

static enum lith_code view_plan(const struct lith_job *job, const struct lith_view *view,
                                int64_t now_ns, struct lith_gc_plan *ret_plan, struct lith_err *err)
{
    struct lith_orphan_inputs *orphans;
    size_t orphan_count;

    LITH_TRY(lith_gc_orphans_read(job, &view->snapshot, &orphans, &orphan_count, err));
    return plan_in_share(job, view, orphans, orphan_count, now_ns, ret_plan, err);
}

/* What could be deleted is: a file that cannot holds up no other. */
static enum lith_code failures_tell(const struct lith_gc_failures *failures, struct lith_err *err)
{
    if (failures->count == 0)
        return LITH_OK;
    *err = failures->first;
    return lith_failed(err->code);
}

static enum lith_code gc_locked(const struct lith_job *job, struct lith_partition_report *report,
                                struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_gc_failures failures = {0};
    struct lith_gc_plan plan;
    bool stopped = false;
    bool changed = false;
    int64_t now_ns;

    LITH_TRY(lith_folder_now(job->folder, &now_ns, err));
    LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    LITH_TRY(lith_handed_pass(job, &view, report, &changed, err));
    if (report->state == LITH_PARTITION_BLOCKED)
        return LITH_OK;
    if (changed) {
        lith_view_done(&view);
        LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    }
    LITH_TRY(gc_stopped(job, &view, report, &stopped, err));
    if (stopped)
        return LITH_OK;
    LITH_TRY(view_plan(job, &view, now_ns, &plan, err));
    LITH_TRY(files_report(job, &plan, false, report, err));
    report->more_due = braked_count(&plan);
    if (plan.delete_count) {
        LITH_TRY(lith_gc_fence(job, &view, &plan, now_ns, err));
        LITH_TRY(lith_gc_delete(job, &plan, report, &failures, err));
    }
    if (!plan.delete_count && !plan.clean_wanted)
        return LITH_OK;
    lith_view_done(&view); /* what is left to do needs a view as large */
    LITH_TRY(clean(job, &plan, now_ns, report, err));
    return failures_tell(&failures, err);
}

/* What gc_locked would do, by the system's clock: asking the store's one writes. */
static enum lith_code gc_dry(const struct lith_job *job, struct lith_partition_report *report,
                             struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_gc_plan plan;

    LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    if (!lith_view_manifest(&view))
        return LITH_OK;
    LITH_TRY(view_plan(job, &view, job->env->now_ns(job->env), &plan, err));
    LITH_TRY(files_report(job, &plan, true, report, err));
    report->more_due = braked_count(&plan);
    report->deleted = plan.delete_count;
    report->deleted_bytes = plan.delete_bytes;
    return LITH_OK;
}

/* Is something held that no table of the manifest leads to? Of stores that hold nothing: never. */
static bool is_untidy(const struct lith_view *view)
{
    bool found = view->listing.is_unsettled;

    for (size_t i = 0; i < view->snapshot.file_count && !found; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        found = file->state == LITH_FILE_OTHER && file->object->is_held;
    }
    return found;
}

/* Takes away what is held and not needed. Nothing goes where a live file is missing, or was lost
 * not long ago: what is left of it may be there. */
static enum lith_code tidy_locked(const struct lith_job *job, struct lith_partition_report *report,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(view) struct lith_view view = {0};
    const struct lith_gc_policy *policy = &job->options->gc;
    struct lith_manifest_showing showing;
    const char *stray;
    struct lith_tidy tidy = {.grace_ns = policy->reader_grace_ns > policy->orphan_grace_ns
                                             ? policy->reader_grace_ns
                                             : policy->orphan_grace_ns};

    lith_arena_init(&scratch, job->work->mem);
    if (!lith_folder_shows(job->folder))
        return LITH_OK;
    LITH_TRY(lith_folder_now(job->folder, &tidy.now_ns, err));
    LITH_TRY(lith_view_take_list_last(job->folder, job->work->mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    if (!m || m->foreign || view.snapshot.missing_count || view.snapshot.differ_count ||
        lith_gc_is_loss_fresh(m, policy, tidy.now_ns))
        return LITH_OK;
    LITH_TRY(lith_manifest_showing_init(&showing, m, &scratch, err));
    LITH_TRY(lith_folder_tidy(job->folder, &tidy, &showing.base, job->arena, &stray, err));
    if (!report->stray)
        report->stray = stray;
    return LITH_OK;
}

/* What the look without the lock found to do. */
struct due {
    bool deletes; /* or names to take out of the manifest */
    bool events;
    bool tidy;
    bool recovers;
};

static enum lith_code gc_look(const struct lith_job *job, struct lith_partition_report *report,
                              struct due *ret_due, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    bool stopped = false;
    void *text;

    *ret_due = (struct due){0};
    enum lith_code code =
        lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED) {
        LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
        report->state = LITH_PARTITION_BLOCKED;
        report->reason = text;
        return LITH_OK;
    }
    LITH_TRY(code);
    LITH_TRY(gc_stopped(job, &view, report, &stopped, err));
    ret_due->deletes = !stopped;
    ret_due->events = lith_job_events_owed(job, &view);
    ret_due->tidy = is_untidy(&view);
    return LITH_OK;
}

/* What an earlier job owes comes first, whatever else there is to do. */
static enum lith_code work_locked(const struct lith_job *job, const struct due *due,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    bool settled;

    if (due->events)
        LITH_TRY(lith_job_events_repair(job, err));
    LITH_TRY(lith_recovery_run(job, report, &settled, err));
    if (!settled)
        return LITH_OK;
    if (due->deletes || due->recovers)
        LITH_TRY(gc_locked(job, report, err));
    return tidy_locked(job, report, err);
}

static void reason_report(struct lith_partition_report *report, bool dry_run)
{
    if (report->more_due)
        report->reason = "gc_bytes_max keeps files that are past their grace";
    else if (report->deleted)
        report->reason = dry_run ? "can be cleaned" : "cleaned";
    else if (report->file_count && !dry_run)
        report->reason = "nothing that may be deleted";
}

/* Looks without the lock first: where nothing was superseded nothing is locked or written. */
static enum lith_code gc_run(const struct lith_job *job, bool dry_run,
                             struct lith_partition_report *report, struct lith_err *err)
{
    struct due due;

    LITH_TRY(gc_look(job, report, &due, err));
    LITH_TRY(lith_recovery_wanted(job, &due.recovers, err));
    if (due.recovers && dry_run)
        return lith_recovery_foresee(job, report, err);
    if (!due.deletes && (dry_run || !(due.events || due.tidy || due.recovers)))
        return LITH_OK;
    if (!dry_run)
        LITH_TRY(lith_job_lock(job, report, err));
    enum lith_code code = dry_run ? gc_dry(job, report, err) : work_locked(job, &due, report, err);
    if (!dry_run)
        lith_job_unlock(job, report);
    if (code == LITH_OK && report->state == LITH_PARTITION_LEFT)
        reason_report(report, dry_run);
    return code;
}

static enum lith_code gc_begin(const struct lith_job *job, bool dry_run,
                               struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_path_keys keys;

    LITH_TRY(lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &keys, err));
    report->tenant = keys.tenant;
    report->state = LITH_PARTITION_LEFT;
    report->reason = "nothing is past its grace";
    if (job->table_format) {
        report->state = LITH_PARTITION_BLOCKED;
        report->reason = lith_part_reason_text(LITH_PART_TABLE_FORMAT);
        return LITH_OK;
    }
    return gc_run(job, dry_run, report, err);
}

enum lith_code lith_job_gc(const struct lith_job *job, struct lith_partition_report *report,
                           struct lith_err *err)
{
    return gc_begin(job, false, report, err);
}

enum lith_code lith_job_gc_plan(const struct lith_job *job, struct lith_partition_report *report,
                                struct lith_err *err)
{
    return gc_begin(job, true, report, err);
}
