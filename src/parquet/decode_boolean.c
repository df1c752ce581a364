/*
 * BOOLEAN values, PLAIN (one bit each) and RLE (the hybrid behind its length). PLAIN bits are the
 * same as one bit-packed run without its header, so both are read by the hybrid's decoder.
 */
#include <inttypes.h>

#include "parquet/decode.h"

struct boolean {
    struct lith_decoder base;
    struct lith_window window;
    struct lith_rle_decoder rle;
    uint64_t behind; /* bytes behind the window's part */
    uint32_t *bits;  /* a batch as the hybrid gives it */
    uint8_t *values; /* the same, a byte each */
};

static enum lith_code batch_alloc(struct boolean *d, struct lith_err *err)
{
    void *bits;
    void *values;

    LITH_TRY(lith_decoder_batch(&d->base, sizeof(*d->bits), &bits, err));
    d->bits = bits;
    LITH_TRY(lith_decoder_batch(&d->base, sizeof(*d->values), &values, err));
    d->values = values;
    return LITH_OK;
}

static enum lith_code plain_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct boolean *d = (struct boolean *)decoder;
    const struct lith_decoder_options *options = &decoder->options;
    uint64_t have = options->end - options->begin;
    uint64_t groups = options->value_count / 8 + (options->value_count % 8 != 0);

    if (groups > have)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " bits in %" PRIu64 " bytes",
                         options->value_count, have);
    LITH_TRY(lith_decoder_window(decoder, &d->window, options->begin, options->end, err));
    LITH_TRY(lith_rle_init(&d->rle, &d->window, 1, err));
    d->rle.packed_left = groups * 8;
    return batch_alloc(d, err);
}

static enum lith_code rle_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct boolean *d = (struct boolean *)decoder;
    struct lith_window *w = &d->window;

    LITH_TRY(lith_decoder_window(decoder, w, decoder->options.begin, decoder->options.end, err));
    if (!lith_window_need(w, 4))
        return w->code;
    uint64_t bytes = lith_load_u32(w->next);
    w->next += 4;
    if (bytes > lith_window_left(w))
        return lith_fail(err, LITH_E_CORRUPT,
                         "runs of %" PRIu64 " bytes, %" PRIu64 " are left in the page", bytes,
                         lith_window_left(w));
    d->behind = lith_window_left(w) - bytes;
    uint64_t begin = decoder->options.begin + 4;
    lith_window_done(w);
    LITH_TRY(lith_decoder_window(decoder, w, begin, begin + bytes, err));
    LITH_TRY(lith_rle_init(&d->rle, w, 1, err));
    return batch_alloc(d, err);
}

static enum lith_code boolean_next(struct lith_decoder *decoder, size_t count,
                                   struct lith_values *ret_values, struct lith_err *err)
{
    struct boolean *d = (struct boolean *)decoder;
    uint32_t all = 0;

    LITH_TRY(lith_rle_next(&d->rle, d->bits, count, err));
    for (size_t i = 0; i < count; i++) {
        all |= d->bits[i];
        d->values[i] = (uint8_t)d->bits[i];
    }
    if (all > 1)
        return lith_fail(err, LITH_E_CORRUPT, "a BOOLEAN run of neither 0 nor 1 (bits %" PRIx32 ")",
                         all);
    ret_values->count = count;
    ret_values->fixed = d->values;
    return LITH_OK;
}

static uint64_t boolean_left(const struct lith_decoder *decoder)
{
    const struct boolean *d = (const struct boolean *)decoder;

    return lith_rle_left(&d->rle) + d->behind;
}

static void boolean_close(struct lith_decoder *decoder)
{
    struct boolean *d = (struct boolean *)decoder;

    lith_window_done(&d->window);
    lith_free(d->bits);
    lith_free(d->values);
}

const struct lith_decoder_ops lith_decode_plain_boolean = {
    sizeof(struct boolean), plain_open, boolean_next, boolean_left, boolean_close};
const struct lith_decoder_ops lith_decode_rle_boolean = {sizeof(struct boolean), rle_open,
                                                         boolean_next, boolean_left, boolean_close};
