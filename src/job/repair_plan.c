/*
 * Planning the repair of a live set with files that vanished.
 *
 * A way back is a set of files that hold a vanished one's rows: down, all that its own commit
 * retired; up, the outputs of one job that lists it. Each way is tried as the restore of a manifest
 * that names those files alone, so the same rules and the same reading of rows decide.
 */
#include "job/repair_plan.h"

#include <string.h>

#include "lake/output_name.h"

struct repairing {
    const struct lith_repair_request *request;
    const struct lith_lineage *lineage;
    struct lith_arena *arena;
    bool *coming; /* kins of ways that hold */
    bool *seen;   /* scratch */
    size_t *way;  /* the one that is tried */
    size_t way_count;
    struct lith_repair_plan plan;
};

static const struct lith_kin *kin_of(const struct repairing *r, size_t i)
{
    return &r->lineage->files[i];
}

/* May it come into the live set: is it there as it was, and not on its way out? */
static bool may_come(const struct repairing *r, size_t i)
{
    const struct lith_kin *kin = kin_of(r, i);
    const struct lith_snapshot_file *file = lith_snapshot_find(r->request->snapshot, kin->name);

    if (!kin->object || kin->blocked || !file || file->condemned || file->differs)
        return false;
    return file->state == LITH_FILE_RETIRED || file->state == LITH_FILE_ORPHAN;
}

/* Down: what the file was made of, as its manifest says. */
static bool way_down(struct repairing *r, size_t i)
{
    const struct lith_kin *kin = kin_of(r, i);

    r->way_count = 0;
    for (size_t n = 0; kin->by_commit && n < kin->input_count; n++) {
        if (!may_come(r, kin->inputs[n]))
            return false;
        r->way[r->way_count++] = kin->inputs[n];
    }
    return r->way_count > 0;
}

static bool lists(const struct lith_kin *kin, size_t input)
{
    for (size_t n = 0; n < kin->input_count; n++) {
        if (kin->inputs[n] == input)
            return true;
    }
    return false;
}

/* Are the outputs of the way all that became of live files, each with all its rows? */
static bool adds_up(const struct repairing *r)
{
    uint64_t rows = 0; /* modulo 2^64 */

    for (size_t k = 0; k < r->lineage->count; k++)
        r->seen[k] = false;
    for (size_t i = 0; i < r->way_count; i++) {
        const struct lith_kin *output = kin_of(r, r->way[i]);
        rows += output->rows;
        for (size_t n = 0; n < output->input_count; n++) {
            const struct lith_kin *input = kin_of(r, output->inputs[n]);
            const struct lith_entry *entry = lith_manifest_live(r->request->base, input->name);
            if (r->seen[output->inputs[n]])
                continue;
            r->seen[output->inputs[n]] = true;
            if (!entry || entry->size != input->size || !input->has_rows)
                return false;
            /* Its writer might have written it again since, and nobody can look any more. */
            if (!input->object && !entry->has_crc)
                return false;
            rows -= input->rows;
        }
    }
    return rows == 0;
}

/* An output of this partition that is there, and not live. */
static bool is_spare(const struct repairing *r, size_t i)
{
    const struct lith_kin *kin = kin_of(r, i);
    struct lith_output_name parts;

    return kin->is_output && !kin->by_commit && may_come(r, i) &&
           lith_output_name_parse(kin->name, &parts) &&
           strcmp(parts.pid, r->request->base->pid) == 0 && parts.epoch <= r->request->base->epoch;
}

/* Up: the outputs of a job that read the file. Of a job that was repeated one may do. Those that
 * were live once come before those that never were. */
static bool way_up(struct repairing *r, size_t i, enum lith_file_state state)
{
    for (size_t k = 0; k < r->lineage->count; k++) {
        const struct lith_snapshot_file *file =
            lith_snapshot_find(r->request->snapshot, kin_of(r, k)->name);
        if (!file || file->state != state || !is_spare(r, k) || !lists(kin_of(r, k), i))
            continue;
        r->way_count = 0;
        for (size_t n = 0; n < r->lineage->count; n++) {
            if (is_spare(r, n) && strcmp(kin_of(r, n)->job, kin_of(r, k)->job) == 0)
                r->way[r->way_count++] = n;
        }
        if (adds_up(r))
            return true;
        r->way[0] = k;
        r->way_count = 1;
        if (adds_up(r))
            return true;
    }
    return false;
}

/* Would the files of `kins` come back, and nothing be lost or doubled by it? */
static enum lith_code restore_try(struct repairing *r, const size_t *kins, size_t count,
                                  struct lith_restore_plan *ret_plan, struct lith_err *err)
{
    const struct lith_repair_request *request = r->request;
    struct lith_manifest file = *request->base;
    void *block;

    LITH_TRY(lith_arena_array(r->arena, count, sizeof(struct lith_entry), &block, err));
    file.files = block;
    file.file_count = count;
    file.retired_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lith_kin *kin = kin_of(r, kins[i]);
        file.files[i] = (struct lith_entry){
            .name = kin->name, .size = kin->size, .etag = kin->object->etag, .rows = kin->rows};
    }
    struct lith_restore_request restore = {
        .lineage = r->lineage,
        .file = &file,
        .base = request->base,
        .listing = request->listing,
        .snapshot = request->snapshot,
        .judge = request->judge,
        .lands_late = request->lands_late,
    };
    return lith_restore_plan_make(&restore, r->arena, ret_plan, err);
}

/* Does the plan let that file go, since its rows are in what comes? */
static bool lets_go(const struct lith_restore_plan *plan, size_t i)
{
    for (size_t n = 0; n < plan->out_count; n++) {
        if (plan->out[n] == i)
            return true;
    }
    return false;
}

/* What is there that may hold rows of the file, and cannot be gone by. */
static enum lith_code parts_tell(struct repairing *r, size_t i, const char **ret_why,
                                 struct lith_err *err)
{
    const struct lith_kin *kin = kin_of(r, i);
    const char *name = NULL;
    size_t count = 0;
    char *why;

    for (size_t k = 0; k < r->lineage->count; k++) {
        const struct lith_kin *other = kin_of(r, k);
        bool is_part = lists(kin, k);
        bool is_whole = other->is_output && !other->by_commit && lists(other, i);
        if (!other->object || !(is_part || is_whole))
            continue;
        name = name ? name : other->name;
        count++;
    }
    if (!name)
        return LITH_OK;
    LITH_TRY(lith_arena_format(r->arena, &why, err,
                               "%s%s may hold some of its rows, but whether all is not known", name,
                               count > 1 ? " and others" : ""));
    *ret_why = why;
    return LITH_OK;
}

/* Does it let all go that the outputs of the way were made of? One whose rows were not found there
 * is another file, under the name of an input. */
static bool lets_all_go(const struct repairing *r, const struct lith_restore_plan *plan)
{
    for (size_t i = 0; i < r->way_count; i++) {
        const struct lith_kin *output = kin_of(r, r->way[i]);
        for (size_t n = 0; n < output->input_count; n++) {
            if (!lets_go(plan, output->inputs[n]))
                return false;
        }
    }
    return true;
}

/* Tries one way; it counts where the file itself leaves by it. */
static enum lith_code way_take(struct repairing *r, size_t i, bool is_up, const char **ret_why,
                               struct lith_err *err)
{
    struct lith_restore_plan plan;

    LITH_TRY(restore_try(r, r->way, r->way_count, &plan, err));
    if (plan.refusal) {
        *ret_why = plan.refusal;
        return LITH_OK;
    }
    if (!lets_go(&plan, i) || (is_up && !lets_all_go(r, &plan)))
        return parts_tell(r, i, ret_why, err);
    for (size_t n = 0; n < r->way_count; n++)
        r->coming[r->way[n]] = true;
    return LITH_OK;
}

static enum lith_code file_plan(struct repairing *r, size_t i, const char **ret_why,
                                struct lith_err *err)
{
    if (way_down(r, i))
        return way_take(r, i, false, ret_why, err);
    if (way_up(r, i, LITH_FILE_RETIRED) || way_up(r, i, LITH_FILE_ORPHAN))
        return way_take(r, i, true, ret_why, err);
    return parts_tell(r, i, ret_why, err);
}

static enum lith_code repairing_init(struct repairing *r, struct lith_err *err)
{
    size_t count = r->lineage->count;
    void *block;

    LITH_TRY(lith_arena_array(r->arena, count, sizeof(bool), &block, err));
    r->coming = block;
    LITH_TRY(lith_arena_array(r->arena, count, sizeof(bool), &block, err));
    r->seen = block;
    LITH_TRY(lith_arena_array(r->arena, count, sizeof(size_t), &block, err));
    r->way = block;
    LITH_TRY(lith_arena_array(r->arena, count, sizeof(size_t), &block, err));
    r->plan.coming = block;
    LITH_TRY(lith_arena_array(r->arena, r->request->base->file_count, sizeof(struct lith_loss),
                              &block, err));
    r->plan.losses = block;
    return LITH_OK;
}

/* All ways at once. Where they do not go together, none is gone. */
static enum lith_code ways_join(struct repairing *r, struct lith_err *err)
{
    struct lith_repair_plan *plan = &r->plan;

    for (size_t i = 0; i < r->lineage->count; i++) {
        if (r->coming[i])
            plan->coming[plan->coming_count++] = i;
    }
    if (plan->coming_count == 0)
        return LITH_OK;
    return restore_try(r, plan->coming, plan->coming_count, &plan->restore, err);
}

static size_t kin_find(const struct repairing *r, const struct lith_entry *entry)
{
    size_t at = lith_lineage_find(r->lineage, entry->name, entry->size);

    LITH_ASSERT(at != LITH_NO_KIN); /* lineage has all that the manifest names */
    return at;
}

/* What does not leave by a way is lost. */
static void losses_settle(struct repairing *r)
{
    struct lith_repair_plan *plan = &r->plan;
    size_t kept = 0;

    for (size_t i = 0; i < plan->loss_count; i++) {
        if (!lets_go(&plan->restore, kin_find(r, plan->losses[i].entry)))
            plan->losses[kept++] = plan->losses[i];
    }
    plan->loss_count = kept;
}

enum lith_code lith_repair_plan_make(const struct lith_repair_request *request,
                                     struct lith_arena *arena, struct lith_repair_plan *ret_plan,
                                     struct lith_err *err)
{
    struct repairing r = {.request = request, .lineage = request->lineage, .arena = arena};
    const struct lith_manifest *base = request->base;

    LITH_TRY(repairing_init(&r, err));
    for (size_t i = 0; i < base->file_count; i++) {
        const struct lith_entry *entry = &base->files[i];
        const char *why = NULL;
        if (lith_listing_find(request->listing, entry->name))
            continue;
        LITH_TRY(file_plan(&r, kin_find(&r, entry), &why, err));
        r.plan.losses[r.plan.loss_count++] = (struct lith_loss){.entry = entry, .why = why};
    }
    LITH_TRY(ways_join(&r, err));
    if (!r.plan.restore.refusal)
        losses_settle(&r);
    *ret_plan = r.plan;
    return LITH_OK;
}
