/*
 * Held files without a partition.
 *
 * Whoever deletes a partition, retention for one, deletes its directory; what is held for it lies
 * elsewhere, and must go, too. A manifest in the directory says that its gc looks after that. Where
 * only the manifest is gone it was lost, and nobody knows what of this is superseded.
 */
#include "sweep/leftovers.h"

#include "lake/snapshot.h"

struct leftovers {
    const struct lith_sweep *sweep;
    struct lith_tidy tidy;
    struct lith_err first; /* code OK: none failed */
};

/* Is there a manifest, or data that shows where there was one? */
static enum lith_code is_partition(struct lith_folder *folder, struct lith_mem *mem, bool *ret_is,
                                   struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_listing listing;

    lith_arena_init(&scratch, mem);
    LITH_TRY(lith_folder_list(folder, &scratch, &listing, err));
    *ret_is = lith_listing_is_partition(&listing);
    return LITH_OK;
}

/* The directory is there: under its lock nobody gives it a manifest meanwhile. */
static enum lith_code empty_drop(const struct leftovers *l, struct lith_folder *folder,
                                 struct lith_err *err)
{
    struct lith_mem *mem = l->sweep->work->mem;
    struct lith_err why;
    bool is = true;

    LITH_TRY(is_partition(folder, mem, &is, err));
    if (is)
        return LITH_OK;
    enum lith_code code = lith_folder_lock(folder, LITH_LOCK_TRY, &why);
    if (code == LITH_E_CONFLICT)
        return LITH_OK; /* the next pass */
    if (code == LITH_OK)
        code = is_partition(folder, mem, &is, &why);
    if (code == LITH_OK && !is)
        code = lith_store_held_drop(l->sweep->store, folder->path, &l->tidy, &why);
    lith_folder_unlock(folder);
    if (code != LITH_OK)
        *err = why;
    return code;
}

static enum lith_code path_drop(const struct leftovers *l, const char *path, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_err why;

    enum lith_code code = lith_folder_open(l->sweep->store, path, &folder, &why);
    if (code == LITH_E_NOT_FOUND)
        return lith_store_held_drop(l->sweep->store, path, &l->tidy, err);
    if (code == LITH_OK)
        return empty_drop(l, folder, err);
    *err = why;
    return code;
}

static enum lith_code held_take(void *ctx, const char *path, struct lith_err *err)
{
    struct leftovers *l = ctx;
    struct lith_err why;

    LITH_TRY(lith_work_check(l->sweep->work, err));
    if (!lith_sweep_selects(l->sweep, path))
        return LITH_OK;
    enum lith_code code = path_drop(l, path, &why);
    if (code != LITH_OK && l->first.code == LITH_OK) {
        l->first = why;
        (void)lith_err_prefix(&l->first, "what is held for %s", *path ? path : ".");
    }
    return LITH_OK;
}

enum lith_code lith_sweep_leftovers(const struct lith_sweep *sweep, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    const struct lith_gc_policy *policy = &sweep->options->gc;
    struct leftovers l = {.sweep = sweep};

    if (!sweep->store->ops->held_each)
        return LITH_OK;
    l.tidy.grace_ns = policy->reader_grace_ns > policy->orphan_grace_ns ? policy->reader_grace_ns
                                                                        : policy->orphan_grace_ns;
    LITH_TRY(lith_folder_open(sweep->store, "", &root, err));
    LITH_TRY(lith_folder_now(root, &l.tidy.now_ns, err));
    LITH_TRY(lith_store_held_each(sweep->store, held_take, &l, err));
    if (l.first.code == LITH_OK)
        return LITH_OK;
    *err = l.first;
    return l.first.code;
}
