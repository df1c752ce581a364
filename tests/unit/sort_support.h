/*
 * Tables of random rows for the tests of src/sort, and their order by comparing values one by one:
 * lith_order_compare, a NaN as the greatest, nulls where the key wants them.
 */
#ifndef LITH_TESTS_SORT_SUPPORT_H
#define LITH_TESTS_SORT_SUPPORT_H

#include "support.h"

#include "parquet/order.h"
#include "sample_schema.h"
#include "sort/key_builder.h"

#define CELL_BYTES 40
#define FIELDS_MAX 3

struct sort_type {
    enum lith_type type;
    int32_t type_length;
    int converted;
    int logical;
    enum lith_order order;
};

static const struct sort_type sort_types[] = {
    {LITH_TYPE_BOOLEAN, 0, -1, 0, LITH_ORDER_BOOLEAN},
    {LITH_TYPE_INT32, 0, -1, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT32, 0, LITH_CONVERTED_DATE, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT32, 0, LITH_CONVERTED_DECIMAL, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT32, 0, LITH_CONVERTED_UINT_32, 0, LITH_ORDER_UNSIGNED_32},
    {LITH_TYPE_INT64, 0, LITH_CONVERTED_TIMESTAMP_MICROS, 0, LITH_ORDER_SIGNED_64},
    {LITH_TYPE_INT64, 0, LITH_CONVERTED_UINT_64, 0, LITH_ORDER_UNSIGNED_64},
    {LITH_TYPE_FLOAT, 0, -1, 0, LITH_ORDER_FLOAT},
    {LITH_TYPE_DOUBLE, 0, -1, 0, LITH_ORDER_DOUBLE},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2, -1, LITH_LOGICAL_FLOAT16, LITH_ORDER_FLOAT16},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3, -1, 0, LITH_ORDER_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16, -1, LITH_LOGICAL_UUID, LITH_ORDER_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 9, LITH_CONVERTED_DECIMAL, 0, LITH_ORDER_DECIMAL_BYTES},
    {LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, LITH_ORDER_BYTES},
    {LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_DECIMAL, 0, LITH_ORDER_DECIMAL_BYTES},
};
#define SORT_TYPE_COUNT (sizeof(sort_types) / sizeof(sort_types[0]))

struct sort_cell {
    bool is_null;
    uint8_t count;
    uint8_t bytes[CELL_BYTES];
};

struct sort_table {
    struct lith_mem mem; /* its own, so that the tests' budgets do not see it */
    struct lith_arena arena;
    struct lith_schema schema;
    uint32_t field_count;
    const struct sort_type *types[FIELDS_MAX];
    bool is_required[FIELDS_MAX];
    struct lith_sort_key keys[FIELDS_MAX];
    struct lith_key_layout layout;
    size_t row_count;
    struct sort_cell *cells; /* row by row */
    /* Room for rows as the builder takes them. */
    uint8_t *fixed[FIELDS_MAX];
    struct lith_slice *slices[FIELDS_MAX];
    uint16_t *levels[FIELDS_MAX];
};

static inline const struct sort_cell *sort_cell_at(const struct sort_table *table, size_t row,
                                                   uint32_t field)
{
    return &table->cells[row * table->field_count + field];
}

/* Few different values, among them the ends of each order. */
static inline void sort_cell_make(struct sort_cell *cell, const struct sort_type *type,
                                  uint64_t *seed)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   UINT64_MAX,
                                   UINT64_C(1) << 63,
                                   UINT64_C(1) << 31,
                                   0x7fffffff,
                                   0x7fffffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000001,
                                   0xfff8000000000000,
                                   0x7f800000,
                                   0xff800000,
                                   0x7fc00001,
                                   0xffc00001,
                                   0x80000000,
                                   0x7c00,
                                   0xfc00,
                                   0x7e01,
                                   0xfe01,
                                   0x8000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x3f800000,
                                   0xbf800000};
    static const uint8_t letters[] = {0, 1, 'a', 0x7f, 0x80, 0xfe, 0xff};
    size_t width = lith_type_width(type->type, type->type_length);
    uint64_t number = test_random(seed);

    cell->is_null = false;
    cell->count = (uint8_t)(width ? width : number % 7);
    for (size_t i = 0; i < CELL_BYTES; i++)
        cell->bytes[i] = letters[test_random(seed) % sizeof(letters)];
    if (type->type == LITH_TYPE_BOOLEAN) {
        cell->bytes[0] = number & 1;
    } else if (width == 4 || width == 8 || width == 2) {
        uint64_t pick = test_random(seed);
        number = pick % 3 == 0   ? odd[(pick >> 8) % (sizeof(odd) / sizeof(odd[0]))]
                 : pick % 3 == 1 ? (uint64_t)((int64_t)(number % 9) - 4)
                                 : number;
        memcpy(cell->bytes, &number, width);
    }
}

/* A table of random rows in a random order; the keys are its columns, from the first on. */
static inline void sort_table_init(struct sort_table *table, uint32_t field_count,
                                   const struct sort_type *const *types, size_t row_count,
                                   uint64_t *seed)
{
    static const char *const names[] = {"a", "b", "c"};
    struct sample_node nodes[1 + FIELDS_MAX] = {
        {"schema", field_count, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0}};
    struct lith_err err;

    *table = (struct sort_table){.field_count = field_count, .row_count = row_count};
    lith_mem_init(&table->mem, SIZE_MAX, NULL);
    lith_arena_init(&table->arena, &table->mem);
    for (uint32_t i = 0; i < field_count; i++) {
        uint64_t bits = test_random(seed);
        table->types[i] = types[i];
        table->is_required[i] = bits % 3 == 0;
        table->keys[i] = (struct lith_sort_key){i, bits >> 8 & 1, bits >> 9 & 1};
        nodes[1 + i] = (struct sample_node){names[i],
                                            0,
                                            table->is_required[i] ? LITH_REQUIRED : LITH_OPTIONAL,
                                            types[i]->type,
                                            types[i]->type_length,
                                            types[i]->converted,
                                            0,
                                            9,
                                            types[i]->logical};
        table->fixed[i] = calloc(row_count + 1, CELL_BYTES);
        table->slices[i] = calloc(row_count + 1, sizeof(struct lith_slice));
        table->levels[i] = calloc(row_count + 1, sizeof(uint16_t));
    }
    MUST(sample_schema_build(nodes, 1 + field_count, &table->arena, &table->schema, &err));
    table->cells = calloc(row_count * field_count + 1, sizeof(struct sort_cell));
    for (size_t i = 0; i < row_count * field_count; i++) {
        uint32_t field = (uint32_t)(i % field_count);
        sort_cell_make(&table->cells[i], types[field], seed);
        table->cells[i].is_null = !table->is_required[field] && test_random(seed) % 5 == 0;
    }
    lith_key_layout_init(&table->layout, &table->schema, table->keys, field_count);
}

static inline void sort_table_done(struct sort_table *table)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        free(table->fixed[i]);
        free(table->slices[i]);
        free(table->levels[i]);
    }
    free(table->cells);
    lith_arena_done(&table->arena);
    lith_mem_done(&table->mem);
}

/* Negative, 0, positive: one field of row `a` against that of row `b`. */
static inline int sort_field_compare(const struct sort_table *table, size_t a, size_t b, uint32_t i)
{
    const struct sort_cell *x = sort_cell_at(table, a, i), *y = sort_cell_at(table, b, i);
    const struct lith_sort_key *key = &table->keys[i];
    enum lith_order order = table->types[i]->order;

    if (x->is_null && y->is_null)
        return 0;
    if (x->is_null || y->is_null)
        return x->is_null == key->nulls_first ? -1 : 1;
    struct lith_slice xs = {x->bytes, x->count}, ys = {y->bytes, y->count};
    bool x_nan = lith_order_is_nan(order, xs), y_nan = lith_order_is_nan(order, ys);
    int result = x_nan || y_nan ? x_nan - y_nan : lith_order_compare(order, xs, ys);
    return key->descending ? -result : result;
}

/* Likewise of all fields. */
static inline int sort_table_compare(const struct sort_table *table, size_t a, size_t b)
{
    int result = 0;

    for (uint32_t i = 0; i < table->field_count && result == 0; i++)
        result = sort_field_compare(table, a, b, i);
    return result;
}

/* Rows [begin, begin + count) as the builder takes them, valid until the next call. */
static inline struct lith_key_rows sort_table_rows(struct sort_table *table, size_t begin,
                                                   size_t count)
{
    struct lith_key_rows rows = {.row_count = count};

    for (uint32_t i = 0; i < table->field_count; i++) {
        const struct sort_type *type = table->types[i];
        size_t width = lith_type_width(type->type, type->type_length);
        size_t values = 0;
        for (size_t row = 0; row < count; row++) {
            const struct sort_cell *cell = sort_cell_at(table, begin + row, i);
            table->levels[i][row] = !cell->is_null;
            if (cell->is_null)
                continue;
            if (width)
                memcpy(table->fixed[i] + values * width, cell->bytes, width);
            table->slices[i][values++] = (struct lith_slice){cell->bytes, cell->count};
        }
        rows.columns[i] = (struct lith_key_column){
            .def_levels = table->is_required[i] ? NULL : table->levels[i],
            .max_def = !table->is_required[i],
            .values = {.type = type->type,
                       .width = width,
                       .count = values,
                       .fixed = width ? table->fixed[i] : NULL,
                       .slices = width ? NULL : table->slices[i]},
        };
    }
    return rows;
}

/* Row numbers in their order, ties by number: a merge sort over the comparison above. */
static inline size_t *sort_table_order(const struct sort_table *table)
{
    size_t *order = calloc(table->row_count + 1, sizeof(*order));
    size_t *room = calloc(table->row_count + 1, sizeof(*room));

    for (size_t i = 0; i < table->row_count; i++)
        order[i] = i;
    for (size_t half = 1; half < table->row_count; half *= 2) {
        for (size_t at = 0; at < table->row_count; at += 2 * half) {
            size_t middle = at + half < table->row_count ? at + half : table->row_count;
            size_t end = at + 2 * half < table->row_count ? at + 2 * half : table->row_count;
            for (size_t a = at, b = middle, to = at; to < end; to++) {
                bool left =
                    b == end || (a < middle && sort_table_compare(table, order[a], order[b]) <= 0);
                room[to] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, room, table->row_count * sizeof(*order));
    }
    free(room);
    return order;
}

/* Puts the rows themselves in order. */
static inline void sort_table_sort(struct sort_table *table)
{
    size_t *order = sort_table_order(table);
    size_t row_bytes = table->field_count * sizeof(struct sort_cell);
    struct sort_cell *sorted = calloc(table->row_count + 1, row_bytes);

    for (size_t i = 0; i < table->row_count; i++)
        memcpy(sorted + i * table->field_count, sort_cell_at(table, order[i], 0), row_bytes);
    free(table->cells);
    table->cells = sorted;
    free(order);
}

#endif
