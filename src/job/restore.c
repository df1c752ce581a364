/*
 * Bringing the live set of an older manifest back.
 *
 * Journals (readers = glob) wait: to finish what they speak of would delete files that may be to
 * come back, and where their manifest was lost, this is what they wait for. The commit raises the
 * epoch, so that nothing of theirs can be committed after it; the next pass asks the new manifest.
 *
 * The manifest in place is read first and the list made after it, as for a rollback; the commit
 * holds only on that manifest, or on those bytes that are none. docs/fsck.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "job/by_hand.h"
#include "job/handed.h"
#include "job/in_place.h"
#include "job/kin_entries.h"
#include "job/restore_plan.h"

struct restore {
    const char *name; /* of the older manifest, for texts */
    const void *data;
    size_t bytes;
    bool dry_run;
};

/* One try, and what it works with. */
struct trying {
    const struct lith_job *job;
    const struct restore *restore;
    struct lith_in_place place;
    struct lith_manifest file;
    struct lith_arena arena;
    struct lith_snapshot snapshot; /* of the list: by the manifest in place, or by the older one */
    struct lith_lineage lineage;
    struct lith_restore_plan plan;
};

/* Its failures are those of the file that was given, not of the partition. */
static enum lith_code file_parse(struct trying *t, struct lith_err *err)
{
    struct lith_err why;
    enum lith_code code = lith_manifest_parse(t->restore->data, t->restore->bytes, t->restore->name,
                                              &t->arena, &t->file, &why);

    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return lith_fail(err, LITH_E_INVALID, "restore: %.900s", why.text);
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    if (t->file.foreign)
        return lith_fail(err, LITH_E_INVALID,
                         "restore: %.300s is another program's manifest: it has no \"lithify\"",
                         t->restore->name);
    if (t->place.manifest && strcmp(t->place.manifest->pid, t->file.pid) != 0)
        return lith_fail(err, LITH_E_INVALID,
                         "restore: %.300s is the manifest of partition %s, this one is %s",
                         t->restore->name, t->file.pid, t->place.manifest->pid);
    return LITH_OK;
}

/* Does the log tell of all commits since the older manifest, and did no roll-up take a file? */
static bool is_untaken_since(const struct trying *t)
{
    const struct lith_manifest *base = t->place.manifest;
    size_t since = base ? base->log_count : 0;

    while (since && strcmp(base->log[since - 1].commit_id, t->file.commit_id) != 0) {
        since--;
        if (base->log[since].op == LITH_OP_MOVED)
            return false;
    }
    return since > 0;
}

/* An output of a roll-up that the older manifest does not know, or NULL. */
static const char *rolled_up_since(const struct trying *t)
{
    for (size_t i = 0; i < t->lineage.count; i++) {
        const struct lith_kin *kin = &t->lineage.files[i];
        if (lith_manifest_live(&t->file, kin->name) || lith_manifest_retired(&t->file, kin->name))
            continue;
        for (size_t n = 0; n < kin->input_count; n++) {
            if (strchr(t->lineage.files[kin->inputs[n]].name, '/'))
                return kin->name;
        }
    }
    return NULL;
}

/* Rows that were rolled up are in the partition above: here they would come back a second time. */
static enum lith_code tiers_check(const struct trying *t, struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    bool takes = false;

    if (t->file.has_handed || (base && base->has_handed))
        return lith_fail(err, LITH_E_INVALID,
                         "restore: files are being rolled up into %s by %s; nothing was changed",
                         t->file.has_handed ? t->file.handed.parent : base->handed.parent,
                         t->file.has_handed ? t->restore->name : base->name);
    LITH_TRY(lith_handed_above(t->job, &takes, err));
    if (takes && !is_untaken_since(t))
        return lith_fail(err, LITH_E_INVALID,
                         "restore: files may have been rolled up since into the partition above, "
                         "and their rows would show twice; nothing was changed");
    if (!base && rolled_up_since(t))
        return lith_fail(err, LITH_E_INVALID,
                         "restore: %.300s was rolled up since from partitions below, and nobody "
                         "knows which of them still wait for it; nothing was changed",
                         rolled_up_since(t));
    return LITH_OK;
}

static enum lith_code plan_make(struct trying *t, struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    const struct lith_listing *listing = &t->place.view.listing;

    LITH_TRY(lith_snapshot_resolve(listing, base ? base : &t->file, LITH_SNAPSHOT_OPEN, &t->arena,
                                   &t->snapshot, err));
    LITH_TRY(lith_lineage_read(t->job, listing, base, &t->arena, &t->lineage, err));
    LITH_TRY(tiers_check(t, err));
    struct lith_row_reader reader = lith_row_reader_of(t->job, &t->lineage);
    struct lith_restore_request request = {
        .lineage = &t->lineage,
        .file = &t->file,
        .base = base,
        .listing = listing,
        .snapshot = &t->snapshot,
        .judge = &reader.base,
        .lands_late = t->job->folder->store->is_lockless,
    };
    LITH_TRY(lith_restore_plan_make(&request, &t->arena, &t->plan, err));
    if (t->plan.refusal)
        return lith_fail(err, LITH_E_INVALID, "restore: %.850s; nothing was changed",
                         t->plan.refusal);
    return LITH_OK;
}

/* An adoption does not count rows. */
static void file_rows_take(struct trying *t)
{
    for (size_t i = 0; i < t->file.file_count; i++) {
        struct lith_entry *entry = &t->file.files[i];
        size_t at = lith_lineage_find(&t->lineage, entry->name, entry->size);
        if (entry->has_rows || at == LITH_NO_KIN || !t->lineage.files[at].has_rows)
            continue;
        entry->rows = t->lineage.files[at].rows;
        entry->has_rows = true;
    }
}

static enum lith_code next_make(struct trying *t, struct lith_manifest *ret_next,
                                struct lith_err *err)
{
    struct lith_restore_plan *plan = &t->plan;
    struct lith_entry *out;
    struct lith_entry *back;
    struct lith_stamp stamp;
    size_t count = plan->back_count + plan->named_count;
    void *block;

    LITH_TRY(lith_arena_array(&t->arena, count, sizeof(size_t), &block, err));
    size_t *coming = block;
    if (plan->back_count)
        memcpy(coming, plan->back, plan->back_count * sizeof(*coming));
    if (plan->named_count)
        memcpy(coming + plan->back_count, plan->named, plan->named_count * sizeof(*coming));
    file_rows_take(t);
    struct lith_kin_entries entries = {.job = t->job,
                                       .lineage = &t->lineage,
                                       .snapshot = &t->snapshot,
                                       .arena = &t->arena,
                                       .dry_run = t->restore->dry_run};
    LITH_TRY(lith_kin_entries_make(&entries, coming, count, &back, err));
    LITH_TRY(lith_kin_entries_make(&entries, plan->out, plan->out_count, &out, err));
    struct lith_restore restore = {
        .file = &t->file,
        .listing = &t->place.view.listing,
        .back = back,
        .back_count = count,
        .out = out,
        .out_count = plan->out_count,
        .superseded = plan->superseded,
        .superseded_count = plan->superseded_count,
        .epoch_min = lith_in_place_epoch(&t->place, t->file.pid),
        .manifest_name = t->job->options->manifest_name,
    };
    LITH_TRY(lith_by_hand_stamp(t->job, t->restore->dry_run, &stamp, err));
    return lith_commit_restore(t->place.manifest, &restore, &stamp, &t->arena, ret_next, err);
}

/* Is all as the older manifest has it? */
static bool is_idle(const struct trying *t)
{
    const struct lith_manifest *base = t->place.manifest;

    if (!base || t->plan.back_count || t->plan.out_count)
        return false;
    for (size_t i = 0; i < t->file.file_count; i++) {
        const struct lith_entry *now = lith_manifest_live(base, t->file.files[i].name);
        if (!now || now->size != t->file.files[i].size ||
            strcmp(now->etag, t->file.files[i].etag) != 0)
            return false;
    }
    return true;
}

static uint64_t rows_of(const struct lith_entry *entries, size_t count, bool *known)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < count; i++) {
        rows += entries[i].rows;
        *known = *known && entries[i].has_rows;
    }
    return rows;
}

/* "restored: generation 3 of 2026-06-15T11:20:00Z; 50 rows more than before". Rows are told of
 * named files; what is late counts before and after. */
static enum lith_code reason_make(const struct trying *t, const struct lith_manifest *next,
                                  const char **ret_reason, struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    char at[LITH_TIME_TEXT_BYTES];
    char more[64] = "";
    bool known = base != NULL;
    char *reason;

    lith_time_text(t->file.committed_at_ns, at);
    uint64_t after = rows_of(next->files, next->file_count, &known);
    uint64_t before = base ? rows_of(base->files, base->file_count, &known) : 0;
    if (known && after != before)
        (void)snprintf(more, sizeof(more), "; %" PRIu64 " rows %s than before",
                       after > before ? after - before : before - after,
                       after > before ? "more" : "fewer");
    LITH_TRY(lith_arena_format(t->job->arena, &reason, err, "%s: generation %" PRIu64 " of %s%s",
                               t->restore->dry_run ? "can be restored" : "restored",
                               t->file.generation, at, more));
    *ret_reason = reason;
    return LITH_OK;
}

static enum lith_code try_run(struct trying *t, struct lith_partition_report *report,
                              struct lith_err *err)
{
    struct lith_partition_report told = *report;
    struct lith_manifest next;

    LITH_TRY(lith_in_place_take(t->job, &t->place, err));
    LITH_TRY(file_parse(t, err));
    LITH_TRY(plan_make(t, err));
    if (is_idle(t)) {
        report->state = LITH_PARTITION_LEFT;
        report->reason = "its live set is that of the manifest that was given";
        return LITH_OK;
    }
    LITH_TRY(next_make(t, &next, err));
    /* What counted before: all that is there, where no manifest says otherwise. */
    LITH_TRY(lith_snapshot_resolve(&t->place.view.listing, t->place.manifest, LITH_SNAPSHOT_OPEN,
                                   &t->place.view.arena, &t->place.view.snapshot, err));
    LITH_TRY(lith_by_hand_report(t->job, &t->place.view, &next, &told, err));
    LITH_TRY(reason_make(t, &next, &told.reason, err));
    if (!t->restore->dry_run)
        LITH_TRY(lith_in_place_commit(t->job, &t->place, &next, err));
    *report = told;
    return LITH_OK;
}

static enum lith_code attempt(const struct lith_job *job, void *ctx,
                              struct lith_partition_report *report, struct lith_err *err)
{
    struct trying t = {.job = job, .restore = ctx};

    lith_arena_init(&t.arena, job->work->mem);
    enum lith_code code = try_run(&t, report, err);
    lith_manifest_done(&t.file);
    lith_in_place_done(&t.place);
    lith_arena_done(&t.arena);
    return code;
}

enum lith_code lith_job_restore(const struct lith_job *job, const struct lith_text *manifest,
                                bool dry_run, struct lith_partition_report *report,
                                struct lith_err *err)
{
    struct restore restore = {.name = manifest->name,
                              .data = manifest->data,
                              .bytes = manifest->bytes,
                              .dry_run = dry_run};

    return lith_by_hand_run(job, dry_run, attempt, &restore, report, err);
}
