/*
 * Values of varying length: text that ends itself, decimals led by their size.
 */
#include "sort/key_value.h"

/* A zero byte is followed by 0xff, the end is two zeros: so the end of one value sorts before any
 * byte that another has in its place. */
static size_t text_store(struct lith_slice value, uint8_t *to)
{
    const uint8_t *from = value.data;
    const uint8_t *end = from + value.bytes;
    uint8_t *at = to;

    while (from < end) {
        const uint8_t *zero = memchr(from, 0, (size_t)(end - from));
        size_t bytes = (size_t)((zero ? zero : end) - from);
        memcpy(at, from, bytes);
        at += bytes;
        from += bytes;
        if (zero) {
            *at++ = 0;
            *at++ = 0xff;
            from++;
        }
    }
    *at++ = 0;
    *at++ = 0;
    return (size_t)(at - to);
}

/*
 * Two's complement, big-endian. Bytes in front that only repeat the sign do not count; then more
 * bytes are a larger number, or a smaller one where it is negative. No byte at all is 0.
 */
static size_t decimal_store(struct lith_slice value, uint8_t *to)
{
    bool negative = value.bytes && (value.data[0] & 0x80);
    uint8_t fill = negative ? 0xff : 0;

    while (value.bytes && value.data[0] == fill) {
        value.data++;
        value.bytes--;
    }
    uint32_t count = (uint32_t)value.bytes; /* the format's lengths are of 31 bits */
    lith_store_u32_be(to, negative ? 0x7fffffffu - count : 0x80000000u + count);
    if (value.bytes)
        memcpy(to + 4, value.data, value.bytes);
    return 4 + value.bytes;
}

size_t lith_key_bytes_store(enum lith_order order, struct lith_slice value, uint8_t *to)
{
    return order == LITH_ORDER_DECIMAL_BYTES ? decimal_store(value, to) : text_store(value, to);
}
