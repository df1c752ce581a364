/*
 * New files: NAME.tmp, fsync, read back by the caller, rename, fsync of the directory.
 *
 * Owner, group and mode follow the inputs and are never narrower than any of them: whoever could
 * read an input can read the output, or it is not made.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "store/local_folder.h"

#define OUTPUT_NAME_BYTES 300

struct local_output {
    struct lith_output base;
    struct lith_file_sink sink;
    struct lith_throttled_sink slow; /* in front of it, where the folder has a throttle */
    int fd;       /* until it is sealed: a job may have more outputs than descriptors */
    bool written; /* NAME.tmp is there, and ours */
    struct lith_file_info like;   /* owner, group, mode */
    struct lith_file_info sealed; /* what is read back, and published */
    char name[OUTPUT_NAME_BYTES];
    char tmp[OUTPUT_NAME_BYTES + 4];
};

/* Group bits that give more than the bits of others do: they depend on which group it is. */
static bool group_matters(const struct lith_file_info *info)
{
    return ((info->mode >> 3) & 7u & ~(info->mode & 7u)) != 0;
}

/* Read by the owner, not by the group: it depends on who owns it. */
static bool owner_matters(const struct lith_file_info *info)
{
    return (info->mode & 0400u) && !(info->mode & 0040u);
}

static enum lith_code look_like(const struct lith_local_folder *front,
                                const struct lith_output_options *options,
                                struct lith_file_info *ret_like, struct lith_err *err)
{
    struct lith_file_info like = {.uid = (uid_t)-1, .gid = (gid_t)-1, .mode = 0644};

    for (size_t i = 0; i < options->like_count; i++) {
        struct lith_file_info info;
        LITH_TRY(lith_file_stat(front->fd, options->like_names[i], true, &info, err));
        info.mode &= 0777u;
        if (i == 0) {
            like = info;
            continue;
        }
        if (info.gid != like.gid && (group_matters(&info) || group_matters(&like)))
            return lith_fail(err, LITH_E_DENIED,
                             "%s belongs to group %u, %s to group %u: one file cannot keep both "
                             "readable; give them one group",
                             options->like_names[0], like.gid, options->like_names[i], info.gid);
        if (info.uid != like.uid && (owner_matters(&info) || owner_matters(&like)))
            return lith_fail(err, LITH_E_DENIED,
                             "%s belongs to user %u, %s to user %u: one file cannot keep both "
                             "readable; let their group read them",
                             options->like_names[0], like.uid, options->like_names[i], info.uid);
        like.mode |= info.mode;
    }
    *ret_like = like;
    return LITH_OK;
}

/* A zeroed output with its names; the caller opens it. */
static enum lith_code output_alloc(struct lith_folder *folder, const char *name,
                                   struct local_output **ret_output, struct lith_err *err)
{
    void *block = NULL;

    if (strlen(name) >= OUTPUT_NAME_BYTES)
        return lith_fail(err, LITH_E_INVALID, "%s: the name is too long", name);
    LITH_TRY(lith_alloc(folder->store->mem, sizeof(struct local_output), &block, err));
    struct local_output *output = block;
    memset(output, 0, sizeof(*output));
    output->fd = -1;
    (void)snprintf(output->name, sizeof(output->name), "%s", name);
    (void)snprintf(output->tmp, sizeof(output->tmp), "%s.tmp", name);
    output->base.folder = folder;
    output->base.name = output->name;
    *ret_output = output;
    return LITH_OK;
}

enum lith_code lith_local_output_new_like(struct lith_folder *base,
                                          const struct lith_local_folder *front,
                                          const struct lith_output_options *options,
                                          struct lith_output **ret_output, struct lith_err *err)
{
    struct lith_local_folder *folder = lith_local_folder(base);
    struct local_output *output = NULL;
    struct lith_file_info taken;

    enum lith_code code = lith_file_stat(folder->fd, options->name, false, &taken, err);
    if (code == LITH_OK)
        return lith_fail(err, LITH_E_CONFLICT, "%s exists already", options->name);
    if (code != LITH_E_NOT_FOUND)
        return code;
    LITH_TRY(output_alloc(base, options->name, &output, err));
    code = look_like(front, options, &output->like, err);
    if (code == LITH_OK)
        code = lith_file_create(folder->fd, output->tmp, 0600, &output->fd, err);
    output->written = code == LITH_OK;
    if (code == LITH_OK)
        code = lith_file_sink_init(&output->sink, output->fd, output->tmp, base->store->mem, err);
    if (code != LITH_OK) {
        lith_local_output_free(&output->base);
        return code;
    }
    output->sink.wants_crc = true; /* the manifest knows files by it */
    output->base.sink = &output->sink.base;
    if (folder->throttle) {
        lith_throttled_sink_init(&output->slow, &output->sink.base, folder->throttle);
        output->base.sink = &output->slow.base;
    }
    lith_local_step(base, LITH_STEP_OUTPUT_CREATED);
    *ret_output = &output->base;
    return LITH_OK;
}

enum lith_code lith_local_output_new(struct lith_folder *base,
                                     const struct lith_output_options *options,
                                     struct lith_output **ret_output, struct lith_err *err)
{
    return lith_local_output_new_like(base, lith_local_folder(base), options, ret_output, err);
}

static enum lith_code own(struct local_output *output, struct lith_err *err)
{
    const struct lith_file_info *like = &output->like;
    struct lith_file_info info;

    LITH_TRY(lith_fd_own(output->fd, output->tmp, like->uid, like->gid, like->mode, err));
    LITH_TRY(lith_fd_stat(output->fd, &info, err));
    if (like->gid != (gid_t)-1 && info.gid != like->gid && group_matters(like))
        return lith_fail(err, LITH_E_DENIED,
                         "the inputs are readable by group %u, which this program may not give to "
                         "a file; run it as a member of that group",
                         like->gid);
    if (like->uid != (uid_t)-1 && info.uid != like->uid && owner_matters(like))
        return lith_fail(err, LITH_E_DENIED,
                         "the inputs are readable by user %u, to whom this program may not give "
                         "a file; run it as that user",
                         like->uid);
    return LITH_OK;
}

enum lith_code lith_local_output_seal(struct lith_output *base, struct lith_err *err)
{
    struct local_output *output = (struct local_output *)base;

    LITH_TRY(lith_file_sink_flush(&output->sink, err));
    LITH_TRY(own(output, err));
    lith_local_step(base->folder, LITH_STEP_OUTPUT_WRITTEN);
    if (!lith_guard_is_out(LITH_GUARD_SYNC_FIRST))
        LITH_TRY(lith_fd_sync(output->fd, output->tmp, err));
    lith_local_step(base->folder, LITH_STEP_OUTPUT_SYNCED);
    LITH_TRY(lith_fd_stat(output->fd, &output->sealed, err));
    base->crc = output->sink.crc;
    base->size = output->sink.base.written;
    base->sink = NULL;
    lith_file_sink_done(&output->sink);
    lith_fd_close(output->fd);
    output->fd = -1;
    base->read_name = output->tmp;
    return LITH_OK;
}

enum lith_code lith_local_output_publish(struct lith_output *base, struct lith_arena *arena,
                                         struct lith_object *ret_object, struct lith_err *err)
{
    struct local_output *output = (struct local_output *)base;
    struct lith_local_folder *folder = lith_local_folder(base->folder);
    struct lith_file_info info;
    struct lith_object object;

    LITH_TRY(lith_file_stat(folder->fd, output->tmp, false, &info, err));
    if (info.size != base->size)
        return lith_fail(err, LITH_E_CORRUPT, "%s has %llu bytes, %llu were written", output->tmp,
                         (unsigned long long)info.size, (unsigned long long)base->size);
    LITH_TRY(lith_local_object(output->name, &info, false, arena, &object, err));
    if (info.inode != output->sealed.inode || info.mtime_ns != output->sealed.mtime_ns)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s was written to by another program after it was read back; run again",
                         output->tmp);
    lith_local_step(base->folder, LITH_STEP_OUTPUT_PUBLISH);
    LITH_TRY(lith_file_rename_new(folder->fd, output->tmp, output->name, err));
    output->written = false;
    lith_local_step(base->folder, LITH_STEP_OUTPUT_RENAMED);
    LITH_TRY(lith_fd_sync(folder->fd, folder->full, err));
    lith_local_step(base->folder, LITH_STEP_OUTPUT_DURABLE);
    *ret_object = object;
    return LITH_OK;
}

void lith_local_output_free(struct lith_output *base)
{
    struct local_output *output = (struct local_output *)base;
    struct lith_err ignored;

    if (output->sink.buffer)
        lith_file_sink_done(&output->sink);
    if (output->written)
        (void)!lith_file_unlink(lith_local_folder(base->folder)->fd, output->tmp, &ignored);
    lith_fd_close(output->fd);
    lith_free(output);
}
