/*
 * Clusters: one walk over the units by their smallest key. A unit that begins behind all that was
 * before it begins a cluster.
 */
#include "sort/unit_clusters.h"

#include <stdlib.h>

#include "sort/key_builder.h"

static int unit_compare(const void *a, const void *b)
{
    uint32_t x = ((const struct lith_unit_range *)a)->unit;
    uint32_t y = ((const struct lith_unit_range *)b)->unit;

    return (x > y) - (x < y);
}

/* By (smallest key, unit); units without rows last. */
static int begin_compare(const void *a, const void *b)
{
    const struct lith_unit_range *x = a, *y = b;

    if ((x->row_count == 0) != (y->row_count == 0))
        return x->row_count == 0 ? 1 : -1;
    int order = lith_key_compare(x->smallest.bytes, y->smallest.bytes);
    return order ? order : unit_compare(a, b);
}

/* Whether all keys that begin as `largest` does, where it is cut, come before `key`. */
static bool cut_is_before(struct lith_slice largest, struct lith_slice key)
{
    if (key.bytes > largest.bytes)
        key.bytes = largest.bytes;
    return lith_key_compare(largest, key) < 0;
}

/* Whether the last row of one unit comes before the first of another. */
static bool ends_before(const struct lith_unit_range *range, const struct lith_unit_range *next)
{
    struct lith_slice key = next->smallest.bytes;

    if (range->largest.is_cut)
        return cut_is_before(range->largest.bytes, key);
    int order = lith_key_compare(range->largest.bytes, key);
    return order < 0 || (order == 0 && range->unit < next->unit);
}

/* Whether `a` ends at least where `b` does; a cut bound counts as the largest key it may be. */
static bool ends_last(const struct lith_unit_range *a, const struct lith_unit_range *b)
{
    struct lith_slice x = a->largest.bytes, y = b->largest.bytes;

    if (a->largest.is_cut)
        return !cut_is_before(x, y);
    if (b->largest.is_cut)
        return cut_is_before(y, x);
    int order = lith_key_compare(x, y);
    return order ? order > 0 : a->unit > b->unit;
}

enum lith_code lith_unit_clusters(struct lith_unit_range *ranges, size_t count,
                                  struct lith_arena *arena, struct lith_unit_cluster **ret_clusters,
                                  size_t *ret_count, struct lith_err *err)
{
    const struct lith_unit_range *last = NULL; /* of the cluster, the one that ends last */
    struct lith_unit_cluster *cluster = NULL;
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_unit_cluster), &block, err));
    struct lith_unit_cluster *clusters = block;
    if (count > 1)
        qsort(ranges, count, sizeof(*ranges), begin_compare);
    for (size_t i = 0; i < count && ranges[i].row_count; i++) {
        const struct lith_unit_range *range = &ranges[i];
        if (!last || ends_before(last, range)) {
            cluster = cluster ? cluster + 1 : clusters;
            *cluster = (struct lith_unit_cluster){.begin = i};
            last = range;
        } else if (ends_last(range, last)) {
            last = range;
        }
        cluster->end = i + 1;
        cluster->row_count += range->row_count;
        cluster->needs_sort = cluster->end - cluster->begin > 1 || !range->in_order;
    }
    size_t cluster_count = cluster ? (size_t)(cluster - clusters) + 1 : 0;
    for (size_t i = 0; i < cluster_count; i++)
        qsort(ranges + clusters[i].begin, clusters[i].end - clusters[i].begin, sizeof(*ranges),
              unit_compare);
    *ret_clusters = clusters;
    *ret_count = cluster_count;
    return LITH_OK;
}
