/*
 * One column of a row group, added to the states of rows.
 *
 * Batches end where pages do, and inside rows; blocks of rows end elsewhere. So a batch is used up
 * in runs: positions that end with it, or with the block.
 */
#include "verify/row_column.h"

#include <inttypes.h>

#include "base/checked.h"

static enum lith_code level_words_new(struct lith_row_column *column,
                                      const struct lith_row_place *place, uint32_t leaf,
                                      struct lith_err *err)
{
    const struct lith_schema_node *node = lith_schema_leaf(place->target, leaf);
    size_t count = (size_t)node->max_rep + node->max_def + 2;
    void *block;

    LITH_TRY(lith_alloc_array(column->mem, count, sizeof(*column->level_words), &block, err));
    column->level_words = block;
    column->key =
        lith_row_key_make(place->seed, leaf, node->max_rep, node->max_def, column->level_words);
    return LITH_OK;
}

enum lith_code lith_row_column_open(struct lith_row_column *column,
                                    const struct lith_row_place *place, uint32_t leaf,
                                    struct lith_err *err)
{
    *column = (struct lith_row_column){.mem = place->work->mem};
    enum lith_code code = level_words_new(column, place, leaf, err);
    if (code == LITH_OK)
        code = lith_column_open(&column->column, place->file, place->row_group, place->target, leaf,
                                place->codecs, place->work, err);
    if (code != LITH_OK)
        lith_row_column_close(column);
    return code;
}

void lith_row_column_close(struct lith_row_column *column)
{
    lith_column_close(&column->column);
    lith_free(column->level_words);
    lith_free(column->entries);
    *column = (struct lith_row_column){0};
}

/* The words of all entries of the chunk's one dictionary, once; none where the budget has no room
 * for them, or where entries are words as they are. */
static enum lith_code entries_make(struct lith_row_column *column,
                                   const struct lith_dictionary *dictionary, struct lith_err *err)
{
    struct lith_err full;
    void *block;

    if (column->entries_made)
        return LITH_OK;
    column->entries_made = true;
    if (dictionary->fixed && dictionary->width <= LITH_ROW_WORD_BYTES)
        return LITH_OK;
    enum lith_code code =
        lith_alloc_array(column->mem, dictionary->count, sizeof(*column->entries), &block, &full);
    if (code == LITH_E_LIMIT)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = full;
        return code;
    }
    column->entries = block;
    for (uint32_t id = 0; id < dictionary->count; id++) {
        const struct lith_slice entry = lith_dictionary_at(dictionary, id);
        lith_row_words_hash(&column->key, &entry, 1, &column->entries[id]);
    }
    return LITH_OK;
}

/* Makes the next position be in the batch at hand; at the end there is none. */
static enum lith_code batch_need(struct lith_row_column *column, struct lith_err *err)
{
    if (column->position_next < column->batch.position_count)
        return LITH_OK;
    LITH_TRY(lith_column_next(&column->column, &column->batch, err));
    column->position_next = 0;
    column->value_next = 0;
    if (column->batch.values.ids)
        LITH_TRY(entries_make(column, column->batch.values.dictionary, err));
    return LITH_OK;
}

/* The next positions, of at most `row_max` rows that begin; *ret_rows is how many do. */
static size_t run_find(const struct lith_row_column *column, size_t row_max, size_t *ret_rows)
{
    size_t left = column->batch.position_count - column->position_next;
    size_t count = lith_min_size(left, LITH_ROW_RUN);
    size_t rows = 0;

    if (!column->batch.rep_levels) {
        *ret_rows = lith_min_size(count, row_max);
        return *ret_rows;
    }
    const uint16_t *levels = column->batch.rep_levels + column->position_next;
    for (size_t i = 0; i < count; i++) {
        if (levels[i] == 0 && rows == row_max) {
            count = i;
            break;
        }
        rows += levels[i] == 0;
    }
    *ret_rows = rows;
    return count;
}

static size_t values_count(const uint16_t *def_levels, size_t count, uint16_t max_def)
{
    size_t values = 0;

    for (size_t i = 0; i < count; i++)
        values += def_levels[i] == max_def;
    return values;
}

static void run_add(struct lith_row_column *column, size_t count, struct lith_hash128 *states,
                    size_t row_count, struct lith_hash128 *words)
{
    const struct lith_batch *batch = &column->batch;
    struct lith_row_positions positions = {.count = count, .words = words};
    size_t values = count;

    if (batch->rep_levels)
        positions.rep_levels = batch->rep_levels + column->position_next;
    if (batch->values.count < batch->position_count) {
        positions.def_levels = batch->def_levels + column->position_next;
        values = values_count(positions.def_levels, count, column->key.max_def);
    }
    lith_row_words(&column->key, &batch->values, column->value_next, values, column->entries,
                   words);
    lith_row_hash_add(&column->key, &positions, states, row_count);
    column->position_next += count;
    column->value_next += values;
}

enum lith_code lith_row_column_add(struct lith_row_column *column, struct lith_hash128 *states,
                                   size_t row_count, struct lith_hash128 *words,
                                   struct lith_err *err)
{
    size_t begun = 0;

    for (;;) {
        size_t rows;
        LITH_TRY(batch_need(column, err));
        size_t count = run_find(column, row_count - begun, &rows);
        if (count == 0)
            break;
        if (begun == 0 && rows == 0)
            return lith_fail(err, LITH_E_CORRUPT, "positions in front of the first row");
        run_add(column, count, states, begun, words);
        begun += rows;
    }
    if (begun < row_count)
        return lith_fail(err, LITH_E_CORRUPT, "the column ends %zu rows before its row group",
                         row_count - begun);
    return LITH_OK;
}

enum lith_code lith_row_column_end(struct lith_row_column *column, struct lith_err *err)
{
    LITH_TRY(batch_need(column, err));
    if (column->batch.position_count > 0)
        return lith_fail(err, LITH_E_CORRUPT, "the column has more rows than its row group");
    return LITH_OK;
}
