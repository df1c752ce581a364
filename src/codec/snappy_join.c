/*
 * Joining SNAPPY blocks: a walk over the elements that looks at lengths and distances only.
 */
#include "codec/snappy_join.h"

#include "base/cursor.h"
#include "base/mem.h"

/* Literals of so many bytes and more have their length behind the tag. */
#define SHORT_LITERAL_MAX 60u
/* A tag and four bytes of length. */
#define TAG_BYTES_MAX 5u

/* One element. */
struct element {
    uint64_t bytes;    /* that it decompresses to */
    uint64_t distance; /* how far back it copies from; 0: a literal, or damaged */
    uint64_t size;     /* its own, with a literal's bytes */
};

/* The element at `at`; its size passes `left` when the block ends inside it. */
LITH_TEMPLATE struct element element_read(const uint8_t *at, size_t left)
{
    uint8_t last[TAG_BYTES_MAX] = {0};

    if (left < TAG_BYTES_MAX) {
        memcpy(last, at, left);
        at = last;
    }
    uint64_t length = at[0] >> 2;
    uint32_t behind = lith_load_u32(at + 1);
    switch (at[0] & 3) {
    case 0: {
        size_t extra = length < SHORT_LITERAL_MAX ? 0 : length - SHORT_LITERAL_MAX + 1;
        if (extra)
            length = behind & UINT32_MAX >> (32 - 8 * extra);
        return (struct element){.bytes = length + 1, .size = 1 + extra + length + 1};
    }
    case 1:
        return (struct element){
            .bytes = 4 + (length & 7), .distance = (length >> 3) << 8 | (behind & 0xff), .size = 2};
    case 2:
        return (struct element){.bytes = length + 1, .distance = behind & 0xffff, .size = 3};
    default:
        return (struct element){.bytes = length + 1, .distance = behind, .size = 5};
    }
}

static bool is_literal(const uint8_t *at)
{
    return (*at & 3) == 0;
}

bool lith_snappy_first_literal(struct lith_slice block, struct lith_slice *ret_literal,
                               uint64_t *ret_plain_bytes)
{
    struct lith_cursor c = lith_cursor_at(block.data, block.bytes);

    uint64_t plain = lith_cursor_varint(&c);
    size_t left = (size_t)(c.end - c.next);
    if (c.failed || left == 0 || !is_literal(c.next))
        return false;
    struct element first = element_read(c.next, left);
    if (first.size > left)
        return false;
    *ret_literal = (struct lith_slice){c.next + first.size - first.bytes, (size_t)first.bytes};
    *ret_plain_bytes = plain;
    return true;
}

/* Writes the tag of a literal; the number of its bytes. */
static size_t literal_tag(size_t bytes, uint8_t tag[TAG_BYTES_MAX])
{
    uint64_t length = bytes - 1;
    size_t extra = 0;

    if (length < SHORT_LITERAL_MAX) {
        tag[0] = (uint8_t)(length << 2);
        return 1;
    }
    for (uint64_t left = length; left; left >>= 8)
        tag[1 + extra++] = (uint8_t)left;
    tag[0] = (uint8_t)((SHORT_LITERAL_MAX - 1 + extra) << 2);
    return 1 + extra;
}

static enum lith_code literal_append(struct lith_buf *to, const uint8_t *data, size_t bytes,
                                     struct lith_err *err)
{
    uint8_t tag[TAG_BYTES_MAX];

    LITH_TRY(lith_buf_append(to, tag, literal_tag(bytes, tag), err));
    return lith_buf_append(to, data, bytes, err);
}

/* Appends the elements behind the first literal; false in *ret_done as in lith_snappy_tail. */
static enum lith_code elements_append(struct lith_slice behind, struct lith_slice literal,
                                      uint64_t plain_bytes, size_t skip, struct lith_buf *to,
                                      bool *ret_done, struct lith_err *err)
{
    const uint8_t *end = behind.data + behind.bytes;
    const uint8_t *pending = behind.data; /* elements from here on stay as they are */
    const uint8_t *at = behind.data;
    uint64_t done = literal.bytes;
    struct element e;

    *ret_done = false;
    for (; at < end; at += e.size) {
        size_t left = (size_t)(end - at);
        e = element_read(at, left);
        if (e.size > left || e.bytes > plain_bytes - done || e.distance > done ||
            (e.distance == 0 && !is_literal(at)))
            return LITH_OK;
        if (e.distance > done - skip) {
            uint64_t from = done - e.distance;
            if (from + e.bytes > literal.bytes)
                return LITH_OK;
            LITH_TRY(lith_buf_append(to, pending, (size_t)(at - pending), err));
            LITH_TRY(literal_append(to, literal.data + from, (size_t)e.bytes, err));
            pending = at + e.size;
        }
        done += e.bytes;
    }
    *ret_done = done == plain_bytes;
    return lith_buf_append(to, pending, (size_t)(end - pending), err);
}

enum lith_code lith_snappy_tail(struct lith_slice block, uint64_t plain_bytes, size_t skip,
                                struct lith_buf *to, bool *ret_done, struct lith_err *err)
{
    struct lith_slice literal;
    size_t before = to->bytes;
    uint64_t plain;

    *ret_done = false;
    if (!lith_snappy_first_literal(block, &literal, &plain) || plain != plain_bytes ||
        plain > UINT32_MAX || skip >= literal.bytes || literal.bytes > plain)
        return LITH_OK;
    const uint8_t *behind = literal.data + literal.bytes;
    struct lith_slice elements = {behind, (size_t)(block.data + block.bytes - behind)};
    LITH_TRY(literal_append(to, literal.data + skip, literal.bytes - skip, err));
    LITH_TRY(elements_append(elements, literal, plain_bytes, skip, to, ret_done, err));
    if (!*ret_done)
        to->bytes = before;
    return LITH_OK;
}

enum lith_code lith_snappy_begin(uint64_t plain_bytes, struct lith_slice first, struct lith_buf *to,
                                 struct lith_err *err)
{
    uint64_t left = plain_bytes;

    for (; left >= 0x80; left >>= 7)
        LITH_TRY(lith_buf_append_byte(to, (uint8_t)(left | 0x80), err));
    LITH_TRY(lith_buf_append_byte(to, (uint8_t)left, err));
    return first.bytes ? literal_append(to, first.data, first.bytes, err) : LITH_OK;
}
