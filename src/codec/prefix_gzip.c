/*
 * Bytes in front of a GZIP member: stored blocks behind its header, and a new trailer.
 *
 * A deflate stream does not say how long it is, so several members look like one. The trailer's
 * size tells them apart, once the first member is known not to be empty. RFC 1951, RFC 1952.
 */
#include "codec/zlib_heap.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "codec/prefix_format.h"

/* Takes the header of a member: RFC 1952, 2.3. */
static enum lith_code gzip_header_take(struct lith_cursor *c, const struct lith_body_ends *ends,
                                       struct lith_err *err)
{
    enum { HEADER_CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16, RESERVED = 0xe0 };
    const uint8_t *begin = c->next;
    const uint8_t *fixed = lith_cursor_take(c, 10);

    if (!fixed)
        return lith_prefix_fail_short("GZIP", ends, err);
    if (fixed[0] != 0x1f || fixed[1] != 0x8b || fixed[2] != 8 || fixed[3] & RESERVED)
        return lith_fail(err, LITH_E_CORRUPT,
                         "GZIP: expected a member (1f 8b 08), found %02x %02x %02x, flags %02x",
                         fixed[0], fixed[1], fixed[2], fixed[3]);
    if (fixed[3] & EXTRA) {
        size_t bytes = lith_cursor_byte(c);
        bytes |= (size_t)lith_cursor_byte(c) << 8;
        (void)lith_cursor_take(c, bytes);
    }
    for (unsigned flag = NAME; flag <= COMMENT; flag *= 2) {
        while (fixed[3] & flag && lith_cursor_byte(c)) {
        }
    }
    size_t bytes = (size_t)(c->next - begin);
    if (fixed[3] & HEADER_CRC) {
        uint32_t found = lith_cursor_byte(c);
        found |= (uint32_t)lith_cursor_byte(c) << 8;
        uint32_t expected = lith_crc32(0, begin, bytes) & 0xffff;
        /* libdeflate does not look at it: whoever decompresses the body decides. */
        if (!c->failed && found != expected)
            return lith_fail(err, LITH_E_UNSUPPORTED,
                             "GZIP: the header's checksum is %04" PRIx32 ", expected %04" PRIx32,
                             found, expected);
    }
    return c->failed ? lith_prefix_fail_short("GZIP", ends, err) : LITH_OK;
}

/*
 * Whether the body is one member: the last one has as many bytes as the page, so all others would
 * have none. The first one is looked into up to its first byte. `deflate` is what the head holds
 * of its data, `deflate_bytes` what there is if it is the only one.
 */
static enum lith_code gzip_single_check(struct lith_slice deflate, uint64_t deflate_bytes,
                                        const struct lith_body_ends *ends, struct lith_mem *mem,
                                        struct lith_err *err)
{
    struct lith_codec_heap heap = {mem, err, LITH_OK};
    uint8_t byte = 0;
    z_stream memory = {
        .zalloc = lith_zlib_take,
        .zfree = lith_zlib_give,
        .opaque = &heap,
        .next_in = deflate.data,
        .avail_in = (uInt)lith_min_size(deflate.bytes, INT32_MAX),
        .next_out = &byte,
        .avail_out = 1,
    };

    int result = inflateInit2(&memory, -MAX_WBITS);
    if (heap.code != LITH_OK)
        return heap.code;
    if (result != Z_OK)
        return lith_fail(err, LITH_E_UNSUPPORTED, "GZIP: zlib says %d to inflateInit2", result);
    __attribute__((cleanup(lith_inflate_auto))) z_stream *z = &memory;
    result = inflate(z, Z_NO_FLUSH);
    if (heap.code != LITH_OK)
        return heap.code;
    if (result == Z_STREAM_END && z->total_in != deflate_bytes)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "GZIP: a member ends %" PRIu64 " bytes before the last trailer",
                         deflate_bytes - z->total_in);
    if (result == Z_STREAM_END && z->total_out != ends->plain_bytes)
        return lith_codec_fail_size(err, "GZIP", ends->plain_bytes, z->total_out);
    if (result == Z_STREAM_END || z->avail_out == 0)
        return LITH_OK;
    if (result == Z_OK || result == Z_BUF_ERROR)
        return lith_prefix_fail_short("GZIP", ends, err);
    /* Other decoders take more than zlib: whoever decompresses the body decides. */
    return lith_fail(err, LITH_E_UNSUPPORTED, "GZIP: zlib refuses the first block (%d)", result);
}

/* Stored blocks, which begin and end at bytes: RFC 1951, 3.2.4. */
static enum lith_code stored_blocks_append(struct lith_slice prefix, struct lith_buf *front,
                                           struct lith_err *err)
{
    for (size_t at = 0; at < prefix.bytes;) {
        size_t bytes = lith_min_size(prefix.bytes - at, UINT16_MAX);
        uint8_t header[5] = {0};
        (void)lith_number_put(lith_number_put(header + 1, bytes, 2), ~bytes, 2);
        LITH_TRY(lith_buf_append(front, header, sizeof(header), err));
        LITH_TRY(lith_buf_append(front, prefix.data + at, bytes, err));
        at += bytes;
    }
    return LITH_OK;
}

enum lith_code lith_gzip_prefix(struct lith_slice prefix, const struct lith_body_ends *ends,
                                struct lith_buf *front, struct lith_body_edit *edit,
                                struct lith_err *err)
{
    enum { DEFLATE_BYTES_MIN = 2 };
    struct lith_slice head = ends->head;
    struct lith_cursor c = lith_cursor_at(head.data, head.bytes);

    LITH_TRY(gzip_header_take(&c, ends, err));
    size_t header_bytes = (size_t)(c.next - head.data);
    if (ends->bytes < header_bytes + DEFLATE_BYTES_MIN + LITH_BODY_TAIL_BYTES)
        return lith_fail(err, LITH_E_CORRUPT, "GZIP: a member of %" PRIu64 " bytes, header %zu",
                         ends->bytes, header_bytes);
    uint32_t crc = lith_load_u32(ends->tail.data);
    uint32_t plain_bytes = lith_load_u32(ends->tail.data + 4);
    if (plain_bytes != ends->plain_bytes)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "GZIP: several members: the last has %" PRIu32 " bytes, the page %" PRIu64,
                         plain_bytes, ends->plain_bytes);
    uint64_t deflate_bytes = ends->bytes - header_bytes - LITH_BODY_TAIL_BYTES;
    struct lith_slice deflate = {c.next,
                                 (size_t)lith_min_u64(head.bytes - header_bytes, deflate_bytes)};
    LITH_TRY(gzip_single_check(deflate, deflate_bytes, ends, front->mem, err));
    uLong prefix_crc = lith_crc32(0, prefix.data, prefix.bytes);
    lith_store_u32(edit->trailer,
                   (uint32_t)crc32_combine(prefix_crc, crc, (z_off_t)ends->plain_bytes));
    lith_store_u32(edit->trailer + 4, (uint32_t)(prefix.bytes + ends->plain_bytes));
    edit->trailer_bytes = LITH_BODY_TAIL_BYTES;
    edit->skip = header_bytes;
    LITH_TRY(lith_buf_append(front, head.data, header_bytes, err));
    return stored_blocks_append(prefix, front, err);
}
