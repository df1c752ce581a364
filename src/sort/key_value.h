/*
 * One value of a key as bytes, ascending: what key_layout.h says of each order.
 *
 * Inlined: the loops over rows are the callers', and an order that is constant in them costs
 * nothing.
 */
#ifndef LITH_SORT_KEY_VALUE_H
#define LITH_SORT_KEY_VALUE_H

#include "base/bytes.h"
#include "parquet/order.h"

static inline void lith_store_u32_be(uint8_t *to, uint32_t value)
{
    lith_store_u32(to, __builtin_bswap32(value));
}

static inline void lith_store_u64_be(uint8_t *to, uint64_t value)
{
    lith_store_u64(to, __builtin_bswap64(value));
}

/* The place of 32 bits in their order, as an unsigned number. */
LITH_TEMPLATE uint32_t lith_key_rank_32(enum lith_order order, uint32_t bits)
{
    const uint32_t sign = UINT32_C(1) << 31;

    if (order == LITH_ORDER_SIGNED_32)
        return bits ^ sign;
    if (order != LITH_ORDER_FLOAT)
        return bits;
    if ((bits & ~sign) > 0x7f800000u)
        return UINT32_MAX; /* every NaN */
    if (bits == sign)
        bits = 0; /* -0 */
    return bits & sign ? ~bits : bits ^ sign;
}

LITH_TEMPLATE uint64_t lith_key_rank_64(enum lith_order order, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << 63;

    if (order == LITH_ORDER_SIGNED_64)
        return bits ^ sign;
    if (order != LITH_ORDER_DOUBLE)
        return bits;
    if ((bits & ~sign) > 0x7ff0000000000000u)
        return UINT64_MAX;
    if (bits == sign)
        bits = 0;
    return bits & sign ? ~bits : bits ^ sign;
}

/* Writes a value of fixed width, as many bytes as it has. */
LITH_TEMPLATE void lith_key_fixed_store(enum lith_order order, const uint8_t *value, size_t width,
                                        uint8_t *to)
{
    if (order == LITH_ORDER_SIGNED_32 || order == LITH_ORDER_UNSIGNED_32 ||
        order == LITH_ORDER_FLOAT) {
        lith_store_u32_be(to, lith_key_rank_32(order, lith_load_u32(value)));
    } else if (order == LITH_ORDER_SIGNED_64 || order == LITH_ORDER_UNSIGNED_64 ||
               order == LITH_ORDER_DOUBLE) {
        lith_store_u64_be(to, lith_key_rank_64(order, lith_load_u64(value)));
    } else if (order == LITH_ORDER_FLOAT16) {
        struct lith_slice slice = {value, width};
        int rank = lith_order_is_nan(order, slice) ? 0x7fff : lith_float16_rank(value);
        to[0] = (uint8_t)((rank + 0x8000) >> 8);
        to[1] = (uint8_t)(rank + 0x8000);
    } else {
        memcpy(to, value, width);
        if (order == LITH_ORDER_DECIMAL_BYTES)
            to[0] ^= 0x80;
    }
}

/* The most bytes that a value of `bytes` bytes of varying length takes. */
static inline size_t lith_key_bytes_max(size_t bytes)
{
    return 2 * bytes + 4;
}

/* Writes a value of varying length; returns how many bytes it took. */
size_t lith_key_bytes_store(enum lith_order order, struct lith_slice value, uint8_t *to);

#endif
