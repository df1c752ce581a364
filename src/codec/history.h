/*
 * Output that looks back at itself, for decoders of SNAPPY and LZ4 elements.
 *
 * The last 64 KiB are always at hand; what lies further back is read from the sink's own contents.
 * A dry history only counts: it tells whether a guess about the format is right before a byte is
 * written.
 */
#ifndef LITH_CODEC_HISTORY_H
#define LITH_CODEC_HISTORY_H

#include "codec/codec.h"

/* data[0..fill) are the page's bytes from position `base`; data[0..passed) are in the sink. */
struct lith_history {
    const struct lith_decompress_stream *stream;
    uint8_t *data; /* NULL: dry */
    size_t fill;
    size_t passed;
    uint64_t base;
};

LITH_MUST_CHECK enum lith_code lith_history_open(struct lith_history *history, struct lith_mem *mem,
                                                 const struct lith_decompress_stream *stream,
                                                 struct lith_err *err);
void lith_history_done(struct lith_history *history);

/* Bytes of the page so far. */
static inline uint64_t lith_history_position(const struct lith_history *history)
{
    return history->base + history->fill;
}

/* The caller has checked that the page has room for `bytes`. */
LITH_MUST_CHECK enum lith_code lith_history_append(struct lith_history *history, const void *from,
                                                   size_t bytes, struct lith_err *err);

/* Repeats `bytes` from `distance` back (1 to the position; may overlap). Room as above. */
LITH_MUST_CHECK enum lith_code lith_history_copy(struct lith_history *history, uint64_t distance,
                                                 uint64_t bytes, struct lith_err *err);

/* Passes everything on to the sink. */
LITH_MUST_CHECK enum lith_code lith_history_pass(struct lith_history *history,
                                                 struct lith_err *err);

/* LITH_AUTO(history) struct lith_history h = {0}; */
static inline void lith_history_auto(struct lith_history *history)
{
    lith_history_done(history);
}

#endif
