/*
 * The RLE / bit-packed hybrid of levels, dictionary ids and BOOLEAN values; and the deprecated
 * BIT_PACKED levels. Encodings.md, "Run Length Encoding / Bit-Packing Hybrid" and "Bit-packed".
 */
#ifndef LITH_PARQUET_RLE_H
#define LITH_PARQUET_RLE_H

#include "parquet/window.h"

struct lith_rle_decoder {
    struct lith_window *window; /* borrowed */
    unsigned width;             /* bits, 0 to 32 */
    uint64_t repeat_left;       /* of the current RLE run */
    uint64_t packed_left;       /* values of the current bit-packed run, padding included */
    uint32_t repeat_value;
    bool one_run;   /* BIT_PACKED: no further runs follow */
    bool msb_first; /* its bits, from the most significant one on */
    uint64_t bits;  /* bits taken from the window, not handed out yet */
    unsigned bit_count;
};

/* The hybrid at the window's position, of `width` bits. CORRUPT when width > 32. */
LITH_MUST_CHECK enum lith_code lith_rle_init(struct lith_rle_decoder *d, struct lith_window *window,
                                             unsigned width, struct lith_err *err);
/* BIT_PACKED levels: `count` values of `width` bits in one run, the bits of a byte from the most
 * or from the least significant one on. */
LITH_MUST_CHECK enum lith_code lith_rle_init_bit_packed(struct lith_rle_decoder *d,
                                                        struct lith_window *window, unsigned width,
                                                        uint64_t count, bool msb_first,
                                                        struct lith_err *err);

/* Decodes exactly `count` values. CORRUPT when the stream ends before. Values are not checked
 * against a maximum; those of an RLE run may be wider than `width` only as far as its bytes go. */
LITH_MUST_CHECK enum lith_code lith_rle_next(struct lith_rle_decoder *d, uint32_t *to, size_t count,
                                             struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_rle_next_u16(struct lith_rle_decoder *d, uint16_t *to,
                                                 size_t count, struct lith_err *err);

/*
 * How many of the next values are known to be equal, and what they are, without decoding them; 0
 * where they are not packed as a run. Begins the next run; a value must be left.
 */
LITH_MUST_CHECK enum lith_code lith_rle_peek(struct lith_rle_decoder *d, uint64_t *ret_count,
                                             uint32_t *ret_value, struct lith_err *err);
/* Passes over `count` values, at most as many as lith_rle_peek found. */
void lith_rle_skip(struct lith_rle_decoder *d, uint64_t count);

/* Bytes of the window that belong neither to values decoded nor to the group they end in. */
uint64_t lith_rle_left(const struct lith_rle_decoder *d);

/* Appends the hybrid form of `count` values that all fit `width` bits; runs of 8 and more equal
 * values as RLE. */
LITH_MUST_CHECK enum lith_code lith_rle_encode(const uint32_t *values, size_t count, unsigned width,
                                               struct lith_buf *to, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_rle_encode_u16(const uint16_t *values, size_t count,
                                                   unsigned width, struct lith_buf *to,
                                                   struct lith_err *err);

/* Parts of the hybrid form: a run of `count` equal values; `count` values packed, a multiple of
 * eight unless they are the last. */
LITH_MUST_CHECK enum lith_code lith_rle_put_repeat(uint32_t value, size_t count, unsigned width,
                                                   struct lith_buf *to, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_rle_put_packed(const uint32_t *values, size_t count,
                                                   unsigned width, struct lith_buf *to,
                                                   struct lith_err *err);

/* Bits that hold 0..max. */
unsigned lith_bit_width(uint32_t max);

#endif
