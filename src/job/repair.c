/*
 * Repairing one partition: a live set with files that vanished, or a manifest that was lost.
 *
 * What is there decides, and is read before anything is taken for replaced; where it can be read in
 * two ways nothing is done. One commit, as of a restore whose manifest is made up. docs/fsck.md.
 */
#include <string.h>

#include "job/by_hand.h"
#include "job/events.h"
#include "job/repair_manifest.h"
#include "job/repair_missing.h"
#include "job/repair_report.h"

#define REMEDY_BAD                                                                                 \
    "lithify fsck --restore FILE PARTITION puts a copy back; or move it out of the directory, "    \
    "and "                                                                                         \
    "lithify fsck --repair makes one from what the files say"

static enum lith_code blocked(const struct lith_job *job, const char *reason,
                              struct lith_partition_report *report, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(job->arena, reason, strlen(reason), &copy, err));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = copy;
    return LITH_OK;
}

static enum lith_code left(struct lith_partition_report *report)
{
    report->state = LITH_PARTITION_LEFT;
    report->reason = "nothing to repair";
    return LITH_OK;
}

/* Is there something to do? Fills the commit; *ret_why: why it cannot be done. */
static enum lith_code plan_make(struct lith_repair_try *t, bool *ret_due, const char **ret_why,
                                struct lith_err *err)
{
    *ret_why = NULL;
    *ret_due = false;
    if (t->place.manifest) {
        LITH_TRY(lith_repair_missing_plan(t, ret_due, ret_why, err));
        return *ret_due && !*ret_why ? lith_repair_missing_fill(t, err) : LITH_OK;
    }
    LITH_TRY(lith_repair_manifest_plan(t, ret_due, ret_why, err));
    return *ret_due && !*ret_why ? lith_repair_manifest_fill(t, err) : LITH_OK;
}

static enum lith_code bad_report(const struct lith_repair_try *t,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    char *reason;

    LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                               "%s cannot be read: %.500s. " REMEDY_BAD, t->place.bad,
                               t->place.why.text));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = reason;
    return LITH_OK;
}

static enum lith_code try_run(struct lith_repair_try *t, struct lith_partition_report *report,
                              struct lith_err *err)
{
    struct lith_partition_report told = *report;
    struct lith_manifest next;
    struct lith_stamp stamp;
    const char *why;
    bool due;

    enum lith_code code = lith_in_place_take(t->job, &t->place, err);
    if (code == LITH_E_INVALID)
        return blocked(t->job, err->text, report, err);
    LITH_TRY(code);
    if (t->place.bad)
        return bad_report(t, report, err);
    LITH_TRY(plan_make(t, &due, &why, err));
    if (!due)
        return left(report);
    if (why)
        return blocked(t->job, why, report, err);
    LITH_TRY(lith_by_hand_stamp(t->job, t->dry_run, &stamp, err));
    LITH_TRY(lith_commit_restore(t->place.manifest, &t->commit, &stamp, &t->arena, &next, err));
    LITH_TRY(lith_by_hand_report(t->job, &t->place.view, &next, &told, err));
    LITH_TRY(lith_repair_report(t, &told, err));
    if (!t->dry_run)
        LITH_TRY(lith_in_place_commit(t->job, &t->place, &next, err));
    *report = told;
    return LITH_OK;
}

static enum lith_code attempt(const struct lith_job *job, void *ctx,
                              struct lith_partition_report *report, struct lith_err *err)
{
    const bool *dry_run = ctx;
    struct lith_repair_try t = {.job = job, .dry_run = *dry_run};

    lith_arena_init(&t.arena, job->work->mem);
    enum lith_code code = try_run(&t, report, err);
    lith_in_place_done(&t.place);
    lith_arena_done(&t.arena);
    return code;
}

/* A manifest that names what is there needs no lock. A command that was killed may have made it so:
 * then it must last. */
static enum lith_code is_whole(const struct lith_job *job, bool dry_run, bool *ret_whole,
                               struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    *ret_whole = false;
    enum lith_code code =
        lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return LITH_OK;
    LITH_TRY(code);
    const struct lith_manifest *m = lith_view_manifest(&view);
    *ret_whole =
        m && !m->foreign && view.snapshot.missing_count == 0 && view.snapshot.differ_count == 0;
    if (*ret_whole && !dry_run && lith_job_events_owed(job, &view))
        return lith_folder_sync(job->folder, err);
    return LITH_OK;
}

enum lith_code lith_job_repair(const struct lith_job *job, bool dry_run,
                               struct lith_partition_report *report, struct lith_err *err)
{
    bool whole;

    LITH_TRY(is_whole(job, dry_run, &whole, err));
    if (whole && !job->table_format)
        return left(report);
    return lith_by_hand_run(job, dry_run, attempt, &dry_run, report, err);
}
