/*
 * The table of codecs, and what holds for all of them.
 *
 * Each library has a file of its own behind the three functions of a row; here are names, checks,
 * the empty page, sizes and the context. Numbers of codecs come from files, so they are checked.
 */
#include "codec/codec.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "codec/feed.h"
#include "codec/internal.h"

static enum lith_code copy_whole(struct lith_codec_context *context, struct lith_slice from,
                                 void *to, size_t to_bytes, struct lith_err *err)
{
    (void)context;
    if (from.bytes != to_bytes)
        return lith_codec_fail_size(err, "UNCOMPRESSED", to_bytes, from.bytes);
    memcpy(to, from.data, to_bytes);
    return LITH_OK;
}

static enum lith_code copy_stream(struct lith_codec_context *context,
                                  const struct lith_decompress_stream *stream, struct lith_err *err)
{
    LITH_AUTO(feed) struct lith_feed feed = {0};

    if (stream->from_bytes != stream->to_bytes)
        return lith_codec_fail_size(err, "UNCOMPRESSED", stream->to_bytes, stream->from_bytes);
    LITH_TRY(lith_feed_open(&feed, context->mem, stream, err));
    for (;;) {
        LITH_TRY(lith_feed_fill(&feed, 1, err));
        if (lith_feed_ready(&feed) == 0)
            return LITH_OK;
        LITH_TRY(lith_sink_write(stream->to, feed.next, lith_feed_ready(&feed), err));
        feed.next = feed.end;
    }
}

static enum lith_code copy_compress(struct lith_codec_context *context, struct lith_slice from,
                                    uint8_t *to, size_t *bytes, struct lith_err *err)
{
    (void)context;
    (void)err;
    if (from.bytes)
        memcpy(to, from.data, from.bytes);
    *bytes = from.bytes;
    return LITH_OK;
}

static size_t copy_bound(size_t bytes)
{
    return bytes;
}

/* LZO has a name only; LZ4 no writer. */
static const struct codec {
    const char *name;
    lith_decompress_whole_fn *whole;
    lith_decompress_stream_fn *stream;
    lith_compress_fn *compress;
    size_t (*bound)(size_t bytes);
} codecs[] = {
    [LITH_CODEC_UNCOMPRESSED] = {"UNCOMPRESSED", copy_whole, copy_stream, copy_compress,
                                 copy_bound},
    [LITH_CODEC_SNAPPY] = {"SNAPPY", lith_snappy_decompress, lith_snappy_stream,
                           lith_snappy_compress, lith_snappy_bound},
    [LITH_CODEC_GZIP] = {"GZIP", lith_gzip_decompress, lith_gzip_stream, lith_gzip_compress,
                         lith_gzip_bound},
    [LITH_CODEC_LZO] = {.name = "LZO"},
    [LITH_CODEC_BROTLI] = {"BROTLI", lith_brotli_decompress, lith_brotli_stream,
                           lith_brotli_compress, lith_brotli_bound},
    [LITH_CODEC_LZ4] = {.name = "LZ4", .whole = lith_lz4_decompress, .stream = lith_lz4_stream},
    [LITH_CODEC_ZSTD] = {"ZSTD", lith_zstd_decompress, lith_zstd_stream, lith_zstd_compress,
                         lith_zstd_bound},
    [LITH_CODEC_LZ4_RAW] = {"LZ4_RAW", lith_lz4_raw_decompress, lith_lz4_raw_stream,
                            lith_lz4_raw_compress, lith_lz4_raw_bound},
};
static_assert(sizeof(codecs) / sizeof(codecs[0]) == LITH_CODEC_COUNT, "one row per codec");

const char *lith_codec_name(int codec)
{
    return codec >= 0 && codec < LITH_CODEC_COUNT ? codecs[codec].name : "UNKNOWN";
}

enum lith_code lith_codec_check(int codec, struct lith_err *err)
{
    if (codec < 0 || codec >= LITH_CODEC_COUNT)
        return lith_fail(err, LITH_E_UNSUPPORTED, "compression codec %d is not known", codec);
    if (!codecs[codec].whole)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "compression codec %s is not supported; rewrite the file with another",
                         codecs[codec].name);
    return LITH_OK;
}

bool lith_codec_writable(enum lith_codec codec)
{
    return (int)codec >= 0 && codec < LITH_CODEC_COUNT && codecs[codec].compress;
}

enum lith_code lith_codec_context_new(struct lith_mem *mem, struct lith_codec_context **ret_context,
                                      struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(mem, 1, sizeof(struct lith_codec_context), &block, err));
    struct lith_codec_context *context = block;
    context->mem = mem;
    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++)
        context->levels[codec] = lith_codec_levels((enum lith_codec)codec).usual;
    *ret_context = context;
    return LITH_OK;
}

void lith_codec_context_free(struct lith_codec_context *context)
{
    if (!context)
        return;
    lith_zstd_context_done(context);
    lith_gzip_context_done(context);
    lith_free(context->lz4_state);
    lith_free(context);
}

void lith_codec_context_level(struct lith_codec_context *context, enum lith_codec codec, int level)
{
    struct lith_codec_levels levels = lith_codec_levels(codec);

    LITH_ASSERT(level >= levels.least && level <= levels.most);
    LITH_ASSERT(!context->zstd_compress && !context->gzip_compress);
    context->levels[codec] = level;
}

void lith_codec_context_for_proofs(struct lith_codec_context *context)
{
    context->for_proofs = true;
}

enum lith_code lith_decompress(struct lith_codec_context *context, enum lith_codec codec,
                               const void *from, size_t from_bytes, void *to, size_t to_bytes,
                               struct lith_err *err)
{
    uint8_t nothing;

    LITH_TRY(lith_codec_check((int)codec, err));
    if (from_bytes == 0 && to_bytes == 0)
        return LITH_OK;
    if (from_bytes == 0)
        return lith_codec_fail_size(err, codecs[codec].name, to_bytes, 0);
    /* Libraries differ in whether they take NULL for an empty output. */
    return codecs[codec].whole(context, (struct lith_slice){from, from_bytes},
                               to_bytes ? to : &nothing, to_bytes, err);
}

enum lith_code lith_decompress_stream(struct lith_codec_context *context, enum lith_codec codec,
                                      const struct lith_decompress_stream *stream,
                                      struct lith_err *err)
{
    LITH_TRY(lith_codec_check((int)codec, err));
    if (stream->from_bytes == 0 && stream->to_bytes == 0)
        return LITH_OK;
    if (stream->from_bytes == 0)
        return lith_codec_fail_size(err, codecs[codec].name, stream->to_bytes, 0);
    return codecs[codec].stream(context, stream, err);
}

size_t lith_compress_bound(enum lith_codec codec, size_t from_bytes)
{
    LITH_ASSERT(lith_codec_writable(codec));
    return codecs[codec].bound(from_bytes);
}

enum lith_code lith_compress(struct lith_codec_context *context, enum lith_codec codec,
                             const void *from, size_t from_bytes, struct lith_buf *to,
                             struct lith_err *err)
{
    uint8_t nothing = 0;

    if (!lith_codec_writable(codec))
        return lith_fail(err, LITH_E_UNSUPPORTED, "compression codec %s (%d) is not written",
                         lith_codec_name((int)codec), (int)codec);
    /* Page sizes are 32-bit in the format, and lengths are `int` in some libraries. */
    if (from_bytes > INT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "%s: a page of %zu bytes; the format allows %d",
                         codecs[codec].name, from_bytes, INT32_MAX);
    size_t bytes = codecs[codec].bound(from_bytes);
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    struct lith_slice plain = {from_bytes ? from : &nothing, from_bytes};
    LITH_TRY(codecs[codec].compress(context, plain, bytes ? to->data + to->bytes : &nothing, &bytes,
                                    err));
    to->bytes += bytes;
    return LITH_OK;
}

enum lith_code lith_codec_fail_size(struct lith_err *err, const char *codec, uint64_t expected,
                                    uint64_t found)
{
    return lith_fail(err, LITH_E_CORRUPT, "%s: expected %" PRIu64 " bytes, found %" PRIu64, codec,
                     expected, found);
}

enum lith_code lith_codec_fail_data(struct lith_err *err, const char *codec, const char *what,
                                    uint64_t from_bytes, uint64_t to_bytes)
{
    return lith_fail(err, LITH_E_CORRUPT,
                     "%s: %s; %" PRIu64 " bytes compressed, %" PRIu64 " expected from them", codec,
                     what, from_bytes, to_bytes);
}

void *lith_codec_heap_take(struct lith_codec_heap *heap, size_t bytes)
{
    void *block;

    if (heap->code != LITH_OK)
        return NULL;
    heap->code = lith_alloc(heap->mem, bytes, &block, heap->err);
    return heap->code == LITH_OK ? block : NULL;
}

enum lith_code lith_codec_charge(struct lith_mem *mem, size_t *charged, size_t bytes,
                                 struct lith_err *err)
{
    if (bytes > *charged)
        LITH_TRY(lith_mem_charge(mem, bytes - *charged, err));
    else
        lith_mem_release(mem, *charged - bytes);
    *charged = bytes;
    return LITH_OK;
}
