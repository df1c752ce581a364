/*
 * Keys of rows as bytes, after key_layout.h.
 */
#ifndef LITH_SORT_KEY_BUILDER_H
#define LITH_SORT_KEY_BUILDER_H

#include "sort/key_rows.h"

/* Keys of `count` rows: of `width` bytes each, or, where that is 0, key i ends at ends[i]. */
struct lith_key_batch {
    size_t count;
    size_t width;
    const uint8_t *data;
    const size_t *ends;
};

static inline struct lith_slice lith_key_at(const struct lith_key_batch *keys, size_t index)
{
    if (keys->width)
        return (struct lith_slice){keys->data + index * keys->width, keys->width};
    size_t begin = index ? keys->ends[index - 1] : 0;
    return (struct lith_slice){keys->data + begin, keys->ends[index] - begin};
}

static inline int lith_key_compare(struct lith_slice a, struct lith_slice b)
{
    size_t common = a.bytes < b.bytes ? a.bytes : b.bytes;
    int difference = common ? memcmp(a.data, b.data, common) : 0;

    return difference ? difference : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

struct lith_key_builder {
    const struct lith_key_layout *layout;
    struct lith_buf bytes;
    size_t *ends; /* LITH_BATCH_POSITIONS, once one was needed */
};

/* Takes no memory yet. The layout outlives it. */
void lith_key_builder_init(struct lith_key_builder *builder, const struct lith_key_layout *layout,
                           struct lith_mem *mem);

/* A zeroed one is a no-op. */
void lith_key_builder_done(struct lith_key_builder *builder);

/* The keys of all rows, borrowed until the next call. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_key_builder_build(struct lith_key_builder *builder,
                                                      const struct lith_key_rows *rows,
                                                      struct lith_key_batch *ret_keys,
                                                      struct lith_err *err);

#endif
