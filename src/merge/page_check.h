/*
 * What of a page can be checked without decoding its values, before it is copied.
 *
 * Levels of V2 pages are not compressed: what the header says of rows and nulls is handed on, so it
 * is counted. Values with prefixes must not need those of the page before, which will be another
 * one. parquet-splice.md sections 1.1, 1.6 and 9.1, 7.
 */
#ifndef LITH_MERGE_PAGE_CHECK_H
#define LITH_MERGE_PAGE_CHECK_H

#include "parquet/chunk_levels.h"

/*
 * Checks rows, nulls and the first repetition level of a V2 page, its body not loaded, against its
 * header. `levels` is of the page's leaf; `pages` has the page at its offset. CORRUPT.
 */
LITH_MUST_CHECK enum lith_code lith_v2_levels_check(const struct lith_page *page,
                                                    struct lith_source *pages,
                                                    struct lith_chunk_levels *levels,
                                                    struct lith_err *err);

/* Whether a body that is not compressed is as long as its header says; `codec` is the body's own.
 * CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_plain_size_check(const struct lith_page_header *header,
                                                     enum lith_codec codec, struct lith_err *err);

/* Whether the first of the values (DELTA_BYTE_ARRAY, from `begin` of the body on) has no prefix;
 * false also where that cannot be told. */
LITH_MUST_CHECK enum lith_code lith_prefix_is_own(const struct lith_body *values, uint64_t begin,
                                                  bool *ret_own, struct lith_err *err);

#endif
