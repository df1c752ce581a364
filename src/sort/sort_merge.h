/*
 * Many sorted runs as one order, by a tree of losers.
 */
#ifndef LITH_SORT_SORT_MERGE_H
#define LITH_SORT_SORT_MERGE_H

#include "sort/key_stretches.h"
#include "sort/recipe.h"
#include "sort/sort_cursor.h"

/* How many runs may be merged at once with so much memory, and the buffer that each then has. */
size_t lith_sort_merge_runs_max(size_t memory_bytes_max);
size_t lith_sort_merge_buffer_bytes(size_t memory_bytes_max, size_t run_count);

struct lith_sort_merge_job {
    struct lith_sort_runs *from;
    size_t begin; /* runs [begin, end) of it, at most as many as above */
    size_t end;
    size_t common; /* bytes that all keys begin with */
    size_t buffer_bytes;
    /* Exactly one of them: the merged rows as one more run, or their places in the recipe. */
    struct lith_sort_runs *to_runs;
    struct lith_recipe *to_recipe;
    struct lith_key_stretches *stretches; /* of rows that go to the recipe; NULL: nobody asks */
};

/* Merges runs that are all in their file. CANCELLED, NOMEM, LIMIT, IO. */
LITH_MUST_CHECK enum lith_code lith_sort_merge(const struct lith_sort_merge_job *job,
                                               const struct lith_work *work, struct lith_err *err);

#endif
