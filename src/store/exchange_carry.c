/*
 * Directories that were swapped out: what others put into them later is carried over.
 *
 * A program that had the directory open, or stood in it, goes on writing there. The ledger says
 * what was there before; everything else is a find, and gets its name in the folder's directory by
 * a link, so that its writer may go on with the same file. Nothing is ever put over another file: a
 * find whose name is taken stays where it is, and is told.
 */
#include <fcntl.h>
#include <string.h>

#include "base/array.h"
#include "store/exchange_folder.h"

struct carrying {
    struct lith_exchange_folder *folder;
    struct lith_arena *arena;
    struct lith_showing *showing; /* NULL: all is carried over */
    struct lith_settled *settled;
    struct lith_ledger ledger;
    int old_fd;
    const char *swap;   /* the ledger's name, for texts */
    const char **names; /* in the old directory */
    size_t name_count;
    struct lith_ledger_entry *finds; /* that the ledger does not have yet */
    size_t find_count;
    bool changed; /* the front has other names than before */
};

static enum lith_code name_add(void *ctx, const char *name, struct lith_err *err)
{
    struct carrying *c = ctx;
    void *block = c->names;
    void *copy;

    LITH_TRY(lith_arena_copy(c->arena, name, strlen(name), &copy, err));
    LITH_TRY(lith_array_grow_in(c->arena, &block, c->name_count, sizeof(*c->names), err));
    c->names = block;
    c->names[c->name_count++] = copy;
    return LITH_OK;
}

/* Is from now on known to be there. */
static enum lith_code entry_note(struct carrying *c, const char *name,
                                 const struct lith_file_info *info, struct lith_err *err)
{
    void *block = c->finds;

    LITH_TRY(lith_array_grow_in(c->arena, &block, c->find_count, sizeof(*c->finds), err));
    c->finds = block;
    c->finds[c->find_count++] = (struct lith_ledger_entry){.name = name,
                                                           .inode = info->inode,
                                                           .size = info->size,
                                                           .mtime_ns = info->mtime_ns,
                                                           .kind = LITH_LEDGER_CARRIED};
    return LITH_OK;
}

/* The ledger with what was found. An entry that a file has outgrown is left out. */
static enum lith_code ledger_extend(struct carrying *c, struct lith_err *err)
{
    struct lith_ledger finds = {.entries = c->finds, .count = c->find_count};
    struct lith_ledger *ledger = &c->ledger;
    size_t kept = 0;
    void *block;

    lith_ledger_sort(&finds);
    LITH_TRY(lith_arena_array(c->arena, ledger->count + finds.count, sizeof(*ledger->entries),
                              &block, err));
    struct lith_ledger_entry *entries = block;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lith_ledger_entry *entry = &ledger->entries[i];
        if (!lith_ledger_find(&finds, entry->name, entry->inode))
            entries[kept++] = *entry;
    }
    for (size_t i = 0; i < finds.count; i++)
        entries[kept++] = finds.entries[i];
    ledger->entries = entries;
    ledger->count = kept;
    lith_ledger_sort(ledger);
    return LITH_OK;
}

static enum lith_code stray_tell(struct carrying *c, const char *name, struct lith_err *err)
{
    char *text;

    if (c->settled->stray)
        return LITH_OK;
    LITH_TRY(lith_arena_format(
        c->arena, &text, err,
        "%s came into %s/%.*s, which was this partition's directory before, and the partition has "
        "another file of that name: nobody reads it there; move it by hand",
        name, c->folder->stage, (int)(strlen(c->swap) - strlen(LITH_LEDGER_SUFFIX)), c->swap));
    c->settled->stray = text;
    return LITH_OK;
}

/* The front's object of that name; *ret_inode 0: it has none. */
static enum lith_code inode_at(int dir_fd, const char *name, uint64_t *ret_inode,
                               struct lith_err *err)
{
    struct lith_file_info info;
    struct lith_err why;

    *ret_inode = 0;
    enum lith_code code = lith_file_stat(dir_fd, name, false, &info, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    *ret_inode = info.inode;
    return LITH_OK;
}

/* Gives a find its name in the front. */
static enum lith_code find_link(struct carrying *c, const char *name,
                                const struct lith_file_info *info, struct lith_err *err)
{
    int front_fd = lith_exchange_front_fd(c->folder);
    struct lith_err why;
    uint64_t there;

    /* A directory has one name only: its writer finds it at the place where it looks for it. */
    enum lith_code code = info->is_directory
                              ? lith_file_move_new(c->old_fd, name, front_fd, name, &why)
                              : lith_file_link(c->old_fd, name, front_fd, name, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK; /* its writer has taken it away again */
    if (code == LITH_E_CONFLICT) {
        LITH_TRY(inode_at(front_fd, name, &there, err));
        if (there != info->inode)
            return stray_tell(c, name, err);
        code = LITH_OK; /* carried over by one that was cut off */
    } else if (code == LITH_OK) {
        c->settled->carried++;
        c->changed = true;
    }
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    return info->is_directory ? LITH_OK : entry_note(c, name, info, err);
}

/* A file that the ledger has under another name: its writer has renamed it, or given it one more.
 */
static enum lith_code renamed_take(struct carrying *c, const struct lith_ledger_entry *known,
                                   const char *name, const struct lith_file_info *info,
                                   struct lith_err *err)
{
    int front_fd = lith_exchange_front_fd(c->folder);
    struct lith_err why;
    uint64_t old_inode;
    uint64_t front_inode;

    LITH_TRY(inode_at(c->old_fd, known->name, &old_inode, err));
    LITH_TRY(inode_at(front_fd, known->name, &front_inode, err));
    if (old_inode == info->inode || (front_inode == 0 && known->kind == LITH_LEDGER_CARRIED))
        return find_link(c, name, info, err);
    /* What it held is no longer shown under the name that it had: superseded, or taken away. Under
     * a new one it would come back. */
    if (front_inode != info->inode)
        return LITH_OK;
    enum lith_code code = lith_file_move_new(front_fd, known->name, front_fd, name, &why);
    if (code == LITH_E_CONFLICT)
        return stray_tell(c, name, err);
    if (code != LITH_OK && code != LITH_E_NOT_FOUND) {
        *err = why;
        return code;
    }
    c->settled->carried++;
    c->changed = true;
    return entry_note(c, name, info, err);
}

/* Is it held, or shown, under that very name? Then it was carried over, by one that was cut off
 * before it wrote that down. */
static enum lith_code is_taken_over(const struct carrying *c, const char *name, uint64_t inode,
                                    bool *ret_is, struct lith_err *err)
{
    uint64_t there;

    LITH_TRY(inode_at(lith_exchange_front_fd(c->folder), name, &there, err));
    *ret_is = there == inode;
    if (*ret_is || !c->folder->held)
        return LITH_OK;
    LITH_TRY(inode_at(lith_local_folder(c->folder->held)->fd, name, &there, err));
    *ret_is = there == inode;
    return LITH_OK;
}

/* A file that its writer is still at will get its name here, or never. */
static bool is_begun(const struct carrying *c, const char *name, const struct lith_file_info *info)
{
    char etag[LITH_LOCAL_ETAG_BYTES];
    struct lith_object object = {
        .name = name, .etag = etag, .size = info->size, .mtime_ns = info->mtime_ns};

    lith_local_etag(info, etag);
    return c->showing && info->is_file &&
           c->showing->fate(c->showing, &object) == LITH_FATE_FOREIGN;
}

static enum lith_code entry_carry(struct carrying *c, const char *name, struct lith_err *err)
{
    struct lith_file_info info;
    struct lith_err why;
    bool is_known;

    enum lith_code code = lith_file_stat(c->old_fd, name, false, &info, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    if (lith_ledger_find_same(&c->ledger, name, &info) || lith_ledger_find(&c->ledger, name, 0))
        return LITH_OK; /* the second: a manifest is nobody's data */
    const struct lith_ledger_entry *known = lith_ledger_find(&c->ledger, name, info.inode);
    LITH_TRY(is_taken_over(c, name, info.inode, &is_known, err));
    if (is_known) /* and has perhaps grown since: it is the same file */
        return info.is_directory || known ? LITH_OK : entry_note(c, name, &info, err);
    /* Under a name that is known and leads nowhere any more: a new file that was given the number
     * of one that is gone, or that one written anew. */
    if (known)
        return find_link(c, name, &info, err);
    if (is_begun(c, name, &info))
        return LITH_OK;
    known = lith_ledger_find_inode(&c->ledger, info.inode);
    return known ? renamed_take(c, known, name, &info, err) : find_link(c, name, &info, err);
}

/* What was taken away between the look at the old directory and the swap: it must not come back. */
static enum lith_code vanished_drop(struct carrying *c, struct lith_err *err)
{
    int front_fd = lith_exchange_front_fd(c->folder);

    for (size_t i = 0; i < c->ledger.count; i++) {
        const struct lith_ledger_entry *entry = &c->ledger.entries[i];
        uint64_t old_inode;
        uint64_t front_inode;
        if (entry->kind != LITH_LEDGER_SHOWN)
            continue;
        LITH_TRY(inode_at(c->old_fd, entry->name, &old_inode, err));
        LITH_TRY(inode_at(front_fd, entry->name, &front_inode, err));
        if (old_inode == 0 && front_inode == entry->inode) {
            LITH_TRY(lith_file_unlink(front_fd, entry->name, err));
            c->changed = true;
        }
    }
    return LITH_OK;
}

enum lith_code lith_exchange_carry(struct lith_exchange_folder *folder, int old_fd,
                                   const char *list_name, struct lith_showing *showing,
                                   struct lith_arena *arena, struct lith_settled *settled,
                                   struct lith_err *err)
{
    struct lith_local_folder *front = lith_local_folder(folder->front);
    struct carrying c = {.folder = folder,
                         .arena = arena,
                         .showing = showing,
                         .settled = settled,
                         .old_fd = old_fd,
                         .swap = list_name};

    LITH_TRY(lith_ledger_read(folder->stage_fd, list_name, arena, &c.ledger, err));
    LITH_TRY(lith_dir_list(old_fd, ".", name_add, &c, err));
    for (size_t i = 0; i < c.name_count; i++)
        LITH_TRY(entry_carry(&c, c.names[i], err));
    if (!showing)
        LITH_TRY(vanished_drop(&c, err));
    if (c.changed) {
        LITH_TRY(lith_fd_sync(front->fd, front->full, err));
        lith_local_step(&folder->base, LITH_STEP_SWAP_CARRIED);
    }
    if (c.find_count == 0)
        return LITH_OK;
    LITH_TRY(ledger_extend(&c, err));
    return lith_ledger_write(&c.ledger, folder->stage_fd, list_name, arena->mem, err);
}

/* Of a directory that is neither the one that the ledger is about, nor what a swap that was cut off
 * had made: a copy of the lake has such. Is there something in it that the ledger does not have? */
struct copy {
    const struct lith_ledger *ledger;
    int fd;
    bool has_more;
};

static enum lith_code copy_look(void *ctx, const char *name, struct lith_err *err)
{
    struct copy *copy = ctx;
    struct lith_file_info info;

    LITH_TRY(lith_file_stat(copy->fd, name, false, &info, err));
    copy->has_more = copy->has_more || (!lith_ledger_find_same(copy->ledger, name, &info) &&
                                        !lith_ledger_find(copy->ledger, name, 0));
    return LITH_OK;
}

static enum lith_code copy_settle(const struct lith_exchange_folder *folder, const char *swap,
                                  struct copy *copy, struct lith_arena *arena,
                                  struct lith_settled *settled, struct lith_err *err)
{
    char *text;

    LITH_TRY(lith_dir_list(copy->fd, ".", copy_look, copy, err));
    if (!copy->has_more)
        return LITH_OK;
    LITH_TRY(lith_arena_format(arena, &text, err,
                               "%s/%s is not the directory that its ledger is about, as in a copy "
                               "of a lake, and has files that the ledger does not know: if none of "
                               "them is missed, take it away by hand",
                               folder->stage, swap));
    settled->stray = text;
    return LITH_OK;
}

/* One directory of staging, by its ledger: on its way in, or out. */
static enum lith_code dir_settle(struct lith_exchange_folder *folder, const char *swap, int fd,
                                 struct lith_showing *showing, struct lith_arena *arena,
                                 struct lith_settled *settled, struct lith_err *err)
{
    char list[LITH_SWAP_NAME_BYTES];
    struct lith_ledger ledger = {0};
    struct lith_file_info info;
    struct lith_err why;

    lith_exchange_list_name(swap, list);
    LITH_TRY(lith_ledger_read(folder->stage_fd, list, arena, &ledger, err));
    LITH_TRY(lith_fd_stat(fd, &info, err));
    if (info.inode == ledger.old_inode)
        return lith_exchange_carry(folder, fd, list, showing, arena, settled, err);
    enum lith_code code =
        lith_exchange_new_drop(folder->stage_fd, swap, &ledger, folder->base.store->env, &why);
    if (code == LITH_E_CONFLICT) {
        struct copy copy = {.ledger = &ledger, .fd = fd};
        return copy_settle(folder, swap, &copy, arena, settled, err);
    }
    if (code != LITH_OK)
        *err = why;
    return code;
}

static enum lith_code swap_settle(struct lith_exchange_folder *folder, const char *swap,
                                  struct lith_showing *showing, struct lith_arena *arena,
                                  struct lith_settled *settled, struct lith_err *err)
{
    char list[LITH_SWAP_NAME_BYTES];
    struct lith_err why;
    int fd;

    lith_exchange_list_name(swap, list);
    enum lith_code code = lith_dir_open(folder->stage_fd, swap, &fd, &why);
    if (code == LITH_E_NOT_FOUND) /* the ledger is all that there is */
        return lith_file_unlink(folder->stage_fd, list, err);
    if (code == LITH_OK) {
        code = dir_settle(folder, swap, fd, showing, arena, settled, &why);
        lith_fd_close(fd);
    }
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s/%s has no ledger (%s): what others put into it is not known; take it "
                         "away by hand if none of its files is missed",
                         folder->stage, swap, list);
    if (code != LITH_OK) {
        *err = why;
        return lith_err_prefix(err, "%s/%s", folder->stage, swap);
    }
    return LITH_OK;
}

enum lith_code lith_exchange_settle(struct lith_folder *base, struct lith_showing *showing,
                                    struct lith_arena *arena, struct lith_settled *ret_settled,
                                    struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    const char *const *swaps;
    size_t count;

    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->stage_fd < 0)
        return LITH_OK;
    LITH_TRY(lith_exchange_swaps(folder->stage_fd, arena, &swaps, &count, err));
    if (count) /* a swap that can be seen may not last yet: what is deleted after this rests on it
                */
        LITH_TRY(lith_folder_sync(base, err));
    for (size_t i = 0; i < count; i++) {
        LITH_AUTO(arena) struct lith_arena scratch;
        struct lith_settled one = {0};
        void *text = NULL;
        lith_arena_init(&scratch, base->store->mem);
        LITH_TRY(swap_settle(folder, swaps[i], showing, &scratch, &one, err));
        ret_settled->carried += one.carried;
        if (!one.stray || ret_settled->stray)
            continue;
        LITH_TRY(lith_arena_copy(arena, one.stray, strlen(one.stray), &text, err));
        ret_settled->stray = text;
    }
    return count ? lith_exchange_links_drop(folder, err) : LITH_OK;
}
