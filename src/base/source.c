/*
 * Byte sources and sinks: range checks in one place, and the source over memory.
 */
#include "base/source.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"

enum lith_code lith_source_read(struct lith_source *source, uint64_t offset, void *to, size_t bytes,
                                struct lith_err *err)
{
    if (offset > source->size || bytes > source->size - offset)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%zu bytes at offset %" PRIu64 " pass the end at %" PRIu64, bytes, offset,
                         source->size);
    return bytes ? source->ops->read(source, offset, to, bytes, err) : LITH_OK;
}

const uint8_t *lith_source_view(struct lith_source *source, uint64_t offset, size_t bytes)
{
    if (!source->ops->view || bytes == 0 || offset > source->size || bytes > source->size - offset)
        return NULL;
    return source->ops->view(source, offset, bytes);
}

enum lith_code lith_source_get(struct lith_source *source, uint64_t offset, size_t bytes,
                               struct lith_buf *room, const uint8_t **ret_data,
                               struct lith_err *err)
{
    const uint8_t *data = lith_source_view(source, offset, bytes);

    if (!data) {
        lith_buf_clear(room);
        LITH_TRY(lith_buf_reserve(room, bytes, err));
        LITH_TRY(lith_source_read(source, offset, room->data, bytes, err));
        data = room->data;
    }
    *ret_data = data;
    return LITH_OK;
}

enum lith_code lith_source_crc32(struct lith_source *source, struct lith_mem *mem,
                                 uint32_t *ret_crc, struct lith_err *err)
{
    LITH_AUTO(block) void *buffer = NULL;
    uint32_t crc = 0;

    LITH_TRY(lith_alloc(mem, LITH_FILE_BUFFER_BYTES, &buffer, err));
    for (uint64_t offset = 0; offset < source->size;) {
        size_t bytes = (size_t)lith_min_u64(source->size - offset, LITH_FILE_BUFFER_BYTES);
        LITH_TRY(lith_source_read(source, offset, buffer, bytes, err));
        crc = lith_crc32(crc, buffer, bytes);
        offset += bytes;
    }
    *ret_crc = crc;
    return LITH_OK;
}

void lith_source_close(struct lith_source *source)
{
    if (source)
        source->ops->close(source);
}

enum lith_code lith_sink_write(struct lith_sink *sink, const void *from, size_t bytes,
                               struct lith_err *err)
{
    if (bytes == 0)
        return LITH_OK;
    LITH_TRY(sink->ops->write(sink, from, bytes, err));
    sink->written += bytes;
    return LITH_OK;
}

static const uint8_t *memory_view(struct lith_source *source, uint64_t offset, size_t bytes)
{
    struct lith_memory_source *self = (struct lith_memory_source *)source;

    (void)bytes;
    return offset < self->begin ? NULL : self->data + (offset - self->begin);
}

static enum lith_code memory_read(struct lith_source *source, uint64_t offset, void *to,
                                  size_t bytes, struct lith_err *err)
{
    const uint8_t *from = memory_view(source, offset, bytes);

    if (!from)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%zu bytes at offset %" PRIu64 ": only what stands at %" PRIu64
                         " and behind it was read",
                         bytes, offset, ((struct lith_memory_source *)source)->begin);
    memcpy(to, from, bytes);
    return LITH_OK;
}

static void memory_close(struct lith_source *source)
{
    (void)source;
}

void lith_memory_source_init_at(struct lith_memory_source *source, uint64_t begin, const void *data,
                                size_t bytes)
{
    static const struct lith_source_ops ops = {
        .read = memory_read, .close = memory_close, .view = memory_view};

    LITH_ASSERT(bytes <= UINT64_MAX - begin);
    source->base = (struct lith_source){.ops = &ops, .size = begin + bytes};
    source->data = data;
    source->begin = begin;
}

void lith_memory_source_init(struct lith_memory_source *source, const void *data, size_t bytes)
{
    lith_memory_source_init_at(source, 0, data, bytes);
}
