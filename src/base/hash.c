/*
 * Checksums and hashes: thin covers over libdeflate and xxHash (inlined).
 */
#include "base/hash.h"

#include <stdio.h>

#include <libdeflate.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t lith_crc32(uint32_t crc, const void *data, size_t bytes)
{
    return libdeflate_crc32(crc, data, bytes);
}

uint64_t lith_xxh64(const void *data, size_t bytes)
{
    return XXH64(data, bytes, 0);
}

struct lith_hash128 lith_hash128(const void *data, size_t bytes, uint64_t seed)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(data, bytes, seed);

    return (struct lith_hash128){.low = hash.low64, .high = hash.high64};
}

void lith_hash128_text(struct lith_hash128 hash, char ret_text[33])
{
    (void)snprintf(ret_text, 33, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
}
