/*
 * Bit-packing as the hybrid and DELTA_BINARY_PACKED have it: groups of eight values, least
 * significant bit first. The widths are constants of the inner loops. Encodings.md, "RLE".
 */
#ifndef LITH_PARQUET_BITPACK_H
#define LITH_PARQUET_BITPACK_H

#include "base/bytes.h"

/* Unpacks `groups` * 8 values of `width` (0 to 32) bits. `readable` bytes at `from` may be read,
 * at least `groups` * `width`. */
void lith_unpack_u32(const uint8_t *from, size_t readable, size_t groups, unsigned width,
                     uint32_t *to);

/* The same for 0 to 64 bits. */
void lith_unpack_u64(const uint8_t *from, size_t readable, size_t groups, unsigned width,
                     uint64_t *to);

/* Packs `groups` * 8 values that fit `width` (0 to 64) bits into `groups` * `width` bytes. */
void lith_pack_u64(const uint64_t *from, size_t groups, unsigned width, uint8_t *to);

#endif
