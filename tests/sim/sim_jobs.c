/*
 * Compactors and gc: the jobs that are tried, one after another.
 */
#include <stdio.h>
#include <string.h>

#include "job/events.h"
#include "job/rollup.h"
#include "lake/journal_files.h"
#include "lake/lake_file.h"
#include "sim_audit.h"
#include "sim_people.h"

#define MEMORY_BYTES ((size_t)32 << 20)
#define TARGET_FILE_BYTES 1500u
#define TARGET_PARQUET_BYTES 8000u

void sim_cast_init(struct sim_cast *cast, struct sim_world *world)
{
    *cast = (struct sim_cast){0};
    cast->options = (struct lith_job_options){
        .policy = {.quiet_for_ns = SIM_QUIET,
                   .settle_ns = SIM_SETTLE,
                   .min_files = 2 + sim_draw(world, 3),
                   .target_file_bytes = TARGET_FILE_BYTES,
                   .max_inputs = 3 + sim_draw(world, 30)},
        .policy_hash = "00000000000000000000000000000001",
        .gc = {.reader_grace_ns = SIM_READER_GRACE,
               .orphan_grace_ns = SIM_ORPHAN_GRACE,
               .bytes_max = sim_draw(world, 4) ? UINT64_MAX : 3000},
        .replay_window_ns = SIM_REPLAY_WINDOW,
        .verify = LITH_VERIFY_CONTENT,
        .manifest_name = LITH_MANIFEST_NAME,
        .path = {.tenant_key = "tenant_id"},
        .tier_days = true,
        .tier_months = true,
        .has_tiers = true,
        .format = sim_format(),
    };
    if (!world->is_real)
        return;
    cast->options.format = lith_parquet_format();
    cast->options.policy.target_file_bytes = TARGET_PARQUET_BYTES;
    cast->options.row_group_bytes = TARGET_PARQUET_BYTES;
    cast->options.row_group_rows = 1000;
    if (cast->options.gc.bytes_max != UINT64_MAX)
        cast->options.gc.bytes_max = 2 * TARGET_PARQUET_BYTES;
}

void sim_tools_init(struct sim_tools *tools, struct sim_actor *actor)
{
    sim_heap_reset(&actor->heap); /* nothing of the last one is left */
    memset(tools, 0, sizeof(*tools));
    lith_mem_init(&tools->mem, MEMORY_BYTES, NULL);
    lith_scratch_init(&tools->scratch, "/tmp", 0);
    lith_arena_init(&tools->arena, &tools->mem);
    tools->work = (struct lith_work){
        .mem = &tools->mem, .scratch = &tools->scratch, .control = &tools->control};
    sim_view_init(&tools->view, actor, &tools->mem);
    tools->uuids.env = &tools->view.env;
}

void sim_tools_done(struct sim_tools *tools)
{
    lith_arena_done(&tools->arena);
    if (atomic_load(&tools->mem.used) != 0)
        sim_fail(tools->view.actor->world, "%zu bytes were kept",
                 (size_t)atomic_load(&tools->mem.used));
}

bool sim_is_partition(const struct sim_dir *dir)
{
    return !dir->is_hollow && (!dir->is_series || strcmp(dir->path, SIM_SERIES_PATH) != 0);
}

/* What somebody asks for. */
struct request {
    enum sim_pass pass;
    struct sim_dir *dir;
    const char *name;                /* SIM_RETIRE */
    const struct sim_blob *manifest; /* SIM_RESTORE */
};

static enum lith_code restore(const struct lith_job *job, const struct sim_blob *manifest,
                              struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_text text = {"older.json", manifest->data, manifest->bytes};

    return lith_job_restore(job, &text, false, report, err);
}

static enum lith_code job_run(const struct lith_job *job, const struct request *request,
                              struct lith_partition_report *report, struct lith_err *err)
{
    switch (request->pass) {
    case SIM_COMPACT:
        return lith_job_compact(job, report, err);
    case SIM_GC:
        return lith_job_gc(job, report, err);
    case SIM_ROLLBACK:
        return lith_job_rollback(job, false, report, err);
    case SIM_RETIRE:
        return lith_job_retire(job, &request->name, 1, false, report, err);
    case SIM_ROLLUP: /* a reader must know the rule before the first one */
        LITH_TRY(lith_lake_file_mark_tiers(job->folder->store, job->arena, err));
        return lith_job_rollup(job, false, report, err);
    case SIM_RESTORE:
        return restore(job, request->manifest, report, err);
    case SIM_REPAIR:
        return lith_job_repair(job, false, report, err);
    }
    return lith_fail(err, LITH_E_INVALID, "no such pass");
}

/* What the actor's program knows of the series, as long as it lives. */
static struct lith_series *series_of(struct sim_tools *tools)
{
    struct sim_actor *actor = tools->view.actor;

    if (!actor->series)
        actor->series = sim_take(actor->world, sizeof(struct lith_series));
    struct lith_series *series = actor->series;
    series->store = &tools->view.series;
    return series;
}

static enum lith_code pass_run(struct sim_tools *tools, const struct sim_cast *cast,
                               const struct request *request, struct lith_partition_report *report,
                               struct lith_err *err)
{
    const struct sim_dir *dir = request->dir;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_job_events events = {0};
    struct lith_journal_files journals;
    struct lith_store *store = dir->is_series ? &tools->view.series : &tools->view.store;

    report->path = dir->path + (dir->is_series ? sizeof(SIM_SERIES_PATH) : 0);
    LITH_TRY(lith_folder_open(store, report->path, &folder, err));
    struct lith_job_options options =
        tools->view.actor->is_other ? cast->other_options : cast->options;
    if (dir->is_series) {
        options.readers = LITH_READERS_MANIFEST;
        options.has_tiers = false; /* nothing above a day of the series takes anything */
        options.replay_window_ns = SIM_SERIES_WINDOW;
        options.gc.reader_grace_ns =
            lith_series_grace_ns(store, options.gc.reader_grace_ns, options.replay_window_ns);
    }
    struct lith_job job = {.folder = folder,
                           .options = &options,
                           .env = &tools->view.env,
                           .uuids = &tools->uuids,
                           .work = &tools->work,
                           .arena = &tools->arena};
    if (options.readers == LITH_READERS_GLOB) {
        LITH_TRY(lith_journal_files_list(store, &tools->arena, &journals, err));
        job.journals = &journals;
    }
    if (tools->view.actor->is_audited && !dir->is_series) {
        lith_job_events_init(&events, series_of(tools), &tools->view.env);
        job.events = &events;
    }
    enum lith_code code = job_run(&job, request, report, err);
    lith_job_events_done(&events);
    return code;
}

/* What only a mistake of ours can bring about: nothing of the kind is wrong with the files, or with
 * the manifest. */
static bool is_mistake(enum sim_pass pass, enum lith_code code,
                       const struct lith_partition_report *report)
{
    static const char refused[] = LITH_MANIFEST_NAME ": ";
    bool may_refuse = pass == SIM_ROLLBACK || pass == SIM_RETIRE || pass == SIM_RESTORE;

    return code == LITH_E_CORRUPT || (code == LITH_E_INVALID && !may_refuse) ||
           (code == LITH_OK && report->reason &&
            strncmp(report->reason, refused, sizeof(refused) - 1) == 0);
}

static void pass_count(struct sim_world *world, enum sim_pass pass, enum lith_code code,
                       const struct lith_partition_report *report)
{
    world->things[SIM_COMPACTIONS + pass]++;
    if (code == LITH_E_CONFLICT)
        world->things[SIM_PASSES_LOST]++;
    else if (code == LITH_E_TRANSIENT || code == LITH_E_IO)
        world->things[SIM_PASSES_UNKNOWN]++;
    else if (code != LITH_OK)
        world->things[SIM_PASSES_FAILED]++;
    else if (report->state == LITH_PARTITION_BLOCKED)
        world->things[SIM_PASSES_BLOCKED]++;
    else if (report->state == LITH_PARTITION_LEFT && !report->deleted)
        world->things[SIM_PASSES_LEFT]++;
    else
        world->things[SIM_PASSES_DONE]++;
}

static enum lith_code request_run(struct sim_actor *actor, const struct sim_cast *cast,
                                  const struct request *request)
{
    static const char *const passes[] = {"compaction", "gc",      "rollback", "retirement",
                                         "roll-up",    "restore", "repair"};
    enum sim_pass pass = request->pass;
    struct sim_dir *dir = request->dir;
    struct lith_partition_report report = {0};
    struct sim_tools tools;
    struct lith_err err;

    sim_tools_init(&tools, actor);
    actor->has_lost = false;
    sim_tell(actor->world, "begins a %s of %s", passes[pass], dir->path);
    bool deletes =
        pass == SIM_GC || (cast->options.readers == LITH_READERS_GLOB && pass == SIM_COMPACT);
    actor->dir = deletes ? dir : NULL;
    enum lith_code code = pass_run(&tools, cast, request, &report, &err);
    actor->dir = NULL;
    sim_tell(actor->world, "ends its %s of %s: %s", passes[pass], dir->path,
             code != LITH_OK ? err.text
             : report.reason ? report.reason
                             : "done");
    pass_count(actor->world, pass, code, &report);
    if (is_mistake(pass, code, &report) && !sim_oracle_is_loose(dir))
        sim_fail(actor->world, "a %s of %s ends with: %s", passes[pass], dir->path,
                 code != LITH_OK ? err.text : report.reason);
    sim_tools_done(&tools);
    return code;
}

enum lith_code sim_pass_run(struct sim_actor *actor, const struct sim_cast *cast,
                            enum sim_pass pass, struct sim_dir *dir, const char *name)
{
    struct request request = {.pass = pass, .dir = dir, .name = name};

    return request_run(actor, cast, &request);
}

enum lith_code sim_restore_run(struct sim_actor *actor, const struct sim_cast *cast,
                               struct sim_dir *dir, const struct sim_blob *manifest)
{
    struct request request = {.pass = SIM_RESTORE, .dir = dir, .manifest = manifest};

    return request_run(actor, cast, &request);
}

/* One over a directory; where others can be rolled up into it, that too, before or behind it. */
void sim_compact_run(struct sim_actor *actor, const struct sim_cast *cast, struct sim_dir *dir)
{
    bool is_above = sim_dir_takes(dir);
    bool is_first = is_above && sim_draw(actor->world, 2) == 0;

    if (is_first)
        (void)sim_pass_run(actor, cast, SIM_ROLLUP, dir, NULL);
    (void)sim_pass_run(actor, cast, SIM_COMPACT, dir, NULL);
    if (is_above && !is_first)
        (void)sim_pass_run(actor, cast, SIM_ROLLUP, dir, NULL);
}

/* Each of the directories in turn, with some time between. */
static void passes_run(struct sim_actor *actor, enum sim_pass pass, int64_t pause_ns)
{
    const struct sim_cast *cast = actor->ctx;
    struct sim_lake *lake = sim_lake_of(actor->world);

    sim_wait(actor, pause_ns / 8 + (int64_t)sim_draw(actor->world, (uint64_t)pause_ns));
    while (!actor->world->is_settling) {
        for (uint32_t i = 0; i < lake->dir_count && !actor->world->is_settling; i++) {
            if (!sim_is_partition(&lake->dirs[i]))
                continue;
            if (pass == SIM_COMPACT)
                sim_compact_run(actor, cast, &lake->dirs[i]);
            else
                (void)sim_pass_run(actor, cast, pass, &lake->dirs[i], NULL);
        }
        sim_wait(actor, pause_ns / 8 + (int64_t)sim_draw(actor->world, (uint64_t)pause_ns));
    }
}

void sim_compactor_run(struct sim_actor *actor)
{
    passes_run(actor, SIM_COMPACT, SIM_HOUR);
}

void sim_gc_run(struct sim_actor *actor)
{
    passes_run(actor, SIM_GC, 90 * SIM_MINUTE);
}
