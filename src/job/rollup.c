/*
 * A roll-up.
 *
 * The children's files are planned and merged as those of one partition (family.h). Locks are taken
 * from below to above and held to the end; should a store have none, each step is a commit on a
 * condition all the same, and what was handed in vain is settled later.
 */
#include "job/rollup.h"

#include <string.h>

#include "base/guard.h"
#include "base/path_layout.h"
#include "base/time.h"
#include "job/commits.h"
#include "job/family.h"
#include "job/format.h"
#include "job/handed.h"
#include "job/look.h"
#include "job/member.h"
#include "job/merge_step.h"
#include "job/prepare.h"
#include "job/space.h"

/* One partition below. */
struct child {
    struct lith_member member;
    struct lith_view view;
    const char *name;
    struct lith_path_rules rules; /* of its own path; without a hash: not made yet */
    bool is_out;                  /* blocked, or of no use here */
    bool handed;                  /* to this roll-up */
};

struct rollup {
    const struct lith_job *job;
    struct lith_path_keys keys; /* of the partition above */
    struct lith_arena arena;    /* of names, and of the list of files */
    struct child *children;
    size_t count;
    struct lith_family family;
    struct lith_job family_job;
    struct lith_look look;  /* at the family */
    struct lith_look above; /* at the partition itself */
};

static void rollup_close(struct rollup *r, struct lith_partition_report *report)
{
    lith_look_done(&r->look);
    lith_look_done(&r->above);
    for (size_t i = 0; i < r->count; i++) {
        lith_view_done(&r->children[i].view);
        lith_member_close(&r->children[i].member, report);
    }
    lith_arena_done(&r->arena);
}

/* A day, or a month, of UTC. */
static bool is_day(const struct lith_path_keys *keys)
{
    return keys->has_period && keys->end_ns - keys->begin_ns == 24 * 3600 * LITH_SECOND_NS;
}

static bool is_month(const struct lith_path_keys *keys)
{
    int64_t days = (keys->end_ns - keys->begin_ns) / (24 * 3600 * LITH_SECOND_NS);

    return keys->has_period && days >= 28 && days <= 31;
}

static bool is_tier(const struct lith_path_keys *keys, const struct lith_job_options *options)
{
    return (options->tier_days && is_day(keys)) || (options->tier_months && is_month(keys));
}

enum lith_code lith_rollup_is_tier(const char *path, const struct lith_job_options *options,
                                   struct lith_arena *arena, bool *ret_is, struct lith_err *err)
{
    struct lith_path_keys keys;

    *ret_is = false;
    if (!options->tier_days && !options->tier_months)
        return LITH_OK;
    LITH_TRY(lith_path_keys_parse(path, &options->path, arena, &keys, err));
    *ret_is = is_tier(&keys, options);
    return LITH_OK;
}

/* Shorter, and inside. */
static bool is_below(const struct lith_path_keys *child, const struct lith_path_keys *parent)
{
    return child->has_period && child->begin_ns >= parent->begin_ns &&
           child->end_ns <= parent->end_ns &&
           child->end_ns - child->begin_ns < parent->end_ns - parent->begin_ns;
}

static enum lith_code child_add(struct rollup *r, const char *name, struct lith_err *err)
{
    struct child *child = &r->children[r->count];
    const char *above = r->job->folder->path;
    struct lith_path_keys keys;
    char *path;

    LITH_TRY(lith_arena_format(&r->arena, &path, err, "%s%s%s", above, *above ? "/" : "", name));
    LITH_TRY(lith_path_keys_parse(path, &r->job->options->path, &r->arena, &keys, err));
    if (!lith_path_part_walks(name) || !is_below(&keys, &r->keys))
        return LITH_OK;
    enum lith_code code = lith_member_open(&child->member, r->job, path, err);
    if (code == LITH_E_NOT_FOUND) /* it went meanwhile */
        return LITH_OK;
    LITH_TRY(code);
    child->name = name;
    r->count++;
    return LITH_OK;
}

/* The partitions below, sorted by name, as listings are. */
static enum lith_code children_open(struct rollup *r, struct lith_err *err)
{
    struct lith_listing listing;
    void *block;

    LITH_TRY(lith_folder_list(r->job->folder, &r->arena, &listing, err));
    LITH_TRY(lith_arena_array(&r->arena, listing.folder_count, sizeof(struct child), &block, err));
    r->children = block;
    for (size_t i = 0; i < listing.folder_count; i++) {
        LITH_TRY(lith_work_check(r->job->work, err));
        LITH_TRY(child_add(r, listing.folders[i], err));
    }
    return LITH_OK;
}

/* A child that cannot be looked at, or whose state is in doubt, keeps what it has: its own job
 * tells why. Under its lock it has a manifest, unless it could not be given one. */
static bool is_in_doubt(const struct child *child)
{
    const struct lith_manifest *m = lith_view_manifest(&child->view);

    return child->view.snapshot.missing_count || child->view.snapshot.live_count == 0 ||
           (m ? m->foreign : child->member.folder->locked);
}

static enum lith_code child_view(const struct rollup *r, struct child *child, struct lith_err *err)
{
    lith_view_done(&child->view);
    child->is_out = true;
    enum lith_code code = lith_view_take(child->member.folder, LITH_SNAPSHOT_OPEN,
                                         r->job->work->mem, &child->view, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return LITH_OK;
    LITH_TRY(code);
    child->is_out = is_in_doubt(child);
    return LITH_OK;
}

static enum lith_code children_view(struct rollup *r, struct lith_err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        LITH_TRY(lith_work_check(r->job->work, err));
        LITH_TRY(child_view(r, &r->children[i], err));
    }
    return LITH_OK;
}

/* Files that a roll-up may take: named and as they are named; before an adoption any that is live.
 */
static bool is_candidate(const struct child *child, const struct lith_snapshot_file *file)
{
    const struct lith_manifest *m = lith_view_manifest(&child->view);

    if (child->is_out || !file->live || !file->object || file->object->is_link)
        return false;
    return m ? file->state == LITH_FILE_LIVE && !file->differs && !file->quarantine : true;
}

static size_t candidate_count(const struct rollup *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->count; i++) {
        const struct lith_snapshot *snapshot = &r->children[i].view.snapshot;
        for (size_t j = 0; j < snapshot->file_count; j++)
            count += is_candidate(&r->children[i], &snapshot->files[j]);
    }
    return count;
}

/* The family's list: CHILD/NAME, in order, since children and their files are. */
static enum lith_code family_list(struct rollup *r, struct lith_err *err)
{
    struct lith_listing *listing = &r->family.listing;
    void *block;

    LITH_TRY(
        lith_arena_array(&r->arena, candidate_count(r), sizeof(struct lith_object), &block, err));
    *listing = (struct lith_listing){.objects = block};
    for (size_t i = 0; i < r->count; i++) {
        const struct child *child = &r->children[i];
        for (size_t j = 0; j < child->view.snapshot.file_count; j++) {
            const struct lith_snapshot_file *file = &child->view.snapshot.files[j];
            char *name;
            if (!is_candidate(child, file))
                continue;
            struct lith_object *object = &listing->objects[listing->object_count++];
            *object = *file->object;
            LITH_TRY(lith_arena_format(&r->arena, &name, err, "%s/%s", child->name, file->name));
            object->name = name;
        }
    }
    return LITH_OK;
}

/* Looks at all of it as at one partition, and plans. */
static enum lith_code family_look(struct rollup *r, struct lith_err *err)
{
    struct lith_family_child *children;
    void *block;

    LITH_TRY(lith_arena_array(&r->arena, r->count, sizeof(*children), &block, err));
    children = block;
    for (size_t i = 0; i < r->count; i++)
        children[i] = (struct lith_family_child){.name = r->children[i].name,
                                                 .folder = r->children[i].member.folder};
    lith_family_init(&r->family, r->job->folder, children, r->count);
    LITH_TRY(family_list(r, err));
    r->family_job = *r->job;
    r->family_job.folder = &r->family.base;
    r->family_job.events = NULL;
    if (!r->look.book.codecs)
        LITH_TRY(lith_look_init(&r->look, &r->family_job, err));
    return lith_look_again(&r->look, &r->family_job, err);
}

/* Keys of the path that the rows lose, which must be columns of theirs. */
static enum lith_code lost_keys(const struct rollup *r, const char *names[LITH_PATH_KEYS_MAX],
                                size_t *ret_count, struct lith_err *err)
{
    struct lith_path_keys keys;

    *ret_count = 0;
    LITH_TRY(lith_path_keys_parse(r->children[0].member.folder->path, &r->job->options->path,
                                  r->job->arena, &keys, err));
    for (size_t i = 0; i < keys.count; i++) {
        if (!lith_path_keys_find(&r->keys, keys.keys[i].name))
            names[(*ret_count)++] = keys.keys[i].name;
    }
    return LITH_OK;
}

static struct child *child_of(struct rollup *r, const char *name)
{
    const char *bare;
    const struct lith_family_child *of = lith_family_child_of(&r->family, name, &bare);

    for (size_t i = 0; of && i < r->count; i++) {
        if (r->children[i].member.folder == of->folder)
            return &r->children[i];
    }
    return NULL;
}

/* The keys that the path loses are columns from then on: what they hold must be what it says now.
 * *ret_misfit: a value that is another; NULL: there is none. */
static enum lith_code place_check(struct rollup *r, const char *name, struct lith_source *source,
                                  const char **ret_misfit, struct lith_err *err)
{
    const struct lith_job_options *options = r->job->options;
    struct lith_fact_book book = r->look.book; /* but for its rules */
    struct child *child = child_of(r, name);
    struct lith_path_keys keys;

    *ret_misfit = NULL;
    if (!child || !options->format->belongs)
        return LITH_OK;
    if (!*child->rules.hash) {
        LITH_TRY(lith_path_keys_parse(child->member.folder->path, &options->path, &r->arena, &keys,
                                      err));
        LITH_TRY(lith_path_rules_make(&keys, options, &r->arena, &child->rules, err));
    }
    book.rules = child->rules;
    enum lith_code code = options->format->belongs(&book, &r->family_job, source, ret_misfit, err);
    return code == LITH_OK ? LITH_OK : lith_err_prefix(err, "%s", name);
}

/* *ret_reason: an input that has not such a column, or in it another value; NULL: there is none. */
static enum lith_code columns_check(struct rollup *r, const char **ret_reason, struct lith_err *err)
{
    const char *names[LITH_PATH_KEYS_MAX];
    char *reason = NULL;
    size_t count;

    LITH_TRY(lost_keys(r, names, &count, err));
    for (size_t i = 0; !reason && i < r->look.plan.input_count; i++) {
        LITH_AUTO(source) struct lith_source *source = NULL;
        const struct lith_object *object = r->look.plan.inputs[i]->object;
        const char *misfit = NULL;
        size_t missing;
        LITH_TRY(lith_work_check(r->job->work, err));
        LITH_TRY(lith_folder_source_open(&r->family.base, object, &source, err));
        LITH_TRY(
            r->job->options->format->columns(&r->family_job, source, names, count, &missing, err));
        if (missing < count)
            LITH_TRY(lith_arena_format(r->job->arena, &reason, err,
                                       "%s has no column %s: rolled up, its rows would lose what "
                                       "the path says of them",
                                       object->name, names[missing]));
        else
            LITH_TRY(place_check(r, object->name, source, &misfit, err));
        if (misfit)
            LITH_TRY(
                lith_arena_format(r->job->arena, &reason, err, "%s: %s", object->name, misfit));
    }
    *ret_reason = reason;
    return LITH_OK;
}

static enum lith_code left(struct lith_partition_report *report, enum lith_partition_state state,
                           const char *reason)
{
    report->state = state;
    report->reason = reason;
    return LITH_OK;
}

/* Looks at everything; *ret_due where there is something to do, else the report says why not. */
static enum lith_code consider(struct rollup *r, struct lith_partition_report *report,
                               bool *ret_due, struct lith_err *err)
{
    const char *reason;
    char *text;

    *ret_due = false;
    bool again;
    LITH_TRY(children_view(r, err));
    LITH_TRY(family_look(r, err));
    if (r->look.plan.reason == LITH_PART_DUE)
        LITH_TRY(lith_look_settle(&r->look, &r->family_job, LITH_PATH_CHECK_ALL, &again, err));
    const struct lith_plan *plan = &r->look.plan;
    report->files_before = r->look.view.snapshot.live_count;
    report->files_after = report->files_before;
    LITH_TRY(lith_arena_format(r->job->arena, &text, err, "to be rolled up: %s%s%s",
                               lith_part_reason_text(plan->reason), plan->detail ? ": " : "",
                               plan->detail ? plan->detail : ""));
    LITH_TRY(
        left(report,
             lith_part_reason_blocks(plan->reason) ? LITH_PARTITION_BLOCKED : LITH_PARTITION_LEFT,
             text));
    if (plan->reason != LITH_PART_DUE)
        return LITH_OK;
    LITH_TRY(columns_check(r, &reason, err));
    if (reason)
        return left(report, LITH_PARTITION_BLOCKED, reason);
    LITH_TRY(lith_space_reason(&r->family_job, plan->input_bytes, &reason, err));
    if (reason)
        return left(report, LITH_PARTITION_PENDING, reason);
    *ret_due = true;
    return LITH_OK;
}

/* A manifest for each of them, before any lock of this job is taken. */
static enum lith_code adopt_all(struct rollup *r, struct lith_err *err)
{
    for (size_t i = 0; i <= r->count; i++) {
        struct lith_partition_report own = {0};
        const struct lith_job *job = i < r->count ? &r->children[i].member.job : r->job;
        if (i < r->count && (r->children[i].is_out || lith_view_manifest(&r->children[i].view)))
            continue;
        LITH_TRY(lith_job_adopt(job, LITH_UNLISTED_ASK, &own, err));
    }
    return LITH_OK;
}

static enum lith_code lock_all(struct rollup *r, struct lith_err *err)
{
    for (size_t i = 0; i < r->count; i++) {
        LITH_TRY(lith_work_check(r->job->work, err));
        LITH_TRY(lith_member_lock(&r->children[i].member, err));
    }
    LITH_TRY(lith_folder_lock(r->job->folder, LITH_LOCK_TRY, err));
    return lith_job_events_repair(r->job, err);
}

/* What an earlier roll-up left is settled. The lock of the partition above is not held yet. */
static enum lith_code settle_all(struct rollup *r, struct lith_err *err)
{
    struct lith_partition_report own = {0};

    for (size_t i = 0; i < r->count; i++) {
        struct child *child = &r->children[i];
        const struct lith_manifest *m = child->is_out ? NULL : lith_view_manifest(&child->view);
        if (!m || !m->has_handed)
            continue;
        LITH_TRY(lith_member_lock(&child->member, err));
        LITH_TRY(lith_handed_settle_now(&child->member.job, err));
        lith_job_unlock(&child->member.job, &own);
    }
    return LITH_OK;
}

/* The partition itself: its manifest, its lease. *ret_ours is false where it has none of Lithify.
 */
static enum lith_code above_take(struct rollup *r, bool *ret_ours, struct lith_err *err)
{
    bool changed;

    LITH_TRY(lith_look_init(&r->above, r->job, err));
    r->above.listing_only = true;
    LITH_TRY(lith_look_again(&r->above, r->job, err));
    LITH_TRY(lith_handed_settle(r->job, &r->above.view, &changed, err));
    if (changed)
        LITH_TRY(lith_look_again(&r->above, r->job, err));
    const struct lith_manifest *m = lith_view_manifest(&r->above.view);
    *ret_ours = m && !m->foreign;
    return *ret_ours ? lith_prepare_lease(r->job, &r->above, err) : LITH_OK;
}

/* The step's inputs that are of one child, by their bare names; in the rollup's arena. */
static enum lith_code inputs_of(struct rollup *r, const struct lith_merge_step *step,
                                const struct child *child, struct lith_entry **ret_inputs,
                                size_t *ret_count, struct lith_err *err)
{
    struct lith_entry *inputs;
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(&r->arena, step->input_count, sizeof(*inputs), &block, err));
    inputs = block;
    for (size_t i = 0; i < step->input_count; i++) {
        const char *bare;
        const struct lith_family_child *of =
            lith_family_child_of(&r->family, step->inputs[i].name, &bare);
        if (!of || of->folder != child->member.folder)
            continue;
        inputs[count] = step->inputs[i];
        inputs[count++].name = bare;
    }
    *ret_inputs = inputs;
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code child_hand(struct rollup *r, const struct lith_merge_step *step,
                                 const char *commit_id, struct child *child, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_hand hand = {.parent = r->job->folder->path, .commit_id = commit_id};
    const struct lith_manifest *base;
    struct lith_manifest next;
    struct lith_entry *inputs;
    struct lith_stamp stamp;

    lith_arena_init(&arena, r->job->work->mem);
    LITH_TRY(inputs_of(r, step, child, &inputs, &hand.input_count, err));
    hand.inputs = inputs;
    if (hand.input_count == 0)
        return LITH_OK;
    LITH_TRY(lith_job_stamp(&child->member.job, &stamp, err));
    LITH_TRY(lith_job_base(&child->view, &base, err));
    LITH_TRY(lith_commit_hand(base, &hand, &stamp, &arena, &next, err));
    LITH_TRY(lith_job_commit(&child->member.job, &child->view, &next, err));
    child->handed = true;
    return LITH_OK;
}

/* The commit point. */
static enum lith_code above_commit(struct rollup *r, const struct lith_merge_step *step,
                                   const struct lith_stamp *stamp, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_rollup rollup = {.outputs = step->outputs.entries,
                                 .output_count = step->outputs.count};
    struct lith_manifest next;

    lith_arena_init(&arena, r->job->work->mem);
    for (size_t i = 0; i < step->input_count; i++)
        rollup.rows += step->inputs[i].rows;
    LITH_TRY(
        lith_commit_rollup(lith_view_manifest(&r->above.view), &rollup, stamp, &arena, &next, err));
    return lith_job_commit(r->job, &r->above.view, &next, err);
}

/* After the commit above nothing can undo it: a child that does not hear of it now will at its next
 * job. */
static void children_moved(struct rollup *r, struct lith_partition_report *report,
                           struct lith_err *ignored)
{
    for (size_t i = 0; i < r->count; i++) {
        struct child *child = &r->children[i];
        if (child->handed && lith_handed_settle_now(&child->member.job, ignored) != LITH_OK)
            report->reason = "rolled up; the partitions below will hear of it in the next pass";
    }
}

static enum lith_code publish(struct rollup *r, struct lith_merge_step *step,
                              struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_stamp stamp;
    struct lith_err ignored;

    LITH_TRY(lith_job_outputs_publish(&step->outputs, err));
    LITH_TRY(lith_job_stamp(r->job, &stamp, err));
    for (size_t i = 0; i < r->count; i++) {
        enum lith_code code = child_hand(r, step, stamp.commit_id, &r->children[i], err);
        if (code != LITH_E_CONFLICT || !lith_guard_is_out(LITH_GUARD_HANDED_FIRST))
            LITH_TRY(code);
    }
    LITH_TRY(above_commit(r, step, &stamp, err));
    report->state = LITH_PARTITION_COMPACTED;
    report->reason = "rolled up";
    report->inputs = step->input_count;
    report->outputs = step->outputs.count;
    report->input_bytes = r->look.plan.input_bytes;
    report->output_bytes = step->outputs.bytes;
    report->rows = step->outputs.rows;
    report->refuted = step->refuted;
    report->files_after = report->files_before - step->input_count + step->outputs.count;
    children_moved(r, report, &ignored);
    return LITH_OK;
}

/* A damaged input is set aside where it lies; the next pass goes on without it. */
static enum lith_code bad_input_aside(struct rollup *r, const char *name, struct lith_err *err)
{
    struct lith_err why = *err;
    struct lith_err ignored;
    struct child *child = child_of(r, name);

    if (child) /* should that fail, the next pass meets it again */
        (void)!lith_set_aside(&child->member.job, &child->view, strrchr(name, '/') + 1, why.text,
                              &ignored);
    *err = why;
    return why.code;
}

static enum lith_code merge_publish(struct rollup *r, struct lith_partition_report *report,
                                    struct lith_err *err)
{
    struct lith_merge_step step = {0};
    const struct lith_manifest *base;

    LITH_TRY(lith_job_base(&r->above.view, &base, err));
    lith_fact_book_forget(&r->look.book);
    enum lith_code code = lith_merge_step_run(&step, &r->family_job, base, &r->look.plan, err);
    if (code == LITH_OK)
        code = publish(r, &step, report, err);
    else if (step.bad_input)
        code = bad_input_aside(r, step.bad_input, err);
    lith_merge_step_done(&step);
    return code;
}

static enum lith_code run_locked(struct rollup *r, struct lith_partition_report *report,
                                 struct lith_err *err)
{
    bool due = false;

    LITH_TRY(lock_all(r, err));
    LITH_TRY(consider(r, report, &due, err));
    if (!due)
        return LITH_OK;
    for (size_t i = 0; i < r->count; i++) {
        const struct child *child = &r->children[i];
        const struct lith_manifest *m = child->is_out ? NULL : lith_view_manifest(&child->view);
        if (m && m->has_handed)
            return lith_fail(err, LITH_E_CONFLICT, "%s changed meanwhile",
                             child->member.folder->path);
    }
    bool ours;
    LITH_TRY(above_take(r, &ours, err));
    if (!ours)
        return left(report, LITH_PARTITION_BLOCKED,
                    "has no manifest of Lithify, and could not be given one: see lithify adopt");
    return merge_publish(r, report, err);
}

static enum lith_code run(struct rollup *r, bool dry_run, struct lith_partition_report *report,
                          struct lith_err *err)
{
    bool due = false;

    LITH_TRY(children_open(r, err));
    LITH_TRY(consider(r, report, &due, err));
    if (!due)
        return LITH_OK;
    if (dry_run) {
        report->state = LITH_PARTITION_COMPACTED;
        report->reason = "to be rolled up";
        report->inputs = r->look.plan.input_count;
        report->outputs = r->look.plan.output_count;
        report->input_bytes = r->look.plan.input_bytes;
        report->files_after = report->files_before - report->inputs + report->outputs;
        return LITH_OK;
    }
    LITH_TRY(settle_all(r, err));
    LITH_TRY(adopt_all(r, err));
    return run_locked(r, report, err);
}

enum lith_code lith_job_rollup(const struct lith_job *job, bool dry_run,
                               struct lith_partition_report *report, struct lith_err *err)
{
    void *block; /* two looks are too large for the stack */

    LITH_TRY(lith_arena_array(job->arena, 1, sizeof(struct rollup), &block, err));
    struct rollup *r = block;
    r->job = job;
    lith_arena_init(&r->arena, job->work->mem);
    enum lith_code code =
        lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &r->keys, err);
    report->tenant = r->keys.tenant;
    if (code == LITH_OK && job->table_format)
        code = left(report, LITH_PARTITION_BLOCKED, "belongs to a table format");
    else if (code == LITH_OK)
        code = run(r, dry_run, report, err);
    if (job->folder->locked)
        lith_job_unlock(job, report);
    rollup_close(r, report);
    return code;
}
