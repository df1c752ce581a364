/*
 * DELTA_BINARY_PACKED, encoding: the deltas of a block as 64-bit numbers, whatever the type, so
 * that one function writes blocks. The deltas of INT32 wrap at 32 bits before. Encodings.md,
 * "Delta Encoding".
 */
#include "base/checked.h"
#include "parquet/bitpack.h"
#include "parquet/encode.h"

#define BLOCK_VALUES 128
#define MINIBLOCK_COUNT 4
#define MINIBLOCK_VALUES (BLOCK_VALUES / MINIBLOCK_COUNT)
#define BLOCK_BYTES_MAX (LITH_VARINT_BYTES_MAX + MINIBLOCK_COUNT + BLOCK_VALUES * 8)

static uint8_t *zigzag_put(uint8_t *to, int64_t value)
{
    return lith_varint_put(to, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static enum lith_code header_put(size_t count, int64_t first, struct lith_buf *to,
                                 struct lith_err *err)
{
    LITH_TRY(lith_buf_reserve(to, 4 * LITH_VARINT_BYTES_MAX, err));
    uint8_t *at = lith_varint_put(to->data + to->bytes, BLOCK_VALUES);
    at = lith_varint_put(at, MINIBLOCK_COUNT);
    at = lith_varint_put(at, count);
    at = zigzag_put(at, first);
    to->bytes = (size_t)(at - to->data);
    return LITH_OK;
}

/* Writes a block of `count` (1 to 128) deltas; `deltas` is used up. */
static enum lith_code block_put(uint64_t *deltas, size_t count, struct lith_buf *to,
                                struct lith_err *err)
{
    /* cppcheck-suppress uninitvar; callers fill at least one delta */
    int64_t min = (int64_t)deltas[0];

    LITH_TRY(lith_buf_reserve(to, BLOCK_BYTES_MAX, err));
    for (size_t i = 1; i < count; i++)
        min = min < (int64_t)deltas[i] ? min : (int64_t)deltas[i];
    for (size_t i = 0; i < count; i++)
        deltas[i] -= (uint64_t)min;
    for (size_t i = count; i < BLOCK_VALUES; i++)
        deltas[i] = 0;
    uint8_t *widths = zigzag_put(to->data + to->bytes, min);
    uint8_t *at = widths + MINIBLOCK_COUNT;
    for (size_t m = 0; m < MINIBLOCK_COUNT; m++) {
        const uint64_t *values = deltas + m * MINIBLOCK_VALUES;
        uint64_t all = 0;
        for (size_t i = 0; i < MINIBLOCK_VALUES; i++)
            all |= values[i];
        unsigned width = all ? 64 - (unsigned)__builtin_clzll(all) : 0;
        widths[m] = (uint8_t)width;
        lith_pack_u64(values, MINIBLOCK_VALUES / 8, width, at);
        at += MINIBLOCK_VALUES / 8 * width;
    }
    to->bytes = (size_t)(at - to->data);
    return LITH_OK;
}

enum lith_code lith_delta_encode_u32(const uint32_t *values, size_t count, struct lith_buf *to,
                                     struct lith_err *err)
{
    LITH_TRY(header_put(count, count ? (int32_t)values[0] : 0, to, err));
    for (size_t at = 1; at < count; at += BLOCK_VALUES) {
        uint64_t deltas[BLOCK_VALUES];
        size_t block = lith_min_size(count - at, BLOCK_VALUES);
        for (size_t i = 0; i < block; i++)
            deltas[i] = (uint64_t)(int64_t)(int32_t)(values[at + i] - values[at + i - 1]);
        LITH_TRY(block_put(deltas, block, to, err));
    }
    return LITH_OK;
}

enum lith_code lith_delta_encode_u64(const uint64_t *values, size_t count, struct lith_buf *to,
                                     struct lith_err *err)
{
    LITH_TRY(header_put(count, count ? (int64_t)values[0] : 0, to, err));
    for (size_t at = 1; at < count; at += BLOCK_VALUES) {
        uint64_t deltas[BLOCK_VALUES];
        size_t block = lith_min_size(count - at, BLOCK_VALUES);
        for (size_t i = 0; i < block; i++)
            deltas[i] = values[at + i] - values[at + i - 1];
        LITH_TRY(block_put(deltas, block, to, err));
    }
    return LITH_OK;
}

/* The values may lie at any address, so they are copied to numbers first. */
enum lith_code lith_encode_delta(const struct lith_values *values, struct lith_mem *mem,
                                 struct lith_buf *to, struct lith_err *err)
{
    LITH_AUTO(block) void *numbers = NULL;

    LITH_TRY(lith_alloc_array(mem, values->count, values->width, &numbers, err));
    if (values->count)
        memcpy(numbers, values->fixed, values->count * values->width);
    if (values->type == LITH_TYPE_INT64)
        return lith_delta_encode_u64(numbers, values->count, to, err);
    return lith_delta_encode_u32(numbers, values->count, to, err);
}
