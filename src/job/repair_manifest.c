/*
 * What a lost manifest said, as a commit: what is live, and what was replaced.
 */
#include "job/repair_manifest.h"

#include <stdio.h>
#include <string.h>

#include "job/kin_entries.h"
#include "job/lost.h"
#include "job/repair_above.h"

/* What is held out of sight was replaced by a commit, whatever has become of its manifest. */
static enum lith_code shown_take(struct lith_repair_try *t, struct lith_err *err)
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

enum lith_code lith_repair_manifest_plan(struct lith_repair_try *t, bool *ret_due,
                                         const char **ret_why, struct lith_err *err)
{
    uint64_t bytes;

    LITH_TRY(shown_take(t, err));
    LITH_TRY(lith_lineage_read(t->job, &t->shown, NULL, &t->arena, &t->lineage, err));
    struct lith_row_reader reader = lith_row_reader_of(t->job, &t->lineage);
    LITH_TRY(lith_rebuild_plan_make(&t->lineage, &reader.base, &t->arena, &t->rebuild, err));
    *ret_due = t->rebuild.pid || t->rebuild.refusal;
    *ret_why = t->rebuild.refusal;
    if (!*ret_why && lith_lost_held(&t->place.view.snapshot, &bytes)) {
        *ret_due = true;
        const struct lith_repair_shown shown = {
            .lineage = &t->lineage, .out = t->rebuild.out, .out_count = t->rebuild.out_count};
        LITH_TRY(lith_repair_held_judge(t->job, &t->place.view.listing, &shown, &t->arena, &t->held,
                                        err));
        *ret_why = t->held.refusal;
        t->rebuild.pid = t->rebuild.pid ? t->rebuild.pid : t->held.pid;
    }
    if (!*ret_why)
        LITH_TRY(lith_repair_above_settle(t, ret_due, ret_why, err));
    if (!*ret_due || *ret_why || t->rebuild.pid)
        return LITH_OK;
    lith_pid_draw(t->job->env, t->pid);
    t->rebuild.pid = t->pid;
    return LITH_OK;
}

static struct lith_kin_entries making_of(struct lith_repair_try *t)
{
    return (struct lith_kin_entries){.job = t->job,
                                     .lineage = &t->lineage,
                                     .snapshot = &t->by_itself,
                                     .arena = &t->arena,
                                     .dry_run = t->dry_run};
}

/* Those of the live files that are outputs, or that are not. */
static size_t live_choose(const struct lith_repair_try *t, bool outputs, size_t *kins)
{
    size_t count = 0;

    for (size_t i = 0; i < t->rebuild.live_count; i++) {
        if (lith_output_name_is_of(t->lineage.files[t->rebuild.live[i]].name, t->rebuild.pid) ==
            outputs)
            kins[count++] = t->rebuild.live[i];
    }
    return count;
}

static enum lith_code live_entries(struct lith_repair_try *t, struct lith_err *err)
{
    struct lith_kin_entries making = making_of(t);
    struct lith_entry *outputs;
    void *block;

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
static enum lith_code out_entries(struct lith_repair_try *t, struct lith_err *err)
{
    struct lith_kin_entries making = making_of(t);
    size_t count = t->rebuild.out_count + t->held.kin_count;
    struct lith_entry *shown;
    struct lith_entry *held;
    void *block;

    LITH_TRY(lith_kin_entries_make(&making, t->rebuild.out, t->rebuild.out_count, &shown, err));
    making.lineage = &t->held.lineage;
    LITH_TRY(lith_kin_entries_make(&making, t->held.kins, t->held.kin_count, &held, err));
    LITH_TRY(lith_arena_array(&t->arena, count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    if (t->rebuild.out_count)
        memcpy(entries, shown, t->rebuild.out_count * sizeof(*entries));
    if (t->held.kin_count)
        memcpy(entries + t->rebuild.out_count, held, t->held.kin_count * sizeof(*entries));
    t->commit.out = entries;
    t->commit.out_count = count;
    return LITH_OK;
}

enum lith_code lith_repair_manifest_fill(struct lith_repair_try *t, struct lith_err *err)
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
