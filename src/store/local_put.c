/*
 * Replaces an object on condition: compare and rename under the partition lock.
 *
 * rename alone is no compare-and-swap; the lock makes it one among programs that take it. The
 * directory at the path must still be the open one: else a commit would go to a place that
 * nobody reads. A failed fsync is final.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/limits.h"
#include "store/local_folder.h"

#define TMP_NAME_BYTES 300

/* The hash of a file's first `bytes` bytes, read in pieces. */
static enum lith_code hash_read(int fd, const char *name, uint64_t bytes, struct lith_mem *mem,
                                struct lith_hash128 *ret_hash, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    struct lith_hasher *hasher;
    enum lith_code code = LITH_OK;

    LITH_TRY(lith_alloc(mem, LITH_FILE_BUFFER_BYTES, &block, err));
    LITH_TRY(lith_hasher_new(mem, 0, &hasher, err));
    for (uint64_t at = 0; at < bytes && code == LITH_OK;) {
        size_t piece = (size_t)lith_min_u64(bytes - at, LITH_FILE_BUFFER_BYTES);
        code = lith_fd_read(fd, name, at, block, piece, err);
        if (code == LITH_OK)
            lith_hasher_add(hasher, block, piece);
        at += piece;
    }
    *ret_hash = lith_hasher_end(hasher);
    lith_hasher_free(hasher);
    return code;
}

enum lith_code lith_local_still_expected(struct lith_local_folder *folder, const char *name,
                                         const struct lith_blob *expected,
                                         struct lith_file_info *ret_info, struct lith_err *err)
{
    struct lith_mem *mem = folder->base.store->mem;
    struct lith_hash128 hash;
    int fd = -1;

    enum lith_code code = lith_file_stat(folder->fd, name, false, ret_info, err);
    if (code == LITH_E_NOT_FOUND && !expected)
        return lith_fd_stat(folder->fd, ret_info, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s is gone", name);
    LITH_TRY(code);
    if (!expected)
        return lith_fail(err, LITH_E_CONFLICT, "%s exists by now", name);
    if (ret_info->is_symlink)
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s is a symbolic link", name);
    if (ret_info->size != expected->bytes)
        return lith_fail(err, LITH_E_CONFLICT, "%s was replaced by another writer", name);
    LITH_TRY(lith_file_open(folder->fd, name, &fd, err));
    code = hash_read(fd, name, expected->bytes, mem, &hash, err);
    lith_fd_close(fd);
    LITH_TRY(code);
    if (!lith_hash128_equal(hash, expected->hash))
        return lith_fail(err, LITH_E_CONFLICT, "%s was replaced by another writer", name);
    return LITH_OK;
}

static enum lith_code body_write(int fd, const char *tmp, struct lith_content *body,
                                 struct lith_mem *mem, struct lith_err *err)
{
    struct lith_file_sink sink;

    LITH_TRY(lith_file_sink_init(&sink, fd, tmp, mem, err));
    enum lith_code code = body->write(body, &sink.base, err);
    if (code == LITH_OK)
        code = lith_file_sink_flush(&sink, err);
    lith_file_sink_done(&sink);
    return code;
}

enum lith_code lith_local_file_write(struct lith_local_folder *folder, int dir_fd, const char *name,
                                     struct lith_content *body, const struct lith_file_info *like,
                                     struct lith_err *err)
{
    struct lith_err ignored;
    int fd = -1;

    LITH_TRY(lith_file_create(dir_fd, name, 0600, &fd, err));
    enum lith_code code = body_write(fd, name, body, folder->base.store->mem, err);
    /* A new object is readable by whoever may look into its directory. */
    uint32_t mode = like->is_directory ? (like->mode & 0444u) | 0600u : like->mode;
    if (code == LITH_OK)
        code = lith_fd_own(fd, name, like->uid, like->gid, mode, err);
    lith_local_step(&folder->base, LITH_STEP_PUT_WRITTEN);
    if (code == LITH_OK && !lith_guard_is_out(LITH_GUARD_SYNC_FIRST))
        code = lith_fd_sync(fd, name, err);
    lith_fd_close(fd);
    if (code != LITH_OK)
        (void)!lith_file_unlink(dir_fd, name, &ignored);
    return code;
}

static enum lith_code write_tmp(struct lith_local_folder *folder, const char *tmp,
                                struct lith_content *body, const struct lith_file_info *like,
                                struct lith_err *err)
{
    struct lith_err ignored;

    /* Left by a program that was killed here; we hold the lock, so it is nobody's. */
    enum lith_code code = lith_file_unlink(folder->fd, tmp, &ignored);
    if (code != LITH_OK && code != LITH_E_NOT_FOUND) {
        *err = ignored;
        return code;
    }
    return lith_local_file_write(folder, folder->fd, tmp, body, like, err);
}

static enum lith_code put_locked(struct lith_local_folder *folder, const char *name,
                                 const struct lith_blob *expected, struct lith_content *body,
                                 struct lith_err *err)
{
    struct lith_file_info info;
    char tmp[TMP_NAME_BYTES];

    int length = snprintf(tmp, sizeof(tmp), "%s.tmp", name);
    if (length < 0 || (size_t)length >= sizeof(tmp))
        return lith_fail(err, LITH_E_INVALID, "%s: the name is too long", name);
    lith_local_step(&folder->base, LITH_STEP_PUT_LOCKED);
    LITH_TRY(lith_local_folder_same(folder, err));
    LITH_TRY(lith_local_still_expected(folder, name, expected, &info, err));
    LITH_TRY(write_tmp(folder, tmp, body, &info, err));
    lith_local_step(&folder->base, LITH_STEP_PUT_SYNCED);
    LITH_TRY(lith_file_rename(folder->fd, tmp, name, err));
    lith_local_step(&folder->base, LITH_STEP_PUT_RENAMED);
    LITH_TRY(lith_fd_sync(folder->fd, folder->full, err));
    lith_local_step(&folder->base, LITH_STEP_PUT_DURABLE);
    return LITH_OK;
}

enum lith_code lith_local_put_if(struct lith_folder *base, const char *name,
                                 const struct lith_blob *expected, struct lith_content *body,
                                 struct lith_err *err)
{
    bool ours = !base->locked;

    if (ours)
        LITH_TRY(lith_folder_lock(base, LITH_LOCK_WAIT, err));
    enum lith_code code = put_locked(lith_local_folder(base), name, expected, body, err);
    if (ours)
        lith_folder_unlock(base);
    return code;
}
