/*
 * Bytes in front of a ZSTD frame: raw blocks behind its header, which says a larger size.
 *
 * Blocks refer back by distance, and raw ones change no table and no repeated offset, so the old
 * blocks stay as they are. Of a single segment the window grows with the content. RFC 8878.
 */
#include <zstd.h>

#include <inttypes.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "codec/prefix_format.h"

/* The header of a frame, RFC 8878 section 3.1.1.1. */
struct zstd_frame {
    bool single; /* segment: no window descriptor, the window is the content */
    uint8_t window;
    bool has_content;
    uint64_t content_bytes;
};

static enum lith_code zstd_magic_check(uint32_t magic, struct lith_err *err)
{
    if ((magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START)
        return lith_fail(err, LITH_E_UNSUPPORTED, "ZSTD: a skippable frame (0x%08" PRIx32 ") first",
                         magic);
    if (magic != ZSTD_MAGICNUMBER)
        return lith_fail(err, LITH_E_CORRUPT,
                         "ZSTD: expected a frame (magic number 0x%08" PRIx32
                         "), found 0x%08" PRIx32,
                         (uint32_t)ZSTD_MAGICNUMBER, magic);
    return LITH_OK;
}

static enum lith_code zstd_descriptor_check(uint8_t descriptor, struct lith_err *err)
{
    enum { DICTIONARY = 0x03, CHECKSUM = 0x04, RESERVED = 0x08 };

    if (descriptor & RESERVED)
        return lith_fail(err, LITH_E_CORRUPT, "ZSTD: reserved bit in the frame descriptor 0x%02x",
                         descriptor);
    if (descriptor & CHECKSUM)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "ZSTD: the frame (descriptor 0x%02x) has a checksum of its contents",
                         descriptor);
    if (descriptor & DICTIONARY)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "ZSTD: the frame (descriptor 0x%02x) has a dictionary id", descriptor);
    return LITH_OK;
}

static enum lith_code zstd_frame_take(struct lith_cursor *c, const struct lith_body_ends *ends,
                                      struct zstd_frame *ret_frame, struct lith_err *err)
{
    static const uint8_t content_bytes[] = {0, 2, 4, 8};
    struct zstd_frame frame = {0};
    uint32_t magic = lith_cursor_u32(c);
    uint8_t descriptor = lith_cursor_byte(c);

    if (c->failed)
        return lith_prefix_fail_short("ZSTD", ends, err);
    LITH_TRY(zstd_magic_check(magic, err));
    LITH_TRY(zstd_descriptor_check(descriptor, err));
    frame.single = descriptor & 0x20;
    size_t bytes = content_bytes[descriptor >> 6];
    if (frame.single && bytes == 0)
        bytes = 1;
    if (!frame.single)
        frame.window = lith_cursor_byte(c);
    frame.has_content = bytes > 0;
    frame.content_bytes = bytes == 2 ? 256 : 0;
    for (size_t i = 0; i < bytes; i++)
        frame.content_bytes += (uint64_t)lith_cursor_byte(c) << (8 * i);
    if (c->failed)
        return lith_prefix_fail_short("ZSTD", ends, err);
    *ret_frame = frame;
    return LITH_OK;
}

/* A header with the smallest content size field that there is for it. */
static enum lith_code zstd_frame_append(const struct zstd_frame *frame, struct lith_buf *front,
                                        struct lith_err *err)
{
    uint8_t header[4 + 1 + 1 + 8];
    uint64_t content = frame->content_bytes;
    uint8_t *at = lith_number_put(header, ZSTD_MAGICNUMBER, 4);

    LITH_ASSERT(content <= UINT32_MAX);
    if (!frame->has_content)
        at = lith_number_put(lith_number_put(at, 0, 1), frame->window, 1);
    else if (frame->single && content < 256)
        at = lith_number_put(lith_number_put(at, 0x20, 1), content, 1);
    else if (frame->single && content < 256 + 65536)
        at = lith_number_put(lith_number_put(at, 0x60, 1), content - 256, 2);
    else if (frame->single)
        at = lith_number_put(lith_number_put(at, 0xa0, 1), content, 4);
    else
        at = lith_number_put(lith_number_put(lith_number_put(at, 0x80, 1), frame->window, 1),
                             content, 4);
    return lith_buf_append(front, header, (size_t)(at - header), err);
}

/* Raw blocks, none of them the last. A block is at most 128 KiB, and at most the window. */
static enum lith_code raw_blocks_append(struct lith_slice prefix, uint64_t window_bytes,
                                        struct lith_buf *front, struct lith_err *err)
{
    size_t most = (size_t)lith_min_u64(window_bytes, ZSTD_BLOCKSIZE_MAX);

    for (size_t at = 0; at < prefix.bytes;) {
        size_t bytes = lith_min_size(prefix.bytes - at, most);
        uint8_t header[3];
        (void)lith_number_put(header, bytes << 3, sizeof(header));
        LITH_TRY(lith_buf_append(front, header, sizeof(header), err));
        LITH_TRY(lith_buf_append(front, prefix.data + at, bytes, err));
        at += bytes;
    }
    return LITH_OK;
}

/* Later frames need not be looked for: a longer first one does not change them. */
enum lith_code lith_zstd_prefix(struct lith_slice prefix, const struct lith_body_ends *ends,
                                struct lith_buf *front, struct lith_body_edit *edit,
                                struct lith_err *err)
{
    enum { BLOCK_HEADER_BYTES = 3 };
    /* Streaming decoders refuse larger windows (libzstd's ZSTD_WINDOWLOG_LIMIT_DEFAULT). */
    static const uint64_t window_bytes_max = (uint64_t)1 << 27;
    struct lith_cursor c = lith_cursor_at(ends->head.data, ends->head.bytes);
    struct zstd_frame frame;

    LITH_TRY(zstd_frame_take(&c, ends, &frame, err));
    if (frame.has_content && frame.content_bytes != ends->plain_bytes)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "ZSTD: several frames: the first has %" PRIu64 " bytes, the page %" PRIu64,
                         frame.content_bytes, ends->plain_bytes);
    edit->skip = (uint64_t)(c.next - ends->head.data);
    if (ends->bytes - edit->skip < BLOCK_HEADER_BYTES)
        return lith_fail(err, LITH_E_CORRUPT, "ZSTD: a frame of %" PRIu64 " bytes has no block",
                         ends->bytes);
    if (frame.has_content)
        frame.content_bytes += prefix.bytes;
    uint64_t base = (uint64_t)1 << (10 + (frame.window >> 3));
    uint64_t window_bytes = base + base / 8 * (frame.window & 7);
    if (frame.single)
        window_bytes = frame.content_bytes;
    if (frame.single && window_bytes > window_bytes_max)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "ZSTD: a single segment of %" PRIu64 " bytes is too large for streams",
                         window_bytes);
    LITH_TRY(zstd_frame_append(&frame, front, err));
    return raw_blocks_append(prefix, window_bytes, front, err);
}
