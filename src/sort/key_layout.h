/*
 * How the keys of a row stand as bytes whose unsigned order, shorter first, is the order asked for.
 *
 * Field behind field, each: a marker (none where the column is REQUIRED), 1 for a value, 0 or 2 for
 * a null that sorts first or last; then the value's bytes, complemented where it is descending. No
 * key is the beginning of another, so that equal keys are equal bytes.
 *
 *   integers, decimals on them   big-endian, the sign bit flipped where they are signed
 *   FLOAT, DOUBLE, FLOAT16       big-endian, negative ones complemented, others with the sign bit
 *                                set; -0 as +0; every NaN as one, behind +infinity
 *   bytes of fixed length        as they are; decimals with the sign bit flipped
 *   bytes                        0x00 as 0x00 0xff, then 0x00 0x00
 *   decimals of any length       sign and count of the bytes that count, then those
 *
 * So DuckDB orders (NaN greatest, -0 equal to +0), and so sorting_columns are verified.
 */
#ifndef LITH_SORT_KEY_LAYOUT_H
#define LITH_SORT_KEY_LAYOUT_H

#include "parquet/order.h"
#include "sort/sort_key.h"

#define LITH_KEY_VALUE 1u /* the marker of a value */

struct lith_key_field {
    enum lith_order order;
    enum lith_type type;
    size_t width;        /* of the value's bytes; 0: varies */
    bool has_marker;     /* the column may be null */
    uint8_t null_marker; /* 0 or 2 */
    bool descending;
};

struct lith_key_layout {
    uint32_t field_count;
    /* Of every key: nulls are padded with zeros. 0: keys vary, and a null is its marker alone. */
    size_t width;
    struct lith_key_field fields[LITH_SORT_KEYS_MAX];
};

/* `keys` were found in `schema`. Refers to neither afterwards. */
void lith_key_layout_init(struct lith_key_layout *layout, const struct lith_schema *schema,
                          const struct lith_sort_key *keys, uint32_t key_count);

#endif
