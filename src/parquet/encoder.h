/*
 * Encoders: the values part of one page in one call. Encodings.md.
 */
#ifndef LITH_PARQUET_ENCODER_H
#define LITH_PARQUET_ENCODER_H

#include "base/buf.h"
#include "parquet/values.h"

/* True when the specification defines `encoding` for values of `type` (dictionary ids apart). */
bool lith_encoding_fits(enum lith_encoding encoding, enum lith_type type);

/*
 * Appends the encoded form of all values. PLAIN, RLE (BOOLEAN, with its 4-byte length),
 * DELTA_BINARY_PACKED (INT32, INT64), DELTA_LENGTH_BYTE_ARRAY (BYTE_ARRAY), DELTA_BYTE_ARRAY
 * (BYTE_ARRAY, FLBA), BYTE_STREAM_SPLIT (FLOAT, DOUBLE, INT32, INT64, FLBA). LIMIT when `to`
 * cannot hold it. The pair must fit (asserted). `mem` is for short-lived working memory.
 */
LITH_MUST_CHECK enum lith_code lith_encode(enum lith_encoding encoding,
                                           const struct lith_values *values, struct lith_mem *mem,
                                           struct lith_buf *to, struct lith_err *err);

/* Appends the data-page form of dictionary ids: a width byte and the hybrid. */
LITH_MUST_CHECK enum lith_code lith_encode_ids(const uint32_t *ids, size_t count,
                                               uint32_t dictionary_count, struct lith_buf *to,
                                               struct lith_err *err);

#endif
