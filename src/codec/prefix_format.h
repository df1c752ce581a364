/*
 * What the formats of compressed bodies share when bytes are put in front: their shape, a failure.
 */
#ifndef LITH_CODEC_PREFIX_FORMAT_H
#define LITH_CODEC_PREFIX_FORMAT_H

#include "codec/prefix.h"

/*
 * Appends to `front` what comes instead of the first edit->skip bytes, the prefix included; fills
 * `edit` but for `keep`. The prefix has bytes, the page with it at most INT32_MAX. What it appended
 * is taken back where it fails.
 */
typedef enum lith_code lith_prefix_fn(struct lith_slice prefix, const struct lith_body_ends *ends,
                                      struct lith_buf *front, struct lith_body_edit *edit,
                                      struct lith_err *err);
lith_prefix_fn lith_gzip_prefix, lith_zstd_prefix;

/* What the format wants goes on behind the head, NOT_FOUND; behind the whole body it is CORRUPT. */
#define lith_prefix_fail_short(codec, ends, err)                                                   \
    lith_failed(lith_prefix_fail_short_code(codec, ends, err))
LITH_MUST_CHECK enum lith_code lith_prefix_fail_short_code(const char *codec,
                                                           const struct lith_body_ends *ends,
                                                           struct lith_err *err);

/* Writes the low `bytes` bytes of a number, little-endian; where they end. */
static inline uint8_t *lith_number_put(uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *to++ = (uint8_t)(number >> (8 * i));
    return to;
}

#endif
