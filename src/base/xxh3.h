/*
 * XXH3 as the processor at hand computes it fastest: for base/hash.c alone.
 *
 * The same source, xxh3.c, is compiled for each set of instructions; all give the same hashes, and
 * each can continue a state of another.
 */
#ifndef LITH_BASE_XXH3_H
#define LITH_BASE_XXH3_H

#include "base/hash.h"

/* `state` is an XXH3_state_t, with the alignment of one. */
struct lith_xxh3 {
    void (*reset)(void *state, uint64_t seed);
    void (*add)(void *state, const void *data, size_t bytes);
    struct lith_hash128 (*end)(const void *state);
    struct lith_hash128 (*whole)(const void *data, size_t bytes, uint64_t seed);
    void (*hash64_each)(const struct lith_slice *slices, size_t count, uint64_t *ret_hashes);
};

/* What every processor of the architecture has. */
extern const struct lith_xxh3 lith_xxh3_baseline;
/* x86-64 only; for processors that have AVX2. */
extern const struct lith_xxh3 lith_xxh3_avx2;

#endif
