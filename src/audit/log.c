/*
 * Reading the series: the folders of a walk by day, each day's events by time.
 *
 * What cannot be read is passed over, and told at the end: it hides no other event.
 */
#include "audit/log.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "audit/event_file.h"
#include "base/array.h"
#include "lake/path_keys.h"
#include "lake/snapshot.h"
#include "lake/walk.h"

/* A folder that may hold events which are asked for. */
struct day_folder {
    const char *path;
    int64_t begin_ns; /* of its day; INT64_MIN: the path does not say */
};

struct reading {
    const struct lith_series *series;
    const struct lith_log_request *request;
    const struct lith_work *work;
    struct lith_arena arena; /* of the folders */
    const char *tenant;      /* the path of the one that is asked for, with a slash; or NULL */
    struct day_folder *folders;
    size_t folder_count;
    /* The day at hand. */
    struct lith_arena day_arena;
    struct lith_event *events;
    size_t event_count;
    struct lith_err failed; /* the first file or folder that could not be read; code OK: none */
    size_t failed_count;
};

/* True for what is wrong with one file or folder, false for the machine or the moment. */
static bool is_passed_over(enum lith_code code)
{
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID ||
           code == LITH_E_DENIED;
}

/* Notes it, and goes on. */
static enum lith_code pass_over(struct reading *r, const struct lith_err *err)
{
    if (r->failed_count++ == 0)
        r->failed = *err;
    return LITH_OK;
}

/* By its path, as far as that says anything. */
static bool folder_is_wanted(const struct reading *r, const char *path,
                             const struct lith_path_keys *keys)
{
    const struct lith_log_request *request = r->request;

    if (r->tenant && strncmp(path, r->tenant, strlen(r->tenant)) != 0)
        return false;
    if (!keys->has_period)
        return true;
    return !(request->has_since && keys->end_ns <= request->since_ns) &&
           !(request->has_until && keys->begin_ns >= request->until_ns);
}

static enum lith_code stop_take(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct reading *r = ctx;
    struct lith_path_keys keys;
    struct lith_path_options options = {0};
    void *block = r->folders;

    lith_arena_init(&scratch, r->work->mem);
    LITH_TRY(lith_path_keys_parse(stop->path, &options, &scratch, &keys, err));
    if (!folder_is_wanted(r, stop->path, &keys))
        return LITH_OK;
    if (stop->failed && is_passed_over(stop->failed->code))
        return pass_over(r, stop->failed);
    if (stop->failed) {
        *err = *stop->failed;
        return err->code;
    }
    if (!stop->is_partition)
        return LITH_OK;
    LITH_TRY(lith_array_grow(r->work->mem, &block, r->folder_count, sizeof(*r->folders), err));
    r->folders = block;
    LITH_TRY(lith_arena_copy(&r->arena, stop->path, strlen(stop->path), &block, err));
    r->folders[r->folder_count++] =
        (struct day_folder){.path = block, .begin_ns = keys.has_period ? keys.begin_ns : INT64_MIN};
    return LITH_OK;
}

static int compare_folders(const void *a, const void *b)
{
    const struct day_folder *left = a;
    const struct day_folder *right = b;

    if (left->begin_ns != right->begin_ns)
        return left->begin_ns < right->begin_ns ? -1 : 1;
    return strcmp(left->path, right->path);
}

/* Its tenant is one that is asked for: the folder says so. */
static bool event_is_wanted(const struct lith_log_request *request, const struct lith_event *event)
{
    if (request->has_since && event->time_ns < request->since_ns)
        return false;
    if (request->has_until && event->time_ns >= request->until_ns)
        return false;
    return !request->partition_glob ||
           (event->partition && fnmatch(request->partition_glob, event->partition, 0) == 0);
}

static enum lith_code events_read(struct reading *r, struct lith_folder *folder,
                                  const struct lith_snapshot_file *file,
                                  struct lith_event **ret_events, size_t *ret_count,
                                  struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;

    if (!file->object)
        return lith_fail(err, LITH_E_CORRUPT, "it is in the manifest but not there");
    LITH_TRY(lith_folder_source_open(folder, file->object, &source, err));
    return lith_events_read(source, r->work, &r->day_arena, ret_events, ret_count, err);
}

static enum lith_code file_read(struct reading *r, struct lith_folder *folder,
                                const struct lith_snapshot_file *file, struct lith_err *err)
{
    struct lith_event *events;
    size_t count;

    enum lith_code code = events_read(r, folder, file, &events, &count, err);
    if (code != LITH_OK) {
        code = lith_err_prefix(err, "%s/%s/%s", r->series->store->root, folder->path, file->name);
        return is_passed_over(code) ? pass_over(r, err) : code;
    }
    for (size_t i = 0; i < count; i++) {
        void *block = r->events;
        if (!event_is_wanted(r->request, &events[i]))
            continue;
        LITH_TRY(lith_array_grow(r->work->mem, &block, r->event_count, sizeof(*r->events), err));
        r->events = block;
        r->events[r->event_count++] = events[i];
    }
    return LITH_OK;
}

static enum lith_code folder_read(struct reading *r, const char *path, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    enum lith_code code = lith_folder_open(r->series->store, path, &folder, err);

    if (code == LITH_OK)
        code = lith_view_take(folder, LITH_SNAPSHOT_OPEN, r->work->mem, &view, err);
    for (size_t i = 0; code == LITH_OK && i < view.snapshot.file_count; i++) {
        code = lith_work_check(r->work, err);
        if (code == LITH_OK && view.snapshot.files[i].live)
            code = file_read(r, folder, &view.snapshot.files[i], err);
    }
    return code;
}

/* A file that was listed may be merged and deleted before it is opened: then once more. */
static enum lith_code folder_take(struct reading *r, const char *path, struct lith_err *err)
{
    size_t before = r->event_count;
    size_t failed_before = r->failed_count;
    enum lith_code code = LITH_OK;

    for (unsigned look = 0; look < LITH_LOOK_AGAIN_MAX; look++) {
        r->event_count = before;
        r->failed_count = failed_before;
        code = folder_read(r, path, err);
        if (code != LITH_E_NOT_FOUND && code != LITH_E_CONFLICT)
            break;
    }
    if (code == LITH_OK)
        return LITH_OK;
    code = lith_err_prefix(err, "%s/%s", r->series->store->root, path);
    return is_passed_over(code) ? pass_over(r, err) : code;
}

static int compare_events(const void *a, const void *b)
{
    const struct lith_event *left = a;
    const struct lith_event *right = b;

    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    if (left->generation != right->generation)
        return left->generation < right->generation ? -1 : 1;
    return strcmp(left->commit_id ? left->commit_id : "", right->commit_id ? right->commit_id : "");
}

/* The folders of one day, from `begin` on; returns where the next one begins. */
static enum lith_code day_tell(struct reading *r, size_t *begin, lith_event_fn each, void *ctx,
                               struct lith_err *err)
{
    int64_t begin_ns = r->folders[*begin].begin_ns;

    for (; *begin < r->folder_count && r->folders[*begin].begin_ns == begin_ns; (*begin)++)
        LITH_TRY(folder_take(r, r->folders[*begin].path, err));
    if (r->event_count)
        qsort(r->events, r->event_count, sizeof(*r->events), compare_events);
    for (size_t i = 0; i < r->event_count; i++)
        each(ctx, &r->events[i]);
    lith_free(r->events);
    r->events = NULL;
    r->event_count = 0;
    lith_arena_done(&r->day_arena);
    return LITH_OK;
}

static enum lith_code tenant_take(struct reading *r, struct lith_err *err)
{
    const char *path;
    void *copy;

    if (!r->request->tenant)
        return LITH_OK;
    LITH_TRY(lith_series_folder(r->request->tenant, 0, &r->arena, &path, err));
    LITH_TRY(lith_arena_copy(&r->arena, path, strcspn(path, "/") + 1, &copy, err));
    r->tenant = copy;
    return LITH_OK;
}

static enum lith_code days_tell(struct reading *r, lith_event_fn each, void *ctx,
                                struct lith_err *err)
{
    LITH_TRY(lith_lake_walk(r->series->store, r->work->control, stop_take, r, err));
    if (r->folder_count)
        qsort(r->folders, r->folder_count, sizeof(*r->folders), compare_folders);
    for (size_t i = 0; i < r->folder_count;)
        LITH_TRY(day_tell(r, &i, each, ctx, err));
    if (r->failed_count == 0)
        return LITH_OK;
    *err = r->failed;
    if (r->failed_count == 1)
        return err->code;
    return lith_err_prefix(err, "%zu files or folders of the series cannot be read; the first one",
                           r->failed_count);
}

enum lith_code lith_series_log(const struct lith_series *series,
                               const struct lith_log_request *request, const struct lith_work *work,
                               lith_event_fn each, void *ctx, struct lith_err *err)
{
    struct reading r = {.series = series, .request = request, .work = work};
    bool found;

    LITH_TRY(lith_series_find(series, work, &found, err));
    if (!found)
        return LITH_OK;
    lith_arena_init(&r.arena, work->mem);
    lith_arena_init(&r.day_arena, work->mem);
    enum lith_code code = tenant_take(&r, err);
    if (code == LITH_OK)
        code = days_tell(&r, each, ctx, err);
    lith_free(r.events);
    lith_free(r.folders);
    lith_arena_done(&r.day_arena);
    lith_arena_done(&r.arena);
    return code;
}
