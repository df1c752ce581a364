/*
 * The column that a sort key names.
 */
#ifndef LITH_SORT_SORT_COLUMN_H
#define LITH_SORT_SORT_COLUMN_H

#include "parquet/schema.h"

/* A path as it was written. Without quotes it is one text whose dots may be joints or not. */
struct lith_column_name {
    struct lith_slice text;         /* as written, for messages */
    const struct lith_slice *parts; /* with quotes: the names, unquoted; else NULL */
    uint32_t part_count;
};

/* The leaf that can be sorted by. INVALID, UNSUPPORTED: see sort_key.h. */
LITH_MUST_CHECK enum lith_code lith_sort_column_find(const struct lith_schema *schema,
                                                     const struct lith_column_name *name,
                                                     uint32_t *ret_leaf, struct lith_err *err);

#endif
