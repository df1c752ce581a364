/*
 * The staging directory: where it is, whose it is, and the part of it that goes with a folder.
 *
 * A folder's part has the folder's path, and looks as the folders of the lake do, so that what is
 * held can be read by those who could read it before, and by nobody else.
 */
#include <fcntl.h>
#include <string.h>

#include "base/limits.h"
#include "store/exchange_folder.h"

static void stage_forget(struct lith_exchange_folder *folder)
{
    lith_folder_close(folder->held);
    folder->held = NULL;
    lith_fd_close(folder->stage_fd);
    folder->stage_fd = -1;
}

enum lith_code lith_exchange_stage_open(struct lith_exchange_folder *folder, struct lith_err *err)
{
    if (!folder->base.locked)
        stage_forget(folder);
    if (folder->stage_fd < 0) {
        enum lith_code code = lith_dir_open(AT_FDCWD, folder->stage, &folder->stage_fd, err);
        if (code == LITH_E_NOT_FOUND)
            return LITH_OK;
        LITH_TRY(code);
    }
    if (folder->held)
        return LITH_OK;
    enum lith_code code = lith_local_folder_beside(lith_local_folder(folder->front),
                                                   folder->held_path, &folder->held, err);
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

void lith_exchange_stage_trim(const char *staging, const char *path, struct lith_mem *mem)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_err ignored;
    char *full;

    lith_arena_init(&scratch, mem);
    if (lith_arena_format(&scratch, &full, &ignored, "%s/%s", staging, path) != LITH_OK)
        return;
    /* The staging directory itself stays, with its mark. */
    while (strlen(full) > strlen(staging) + 1 &&
           lith_dir_remove(AT_FDCWD, full, &ignored) == LITH_OK)
        *strrchr(full, '/') = '\0';
}

void lith_exchange_stage_close(struct lith_exchange_folder *folder)
{
    bool may_trim = folder->base.locked && folder->stage_fd >= 0;
    struct lith_err ignored;

    if (may_trim)
        (void)!lith_dir_remove(folder->stage_fd, LITH_HELD_NAME, &ignored);
    stage_forget(folder);
    if (may_trim)
        lith_exchange_stage_trim(lith_exchange_store(&folder->base)->staging, folder->base.path,
                                 folder->base.store->mem);
}

enum lith_code lith_exchange_like_make(const char *path, const char *model, struct lith_env *env,
                                       struct lith_mem *mem, struct lith_err *err)
{
    int fd = -1;
    int model_fd = -1;

    enum lith_code code = lith_dir_make(AT_FDCWD, path, 0700, err);
    if (code == LITH_E_CONFLICT)
        return LITH_OK;
    LITH_TRY(code);
    code = lith_dir_open(AT_FDCWD, path, &fd, err);
    if (code == LITH_OK)
        code = lith_dir_open(AT_FDCWD, model, &model_fd, err);
    if (code == LITH_OK)
        code = lith_dir_look_like(fd, path, model_fd, mem, err);
    lith_fd_close(fd);
    lith_fd_close(model_fd);
    env->step(env, LITH_STEP_FOLDER_MADE);
    return code;
}

/* All parts of the path below staging, and `last` below them, each synced in the one above it. */
static enum lith_code parts_make(struct lith_exchange_folder *folder, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_store *store = folder->base.store;
    const char *staging = lith_exchange_store(&folder->base)->staging;
    char *path;
    char *model;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(lith_arena_format(&scratch, &path, err, "%s", folder->held_path));
    LITH_TRY(lith_arena_format(&scratch, &model, err, "%s/%s", store->root, folder->base.path));
    char *end = path + strlen(staging);
    char *model_end = model + strlen(store->root);
    for (;;) {
        end += 1 + strcspn(end + 1, "/");
        char cut = *end;
        if (cut) /* what is held looks as the folder itself does */
            model_end += 1 + strcspn(model_end + 1, "/");
        char model_cut = *model_end;
        *end = '\0';
        *model_end = '\0';
        LITH_TRY(lith_exchange_like_make(path, model, store->env, store->mem, err));
        LITH_TRY(lith_local_above_sync(path, err));
        *end = cut;
        *model_end = model_cut;
        if (!cut)
            return LITH_OK;
    }
}

/* A staging directory that is gone may have held something: nobody begins a new one here. */
static enum lith_code mark_check(const struct lith_exchange_store *store, struct lith_err *err)
{
    struct lith_file_info info;
    struct lith_err why;
    int fd;

    enum lith_code code = lith_dir_open(AT_FDCWD, store->staging, &fd, &why);
    if (code == LITH_OK) {
        code = lith_file_stat(fd, LITH_STAGING_MARK_NAME, false, &info, &why);
        lith_fd_close(fd);
    }
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_DENIED,
                         "%s is not there, or no longer the staging directory of the lake "
                         "(no " LITH_STAGING_MARK_NAME " in it)",
                         store->staging);
    if (code != LITH_OK)
        *err = why;
    return code;
}

/* Another program may take away an empty directory that this one has just found. */
enum lith_code lith_exchange_stage_make(struct lith_exchange_folder *folder, struct lith_err *err)
{
    LITH_ASSERT(folder->base.locked);
    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->held)
        return LITH_OK;
    LITH_TRY(mark_check(lith_exchange_store(&folder->base), err));
    enum lith_code code = LITH_E_NOT_FOUND;
    for (unsigned look = 0; code == LITH_E_NOT_FOUND && look < LITH_LOOK_AGAIN_MAX; look++)
        code = parts_make(folder, err);
    LITH_TRY(code);
    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->held)
        return LITH_OK;
    return lith_fail(err, LITH_E_IO, "%s was made, and is gone again", folder->held_path);
}
