/*
 * Mapping definition levels. A level says how many nodes of the path that can be missing are there;
 * the next of them is not. So the output's level is the number of its own such nodes above that
 * one.
 */
#include "parquet/level_map.h"

#include <string.h>

#include "base/checked.h"

static bool can_miss(const struct lith_schema *schema, uint32_t node)
{
    return schema->nodes[node].repetition != LITH_REQUIRED;
}

static bool is_repeated(const struct lith_schema *schema, uint32_t node)
{
    return schema->nodes[node].repetition == LITH_REPEATED;
}

struct lith_level_map lith_level_map_make(const struct lith_schema *from, uint32_t from_node,
                                          const struct lith_schema *to, uint32_t to_node)
{
    uint32_t from_path[LITH_SCHEMA_DEPTH_MAX], to_path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t depth = lith_schema_ancestry(from, from_node, from_path);
    struct lith_level_map map = {.is_same = true};

    LITH_ASSERT(lith_schema_ancestry(to, to_node, to_path) == depth);
    for (uint32_t i = 0; i < depth; i++) {
        bool misses = can_miss(from, from_path[i]);
        LITH_ASSERT(is_repeated(from, from_path[i]) == is_repeated(to, to_path[i]));
        LITH_ASSERT(!misses || can_miss(to, to_path[i]));
        if (misses)
            map.to[map.max_from++] = map.max_to;
        map.max_to = (uint16_t)(map.max_to + can_miss(to, to_path[i]));
    }
    map.to[map.max_from] = map.max_to;
    map.is_same = map.max_from == map.max_to;
    return map;
}

void lith_level_map_apply(const struct lith_level_map *map, const uint16_t *from, size_t count,
                          uint16_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = map->to[from[i]];
}

struct lith_facts lith_level_map_facts(const struct lith_level_map *map,
                                       const struct lith_facts *facts, int64_t *room)
{
    struct lith_facts mapped = *facts;

    if (map->is_same)
        return mapped;
    memset(room, 0, (map->max_to + 1u) * sizeof(*room));
    /* Without levels, all positions have the one there is. */
    if (map->max_from == 0)
        room[map->max_to] = facts->positions;
    else if (!facts->def_histogram)
        return mapped;
    for (uint32_t i = 0; map->max_from && i <= map->max_from; i++)
        room[map->to[i]] = facts->def_histogram[i];
    mapped.def_histogram = room;
    return mapped;
}
