/*
 * A bounded read position over bytes owned by someone else.
 *
 * Reads past the end return zero and set `failed`, which stays set, so a decoder reads a whole
 * structure in a straight line and checks once at its end.
 */
#ifndef LITH_BASE_CURSOR_H
#define LITH_BASE_CURSOR_H

#include "base/bytes.h"

struct lith_cursor {
    const uint8_t *next;
    const uint8_t *end;
    bool failed;
};

static inline struct lith_cursor lith_cursor_at(const uint8_t *data, size_t bytes)
{
    return (struct lith_cursor){.next = data, .end = data + bytes};
}

static inline size_t lith_cursor_left(const struct lith_cursor *c)
{
    return c->failed ? 0 : (size_t)(c->end - c->next);
}

/* Takes `bytes` bytes, borrowed from the input; NULL and failed if fewer are left. */
static inline const uint8_t *lith_cursor_take(struct lith_cursor *c, size_t bytes)
{
    if (c->failed || (size_t)(c->end - c->next) < bytes) {
        c->failed = true;
        return NULL;
    }
    const uint8_t *at = c->next;
    c->next += bytes;
    return at;
}

static inline uint8_t lith_cursor_byte(struct lith_cursor *c)
{
    const uint8_t *at = lith_cursor_take(c, 1);
    return at ? *at : 0;
}

static inline uint32_t lith_cursor_u32(struct lith_cursor *c)
{
    const uint8_t *at = lith_cursor_take(c, 4);
    return at ? lith_load_u32(at) : 0;
}

/* Reads a ULEB128 of at most 64 bits (10 bytes). One that is longer, or has bits above the
 * 64th, fails the cursor. */
uint64_t lith_cursor_varint(struct lith_cursor *c);

/* Reads a zigzag varint (Thrift compact protocol, DELTA_BINARY_PACKED). */
int64_t lith_cursor_zigzag(struct lith_cursor *c);

#endif
