/*
 * The verbs, checked once for every store: names and paths stay inside, contracts hold.
 *
 * What the concrete stores may then rely on: bare names, clean relative paths.
 */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name that stays in its folder. */
static enum lith_code name_check(const char *name, struct lith_err *err)
{
    if (name[0] == 0 || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return lith_fail(err, LITH_E_INVALID, "\"%s\" is not the bare name of an object", name);
    return LITH_OK;
}

static enum lith_code path_check(const char *path, struct lith_err *err)
{
    const char *at = path;

    while (*at) {
        size_t bytes = strcspn(at, "/");
        bool dots = (bytes == 1 && at[0] == '.') || (bytes == 2 && at[0] == '.' && at[1] == '.');
        if (bytes == 0 || dots || (at[bytes] == '/' && at[bytes + 1] == 0))
            return lith_fail(err, LITH_E_INVALID, "\"%s\" is not a clean path below the root",
                             path);
        at += bytes + (at[bytes] == '/');
    }
    return LITH_OK;
}

static enum lith_code names_check(const struct lith_folder *folder, const char *const *names,
                                  size_t count, struct lith_err *err)
{
    for (size_t i = 0; i < count; i++)
        LITH_TRY(folder->store->takes_paths ? path_check(names[i], err)
                                            : name_check(names[i], err));
    return LITH_OK;
}

void lith_store_close(struct lith_store *store)
{
    if (store)
        store->ops->close(store);
}

enum lith_code lith_store_probe(struct lith_store *store, struct lith_store_facts *ret_facts,
                                struct lith_err *err)
{
    return store->ops->probe(store, ret_facts, err);
}

enum lith_code lith_folder_open(struct lith_store *store, const char *path,
                                struct lith_folder **ret_folder, struct lith_err *err)
{
    LITH_TRY(path_check(path, err));
    return store->ops->folder_open(store, path, ret_folder, err);
}

enum lith_code lith_folder_make(struct lith_store *store, const char *path, struct lith_err *err)
{
    LITH_TRY(path_check(path, err));
    return store->ops->folder_make ? store->ops->folder_make(store, path, err) : LITH_OK;
}

void lith_folder_close(struct lith_folder *folder)
{
    if (folder)
        folder->store->ops->folder_close(folder);
}

enum lith_code lith_folder_lock(struct lith_folder *folder, enum lith_lock_wait wait,
                                struct lith_err *err)
{
    LITH_ASSERT(!folder->locked);
    LITH_TRY(folder->store->ops->lock(folder, wait, err));
    folder->locked = true;
    return LITH_OK;
}

void lith_folder_unlock(struct lith_folder *folder)
{
    if (folder->locked)
        folder->store->ops->unlock(folder);
    folder->locked = false;
}

enum lith_code lith_folder_now(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *err)
{
    return folder->store->ops->now(folder, ret_ns, err);
}

enum lith_code lith_folder_list(struct lith_folder *folder, struct lith_arena *arena,
                                struct lith_listing *ret_listing, struct lith_err *err)
{
    return folder->store->ops->list(folder, arena, ret_listing, err);
}

enum lith_code lith_folder_head(struct lith_folder *folder, const char *name,
                                struct lith_arena *arena, struct lith_object *ret_object,
                                struct lith_err *err)
{
    LITH_TRY(name_check(name, err));
    return folder->store->ops->head(folder, name, arena, ret_object, err);
}

enum lith_code lith_folder_get(struct lith_folder *folder, const char *name, size_t limit,
                               struct lith_arena *arena, struct lith_blob *ret_blob,
                               struct lith_err *err)
{
    LITH_TRY(name_check(name, err));
    return folder->store->ops->get(folder, name, limit, arena, ret_blob, err);
}

enum lith_code lith_folder_source_open(struct lith_folder *folder, const struct lith_object *object,
                                       struct lith_source **ret_source, struct lith_err *err)
{
    LITH_TRY(names_check(folder, &object->name, 1, err));
    return folder->store->ops->source_open(folder, object, ret_source, err);
}

enum lith_code lith_folder_put_content_if(struct lith_folder *folder, const char *name,
                                          const struct lith_blob *expected,
                                          struct lith_content *body, struct lith_err *err)
{
    LITH_TRY(name_check(name, err));
    return folder->store->ops->put_if(folder, name, expected, body, err);
}

struct memory_body {
    struct lith_content base;
    const void *data;
    size_t bytes;
};

static enum lith_code memory_write(struct lith_content *base, struct lith_sink *sink,
                                   struct lith_err *err)
{
    const struct memory_body *body = (const struct memory_body *)base;

    return lith_sink_write(sink, body->data, body->bytes, err);
}

enum lith_code lith_folder_put_if(struct lith_folder *folder, const char *name,
                                  const struct lith_blob *expected, const void *data, size_t bytes,
                                  struct lith_err *err)
{
    struct memory_body body = {.base = {.write = memory_write}, .data = data, .bytes = bytes};

    return lith_folder_put_content_if(folder, name, expected, &body.base, err);
}

bool lith_folder_shows(const struct lith_folder *folder)
{
    return folder->store->ops->put_shown != NULL;
}

enum lith_code lith_folder_put_shown(struct lith_folder *folder, const char *name,
                                     const struct lith_blob *expected, struct lith_content *body,
                                     struct lith_showing *showing, struct lith_err *err)
{
    if (!lith_folder_shows(folder))
        return lith_folder_put_content_if(folder, name, expected, body, err);
    LITH_TRY(name_check(name, err));
    return folder->store->ops->put_shown(folder, name, expected, body, showing, err);
}

enum lith_code lith_folder_show_check(struct lith_folder *folder, struct lith_showing *showing,
                                      struct lith_err *err)
{
    if (!lith_folder_shows(folder))
        return LITH_OK;
    return folder->store->ops->show_check(folder, showing, err);
}

enum lith_code lith_folder_settle(struct lith_folder *folder, struct lith_showing *showing,
                                  struct lith_arena *arena, struct lith_settled *ret_settled,
                                  struct lith_err *err)
{
    LITH_ASSERT(folder->locked);
    *ret_settled = (struct lith_settled){0};
    if (!lith_folder_shows(folder))
        return LITH_OK;
    return folder->store->ops->settle(folder, showing, arena, ret_settled, err);
}

enum lith_code lith_folder_tidy(struct lith_folder *folder, const struct lith_tidy *tidy,
                                struct lith_showing *showing, struct lith_arena *arena,
                                const char **ret_stray, struct lith_err *err)
{
    LITH_ASSERT(folder->locked);
    *ret_stray = NULL;
    if (!lith_folder_shows(folder))
        return LITH_OK;
    return folder->store->ops->tidy(folder, tidy, showing, arena, ret_stray, err);
}

enum lith_code lith_store_held_each(struct lith_store *store, lith_held_fn each, void *ctx,
                                    struct lith_err *err)
{
    return store->ops->held_each ? store->ops->held_each(store, each, ctx, err) : LITH_OK;
}

enum lith_code lith_store_held_drop(struct lith_store *store, const char *path,
                                    const struct lith_tidy *tidy, struct lith_err *err)
{
    LITH_TRY(path_check(path, err));
    return store->ops->held_drop ? store->ops->held_drop(store, path, tidy, err) : LITH_OK;
}

enum lith_code lith_output_new(struct lith_folder *folder,
                               const struct lith_output_options *options,
                               struct lith_output **ret_output, struct lith_err *err)
{
    LITH_TRY(name_check(options->name, err));
    LITH_TRY(names_check(folder, options->like_names, options->like_count, err));
    return folder->store->ops->output_new(folder, options, ret_output, err);
}

enum lith_code lith_output_seal(struct lith_output *output, struct lith_err *err)
{
    LITH_ASSERT(!output->read_name);
    return output->folder->store->ops->output_seal(output, err);
}

enum lith_code lith_output_publish(struct lith_output *output, struct lith_arena *arena,
                                   struct lith_object *ret_object, struct lith_err *err)
{
    LITH_ASSERT(output->read_name);
    return output->folder->store->ops->output_publish(output, arena, ret_object, err);
}

void lith_output_free(struct lith_output *output)
{
    if (output)
        output->folder->store->ops->output_free(output);
}

enum lith_code lith_folder_delete_if(struct lith_folder *folder, const struct lith_object *object,
                                     struct lith_err *err)
{
    LITH_TRY(name_check(object->name, err));
    return folder->store->ops->delete_if(folder, object, err);
}

enum lith_code lith_folder_deletes_end(struct lith_folder *folder, struct lith_err *err)
{
    return folder->store->ops->deletes_end(folder, err);
}

enum lith_code lith_folder_sync(struct lith_folder *folder, struct lith_err *err)
{
    return folder->store->ops->sync ? folder->store->ops->sync(folder, err) : LITH_OK;
}

enum lith_code lith_folder_free_bytes(struct lith_folder *folder, bool *ret_known,
                                      struct lith_space *ret_space, struct lith_err *err)
{
    *ret_known = folder->store->ops->free_bytes != NULL;
    return *ret_known ? folder->store->ops->free_bytes(folder, ret_space, err) : LITH_OK;
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(((const struct lith_object *)a)->name, ((const struct lith_object *)b)->name);
}

const struct lith_object *lith_listing_find(const struct lith_listing *listing, const char *name)
{
    const struct lith_object key = {.name = name};

    return listing->object_count ? bsearch(&key, listing->objects, listing->object_count,
                                           sizeof(key), compare_objects)
                                 : NULL;
}

bool lith_listing_shows_gone(const struct lith_listing *listing, const char *name)
{
    char gone[300]; /* names have 255 bytes at most */
    int bytes = snprintf(gone, sizeof(gone), "%s" LITH_GONE_SUFFIX, name);

    return bytes < 0 || (size_t)bytes >= sizeof(gone) || lith_listing_find(listing, gone);
}

bool lith_listing_shows(const struct lith_listing *listing, const char *name)
{
    return lith_listing_find(listing, name) || lith_listing_shows_gone(listing, name);
}
