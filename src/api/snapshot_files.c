/*
 * The public reader rule: the live files of a partition or of a lake.
 */
#include <stdlib.h>

#include "api/lake_state.h"
#include "base/array.h"
#include "lake/snapshot.h"
#include "lake/walk.h"

struct file {
    const char *path;
    uint64_t bytes;
};

struct lith_snapshot_files {
    struct lith_budget budget;
    struct lith_arena arena;
    struct file *files;
    size_t count;
    struct lith_lake *lake;
    enum lith_snapshot_mode mode;
};

static enum lith_code file_add(struct lith_snapshot_files *files, const char *folder,
                               const struct lith_snapshot_file *from, struct lith_err *err)
{
    char *path;

    if (!from->object)
        return lith_fail(
            err, LITH_E_CORRUPT,
            "%s%s%s is in the manifest but not there: its rows are missing until it is back",
            folder, *folder ? "/" : "", from->name);
    void *block = files->files;
    LITH_TRY(lith_array_grow(&files->budget.mem, &block, files->count, sizeof(*files->files), err));
    files->files = block;
    LITH_TRY(lith_arena_format(&files->arena, &path, err, "%s%s%s", folder, *folder ? "/" : "",
                               from->name));
    files->files[files->count++] = (struct file){.path = path, .bytes = from->object->size};
    return LITH_OK;
}

/* `listing` was taken just now; NULL: none was. */
static enum lith_code folder_add(struct lith_snapshot_files *files, struct lith_folder *folder,
                                 const struct lith_listing *listing, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    const char *path = folder->path;

    if (lith_view_take_listed(folder, listing, files->mode, &files->budget.mem, &view, err) !=
        LITH_OK)
        return lith_err_prefix(err, "%s", *path ? path : ".");
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        if (view.snapshot.files[i].live)
            LITH_TRY(file_add(files, path, &view.snapshot.files[i], err));
    }
    return LITH_OK;
}

static enum lith_code partition_add(struct lith_snapshot_files *files, const char *path,
                                    struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;

    LITH_TRY(lith_folder_open(files->lake->store, path, &folder, err));
    return folder_add(files, folder, NULL, err);
}

static enum lith_code stop_take(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    struct lith_snapshot_files *files = ctx;

    if (!lith_sweep_selects(&files->lake->sweep, stop->path))
        return LITH_OK;
    if (stop->failed) {
        *err = *stop->failed;
        return err->code;
    }
    return stop->is_partition ? folder_add(files, stop->folder, stop->listing, err) : LITH_OK;
}

enum lith_code lith_snapshot_files_open(struct lith_lake *lake, const char *partition, bool strict,
                                        struct lith_snapshot_files **ret_files,
                                        struct lith_err *err)
{
    enum lith_code code;
    void *block;

    LITH_TRY(lith_alloc_array(lith_mem_root(), 1, sizeof(struct lith_snapshot_files), &block, err));
    struct lith_snapshot_files *files = block;
    lith_arena_init(&files->arena, &files->budget.mem);
    files->lake = lake;
    files->mode = strict ? LITH_SNAPSHOT_STRICT : LITH_SNAPSHOT_OPEN;
    code = lith_budget_init(&files->budget, &lake->budget.control, err);
    if (code == LITH_OK && partition)
        code = partition_add(files, partition, err);
    else if (code == LITH_OK)
        code = lith_lake_walk(lake->store, &lake->budget.control, stop_take, files, err);
    if (code != LITH_OK) {
        lith_snapshot_files_close(files);
        return code;
    }
    *ret_files = files;
    return LITH_OK;
}

size_t lith_snapshot_files_count(const struct lith_snapshot_files *files)
{
    return files->count;
}

const char *lith_snapshot_files_path(const struct lith_snapshot_files *files, size_t index)
{
    LITH_ASSERT(index < files->count);
    return files->files[index].path;
}

uint64_t lith_snapshot_files_bytes(const struct lith_snapshot_files *files, size_t index)
{
    LITH_ASSERT(index < files->count);
    return files->files[index].bytes;
}

void lith_snapshot_files_close(struct lith_snapshot_files *files)
{
    if (!files)
        return;
    lith_free(files->files);
    lith_arena_done(&files->arena);
    lith_free(files);
}
