/*
 * The swap: a new directory with links to all that is to be shown, in the place of the old one.
 *
 * Everything is durable before the exchange, which is the commit: after it, and whatever fails
 * then, the new directory is the folder's. The lock goes over to it in the same moment; who waits
 * for the old one's finds that the path leads elsewhere, and starts over.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "store/exchange_folder.h"

/* One swap while it is made. */
struct swap {
    struct lith_exchange_folder *folder;
    struct lith_arena *arena;
    const struct lith_scan *scan;
    struct lith_ledger ledger;
    char dir[LITH_SWAP_NAME_BYTES];
    char list[LITH_SWAP_NAME_BYTES];
    int new_fd;
    bool begun;     /* the ledger is there, or may be: to be taken away, unless ... */
    bool exchanged; /* ... the old directory is what it is about */
    bool moved;     /* files came or went while it was made: to be made again */
};

static char kind_of(const struct lith_scan_entry *entry)
{
    if (entry->is_held)
        return LITH_LEDGER_FROM_HELD;
    if (entry->fate == LITH_FATE_SHOWN)
        return LITH_LEDGER_SHOWN;
    return entry->fate == LITH_FATE_HELD ? LITH_LEDGER_HELD : LITH_LEDGER_OWN;
}

static enum lith_code ledger_make(struct swap *swap, const char *manifest, struct lith_err *err)
{
    struct lith_ledger *ledger = &swap->ledger;
    struct lith_file_info old;
    void *block;

    LITH_TRY(lith_fd_stat(lith_exchange_front_fd(swap->folder), &old, err));
    LITH_TRY(lith_arena_array(swap->arena, swap->scan->count + 1, sizeof(*ledger->entries), &block,
                              err));
    ledger->old_inode = old.inode;
    ledger->entries = block;
    for (size_t i = 0; i < swap->scan->count; i++) {
        const struct lith_scan_entry *entry = &swap->scan->entries[i];
        ledger->entries[ledger->count++] = (struct lith_ledger_entry){.name = entry->name,
                                                                      .inode = entry->inode,
                                                                      .size = entry->size,
                                                                      .mtime_ns = entry->mtime_ns,
                                                                      .kind = kind_of(entry)};
    }
    ledger->entries[ledger->count++] =
        (struct lith_ledger_entry){.name = manifest, .kind = LITH_LEDGER_NEW};
    lith_ledger_sort(ledger);
    return LITH_OK;
}

/* A directory of that name would be an old one, or new and nobody's. */
static void names_draw(struct swap *swap)
{
    struct lith_env *env = swap->folder->base.store->env;
    uint64_t number;

    env->random(env, &number, sizeof(number));
    (void)snprintf(swap->dir, sizeof(swap->dir), LITH_SWAP_PREFIX "%016llx",
                   (unsigned long long)number);
    lith_exchange_list_name(swap->dir, swap->list);
}

static enum lith_code begin(struct swap *swap, const char *manifest, struct lith_err *err)
{
    int stage_fd = swap->folder->stage_fd;

    names_draw(swap);
    LITH_TRY(ledger_make(swap, manifest, err));
    swap->begun = true;
    LITH_TRY(lith_ledger_write(&swap->ledger, stage_fd, swap->list, swap->arena->mem, err));
    LITH_TRY(lith_dir_make(stage_fd, swap->dir, 0700, err));
    return lith_dir_open(stage_fd, swap->dir, &swap->new_fd, err);
}

/* Has the name, as it was just linked, the file that was looked at? */
static enum lith_code same_check(struct swap *swap, int fd, const struct lith_scan_entry *entry,
                                 struct lith_err *err)
{
    struct lith_file_info info;

    LITH_TRY(lith_file_stat(fd, entry->name, false, &info, err));
    if (info.inode == entry->inode)
        return LITH_OK;
    swap->moved = true;
    return lith_fail(err, LITH_E_TRANSIENT, "%s was replaced meanwhile", entry->name);
}

static enum lith_code shown_link(struct swap *swap, const struct lith_scan_entry *entry,
                                 struct lith_err *err)
{
    int from_fd = entry->is_held ? lith_local_folder(swap->folder->held)->fd
                                 : lith_exchange_front_fd(swap->folder);
    enum lith_code code = lith_file_link(from_fd, entry->name, swap->new_fd, entry->name, err);

    if (code == LITH_E_CONFLICT && entry->is_held)
        return LITH_OK; /* the front has the same object */
    swap->moved = swap->moved || code == LITH_E_NOT_FOUND;
    LITH_TRY(code);
    return same_check(swap, swap->new_fd, entry, err);
}

/* The name is taken among what is held. What is there may be the same object, or one that nothing
 * knows of since another one came under its name, which is now superseded itself. */
static enum lith_code taken_settle(struct swap *swap, struct lith_showing *showing,
                                   const struct lith_scan_entry *entry, bool *ret_again,
                                   struct lith_err *err)
{
    int held_fd = lith_local_folder(swap->folder->held)->fd;
    char etag[LITH_LOCAL_ETAG_BYTES];
    struct lith_file_info info;

    LITH_TRY(lith_file_stat(held_fd, entry->name, false, &info, err));
    lith_local_etag(&info, etag);
    *ret_again = false;
    if (info.inode == entry->inode ||
        (info.size == entry->size && info.mtime_ns == entry->mtime_ns))
        return LITH_OK;
    struct lith_object object = {.name = entry->name,
                                 .etag = etag,
                                 .size = info.size,
                                 .mtime_ns = info.mtime_ns,
                                 .is_held = true};
    if (showing->fate(showing, &object) != LITH_FATE_DEAD)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s/%s is another file than the one of that name that is superseded now: "
                         "take one of them away",
                         swap->folder->held_path, entry->name);
    *ret_again = true;
    return lith_file_unlink(held_fd, entry->name, err);
}

static enum lith_code held_link(struct swap *swap, struct lith_showing *showing,
                                const struct lith_scan_entry *entry, struct lith_err *err)
{
    int front_fd = lith_exchange_front_fd(swap->folder);
    int held_fd = lith_local_folder(swap->folder->held)->fd;
    bool again = true;
    enum lith_code code = LITH_OK;

    while (again) {
        again = false;
        code = lith_file_link(front_fd, entry->name, held_fd, entry->name, err);
        if (code == LITH_E_CONFLICT)
            code = taken_settle(swap, showing, entry, &again, err);
        else if (code == LITH_OK)
            code = same_check(swap, held_fd, entry, err);
        LITH_TRY(code == LITH_E_NOT_FOUND ? LITH_OK : code);
    }
    swap->moved = swap->moved || code == LITH_E_NOT_FOUND;
    return code;
}

static enum lith_code links_make(struct swap *swap, struct lith_showing *showing,
                                 struct lith_err *err)
{
    for (size_t i = 0; i < swap->scan->count; i++) {
        const struct lith_scan_entry *entry = &swap->scan->entries[i];
        if (entry->fate == LITH_FATE_SHOWN)
            LITH_TRY(shown_link(swap, entry, err));
        else if (entry->fate == LITH_FATE_HELD)
            LITH_TRY(held_link(swap, showing, entry, err));
    }
    return LITH_OK;
}

static enum lith_code manifest_write(struct swap *swap, const char *name, struct lith_content *body,
                                     struct lith_err *err)
{
    struct lith_local_folder *front = lith_local_folder(swap->folder->front);
    struct lith_file_info like;
    struct lith_err why;

    enum lith_code code = lith_file_stat(front->fd, name, false, &like, &why);
    if (code == LITH_E_NOT_FOUND)
        code = lith_fd_stat(front->fd, &like, &why);
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    return lith_local_file_write(front, swap->new_fd, name, body, &like, err);
}

/* The new directory, complete and durable. */
static enum lith_code build(struct swap *swap, const char *name, struct lith_content *body,
                            struct lith_showing *showing, struct lith_err *err)
{
    struct lith_exchange_folder *folder = swap->folder;

    LITH_TRY(begin(swap, name, err));
    LITH_TRY(links_make(swap, showing, err));
    LITH_TRY(manifest_write(swap, name, body, err));
    LITH_TRY(lith_dir_look_like(swap->new_fd, lith_local_folder(folder->front)->full,
                                lith_exchange_front_fd(folder), swap->arena->mem, err));
    lith_local_step(&folder->base, LITH_STEP_SWAP_BUILT);
    LITH_TRY(lith_fd_sync(swap->new_fd, swap->dir, err));
    LITH_TRY(lith_fd_sync(lith_local_folder(folder->held)->fd, folder->held_path, err));
    LITH_TRY(lith_fd_sync(folder->stage_fd, folder->stage, err));
    lith_local_step(&folder->base, LITH_STEP_SWAP_SYNCED);
    return LITH_OK;
}

/* The last look at the old directory, so that a file that came while the new one was made is not
 * out of sight for longer than it takes to let the two change places. */
struct last_look {
    struct swap *swap;
    struct lith_showing *showing;
    bool linked;
};

static enum lith_code late_link(void *ctx, const char *name, struct lith_err *err)
{
    struct last_look *look = ctx;
    struct swap *swap = look->swap;
    int front_fd = lith_exchange_front_fd(swap->folder);
    char etag[LITH_LOCAL_ETAG_BYTES];
    struct lith_file_info info;

    enum lith_code code = lith_file_stat(front_fd, name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    if (lith_ledger_find(&swap->ledger, name, info.inode))
        return LITH_OK;
    lith_local_etag(&info, etag);
    struct lith_object object = {
        .name = name, .etag = etag, .size = info.size, .mtime_ns = info.mtime_ns};
    bool is_new_data = info.is_file &&
                       look->showing->fate(look->showing, &object) == LITH_FATE_SHOWN &&
                       lith_file_link(front_fd, name, swap->new_fd, name, err) == LITH_OK;
    look->linked = look->linked || is_new_data;
    if (is_new_data)
        return LITH_OK;
    swap->moved = true; /* a file that another program is at, or one in the place of another */
    return lith_fail(err, LITH_E_TRANSIENT, "%s came meanwhile", name);
}

static enum lith_code late_add(struct swap *swap, struct lith_showing *showing,
                               struct lith_err *err)
{
    struct last_look look = {.swap = swap, .showing = showing};

    LITH_TRY(lith_dir_list(lith_exchange_front_fd(swap->folder), ".", late_link, &look, err));
    return look.linked ? lith_fd_sync(swap->new_fd, swap->dir, err) : LITH_OK;
}

/* The directory that the front stands in, and its name there. */
struct place {
    int fd;
    char name[NAME_MAX + 1];
};

static enum lith_code place_open(const struct lith_local_folder *front, struct place *ret_place,
                                 struct lith_err *err)
{
    char path[PATH_MAX];

    /* The root may be given as a link, or as "."; below it no link is followed. */
    if (!realpath(front->full, path) || !strrchr(path, '/')[1])
        return lith_fail(err, LITH_E_CONFLICT, "%s leads nowhere any more", front->full);
    char *slash = strrchr(path, '/');
    if (strlen(slash + 1) > NAME_MAX)
        return lith_fail(err, LITH_E_INVALID, "%s: the name is too long", front->full);
    memcpy(ret_place->name, slash + 1, strlen(slash + 1) + 1);
    *slash = '\0';
    return lith_dir_open(AT_FDCWD, *path ? path : "/", &ret_place->fd, err);
}

/* Did the very directory come out that is locked? Else somebody has moved another one into its
 * place: that one goes back. */
static enum lith_code old_check(struct swap *swap, const struct place *place, struct lith_err *err)
{
    struct lith_file_info out;

    LITH_TRY(lith_file_stat(swap->folder->stage_fd, swap->dir, false, &out, err));
    if (out.inode == swap->ledger.old_inode)
        return LITH_OK;
    LITH_TRY(lith_file_exchange(place->fd, place->name, swap->folder->stage_fd, swap->dir, err));
    swap->exchanged = false;
    return lith_fail(err, LITH_E_CONFLICT, "%s: the directory was replaced meanwhile",
                     lith_local_folder(swap->folder->front)->full);
}

static enum lith_code exchange(struct swap *swap, const char *name,
                               const struct lith_blob *expected, struct lith_showing *showing,
                               const struct place *place, struct lith_err *err)
{
    struct lith_local_folder *front = lith_local_folder(swap->folder->front);
    struct lith_file_info ignored;

    LITH_TRY(lith_fd_lock_try(swap->new_fd, swap->dir, err));
    LITH_TRY(lith_local_folder_same(front, err));
    LITH_TRY(lith_local_still_expected(front, name, expected, &ignored, err));
    LITH_TRY(late_add(swap, showing, err));
    LITH_TRY(lith_file_exchange(place->fd, place->name, swap->folder->stage_fd, swap->dir, err));
    swap->exchanged = true;
    return old_check(swap, place, err);
}

/* Committed. What others put into the old directory since it was looked at is taken over at once;
 * should that fail, the next pass does it. */
static enum lith_code finish(struct swap *swap, const struct place *place, struct lith_err *err)
{
    struct lith_exchange_folder *folder = swap->folder;
    struct lith_local_folder *front = lith_local_folder(folder->front);
    struct lith_settled settled = {0};
    struct lith_err ignored;
    int old_fd = front->fd;

    front->fd = swap->new_fd;
    swap->new_fd = -1;
    lith_local_step(&folder->base, LITH_STEP_SWAP_EXCHANGED);
    enum lith_code carried =
        lith_exchange_carry(folder, old_fd, swap->list, NULL, swap->arena, &settled, &ignored);
    lith_fd_unlock(old_fd); /* by itself: a child of this process may have the descriptor, too */
    lith_fd_close(old_fd);
    LITH_TRY(lith_fd_sync(place->fd, front->full, err));
    LITH_TRY(lith_fd_sync(folder->stage_fd, folder->stage, err));
    lith_local_step(&folder->base, LITH_STEP_SWAP_DURABLE);
    if (carried == LITH_OK)
        (void)!lith_exchange_links_drop(folder, &ignored);
    return LITH_OK;
}

static enum lith_code swap_run(struct swap *swap, const char *name,
                               const struct lith_blob *expected, struct lith_content *body,
                               struct lith_showing *showing, struct lith_err *err)
{
    struct place place = {.fd = -1};

    LITH_TRY(lith_exchange_stage_make(swap->folder, err));
    enum lith_code code = build(swap, name, body, showing, err);
    if (code == LITH_OK)
        code = place_open(lith_local_folder(swap->folder->front), &place, err);
    if (code == LITH_OK)
        code = exchange(swap, name, expected, showing, &place, err);
    if (code == LITH_OK)
        code = finish(swap, &place, err);
    lith_fd_close(place.fd);
    lith_fd_close(swap->new_fd);
    return code;
}

/* Nothing came of it: its links go, as far as that can be done now. */
static void drop(struct swap *swap)
{
    struct lith_err ignored;

    if (lith_exchange_new_drop(swap->folder->stage_fd, swap->dir, &swap->ledger,
                               swap->folder->base.store->env, &ignored) == LITH_OK)
        (void)!lith_exchange_links_drop(swap->folder, &ignored);
}

/* A look, and the swap that it led to: too large for the stack together. */
struct attempt {
    struct lith_scan scan;
    struct swap swap;
};

/* *ret_again: nothing was changed, since files came or went meanwhile. */
static enum lith_code put_once(struct lith_exchange_folder *folder, const char *name,
                               const struct lith_blob *expected, struct lith_content *body,
                               struct lith_showing *showing, bool *ret_again, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    void *block;

    lith_arena_init(&arena, folder->base.store->mem);
    *ret_again = false;
    LITH_TRY(lith_arena_array(&arena, 1, sizeof(struct attempt), &block, err));
    struct attempt *attempt = block;
    const struct lith_scan *scan = &attempt->scan;
    LITH_TRY(lith_exchange_scan(folder, showing, &arena, &attempt->scan, err));
    if (!scan->changes || (scan->obstacle.code != LITH_OK && !showing->must))
        return lith_folder_put_content_if(folder->front, name, expected, body, err);
    if (scan->obstacle.code != LITH_OK) {
        *err = scan->obstacle;
        return scan->obstacle.code;
    }
    struct swap *swap = &attempt->swap;
    swap->folder = folder;
    swap->arena = &arena;
    swap->scan = scan;
    swap->new_fd = -1;
    enum lith_code code = swap_run(swap, name, expected, body, showing, err);
    if (code != LITH_OK && swap->begun && !swap->exchanged)
        drop(swap);
    *ret_again = code != LITH_OK && swap->moved;
    return code;
}

static enum lith_code put_locked(struct lith_exchange_folder *folder, const char *name,
                                 const struct lith_blob *expected, struct lith_content *body,
                                 struct lith_showing *showing, struct lith_err *err)
{
    for (unsigned look = 0; look < LITH_LOOK_AGAIN_MAX; look++) {
        bool again;
        enum lith_code code = put_once(folder, name, expected, body, showing, &again, err);
        if (!again)
            return code;
    }
    return lith_fail(err, LITH_E_TRANSIENT,
                     "%s: its files come and go while its new directory is made; run again",
                     lith_local_folder(folder->front)->full);
}

enum lith_code lith_exchange_put_shown(struct lith_folder *base, const char *name,
                                       const struct lith_blob *expected, struct lith_content *body,
                                       struct lith_showing *showing, struct lith_err *err)
{
    bool ours = !base->locked;

    if (ours)
        LITH_TRY(lith_folder_lock(base, LITH_LOCK_WAIT, err));
    enum lith_code code =
        put_locked(lith_exchange_folder(base), name, expected, body, showing, err);
    if (ours)
        lith_folder_unlock(base);
    return code;
}
