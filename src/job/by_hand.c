/*
 * Changes of a live set by hand: begun, tried, told.
 */
#include "job/by_hand.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "job/commits.h"
#include "job/handed.h"
#include "job/look.h"

static enum lith_code tries_run(const struct lith_job *job, bool dry_run, lith_by_hand_fn attempt,
                                void *ctx, struct lith_partition_report *report,
                                struct lith_err *err)
{
    enum lith_code code = LITH_E_CONFLICT;

    for (unsigned tries = 0; code == LITH_E_CONFLICT && tries < LITH_LOOK_AGAIN_MAX; tries++) {
        LITH_TRY(lith_work_check(job->work, err));
        code = attempt(job, ctx, report, err);
        if (dry_run)
            break;
    }
    return code;
}

/* A manifest that cannot be read is a state of the partition, not a failure of the call. */
static enum lith_code blocked_or(const struct lith_job *job, enum lith_code code,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    void *text;

    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
        return code;
    LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = text;
    return LITH_OK;
}

enum lith_code lith_by_hand_run(const struct lith_job *job, bool dry_run, lith_by_hand_fn attempt,
                                void *ctx, struct lith_partition_report *report,
                                struct lith_err *err)
{
    struct lith_path_keys keys;

    LITH_TRY(lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &keys, err));
    report->tenant = keys.tenant;
    if (job->table_format) {
        report->state = LITH_PARTITION_BLOCKED;
        report->reason = lith_part_reason_text(LITH_PART_TABLE_FORMAT);
        return LITH_OK;
    }
    if (!dry_run)
        LITH_TRY(lith_job_lock(job, report, err));
    /* It may turn out that a command that was killed has done it already: that must last. */
    enum lith_code code = dry_run ? LITH_OK : lith_folder_sync(job->folder, err);
    if (code == LITH_OK && !dry_run)
        code = lith_handed_settle_now(job, err);
    if (code == LITH_OK)
        code = tries_run(job, dry_run, attempt, ctx, report, err);
    if (!dry_run)
        lith_job_unlock(job, report);
    return blocked_or(job, code, report, err);
}

enum lith_code lith_by_hand_stamp(const struct lith_job *job, bool dry_run,
                                  struct lith_stamp *ret_stamp, struct lith_err *err)
{
    if (!dry_run)
        return lith_job_stamp(job, ret_stamp, err);
    lith_stamp_draw(job->env, job->env->now_ns(job->env), ret_stamp);
    return LITH_OK;
}

/* Is it in the table that it is in by this very commit? */
static bool is_moved(const struct lith_snapshot_file *file, const struct lith_manifest *next)
{
    return file->entry && file->entry->commit_id &&
           (file->state == LITH_FILE_LIVE || file->state == LITH_FILE_RETIRED) &&
           strcmp(file->entry->commit_id, next->commit_id) == 0;
}

static enum lith_code file_report(const struct lith_job *job, const struct lith_snapshot_file *file,
                                  struct lith_file_report *to, struct lith_err *err)
{
    void *name;

    LITH_TRY(lith_arena_copy(job->arena, file->name, strlen(file->name), &name, err));
    *to = (struct lith_file_report){
        .name = name,
        .bytes = file->entry->size,
        .is_input = file->state == LITH_FILE_RETIRED,
        .reason = file->state == LITH_FILE_LIVE ? "becomes live" : "leaves the live set",
    };
    return LITH_OK;
}

static void file_count(const struct lith_snapshot_file *file, struct lith_partition_report *report,
                       uint64_t *rows_out)
{
    const struct lith_entry *entry = file->entry;

    if (file->state == LITH_FILE_LIVE) {
        report->outputs++;
        report->output_bytes += entry->size;
        report->rows += entry->rows;
    } else {
        report->inputs++;
        report->input_bytes += entry->size;
        *rows_out += entry->rows;
    }
}

static enum lith_code files_report(const struct lith_job *job, const struct lith_snapshot *after,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    uint64_t rows_out = 0;
    size_t room = 0;
    void *block;

    for (size_t i = 0; i < after->file_count; i++)
        room += is_moved(&after->files[i], after->manifest);
    LITH_TRY(lith_arena_array(job->arena, room, sizeof(struct lith_file_report), &block, err));
    struct lith_file_report *to = block;
    report->files = to;
    report->file_count = room;
    for (size_t i = 0; i < after->file_count; i++) {
        if (!is_moved(&after->files[i], after->manifest))
            continue;
        LITH_TRY(file_report(job, &after->files[i], to++, err));
        file_count(&after->files[i], report, &rows_out);
    }
    if (report->outputs == 0)
        report->rows = rows_out;
    return LITH_OK;
}

enum lith_code lith_by_hand_report(const struct lith_job *job, const struct lith_view *view,
                                   const struct lith_manifest *next,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_snapshot after;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(
        lith_snapshot_resolve(&view->listing, next, LITH_SNAPSHOT_OPEN, &scratch, &after, err));
    report->state = LITH_PARTITION_CHANGED;
    report->files_before = view->snapshot.live_count;
    report->files_after = after.live_count;
    report->inputs = report->outputs = 0;
    report->input_bytes = report->output_bytes = report->rows = 0;
    lith_held_report(&after, job, report);
    return files_report(job, &after, report, err);
}
