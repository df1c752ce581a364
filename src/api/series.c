/*
 * The audit series of a lake: where it is, and that it is a lake of its own, without one.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>

#include "api/lake_state.h"
#include "audit/log.h"
#include "base/file.h"
#include "store/local.h"

/* Paths of day partitions: nothing else below the place is ours. */
#define DAY_GLOB "tenant_id=*/year=*/month=*/day=*"

/* The path without links, so that names of one place are one; as it is where it leads nowhere. */
static enum lith_code real_path(const char *path, struct lith_arena *arena, const char **ret_real,
                                struct lith_err *err)
{
    char room[PATH_MAX];
    const char *real = realpath(path, room) ? room : path;
    void *copy;

    LITH_TRY(lith_arena_copy(arena, real, strlen(real), &copy, err));
    *ret_real = copy;
    return LITH_OK;
}

static bool is_directory(const char *path)
{
    struct lith_file_info info;
    struct lith_err ignored;

    return lith_file_stat(AT_FDCWD, path, true, &info, &ignored) == LITH_OK && info.is_directory;
}

/* Beside the data, so that what is globbed for rows never has an event in it. */
static enum lith_code default_place(const char *root, struct lith_arena *arena,
                                    const char **ret_place, struct lith_err *err)
{
    const char *real;
    char *path;

    LITH_TRY(real_path(root, arena, &real, err));
    LITH_TRY(lith_arena_format(arena, &path, err, "%s/data", real));
    LITH_TRY(is_directory(path) ? lith_arena_format(arena, &path, err, "%s/audit", real)
                                : lith_arena_format(arena, &path, err, "%s.audit", real));
    *ret_place = path;
    return LITH_OK;
}

/* A place that holds the lake would be swept with it. */
static enum lith_code place_check(const char *root, const char *place, struct lith_arena *arena,
                                  struct lith_err *err)
{
    const char *inner;
    const char *outer;

    LITH_TRY(real_path(root, arena, &inner, err));
    LITH_TRY(real_path(place, arena, &outer, err));
    size_t bytes = strlen(outer);

    while (bytes && outer[bytes - 1] == '/')
        bytes--;
    if (strncmp(inner, outer, bytes) != 0 || (inner[bytes] && inner[bytes] != '/'))
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "audit: %s holds the lake %s; give a directory of its own, or none", place,
                     root);
}

/* The series is compacted as the lake is, but by its own columns and paths. */
static enum lith_code series_options(struct lith_lake *lake, const struct lith_options *options,
                                     struct lith_err *err)
{
    struct lith_options own = *options;
    struct lith_options defaults;

    lith_options_default(&defaults);
    own.tenant_key = defaults.tenant_key;
    own.layout = NULL;
    own.manifest_name = NULL;
    own.joins = defaults.joins;
    own.sort_by = NULL;
    own.codec = "zstd"; /* events are not compressed: each is a few KiB */
    own.unknown_keys = defaults.unknown_keys;
    own.key_columns = NULL;
    own.tier_days = own.tier_months = false;
    own.key_column_count = 0;
    own.path_check_skip = NULL;
    own.path_check_skip_count = 0;
    own.time_column = NULL;
    own.time_column_fallback = NULL;
    LITH_TRY(lith_job_options_make(&own, &lake->arena, &lake->series_job, err));
    lake->series_job.key_columns_given = false;
    lake->series_job.gc.reader_grace_ns = lith_series_grace_ns(
        lake->series.store, lake->series_job.gc.reader_grace_ns, lake->series_job.replay_window_ns);
    lake->series_sweep = lake->sweep;
    lake->series_sweep.store = lake->series.store;
    lake->series_sweep.options = &lake->series_job;
    lake->series_sweep.series = NULL;
    lake->series_sweep.partition_glob = DAY_GLOB;
    return LITH_OK;
}

/* A series has none of its own. */
static enum lith_code is_series(struct lith_store *store, struct lith_arena *arena, bool *ret_is,
                                struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    struct lith_object object;
    enum lith_code code = lith_folder_open(store, "", &root, err);

    if (code == LITH_OK)
        code = lith_folder_head(root, LITH_SERIES_MARK_NAME, arena, &object, err);
    *ret_is = code == LITH_OK;
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

enum lith_code lith_lake_series_open(struct lith_lake *lake, const char *root,
                                     const struct lith_options *options, struct lith_err *err)
{
    const char *place = options->audit;
    bool is_one;

    LITH_TRY(is_series(lake->store, &lake->arena, &is_one, err));
    if (is_one || (place && strcmp(place, "none") == 0))
        return LITH_OK;
    if (!place)
        LITH_TRY(default_place(root, &lake->arena, &place, err));
    LITH_TRY(place_check(root, place, &lake->arena, err));
    struct lith_local_options local = {.root = place,
                                       .single_writer = options->single_writer,
                                       .io_bytes_per_second = options->io_bytes_per_second,
                                       .cancel = lake->budget.control.cancel,
                                       .may_be_absent = true};
    if (lith_local_open(&local, lith_env_system(), &lake->budget.mem, &lake->series.store, err) !=
        LITH_OK)
        return lith_err_prefix(err, "audit (--audit DIR gives another place, or none)");
    LITH_TRY(series_options(lake, options, err));
    lake->sweep.series = &lake->series;
    return LITH_OK;
}

/* Tells the caller of what happened to the series, under the name of its place. */
struct telling {
    struct lith_lake *lake;
    lith_partition_fn each;
    void *ctx;
};

static void series_tell(void *ctx, const struct lith_partition_report *report)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const struct telling *telling = ctx;
    struct lith_partition_report named = *report;
    struct lith_err ignored;
    char *path;

    lith_arena_init(&scratch, lith_mem_root());
    if (!telling->each || (report->state == LITH_PARTITION_LEFT && !report->deleted))
        return;
    named.path = telling->lake->series.store->root;
    if (lith_arena_format(&scratch, &path, &ignored, "%s%s%s", telling->lake->series.store->root,
                          *report->path ? "/" : "", report->path) == LITH_OK)
        named.path = path;
    telling->each(telling->ctx, &named);
}

static enum lith_code pass_run(struct lith_lake *lake, enum lith_pass pass, struct telling *telling,
                               struct lith_summary *ret_own, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_lake_file file;
    bool is_there;

    lith_arena_init(&scratch, &lake->budget.mem);
    *ret_own = (struct lith_summary){0};
    LITH_TRY(is_series(lake->series.store, &scratch, &is_there, err));
    if (!is_there)
        return LITH_OK;
    if (pass == LITH_PASS_COMPACT)
        LITH_TRY(lith_store_commits_check(lake->series.store, err));
    struct lith_lake_choice choice = {.readers = LITH_READERS_MANIFEST,
                                      .policy_hash = lake->series_job.policy_hash,
                                      .manifest_name = lake->series_job.manifest_name};
    LITH_TRY(lith_lake_file_ensure(lake->series.store, &choice, &scratch, &file, err));
    lake->series_job.manifest_name = file.manifest_name;
    return lith_sweep_run(&lake->series_sweep, pass, series_tell, telling, ret_own, err);
}

/* A place that cannot be written to holds up nothing, as for an event: the next pass may. */
static enum lith_partition_state state_of(enum lith_code code)
{
    bool may_pass = code == LITH_E_TRANSIENT || code == LITH_E_CONFLICT || code == LITH_E_IO ||
                    code == LITH_E_DENIED;

    return may_pass ? LITH_PARTITION_PENDING : LITH_PARTITION_FAILED;
}

enum lith_code lith_lake_series_run(struct lith_lake *lake, enum lith_pass pass,
                                    lith_partition_fn each, void *ctx, struct lith_summary *summary,
                                    struct lith_err *err)
{
    struct telling telling = {.lake = lake, .each = each, .ctx = ctx};
    struct lith_summary own;
    struct lith_err why;

    if (!lake->series.store || lake->sweep.partition_glob)
        return LITH_OK;
    enum lith_code code = pass_run(lake, pass, &telling, &own, &why);
    memcpy(summary->series_by_state, own.by_state, sizeof(own.by_state));
    if (code == LITH_OK)
        return LITH_OK;
    if (code == LITH_E_CANCELLED) {
        *err = why;
        return code;
    }
    /* The lake's own pass is done, whatever became of this one. */
    enum lith_partition_state state = state_of(code);
    struct lith_partition_report report = {.path = "",
                                           .state = state,
                                           .reason = why.text,
                                           .err = state == LITH_PARTITION_FAILED ? &why : NULL};
    series_tell(&telling, &report);
    summary->series_by_state[state]++;
    return LITH_OK;
}

enum lith_code lith_lake_log(struct lith_lake *lake, const struct lith_log_request *request,
                             lith_event_fn each, void *ctx, struct lith_err *err)
{
    if (!lake->series.store)
        return lith_fail(err, LITH_E_INVALID,
                         "%s: no audit series is kept (audit: none), or it is one itself",
                         lake->store->root);
    return lith_series_log(&lake->series, request, &lake->budget.work, each, ctx, err);
}
