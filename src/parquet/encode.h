/*
 * The families of encoders and what they share. Private to encode*.c, encoder.c and rle_encode.c.
 */
#ifndef LITH_PARQUET_ENCODE_H
#define LITH_PARQUET_ENCODE_H

#include "parquet/encoder.h"

#define LITH_VARINT_BYTES_MAX 10

/* Writes a ULEB128; where it ends. */
static inline uint8_t *lith_varint_put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

/* Appends a DELTA_BINARY_PACKED stream: blocks of 128 values, 4 miniblocks, as all writers do. */
LITH_MUST_CHECK enum lith_code lith_delta_encode_u32(const uint32_t *values, size_t count,
                                                     struct lith_buf *to, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_delta_encode_u64(const uint64_t *values, size_t count,
                                                     struct lith_buf *to, struct lith_err *err);

/* The families: values whose type fits, appended to `to`. */
typedef enum lith_code lith_encode_fn(const struct lith_values *values, struct lith_mem *mem,
                                      struct lith_buf *to, struct lith_err *err);
lith_encode_fn lith_encode_delta;
lith_encode_fn lith_encode_delta_length;
lith_encode_fn lith_encode_delta_bytes;

#endif
