/*
 * The staging directory of a lake that is read by listing (readers = exchange).
 *
 * The lake's file says where it is, unless it is the sibling of the root. It must never be
 * mistaken: without it what is held looks as if it were gone, and its names would leave the
 * manifests.
 */
#include <string.h>

#include "api/lake_state.h"
#include "store/exchange.h"

static const char *audit_place(const struct lith_lake *lake)
{
    return lake->series.store ? lake->series.store->root : NULL;
}

/* Where it is, and where it was asked for, if that is another place. */
static enum lith_code places_find(struct lith_lake *lake, const char *root, const char *given,
                                  const struct lith_lake_file *file, struct lith_err *err)
{
    const char *kept = file ? file->staging : given;
    const char *asked;
    const char *sibling;

    LITH_TRY(lith_exchange_place(root, kept, audit_place(lake), &lake->arena, &lake->staging, err));
    lake->staging_kept = kept ? lake->staging : NULL;
    if (!file || !given)
        return LITH_OK;
    LITH_TRY(lith_exchange_place(root, given, audit_place(lake), &lake->arena, &asked, err));
    if (strcmp(asked, lake->staging) == 0)
        return LITH_OK;
    lake->staging_left = lake->staging;
    lake->staging = asked;
    LITH_TRY(lith_exchange_place(root, NULL, NULL, &lake->arena, &sibling, err));
    lake->staging_kept = strcmp(asked, sibling) ? asked : NULL;
    return LITH_OK;
}

enum lith_code lith_lake_staging_open(struct lith_lake *lake, const char *root, const char *given,
                                      const struct lith_lake_file *file, struct lith_err *err)
{
    enum lith_readers readers = file ? file->readers : lake->readers;

    if (readers != LITH_READERS_EXCHANGE)
        return LITH_OK;
    LITH_TRY(places_find(lake, root, given, file, err));
    struct lith_store *local = lake->store;
    lake->store = NULL; /* the new one's, whatever comes of it */
    LITH_TRY(lith_exchange_open(local, lake->staging, &lake->store, err));
    lake->sweep.store = lake->store;
    return LITH_OK;
}

/* Locks are what a swap hands over: nobody's word that he is alone replaces them. */
static enum lith_code locks_check(struct lith_lake *lake, struct lith_err *err)
{
    struct lith_store_facts facts;

    LITH_TRY(lith_store_probe(lake->store, &facts, err));
    if (facts.locks)
        return LITH_OK;
    return lith_fail(
        err, LITH_E_UNSUPPORTED,
        "readers = exchange needs locks on directories, which this file system refuses");
}

enum lith_code lith_lake_staging_prepare(struct lith_lake *lake, struct lith_err *err)
{
    bool is_new = lake->is_new || lake->staging_left != NULL;

    if (!lake->staging)
        return LITH_OK;
    LITH_TRY(locks_check(lake, err));
    LITH_TRY(lith_exchange_prepare(lake->store, is_new, err));
    if (!lake->staging_left)
        return LITH_OK;
    LITH_TRY(lith_exchange_leave(lake->staging_left, lake->store->env, &lake->budget.mem, err));
    LITH_TRY(lith_lake_file_move_staging(lake->store, lake->staging_kept, err));
    lake->staging_left = NULL;
    return LITH_OK;
}

enum lith_code lith_lake_exchange_check(struct lith_lake *lake, struct lith_err *err)
{
    struct lith_store *store = lake->front;
    const char *staging = lake->staging;
    char *above;

    if (!staging)
        LITH_TRY(
            lith_exchange_place(store->root, NULL, audit_place(lake), &lake->arena, &staging, err));
    /* It need not be there yet: then the directory that would hold it stands for it. */
    enum lith_code code = lith_exchange_probe(store->root, staging, store->env, err);
    if (code != LITH_E_NOT_FOUND)
        return code;
    LITH_TRY(lith_arena_format(&lake->arena, &above, err, "%s", staging));
    *(strrchr(above, '/') + 1) = '\0';
    return lith_exchange_probe(store->root, above, store->env, err);
}
