/*
 * The public face of fsck: the partitions, and the one file that all of them share.
 */
#include "api/lake_state.h"

#include <fcntl.h>

#include "base/file.h"
#include "base/limits.h"
#include "job/findings.h"
#include "lake/walk.h"

/* Who is told. */
struct telling {
    lith_partition_fn each;
    void *ctx;
    struct lith_summary *summary;
};

#define REMEDY_LAKE_FILE                                                                           \
    "put it back from a copy; or remove it, and say to the next compact how the lake is read "     \
    "(--readers, --manifest-name), as at first"

/* Tells of the lake's own file, beside its partitions. */
static enum lith_code lake_tell(const struct telling *telling, struct lith_arena *arena,
                                const char *todo, const char *text, struct lith_err *err)
{
    struct lith_findings findings = {.arena = arena};
    struct lith_partition_report report = {.path = ""};
    struct lith_found found = {
        .kind = "lake-file", .file = LITH_LAKE_FILE_NAME, .wants_hand = true, .todo = todo};

    LITH_TRY(lith_findings_add(&findings, &found, err, "%s", text));
    LITH_TRY(lith_findings_report(&findings, &report, err));
    telling->summary->findings += report.finding_count;
    telling->summary->hands += report.hands;
    if (telling->each)
        telling->each(telling->ctx, &report);
    return LITH_OK;
}

/* Does a partition have a manifest of ours? One that cannot be read may be one. */
static enum lith_code stop_look(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_store *store = ctx;
    struct lith_err why;

    if (!stop->is_partition || stop->table_format ||
        lith_folder_open(store, stop->path, &folder, &why) != LITH_OK)
        return LITH_OK;
    enum lith_code code = lith_view_take(folder, LITH_SNAPSHOT_OPEN, store->mem, &view, &why);
    const struct lith_manifest *m = code == LITH_OK ? lith_view_manifest(&view) : NULL;
    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED && (!m || m->foreign))
        return LITH_OK;
    return lith_fail(err, LITH_E_CANCELLED, "one is enough");
}

/* Whether the lake was committed to, by its partitions. */
static enum lith_code is_committed(struct lith_lake *lake, const char *partition, bool *ret_is,
                                   struct lith_err *err)
{
    struct lith_control control = {.cancel = lake->budget.control.cancel};
    struct lith_err ignored;

    enum lith_code code =
        lith_lake_walk_to(lake->store, partition, &control, stop_look, lake->store, err);
    *ret_is = code == LITH_E_CANCELLED && lith_work_check(&lake->budget.work, &ignored) == LITH_OK;
    return code == LITH_E_CANCELLED && *ret_is ? LITH_OK : code;
}

/* _lithify.json is there before the first commit, and says how all of them are made. */
static enum lith_code lake_file_look(struct lith_lake *lake, const struct lith_fsck *request,
                                     const struct telling *telling, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_lake_file file;
    bool committed = false;

    lith_arena_init(&arena, &lake->budget.mem);
    if (lake->damage.code == LITH_E_UNSUPPORTED)
        return lake_tell(telling, &arena, "use the version of Lithify that wrote it",
                         lake->damage.text, err);
    if (lake->damage.code != LITH_OK)
        return lake_tell(telling, &arena, REMEDY_LAKE_FILE, lake->damage.text, err);
    enum lith_code code = lith_lake_file_read(lake->store, &arena, &file, err);
    if (code != LITH_E_NOT_FOUND)
        return code;
    LITH_TRY(is_committed(lake, request->partition, &committed, err));
    if (!committed)
        return LITH_OK;
    return lake_tell(telling, &arena, REMEDY_LAKE_FILE,
                     "it is not there, although there are manifests of Lithify", err);
}

enum lith_code lith_lake_fsck(struct lith_lake *lake, const struct lith_fsck *request,
                              lith_partition_fn each, void *ctx, struct lith_summary *ret_summary,
                              struct lith_err *err)
{
    struct lith_sweep sweep = lake->sweep;
    struct telling telling = {.each = each, .ctx = ctx, .summary = ret_summary};

    sweep.change.partition = request->partition;
    sweep.fsck = *request;
    LITH_TRY(lith_sweep_run(&sweep, LITH_PASS_FSCK, each, ctx, ret_summary, err));
    if (request->partition && ret_summary->partitions == 0)
        return lith_fail(err, LITH_E_NOT_FOUND,
                         "%s%s%s is no partition (no *.parquet files, no manifest), or not one "
                         "that --partition and --shard select",
                         lake->store->root, *request->partition ? "/" : "", request->partition);
    return lake_file_look(lake, request, &telling, err);
}

static enum lith_code manifest_read(const char *path, struct lith_arena *arena,
                                    struct lith_text *ret_text, struct lith_err *err)
{
    struct lith_file_info info;
    void *data = NULL;
    int fd;

    LITH_TRY(lith_file_open(AT_FDCWD, path, &fd, err));
    enum lith_code code = lith_fd_stat(fd, &info, err);
    if (code == LITH_OK && info.size > LITH_MANIFEST_BYTES_MAX)
        code = lith_fail(err, LITH_E_INVALID, "%.300s has %llu bytes: no manifest has as many",
                         path, (unsigned long long)info.size);
    if (code == LITH_OK)
        code = lith_arena_alloc(arena, (size_t)info.size + 1, &data, err);
    if (code == LITH_OK)
        code = lith_fd_read(fd, path, 0, data, (size_t)info.size, err);
    lith_fd_close(fd);
    *ret_text = (struct lith_text){path, data, (size_t)info.size};
    return code;
}

enum lith_code lith_lake_restore(struct lith_lake *lake, const struct lith_fsck *request,
                                 lith_partition_fn each, void *ctx,
                                 struct lith_summary *ret_summary, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_sweep sweep = lake->sweep;

    lith_arena_init(&arena, &lake->budget.mem);
    if (!request->partition || !request->restore)
        return lith_fail(err, LITH_E_INVALID, "restore: a manifest is that of one partition");
    LITH_TRY(manifest_read(request->restore, &arena, &sweep.manifest, err));
    sweep.change.partition = request->partition;
    sweep.fsck = *request;
    return lith_lake_change_run(lake, &sweep, LITH_PASS_RESTORE, request->dry_run, each, ctx,
                                ret_summary, err);
}
