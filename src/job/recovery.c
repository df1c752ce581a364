/*
 * Finishing what journals speak of.
 *
 * All journals of a partition are settled in one go, by one plan of gc that is restricted to what
 * they name: an output that was never committed goes before the inputs that hold its rows. Nothing
 * is committed in vain: what an earlier fence has condemned needs no other one, so that a delete
 * that cannot be done does not fill the log, sweep after sweep.
 */
#include "job/recovery.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "job/gc_orphans.h"
#include "job/gc_steps.h"
#include "job/look.h"
#include "job/pending.h"

/* Between two looks at whether the caller wants the job to stop. */
#define SLEEP_NS_MAX (LITH_SECOND_NS / 20)

struct recovery {
    const struct lith_job *job;
    struct lith_partition_report *report;
    struct lith_pending *pending;
    size_t count;
    struct lith_gc_plan plan;
    struct lith_gc_failures failures;
    const char *stuck; /* why a file stays that no later pass would take either; NULL: none does */
    /* Names, in order, of what is kept for a while, since a file was lost: that is left to gc. */
    const char **kept;
    size_t kept_count;
    const char *unread; /* why it could not be read; NULL: it could */
    bool is_own;        /* the job that wrote it ends: its outputs were read back a moment ago */
    bool is_dry;        /* nothing is changed, not even what is left of journals */
};

enum lith_code lith_recovery_wanted(const struct lith_job *job, bool *ret_wanted,
                                    struct lith_err *err)
{
    size_t begin = 0;
    size_t count = 0;

    LITH_TRY(lith_pending_files(job, &begin, &count, err));
    *ret_wanted = count > 0;
    return LITH_OK;
}

/* Why a journal cannot be gone by, and what to do. */
static enum lith_code refuse(const struct lith_pending *pending, const char *why,
                             struct lith_err *err)
{
    return lith_fail(err, LITH_E_INVALID,
                     "journal " LITH_JOURNAL_FOLDER "/%s/%s: %s; nothing is done here until it is "
                     "restored, or taken away (docs/readers.md says when)",
                     pending->tier, pending->read.object.name, why);
}

/* Reads one that was listed; one that is away by now was settled by somebody else. */
static enum lith_code file_take(struct recovery *r, const struct lith_journal_file *file,
                                struct lith_err *err)
{
    struct lith_pending *pending = &r->pending[r->count];
    struct lith_err why;

    if (file->leftover && r->is_dry)
        return LITH_OK;
    if (file->leftover)
        return lith_journal_leftover_remove(r->job->folder->store, file, err);
    enum lith_code code = lith_pending_read(r->job, file, pending, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_DENIED)
        return refuse(pending, why.text, err);
    if (code != LITH_OK) {
        *err = why;
        return lith_err_prefix(err, "journal " LITH_JOURNAL_FOLDER "/%s/%s", file->tier,
                               file->name);
    }
    r->count++;
    return LITH_OK;
}

static enum lith_code files_take(struct recovery *r, size_t begin, size_t count,
                                 struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(r->job->arena, count, sizeof(*r->pending), &block, err));
    r->pending = block;
    for (size_t i = begin; i < begin + count; i++)
        LITH_TRY(file_take(r, &r->job->journals->files[i], err));
    return LITH_OK;
}

/* Asks the manifest of each (NULL: there is none). */
static enum lith_code judge(struct recovery *r, const struct lith_manifest *m, struct lith_err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const char *why = lith_pending_judge(&r->pending[i], m);
        if (why)
            return refuse(&r->pending[i], why, err);
    }
    return LITH_OK;
}

/* What the journals allow to be taken: nothing else is looked at. */
static enum lith_code named_list(const struct recovery *r, struct lith_gc_policy *policy,
                                 struct lith_err *err)
{
    size_t room = 0;
    void *block;

    for (size_t i = 0; i < r->count; i++) {
        const struct lith_journal *journal = &r->pending[i].read.journal;
        room += r->pending[i].is_committed ? journal->input_count : journal->output_count;
    }
    LITH_TRY(lith_arena_array(r->job->arena, room, sizeof(struct lith_gc_named), &block, err));
    struct lith_gc_named *named = block;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct lith_journal *journal = &r->pending[i].read.journal;
        bool committed = r->pending[i].is_committed;
        for (size_t j = 0; committed && j < journal->input_count; j++)
            named[count++] = (struct lith_gc_named){.name = journal->inputs[j].name,
                                                    .etag = journal->inputs[j].etag,
                                                    .size = journal->inputs[j].size};
        for (size_t j = 0; !committed && j < journal->output_count; j++)
            named[count++] = (struct lith_gc_named){.name = journal->outputs[j].name};
    }
    *policy = (struct lith_gc_policy){.bytes_max = UINT64_MAX,
                                      .loss_grace_ns = r->job->options->gc.loss_grace_ns,
                                      .only_named = true,
                                      .named = named,
                                      .named_count = count};
    return LITH_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What may be all that is left of lost rows stays, as long as gc keeps it. The manifest knows of
 * it: a journal that waited for that would keep the lost file itself from being read when it is
 * back. */
static enum lith_code kept_note(struct recovery *r, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(r->job->arena, r->plan.item_count, sizeof(char *), &block, err));
    r->kept = block;
    for (size_t i = 0; i < r->plan.item_count; i++) {
        const struct lith_gc_item *item = &r->plan.items[i];
        if (item->verdict != LITH_GC_KEEP_LOST)
            continue;
        LITH_TRY(lith_arena_copy(r->job->arena, item->target.name, strlen(item->target.name),
                                 &block, err));
        r->kept[r->kept_count++] = block;
    }
    if (r->kept_count)
        qsort(r->kept, r->kept_count, sizeof(*r->kept), compare_texts);
    return LITH_OK;
}

/* The first other file that the plan keeps, and why. */
static enum lith_code stuck_note(struct recovery *r, struct lith_err *err)
{
    char *text;

    for (size_t i = 0; i < r->plan.item_count && !r->stuck; i++) {
        const struct lith_gc_item *item = &r->plan.items[i];
        if (item->verdict == LITH_GC_DELETE || item->verdict == LITH_GC_KEEP_LOST)
            continue;
        LITH_TRY(lith_arena_format(r->job->arena, &text, err, "%s is %s%s%s", item->file->name,
                                   lith_gc_verdict_text(item->verdict),
                                   item->needed ? ", for want of " : "",
                                   item->needed ? item->needed : ""));
        const struct lith_orphan_inputs *said = lith_gc_orphan_find(&r->plan, item->file->name);
        r->stuck = text;
        r->unread = said ? said->unread : NULL;
    }
    return LITH_OK;
}

/* A job that is taken for dead may only be slow: while the epoch is that of its outputs, it could
 * still commit them, listed or not. */
static bool may_commit(const struct recovery *r, const struct lith_manifest *m)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!r->pending[i].is_committed && lith_pending_epoch(&r->pending[i]) == m->epoch)
            return true;
    }
    return false;
}

/* An output holds what was written, by the journal, the manifest and its bytes alike. */
static enum lith_code output_check(const struct recovery *r, const struct lith_view *view,
                                   const struct lith_pending *pending,
                                   const struct lith_journal_output *output, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_entry *entry = lith_manifest_live(lith_view_manifest(view), output->name);
    char why[LITH_ERR_TEXT_BYTES / 2];
    uint32_t crc;

    if (!entry || !entry->has_crc)
        return LITH_OK;
    const struct lith_object *object = lith_listing_find(&view->listing, output->name);
    if (!object)
        return refuse(pending, "an output of its job is missing", err);
    LITH_TRY(lith_folder_source_open(r->job->folder, object, &source, err));
    LITH_TRY(lith_source_crc32(source, r->job->work->mem, &crc, err));
    bool agrees = !output->is_sealed || output->crc32 == entry->crc32;
    if (agrees && crc == entry->crc32)
        return LITH_OK;
    (void)snprintf(why, sizeof(why),
                   "%.300s has the crc32 %08" PRIx32 ", was written with %08" PRIx32
                   " by the manifest, %08" PRIx32 " by the journal",
                   output->name, crc, entry->crc32, output->crc32);
    return refuse(pending, why, err);
}

/* P10: it was read back before its commit, but the machine may have been cut off since, and a hand
 * may have been at it. Only then may the only other copy of its rows go. */
static enum lith_code outputs_check(const struct recovery *r, const struct lith_view *view,
                                    struct lith_err *err)
{
    for (size_t i = 0; i < r->count && !r->is_own && r->plan.delete_count; i++) {
        const struct lith_pending *pending = &r->pending[i];
        const struct lith_journal *journal = &pending->read.journal;
        for (size_t j = 0; pending->is_committed && j < journal->output_count; j++)
            LITH_TRY(output_check(r, view, pending, &journal->outputs[j], err));
    }
    return LITH_OK;
}

/*
 * A reader that lists a long directory while outputs come and inputs go may meet neither. Whoever
 * began before the outputs were there has ended before the first input goes, if it is not much
 * slower than this look was.
 */
static enum lith_code listings_await(const struct recovery *r, const struct lith_listing *listing,
                                     int64_t began_ns, int64_t listed_ns, struct lith_err *err)
{
    struct lith_env *env = r->job->env;
    size_t entries = listing->object_count + listing->folder_count + listing->other_count;
    int64_t wait_ns = (listed_ns - began_ns) * LITH_LISTING_SLOWNESS;
    bool deletes_inputs = false;

    for (size_t i = 0; i < r->plan.item_count; i++)
        deletes_inputs = deletes_inputs || r->plan.items[i].file->state == LITH_FILE_RETIRED;
    if (!deletes_inputs || entries <= LITH_LISTED_AT_ONCE_MAX)
        return LITH_OK;
    if (wait_ns < LITH_LISTING_WAIT_NS_MIN)
        wait_ns = LITH_LISTING_WAIT_NS_MIN;
    for (;;) {
        int64_t left_ns = wait_ns - (env->monotonic_ns(env) - began_ns);
        LITH_TRY(lith_work_check(r->job->work, err));
        if (left_ns <= 0)
            return LITH_OK;
        env->sleep_ns(env, left_ns < SLEEP_NS_MAX ? left_ns : SLEEP_NS_MAX);
    }
}

/* Asks the manifest, plans, and fences. */
static enum lith_code plan_and_fence(struct recovery *r, int64_t now_ns, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_orphan_inputs *orphans;
    struct lith_gc_policy policy;
    size_t orphan_count;
    struct lith_env *env = r->job->env;
    int64_t began_ns = env->monotonic_ns(env);

    LITH_TRY(lith_view_take(r->job->folder, LITH_SNAPSHOT_OPEN, r->job->work->mem, &view, err));
    int64_t listed_ns = env->monotonic_ns(env);
    const struct lith_manifest *m = lith_view_manifest(&view);
    LITH_TRY(judge(r, m, err));
    LITH_TRY(named_list(r, &policy, err));
    LITH_TRY(lith_gc_orphans_read(r->job, &view.snapshot, &orphans, &orphan_count, err));
    LITH_TRY(
        lith_gc_plan(&view, orphans, orphan_count, &policy, now_ns, r->job->arena, &r->plan, err));
    LITH_TRY(kept_note(r, err));
    LITH_TRY(stuck_note(r, err));
    LITH_TRY(outputs_check(r, &view, err));
    r->plan.fence_wanted = r->plan.fence_wanted || may_commit(r, m);
    LITH_TRY(lith_gc_fence(r->job, &view, &r->plan, now_ns, err));
    LITH_TRY(listings_await(r, &view.listing, began_ns, listed_ns, err));
    return lith_gc_delete(r->job, &r->plan, r->report, &r->failures, err);
}

static enum lith_code look_and_clean(struct recovery *r, int64_t now_ns, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take_list_last(r->job->folder, r->job->work->mem, &view, err));
    if (!lith_view_manifest(&view))
        return lith_fail(err, LITH_E_CONFLICT, "the manifest was taken away");
    for (size_t i = 0; i < r->count; i++)
        r->pending[i].is_done =
            lith_pending_left(&r->pending[i], &view.snapshot, r->kept, r->kept_count) == 0;
    r->report->held_bytes = 0;
    r->report->held_until_ns = 0;
    lith_held_report(&view.snapshot, r->job, r->report);
    return lith_gc_clean(r->job, &view, &r->plan, now_ns, err);
}

static enum lith_code journals_remove(const struct recovery *r, struct lith_err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!r->pending[i].is_done)
            continue;
        LITH_TRY(lith_journal_remove(r->job->folder->store, r->pending[i].tier,
                                     &r->pending[i].read.object, err));
        r->job->env->step(r->job->env, LITH_JOB_STEP_UNJOURNALED);
    }
    return LITH_OK;
}

/* What is left, as a failure: INVALID where it needs a hand, else to be tried again. */
static enum lith_code left_tell(const struct recovery *r, struct lith_err *err)
{
    const struct lith_pending *left = NULL;

    for (size_t i = 0; i < r->count; i++)
        left = r->pending[i].is_done ? left : &r->pending[i];
    if (!left)
        return LITH_OK;
    if (r->failures.count)
        return lith_fail(err, LITH_E_TRANSIENT,
                         "files that could not be deleted: %" PRIu64 " (%s); run again",
                         r->failures.count, r->failures.first.text);
    if (r->unread)
        return lith_fail(err, LITH_E_TRANSIENT, "%s (%s); run again", r->stuck, r->unread);
    if (r->stuck)
        return refuse(left, r->stuck, err);
    return lith_fail(err, LITH_E_TRANSIENT, "files that were deleted are still listed; run again");
}

static enum lith_code settle(struct recovery *r, struct lith_err *err)
{
    int64_t now_ns;

    if (r->count == 0)
        return LITH_OK;
    LITH_TRY(lith_folder_now(r->job->folder, &now_ns, err));
    LITH_TRY(plan_and_fence(r, now_ns, err));
    LITH_TRY(look_and_clean(r, now_ns, err));
    /* Also what was done by somebody who was cut off, and is only seen. */
    LITH_TRY(lith_folder_sync(r->job->folder, err));
    LITH_TRY(journals_remove(r, err));
    return left_tell(r, err);
}

static enum lith_code listed_settle(struct recovery *r, size_t begin, size_t count,
                                    struct lith_err *err)
{
    LITH_TRY(files_take(r, begin, count, err));
    return settle(r, err);
}

/* As far as that goes without the lock and without a change. */
static enum lith_code listed_judge(struct recovery *r, size_t begin, size_t count,
                                   struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(files_take(r, begin, count, err));
    if (r->count == 0)
        return LITH_OK;
    LITH_TRY(lith_view_take(r->job->folder, LITH_SNAPSHOT_OPEN, r->job->work->mem, &view, err));
    return judge(r, lith_view_manifest(&view), err);
}

/* What stops the work on a partition is a state of it; other failures are the job's. */
static enum lith_partition_state state_of(enum lith_code code)
{
    if (code == LITH_E_INVALID || code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return LITH_PARTITION_BLOCKED;
    if (code == LITH_E_TRANSIENT || code == LITH_E_IO || code == LITH_E_DENIED)
        return LITH_PARTITION_PENDING;
    return LITH_PARTITION_FAILED;
}

static enum lith_code reason_take(const struct lith_job *job, const char *what,
                                  const struct lith_err *why, struct lith_partition_report *report,
                                  struct lith_err *err)
{
    char *text;

    LITH_TRY(lith_arena_format(job->arena, &text, err, "%s%s", what, why->text));
    report->reason = text;
    return LITH_OK;
}

static enum lith_code stop_report(const struct lith_job *job, const struct lith_err *why,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    enum lith_partition_state state = state_of(why->code);

    if (state == LITH_PARTITION_FAILED) {
        *err = *why;
        return why->code;
    }
    report->state = state;
    return reason_take(job, "", why, report, err);
}

enum lith_code lith_recovery_foresee(const struct lith_job *job,
                                     struct lith_partition_report *report, struct lith_err *err)
{
    struct recovery r = {.job = job, .report = report, .is_dry = true};
    struct lith_err why;
    size_t begin = 0;
    size_t count = 0;

    LITH_TRY(lith_pending_files(job, &begin, &count, err));
    if (count == 0)
        return LITH_OK;
    if (listed_judge(&r, begin, count, &why) != LITH_OK)
        return stop_report(job, &why, report, err);
    if (report->state == LITH_PARTITION_BLOCKED)
        return LITH_OK;
    report->state = LITH_PARTITION_PENDING;
    report->reason = "a job is at work here, or was cut off: the next compact finishes it first";
    return LITH_OK;
}

enum lith_code lith_recovery_run(const struct lith_job *job, struct lith_partition_report *report,
                                 bool *ret_settled, struct lith_err *err)
{
    struct recovery r = {.job = job, .report = report};
    struct lith_err why;
    size_t begin = 0;
    size_t count = 0;

    *ret_settled = true;
    LITH_TRY(lith_pending_files(job, &begin, &count, err));
    if (count == 0)
        return LITH_OK;
    if (listed_settle(&r, begin, count, &why) == LITH_OK)
        return LITH_OK;
    *ret_settled = false;
    return stop_report(job, &why, report, err);
}

static enum lith_code own_settle(struct lith_job_journal *journal,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_pending pending = {.tier = LITH_JOURNAL_TIER};
    struct recovery r = {
        .job = journal->job, .report = report, .pending = &pending, .count = 1, .is_own = true};

    LITH_TRY(lith_journal_name(journal->value.partition, journal->value.job_id, journal->job->arena,
                               &pending.read.object.name, err));
    pending.read.object.etag = journal->blob.etag;
    pending.read.object.size = journal->blob.bytes;
    pending.read.journal = journal->value;
    return settle(&r, err);
}

void lith_recovery_finish(struct lith_job_journal *journal, struct lith_partition_report *report)
{
    struct lith_err ignored;
    struct lith_err why;

    if (!journal->job || own_settle(journal, report, &why) == LITH_OK)
        return;
    report->state = LITH_PARTITION_PENDING;
    if (reason_take(journal->job, "compacted; ", &why, report, &ignored) != LITH_OK)
        report->reason = "compacted; what was merged could not be deleted: run again";
}

void lith_recovery_undo(struct lith_job_journal *journal, struct lith_partition_report *report)
{
    struct lith_err ignored;

    if (!journal->job || !journal->blob.etag)
        return;
    if (lith_job_journal_ensure(journal, &ignored) == LITH_OK)
        (void)!own_settle(journal, report, &ignored);
}
