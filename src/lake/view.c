/*
 * One look at a partition: list and manifest in the order that the rule asks for.
 *
 * List first, then manifest: what a commit between the two adds is named by the manifest, what
 * it retires is hidden by it. No manifest at a read after the list: nothing was committed yet.
 */
#include <string.h>

#include "base/guard.h"
#include "base/hash.h"
#include "base/limits.h"
#include "lake/snapshot.h"

static enum lith_code corrupt(struct lith_err *err)
{
    struct lith_err why = *err;

    return lith_fail(
        err, LITH_E_CORRUPT,
        "%s; restore it from a copy, with lithify fsck --restore (without it, replaced "
        "files would count again)",
        why.text);
}

/* Leaves blob.etag NULL when there is none. Both names present, or an unreadable one: CORRUPT. */
static enum lith_code manifest_read(struct lith_folder *folder, struct lith_view *view,
                                    struct lith_err *err)
{
    static const char *const names[] = {LITH_MANIFEST_NAME, LITH_MANIFEST_NAME_HIDDEN};
    LITH_AUTO(arena) struct lith_arena text; /* of the manifest: not kept */
    const char *found = NULL;
    void *etag;

    lith_arena_init(&text, view->arena.mem);
    for (size_t i = 0; i < 2; i++) {
        struct lith_blob blob;
        struct lith_err why;
        enum lith_code code =
            lith_folder_get(folder, names[i], LITH_MANIFEST_BYTES_MAX, &text, &blob, &why);
        if (code == LITH_E_NOT_FOUND)
            continue;
        if (code != LITH_OK) {
            *err = why;
            return code;
        }
        if (found)
            return lith_fail(err, LITH_E_CORRUPT,
                             "both %s and %s are there; which of them counts is unknown: remove "
                             "the wrong one",
                             names[0], names[1]);
        found = names[i];
        view->blob = blob;
    }
    if (!found)
        return LITH_OK;
    enum lith_code code =
        lith_manifest_parse_listed(view->blob.data, view->blob.bytes, found, &view->listing,
                                   &view->arena, &view->manifest, err);
    if (code == LITH_E_CORRUPT)
        return corrupt(err);
    LITH_TRY(code);
    view->manifest.mtime_ns = view->blob.mtime_ns;
    LITH_TRY(lith_arena_copy(&view->arena, view->blob.etag, strlen(view->blob.etag), &etag, err));
    view->blob.etag = etag;
    view->blob.data = NULL;
    return LITH_OK;
}

/* How one look is taken. */
struct taking {
    enum lith_snapshot_mode mode;
    bool list_last;
    const struct lith_listing *listing; /* taken before; NULL: none was */
};

static enum lith_code take(struct lith_folder *folder, const struct taking *taking,
                           struct lith_view *view, struct lith_err *err)
{
    enum lith_snapshot_mode mode = taking->mode;
    bool list_last = taking->list_last;

    if (mode == LITH_SNAPSHOT_OPEN && lith_guard_is_out(LITH_GUARD_LIST_FIRST))
        list_last = true;
    if (mode == LITH_SNAPSHOT_STRICT && lith_guard_is_out(LITH_GUARD_STRICT_SECOND_LOOK))
        list_last = true;
    if (list_last)
        LITH_TRY(manifest_read(folder, view, err));
    if (taking->listing && !list_last)
        view->listing = *taking->listing;
    else
        LITH_TRY(lith_folder_list(folder, &view->arena, &view->listing, err));
    enum lith_code code = list_last ? LITH_OK : manifest_read(folder, view, err);
    if (code == LITH_OK)
        code = lith_snapshot_resolve(&view->listing, lith_view_manifest(view), mode, &view->arena,
                                     &view->snapshot, err);
    if (code == LITH_E_LIMIT)
        return lith_err_prefix(err, "%zu files in one directory", view->listing.object_count);
    return code;
}

static enum lith_code take_whole(struct lith_folder *folder, const struct taking *taking,
                                 struct lith_mem *mem, struct lith_view *ret_view,
                                 struct lith_err *err)
{
    struct lith_view view = {0};

    lith_arena_init(&view.arena, mem);
    enum lith_code code = take(folder, taking, &view, err);
    if (code != LITH_OK) {
        lith_view_done(&view);
        return code;
    }
    *ret_view = view;
    ret_view->snapshot.manifest = lith_view_manifest(ret_view);
    return LITH_OK;
}

/*
 * A file that the manifest names and the list before it does not show was committed in between, or
 * is missing. A list between two reads of the same manifest tells.
 */
enum lith_code lith_view_take_listed(struct lith_folder *folder, const struct lith_listing *listing,
                                     enum lith_snapshot_mode mode, struct lith_mem *mem,
                                     struct lith_view *ret_view, struct lith_err *err)
{
    struct taking taking = {.mode = mode, .listing = listing};
    struct lith_hash128 before = {0};

    for (unsigned look = 0;; look++) {
        struct lith_view view;
        LITH_TRY(take_whole(folder, &taking, mem, &view, err));
        bool same = look > 0 && lith_hash128_equal(view.blob.hash, before);
        if (view.snapshot.missing_count == 0 || same || look == LITH_LOOK_AGAIN_MAX) {
            *ret_view = view;
            ret_view->snapshot.manifest = lith_view_manifest(ret_view);
            return LITH_OK;
        }
        before = view.blob.hash;
        taking.listing = NULL;
        lith_view_done(&view);
    }
}

enum lith_code lith_view_take(struct lith_folder *folder, enum lith_snapshot_mode mode,
                              struct lith_mem *mem, struct lith_view *ret_view,
                              struct lith_err *err)
{
    return lith_view_take_listed(folder, NULL, mode, mem, ret_view, err);
}

enum lith_code lith_view_take_list_last(struct lith_folder *folder, struct lith_mem *mem,
                                        struct lith_view *ret_view, struct lith_err *err)
{
    struct taking taking = {.mode = LITH_SNAPSHOT_OPEN, .list_last = true};

    return take_whole(folder, &taking, mem, ret_view, err);
}

void lith_view_done(struct lith_view *view)
{
    lith_manifest_done(&view->manifest);
    lith_arena_done(&view->arena);
    *view = (struct lith_view){0};
}

const struct lith_manifest *lith_view_manifest(const struct lith_view *view)
{
    return view->blob.etag ? &view->manifest : NULL;
}
