/*
 * Decoded values of one column: fixed-width ones side by side, byte arrays as slices.
 */
#ifndef LITH_PARQUET_VALUES_H
#define LITH_PARQUET_VALUES_H

#include "base/bytes.h"
#include "parquet/types.h"

struct lith_dictionary;

/*
 * `count` values. Exactly one of `fixed`, `slices` and `ids` is used: slices for BYTE_ARRAY, fixed
 * for all others (`width` bytes each, as PLAIN has them; BOOLEAN one byte, 0 or 1); ids, of
 * either, where the reader was asked for them and `dictionary` is in memory.
 */
struct lith_values {
    enum lith_type type;
    size_t width; /* lith_type_width; 0 for BYTE_ARRAY */
    size_t count;
    const uint8_t *fixed;
    const struct lith_slice *slices;
    const uint32_t *ids; /* all below the dictionary's count */
    struct lith_dictionary *dictionary;
};

/* The bytes of one value, whatever the type; not of ids, see lith_dictionary_at. */
static inline struct lith_slice lith_values_at(const struct lith_values *values, size_t index)
{
    if (values->slices)
        return values->slices[index];
    return (struct lith_slice){values->fixed + index * values->width, values->width};
}

#endif
