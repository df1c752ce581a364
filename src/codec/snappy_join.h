/*
 * Joining SNAPPY blocks without decompressing them.
 *
 * A block is its length and then elements, each a literal or a copy from so many bytes back. So
 * elements of several blocks may follow each other in a new one, as long as no copy reaches back
 * into what was cut off in front. Worth it where data hardly compresses: then there are few
 * elements and nothing to gain from compressing it together. Snappy's format_description.txt.
 */
#ifndef LITH_CODEC_SNAPPY_JOIN_H
#define LITH_CODEC_SNAPPY_JOIN_H

#include "base/buf.h"
#include "base/bytes.h"

/* The bytes of the literal that a block begins with, and what the block decompresses to; false when
 * it begins with something else or is damaged. */
bool lith_snappy_first_literal(struct lith_slice block, struct lith_slice *ret_literal,
                               uint64_t *ret_plain_bytes);

/*
 * Appends elements that decompress to a block's bytes from `skip` on, which lies inside its first
 * literal: the block's own, but for copies from what was skipped, which become literals. *ret_done
 * is false, and `to` as before, when the block is damaged, does not decompress to `plain_bytes`, or
 * copies so much across the cut that it has to be decompressed.
 */
LITH_MUST_CHECK enum lith_code lith_snappy_tail(struct lith_slice block, uint64_t plain_bytes,
                                                size_t skip, struct lith_buf *to, bool *ret_done,
                                                struct lith_err *err);

/* Appends what a block begins with that is `plain_bytes` long: its length, then `first` as a
 * literal. */
LITH_MUST_CHECK enum lith_code lith_snappy_begin(uint64_t plain_bytes, struct lith_slice first,
                                                 struct lith_buf *to, struct lith_err *err);

#endif
