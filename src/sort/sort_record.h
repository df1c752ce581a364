/*
 * What is sorted: 16 bytes a row, whose first 8 decide most of the order.
 *
 * A key of at most 9 bytes is all in its record: 8 in the prefix, the ninth on top of the place. A
 * longer one stands elsewhere, and the prefix is a part of it. Nine, because that is a nullable
 * column of 64 bits.
 */
#ifndef LITH_SORT_SORT_RECORD_H
#define LITH_SORT_SORT_RECORD_H

#include "base/bytes.h"

#define LITH_RECORD_KEY_BYTES 9u

struct lith_sort_record {
    uint64_t prefix;
    uint64_t ref; /* short keys: the ninth byte, then the place; else where the key stands */
};

/* Unit and row as one number, in the order of ties. */
#define LITH_PLACE_BITS 56u

static inline uint64_t lith_place_of(uint32_t unit, uint64_t row)
{
    return (uint64_t)unit << 32 | row;
}

static inline uint32_t lith_place_unit(uint64_t place)
{
    return (uint32_t)(place >> 32) & 0xffffffu;
}

static inline uint64_t lith_place_row(uint64_t place)
{
    return (uint32_t)place;
}

/* The first 8 bytes of a key as a number, as if zeros followed it. */
static inline uint64_t lith_key_prefix(const uint8_t *key, size_t bytes)
{
    uint64_t prefix = 0;

    if (bytes >= 8)
        return __builtin_bswap64(lith_load_u64(key));
    for (size_t i = 0; i < bytes; i++)
        prefix |= (uint64_t)key[i] << (56 - 8 * i);
    return prefix;
}

/* The key of such a number and a ref, zeros behind it. */
static inline void lith_record_key(uint64_t prefix, uint64_t ref,
                                   uint8_t ret_key[LITH_RECORD_KEY_BYTES])
{
    lith_store_u64(ret_key, __builtin_bswap64(prefix));
    ret_key[8] = (uint8_t)(ref >> LITH_PLACE_BITS);
}

/* A key of at most LITH_RECORD_KEY_BYTES as a number of no more bits than it has; one of nine bytes
 * without the first. */
LITH_TEMPLATE uint64_t lith_key_number(const uint8_t *key, size_t width)
{
    return width > 8 ? lith_key_prefix(key + width - 8, 8)
                     : lith_key_prefix(key, width) >> (64 - 8 * width);
}

/* Sorts records by prefix and ninth byte; those that are equal keep their order. `room` is as large
 * as `records`. At most UINT32_MAX records. */
void lith_records_sort(struct lith_sort_record *records, struct lith_sort_record *room,
                       size_t count);

#endif
