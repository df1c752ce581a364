/*
 * The route of an output chunk: which mover each of its source chunks takes, and whether the chunk
 * has a merged dictionary.
 *
 * Planned from footers and dictionary pages alone, before the chunk is written; no data page is
 * read. Three kinds of chunk come out: one whose values are all encoded anew (and may try a
 * dictionary), one with copied pages and no dictionary, one with copied pages and a merged
 * dictionary that is written first. parquet-splice.md sections 5 and 11.2.
 */
#ifndef LITH_MERGE_CHUNK_ROUTE_H
#define LITH_MERGE_CHUNK_ROUTE_H

#include "merge/mover.h"
#include "parquet/dictionary_builder.h"

/* What the sources of one output chunk add up to. */
struct lith_route_sums {
    uint64_t copy_bytes;       /* compressed, of pages of values that may be copied */
    uint64_t id_bytes;         /* of pages of ids that may be */
    uint64_t id_values;        /* not null, of pages of ids, about */
    uint64_t dictionary_count; /* of such chunks */
    uint64_t largest_bytes;    /* of a dictionary page, as stored */
    uint32_t largest_unit;
};

struct lith_chunk_route {
    const struct lith_work *work;
    const struct lith_schema_node *leaf;
    struct lith_chunk_plan plan;
    enum lith_force force;
    struct lith_route_sums sums;
    bool copies;         /* some source chunk is copied */
    bool has_dictionary; /* merged, in `dictionary` */
    struct lith_dictionary_builder dictionary;
    /* While the dictionary is merged. */
    bool is_hopeless;        /* it will be full long before the sources are at an end */
    uint32_t seen_sources;   /* the seed is the first */
    uint64_t seen_entries;   /* of their dictionaries, together */
    uint32_t missed;         /* sources in turn that did not fit */
    uint64_t covered_values; /* of sources whose entries are all in it */
    uint64_t plain_bytes;    /* what these values take without it */
    uint32_t unit_begin;
    struct lith_buf units; /* struct covered of chunk_route.c each */
    struct lith_buf maps;  /* of ids, where there is room for them: uint32_t each */
    struct lith_buf map;   /* of one source, where there is not */
};

/* Begins an output chunk of `leaf` from units [unit_begin, ...), to be written as `plan` says if
 * all is encoded anew. */
void lith_chunk_route_begin(struct lith_chunk_route *route, const struct lith_work *work,
                            const struct lith_schema_node *leaf, const struct lith_chunk_plan *plan,
                            enum lith_force force, uint32_t unit_begin);
/* A zeroed one is a no-op. */
void lith_chunk_route_done(struct lith_chunk_route *route);

/* First walk over the sources: sums up. */
void lith_chunk_route_add(struct lith_chunk_route *route, const struct lith_source_chunk *chunk,
                          struct lith_slice created_by);

/* Whether dictionaries are worth a look: then the largest one (of sums.largest_unit) is to be
 * given to lith_chunk_route_dictionary, then all in order, until it says that it has enough. */
bool lith_chunk_route_wants_dictionaries(const struct lith_chunk_route *route);
LITH_MUST_CHECK enum lith_code lith_chunk_route_dictionary(struct lith_chunk_route *route,
                                                           const struct lith_source_chunk *chunk,
                                                           const struct lith_dictionary *dictionary,
                                                           bool is_seed, bool *ret_enough,
                                                           struct lith_err *err);

/* Decides. From here on the route is read-only, and its plan that of the output chunk. */
void lith_chunk_route_settle(struct lith_chunk_route *route);

/* The ids in the merged dictionary of the entries of a source's, if they were kept; else NULL. */
const uint32_t *lith_chunk_route_map(const struct lith_chunk_route *route, uint32_t unit,
                                     uint32_t *ret_count);

/* The mover of a source chunk, and why. */
enum lith_mover lith_chunk_route_mover(const struct lith_chunk_route *route,
                                       const struct lith_source_chunk *chunk,
                                       struct lith_slice created_by, enum lith_reason *ret_reason);

#endif
