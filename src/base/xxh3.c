/*
 * XXH3: thin covers over xxHash (inlined), which chooses its instructions when it is compiled.
 *
 * meson.build compiles this file once more with LITH_XXH3 and the options for other instructions.
 */
#include "base/xxh3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifndef LITH_XXH3
#define LITH_XXH3 lith_xxh3_baseline
#endif

static struct lith_hash128 hash_of(XXH128_hash_t hash)
{
    return (struct lith_hash128){.low = hash.low64, .high = hash.high64};
}

static void reset(void *state, uint64_t seed)
{
    XXH3_INITSTATE((XXH3_state_t *)state);
    (void)XXH3_128bits_reset_withSeed(state, seed);
}

static void add(void *state, const void *data, size_t bytes)
{
    (void)XXH3_128bits_update(state, data, bytes);
}

static struct lith_hash128 end(const void *state)
{
    return hash_of(XXH3_128bits_digest(state));
}

static struct lith_hash128 whole(const void *data, size_t bytes, uint64_t seed)
{
    return hash_of(XXH3_128bits_withSeed(data, bytes, seed));
}

static void hash64_each(const struct lith_slice *slices, size_t count, uint64_t *ret_hashes)
{
    for (size_t i = 0; i < count; i++)
        ret_hashes[i] = XXH3_64bits(slices[i].data, slices[i].bytes);
}

const struct lith_xxh3 LITH_XXH3 = {
    .reset = reset,
    .add = add,
    .end = end,
    .whole = whole,
    .hash64_each = hash64_each,
};
