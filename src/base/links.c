/*
 * Hard links, moves, exchanges, and the looks of directories.
 *
 * What a file system cannot do is UNSUPPORTED, so that callers tell it from what went wrong.
 */
#include "base/links.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/limits.h"

static bool is_not_supported(int error)
{
    return error == EXDEV || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP ||
           error == EMLINK;
}

/* Of one call on two names: what it was to do, and with which. */
static enum lith_code two_names_failed(int error, const char *what, const char *name,
                                       struct lith_err *err)
{
    if (is_not_supported(error))
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s %s: %s", what, name,
                         error == EXDEV ? "not on one file system" : strerror(error));
    return lith_fail_errno(err, error, what, name);
}

enum lith_code lith_file_link(int from_fd, const char *from, int to_fd, const char *to,
                              struct lith_err *err)
{
    if (linkat(from_fd, from, to_fd, to, 0) == 0)
        return LITH_OK;
    int error = errno;
    if (error == EPERM)
        return lith_fail(err, LITH_E_DENIED,
                         "link %s: not permitted: run as its owner, or as one who may write to it",
                         from);
    return two_names_failed(error, "link", from, err);
}

bool lith_file_may_link(int dir_fd, const char *name, const struct lith_file_info *info)
{
    uid_t own = geteuid();

    return own == 0 || info->uid == own || faccessat(dir_fd, name, R_OK | W_OK, AT_EACCESS) == 0 ||
           errno != EACCES;
}

enum lith_code lith_file_move_new(int from_fd, const char *from, int to_fd, const char *to,
                                  struct lith_err *err)
{
    if (renameat2(from_fd, from, to_fd, to, RENAME_NOREPLACE) == 0)
        return LITH_OK;
    return two_names_failed(errno, "rename", from, err);
}

enum lith_code lith_file_exchange(int a_fd, const char *a, int b_fd, const char *b,
                                  struct lith_err *err)
{
    if (renameat2(a_fd, a, b_fd, b, RENAME_EXCHANGE) == 0)
        return LITH_OK;
    return two_names_failed(errno, "exchange", a, err);
}

enum lith_code lith_dir_remove(int dir_fd, const char *name, struct lith_err *err)
{
    if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
        return LITH_OK;
    int error = errno;
    if (error == ENOTEMPTY || error == EEXIST)
        return lith_fail(err, LITH_E_CONFLICT, "remove directory %s: it is not empty", name);
    return lith_fail_errno(err, error, "remove directory", name);
}

bool lith_dir_may_change(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Many groups are rare: a list that does not fit counts as none. */
#define GROUPS_MAX 1024

bool lith_may_give(uid_t uid, gid_t gid)
{
    gid_t groups[GROUPS_MAX];

    if (geteuid() == 0)
        return true;
    if (uid != geteuid())
        return false;
    if (gid == getegid())
        return true;
    int count = getgroups(GROUPS_MAX, groups);
    for (int i = 0; i < count; i++) {
        if (groups[i] == gid)
            return true;
    }
    return false;
}

/* The kernel's bounds of a list of names and of a value: 64 KiB each. */
#define ATTRIBUTE_BYTES_MAX ((size_t)64 << 10)

/* Names of extended attributes, each with a zero byte behind it. A file system without any has
 * none. `names` has room for ATTRIBUTE_BYTES_MAX. */
static enum lith_code names_list(int fd, const char *name, char *names, size_t *ret_bytes,
                                 struct lith_err *err)
{
    ssize_t bytes = flistxattr(fd, names, ATTRIBUTE_BYTES_MAX);

    *ret_bytes = 0;
    if (bytes < 0 && errno != EOPNOTSUPP)
        return lith_fail_errno(err, errno, "list the attributes of", name);
    if (bytes > 0)
        *ret_bytes = (size_t)bytes;
    return LITH_OK;
}

static bool names_have(const char *names, size_t bytes, const char *wanted)
{
    for (size_t at = 0; at < bytes; at += strlen(names + at) + 1) {
        if (strcmp(names + at, wanted) == 0)
            return true;
    }
    return false;
}

/* Room for what is looked at, one kind after the other. */
struct attributes {
    char model_names[ATTRIBUTE_BYTES_MAX];
    char own_names[ATTRIBUTE_BYTES_MAX];
    char value[ATTRIBUTE_BYTES_MAX];
    char own_value[ATTRIBUTE_BYTES_MAX];
    size_t model_bytes;
    size_t own_bytes;
};

/* What a new directory took over from the one it was made in, and the model has not. Those of the
 * system's own security stay: nobody may take them away. */
static enum lith_code extra_remove(int fd, const char *name, const struct attributes *a,
                                   struct lith_err *err)
{
    for (size_t at = 0; at < a->own_bytes; at += strlen(a->own_names + at) + 1) {
        const char *attribute = a->own_names + at;
        if (names_have(a->model_names, a->model_bytes, attribute) ||
            strncmp(attribute, "security.", strlen("security.")) == 0)
            continue;
        if (fremovexattr(fd, attribute) != 0 && errno != ENODATA) {
            int error = errno;
            return lith_fail(err, LITH_E_DENIED, "take the attribute %s from %s: %s", attribute,
                             name, strerror(error));
        }
    }
    return LITH_OK;
}

static enum lith_code value_copy(int fd, const char *name, int model_fd, const char *attribute,
                                 struct attributes *a, struct lith_err *err)
{
    ssize_t bytes = fgetxattr(model_fd, attribute, a->value, sizeof(a->value));

    if (bytes < 0 && errno == ENODATA)
        return LITH_OK; /* taken away meanwhile */
    if (bytes < 0)
        return lith_fail_errno(err, errno, "read an attribute of the directory that stands for",
                               name);
    ssize_t own = fgetxattr(fd, attribute, a->own_value, sizeof(a->own_value));
    if (own == bytes && memcmp(a->value, a->own_value, (size_t)bytes) == 0)
        return LITH_OK;
    if (fsetxattr(fd, attribute, a->value, (size_t)bytes, 0) != 0) {
        int error = errno;
        return lith_fail(err, LITH_E_DENIED, "give %s the attribute %s: %s", name, attribute,
                         strerror(error));
    }
    return LITH_OK;
}

static enum lith_code attributes_copy(int fd, const char *name, int model_fd, struct attributes *a,
                                      struct lith_err *err)
{
    for (size_t at = 0; at < a->model_bytes; at += strlen(a->model_names + at) + 1)
        LITH_TRY(value_copy(fd, name, model_fd, a->model_names + at, a, err));
    return LITH_OK;
}

/* The owner may be one to whom this program may not give anything: seen here, not trusted. */
static enum lith_code looks_check(int fd, const char *name, const struct lith_file_info *model,
                                  struct lith_err *err)
{
    struct lith_file_info info;

    LITH_TRY(lith_fd_stat(fd, &info, err));
    if (info.uid == model->uid && info.gid == model->gid && info.mode == model->mode)
        return LITH_OK;
    return lith_fail(err, LITH_E_DENIED,
                     "%s: owner %u, group %u and mode %03o cannot be given to a directory (it has "
                     "%u, %u and %03o then); run as that owner",
                     name, model->uid, model->gid, model->mode, info.uid, info.gid, info.mode);
}

enum lith_code lith_dir_look_like(int dir_fd, const char *name, int model_fd, struct lith_mem *mem,
                                  struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    struct lith_file_info model;

    LITH_TRY(lith_alloc(mem, sizeof(struct attributes), &block, err));
    struct attributes *a = block;
    LITH_TRY(lith_fd_stat(model_fd, &model, err));
    LITH_TRY(names_list(model_fd, name, a->model_names, &a->model_bytes, err));
    LITH_TRY(names_list(dir_fd, name, a->own_names, &a->own_bytes, err));
    LITH_TRY(extra_remove(dir_fd, name, a, err));
    /* The mode before the ACLs: they say more, and set its bits to what the model's are. */
    LITH_TRY(lith_fd_own(dir_fd, name, model.uid, model.gid, model.mode, err));
    LITH_TRY(attributes_copy(dir_fd, name, model_fd, a, err));
    return looks_check(dir_fd, name, &model, err);
}
