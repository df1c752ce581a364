/*
 * Rows whose key and place together are a number of 64 bits, sorted in memory.
 *
 * What keys lie between is known before they are sorted, and so is how many units and rows there
 * are: the key less the smallest one, above the place, often takes no more than 64 bits (an hour in
 * nanoseconds and ten million rows). Half the memory of a record, and sorted at once.
 */
#ifndef LITH_SORT_PACKED_ROWS_H
#define LITH_SORT_PACKED_ROWS_H

#include "sort/kept_keys.h"
#include "sort/key_stretches.h"
#include "sort/number_sort.h"
#include "sort/recipe.h"

/* What is known of the rows of a cluster. */
struct lith_sort_outlook {
    struct lith_slice smallest; /* keys, not cut */
    struct lith_slice largest;
    uint32_t unit_begin;
    uint32_t unit_count;
    uint64_t unit_rows_max;
    uint64_t row_count;
    /* Keys of some units, from `unit_begin` on; NULL: of none. Where rows are packed its numbers
     * are taken: these units do not come. */
    struct lith_kept_keys *kept;
};

struct lith_packed_rows {
    struct lith_mem *mem;
    uint64_t *numbers; /* NULL: rows are not packed, or gone */
    struct lith_number_room *room;
    size_t count;
    size_t count_max;
    size_t width;    /* of keys */
    uint8_t marker;  /* what keys of nine bytes begin with */
    uint64_t least;  /* the smallest key as a number */
    uint64_t spread; /* the largest less the smallest */
    uint32_t row_bits;
    uint32_t place_bits;
    uint32_t unit_begin;
};

/* So many rows fit `memory_bytes_max`. */
static inline uint64_t lith_packed_rows_max(size_t memory_bytes_max)
{
    size_t room = sizeof(struct lith_number_room);
    size_t rows = memory_bytes_max < room ? 0 : (memory_bytes_max - room) / sizeof(uint64_t);

    return rows < UINT32_MAX ? rows : UINT32_MAX;
}

/* Begins, where rows can be packed and take at most `memory_bytes_max`; else they are not, and
 * nothing is taken. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_packed_rows_init(struct lith_packed_rows *rows,
                                                     const struct lith_sort_outlook *outlook,
                                                     size_t memory_bytes_max, struct lith_mem *mem,
                                                     struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_packed_rows_done(struct lith_packed_rows *rows);

/* Adds rows of a unit, the first at `row`. CONFLICT where the outlook was another. */
LITH_MUST_CHECK enum lith_code lith_packed_rows_add(struct lith_packed_rows *rows,
                                                    const struct lith_key_batch *keys,
                                                    uint32_t unit, uint64_t row,
                                                    struct lith_err *err);

void lith_packed_rows_sort(struct lith_packed_rows *rows);

/* Appends sorted rows to a recipe, or gives it their memory where it takes their places. They are
 * gone then. NOMEM, LIMIT, IO. */
LITH_MUST_CHECK enum lith_code lith_packed_rows_emit(struct lith_packed_rows *rows,
                                                     struct lith_recipe *recipe,
                                                     struct lith_err *err);

/* Finds the stretches of sorted rows, before they are emitted; those between are not looked at, so
 * it costs next to nothing. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_packed_rows_stretches(const struct lith_packed_rows *rows,
                                                          struct lith_key_stretches *stretches,
                                                          struct lith_err *err);

#endif
