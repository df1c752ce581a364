/*
 * The body of one page: read, its checksum checked, decompressed.
 *
 * In memory when what is stored and what comes out of it fit lith_page_bytes_max together;
 * else straight over the file, or through a scratch spool. Sizes come from the header and are
 * not trusted: nothing larger than that is allocated for them.
 */
#ifndef LITH_PARQUET_PAGE_BODY_H
#define LITH_PARQUET_PAGE_BODY_H

#include "parquet/page_source.h"

/*
 * Fills the bodies of `page`, whose header and offset are set, from the file at `body_offset`.
 * `head` holds what was read of the file from the page's offset on, so that small pages cost
 * one read.
 */
LITH_MUST_CHECK enum lith_code lith_page_body_load(struct lith_page_source *pages,
                                                   struct lith_page_room *room,
                                                   struct lith_page *page, struct lith_err *err);

/* Bytes of a body from `at` on; CORRUPT when it ends before. */
LITH_MUST_CHECK enum lith_code lith_body_read(const struct lith_body *body, uint64_t at, void *to,
                                              size_t bytes, struct lith_err *err);

#endif
