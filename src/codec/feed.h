/*
 * The two ends of a stream decoder: a window that walks over the input, and one for the output.
 *
 * The input window gives contiguous bytes; the output window checks that a stream never gives
 * more than the page header promised.
 */
#ifndef LITH_CODEC_FEED_H
#define LITH_CODEC_FEED_H

#include "codec/codec.h"

/* [next, end) are the bytes at hand; the reader moves `next`. */
struct lith_feed {
    struct lith_source *from;
    uint64_t offset; /* of the next byte to fetch */
    uint64_t left;   /* bytes still to fetch */
    uint8_t *window;
    const uint8_t *next;
    const uint8_t *end;
};

/* Takes a window of LITH_CODEC_WINDOW_BYTES. Nothing is read yet. */
LITH_MUST_CHECK enum lith_code lith_feed_open(struct lith_feed *feed, struct lith_mem *mem,
                                              const struct lith_decompress_stream *stream,
                                              struct lith_err *err);
void lith_feed_done(struct lith_feed *feed);

/* Back to the first byte. */
void lith_feed_rewind(struct lith_feed *feed, const struct lith_decompress_stream *stream);

/* Fetches until `bytes` (at most the window) are at hand; fewer only where the input ends. */
LITH_MUST_CHECK enum lith_code lith_feed_fetch(struct lith_feed *feed, size_t bytes,
                                               struct lith_err *err);

static inline size_t lith_feed_ready(const struct lith_feed *feed)
{
    return (size_t)(feed->end - feed->next);
}

LITH_MUST_CHECK static inline enum lith_code lith_feed_fill(struct lith_feed *feed, size_t bytes,
                                                            struct lith_err *err)
{
    return lith_feed_ready(feed) >= bytes ? LITH_OK : lith_feed_fetch(feed, bytes, err);
}

/* LITH_AUTO(feed) struct lith_feed f = {0}; */
static inline void lith_feed_auto(struct lith_feed *feed)
{
    lith_feed_done(feed);
}

/* Output of a library that keeps its own history: `window` is written and then passed on. */
struct lith_drain {
    const char *codec;
    const struct lith_decompress_stream *stream;
    uint8_t *window;   /* LITH_CODEC_WINDOW_BYTES */
    uint64_t produced; /* passed on to the sink */
};

LITH_MUST_CHECK enum lith_code lith_drain_open(struct lith_drain *drain, struct lith_mem *mem,
                                               const char *codec,
                                               const struct lith_decompress_stream *stream,
                                               struct lith_err *err);
void lith_drain_done(struct lith_drain *drain);

/* Passes the first `bytes` of the window on. CORRUPT when they are more than the page has. */
LITH_MUST_CHECK enum lith_code lith_drain_pass(struct lith_drain *drain, size_t bytes,
                                               struct lith_err *err);

/* CORRUPT when the page is not complete. */
LITH_MUST_CHECK enum lith_code lith_drain_end(const struct lith_drain *drain, struct lith_err *err);

/* LITH_AUTO(drain) struct lith_drain d = {0}; */
static inline void lith_drain_auto(struct lith_drain *drain)
{
    lith_drain_done(drain);
}

#endif
