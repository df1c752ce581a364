/*
 * Streams over files: a whole file at once, the source over a file, the buffered sink.
 *
 * The sink keeps one buffer in front of the descriptor; its position in the file is always
 * `written - buffered`, so a failed write leaves nothing to undo. What does not fit the buffer
 * goes out directly, without a copy.
 */
#include "base/file.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"

static enum lith_code read_whole(int fd, const char *name, size_t limit, struct lith_mem *mem,
                                 uint8_t **ret_data, size_t *ret_bytes, struct lith_err *err)
{
    struct lith_file_info info;
    size_t sum;
    void *data;

    LITH_TRY(lith_fd_stat(fd, &info, err));
    if (info.size > limit)
        return lith_fail(err, LITH_E_LIMIT, "read %s: %" PRIu64 " bytes, at most %zu expected",
                         name, info.size, limit);
    if (!lith_add_size((size_t)info.size, 1, &sum))
        return lith_fail(err, LITH_E_LIMIT, "read %s: %" PRIu64 " bytes", name, info.size);
    LITH_TRY(lith_alloc(mem, sum, &data, err));
    enum lith_code code = lith_fd_read(fd, name, 0, data, (size_t)info.size, err);
    if (code != LITH_OK) {
        lith_free(data);
        return code;
    }
    ((uint8_t *)data)[info.size] = 0;
    *ret_data = data;
    *ret_bytes = (size_t)info.size;
    return LITH_OK;
}

enum lith_code lith_file_read_all(int dir_fd, const char *name, size_t limit, struct lith_mem *mem,
                                  uint8_t **ret_data, size_t *ret_bytes, struct lith_err *err)
{
    int fd;

    LITH_TRY(lith_file_open(dir_fd, name, &fd, err));
    enum lith_code code = read_whole(fd, name, limit, mem, ret_data, ret_bytes, err);
    lith_fd_close(fd);
    return code;
}

struct file_source {
    struct lith_source base;
    int fd;
    char name[]; /* zero-terminated */
};

static enum lith_code source_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                  struct lith_err *err)
{
    struct file_source *source = (struct file_source *)base;

    return lith_fd_read(source->fd, source->name, offset, to, bytes, err);
}

static void source_close(struct lith_source *base)
{
    struct file_source *source = (struct file_source *)base;

    lith_fd_close(source->fd);
    lith_free(source);
}

static enum lith_code source_fill(struct file_source *source, int dir_fd, const char *name,
                                  struct lith_err *err)
{
    static const struct lith_source_ops ops = {
        .read = source_read, .close = source_close, .is_shareable = true};
    struct lith_file_info info;
    int fd;

    LITH_TRY(lith_file_open(dir_fd, name, &fd, err));
    enum lith_code code = lith_fd_stat(fd, &info, err);
    if (code != LITH_OK) {
        lith_fd_close(fd);
        return code;
    }
    source->base = (struct lith_source){.ops = &ops, .size = info.size};
    source->fd = fd;
    return LITH_OK;
}

enum lith_code lith_file_source_open(int dir_fd, const char *name, struct lith_mem *mem,
                                     struct lith_source **ret_source, struct lith_err *err)
{
    size_t name_bytes = strlen(name) + 1;
    void *block;

    LITH_TRY(lith_alloc(mem, sizeof(struct file_source) + name_bytes, &block, err));
    struct file_source *source = block;
    memcpy(source->name, name, name_bytes);
    enum lith_code code = source_fill(source, dir_fd, name, err);
    if (code != LITH_OK) {
        lith_free(source);
        return code;
    }
    *ret_source = &source->base;
    return LITH_OK;
}

/* Tells the system of what was written since the last time, once it is worth it. */
static void sink_writeback(struct lith_file_sink *sink, uint64_t end)
{
    if (end - sink->written_back < LITH_WRITEBACK_BYTES)
        return;
    lith_fd_writeback(sink->fd, sink->written_back, end - sink->written_back);
    sink->written_back = end;
}

static enum lith_code sink_write(struct lith_sink *base, const void *from, size_t bytes,
                                 struct lith_err *err)
{
    struct lith_file_sink *sink = (struct lith_file_sink *)base;

    if (bytes > LITH_FILE_BUFFER_BYTES - sink->buffered)
        LITH_TRY(lith_file_sink_flush(sink, err));
    if (bytes > LITH_FILE_BUFFER_BYTES) {
        LITH_TRY(lith_fd_write(sink->fd, sink->name, base->written, from, bytes, err));
        sink_writeback(sink, base->written + bytes);
    } else {
        memcpy(sink->buffer + sink->buffered, from, bytes);
        sink->buffered += bytes;
    }
    if (sink->wants_crc)
        sink->crc = lith_crc32(sink->crc, from, bytes);
    return LITH_OK;
}

enum lith_code lith_file_sink_init(struct lith_file_sink *sink, int fd, const char *name,
                                   struct lith_mem *mem, struct lith_err *err)
{
    static const struct lith_sink_ops ops = {.write = sink_write};
    void *buffer;

    LITH_TRY(lith_alloc(mem, LITH_FILE_BUFFER_BYTES, &buffer, err));
    *sink = (struct lith_file_sink){.base.ops = &ops, .fd = fd, .name = name, .buffer = buffer};
    return LITH_OK;
}

enum lith_code lith_file_sink_flush(struct lith_file_sink *sink, struct lith_err *err)
{
    uint64_t offset = sink->base.written - sink->buffered;

    LITH_TRY(lith_fd_write(sink->fd, sink->name, offset, sink->buffer, sink->buffered, err));
    sink->buffered = 0;
    sink_writeback(sink, sink->base.written);
    return LITH_OK;
}

void lith_file_sink_done(struct lith_file_sink *sink)
{
    lith_free(sink->buffer);
    sink->buffer = NULL;
    sink->buffered = 0;
}
