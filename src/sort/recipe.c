/*
 * Recipes: blocks of one size, each led by the output row it begins with, so that a row is found by
 * halving over the blocks; then 8 bytes a run, so that one of many rows is stored as several.
 */
#include "sort/recipe.h"

#include <inttypes.h>

#include "base/checked.h"
#include "sort/scratch_damage.h"
#include "sort/sort_record.h"

#define ROW_BYTES 8u /* in front of a block */
#define RUN_BYTES 8u /* its place, and above that the count but one */
#define STORED_ROWS_MAX (UINT64_C(1) << (64 - LITH_PLACE_BITS))
#define BLOCK_BYTES (ROW_BYTES + (size_t)LITH_RECIPE_BLOCK_RUNS * RUN_BYTES)
static_assert(LITH_UNIT_COUNT_MAX * LITH_UNIT_ROWS_MAX == UINT64_C(1) << LITH_PLACE_BITS,
              "a place has a unit and a row");

void lith_recipe_init(struct lith_recipe *recipe, const struct lith_work *work,
                      size_t memory_bytes_max)
{
    *recipe = (struct lith_recipe){.mem = work->mem};
    lith_spool_init(&recipe->spool, work->mem, work->scratch, memory_bytes_max);
}

void lith_recipe_done(struct lith_recipe *recipe)
{
    lith_spool_done(&recipe->spool);
    lith_free(recipe->block);
    lith_free(recipe->places);
    recipe->block = NULL;
    recipe->places = NULL;
}

static enum lith_code block_flush(struct lith_recipe *recipe, struct lith_err *err)
{
    LITH_TRY(lith_sink_write(&recipe->spool.sink, recipe->block,
                             ROW_BYTES + (size_t)recipe->block_runs * RUN_BYTES, err));
    recipe->block_runs = 0;
    return LITH_OK;
}

/* Puts the first rows of a run, behind which `behind` rows were added, into the block. */
static enum lith_code part_store(struct lith_recipe *recipe, const struct lith_recipe_run *part,
                                 uint64_t behind, struct lith_err *err)
{
    if (!recipe->block) {
        void *block;
        LITH_TRY(lith_alloc(recipe->mem, BLOCK_BYTES, &block, err));
        recipe->block = block;
    }
    if (recipe->block_runs == LITH_RECIPE_BLOCK_RUNS)
        LITH_TRY(block_flush(recipe, err));
    if (recipe->block_runs == 0)
        lith_store_u64(recipe->block, recipe->row_count - behind);
    uint8_t *to = recipe->block + ROW_BYTES + (size_t)recipe->block_runs * RUN_BYTES;
    lith_store_u64(to,
                   (part->row_count - 1) << LITH_PLACE_BITS | lith_place_of(part->unit, part->row));
    recipe->block_runs++;
    recipe->run_count++;
    return LITH_OK;
}

/* Puts the last run into its block. */
static enum lith_code run_store(struct lith_recipe *recipe, struct lith_err *err)
{
    struct lith_recipe_run *run = &recipe->last;

    while (run->row_count) {
        struct lith_recipe_run part = *run;
        part.row_count = lith_min_u64(run->row_count, STORED_ROWS_MAX);
        LITH_TRY(part_store(recipe, &part, run->row_count, err));
        run->row += part.row_count;
        run->row_count -= part.row_count;
    }
    return LITH_OK;
}

enum lith_code lith_recipe_add(struct lith_recipe *recipe, uint32_t unit, uint64_t row,
                               uint64_t row_count, struct lith_err *err)
{
    struct lith_recipe_run *last = &recipe->last;

    LITH_ASSERT(!recipe->is_ended);
    LITH_ASSERT(!recipe->places);
    if (unit >= LITH_UNIT_COUNT_MAX || row >= LITH_UNIT_ROWS_MAX ||
        row_count >= LITH_UNIT_ROWS_MAX - row)
        return lith_fail(err, LITH_E_LIMIT,
                         "row %" PRIu64 " of row group %" PRIu32
                         " of the inputs: a sort takes %" PRIu32 " row groups of %" PRIu64 " rows",
                         row, unit, LITH_UNIT_COUNT_MAX, LITH_UNIT_ROWS_MAX - 1);
    if (row_count == 0)
        return LITH_OK;
    if (last->row_count && last->unit == unit && last->row + last->row_count == row) {
        last->row_count += row_count;
    } else {
        if (last->row_count)
            LITH_TRY(run_store(recipe, err));
        *last = (struct lith_recipe_run){unit, row, row_count};
    }
    recipe->row_count += row_count;
    return LITH_OK;
}

void lith_recipe_take_places(struct lith_recipe *recipe, uint32_t *places, size_t row_count,
                             uint32_t unit_begin, uint32_t row_bits)
{
    LITH_ASSERT(!recipe->is_ended);
    LITH_ASSERT(lith_recipe_wants_places(recipe, row_count));
    LITH_ASSERT(row_bits < 32);
    recipe->places = places;
    recipe->row_count = row_count;
    recipe->place_unit_begin = unit_begin;
    recipe->place_row_bits = row_bits;
}

enum lith_code lith_recipe_end(struct lith_recipe *recipe, struct lith_err *err)
{
    if (recipe->last.row_count)
        LITH_TRY(run_store(recipe, err));
    if (recipe->block_runs)
        LITH_TRY(block_flush(recipe, err));
    lith_free(recipe->block);
    recipe->block = NULL;
    recipe->is_ended = true;
    return LITH_OK;
}

static uint64_t block_count(const struct lith_recipe *recipe)
{
    return (recipe->run_count + LITH_RECIPE_BLOCK_RUNS - 1) / LITH_RECIPE_BLOCK_RUNS;
}

/* The last block that begins at or before an output row. */
static enum lith_code block_find(struct lith_recipe *recipe, uint64_t row, uint64_t *ret_block,
                                 uint64_t *ret_first, struct lith_err *err)
{
    uint64_t low = 0, high = block_count(recipe), first = 0; /* low begins at or before it */

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        uint8_t bytes[ROW_BYTES];
        LITH_TRY(lith_source_read(&recipe->spool.source, middle * BLOCK_BYTES, bytes, sizeof(bytes),
                                  err));
        if (lith_load_u64(bytes) > row) {
            high = middle;
        } else {
            low = middle;
            first = lith_load_u64(bytes);
        }
    }
    *ret_block = low;
    *ret_first = first;
    return LITH_OK;
}

/* Reads block `block_index`; beyond the last one it has no runs. */
static enum lith_code block_read(struct lith_recipe_reader *reader, struct lith_err *err)
{
    struct lith_recipe *recipe = reader->recipe;
    uint64_t begin = reader->block_index * LITH_RECIPE_BLOCK_RUNS;

    reader->next = 0;
    reader->block_runs = 0;
    if (begin >= recipe->run_count)
        return LITH_OK;
    uint32_t runs = (uint32_t)lith_min_u64(recipe->run_count - begin, LITH_RECIPE_BLOCK_RUNS);
    LITH_TRY(lith_source_read(&recipe->spool.source, reader->block_index * BLOCK_BYTES + ROW_BYTES,
                              reader->block, (size_t)runs * RUN_BYTES, err));
    reader->block_runs = runs;
    return LITH_OK;
}

static struct lith_recipe_run run_load(const uint8_t *from)
{
    uint64_t place = lith_load_u64(from);

    return (struct lith_recipe_run){
        .unit = lith_place_unit(place),
        .row = lith_place_row(place),
        .row_count = (place >> LITH_PLACE_BITS) + 1,
    };
}

/* Makes sure that a run is begun; none is at the end. */
static enum lith_code run_begin(struct lith_recipe_reader *reader, struct lith_err *err)
{
    if (reader->left.row_count)
        return LITH_OK;
    if (reader->next == reader->block_runs) {
        if (reader->block_runs < LITH_RECIPE_BLOCK_RUNS)
            return LITH_OK; /* that was the last block */
        reader->block_index++;
        LITH_TRY(block_read(reader, err));
        if (reader->block_runs == 0)
            return LITH_OK;
    }
    reader->left = run_load(reader->block + (size_t)reader->next++ * RUN_BYTES);
    return LITH_OK;
}

/* How many of the rows, from one on, follow each other in its unit; at most `count`. */
static size_t run_length(const uint32_t *places, size_t count, uint32_t row_mask)
{
    uint32_t room = row_mask - (places[0] & row_mask);
    size_t length = 1;

    while (length < count && length <= room && places[length] == places[0] + length)
        length++;
    return length;
}

/* As lith_recipe_next_some, of places. */
static size_t places_next(struct lith_recipe_reader *reader, uint64_t row_count_max,
                          size_t run_count_max, struct lith_recipe_run *runs)
{
    const struct lith_recipe *recipe = reader->recipe;
    uint32_t row_mask = (UINT32_C(1) << recipe->place_row_bits) - 1;
    const uint32_t *at = recipe->places + reader->place;
    const uint32_t *end =
        at + (size_t)lith_min_u64(recipe->row_count - reader->place, row_count_max);
    size_t count = 0;

    while (at < end && count < run_count_max) {
        size_t length = run_length(at, (size_t)(end - at), row_mask);
        runs[count++] = (struct lith_recipe_run){
            .unit = recipe->place_unit_begin + (*at >> recipe->place_row_bits),
            .row = *at & row_mask,
            .row_count = length,
        };
        at += length;
    }
    reader->place = (uint64_t)(at - recipe->places);
    return count;
}

enum lith_code lith_recipe_next(struct lith_recipe_reader *reader, uint64_t row_count_max,
                                struct lith_recipe_run *ret_run, struct lith_err *err)
{
    if (reader->recipe->places) {
        *ret_run = (struct lith_recipe_run){.row_count = 0};
        places_next(reader, row_count_max, 1, ret_run);
        return LITH_OK;
    }
    LITH_TRY(run_begin(reader, err));
    struct lith_recipe_run run = reader->left;
    run.row_count = lith_min_u64(run.row_count, row_count_max);
    reader->left.row += run.row_count;
    reader->left.row_count -= run.row_count;
    *ret_run = run;
    return LITH_OK;
}

enum lith_code lith_recipe_next_some(struct lith_recipe_reader *reader, uint64_t row_count_max,
                                     size_t run_count_max, struct lith_recipe_run *runs,
                                     size_t *ret_count, struct lith_err *err)
{
    size_t count = 0;

    if (reader->recipe->places) {
        *ret_count = places_next(reader, row_count_max, run_count_max, runs);
        return LITH_OK;
    }
    LITH_TRY(lith_recipe_next(reader, row_count_max, &runs[0], err));
    if (runs[0].row_count)
        row_count_max -= runs[count++].row_count;
    /* The first one may have been cut, or be the first of a block; then whole ones. */
    if (reader->left.row_count == 0) {
        size_t here = lith_min_size(reader->block_runs - reader->next, run_count_max - count);
        const uint8_t *from = reader->block + (size_t)reader->next * RUN_BYTES;
        for (size_t i = 0; i < here; i++) {
            runs[count] = run_load(from + i * RUN_BYTES);
            if (runs[count].row_count > row_count_max)
                break;
            row_count_max -= runs[count++].row_count;
            reader->next++;
        }
    }
    *ret_count = count;
    return LITH_OK;
}

/* Passes rows of the block at hand; it has them, if it begins with the row that it says. */
static enum lith_code skip_rows(struct lith_recipe_reader *reader, uint64_t row_count,
                                struct lith_err *err)
{
    uint64_t block = reader->block_index;
    struct lith_recipe_run run;

    while (row_count) {
        LITH_TRY(lith_recipe_next(reader, row_count, &run, err));
        if (run.row_count == 0 || reader->block_index != block)
            return lith_scratch_damaged(err);
        row_count -= run.row_count;
    }
    return LITH_OK;
}

enum lith_code lith_recipe_open_at(struct lith_recipe *recipe, uint64_t row,
                                   struct lith_recipe_reader *ret_reader, struct lith_err *err)
{
    struct lith_recipe_reader reader = {.recipe = recipe};
    uint64_t first;
    void *block;

    LITH_ASSERT(recipe->is_ended);
    LITH_ASSERT(row <= recipe->row_count);
    if (recipe->places) {
        reader.place = row;
        *ret_reader = reader;
        return LITH_OK;
    }
    LITH_TRY(block_find(recipe, row, &reader.block_index, &first, err));
    LITH_TRY(lith_alloc(recipe->mem, BLOCK_BYTES - ROW_BYTES, &block, err));
    reader.block = block;
    enum lith_code code = block_read(&reader, err);
    if (code == LITH_OK)
        code = skip_rows(&reader, row - first, err);
    if (code != LITH_OK) {
        lith_recipe_close(&reader);
        return code;
    }
    *ret_reader = reader;
    return LITH_OK;
}

void lith_recipe_close(struct lith_recipe_reader *reader)
{
    lith_free(reader->block);
    *reader = (struct lith_recipe_reader){0};
}
