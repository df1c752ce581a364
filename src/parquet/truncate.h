/*
 * Shortened bounds: a smaller value that is still a lower bound, a greater one that is an upper.
 *
 * For values in unsigned bytewise order. UTF-8 is cut at character borders and stays UTF-8.
 */
#ifndef LITH_PARQUET_TRUNCATE_H
#define LITH_PARQUET_TRUNCATE_H

#include <stdbool.h>

#include "base/bytes.h"

/* The bytes of `value` (longer than `bytes_max` >= 4) to keep as a lower bound; 0 when there are
 * none, because the text is not UTF-8. */
size_t lith_truncate_min(struct lith_slice value, bool is_utf8, size_t bytes_max);

/* Writes an upper bound of `value` (longer than `bytes_max` >= 4) to `to`, which has room for
 * `bytes_max`. Returns its bytes; 0 when there is none: nothing to increment, or not UTF-8. */
size_t lith_truncate_max(struct lith_slice value, bool is_utf8, size_t bytes_max, uint8_t *to);

#endif
