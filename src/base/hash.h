/*
 * Checksums and hashes: CRC-32 (pages, files), XXH64 (bloom filters), XXH3-128 (fingerprints) and
 * XXH3-64 (single values within them).
 *
 * XXH3-128 results are two 64-bit halves; in text they are 32 hex digits, high half first.
 */
#ifndef LITH_BASE_HASH_H
#define LITH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/mem.h"

struct lith_hash128 {
    uint64_t low;
    uint64_t high;
};

static inline bool lith_hash128_equal(struct lith_hash128 a, struct lith_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

/* The sum modulo 2^128: of many hashes, it does not depend on their order. */
static inline struct lith_hash128 lith_hash128_add(struct lith_hash128 a, struct lith_hash128 b)
{
    struct lith_hash128 sum = {.low = a.low + b.low};

    sum.high = a.high + b.high + (sum.low < a.low);
    return sum;
}

/* CRC-32 with the gzip polynomial, continuing from `crc` (0 at the start). */
uint32_t lith_crc32(uint32_t crc, const void *data, size_t bytes);

/* XXH64 with seed 0, as the Parquet bloom filter specification has it. */
uint64_t lith_xxh64(const void *data, size_t bytes);

struct lith_hash128 lith_hash128(const void *data, size_t bytes, uint64_t seed);

/* The XXH3-64 of each slice. */
void lith_hash64_each(const struct lith_slice *slices, size_t count, uint64_t *ret_hashes);

/* A running XXH3-128, for bytes that come in pieces. */
struct lith_hasher;
LITH_MUST_CHECK enum lith_code lith_hasher_new(struct lith_mem *mem, uint64_t seed,
                                               struct lith_hasher **ret_hasher,
                                               struct lith_err *err);
/* NULL is a no-op. */
void lith_hasher_free(struct lith_hasher *hasher);
/* Forgets what was added; the seed stays. */
void lith_hasher_reset(struct lith_hasher *hasher);
void lith_hasher_add(struct lith_hasher *hasher, const void *data, size_t bytes);
/* Of all bytes added so far; more may follow. Equal to lith_hash128 of them in one piece. */
struct lith_hash128 lith_hasher_end(const struct lith_hasher *hasher);

/* Writes 32 lower-case hex digits and a zero. */
void lith_hash128_text(struct lith_hash128 hash, char ret_text[33]);

#endif
