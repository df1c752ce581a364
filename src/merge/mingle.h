/*
 * The rows of a cluster of units, sorted, or without those that are erased, as row groups.
 *
 * First the keys: their order is a recipe (sort/recipe.h), as is what stays of units. Then the
 * columns follow it, a span of row groups at a time: each source chunk is decoded once in a span,
 * its rows are dealt to the buckets they belong to, and gathered from there. Memory is parts of the
 * budget, whatever the number of units and the size of one; the rest waits in scratch. DESIGN.md
 * section 7.
 */
#ifndef LITH_MERGE_MINGLE_H
#define LITH_MERGE_MINGLE_H

#include "merge/column_pool.h"
#include "merge/group_ends.h"
#include "sort/gather.h"
#include "sort/recipe.h"

struct lith_mingle {
    struct lith_merge *merge;
    struct lith_chunk_maker *maker;
    struct lith_column_pool *pool; /* deals and gathers; NULL: one thread does */
    uint32_t thread_count;
    size_t begin; /* the units of the cluster: [begin, end) */
    size_t end;
    struct lith_deal_unit *units;
    struct lith_recipe recipe;
    uint64_t row_count;
    uint64_t row; /* the next one of the output */
    struct lith_group_ends groups;
    size_t group; /* the next one */
    uint64_t bucket_rows;
    uint64_t span_rows; /* at most, unless a row group has more */
    /* The open span; deals is NULL: none. */
    struct lith_deal_span span;
    uint64_t borders[LITH_DEAL_BUCKETS_MAX + 1u];
    struct lith_deal **deals; /* of each thread; twins of the first */
    struct lith_gather **gathers;
    uint32_t bucket; /* the next one */
};

/* Whether units [begin, end), which are planned as one row group, are not just copied one after
 * another: they are a cluster to be sorted, or lose rows. */
bool lith_mingle_wants(const struct lith_merge *merge, size_t begin, size_t end);

/* Sorts the keys of units [begin, end), where they are one of the sorting's clusters. `maker` reads
 * them, and makes the rest where there is no pool; both outlive the mingle. */
LITH_MUST_CHECK enum lith_code lith_mingle_begin(struct lith_mingle *mingle,
                                                 struct lith_merge *merge,
                                                 struct lith_chunk_maker *maker,
                                                 struct lith_column_pool *pool, size_t begin,
                                                 size_t end, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_mingle_done(struct lith_mingle *mingle);

static inline bool lith_mingle_is_at_end(const struct lith_mingle *mingle)
{
    return mingle->row == mingle->row_count;
}

/* Writes the next row group; *ret_rows are in it. Failures of an input name it. */
LITH_MUST_CHECK enum lith_code lith_mingle_row_group(struct lith_mingle *mingle,
                                                     struct lith_file_writer *writer,
                                                     struct lith_witness *witness,
                                                     int64_t *ret_rows, struct lith_err *err);

#endif
