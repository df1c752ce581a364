/*
 * PLAIN values of fixed width and byte arrays: handed out where they lie, in the body or in the
 * window's buffer. A batch over a source is what one refill holds. Encodings.md, "Plain".
 */
#include <inttypes.h>

#include "parquet/decode.h"

struct plain {
    struct lith_decoder base;
    struct lith_window window;
    struct lith_slice *slices; /* of a batch; byte arrays only */
};

static enum lith_code fixed_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct plain *d = (struct plain *)decoder;
    const struct lith_decoder_options *options = &decoder->options;
    uint64_t have = options->end - options->begin;

    if (have / decoder->width < options->value_count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values of %zu bytes in %" PRIu64 " bytes",
                         options->value_count, decoder->width, have);
    if (!options->body->data)
        LITH_TRY(lith_decoder_allow(decoder, decoder->width, err));
    return lith_decoder_window(decoder, &d->window, options->begin, options->end, err);
}

static enum lith_code fixed_next(struct lith_decoder *decoder, size_t count,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    struct plain *d = (struct plain *)decoder;
    struct lith_window *w = &d->window;

    w->err = err;
    if (w->source && count > decoder->window_bytes / decoder->width) {
        count = decoder->window_bytes / decoder->width;
        count = count ? count : 1;
    }
    size_t bytes = count * decoder->width;
    if (!lith_window_need(w, bytes))
        return w->code;
    ret_values->count = count;
    ret_values->fixed = w->next;
    w->next += bytes;
    return LITH_OK;
}

static enum lith_code bytes_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct plain *d = (struct plain *)decoder;
    void *slices;

    LITH_TRY(lith_decoder_window(decoder, &d->window, decoder->options.begin, decoder->options.end,
                                 err));
    LITH_TRY(lith_decoder_batch(decoder, sizeof(*d->slices), &slices, err));
    d->slices = slices;
    return LITH_OK;
}

/* Makes the next value, with its length before it, readable. */
static enum lith_code value_need(struct plain *d, struct lith_err *err)
{
    struct lith_window *w = &d->window;

    if (!lith_window_need(w, 4))
        return w->code;
    size_t bytes = lith_load_u32(w->next);
    if (bytes > lith_window_left(w) - 4)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a value of %zu bytes, %" PRIu64 " are left in the page", bytes,
                         lith_window_left(w) - 4);
    if (w->source)
        LITH_TRY(lith_decoder_allow(&d->base, bytes, err));
    return lith_window_need(w, 4 + bytes) ? LITH_OK : w->code;
}

/* Takes the values that are readable whole; returns their number. */
static size_t values_take(struct lith_window *w, struct lith_slice *to, size_t count)
{
    const uint8_t *at = w->next;
    size_t taken = 0;

    for (; taken < count && w->end - at >= 4; taken++) {
        size_t bytes = lith_load_u32(at);
        if (bytes > (size_t)(w->end - at) - 4)
            break;
        to[taken] = (struct lith_slice){at + 4, bytes};
        at += 4 + bytes;
    }
    w->next = at;
    return taken;
}

static enum lith_code bytes_next(struct lith_decoder *decoder, size_t count,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    struct plain *d = (struct plain *)decoder;

    d->window.err = err;
    LITH_TRY(value_need(d, err));
    ret_values->count = values_take(&d->window, d->slices, count);
    ret_values->slices = d->slices;
    return LITH_OK;
}

static uint64_t plain_left(const struct lith_decoder *decoder)
{
    return lith_window_left(&((const struct plain *)decoder)->window);
}

static void plain_close(struct lith_decoder *decoder)
{
    struct plain *d = (struct plain *)decoder;

    lith_window_done(&d->window);
    lith_free(d->slices);
}

const struct lith_decoder_ops lith_decode_plain_fixed = {sizeof(struct plain), fixed_open,
                                                         fixed_next, plain_left, plain_close};
const struct lith_decoder_ops lith_decode_plain_bytes = {sizeof(struct plain), bytes_open,
                                                         bytes_next, plain_left, plain_close};
