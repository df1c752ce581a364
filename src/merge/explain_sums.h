/*
 * What a merge explained, summed up: one line for each column, mover and reason.
 *
 * The number of sources does not matter for its size, so a merge of any number of files can be
 * explained to people.
 */
#ifndef LITH_MERGE_EXPLAIN_SUMS_H
#define LITH_MERGE_EXPLAIN_SUMS_H

#include "base/arena.h"
#include "merge/explain.h"

/* Room for a column's path as text; longer ones are cut. */
#define LITH_COLUMN_PATH_BYTES 512

struct lith_explain_sum; /* explain_sums.c */

/* Everything is in `arena`, so nothing is to be ended. */
struct lith_explain_sums {
    struct lith_arena *arena;
    struct lith_explain_sum *sums;
    size_t count;
    uint32_t *first; /* by leaf: 1 + index of its first sum; 0: none yet */
    uint64_t bytes[LITH_MOVER_COUNT];
};

void lith_explain_sums_init(struct lith_explain_sums *sums, struct lith_arena *arena);

/* A lith_explain whose ctx is the sums. NOMEM, LIMIT. */
enum lith_code lith_explain_sums_add(void *ctx, const struct lith_explained *explained,
                                     struct lith_err *err);

/* The sums, most bytes first, in the arena. */
LITH_MUST_CHECK enum lith_code lith_explain_sums_list(const struct lith_explain_sums *sums,
                                                      const struct lith_explanation **ret_list,
                                                      size_t *ret_count, struct lith_err *err);

/* The path of the column that is explained, as text. */
void lith_explained_column(const struct lith_explained *explained, char to[LITH_COLUMN_PATH_BYTES]);

#endif
