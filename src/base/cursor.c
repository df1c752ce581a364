/*
 * A bounded read position: the variable-length integers.
 */
#include "base/cursor.h"

uint64_t lith_cursor_varint(struct lith_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = lith_cursor_byte(c);
        if (c->failed || (shift == 63 && byte > 1)) {
            c->failed = true;
            return 0;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    c->failed = true;
    return 0;
}

int64_t lith_cursor_zigzag(struct lith_cursor *c)
{
    uint64_t value = lith_cursor_varint(c);

    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}
