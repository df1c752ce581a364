/*
 * A map from hashes of 128 bits, which are taken for what they are of, to numbers.
 */
#ifndef LITH_BASE_HASH_MAP_H
#define LITH_BASE_HASH_MAP_H

#include "base/hash.h"

struct lith_hash_slot {
    struct lith_hash128 key;
    uint32_t value; /* 0: the slot is empty */
};

/* An open table: `room` is a power of two, and at most half of it is full. */
struct lith_hash_map {
    struct lith_mem *mem;
    struct lith_hash_slot *slots;
    size_t room;
    size_t count;
};

void lith_hash_map_init(struct lith_hash_map *map, struct lith_mem *mem);
/* A zeroed one is a no-op. */
void lith_hash_map_done(struct lith_hash_map *map);

/* 0: there is no such key. */
uint32_t lith_hash_map_get(const struct lith_hash_map *map, struct lith_hash128 key);
/* A key that may be there; its value (not 0) is then replaced. NOMEM. */
LITH_MUST_CHECK enum lith_code lith_hash_map_put(struct lith_hash_map *map, struct lith_hash128 key,
                                                 uint32_t value, struct lith_err *err);

#endif
