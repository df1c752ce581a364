/*
 * Files of the local system: names, descriptors, exact transfers.
 *
 * The idea: every system call stands in one wrapper here that turns errno into a code and a text
 * and starts over after a signal, so that nothing above knows of EINTR or short transfers.
 * The one exception is fsync: a failed one is never repeated, since the kernel may have dropped
 * the dirty pages and would call the second attempt a success.
 *
 * Streams over files (source, sink, whole files) are in file_stream.c.
 */
#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/limits.h"

/* Between two tries for a lock that somebody has. */
#define LOCK_PAUSE_MS 10u

static int open_retrying(int dir_fd, const char *name, int flags, uint32_t mode)
{
    int fd;

    do {
        fd = openat(dir_fd, name, flags | O_CLOEXEC | O_NOCTTY, (mode_t)mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

enum lith_code lith_file_open(int dir_fd, const char *name, int *ret_fd, struct lith_err *err)
{
    struct lith_file_info info = {0}; /* gcc -O3 does not see that a success fills it */

    /* O_NONBLOCK: a FIFO of that name is refused below instead of waited for. */
    int fd = open_retrying(dir_fd, name, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return lith_fail_errno(err, errno, "open", name);
    enum lith_code code = lith_fd_stat(fd, &info, err);
    if (code == LITH_OK && !info.is_file)
        code = lith_fail(err, LITH_E_UNSUPPORTED,
                         info.is_directory ? "%s is a directory; a file is expected"
                                           : "%s is not a regular file",
                         name);
    if (code != LITH_OK) {
        lith_fd_close(fd);
        return code;
    }
    *ret_fd = fd;
    return LITH_OK;
}

enum lith_code lith_file_create(int dir_fd, const char *name, uint32_t mode, int *ret_fd,
                                struct lith_err *err)
{
    int fd = open_retrying(dir_fd, name, O_RDWR | O_CREAT | O_EXCL, mode);

    if (fd < 0)
        return lith_fail_errno(err, errno, "create", name);
    *ret_fd = fd;
    return LITH_OK;
}

enum lith_code lith_file_create_unnamed(const char *directory, int *ret_fd, struct lith_err *err)
{
    char path[PATH_MAX];
    int fd = open_retrying(AT_FDCWD, directory, O_RDWR | O_TMPFILE | O_EXCL, 0600);

    /* What file systems and kernels without O_TMPFILE answer. */
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        int bytes = snprintf(path, sizeof(path), "%s/lithify-XXXXXX", directory);
        if (bytes < 0 || (size_t)bytes >= sizeof(path))
            return lith_fail(err, LITH_E_INVALID, "scratch directory %s: a path of %d bytes",
                             directory, bytes);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            (void)unlink(path);
    }
    if (fd < 0)
        return lith_fail_errno(err, errno, "create a scratch file in", directory);
    *ret_fd = fd;
    return LITH_OK;
}

enum lith_code lith_dir_open(int dir_fd, const char *name, int *ret_fd, struct lith_err *err)
{
    int fd = open_retrying(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0)
        return lith_fail_errno(err, errno, "open directory", name);
    *ret_fd = fd;
    return LITH_OK;
}

enum lith_code lith_dir_reach(int dir_fd, const char *name, int *ret_fd, struct lith_err *err)
{
    int fd = open_retrying(dir_fd, name, O_PATH | O_DIRECTORY, 0);

    if (fd < 0)
        return lith_fail_errno(err, errno, "reach directory", name);
    *ret_fd = fd;
    return LITH_OK;
}

enum lith_code lith_dir_make(int dir_fd, const char *name, uint32_t mode, struct lith_err *err)
{
    if (mkdirat(dir_fd, name, (mode_t)mode) != 0)
        return lith_fail_errno(err, errno, "make directory", name);
    return LITH_OK;
}

void lith_fd_close(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* Linux frees the descriptor whatever it answers: never repeated */
}

static struct lith_file_info info_from(const struct stat *st)
{
    return (struct lith_file_info){
        .size = (uint64_t)st->st_size,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .changed_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
        .device = (uint64_t)st->st_dev,
        .inode = (uint64_t)st->st_ino,
        .links = (uint64_t)st->st_nlink,
        .mode = st->st_mode & 07777u,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .is_file = S_ISREG(st->st_mode),
        .is_directory = S_ISDIR(st->st_mode),
        .is_symlink = S_ISLNK(st->st_mode),
    };
}

enum lith_code lith_file_stat(int dir_fd, const char *name, bool follow,
                              struct lith_file_info *ret_info, struct lith_err *err)
{
    struct stat st;

    if (fstatat(dir_fd, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return lith_fail_errno(err, errno, "stat", name);
    *ret_info = info_from(&st);
    return LITH_OK;
}

enum lith_code lith_fd_stat(int fd, struct lith_file_info *ret_info, struct lith_err *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return lith_fail_errno(err, errno, "stat", "an open descriptor");
    *ret_info = info_from(&st);
    return LITH_OK;
}

enum lith_code lith_fd_space(int fd, const char *name, uint64_t *ret_free, uint64_t *ret_total,
                             struct lith_err *err)
{
    struct statvfs st;

    while (fstatvfs(fd, &st) != 0) {
        if (errno != EINTR)
            return lith_fail_errno(err, errno, "look at the file system of", name);
    }
    if (!lith_mul_u64(st.f_bavail, st.f_frsize, ret_free))
        *ret_free = UINT64_MAX;
    if (!lith_mul_u64(st.f_blocks, st.f_frsize, ret_total))
        *ret_total = UINT64_MAX;
    return LITH_OK;
}

/* Offsets of the system are signed: a range from outside must not turn negative. */
static bool range_fits(uint64_t offset, size_t bytes)
{
    return offset <= INT64_MAX && bytes <= (uint64_t)INT64_MAX - offset;
}

enum lith_code lith_fd_read(int fd, const char *name, uint64_t offset, void *to, size_t bytes,
                            struct lith_err *err)
{
    size_t done = 0;

    if (!range_fits(offset, bytes))
        return lith_fail(err, LITH_E_INVALID, "read %s: %zu bytes at offset %" PRIu64, name, bytes,
                         offset);
    while (done < bytes) {
        ssize_t got = pread(fd, (uint8_t *)to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lith_fail_errno(err, errno, "read", name);
        if (got == 0)
            return lith_fail(err, LITH_E_CORRUPT,
                             "read %s: the file became shorter: %zu bytes at offset %" PRIu64
                             " expected, it ends at %" PRIu64,
                             name, bytes, offset, offset + done);
        done += (size_t)got;
    }
    return LITH_OK;
}

static enum lith_code stream_read(int fd, const char *name, struct lith_buf *to,
                                  struct lith_err *err)
{
    for (;;) {
        LITH_TRY(lith_buf_reserve(to, to->bytes < to->capacity ? 1 : LITH_FILE_BUFFER_BYTES, err));
        ssize_t got = read(fd, to->data + to->bytes, to->capacity - to->bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lith_fail_errno(err, errno, "read", name);
        if (got == 0)
            return LITH_OK;
        to->bytes += (size_t)got;
    }
}

enum lith_code lith_stream_append(const char *path, struct lith_buf *to, struct lith_err *err)
{
    if (strcmp(path, "-") == 0)
        return stream_read(STDIN_FILENO, "the standard input", to, err);
    int fd = open_retrying(AT_FDCWD, path, O_RDONLY, 0);
    if (fd < 0)
        return lith_fail_errno(err, errno, "open", path);
    enum lith_code code = stream_read(fd, path, to, err);
    lith_fd_close(fd);
    return code;
}

enum lith_code lith_fd_write(int fd, const char *name, uint64_t offset, const void *from,
                             size_t bytes, struct lith_err *err)
{
    size_t done = 0;

    if (!range_fits(offset, bytes))
        return lith_fail(err, LITH_E_INVALID, "write %s: %zu bytes at offset %" PRIu64, name, bytes,
                         offset);
    while (done < bytes) {
        ssize_t put =
            pwrite(fd, (const uint8_t *)from + done, bytes - done, (off_t)(offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return lith_fail_errno(err, errno, "write", name);
        if (put == 0)
            return lith_fail(err, LITH_E_IO,
                             "write %s: %zu of %zu bytes at offset %" PRIu64 ", then none", name,
                             done, bytes, offset);
        done += (size_t)put;
    }
    return LITH_OK;
}

void lith_fd_writeback(int fd, uint64_t offset, uint64_t bytes)
{
    if (range_fits(offset, bytes))
        (void)sync_file_range(fd, (off_t)offset, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
}

enum lith_code lith_path_real(const char *name, char ret_real[PATH_MAX], struct lith_err *err)
{
    if (!realpath(name, ret_real))
        return lith_fail_errno(err, errno, "resolve", name);
    return LITH_OK;
}

enum lith_code lith_stream_flush(FILE *stream, const char *name, struct lith_err *err)
{
    if (fflush(stream) != 0)
        return lith_fail_errno(err, errno, "write", name);
    return ferror(stream) ? lith_fail(err, LITH_E_IO, "write %s: it failed before", name) : LITH_OK;
}

enum lith_code lith_fd_sync(int fd, const char *name, struct lith_err *err)
{
    if (fsync(fd) == 0)
        return LITH_OK;
    int error = errno;
    if (error == EINVAL || error == ENOSYS || error == EOPNOTSUPP)
        return lith_fail(err, LITH_E_UNSUPPORTED, "fsync %s: this file system refuses it: %s", name,
                         strerror(error));
    return lith_fail_errno(err, error, "fsync", name);
}

enum lith_code lith_file_rename(int dir_fd, const char *from, const char *to, struct lith_err *err)
{
    if (renameat(dir_fd, from, dir_fd, to) != 0)
        return lith_fail_errno(err, errno, "rename", from);
    return LITH_OK;
}

enum lith_code lith_file_rename_new(int dir_fd, const char *from, const char *to,
                                    struct lith_err *err)
{
    if (renameat2(dir_fd, from, dir_fd, to, RENAME_NOREPLACE) == 0)
        return LITH_OK;
    /* Network file systems do not know the flag; a link never replaces either. */
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) {
        if (linkat(dir_fd, from, dir_fd, to, 0) == 0)
            return lith_file_unlink(dir_fd, from, err);
    }
    return lith_fail_errno(err, errno, "rename", from);
}

enum lith_code lith_file_unlink(int dir_fd, const char *name, struct lith_err *err)
{
    if (unlinkat(dir_fd, name, 0) != 0)
        return lith_fail_errno(err, errno, "unlink", name);
    return LITH_OK;
}

/* Who may not give a file away gets EPERM; an id this user namespace does not map is EINVAL. */
static bool change_owner(int fd, uid_t uid, gid_t gid)
{
    return fchown(fd, uid, gid) == 0 || errno == EPERM || errno == EINVAL;
}

enum lith_code lith_fd_own(int fd, const char *name, uid_t uid, gid_t gid, uint32_t mode,
                           struct lith_err *err)
{
    /* The group alone first: its members may set it where only root may set the owner. */
    if (!change_owner(fd, (uid_t)-1, gid) || !change_owner(fd, uid, (gid_t)-1))
        return lith_fail_errno(err, errno, "change the owner of", name);
    /* After the owner, since a change of owner clears bits of the mode. */
    if (fchmod(fd, (mode_t)mode) != 0)
        return lith_fail_errno(err, errno, "change the mode of", name);
    return LITH_OK;
}

enum lith_code lith_fd_lock_try(int fd, const char *name, struct lith_err *err)
{
    int failed;

    do {
        failed = flock(fd, LOCK_EX | LOCK_NB);
    } while (failed && errno == EINTR);
    if (!failed)
        return LITH_OK;
    int error = errno;
    if (error == EWOULDBLOCK)
        return lith_fail(err, LITH_E_CONFLICT, "lock %s: another program has it", name);
    /* NFS wants a writable descriptor for an exclusive lock (EBADF), or has no lock service. */
    if (error == EOPNOTSUPP || error == ENOSYS || error == ENOLCK || error == EBADF ||
        error == EINVAL)
        return lith_fail(err, LITH_E_UNSUPPORTED, "lock %s: this file system refuses it: %s", name,
                         strerror(error));
    return lith_fail_errno(err, error, "lock", name);
}

/* A blocking flock would wait for ever for a holder that is stopped, and no signal would end it. */
enum lith_code lith_fd_lock(int fd, const char *name, unsigned wait_ms, struct lith_err *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000};

    for (unsigned waited_ms = 0;; waited_ms += LOCK_PAUSE_MS) {
        enum lith_code code = lith_fd_lock_try(fd, name, err);
        if (code != LITH_E_CONFLICT)
            return code;
        if (waited_ms >= wait_ms)
            return lith_fail(err, LITH_E_TRANSIENT,
                             "lock %s: another program has held it for %u ms; run again", name,
                             wait_ms);
        (void)nanosleep(&pause, NULL);
    }
}

void lith_fd_unlock(int fd)
{
    (void)flock(fd, LOCK_UN);
}

static enum lith_code list_each(DIR *dir, const char *name,
                                enum lith_code (*each)(void *ctx, const char *entry,
                                                       struct lith_err *err),
                                void *ctx, struct lith_err *err)
{
    for (;;) {
        errno = 0; /* readdir tells the end from a failure by errno alone */
        const struct dirent *entry = readdir(dir);
        if (!entry && errno)
            return lith_fail_errno(err, errno, "list directory", name);
        if (!entry)
            return LITH_OK;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            LITH_TRY(each(ctx, entry->d_name, err));
    }
}

enum lith_code lith_dir_list(int dir_fd, const char *name,
                             enum lith_code (*each)(void *ctx, const char *entry,
                                                    struct lith_err *err),
                             void *ctx, struct lith_err *err)
{
    int fd;

    LITH_TRY(lith_dir_open(dir_fd, name, &fd, err));
    DIR *dir = fdopendir(fd);
    if (!dir) {
        int error = errno;
        lith_fd_close(fd);
        return lith_fail_errno(err, error, "list directory", name);
    }
    enum lith_code code = list_each(dir, name, each, ctx, err);
    (void)closedir(dir);
    return code;
}
