/*
 * Bytes in front of any body: what was sound gives the prefix and then what it gave before.
 *
 * Input: a byte for the codec, two for the size of the page, two for that of the prefix, one for
 * the bytes of the body left out of the head (the highest: none are), then the body. A sound body
 * may be UNSUPPORTED, never CORRUPT; from a part of it comes the same edit, or a wish for more.
 */
#include <stdint.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "codec/prefix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define HEAD_BYTES 6
#define MEMORY_BYTES_MAX (64 * LITH_MIB)

static void sound_check(struct lith_codec_context *context, enum lith_codec codec,
                        struct lith_slice prefix, const struct lith_buf *to, const uint8_t *plain,
                        size_t plain_bytes)
{
    static uint8_t out[2 * UINT16_MAX];
    struct lith_err err;
    size_t bytes = prefix.bytes + plain_bytes;

    LITH_ASSERT(lith_decompress(context, codec, to->data, to->bytes, out, bytes, &err) == LITH_OK);
    LITH_ASSERT(memcmp(out, prefix.data, prefix.bytes) == 0);
    LITH_ASSERT(memcmp(out + prefix.bytes, plain, plain_bytes) == 0);
}

static void part_check(enum lith_codec codec, struct lith_slice prefix, struct lith_slice body,
                       size_t left_out, size_t plain_bytes, enum lith_code whole,
                       const struct lith_buf *expected)
{
    struct lith_body_ends ends = lith_body_ends(body, plain_bytes);
    struct lith_body_edit edit;
    struct lith_buf to;
    struct lith_err err;

    ends.head.bytes -= lith_min_size(left_out, body.bytes);
    lith_buf_init(&to, expected->mem, MEMORY_BYTES_MAX);
    enum lith_code code = lith_prefix_plan(codec, prefix, &ends, &to, &edit, &err);
    if (code == LITH_OK && whole == LITH_OK) {
        LITH_ASSERT(lith_body_edit_append(&edit, body, &to, &err) == LITH_OK);
        LITH_ASSERT(to.bytes == expected->bytes);
        LITH_ASSERT(to.bytes == 0 || memcmp(to.data, expected->data, to.bytes) == 0);
    } else if (whole == LITH_OK) {
        LITH_ASSERT(code == LITH_E_NOT_FOUND);
    }
    if (code != LITH_OK)
        LITH_ASSERT(to.bytes == 0);
    lith_buf_done(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint8_t plain[UINT16_MAX];
    static uint8_t prefix_bytes[UINT16_MAX];
    struct lith_mem mem;
    struct lith_codec_context *context = NULL;
    struct lith_buf to;
    struct lith_err err;

    if (bytes < HEAD_BYTES)
        return 0;
    enum lith_codec codec = (enum lith_codec)(data[0] % LITH_CODEC_COUNT);
    size_t plain_bytes = data[1] | (size_t)data[2] << 8;
    struct lith_slice prefix = {prefix_bytes, data[3] | (size_t)data[4] << 8};
    struct lith_slice body = {data + HEAD_BYTES, bytes - HEAD_BYTES};
    for (size_t i = 0; i < prefix.bytes; i++)
        prefix_bytes[i] = (uint8_t)(i * 7 + 1);
    lith_mem_init(&mem, MEMORY_BYTES_MAX, NULL);
    lith_buf_init(&to, &mem, MEMORY_BYTES_MAX);
    LITH_ASSERT(lith_codec_context_new(&mem, &context, &err) == LITH_OK);

    enum lith_code sound =
        lith_decompress(context, codec, body.data, body.bytes, plain, plain_bytes, &err);
    enum lith_code code = lith_compressed_prefix(codec, prefix, body, plain_bytes, &to, &err);
    if (body.bytes > 0 && sound == LITH_OK) {
        LITH_ASSERT(code == LITH_OK || code == LITH_E_UNSUPPORTED);
        if (code == LITH_OK)
            sound_check(context, codec, prefix, &to, plain, plain_bytes);
    }
    LITH_ASSERT(code != LITH_E_NOT_FOUND);
    LITH_ASSERT(code == LITH_OK || to.bytes == 0);
    if (data[5] < UINT8_MAX)
        part_check(codec, prefix, body, (size_t)data[5] + 1, plain_bytes, code, &to);
    lith_codec_context_free(context);
    lith_buf_done(&to);
    lith_mem_done(&mem);
    return 0;
}
