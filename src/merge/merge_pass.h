/*
 * One pass over the inputs of a merge.
 */
#ifndef LITH_MERGE_MERGE_PASS_H
#define LITH_MERGE_MERGE_PASS_H

#include "merge/merge_state.h"

/* The row groups of inputs that a pass takes, in order. */
size_t lith_merge_visit_count(const struct lith_merge *merge);
struct lith_visit lith_merge_visit(const struct lith_merge *merge, size_t index);

/* Begins planning over merge->schema. */
LITH_MUST_CHECK enum lith_code lith_merge_schema_begin(struct lith_merge *merge,
                                                       struct lith_err *err);

/*
 * Plans over all visits. The first pass takes the schema of the first input for that of all, and
 * ends where there is another: *ret_end is that visit, else their number. `is_over_union`: all
 * schemas are known. Failures name the input.
 */
LITH_MUST_CHECK enum lith_code lith_merge_pass(struct lith_merge *merge, bool is_over_union,
                                               size_t *ret_end, struct lith_err *err);

#endif
