/*
 * A map that is probed from where the hash says.
 */
#include "base/hash_map.h"

#define ROOM_MIN 16u

void lith_hash_map_init(struct lith_hash_map *map, struct lith_mem *mem)
{
    *map = (struct lith_hash_map){.mem = mem};
}

void lith_hash_map_done(struct lith_hash_map *map)
{
    lith_free(map->slots);
    *map = (struct lith_hash_map){0};
}

/* The slot of a key, or the empty one where it would stand. */
static struct lith_hash_slot *slot_of(struct lith_hash_slot *slots, size_t room,
                                      struct lith_hash128 key)
{
    size_t at = (size_t)key.low & (room - 1);

    while (slots[at].value && !lith_hash128_equal(slots[at].key, key))
        at = (at + 1) & (room - 1);
    return &slots[at];
}

uint32_t lith_hash_map_get(const struct lith_hash_map *map, struct lith_hash128 key)
{
    return map->room ? slot_of(map->slots, map->room, key)->value : 0;
}

static enum lith_code grow(struct lith_hash_map *map, struct lith_err *err)
{
    size_t room = map->room ? map->room * 2 : ROOM_MIN;
    void *block;

    LITH_TRY(lith_alloc_array(map->mem, room, sizeof(*map->slots), &block, err));
    struct lith_hash_slot *slots = block;
    for (size_t i = 0; i < map->room; i++) {
        if (map->slots[i].value)
            *slot_of(slots, room, map->slots[i].key) = map->slots[i];
    }
    lith_free(map->slots);
    map->slots = slots;
    map->room = room;
    return LITH_OK;
}

enum lith_code lith_hash_map_put(struct lith_hash_map *map, struct lith_hash128 key, uint32_t value,
                                 struct lith_err *err)
{
    LITH_ASSERT(value > 0);
    if (map->count * 2 >= map->room)
        LITH_TRY(grow(map, err));
    struct lith_hash_slot *slot = slot_of(map->slots, map->room, key);
    map->count += slot->value == 0;
    *slot = (struct lith_hash_slot){.key = key, .value = value};
    return LITH_OK;
}
