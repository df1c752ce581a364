/*
 * Reading ahead: what is in the buffer, then the next fill, then straight through.
 */
#include "base/read_ahead.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"

/* A read of so large a part of the buffer is worth a call of its own, and spares a copy. */
#define STRAIGHT_PART 2u

static bool holds(const struct lith_read_ahead *ahead, uint64_t offset)
{
    return offset >= ahead->begin && offset < ahead->end;
}

/* Moves the buffer to begin at `offset`; what it has of that stays. */
static enum lith_code fill(struct lith_read_ahead *ahead, uint64_t offset, struct lith_err *err)
{
    size_t have = holds(ahead, offset) ? (size_t)(ahead->end - offset) : 0;
    size_t want = (size_t)lith_min_u64(ahead->buffer_bytes, ahead->range_end - offset);
    void *block = ahead->buffer;

    if (!block)
        LITH_TRY(lith_alloc(ahead->mem, ahead->buffer_bytes, &block, err));
    ahead->buffer = block;
    if (have)
        memmove(ahead->buffer, ahead->buffer + (offset - ahead->begin), have);
    ahead->begin = offset;
    ahead->end = offset + have;
    if (want > have)
        LITH_TRY(
            lith_source_read(ahead->inner, ahead->end, ahead->buffer + have, want - have, err));
    ahead->end = offset + lith_max_u64(want, have);
    return LITH_OK;
}

static const uint8_t *ahead_view(struct lith_source *base, uint64_t offset, size_t bytes)
{
    struct lith_read_ahead *ahead = (struct lith_read_ahead *)base;
    struct lith_err ignored; /* the read that follows tells it again */

    if (bytes > ahead->buffer_bytes || offset > ahead->range_end ||
        bytes > ahead->range_end - offset)
        return NULL;
    if (!holds(ahead, offset) || bytes > ahead->end - offset) {
        if (fill(ahead, offset, &ignored) != LITH_OK)
            return NULL;
    }
    ahead->next = offset + bytes;
    return ahead->buffer + (offset - ahead->begin);
}

static enum lith_code ahead_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                 struct lith_err *err)
{
    struct lith_read_ahead *ahead = (struct lith_read_ahead *)base;
    struct lith_err ignored;
    uint8_t *at = to;

    if (holds(ahead, offset)) {
        size_t have = (size_t)lith_min_u64(bytes, ahead->end - offset);
        memcpy(at, ahead->buffer + (offset - ahead->begin), have);
        ahead->next = offset + have;
        at += have;
        offset += have;
        bytes -= have;
    }
    if (bytes == 0)
        return LITH_OK;
    bool forward =
        offset == ahead->next && offset < ahead->range_end && bytes <= ahead->range_end - offset;
    if (forward && bytes < ahead->buffer_bytes / STRAIGHT_PART &&
        fill(ahead, offset, &ignored) == LITH_OK)
        memcpy(at, ahead->buffer, bytes);
    else
        LITH_TRY(lith_source_read(ahead->inner, offset, at, bytes, err));
    ahead->next = offset + bytes;
    return LITH_OK;
}

static void ahead_close(struct lith_source *base)
{
    (void)base;
}

void lith_read_ahead_init(struct lith_read_ahead *ahead, struct lith_mem *mem, size_t buffer_bytes)
{
    static const struct lith_source_ops ops = {
        .read = ahead_read, .close = ahead_close, .view = ahead_view};

    *ahead = (struct lith_read_ahead){.base.ops = &ops, .mem = mem, .buffer_bytes = buffer_bytes};
}

void lith_read_ahead_done(struct lith_read_ahead *ahead)
{
    lith_free(ahead->buffer);
    *ahead = (struct lith_read_ahead){0};
}

void lith_read_ahead_open(struct lith_read_ahead *ahead, struct lith_source *inner, uint64_t begin,
                          uint64_t end)
{
    ahead->base.size = inner->size;
    ahead->inner = inner;
    ahead->begin = 0;
    ahead->end = 0;
    ahead->next = begin;
    ahead->range_end = lith_min_u64(end, inner->size);
}

void lith_read_ahead_again(struct lith_read_ahead *ahead, struct lith_source *inner)
{
    LITH_ASSERT(inner->size == ahead->base.size);
    ahead->inner = inner;
}
