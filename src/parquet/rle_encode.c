/*
 * The hybrid, encoding: at each group of eight, a run of eight or more equal values becomes an RLE
 * run, else the group is packed. The form depends on the values alone.
 *
 * Packed runs have at most 63 groups, as parquet-mr and Arrow write them, so that their header is
 * one byte.
 */
#include "parquet/rle.h"

#include "base/checked.h"
#include "parquet/bitpack.h"
#include "parquet/encode.h"

#define PACKED_GROUPS_MAX 63
#define REPEAT_COUNT_MAX ((size_t)INT32_MAX) /* Encodings.md, "RLE", note 3 */

/* The values to encode: of 32 or of 16 bits, the other pointer is NULL. */
struct input {
    const uint32_t *wide;
    const uint16_t *narrow;
    size_t count;
};

static inline uint32_t input_at(const struct input *in, size_t index)
{
    return in->wide ? in->wide[index] : in->narrow[index];
}

static size_t run_length(const struct input *in, size_t begin)
{
    size_t end = begin + 1;

    if (in->wide)
        while (end < in->count && in->wide[end] == in->wide[begin])
            end++;
    else
        while (end < in->count && in->narrow[end] == in->narrow[begin])
            end++;
    return end - begin;
}

enum lith_code lith_rle_put_repeat(uint32_t value, size_t count, unsigned width,
                                   struct lith_buf *to, struct lith_err *err)
{
    while (count) {
        size_t run = lith_min_size(count, REPEAT_COUNT_MAX);
        LITH_TRY(lith_buf_reserve(to, LITH_VARINT_BYTES_MAX + sizeof(value), err));
        uint8_t *at = lith_varint_put(to->data + to->bytes, (uint64_t)run << 1);
        for (unsigned shift = 0; shift < width; shift += 8)
            *at++ = (uint8_t)(value >> shift);
        to->bytes = (size_t)(at - to->data);
        count -= run;
    }
    return LITH_OK;
}

/* Packs values [begin, end), the last group padded with zeros. */
static enum lith_code packed_put(const struct input *in, size_t begin, size_t end, unsigned width,
                                 struct lith_buf *to, struct lith_err *err)
{
    while (begin < end) {
        uint64_t values[PACKED_GROUPS_MAX * 8];
        size_t count = lith_min_size(end - begin, PACKED_GROUPS_MAX * 8);
        size_t groups = (count + 7) / 8;

        LITH_TRY(lith_buf_reserve(to, 1 + groups * width, err));
        for (size_t i = 0; i < count; i++)
            values[i] = input_at(in, begin + i);
        for (size_t i = count; i < groups * 8; i++)
            values[i] = 0;
        to->data[to->bytes] = (uint8_t)(groups << 1 | 1);
        lith_pack_u64(values, groups, width, to->data + to->bytes + 1);
        to->bytes += 1 + groups * width;
        begin += count;
    }
    return LITH_OK;
}

enum lith_code lith_rle_put_packed(const uint32_t *values, size_t count, unsigned width,
                                   struct lith_buf *to, struct lith_err *err)
{
    struct input in = {.wide = values, .count = count};

    return packed_put(&in, 0, count, width, to, err);
}

static enum lith_code encode(const struct input *in, unsigned width, struct lith_buf *to,
                             struct lith_err *err)
{
    size_t packed = 0; /* where the values to be packed begin */
    size_t at = 0;     /* a whole number of groups behind `packed` */

    LITH_ASSERT(width <= 32);
    while (at < in->count) {
        size_t run = run_length(in, at);
        if (run < 8) {
            at += 8;
            continue;
        }
        LITH_TRY(packed_put(in, packed, at, width, to, err));
        LITH_TRY(lith_rle_put_repeat(input_at(in, at), run, width, to, err));
        at += run;
        packed = at;
    }
    return packed_put(in, packed, in->count, width, to, err);
}

enum lith_code lith_rle_encode(const uint32_t *values, size_t count, unsigned width,
                               struct lith_buf *to, struct lith_err *err)
{
    struct input in = {.wide = values, .count = count};

    return encode(&in, width, to, err);
}

enum lith_code lith_rle_encode_u16(const uint16_t *values, size_t count, unsigned width,
                                   struct lith_buf *to, struct lith_err *err)
{
    struct input in = {.narrow = values, .count = count};

    return encode(&in, width, to, err);
}
