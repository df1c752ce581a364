/*
 * Page headers: PageHeader of parquet.thrift, parsed and checked.
 *
 * After a successful parse: sizes and counts are not negative, V2 level lengths fit both sizes.
 * parquet-splice.md sections 1.3 and 9.1, 6.
 */
#ifndef LITH_PARQUET_PAGE_HEADER_H
#define LITH_PARQUET_PAGE_HEADER_H

#include "parquet/footer.h"

struct lith_page_header {
    int32_t type; /* enum lith_page_type, or another number: a page to skip */
    int32_t uncompressed_bytes;
    int32_t compressed_bytes;
    bool has_crc;
    uint32_t crc;
    uint32_t num_values;  /* data pages: positions, nulls included; dictionary: entries */
    int32_t encoding;     /* of the values; of the dictionary page */
    int32_t def_encoding; /* V1; V2 is always RLE */
    int32_t rep_encoding;
    uint32_t num_nulls;                /* V2 */
    uint32_t num_rows;                 /* V2 */
    uint32_t def_bytes;                /* V2 */
    uint32_t rep_bytes;                /* V2 */
    bool is_compressed;                /* V2; absent means true */
    bool is_sorted;                    /* dictionary */
    struct lith_statistics statistics; /* borrowed from the parsed bytes; data pages */
};

/*
 * Parses a header at the start of `data`. *ret_bytes is its length. CORRUPT for bad contents;
 * NOT_FOUND when `data` ends before the header does (give more bytes).
 */
LITH_MUST_CHECK enum lith_code lith_page_header_parse(const uint8_t *data, size_t bytes,
                                                      struct lith_page_header *ret_header,
                                                      size_t *ret_bytes, struct lith_err *err);

/* CORRUPT, without a place, when the header has a checksum and it is not `crc`, that of the stored
 * body. Always true of a page without one. */
LITH_MUST_CHECK enum lith_code lith_page_crc_check(const struct lith_page_header *header,
                                                   uint32_t crc, struct lith_err *err);

#endif
