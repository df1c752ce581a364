/*
 * Checksums and hashes: thin covers over libdeflate and xxHash (inlined).
 */
#include "base/hash.h"

#include <stdio.h>

#include <libdeflate.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/xxh3.h"

static const struct lith_xxh3 *xxh3(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return &lith_xxh3_avx2;
#endif
    return &lith_xxh3_baseline;
}

uint32_t lith_crc32(uint32_t crc, const void *data, size_t bytes)
{
    return libdeflate_crc32(crc, data, bytes);
}

uint64_t lith_xxh64(const void *data, size_t bytes)
{
    LITH_ASSERT(data || bytes == 0);
    return XXH64(data, bytes, 0);
}

struct lith_hash128 lith_hash128(const void *data, size_t bytes, uint64_t seed)
{
    return xxh3()->whole(data, bytes, seed);
}

void lith_hash64_each(const struct lith_slice *slices, size_t count, uint64_t *ret_hashes)
{
    xxh3()->hash64_each(slices, count, ret_hashes);
}

/* The state wants more alignment than lith_alloc gives, so it stands somewhere in `room`. */
struct lith_hasher {
    const struct lith_xxh3 *xxh3;
    XXH3_state_t *state;
    uint64_t seed;
    uint8_t room[sizeof(XXH3_state_t) + _Alignof(XXH3_state_t)];
};

enum lith_code lith_hasher_new(struct lith_mem *mem, uint64_t seed, struct lith_hasher **ret_hasher,
                               struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(mem, sizeof(struct lith_hasher), &block, err));
    struct lith_hasher *hasher = block;
    uintptr_t align = _Alignof(XXH3_state_t);
    uintptr_t at = (uintptr_t)hasher->room;
    hasher->state = (XXH3_state_t *)(void *)(hasher->room + (align - at % align) % align);
    hasher->seed = seed;
    hasher->xxh3 = xxh3();
    lith_hasher_reset(hasher);
    *ret_hasher = hasher;
    return LITH_OK;
}

void lith_hasher_free(struct lith_hasher *hasher)
{
    lith_free(hasher);
}

void lith_hasher_reset(struct lith_hasher *hasher)
{
    hasher->xxh3->reset(hasher->state, hasher->seed);
}

void lith_hasher_add(struct lith_hasher *hasher, const void *data, size_t bytes)
{
    if (bytes)
        hasher->xxh3->add(hasher->state, data, bytes);
}

struct lith_hash128 lith_hasher_end(const struct lith_hasher *hasher)
{
    return hasher->xxh3->end(hasher->state);
}

void lith_hash128_text(struct lith_hash128 hash, char ret_text[33])
{
    (void)snprintf(ret_text, 33, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
}
