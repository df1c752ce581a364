/*
 * The end of directories of swaps, and of what is held and no longer known.
 *
 * A name goes only if the ledger has it, with that inode: what a swap put there, or found there.
 * The last name of a file goes only if the file is still as it was then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "store/exchange_folder.h"

void lith_exchange_list_name(const char *swap, char ret_name[LITH_SWAP_NAME_BYTES])
{
    int length = snprintf(ret_name, LITH_SWAP_NAME_BYTES, "%s" LITH_LEDGER_SUFFIX, swap);

    LITH_ASSERT(length > 0);
    LITH_ASSERT((size_t)length < LITH_SWAP_NAME_BYTES);
}

struct swaps {
    struct lith_arena *arena;
    const char **names;
    size_t count;
};

/* "_swap-" and 16 hex digits, without and with ".list"; nothing else is ours. */
#define SWAP_BYTES (sizeof(LITH_SWAP_PREFIX) - 1 + 16)

static enum lith_code swap_add(void *ctx, const char *name, struct lith_err *err)
{
    struct swaps *swaps = ctx;
    size_t prefix = strlen(LITH_SWAP_PREFIX);
    void *block = swaps->names;
    void *copy;

    if (strncmp(name, LITH_SWAP_PREFIX, prefix) != 0 ||
        strspn(name + prefix, "0123456789abcdef") != SWAP_BYTES - prefix ||
        (name[SWAP_BYTES] && strcmp(name + SWAP_BYTES, LITH_LEDGER_SUFFIX) != 0))
        return LITH_OK;
    LITH_TRY(lith_arena_copy(swaps->arena, name, SWAP_BYTES, &copy, err));
    LITH_TRY(lith_array_grow_in(swaps->arena, &block, swaps->count, sizeof(*swaps->names), err));
    swaps->names = block;
    swaps->names[swaps->count++] = copy;
    return LITH_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum lith_code lith_exchange_swaps(int stage_fd, struct lith_arena *arena,
                                   const char *const **ret_names, size_t *ret_count,
                                   struct lith_err *err)
{
    struct swaps swaps = {.arena = arena};
    size_t kept = 0;

    LITH_TRY(lith_dir_list(stage_fd, ".", swap_add, &swaps, err));
    if (swaps.count)
        qsort(swaps.names, swaps.count, sizeof(*swaps.names), compare_names);
    for (size_t i = 0; i < swaps.count; i++) {
        if (kept == 0 || strcmp(swaps.names[kept - 1], swaps.names[i]) != 0)
            swaps.names[kept++] = swaps.names[i];
    }
    *ret_names = swaps.names;
    *ret_count = kept;
    return LITH_OK;
}

/* One directory that goes. */
struct dropping {
    const struct lith_ledger *ledger;
    int fd;
    bool is_old; /* it was swapped out; else it never came in, or both were copied from elsewhere */
    bool is_late; /* a copy may go: by now nobody misses anything */
    bool removes; /* at first all names are only looked at */
};

/* What is in it, and known. Of an old one: what it had, or was carried over; it may bear another
 * name by now. Of one that never came in: links, and what was written for it. */
static bool is_known(const struct dropping *d, const char *name, const struct lith_file_info *info)
{
    const struct lith_ledger_entry *entry = lith_ledger_find(d->ledger, name, info->inode);

    if (lith_ledger_find_same(d->ledger, name, info) && (d->is_old || d->is_late))
        return true;
    if (d->is_old)
        return info->links > 1 && (entry || lith_ledger_find_inode(d->ledger, info->inode));
    if (entry || info->links > 1)
        return true;
    entry = lith_ledger_find(d->ledger, name, 0);
    return entry && entry->kind == LITH_LEDGER_NEW;
}

static enum lith_code name_drop(void *ctx, const char *name, struct lith_err *err)
{
    const struct dropping *d = ctx;
    struct lith_file_info info;

    enum lith_code code = lith_file_stat(d->fd, name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    if (info.is_directory || !is_known(d, name, &info))
        return lith_fail(err, LITH_E_CONFLICT, "%s came into it later, and is still there", name);
    return d->removes ? lith_file_unlink(d->fd, name, err) : LITH_OK;
}

static enum lith_code names_drop(struct dropping *d, int stage_fd, const char *swap,
                                 struct lith_err *err)
{
    enum lith_code code = lith_dir_open(stage_fd, swap, &d->fd, err);

    if (code == LITH_OK)
        code = lith_dir_list(d->fd, ".", name_drop, d, err);
    d->removes = true;
    if (code == LITH_OK)
        code = lith_dir_list(d->fd, ".", name_drop, d, err);
    lith_fd_close(d->fd);
    return code == LITH_OK ? lith_dir_remove(stage_fd, swap, err) : code;
}

static enum lith_code swap_drop(struct dropping *d, int stage_fd, const char *swap,
                                struct lith_env *env, struct lith_err *err)
{
    char list[LITH_SWAP_NAME_BYTES];

    d->fd = -1;
    lith_exchange_list_name(swap, list);
    enum lith_code code = names_drop(d, stage_fd, swap, err);
    if (code != LITH_E_NOT_FOUND)
        LITH_TRY(code);
    env->step(env, LITH_STEP_SWAP_REMOVED);
    /* Before the ledger goes, the directory has to be gone for good. */
    LITH_TRY(lith_fd_sync(stage_fd, swap, err));
    return lith_file_unlink(stage_fd, list, err);
}

enum lith_code lith_exchange_new_drop(int stage_fd, const char *swap,
                                      const struct lith_ledger *ledger, struct lith_env *env,
                                      struct lith_err *err)
{
    struct dropping d = {.ledger = ledger};

    return swap_drop(&d, stage_fd, swap, env, err);
}

/* Is it so old? Of a ledger: since the swap, or since the last find. */
static bool is_over(const struct lith_tidy *tidy, int64_t since_ns)
{
    int64_t until_ns;

    return lith_add_i64(since_ns, tidy->grace_ns, &until_ns) && until_ns <= tidy->now_ns;
}

/* Was it swapped out, or did it never come in? One that is gone may be taken for either. */
static enum lith_code is_old(int stage_fd, const char *swap, const struct lith_ledger *ledger,
                             bool *ret_is, struct lith_err *err)
{
    struct lith_file_info info = {.inode = ledger->old_inode};
    enum lith_code code = lith_file_stat(stage_fd, swap, false, &info, err);

    *ret_is = info.inode == ledger->old_inode;
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

/* What is in the way: nothing of others is ever deleted. */
static enum lith_code stray_tell(const char *swap, const struct lith_err *why,
                                 struct lith_arena *arena, const char **ret_stray,
                                 struct lith_err *err)
{
    char *text;

    LITH_TRY(
        lith_arena_format(arena, &text, err,
                          "%s of the staging directory, which was this partition's before, has "
                          "to stay: %s; take that away by hand",
                          swap, why->text));
    *ret_stray = text;
    return LITH_OK;
}

enum lith_code lith_exchange_swaps_drop(int stage_fd, const struct lith_tidy *tidy,
                                        struct lith_env *env, struct lith_arena *arena,
                                        const char **ret_stray, struct lith_err *err)
{
    const char *const *swaps;
    struct lith_err why;
    size_t count;

    *ret_stray = NULL;
    LITH_TRY(lith_exchange_swaps(stage_fd, arena, &swaps, &count, err));
    for (size_t i = 0; i < count; i++) {
        LITH_AUTO(arena) struct lith_arena scratch;
        char list[LITH_SWAP_NAME_BYTES];
        struct lith_ledger ledger;
        struct lith_file_info info;
        struct dropping d = {.ledger = &ledger, .is_late = true};
        lith_arena_init(&scratch, arena->mem);
        lith_exchange_list_name(swaps[i], list);
        LITH_TRY(lith_file_stat(stage_fd, list, false, &info, err));
        if (!is_over(tidy, info.mtime_ns))
            continue;
        LITH_TRY(lith_ledger_read(stage_fd, list, &scratch, &ledger, err));
        LITH_TRY(is_old(stage_fd, swaps[i], &ledger, &d.is_old, err));
        enum lith_code code = swap_drop(&d, stage_fd, swaps[i], env, &why);
        if (code == LITH_E_CONFLICT && !*ret_stray)
            LITH_TRY(stray_tell(swaps[i], &why, arena, ret_stray, err));
        if (code == LITH_OK || code == LITH_E_CONFLICT)
            continue;
        *err = why;
        return code;
    }
    return LITH_OK;
}

/* What is held and not known: superseded by files of the same names, or left by a partition that
 * was here before. */
static enum lith_code dead_drop(struct lith_folder *held, const struct lith_tidy *tidy,
                                struct lith_showing *showing, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_listing listing;

    lith_arena_init(&arena, held->store->mem);
    LITH_TRY(lith_folder_list(held, &arena, &listing, err));
    for (size_t i = 0; i < listing.object_count; i++) {
        struct lith_object *object = &listing.objects[i];
        struct lith_file_info info;
        object->is_held = true;
        if (showing->fate(showing, object) != LITH_FATE_DEAD)
            continue;
        LITH_TRY(lith_file_stat(lith_local_folder(held)->fd, object->name, false, &info, err));
        if (is_over(tidy, info.changed_ns))
            LITH_TRY(lith_folder_delete_if(held, object, err));
    }
    return LITH_OK;
}

enum lith_code lith_exchange_tidy(struct lith_folder *base, const struct lith_tidy *tidy,
                                  struct lith_showing *showing, struct lith_arena *arena,
                                  const char **ret_stray, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);

    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->stage_fd < 0)
        return LITH_OK;
    LITH_TRY(
        lith_exchange_swaps_drop(folder->stage_fd, tidy, base->store->env, arena, ret_stray, err));
    showing->begin(showing);
    return folder->held ? dead_drop(folder->held, tidy, showing, err) : LITH_OK;
}
