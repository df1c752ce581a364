/*
 * Widening: values of a source as those of a wider type that the output has.
 *
 * Exact for every value, or refused: integers and decimals keep their number, floats their number
 * and NaNs their bits; a date becomes the midnight that begins it. merge/type_join.h says what
 * widens. parquet-splice.md section 6.2.
 */
#ifndef LITH_PARQUET_WIDEN_H
#define LITH_PARQUET_WIDEN_H

#include "base/buf.h"
#include "parquet/schema.h"
#include "parquet/values.h"

enum lith_widening_kind {
    LITH_WIDEN_INTEGER, /* INT32 to INT64: also decimals */
    LITH_WIDEN_FLOAT,   /* FLOAT to DOUBLE */
    LITH_WIDEN_BYTES,   /* decimals of INT32 or INT64 to FIXED_LEN_BYTE_ARRAY */
    LITH_WIDEN_LENGTH,  /* decimals of FIXED_LEN_BYTE_ARRAY to more bytes */
    LITH_WIDEN_DATE,    /* DATE to local TIMESTAMP */
};

struct lith_widening {
    enum lith_widening_kind kind;
    enum lith_type type; /* of the output */
    size_t from_width;
    size_t to_width;
    bool is_unsigned;
    int64_t factor; /* dates: units in a day */
};

/* From one leaf to another, stored otherwise, that lith_type_join found to hold both (asserted). */
struct lith_widening lith_widening_of(const struct lith_schema_node *from,
                                      const struct lith_schema_node *to);

/*
 * Widens values (not ids) to `to`, count * to_width bytes, as PLAIN has them; then narrows them
 * again, by code of its own, and compares. UNSUPPORTED: a date that has no place in the timestamp;
 * CORRUPT: a decimal of more digits than it may have.
 */
LITH_MUST_CHECK enum lith_code lith_widen(const struct lith_widening *widening,
                                          const struct lith_values *from, uint8_t *to,
                                          struct lith_err *err);

/* The same in place: afterwards `values` are the wide ones, in `room`, until that is used again. */
LITH_MUST_CHECK enum lith_code lith_widen_into(const struct lith_widening *widening,
                                               struct lith_values *values, struct lith_buf *room,
                                               struct lith_err *err);

#endif
