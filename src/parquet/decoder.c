/*
 * Decoders: the table of families by encoding and type, and what all of them have in common.
 */
#include "parquet/decoder.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/decode.h"

/* Windows: large enough that system calls do not count, a small part of the smallest budget. */
#define WINDOW_BYTES_MAX ((size_t)64 * 1024)
#define WINDOW_BYTES_MIN 64
#define WINDOWS_PER_SHARE 64
/* A value's length stands before it in the window. */
#define LENGTH_BYTES 4

#define FIXED_NUMBERS(ops)                                                                         \
    [LITH_TYPE_INT32] = (ops), [LITH_TYPE_INT64] = (ops), [LITH_TYPE_FLOAT] = (ops),               \
    [LITH_TYPE_DOUBLE] = (ops), [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = (ops)

#define EVERY_TYPE(ops)                                                                            \
    FIXED_NUMBERS(ops), [LITH_TYPE_BOOLEAN] = (ops), [LITH_TYPE_INT96] = (ops),                    \
                        [LITH_TYPE_BYTE_ARRAY] = (ops)

static const struct lith_decoder_ops *const families[LITH_ENCODING_COUNT][LITH_TYPE_COUNT] = {
    [LITH_ENCODING_PLAIN] =
        {FIXED_NUMBERS(&lith_decode_plain_fixed), [LITH_TYPE_INT96] = &lith_decode_plain_fixed,
         [LITH_TYPE_BYTE_ARRAY] = &lith_decode_plain_bytes,
         [LITH_TYPE_BOOLEAN] = &lith_decode_plain_boolean},
    [LITH_ENCODING_PLAIN_DICTIONARY] = {EVERY_TYPE(&lith_decode_ids)},
    [LITH_ENCODING_RLE_DICTIONARY] = {EVERY_TYPE(&lith_decode_ids)},
    [LITH_ENCODING_RLE] = {[LITH_TYPE_BOOLEAN] = &lith_decode_rle_boolean},
    [LITH_ENCODING_DELTA_BINARY_PACKED] =
        {[LITH_TYPE_INT32] = &lith_decode_delta, [LITH_TYPE_INT64] = &lith_decode_delta},
    [LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = {[LITH_TYPE_BYTE_ARRAY] = &lith_decode_delta_length},
    [LITH_ENCODING_DELTA_BYTE_ARRAY] = {[LITH_TYPE_BYTE_ARRAY] = &lith_decode_delta_bytes,
                                        [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] =
                                            &lith_decode_delta_bytes},
    [LITH_ENCODING_BYTE_STREAM_SPLIT] = {FIXED_NUMBERS(&lith_decode_split)},
};

enum lith_code lith_decoder_window(const struct lith_decoder *decoder, struct lith_window *window,
                                   uint64_t begin, uint64_t end, struct lith_err *err)
{
    size_t buffer_max = decoder->value_bytes_max + LENGTH_BYTES;

    if (buffer_max < decoder->window_bytes)
        buffer_max = decoder->window_bytes;
    return lith_window_init(window, decoder->options.body, begin, end, decoder->options.work->mem,
                            decoder->window_bytes, buffer_max, err);
}

enum lith_code lith_decoder_batch(const struct lith_decoder *decoder, size_t element_bytes,
                                  void **ret_block, struct lith_err *err)
{
    size_t count = (size_t)lith_min_u64(decoder->options.value_count, LITH_BATCH_POSITIONS);

    return lith_alloc_array(decoder->options.work->mem, count, element_bytes, ret_block, err);
}

enum lith_code lith_decoder_allow(const struct lith_decoder *decoder, uint64_t bytes,
                                  struct lith_err *err)
{
    if (bytes > decoder->value_bytes_max)
        return lith_fail(err, LITH_E_LIMIT,
                         "a value of %" PRIu64 " bytes, at most %zu (a share of the memory "
                         "budget) can be held; raise --memory",
                         bytes, decoder->value_bytes_max);
    return LITH_OK;
}

static void empty_close(struct lith_decoder *decoder)
{
    (void)decoder;
}

/* Without values the headers of an encoding may be there or not. */
static uint64_t empty_left(const struct lith_decoder *decoder)
{
    if (decoder->options.encoding == LITH_ENCODING_PLAIN ||
        decoder->options.encoding == LITH_ENCODING_BYTE_STREAM_SPLIT)
        return decoder->options.end - decoder->options.begin;
    return 0;
}

static const struct lith_decoder_ops empty = {
    .bytes = sizeof(struct lith_decoder), .left = empty_left, .close = empty_close};

static const struct lith_decoder_ops *family_find(const struct lith_decoder_options *options)
{
    unsigned encoding = (unsigned)options->encoding;

    LITH_ASSERT((unsigned)options->type < LITH_TYPE_COUNT);
    return encoding < LITH_ENCODING_COUNT ? families[encoding][options->type] : NULL;
}

bool lith_decoder_knows(enum lith_type type, int encoding)
{
    return encoding >= 0 && encoding < LITH_ENCODING_COUNT && families[encoding][type] != NULL;
}

static enum lith_code unsupported_fail(const struct lith_decoder_options *options,
                                       struct lith_err *err)
{
    const char *name = lith_encoding_name((int)options->encoding);

    return lith_fail(err, LITH_E_UNSUPPORTED, "encoding %s (%d) for values of type %s",
                     name ? name : "unknown", (int)options->encoding,
                     lith_type_name((int)options->type));
}

static enum lith_code options_check(const struct lith_decoder_options *options,
                                    struct lith_err *err)
{
    if (options->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY && options->type_length <= 0)
        return lith_fail(err, LITH_E_CORRUPT, "%s of %" PRId32 " bytes",
                         lith_type_name((int)options->type), options->type_length);
    if (options->begin > options->end || options->end > options->body->bytes)
        return lith_fail(err, LITH_E_CORRUPT,
                         "values at bytes %" PRIu64 " to %" PRIu64 " of a page body of %" PRIu64,
                         options->begin, options->end, options->body->bytes);
    return LITH_OK;
}

enum lith_code lith_decoder_open(const struct lith_decoder_options *options,
                                 struct lith_decoder **ret_decoder, struct lith_err *err)
{
    const struct lith_decoder_ops *ops = family_find(options);
    void *block;

    if (!ops)
        return unsupported_fail(options, err);
    LITH_TRY(options_check(options, err));
    if (options->value_count == 0)
        ops = &empty;
    LITH_TRY(lith_alloc_array(options->work->mem, 1, ops->bytes, &block, err));
    struct lith_decoder *decoder = block;
    size_t share = lith_work_share(options->work);
    size_t window_bytes = lith_min_size(share / WINDOWS_PER_SHARE, WINDOW_BYTES_MAX);
    *decoder = (struct lith_decoder){
        .ops = ops,
        .options = *options,
        .width = lith_type_width(options->type, options->type_length),
        .values_left = options->value_count,
        .value_bytes_max = share,
        .batch_bytes_max = share / 4,
        .window_bytes = window_bytes < WINDOW_BYTES_MIN ? WINDOW_BYTES_MIN : window_bytes,
    };
    enum lith_code code = ops->open ? ops->open(decoder, err) : LITH_OK;
    if (code != LITH_OK) {
        lith_decoder_close(decoder);
        return code;
    }
    *ret_decoder = decoder;
    return LITH_OK;
}

enum lith_code lith_decoder_next(struct lith_decoder *decoder, size_t count_max,
                                 struct lith_values *ret_values, struct lith_err *err)
{
    size_t count = lith_min_size(count_max, LITH_BATCH_POSITIONS);
    struct lith_values values = {.type = decoder->options.type, .width = decoder->width};

    LITH_ASSERT(count_max > 0);
    LITH_ASSERT(decoder->values_left > 0);
    count = (size_t)lith_min_u64(count, decoder->values_left);
    LITH_TRY(decoder->ops->next(decoder, count, &values, err));
    LITH_ASSERT(values.count > 0);
    LITH_ASSERT(values.count <= count);
    decoder->values_left -= values.count;
    *ret_values = values;
    return LITH_OK;
}

uint64_t lith_decoder_left(const struct lith_decoder *decoder)
{
    return decoder->ops->left(decoder);
}

void lith_decoder_close(struct lith_decoder *decoder)
{
    if (!decoder)
        return;
    decoder->ops->close(decoder);
    lith_free(decoder);
}

void lith_decoder_continue(struct lith_decoder *decoder, struct lith_slice previous)
{
    decoder->previous = previous;
}
