/*
 * The verbs of the exchange store: an object is looked for where readers list, then where they do
 * not. What only one of the two places has is passed on to the local store.
 */
#include "store/exchange.h"

#include <string.h>

#include "store/exchange_folder.h"

static void store_close(struct lith_store *base)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;

    lith_store_close(store->local);
    lith_free(store);
}

static enum lith_code probe(struct lith_store *base, struct lith_store_facts *ret_facts,
                            struct lith_err *err)
{
    return lith_store_probe(((struct lith_exchange_store *)base)->local, ret_facts, err);
}

static enum lith_code folder_make(struct lith_store *base, const char *path, struct lith_err *err)
{
    return lith_folder_make(((struct lith_exchange_store *)base)->local, path, err);
}

static void unlock(struct lith_folder *base)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);

    lith_exchange_stage_close(folder);
    lith_folder_unlock(folder->front);
}

static void folder_close(struct lith_folder *base)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);

    lith_folder_unlock(base);
    lith_exchange_stage_close(folder);
    lith_folder_close(folder->front);
    lith_free(folder);
}

/* A folder with its texts behind it. */
static enum lith_code folder_new(struct lith_exchange_store *store, const char *path,
                                 struct lith_exchange_folder **ret_folder, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    char *held;
    void *block;

    lith_arena_init(&scratch, store->base.mem);
    LITH_TRY(lith_arena_format(&scratch, &held, err, "%s%s%s/" LITH_HELD_NAME, store->staging,
                               *path ? "/" : "", path));
    size_t held_bytes = strlen(held) + 1;
    size_t stage_bytes = held_bytes - strlen("/" LITH_HELD_NAME);
    LITH_TRY(lith_alloc(store->base.mem,
                        sizeof(struct lith_exchange_folder) + held_bytes + stage_bytes, &block,
                        err));
    struct lith_exchange_folder *folder = block;
    char *held_path = (char *)(folder + 1);
    char *stage = held_path + held_bytes;
    memcpy(held_path, held, held_bytes);
    memcpy(stage, held, stage_bytes - 1);
    stage[stage_bytes - 1] = '\0';
    *folder = (struct lith_exchange_folder){
        .base = {.store = &store->base}, .stage_fd = -1, .stage = stage, .held_path = held_path};
    *ret_folder = folder;
    return LITH_OK;
}

static enum lith_code folder_open(struct lith_store *base, const char *path,
                                  struct lith_folder **ret_folder, struct lith_err *err)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;
    struct lith_exchange_folder *folder;

    LITH_TRY(folder_new(store, path, &folder, err));
    enum lith_code code = lith_folder_open(store->local, path, &folder->front, err);
    if (code != LITH_OK) {
        lith_free(folder);
        return code;
    }
    folder->base.path = folder->front->path;
    *ret_folder = &folder->base;
    return LITH_OK;
}

static enum lith_code lock(struct lith_folder *base, enum lith_lock_wait wait, struct lith_err *err)
{
    return lith_folder_lock(lith_exchange_folder(base)->front, wait, err);
}

static enum lith_code now(struct lith_folder *base, int64_t *ret_ns, struct lith_err *err)
{
    return lith_folder_now(lith_exchange_folder(base)->front, ret_ns, err);
}

/* Objects of both, by name. Where both have a name the front's counts: the other is a link to it,
 * or was replaced by it. */
static enum lith_code objects_merge(const struct lith_listing *front,
                                    const struct lith_listing *held, struct lith_arena *arena,
                                    struct lith_listing *ret_listing, struct lith_err *err)
{
    size_t count = front->object_count + held->object_count;
    size_t at = 0;
    size_t held_at = 0;
    size_t front_at = 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_object), &block, err));
    struct lith_object *objects = block;
    *ret_listing = *front;
    while (front_at < front->object_count || held_at < held->object_count) {
        int order = front_at == front->object_count ? 1
                    : held_at == held->object_count
                        ? -1
                        : strcmp(front->objects[front_at].name, held->objects[held_at].name);
        if (order <= 0) {
            objects[at++] = front->objects[front_at++];
            held_at += order == 0;
            ret_listing->is_unsettled = ret_listing->is_unsettled || order == 0;
            continue;
        }
        objects[at] = held->objects[held_at++];
        objects[at++].is_held = true;
    }
    ret_listing->objects = objects;
    ret_listing->object_count = at;
    return LITH_OK;
}

static enum lith_code list(struct lith_folder *base, struct lith_arena *arena,
                           struct lith_listing *ret_listing, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    const char *const *swaps;
    struct lith_listing front;
    struct lith_listing held;
    size_t swap_count = 0;

    LITH_TRY(lith_folder_list(folder->front, arena, &front, err));
    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->stage_fd >= 0)
        LITH_TRY(lith_exchange_swaps(folder->stage_fd, arena, &swaps, &swap_count, err));
    *ret_listing = front;
    if (folder->held) {
        LITH_TRY(lith_folder_list(folder->held, arena, &held, err));
        LITH_TRY(objects_merge(&front, &held, arena, ret_listing, err));
    }
    ret_listing->is_unsettled = ret_listing->is_unsettled || swap_count > 0;
    return LITH_OK;
}

/* NOT_FOUND, or what the front says of it, where nothing is held. */
static enum lith_code held_open(struct lith_exchange_folder *folder, enum lith_code code,
                                struct lith_err *err)
{
    struct lith_err why;

    if (code != LITH_E_NOT_FOUND && code != LITH_E_CONFLICT)
        return code;
    if (lith_exchange_stage_open(folder, &why) != LITH_OK) {
        *err = why;
        return why.code;
    }
    return folder->held ? LITH_OK : code;
}

static enum lith_code head(struct lith_folder *base, const char *name, struct lith_arena *arena,
                           struct lith_object *ret_object, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    enum lith_code code = lith_folder_head(folder->front, name, arena, ret_object, err);

    if (code != LITH_E_NOT_FOUND)
        return code;
    LITH_TRY(held_open(folder, code, err));
    LITH_TRY(lith_folder_head(folder->held, name, arena, ret_object, err));
    ret_object->is_held = true;
    return LITH_OK;
}

static enum lith_code get(struct lith_folder *base, const char *name, size_t limit,
                          struct lith_arena *arena, struct lith_blob *ret_blob,
                          struct lith_err *err)
{
    return lith_folder_get(lith_exchange_folder(base)->front, name, limit, arena, ret_blob, err);
}

/* Is the object of that name in the folder, and is it that one? NOT_FOUND, CONFLICT. */
static enum lith_code is_there(struct lith_folder *folder, const struct lith_object *object,
                               struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_object found;

    lith_arena_init(&scratch, folder->store->mem);
    LITH_TRY(lith_folder_head(folder, object->name, &scratch, &found, err));
    if (object->etag && strcmp(found.etag, object->etag) != 0)
        return lith_fail(err, LITH_E_CONFLICT, "%s was %s, is now %s", object->name, object->etag,
                         found.etag);
    return LITH_OK;
}

static enum lith_code source_open(struct lith_folder *base, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    enum lith_code code = lith_folder_source_open(folder->front, object, ret_source, err);
    struct lith_err ignored;

    if (code != LITH_E_NOT_FOUND && code != LITH_E_CONFLICT)
        return code;
    LITH_TRY(held_open(folder, code, err));
    if (code == LITH_E_CONFLICT && is_there(folder->held, object, &ignored) != LITH_OK)
        return code;
    return lith_folder_source_open(folder->held, object, ret_source, err);
}

static enum lith_code put_if(struct lith_folder *base, const char *name,
                             const struct lith_blob *expected, struct lith_content *body,
                             struct lith_err *err)
{
    return lith_folder_put_content_if(lith_exchange_folder(base)->front, name, expected, body, err);
}

static enum lith_code output_new(struct lith_folder *base,
                                 const struct lith_output_options *options,
                                 struct lith_output **ret_output, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);

    LITH_ASSERT(base->locked); /* an output outlives no unlock: what is held is closed there */
    LITH_TRY(lith_exchange_stage_make(folder, err));
    return lith_local_output_new_like(folder->held, lith_local_folder(folder->front), options,
                                      ret_output, err);
}

/* Both places may have that very object, by a copy that kept its time: both go. */
static enum lith_code delete_if(struct lith_folder *base, const struct lith_object *object,
                                struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    enum lith_code code = lith_folder_delete_if(folder->front, object, err);
    struct lith_err why;

    if (code != LITH_OK && code != LITH_E_NOT_FOUND && code != LITH_E_CONFLICT)
        return code;
    if (lith_exchange_stage_open(folder, &why) != LITH_OK) {
        *err = why;
        return why.code;
    }
    if (!folder->held)
        return code;
    enum lith_code held_code = lith_folder_delete_if(folder->held, object, &why);
    bool is_done = held_code == LITH_OK || code == LITH_OK;
    if (is_done &&
        (held_code == LITH_OK || held_code == LITH_E_NOT_FOUND || held_code == LITH_E_CONFLICT))
        return LITH_OK;
    if (held_code == LITH_E_NOT_FOUND)
        return code;
    *err = why;
    return held_code;
}

static enum lith_code deletes_end(struct lith_folder *base, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);

    LITH_TRY(lith_exchange_stage_open(folder, err));
    if (folder->held)
        LITH_TRY(lith_folder_deletes_end(folder->held, err));
    return lith_folder_deletes_end(folder->front, err);
}

/* What was swapped in is a name of the directory above, and what it replaced one of staging. */
static enum lith_code sync_names(struct lith_folder *base, struct lith_err *err)
{
    struct lith_exchange_folder *folder = lith_exchange_folder(base);
    struct lith_local_folder *front = lith_local_folder(folder->front);
    int above_fd;

    LITH_TRY(lith_exchange_stage_open(folder, err));
    LITH_TRY(lith_dir_open(front->fd, "..", &above_fd, err));
    enum lith_code code = lith_fd_sync(above_fd, front->full, err);
    lith_fd_close(above_fd);
    LITH_TRY(code);
    if (folder->stage_fd >= 0)
        LITH_TRY(lith_fd_sync(folder->stage_fd, folder->stage, err));
    if (folder->held)
        LITH_TRY(lith_folder_sync(folder->held, err));
    return lith_folder_sync(folder->front, err);
}

static enum lith_code free_bytes(struct lith_folder *base, struct lith_space *ret_space,
                                 struct lith_err *err)
{
    bool known;

    return lith_folder_free_bytes(lith_exchange_folder(base)->front, &known, ret_space, err);
}

static const struct lith_store_ops exchange_ops = {
    .close = store_close,
    .probe = probe,
    .folder_open = folder_open,
    .folder_make = folder_make,
    .folder_close = folder_close,
    .lock = lock,
    .unlock = unlock,
    .now = now,
    .list = list,
    .head = head,
    .get = get,
    .source_open = source_open,
    .put_if = put_if,
    .output_new = output_new,
    /* Outputs are the local store's from here on: they know the folder that they are in. */
    .delete_if = delete_if,
    .deletes_end = deletes_end,
    .sync = sync_names,
    .free_bytes = free_bytes,
    .put_shown = lith_exchange_put_shown,
    .show_check = lith_exchange_show_check,
    .settle = lith_exchange_settle,
    .tidy = lith_exchange_tidy,
    .held_each = lith_exchange_held_each,
    .held_drop = lith_exchange_held_drop,
};

enum lith_code lith_exchange_open(struct lith_store *local, const char *staging,
                                  struct lith_store **ret_store, struct lith_err *err)
{
    size_t bytes = strlen(staging) + 1;
    void *block;

    enum lith_code code =
        lith_alloc(local->mem, sizeof(struct lith_exchange_store) + bytes, &block, err);
    if (code != LITH_OK) {
        lith_store_close(local);
        return code;
    }
    struct lith_exchange_store *store = block;
    memcpy(store + 1, staging, bytes);
    *store = (struct lith_exchange_store){
        .base = *local, .local = local, .staging = (const char *)(store + 1)};
    store->base.ops = &exchange_ops;
    *ret_store = &store->base;
    return LITH_OK;
}
