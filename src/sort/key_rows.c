/*
 * Key columns in step: each call gives the rows that all columns have left of their batches.
 *
 * Keys of bytes may be twice as long as their values, so rows are counted until their bytes pass
 * a part of the budget's share; one row is always given.
 */
#include "sort/key_rows.h"

#include <inttypes.h>

#include "base/checked.h"

/* Of a share, what the values of the rows given at a time may take: with keys of twice their size
 * a quarter of it. */
#define KEY_BYTES_SHARES 8u

/* Values of the first `row` of `row_count` rows. */
static size_t values_before(const struct lith_key_column *column, size_t row_count, size_t row)
{
    size_t count = 0;

    if (column->values.count == row_count)
        return row; /* no nulls: the usual case, and nothing to count */
    if (!column->def_levels)
        return 0;
    for (size_t i = 0; i < row; i++)
        count += column->def_levels[i] == column->max_def;
    return count;
}

/* The rows of a column from `begin` on, its values not counted at the end. */
static struct lith_key_column column_from(const struct lith_key_column *column, size_t begin,
                                          size_t value)
{
    struct lith_key_column cut = *column;

    if (cut.def_levels)
        cut.def_levels += begin;
    if (cut.values.slices)
        cut.values.slices += value;
    if (cut.values.fixed)
        cut.values.fixed += value * cut.values.width;
    cut.values.count -= value;
    return cut;
}

struct lith_key_rows lith_key_rows_cut(const struct lith_key_rows *rows, uint32_t column_count,
                                       size_t begin, size_t row_count)
{
    struct lith_key_rows cut = {.row_count = row_count};

    LITH_ASSERT(begin + row_count <= rows->row_count);
    for (uint32_t i = 0; i < column_count; i++) {
        const struct lith_key_column *column = &rows->columns[i];
        size_t value = values_before(column, rows->row_count, begin);
        cut.columns[i] = column_from(column, begin, value);
        cut.columns[i].values.count =
            values_before(column, rows->row_count, begin + row_count) - value;
    }
    return cut;
}

void lith_key_reader_init(struct lith_key_reader *reader, const struct lith_key_layout *layout,
                          const struct lith_key_source *sources, uint64_t row_count,
                          const struct lith_work *work)
{
    *reader = (struct lith_key_reader){
        .layout = layout,
        .row_count = row_count,
        .bytes_max = lith_work_share(work) / KEY_BYTES_SHARES,
    };
    memcpy(reader->sources, sources, layout->field_count * sizeof(*sources));
}

/* The next batch of a column that has nothing left. 0 rows at the end of its chunk. */
static enum lith_code column_fill(struct lith_key_reader *reader, uint32_t index,
                                  struct lith_err *err)
{
    const struct lith_key_source *source = &reader->sources[index];
    const struct lith_key_field *field = &reader->layout->fields[index];
    struct lith_batch batch = {0};

    if (!source->reader) {
        LITH_ASSERT(field->has_marker);
        reader->left.columns[index] = (struct lith_key_column){.max_def = 1};
        reader->left_counts[index] =
            (size_t)lith_min_u64(LITH_BATCH_POSITIONS, reader->row_count - reader->row);
        return LITH_OK;
    }
    LITH_TRY(lith_chunk_reader_next(source->reader, &batch, err));
    if (batch.position_count) {
        LITH_ASSERT(batch.values.type == field->type);
        LITH_ASSERT(!batch.values.ids);
        LITH_ASSERT(field->has_marker || batch.values.count == batch.position_count);
    }
    reader->left.columns[index] = (struct lith_key_column){
        .def_levels = batch.def_levels, .max_def = source->max_def, .values = batch.values};
    reader->left_counts[index] = batch.position_count;
    return LITH_OK;
}

/* How many of `row_count` rows of a column stay below bytes_max; at least one. */
static size_t rows_that_fit(const struct lith_key_column *column, size_t row_count,
                            size_t bytes_max)
{
    size_t value = 0, bytes = 0;

    if (column->values.count == 0)
        return row_count;
    if (!column->values.slices)
        return lith_min_size(row_count, 1 + bytes_max / column->values.width);
    for (size_t row = 0; row < row_count; row++) {
        if (!lith_key_column_is_null(column, row))
            bytes += column->values.slices[value++].bytes;
        if (bytes > bytes_max)
            return row ? row : 1;
    }
    return row_count;
}

/* Takes `row_count` rows off what a column has left. */
static void column_take(struct lith_key_reader *reader, uint32_t index, size_t row_count,
                        struct lith_key_column *ret_column)
{
    struct lith_key_column *left = &reader->left.columns[index];
    size_t values = values_before(left, reader->left_counts[index], row_count);

    *ret_column = *left;
    ret_column->values.count = values;
    *left = column_from(left, row_count, values);
    reader->left_counts[index] -= row_count;
}

enum lith_code lith_key_reader_next(struct lith_key_reader *reader, struct lith_key_rows *ret_rows,
                                    struct lith_err *err)
{
    uint32_t field_count = reader->layout->field_count;
    bool ends = reader->row == reader->row_count;
    size_t row_count = ends ? 0 : LITH_BATCH_POSITIONS;

    for (uint32_t i = 0; i < field_count; i++) {
        if (reader->left_counts[i] == 0)
            LITH_TRY(column_fill(reader, i, err));
        if (ends != (reader->left_counts[i] == 0))
            return lith_fail(err, LITH_E_CORRUPT,
                             "sort key %" PRIu32 " has %s than the %" PRIu64
                             " rows of its row group",
                             i + 1, ends ? "more" : "fewer", reader->row_count);
        row_count = lith_min_size(row_count, reader->left_counts[i]);
    }
    for (uint32_t i = 0; i < field_count; i++)
        row_count = lith_min_size(row_count, rows_that_fit(&reader->left.columns[i], row_count,
                                                           reader->bytes_max / field_count));
    ret_rows->row_count = row_count;
    if (row_count == 0)
        return LITH_OK;
    for (uint32_t i = 0; i < field_count; i++)
        column_take(reader, i, row_count, &ret_rows->columns[i]);
    reader->row += row_count;
    return LITH_OK;
}
