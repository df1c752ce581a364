/*
 * Plans one pass of gc: who may go, who stays, and why. A pure function.
 *
 * Rows are never lost because a retired file was superseded by a commit, and an orphan goes only
 * when each input it lists is live and there, or retired by a commit: its rows are elsewhere.
 */
#include "lake/gc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/guard.h"
#include "lake/name_index.h"

static const char *const verdict_texts[] = {
    "deleted",
    "kept: its grace is not over",
    "kept: this pass has deleted its share (gc_bytes_max)",
    "kept: an output that was never committed; which rows it holds is not known",
    "kept: an output that was never committed; its rows may be nowhere else",
    "kept: another file under the name of one that was merged",
    "kept: a symbolic link",
    "kept: a file was lost after it had been replaced, whose rows it may hold",
};
static_assert(sizeof(verdict_texts) / sizeof(verdict_texts[0]) == LITH_GC_VERDICT_COUNT,
              "one text for each");

const char *lith_gc_verdict_text(enum lith_gc_verdict verdict)
{
    LITH_ASSERT(verdict < LITH_GC_VERDICT_COUNT);
    return verdict_texts[verdict];
}

/* A name of the file system has 255 bytes at most. */
#define GONE_NAME_BYTES 300

struct pass {
    const struct lith_view *view;
    const struct lith_manifest *m;
    const struct lith_gc_policy *policy;
    int64_t now_ns;
    struct lith_arena *arena;
    struct lith_name_index retired; /* of the manifest */
    struct lith_name_index named;   /* of the policy */
    struct lith_gc_plan plan;
};

/* Is `grace` over since `from`? A sum that does not fit lies in the future. What was named has
 * none.
 */
static bool is_over(const struct pass *p, int64_t from, int64_t grace)
{
    int64_t until = 0;

    return p->policy->only_named || (lith_add_i64(from, grace, &until) && p->now_ns >= until);
}

/* Of other files no rows are in what was superseded: only outputs were made of something. */
static bool is_fresh(const struct lith_manifest *m, const struct lith_entry *lost,
                     const struct lith_gc_policy *policy, int64_t now_ns)
{
    int64_t until = 0;

    if (!lith_output_name_is_of(lost->name, m->pid))
        return false;
    return !lith_add_i64(lost->at_ns, policy->loss_grace_ns, &until) || now_ns < until;
}

bool lith_gc_is_loss_fresh(const struct lith_manifest *m, const struct lith_gc_policy *policy,
                           int64_t now_ns)
{
    for (size_t i = 0; i < m->lost_count; i++) {
        if (is_fresh(m, &m->lost[i], policy, now_ns))
            return true;
    }
    return false;
}

static bool is_recorded(const struct lith_object *object, const struct lith_entry *entry)
{
    return object->size == entry->size && (!entry->etag || strcmp(object->etag, entry->etag) == 0);
}

/*
 * Does another file stand where a delete would put this one? While NAME is there that file cannot
 * have the name either; so both stay, and no pass writes a fence for nothing.
 */
static bool is_in_the_way(const struct pass *p, const struct lith_snapshot_file *file)
{
    char gone[GONE_NAME_BYTES];
    int length = snprintf(gone, sizeof(gone), "%s" LITH_GONE_SUFFIX, file->name);

    if (length < 0 || (size_t)length >= sizeof(gone))
        return false;
    const struct lith_object *object = lith_listing_find(&p->view->listing, gone);
    return object && !is_recorded(object, file->entry);
}

/* An output that was lost since something was superseded in `generation`, and not long ago; or
 * NULL.
 */
static const char *lost_since(const struct pass *p, uint64_t generation)
{
    for (size_t i = 0; i < p->m->lost_count; i++) {
        const struct lith_entry *lost = &p->m->lost[i];
        if (generation <= lost->generation && is_fresh(p->m, lost, p->policy, p->now_ns))
            return lost->name;
    }
    return NULL;
}

static enum lith_gc_verdict
retired_judge(const struct pass *p, const struct lith_snapshot_file *file, const char **ret_needed)
{
    int64_t from = file->entry->at_ns;

    if (file->object->is_link)
        return LITH_GC_KEEP_LINK;
    if (file->differs || is_in_the_way(p, file))
        return LITH_GC_KEEP_DIFFERS;
    /* Readers could see that it is retired only once the manifest was stored. */
    if (file->entry->generation == p->m->generation && p->m->mtime_ns > from &&
        !lith_guard_is_out(LITH_GUARD_GRACE_SEEN))
        from = p->m->mtime_ns;
    if (!is_over(p, from, p->policy->reader_grace_ns))
        return LITH_GC_KEEP_YOUNG;
    *ret_needed = lost_since(p, file->entry->generation);
    return *ret_needed ? LITH_GC_KEEP_LOST : LITH_GC_DELETE;
}

static int compare_orphan(const void *key, const void *orphan)
{
    return strcmp(key, ((const struct lith_orphan_inputs *)orphan)->name);
}

const struct lith_orphan_inputs *lith_gc_orphan_find(const struct lith_gc_plan *plan,
                                                     const char *name)
{
    return plan->orphan_count ? bsearch(name, plan->orphans, plan->orphan_count,
                                        sizeof(*plan->orphans), compare_orphan)
                              : NULL;
}

bool lith_gc_is_orphan_new(const struct lith_gc_plan *plan, const struct lith_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (file->state == LITH_FILE_ORPHAN && file->object && !file->condemned &&
            !lith_gc_orphan_find(plan, file->name))
            return true;
    }
    return false;
}

/* Does an input hold its rows itself? A late file has its rows, too, but a pass by grace waits
 * until it is named; what is named itself does not, since nothing is folded before it is gone. */
static bool is_live(const struct pass *p, const char *name, uint64_t size)
{
    const struct lith_snapshot_file *file = lith_snapshot_find(&p->view->snapshot, name);
    bool holds = file && (file->state == LITH_FILE_LIVE ||
                          (file->state == LITH_FILE_LATE && p->policy->only_named));

    return holds && file->object && file->object->size == size;
}

/*
 * The first input of an orphan whose rows may be in the orphan alone; NULL: all are elsewhere. An
 * input that is live has them itself; one that is retired or gone was superseded by a commit. A
 * name with another size is another file.
 */
static const char *needed_find(const struct pass *p, const struct lith_orphan_inputs *inputs)
{
    for (size_t i = 0; i < inputs->input_count; i++) {
        const char *name = inputs->inputs[i];
        size_t row = 0;
        bool live = is_live(p, name, inputs->sizes[i]);
        bool retired = lith_name_index_find(&p->retired, name, &row) &&
                       p->m->retired[row].size == inputs->sizes[i];
        bool below = inputs->is_below && inputs->is_below[i];
        if (!live && !retired && !below && !lith_manifest_has_gone(p->m, name, inputs->sizes[i]))
            return name;
    }
    return NULL;
}

/* Is each input live? Then it holds nothing that was lost. */
static bool is_all_live(const struct pass *p, const struct lith_orphan_inputs *inputs)
{
    for (size_t i = 0; i < inputs->input_count; i++) {
        if (!is_live(p, inputs->inputs[i], inputs->sizes[i]))
            return false;
    }
    return inputs->known;
}

static enum lith_gc_verdict
orphan_judge(const struct pass *p, const struct lith_snapshot_file *file, const char **ret_needed)
{
    const struct lith_orphan_inputs *inputs = lith_gc_orphan_find(&p->plan, file->name);
    struct lith_output_name parts = {0};

    if (file->object->is_link)
        return LITH_GC_KEEP_LINK;
    if (!is_over(p, file->object->mtime_ns, p->policy->orphan_grace_ns))
        return LITH_GC_KEEP_YOUNG;
    /* An epoch that the manifest has not reached: the fence would not shut it out. */
    if (!lith_output_name_parse(file->name, &parts) || parts.epoch > p->m->epoch)
        return LITH_GC_KEEP_UNKNOWN;
    if (file->lost)
        *ret_needed = file->lost->name;
    else if (!inputs || !is_all_live(p, inputs))
        *ret_needed = lost_since(p, 0);
    if (*ret_needed)
        return LITH_GC_KEEP_LOST;
    if (file->condemned)
        return LITH_GC_DELETE;
    if (!inputs || !inputs->known)
        return LITH_GC_KEEP_UNKNOWN;
    const char *needed = needed_find(p, inputs);
    if (LITH_GUARD(LINEAGE, !needed))
        return LITH_GC_DELETE;
    *ret_needed = needed;
    return LITH_GC_KEEP_NEEDED;
}

static enum lith_gc_verdict our_tmp_judge(const struct pass *p,
                                          const struct lith_snapshot_file *file)
{
    if (file->object->is_link)
        return LITH_GC_KEEP_LINK;
    return is_over(p, file->object->mtime_ns, p->policy->orphan_grace_ns) ? LITH_GC_DELETE
                                                                          : LITH_GC_KEEP_YOUNG;
}

/* Of all temporary files only our own come to be NAME of a NAME.gone.tmp (snapshot.c). */
static bool is_tmp(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && strcmp(dot, ".tmp") == 0;
}

/*
 * NAME.gone.tmp: a delete of NAME that was cut off. With a retired NAME the delete is tried again
 * with the recorded identity, which also gives another file its name back.
 */
static enum lith_code gone_tmp_judge(struct pass *p, const struct lith_snapshot_file *file,
                                     struct lith_gc_item *item, struct lith_err *err)
{
    size_t bytes = strlen(file->name) - strlen(LITH_GONE_SUFFIX);
    void *copy = NULL;

    LITH_TRY(lith_arena_copy(p->arena, file->name, bytes, &copy, err));
    const struct lith_entry *retired = lith_manifest_retired(p->m, copy);
    item->verdict = LITH_GC_KEEP_UNKNOWN;
    item->target = *file->object;
    item->target.name = copy;
    item->condemned = lith_manifest_condemned(p->m, copy);
    if (retired) {
        item->verdict =
            is_recorded(file->object, retired) || !lith_listing_find(&p->view->listing, copy)
                ? LITH_GC_DELETE
                : LITH_GC_KEEP_DIFFERS;
        item->needed = lost_since(p, retired->generation);
        if (item->needed)
            item->verdict = LITH_GC_KEEP_LOST;
        item->target.etag = retired->etag;
        item->target.size = retired->size;
    } else if (lith_manifest_condemned(p->m, copy) || is_tmp(copy)) {
        item->verdict = LITH_GC_DELETE;
    }
    return LITH_OK;
}

static bool ends_with(const char *name, size_t bytes, const char *suffix)
{
    size_t suffix_bytes = strlen(suffix);

    return bytes > suffix_bytes && memcmp(name + bytes - suffix_bytes, suffix, suffix_bytes) == 0;
}

/* Bytes of the data file's name that a file bears, or bore before it was given a suffix. */
static size_t data_bytes(const char *name)
{
    size_t bytes = strlen(name);

    if (ends_with(name, bytes, LITH_GONE_SUFFIX))
        bytes -= strlen(LITH_GONE_SUFFIX);
    if (ends_with(name, bytes, ".tmp"))
        bytes -= strlen(".tmp");
    return bytes;
}

/* Is what is named the very file? Of an output that was never committed the name is enough: no
 * other file ever gets it. */
static bool named_is(const struct pass *p, const struct lith_gc_named *named, const char *name)
{
    size_t row = 0;

    if (!lith_name_index_find(&p->retired, name, &row))
        return !named->etag;
    const struct lith_entry *retired = &p->m->retired[row];
    return named->etag && retired->etag && retired->size == named->size &&
           strcmp(retired->etag, named->etag) == 0;
}

/* Also by the name that a file had before a delete of it, or the job that wrote it, was cut off. */
static enum lith_code is_named(const struct pass *p, const struct lith_snapshot_file *file,
                               bool *ret_named, struct lith_err *err)
{
    size_t bytes = data_bytes(file->name);
    size_t begin = 0;
    void *name;

    LITH_TRY(lith_arena_copy(p->arena, file->name, bytes, &name, err));
    size_t count = lith_name_index_run(&p->named, name, &begin);
    *ret_named = false;
    for (size_t i = begin; i < begin + count; i++) {
        if (named_is(p, &p->policy->named[p->named.refs[i].index], name))
            *ret_named = true;
    }
    return LITH_OK;
}

static bool state_matters(enum lith_file_state state)
{
    return state == LITH_FILE_RETIRED || state == LITH_FILE_ORPHAN || state == LITH_FILE_OUR_TMP ||
           state == LITH_FILE_GONE_TMP;
}

static enum lith_code file_judge(struct pass *p, const struct lith_snapshot_file *file,
                                 struct lith_err *err)
{
    struct lith_gc_item *item = &p->plan.items[p->plan.item_count];
    bool named = true;

    if (p->policy->only_named)
        LITH_TRY(is_named(p, file, &named, err));
    if (!named)
        return LITH_OK;
    p->plan.item_count++;
    *item = (struct lith_gc_item){.file = file, .target = *file->object};
    item->condemned = file->condemned;
    if (file->state == LITH_FILE_GONE_TMP)
        return gone_tmp_judge(p, file, item, err);
    if (file->state == LITH_FILE_RETIRED)
        item->verdict = retired_judge(p, file, &item->needed);
    else if (file->state == LITH_FILE_ORPHAN)
        item->verdict = orphan_judge(p, file, &item->needed);
    else
        item->verdict = our_tmp_judge(p, file);
    return LITH_OK;
}

/* Orphans before retired files, so that what justifies an orphan goes after it. */
static int compare_items(const void *a, const void *b)
{
    const struct lith_gc_item *left = a;
    const struct lith_gc_item *right = b;
    bool left_last = left->file->state == LITH_FILE_RETIRED;
    bool right_last = right->file->state == LITH_FILE_RETIRED;

    if (left_last != right_last)
        return left_last ? 1 : -1;
    return strcmp(left->file->name, right->file->name);
}

/* The brake, and the names that the fence condemns. */
static enum lith_code deletes_choose(struct pass *p, struct lith_err *err)
{
    struct lith_gc_plan *plan = &p->plan;
    void *block = NULL;
    bool braked = false;

    if (plan->item_count)
        qsort(plan->items, plan->item_count, sizeof(*plan->items), compare_items);
    LITH_TRY(lith_arena_array(p->arena, plan->item_count, sizeof(char *), &block, err));
    plan->fence_names = block;
    for (size_t i = 0; i < plan->item_count; i++) {
        struct lith_gc_item *item = &plan->items[i];
        uint64_t bytes = 0;
        if (item->verdict != LITH_GC_DELETE)
            continue;
        braked = braked || !lith_add_u64(plan->delete_bytes, item->file->object->size, &bytes) ||
                 bytes > p->policy->bytes_max;
        if (braked) {
            item->verdict = LITH_GC_KEEP_BRAKE;
            continue;
        }
        plan->delete_bytes = bytes;
        plan->delete_count++;
        plan->fence_wanted = plan->fence_wanted || !item->condemned;
        if (item->file->state == LITH_FILE_RETIRED || item->file->state == LITH_FILE_ORPHAN)
            plan->fence_names[plan->fence_count++] = item->file->name;
    }
    return LITH_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Inputs of listed orphans: their retired entries are what lets the orphans go one day. */
static enum lith_code kept_collect(struct pass *p, struct lith_err *err)
{
    struct lith_gc_plan *plan = &p->plan;
    size_t total = 0;
    void *block = NULL;

    for (size_t i = 0; i < p->view->snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &p->view->snapshot.files[i];
        if (file->state != LITH_FILE_ORPHAN || file->condemned)
            continue;
        const struct lith_orphan_inputs *inputs = lith_gc_orphan_find(&p->plan, file->name);
        if (inputs && inputs->known)
            total += inputs->input_count;
        else
            plan->keep_all = true;
    }
    LITH_TRY(lith_arena_array(p->arena, total, sizeof(char *), &block, err));
    plan->kept = block;
    for (size_t i = 0; i < p->plan.orphan_count; i++) {
        const struct lith_snapshot_file *file =
            lith_snapshot_find(&p->view->snapshot, p->plan.orphans[i].name);
        if (!file || file->state != LITH_FILE_ORPHAN || file->condemned ||
            !p->plan.orphans[i].known)
            continue;
        for (size_t j = 0; j < p->plan.orphans[i].input_count && plan->kept_count < total; j++)
            plan->kept[plan->kept_count++] = p->plan.orphans[i].inputs[j];
    }
    if (plan->kept_count)
        qsort(plan->kept, plan->kept_count, sizeof(char *), compare_texts);
    return LITH_OK;
}

/* Is there an entry whose file is gone for good? */
static bool is_clean_wanted(const struct pass *p)
{
    const struct lith_listing *listing = &p->view->listing;

    for (size_t i = 0; i < p->m->retired_count; i++) {
        if (!lith_listing_shows_entry(listing, &p->m->retired[i]))
            return true;
    }
    for (size_t i = 0; i < p->m->condemned_count; i++) {
        if (!lith_listing_shows(listing, p->m->condemned[i]))
            return true;
    }
    return false;
}

static enum lith_code pass_check(const struct pass *p, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &p->view->snapshot;

    if (!p->m)
        return lith_fail(err, LITH_E_INVALID,
                         "no manifest: nothing here is known to be superseded");
    if (p->m->foreign)
        return lith_fail(err, LITH_E_INVALID,
                         "%s is another program's: nothing is deleted beside it", p->m->name);
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (file->state != LITH_FILE_LIVE || lith_guard_is_out(LITH_GUARD_ABSENT_FILE))
            continue;
        if (!file->object)
            return lith_fail(err, LITH_E_INVALID,
                             "the live file %s is missing: nothing is deleted until it is back",
                             file->name);
        if (file->differs)
            return lith_fail(err, LITH_E_INVALID,
                             "the live file %s is %s, the manifest names %s: nothing is deleted",
                             file->name, file->object->etag, file->entry->etag);
    }
    return LITH_OK;
}

enum lith_code lith_gc_plan(const struct lith_view *view, const struct lith_orphan_inputs *orphans,
                            size_t orphan_count, const struct lith_gc_policy *policy,
                            int64_t now_ns, struct lith_arena *arena, struct lith_gc_plan *ret_plan,
                            struct lith_err *err)
{
    struct pass p = {.view = view,
                     .m = lith_view_manifest(view),
                     .plan = {.orphans = orphans, .orphan_count = orphan_count},
                     .policy = policy,
                     .now_ns = now_ns,
                     .arena = arena};
    void *block = NULL;

    for (size_t i = 1; i < orphan_count; i++)
        LITH_ASSERT(strcmp(orphans[i - 1].name, orphans[i].name) < 0);
    LITH_TRY(pass_check(&p, err));
    LITH_TRY(lith_name_index_build(p.m->retired, p.m->retired_count, sizeof(*p.m->retired),
                                   offsetof(struct lith_entry, name), arena, &p.retired, err));
    LITH_TRY(lith_name_index_build(policy->named, policy->named_count, sizeof(*policy->named),
                                   offsetof(struct lith_gc_named, name), arena, &p.named, err));
    LITH_TRY(
        lith_arena_array(arena, view->snapshot.file_count, sizeof(*p.plan.items), &block, err));
    p.plan.items = block;
    for (size_t i = 0; i < view->snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        if (file->object && state_matters(file->state))
            LITH_TRY(file_judge(&p, file, err));
    }
    LITH_TRY(deletes_choose(&p, err));
    LITH_TRY(kept_collect(&p, err));
    p.plan.clean_wanted = is_clean_wanted(&p);
    *ret_plan = p.plan;
    return LITH_OK;
}
