/*
 * Bytes put in front of a compressed body: the table of formats, and the simple ones.
 *
 * Each reads the header it replaces, strictly, and writes one that says more. What only decoding
 * can tell (that what follows is sound) is not looked at; that it is one piece is, where a prefix
 * of the first piece would spoil it. parquet-splice.md section 6.4.
 */
#include "codec/prefix.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "codec/internal.h"
#include "codec/prefix_format.h"

enum lith_code lith_prefix_fail_short_code(const char *codec, const struct lith_body_ends *ends,
                                           struct lith_err *err)
{
    if (ends->head.bytes < ends->bytes)
        return lith_fail(err, LITH_E_NOT_FOUND,
                         "%s: the first %zu of %" PRIu64 " bytes do not hold the whole header",
                         codec, ends->head.bytes, ends->bytes);
    return lith_fail(err, LITH_E_CORRUPT, "%s: cut off within the header, after %" PRIu64 " bytes",
                     codec, ends->bytes);
}

static enum lith_code plain_plan(struct lith_slice prefix, const struct lith_body_ends *ends,
                                 struct lith_buf *front, struct lith_body_edit *edit,
                                 struct lith_err *err)
{
    if (ends->bytes != ends->plain_bytes)
        return lith_codec_fail_size(err, "UNCOMPRESSED", ends->plain_bytes, ends->bytes);
    edit->skip = 0;
    return lith_buf_append(front, prefix.data, prefix.bytes, err);
}

/* A block is its length, then elements: the prefix becomes the first, a literal. */
static enum lith_code snappy_plan(struct lith_slice prefix, const struct lith_body_ends *ends,
                                  struct lith_buf *front, struct lith_body_edit *edit,
                                  struct lith_err *err)
{
    enum { LENGTH_BYTES_MAX = 5, LENGTH_IN_TAG_MAX = 60 };
    struct lith_cursor c =
        lith_cursor_at(ends->head.data, lith_min_size(ends->head.bytes, LENGTH_BYTES_MAX));
    uint64_t length = lith_cursor_varint(&c);
    uint8_t header[LENGTH_BYTES_MAX + 5];
    uint8_t *at = header;

    if (c.failed && ends->head.bytes < LENGTH_BYTES_MAX)
        return lith_prefix_fail_short("SNAPPY", ends, err);
    if (c.failed)
        return lith_fail(err, LITH_E_CORRUPT, "SNAPPY: no length at the start");
    if (length != ends->plain_bytes)
        return lith_codec_fail_size(err, "SNAPPY", ends->plain_bytes, length);
    for (length += prefix.bytes; length >= 0x80; length >>= 7)
        *at++ = (uint8_t)(length | 0x80);
    *at++ = (uint8_t)length;
    size_t last = prefix.bytes - 1;
    size_t bytes = 0; /* that the length of the literal takes behind its tag */
    while (last >= LENGTH_IN_TAG_MAX && last >> (8 * bytes))
        bytes++;
    *at++ = (uint8_t)((bytes ? LENGTH_IN_TAG_MAX - 1 + bytes : last) << 2);
    at = lith_number_put(at, last, bytes);
    edit->skip = (uint64_t)(c.next - ends->head.data);
    LITH_TRY(lith_buf_append(front, header, (size_t)(at - header), err));
    return lith_buf_append(front, prefix.data, prefix.bytes, err);
}

/* Bytes of 255, and one of less, go on from 15 in the token. */
static enum lith_code lz4_length_append(struct lith_buf *front, uint64_t length, uint8_t token,
                                        struct lith_err *err)
{
    uint64_t rest = length < 15 ? 0 : length - 15;
    size_t full = (size_t)(rest / 255);

    token = (uint8_t)((token & 15) | lith_min_u64(length, 15) << 4);
    LITH_TRY(lith_buf_append_byte(front, token, err));
    if (length < 15)
        return LITH_OK;
    LITH_TRY(lith_buf_reserve(front, full + 1, err));
    memset(front->data + front->bytes, 255, full);
    front->bytes += full;
    return lith_buf_append_byte(front, (uint8_t)(rest % 255), err);
}

/* A block begins with literals, perhaps none: the prefix makes them more. */
static enum lith_code lz4_plan(struct lith_slice prefix, const struct lith_body_ends *ends,
                               struct lith_buf *front, struct lith_body_edit *edit,
                               struct lith_err *err)
{
    struct lith_cursor c = lith_cursor_at(ends->head.data, ends->head.bytes);
    uint8_t token = lith_cursor_byte(&c);
    uint64_t length = token >> 4;
    uint8_t byte = length == 15 ? 255 : 0;

    while (byte == 255 && !c.failed) {
        byte = lith_cursor_byte(&c);
        length += byte;
    }
    if (c.failed)
        return lith_prefix_fail_short("LZ4_RAW", ends, err);
    edit->skip = (uint64_t)(c.next - ends->head.data);
    uint64_t left = ends->bytes - edit->skip;
    if (length > left || length > ends->plain_bytes)
        return lith_fail(err, LITH_E_CORRUPT,
                         "LZ4_RAW: a literal of %" PRIu64 " bytes, but %" PRIu64
                         " follow and the page has %" PRIu64,
                         length, left, ends->plain_bytes);
    if (length == left && length != ends->plain_bytes)
        return lith_codec_fail_size(err, "LZ4_RAW", ends->plain_bytes, length);
    LITH_TRY(lz4_length_append(front, length + prefix.bytes, token, err));
    return lith_buf_append(front, prefix.data, prefix.bytes, err);
}

static const struct {
    lith_prefix_fn *plan;
    const char *reason; /* why there is none */
} formats[] = {
    [LITH_CODEC_UNCOMPRESSED] = {.plan = plain_plan},
    [LITH_CODEC_SNAPPY] = {.plan = snappy_plan},
    [LITH_CODEC_GZIP] = {.plan = lith_gzip_prefix},
    [LITH_CODEC_LZO] = {.reason = "it is not supported"},
    [LITH_CODEC_BROTLI] = {.reason = "its static dictionary counts from the start of the stream"},
    [LITH_CODEC_LZ4] = {.reason = "it is deprecated and not written"},
    [LITH_CODEC_ZSTD] = {.plan = lith_zstd_prefix},
    [LITH_CODEC_LZ4_RAW] = {.plan = lz4_plan},
};
static_assert(sizeof(formats) / sizeof(formats[0]) == LITH_CODEC_COUNT, "one row per codec");

enum lith_code lith_prefix_plan(enum lith_codec codec, struct lith_slice prefix,
                                const struct lith_body_ends *ends, struct lith_buf *front,
                                struct lith_body_edit *ret_edit, struct lith_err *err)
{
    struct lith_body_edit edit = {0};
    size_t front_bytes = front->bytes;

    LITH_ASSERT(ends->head.bytes <= ends->bytes);
    LITH_ASSERT(ends->tail.bytes == lith_min_u64(ends->bytes, LITH_BODY_TAIL_BYTES));
    if ((int)codec < 0 || codec >= LITH_CODEC_COUNT || !formats[codec].plan)
        return lith_fail(err, LITH_E_UNSUPPORTED, "no bytes can be put in front of %s (%d): %s",
                         lith_codec_name((int)codec), (int)codec,
                         (int)codec < 0 || codec >= LITH_CODEC_COUNT ? "it is not known"
                                                                     : formats[codec].reason);
    /* Page sizes are 32-bit in the format. */
    if (ends->plain_bytes > INT32_MAX || prefix.bytes > INT32_MAX - ends->plain_bytes)
        return lith_fail(err, LITH_E_LIMIT, "%s: %zu bytes in front of %" PRIu64 ", at most %d fit",
                         lith_codec_name((int)codec), prefix.bytes, ends->plain_bytes, INT32_MAX);
    if (prefix.bytes > 0) {
        enum lith_code code = formats[codec].plan(prefix, ends, front, &edit, err);
        if (code != LITH_OK) {
            front->bytes = front_bytes;
            return code;
        }
    }
    edit.keep = ends->bytes - edit.skip - edit.trailer_bytes;
    *ret_edit = edit;
    return LITH_OK;
}

enum lith_code lith_body_edit_append(const struct lith_body_edit *edit, struct lith_slice body,
                                     struct lith_buf *to, struct lith_err *err)
{
    LITH_ASSERT(edit->skip <= body.bytes);
    LITH_ASSERT(edit->keep <= body.bytes - edit->skip);
    LITH_TRY(lith_buf_reserve(to, (size_t)edit->keep + edit->trailer_bytes, err));
    if (edit->keep)
        LITH_TRY(lith_buf_append(to, body.data + edit->skip, (size_t)edit->keep, err));
    return lith_buf_append(to, edit->trailer, edit->trailer_bytes, err);
}

enum lith_code lith_compressed_prefix(enum lith_codec codec, struct lith_slice prefix,
                                      struct lith_slice body, uint64_t plain_bytes,
                                      struct lith_buf *to, struct lith_err *err)
{
    struct lith_body_ends ends = lith_body_ends(body, plain_bytes);
    struct lith_body_edit edit;
    size_t before = to->bytes;

    LITH_TRY(lith_prefix_plan(codec, prefix, &ends, to, &edit, err));
    enum lith_code code = lith_body_edit_append(&edit, body, to, err);
    if (code != LITH_OK)
        to->bytes = before;
    return code;
}
