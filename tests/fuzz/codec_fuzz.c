/*
 * Decompression of anything: whole buffers and streams must agree.
 *
 * Input: a byte for the codec, two for the size of the page, the compressed bytes. The two forms
 * are different libraries in places. What only the streams refuse, on purpose, is LZ4's offset 0
 * and matches up to the very end of a block; zlib refuses more kinds of damaged trees and headers
 * than libdeflate does; and a stream may need more history than it is allowed. The other way round,
 * libzstd's stream takes a compressed block of 0 bytes for an empty one.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/spool.h"
#include "codec/codec.h"
#include "codec/snappy_expand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define HEAD_BYTES 3
#define MEMORY_BYTES_MAX (64 * LITH_MIB)

static enum lith_code streamed(struct lith_codec_context *context, enum lith_codec codec,
                               struct lith_slice from, struct lith_spool *to, size_t to_bytes,
                               struct lith_err *err)
{
    struct lith_memory_source source;

    lith_memory_source_init(&source, from.data, from.bytes);
    struct lith_decompress_stream stream = {
        .from = &source.base,
        .from_bytes = from.bytes,
        .to = &to->sink,
        .written = &to->source,
        .to_bytes = to_bytes,
        .history_bytes_max = 16 * LITH_MIB,
    };
    return lith_decompress_stream(context, codec, &stream, err);
}

/* Whether a stream may refuse what the whole-buffer library took. */
static bool stricter(enum lith_codec codec, const struct lith_err *err)
{
    if (err->code == LITH_E_LIMIT)
        return true;
    if (codec == LITH_CODEC_LZ4 || codec == LITH_CODEC_LZ4_RAW)
        return strstr(err->text, "offset 0") || strstr(err->text, "too near to the end");
    return codec == LITH_CODEC_GZIP;
}

/* Our own code takes what the library takes, and makes the same of it. */
static void expanded(struct lith_slice from, size_t to_bytes, enum lith_code whole,
                     const uint8_t *out)
{
    static uint8_t own[UINT16_MAX];
    struct lith_err err;

    if (from.bytes == 0)
        return;
    enum lith_code code = lith_snappy_expand(from, own, to_bytes, &err);
    LITH_ASSERT((code == LITH_OK) == (whole == LITH_OK));
    LITH_ASSERT(code != LITH_OK || memcmp(own, out, to_bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint8_t out[UINT16_MAX];
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_spool spool;
    struct lith_codec_context *context = NULL;
    struct lith_err err = {LITH_OK, ""};

    if (bytes < HEAD_BYTES)
        return 0;
    enum lith_codec codec = (enum lith_codec)(data[0] % LITH_CODEC_COUNT);
    size_t to_bytes = data[1] | (size_t)data[2] << 8;
    struct lith_slice from = {data + HEAD_BYTES, bytes - HEAD_BYTES};
    lith_mem_init(&mem, MEMORY_BYTES_MAX, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    lith_spool_init(&spool, &mem, &scratch, LITH_MIB);
    LITH_ASSERT(lith_codec_context_new(&mem, &context, &err) == LITH_OK);

    enum lith_code whole =
        lith_decompress(context, codec, from.data, from.bytes, out, to_bytes, &err);
    enum lith_code stream = streamed(context, codec, from, &spool, to_bytes, &err);
    LITH_ASSERT(stream != LITH_OK || whole == LITH_OK || codec == LITH_CODEC_ZSTD);
    LITH_ASSERT(whole != LITH_OK || stream == LITH_OK || stricter(codec, &err));
    LITH_ASSERT(spool.sink.written <= to_bytes);
    if (stream == LITH_OK)
        LITH_ASSERT(spool.sink.written == to_bytes);
    if (stream == LITH_OK && whole == LITH_OK)
        LITH_ASSERT(to_bytes == 0 || memcmp(lith_spool_memory(&spool), out, to_bytes) == 0);
    if (codec == LITH_CODEC_SNAPPY)
        expanded(from, to_bytes, whole, out);
    lith_codec_context_free(context);
    lith_spool_done(&spool);
    lith_mem_done(&mem);
    return 0;
}
