/*
 * The external sort: blocks of rows, runs of blocks, merges of runs.
 */
#include "sort/key_sorter.h"

#include <inttypes.h>

#include "sort/sort_merge.h"

struct lith_key_sorter {
    const struct lith_work *work;
    size_t width;
    size_t memory_bytes_max;
    uint32_t unit;
    bool has_unit;
    uint64_t row;                   /* the next one of the unit */
    struct lith_packed_rows packed; /* instead of what follows, where rows can be packed */
    struct lith_sort_block block;
    struct lith_sort_runs runs;
};

/* Of the memory, what the runs' buffer takes while there is a block too. */
static size_t write_bytes(const struct lith_key_sorter *sorter)
{
    size_t eighth = sorter->memory_bytes_max / 8;

    return eighth < LITH_SORT_BUFFER_BYTES ? eighth : LITH_SORT_BUFFER_BYTES;
}

static void sorter_begin(struct lith_key_sorter *sorter)
{
    sorter->has_unit = false;
    lith_sort_block_init(&sorter->block, sorter->width,
                         sorter->memory_bytes_max - write_bytes(sorter), sorter->work->mem);
    lith_sort_runs_init(&sorter->runs, sorter->width, write_bytes(sorter), sorter->work);
}

enum lith_code lith_key_sorter_new(const struct lith_key_layout *layout, size_t memory_bytes_max,
                                   const struct lith_work *work,
                                   struct lith_key_sorter **ret_sorter, struct lith_err *err)
{
    void *block;

    LITH_ASSERT(memory_bytes_max >= LITH_SORT_MEMORY_BYTES_MIN);
    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_key_sorter), &block, err));
    struct lith_key_sorter *sorter = block;
    sorter->work = work;
    sorter->width = layout->width;
    sorter->memory_bytes_max = memory_bytes_max;
    sorter_begin(sorter);
    *ret_sorter = sorter;
    return LITH_OK;
}

void lith_key_sorter_free(struct lith_key_sorter *sorter)
{
    if (!sorter)
        return;
    lith_packed_rows_done(&sorter->packed);
    lith_sort_block_done(&sorter->block);
    lith_sort_runs_done(&sorter->runs);
    lith_free(sorter);
}

enum lith_code lith_key_sorter_expect(struct lith_key_sorter *sorter,
                                      const struct lith_sort_outlook *outlook, struct lith_err *err)
{
    LITH_ASSERT(!sorter->has_unit);
    LITH_ASSERT(sorter->width == 0 || outlook->smallest.bytes == sorter->width);
    if (sorter->width == 0)
        return LITH_OK;
    LITH_TRY(lith_packed_rows_init(&sorter->packed, outlook, sorter->memory_bytes_max,
                                   sorter->work->mem, err));
    if (outlook->kept && outlook->kept->numbers)
        lith_kept_keys_done(outlook->kept); /* nobody took them */
    return LITH_OK;
}

enum lith_code lith_key_sorter_unit(struct lith_key_sorter *sorter, uint32_t unit,
                                    struct lith_err *err)
{
    LITH_ASSERT(!sorter->has_unit || unit > sorter->unit);
    if (unit >= LITH_UNIT_COUNT_MAX)
        return lith_fail(err, LITH_E_LIMIT,
                         "row group %" PRIu32 " of the inputs: a sort takes at most %" PRIu32, unit,
                         LITH_UNIT_COUNT_MAX);
    sorter->unit = unit;
    sorter->has_unit = true;
    sorter->row = 0;
    return LITH_OK;
}

/* The rows in memory become a run. */
static enum lith_code block_spill(struct lith_key_sorter *sorter, struct lith_err *err)
{
    if (sorter->block.count == 0)
        return LITH_OK;
    LITH_TRY(lith_sort_block_sort(&sorter->block, err));
    LITH_TRY(lith_sort_runs_add_block(&sorter->runs, &sorter->block, err));
    lith_sort_block_clear(&sorter->block);
    return LITH_OK;
}

/* A key that is too long for a block goes to scratch at once. */
static enum lith_code key_spill(struct lith_key_sorter *sorter, struct lith_slice key,
                                struct lith_err *err)
{
    LITH_TRY(block_spill(sorter, err));
    lith_key_common_add(&sorter->block.common, key);
    return lith_sort_runs_add_key(&sorter->runs, key, lith_place_of(sorter->unit, sorter->row),
                                  err);
}

enum lith_code lith_key_sorter_add(struct lith_key_sorter *sorter,
                                   const struct lith_key_batch *keys, struct lith_err *err)
{
    LITH_ASSERT(sorter->has_unit);
    LITH_ASSERT(keys->width == sorter->width);
    if (keys->count >= LITH_UNIT_ROWS_MAX - sorter->row)
        return lith_fail(err, LITH_E_LIMIT, "a row group of more than %" PRIu64 " rows",
                         LITH_UNIT_ROWS_MAX - 1);
    LITH_TRY(lith_work_check(sorter->work, err));
    if (sorter->packed.numbers) {
        LITH_TRY(lith_packed_rows_add(&sorter->packed, keys, sorter->unit, sorter->row, err));
        sorter->row += keys->count;
        return LITH_OK;
    }
    for (size_t done = 0; done < keys->count;) {
        size_t count;
        LITH_TRY(lith_sort_block_add(&sorter->block, keys, done,
                                     lith_place_of(sorter->unit, sorter->row), &count, err));
        if (count == 0 && sorter->block.count == 0) {
            LITH_TRY(key_spill(sorter, lith_key_at(keys, done), err));
            count = 1;
        } else if (count == 0) {
            LITH_TRY(block_spill(sorter, err));
        }
        done += count;
        sorter->row += count;
    }
    return LITH_OK;
}

/* All rows were in memory. */
static enum lith_code block_emit(struct lith_key_sorter *sorter, struct lith_recipe *recipe,
                                 struct lith_key_stretches *stretches, struct lith_err *err)
{
    const struct lith_sort_block *block = &sorter->block;
    bool is_short = lith_keys_are_short(block->width);
    uint8_t room[LITH_RECORD_KEY_BYTES];

    LITH_TRY(lith_sort_block_sort(&sorter->block, err));
    for (size_t i = 0; i < block->count; i++) {
        uint64_t place =
            is_short ? block->records[i].ref : lith_entry_place(lith_sort_block_entry(block, i));
        LITH_TRY(lith_recipe_add(recipe, lith_place_unit(place), lith_place_row(place), 1, err));
        if (stretches)
            LITH_TRY(lith_key_stretches_add(stretches, lith_sort_block_key(block, i, room), err));
    }
    return LITH_OK;
}

/* Merges groups of runs into longer ones, in another file. */
static enum lith_code runs_shrink(struct lith_key_sorter *sorter, struct lith_err *err)
{
    size_t runs_max = lith_sort_merge_runs_max(sorter->memory_bytes_max);
    size_t buffer_bytes = lith_sort_merge_buffer_bytes(sorter->memory_bytes_max, runs_max);
    struct lith_sort_runs merged;
    enum lith_code code = LITH_OK;

    lith_sort_runs_init(&merged, sorter->width, buffer_bytes, sorter->work);
    for (size_t begin = 0, end; code == LITH_OK && begin < sorter->runs.count; begin = end) {
        end = sorter->runs.count - begin < runs_max ? sorter->runs.count : begin + runs_max;
        struct lith_sort_merge_job job = {
            .from = &sorter->runs,
            .begin = begin,
            .end = end,
            .common = sorter->block.common.bytes,
            .buffer_bytes = buffer_bytes,
            .to_runs = &merged,
        };
        code = lith_sort_merge(&job, sorter->work, err);
    }
    if (code == LITH_OK)
        code = lith_sort_runs_flush(&merged, err);
    if (code != LITH_OK) {
        lith_sort_runs_done(&merged);
        return code;
    }
    lith_buf_done(&merged.buffer);
    lith_sort_runs_done(&sorter->runs);
    sorter->runs = merged;
    return LITH_OK;
}

static enum lith_code runs_emit(struct lith_key_sorter *sorter, struct lith_recipe *recipe,
                                struct lith_key_stretches *stretches, struct lith_err *err)
{
    size_t runs_max = lith_sort_merge_runs_max(sorter->memory_bytes_max);

    LITH_TRY(block_spill(sorter, err));
    lith_sort_block_done(&sorter->block); /* its memory is the merge's now */
    LITH_TRY(lith_sort_runs_flush(&sorter->runs, err));
    lith_buf_done(&sorter->runs.buffer);
    while (sorter->runs.count > runs_max)
        LITH_TRY(runs_shrink(sorter, err));
    struct lith_sort_merge_job job = {
        .from = &sorter->runs,
        .end = sorter->runs.count,
        .common = sorter->block.common.bytes,
        .buffer_bytes = lith_sort_merge_buffer_bytes(sorter->memory_bytes_max, sorter->runs.count),
        .to_recipe = recipe,
        .stretches = stretches,
    };
    return lith_sort_merge(&job, sorter->work, err);
}

enum lith_code lith_key_sorter_finish(struct lith_key_sorter *sorter, struct lith_recipe *recipe,
                                      struct lith_key_stretches *stretches, struct lith_err *err)
{
    if (sorter->packed.numbers) {
        lith_packed_rows_sort(&sorter->packed);
        if (stretches)
            LITH_TRY(lith_packed_rows_stretches(&sorter->packed, stretches, err));
        LITH_TRY(lith_packed_rows_emit(&sorter->packed, recipe, err));
    } else {
        LITH_TRY(sorter->runs.count ? runs_emit(sorter, recipe, stretches, err)
                                    : block_emit(sorter, recipe, stretches, err));
    }
    if (stretches)
        LITH_TRY(lith_key_stretches_end(stretches, err));
    lith_packed_rows_done(&sorter->packed);
    lith_sort_block_done(&sorter->block);
    lith_sort_runs_done(&sorter->runs);
    sorter_begin(sorter);
    return LITH_OK;
}
