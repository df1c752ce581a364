/*
 * The order of a column's values, as statistics and page indexes use it.
 *
 * By logical, then physical type (LogicalTypes.md; parquet.thrift, ColumnOrder). A column whose
 * order is undefined gets no bounds. parquet-splice.md section 3.1.
 */
#ifndef LITH_PARQUET_ORDER_H
#define LITH_PARQUET_ORDER_H

#include "parquet/schema.h"

enum lith_order {
    LITH_ORDER_NONE = 0, /* INT96, INTERVAL, unknown annotations, ... */
    LITH_ORDER_BOOLEAN,
    LITH_ORDER_SIGNED_32,
    LITH_ORDER_SIGNED_64,
    LITH_ORDER_UNSIGNED_32,
    LITH_ORDER_UNSIGNED_64,
    LITH_ORDER_FLOAT, /* NaN has no place in it */
    LITH_ORDER_DOUBLE,
    LITH_ORDER_FLOAT16,
    LITH_ORDER_BYTES,         /* unsigned bytewise, a prefix is smaller */
    LITH_ORDER_DECIMAL_BYTES, /* two's complement big-endian, lengths may differ */
};

enum lith_order lith_order_of(const struct lith_schema_node *leaf);

/* Negative, 0 or positive. Not for NaN (asserted) nor LITH_ORDER_NONE. -0 equals +0. */
int lith_order_compare(enum lith_order order, struct lith_slice a, struct lith_slice b);

/* True for a NaN of a floating order; false for all else. */
bool lith_order_is_nan(enum lith_order order, struct lith_slice value);

#endif
