/*
 * Decompressing SNAPPY blocks by code of our own: for proofs and sort keys, not for what is moved.
 *
 * Where elements are short, as among numbers, it takes two thirds of the library's time. What the
 * merge moves is decompressed by the library: were this code wrong, a proof would fail, and no
 * value would change.
 */
#ifndef LITH_CODEC_SNAPPY_EXPAND_H
#define LITH_CODEC_SNAPPY_EXPAND_H

#include "base/bytes.h"
#include "base/err.h"

/* Writes exactly `to_bytes` bytes. CORRUPT when the block has others, or is damaged. */
LITH_MUST_CHECK enum lith_code lith_snappy_expand(struct lith_slice block, uint8_t *to,
                                                  size_t to_bytes, struct lith_err *err);

#endif
