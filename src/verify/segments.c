/*
 * Segments against pages: by positions, which both have.
 */
#include "verify/segments.h"

#include <inttypes.h>

void lith_segments_begin(struct lith_segments *segments, struct lith_witness *witness,
                         struct lith_witness_place place)
{
    *segments = (struct lith_segments){
        .witness = witness, .place = place, .segment = {.kind = LITH_SEGMENT_DECODED}};
}

/* Moves to the next segment that has positions, or to the end of the chunk. */
static enum lith_code next(struct lith_segments *segments, struct lith_err *err)
{
    while (segments->left == 0 && segments->segment.kind != LITH_SEGMENT_END) {
        LITH_TRY(lith_witness_read(segments->witness, &segments->place, &segments->segment, err));
        segments->left = segments->segment.positions;
    }
    return LITH_OK;
}

enum lith_code lith_segments_page(struct lith_segments *segments, uint32_t positions,
                                  struct lith_err *err)
{
    LITH_TRY(next(segments, err));
    if (segments->left == 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a page of %" PRIu32 " values, but there are no more from the sources",
                         positions);
    if (positions > segments->left)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a page of %" PRIu32 " values, but from the sources come %" PRIu64
                         " that are %s",
                         positions, segments->left,
                         segments->segment.kind == LITH_SEGMENT_COPIED ? "copied" : "encoded anew");
    segments->left -= positions;
    return LITH_OK;
}

enum lith_code lith_segments_end(struct lith_segments *segments, uint64_t *ret_rows,
                                 struct lith_err *err)
{
    LITH_TRY(next(segments, err));
    if (segments->left > 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the pages have ended, %" PRIu64 " values from the sources are missing",
                         segments->left);
    *ret_rows = segments->segment.rows;
    return LITH_OK;
}
