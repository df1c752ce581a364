/*
 * The order of a sorted rewrite, as far as it is known before anything is written.
 *
 * While a merge is planned the key columns of each unit are read, and it is found between which
 * keys its rows lie and whether they are in order. Units that overlap are a cluster, whose rows
 * will be sorted; one that overlaps no other and is in order keeps its pages. DESIGN.md section 7.
 */
#ifndef LITH_MERGE_SORTING_H
#define LITH_MERGE_SORTING_H

#include "merge/key_scan.h"
#include "sort/kept_keys.h"
#include "sort/key_order.h"
#include "sort/unit_clusters.h"

/* Row groups of one input, to be taken in this order: [begin, end). */
struct lith_visit {
    uint32_t input;
    uint32_t begin;
    uint32_t end; /* UINT32_MAX: all that the input has */
};

#define LITH_SORTER_SHARES 3u

struct lith_sorting {
    const char *text; /* the keys as the operator wrote them */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_arena arena;
    const struct lith_schema *schema; /* of the output, as far as inputs have come */
    bool lacks_keys; /* that schema does: inputs to come may have them, or nobody has */
    struct lith_sort_key *keys;
    uint32_t key_count;
    struct lith_sorting_column columns[LITH_SORT_KEYS_MAX]; /* as footers say it */
    struct lith_key_layout layout;
    struct lith_key_scan scan;
    struct lith_key_order order;
    struct lith_key_builder builder; /* of keys that are kept */
    struct lith_kept_keys kept;      /* once settled, where one cluster has all units, or none */
    struct lith_unit_range *ranges;  /* by unit; once settled, cluster by cluster */
    size_t range_count;
    struct lith_unit_cluster *clusters;
    size_t cluster_count;
    bool is_settled;
};

/* Of the budget, what the sort of keys may take. */
static inline size_t lith_sorting_memory(const struct lith_work *work)
{
    return work->mem->limit / LITH_SORTER_SHARES;
}

/* Takes no memory yet. `text` is borrowed. */
void lith_sorting_init(struct lith_sorting *sorting, const char *text,
                       struct lith_codec_context *codecs, const struct lith_work *work);
/* A zeroed one is a no-op. */
void lith_sorting_done(struct lith_sorting *sorting);

/* Begins anew, with the schema of the output, which outlives it. That keys are not in it is told
 * when all is settled: the inputs that are not known yet may have them. */
LITH_MUST_CHECK enum lith_code lith_sorting_begin(struct lith_sorting *sorting,
                                                  const struct lith_schema *schema,
                                                  struct lith_err *err);

/* Looks at the keys of the next unit, which has rows; as for lith_key_scan_unit. */
LITH_MUST_CHECK enum lith_code lith_sorting_unit(struct lith_sorting *sorting,
                                                 const struct lith_footer *footer,
                                                 uint32_t row_group,
                                                 const struct lith_union_place *places,
                                                 struct lith_source *source, struct lith_err *err);

/*
 * All units have come: finds the clusters. *ret_in_order: the units already stand cluster by
 * cluster. The unit of a range is from now on its place among the units as they came. As
 * lith_sort_keys_parse where the keys are not there.
 */
LITH_MUST_CHECK enum lith_code lith_sorting_settle(struct lith_sorting *sorting, bool *ret_in_order,
                                                   struct lith_err *err);

/* Whether the rows of some cluster are to be sorted. */
bool lith_sorting_sorts(const struct lith_sorting *sorting);

/* Whether the unit, by its place, is the first of a cluster whose rows are to be sorted. False for
 * a zeroed one. */
bool lith_sorting_sorts_unit(const struct lith_sorting *sorting, size_t unit);

#endif
