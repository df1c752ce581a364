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

/* Whether the values are stored in other ways than the target's. */
static bool widens(const struct lith_column *column, const struct lith_column_file *file)
{
    const struct lith_schema_node *target = column->target;

    if (!column->map->present)
        return false;
    const struct lith_schema_node *leaf =
        lith_schema_leaf(&file->footer->schema, column->map->leaf);
    return leaf->type != target->type || leaf->type_length != target->type_length;
}

static enum lith_code reader_open(struct lith_column *column, const struct lith_column_file *file,
                                  uint32_t row_group, struct lith_codec_context *codecs,
                                  const struct lith_work *work, struct lith_err *err)
{
    const struct lith_leaf_map *map = column->map;

    if (map->leaf == LITH_NO_INDEX)
        return LITH_OK;
    const struct lith_chunk_ref ref = lith_chunk_ref_of(file->footer, row_group, map->leaf);
    LITH_TRY(lith_chunk_reader_new(codecs, work, !widens(column, file), &column->reader, err));
    return lith_chunk_reader_begin(column->reader, file->source, &ref, err);
}

/* Room for what is not the target's as it is. */
static enum lith_code room_new(struct lith_column *column, const struct lith_column_file *file,
                               struct lith_err *err)
{
    void *block;

    if (column->map->identity)
        return LITH_OK;
    if (column->target->max_def > 0)
        LITH_TRY(levels_new(column, &column->def_levels, err));
    if (column->target->max_rep > 0)
        LITH_TRY(levels_new(column, &column->rep_levels, err));
    if (!widens(column, file))
        return LITH_OK;
    size_t width = lith_type_width(column->target->type, column->target->type_length);
    LITH_TRY(lith_alloc_array(column->mem, LITH_BATCH_POSITIONS, width, &block, err));
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
    if (code == LITH_OK)
        code = room_new(column, file, err);
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

/* The float as a double, by its bits: 8 bits of exponent with a bias of 127 become 11 of 1023. */
static uint64_t double_of(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    uint64_t exponent = bits >> 23 & 0xff;
    uint64_t fraction = bits & 0x7fffff;

    if (exponent == 0xff)
        return sign | 0x7ffULL << 52 | fraction << 29;
    if (exponent == 0 && fraction == 0)
        return sign;
    if (exponent == 0) { /* subnormal: normal among doubles */
        int shift = __builtin_clz((uint32_t)fraction) - 8;
        fraction = fraction << shift & 0x7fffff;
        return sign | (uint64_t)(1023 - 126 - shift) << 52 | fraction << 29;
    }
    return sign | (exponent + (1023 - 127)) << 52 | fraction << 29;
}

/* Units of the target's timestamps in a day; 1 where it has other values. */
static uint64_t day_of(const struct lith_schema_node *target)
{
    uint64_t seconds = 86400;

    if (target->logical.kind != LITH_LOGICAL_TIMESTAMP)
        return 1;
    if (target->logical.unit == LITH_UNIT_MILLIS)
        return seconds * 1000;
    return target->logical.unit == LITH_UNIT_MICROS ? seconds * 1000000 : seconds * 1000000000;
}

/* A number of bytes, the highest first; where the file's is an integer, its low byte is first. */
static void wide_bytes(const struct lith_values *from, size_t index, uint8_t *to, size_t to_width)
{
    const uint8_t *bytes = from->fixed + index * from->width;
    bool is_integer = from->type != LITH_TYPE_FIXED_LEN_BYTE_ARRAY;
    uint8_t above = bytes[is_integer ? from->width - 1 : 0] >> 7 ? 0xff : 0x00;

    for (size_t i = 0; i < to_width; i++) {
        uint8_t byte = above;
        if (i < from->width)
            byte = bytes[is_integer ? i : from->width - 1 - i];
        to[to_width - 1 - i] = byte;
    }
}

static void widen(struct lith_column *column, struct lith_values *values)
{
    const struct lith_schema_node *target = column->target;
    bool is_unsigned = target->logical.kind == LITH_LOGICAL_INTEGER && !target->logical.is_signed;
    size_t width = lith_type_width(target->type, target->type_length);
    uint64_t day = day_of(target);

    for (size_t i = 0; i < values->count; i++) {
        const uint8_t *from = values->fixed + i * values->width;
        uint8_t *to = column->wide + i * width;
        if (target->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY) {
            wide_bytes(values, i, to, width);
            continue;
        }
        uint32_t bits = lith_load_u32(from);
        uint64_t wide = is_unsigned ? bits : (uint64_t)(int64_t)(int32_t)bits;
        lith_store_u64(to, values->type == LITH_TYPE_FLOAT ? double_of(bits) : wide * day);
    }
    values->type = target->type;
    values->width = width;
    values->fixed = column->wide;
}

/* Translates the positions that are the target's; for an absent column those of a neighbour,
 * without what lies deeper. */
static enum lith_code translate(struct lith_column *column, struct lith_batch *batch,
                                struct lith_err *err)
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
    if (map->is_void && batch->values.count > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a column of type UNKNOWN has values");
    if (!map->present)
        batch->values = (struct lith_values){.type = column->target->type};
    else if (column->wide)
        widen(column, &batch->values);
    return LITH_OK;
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
        LITH_TRY(translate(column, &batch, err));
    } while (batch.position_count == 0);
    *ret_batch = batch;
    return LITH_OK;
}
