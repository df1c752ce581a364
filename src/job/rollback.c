/*
 * Undoing the last compaction of one partition.
 *
 * The manifest is read first and the list made after it, so that every input that comes back was
 * there after the moment at which it was still superseded; the commit holds only on that manifest.
 * DESIGN.md section 5, Rollback.
 */
#include "job/by_hand.h"
#include "job/commits.h"

static enum lith_code attempt(const struct lith_job *job, void *ctx,
                              struct lith_partition_report *report, struct lith_err *err)
{
    const bool *dry_run = ctx;
    struct lith_partition_report told = *report;
    LITH_AUTO(view) struct lith_view view = {0};
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_manifest next;
    struct lith_stamp stamp;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_view_take_list_last(job->folder, job->work->mem, &view, err));
    if (!lith_view_manifest(&view))
        return lith_fail(err, LITH_E_INVALID,
                         "rollback: there is no manifest, so nobody knows of a compaction to go "
                         "back behind; lithify fsck says whether one was lost");
    LITH_TRY(lith_by_hand_stamp(job, *dry_run, &stamp, err));
    LITH_TRY(
        lith_commit_rollback(lith_view_manifest(&view), &view.listing, &stamp, &arena, &next, err));
    LITH_TRY(lith_by_hand_report(job, &view, &next, &told, err));
    told.reason = *dry_run ? "can be rolled back" : "rolled back";
    if (!*dry_run)
        LITH_TRY(lith_job_commit(job, &view, &next, err));
    *report = told;
    return LITH_OK;
}

enum lith_code lith_job_rollback(const struct lith_job *job, bool dry_run,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    if (job->options->readers == LITH_READERS_GLOB)
        return lith_fail(err, LITH_E_INVALID,
                         "rollback: with readers = glob what was merged is deleted at once; there "
                         "is nothing to go back to");
    return lith_by_hand_run(job, dry_run, attempt, &dry_run, report, err);
}
