/*
 * DELTA_BINARY_PACKED: the stream of numbers, and the encoding of INT32 and INT64 by it.
 *
 * Arithmetic is unsigned and wraps at the width of the type, as the specification asks. DuckDB
 * subtracts 32-bit numbers as 64-bit ones, which takes 33 bits: the upper ones wrap away. Only the
 * bit widths of miniblocks that hold values are looked at. Encodings.md, "Delta Encoding".
 */
#include <inttypes.h>

#include "base/checked.h"
#include "parquet/bitpack.h"
#include "parquet/decode.h"

/* Values decoded at a time: a batch, and the rest of the group it ends in. */
#define READY_COUNT (LITH_BATCH_POSITIONS + 8)
#define NARROW_WIDTH_MAX 33
#define BLOCK_VALUES_MAX INT32_MAX /* keeps sizes of miniblocks far from 64 bits */

static enum lith_code header_read(struct lith_delta *delta, uint64_t count, struct lith_err *err)
{
    struct lith_window *w = delta->window;
    uint64_t block_values = lith_window_varint(w);
    uint64_t miniblock_count = lith_window_varint(w);
    uint64_t total = lith_window_varint(w);

    delta->last = (uint64_t)lith_window_zigzag(w);
    if (w->code != LITH_OK)
        return w->code;
    if (block_values == 0 || block_values % 128 || block_values > BLOCK_VALUES_MAX)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a delta block of %" PRIu64 " values, not a multiple of 128",
                         block_values);
    if (miniblock_count == 0 || block_values % miniblock_count ||
        block_values / miniblock_count % 32)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a delta block of %" PRIu64 " values in %" PRIu64
                         " miniblocks, not multiples of 32",
                         block_values, miniblock_count);
    if (total != count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a delta stream of %" PRIu64 " values where %" PRIu64 " are expected",
                         total, count);
    delta->miniblock_values = block_values / miniblock_count;
    delta->miniblock_count = miniblock_count;
    delta->miniblock = miniblock_count;
    delta->left = total;
    delta->first = total > 0;
    return LITH_OK;
}

enum lith_code lith_delta_open(struct lith_delta *delta, struct lith_window *window, bool wide,
                               uint64_t count, struct lith_mem *mem, struct lith_err *err)
{
    *delta = (struct lith_delta){.window = window, .wide = wide};
    window->err = err;
    LITH_TRY(header_read(delta, count, err));
    lith_buf_init(&delta->widths, mem, SIZE_MAX);
    return LITH_OK;
}

void lith_delta_done(struct lith_delta *delta)
{
    lith_buf_done(&delta->widths);
    lith_free(delta->ready_u32);
    lith_free(delta->ready_u64);
    delta->ready_u32 = NULL;
    delta->ready_u64 = NULL;
}

static enum lith_code block_begin(struct lith_delta *delta, struct lith_err *err)
{
    struct lith_window *w = delta->window;

    delta->min_delta = (uint64_t)lith_window_zigzag(w);
    if (w->code != LITH_OK || !lith_window_need(w, (size_t)delta->miniblock_count))
        return w->code;
    lith_buf_clear(&delta->widths);
    LITH_TRY(lith_buf_append(&delta->widths, w->next, (size_t)delta->miniblock_count, err));
    w->next += delta->miniblock_count;
    delta->miniblock = 0;
    return LITH_OK;
}

static enum lith_code miniblock_begin(struct lith_delta *delta, struct lith_err *err)
{
    if (delta->miniblock == delta->miniblock_count)
        LITH_TRY(block_begin(delta, err));
    delta->width = delta->widths.data[delta->miniblock++];
    unsigned width_max = delta->wide ? 64 : NARROW_WIDTH_MAX;
    if (delta->width > width_max)
        return lith_fail(err, LITH_E_CORRUPT, "a delta miniblock of %u bits, at most %u are legal",
                         delta->width, width_max);
    delta->groups_left = delta->miniblock_values / 8;
    return LITH_OK;
}

enum lith_code lith_delta_skip(struct lith_delta *delta, struct lith_err *err)
{
    struct lith_window *w = delta->window;

    w->err = err;
    if (delta->first)
        delta->left--;
    delta->first = false;
    while (delta->left) {
        LITH_TRY(miniblock_begin(delta, err));
        if (!lith_window_skip(w, delta->groups_left * delta->width))
            return w->code;
        delta->groups_left = 0;
        delta->left -= lith_min_u64(delta->left, delta->miniblock_values);
    }
    return LITH_OK;
}

/* Deltas to values, in place. */
static uint32_t sum_u32(uint32_t *values, size_t count, uint32_t last, uint32_t min_delta)
{
    for (size_t i = 0; i < count; i++) {
        last += values[i] + min_delta;
        values[i] = last;
    }
    return last;
}

static uint64_t sum_u64(uint64_t *values, size_t count, uint64_t last, uint64_t min_delta)
{
    for (size_t i = 0; i < count; i++) {
        last += values[i] + min_delta;
        values[i] = last;
    }
    return last;
}

/* Groups of a narrow stream with more bits than its numbers have. */
static void unpack_truncated(const uint8_t *from, size_t groups, unsigned width, uint32_t *to)
{
    uint64_t group[8];

    for (size_t i = 0; i < groups; i++) {
        lith_unpack_u64(from + i * width, width, 1, width, group);
        for (size_t k = 0; k < 8; k++)
            to[i * 8 + k] = (uint32_t)group[k];
    }
}

/* Decodes whole groups of the current miniblock behind the ready values. */
static enum lith_code groups_decode(struct lith_delta *delta)
{
    struct lith_window *w = delta->window;
    size_t end = delta->ready_end;
    uint64_t wanted = lith_min_u64(delta->groups_left, (delta->left + 7) / 8);
    size_t groups = (size_t)lith_min_u64(wanted, (READY_COUNT - end) / 8);

    if (!lith_window_need(w, delta->width))
        return w->code;
    size_t readable = (size_t)(w->end - w->next);
    if (delta->width)
        groups = lith_min_size(groups, readable / delta->width);
    if (delta->wide) {
        lith_unpack_u64(w->next, readable, groups, delta->width, delta->ready_u64 + end);
        delta->last = sum_u64(delta->ready_u64 + end, groups * 8, delta->last, delta->min_delta);
    } else {
        if (delta->width > 32)
            unpack_truncated(w->next, groups, delta->width, delta->ready_u32 + end);
        else
            lith_unpack_u32(w->next, readable, groups, delta->width, delta->ready_u32 + end);
        delta->last = sum_u32(delta->ready_u32 + end, groups * 8, (uint32_t)delta->last,
                              (uint32_t)delta->min_delta);
    }
    w->next += groups * delta->width;
    delta->groups_left -= groups;
    size_t values = (size_t)lith_min_u64(groups * 8, delta->left);
    delta->left -= values;
    delta->ready_end += values;
    return LITH_OK;
}

static enum lith_code ready_alloc(struct lith_delta *delta, struct lith_err *err)
{
    void *block;

    if (delta->ready_u32 || delta->ready_u64)
        return LITH_OK;
    size_t width = delta->wide ? sizeof(uint64_t) : sizeof(uint32_t);
    LITH_TRY(lith_alloc(delta->widths.mem, READY_COUNT * width, &block, err));
    if (delta->wide)
        delta->ready_u64 = block;
    else
        delta->ready_u32 = block;
    return LITH_OK;
}

enum lith_code lith_delta_fill(struct lith_delta *delta, struct lith_err *err)
{
    struct lith_window *w = delta->window;

    w->err = err;
    if (delta->ready_begin < delta->ready_end)
        return LITH_OK;
    LITH_ASSERT(delta->left > 0);
    LITH_TRY(ready_alloc(delta, err));
    delta->ready_begin = 0;
    delta->ready_end = 0;
    if (delta->first) {
        if (delta->wide)
            delta->ready_u64[0] = delta->last;
        else
            delta->ready_u32[0] = (uint32_t)delta->last;
        delta->first = false;
        delta->ready_end = 1;
        delta->left--;
    }
    while (delta->left && READY_COUNT - delta->ready_end >= 8) {
        if (delta->groups_left == 0)
            LITH_TRY(miniblock_begin(delta, err));
        LITH_TRY(groups_decode(delta));
    }
    if (delta->left == 0) {
        if (!lith_window_skip(w, delta->groups_left * delta->width)) /* padding */
            return w->code;
        delta->groups_left = 0;
    }
    return LITH_OK;
}

struct delta {
    struct lith_decoder base;
    struct lith_window window;
    struct lith_delta stream;
};

static enum lith_code delta_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct delta *d = (struct delta *)decoder;
    const struct lith_decoder_options *options = &decoder->options;

    LITH_TRY(lith_decoder_window(decoder, &d->window, options->begin, options->end, err));
    return lith_delta_open(&d->stream, &d->window, options->type == LITH_TYPE_INT64,
                           options->value_count, options->work->mem, err);
}

static enum lith_code delta_next(struct lith_decoder *decoder, size_t count,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    struct lith_delta *stream = &((struct delta *)decoder)->stream;

    LITH_TRY(lith_delta_fill(stream, err));
    size_t begin = stream->ready_begin;
    ret_values->count = lith_min_size(count, stream->ready_end - begin);
    ret_values->fixed = stream->wide ? (const uint8_t *)(stream->ready_u64 + begin)
                                     : (const uint8_t *)(stream->ready_u32 + begin);
    stream->ready_begin += ret_values->count;
    return LITH_OK;
}

static uint64_t delta_left(const struct lith_decoder *decoder)
{
    return lith_window_left(&((const struct delta *)decoder)->window);
}

static void delta_close(struct lith_decoder *decoder)
{
    struct delta *d = (struct delta *)decoder;

    lith_delta_done(&d->stream);
    lith_window_done(&d->window);
}

const struct lith_decoder_ops lith_decode_delta = {sizeof(struct delta), delta_open, delta_next,
                                                   delta_left, delta_close};
