/*
 * The local store: opening, reading, the clock. Everything in a folder is relative to one open
 * directory descriptor, so that a directory that is swapped meanwhile is noticed, not followed.
 *
 * Listing, conditional replacement, outputs, deletes, lock and probe have their own files.
 */
#include "store/local.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/guard.h"
#include "store/local_folder.h"

void lith_local_etag(const struct lith_file_info *info, char ret_text[LITH_LOCAL_ETAG_BYTES])
{
    (void)snprintf(ret_text, LITH_LOCAL_ETAG_BYTES, "%" PRIu64 ":%" PRId64, info->size,
                   info->mtime_ns);
}

enum lith_code lith_local_object(const char *name, const struct lith_file_info *info, bool is_link,
                                 struct lith_arena *arena, struct lith_object *ret_object,
                                 struct lith_err *err)
{
    char etag[LITH_LOCAL_ETAG_BYTES];
    void *name_copy = NULL;
    void *etag_copy = NULL;

    lith_local_etag(info, etag);
    LITH_TRY(lith_arena_copy(arena, name, strlen(name), &name_copy, err));
    LITH_TRY(lith_arena_copy(arena, etag, strlen(etag), &etag_copy, err));
    *ret_object = (struct lith_object){.name = name_copy,
                                       .etag = etag_copy,
                                       .size = info->size,
                                       .mtime_ns = info->mtime_ns,
                                       .is_link = is_link};
    return LITH_OK;
}

enum lith_code lith_local_folder_same(struct lith_local_folder *folder, struct lith_err *err)
{
    struct lith_file_info open;
    struct lith_file_info named;

    LITH_TRY(lith_fd_stat(folder->fd, &open, err));
    enum lith_code code = lith_file_stat(AT_FDCWD, folder->full, true, &named, err);
    if (code != LITH_OK && code != LITH_E_NOT_FOUND)
        return code;
    bool is_same = code == LITH_OK && open.device == named.device && open.inode == named.inode;
    if (LITH_GUARD(LOCK_SAME, is_same))
        return LITH_OK;
    return lith_fail(err, LITH_E_CONFLICT, "%s: the directory was replaced meanwhile",
                     folder->full);
}

static void store_close(struct lith_store *store)
{
    lith_free(store);
}

/* A throttle of its own for each folder: a job has one. */
static enum lith_code throttle_make(struct lith_local_folder *folder, struct lith_err *err)
{
    struct lith_local_store *store = (struct lith_local_store *)folder->base.store;

    if (store->io_bytes_per_second == 0)
        return LITH_OK;
    return lith_throttle_new(store->base.mem, store->base.env, store->io_bytes_per_second,
                             store->cancel, &folder->throttle, err);
}

/* A folder over the directory at `full`, not opened yet. */
static enum lith_code folder_new(struct lith_store *store, const char *full, const char *path,
                                 struct lith_local_folder **ret_folder, struct lith_err *err)
{
    size_t full_bytes = strlen(full) + 1;
    size_t path_bytes = strlen(path) + 1;
    void *block;

    LITH_TRY(lith_alloc(store->mem, sizeof(struct lith_local_folder) + full_bytes + path_bytes,
                        &block, err));
    struct lith_local_folder *folder = block;
    char *own_full = (char *)(folder + 1);
    memcpy(own_full, full, full_bytes);
    memcpy(own_full + full_bytes, path, path_bytes);
    *folder = (struct lith_local_folder){
        .base = {.store = store, .path = own_full + full_bytes}, .fd = -1, .full = own_full};
    *ret_folder = folder;
    return LITH_OK;
}

static void folder_close(struct lith_folder *base)
{
    struct lith_local_folder *folder = lith_local_folder(base);

    if (folder->fd >= 0)
        lith_folder_unlock(base);
    if (!folder->throttle_is_lent)
        lith_throttle_free(folder->throttle);
    lith_fd_close(folder->fd);
    lith_free(folder);
}

static enum lith_code folder_open(struct lith_store *store, const char *path,
                                  struct lith_folder **ret_folder, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_local_folder *folder;
    char *full;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(
        lith_arena_format(&scratch, &full, err, "%s%s%s", store->root, *path ? "/" : "", path));
    LITH_TRY(folder_new(store, full, path, &folder, err));
    enum lith_code code = lith_dir_open(AT_FDCWD, full, &folder->fd, err);
    if (code == LITH_OK)
        code = throttle_make(folder, err);
    if (code != LITH_OK) {
        folder_close(&folder->base);
        return code;
    }
    *ret_folder = &folder->base;
    return LITH_OK;
}

enum lith_code lith_local_folder_beside(struct lith_local_folder *front, const char *full,
                                        struct lith_folder **ret_folder, struct lith_err *err)
{
    struct lith_local_folder *folder;

    LITH_TRY(folder_new(front->base.store, full, front->base.path, &folder, err));
    folder->throttle = front->throttle;
    folder->throttle_is_lent = true;
    enum lith_code code = lith_dir_open(AT_FDCWD, full, &folder->fd, err);
    if (code != LITH_OK) {
        folder_close(&folder->base);
        return code;
    }
    *ret_folder = &folder->base;
    return LITH_OK;
}

/* The file has no name, so nothing is left behind. */
static enum lith_code now(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *err)
{
    struct lith_file_info info;
    int fd = -1;

    LITH_TRY(lith_file_create_unnamed(lith_local_folder(folder)->full, &fd, err));
    enum lith_code code = lith_fd_write(fd, "clock", 0, "", 1, err);
    if (code == LITH_OK)
        code = lith_fd_stat(fd, &info, err);
    lith_fd_close(fd);
    if (code == LITH_OK)
        *ret_ns = info.mtime_ns;
    return code;
}

/* What a name leads to, links followed; `ret_link` says whether there was one. */
static enum lith_code stat_object(int dir_fd, const char *name, struct lith_file_info *ret_info,
                                  bool *ret_link, struct lith_err *err)
{
    struct lith_file_info info;

    LITH_TRY(lith_file_stat(dir_fd, name, false, &info, err));
    *ret_link = info.is_symlink;
    if (info.is_symlink)
        LITH_TRY(lith_file_stat(dir_fd, name, true, &info, err));
    if (!info.is_file)
        return lith_fail(err, LITH_E_NOT_FOUND, "%s is not a regular file", name);
    *ret_info = info;
    return LITH_OK;
}

static enum lith_code head(struct lith_folder *folder, const char *name, struct lith_arena *arena,
                           struct lith_object *ret_object, struct lith_err *err)
{
    struct lith_file_info info;
    bool is_link = false;

    LITH_TRY(stat_object(lith_local_folder(folder)->fd, name, &info, &is_link, err));
    return lith_local_object(name, &info, is_link, arena, ret_object, err);
}

static enum lith_code read_blob(int fd, const char *name, size_t limit, struct lith_arena *arena,
                                struct lith_blob *ret_blob, struct lith_err *err)
{
    struct lith_file_info info;
    struct lith_object object;
    void *data = NULL;

    LITH_TRY(lith_fd_stat(fd, &info, err));
    if (info.size > limit)
        return lith_fail(err, LITH_E_LIMIT, "%s has %" PRIu64 " bytes, at most %zu are read", name,
                         info.size, limit);
    size_t bytes = (size_t)info.size;
    LITH_TRY(lith_arena_alloc(arena, bytes + 1, &data, err));
    LITH_TRY(lith_fd_read(fd, name, 0, data, bytes, err));
    LITH_TRY(lith_local_object(name, &info, false, arena, &object, err));
    *ret_blob = (struct lith_blob){.data = data,
                                   .bytes = bytes,
                                   .hash = lith_hash128(data, bytes, 0),
                                   .etag = object.etag,
                                   .mtime_ns = object.mtime_ns};
    return LITH_OK;
}

static enum lith_code get(struct lith_folder *folder, const char *name, size_t limit,
                          struct lith_arena *arena, struct lith_blob *ret_blob,
                          struct lith_err *err)
{
    int dir_fd = lith_local_folder(folder)->fd;
    struct lith_file_info info;
    int fd = -1;

    LITH_TRY(lith_file_stat(dir_fd, name, false, &info, err));
    if (info.is_symlink)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "%s is a symbolic link; replacing it would not change what it leads to",
                         name);
    if (!info.is_file)
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s is not a regular file; take it away", name);
    LITH_TRY(lith_file_open(dir_fd, name, &fd, err));
    enum lith_code code = read_blob(fd, name, limit, arena, ret_blob, err);
    lith_fd_close(fd);
    return code;
}

static enum lith_code etag_check(int dir_fd, const struct lith_object *object, struct lith_err *err)
{
    struct lith_file_info info;
    char etag[LITH_LOCAL_ETAG_BYTES];

    LITH_TRY(lith_file_stat(dir_fd, object->name, true, &info, err));
    lith_local_etag(&info, etag);
    if (strcmp(etag, object->etag) != 0)
        return lith_fail(err, LITH_E_CONFLICT, "%s was %s, is now %s", object->name, object->etag,
                         etag);
    return LITH_OK;
}

static enum lith_code source_open(struct lith_folder *folder, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *err)
{
    int dir_fd = lith_local_folder(folder)->fd;
    LITH_AUTO(source) struct lith_source *source = NULL;

    /* Looked at before and after: equal identities mean that the file in between was opened. */
    if (object->etag)
        LITH_TRY(etag_check(dir_fd, object, err));
    LITH_TRY(lith_file_source_open(dir_fd, object->name, folder->store->mem, &source, err));
    if (object->etag)
        LITH_TRY(etag_check(dir_fd, object, err));
    struct lith_throttle *throttle = lith_local_folder(folder)->throttle;
    struct lith_source *whole = source;
    source = NULL;
    if (throttle)
        return lith_throttle_source(throttle, whole, folder->store->mem, ret_source, err);
    *ret_source = whole;
    return LITH_OK;
}

static enum lith_code sync_names(struct lith_folder *base, struct lith_err *err)
{
    return lith_fd_sync(lith_local_folder(base)->fd, lith_local_folder(base)->full, err);
}

static enum lith_code free_bytes(struct lith_folder *base, struct lith_space *ret_space,
                                 struct lith_err *err)
{
    struct lith_local_folder *folder = lith_local_folder(base);

    return lith_fd_space(folder->fd, folder->full, &ret_space->free_bytes, &ret_space->total_bytes,
                         err);
}

static const struct lith_store_ops local_ops = {
    .close = store_close,
    .probe = lith_local_probe,
    .folder_open = folder_open,
    .folder_make = lith_local_folder_make,
    .folder_close = folder_close,
    .lock = lith_local_lock,
    .unlock = lith_local_unlock,
    .now = now,
    .list = lith_local_list,
    .head = head,
    .get = get,
    .source_open = source_open,
    .put_if = lith_local_put_if,
    .output_new = lith_local_output_new,
    .output_seal = lith_local_output_seal,
    .output_publish = lith_local_output_publish,
    .output_free = lith_local_output_free,
    .delete_if = lith_local_delete_if,
    .deletes_end = lith_local_deletes_end,
    .sync = sync_names,
    .free_bytes = free_bytes,
};

enum lith_code lith_local_open(const struct lith_local_options *options, struct lith_env *env,
                               struct lith_mem *mem, struct lith_store **ret_store,
                               struct lith_err *err)
{
    size_t bytes = strlen(options->root);
    LITH_AUTO(block) void *block = NULL;
    struct lith_file_info info;

    enum lith_code code = lith_file_stat(AT_FDCWD, options->root, true, &info, err);
    if (code != LITH_E_NOT_FOUND || !options->may_be_absent)
        LITH_TRY(code);
    if (code == LITH_OK && !info.is_directory)
        return lith_fail(err, LITH_E_INVALID, "%s is not a directory", options->root);
    LITH_TRY(lith_alloc(mem, sizeof(struct lith_local_store) + bytes + 1, &block, err));
    struct lith_local_store *store = block;
    char *root = (char *)(store + 1);
    memcpy(root, options->root, bytes + 1);
    while (bytes > 1 && root[bytes - 1] == '/')
        root[--bytes] = 0;
    *store = (struct lith_local_store){.base = {.ops = &local_ops,
                                                .env = env,
                                                .mem = mem,
                                                .root = root,
                                                .single_writer = options->single_writer},
                                       .io_bytes_per_second = options->io_bytes_per_second,
                                       .cancel = options->cancel};
    *ret_store = &store->base;
    block = NULL;
    return LITH_OK;
}
