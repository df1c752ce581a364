/*
 * A file of a partition below.
 */
#include "job/below.h"

#include <string.h>

#include "lake/snapshot.h"

static bool has_entry(const struct lith_entry *entries, size_t count, const char *name,
                      uint64_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].size == size && strcmp(entries[i].name, name) == 0)
            return true;
    }
    return false;
}

static enum lith_below view_say(const struct lith_view *view, const char *bare, uint64_t size)
{
    const struct lith_manifest *m = lith_view_manifest(view);
    const struct lith_snapshot_file *file = lith_snapshot_find(&view->snapshot, bare);

    if (file && file->live && file->object && file->object->size == size)
        return LITH_BELOW_LIVE;
    if (m && (has_entry(m->retired, m->retired_count, bare, size) ||
              has_entry(m->gone, m->gone_count, bare, size)))
        return LITH_BELOW_MOVED;
    return LITH_BELOW_UNKNOWN;
}

enum lith_code lith_below_look(const struct lith_job *job, const char *name, uint64_t size,
                               enum lith_below *ret_below, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    const char *above = job->folder->path;
    const char *bare = strrchr(name, '/');
    char *path;

    *ret_below = LITH_BELOW_UNKNOWN;
    if (!bare || job->folder->store->takes_paths)
        return LITH_OK;
    LITH_TRY(lith_arena_format(job->arena, &path, err, "%s%s%.*s", above, *above ? "/" : "",
                               (int)(bare - name), name));
    enum lith_code code = lith_folder_open(job->folder->store, path, &folder, err);
    if (code == LITH_OK)
        code = lith_view_take(folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err);
    if (code == LITH_OK)
        *ret_below = view_say(&view, bare + 1, size);
    bool cannot_say = code == LITH_E_NOT_FOUND || code == LITH_E_CORRUPT ||
                      code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID;
    return cannot_say ? LITH_OK : code;
}
