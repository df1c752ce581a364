/*
 * Dictionary ids to values. Over a dictionary in memory a batch is a gather; over one that stays
 * in its body each distinct value is read once into the batch buffer, which is kept from batch to
 * batch while it has room, so that repeated ids cost nothing. Encodings.md, "Dictionary Encoding".
 */
#include <inttypes.h>

#include "base/checked.h"
#include "parquet/decode.h"

#define CACHE_COUNT 1024 /* places in the batch buffer that are remembered; a power of two */

/* Where the value of an id lies in the batch buffer. */
struct place {
    uint32_t id;
    bool known;
    size_t offset;
};

struct ids {
    struct lith_decoder base;
    struct lith_window window;
    struct lith_rle_decoder rle;
    uint32_t *ids; /* decoded; [ids_begin, ids_end) are not handed out yet */
    size_t ids_begin;
    size_t ids_end;
    bool gives_ids;
    struct lith_slice *slices;
    struct lith_buf batch;
    size_t *offsets;     /* of a batch's values in the batch buffer; byte arrays in a body only */
    struct place *cache; /* likewise */
};

static enum lith_code ids_alloc(struct ids *d, struct lith_err *err)
{
    const struct lith_dictionary *dictionary = d->base.options.dictionary;
    void *block;

    LITH_TRY(lith_decoder_batch(&d->base, sizeof(*d->ids), &block, err));
    d->ids = block;
    d->gives_ids = d->base.options.want_ids && lith_dictionary_is_held(dictionary);
    if (d->gives_ids || d->base.options.type != LITH_TYPE_BYTE_ARRAY)
        return LITH_OK;
    LITH_TRY(lith_decoder_batch(&d->base, sizeof(*d->slices), &block, err));
    d->slices = block;
    if (dictionary->slices)
        return LITH_OK;
    LITH_TRY(lith_decoder_batch(&d->base, sizeof(*d->offsets), &block, err));
    d->offsets = block;
    LITH_TRY(
        lith_alloc_array(d->base.options.work->mem, CACHE_COUNT, sizeof(*d->cache), &block, err));
    d->cache = block;
    return LITH_OK;
}

static enum lith_code ids_open(struct lith_decoder *decoder, struct lith_err *err)
{
    struct ids *d = (struct ids *)decoder;
    const struct lith_decoder_options *options = &decoder->options;

    if (!options->dictionary)
        return lith_fail(err, LITH_E_CORRUPT, "dictionary ids without a dictionary page");
    LITH_ASSERT(options->dictionary->type == options->type);
    lith_buf_init(&d->batch, options->work->mem, decoder->value_bytes_max);
    if (decoder->width)
        LITH_TRY(lith_decoder_allow(decoder, decoder->width, err));
    LITH_TRY(lith_decoder_window(decoder, &d->window, options->begin, options->end, err));
    if (!lith_window_need(&d->window, 1))
        return d->window.code;
    unsigned width = *d->window.next++;
    LITH_TRY(lith_rle_init(&d->rle, &d->window, width, err));
    return ids_alloc(d, err);
}

/* Decodes more ids, when none are left, and checks them. */
static enum lith_code ids_fill(struct ids *d, size_t count, struct lith_err *err)
{
    uint32_t dictionary_count = d->base.options.dictionary->count;
    uint32_t largest = 0;

    if (d->ids_begin < d->ids_end)
        return LITH_OK;
    LITH_TRY(lith_rle_next(&d->rle, d->ids, count, err));
    for (size_t i = 0; i < count; i++)
        largest = largest > d->ids[i] ? largest : d->ids[i];
    if (largest >= dictionary_count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "id %" PRIu32 " in a dictionary of %" PRIu32 " entries", largest,
                         dictionary_count);
    d->ids_begin = 0;
    d->ids_end = count;
    return LITH_OK;
}

LITH_TEMPLATE void gather(const uint8_t *from, const uint32_t *ids, size_t count, size_t width,
                          uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, from + ids[i] * width, width);
}

static void fixed_gather(const uint8_t *from, const uint32_t *ids, size_t count, size_t width,
                         uint8_t *to)
{
    if (width == 4)
        gather(from, ids, count, 4, to);
    else if (width == 8)
        gather(from, ids, count, 8, to);
    else
        gather(from, ids, count, width, to);
}

static enum lith_code fixed_read(struct ids *d, const uint32_t *ids, size_t count,
                                 struct lith_err *err)
{
    size_t width = d->base.width;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && ids[i] == ids[i - 1])
            LITH_TRY(lith_buf_append(&d->batch, d->batch.data + (i - 1) * width, width, err));
        else
            LITH_TRY(lith_dictionary_read(d->base.options.dictionary, ids[i], &d->batch, err));
    }
    return LITH_OK;
}

/* Values of fixed width, side by side in the batch buffer. */
static enum lith_code fixed_next(struct ids *d, size_t count, struct lith_values *ret_values,
                                 struct lith_err *err)
{
    const struct lith_dictionary *dictionary = d->base.options.dictionary;
    const uint32_t *ids = d->ids + d->ids_begin;
    size_t width = d->base.width;
    size_t count_max = d->base.batch_bytes_max / width;

    count = lith_min_size(count, count_max ? count_max : 1);
    lith_buf_clear(&d->batch);
    LITH_TRY(lith_buf_reserve(&d->batch, count * width, err));
    if (dictionary->fixed)
        fixed_gather(dictionary->fixed, ids, count, width, d->batch.data);
    else
        LITH_TRY(fixed_read(d, ids, count, err));
    ret_values->count = count;
    ret_values->fixed = d->batch.data;
    return LITH_OK;
}

static void cache_clear(struct ids *d)
{
    lith_buf_clear(&d->batch);
    memset(d->cache, 0, CACHE_COUNT * sizeof(*d->cache));
}

/* Finds or reads values until the batch buffer is full; the number of values, with offsets. */
static enum lith_code values_read(struct ids *d, const uint32_t *ids, size_t *count,
                                  struct lith_err *err)
{
    const struct lith_dictionary *dictionary = d->base.options.dictionary;

    if (d->batch.bytes > d->base.batch_bytes_max / 2)
        cache_clear(d);
    for (size_t i = 0; i < *count; i++) {
        struct place *place = &d->cache[ids[i] % CACHE_COUNT];
        size_t bytes = dictionary->lengths[ids[i]];

        if (!place->known || place->id != ids[i]) {
            LITH_TRY(lith_decoder_allow(&d->base, bytes, err));
            if (d->batch.bytes + bytes > d->base.batch_bytes_max && i > 0) {
                *count = i;
                return LITH_OK;
            }
            if (d->batch.bytes + bytes > d->base.batch_bytes_max)
                cache_clear(d);
            *place = (struct place){.id = ids[i], .known = true, .offset = d->batch.bytes};
            LITH_TRY(lith_dictionary_read(dictionary, ids[i], &d->batch, err));
        }
        d->offsets[i] = place->offset;
    }
    return LITH_OK;
}

static enum lith_code bytes_next(struct ids *d, size_t count, struct lith_values *ret_values,
                                 struct lith_err *err)
{
    const struct lith_dictionary *dictionary = d->base.options.dictionary;
    const uint32_t *ids = d->ids + d->ids_begin;

    if (dictionary->slices) {
        for (size_t i = 0; i < count; i++)
            d->slices[i] = dictionary->slices[ids[i]];
    } else {
        LITH_TRY(values_read(d, ids, &count, err));
        if (!d->batch.data) /* empty values need an address too */
            LITH_TRY(lith_buf_reserve(&d->batch, 1, err));
        for (size_t i = 0; i < count; i++)
            d->slices[i] =
                (struct lith_slice){d->batch.data + d->offsets[i], dictionary->lengths[ids[i]]};
    }
    ret_values->count = count;
    ret_values->slices = d->slices;
    return LITH_OK;
}

static enum lith_code ids_next(struct lith_decoder *decoder, size_t count,
                               struct lith_values *ret_values, struct lith_err *err)
{
    struct ids *d = (struct ids *)decoder;

    LITH_TRY(ids_fill(d, count, err));
    count = lith_min_size(count, d->ids_end - d->ids_begin);
    if (d->gives_ids) {
        ret_values->count = count;
        ret_values->ids = d->ids + d->ids_begin;
        ret_values->dictionary = decoder->options.dictionary;
    } else if (decoder->width)
        LITH_TRY(fixed_next(d, count, ret_values, err));
    else
        LITH_TRY(bytes_next(d, count, ret_values, err));
    d->ids_begin += ret_values->count;
    return LITH_OK;
}

static uint64_t ids_left(const struct lith_decoder *decoder)
{
    return lith_rle_left(&((const struct ids *)decoder)->rle);
}

static void ids_close(struct lith_decoder *decoder)
{
    struct ids *d = (struct ids *)decoder;

    lith_window_done(&d->window);
    lith_buf_done(&d->batch);
    lith_free(d->ids);
    lith_free(d->slices);
    lith_free(d->offsets);
    lith_free(d->cache);
}

const struct lith_decoder_ops lith_decode_ids = {sizeof(struct ids), ids_open, ids_next, ids_left,
                                                 ids_close};
