/*
 * Deletes exactly one file: away from its name, look at what it is, then unlink.
 *
 * Between a check and an unlink of a name, somebody may give the name to another file. Renamed to
 * NAME.gone.tmp first, the file that is checked is the one that is unlinked; what turns out to be
 * another one gets its name back, never over a file that has taken it meanwhile.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "store/local_folder.h"

/*
 * The name that a file has while it is deleted: NAME.gone.tmp. Where that is longer than names may
 * be, the hash of NAME stands for it: found again by a delete that is repeated, though not by the
 * listing alone, so gc says of one that was cut off there that it stays.
 */
static void gone_name(const char *name, char ret_gone[NAME_MAX + 1])
{
    size_t bytes = strlen(name);
    char hash[33];

    lith_hash128_text(lith_hash128(name, bytes, 0), hash);
    if (bytes + strlen(LITH_GONE_SUFFIX) <= NAME_MAX)
        (void)snprintf(ret_gone, NAME_MAX + 1, "%s" LITH_GONE_SUFFIX, name);
    else
        (void)snprintf(ret_gone, NAME_MAX + 1, "%s.parquet" LITH_GONE_SUFFIX, hash);
}

static bool is_same(const struct lith_file_info *info, const struct lith_object *object)
{
    char etag[LITH_LOCAL_ETAG_BYTES];

    lith_local_etag(info, etag);
    return info->is_file && info->size == object->size &&
           (!object->etag || strcmp(etag, object->etag) == 0);
}

/* What NAME.gone.tmp is decides: the wanted one goes, another one gets its name back. */
static enum lith_code gone_settle(struct lith_local_folder *folder, const char *gone,
                                  const struct lith_object *object, struct lith_err *err)
{
    struct lith_file_info info;

    LITH_TRY(lith_file_stat(folder->fd, gone, false, &info, err));
    if (is_same(&info, object)) {
        lith_local_step(&folder->base, LITH_STEP_DELETE_CHECKED);
        LITH_TRY(lith_file_unlink(folder->fd, gone, err));
        lith_local_step(&folder->base, LITH_STEP_DELETE_UNLINKED);
        return LITH_OK;
    }
    LITH_TRY(lith_file_rename_new(folder->fd, gone, object->name, err));
    return lith_fail(err, LITH_E_CONFLICT, "%s is another file by now; it stays", object->name);
}

enum lith_code lith_local_delete_if(struct lith_folder *base, const struct lith_object *object,
                                    struct lith_err *err)
{
    struct lith_local_folder *folder = lith_local_folder(base);
    struct lith_file_info info;
    char gone[NAME_MAX + 1];

    gone_name(object->name, gone);
    LITH_TRY(lith_local_folder_same(folder, err));
    enum lith_code earlier = gone_settle(folder, gone, object, err);
    if (earlier != LITH_OK && earlier != LITH_E_NOT_FOUND)
        return earlier;
    enum lith_code code = lith_file_stat(folder->fd, object->name, false, &info, err);
    if (code == LITH_E_NOT_FOUND && earlier == LITH_OK)
        return LITH_OK;
    LITH_TRY(code);
    if (!is_same(&info, object))
        return lith_fail(err, LITH_E_CONFLICT, "%s is another file by now; it stays", object->name);
    LITH_TRY(lith_file_rename(folder->fd, object->name, gone, err));
    lith_local_step(base, LITH_STEP_DELETE_RENAMED);
    return gone_settle(folder, gone, object, err);
}

enum lith_code lith_local_deletes_end(struct lith_folder *base, struct lith_err *err)
{
    LITH_TRY(lith_fd_sync(lith_local_folder(base)->fd, lith_local_folder(base)->full, err));
    lith_local_step(base, LITH_STEP_DELETE_DURABLE);
    return LITH_OK;
}
