/*
 * What vanished, and what was written again: the commit that makes the live set whole.
 */
#include "job/repair_missing.h"

#include <string.h>

#include "job/kin_entries.h"

/* What keeps files that vanished from being judged, or NULL. */
static enum lith_code obstacle_find(struct lith_repair_try *t, const char **ret_why,
                                    struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    const struct lith_listing *listing = &t->place.view.listing;
    char *why;

    *ret_why = base->has_handed ? "its files are being rolled up; compact settles that" : NULL;
    for (size_t i = 0; i < base->file_count && !*ret_why; i++) {
        const char *name = base->files[i].name;
        if (lith_listing_find(listing, name) || !lith_listing_shows_gone(listing, name))
            continue;
        LITH_TRY(lith_arena_format(&t->arena, &why, err,
                                   "%.200s" LITH_GONE_SUFFIX " is there, as a delete that was cut "
                                   "off leaves it: give it its name back, or remove it",
                                   name));
        *ret_why = why;
    }
    return LITH_OK;
}

/* Was a file that we have read written again by its writer? Of an output that is no new data. */
static enum lith_code is_anew(const struct lith_repair_try *t,
                              const struct lith_snapshot_file *file, bool *ret_is,
                              struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = t->job;
    uint32_t crc = 0;

    *ret_is = file->state == LITH_FILE_LIVE && file->object && !file->object->is_link &&
              file->differs && file->entry->has_crc &&
              !lith_output_name_is_of(file->name, t->place.manifest->pid);
    if (!*ret_is || file->object->size != file->entry->size)
        return LITH_OK;
    LITH_TRY(lith_work_check(job->work, err));
    enum lith_code code = lith_folder_source_open(job->folder, file->object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was read", file->name);
    LITH_TRY(code);
    LITH_TRY(lith_source_crc32(source, job->work->mem, &crc, err));
    *ret_is = crc != file->entry->crc32;
    return LITH_OK;
}

/* Those have vanished under what their writer has put in their place, which counts, too. */
static enum lith_code known_take(struct lith_repair_try *t, struct lith_err *err)
{
    const struct lith_view *view = &t->place.view;
    void *block;

    LITH_TRY(lith_arena_array(&t->arena, view->listing.object_count, sizeof(struct lith_object),
                              &block, err));
    t->known = view->listing;
    t->known.objects = block;
    t->known.object_count = 0;
    LITH_TRY(lith_arena_array(&t->arena, view->snapshot.differ_count, sizeof(struct lith_entry),
                              &block, err));
    t->anew = block;
    for (size_t i = 0; i < view->snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        bool is;
        LITH_TRY(is_anew(t, file, &is, err));
        if (is)
            t->anew[t->anew_count++] = (struct lith_entry){
                .name = file->name, .size = file->object->size, .etag = file->object->etag};
        else if (file->object)
            t->known.objects[t->known.object_count++] = *file->object;
    }
    return lith_snapshot_resolve(&t->known, t->place.manifest, LITH_SNAPSHOT_OPEN, &t->arena,
                                 &t->former, err);
}

/* What was written again is not written off: somebody may have a copy of what it was. */
static enum lith_code anew_check(struct lith_repair_try *t, const char **ret_why,
                                 struct lith_err *err)
{
    char *why;

    for (size_t i = 0; i < t->plan.loss_count && !*ret_why; i++) {
        const struct lith_loss *loss = &t->plan.losses[i];
        if (!lith_listing_find(&t->place.view.listing, loss->entry->name))
            continue;
        LITH_TRY(lith_arena_format(&t->arena, &why, err,
                                   "%s was written again by others, and no file that is there is "
                                   "known to hold all its former rows%s%s: put it back from a "
                                   "copy, with its time (cp -p), and the new one under another "
                                   "name",
                                   loss->entry->name, loss->why ? "; " : "",
                                   loss->why ? loss->why : ""));
        *ret_why = why;
    }
    return LITH_OK;
}

/* A live set with files that vanished. *ret_why: why it cannot be repaired; NULL: it can. */
static enum lith_code losses_plan(struct lith_repair_try *t, const char **ret_why,
                                  struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;

    LITH_TRY(obstacle_find(t, ret_why, err));
    if (*ret_why)
        return LITH_OK;
    LITH_TRY(lith_lineage_read(t->job, &t->known, base, &t->arena, &t->lineage, err));
    struct lith_row_reader reader = lith_row_reader_of(t->job, &t->lineage);
    struct lith_repair_request request = {
        .lineage = &t->lineage,
        .base = base,
        .listing = &t->known,
        .snapshot = &t->former,
        .judge = &reader.base,
        .lands_late = t->job->folder->store->is_lockless,
    };
    LITH_TRY(lith_repair_plan_make(&request, &t->arena, &t->plan, err));
    *ret_why = t->plan.restore.refusal;
    return *ret_why ? LITH_OK : anew_check(t, ret_why, err);
}

/* Where what was written again cannot be had back, what vanished can still be judged. */
enum lith_code lith_repair_missing_plan(struct lith_repair_try *t, bool *ret_due,
                                        const char **ret_why, struct lith_err *err)
{
    LITH_TRY(known_take(t, err));
    *ret_due = t->former.missing_count > 0;
    if (!*ret_due)
        return LITH_OK;
    LITH_TRY(losses_plan(t, ret_why, err));
    if (!*ret_why || t->anew_count == 0 || t->place.view.snapshot.missing_count == 0)
        return LITH_OK;
    t->known = t->place.view.listing;
    t->former = t->place.view.snapshot;
    t->anew_count = 0;
    *ret_why = NULL;
    return losses_plan(t, ret_why, err);
}

static enum lith_code lost_entries(struct lith_repair_try *t, struct lith_entry **ret_entries,
                                   struct lith_err *err)
{
    void *block;

    LITH_TRY(
        lith_arena_array(&t->arena, t->plan.loss_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    for (size_t i = 0; i < t->plan.loss_count; i++)
        entries[i] = *t->plan.losses[i].entry;
    *ret_entries = entries;
    return LITH_OK;
}

/* Besides what the plan has, those that were written again. */
static enum lith_code back_entries(struct lith_repair_try *t, const struct lith_kin_entries *making,
                                   struct lith_err *err)
{
    const struct lith_restore_plan *plan = &t->plan.restore;
    struct lith_entry *known;
    void *block;

    LITH_TRY(lith_kin_entries_make(making, plan->back, plan->back_count, &known, err));
    t->commit.back_count = plan->back_count + t->anew_count;
    LITH_TRY(
        lith_arena_array(&t->arena, t->commit.back_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    if (plan->back_count)
        memcpy(entries, known, plan->back_count * sizeof(*entries));
    if (t->anew_count)
        memcpy(entries + plan->back_count, t->anew, t->anew_count * sizeof(*entries));
    t->commit.back = entries;
    return LITH_OK;
}

enum lith_code lith_repair_missing_fill(struct lith_repair_try *t, struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    struct lith_repair_plan *plan = &t->plan;
    struct lith_kin_entries making;
    struct lith_entry *own;
    struct lith_entry *out;
    struct lith_entry *lost;

    making = (struct lith_kin_entries){.job = t->job,
                                       .lineage = &t->lineage,
                                       .snapshot = &t->former,
                                       .arena = &t->arena,
                                       .dry_run = t->dry_run};
    LITH_TRY(lith_kin_entries_make(&making, plan->coming, plan->coming_count, &own, err));
    LITH_TRY(lith_kin_entries_make(&making, plan->restore.out, plan->restore.out_count, &out, err));
    LITH_TRY(lost_entries(t, &lost, err));
    t->file = (struct lith_manifest){.name = base->name,
                                     .generation = base->generation,
                                     .epoch = base->epoch,
                                     .files = own,
                                     .file_count = plan->coming_count};
    memcpy(t->file.pid, base->pid, sizeof(t->file.pid));
    t->commit = (struct lith_restore){
        .file = &t->file,
        .listing = &t->place.view.listing,
        .out = out,
        .out_count = plan->restore.out_count,
        .superseded = plan->restore.superseded,
        .superseded_count = plan->restore.superseded_count,
        .epoch_min = lith_in_place_epoch(&t->place, base->pid),
        .is_repair = true,
        .lost = lost,
        .lost_count = plan->loss_count,
    };
    return back_entries(t, &making, err);
}
