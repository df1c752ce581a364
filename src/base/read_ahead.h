/*
 * Reading ahead: a source over another one, with one bounded buffer.
 *
 * For a range that is read forward in small pieces, such as the pages of a column chunk. Small
 * reads and views come from the buffer, which is filled up to the end of the range and never past
 * it; large reads go straight through, as do reads that are not in order (a dictionary that stays
 * in the file is looked up at random, and must not fetch a buffer for each value).
 */
#ifndef LITH_BASE_READ_AHEAD_H
#define LITH_BASE_READ_AHEAD_H

#include "base/source.h"

struct lith_read_ahead {
    struct lith_source base; /* closing it is a no-op: the inner source is its owner's */
    struct lith_source *inner;
    struct lith_mem *mem;
    uint8_t *buffer; /* NULL until it is needed; kept from range to range */
    size_t buffer_bytes;
    uint64_t begin; /* `buffer` holds the inner bytes [begin, end) */
    uint64_t end;
    uint64_t next; /* where the last read or view ended */
    uint64_t range_end;
};

/* Takes no memory yet. The buffer is charged to `mem`; where it cannot be had, reads go straight
 * through and there are no views. */
void lith_read_ahead_init(struct lith_read_ahead *ahead, struct lith_mem *mem, size_t buffer_bytes);
/* A zeroed one is a no-op. */
void lith_read_ahead_done(struct lith_read_ahead *ahead);

/* Begins with another range [begin, end) of `inner`, which outlives it. Nothing is read yet. */
void lith_read_ahead_open(struct lith_read_ahead *ahead, struct lith_source *inner, uint64_t begin,
                          uint64_t end);

/* Goes on with the same range after its file was opened anew: what is in the buffer stays. */
void lith_read_ahead_again(struct lith_read_ahead *ahead, struct lith_source *inner);

#endif
