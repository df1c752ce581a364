/*
 * Pages that a merge copied, held against the witness as they are walked: what their headers
 * mean, their bytes, and what their ids mean in the dictionary they came under. Nothing is
 * decompressed.
 */
#ifndef LITH_VERIFY_COPIED_H
#define LITH_VERIFY_COPIED_H

#include "verify/segments.h"

struct lith_copied {
    struct lith_segments segments;
    struct lith_mem *mem;
    struct lith_pages_hash hash;

    /* The chunk. */
    struct lith_source *source;
    struct lith_chunk_ref ref;
    struct lith_chunk_reader *reader; /* borrowed; reads the dictionary */
    uint64_t positions;
    uint64_t decoded_pages;    /* of segments that are not copied */
    uint64_t pages;            /* of the copied segment at hand */
    bool in_copied;            /* the page at hand is copied */
    bool dictionary_asked_for; /* the reader stands behind it */
};

/* Of a whole file. */
void lith_copied_init(struct lith_copied *copied, struct lith_witness *witness,
                      struct lith_mem *mem);
void lith_copied_done(struct lith_copied *copied);

/* Begins the next chunk of the file. All given outlive it. */
void lith_copied_begin(struct lith_copied *copied, struct lith_source *source,
                       const struct lith_chunk_ref *ref, struct lith_chunk_reader *reader);

/* The next data page. *ret_copied tells whether its stored body must follow. */
LITH_MUST_CHECK enum lith_code lith_copied_page(struct lith_copied *copied,
                                                const struct lith_page_header *header,
                                                bool *ret_copied, struct lith_err *err);
void lith_copied_bytes(struct lith_copied *copied, const void *data, size_t bytes);
/* The page has ended; with a segment, it is compared. CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_copied_page_end(struct lith_copied *copied,
                                                    struct lith_err *err);

/* The chunk has ended. CORRUPT where the sources had more, or other rows. */
LITH_MUST_CHECK enum lith_code lith_copied_end(struct lith_copied *copied, struct lith_err *err);

#endif
