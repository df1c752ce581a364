/*
 * Encoders: the table of families by encoding and type, and the short ones: PLAIN, BOOLEAN by the
 * hybrid, BYTE_STREAM_SPLIT and dictionary ids. Encodings.md.
 */
#include "parquet/encoder.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/bitpack.h"
#include "parquet/encode.h"
#include "parquet/rle.h"

static enum lith_code plain_fixed(const struct lith_values *values, struct lith_mem *mem,
                                  struct lith_buf *to, struct lith_err *err)
{
    size_t bytes;

    (void)mem;
    if (!lith_mul_size(values->count, values->width, &bytes))
        return lith_fail(err, LITH_E_LIMIT, "%zu values of %zu bytes", values->count,
                         values->width);
    return lith_buf_append(to, values->fixed, bytes, err);
}

static enum lith_code plain_bytes(const struct lith_values *values, struct lith_mem *mem,
                                  struct lith_buf *to, struct lith_err *err)
{
    (void)mem;
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = values->slices[i];
        if (value.bytes > INT32_MAX)
            return lith_fail(err, LITH_E_LIMIT,
                             "a value of %zu bytes, at most %" PRId32 " are legal", value.bytes,
                             INT32_MAX);
        LITH_TRY(lith_buf_reserve(to, 4 + value.bytes, err));
        lith_store_u32(to->data + to->bytes, (uint32_t)value.bytes);
        if (value.bytes)
            memcpy(to->data + to->bytes + 4, value.data, value.bytes);
        to->bytes += 4 + value.bytes;
    }
    return LITH_OK;
}

static enum lith_code plain_boolean(const struct lith_values *values, struct lith_mem *mem,
                                    struct lith_buf *to, struct lith_err *err)
{
    size_t bytes = values->count / 8 + (values->count % 8 != 0);

    (void)mem;
    if (bytes == 0)
        return LITH_OK;
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    uint8_t *at = to->data + to->bytes;
    memset(at, 0, bytes);
    for (size_t i = 0; i < values->count; i++)
        at[i / 8] |= (uint8_t)((values->fixed[i] & 1) << (i % 8));
    to->bytes += bytes;
    return LITH_OK;
}

static enum lith_code rle_boolean(const struct lith_values *values, struct lith_mem *mem,
                                  struct lith_buf *to, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    size_t length_at = to->bytes;

    LITH_TRY(lith_alloc_array(mem, values->count, sizeof(uint16_t), &block, err));
    uint16_t *bits = block;
    for (size_t i = 0; i < values->count; i++)
        bits[i] = values->fixed[i] & 1;
    LITH_TRY(lith_buf_append(to, "\0\0\0\0", 4, err));
    LITH_TRY(lith_rle_encode_u16(bits, values->count, 1, to, err));
    size_t bytes = to->bytes - length_at - 4;
    if (bytes > UINT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes of BOOLEAN runs", bytes);
    lith_store_u32(to->data + length_at, (uint32_t)bytes);
    return LITH_OK;
}

static enum lith_code split(const struct lith_values *values, struct lith_mem *mem,
                            struct lith_buf *to, struct lith_err *err)
{
    size_t width = values->width;
    size_t bytes;

    (void)mem;
    if (!lith_mul_size(values->count, width, &bytes))
        return lith_fail(err, LITH_E_LIMIT, "%zu values of %zu bytes", values->count, width);
    if (bytes == 0)
        return LITH_OK;
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    uint8_t *at = to->data + to->bytes;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < values->count; i++)
            *at++ = values->fixed[i * width + k];
    to->bytes += bytes;
    return LITH_OK;
}

static lith_encode_fn *const families[LITH_ENCODING_COUNT][LITH_TYPE_COUNT] = {
    [LITH_ENCODING_PLAIN] = {[LITH_TYPE_BOOLEAN] = plain_boolean,
                             [LITH_TYPE_INT32] = plain_fixed,
                             [LITH_TYPE_INT64] = plain_fixed,
                             [LITH_TYPE_INT96] = plain_fixed,
                             [LITH_TYPE_FLOAT] = plain_fixed,
                             [LITH_TYPE_DOUBLE] = plain_fixed,
                             [LITH_TYPE_BYTE_ARRAY] = plain_bytes,
                             [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = plain_fixed},
    [LITH_ENCODING_RLE] = {[LITH_TYPE_BOOLEAN] = rle_boolean},
    [LITH_ENCODING_DELTA_BINARY_PACKED] =
        {[LITH_TYPE_INT32] = lith_encode_delta, [LITH_TYPE_INT64] = lith_encode_delta},
    [LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = {[LITH_TYPE_BYTE_ARRAY] = lith_encode_delta_length},
    [LITH_ENCODING_DELTA_BYTE_ARRAY] = {[LITH_TYPE_BYTE_ARRAY] = lith_encode_delta_bytes,
                                        [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = lith_encode_delta_bytes},
    [LITH_ENCODING_BYTE_STREAM_SPLIT] = {[LITH_TYPE_INT32] = split,
                                         [LITH_TYPE_INT64] = split,
                                         [LITH_TYPE_FLOAT] = split,
                                         [LITH_TYPE_DOUBLE] = split,
                                         [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = split},
};

bool lith_encoding_fits(enum lith_encoding encoding, enum lith_type type)
{
    return (unsigned)encoding < LITH_ENCODING_COUNT && (unsigned)type < LITH_TYPE_COUNT &&
           families[encoding][type];
}

enum lith_code lith_encode(enum lith_encoding encoding, const struct lith_values *values,
                           struct lith_mem *mem, struct lith_buf *to, struct lith_err *err)
{
    LITH_ASSERT(lith_encoding_fits(encoding, values->type));
    return families[encoding][values->type](values, mem, to, err);
}

enum lith_code lith_encode_ids(const uint32_t *ids, size_t count, uint32_t dictionary_count,
                               struct lith_buf *to, struct lith_err *err)
{
    unsigned width = lith_bit_width(dictionary_count ? dictionary_count - 1 : 0);

    /* Width 0 is legal, but readers have failed on it (ARROW-GH-43605). */
    width = width ? width : 1;
    LITH_TRY(lith_buf_append_byte(to, (uint8_t)width, err));
    return lith_rle_encode(ids, count, width, to, err);
}
