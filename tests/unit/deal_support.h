/*
 * Units with columns of any shape as plain arrays, and their rows in the order of a recipe: what a
 * deal of them must give, position by position.
 */
#ifndef LITH_TESTS_DEAL_SUPPORT_H
#define LITH_TESTS_DEAL_SUPPORT_H

#include "support.h"

#include "parquet/chunk_reader.h"
#include "parquet/dictionary.h"
#include "sort/deal_span.h"

#define MODEL_UNITS_MAX 12
#define MODEL_LEAVES_MAX 4

/* One column of one unit. */
struct model_chunk {
    size_t position_count;
    uint16_t *rep, *def;
    size_t *row_positions;     /* where each row begins, and the end */
    size_t *row_values;        /* its first value, and the end */
    uint8_t *fixed;            /* values of fixed width */
    struct lith_slice *slices; /* of each value, whatever the type */
};

struct model_place {
    uint32_t unit;
    size_t row;
};

struct model {
    uint32_t unit_count;
    size_t row_counts[MODEL_UNITS_MAX];
    bool in_order[MODEL_UNITS_MAX];
    struct model_place *places; /* of each output row */
    size_t row_count;
    uint32_t leaf_count;
    struct lith_schema_node leaves[MODEL_LEAVES_MAX];
    struct model_chunk chunks[MODEL_LEAVES_MAX][MODEL_UNITS_MAX];
};

static const struct model_shape {
    enum lith_type type;
    int32_t type_length;
    uint16_t max_def, max_rep;
} model_shapes[] = {
    {LITH_TYPE_INT64, 0, 0, 0},
    {LITH_TYPE_BOOLEAN, 0, 0, 0},
    {LITH_TYPE_INT32, 0, 1, 0},
    {LITH_TYPE_INT96, 0, 0, 0},
    {LITH_TYPE_INT96, 0, 2, 0},
    {LITH_TYPE_FLOAT, 0, 3, 0},
    {LITH_TYPE_DOUBLE, 0, 1, 0},
    {LITH_TYPE_BYTE_ARRAY, 0, 0, 0},
    {LITH_TYPE_BYTE_ARRAY, 0, 1, 0},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16, 0, 0},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3, 1, 0},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 700, 1, 0},
    {LITH_TYPE_INT64, 0, 1, 1},
    {LITH_TYPE_INT32, 0, 3, 1},
    {LITH_TYPE_BOOLEAN, 0, 4, 2},
    {LITH_TYPE_BYTE_ARRAY, 0, 2, 1},
    {LITH_TYPE_BYTE_ARRAY, 0, 5, 3},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 700, 2, 2},
};
#define MODEL_SHAPES (sizeof(model_shapes) / sizeof(model_shapes[0]))

static inline size_t model_below(uint64_t *seed, size_t end)
{
    return (size_t)(test_random(seed) % end);
}

static inline void *model_room(size_t count, size_t each)
{
    void *room = calloc(count + 1, each);

    assert_non_null(room);
    return room;
}

/* How the values of a chunk are: how many nulls, how long lists and byte arrays. */
struct model_taste {
    unsigned null_percent;
    size_t list_max;
    size_t bytes_max;
};

/* Positions of the next row. */
static inline size_t model_row_positions(const struct lith_schema_node *leaf,
                                         const struct model_taste *taste, uint64_t *seed)
{
    if (leaf->max_rep == 0 || model_below(seed, 3) == 0)
        return 1;
    if (model_below(seed, 1000) == 0)
        return 1 + model_below(seed, 3 * LITH_BATCH_POSITIONS);
    if (model_below(seed, 100) == 0)
        return 1 + model_below(seed, taste->list_max * 50);
    return 1 + model_below(seed, taste->list_max);
}

static inline void model_value(struct model_chunk *chunk, const struct lith_schema_node *leaf,
                               const struct model_taste *taste, size_t at, uint64_t *seed)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);
    size_t bytes = width;

    if (!width)
        bytes = model_below(seed, 4) ? model_below(seed, 13) : model_below(seed, taste->bytes_max);
    uint8_t *to = width ? chunk->fixed + at * width : model_room(bytes, 1);
    for (size_t i = 0; i < bytes; i++)
        to[i] =
            leaf->type == LITH_TYPE_BOOLEAN ? test_random(seed) & 1 : (uint8_t)test_random(seed);
    chunk->slices[at] = (struct lith_slice){to, bytes};
}

static inline void model_chunk_make(struct model_chunk *chunk, const struct lith_schema_node *leaf,
                                    size_t row_count, const struct model_taste *taste,
                                    uint64_t *seed)
{
    size_t positions = 0, values = 0;

    chunk->row_positions = model_room(row_count, sizeof(size_t));
    chunk->row_values = model_room(row_count, sizeof(size_t));
    for (size_t row = 0; row < row_count; row++) {
        chunk->row_positions[row] = positions;
        positions += model_row_positions(leaf, taste, seed);
    }
    chunk->row_positions[row_count] = chunk->position_count = positions;
    chunk->rep = model_room(positions, sizeof(uint16_t));
    chunk->def = model_room(positions, sizeof(uint16_t));
    chunk->fixed = model_room(positions, 1 + lith_type_width(leaf->type, leaf->type_length));
    chunk->slices = model_room(positions, sizeof(struct lith_slice));
    for (size_t row = 0; row < row_count; row++) {
        chunk->row_values[row] = values;
        for (size_t i = chunk->row_positions[row]; i < chunk->row_positions[row + 1]; i++) {
            bool is_first = i == chunk->row_positions[row];
            bool is_null = leaf->max_def && model_below(seed, 100) < taste->null_percent;
            chunk->rep[i] = is_first ? 0 : (uint16_t)(1 + model_below(seed, leaf->max_rep));
            chunk->def[i] = is_null ? (uint16_t)model_below(seed, leaf->max_def) : leaf->max_def;
            if (!is_null)
                model_value(chunk, leaf, taste, values++, seed);
        }
    }
    chunk->row_values[row_count] = values;
}

/* Adds a column of a shape. */
static inline void model_leaf_add(struct model *model, const struct model_shape *shape,
                                  uint64_t *seed)
{
    static const unsigned percents[] = {0, 0, 1, 50, 95, 100};
    struct lith_schema_node *leaf = &model->leaves[model->leaf_count];

    *leaf = (struct lith_schema_node){.type = shape->type,
                                      .type_length = shape->type_length,
                                      .leaf_index = model->leaf_count,
                                      .max_def = shape->max_def,
                                      .max_rep = shape->max_rep};
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        struct model_taste taste = {.null_percent = percents[model_below(seed, 6)],
                                    .list_max = 1 + model_below(seed, 8),
                                    .bytes_max = model_below(seed, 10) ? 40 : 3000};
        model_chunk_make(&model->chunks[model->leaf_count][unit], leaf, model->row_counts[unit],
                         &taste, seed);
    }
    model->leaf_count++;
}

static inline void model_shuffle(size_t *numbers, size_t count, uint64_t *seed)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = model_below(seed, i), number = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
}

/* The order of the output: `mixed` rows of all units at random, else in runs; within a unit its
 * rows in order or shuffled. */
static inline void model_order(struct model *model, bool mixed, uint64_t *seed)
{
    size_t *units = model_room(model->row_count, sizeof(size_t));
    size_t *rows[MODEL_UNITS_MAX], next[MODEL_UNITS_MAX] = {0}, at = 0;

    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        rows[unit] = model_room(model->row_counts[unit], sizeof(size_t));
        for (size_t row = 0; row < model->row_counts[unit]; row++) {
            rows[unit][row] = row;
            units[at++] = unit;
        }
        if (!model->in_order[unit])
            model_shuffle(rows[unit], model->row_counts[unit], seed);
    }
    if (mixed)
        model_shuffle(units, model->row_count, seed);
    model->places = model_room(model->row_count, sizeof(*model->places));
    for (size_t i = 0; i < model->row_count; i++) {
        uint32_t unit = (uint32_t)units[i];
        model->places[i] = (struct model_place){unit, rows[unit][next[unit]++]};
    }
    for (uint32_t unit = 0; unit < model->unit_count; unit++)
        free(rows[unit]);
    free(units);
}

/* Units without columns yet. */
static inline void model_init(struct model *model, size_t rows_max, uint64_t *seed)
{
    *model = (struct model){.unit_count = 1 + (uint32_t)model_below(seed, MODEL_UNITS_MAX)};
    bool all_in_order = model_below(seed, 3) == 0;
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        model->row_counts[unit] = model_below(seed, 8) ? model_below(seed, rows_max) : 0;
        model->in_order[unit] = all_in_order || model_below(seed, 2);
        model->row_count += model->row_counts[unit];
    }
    if (model->row_count == 0)
        model->row_count = model->row_counts[0] = 1;
    model_order(model, model_below(seed, 2), seed);
}

/* What a deal knows of the units. */
static inline void model_units(const struct model *model, struct lith_deal_unit *units)
{
    for (uint32_t i = 0; i < model->unit_count; i++)
        units[i] = (struct lith_deal_unit){(uint32_t)model->row_counts[i], model->in_order[i]};
}

/* Borders of `count` buckets of about as many rows. */
static inline void model_borders(const struct model *model, uint32_t count, uint64_t *borders)
{
    for (uint32_t i = 0; i <= count; i++)
        borders[i] = model->row_count * i / count;
}

static inline void model_done(struct model *model)
{
    for (uint32_t leaf = 0; leaf < model->leaf_count; leaf++) {
        for (uint32_t unit = 0; unit < model->unit_count; unit++) {
            struct model_chunk *chunk = &model->chunks[leaf][unit];
            size_t values = chunk->row_values[model->row_counts[unit]];
            for (size_t i = 0; model->leaves[leaf].type == LITH_TYPE_BYTE_ARRAY && i < values;
                 i++) {
                const void *bytes = chunk->slices[i].data;
                free((void *)(uintptr_t)bytes);
            }
            free(chunk->row_positions);
            free(chunk->row_values);
            free(chunk->rep);
            free(chunk->def);
            free(chunk->fixed);
            free(chunk->slices);
        }
    }
    free(model->places);
}

static inline void model_recipe(const struct model *model, const struct lith_work *work,
                                uint32_t unit_begin, struct lith_recipe *ret_recipe)
{
    struct lith_err err;

    lith_recipe_init(ret_recipe, work, 1 << 16);
    for (size_t i = 0; i < model->row_count; i++)
        MUST(lith_recipe_add(ret_recipe, unit_begin + model->places[i].unit, model->places[i].row,
                             1, &err));
    MUST(lith_recipe_end(ret_recipe, &err));
}

/* The same as places in memory. */
static inline void model_places(const struct model *model, const struct lith_work *work,
                                uint32_t unit_begin, struct lith_recipe *ret_recipe)
{
    uint32_t row_bits = 14; /* of 9000 rows */
    struct lith_err err;
    void *block;

    lith_recipe_init(ret_recipe, work, 0);
    lith_recipe_allow_places(ret_recipe, model->row_count * sizeof(uint32_t));
    MUST(lith_alloc(work->mem, model->row_count * sizeof(uint32_t), &block, &err));
    uint32_t *places = block;
    for (size_t i = 0; i < model->row_count; i++)
        places[i] = model->places[i].unit << row_bits | (uint32_t)model->places[i].row;
    lith_recipe_take_places(ret_recipe, places, model->row_count, unit_begin, row_bits);
    MUST(lith_recipe_end(ret_recipe, &err));
}

/* Positions [begin, end) of a chunk as a reader would give them, or, where none is null, without
 * definition levels; `value` is the first one's. */
static inline struct lith_batch model_batch(const struct lith_schema_node *leaf,
                                            const struct model_chunk *chunk, size_t begin,
                                            size_t end, size_t value)
{
    size_t values = 0, width = lith_type_width(leaf->type, leaf->type_length);

    for (size_t i = begin; i < end; i++)
        values += chunk->def[i] == leaf->max_def;
    return (struct lith_batch){
        .position_count = end - begin,
        .def_levels =
            leaf->max_def && (values < end - begin || end % 2) ? chunk->def + begin : NULL,
        .rep_levels = leaf->max_rep ? chunk->rep + begin : NULL,
        .values = {.type = leaf->type,
                   .width = width,
                   .count = values,
                   .fixed = width ? chunk->fixed + value * width : NULL,
                   .slices = width ? NULL : chunk->slices + value},
    };
}

/* Where in the output of a leaf a comparison is. */
struct model_cursor {
    size_t row;
    size_t position; /* of the row */
    size_t value;
};

/* That a batch is what comes next; the cursor goes behind it. */
static inline void model_compare(const struct model *model, uint32_t leaf,
                                 struct model_cursor *cursor, const struct lith_batch *batch)
{
    const struct lith_schema_node *node = &model->leaves[leaf];
    size_t value = 0;

    assert_true(batch->position_count <= LITH_BATCH_POSITIONS);
    for (size_t i = 0; i < batch->position_count; i++) {
        assert_true(cursor->row < model->row_count);
        const struct model_place *place = &model->places[cursor->row];
        const struct model_chunk *chunk = &model->chunks[leaf][place->unit];
        size_t at = chunk->row_positions[place->row] + cursor->position;
        if (node->max_rep)
            assert_int_equal(batch->rep_levels[i], chunk->rep[at]);
        if (node->max_def)
            assert_int_equal(batch->def_levels[i], chunk->def[at]);
        if (chunk->def[at] == node->max_def) {
            assert_true(value < batch->values.count);
            struct lith_slice got = batch->values.ids ? lith_dictionary_at(batch->values.dictionary,
                                                                           batch->values.ids[value])
                                                      : lith_values_at(&batch->values, value);
            value++;
            struct lith_slice want = chunk->slices[chunk->row_values[place->row] + cursor->value++];
            assert_true(lith_slice_equal(got, want));
        }
        if (++cursor->position + chunk->row_positions[place->row] ==
            chunk->row_positions[place->row + 1])
            *cursor = (struct model_cursor){.row = cursor->row + 1};
    }
    assert_int_equal(value, batch->values.count);
}

#endif
