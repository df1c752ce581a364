/*
 * Repairing one partition: a live set with files that vanished, or a manifest that was lost.
 *
 * What is there decides, and is read before anything is taken for replaced; where it can be read in
 * two ways nothing is done. One commit, as of a restore whose manifest is made up. docs/fsck.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/by_hand.h"
#include "job/commits.h"
#include "job/events.h"
#include "job/handed.h"
#include "job/in_place.h"
#include "job/kin_entries.h"
#include "job/lost.h"
#include "job/rebuild_plan.h"
#include "job/repair_plan.h"

#define REMEDY_BAD                                                                                 \
    "lithify fsck --restore FILE PARTITION puts a copy back; or move it out of the directory, "    \
    "and "                                                                                         \
    "lithify fsck --repair makes one from what the files say"

/* One try, and what it works with. */
struct trying {
    const struct lith_job *job;
    bool dry_run;
    struct lith_in_place place;
    struct lith_arena arena;
    struct lith_lineage lineage;
    struct lith_listing known;   /* the files that are there, but for those written again */
    struct lith_snapshot former; /* of them: what was written again is missing */
    struct lith_entry *anew;     /* the files that were written again, as they are */
    size_t anew_count;
    struct lith_listing shown;      /* the files that a reader may list */
    struct lith_snapshot by_itself; /* of them, without a manifest */
    struct lith_manifest file;      /* made up for the commit */
    struct lith_restore commit;
    struct lith_repair_plan plan;
    struct lith_rebuild_plan rebuild;
    struct lith_lineage all; /* of what is held, too, where there is no manifest */
    size_t *held;            /* its kins that what is shown was made of */
    size_t held_count;
    char pid[LITH_PID_TEXT_BYTES]; /* where nothing that is shown says which it was */
};

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

static void entries_init(const struct trying *t, const struct lith_snapshot *snapshot,
                         struct lith_kin_entries *ret_entries, struct lith_arena *arena)
{
    *ret_entries = (struct lith_kin_entries){.job = t->job,
                                             .lineage = &t->lineage,
                                             .snapshot = snapshot,
                                             .arena = arena,
                                             .dry_run = t->dry_run};
}

/* What keeps files that vanished from being judged, or NULL. */
static enum lith_code obstacle_find(struct trying *t, const char **ret_why, struct lith_err *err)
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
static enum lith_code is_anew(const struct trying *t, const struct lith_snapshot_file *file,
                              bool *ret_is, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = t->job;
    uint32_t crc = 0;

    *ret_is = file->state == LITH_FILE_LIVE && file->object && !file->object->is_link &&
              file->differs && file->entry->has_crc &&
              !lith_output_name_is_of(file->name, t->place.manifest->pid);
    if (!*ret_is || file->object->size != file->entry->size)
        return LITH_OK;
    enum lith_code code = lith_folder_source_open(job->folder, file->object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was read", file->name);
    LITH_TRY(code);
    LITH_TRY(lith_source_crc32(source, job->work->mem, &crc, err));
    *ret_is = crc != file->entry->crc32;
    return LITH_OK;
}

/* Those have vanished under what their writer has put in their place, which counts, too. */
static enum lith_code known_take(struct trying *t, struct lith_err *err)
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
static enum lith_code anew_check(struct trying *t, const char **ret_why, struct lith_err *err)
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
static enum lith_code missing_plan(struct trying *t, const char **ret_why, struct lith_err *err)
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

static enum lith_code lost_entries(struct trying *t, struct lith_entry **ret_entries,
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
static enum lith_code back_entries(struct trying *t, const struct lith_kin_entries *making,
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

static enum lith_code missing_fill(struct trying *t, struct lith_err *err)
{
    const struct lith_manifest *base = t->place.manifest;
    struct lith_repair_plan *plan = &t->plan;
    struct lith_kin_entries making;
    struct lith_entry *own;
    struct lith_entry *out;
    struct lith_entry *lost;

    entries_init(t, &t->former, &making, &t->arena);
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

/* What is held out of sight was replaced by a commit, whatever has become of its manifest. */
static enum lith_code shown_take(struct trying *t, struct lith_err *err)
{
    const struct lith_listing *all = &t->place.view.listing;
    void *block;

    LITH_TRY(
        lith_arena_array(&t->arena, all->object_count, sizeof(struct lith_object), &block, err));
    t->shown = *all;
    t->shown.objects = block;
    t->shown.object_count = 0;
    for (size_t i = 0; i < all->object_count; i++) {
        if (!all->objects[i].is_held)
            t->shown.objects[t->shown.object_count++] = all->objects[i];
    }
    return lith_snapshot_resolve(&t->shown, NULL, LITH_SNAPSHOT_OPEN, &t->arena, &t->by_itself,
                                 err);
}

static bool is_shown(const struct trying *t, size_t kin)
{
    const struct lith_object *object = t->all.files[kin].object;

    return object && !object->is_held;
}

/* A file that is shown beside what was made of it through files that are held, and of which those
 * that are shown do not tell; or LITH_NO_KIN. `marks` of what `kin` was made of. */
static size_t doubled_find(const struct trying *t, size_t kin, const bool *marks)
{
    size_t found = LITH_NO_KIN;

    for (size_t i = 0; i < t->all.count && found == LITH_NO_KIN; i++) {
        bool is_out = false;
        for (size_t n = 0; n < t->rebuild.out_count && !is_out; n++)
            is_out = strcmp(t->lineage.files[t->rebuild.out[n]].name, t->all.files[i].name) == 0;
        if (i != kin && marks[i] && is_shown(t, i) && !is_out)
            found = i;
    }
    return found;
}

/* Marks what the files that are shown were made of, and themselves. */
static enum lith_code shown_mark(struct trying *t, bool *marks, const char **ret_why,
                                 struct lith_err *err)
{
    void *block;
    char *why;

    LITH_TRY(lith_arena_array(&t->arena, t->all.count, sizeof(bool), &block, err));
    bool *own = block;
    LITH_TRY(lith_arena_array(&t->arena, t->all.count, sizeof(size_t), &block, err));
    for (size_t i = 0; i < t->all.count && !*ret_why; i++) {
        if (!is_shown(t, i))
            continue;
        lith_lineage_mark(&t->all, i, marks, block);
        if (!t->all.files[i].is_output)
            continue;
        memset(own, 0, t->all.count * sizeof(*own));
        lith_lineage_mark(&t->all, i, own, block);
        size_t doubled = doubled_find(t, i, own);
        if (doubled == LITH_NO_KIN)
            continue;
        LITH_TRY(lith_arena_format(&t->arena, &why, err,
                                   "%s was made of %s through files that are held beside the lake, "
                                   "and both are shown: take one of them out of the partition",
                                   t->all.files[i].name, t->all.files[doubled].name));
        *ret_why = why;
    }
    return LITH_OK;
}

/* Is it an output all of whose rows are in what is marked? Then it was never committed, or was
 * rolled back. */
static bool is_made_of(const struct trying *t, size_t kin, const bool *marks)
{
    const struct lith_kin *file = &t->all.files[kin];
    bool is = file->is_output;

    for (size_t i = 0; is && i < file->input_count; i++)
        is = marks[file->inputs[i]];
    return is;
}

/* What is held is superseded where what is shown was made of it. Rows of other files may be nowhere
 * else, or have been taken out. */
static enum lith_code held_plan(struct trying *t, const char **ret_why, struct lith_err *err)
{
    void *block;
    char *why;

    LITH_TRY(lith_lineage_read(t->job, &t->place.view.listing, NULL, &t->arena, &t->all, err));
    LITH_TRY(lith_arena_array(&t->arena, t->all.count, sizeof(bool), &block, err));
    bool *marks = block;
    LITH_TRY(shown_mark(t, marks, ret_why, err));
    LITH_TRY(lith_arena_array(&t->arena, t->all.count, sizeof(size_t), &block, err));
    t->held = block;
    for (size_t i = 0; i < t->all.count && !*ret_why; i++) {
        const struct lith_kin *kin = &t->all.files[i];
        if (!kin->object || !kin->object->is_held)
            continue;
        if (marks[i]) {
            t->held[t->held_count++] = i;
        } else if (!is_made_of(t, i, marks)) {
            LITH_TRY(lith_arena_format(&t->arena, &why, err,
                                       "%s is held beside the lake (_held), and nothing that is "
                                       "shown was made of it: put it into the partition if its "
                                       "rows are to count; else lithify adopt makes a manifest of "
                                       "what is shown, and gc takes what is held",
                                       kin->name));
            *ret_why = why;
        }
    }
    return LITH_OK;
}

/* A manifest that was lost; *ret_lost is false where none was. */
static enum lith_code lost_plan(struct trying *t, bool *ret_lost, const char **ret_why,
                                struct lith_err *err)
{
    bool takes = false;
    uint64_t bytes;

    LITH_TRY(shown_take(t, err));
    LITH_TRY(lith_lineage_read(t->job, &t->shown, NULL, &t->arena, &t->lineage, err));
    struct lith_row_reader reader = lith_row_reader_of(t->job, &t->lineage);
    LITH_TRY(lith_rebuild_plan_make(&t->lineage, &reader.base, &t->arena, &t->rebuild, err));
    *ret_lost = t->rebuild.pid || t->rebuild.refusal;
    *ret_why = t->rebuild.refusal;
    if (!*ret_why && lith_lost_held(&t->place.view.snapshot, &bytes)) {
        *ret_lost = true;
        LITH_TRY(held_plan(t, ret_why, err));
    }
    if (!*ret_lost || *ret_why)
        return LITH_OK;
    if (!t->rebuild.pid) {
        lith_pid_draw(t->job->env, t->pid);
        t->rebuild.pid = t->pid;
    }
    LITH_TRY(lith_handed_above(t->job, &takes, err));
    if (takes)
        *ret_why = "files may have been rolled up into the partition above, and nobody knows which";
    return LITH_OK;
}

/* Those of the live files that are outputs, or that are not. */
static size_t live_choose(const struct trying *t, bool outputs, size_t *kins)
{
    size_t count = 0;

    for (size_t i = 0; i < t->rebuild.live_count; i++) {
        if (lith_output_name_is_of(t->lineage.files[t->rebuild.live[i]].name, t->rebuild.pid) ==
            outputs)
            kins[count++] = t->rebuild.live[i];
    }
    return count;
}

static enum lith_code live_entries(struct trying *t, struct lith_err *err)
{
    struct lith_kin_entries making;
    struct lith_entry *outputs;
    void *block;

    entries_init(t, &t->by_itself, &making, &t->arena);
    LITH_TRY(lith_arena_array(&t->arena, t->rebuild.live_count, sizeof(size_t), &block, err));
    size_t *kins = block;
    size_t output_count = live_choose(t, true, kins);
    LITH_TRY(lith_kin_entries_make(&making, kins, output_count, &outputs, err));
    LITH_TRY(
        lith_arena_array(&t->arena, t->rebuild.live_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    if (output_count)
        memcpy(entries, outputs, output_count * sizeof(*entries));
    size_t count = live_choose(t, false, kins);
    /* Nobody has read them to their ends: their writers may write them again. */
    for (size_t i = 0; i < count; i++) {
        const struct lith_kin *kin = &t->lineage.files[kins[i]];
        entries[output_count + i] = (struct lith_entry){.name = kin->name,
                                                        .size = kin->size,
                                                        .etag = kin->object->etag,
                                                        .rows = kin->rows,
                                                        .has_rows = kin->has_rows};
    }
    t->commit.back = entries;
    t->commit.back_count = t->rebuild.live_count;
    return LITH_OK;
}

/* What was replaced: of the files that are shown, and what is held. */
static enum lith_code out_entries(struct trying *t, struct lith_err *err)
{
    struct lith_kin_entries making;
    struct lith_entry *shown;
    struct lith_entry *held;
    size_t count = t->rebuild.out_count + t->held_count;
    void *block;

    entries_init(t, &t->by_itself, &making, &t->arena);
    LITH_TRY(lith_kin_entries_make(&making, t->rebuild.out, t->rebuild.out_count, &shown, err));
    making.lineage = &t->all;
    LITH_TRY(lith_kin_entries_make(&making, t->held, t->held_count, &held, err));
    LITH_TRY(lith_arena_array(&t->arena, count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    if (t->rebuild.out_count)
        memcpy(entries, shown, t->rebuild.out_count * sizeof(*entries));
    if (t->held_count)
        memcpy(entries + t->rebuild.out_count, held, t->held_count * sizeof(*entries));
    t->commit.out = entries;
    t->commit.out_count = count;
    return LITH_OK;
}

static enum lith_code lost_fill(struct trying *t, struct lith_err *err)
{
    uint64_t epoch = lith_in_place_epoch(&t->place, t->rebuild.pid);

    t->file = (struct lith_manifest){
        .name = t->job->options->manifest_name, .generation = epoch, .epoch = epoch};
    (void)snprintf(t->file.pid, sizeof(t->file.pid), "%s", t->rebuild.pid);
    t->commit = (struct lith_restore){.file = &t->file,
                                      .listing = &t->shown,
                                      .manifest_name = t->job->options->manifest_name,
                                      .is_repair = true};
    LITH_TRY(out_entries(t, err));
    return live_entries(t, err);
}

/* `goes`: it leaves the live set, or has left it by itself. */
static enum lith_code file_report(const struct trying *t, const struct lith_entry *entry, bool goes,
                                  const char *reason, struct lith_file_report *to,
                                  struct lith_err *err)
{
    void *name;

    LITH_TRY(lith_arena_copy(t->job->arena, entry->name, strlen(entry->name), &name, err));
    *to = (struct lith_file_report){
        .name = name, .bytes = entry->size, .is_input = goes, .reason = reason};
    return LITH_OK;
}

/* "lost: 50 rows", and what may hold some of them. */
static enum lith_code loss_report(const struct trying *t, const struct lith_loss *loss,
                                  struct lith_file_report *to, struct lith_err *err)
{
    char *reason;
    void *why;

    if (loss->entry->has_rows)
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err, "lost, with %" PRIu64 " rows",
                                   loss->entry->rows));
    else
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                                   "lost, with all its rows, which were never counted"));
    LITH_TRY(file_report(t, loss->entry, true, reason, to, err));
    if (!loss->why)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(t->job->arena, loss->why, strlen(loss->why), &why, err));
    to->detail = why;
    return LITH_OK;
}

static const char *leaving_text(const struct trying *t, const struct lith_entry *entry)
{
    if (entry->etag)
        return "leaves: its rows are in what is live";
    return lith_listing_find(&t->place.view.listing, entry->name)
               ? "was written again: its former rows are in what is live"
               : "vanished: its rows are in what is live";
}

static enum lith_code files_report(const struct trying *t, struct lith_partition_report *report,
                                   struct lith_err *err)
{
    const struct lith_restore *commit = &t->commit;
    size_t coming = t->place.manifest ? commit->back_count : 0;
    size_t count = t->file.file_count + coming + commit->out_count + commit->lost_count;
    void *block;

    LITH_TRY(lith_arena_array(t->job->arena, count, sizeof(struct lith_file_report), &block, err));
    struct lith_file_report *to = block;
    report->files = to;
    report->file_count = count;
    for (size_t i = 0; i < commit->lost_count; i++)
        LITH_TRY(loss_report(t, &t->plan.losses[i], to++, err));
    for (size_t i = 0; i < t->file.file_count; i++)
        LITH_TRY(file_report(t, &t->file.files[i], false, "becomes live", to++, err));
    for (size_t i = 0; i < coming; i++)
        LITH_TRY(file_report(t, &commit->back[i], false, "becomes live", to++, err));
    for (size_t i = 0; i < commit->out_count; i++)
        LITH_TRY(
            file_report(t, &commit->out[i], true, leaving_text(t, &commit->out[i]), to++, err));
    return LITH_OK;
}

/* "50 rows", as far as they were ever counted. */
static void lost_rows_text(size_t files, uint64_t counted, size_t uncounted, char *text,
                           size_t bytes)
{
    if (uncounted == 0)
        (void)snprintf(text, bytes, "%" PRIu64 " rows", counted);
    else if (uncounted == files)
        (void)snprintf(text, bytes, "all %s rows, which were never counted",
                       files == 1 ? "its" : "their");
    else
        (void)snprintf(text, bytes,
                       "%" PRIu64 " rows, and all rows of %zu of them, which were never counted",
                       counted, uncounted);
}

static enum lith_code reason_make(const struct trying *t, struct lith_partition_report *report,
                                  struct lith_err *err)
{
    const char *word = t->dry_run ? "can be repaired" : "repaired";
    const struct lith_repair_plan *plan = &t->plan;
    size_t uncounted = 0;
    char rows[120];
    char *reason;

    for (size_t i = 0; i < plan->loss_count; i++) {
        report->lost_rows += plan->losses[i].entry->rows;
        uncounted += !plan->losses[i].entry->has_rows;
    }
    lost_rows_text(plan->loss_count, report->lost_rows, uncounted, rows, sizeof(rows));
    report->lost = plan->loss_count;
    if (!t->place.manifest)
        LITH_TRY(
            lith_arena_format(t->job->arena, &reason, err,
                              "%s: a manifest is made anew, of %zu files that are live and %zu "
                              "that were replaced",
                              word, t->rebuild.live_count, t->commit.out_count));
    else if (plan->loss_count == 0)
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                                   "%s: no row is lost, all are in %zu files that become live",
                                   word, plan->coming_count + t->commit.back_count));
    else
        LITH_TRY(lith_arena_format(
            t->job->arena, &reason, err, "%s: %zu file%s lost, with %s%s", word, plan->loss_count,
            plan->loss_count == 1 ? "" : "s", rows,
            plan->coming_count ? "; the rows of others are in files that become live" : ""));
    report->reason = reason;
    return LITH_OK;
}

/* Where what was written again cannot be had back, what vanished can still be judged. */
static enum lith_code missing_judge(struct trying *t, bool *ret_due, const char **ret_why,
                                    struct lith_err *err)
{
    LITH_TRY(known_take(t, err));
    *ret_due = t->former.missing_count > 0;
    if (!*ret_due)
        return LITH_OK;
    LITH_TRY(missing_plan(t, ret_why, err));
    if (!*ret_why || t->anew_count == 0 || t->place.view.snapshot.missing_count == 0)
        return LITH_OK;
    t->known = t->place.view.listing;
    t->former = t->place.view.snapshot;
    t->anew_count = 0;
    *ret_why = NULL;
    return missing_plan(t, ret_why, err);
}

/* Is there something to do? Fills the commit; *ret_why: why it cannot be done. */
static enum lith_code plan_make(struct trying *t, bool *ret_due, const char **ret_why,
                                struct lith_err *err)
{
    *ret_why = NULL;
    *ret_due = false;
    if (t->place.manifest) {
        LITH_TRY(missing_judge(t, ret_due, ret_why, err));
        return *ret_due && !*ret_why ? missing_fill(t, err) : LITH_OK;
    }
    LITH_TRY(lost_plan(t, ret_due, ret_why, err));
    return *ret_due && !*ret_why ? lost_fill(t, err) : LITH_OK;
}

static enum lith_code bad_report(const struct trying *t, struct lith_partition_report *report,
                                 struct lith_err *err)
{
    char *reason;

    LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                               "%s cannot be read: %.500s. " REMEDY_BAD, t->place.bad,
                               t->place.why.text));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = reason;
    return LITH_OK;
}

static enum lith_code try_run(struct trying *t, struct lith_partition_report *report,
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
    LITH_TRY(files_report(t, &told, err));
    LITH_TRY(reason_make(t, &told, err));
    if (!t->dry_run)
        LITH_TRY(lith_in_place_commit(t->job, &t->place, &next, err));
    *report = told;
    return LITH_OK;
}

static enum lith_code attempt(const struct lith_job *job, void *ctx,
                              struct lith_partition_report *report, struct lith_err *err)
{
    const bool *dry_run = ctx;
    struct trying t = {.job = job, .dry_run = *dry_run};

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
