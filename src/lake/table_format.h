/*
 * Directories that belong to a table format: never touched. Pure functions of listings.
 */
#ifndef LITH_LAKE_TABLE_FORMAT_H
#define LITH_LAKE_TABLE_FORMAT_H

#include "store/store.h"

/*
 * The marker that makes this directory, and all below it, belong to a table format, or NULL:
 * "_delta_log/", ".hoodie/", "_spark_metadata/", "_metadata", "_common_metadata". `metadata` is
 * the listing of its folder "metadata" (NULL: it has none): a file there
 * that ends in ".metadata.json".
 */
const char *lith_table_format_marker(const struct lith_listing *listing,
                                     const struct lith_listing *metadata);

#endif
