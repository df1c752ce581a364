/*
 * One pass over a lake: walk, order, run.
 *
 * The walk glances at each partition's list and manifest. Those at rest, nearly all of a lake, are
 * told at once; the others are ranked, and their jobs run from a shared queue. Workers share the
 * queue, the budget, the report under a lock, and nothing else.
 */
#include "sweep/sweep.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/pool.h"
#include "job/events.h"
#include "job/handed.h"
#include "job/rollup.h"
#include "lake/walk.h"
#include "sweep/strays.h"
#include "sweep/summary.h"

/* One partition to work on. */
struct target {
    struct lith_plan_rank rank; /* path is owned by the pass's arena */
    const char *table_format;
    bool is_rollup; /* of what lies below it */
    bool again;     /* it did not fit its part of the memory: once more, with all of it */
};

/* One pass while it runs. */
struct pass {
    const struct lith_sweep *sweep;
    enum lith_pass kind;
    lith_partition_fn each;
    void *ctx;
    struct lith_summary summary;
    struct lith_lock *lock; /* of summary and each */
    struct lith_arena arena;
    struct lith_sweep_journals journals; /* in the arena */
    struct target *targets;
    size_t count;
    struct target *rollups; /* partitions, or folders, above others: after all else */
    size_t rollup_count;
    size_t job_bytes;      /* budget of one job */
    size_t job_open_files; /* and its part of the descriptors */
    uint32_t job_threads;  /* and of the processors */
    _Atomic uint64_t gc_bytes_left;
    bool shared;                 /* threads run at once, each with a part of the memory */
    struct lith_control control; /* the caller's, with its progress behind the lock */
};

/* A task of the pool. */
struct task {
    struct pass *pass;
    struct target *target;
};

bool lith_sweep_selects(const struct lith_sweep *sweep, const char *path)
{
    if (sweep->partition_glob && fnmatch(sweep->partition_glob, path, 0) != 0)
        return false;
    return sweep->shard_count < 2 ||
           lith_xxh64(path, strlen(path)) % sweep->shard_count == sweep->shard_index;
}

static void tell(struct pass *pass, const struct lith_partition_report *report)
{
    lith_lock_take(pass->lock);
    lith_summary_add(&pass->summary, report);
    if (pass->each)
        pass->each(pass->ctx, report);
    lith_lock_give(pass->lock);
}

static void stray_tell(void *ctx, const struct lith_partition_report *report)
{
    tell(ctx, report);
}

static void tell_failure(struct pass *pass, const char *path, const struct lith_err *err)
{
    struct lith_partition_report report = {
        .path = path,
        .state = LITH_PARTITION_FAILED,
        .reason = err->text,
        .err = err,
    };

    tell(pass, &report);
}

static enum lith_partition_state state_of(enum lith_code code)
{
    if (code == LITH_E_CONFLICT)
        return LITH_PARTITION_BUSY;
    return code == LITH_E_TRANSIENT || code == LITH_E_CANCELLED ? LITH_PARTITION_PENDING
                                                                : LITH_PARTITION_FAILED;
}

static enum lith_code job_run(const struct pass *pass, const struct lith_job *job,
                              struct lith_partition_report *report, struct lith_err *err)
{
    const struct lith_change *change = &pass->sweep->change;

    switch (pass->kind) {
    case LITH_PASS_PLAN:
        return lith_job_plan(job, report, err);
    case LITH_PASS_COMPACT:
        return lith_job_compact(job, report, err);
    case LITH_PASS_GC:
        return lith_job_gc(job, report, err);
    case LITH_PASS_GC_PLAN:
        return lith_job_gc_plan(job, report, err);
    case LITH_PASS_ROLLBACK:
        return lith_job_rollback(job, change->dry_run, report, err);
    case LITH_PASS_RETIRE:
        return lith_job_retire(job, change->files, change->file_count, change->dry_run, report,
                               err);
    case LITH_PASS_ADOPT:
        return lith_job_adopt(job, pass->sweep->unlisted, report, err);
    case LITH_PASS_FSCK:
        return lith_job_fsck(job, pass->sweep->fsck.deep, report, err);
    case LITH_PASS_RESTORE:
        return lith_job_restore(job, &pass->sweep->manifest, pass->sweep->fsck.dry_run, report,
                                err);
    case LITH_PASS_REPAIR:
        return lith_job_repair(job, pass->sweep->change.dry_run, report, err);
    }
    return lith_fail(err, LITH_E_INVALID, "no such pass");
}

/* Runs one partition under its own part of the budget. */
static enum lith_code target_run(struct pass *pass, const struct target *target,
                                 struct lith_mem *mem, struct lith_arena *arena,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_work work = *pass->sweep->work;
    struct lith_uuid_source uuids = {.env = pass->sweep->env};
    struct lith_job_events events;

    work.mem = mem;
    work.control = &pass->control;
    work.open_files_max = pass->job_open_files;
    work.threads = pass->job_threads;
    LITH_TRY(lith_work_check(&work, err));
    LITH_TRY(lith_folder_open(pass->sweep->store, target->rank.path, &folder, err));
    struct lith_job job = {
        .folder = folder,
        .table_format = target->table_format,
        .options = pass->sweep->options,
        .env = pass->sweep->env,
        .uuids = &uuids,
        .work = &work,
        .arena = arena,
        .journals = &pass->journals.files,
        .gc_bytes_left = &pass->gc_bytes_left,
    };
    lith_job_events_init(&events, pass->sweep->series, pass->sweep->env);
    if (pass->sweep->series)
        job.events = &events;
    enum lith_code code = target->is_rollup
                              ? lith_job_rollup(&job, pass->kind == LITH_PASS_PLAN, report, err)
                              : job_run(pass, &job, report, err);
    lith_job_events_done(&events);
    return code;
}

static void task_run(void *ctx)
{
    const struct task *task = ctx;
    struct pass *pass = task->pass;
    struct lith_partition_report report = {.path = task->target->rank.path};
    struct lith_mem mem;
    struct lith_arena arena;
    struct lith_err err;

    lith_mem_init(&mem, pass->job_bytes, pass->sweep->work->mem);
    lith_arena_init(&arena, &mem);
    enum lith_code code = target_run(pass, task->target, &mem, &arena, &report, &err);
    if (code != LITH_OK) {
        report.state = state_of(code);
        report.reason = err.text;
        report.err = &err;
    }
    task->target->again = code == LITH_E_LIMIT && pass->shared;
    /* Where nothing is left to be rolled up a dry run alone tells of it. */
    bool is_silent = task->target->is_rollup && code == LITH_OK && pass->kind != LITH_PASS_PLAN &&
                     report.state == LITH_PARTITION_LEFT && report.files_before == 0;
    report.is_rollup = task->target->is_rollup;
    if (!task->target->again && !is_silent)
        tell(pass, &report);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

/* Tells of a partition at rest. A failure shows up again, and is told, when its job runs. */
static struct lith_glance glance(struct pass *pass, const struct lith_walk_stop *stop)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_partition_report report = {.path = stop->path};
    struct lith_glance found = {0};
    struct lith_job_events events;
    struct lith_err ignored;

    lith_arena_init(&arena, pass->sweep->work->mem);
    lith_job_events_init(&events, pass->sweep->series, pass->sweep->env);
    struct lith_job job = {
        .folder = stop->folder,
        .table_format = stop->table_format,
        .options = pass->sweep->options,
        .env = pass->sweep->env,
        .work = pass->sweep->work,
        .arena = &arena,
        .events = pass->sweep->series ? &events : NULL,
        .journals = &pass->journals.files,
    };
    if (lith_job_glance(&job, stop->listing, &found, &report, &ignored) != LITH_OK)
        found = (struct lith_glance){0};
    else if (found.at_rest)
        tell(pass, &report);
    lith_job_events_done(&events);
    return found;
}

static enum lith_code target_add(struct pass *pass, const struct lith_walk_stop *stop,
                                 struct lith_err *err)
{
    struct lith_glance found = {0};
    void *block = pass->targets;

    if (pass->kind == LITH_PASS_COMPACT)
        found = glance(pass, stop);
    if (found.at_rest)
        return LITH_OK;
    LITH_TRY(
        lith_array_grow(pass->sweep->work->mem, &block, pass->count, sizeof(*pass->targets), err));
    pass->targets = block;
    LITH_TRY(lith_arena_copy(&pass->arena, stop->path, strlen(stop->path), &block, err));
    struct target *target = &pass->targets[pass->count++];
    *target = (struct target){.table_format = stop->table_format};
    target->rank =
        (struct lith_plan_rank){.path = block, .gain = found.gain, .waiting_ns = found.waiting_ns};
    return LITH_OK;
}

/* The folder above a partition, once: siblings come one after the other, or nearly so. */
static enum lith_code rollup_add(struct pass *pass, const struct lith_walk_stop *stop,
                                 struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    void *block = pass->rollups;
    const char *above;
    void *copy;
    bool is_tier = false;

    lith_arena_init(&scratch, pass->sweep->work->mem);
    if (!pass->sweep->options->tier_days && !pass->sweep->options->tier_months)
        return LITH_OK;
    LITH_TRY(lith_path_above(stop->path, &scratch, &above, err));
    if (!above || stop->table_format || !lith_sweep_selects(pass->sweep, above))
        return LITH_OK;
    for (size_t i = pass->rollup_count; i > 0 && i + 2 > pass->rollup_count; i--) {
        if (strcmp(pass->rollups[i - 1].rank.path, above) == 0)
            return LITH_OK;
    }
    if (lith_rollup_is_tier(above, pass->sweep->options, &scratch, &is_tier, err) != LITH_OK ||
        !is_tier)
        return LITH_OK; /* a path that cannot be read is told of as a partition */
    LITH_TRY(lith_arena_copy(&pass->arena, above, strlen(above), &copy, err));
    LITH_TRY(lith_array_grow(pass->sweep->work->mem, &block, pass->rollup_count,
                             sizeof(*pass->rollups), err));
    pass->rollups = block;
    pass->rollups[pass->rollup_count++] =
        (struct target){.rank = {.path = copy}, .is_rollup = true};
    return LITH_OK;
}

static enum lith_code stop_take(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    struct pass *pass = ctx;

    LITH_TRY(lith_work_check(pass->sweep->work, err));
    if (stop->is_partition && (pass->kind == LITH_PASS_COMPACT || pass->kind == LITH_PASS_PLAN))
        LITH_TRY(rollup_add(pass, stop, err));
    if (!lith_sweep_selects(pass->sweep, stop->path))
        return LITH_OK;
    if (stop->failed || stop->is_partition)
        LITH_TRY(
            lith_sweep_journals_meet(&pass->journals, stop->path, pass->sweep->work->mem, err));
    if (stop->failed) {
        tell_failure(pass, stop->path, stop->failed);
        return LITH_OK;
    }
    return stop->is_partition ? target_add(pass, stop, err) : LITH_OK;
}

static int target_compare(const void *a, const void *b)
{
    const struct target *left = a;
    const struct target *right = b;

    return lith_plan_rank_compare(&left->rank, &right->rank);
}

/* Progress of jobs that run at once, told one call at a time. */
static void progress_tell(void *ctx, const struct lith_progress *progress)
{
    struct pass *pass = ctx;
    const struct lith_control *caller = pass->sweep->work->control;

    lith_lock_take(pass->lock);
    caller->progress(caller->progress_ctx, progress);
    lith_lock_give(pass->lock);
}

static void control_take(struct pass *pass)
{
    pass->control = *pass->sweep->work->control;
    if (!pass->control.progress)
        return;
    pass->control.progress = progress_tell;
    pass->control.progress_ctx = pass;
}

/* As many jobs at once as were asked for, and as have the memory that each needs at least. */
static uint32_t jobs_at_once(const struct pass *pass, size_t bytes)
{
    size_t jobs = pass->sweep->jobs ? pass->sweep->jobs : 1;
    size_t room = bytes / LITH_MEMORY_BYTES_MIN;

    return (uint32_t)lith_min_size(jobs, room ? room : 1);
}

/* Threads of each of `jobs` jobs: jobs at once share the processors; one has what was asked for. */
static uint32_t threads_of_job(const struct pass *pass, uint32_t jobs)
{
    size_t threads = pass->sweep->work->threads;
    size_t cores = lith_pool_cores() / jobs;

    if (jobs > 1)
        threads = lith_min_size(threads, cores);
    return threads ? (uint32_t)threads : 1;
}

static bool is_stopped(const struct pass *pass)
{
    struct lith_err ignored;

    return lith_work_check(pass->sweep->work, &ignored) != LITH_OK;
}

static enum lith_code tasks_run(struct pass *pass, struct task *tasks, size_t count, uint32_t jobs,
                                uint32_t threads, struct lith_err *err)
{
    struct lith_mem *mem = pass->sweep->work->mem;
    struct lith_pool *pool = NULL;

    if (jobs > 1)
        LITH_TRY(lith_pool_new(mem, jobs, jobs * 2, &pool, err));
    pass->job_bytes = lith_mem_left(mem) / jobs;
    pass->job_open_files = LITH_OPEN_FILES_MAX / jobs;
    pass->job_threads = threads;
    pass->shared = jobs > 1 || threads > 1;
    for (size_t i = 0; i < count && !is_stopped(pass); i++) {
        if (pool)
            lith_pool_add(pool, task_run, &tasks[i]);
        else
            task_run(&tasks[i]);
    }
    lith_pool_free(pool);
    return LITH_OK;
}

static enum lith_code targets_run(struct pass *pass, struct target *targets, size_t count,
                                  struct lith_err *err)
{
    struct lith_mem *mem = pass->sweep->work->mem;
    LITH_AUTO(block) void *block = NULL;
    size_t left = 0;

    LITH_TRY(lith_alloc_array(mem, count, sizeof(struct task), &block, err));
    struct task *tasks = block;
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct task){.pass = pass, .target = &targets[i]};
    control_take(pass);
    uint32_t jobs = jobs_at_once(pass, lith_mem_left(mem));
    LITH_TRY(tasks_run(pass, tasks, count, jobs, threads_of_job(pass, jobs), err));
    for (size_t i = 0; i < count; i++) {
        if (targets[i].again)
            tasks[left++].target = &targets[i];
    }
    LITH_TRY(tasks_run(pass, tasks, left, 1, 1, err));
    return lith_work_check(pass->sweep->work, err);
}

/* fsck tells of what it cannot look at, and goes on. */
static enum lith_code journals_list(struct pass *pass, struct lith_err *err)
{
    enum lith_code code =
        lith_sweep_journals_list(pass->sweep, pass->kind, &pass->arena, &pass->journals, err);

    if (code == LITH_OK || code == LITH_E_CANCELLED || pass->kind != LITH_PASS_FSCK)
        return code;
    tell_failure(pass, LITH_JOURNAL_FOLDER, err);
    pass->journals = (struct lith_sweep_journals){0};
    return LITH_OK;
}

enum lith_code lith_sweep_run(const struct lith_sweep *sweep, enum lith_pass pass_kind,
                              lith_partition_fn each, void *ctx, struct lith_summary *ret_summary,
                              struct lith_err *err)
{
    struct pass pass = {.sweep = sweep, .kind = pass_kind, .each = each, .ctx = ctx};

    atomic_init(&pass.gc_bytes_left, sweep->options->gc.bytes_max);
    LITH_TRY(lith_lock_new(sweep->work->mem, &pass.lock, err));
    lith_arena_init(&pass.arena, sweep->work->mem);
    enum lith_code code = journals_list(&pass, err);
    if (code == LITH_OK)
        code = lith_lake_walk_to(sweep->store, sweep->change.partition, sweep->work->control,
                                 stop_take, &pass, err);
    if (code == LITH_OK)
        code = lith_strays_tell(sweep, pass_kind, &pass.journals, stray_tell, &pass, err);
    if (code == LITH_OK && pass.count) {
        if (pass_kind == LITH_PASS_COMPACT)
            qsort(pass.targets, pass.count, sizeof(*pass.targets), target_compare);
        code = targets_run(&pass, pass.targets, pass.count, err);
    }
    if (code == LITH_OK && pass.rollup_count)
        code = targets_run(&pass, pass.rollups, pass.rollup_count, err);
    *ret_summary = pass.summary;
    lith_free(pass.targets);
    lith_free(pass.rollups);
    lith_arena_done(&pass.arena);
    lith_lock_free(pass.lock);
    return code;
}
