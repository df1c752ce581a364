/*
 * Windows over the input and the output of a stream decoder.
 */
#include "codec/feed.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "codec/internal.h"

static enum lith_code window_take(struct lith_mem *mem, uint8_t **ret_window, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(mem, LITH_CODEC_WINDOW_BYTES, &block, err));
    *ret_window = block;
    return LITH_OK;
}

enum lith_code lith_feed_open(struct lith_feed *feed, struct lith_mem *mem,
                              const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_TRY(window_take(mem, &feed->window, err));
    feed->from = stream->from;
    lith_feed_rewind(feed, stream);
    return LITH_OK;
}

void lith_feed_done(struct lith_feed *feed)
{
    lith_free(feed->window);
    *feed = (struct lith_feed){0};
}

void lith_feed_rewind(struct lith_feed *feed, const struct lith_decompress_stream *stream)
{
    feed->offset = stream->from_offset;
    feed->left = stream->from_bytes;
    feed->next = feed->window;
    feed->end = feed->window;
}

enum lith_code lith_feed_fetch(struct lith_feed *feed, size_t bytes, struct lith_err *err)
{
    size_t ready = lith_feed_ready(feed);

    LITH_ASSERT(bytes <= LITH_CODEC_WINDOW_BYTES);
    size_t more = (size_t)lith_min_u64(LITH_CODEC_WINDOW_BYTES - ready, feed->left);
    if (more == 0)
        return LITH_OK;
    memmove(feed->window, feed->next, ready);
    feed->next = feed->window;
    feed->end = feed->window + ready;
    LITH_TRY(lith_source_read(feed->from, feed->offset, feed->window + ready, more, err));
    feed->offset += more;
    feed->left -= more;
    feed->end += more;
    return LITH_OK;
}

enum lith_code lith_drain_open(struct lith_drain *drain, struct lith_mem *mem, const char *codec,
                               const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_TRY(window_take(mem, &drain->window, err));
    drain->codec = codec;
    drain->stream = stream;
    drain->produced = 0;
    return LITH_OK;
}

void lith_drain_done(struct lith_drain *drain)
{
    lith_free(drain->window);
    *drain = (struct lith_drain){0};
}

enum lith_code lith_drain_pass(struct lith_drain *drain, size_t bytes, struct lith_err *err)
{
    if (bytes > drain->stream->to_bytes - drain->produced)
        return lith_codec_fail_data(err, drain->codec, "gives more bytes than the page has",
                                    drain->stream->from_bytes, drain->stream->to_bytes);
    LITH_TRY(lith_sink_write(drain->stream->to, drain->window, bytes, err));
    drain->produced += bytes;
    return LITH_OK;
}

enum lith_code lith_drain_end(const struct lith_drain *drain, struct lith_err *err)
{
    if (drain->produced != drain->stream->to_bytes)
        return lith_codec_fail_size(err, drain->codec, drain->stream->to_bytes, drain->produced);
    return LITH_OK;
}
