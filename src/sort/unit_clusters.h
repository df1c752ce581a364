/*
 * Units whose keys overlap, in the order of the output.
 *
 * A unit is a row group of a file; units are numbered by (file name, row group), and equal keys
 * stand in the order of their units. So a unit covers the range from (smallest key, unit) to
 * (largest key, unit), and units whose ranges overlap, directly or through others, are a cluster:
 * between clusters no row has to move.
 */
#ifndef LITH_SORT_UNIT_CLUSTERS_H
#define LITH_SORT_UNIT_CLUSTERS_H

#include "base/arena.h"
#include "base/bytes.h"

/* A key, or its beginning where it was cut: a smallest one is then somewhat larger than this, a
 * largest one too. Cut bounds make clusters at most larger. */
struct lith_key_bound {
    struct lith_slice bytes;
    bool is_cut;
};

struct lith_unit_range {
    uint32_t unit;
    bool in_order; /* of its rows */
    uint64_t row_count;
    struct lith_key_bound smallest; /* not set without rows */
    struct lith_key_bound largest;
};

/* Ranges [begin, end), sorted by unit. */
struct lith_unit_cluster {
    size_t begin;
    size_t end;
    uint64_t row_count;
    bool needs_sort; /* else it is one unit, whose rows are in order */
};

/*
 * Sorts `ranges` cluster by cluster, in the order of the output, and says where each cluster
 * stands; *ret_clusters is the arena's. Units without rows come last and belong to none. NOMEM.
 */
LITH_MUST_CHECK enum lith_code lith_unit_clusters(struct lith_unit_range *ranges, size_t count,
                                                  struct lith_arena *arena,
                                                  struct lith_unit_cluster **ret_clusters,
                                                  size_t *ret_count, struct lith_err *err);

#endif
