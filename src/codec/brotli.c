/*
 * BROTLI: the library's streaming interface serves both forms; its heap is ours.
 *
 * Its state cannot be used twice, so each page takes a new one. The window a stream needs stands
 * in its first byte. RFC 7932.
 */
#include <brotli/decode.h>
#include <brotli/encode.h>

#include <inttypes.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "codec/feed.h"
#include "codec/internal.h"

/*
 * A window of 512 KiB: on pages of a MiB as small as one of 1 MiB, at two thirds of the encoder's
 * memory, and every reader that streams keeps one window.
 */
#define BROTLI_WINDOW_BITS 19

static void *heap_take(void *heap, size_t bytes)
{
    return lith_codec_heap_take(heap, bytes);
}

static void heap_give(void *heap, void *block)
{
    (void)heap;
    lith_free(block);
}

static void decoder_auto(BrotliDecoderState **state)
{
    BrotliDecoderDestroyInstance(*state);
}

static enum lith_code decoder_new(struct lith_codec_heap *heap, BrotliDecoderState **ret_state,
                                  struct lith_err *err)
{
    *ret_state = BrotliDecoderCreateInstance(heap_take, heap_give, heap);
    if (*ret_state)
        return LITH_OK;
    if (heap->code != LITH_OK)
        return heap->code;
    return lith_fail(err, LITH_E_NOMEM, "BROTLI: out of memory for a decoder");
}

/* What it means that a decoder did not come to its end, or came to it too early. */
static enum lith_code decoder_fail(const BrotliDecoderState *state,
                                   const struct lith_codec_heap *heap, BrotliDecoderResult result,
                                   uint64_t from_bytes, uint64_t to_bytes)
{
    const char *what = "trailing bytes";

    if (heap->code != LITH_OK)
        return heap->code;
    if (result == BROTLI_DECODER_RESULT_ERROR)
        what = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state));
    else if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
        what = "cut off";
    else if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
        what = "gives more bytes than the page has";
    return lith_codec_fail_data(heap->err, "BROTLI", what, from_bytes, to_bytes);
}

enum lith_code lith_brotli_decompress(struct lith_codec_context *context, struct lith_slice from,
                                      void *to, size_t to_bytes, struct lith_err *err)
{
    struct lith_codec_heap heap = {context->mem, err, LITH_OK};
    __attribute__((cleanup(decoder_auto))) BrotliDecoderState *state = NULL;
    const uint8_t *next_in = from.data;
    size_t in_left = from.bytes;
    uint8_t *next_out = to;
    size_t out_left = to_bytes;

    LITH_TRY(decoder_new(&heap, &state, err));
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(state, &in_left, &next_in, &out_left, &next_out, NULL);
    if (result != BROTLI_DECODER_RESULT_SUCCESS || in_left)
        return decoder_fail(state, &heap, result, from.bytes, to_bytes);
    if (out_left)
        return lith_codec_fail_size(err, "BROTLI", to_bytes, to_bytes - out_left);
    return LITH_OK;
}

/* WBITS of section 9.1; what is not legal is left to the decoder. */
static unsigned window_bits(uint8_t first)
{
    unsigned low = (first >> 1) & 7u;
    unsigned high = (first >> 4) & 7u;

    if (!(first & 1))
        return 16;
    if (low)
        return 17 + low;
    return high ? 8 + high : 17;
}

static enum lith_code window_check(uint8_t first, const struct lith_decompress_stream *stream,
                                   struct lith_err *err)
{
    unsigned bits = window_bits(first);
    uint64_t needed = lith_min_u64((uint64_t)1 << bits, stream->to_bytes);

    if (needed <= stream->history_bytes_max)
        return LITH_OK;
    return lith_fail(err, LITH_E_LIMIT,
                     "BROTLI: the stream needs a history of %" PRIu64
                     " bytes (window of 2^%u), at most %zu are allowed; raise --memory",
                     needed, bits, stream->history_bytes_max);
}

enum lith_code lith_brotli_stream(struct lith_codec_context *context,
                                  const struct lith_decompress_stream *stream, struct lith_err *err)
{
    struct lith_codec_heap heap = {context->mem, err, LITH_OK};
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(drain) struct lith_drain drain = {0};
    __attribute__((cleanup(decoder_auto))) BrotliDecoderState *state = NULL;
    BrotliDecoderResult result;

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_drain_open(&drain, context->mem, "BROTLI", stream, err));
    LITH_TRY(lith_feed_fill(&feed, 1, err));
    LITH_TRY(window_check(*feed.next, stream, err));
    LITH_TRY(decoder_new(&heap, &state, err));
    do {
        LITH_TRY(lith_feed_fill(&feed, 1, err));
        size_t in_left = lith_feed_ready(&feed);
        size_t out_left = LITH_CODEC_WINDOW_BYTES;
        uint8_t *next_out = drain.window;
        bool dry = in_left == 0;
        result =
            BrotliDecoderDecompressStream(state, &in_left, &feed.next, &out_left, &next_out, NULL);
        bool cut = dry && result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
        if (result == BROTLI_DECODER_RESULT_ERROR || cut)
            return decoder_fail(state, &heap, result, stream->from_bytes, stream->to_bytes);
        LITH_TRY(lith_drain_pass(&drain, LITH_CODEC_WINDOW_BYTES - out_left, err));
    } while (result != BROTLI_DECODER_RESULT_SUCCESS);
    if (lith_feed_ready(&feed) || feed.left)
        return decoder_fail(state, &heap, result, stream->from_bytes, stream->to_bytes);
    return lith_drain_end(&drain, err);
}

/* What an encoder of a level takes for a page; docs/codec-levels.md has the figures. */
static size_t compressor_bytes(int level, size_t page_bytes)
{
    static const uint8_t mib[] = {3, 3, 3, 3, 3, 3, 5, 11, 19, 35, 12, 21};

    LITH_ASSERT(level >= 0 && (size_t)level < sizeof(mib));
    return mib[level] * LITH_MIB + LITH_BROTLI_COMPRESSOR_FACTOR *
                                       lith_min_size(page_bytes, LITH_BROTLI_COMPRESSOR_PAGE_BYTES);
}

size_t lith_brotli_bound(size_t bytes)
{
    return BrotliEncoderMaxCompressedSize(bytes);
}

/*
 * The library's encoder ends the process when an allocation fails. So what it may take is charged
 * beforehand, and its heap has no limit of its own.
 */
enum lith_code lith_brotli_compress(struct lith_codec_context *context, struct lith_slice from,
                                    uint8_t *to, size_t *bytes, struct lith_err *err)
{
    struct lith_mem unlimited;
    struct lith_codec_heap heap = {&unlimited, err, LITH_OK};
    const uint8_t *next_in = from.data;
    size_t in_left = from.bytes;
    uint8_t *next_out = to;
    size_t out_left = *bytes;
    int level = context->levels[LITH_CODEC_BROTLI];
    size_t charged = compressor_bytes(level, from.bytes);

    lith_mem_init(&unlimited, SIZE_MAX, NULL);
    LITH_TRY(lith_mem_charge(context->mem, charged, err));
    BrotliEncoderState *state = BrotliEncoderCreateInstance(heap_take, heap_give, &heap);
    bool done = state && BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, (uint32_t)level) &&
                BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, BROTLI_WINDOW_BITS) &&
                BrotliEncoderSetParameter(state, BROTLI_PARAM_SIZE_HINT, (uint32_t)from.bytes) &&
                BrotliEncoderCompressStream(state, BROTLI_OPERATION_FINISH, &in_left, &next_in,
                                            &out_left, &next_out, NULL) &&
                BrotliEncoderIsFinished(state);
    if (state)
        BrotliEncoderDestroyInstance(state);
    lith_mem_release(context->mem, charged);
    lith_mem_done(&unlimited);
    if (heap.code != LITH_OK)
        return heap.code;
    if (!done)
        return lith_fail(err, LITH_E_LIMIT, "BROTLI: %zu bytes do not fit %zu", from.bytes, *bytes);
    *bytes -= out_left;
    return LITH_OK;
}
