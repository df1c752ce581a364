/*
 * Windows: the refill over a source, and the variable-length integers.
 *
 * A failed window has nothing readable left, so that later calls fail too and loops that are
 * bounded by bytes end.
 */
#include "parquet/window.h"

#include <inttypes.h>

#include "base/checked.h"

static const uint8_t nothing[1];

static bool window_fail(struct lith_window *w, enum lith_code code)
{
    if (w->code == LITH_OK)
        w->code = code;
    w->next = w->end;
    w->left = 0;
    return false;
}

enum lith_code lith_window_init(struct lith_window *w, const struct lith_body *body, uint64_t begin,
                                uint64_t end, struct lith_mem *mem, size_t buffer_bytes,
                                size_t buffer_max, struct lith_err *err)
{
    LITH_ASSERT(buffer_bytes > 0);
    LITH_ASSERT(buffer_max >= buffer_bytes);
    if (begin > end || end > body->bytes)
        return lith_fail(err, LITH_E_CORRUPT,
                         "bytes %" PRIu64 " to %" PRIu64 " of a page body of %" PRIu64 " bytes",
                         begin, end, body->bytes);
    *w = (struct lith_window){
        .next = nothing, .end = nothing, .buffer_bytes = buffer_bytes, .err = err};
    lith_buf_init(&w->buffer, mem, buffer_max);
    if (begin == end)
        return LITH_OK;
    if (body->data) {
        w->next = body->data + begin;
        w->end = body->data + end;
        return LITH_OK;
    }
    w->source = body->source;
    w->left = end - begin;
    if (!lith_add_u64(body->offset, begin, &w->offset))
        return lith_fail(err, LITH_E_CORRUPT, "offset %" PRIu64 " plus %" PRIu64, body->offset,
                         begin);
    return LITH_OK;
}

void lith_window_done(struct lith_window *w)
{
    lith_buf_done(&w->buffer);
    w->next = nothing;
    w->end = nothing;
    w->left = 0;
}

bool lith_window_refill(struct lith_window *w, size_t bytes)
{
    size_t have = (size_t)(w->end - w->next);

    if (w->code != LITH_OK)
        return false;
    if (bytes <= have)
        return true;
    if (bytes - have > w->left)
        return window_fail(w,
                           lith_fail(w->err, LITH_E_CORRUPT,
                                     "the page body ends early: %zu bytes needed, %" PRIu64 " left",
                                     bytes, lith_window_left(w)));
    if (bytes > w->buffer.limit)
        return window_fail(w, lith_fail(w->err, LITH_E_LIMIT,
                                        "%zu bytes in one piece, at most %zu fit the memory "
                                        "budget; raise --memory",
                                        bytes, w->buffer.limit));
    size_t want = bytes > w->buffer_bytes ? bytes : w->buffer_bytes;
    size_t more = (size_t)lith_min_u64(want - have, w->left);
    if (have)
        memmove(w->buffer.data, w->next, have);
    w->buffer.bytes = have;
    enum lith_code code = lith_buf_reserve(&w->buffer, more, w->err);
    if (code == LITH_OK)
        code = lith_source_read(w->source, w->offset, w->buffer.data + have, more, w->err);
    if (code != LITH_OK)
        return window_fail(w, code);
    w->buffer.bytes = have + more;
    w->offset += more;
    w->left -= more;
    w->next = w->buffer.data;
    w->end = w->buffer.data + w->buffer.bytes;
    return true;
}

bool lith_window_skip(struct lith_window *w, uint64_t bytes)
{
    uint64_t have = (uint64_t)(w->end - w->next);

    if (w->code != LITH_OK)
        return false;
    if (bytes <= have) {
        w->next += bytes;
        return true;
    }
    if (bytes - have > w->left)
        return window_fail(w, lith_fail(w->err, LITH_E_CORRUPT,
                                        "the page body ends early: %" PRIu64
                                        " bytes to skip, %" PRIu64 " left",
                                        bytes, lith_window_left(w)));
    w->next = w->end;
    w->offset += bytes - have;
    w->left -= bytes - have;
    return true;
}

uint64_t lith_window_varint(struct lith_window *w)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!lith_window_need(w, 1))
            return 0;
        uint8_t byte = *w->next++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    window_fail(w, lith_fail(w->err, LITH_E_CORRUPT, "a variable-length integer over 64 bits"));
    return 0;
}

int64_t lith_window_zigzag(struct lith_window *w)
{
    uint64_t value = lith_window_varint(w);

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}
