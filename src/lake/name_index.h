/*
 * Names in order, for looking up and for finding doubles. Private to lake and plan.
 */
#ifndef LITH_LAKE_NAME_INDEX_H
#define LITH_LAKE_NAME_INDEX_H

#include "base/arena.h"

struct lith_name_ref {
    const char *name; /* borrowed */
    size_t index;     /* in the table it came from */
};

struct lith_name_index {
    struct lith_name_ref *refs;
    size_t count;
};

/*
 * Indexes `count` rows of `row_bytes` each, whose name is a `const char *` at `offset`. The
 * index keeps the order of equal names.
 */
LITH_MUST_CHECK enum lith_code lith_name_index_build(const void *rows, size_t count,
                                                     size_t row_bytes, size_t offset,
                                                     struct lith_arena *arena,
                                                     struct lith_name_index *ret_index,
                                                     struct lith_err *err);

/* False when the name is not there; else the row's number, of equal ones the first. */
bool lith_name_index_find(const struct lith_name_index *index, const char *name, size_t *ret_row);

/* How many rows bear the name: refs[*ret_begin] and those behind it. */
size_t lith_name_index_run(const struct lith_name_index *index, const char *name,
                           size_t *ret_begin);

/* A name that stands twice, or NULL. */
const char *lith_name_index_double(const struct lith_name_index *index);

#endif
