/*
 * Definition levels for pages that have none: a REQUIRED column under an OPTIONAL one.
 *
 * Every value is there, so the levels are one run; it is put in front of the values, which are
 * neither decoded nor decompressed. Holds for leaves with max_rep 0 whose max_def was 0 and now is
 * more (the leaf itself relaxed, its groups, or both). parquet-splice.md sections 1.3, 6.4.
 */
#ifndef LITH_PARQUET_LEVEL_PREFIX_H
#define LITH_PARQUET_LEVEL_PREFIX_H

#include "codec/prefix.h"
#include "parquet/page_header.h"

/* A length, a ULEB128 of 32 bits, a level of 16. */
#define LITH_LEVEL_RUN_BYTES_MAX (4u + 5u + 2u)

struct lith_level_run {
    uint8_t data[LITH_LEVEL_RUN_BYTES_MAX];
    size_t bytes;
};

/*
 * The stream of levels in which `count` (at most INT32_MAX) positions have the same `level`, of
 * levels up to `max` (at least 1): as V1 pages have it, behind its length, or bare as in V2 pages.
 */
struct lith_level_run lith_level_run(uint32_t count, uint16_t level, uint16_t max,
                                     bool with_length);

/*
 * Finds how a page of a leaf without levels becomes one of a leaf with `max_def`, from the ends
 * of its body as stored (their plain_bytes are not looked at). *ret_header is the new header,
 * without a CRC; `front` gets the bytes that come before the old ones.
 *
 * CORRUPT when header and body contradict each other or the column (nulls in it). UNSUPPORTED when
 * the codec cannot: V1 pages only, see lith_prefix_plan, also for NOT_FOUND. LIMIT when the page
 * gets too large. INVALID for pages that are not data pages.
 */
LITH_MUST_CHECK enum lith_code
lith_page_define_plan(const struct lith_page_header *header, enum lith_codec codec,
                      uint16_t max_def, const struct lith_body_ends *ends, struct lith_buf *front,
                      struct lith_page_header *ret_header, struct lith_body_edit *ret_edit,
                      struct lith_err *err);

/*
 * The same for a page in memory: appends the new body, as stored, to `to`; *ret_header has its
 * CRC. The page's own CRC, where it has one, is checked before (CORRUPT).
 */
LITH_MUST_CHECK enum lith_code lith_page_define(const struct lith_page_header *header,
                                                enum lith_codec codec, uint16_t max_def,
                                                struct lith_slice body, struct lith_buf *to,
                                                struct lith_page_header *ret_header,
                                                struct lith_err *err);

#endif
