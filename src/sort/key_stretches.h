/*
 * Where the first sort key stays the same: long ranges of output rows that have one, nulls too.
 *
 * Row groups that end there do not mix what a query tells apart. Noted while a sort emits its rows;
 * the short ranges between are not kept, so that memory is bounded by the number of rows. They
 * follow from the rows alone, as the order does.
 */
#ifndef LITH_SORT_KEY_STRETCHES_H
#define LITH_SORT_KEY_STRETCHES_H

#include "base/buf.h"
#include "sort/key_layout.h"

/* Of a first key; rows of longer ones are no stretch. Of any key that is read back from scratch so
 * much is at hand. */
#define LITH_FIRST_KEY_BYTES_MAX LITH_SORT_BOUND_BYTES_MAX

/* Output rows [begin, end). */
struct lith_key_stretch {
    uint64_t begin;
    uint64_t end;
};

struct lith_key_stretches {
    struct lith_mem *mem;
    struct lith_key_field field; /* the first */
    uint64_t rows_min;           /* of a stretch that is kept */
    struct lith_key_stretch *kept;
    size_t count;
    uint64_t row; /* the next one */
    /* The stretch at hand, and its first key; no bytes: it is none. */
    uint64_t begin;
    size_t first_bytes;
    uint8_t first[LITH_FIRST_KEY_BYTES_MAX];
};

/* Takes no memory yet; then 16 bytes a stretch, of at least `rows_min` rows (not 0). Refers to the
 * layout no more. */
void lith_key_stretches_init(struct lith_key_stretches *stretches,
                             const struct lith_key_layout *layout, uint64_t rows_min,
                             struct lith_mem *mem);

/* A zeroed one is a no-op. */
void lith_key_stretches_done(struct lith_key_stretches *stretches);

/* The bytes of the first key, where all keys have one width. */
static inline size_t lith_key_stretches_width(const struct lith_key_stretches *stretches)
{
    return stretches->field.has_marker + stretches->field.width;
}

/* Begins a stretch with the next row, whose first key is another one. For the function below. */
LITH_MUST_CHECK enum lith_code lith_key_stretches_turn(struct lith_key_stretches *stretches,
                                                       struct lith_slice key, struct lith_err *err);

/* Takes the key of the next row: all of it, or LITH_FIRST_KEY_BYTES_MAX at least. NOMEM, LIMIT. */
static inline LITH_MUST_CHECK enum lith_code
lith_key_stretches_add(struct lith_key_stretches *stretches, struct lith_slice key,
                       struct lith_err *err)
{
    size_t bytes = stretches->first_bytes;

    /* No first key is the beginning of another. */
    if (bytes == 0 || key.bytes < bytes || memcmp(key.data, stretches->first, bytes) != 0)
        LITH_TRY(lith_key_stretches_turn(stretches, key, err));
    stretches->row++;
    return LITH_OK;
}

/* Keeps a stretch that somebody else found, if it is long enough; it begins behind those before.
 * NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_key_stretches_put(struct lith_key_stretches *stretches,
                                                      uint64_t begin, uint64_t end,
                                                      struct lith_err *err);

/* Ends the stretch at hand: there are no more rows, or those of another sort follow. */
LITH_MUST_CHECK enum lith_code lith_key_stretches_end(struct lith_key_stretches *stretches,
                                                      struct lith_err *err);

#endif
