/*
 * One column of a target schema, read from a row group of a file: levels translated, nulls where
 * the file lacks it, values widened.
 */
#include "verify/column.h"

#include "base/checked.h"

static enum lith_code levels_new(struct lith_column *column, uint16_t **ret_levels,
                                 struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(column->mem, LITH_BATCH_POSITIONS, sizeof(uint16_t), &block, err));
    *ret_levels = block;
    return LITH_OK;
}

static enum lith_code reader_open(struct lith_column *column, const struct lith_column_file *file,
                                  uint32_t row_group, struct lith_codec_context *codecs,
                                  const struct lith_work *work, struct lith_err *err)
{
    const struct lith_leaf_map *map = column->map;
    void *block;

    if (map->leaf != LITH_NO_INDEX)
        LITH_TRY(lith_chunk_reader_open(file->source, file->footer, row_group, map->leaf, codecs,
                                        work, &column->reader, err));
    if (map->identity)
        return LITH_OK;
    if (column->target->max_def > 0)
        LITH_TRY(levels_new(column, &column->def_levels, err));
    if (column->target->max_rep > 0)
        LITH_TRY(levels_new(column, &column->rep_levels, err));
    LITH_TRY(lith_alloc(column->mem, LITH_BATCH_POSITIONS * sizeof(uint64_t), &block, err));
    column->wide = block;
    return LITH_OK;
}

enum lith_code lith_column_open(struct lith_column *column, const struct lith_column_file *file,
                                uint32_t row_group, const struct lith_schema *target,
                                uint32_t target_leaf, struct lith_codec_context *codecs,
                                const struct lith_work *work, struct lith_err *err)
{
    *column = (struct lith_column){
        .map = &file->maps[target_leaf],
        .target = lith_schema_leaf(target, target_leaf),
        .rows_left = (uint64_t)file->footer->row_groups[row_group].num_rows,
        .mem = work->mem,
    };
    enum lith_code code = reader_open(column, file, row_group, codecs, work, err);
    if (code != LITH_OK)
        lith_column_close(column);
    return code;
}

void lith_column_close(struct lith_column *column)
{
    lith_chunk_reader_close(column->reader);
    lith_free(column->def_levels);
    lith_free(column->rep_levels);
    lith_free(column->wide);
    *column = (struct lith_column){0};
}

/* Rows of nulls: the arrays are cleared, and stay so. */
static void next_nulls(struct lith_column *column, struct lith_batch *batch)
{
    size_t count = (size_t)lith_min_u64(column->rows_left, LITH_BATCH_POSITIONS);

    column->rows_left -= count;
    *batch = (struct lith_batch){
        .position_count = count,
        .def_levels = column->def_levels,
        .rep_levels = column->rep_levels,
        .values = {.type = column->target->type},
    };
}

static void widen(struct lith_column *column, struct lith_values *values)
{
    bool is_unsigned =
        column->target->logical.kind == LITH_LOGICAL_INTEGER && !column->target->logical.is_signed;

    for (size_t i = 0; i < values->count; i++) {
        uint32_t bits = lith_load_u32(values->fixed + i * 4);
        uint64_t wide = is_unsigned ? bits : (uint64_t)(int64_t)(int32_t)bits;
        if (values->type == LITH_TYPE_FLOAT) {
            float narrow;
            memcpy(&narrow, &bits, sizeof(narrow));
            double number = (double)narrow;
            memcpy(&wide, &number, sizeof(wide));
        }
        lith_store_u64(column->wide + i * 8, wide);
    }
    values->type = column->target->type;
    values->width = 8;
    values->fixed = column->wide;
}

/* Translates the positions that are the target's; for an absent column those of a neighbour,
 * without what lies deeper. */
static void translate(struct lith_column *column, struct lith_batch *batch)
{
    const struct lith_leaf_map *map = column->map;
    uint16_t full = map->def_map[0]; /* for a neighbour or column without levels */
    size_t kept = 0;

    for (size_t i = 0; i < batch->position_count; i++) {
        uint16_t rep = batch->rep_levels ? batch->rep_levels[i] : 0;
        if (rep > map->rep_max)
            continue;
        if (column->rep_levels)
            column->rep_levels[kept] = rep;
        if (column->def_levels)
            column->def_levels[kept] =
                batch->def_levels ? map->def_map[batch->def_levels[i]] : full;
        kept++;
    }
    batch->position_count = kept;
    batch->def_levels = column->def_levels;
    batch->rep_levels = column->rep_levels;
    if (!map->present)
        batch->values = (struct lith_values){.type = column->target->type};
    else if (batch->values.type != column->target->type)
        widen(column, &batch->values);
}

enum lith_code lith_column_next(struct lith_column *column, struct lith_batch *ret_batch,
                                struct lith_err *err)
{
    struct lith_batch batch;

    if (!column->reader) {
        next_nulls(column, ret_batch);
        return LITH_OK;
    }
    do {
        LITH_TRY(lith_chunk_reader_next(column->reader, &batch, err));
        if (column->map->identity || batch.position_count == 0)
            break;
        translate(column, &batch);
    } while (batch.position_count == 0);
    *ret_batch = batch;
    return LITH_OK;
}
