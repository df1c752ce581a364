/*
 * Definition levels of a source's column as levels of an output's, whose groups and leaves may be
 * OPTIONAL where the source has them REQUIRED.
 *
 * The two paths have the same nodes; what is null in the source is null at the same node in the
 * output. Repetition levels are the same. parquet-splice.md sections 2.6 and 6.4.
 */
#ifndef LITH_PARQUET_LEVEL_MAP_H
#define LITH_PARQUET_LEVEL_MAP_H

#include "parquet/facts.h"
#include "parquet/schema.h"

struct lith_level_map {
    uint16_t max_from; /* levels 0 to max_from of the source have entries */
    uint16_t max_to;
    bool is_same;                            /* every level is itself */
    uint16_t to[LITH_SCHEMA_DEPTH_MAX + 1u]; /* rising */
};

/*
 * The map from node `from_node` (a leaf, or the group below which a leaf is missing) to its fellow
 * in the output. Of one depth (asserted); nodes are OPTIONAL in the output where they are in the
 * source, and REPEATED in both or in neither (asserted).
 */
struct lith_level_map lith_level_map_make(const struct lith_schema *from, uint32_t from_node,
                                          const struct lith_schema *to, uint32_t to_node);

/* Maps `count` levels; the arrays may be the same. */
void lith_level_map_apply(const struct lith_level_map *map, const uint16_t *from, size_t count,
                          uint16_t *to);

/* The facts of a run of the source as those of the output's leaf. `room` is for its definition
 * histogram (max_to + 1), and lives as long as the facts. */
struct lith_facts lith_level_map_facts(const struct lith_level_map *map,
                                       const struct lith_facts *facts, int64_t *room);

#endif
