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

/* True for -0 and +0 of a floating order; false for all else. */
bool lith_order_is_zero(enum lith_order order, struct lith_slice value);

static inline bool lith_order_is_floating(enum lith_order order)
{
    return order == LITH_ORDER_FLOAT || order == LITH_ORDER_DOUBLE || order == LITH_ORDER_FLOAT16;
}

/* True when values are UTF-8 text, so that bounds are cut at character borders only. */
bool lith_order_is_utf8(const struct lith_schema_node *leaf);

/* A half float's place in its order: sign and magnitude as one integer, -0 and +0 alike. */
static inline int lith_float16_rank(const uint8_t *value)
{
    int bits = value[0] | value[1] << 8;

    return bits & 0x8000 ? -(bits & 0x7fff) : bits;
}

#endif
