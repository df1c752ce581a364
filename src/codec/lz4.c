/*
 * LZ4_RAW (a bare block), and the deprecated LZ4 in its three dialects, whole buffers.
 *
 * The specification of codec 5 was never written down, and three writers disagreed: Hadoop (BE u32
 * raw size, then BE u32 compressed size and block until the raw size is reached, repeated), old
 * parquet-cpp (bare block), old arrow-rs (LZ4 frame). A dialect counts only when it gives exactly
 * the page's size.
 */
#include "codec/lz4.h"

#include <lz4.h>

#define ACCELERATION 1 /* the library's default */
#define FRAME_MAGIC 0x184D2204u
#define BLOCK_FIRST_BYTE_MIN 0x10u

static enum lith_code block_decompress(const char *name, struct lith_slice from, void *to,
                                       size_t to_bytes, size_t *ret_bytes, struct lith_err *err)
{
    if (from.bytes > INT32_MAX || to_bytes > INT32_MAX)
        return lith_codec_fail_data(err, name, "a block above 2 GiB", from.bytes, to_bytes);
    int found = LZ4_decompress_safe((const char *)from.data, to, (int)from.bytes, (int)to_bytes);
    if (found < 0)
        return lith_codec_fail_data(err, name, "damaged block", from.bytes, to_bytes);
    *ret_bytes = (size_t)found;
    return LITH_OK;
}

static enum lith_code block_exact(const char *name, struct lith_slice from, void *to,
                                  size_t to_bytes, struct lith_err *err)
{
    size_t found = 0;

    LITH_TRY(block_decompress(name, from, to, to_bytes, &found, err));
    if (found != to_bytes)
        return lith_codec_fail_size(err, name, to_bytes, found);
    return LITH_OK;
}

enum lith_code lith_lz4_raw_decompress(struct lith_codec_context *context, struct lith_slice from,
                                       void *to, size_t to_bytes, struct lith_err *err)
{
    (void)context;
    return block_exact("LZ4_RAW", from, to, to_bytes, err);
}

/* A big-endian size; CORRUPT when it is cut or above `most`. */
static enum lith_code size_read(struct lith_slice *rest, size_t most, const char *what,
                                size_t *ret_size, struct lith_err *err)
{
    if (rest->bytes < 4)
        return lith_fail(err, LITH_E_CORRUPT, "LZ4 (Hadoop): expected a %s, found %zu bytes", what,
                         rest->bytes);
    size_t size = lith_load_u32_be(rest->data);
    if (size > most)
        return lith_fail(err, LITH_E_CORRUPT, "LZ4 (Hadoop): %s of %zu bytes, at most %zu are left",
                         what, size, most);
    rest->data += 4;
    rest->bytes -= 4;
    *ret_size = size;
    return LITH_OK;
}

static enum lith_code hadoop_decompress(struct lith_slice from, uint8_t *to, size_t to_bytes,
                                        struct lith_err *err)
{
    size_t produced = 0;

    while (from.bytes) {
        size_t raw = 0;
        LITH_TRY(size_read(&from, to_bytes - produced, "raw size", &raw, err));
        while (raw) {
            size_t block = 0;
            size_t found = 0;
            LITH_TRY(size_read(&from, from.bytes < 4 ? 0 : from.bytes - 4, "compressed size",
                               &block, err));
            LITH_TRY(block_decompress("LZ4 (Hadoop)", (struct lith_slice){from.data, block},
                                      to + produced, raw, &found, err));
            from.data += block;
            from.bytes -= block;
            produced += found;
            raw -= found;
        }
    }
    if (produced != to_bytes)
        return lith_codec_fail_size(err, "LZ4 (Hadoop)", to_bytes, produced);
    return LITH_OK;
}

enum lith_lz4_dialect lith_lz4_dialect(struct lith_slice from, uint64_t from_bytes,
                                       uint64_t to_bytes)
{
    if (from_bytes < 4)
        return LITH_LZ4_BLOCK;
    if (lith_load_u32(from.data) == FRAME_MAGIC)
        return LITH_LZ4_FRAME;
    if (from.data[0] < BLOCK_FIRST_BYTE_MIN)
        return LITH_LZ4_HADOOP;
    if (lith_load_u32_be(from.data) > to_bytes)
        return LITH_LZ4_BLOCK;
    return LITH_LZ4_HADOOP_OR_BLOCK;
}

enum lith_code lith_lz4_decompress(struct lith_codec_context *context, struct lith_slice from,
                                   void *to, size_t to_bytes, struct lith_err *err)
{
    switch (lith_lz4_dialect(from, from.bytes, to_bytes)) {
    case LITH_LZ4_FRAME:
        return lith_lz4_frame_decompress(context, from, to, to_bytes, err);
    case LITH_LZ4_HADOOP:
        return hadoop_decompress(from, to, to_bytes, err);
    case LITH_LZ4_HADOOP_OR_BLOCK:
        if (hadoop_decompress(from, to, to_bytes, err) == LITH_OK)
            return LITH_OK;
        break;
    case LITH_LZ4_BLOCK:
        break;
    }
    return block_exact("LZ4 (block)", from, to, to_bytes, err);
}

size_t lith_lz4_raw_bound(size_t bytes)
{
    return (size_t)LZ4_compressBound((int)bytes);
}

enum lith_code lith_lz4_raw_compress(struct lith_codec_context *context, struct lith_slice from,
                                     uint8_t *to, size_t *bytes, struct lith_err *err)
{
    if (from.bytes > LZ4_MAX_INPUT_SIZE)
        return lith_fail(err, LITH_E_LIMIT, "LZ4_RAW: a page of %zu bytes; the library takes %d",
                         from.bytes, LZ4_MAX_INPUT_SIZE);
    if (!context->lz4_state)
        LITH_TRY(lith_alloc(context->mem, (size_t)LZ4_sizeofState(), &context->lz4_state, err));
    int found = LZ4_compress_fast_extState(context->lz4_state, (const char *)from.data, (char *)to,
                                           (int)from.bytes, (int)*bytes, ACCELERATION);
    if (found <= 0)
        return lith_fail(err, LITH_E_LIMIT, "LZ4_RAW: %zu bytes do not fit %zu", from.bytes,
                         *bytes);
    *bytes = (size_t)found;
    return LITH_OK;
}
