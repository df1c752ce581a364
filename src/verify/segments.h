/*
 * The witness's segments of one chunk, used up page by page.
 *
 * Verify goes through a chunk's pages twice, by their headers and where values are decoded; each
 * time every page must belong to one segment, and the segments must end with the pages.
 */
#ifndef LITH_VERIFY_SEGMENTS_H
#define LITH_VERIFY_SEGMENTS_H

#include "parquet/witness.h"

struct lith_segments {
    struct lith_witness *witness;
    struct lith_witness_place place; /* behind the segment at hand */
    struct lith_segment segment;     /* at hand */
    uint64_t left;                   /* positions of it that no page had yet */
};

/* Begins a chunk, whose first segment is at `place`. */
void lith_segments_begin(struct lith_segments *segments, struct lith_witness *witness,
                         struct lith_witness_place place);

/* The segment at hand becomes that of the next page, which has `positions` (more than 0).
 * CORRUPT where the page passes its end, or no segment is left. */
LITH_MUST_CHECK enum lith_code lith_segments_page(struct lith_segments *segments,
                                                  uint32_t positions, struct lith_err *err);

/* True when the page was the last of the segment at hand. */
static inline bool lith_segments_at_border(const struct lith_segments *segments)
{
    return segments->left == 0;
}

/* Ends the chunk: *ret_rows by the sources' footers; `place` is the next chunk's. CORRUPT where
 * positions are left. */
LITH_MUST_CHECK enum lith_code lith_segments_end(struct lith_segments *segments, uint64_t *ret_rows,
                                                 struct lith_err *err);

#endif
