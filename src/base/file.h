/*
 * Files of the local system: the only place that sees descriptors' errno.
 *
 * All names are relative to an open directory descriptor (AT_FDCWD for paths), so that a
 * directory swapped meanwhile is noticed, not followed. EINTR and short transfers are handled.
 */
#ifndef LITH_BASE_FILE_H
#define LITH_BASE_FILE_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/source.h"

/* What is known of a file. Times are nanoseconds since the epoch. */
struct lith_file_info {
    uint64_t size;
    int64_t mtime_ns;
    int64_t changed_ns; /* of its contents, names or looks; no program can set it */
    uint64_t device;
    uint64_t inode;
    uint64_t links; /* names that it has */
    uint32_t mode;  /* permission bits */
    uid_t uid;
    gid_t gid;
    bool is_file;
    bool is_directory;
    bool is_symlink; /* only from lith_file_stat with follow = false */
};

/* Opens an existing file for reading; not a regular file is UNSUPPORTED. */
LITH_MUST_CHECK enum lith_code lith_file_open(int dir_fd, const char *name, int *ret_fd,
                                              struct lith_err *err);
/* Creates a file that must not exist yet (CONFLICT), for writing and reading. */
LITH_MUST_CHECK enum lith_code lith_file_create(int dir_fd, const char *name, uint32_t mode,
                                                int *ret_fd, struct lith_err *err);
/* Creates a file without a name (O_TMPFILE, else unlinked at once), so that a crash leaves none. */
LITH_MUST_CHECK enum lith_code lith_file_create_unnamed(const char *directory, int *ret_fd,
                                                        struct lith_err *err);
/* Opens a directory. */
LITH_MUST_CHECK enum lith_code lith_dir_open(int dir_fd, const char *name, int *ret_fd,
                                             struct lith_err *err);
/* Likewise to look at names in it alone: one that may be passed, but not listed, is enough. */
LITH_MUST_CHECK enum lith_code lith_dir_reach(int dir_fd, const char *name, int *ret_fd,
                                              struct lith_err *err);
/* Makes a directory that must not exist yet (CONFLICT). */
LITH_MUST_CHECK enum lith_code lith_dir_make(int dir_fd, const char *name, uint32_t mode,
                                             struct lith_err *err);
/* The absolute path of what a name leads to, without links, dots or doubled slashes. */
LITH_MUST_CHECK enum lith_code lith_path_real(const char *name, char ret_real[PATH_MAX],
                                              struct lith_err *err);
/* Hands on what a stream holds back. Fails, too, where an earlier write to it has failed. */
LITH_MUST_CHECK enum lith_code lith_stream_flush(FILE *stream, const char *name,
                                                 struct lith_err *err);
/* Closes; a negative fd is a no-op. For written files check lith_fd_sync first. */
void lith_fd_close(int fd);

LITH_MUST_CHECK enum lith_code lith_file_stat(int dir_fd, const char *name, bool follow,
                                              struct lith_file_info *ret_info,
                                              struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_fd_stat(int fd, struct lith_file_info *ret_info,
                                            struct lith_err *err);

/* What the file system of a descriptor has room for: bytes that this user may still write, and all
 * that there are. */
LITH_MUST_CHECK enum lith_code lith_fd_space(int fd, const char *name, uint64_t *ret_free,
                                             uint64_t *ret_total, struct lith_err *err);

/* Reads exactly `bytes`; fewer in the file is CORRUPT ("the file became shorter"). `name` is for
 * the text of the error. */
LITH_MUST_CHECK enum lith_code lith_fd_read(int fd, const char *name, uint64_t offset, void *to,
                                            size_t bytes, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_fd_write(int fd, const char *name, uint64_t offset,
                                             const void *from, size_t bytes, struct lith_err *err);

/* Asks the system to begin writing a range to disk, without waiting. It is free not to. */
void lith_fd_writeback(int fd, uint64_t offset, uint64_t bytes);

/* fsync of a file or a directory. A failure is final for that file: never try it again. */
LITH_MUST_CHECK enum lith_code lith_fd_sync(int fd, const char *name, struct lith_err *err);

LITH_MUST_CHECK enum lith_code lith_file_rename(int dir_fd, const char *from, const char *to,
                                                struct lith_err *err);
/* The same, but never over an existing file: CONFLICT. */
LITH_MUST_CHECK enum lith_code lith_file_rename_new(int dir_fd, const char *from, const char *to,
                                                    struct lith_err *err);
/* Removes a file; NOT_FOUND when it is not there. */
LITH_MUST_CHECK enum lith_code lith_file_unlink(int dir_fd, const char *name, struct lith_err *err);
/* Sets owner, group and mode; EPERM of the owner change is not a failure (only root may). */
LITH_MUST_CHECK enum lith_code lith_fd_own(int fd, const char *name, uid_t uid, gid_t gid,
                                           uint32_t mode, struct lith_err *err);
/* Takes an exclusive advisory lock (flock). UNSUPPORTED where refused; TRANSIENT where somebody
 * still has it after `wait_ms`. */
LITH_MUST_CHECK enum lith_code lith_fd_lock(int fd, const char *name, unsigned wait_ms,
                                            struct lith_err *err);
/* The same without waiting: CONFLICT where another descriptor has it. */
LITH_MUST_CHECK enum lith_code lith_fd_lock_try(int fd, const char *name, struct lith_err *err);
void lith_fd_unlock(int fd);

/* A whole file, with a zero byte behind it, taken from `mem`. More than `limit` is LIMIT. */
LITH_MUST_CHECK enum lith_code lith_file_read_all(int dir_fd, const char *name, size_t limit,
                                                  struct lith_mem *mem, uint8_t **ret_data,
                                                  size_t *ret_bytes, struct lith_err *err);

/* Appends all that a path gives, which may be a pipe; `-` is the standard input. LIMIT by the
 * buffer. */
LITH_MUST_CHECK enum lith_code lith_stream_append(const char *path, struct lith_buf *to,
                                                  struct lith_err *err);

/* Calls `each` for every entry of a directory except . and .., in no order. A failure of `each`
 * ends the walk and is returned. */
LITH_MUST_CHECK enum lith_code lith_dir_list(int dir_fd, const char *name,
                                             enum lith_code (*each)(void *ctx, const char *entry,
                                                                    struct lith_err *err),
                                             void *ctx, struct lith_err *err);

/* A source over a file; lith_source_close closes the descriptor. `name` is copied. */
LITH_MUST_CHECK enum lith_code lith_file_source_open(int dir_fd, const char *name,
                                                     struct lith_mem *mem,
                                                     struct lith_source **ret_source,
                                                     struct lith_err *err);

/* A sink that writes an open descriptor from offset 0 on, through a buffer; the descriptor stays
 * the owner's. */
struct lith_file_sink {
    struct lith_sink base;
    int fd;
    const char *name; /* borrowed, for errors */
    uint8_t *buffer;
    size_t buffered;
    uint64_t written_back; /* so far the system was asked to write to disk */
    bool wants_crc;        /* set by who wants it, before the first byte */
    uint32_t crc;          /* CRC-32 of all bytes written so far, if wanted */
};
LITH_MUST_CHECK enum lith_code lith_file_sink_init(struct lith_file_sink *sink, int fd,
                                                   const char *name, struct lith_mem *mem,
                                                   struct lith_err *err);
/* Writes what is still buffered. */
LITH_MUST_CHECK enum lith_code lith_file_sink_flush(struct lith_file_sink *sink,
                                                    struct lith_err *err);
void lith_file_sink_done(struct lith_file_sink *sink);

#endif
