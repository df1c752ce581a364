/*
 * Taking files out of the live set: the seam for jobs that keep rows only so long.
 *
 * Late files are named first, in a commit of its own, so that what is retired was always live by
 * name. Only files with the recorded identity go: under the name of a retired one other bytes would
 * come alive again at the next fold. DESIGN.md section 5, Other hands.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "job/by_hand.h"
#include "job/commits.h"
#include "job/look.h"
#include "job/recovery.h"
#include "lake/name_index.h"

struct retire {
    const char *const *names;
    size_t count;
    bool dry_run;
};

/* Why a file cannot be retired, or NULL. */
static const char *refusal(const struct lith_snapshot_file *file)
{
    if (!file)
        return "is not there";
    if (file->state == LITH_FILE_LATE)
        return file->object->is_link ? "is a symbolic link that no manifest names: remove it"
                                     : NULL;
    if (file->state == LITH_FILE_RETIRED)
        return "was retired already";
    if (file->state == LITH_FILE_ORPHAN)
        return "is an output that was never committed";
    if (file->state != LITH_FILE_LIVE)
        return "is not live";
    if (!file->object)
        return "is missing";
    return file->differs ? "is not the file that the manifest names" : NULL;
}

/* So many of the names that cannot be are told. */
#define TOLD_MAX 4

/* All that was asked for is live: else nothing is done, and the error says which is not. */
static enum lith_code names_check(const struct retire *retire, const struct lith_snapshot *snapshot,
                                  struct lith_err *err)
{
    char text[LITH_ERR_TEXT_BYTES - 100] = "";
    size_t bytes = 0;
    size_t refused = 0;

    for (size_t i = 0; i < retire->count; i++) {
        const char *why = refusal(lith_snapshot_find(snapshot, retire->names[i]));
        if (!why || refused++ >= TOLD_MAX)
            continue;
        int more = snprintf(text + bytes, sizeof(text) - bytes, "%s%.140s %s", bytes ? "; " : "",
                            retire->names[i], why);
        bytes = more < 0 ? bytes : lith_min_size(bytes + (size_t)more, sizeof(text) - 1);
    }
    if (refused == 0)
        return LITH_OK;
    if (refused > TOLD_MAX)
        return lith_fail(err, LITH_E_INVALID, "retire: %s; and %zu more; nothing was changed", text,
                         refused - TOLD_MAX);
    return lith_fail(err, LITH_E_INVALID, "retire: %s; nothing was changed", text);
}

/* What footers say of the files: rows of those whose manifest does not have them. */
static enum lith_code footers_read(const struct lith_job *job, const struct retire *retire,
                                   struct lith_look *look, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view.snapshot;
    size_t read;
    void *block;

    LITH_TRY(lith_arena_array(&look->arena, retire->count, sizeof(void *), &block, err));
    const struct lith_snapshot_file **files = block;
    struct lith_fact_request request = {
        .snapshot = snapshot, .scope = LITH_FACTS_LATE, .inputs = files};
    for (size_t i = 0; i < retire->count; i++) {
        const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, retire->names[i]);
        if (file->state == LITH_FILE_LATE || !file->entry->has_rows)
            files[request.input_count++] = file;
    }
    return lith_fact_book_fill(&look->book, job, &request, &read, err);
}

/* The fold of those that are late. `ret_fold` is in the look's arena. */
static enum lith_code fold_make(const struct retire *retire, struct lith_look *look,
                                struct lith_fold *ret_fold, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(&look->arena, retire->count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    *ret_fold = (struct lith_fold){.files = entries};
    for (size_t i = 0; i < retire->count; i++) {
        const struct lith_snapshot_file *file =
            lith_snapshot_find(&look->view.snapshot, retire->names[i]);
        if (file->state != LITH_FILE_LATE)
            continue;
        const struct lith_fact *fact = lith_fact_book_find(&look->book, file->object);
        if (!fact || !fact->has_rows)
            return lith_fail(err, LITH_E_INVALID,
                             "retire: %s came after the manifest, and its footer cannot be read%s"
                             "%.300s; nothing was changed",
                             file->name, fact && fact->blocked ? ": " : "",
                             fact && fact->blocked ? fact->blocked : "");
        entries[ret_fold->file_count++] = (struct lith_entry){
            .name = file->name,
            .etag = file->object->etag,
            .size = file->object->size,
            .rows = fact->rows,
            .has_rows = true,
        };
    }
    return LITH_OK;
}

/* Adds the rows that the manifest does not have. */
static enum lith_code rows_add(const struct lith_job *job, const struct retire *retire,
                               const struct lith_look *look, struct lith_partition_report *report,
                               struct lith_err *err)
{
    size_t unknown = 0;
    char *reason;

    for (size_t i = 0; i < retire->count; i++) {
        const struct lith_snapshot_file *file =
            lith_snapshot_find(&look->view.snapshot, retire->names[i]);
        if (!file->entry || file->entry->has_rows)
            continue;
        const struct lith_fact *fact = lith_fact_book_find(&look->book, file->object);
        if (fact && fact->has_rows)
            report->rows += fact->rows;
        else
            unknown++;
    }
    report->reason = retire->dry_run ? "can be retired" : "retired";
    if (unknown == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_format(job->arena, &reason, err,
                               "%s: without the rows of %zu whose footers cannot be read",
                               report->reason, unknown));
    report->reason = reason;
    return LITH_OK;
}

/* A look at what was asked for, all of it live, with the footers that are needed. */
static enum lith_code look_take(const struct lith_job *job, const struct retire *retire,
                                struct lith_look *look, struct lith_err *err)
{
    LITH_TRY(lith_look_again(look, job, err));
    const struct lith_manifest *m = lith_view_manifest(&look->view);
    if (!m || m->foreign)
        return lith_fail(err, LITH_E_INVALID,
                         "retire: the partition has no manifest of Lithify; lithify adopt gives it "
                         "one, and lithify fsck --repair where it was lost");
    LITH_TRY(names_check(retire, &look->view.snapshot, err));
    return footers_read(job, retire, look, err);
}

/* Names the late files; the look is fresh afterwards. `mid`: only what the manifest would be. */
static enum lith_code late_fold(const struct lith_job *job, const struct retire *retire,
                                const struct lith_fold *fold, struct lith_look *look,
                                struct lith_manifest *mid, struct lith_err *err)
{
    struct lith_stamp stamp;

    LITH_TRY(lith_by_hand_stamp(job, retire->dry_run, &stamp, err));
    LITH_TRY(
        lith_commit_fold(lith_view_manifest(&look->view), fold, &stamp, &look->arena, mid, err));
    if (retire->dry_run)
        return LITH_OK;
    LITH_TRY(lith_job_commit(job, &look->view, mid, err));
    return look_take(job, retire, look, err);
}

/* What is retired, each file read to its end: gc deletes nothing that was not, and should one of
 * them be written again it is known. */
static enum lith_code entries_make(const struct lith_job *job, const struct retire *retire,
                                   const struct lith_look *look, struct lith_arena *arena,
                                   struct lith_entry **ret_entries, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, retire->count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    for (size_t i = 0; i < retire->count; i++) {
        LITH_AUTO(source) struct lith_source *source = NULL;
        const struct lith_snapshot_file *file =
            lith_snapshot_find(&look->view.snapshot, retire->names[i]);
        entries[i].name = retire->names[i];
        if (retire->dry_run || (file->entry && file->entry->has_crc))
            continue;
        LITH_TRY(lith_work_check(job->work, err));
        LITH_TRY(lith_folder_source_open(job->folder, file->object, &source, err));
        LITH_TRY(lith_source_crc32(source, job->work->mem, &entries[i].crc32, err));
        entries[i].has_crc = true;
    }
    *ret_entries = entries;
    return LITH_OK;
}

static enum lith_code retire_commit(const struct lith_job *job, const struct retire *retire,
                                    struct lith_look *look, struct lith_partition_report *report,
                                    struct lith_err *err)
{
    struct lith_partition_report told = *report;
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base = lith_view_manifest(&look->view);
    struct lith_manifest mid;
    struct lith_manifest next;
    struct lith_entry *entries;
    struct lith_stamp stamp;
    struct lith_fold fold;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(fold_make(retire, look, &fold, err));
    told.folded += fold.file_count;
    if (fold.file_count) {
        LITH_TRY(late_fold(job, retire, &fold, look, &mid, err));
        report->folded = told.folded;
        base = retire->dry_run ? &mid : lith_view_manifest(&look->view);
    }
    LITH_TRY(entries_make(job, retire, look, &arena, &entries, err));
    LITH_TRY(lith_by_hand_stamp(job, retire->dry_run, &stamp, err));
    LITH_TRY(lith_commit_retire(base, entries, retire->count, &stamp, &arena, &next, err));
    LITH_TRY(lith_by_hand_report(job, &look->view, &next, &told, err));
    LITH_TRY(rows_add(job, retire, look, &told, err));
    if (!retire->dry_run)
        LITH_TRY(lith_job_commit(job, &look->view, &next, err));
    *report = told;
    return LITH_OK;
}

static enum lith_code attempt(const struct lith_job *job, void *ctx,
                              struct lith_partition_report *report, struct lith_err *err)
{
    const struct retire *retire = ctx;
    struct lith_look look;
    bool settled = true;

    if (!retire->dry_run)
        LITH_TRY(lith_recovery_run(job, report, &settled, err));
    if (!settled)
        return LITH_OK;
    enum lith_code code = lith_look_init(&look, job, err);
    look.listing_only = true;
    if (code == LITH_OK)
        code = look_take(job, retire, &look, err);
    if (code == LITH_OK)
        code = retire_commit(job, retire, &look, report, err);
    lith_look_done(&look);
    return code;
}

enum lith_code lith_job_retire(const struct lith_job *job, const char *const *names, size_t count,
                               bool dry_run, struct lith_partition_report *report,
                               struct lith_err *err)
{
    struct retire retire = {.names = names, .count = count, .dry_run = dry_run};
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_name_index index;

    lith_arena_init(&arena, job->work->mem);
    if (count == 0)
        return lith_fail(err, LITH_E_INVALID, "retire: no file is named");
    LITH_TRY(lith_name_index_build(names, count, sizeof(*names), 0, &arena, &index, err));
    if (lith_name_index_double(&index))
        return lith_fail(err, LITH_E_INVALID, "retire: %.200s twice; nothing was changed",
                         lith_name_index_double(&index));
    return lith_by_hand_run(job, dry_run, attempt, &retire, report, err);
}
