/*
 * DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY: streams of lengths in front, bytes behind them.
 *
 * Where one stream ends and the next begins is found by skipping through miniblocks; then each
 * stream has a window of its own, and all move forward together. With prefixes, values are put
 * together in a batch buffer that begins with the last value of the batch before.
 * Encodings.md, "Delta-length byte array" and "Delta Strings".
 */
#include <inttypes.h>

#include "base/checked.h"
#include "parquet/decode.h"

struct strings {
    struct lith_decoder base;
    struct lith_window prefix_window;
    struct lith_window length_window;
    struct lith_window data;
    struct lith_delta prefixes; /* DELTA_BYTE_ARRAY only */
    struct lith_delta lengths;  /* of values, or of suffixes */
    struct lith_slice *slices;  /* of a batch */
    struct lith_buf batch;      /* DELTA_BYTE_ARRAY: the value before the batch, then the batch */
    size_t last_bytes;          /* the last value decoded: the end of `batch` */
    bool started;
};

/* Opens the stream of lengths at *at and moves *at behind it. */
static enum lith_code lengths_open(struct strings *d, struct lith_window *window,
                                   struct lith_delta *delta, uint64_t *at, struct lith_err *err)
{
    const struct lith_decoder_options *options = &d->base.options;

    LITH_TRY(lith_decoder_window(&d->base, window, *at, options->end, err));
    LITH_TRY(lith_delta_open(delta, window, false, options->value_count, options->work->mem, err));
    LITH_TRY(lith_delta_skip(delta, err));
    uint64_t behind = options->end - lith_window_left(window);
    lith_delta_done(delta);
    lith_window_done(window);
    LITH_TRY(lith_decoder_window(&d->base, window, *at, behind, err));
    *at = behind;
    return lith_delta_open(delta, window, false, options->value_count, options->work->mem, err);
}

static enum lith_code strings_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct strings *d = (struct strings *)decoder;
    const struct lith_decoder_options *options = &decoder->options;
    uint64_t at = options->begin;
    void *slices;

    lith_buf_init(&d->batch, options->work->mem, SIZE_MAX);
    if (options->encoding == LITH_ENCODING_DELTA_BYTE_ARRAY)
        LITH_TRY(lengths_open(d, &d->prefix_window, &d->prefixes, &at, err));
    LITH_TRY(lengths_open(d, &d->length_window, &d->lengths, &at, err));
    LITH_TRY(lith_decoder_window(decoder, &d->data, at, options->end, err));
    LITH_TRY(lith_decoder_batch(decoder, sizeof(*d->slices), &slices, err));
    d->slices = slices;
    return LITH_OK;
}

static enum lith_code negative_fail(uint32_t length, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT, "a value of %" PRId32 " bytes", (int32_t)length);
}

/* The number of values, at most `count`, whose bytes may be in one batch, and their bytes. */
static enum lith_code lengths_sum(struct strings *d, size_t *count, uint64_t *ret_bytes,
                                  struct lith_err *err)
{
    const uint32_t *lengths = d->lengths.ready_u32 + d->lengths.ready_begin;
    bool in_memory = d->base.options.body->data;
    uint64_t sum = 0;

    for (size_t i = 0; i < *count; i++) {
        if (lengths[i] > INT32_MAX)
            return negative_fail(lengths[i], err);
        if (!in_memory && i > 0 && sum + lengths[i] > d->base.window_bytes) {
            *count = i;
            break;
        }
        sum += lengths[i];
    }
    *ret_bytes = sum;
    return LITH_OK;
}

static enum lith_code length_next(struct lith_decoder *decoder, size_t count,
                                  struct lith_values *ret_values, struct lith_err *err)
{
    struct strings *d = (struct strings *)decoder;
    struct lith_window *w = &d->data;
    uint64_t bytes = 0;

    w->err = err;
    LITH_TRY(lith_delta_fill(&d->lengths, err));
    count = lith_min_size(count, d->lengths.ready_end - d->lengths.ready_begin);
    LITH_TRY(lengths_sum(d, &count, &bytes, err));
    if (bytes > lith_window_left(w))
        return lith_fail(err, LITH_E_CORRUPT,
                         "values of %" PRIu64 " bytes, %" PRIu64 " are left in the page", bytes,
                         lith_window_left(w));
    if (w->source && count == 1)
        LITH_TRY(lith_decoder_allow(decoder, bytes, err));
    if (!lith_window_need(w, (size_t)bytes))
        return w->code;
    const uint32_t *lengths = d->lengths.ready_u32 + d->lengths.ready_begin;
    for (size_t i = 0; i < count; i++) {
        d->slices[i] = (struct lith_slice){w->next, lengths[i]};
        w->next += lengths[i];
    }
    d->lengths.ready_begin += count;
    ret_values->count = count;
    ret_values->slices = d->slices;
    return LITH_OK;
}

/* Leaves only the last value in the batch buffer; at the start, what lith_decoder_continue gave. */
static enum lith_code last_keep(struct strings *d, struct lith_err *err)
{
    if (!d->started) {
        LITH_TRY(lith_buf_append(&d->batch, d->base.previous.data, d->base.previous.bytes, err));
        d->last_bytes = d->base.previous.bytes;
        d->base.previous = (struct lith_slice){NULL, 0};
        d->started = true;
    }
    size_t before = d->batch.bytes - d->last_bytes;
    if (before && d->last_bytes)
        memmove(d->batch.data, d->batch.data + before, d->last_bytes);
    d->batch.bytes = d->last_bytes;
    return LITH_OK;
}

/*
 * Checks the lengths of up to `count` values and sets the sizes of their slices; the number of
 * values that fit a batch, and their bytes.
 */
static enum lith_code values_measure(struct strings *d, size_t *count, size_t *ret_bytes,
                                     struct lith_err *err)
{
    const uint32_t *prefixes = d->prefixes.ready_u32 + d->prefixes.ready_begin;
    const uint32_t *suffixes = d->lengths.ready_u32 + d->lengths.ready_begin;
    uint64_t last = d->last_bytes;
    size_t sum = 0;

    for (size_t i = 0; i < *count; i++) {
        if (suffixes[i] > INT32_MAX)
            return negative_fail(suffixes[i], err);
        if (prefixes[i] > last)
            return lith_fail(err, LITH_E_CORRUPT,
                             "a prefix of %" PRId32 " bytes of a value of %" PRIu64 " bytes",
                             (int32_t)prefixes[i], last);
        uint64_t bytes = (uint64_t)prefixes[i] + suffixes[i];
        if (d->base.width && bytes != d->base.width)
            return lith_fail(err, LITH_E_CORRUPT, "a value of %" PRIu64 " bytes where all have %zu",
                             bytes, d->base.width);
        if (i > 0 && sum + bytes > d->base.batch_bytes_max) {
            *count = i;
            break;
        }
        LITH_TRY(lith_decoder_allow(&d->base, bytes, err));
        d->slices[i].bytes = (size_t)bytes;
        sum += (size_t)bytes;
        last = bytes;
    }
    *ret_bytes = sum;
    return LITH_OK;
}

/* Takes `bytes` bytes of suffix from the data. */
static enum lith_code suffix_take(struct lith_window *w, uint8_t *to, size_t bytes)
{
    while (bytes) {
        if (!lith_window_need(w, 1))
            return w->code;
        size_t some = lith_min_size(bytes, (size_t)(w->end - w->next));
        memcpy(to, w->next, some);
        w->next += some;
        to += some;
        bytes -= some;
    }
    return LITH_OK;
}

static enum lith_code values_join(struct strings *d, size_t count, struct lith_err *err)
{
    const uint32_t *prefixes = d->prefixes.ready_u32 + d->prefixes.ready_begin;
    const uint32_t *suffixes = d->lengths.ready_u32 + d->lengths.ready_begin;
    const uint8_t *last = d->batch.data;
    uint8_t *at = d->batch.data + d->batch.bytes;

    d->data.err = err;
    for (size_t i = 0; i < count; i++) {
        if (prefixes[i])
            memcpy(at, last, prefixes[i]);
        LITH_TRY(suffix_take(&d->data, at + prefixes[i], suffixes[i]));
        d->slices[i].data = at;
        last = at;
        at += d->slices[i].bytes;
    }
    d->last_bytes = d->slices[count - 1].bytes;
    d->batch.bytes = (size_t)(at - d->batch.data);
    d->prefixes.ready_begin += count;
    d->lengths.ready_begin += count;
    return LITH_OK;
}

static enum lith_code bytes_next(struct lith_decoder *decoder, size_t count,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    struct strings *d = (struct strings *)decoder;
    size_t bytes = 0;

    LITH_TRY(lith_delta_fill(&d->prefixes, err));
    LITH_TRY(lith_delta_fill(&d->lengths, err));
    count = lith_min_size(count, d->prefixes.ready_end - d->prefixes.ready_begin);
    count = lith_min_size(count, d->lengths.ready_end - d->lengths.ready_begin);
    LITH_TRY(last_keep(d, err));
    LITH_TRY(values_measure(d, &count, &bytes, err));
    size_t begin = d->batch.bytes;
    LITH_TRY(lith_buf_reserve(&d->batch, bytes ? bytes : 1, err));
    LITH_TRY(values_join(d, count, err));
    ret_values->count = count;
    if (decoder->width)
        ret_values->fixed = d->batch.data + begin;
    else
        ret_values->slices = d->slices;
    return LITH_OK;
}

static uint64_t strings_left(const struct lith_decoder *decoder)
{
    return lith_window_left(&((const struct strings *)decoder)->data);
}

static void strings_close(struct lith_decoder *decoder)
{
    struct strings *d = (struct strings *)decoder;

    lith_delta_done(&d->prefixes);
    lith_delta_done(&d->lengths);
    lith_window_done(&d->prefix_window);
    lith_window_done(&d->length_window);
    lith_window_done(&d->data);
    lith_buf_done(&d->batch);
    lith_free(d->slices);
}

const struct lith_decoder_ops lith_decode_delta_length = {sizeof(struct strings), strings_open,
                                                          length_next, strings_left, strings_close};
const struct lith_decoder_ops lith_decode_delta_bytes = {sizeof(struct strings), strings_open,
                                                         bytes_next, strings_left, strings_close};
