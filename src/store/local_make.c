/*
 * Makes folders: mkdir, then fsync of the one above.
 *
 * The one above is synced also where the folder was there: another program may just have made it,
 * and what is put into it must not be lost with it. One above that may not be read is left to
 * those who made the folder in it: nobody who runs as we do.
 */
#include <fcntl.h>
#include <string.h>

#include "store/local_folder.h"

static enum lith_code directory_sync(const char *path, struct lith_err *err)
{
    int fd = -1;

    LITH_TRY(lith_dir_open(AT_FDCWD, path, &fd, err));
    enum lith_code code = lith_fd_sync(fd, path, err);
    lith_fd_close(fd);
    return code;
}

enum lith_code lith_local_above_sync(char *path, struct lith_err *err)
{
    char *slash = strrchr(path, '/');

    if (!slash)
        return directory_sync(".", err);
    if (slash == path)
        return directory_sync("/", err);
    *slash = '\0';
    enum lith_code code = directory_sync(path, err);
    *slash = '/';
    return code;
}

static enum lith_code one_make(struct lith_store *store, char *path, struct lith_err *err)
{
    enum lith_code code = lith_dir_make(AT_FDCWD, path, 0777, err);

    if (code != LITH_E_CONFLICT)
        LITH_TRY(code);
    bool is_new = code == LITH_OK;
    code = lith_local_above_sync(path, err);
    if (is_new || code != LITH_E_DENIED)
        LITH_TRY(code);
    if (is_new)
        store->env->step(store->env, LITH_STEP_FOLDER_MADE);
    return LITH_OK;
}

enum lith_code lith_local_folder_make(struct lith_store *store, const char *path,
                                      struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    char *full;

    lith_arena_init(&arena, store->mem);
    LITH_TRY(lith_arena_format(&arena, &full, err, "%s%s%s", store->root, *path ? "/" : "", path));
    char *end = full + strlen(store->root);
    for (;;) {
        char cut = *end;
        *end = '\0';
        LITH_TRY(one_make(store, full, err));
        *end = cut;
        if (!cut)
            return LITH_OK;
        end += 1 + strcspn(end + 1, "/");
    }
}
