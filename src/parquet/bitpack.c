/*
 * Bit-packing: one function per width, made from one template.
 *
 * A value is one unaligned 64-bit load, a shift and a mask, all constant once the width is. Loads
 * pass the end of a group by up to 8 bytes, so the last groups of a buffer are unpacked from a
 * padded copy.
 */
#include "parquet/bitpack.h"

#include "base/checked.h"
#include "base/err.h"

#define OVERREAD_BYTES 8 /* behind a group */
#define GROUP_BYTES_MAX 64

LITH_TEMPLATE uint64_t value_at(const uint8_t *from, unsigned width, unsigned index)
{
    const unsigned shift = index * width & 7;
    const uint8_t *at = from + (index * width >> 3);
    uint64_t bits = lith_load_u64(at) >> shift;

    if (shift + width > 64)
        bits |= (uint64_t)at[8] << (64 - shift);
    return width == 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

LITH_TEMPLATE void unpack_u32(const uint8_t *from, size_t groups, unsigned width, uint32_t *to)
{
    for (; groups; groups--, from += width, to += 8) {
        to[0] = (uint32_t)value_at(from, width, 0);
        to[1] = (uint32_t)value_at(from, width, 1);
        to[2] = (uint32_t)value_at(from, width, 2);
        to[3] = (uint32_t)value_at(from, width, 3);
        to[4] = (uint32_t)value_at(from, width, 4);
        to[5] = (uint32_t)value_at(from, width, 5);
        to[6] = (uint32_t)value_at(from, width, 6);
        to[7] = (uint32_t)value_at(from, width, 7);
    }
}

LITH_TEMPLATE void unpack_u64(const uint8_t *from, size_t groups, unsigned width, uint64_t *to)
{
    for (; groups; groups--, from += width, to += 8) {
        to[0] = value_at(from, width, 0);
        to[1] = value_at(from, width, 1);
        to[2] = value_at(from, width, 2);
        to[3] = value_at(from, width, 3);
        to[4] = value_at(from, width, 4);
        to[5] = value_at(from, width, 5);
        to[6] = value_at(from, width, 6);
        to[7] = value_at(from, width, 7);
    }
}

/* clang-format off */
#define WIDTHS_TO_32(X)                                                                            \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)    \
    X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
#define WIDTHS_TO_64(X)                                                                            \
    X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47)      \
    X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) X(60) X(61) X(62)      \
    X(63) X(64)
/* clang-format on */

#define UNPACK_U32(w)                                                                              \
    static void unpack_u32_##w(const uint8_t *from, size_t groups, uint32_t *to)                   \
    {                                                                                              \
        unpack_u32(from, groups, w, to);                                                           \
    }
#define UNPACK_U64(w)                                                                              \
    static void unpack_u64_##w(const uint8_t *from, size_t groups, uint64_t *to)                   \
    {                                                                                              \
        unpack_u64(from, groups, w, to);                                                           \
    }
WIDTHS_TO_32(UNPACK_U32)
WIDTHS_TO_32(UNPACK_U64)
WIDTHS_TO_64(UNPACK_U64)

#define ENTRY_U32(w) unpack_u32_##w,
#define ENTRY_U64(w) unpack_u64_##w,
static void (*const unpackers_u32[])(const uint8_t *from, size_t groups,
                                     uint32_t *to) = {WIDTHS_TO_32(ENTRY_U32)};
static void (*const unpackers_u64[])(const uint8_t *from, size_t groups, uint64_t *to) = {
    WIDTHS_TO_32(ENTRY_U64) WIDTHS_TO_64(ENTRY_U64)};
static_assert(sizeof(unpackers_u32) / sizeof(unpackers_u32[0]) == 33, "0 to 32 bits");
static_assert(sizeof(unpackers_u64) / sizeof(unpackers_u64[0]) == 65, "0 to 64 bits");

/* Groups that can be unpacked in place: those whose loads stay inside the readable bytes. */
static size_t groups_in_place(size_t readable, size_t groups, unsigned width)
{
    LITH_ASSERT(readable / (width ? width : 1) >= groups || width == 0);
    if (width == 0)
        return groups;
    return readable < OVERREAD_BYTES ? 0
                                     : lith_min_size(groups, (readable - OVERREAD_BYTES) / width);
}

void lith_unpack_u32(const uint8_t *from, size_t readable, size_t groups, unsigned width,
                     uint32_t *to)
{
    LITH_ASSERT(width <= 32);
    static const uint8_t zeros[OVERREAD_BYTES];
    size_t in_place = groups_in_place(readable, groups, width);
    unpackers_u32[width](width ? from : zeros, in_place, to);
    for (size_t i = in_place; i < groups; i++) {
        uint8_t padded[GROUP_BYTES_MAX + OVERREAD_BYTES] = {0};
        memcpy(padded, from + i * width, width);
        unpackers_u32[width](padded, 1, to + i * 8);
    }
}

void lith_unpack_u64(const uint8_t *from, size_t readable, size_t groups, unsigned width,
                     uint64_t *to)
{
    LITH_ASSERT(width <= 64);
    static const uint8_t zeros[OVERREAD_BYTES];
    size_t in_place = groups_in_place(readable, groups, width);
    unpackers_u64[width](width ? from : zeros, in_place, to);
    for (size_t i = in_place; i < groups; i++) {
        uint8_t padded[GROUP_BYTES_MAX + OVERREAD_BYTES] = {0};
        memcpy(padded, from + i * width, width);
        unpackers_u64[width](padded, 1, to + i * 8);
    }
}

void lith_pack_u64(const uint64_t *from, size_t groups, unsigned width, uint8_t *to)
{
    uint64_t bits = 0; /* the lowest `count` bits wait for a full word */
    unsigned count = 0;

    LITH_ASSERT(width <= 64);
    for (size_t i = 0; i < groups * 8; i++) {
        bits |= from[i] << count;
        if (count + width < 64) {
            count += width;
            continue;
        }
        lith_store_u64(to, bits);
        to += 8;
        unsigned stored = 64 - count; /* bits of this value */
        bits = stored < 64 ? from[i] >> stored : 0;
        count = count + width - 64;
    }
    for (; count; count -= 8, bits >>= 8)
        *to++ = (uint8_t)bits;
}
