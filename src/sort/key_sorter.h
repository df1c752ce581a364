/*
 * The rows of a cluster, sorted by their keys, as a recipe.
 *
 * An external merge sort: in memory while the rows fit, else sorted runs in scratch files, merged
 * as many at a time as memory allows. Equal keys stand in the order of unit and row, so the recipe
 * is a function of the keys alone.
 */
#ifndef LITH_SORT_KEY_SORTER_H
#define LITH_SORT_KEY_SORTER_H

#include "sort/packed_rows.h"

struct lith_key_sorter;

/*
 * A sorter of keys of one layout that takes at most `memory_bytes_max` (at least
 * LITH_SORT_MEMORY_BYTES_MIN) and, while runs are merged, about a KiB for each 16 MiB of scratch.
 * Scratch holds 16 bytes a row, with keys of more than 9 bytes 12 and the key; twice that where
 * runs are merged more than once.
 */
LITH_MUST_CHECK enum lith_code lith_key_sorter_new(const struct lith_key_layout *layout,
                                                   size_t memory_bytes_max,
                                                   const struct lith_work *work,
                                                   struct lith_key_sorter **ret_sorter,
                                                   struct lith_err *err);

/* Says what comes, before the first unit: if it can be packed it is sorted at once, in memory.
 * Units that are still among outlook->kept afterwards do not come. Of a layout of fixed width.
 * NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_key_sorter_expect(struct lith_key_sorter *sorter,
                                                      const struct lith_sort_outlook *outlook,
                                                      struct lith_err *err);

/* Begins a unit; their numbers grow. LIMIT beyond LITH_UNIT_COUNT_MAX. */
LITH_MUST_CHECK enum lith_code lith_key_sorter_unit(struct lith_key_sorter *sorter, uint32_t unit,
                                                    struct lith_err *err);

/* Adds the next rows of the unit. CONFLICT (other rows than were expected), CANCELLED, NOMEM, LIMIT
 * (a unit of 2^32 rows, scratch), IO; then the sorter can only be ended. */
LITH_MUST_CHECK enum lith_code lith_key_sorter_add(struct lith_key_sorter *sorter,
                                                   const struct lith_key_batch *keys,
                                                   struct lith_err *err);

/* Appends all rows to a recipe, and notes their stretches (of the same layout; NULL: nobody asks).
 * The sorter is then empty and can be used for the next cluster. */
LITH_MUST_CHECK enum lith_code lith_key_sorter_finish(struct lith_key_sorter *sorter,
                                                      struct lith_recipe *recipe,
                                                      struct lith_key_stretches *stretches,
                                                      struct lith_err *err);

/* NULL is a no-op. */
void lith_key_sorter_free(struct lith_key_sorter *sorter);

#endif
