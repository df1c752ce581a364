/*
 * The key columns of a unit (a row group of a file), read in step.
 *
 * Pages of columns end at different rows, so batches do too; here all key columns give the same
 * rows at a time. Rows are as many as all have, and few enough that their keys stay small.
 */
#ifndef LITH_SORT_KEY_ROWS_H
#define LITH_SORT_KEY_ROWS_H

#include "parquet/chunk_reader.h"
#include "sort/key_layout.h"

/* Rows of one key column: `row_count` positions as in a batch, cut out of it. */
struct lith_key_column {
    const uint16_t *def_levels; /* may be NULL: without nulls, or with nothing else */
    uint16_t max_def;           /* of the leaf it was read from */
    struct lith_values values;  /* those that are not null; no ids */
};

struct lith_key_rows {
    size_t row_count; /* at most LITH_BATCH_POSITIONS; 0: the unit has ended */
    struct lith_key_column columns[LITH_SORT_KEYS_MAX]; /* one for each field */
};

static inline bool lith_key_column_is_null(const struct lith_key_column *column, size_t row)
{
    if (column->def_levels)
        return column->def_levels[row] < column->max_def;
    return column->values.count == 0;
}

/* Rows [begin, begin + row_count) of `rows`. */
struct lith_key_rows lith_key_rows_cut(const struct lith_key_rows *rows, uint32_t column_count,
                                       size_t begin, size_t row_count);

/* Where a field is read from: a chunk that was begun, its values of the field's type (a reader
 * without ids), or NULL: the file has no such column, all is null. */
struct lith_key_source {
    struct lith_chunk_reader *reader;
    uint16_t max_def;
};

struct lith_key_reader {
    const struct lith_key_layout *layout;
    uint64_t row_count;
    uint64_t row; /* the next one */
    size_t bytes_max;
    struct lith_key_source sources[LITH_SORT_KEYS_MAX];
    struct lith_key_rows left; /* of each column what is left of its batch */
    size_t left_counts[LITH_SORT_KEYS_MAX];
};

/* Begins a unit of `row_count` rows; one source for each field of the layout, which outlives it.
 * Takes no memory. */
void lith_key_reader_init(struct lith_key_reader *reader, const struct lith_key_layout *layout,
                          const struct lith_key_source *sources, uint64_t row_count,
                          const struct lith_work *work);

/* The next rows, borrowed until the next call. At the end row_count is 0 and all chunks were read
 * to theirs. CORRUPT for a chunk of fewer or more rows; what the chunk readers say. */
LITH_MUST_CHECK enum lith_code lith_key_reader_next(struct lith_key_reader *reader,
                                                    struct lith_key_rows *ret_rows,
                                                    struct lith_err *err);

#endif
