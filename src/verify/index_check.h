/*
 * The page indexes of a chunk, held against the pages that were seen. PageIndex.md;
 * parquet-splice.md section 2.
 */
#ifndef LITH_VERIFY_INDEX_CHECK_H
#define LITH_VERIFY_INDEX_CHECK_H

#include "verify/structure.h"

/* CORRUPT unless two bounds fit the leaf's type, are no NaN, and min is not above max. */
LITH_MUST_CHECK enum lith_code lith_bounds_pair_check(const struct lith_schema_node *leaf,
                                                      struct lith_slice min, struct lith_slice max,
                                                      struct lith_err *err);

LITH_MUST_CHECK enum lith_code
lith_indexes_read(const struct lith_seen *seen, struct lith_source *source,
                  const struct lith_footer *footer, uint32_t row_group, uint32_t leaf,
                  struct lith_arena *arena, struct lith_indexes *ret_indexes, struct lith_err *err);

#endif
