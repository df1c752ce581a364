/*
 * ZSTD: one frame per page as we write it; several frames and skippable ones as we read it.
 *
 * Frames are walked here rather than by the library, so that dictionaries and the formats before
 * 1.0 are refused by name, and the memory a frame asks for is known before it is taken. Only the
 * stable part of the library's interface is used. RFC 8878.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include <inttypes.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "codec/feed.h"
#include "codec/internal.h"

/*
 * A window of 1 MiB from level 2 on: as large as pages are, while the levels' own, up to 128 MiB,
 * would take memory by the largest page, of readers too.
 */
#define ZSTD_WINDOW_BITS 20

/* Magic number, descriptor, window, dictionary id, content size. */
#define FRAME_HEADER_BYTES_MAX 18u

/* The library's buffers beside the window: a block in, a block out, slack of its copies. */
#define STREAM_BUFFERS_BYTES (2 * (uint64_t)ZSTD_BLOCKSIZE_MAX + 4096)

struct frame {
    bool skippable;
    uint64_t window_bytes;
    uint64_t needed_bytes; /* of history: the window, or the contents where they are smaller */
};

static uint64_t number_at(const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

/* The descriptor of a frame with the right magic number; section 3.1.1.1. */
static enum lith_code descriptor_read(struct lith_slice from, struct frame *ret_frame,
                                      struct lith_err *err)
{
    static const uint8_t id_bytes[] = {0, 1, 2, 4};
    static const uint8_t content_bytes[] = {0, 2, 4, 8};
    uint8_t descriptor = from.data[4];
    bool single = descriptor & 0x20;
    size_t id = id_bytes[descriptor & 3];
    size_t content = content_bytes[descriptor >> 6];
    size_t window = single ? 0 : 1;

    if (single && content == 0)
        content = 1;
    if (from.bytes < 5 + window + id + content)
        return lith_fail(err, LITH_E_CORRUPT, "ZSTD: cut off within a frame header");
    const uint8_t *next = from.data + 5 + window;
    if (number_at(next, id))
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "ZSTD: the frame needs dictionary %" PRIu64
                         "; Parquet has no place for one",
                         number_at(next, id));
    uint64_t size = number_at(next + id, content) + (content == 2 ? 256 : 0);
    uint64_t base = (uint64_t)1 << (10 + (from.data[5] >> 3));
    ret_frame->window_bytes = single ? size : base + base / 8 * (from.data[5] & 7);
    ret_frame->needed_bytes = ret_frame->window_bytes;
    if (content)
        ret_frame->needed_bytes = lith_min_u64(size, ret_frame->window_bytes);
    return LITH_OK;
}

static enum lith_code frame_read(struct lith_slice from, struct frame *ret_frame,
                                 struct lith_err *err)
{
    struct frame frame = {0};

    if (from.bytes < 5)
        return lith_fail(err, LITH_E_CORRUPT, "ZSTD: expected a frame, found %zu bytes at the end",
                         from.bytes);
    uint32_t magic = lith_load_u32(from.data);
    frame.skippable = (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
    if (magic != ZSTD_MAGICNUMBER && !frame.skippable)
        return lith_fail(err, LITH_E_CORRUPT,
                         "ZSTD: expected a frame (magic number 0x%08" PRIx32
                         "), found 0x%08" PRIx32,
                         (uint32_t)ZSTD_MAGICNUMBER, magic);
    if (!frame.skippable)
        LITH_TRY(descriptor_read(from, &frame, err));
    *ret_frame = frame;
    return LITH_OK;
}

static enum lith_code fail_library(size_t result, uint64_t from_bytes, uint64_t to_bytes,
                                   struct lith_err *err)
{
    switch ((int)ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return lith_fail(err, LITH_E_NOMEM, "ZSTD: out of memory");
    case ZSTD_error_dstSize_tooSmall:
        return lith_codec_fail_data(err, "ZSTD", "gives more bytes than the page has", from_bytes,
                                    to_bytes);
    default:
        return lith_codec_fail_data(err, "ZSTD", ZSTD_getErrorName(result), from_bytes, to_bytes);
    }
}

static enum lith_code decompressor_new(struct lith_mem *mem, ZSTD_DCtx **ret_state,
                                       size_t *ret_charged, struct lith_err *err)
{
    LITH_TRY(lith_mem_charge(mem, LITH_ZSTD_DECOMPRESSOR_BYTES, err));
    *ret_state = ZSTD_createDCtx();
    if (*ret_state) {
        *ret_charged = LITH_ZSTD_DECOMPRESSOR_BYTES;
        return LITH_OK;
    }
    lith_mem_release(mem, LITH_ZSTD_DECOMPRESSOR_BYTES);
    return lith_fail(err, LITH_E_NOMEM, "ZSTD: out of memory for a decompressor");
}

enum lith_code lith_zstd_decompress(struct lith_codec_context *context, struct lith_slice from,
                                    void *to, size_t to_bytes, struct lith_err *err)
{
    size_t used = 0;
    size_t produced = 0;

    if (!context->zstd_decompress)
        LITH_TRY(decompressor_new(context->mem, &context->zstd_decompress,
                                  &context->zstd_decompress_bytes, err));
    while (used < from.bytes) {
        struct lith_slice rest = {from.data + used, from.bytes - used};
        struct frame frame;
        LITH_TRY(frame_read(rest, &frame, err));
        size_t frame_bytes = ZSTD_findFrameCompressedSize(rest.data, rest.bytes);
        if (ZSTD_isError(frame_bytes))
            return fail_library(frame_bytes, from.bytes, to_bytes, err);
        if (!frame.skippable) {
            size_t found = ZSTD_decompressDCtx(context->zstd_decompress, (uint8_t *)to + produced,
                                               to_bytes - produced, rest.data, frame_bytes);
            if (ZSTD_isError(found))
                return fail_library(found, from.bytes, to_bytes, err);
            produced += found;
        }
        used += frame_bytes;
    }
    if (produced != to_bytes)
        return lith_codec_fail_size(err, "ZSTD", to_bytes, produced);
    return LITH_OK;
}

/* A decompressor of its own per stream, so that a large window is not kept after it. */
struct stream_state {
    struct lith_mem *mem;
    ZSTD_DCtx *library;
    size_t charged;
};

static void stream_state_auto(struct stream_state *state)
{
    ZSTD_freeDCtx(state->library);
    lith_mem_release(state->mem, state->charged);
}

/* Looks at the header at hand: refuses, or makes room for what the frame needs. */
static enum lith_code frame_begin(struct stream_state *state, struct lith_feed *feed,
                                  const struct lith_decompress_stream *stream, struct lith_err *err)
{
    struct frame frame;
    uint64_t bytes;
    int bits = 10;

    LITH_TRY(frame_read((struct lith_slice){feed->next, lith_feed_ready(feed)}, &frame, err));
    if (frame.needed_bytes > stream->history_bytes_max)
        return lith_fail(err, LITH_E_LIMIT,
                         "ZSTD: the frame needs a history of %" PRIu64
                         " bytes, at most %zu are allowed; raise --memory",
                         frame.needed_bytes, stream->history_bytes_max);
    if (!lith_add_u64(frame.needed_bytes, LITH_ZSTD_DECOMPRESSOR_BYTES + STREAM_BUFFERS_BYTES,
                      &bytes))
        return lith_fail(err, LITH_E_LIMIT, "ZSTD: a history of %" PRIu64 " bytes",
                         frame.needed_bytes);
    if (!frame.skippable && bytes > state->charged)
        LITH_TRY(lith_codec_charge(state->mem, &state->charged, bytes, err));
    while (bits < 31 && (uint64_t)1 << bits < frame.window_bytes)
        bits++;
    (void)ZSTD_DCtx_reset(state->library, ZSTD_reset_session_only);
    size_t result = ZSTD_DCtx_setParameter(state->library, ZSTD_d_windowLogMax, bits);
    if (ZSTD_isError(result))
        return fail_library(result, stream->from_bytes, stream->to_bytes, err);
    return LITH_OK;
}

static enum lith_code frame_stream(struct stream_state *state, struct lith_feed *feed,
                                   struct lith_drain *drain, struct lith_err *err)
{
    const struct lith_decompress_stream *stream = drain->stream;
    size_t result;

    do {
        LITH_TRY(lith_feed_fill(feed, 1, err));
        ZSTD_inBuffer in = {feed->next, lith_feed_ready(feed), 0};
        ZSTD_outBuffer out = {drain->window, LITH_CODEC_WINDOW_BYTES, 0};
        result = ZSTD_decompressStream(state->library, &out, &in);
        if (ZSTD_isError(result))
            return fail_library(result, stream->from_bytes, stream->to_bytes, err);
        if (result && in.size == 0 && out.pos == 0)
            return lith_codec_fail_data(err, "ZSTD", "cut off within a frame", stream->from_bytes,
                                        stream->to_bytes);
        feed->next += in.pos;
        LITH_TRY(lith_drain_pass(drain, out.pos, err));
    } while (result);
    return LITH_OK;
}

enum lith_code lith_zstd_stream(struct lith_codec_context *context,
                                const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(drain) struct lith_drain drain = {0};
    __attribute__((cleanup(stream_state_auto))) struct stream_state state = {.mem = context->mem};

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_drain_open(&drain, context->mem, "ZSTD", stream, err));
    LITH_TRY(decompressor_new(context->mem, &state.library, &state.charged, err));
    for (;;) {
        LITH_TRY(lith_feed_fill(&feed, FRAME_HEADER_BYTES_MAX, err));
        if (lith_feed_ready(&feed) == 0)
            return lith_drain_end(&drain, err);
        LITH_TRY(frame_begin(&state, &feed, stream, err));
        LITH_TRY(frame_stream(&state, &feed, &drain, err));
    }
}

size_t lith_zstd_bound(size_t bytes)
{
    return ZSTD_compressBound(bytes);
}

/* What a compressor of a level takes for a page: its tables shrink with the window, which is no
 * larger than the page. docs/codec-levels.md has the figures. */
static size_t compressor_bytes(int level, size_t page_bytes)
{
    static const struct {
        int level_max;
        uint8_t factor; /* bytes of tables by bytes of the window */
    } tables[] = {{3, 2}, {6, 4}, {8, 7}, {12, 13}, {22, 18}};
    const size_t window = (size_t)1 << ZSTD_WINDOW_BITS;
    size_t used = (size_t)1 << 10;
    size_t row = 0;

    if (level == 1)
        return LITH_ZSTD_COMPRESSOR_BYTES;
    while (used < window && used < page_bytes)
        used *= 2;
    while (level > tables[row].level_max)
        row++;
    return LITH_MIB + tables[row].factor * used;
}

static enum lith_code compressor_new(struct lith_codec_context *context, struct lith_err *err)
{
    int level = context->levels[LITH_CODEC_ZSTD];
    ZSTD_CCtx *state = ZSTD_createCCtx();

    if (!state || ZSTD_isError(ZSTD_CCtx_setParameter(state, ZSTD_c_compressionLevel, level)) ||
        (level > 1 &&
         ZSTD_isError(ZSTD_CCtx_setParameter(state, ZSTD_c_windowLog, ZSTD_WINDOW_BITS)))) {
        ZSTD_freeCCtx(state);
        return lith_fail(err, LITH_E_NOMEM, "ZSTD: out of memory for a compressor");
    }
    context->zstd_compress = state;
    return LITH_OK;
}

/* The state grows with the largest page so far. */
static enum lith_code compressor_ready(struct lith_codec_context *context, size_t page_bytes,
                                       struct lith_err *err)
{
    size_t bytes = compressor_bytes(context->levels[LITH_CODEC_ZSTD], page_bytes);

    if (bytes > context->zstd_compress_bytes)
        LITH_TRY(lith_codec_charge(context->mem, &context->zstd_compress_bytes, bytes, err));
    return context->zstd_compress ? LITH_OK : compressor_new(context, err);
}

enum lith_code lith_zstd_compress(struct lith_codec_context *context, struct lith_slice from,
                                  uint8_t *to, size_t *bytes, struct lith_err *err)
{
    LITH_TRY(compressor_ready(context, from.bytes, err));
    size_t found = ZSTD_compress2(context->zstd_compress, to, *bytes, from.data, from.bytes);
    if (ZSTD_isError(found))
        return fail_library(found, 0, from.bytes, err);
    size_t real = ZSTD_sizeof_CCtx(context->zstd_compress);
    if (real > context->zstd_compress_bytes)
        LITH_TRY(lith_codec_charge(context->mem, &context->zstd_compress_bytes, real, err));
    *bytes = found;
    return LITH_OK;
}

void lith_zstd_context_done(struct lith_codec_context *context)
{
    ZSTD_freeCCtx(context->zstd_compress);
    lith_mem_release(context->mem, context->zstd_compress_bytes);
    ZSTD_freeDCtx(context->zstd_decompress);
    lith_mem_release(context->mem, context->zstd_decompress_bytes);
}
