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

/* One element: its length, how far back it copies from (0: a literal), and its own bytes. */
struct element {
    uint64_t bytes;
    uint64_t distance;
};

/* Reads an element up to a literal's bytes. */
static struct element element_read(struct lith_cursor *c)
{
    const uint8_t *at = lith_cursor_take(c, 1);
    uint8_t tag = at ? *at : 0;
    size_t extra = 0;

    if ((tag & 3) == 0) {
        uint64_t length = tag >> 2;
        extra = length < SHORT_LITERAL_MAX ? 0 : length - SHORT_LITERAL_MAX + 1;
        at = lith_cursor_take(c, extra);
        if (extra && at) {
            length = 0;
            for (size_t i = 0; i < extra; i++)
                length |= (uint64_t)at[i] << (8 * i);
        }
        return (struct element){.bytes = length + 1};
    }
    extra = (tag & 3) == 3 ? 4 : tag & 3;
    at = lith_cursor_take(c, extra);
    uint64_t distance = 0;
    for (size_t i = 0; at && i < extra; i++)
        distance |= (uint64_t)at[i] << (8 * i);
    if ((tag & 3) == 1)
        return (struct element){.bytes = 4 + (tag >> 2 & 7u),
                                .distance = distance | (uint64_t)(tag >> 5) << 8};
    return (struct element){.bytes = 1 + (uint64_t)(tag >> 2), .distance = distance};
}

static bool is_literal_next(const struct lith_cursor *c)
{
    return c->next < c->end && (*c->next & 3) == 0;
}

bool lith_snappy_first_literal(struct lith_slice block, struct lith_slice *ret_literal,
                               uint64_t *ret_plain_bytes)
{
    struct lith_cursor c = lith_cursor_at(block.data, block.bytes);

    uint64_t plain = lith_cursor_varint(&c);
    if (c.failed || !is_literal_next(&c))
        return false;
    struct element first = element_read(&c);
    const uint8_t *data = lith_cursor_take(&c, (size_t)first.bytes);
    if (c.failed)
        return false;
    *ret_literal = (struct lith_slice){data, (size_t)first.bytes};
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
    struct lith_cursor c = lith_cursor_at(behind.data, behind.bytes);
    const uint8_t *pending = behind.data; /* elements from here on stay as they are */
    uint64_t done = literal.bytes;

    *ret_done = false;
    while (c.next < c.end) {
        const uint8_t *begin = c.next;
        bool is_literal = is_literal_next(&c);
        struct element e = element_read(&c);
        if (is_literal && !c.failed && e.bytes <= plain_bytes - done)
            (void)lith_cursor_take(&c, (size_t)e.bytes);
        if (c.failed || e.bytes > plain_bytes - done || e.distance > done ||
            (!is_literal && e.distance == 0))
            return LITH_OK;
        if (e.distance > done - skip) {
            uint64_t from = done - e.distance;
            if (from + e.bytes > literal.bytes)
                return LITH_OK;
            LITH_TRY(lith_buf_append(to, pending, (size_t)(begin - pending), err));
            LITH_TRY(literal_append(to, literal.data + from, (size_t)e.bytes, err));
            pending = c.next;
        }
        done += e.bytes;
    }
    *ret_done = done == plain_bytes;
    return lith_buf_append(to, pending, (size_t)(c.end - pending), err);
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
