/*
 * The least and greatest of a run of values, with loops of verify's own: what the writer claims of
 * its values is held against them.
 */
#ifndef LITH_VERIFY_EXTREMES_H
#define LITH_VERIFY_EXTREMES_H

#include "parquet/order.h"
#include "parquet/values.h"

struct lith_extremes {
    bool found; /* there is a value that is not NaN */
    uint64_t nans;
    struct lith_slice min; /* into the values, or into `room` */
    struct lith_slice max;
    uint8_t room[2][8];
};

/* Of `values` (not ids), in an order that is not LITH_ORDER_NONE. */
void lith_extremes_find(enum lith_order order, const struct lith_values *values,
                        struct lith_extremes *ret_extremes);

#endif
