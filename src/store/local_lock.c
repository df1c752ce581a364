/*
 * The partition lock, flock on the directory's descriptor, and the probe of what commits rely on.
 *
 * A lock on a directory that is no longer the one at its path protects nothing: after taking it
 * the two are compared, and the directory is opened anew where they differ.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "store/local_folder.h"

static enum lith_code lock_once(struct lith_local_folder *folder, enum lith_lock_wait wait,
                                struct lith_err *err)
{
    enum lith_code code = wait == LITH_LOCK_WAIT
                              ? lith_fd_lock(folder->fd, folder->full, LITH_LOCK_WAIT_MS, err)
                              : lith_fd_lock_try(folder->fd, folder->full, err);

    if (code == LITH_E_UNSUPPORTED && folder->base.store->single_writer)
        return LITH_OK;
    return code;
}

enum lith_code lith_local_lock(struct lith_folder *base, enum lith_lock_wait wait,
                               struct lith_err *err)
{
    struct lith_local_folder *folder = lith_local_folder(base);

    for (unsigned look = 0; look < LITH_LOOK_AGAIN_MAX; look++) {
        int fd = -1;
        LITH_TRY(lock_once(folder, wait, err));
        enum lith_code code = lith_local_folder_same(folder, err);
        if (code == LITH_OK)
            return LITH_OK;
        lith_fd_unlock(folder->fd);
        if (code != LITH_E_CONFLICT)
            return code;
        LITH_TRY(lith_dir_open(AT_FDCWD, folder->full, &fd, err));
        lith_fd_close(folder->fd);
        folder->fd = fd;
    }
    return lith_fail(err, LITH_E_TRANSIENT, "lock %s: the directory was replaced %u times",
                     folder->full, LITH_LOOK_AGAIN_MAX);
}

void lith_local_unlock(struct lith_folder *folder)
{
    lith_fd_unlock(lith_local_folder(folder)->fd);
}

/*
 * Two descriptors of one directory: the second lock must be refused while the first is held. The
 * first is refused when another program holds one; that it was says the same. *ret_why_not is NULL
 * where locks work, else text that may lie in *err.
 */
static enum lith_code probe_lock(const char *root, const char **ret_why_not, struct lith_err *err)
{
    int fds[2] = {-1, -1};

    *ret_why_not = NULL;
    enum lith_code code = lith_dir_open(AT_FDCWD, root, &fds[0], err);
    if (code == LITH_OK)
        code = lith_dir_open(AT_FDCWD, root, &fds[1], err);
    if (code == LITH_OK)
        code = lith_fd_lock_try(fds[0], root, err);
    if (code == LITH_OK)
        code = lith_fd_lock_try(fds[1], root, err);
    lith_fd_close(fds[0]);
    lith_fd_close(fds[1]);
    if (code == LITH_OK)
        *ret_why_not = "two had it at once";
    if (code == LITH_E_UNSUPPORTED)
        *ret_why_not = err->text;
    return code == LITH_E_CONFLICT || code == LITH_E_UNSUPPORTED ? LITH_OK : code;
}

/* What fails for another reason (no room, no right, a bad disk) says nothing about renames. */
static enum lith_code rename_try(int dir_fd, const char *from, const char *to, const char *root,
                                 const char **ret_why_not, struct lith_err *err)
{
    int fd = -1;

    *ret_why_not = NULL;
    LITH_TRY(lith_file_create(dir_fd, from, 0600, &fd, err));
    enum lith_code code = lith_fd_write(fd, from, 0, "probe", 5, err);
    enum lith_code synced = code == LITH_OK ? lith_fd_sync(fd, from, err) : code;
    lith_fd_close(fd);
    LITH_TRY(code);
    if (synced == LITH_OK)
        synced = lith_file_rename(dir_fd, from, to, err);
    if (synced == LITH_OK)
        synced = lith_fd_sync(dir_fd, root, err);
    if (synced != LITH_OK && synced != LITH_E_UNSUPPORTED)
        return synced;
    *ret_why_not = synced == LITH_OK ? NULL : err->text;
    return LITH_OK;
}

/* Probes that were killed leave a file of this name; an hour later nobody is at it any more. */
#define PROBE_NAME ".lithify-probe-"
#define PROBE_AGE_NS (3600 * LITH_SECOND_NS)

struct leftovers {
    int dir_fd;
    int64_t before_ns;
};

static enum lith_code leftover_remove(void *ctx, const char *name, struct lith_err *err)
{
    const struct leftovers *leftovers = ctx;
    const char *number = name + strlen(PROBE_NAME);
    struct lith_file_info info;
    struct lith_err ignored;

    (void)err;
    if (strncmp(name, PROBE_NAME, strlen(PROBE_NAME)) != 0 ||
        strspn(number, "0123456789abcdef") != 16 ||
        (number[16] && strcmp(number + 16, ".tmp") != 0))
        return LITH_OK;
    if (lith_file_stat(leftovers->dir_fd, name, false, &info, &ignored) == LITH_OK &&
        info.is_file && info.mtime_ns < leftovers->before_ns)
        (void)!lith_file_unlink(leftovers->dir_fd, name, &ignored);
    return LITH_OK;
}

/* Ages are judged by the file system's clock: by the mtime of the file just written. */
static void leftovers_remove(int dir_fd, const char *written)
{
    struct leftovers leftovers = {.dir_fd = dir_fd};
    struct lith_file_info info;
    struct lith_err ignored;

    if (lith_file_stat(dir_fd, written, false, &info, &ignored) != LITH_OK)
        return;
    leftovers.before_ns = info.mtime_ns - PROBE_AGE_NS;
    (void)!lith_dir_list(dir_fd, ".", leftover_remove, &leftovers, &ignored);
}

static enum lith_code probe_rename(struct lith_store *store, const char **ret_why_not,
                                   struct lith_err *err)
{
    uint64_t number = 0;
    char from[48];
    char to[48];
    int dir_fd = -1;
    struct lith_err ignored;

    store->env->random(store->env, &number, sizeof(number));
    (void)snprintf(from, sizeof(from), PROBE_NAME "%016llx.tmp", (unsigned long long)number);
    (void)snprintf(to, sizeof(to), PROBE_NAME "%016llx", (unsigned long long)number);
    LITH_TRY(lith_dir_open(AT_FDCWD, store->root, &dir_fd, err));
    enum lith_code code = rename_try(dir_fd, from, to, store->root, ret_why_not, err);
    if (code == LITH_OK)
        leftovers_remove(dir_fd, to);
    if (lith_file_unlink(dir_fd, from, &ignored) != LITH_OK)
        (void)!lith_file_unlink(dir_fd, to, &ignored);
    lith_fd_close(dir_fd);
    return code;
}

enum lith_code lith_local_probe(struct lith_store *store, struct lith_store_facts *ret_facts,
                                struct lith_err *err)
{
    struct lith_store_facts facts = {0};
    const char *renames_not, *locks_not;
    struct lith_err locks_err;

    LITH_TRY(probe_rename(store, &renames_not, err));
    enum lith_code code = probe_lock(store->root, &locks_not, &locks_err);
    if (code != LITH_OK) {
        *err = locks_err;
        return code;
    }
    facts.locks = !locks_not;
    facts.renames_sync = !renames_not;
    facts.conditions = facts.locks && facts.renames_sync;
    (void)snprintf(facts.detail, sizeof(facts.detail),
                   "local: lock on a directory %s%.180s%s, rename and fsync %s%.180s%s",
                   facts.locks ? "works" : "is refused (", facts.locks ? "" : locks_not,
                   facts.locks ? "" : ")", facts.renames_sync ? "work" : "fail (",
                   facts.renames_sync ? "" : renames_not, facts.renames_sync ? "" : ")");
    *ret_facts = facts;
    return LITH_OK;
}
