/*
 * The recipe of a sorted rewrite: for each output row the unit and row that it comes from.
 *
 * Runs (unit, first row, count) in the order of the output; rows that follow each other in their
 * unit are one run. Written once, in a spool; read from any output row on, so that each column of
 * an output row group can follow it. Reading changes nothing: threads may have a reader each. Rows
 * that were sorted in memory may stay there as places instead, 4 bytes each.
 */
#ifndef LITH_SORT_RECIPE_H
#define LITH_SORT_RECIPE_H

#include "base/work.h"

/* Rows of a unit, and units of a merge: the place of a row takes 56 bits. */
#define LITH_UNIT_COUNT_MAX (UINT32_C(1) << 24)
#define LITH_UNIT_ROWS_MAX (UINT64_C(1) << 32)

struct lith_recipe_run {
    uint32_t unit;
    uint64_t row; /* the first one, in its unit */
    uint64_t row_count;
};

struct lith_recipe {
    struct lith_mem *mem;
    struct lith_spool spool;
    uint8_t *block; /* being filled; NULL until the first run */
    uint32_t block_runs;
    bool is_ended;
    struct lith_recipe_run last; /* not yet in the block; none: row_count is 0 */
    uint64_t row_count;
    uint64_t run_count;
    /* All rows, instead of runs; NULL: they are runs. Of each its unit, from the first one on,
     * above the bits of its row. */
    uint32_t *places;
    size_t places_bytes_max;
    uint32_t place_row_bits;
    uint32_t place_unit_begin;
};

/* Takes no memory yet. Up to `memory_bytes_max` bytes stay in memory, the rest goes to scratch;
 * beyond that a block of some KiB is held. */
void lith_recipe_init(struct lith_recipe *recipe, const struct lith_work *work,
                      size_t memory_bytes_max);

/* A zeroed one is a no-op. */
void lith_recipe_done(struct lith_recipe *recipe);

/* Appends rows. LIMIT for a unit or row beyond the maxima above; NOMEM, IO. */
LITH_MUST_CHECK enum lith_code lith_recipe_add(struct lith_recipe *recipe, uint32_t unit,
                                               uint64_t row, uint64_t row_count,
                                               struct lith_err *err);

/* Lets places of up to `bytes_max` bytes be taken. */
static inline void lith_recipe_allow_places(struct lith_recipe *recipe, size_t bytes_max)
{
    recipe->places_bytes_max = bytes_max;
}

/* Whether so many rows may come as places: they are all that the recipe gets. */
static inline bool lith_recipe_wants_places(const struct lith_recipe *recipe, size_t row_count)
{
    return recipe->row_count == 0 &&
           row_count <= recipe->places_bytes_max / sizeof(*recipe->places);
}

/* Takes places, which are wanted: a block of the heap, the recipe's from now on. */
void lith_recipe_take_places(struct lith_recipe *recipe, uint32_t *places, size_t row_count,
                             uint32_t unit_begin, uint32_t row_bits);

/* Memory that rows take as places. */
static inline size_t lith_recipe_places_bytes(const struct lith_recipe *recipe)
{
    return recipe->places ? (size_t)recipe->row_count * sizeof(*recipe->places) : 0;
}

/* Ends the writing; from now on it can be read. */
LITH_MUST_CHECK enum lith_code lith_recipe_end(struct lith_recipe *recipe, struct lith_err *err);

struct lith_recipe_reader {
    struct lith_recipe *recipe;
    uint8_t *block; /* runs of one block */
    uint64_t block_index;
    uint32_t block_runs;         /* in it */
    uint32_t next;               /* run of it */
    struct lith_recipe_run left; /* of the run that was begun */
    uint64_t place;              /* the next one, where rows are places */
};

/* Reads from an output row on (at most the number of rows). The recipe was ended, and outlives the
 * reader. NOMEM, LIMIT, IO. */
LITH_MUST_CHECK enum lith_code lith_recipe_open_at(struct lith_recipe *recipe, uint64_t row,
                                                   struct lith_recipe_reader *ret_reader,
                                                   struct lith_err *err);

/* The next run, of at most `row_count_max` rows; its row_count is 0 at the end. One of many rows
 * may come in several. IO. */
LITH_MUST_CHECK enum lith_code lith_recipe_next(struct lith_recipe_reader *reader,
                                                uint64_t row_count_max,
                                                struct lith_recipe_run *ret_run,
                                                struct lith_err *err);

/* The next runs, at most `run_count_max` of them and `row_count_max` rows together; *ret_count is 0
 * at the end. IO. */
LITH_MUST_CHECK enum lith_code lith_recipe_next_some(struct lith_recipe_reader *reader,
                                                     uint64_t row_count_max, size_t run_count_max,
                                                     struct lith_recipe_run *runs,
                                                     size_t *ret_count, struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_recipe_close(struct lith_recipe_reader *reader);

#endif
