/*
 * BYTE_STREAM_SPLIT: byte k of every value stands in stream k, one stream behind the other.
 *
 * In memory a batch is put together straight from the streams. Over a source a block holds the
 * next bytes of every stream, read one stream at a time, and has the same form with a shorter
 * distance between streams. Encodings.md, "Byte Stream Split".
 */
#include <inttypes.h>

#include "base/checked.h"
#include "parquet/decode.h"

/* Bytes of a block as a part of the value limit: the batch itself is as large. */
#define BLOCKS_PER_VALUE_MAX 8

struct split {
    struct lith_decoder base;
    struct lith_buf block;  /* over a source */
    uint64_t streams_begin; /* in the source, of the next value's first byte */
    const uint8_t *next;    /* first byte of the next value */
    uint64_t ready;         /* values at `next` */
    uint64_t stride;        /* bytes from one stream to the next at `next` */
    struct lith_buf batch;
};

static enum lith_code split_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct split *d = (struct split *)decoder;
    const struct lith_decoder_options *options = &decoder->options;
    uint64_t have = options->end - options->begin;
    uint64_t bytes;

    if (!lith_mul_u64(options->value_count, decoder->width, &bytes) || bytes != have)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values of %zu bytes in streams of together %" PRIu64 " bytes",
                         options->value_count, decoder->width, have);
    LITH_TRY(lith_decoder_allow(decoder, decoder->width, err));
    lith_buf_init(&d->block, options->work->mem, decoder->value_bytes_max);
    lith_buf_init(&d->batch, options->work->mem, decoder->value_bytes_max);
    if (options->body->data) {
        d->next = options->body->data + options->begin;
        d->ready = options->value_count;
        d->stride = options->value_count;
        return LITH_OK;
    }
    if (!lith_add_u64(options->body->offset, options->begin, &d->streams_begin))
        return lith_fail(err, LITH_E_CORRUPT, "offset %" PRIu64 " plus %" PRIu64,
                         options->body->offset, options->begin);
    return LITH_OK;
}

/* Reads the next bytes of every stream. */
static enum lith_code block_fill(struct split *d, struct lith_err *err)
{
    const struct lith_decoder *base = &d->base;
    size_t values = base->value_bytes_max / BLOCKS_PER_VALUE_MAX / base->width;

    values = lith_min_size(values ? values : 1, base->window_bytes);
    values = (size_t)lith_min_u64(values, base->values_left);
    lith_buf_clear(&d->block);
    LITH_TRY(lith_buf_reserve(&d->block, values * base->width, err));
    for (size_t k = 0; k < base->width; k++)
        LITH_TRY(lith_source_read(base->options.body->source,
                                  d->streams_begin + k * base->options.value_count,
                                  d->block.data + k * values, values, err));
    d->block.bytes = values * base->width;
    d->streams_begin += values;
    d->next = d->block.data;
    d->ready = values;
    d->stride = values;
    return LITH_OK;
}

/* Exchanges the bytes of two rows that `mask` selects, `shift` bits apart. */
LITH_TEMPLATE void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
    uint64_t differ = ((*a >> shift) ^ *b) & mask;

    *a ^= differ << shift;
    *b ^= differ;
}

/* Transposes 8 rows of 8 bytes by exchanges 4, 2 and 1 bytes apart; written out, so that the rows
 * stay in registers. */
LITH_TEMPLATE void transpose(uint64_t rows[8])
{
    exchange(&rows[0], &rows[4], 32, 0x00000000ffffffffu);
    exchange(&rows[1], &rows[5], 32, 0x00000000ffffffffu);
    exchange(&rows[2], &rows[6], 32, 0x00000000ffffffffu);
    exchange(&rows[3], &rows[7], 32, 0x00000000ffffffffu);
    exchange(&rows[0], &rows[2], 16, 0x0000ffff0000ffffu);
    exchange(&rows[1], &rows[3], 16, 0x0000ffff0000ffffu);
    exchange(&rows[4], &rows[6], 16, 0x0000ffff0000ffffu);
    exchange(&rows[5], &rows[7], 16, 0x0000ffff0000ffffu);
    exchange(&rows[0], &rows[1], 8, 0x00ff00ff00ff00ffu);
    exchange(&rows[2], &rows[3], 8, 0x00ff00ff00ff00ffu);
    exchange(&rows[4], &rows[5], 8, 0x00ff00ff00ff00ffu);
    exchange(&rows[6], &rows[7], 8, 0x00ff00ff00ff00ffu);
}

/* The next 8 bytes of stream k, where there is one. */
LITH_TEMPLATE uint64_t row_load(const uint8_t *from, uint64_t stride, size_t k, size_t some)
{
    return k < some ? lith_load_u64(from + k * stride) : 0;
}

/* Puts `some` (1 to 8) bytes of every value together, from as many streams. */
LITH_TEMPLATE void join(const uint8_t *from, uint64_t stride, size_t count, size_t some,
                        uint8_t *to, size_t width)
{
    size_t i = 0;

    for (; i + 8 <= count; i += 8) {
        const uint8_t *at = from + i;
        uint64_t rows[8] = {row_load(at, stride, 0, some), row_load(at, stride, 1, some),
                            row_load(at, stride, 2, some), row_load(at, stride, 3, some),
                            row_load(at, stride, 4, some), row_load(at, stride, 5, some),
                            row_load(at, stride, 6, some), row_load(at, stride, 7, some)};
        transpose(rows);
        for (size_t k = 0; k < 8; k++)
            memcpy(to + (i + k) * width, &rows[k], some);
    }
    for (; i < count; i++)
        for (size_t k = 0; k < some; k++)
            to[i * width + k] = from[k * stride + i];
}

static void values_join(const uint8_t *from, uint64_t stride, size_t count, size_t width,
                        uint8_t *to)
{
    size_t k = 0;

    for (; k + 8 <= width; k += 8)
        join(from + k * stride, stride, count, 8, to + k, width);
    if (width - k == 4)
        join(from + k * stride, stride, count, 4, to + k, width);
    else if (width - k)
        join(from + k * stride, stride, count, width - k, to + k, width);
}

static enum lith_code split_next(struct lith_decoder *decoder, size_t count,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    struct split *d = (struct split *)decoder;
    size_t width = decoder->width;
    size_t count_max = decoder->batch_bytes_max / width;

    if (d->ready == 0)
        LITH_TRY(block_fill(d, err));
    count = lith_min_size(count, count_max ? count_max : 1);
    count = (size_t)lith_min_u64(count, d->ready);
    lith_buf_clear(&d->batch);
    LITH_TRY(lith_buf_reserve(&d->batch, count * width, err));
    values_join(d->next, d->stride, count, width, d->batch.data);
    d->next += count;
    d->ready -= count;
    ret_values->count = count;
    ret_values->fixed = d->batch.data;
    return LITH_OK;
}

static uint64_t split_left(const struct lith_decoder *decoder)
{
    (void)decoder;
    return 0; /* checked at the start */
}

static void split_close(struct lith_decoder *decoder)
{
    struct split *d = (struct split *)decoder;

    lith_buf_done(&d->block);
    lith_buf_done(&d->batch);
}

const struct lith_decoder_ops lith_decode_split = {sizeof(struct split), split_open, split_next,
                                                   split_left, split_close};
