/*
 * Output with a history: a linear window that slides when it is full, so that nearly every copy
 * is one memcpy.
 */
#include "codec/history.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"

#define DATA_BYTES (LITH_CODEC_HISTORY_BYTES + LITH_CODEC_WINDOW_BYTES)

enum lith_code lith_history_open(struct lith_history *history, struct lith_mem *mem,
                                 const struct lith_decompress_stream *stream, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(mem, DATA_BYTES, &block, err));
    *history = (struct lith_history){.stream = stream, .data = block};
    return LITH_OK;
}

void lith_history_done(struct lith_history *history)
{
    lith_free(history->data);
    *history = (struct lith_history){0};
}

enum lith_code lith_history_pass(struct lith_history *history, struct lith_err *err)
{
    LITH_TRY(lith_sink_write(history->stream->to, history->data + history->passed,
                             history->fill - history->passed, err));
    history->passed = history->fill;
    return LITH_OK;
}

/* Makes room behind `fill`. */
static enum lith_code slide(struct lith_history *history, struct lith_err *err)
{
    size_t drop = history->fill - LITH_CODEC_HISTORY_BYTES;

    LITH_TRY(lith_history_pass(history, err));
    memmove(history->data, history->data + drop, LITH_CODEC_HISTORY_BYTES);
    history->base += drop;
    history->fill = LITH_CODEC_HISTORY_BYTES;
    history->passed = LITH_CODEC_HISTORY_BYTES;
    return LITH_OK;
}

enum lith_code lith_history_append(struct lith_history *history, const void *from, size_t bytes,
                                   struct lith_err *err)
{
    const uint8_t *next = from;

    if (!history->data) {
        history->base += bytes;
        return LITH_OK;
    }
    while (bytes) {
        if (history->fill == DATA_BYTES)
            LITH_TRY(slide(history, err));
        size_t now = lith_min_size(bytes, DATA_BYTES - history->fill);
        memcpy(history->data + history->fill, next, now);
        history->fill += now;
        next += now;
        bytes -= now;
    }
    return LITH_OK;
}

/* Bytes may overlap: the run that is known doubles with each step. */
static void repeat(uint8_t *to, size_t distance, size_t bytes)
{
    const uint8_t *from = to - distance;

    while (bytes) {
        size_t now = lith_min_size(bytes, (size_t)(to - from));
        memcpy(to, from, now);
        to += now;
        bytes -= now;
    }
}

enum lith_code lith_history_copy(struct lith_history *history, uint64_t distance, uint64_t bytes,
                                 struct lith_err *err)
{
    LITH_ASSERT(distance > 0);
    LITH_ASSERT(distance <= lith_history_position(history));
    if (!history->data) {
        history->base += bytes;
        return LITH_OK;
    }
    while (bytes) {
        if (history->fill == DATA_BYTES)
            LITH_TRY(slide(history, err));
        size_t now = (size_t)lith_min_u64(bytes, DATA_BYTES - history->fill);
        if (distance <= history->fill) {
            repeat(history->data + history->fill, (size_t)distance, now);
        } else {
            uint64_t at = lith_history_position(history) - distance;
            now = (size_t)lith_min_u64(now, history->base - at);
            LITH_TRY(lith_source_read(history->stream->written, at, history->data + history->fill,
                                      now, err));
        }
        history->fill += now;
        bytes -= now;
    }
    return LITH_OK;
}
