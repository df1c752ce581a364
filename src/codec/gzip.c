/*
 * GZIP: libdeflate for whole buffers (twice as fast), zlib's inflate for streams.
 *
 * A page may be several members, one behind the other; each is checked by its own CRC. Bare
 * zlib or deflate data is not GZIP and refused. RFC 1952.
 */
#include "codec/zlib_heap.h"

#include <libdeflate.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "codec/feed.h"

/* Windows of 2^15, and 16 for "a gzip header, nothing else". */
#define ZLIB_WINDOW_BITS (15 + 16)

static enum lith_code decompressor_ready(struct lith_codec_context *context, struct lith_err *err)
{
    if (context->gzip_decompress)
        return LITH_OK;
    LITH_TRY(lith_mem_charge(context->mem, LITH_DEFLATE_DECOMPRESSOR_BYTES, err));
    context->gzip_decompress = libdeflate_alloc_decompressor();
    if (context->gzip_decompress)
        return LITH_OK;
    lith_mem_release(context->mem, LITH_DEFLATE_DECOMPRESSOR_BYTES);
    return lith_fail(err, LITH_E_NOMEM, "GZIP: out of memory for a decompressor");
}

/* From level 10 on it looks for the best way through a block. */
static size_t compressor_bytes(const struct lith_codec_context *context)
{
    return context->levels[LITH_CODEC_GZIP] < 10 ? LITH_DEFLATE_COMPRESSOR_BYTES
                                                 : LITH_DEFLATE_BEST_COMPRESSOR_BYTES;
}

static enum lith_code compressor_ready(struct lith_codec_context *context, struct lith_err *err)
{
    if (context->gzip_compress)
        return LITH_OK;
    LITH_TRY(lith_mem_charge(context->mem, compressor_bytes(context), err));
    context->gzip_compress = libdeflate_alloc_compressor(context->levels[LITH_CODEC_GZIP]);
    if (context->gzip_compress)
        return LITH_OK;
    lith_mem_release(context->mem, compressor_bytes(context));
    return lith_fail(err, LITH_E_NOMEM, "GZIP: out of memory for a compressor");
}

void lith_gzip_context_done(struct lith_codec_context *context)
{
    if (context->gzip_decompress)
        lith_mem_release(context->mem, LITH_DEFLATE_DECOMPRESSOR_BYTES);
    if (context->gzip_compress)
        lith_mem_release(context->mem, compressor_bytes(context));
    libdeflate_free_decompressor(context->gzip_decompress);
    libdeflate_free_compressor(context->gzip_compress);
}

enum lith_code lith_gzip_decompress(struct lith_codec_context *context, struct lith_slice from,
                                    void *to, size_t to_bytes, struct lith_err *err)
{
    size_t used = 0;
    size_t produced = 0;

    LITH_TRY(decompressor_ready(context, err));
    while (used < from.bytes) {
        size_t member_bytes;
        size_t plain_bytes;
        enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            context->gzip_decompress, from.data + used, from.bytes - used, (uint8_t *)to + produced,
            to_bytes - produced, &member_bytes, &plain_bytes);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
            return lith_codec_fail_data(err, "GZIP", "gives more bytes than the page has",
                                        from.bytes, to_bytes);
        if (result != LIBDEFLATE_SUCCESS)
            return lith_codec_fail_data(
                err, "GZIP", used ? "damaged or trailing bytes after a member" : "damaged member",
                from.bytes, to_bytes);
        used += member_bytes;
        produced += plain_bytes;
    }
    if (produced != to_bytes)
        return lith_codec_fail_size(err, "GZIP", to_bytes, produced);
    return LITH_OK;
}

/* Decodes until the input ends or a member does; *ret_ended tells which. */
static enum lith_code member_step(z_stream *z, struct lith_feed *feed, struct lith_drain *drain,
                                  bool *ret_ended, struct lith_err *err)
{
    const struct lith_codec_heap *heap = z->opaque;

    z->next_in = feed->next;
    z->avail_in = (uInt)lith_feed_ready(feed);
    z->next_out = drain->window;
    z->avail_out = (uInt)LITH_CODEC_WINDOW_BYTES;
    int result = inflate(z, Z_NO_FLUSH);
    if (heap->code != LITH_OK)
        return heap->code;
    /* Z_BUF_ERROR: neither input nor output moved, the input is cut. */
    if (result != Z_OK && result != Z_STREAM_END)
        return lith_codec_fail_data(err, "GZIP",
                                    result == Z_BUF_ERROR ? "cut off within a member"
                                                          : "damaged member or trailing bytes",
                                    drain->stream->from_bytes, drain->stream->to_bytes);
    feed->next = feed->end - z->avail_in;
    *ret_ended = result == Z_STREAM_END;
    return lith_drain_pass(drain, LITH_CODEC_WINDOW_BYTES - z->avail_out, err);
}

enum lith_code lith_gzip_stream(struct lith_codec_context *context,
                                const struct lith_decompress_stream *stream, struct lith_err *err)
{
    struct lith_codec_heap heap = {context->mem, err, LITH_OK};
    z_stream memory = {.zalloc = lith_zlib_take, .zfree = lith_zlib_give, .opaque = &heap};
    LITH_AUTO(feed) struct lith_feed feed = {0};
    LITH_AUTO(drain) struct lith_drain drain = {0};

    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    LITH_TRY(lith_drain_open(&drain, context->mem, "GZIP", stream, err));
    int result = inflateInit2(&memory, ZLIB_WINDOW_BITS);
    if (heap.code != LITH_OK)
        return heap.code;
    if (result != Z_OK)
        return lith_fail(err, LITH_E_UNSUPPORTED, "GZIP: zlib says %d to inflateInit2", result);
    __attribute__((cleanup(lith_inflate_auto))) z_stream *z = &memory;
    for (;;) {
        bool ended = false;
        LITH_TRY(lith_feed_fill(&feed, 1, err));
        LITH_TRY(member_step(z, &feed, &drain, &ended, err));
        if (!ended)
            continue;
        LITH_TRY(lith_feed_fill(&feed, 1, err));
        if (lith_feed_ready(&feed) == 0)
            return lith_drain_end(&drain, err);
        (void)inflateReset(z);
    }
}

size_t lith_gzip_bound(size_t bytes)
{
    return libdeflate_gzip_compress_bound(NULL, bytes);
}

enum lith_code lith_gzip_compress(struct lith_codec_context *context, struct lith_slice from,
                                  uint8_t *to, size_t *bytes, struct lith_err *err)
{
    LITH_TRY(compressor_ready(context, err));
    size_t found =
        libdeflate_gzip_compress(context->gzip_compress, from.data, from.bytes, to, *bytes);
    if (found == 0)
        return lith_fail(err, LITH_E_LIMIT, "GZIP: %zu bytes do not fit %zu", from.bytes, *bytes);
    *bytes = found;
    return LITH_OK;
}
