/*
 * What is held: links that are only links, and what is held for folders that are gone.
 */
#include <fcntl.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "store/exchange_folder.h"

struct links {
    int held_fd;
    int front_fd;
};

/* Looked at and removed under the folder's lock: nobody else puts anything there. */
static enum lith_code link_drop(void *ctx, const char *name, struct lith_err *err)
{
    const struct links *links = ctx;
    struct lith_file_info held;
    struct lith_file_info front;

    enum lith_code code = lith_file_stat(links->front_fd, name, false, &front, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    LITH_TRY(lith_file_stat(links->held_fd, name, false, &held, err));
    return held.inode == front.inode && held.is_file ? lith_file_unlink(links->held_fd, name, err)
                                                     : LITH_OK;
}

enum lith_code lith_exchange_links_drop(struct lith_exchange_folder *folder, struct lith_err *err)
{
    if (!folder->held)
        return LITH_OK;
    struct links links = {.held_fd = lith_local_folder(folder->held)->fd,
                          .front_fd = lith_exchange_front_fd(folder)};

    return lith_dir_list(links.held_fd, ".", link_drop, &links, err);
}

/* The tree below staging, walked with a stack of its own: a folder of a lake may be anywhere. */
struct level {
    struct lith_arena arena;
    const char *path;
    struct lith_listing listing;
    size_t next;
};

struct walk {
    struct lith_store *store; /* over staging */
    lith_held_fn each;
    void *ctx;
    struct level levels[LITH_WALK_DEPTH_MAX];
    size_t depth;
};

static bool is_part(const char *name)
{
    return strcmp(name, LITH_HELD_NAME) == 0 ||
           strncmp(name, LITH_SWAP_PREFIX, strlen(LITH_SWAP_PREFIX)) == 0;
}

/* Does staging hold something for the folder itself, not only for those below it? */
static bool holds_something(const struct lith_listing *listing)
{
    for (size_t i = 0; i < listing->folder_count; i++) {
        if (is_part(listing->folders[i]))
            return true;
    }
    for (size_t i = 0; i < listing->object_count; i++) {
        if (is_part(listing->objects[i].name))
            return true;
    }
    return false;
}

static enum lith_code level_enter(struct walk *w, const char *above, const char *name,
                                  struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    char *path;

    if (w->depth == LITH_WALK_DEPTH_MAX)
        return lith_fail(err, LITH_E_LIMIT, "%s: folders more than %u deep", w->store->root,
                         LITH_WALK_DEPTH_MAX);
    struct level *level = &w->levels[w->depth++];
    *level = (struct level){0};
    lith_arena_init(&level->arena, w->store->mem);
    LITH_TRY(
        lith_arena_format(&level->arena, &path, err, "%s%s%s", above, *above ? "/" : "", name));
    level->path = path;
    enum lith_code code = lith_folder_open(w->store, path, &folder, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK; /* trimmed meanwhile */
    LITH_TRY(code);
    LITH_TRY(lith_folder_list(folder, &level->arena, &level->listing, err));
    return holds_something(&level->listing) ? w->each(w->ctx, path, err) : LITH_OK;
}

static enum lith_code walk_run(struct walk *w, struct lith_err *err)
{
    LITH_TRY(level_enter(w, "", "", err));
    while (w->depth) {
        struct level *level = &w->levels[w->depth - 1];
        if (level->next == level->listing.folder_count) {
            lith_arena_done(&level->arena);
            w->depth--;
            continue;
        }
        const char *name = level->listing.folders[level->next++];
        if (name[0] != '_' && name[0] != '.')
            LITH_TRY(level_enter(w, level->path, name, err));
    }
    return LITH_OK;
}

enum lith_code lith_exchange_held_each(struct lith_store *base, lith_held_fn each, void *ctx,
                                       struct lith_err *err)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;
    struct lith_local_options options = {.root = store->staging, .may_be_absent = true};
    LITH_AUTO(store) struct lith_store *staging = NULL;
    LITH_AUTO(block) void *block = NULL;

    LITH_TRY(lith_local_open(&options, base->env, base->mem, &staging, err));
    LITH_TRY(lith_alloc_array(base->mem, 1, sizeof(struct walk), &block, err));
    struct walk *w = block;
    w->store = staging;
    w->each = each;
    w->ctx = ctx;
    enum lith_code code = walk_run(w, err);
    while (w->depth)
        lith_arena_done(&w->levels[--w->depth].arena);
    return code;
}

/* All that is held for a folder that is gone was superseded, or never shown, there. */
struct files {
    int fd;
    const struct lith_tidy *tidy;
};

static enum lith_code file_drop(void *ctx, const char *name, struct lith_err *err)
{
    const struct files *files = ctx;
    struct lith_file_info info;
    int64_t until_ns;

    enum lith_code code = lith_file_stat(files->fd, name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    if (!info.is_file || !lith_add_i64(info.changed_ns, files->tidy->grace_ns, &until_ns) ||
        until_ns > files->tidy->now_ns)
        return LITH_OK;
    return lith_file_unlink(files->fd, name, err);
}

static enum lith_code files_drop(int stage_fd, const struct lith_tidy *tidy, struct lith_err *err)
{
    struct files files = {.tidy = tidy};
    struct lith_err why;

    enum lith_code code = lith_dir_open(stage_fd, LITH_HELD_NAME, &files.fd, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    code = lith_dir_list(files.fd, ".", file_drop, &files, err);
    lith_fd_close(files.fd);
    if (code == LITH_OK)
        (void)!lith_dir_remove(stage_fd, LITH_HELD_NAME, &why);
    return code;
}

enum lith_code lith_exchange_held_drop(struct lith_store *base, const char *path,
                                       const struct lith_tidy *tidy, struct lith_err *err)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;
    LITH_AUTO(arena) struct lith_arena scratch;
    const char *stray;
    struct lith_err why;
    char *stage;
    int fd;

    lith_arena_init(&scratch, base->mem);
    LITH_TRY(
        lith_arena_format(&scratch, &stage, err, "%s%s%s", store->staging, *path ? "/" : "", path));
    enum lith_code code = lith_dir_open(AT_FDCWD, stage, &fd, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    code = files_drop(fd, tidy, err);
    if (code == LITH_OK)
        code = lith_exchange_swaps_drop(fd, tidy, base->env, &scratch, &stray, err);
    lith_fd_close(fd);
    if (code == LITH_OK)
        lith_exchange_stage_trim(store->staging, path, base->mem);
    return code;
}
