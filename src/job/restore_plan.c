/*
 * Planning a restore.
 *
 * What is to be live afterwards are targets: first the file's own, then what leaving outputs need
 * besides. A file overlaps a target where both are made of one and the same. It goes on until
 * nothing changes: each target may make another output overlap.
 */
#include "job/restore_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lake/output_name.h"

struct planning {
    const struct lith_restore_request *request;
    const struct lith_lineage *lineage;
    struct lith_arena *arena;
    bool *before; /* live now; without a base: there, and the file does not say that it is dead */
    bool *own;    /* the file's */
    bool *target; /* live afterwards for sure */
    bool *out;
    bool *named;
    bool *made;  /* what the targets are made of */
    bool *marks; /* scratch, as are those below */
    bool *seen;
    size_t *stack;
    size_t *list;
    size_t *work;
    bool is_exact; /* as many rows come as leave */
    const char *refusal;
};

static enum lith_code bools_make(struct planning *p, bool **ret_bools, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(p->arena, p->lineage->count, sizeof(bool), &block, err));
    *ret_bools = block;
    return LITH_OK;
}

static enum lith_code planning_init(struct planning *p, struct lith_err *err)
{
    bool **all[] = {&p->before, &p->own,  &p->target, &p->out,
                    &p->named,  &p->made, &p->marks,  &p->seen};
    size_t **lists[] = {&p->stack, &p->list, &p->work};
    void *block;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        LITH_TRY(bools_make(p, all[i], err));
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        LITH_TRY(lith_arena_array(p->arena, p->lineage->count, sizeof(size_t), &block, err));
        *lists[i] = block;
    }
    return LITH_OK;
}

static const struct lith_kin *kin_of(const struct planning *p, size_t i)
{
    return &p->lineage->files[i];
}

/* Can it be read? */
static bool is_there(const struct planning *p, size_t i)
{
    return kin_of(p, i)->object && !kin_of(p, i)->blocked;
}

static void target_add(struct planning *p, size_t i)
{
    p->target[i] = true;
    lith_lineage_mark(p->lineage, i, p->made, p->stack);
}

/* Marks what one file is made of, in p->marks. */
static void mark_alone(struct planning *p, size_t i)
{
    for (size_t k = 0; k < p->lineage->count; k++)
        p->marks[k] = false;
    lith_lineage_mark(p->lineage, i, p->marks, p->stack);
}

/* Did gc delete it, and is it there again where the request may be heard again, too? */
static bool is_unsafe(const struct planning *p, const char *name, uint64_t size)
{
    const struct lith_manifest *base = p->request->base;

    return p->request->lands_late && base && lith_manifest_has_gone(base, name, size);
}

/* Why a file of the older manifest cannot come back, or NULL. */
static const char *entry_refusal(const struct planning *p, const struct lith_entry *entry)
{
    const struct lith_restore_request *r = p->request;
    const struct lith_object *object = lith_listing_find(r->listing, entry->name);

    if (lith_manifest_condemned(r->base ? r->base : r->file, entry->name))
        return "is being deleted";
    if (!object)
        return "is not there any more";
    if (object->size != entry->size || strcmp(object->etag, entry->etag) != 0)
        return "is another file by now";
    if (is_unsafe(p, entry->name, entry->size))
        return "was deleted by gc and is there again, where that request may land once more: put a "
               "copy under another name";
    return NULL;
}

static enum lith_code refuse(struct planning *p, struct lith_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum lith_code refuse(struct planning *p, struct lith_err *err, const char *format, ...)
{
    char *text;
    va_list list;

    va_start(list, format);
    enum lith_code code = lith_arena_format_list(p->arena, &text, err, format, list);
    va_end(list);
    if (code == LITH_OK)
        p->refusal = text;
    return code;
}

static enum lith_code own_take(struct planning *p, struct lith_err *err)
{
    const struct lith_manifest *file = p->request->file;

    for (size_t i = 0; i < file->file_count; i++) {
        const struct lith_entry *entry = &file->files[i];
        const char *why = entry_refusal(p, entry);
        if (why)
            return refuse(p, err, "%s, which it names live, %s", entry->name, why);
        size_t at = lith_lineage_find(p->lineage, entry->name, entry->size);
        if (at == LITH_NO_KIN) /* a symbolic link */
            continue;
        p->own[at] = true;
        target_add(p, at);
    }
    return LITH_OK;
}

static void before_take(struct planning *p)
{
    const struct lith_snapshot *snapshot = p->request->snapshot;

    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        bool is_orphan = !p->request->base && file->state == LITH_FILE_ORPHAN;
        if (file->state != LITH_FILE_LIVE && !file->live && !is_orphan)
            continue;
        uint64_t size = file->object ? file->object->size : file->entry->size;
        size_t at = lith_lineage_find(p->lineage, file->name, size);
        if (at != LITH_NO_KIN)
            p->before[at] = true;
        /* One that was written again is there, and the one that the manifest means is not. */
        if (!file->object || !file->entry || file->entry->size == size)
            continue;
        at = lith_lineage_find(p->lineage, file->name, file->entry->size);
        if (at != LITH_NO_KIN)
            p->before[at] = true;
    }
}

static bool is_kept(const struct planning *p, size_t i)
{
    return p->before[i] && !p->target[i] && !p->out[i];
}

/* Is it made of something that a target is made of? */
static bool overlaps(struct planning *p, size_t i)
{
    mark_alone(p, i);
    for (size_t k = 0; k < p->lineage->count; k++) {
        if (p->marks[k] && p->made[k])
            return true;
    }
    return false;
}

/* The files that are live afterwards and share something with file `i`, in p->list. */
static size_t sharing_list(struct planning *p, size_t i)
{
    size_t count = 0;

    mark_alone(p, i);
    for (size_t k = 0; k < p->lineage->count; k++) {
        bool is_live = p->target[k] || p->named[k] || is_kept(p, k);
        if (k == i || !is_live || !is_there(p, k))
            continue;
        bool shares = p->marks[k];
        const struct lith_kin *kin = kin_of(p, k);
        for (size_t n = 0; n < kin->input_count && !shares; n++)
            shares = p->marks[kin->inputs[n]];
        if (shares)
            p->list[count++] = k;
    }
    return count;
}

/* Are the rows of file `i` in those that share with it? */
static enum lith_code is_held(struct planning *p, size_t i, bool *ret_held, struct lith_err *err)
{
    struct lith_row_judge *judge = p->request->judge;
    size_t count = sharing_list(p, i);

    *ret_held = false;
    if (count == 0 || !is_there(p, i))
        return LITH_OK;
    return judge->holds(judge, &i, 1, p->list, count, ret_held, err);
}

/* A file that was retired may come back as what it was, unless it is another one by now. */
static bool may_come(const struct planning *p, size_t i)
{
    const struct lith_restore_request *r = p->request;
    const struct lith_kin *kin = kin_of(p, i);
    const struct lith_snapshot_file *file = lith_snapshot_find(r->snapshot, kin->name);

    return is_there(p, i) && file && !file->condemned && !is_unsafe(p, kin->name, kin->size) &&
           (file->state != LITH_FILE_RETIRED || !file->differs);
}

/*
 * Brings back what a leaving output was made of, as far as no target has those rows. An input that
 * overlaps a target itself is gone into, not brought back. False, with a name, where one cannot be.
 */
static bool cover(struct planning *p, size_t i, const char **ret_name)
{
    size_t depth = 0;

    for (size_t k = 0; k < p->lineage->count; k++)
        p->seen[k] = false;
    p->work[depth++] = i;
    while (depth) {
        const struct lith_kin *kin = kin_of(p, p->work[--depth]);
        for (size_t n = 0; n < kin->input_count; n++) {
            size_t input = kin->inputs[n];
            if (p->seen[input] || p->made[input] || is_kept(p, input))
                continue;
            p->seen[input] = true;
            if (kin_of(p, input)->is_output && overlaps(p, input)) {
                p->work[depth++] = input;
                continue;
            }
            *ret_name = kin_of(p, input)->name;
            if (!may_come(p, input))
                return false;
            target_add(p, input);
        }
    }
    return true;
}

/* Whether what a manifest alone says of an output may be gone by: as a rollback does, where the
 * rows of the whole commit add up. */
static bool commit_adds_up(const struct planning *p, size_t i)
{
    const struct lith_manifest *m = p->request->base;
    const struct lith_entry *entry = lith_manifest_live(m, kin_of(p, i)->name);
    uint64_t rows_out = 0;
    uint64_t rows_in = 0;

    if (!entry)
        return false;
    for (size_t k = 0; k < m->file_count; k++) {
        if (strcmp(m->files[k].commit_id, entry->commit_id) == 0)
            rows_out += m->files[k].rows;
    }
    for (size_t k = 0; k < m->retired_count; k++) {
        if (strcmp(m->retired[k].commit_id, entry->commit_id) == 0)
            rows_in += m->retired[k].rows;
    }
    return entry->has_rows && rows_in == rows_out;
}

/* One output that overlaps a target leaves. */
static enum lith_code output_leave(struct planning *p, size_t i, struct lith_err *err)
{
    const struct lith_kin *kin = kin_of(p, i);
    const char *missing = NULL;

    if (kin->by_commit && !commit_adds_up(p, i))
        return refuse(p, err,
                      "%s cannot be read, and what it was made of does not add up to its rows",
                      kin->name);
    if (!cover(p, i, &missing))
        return refuse(p, err,
                      "%s holds rows of files that would come back, and of %s, which cannot: it "
                      "would lose rows, or show some twice",
                      kin->name, missing);
    p->out[i] = true;
    return LITH_OK;
}

/* Inputs of targets that are live themselves. By their names alone they might be others. */
static enum lith_code inputs_leave(struct planning *p, bool *changed, struct lith_err *err)
{
    for (size_t i = 0; i < p->lineage->count; i++) {
        bool held = false;
        if (!is_kept(p, i) || !p->made[i])
            continue;
        if (is_there(p, i))
            LITH_TRY(is_held(p, i, &held, err));
        else
            held = !kin_of(p, i)->object; /* it is missing: its rows are in what lists it */
        if (!held)
            continue;
        p->out[i] = true;
        *changed = true;
    }
    return LITH_OK;
}

static enum lith_code outputs_leave(struct planning *p, bool *changed, struct lith_err *err)
{
    for (size_t i = 0; i < p->lineage->count && !p->refusal; i++) {
        if (!is_kept(p, i) || !kin_of(p, i)->is_output || p->made[i] || !overlaps(p, i))
            continue;
        LITH_TRY(output_leave(p, i, err));
        *changed = true;
    }
    return LITH_OK;
}

/* What the older manifest retired, and is live now: where its rows are in a file that comes back,
 * but that does not list it (what it was merged to was merged further, say). */
static enum lith_code retired_leave(struct planning *p, struct lith_err *err)
{
    const struct lith_manifest *file = p->request->file;
    struct lith_row_judge *judge = p->request->judge;
    size_t count = 0;

    for (size_t i = 0; i < p->lineage->count; i++) {
        if (p->own[i] && is_there(p, i))
            p->list[count++] = i;
    }
    for (size_t i = 0; i < file->retired_count && count; i++) {
        const struct lith_entry *entry = &file->retired[i];
        size_t at = lith_lineage_find(p->lineage, entry->name, entry->size);
        bool held = false;
        if (at == LITH_NO_KIN || !is_kept(p, at) || !is_there(p, at) ||
            strcmp(kin_of(p, at)->object->etag, entry->etag) != 0)
            continue;
        LITH_TRY(judge->holds(judge, &at, 1, p->list, count, &held, err));
        p->out[at] = held;
    }
    return LITH_OK;
}

/* With a base: all that leaves is among all that comes, and neither is anything else. */
static enum lith_code exchange_check(struct planning *p, struct lith_err *err)
{
    struct lith_row_judge *judge = p->request->judge;
    size_t *coming = p->list;
    size_t *leaving = p->stack;
    size_t coming_count = 0;
    size_t leaving_count = 0;
    uint64_t surplus = 0; /* modulo 2^64 */
    bool holds = true;

    for (size_t i = 0; i < p->lineage->count; i++) {
        bool comes = p->target[i] && !p->before[i];
        if (comes && is_there(p, i))
            coming[coming_count++] = i;
        if (p->out[i] && is_there(p, i))
            leaving[leaving_count++] = i;
        surplus += comes ? kin_of(p, i)->rows : 0;
        surplus -= p->out[i] ? kin_of(p, i)->rows : 0;
    }
    p->is_exact = surplus == 0;
    if (leaving_count)
        LITH_TRY(judge->holds(judge, leaving, leaving_count, coming, coming_count, &holds, err));
    if (!holds)
        return refuse(p, err, "the rows of %s are not all in the files that would come back%s",
                      kin_of(p, leaving[0])->name, leaving_count > 1 ? ", or those of others" : "");
    return LITH_OK;
}

/* Was it made of an output that is not there, be it through others? Then nobody knows all that it
 * was made of. */
static bool is_broken(struct planning *p, size_t i)
{
    struct lith_output_name parts;

    if (kin_of(p, i)->input_count == 0)
        return false; /* most of a partition: the marks cost as much as all of it */
    mark_alone(p, i);
    for (size_t k = 0; k < p->lineage->count; k++) {
        const struct lith_kin *kin = kin_of(p, k);
        if (p->marks[k] && !kin->is_output && !kin->object &&
            lith_output_name_parse(kin->name, &parts))
            return true;
    }
    return false;
}

/* A live output that nobody can ask what it was made of. */
static bool is_dark(const struct planning *p, size_t i)
{
    return is_kept(p, i) && !is_there(p, i) && !kin_of(p, i)->is_output &&
           lith_output_name_is_of(kin_of(p, i)->name, p->request->base->pid);
}

/* Files that come must not be in an output that stays, and may be there again one day. */
static enum lith_code dark_check(struct planning *p, struct lith_err *err)
{
    for (size_t i = 0; i < p->lineage->count && !p->is_exact; i++) {
        if (is_dark(p, i))
            return refuse(p, err,
                          "%s, which is live, %s, and nobody knows what it was made of: put it "
                          "back from a copy%s",
                          kin_of(p, i)->name,
                          kin_of(p, i)->object ? "cannot be read" : "is not there",
                          kin_of(p, i)->object ? "" : ", or run fsck --repair first");
    }
    return LITH_OK;
}

/* Files that come must not be in an output that stays, through one that nobody can ask. */
static enum lith_code broken_check(struct planning *p, struct lith_err *err)
{
    struct lith_row_judge *judge = p->request->judge;

    for (size_t i = 0; i < p->lineage->count && !p->refusal && !p->is_exact; i++) {
        bool stays = is_kept(p, i) || p->named[i];
        if (!stays || !is_there(p, i) || !is_broken(p, i))
            continue;
        for (size_t k = 0; k < p->lineage->count && !p->refusal; k++) {
            bool holds = false;
            bool comes = p->target[k] && !(p->request->base && p->before[k]);
            if (!comes || !is_there(p, k) || kin_of(p, k)->rows == 0)
                continue;
            LITH_TRY(judge->holds(judge, &k, 1, &i, 1, &holds, err));
            if (holds)
                LITH_TRY(refuse(p, err,
                                "the rows of %s are in %s already, which stays: they would show "
                                "twice",
                                kin_of(p, k)->name, kin_of(p, i)->name));
        }
    }
    return LITH_OK;
}

/* Is all that it was made of live, by itself or in pieces? Then it was never needed. */
static bool is_redundant(const struct planning *p, size_t i)
{
    const struct lith_kin *kin = kin_of(p, i);

    for (size_t n = 0; n < kin->input_count; n++) {
        if (!is_kept(p, kin->inputs[n]) && !p->out[kin->inputs[n]])
            return false;
    }
    return true;
}

/* Some of what it was made of is gone: it stays, and what is left of that leaves. */
static enum lith_code only_holder_stay(struct planning *p, size_t i, struct lith_err *err)
{
    const struct lith_manifest *file = p->request->file;
    size_t count = 0;

    p->named[i] = true;
    mark_alone(p, i);
    for (size_t k = 0; k < p->lineage->count; k++) {
        const struct lith_entry *retired = lith_manifest_retired(file, kin_of(p, k)->name);
        if (!p->marks[k] || k == i)
            continue;
        if (retired && retired->size == kin_of(p, k)->size)
            return refuse(p, err, "%s holds rows of %s, which it says were replaced before",
                          kin_of(p, i)->name, retired->name);
        if (p->named[k])
            return refuse(p, err, "%s holds rows of %s, which is not all that it was made of",
                          kin_of(p, i)->name, kin_of(p, k)->name);
        if (is_kept(p, k))
            p->work[count++] = k;
    }
    for (size_t n = 0; n < count; n++) {
        bool held = false;
        LITH_TRY(is_held(p, p->work[n], &held, err));
        p->out[p->work[n]] = held;
    }
    return LITH_OK;
}

/* Two outputs that stay must not be made of the same. */
static enum lith_code unknown_check(struct planning *p, struct lith_err *err)
{
    for (size_t i = 0; i < p->lineage->count; i++) {
        if (!p->named[i])
            continue;
        mark_alone(p, i);
        for (size_t k = i + 1; k < p->lineage->count; k++) {
            bool shares = false;
            if (!p->named[k])
                continue;
            for (size_t n = 0; n < p->lineage->count; n++)
                p->seen[n] = false;
            lith_lineage_mark(p->lineage, k, p->seen, p->stack);
            for (size_t n = 0; n < p->lineage->count && !shares; n++)
                shares = p->marks[n] && p->seen[n];
            if (shares)
                return refuse(p, err,
                              "%s and %s hold rows of the same files, which are not all there",
                              kin_of(p, i)->name, kin_of(p, k)->name);
        }
    }
    return LITH_OK;
}

/* Without a base: all that leaves is among what is live then, each file by itself: several may hold
 * the same rows. */
static enum lith_code leaving_check(struct planning *p, struct lith_err *err)
{
    for (size_t i = 0; i < p->lineage->count; i++) {
        bool held = false;
        if (!p->out[i] || !is_there(p, i))
            continue;
        LITH_TRY(is_held(p, i, &held, err));
        if (!held)
            return refuse(p, err, "the rows of %s are not all in the files that it lists",
                          kin_of(p, i)->name);
    }
    return LITH_OK;
}

static bool is_output_of(const struct planning *p, size_t i)
{
    return lith_output_name_is_of(kin_of(p, i)->name, p->request->file->pid);
}

/* What the file does not know of, where nothing else is known. */
static enum lith_code unknowns_settle(struct planning *p, struct lith_err *err)
{
    bool changed = true;

    while (changed && !p->refusal) {
        changed = false;
        for (size_t i = 0; i < p->lineage->count && !p->refusal; i++) {
            if (!is_kept(p, i) || !kin_of(p, i)->is_output || !is_redundant(p, i))
                continue;
            p->out[i] = changed = true;
        }
    }
    for (size_t i = 0; i < p->lineage->count && !p->refusal; i++) {
        if (is_kept(p, i) && kin_of(p, i)->is_output)
            LITH_TRY(only_holder_stay(p, i, err));
        else if (is_kept(p, i) && is_output_of(p, i))
            LITH_TRY(refuse(p, err, "%s is an output that does not say what it holds",
                            kin_of(p, i)->name));
    }
    if (!p->refusal)
        LITH_TRY(unknown_check(p, err));
    return p->refusal ? LITH_OK : leaving_check(p, err);
}

static enum lith_code rounds_run(struct planning *p, struct lith_err *err)
{
    bool changed = true;

    while (changed && !p->refusal) {
        changed = false;
        LITH_TRY(inputs_leave(p, &changed, err));
        LITH_TRY(outputs_leave(p, &changed, err));
    }
    if (p->refusal)
        return LITH_OK;
    LITH_TRY(retired_leave(p, err));
    if (p->request->base)
        LITH_TRY(exchange_check(p, err));
    else
        LITH_TRY(unknowns_settle(p, err));
    if (!p->refusal && p->request->base)
        LITH_TRY(dark_check(p, err));
    return p->refusal ? LITH_OK : broken_check(p, err);
}

static enum lith_code chosen_list(const struct planning *p, const bool *chosen, const bool *but,
                                  size_t **ret_list, size_t *ret_count, struct lith_err *err)
{
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(p->arena, p->lineage->count, sizeof(size_t), &block, err));
    size_t *list = block;
    for (size_t i = 0; i < p->lineage->count; i++) {
        if (chosen[i] && !(but && but[i]))
            list[count++] = i;
    }
    *ret_list = list;
    *ret_count = count;
    return LITH_OK;
}

/* Lost files that what comes back was made of: put back as well, they would count twice. */
static enum lith_code superseded_list(const struct planning *p, struct lith_restore_plan *plan,
                                      struct lith_err *err)
{
    const struct lith_manifest *base = p->request->base;
    void *block;

    LITH_TRY(lith_arena_array(p->arena, base ? base->lost_count : 0, sizeof(struct lith_entry),
                              &block, err));
    plan->superseded = block;
    for (size_t i = 0; base && i < base->lost_count; i++) {
        const struct lith_entry *lost = &base->lost[i];
        size_t at = lith_lineage_find(p->lineage, lost->name, lost->size);
        if (at != LITH_NO_KIN && p->made[at] && !p->target[at] &&
            !lith_output_name_is_of(lost->name, base->pid))
            plan->superseded[plan->superseded_count++] = *lost;
    }
    return LITH_OK;
}

enum lith_code lith_restore_plan_make(const struct lith_restore_request *request,
                                      struct lith_arena *arena, struct lith_restore_plan *ret_plan,
                                      struct lith_err *err)
{
    struct planning p = {.request = request, .lineage = request->lineage, .arena = arena};
    struct lith_restore_plan plan = {0};

    LITH_TRY(planning_init(&p, err));
    LITH_TRY(own_take(&p, err));
    before_take(&p);
    if (!p.refusal)
        LITH_TRY(rounds_run(&p, err));
    plan.refusal = p.refusal;
    LITH_TRY(chosen_list(&p, p.target, p.own, &plan.back, &plan.back_count, err));
    LITH_TRY(chosen_list(&p, p.out, NULL, &plan.out, &plan.out_count, err));
    LITH_TRY(chosen_list(&p, p.named, NULL, &plan.named, &plan.named_count, err));
    LITH_TRY(superseded_list(&p, &plan, err));
    *ret_plan = plan;
    return LITH_OK;
}
