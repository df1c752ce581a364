/*
 * Compacting one partition: look, lock, look again, fold, adopt, lease, merge, commit.
 *
 * Footers are read before anything is written, so that a partition which only looks due (its files
 * do not join, say) is left as it is, sweep after sweep. From the lease on the job works from one
 * view; its commit holds only if the manifest still is the one of that view. DESIGN.md section 5.
 */
#include "job/job.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "job/commits.h"
#include "job/events.h"
#include "job/fold.h"
#include "job/handed.h"
#include "job/hold.h"
#include "job/late.h"
#include "job/merge_step.h"
#include "job/prepare.h"
#include "job/recovery.h"
#include "job/set_notes.h"
#include "lake/commit.h"

/* How often one pass starts over because a file turned out to be damaged and was set aside. */
#define ROUNDS_MAX 8u

/* A merge that is to be committed. */
struct result {
    struct lith_merge_step *step;
    struct lith_compact compact; /* of the step; texts in the job's arena */
    struct lith_stamp stamp;     /* drawn before the merge: a journal bears its id */
};

/* After a lost commit: reads manifest, then list, and tries once more where that is allowed. */
static enum lith_code commit_again(const struct lith_job *job, const struct result *result,
                                   uint64_t epoch, struct lith_err *err)
{
    const struct lith_stamp *stamp = &result->stamp;
    const struct lith_merge_step *step = result->step;
    LITH_AUTO(view) struct lith_view view = {0};
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_attempt attempt = {
        .commit_id = stamp->commit_id,
        .epoch = epoch,
        .inputs = step->inputs,
        .input_count = step->input_count,
        .outputs = step->outputs.entries,
        .output_count = step->outputs.count,
    };
    struct lith_manifest next;
    const char *why = "";

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_view_take_list_last(job->folder, job->work->mem, &view, err));
    switch (lith_commit_judge(&view, &attempt, &why)) {
    case LITH_RETRY_DONE:
        lith_job_events_settle(job, lith_view_manifest(&view));
        return LITH_OK;
    case LITH_RETRY_AGAIN:
        break;
    case LITH_RETRY_DROP:
        return lith_fail(err, LITH_E_CONFLICT,
                         "another program committed first (%s); the work is "
                         "dropped, nothing was deleted",
                         why);
    }
    LITH_TRY(lith_commit_compact(lith_view_manifest(&view), &result->compact, stamp, &arena, &next,
                                 err));
    return lith_job_commit(job, &view, &next, err);
}

static enum lith_code result_fill(const struct lith_job *job, const struct lith_look *look,
                                  const struct lith_set_notes *notes, struct result *ret_result,
                                  struct lith_err *err)
{
    const struct lith_merge_step *step = ret_result->step;

    ret_result->compact = (struct lith_compact){
        .inputs = step->inputs,
        .input_count = step->input_count,
        .outputs = step->outputs.entries,
        .output_count = step->outputs.count,
        .policy_hash = job->options->policy_hash,
        .settled = look->plan.settled,
    };
    ret_result->compact.output_set = notes->input_set;
    LITH_TRY(lith_set_notes_list(notes, step, job->arena, &ret_result->compact.sets, err));
    ret_result->compact.sets.hash = job->options->sets_hash;
    return LITH_OK;
}

static enum lith_code outputs_commit(const struct lith_job *job, const struct lith_look *look,
                                     struct result *result, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base = lith_view_manifest(&look->view);
    struct lith_manifest next;
    enum lith_put put;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_commit_compact(base, &result->compact, &result->stamp, &arena, &next, err));
    LITH_TRY(lith_job_put(job, &look->view, &next, &put, err));
    if (put == LITH_PUT_UNKNOWN)
        return lith_job_unknown(err);
    if (put == LITH_PUT_LOST)
        return commit_again(job, result, base->epoch, err);
    return LITH_OK;
}

/* From here on the outputs can be seen: nothing that takes long comes between. */
static enum lith_code publish_commit(const struct lith_job *job, const struct lith_look *look,
                                     struct result *result, struct lith_err *err)
{
    LITH_TRY(lith_folder_now(job->folder, &result->stamp.at_ns, err));
    LITH_TRY(lith_job_outputs_publish(&result->step->outputs, err));
    return outputs_commit(job, look, result, err);
}

/* A key column that is missing checks nothing; one that was asked for may be a typo. The commit is
 * made: for want of memory the reason is a shorter one, and no failure. */
static const char *compacted_reason(const struct lith_job *job, const struct lith_look *look,
                                    const struct lith_merge_step *step, struct lith_err *ignored)
{
    static const char plain[] = "compacted";
    const char *uncompared = look->book.uncompared;
    char *reason = NULL;
    enum lith_code code = LITH_OK;

    if (job->options->key_columns_given && step->missing_key)
        code = lith_arena_format(job->arena, &reason, ignored,
                                 "%s: key column %.100s was not checked, its files have no "
                                 "top-level column of that name",
                                 plain, step->missing_key);
    if (uncompared && code == LITH_OK)
        code = lith_arena_format(job->arena, &reason, ignored, "%s%s%s", reason ? reason : plain,
                                 reason ? "; " : ": ", uncompared);
    return code == LITH_OK && reason ? reason : plain;
}

static void report_outputs(const struct lith_job *job, const struct lith_look *look,
                           const struct result *result, struct lith_partition_report *report,
                           struct lith_err *ignored)
{
    const struct lith_merge_step *step = result->step;
    int64_t until_ns = INT64_MAX;

    report->state = LITH_PARTITION_COMPACTED;
    report->reason = compacted_reason(job, look, step, ignored);
    report->inputs = step->input_count;
    report->outputs = step->outputs.count;
    report->input_bytes = look->plan.input_bytes;
    report->output_bytes = step->outputs.bytes;
    report->rows = step->outputs.rows;
    report->refuted = step->refuted;
    report->conflicts = result->compact.sets.conflicts;
    report->conflict_count = result->compact.sets.conflict_count;
    report->files_after = report->files_before - step->input_count + step->outputs.count;
    report->held_bytes += look->plan.input_bytes;
    if (!lith_add_i64(result->stamp.at_ns, job->options->gc.reader_grace_ns, &until_ns))
        until_ns = INT64_MAX;
    if (until_ns > report->held_until_ns)
        report->held_until_ns = until_ns;
}

/*
 * What the next pass would merge: files of other schemas, or beyond max_inputs. Only told: a look
 * that fails undoes no commit. One file alone is never due. The list alone would not do: files
 * that do not join look due in it.
 */
static void report_more(const struct lith_job *job, struct lith_look *look,
                        struct lith_partition_report *report, struct lith_err *ignored)
{
    if (report->files_after < 2)
        return;
    if (lith_look_again(look, job, ignored) == LITH_OK && look->plan.reason == LITH_PART_DUE)
        report->more_due = look->plan.input_count;
}

/* The merge of the plan's inputs, and its commit. */
static enum lith_code merge_commit(const struct lith_job *job, struct lith_look *look,
                                   struct lith_merge_step *step,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base;
    struct lith_set_notes notes;
    struct lith_job_journal journal;
    struct result result = {.step = step};

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_job_base(&look->view, &base, err));
    LITH_TRY(lith_set_notes_take(look, &arena, &notes, err));
    lith_fact_book_forget(&look->book);
    lith_job_stamp_at(job, look->now_ns, &result.stamp);
    lith_job_journal_init(&journal, job, result.stamp.commit_id);
    result.stamp.journal = journal.job != NULL;
    step->journal = &journal;
    enum lith_code code = lith_merge_step_run(step, job, base, &look->plan, err);
    if (code == LITH_OK)
        code = result_fill(job, look, &notes, &result, err);
    if (code == LITH_OK)
        code = publish_commit(job, look, &result, err);
    if (code != LITH_OK) {
        lith_recovery_undo(&journal, report);
        return code;
    }
    report_outputs(job, look, &result, report, err);
    lith_recovery_finish(&journal, report);
    return LITH_OK;
}

/* One merge and its commit. *ret_again: a damaged input was set aside instead. */
static enum lith_code merge_round(const struct lith_job *job, struct lith_look *look,
                                  struct lith_partition_report *report, bool *ret_again,
                                  struct lith_err *err)
{
    struct lith_merge_step step = {0};
    void *text;

    *ret_again = false;
    enum lith_code code = merge_commit(job, look, &step, report, err);
    lith_merge_step_done(&step);
    if (code == LITH_E_LIMIT && look->plan.input_count >= LITH_TRIM_FILES_MIN)
        return lith_err_prefix(err, "%zu inputs among %zu files (fewer --max-inputs take less)",
                               look->plan.input_count, look->view.listing.object_count);
    if (code == LITH_OK || !step.bad_input)
        return code;
    LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
    LITH_TRY(lith_set_aside(job, &look->view, step.bad_input, text, err));
    *ret_again = true;
    return LITH_OK;
}

/* What a job would merge must belong to the path: what its statistics do not prove is decoded, and
 * what is found is written down. *ret_again: the look is to be taken again. */
static enum lith_code inputs_settle(const struct lith_job *job, struct lith_look *look,
                                    struct lith_partition_report *report, bool *ret_again,
                                    struct lith_err *err)
{
    bool changed;

    LITH_TRY(lith_look_settle(look, job, LITH_PATH_CHECK_ALL, ret_again, err));
    return *ret_again ? lith_fold_commit(job, look, false, &report->folded, &changed, err)
                      : LITH_OK;
}

/* From here on nobody else can commit, and all inputs of the plan belong: also one that came while
 * the lease was taken. */
static enum lith_code begin(const struct lith_job *job, struct lith_look *look,
                            struct lith_partition_report *report, bool *ret_again,
                            struct lith_err *err)
{
    LITH_TRY(inputs_settle(job, look, report, ret_again, err));
    if (*ret_again)
        return LITH_OK;
    LITH_TRY(lith_prepare_lease(job, look, err));
    return inputs_settle(job, look, report, ret_again, err);
}

/* What is held back still has late files named, where there is a manifest: that takes next to no
 * room, and strict readers wait for it. An adoption serves the merge alone. */
static bool is_worth_the_lock(const struct lith_job *job, const struct lith_look *look,
                              const struct lith_hold *hold)
{
    return hold->reason ? lith_view_manifest(&look->view) && lith_late_foldable(look, job)
                        : lith_look_wants_work(look, job);
}

static bool is_handed(const struct lith_look *look)
{
    const struct lith_manifest *m = lith_view_manifest(&look->view);

    return m && m->has_handed;
}

/* What waits for a roll-up is settled first: nothing else may move it. */
static enum lith_code look_settled(const struct lith_job *job, struct lith_look *look,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    bool changed;

    report->state = LITH_PARTITION_LEFT;
    LITH_TRY(lith_look_again(look, job, err));
    LITH_TRY(lith_handed_pass(job, &look->view, report, &changed, err));
    return changed ? lith_look_again(look, job, err) : LITH_OK;
}

/* Where no lock keeps a roll-up out, files may be handed to it behind all that. */
static enum lith_code handed_check(const struct lith_look *look, struct lith_err *err)
{
    if (!is_handed(look))
        return LITH_OK;
    return lith_fail(err, LITH_E_CONFLICT, "its files are being rolled up into %s",
                     lith_view_manifest(&look->view)->handed.parent);
}

/* The part that holds the lock. */
static enum lith_code compact_locked(const struct lith_job *job, struct lith_look *look,
                                     struct lith_partition_report *report, struct lith_err *err)
{
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        struct lith_hold hold;
        bool again = false;
        LITH_TRY(look_settled(job, look, report, err));
        if (report->state == LITH_PARTITION_BLOCKED)
            return LITH_OK;
        LITH_TRY(lith_hold_find(job, look, &hold, err));
        if (is_worth_the_lock(job, look, &hold))
            LITH_TRY(lith_prepare_manifest(job, look, &report->folded, err));
        bool wanted =
            !hold.reason && lith_look_wants_work(look, job) && look->plan.reason == LITH_PART_DUE;
        if (wanted)
            LITH_TRY(begin(job, look, report, &again, err));
        if (again)
            continue;
        LITH_TRY(handed_check(look, err));
        LITH_TRY(lith_look_report(look, job, report, err));
        lith_hold_report(&hold, report);
        if (!wanted || look->plan.reason != LITH_PART_DUE)
            return LITH_OK;
        LITH_TRY(merge_round(job, look, report, &again, err));
        if (again)
            continue;
        report_more(job, look, report, err);
        return LITH_OK;
    }
    return lith_fail(err, LITH_E_CORRUPT,
                     "%u damaged files were set aside in one pass; the next one goes on",
                     ROUNDS_MAX);
}

/* Neither due nor with files to name, and nothing owed: a job would find the same. */
static bool is_at_rest(const struct lith_job *job, const struct lith_look *look)
{
    if (lith_job_events_owed(job, &look->view) || look->view.listing.is_unsettled ||
        is_handed(look))
        return false;
    return lith_part_reason_stops(look->plan.reason) ||
           (look->plan.reason != LITH_PART_DUE && !lith_late_waits(look, job));
}

enum lith_code lith_job_glance(const struct lith_job *job, const struct lith_listing *listing,
                               struct lith_glance *ret_glance, struct lith_partition_report *report,
                               struct lith_err *err)
{
    struct lith_look look;
    bool recovers = false;

    enum lith_code code = lith_look_init(&look, job, err);
    look.listing_only = true;
    if (code == LITH_OK)
        code = lith_look_listed(&look, job, listing, err);
    if (code == LITH_OK)
        code = lith_recovery_wanted(job, &recovers, err);
    if (code == LITH_OK) {
        *ret_glance = (struct lith_glance){.gain = look.plan.gain,
                                           .waiting_ns = look.plan.waiting_ns,
                                           .at_rest = !recovers && is_at_rest(job, &look)};
        if (ret_glance->at_rest)
            code = lith_look_report(&look, job, report, err);
    }
    lith_look_done(&look);
    return code;
}

/* Blocked for its rows, a partition has its late files named all the same. */
static bool may_write(const struct lith_look *look, const struct lith_partition_report *report)
{
    return report->state != LITH_PARTITION_BLOCKED || look->plan.reason == LITH_PART_MISPLACED;
}

static bool has_replaced(const struct lith_snapshot *snapshot)
{
    bool has = false;

    for (size_t i = 0; i < snapshot->file_count; i++)
        has = has || (snapshot->files[i].state == LITH_FILE_LIVE && snapshot->files[i].differs);
    return has;
}

/*
 * A live file that its writer has replaced keeps a journal from its deletes until the manifest
 * names the new one; nothing else would see to that while the journal waits. Where the journal is
 * not about this manifest nothing in it is to be believed.
 */
static enum lith_code replaced_name(const struct lith_job *job, struct lith_look *look,
                                    struct lith_partition_report *report, bool *settled,
                                    struct lith_err *err)
{
    struct lith_partition_report foreseen = {0};

    LITH_TRY(lith_recovery_foresee(job, &foreseen, err));
    if (foreseen.state != LITH_PARTITION_PENDING)
        return LITH_OK;
    LITH_TRY(lith_look_again(look, job, err));
    if (!has_replaced(&look->view.snapshot) || !lith_late_foldable(look, job))
        return LITH_OK;
    LITH_TRY(lith_prepare_manifest(job, look, &report->folded, err));
    report->state = LITH_PARTITION_LEFT;
    report->reason = NULL;
    return lith_recovery_run(job, report, settled, err);
}

/* What an earlier job owes comes first, whatever else there is to do: events, then what its journal
 * speaks of. */
static enum lith_code work_locked(const struct lith_job *job, struct lith_look *look, bool wanted,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    bool settled;

    if (lith_job_events_owed(job, &look->view))
        LITH_TRY(lith_job_events_repair(job, err));
    LITH_TRY(lith_recovery_run(job, report, &settled, err));
    if (!settled && wanted)
        LITH_TRY(replaced_name(job, look, report, &settled, err));
    return wanted && settled ? compact_locked(job, look, report, err) : LITH_OK;
}

/* What the first look, without the lock, leads to. *ret_wanted: there may be work. */
static enum lith_code first_look(const struct lith_job *job, struct lith_look *look,
                                 struct lith_partition_report *report, bool *ret_wanted,
                                 struct lith_err *err)
{
    struct lith_hold hold = {0};

    LITH_TRY(lith_look_first(look, job, report, err));
    *ret_wanted = is_handed(look);
    if (*ret_wanted || !may_write(look, report))
        return LITH_OK;
    LITH_TRY(lith_hold_find(job, look, &hold, err));
    lith_hold_report(&hold, report);
    *ret_wanted = look->view.listing.is_unsettled || is_worth_the_lock(job, look, &hold);
    return LITH_OK;
}

enum lith_code lith_job_compact(const struct lith_job *job, struct lith_partition_report *report,
                                struct lith_err *err)
{
    bool wanted = false;
    struct lith_look look;
    bool recovers = false;

    enum lith_code code = lith_look_init(&look, job, err);
    if (code == LITH_OK)
        code = first_look(job, &look, report, &wanted, err);
    if (code == LITH_OK)
        code = lith_recovery_wanted(job, &recovers, err);
    /* The lock settles: a directory that was replaced may have got files that nobody has seen. */
    if (code == LITH_OK && (wanted || recovers || look.view.listing.is_unsettled ||
                            lith_job_events_owed(job, &look.view))) {
        code = lith_job_lock(job, report, err);
        if (code == LITH_OK) {
            code = work_locked(job, &look, wanted, report, err);
            lith_job_unlock(job, report);
        }
    }
    lith_look_done(&look);
    return code;
}
