/*
 * SNAPPY from a source to a sink, element by element.
 *
 * A block is a varint with the size, then literals and copies. Writers look back 64 KiB at most,
 * but a copy with a 4-byte offset may name any earlier byte: the history finds it in the sink.
 * format_description.txt of snappy.
 */
#include "base/bytes.h"
#include "base/checked.h"
#include "codec/feed.h"
#include "codec/history.h"
#include "codec/internal.h"

#define ELEMENT_HEADER_BYTES_MAX 5u
#define LENGTH_BYTES_MAX 5u

struct element {
    bool copy;
    uint64_t length;
    uint64_t distance; /* of a copy */
};

static enum lith_code fail(const struct lith_decompress_stream *stream, const char *what,
                           struct lith_err *err)
{
    return lith_codec_fail_data(err, "SNAPPY", what, stream->from_bytes, stream->to_bytes);
}

static enum lith_code length_read(struct lith_feed *feed,
                                  const struct lith_decompress_stream *stream, struct lith_err *err)
{
    uint64_t length = 0;

    LITH_TRY(lith_feed_fill(feed, LENGTH_BYTES_MAX, err));
    for (unsigned shift = 0; shift < 7 * LENGTH_BYTES_MAX; shift += 7) {
        if (feed->next == feed->end)
            break;
        uint8_t byte = *feed->next++;
        length |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (length > UINT32_MAX)
            break;
        if (length != stream->to_bytes)
            return lith_codec_fail_size(err, "SNAPPY", stream->to_bytes, length);
        return LITH_OK;
    }
    return fail(stream, "no length at the start", err);
}

/* The number of `bytes` (0 to 4) that follow the tag. */
static uint64_t number_at(const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

/* Reads a tag and its numbers; false when the input ends within. */
static bool element_read(struct lith_feed *feed, struct element *ret_element)
{
    static const uint8_t copy_bytes[] = {0, 1, 2, 4};
    uint8_t tag = *feed->next;
    unsigned kind = tag & 3u;
    unsigned high = tag >> 2;
    size_t extra = kind ? copy_bytes[kind] : high < 60 ? 0 : high - 59;

    if (lith_feed_ready(feed) < 1 + extra)
        return false;
    uint64_t number = number_at(feed->next + 1, extra);
    feed->next += 1 + extra;
    if (kind == 0)
        *ret_element = (struct element){.length = (extra ? number : high) + 1};
    else if (kind == 1)
        *ret_element = (struct element){true, 4 + (high & 7), number | (uint64_t)(tag >> 5) << 8};
    else
        *ret_element = (struct element){true, high + 1, number};
    return true;
}

static enum lith_code literal_move(struct lith_feed *feed, struct lith_history *history,
                                   uint64_t length, struct lith_err *err)
{
    while (length) {
        LITH_TRY(lith_feed_fill(feed, 1, err));
        size_t now = (size_t)lith_min_u64(length, lith_feed_ready(feed));
        if (now == 0)
            return fail(history->stream, "a literal passes the end", err);
        LITH_TRY(lith_history_append(history, feed->next, now, err));
        feed->next += now;
        length -= now;
    }
    return LITH_OK;
}

enum lith_code lith_snappy_stream(struct lith_codec_context *context,
                                  const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(history) struct lith_history history = {0};
    struct element element;

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_history_open(&history, context->mem, stream, err));
    LITH_TRY(length_read(&feed, stream, err));
    for (;;) {
        LITH_TRY(lith_feed_fill(&feed, ELEMENT_HEADER_BYTES_MAX, err));
        if (lith_feed_ready(&feed) == 0)
            break;
        if (!element_read(&feed, &element))
            return fail(stream, "an element passes the end", err);
        uint64_t position = lith_history_position(&history);
        if (element.length > stream->to_bytes - position)
            return fail(stream, "gives more bytes than the page has", err);
        if (!element.copy) {
            LITH_TRY(literal_move(&feed, &history, element.length, err));
            continue;
        }
        if (element.distance == 0 || element.distance > position)
            return fail(stream, "a copy from before the start", err);
        LITH_TRY(lith_history_copy(&history, element.distance, element.length, err));
    }
    if (lith_history_position(&history) != stream->to_bytes)
        return lith_codec_fail_size(err, "SNAPPY", stream->to_bytes,
                                    lith_history_position(&history));
    return lith_history_pass(&history, err);
}
