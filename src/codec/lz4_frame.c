/*
 * The frame dialect of the deprecated LZ4, through lz4frame.h.
 *
 * The library keeps one block in and one out, of at most 4 MiB each; the header says how large
 * they are, so they are charged before they are taken. lz4_Frame_format.md.
 */
#include <lz4frame.h>

#include <inttypes.h>

#include "base/checked.h"
#include "base/limits.h"
#include "codec/feed.h"
#include "codec/lz4.h"

#define NAME "LZ4 (frame)"

struct frame_state {
    struct lith_mem *mem;
    LZ4F_dctx *library;
    size_t charged;
};

static void frame_state_auto(struct frame_state *state)
{
    (void)LZ4F_freeDecompressionContext(state->library);
    lith_mem_release(state->mem, state->charged);
}

static size_t block_bytes(LZ4F_blockSizeID_t id)
{
    static const size_t bytes[] = {
        [LZ4F_max64KB] = 64 * LITH_KIB,
        [LZ4F_max256KB] = 256 * LITH_KIB,
        [LZ4F_max1MB] = 1 * LITH_MIB,
        [LZ4F_max4MB] = 4 * LITH_MIB,
    };

    return id >= LZ4F_max64KB && id <= LZ4F_max4MB ? bytes[id] : bytes[LZ4F_max4MB];
}

/* Reads the header; *ret_used are its bytes. */
static enum lith_code frame_begin(struct frame_state *state, struct lith_slice from,
                                  uint64_t history_bytes_max, size_t *ret_used,
                                  struct lith_err *err)
{
    LZ4F_frameInfo_t info;
    size_t used = from.bytes;

    LITH_TRY(lith_codec_charge(state->mem, &state->charged, LITH_LZ4_FRAME_STATE_BYTES, err));
    if (LZ4F_isError(LZ4F_createDecompressionContext(&state->library, LZ4F_VERSION)))
        return lith_fail(err, LITH_E_NOMEM, NAME ": out of memory for a decompressor");
    size_t result = LZ4F_getFrameInfo(state->library, &info, from.data, &used);
    if (LZ4F_isError(result))
        return lith_fail(err, LITH_E_CORRUPT, NAME ": header: %s", LZ4F_getErrorName(result));
    if (info.dictID)
        return lith_fail(err, LITH_E_UNSUPPORTED, NAME ": the frame needs dictionary %u",
                         info.dictID);
    size_t block = block_bytes(info.blockSizeID);
    if (block > history_bytes_max)
        return lith_fail(err, LITH_E_LIMIT,
                         NAME ": blocks of %zu bytes, at most %" PRIu64
                              " are allowed; raise --memory",
                         block, history_bytes_max);
    size_t sum = LITH_LZ4_FRAME_STATE_BYTES + 2 * block + LITH_LZ4_FRAME_HISTORY_BYTES;
    LITH_TRY(lith_codec_charge(state->mem, &state->charged, sum, err));
    *ret_used = used;
    return LITH_OK;
}

enum lith_code lith_lz4_frame_decompress(struct lith_codec_context *context, struct lith_slice from,
                                         void *to, size_t to_bytes, struct lith_err *err)
{
    static const LZ4F_decompressOptions_t options = {.stableDst = 1};
    __attribute__((cleanup(frame_state_auto))) struct frame_state state = {.mem = context->mem};
    size_t used;

    LITH_TRY(frame_begin(&state, from, UINT64_MAX, &used, err));
    size_t in_bytes = from.bytes - used;
    size_t out_bytes = to_bytes;
    size_t result =
        LZ4F_decompress(state.library, to, &out_bytes, from.data + used, &in_bytes, &options);
    if (LZ4F_isError(result))
        return lith_codec_fail_data(err, NAME, LZ4F_getErrorName(result), from.bytes, to_bytes);
    if (result)
        return lith_codec_fail_data(err, NAME, "cut off, or gives more bytes than the page has",
                                    from.bytes, to_bytes);
    if (in_bytes != from.bytes - used)
        return lith_codec_fail_data(err, NAME, "trailing bytes", from.bytes, to_bytes);
    if (out_bytes != to_bytes)
        return lith_codec_fail_size(err, NAME, to_bytes, out_bytes);
    return LITH_OK;
}

enum lith_code lith_lz4_frame_stream(struct lith_codec_context *context,
                                     const struct lith_decompress_stream *stream,
                                     struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(drain) struct lith_drain drain = {0};
    __attribute__((cleanup(frame_state_auto))) struct frame_state state = {.mem = context->mem};
    size_t used;
    size_t result;

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_drain_open(&drain, context->mem, NAME, stream, err));
    LITH_TRY(lith_feed_fill(&feed, LZ4F_HEADER_SIZE_MAX, err));
    LITH_TRY(frame_begin(&state, (struct lith_slice){feed.next, lith_feed_ready(&feed)},
                         stream->history_bytes_max, &used, err));
    feed.next += used;
    do {
        LITH_TRY(lith_feed_fill(&feed, 1, err));
        size_t in_bytes = lith_feed_ready(&feed);
        size_t out_bytes = LITH_CODEC_WINDOW_BYTES;
        bool dry = in_bytes == 0;
        result =
            LZ4F_decompress(state.library, drain.window, &out_bytes, feed.next, &in_bytes, NULL);
        if (LZ4F_isError(result))
            return lith_codec_fail_data(err, NAME, LZ4F_getErrorName(result), stream->from_bytes,
                                        stream->to_bytes);
        if (result && dry && out_bytes == 0)
            return lith_codec_fail_data(err, NAME, "cut off", stream->from_bytes, stream->to_bytes);
        feed.next += in_bytes;
        LITH_TRY(lith_drain_pass(&drain, out_bytes, err));
    } while (result);
    if (lith_feed_ready(&feed) || feed.left)
        return lith_codec_fail_data(err, NAME, "trailing bytes", stream->from_bytes,
                                    stream->to_bytes);
    return lith_drain_end(&drain, err);
}
