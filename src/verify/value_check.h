/*
 * What is claimed of single values: bounds of the chunk and of the page, and the bloom filter.
 *
 * Each value must lie within the bounds and be in the filter; of values that come as ids, each
 * entry that is used.
 */
#ifndef LITH_VERIFY_VALUE_CHECK_H
#define LITH_VERIFY_VALUE_CHECK_H

#include "parquet/bloom.h"
#include "verify/extremes.h"
#include "verify/structure.h"
#include "verify/used.h"

struct lith_value_check {
    enum lith_order order;
    const struct lith_statistics *statistics; /* of the chunk */
    const struct lith_indexes *indexes;
    uint32_t page;
    bool min_attained; /* a value equals the chunk's bound */
    bool max_attained;
    struct lith_bloom bloom; /* bits NULL: none */
    struct lith_used used;
    bool used_has_nans; /* some entry is NaN */
};

/* Begins a chunk; reads its bloom filter. What is given outlives it. */
LITH_MUST_CHECK enum lith_code lith_value_check_init(struct lith_value_check *check,
                                                     struct lith_source *source,
                                                     const struct lith_chunk_ref *ref,
                                                     const struct lith_indexes *indexes,
                                                     struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_value_check_done(struct lith_value_check *check);

/* Values of page `check->page`; adds the NaNs among them. CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_value_check_add(struct lith_value_check *check,
                                                    const struct lith_values *values,
                                                    uint64_t *nans, struct lith_err *err);
/* The page has ended: what came as ids is checked. */
LITH_MUST_CHECK enum lith_code lith_value_check_page_end(struct lith_value_check *check,
                                                         struct lith_err *err);

#endif
