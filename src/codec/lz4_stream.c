/*
 * LZ4 blocks from a source to a sink, sequence by sequence, and the dialects built of them.
 *
 * The rules at the end of a block (the last sequence has literals only, matches end 5 bytes before
 * the end) are those of LZ4_decompress_safe, so that both forms take the same blocks; offset 0,
 * which the library of Debian 12 takes, is refused here. lz4_Block_format.md.
 */
#include <inttypes.h>

#include "base/checked.h"
#include "codec/feed.h"
#include "codec/history.h"
#include "codec/lz4.h"

#define MATCH_BYTES_MIN 4u
#define LAST_LITERALS 5u /* a match ends at least so many bytes before the end of the block */
#define MATCH_MARGIN 12u /* literals before a match end at least so many bytes before it */
#define SEQUENCE_REST 8u /* offset, token and the last literals follow every match */
#define LENGTH_CONTINUES 15u

/* One block: what is left of it, and what it may still give. */
struct block {
    const char *name;
    struct lith_feed *feed;
    struct lith_history *history;
    uint64_t from_left;
    uint64_t room_left;
    uint64_t produced;
};

static enum lith_code fail(const struct block *block, const char *what, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT,
                     "%s: %s; %" PRIu64 " bytes found, at most %" PRIu64 " expected", block->name,
                     what, block->produced, block->produced + block->room_left);
}

static enum lith_code byte_take(struct block *block, uint8_t *ret_byte, struct lith_err *err)
{
    LITH_TRY(lith_feed_fill(block->feed, 1, err));
    if (block->from_left == 0 || lith_feed_ready(block->feed) == 0)
        return fail(block, "cut off", err);
    block->from_left--;
    *ret_byte = *block->feed->next++;
    return LITH_OK;
}

/* A length whose first 4 bits are `nibble`; bytes of 255 go on. */
static enum lith_code length_take(struct block *block, unsigned nibble, uint64_t *ret_length,
                                  struct lith_err *err)
{
    uint64_t length = nibble;
    uint8_t byte = 255;

    while (byte == 255 && length >= LENGTH_CONTINUES) {
        LITH_TRY(byte_take(block, &byte, err));
        length += byte;
        if (length > block->room_left)
            return fail(block, "a length passes the end", err);
    }
    *ret_length = length;
    return LITH_OK;
}

static enum lith_code literals_move(struct block *block, uint64_t length, struct lith_err *err)
{
    block->from_left -= length;
    block->room_left -= length;
    block->produced += length;
    while (length) {
        LITH_TRY(lith_feed_fill(block->feed, 1, err));
        size_t now = (size_t)lith_min_u64(length, lith_feed_ready(block->feed));
        if (now == 0)
            return fail(block, "cut off", err);
        LITH_TRY(lith_history_append(block->history, block->feed->next, now, err));
        block->feed->next += now;
        length -= now;
    }
    return LITH_OK;
}

static enum lith_code match_copy(struct block *block, unsigned nibble, struct lith_err *err)
{
    uint8_t low = 0; /* gcc -O3 does not see that a failure never comes back as LITH_OK */
    uint8_t high = 0;
    uint64_t length = 0;

    LITH_TRY(byte_take(block, &low, err));
    LITH_TRY(byte_take(block, &high, err));
    uint64_t distance = low | (uint64_t)high << 8;
    if (distance == 0)
        return fail(block, "offset 0", err);
    if (distance > block->produced)
        return fail(block, "a match from before the start", err);
    LITH_TRY(length_take(block, nibble, &length, err));
    length += MATCH_BYTES_MIN;
    if (length + LAST_LITERALS > block->room_left)
        return fail(block, "a match too near to the end", err);
    block->room_left -= length;
    block->produced += length;
    return lith_history_copy(block->history, distance, length, err);
}

/* Decodes one block of `from_bytes` into at most `room`; *ret_bytes are what it gave. */
static enum lith_code block_stream(struct block *block, uint64_t *ret_bytes, struct lith_err *err)
{
    for (;;) {
        uint8_t token = 0;
        uint64_t literals = 0;
        LITH_TRY(byte_take(block, &token, err));
        if (token && block->produced == 0 && block->room_left == 0)
            return fail(block, "an empty block is one zero byte", err);
        LITH_TRY(length_take(block, token >> 4, &literals, err));
        if (literals > block->from_left || literals > block->room_left)
            return fail(block, "literals pass the end", err);
        bool last = literals + SEQUENCE_REST > block->from_left ||
                    literals + MATCH_MARGIN > block->room_left;
        if (last && literals != block->from_left)
            return fail(block, "a match too near to the end", err);
        LITH_TRY(literals_move(block, literals, err));
        if (last)
            break;
        LITH_TRY(match_copy(block, token & 15u, err));
    }
    *ret_bytes = block->produced;
    return LITH_OK;
}

static enum lith_code block_exact(const char *name, struct lith_feed *feed,
                                  struct lith_history *history, struct lith_err *err)
{
    const struct lith_decompress_stream *stream = history->stream;
    struct block block = {name, feed, history, stream->from_bytes, stream->to_bytes, 0};
    uint64_t found;

    LITH_TRY(block_stream(&block, &found, err));
    if (found != stream->to_bytes)
        return lith_codec_fail_size(err, name, stream->to_bytes, found);
    return LITH_OK;
}

/* As size_read of lz4.c, from the feed. */
static enum lith_code size_read(struct lith_feed *feed, uint64_t most, const char *what,
                                uint64_t *ret_size, struct lith_err *err)
{
    LITH_TRY(lith_feed_fill(feed, 4, err));
    if (lith_feed_ready(feed) < 4)
        return lith_fail(err, LITH_E_CORRUPT, "LZ4 (Hadoop): expected a %s, found %zu bytes", what,
                         lith_feed_ready(feed));
    uint64_t size = lith_load_u32_be(feed->next);
    if (size > most)
        return lith_fail(err, LITH_E_CORRUPT,
                         "LZ4 (Hadoop): %s of %" PRIu64 " bytes, at most %" PRIu64 " are left",
                         what, size, most);
    feed->next += 4;
    *ret_size = size;
    return LITH_OK;
}

static enum lith_code hadoop_stream(struct lith_feed *feed, struct lith_history *history,
                                    struct lith_err *err)
{
    const struct lith_decompress_stream *stream = history->stream;
    uint64_t produced = 0;

    for (;;) {
        uint64_t raw;
        LITH_TRY(lith_feed_fill(feed, 1, err));
        if (lith_feed_ready(feed) == 0)
            break;
        LITH_TRY(size_read(feed, stream->to_bytes - produced, "raw size", &raw, err));
        while (raw) {
            struct block block = {"LZ4 (Hadoop)", feed, history, 0, raw, 0};
            uint64_t found;
            LITH_TRY(size_read(feed, UINT32_MAX, "compressed size", &block.from_left, err));
            LITH_TRY(block_stream(&block, &found, err));
            produced += found;
            raw -= found;
        }
    }
    if (produced != stream->to_bytes)
        return lith_codec_fail_size(err, "LZ4 (Hadoop)", stream->to_bytes, produced);
    return LITH_OK;
}

/* Whether the page is Hadoop's framing from end to end; nothing is written. */
static enum lith_code hadoop_probe(struct lith_feed *feed,
                                   const struct lith_decompress_stream *stream, bool *ret_hadoop,
                                   struct lith_err *err)
{
    struct lith_history dry = {.stream = stream};
    enum lith_code code = hadoop_stream(feed, &dry, err);

    if (code != LITH_OK && code != LITH_E_CORRUPT)
        return code;
    lith_feed_rewind(feed, stream);
    *ret_hadoop = code == LITH_OK;
    return LITH_OK;
}

enum lith_code lith_lz4_stream(struct lith_codec_context *context,
                               const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(history) struct lith_history history = {0};
    bool hadoop;

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_feed_fill(&feed, 4, err));
    struct lith_slice start = {feed.next, lith_feed_ready(&feed)};
    enum lith_lz4_dialect dialect = lith_lz4_dialect(start, stream->from_bytes, stream->to_bytes);
    if (dialect == LITH_LZ4_FRAME) {
        lith_feed_done(&feed);
        return lith_lz4_frame_stream(context, stream, err);
    }
    hadoop = dialect == LITH_LZ4_HADOOP;
    if (dialect == LITH_LZ4_HADOOP_OR_BLOCK)
        LITH_TRY(hadoop_probe(&feed, stream, &hadoop, err));
    LITH_TRY(lith_history_open(&history, context->mem, stream, err));
    if (hadoop)
        LITH_TRY(hadoop_stream(&feed, &history, err));
    else
        LITH_TRY(block_exact("LZ4 (block)", &feed, &history, err));
    return lith_history_pass(&history, err);
}

enum lith_code lith_lz4_raw_stream(struct lith_codec_context *context,
                                   const struct lith_decompress_stream *stream,
                                   struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(history) struct lith_history history = {0};

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_history_open(&history, context->mem, stream, err));
    LITH_TRY(block_exact("LZ4_RAW", &feed, &history, err));
    return lith_history_pass(&history, err);
}
