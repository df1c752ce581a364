/*
 * What a folder holds and what is to become of it; and why its directory cannot be replaced.
 *
 * A directory is replaced by one that has links to its files. So whatever cannot be linked, or
 * would be torn from a writer that is at it, keeps it where it is.
 */
#include <fcntl.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "store/exchange_folder.h"

struct scanning {
    struct lith_exchange_folder *folder;
    struct lith_showing *showing;
    struct lith_arena *arena;
    struct lith_scan scan;
    const char *obstacle_name;
};

/* Of several the one that needs a hand, and of such the first by name: the same at each look. */
static bool is_first(const struct scanning *s, enum lith_code code, const char *name)
{
    enum lith_code told = s->scan.obstacle.code;

    if (told == LITH_OK)
        return true;
    if ((told == LITH_E_TRANSIENT) != (code == LITH_E_TRANSIENT))
        return told == LITH_E_TRANSIENT;
    return strcmp(name, s->obstacle_name) < 0;
}

static enum lith_code obstacle_add(struct scanning *s, enum lith_code code, const char *name,
                                   const char *what, struct lith_err *err)
{
    void *copy;

    if (!is_first(s, code, name))
        return LITH_OK;
    LITH_TRY(lith_arena_copy(s->arena, name, strlen(name), &copy, err));
    s->obstacle_name = copy;
    (void)lith_fail(&s->scan.obstacle, code, "%s %s", name, what);
    return LITH_OK;
}

static enum lith_code entry_add(struct scanning *s, const struct lith_scan_entry *entry,
                                struct lith_err *err)
{
    void *block = s->scan.entries;
    void *copy;

    LITH_TRY(lith_arena_copy(s->arena, entry->name, strlen(entry->name), &copy, err));
    LITH_TRY(lith_array_grow_in(s->arena, &block, s->scan.count, sizeof(*entry), err));
    s->scan.entries = block;
    s->scan.entries[s->scan.count] = *entry;
    s->scan.entries[s->scan.count++].name = copy;
    return LITH_OK;
}

static enum lith_fate fate_ask(struct scanning *s, const char *name,
                               const struct lith_file_info *info, bool is_held)
{
    char etag[LITH_LOCAL_ETAG_BYTES];
    struct lith_object object = {.name = name,
                                 .etag = etag,
                                 .size = info->size,
                                 .mtime_ns = info->mtime_ns,
                                 .is_held = is_held};

    lith_local_etag(info, etag);
    return s->showing->fate(s->showing, &object);
}

static enum lith_code file_add(struct scanning *s, const char *name,
                               const struct lith_file_info *info, struct lith_err *err)
{
    struct lith_scan_entry entry = {.name = name,
                                    .inode = info->inode,
                                    .size = info->size,
                                    .mtime_ns = info->mtime_ns,
                                    .fate = fate_ask(s, name, info, false)};

    if (entry.fate == LITH_FATE_FOREIGN)
        return obstacle_add(s, LITH_E_TRANSIENT, name,
                            "is a file that another program seems to be at: the partition's "
                            "directory is not replaced while it is there",
                            err);
    s->scan.changes = s->scan.changes || entry.fate == LITH_FATE_HELD;
    if (entry.fate != LITH_FATE_OWN &&
        !lith_file_may_link(lith_exchange_front_fd(s->folder), name, info))
        LITH_TRY(obstacle_add(s, LITH_E_DENIED, name,
                              "is another user's, and may not be written: the system lets nobody "
                              "else link it (fs.protected_hardlinks), so the partition's directory "
                              "cannot be replaced; run as its owner",
                              err));
    return entry_add(s, &entry, err);
}

static enum lith_code front_entry(void *ctx, const char *name, struct lith_err *err)
{
    struct scanning *s = ctx;
    struct lith_file_info info;

    enum lith_code code =
        lith_file_stat(lith_exchange_front_fd(s->folder), name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK; /* gone between the two calls */
    LITH_TRY(code);
    if (info.is_directory)
        return obstacle_add(s, LITH_E_UNSUPPORTED, name,
                            "is a directory: a partition that holds directories cannot be replaced "
                            "in one step (readers = exchange); give its files one of their own",
                            err);
    if (!info.is_file)
        return obstacle_add(s, LITH_E_UNSUPPORTED, name,
                            "is a symbolic link or a special file: a partition that holds such "
                            "cannot be replaced in one step (readers = exchange); take it away",
                            err);
    return file_add(s, name, &info, err);
}

/* Of what is held only that which comes: the rest stays where it is. */
static enum lith_code held_entry(void *ctx, const char *name, struct lith_err *err)
{
    struct scanning *s = ctx;
    struct lith_file_info info;

    enum lith_code code =
        lith_file_stat(lith_local_folder(s->folder->held)->fd, name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    if (!info.is_file)
        return LITH_OK;
    struct lith_scan_entry entry = {.name = name,
                                    .inode = info.inode,
                                    .size = info.size,
                                    .mtime_ns = info.mtime_ns,
                                    .fate = fate_ask(s, name, &info, true),
                                    .is_held = true};
    if (entry.fate != LITH_FATE_SHOWN)
        return LITH_OK;
    s->scan.changes = true;
    return entry_add(s, &entry, err);
}

/* The directories that hold the front and its part of staging, and who may do what there. */
static enum lith_code place_check(struct scanning *s, struct lith_err *err)
{
    struct lith_local_folder *front = lith_local_folder(s->folder->front);
    const char *staging = lith_exchange_store(&s->folder->base)->staging;
    struct lith_file_info info;
    struct lith_file_info stage;
    struct lith_err ignored;
    char *above;

    LITH_TRY(lith_fd_stat(front->fd, &info, err));
    if (lith_file_stat(AT_FDCWD, staging, true, &stage, &ignored) == LITH_OK &&
        stage.device != info.device)
        return obstacle_add(s, LITH_E_UNSUPPORTED, "the directory",
                            "is on another file system than the staging directory: it cannot be "
                            "replaced in one step (readers = exchange)",
                            err);
    if (!lith_may_give(info.uid, info.gid))
        return obstacle_add(
            s, LITH_E_DENIED, "the directory",
            "belongs to another owner, whom a new one could not be given to (readers "
            "= exchange); run as its owner",
            err);
    LITH_TRY(lith_arena_format(s->arena, &above, err, "%s/..", front->full));
    if (!lith_dir_may_change(above))
        return obstacle_add(s, LITH_E_DENIED, "the directory",
                            "stands in a directory that may not be written to: it cannot be "
                            "replaced (readers = exchange)",
                            err);
    return LITH_OK;
}

/* A directory without all that it is to show is never put in place. */
static enum lith_code missing_check(struct scanning *s, struct lith_err *err)
{
    struct lith_err why;
    enum lith_code code = s->showing->complete(s->showing, &why);

    if (code == LITH_OK)
        return LITH_OK;
    if (code != LITH_E_CORRUPT) {
        *err = why;
        return code;
    }
    if (s->scan.obstacle.code == LITH_OK)
        s->scan.obstacle = why;
    return LITH_OK;
}

enum lith_code lith_exchange_scan(struct lith_exchange_folder *folder, struct lith_showing *showing,
                                  struct lith_arena *arena, struct lith_scan *ret_scan,
                                  struct lith_err *err)
{
    struct scanning s = {.folder = folder, .showing = showing, .arena = arena};

    LITH_TRY(lith_exchange_stage_open(folder, err));
    showing->begin(showing);
    LITH_TRY(lith_dir_list(lith_exchange_front_fd(folder), ".", front_entry, &s, err));
    if (folder->held)
        LITH_TRY(lith_dir_list(lith_local_folder(folder->held)->fd, ".", held_entry, &s, err));
    LITH_TRY(place_check(&s, err));
    LITH_TRY(missing_check(&s, err));
    *ret_scan = s.scan;
    return LITH_OK;
}

enum lith_code lith_exchange_show_check(struct lith_folder *base, struct lith_showing *showing,
                                        struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_scan scan;

    lith_arena_init(&arena, base->store->mem);
    LITH_TRY(lith_exchange_scan(lith_exchange_folder(base), showing, &arena, &scan, err));
    if (scan.obstacle.code == LITH_OK)
        return LITH_OK;
    *err = scan.obstacle;
    return scan.obstacle.code;
}
