/*
 * The external sort: its recipe is the order of a comparison of values, whatever the memory, and
 * what fails leaves nothing behind.
 */
#include "mem_support.h"
#include "sort_damage_support.h"
#include "sort_support.h"

#include "sort/key_order.h"
#include "sort/key_sorter.h"
#include "sort/sort_merge.h"
#include "sort/sort_record.h"

static struct lith_err err;
static volatile sig_atomic_t cancel;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};

/* The rows of a table in units of `unit_rows`, numbered 0, 2, 4 ...; keys come in small batches. */
static enum lith_code table_add(struct lith_key_sorter *sorter, struct sort_table *table,
                                struct lith_key_builder *builder, size_t unit_rows)
{
    for (size_t at = 0; at < table->row_count;) {
        size_t unit_end = (at / unit_rows + 1) * unit_rows;
        size_t end = at + 50 < unit_end ? at + 50 : unit_end;
        struct lith_key_batch keys;
        end = end < table->row_count ? end : table->row_count;
        if (at % unit_rows == 0)
            LITH_TRY(lith_key_sorter_unit(sorter, (uint32_t)(at / unit_rows * 2), &err));
        struct lith_key_rows rows = sort_table_rows(table, at, end - at);
        LITH_TRY(lith_key_builder_build(builder, &rows, &keys, &err));
        LITH_TRY(lith_key_sorter_add(sorter, &keys, &err));
        at = end;
    }
    return LITH_OK;
}

/* Tells the sorter what the keys of a table lie between. */
static enum lith_code table_expect(struct lith_key_sorter *sorter, struct sort_table *table,
                                   struct lith_key_builder *builder, size_t unit_rows)
{
    uint8_t smallest[LITH_SORT_WIDTH_MAX], largest[LITH_SORT_WIDTH_MAX];
    size_t width = table->layout.width, units = (table->row_count + unit_rows - 1) / unit_rows;

    if (width == 0 || table->row_count == 0)
        return LITH_OK;
    for (size_t at = 0; at < table->row_count; at += 50) {
        struct lith_key_batch keys;
        size_t count = table->row_count - at < 50 ? table->row_count - at : 50;
        struct lith_key_rows rows = sort_table_rows(table, at, count);
        LITH_TRY(lith_key_builder_build(builder, &rows, &keys, &err));
        for (size_t i = 0; i < count; i++) {
            const uint8_t *key = keys.data + i * width;
            if (at + i == 0 || memcmp(key, smallest, width) < 0)
                memcpy(smallest, key, width);
            if (at + i == 0 || memcmp(key, largest, width) > 0)
                memcpy(largest, key, width);
        }
    }
    struct lith_sort_outlook outlook = {
        .smallest = {smallest, width},
        .largest = {largest, width},
        .unit_count = (uint32_t)(2 * units - 1),
        .unit_rows_max = unit_rows < table->row_count ? unit_rows : table->row_count,
        .row_count = table->row_count,
    };
    return lith_key_sorter_expect(sorter, &outlook, &err);
}

static bool expects;                     /* sorters are told what comes */
static struct lith_key_stretches *noted; /* they are asked for these; NULL: they are not */

static enum lith_code table_sort(struct sort_table *table, size_t unit_rows, size_t memory_bytes,
                                 struct lith_recipe *recipe)
{
    struct lith_key_builder builder;
    struct lith_key_sorter *sorter;

    LITH_TRY(lith_key_sorter_new(&table->layout, memory_bytes, &work, &sorter, &err));
    lith_key_builder_init(&builder, &table->layout, &table->mem);
    enum lith_code code = expects ? table_expect(sorter, table, &builder, unit_rows) : LITH_OK;
    if (code == LITH_OK)
        code = table_add(sorter, table, &builder, unit_rows);
    if (code == LITH_OK)
        code = lith_key_sorter_finish(sorter, recipe, noted, &err);
    if (code == LITH_OK)
        code = lith_recipe_end(recipe, &err);
    lith_key_builder_done(&builder);
    lith_key_sorter_free(sorter);
    return code;
}

static void recipe_check(struct lith_recipe *recipe, const size_t *order, size_t row_count,
                         size_t unit_rows)
{
    struct lith_recipe_reader reader;
    struct lith_recipe_run run;
    size_t at = 0;

    assert_int_equal(recipe->row_count, row_count);
    MUST(lith_recipe_open_at(recipe, 0, &reader, &err));
    for (;;) {
        MUST(lith_recipe_next(&reader, UINT64_MAX, &run, &err));
        if (run.row_count == 0)
            break;
        for (uint64_t i = 0; i < run.row_count; i++, at++) {
            size_t row = run.unit / 2 * unit_rows + run.row + i;
            if (at >= row_count || row != order[at])
                fail_msg("output row %zu is row %zu, not %zu", at, row, order[at]);
        }
        if (at < row_count && run.row_count < 256) { /* runs are as long as they can be */
            size_t next = order[at], last = order[at - 1];
            assert_true(next != last + 1 || next % unit_rows == 0);
        }
    }
    assert_int_equal(at, row_count);
    lith_recipe_close(&reader);
}

static void same_as_comparing_values(void **state)
{
    static const size_t memory[] = {LITH_SORT_MEMORY_BYTES_MIN, 6000, 20000, (size_t)1 << 20};
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 160; i++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = 1 + (uint32_t)(test_random(&seed) % FIELDS_MAX);
        size_t rows = test_random(&seed) % 4000, unit_rows = 1 + test_random(&seed) % 700;
        size_t memory_bytes = memory[i % 4];
        struct lith_recipe recipe;
        struct sort_table table;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, rows, &seed);
        if (test_random(&seed) % 4 == 0)
            sort_table_sort(&table);
        size_t *order = sort_table_order(&table);
        lith_recipe_init(&recipe, &work, 1000);
        atomic_store(&mem.peak, 0);
        expects = i % 8 > 3;
        lith_recipe_allow_places(&recipe, i % 16 > 7 ? 16000 : 0);
        MUST(table_sort(&table, unit_rows, memory_bytes, &recipe));
        expects = false;
        /* Besides: the sorter, the recipe's block and spool, a few words a run. */
        if (mem.peak > memory_bytes + memory_bytes / 8 + 20000)
            fail_msg("%zu bytes of memory, %zu were taken", memory_bytes, mem.peak);
        recipe_check(&recipe, order, rows, unit_rows);
        lith_recipe_done(&recipe);
        free(order);
        sort_table_done(&table);
    }
}

/* Where the rows end that have the first value of the sorted row `begin`. */
static size_t first_value_end(const struct sort_table *table, const size_t *order, size_t begin)
{
    size_t end = begin + 1;

    while (end < table->row_count && sort_field_compare(table, order[begin], order[end], 0) == 0)
        end++;
    return end;
}

/* How many rows have one of the first values; 1: there are no rows. */
static uint64_t some_stretch_rows(const struct sort_table *table, const size_t *order,
                                  uint64_t *seed)
{
    uint64_t rows = 1;

    for (size_t begin = 0, end; begin < table->row_count; begin = end) {
        end = first_value_end(table, order, begin);
        if (begin == 0 || test_random(seed) % 3 == 0)
            rows = end - begin;
    }
    return rows;
}

/* The stretches of at least `rows_min` rows, as comparing the first values has them. */
static void stretches_check(const struct lith_key_stretches *stretches,
                            const struct sort_table *table, const size_t *order, uint64_t rows_min)
{
    size_t found = 0;

    for (size_t begin = 0, end; begin < table->row_count; begin = end) {
        end = first_value_end(table, order, begin);
        if (end - begin < rows_min)
            continue;
        assert_true(found < stretches->count);
        assert_int_equal(stretches->kept[found].begin, begin);
        assert_int_equal(stretches->kept[found++].end, end);
    }
    assert_int_equal(stretches->count, found);
}

/* Gives all rows one of a few first values. */
static void few_first_values(struct sort_table *table, uint64_t *seed)
{
    size_t count = 1 + test_random(seed) % 9;

    for (size_t row = count; row < table->row_count; row++)
        table->cells[row * table->field_count] =
            *sort_cell_at(table, test_random(seed) % count * (row % 4 != 0), 0);
}

/* However rows are sorted and emitted, their stretches follow from them alone. */
static void stretches_are_those_of_the_rows(void **state)
{
    static const size_t memory[] = {LITH_SORT_MEMORY_BYTES_MIN, 6000, (size_t)1 << 20};
    static const size_t narrow[] = {0, 1, 7, 9, 10}; /* types whose keys may be packed */
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 600; i++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = 1 + (uint32_t)(test_random(&seed) % FIELDS_MAX);
        size_t rows = test_random(&seed) % 3000, unit_rows = 1 + test_random(&seed) % 700;
        struct lith_key_stretches stretches;
        struct lith_recipe recipe;
        struct sort_table table;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[i % 4 == 3 ? narrow[test_random(&seed) % 5]
                                              : test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, rows, &seed);
        few_first_values(&table, &seed);
        if (i % 7 == 0)
            sort_table_sort(&table);
        size_t *order = sort_table_order(&table);
        uint64_t rows_min = some_stretch_rows(&table, order, &seed) + test_random(&seed) % 2;
        lith_recipe_init(&recipe, &work, 1000);
        lith_key_stretches_init(&stretches, &table.layout, rows_min, &table.mem);
        expects = i % 4 == 3;
        noted = &stretches;
        MUST(table_sort(&table, unit_rows, memory[expects ? 2 : i % 3], &recipe));
        expects = false;
        noted = NULL;
        stretches_check(&stretches, &table, order, rows_min);
        lith_key_stretches_done(&stretches);
        lith_recipe_done(&recipe);
        free(order);
        sort_table_done(&table);
    }
}

/* Rows that come in order are one run however little memory there is: scratch has no room to write
 * any of them twice. */
static void ordered_rows_are_one_run(void **state)
{
    const struct sort_type *types[2] = {&sort_types[5], &sort_types[13]};
    uint64_t seed = test_seed();

    (void)state;
    for (uint32_t fields = 1; fields <= 2; fields++) {
        struct lith_recipe recipe;
        struct sort_table table;
        sort_table_init(&table, fields, types, 3000, &seed);
        sort_table_sort(&table);
        lith_recipe_init(&recipe, &work, 100000);
        scratch.limit = 3000 * (fields == 1 ? sizeof(struct lith_sort_record) : 36);
        MUST(table_sort(&table, 3000, LITH_SORT_MEMORY_BYTES_MIN, &recipe));
        assert_int_equal(recipe.run_count, 12); /* of 256 rows */
        lith_recipe_done(&recipe);
        sort_table_done(&table);
    }
}

/* A run ends with its unit, also where the place of the next unit's first row is the next number;
 * and a key or row that was not expected is an error. */
static void packed_units_stay_apart(void **state)
{
    static const uint8_t bytes[4 * 8] = {[7] = 1, [15] = 2, [23] = 3, [31] = 4};
    const struct lith_key_batch keys = {.count = 4, .width = 8, .data = bytes};
    const struct lith_sort_outlook outlook = {.smallest = {bytes, 8},
                                              .largest = {bytes + 16, 8},
                                              .unit_count = 2,
                                              .unit_rows_max = 2,
                                              .row_count = 4};
    const struct lith_key_batch first = {.count = 2, .width = 8, .data = bytes};
    const struct lith_key_batch second = {.count = 2, .width = 8, .data = bytes + 8};
    struct lith_recipe_reader reader;
    struct lith_recipe_run run;
    struct lith_recipe recipe;
    struct lith_packed_rows rows;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t places_max = (size_t[]){0, 15, 16}[i];
        lith_recipe_init(&recipe, &work, 1000);
        lith_recipe_allow_places(&recipe, places_max);
        MUST(lith_packed_rows_init(&rows, &outlook, (size_t)1 << 20, &mem, &err));
        assert_non_null(rows.numbers);
        assert_int_equal(lith_packed_rows_add(&rows, &keys, 0, 0, &err), LITH_E_CONFLICT);
        MUST(lith_packed_rows_add(&rows, &first, 0, 0, &err));
        MUST(lith_packed_rows_add(&rows, &second, 1, 0, &err));
        assert_int_equal(lith_packed_rows_add(&rows, &first, 1, 0, &err), LITH_E_CONFLICT);
        lith_packed_rows_sort(&rows);
        MUST(lith_packed_rows_emit(&rows, &recipe, &err));
        MUST(lith_recipe_end(&recipe, &err));
        assert_int_equal(lith_recipe_places_bytes(&recipe), places_max == 15 ? 0 : places_max);
        MUST(lith_recipe_open_at(&recipe, 0, &reader, &err));
        for (uint32_t unit = 0; unit < 2; unit++) {
            MUST(lith_recipe_next(&reader, UINT64_MAX, &run, &err));
            assert_int_equal(run.unit, unit);
            assert_int_equal(run.row, 0);
            assert_int_equal(run.row_count, 2);
        }
        lith_recipe_close(&reader);
        lith_recipe_done(&recipe);
        lith_packed_rows_done(&rows);
    }
}

/* Keys of four and five bytes have room for a place of 32 and 24 bits, whatever they are. */
static void short_keys_are_packed(void **state)
{
    enum { UNITS = 3, ROWS = 100 };
    static const uint32_t row_bits[] = {30, 22}; /* and two of the unit */
    uint64_t seed = test_seed();

    (void)state;
    for (size_t width = 4; width <= 5; width++) {
        uint8_t bytes[UNITS * ROWS * 5];
        uint8_t least[5] = {0}, most[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
        size_t order[UNITS * ROWS];
        struct lith_packed_rows rows;
        struct lith_recipe_reader reader;
        struct lith_recipe recipe;
        struct lith_recipe_run run;
        uint64_t first = (UINT64_C(1) << row_bits[width - 4]) - ROWS;
        struct lith_sort_outlook outlook = {.smallest = {least, width},
                                            .largest = {most, width},
                                            .unit_count = UNITS,
                                            .unit_rows_max = first + ROWS,
                                            .row_count = UNITS * ROWS};
        lith_recipe_init(&recipe, &work, 1000);
        lith_recipe_allow_places(&recipe, (size_t)1 << 20); /* of 24 bits, not of 32 */
        MUST(lith_packed_rows_init(&rows, &outlook, (size_t)1 << 20, &mem, &err));
        assert_non_null(rows.numbers);
        for (size_t i = 0; i < UNITS * ROWS; i++) {
            uint8_t *key = bytes + i * width;
            for (size_t k = 0; k < width; k++)
                key[k] = test_random(&seed) % 2 ? 0xff : (uint8_t)test_random(&seed);
            size_t to = i;
            for (; to > 0 && memcmp(bytes + order[to - 1] * width, key, width) > 0; to--)
                order[to] = order[to - 1];
            order[to] = i;
        }
        for (uint32_t unit = 0; unit < UNITS; unit++) {
            const uint8_t *from = bytes + unit * ROWS * width;
            struct lith_key_batch keys = {.count = ROWS, .width = width, .data = from};
            MUST(lith_packed_rows_add(&rows, &keys, unit, first, &err));
        }
        lith_packed_rows_sort(&rows);
        MUST(lith_packed_rows_emit(&rows, &recipe, &err));
        MUST(lith_recipe_end(&recipe, &err));
        assert_int_equal(lith_recipe_places_bytes(&recipe) > 0, width == 5);
        MUST(lith_recipe_open_at(&recipe, 0, &reader, &err));
        for (size_t i = 0; i < UNITS * ROWS; i++) {
            MUST(lith_recipe_next(&reader, 1, &run, &err));
            assert_int_equal(run.unit * ROWS + (run.row - first), order[i]);
        }
        lith_recipe_close(&reader);
        lith_recipe_done(&recipe);
        lith_packed_rows_done(&rows);
    }
}

#define LONG_BYTES ((size_t)1 << 20)

/* Strings of a MiB that differ at their very end, with memory for none of them. */
static void long_strings_stay_in_bounds(void **state)
{
    enum { COUNT = 40 };
    static const struct sort_type *type = &sort_types[13];
    uint64_t seed = test_seed();
    uint8_t *bytes = calloc(COUNT, LONG_BYTES + 30);
    size_t expected[COUNT];
    uint8_t tails[COUNT];
    struct lith_key_sorter *sorter;
    struct lith_recipe recipe;
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 1, &type, 0, &seed);
    table.keys[0] = (struct lith_sort_key){0};
    lith_key_layout_init(&table.layout, &table.schema, table.keys, 1);
    MUST(lith_key_sorter_new(&table.layout, (size_t)64 << 10, &work, &sorter, &err));
    MUST(lith_key_sorter_unit(sorter, 0, &err));
    for (size_t i = 0; i < COUNT; i++) {
        /* Some are short, so that blocks and single rows take turns. */
        size_t length = i % 5 == 4 ? 20 : LONG_BYTES;
        uint8_t *key = bytes + i * (LONG_BYTES + 30);
        memset(key, 'x', length);
        tails[i] = (uint8_t)(test_random(&seed) % 20);
        key[length - 1] = tails[i];
        struct lith_key_batch keys = {.count = 1, .data = key, .ends = &length};
        MUST(lith_key_sorter_add(sorter, &keys, &err));
    }
    for (size_t i = 0; i < COUNT; i++) { /* short ones first, by their tails, then the others */
        size_t before = 0;
        for (size_t k = 0; k < COUNT; k++) {
            bool k_short = k % 5 == 4, i_short = i % 5 == 4;
            before += k_short != i_short     ? k_short
                      : tails[k] != tails[i] ? tails[k] < tails[i]
                                             : k < i;
        }
        expected[before] = i;
    }
    lith_recipe_init(&recipe, &work, 1000);
    MUST(lith_key_sorter_finish(sorter, &recipe, NULL, &err));
    MUST(lith_recipe_end(&recipe, &err));
    assert_true(mem.peak < (size_t)100 << 10);
    recipe_check(&recipe, expected, COUNT, COUNT);
    lith_recipe_done(&recipe);
    lith_key_sorter_free(sorter);
    sort_table_done(&table);
    free(bytes);
}

/* First keys of three values, two of 256 bytes at most, behind which more stands than a buffer
 * holds: stretches are found by the beginnings of keys, and none of what is too long. */
static void stretches_of_long_keys(void **state)
{
    enum { COUNT = 60 };
    static const size_t lengths[] = {0, 254, 255};
    static const struct sort_type *types[2] = {&sort_types[13], &sort_types[13]};
    static uint8_t key[300 + 20000];
    uint64_t seed = test_seed();
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 2, types, 0, &seed);
    table.schema.nodes[1].max_def = 0;
    table.keys[0] = table.keys[1] = (struct lith_sort_key){0};
    lith_key_layout_init(&table.layout, &table.schema, table.keys, 2);
    for (size_t memory = 5000; memory <= (size_t)8 << 20; memory *= 40) {
        struct lith_key_stretches stretches;
        struct lith_key_sorter *sorter;
        struct lith_recipe recipe;
        MUST(lith_key_sorter_new(&table.layout, memory, &work, &sorter, &err));
        MUST(lith_key_sorter_unit(sorter, 0, &err));
        for (size_t i = 0; i < COUNT; i++) {
            size_t length = lengths[i % 3], end = length + 2 + test_random(&seed) % 20000;
            struct lith_key_batch keys = {.count = 1, .data = key, .ends = &end};
            memset(key, 'x', sizeof(key));
            memset(key + length, 0, 2);
            key[end - 2] = key[end - 1] = 0;
            MUST(lith_key_sorter_add(sorter, &keys, &err));
        }
        lith_recipe_init(&recipe, &work, 1000);
        lith_key_stretches_init(&stretches, &table.layout, COUNT / 3, &table.mem);
        MUST(lith_key_sorter_finish(sorter, &recipe, &stretches, &err));
        assert_int_equal(stretches.count, 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(stretches.kept[i].begin, i * COUNT / 3);
            assert_int_equal(stretches.kept[i].end, (i + 1) * COUNT / 3);
        }
        lith_key_stretches_done(&stretches);
        lith_recipe_done(&recipe);
        lith_key_sorter_free(sorter);
    }
    sort_table_done(&table);
}

#define PIECES 9
#define PIECE_BYTES 7 /* not the eight that are sorted by at a time */
#define TIED_BYTES (PIECES * PIECE_BYTES + 2)

static int tied_compare(const uint8_t *keys, size_t a, size_t b)
{
    return memcmp(keys + a * TIED_BYTES, keys + b * TIED_BYTES, TIED_BYTES);
}

/* Keys of a few pieces that come again and again: many rows share long beginnings, and whole keys.
 */
static void long_keys_with_long_ties(void **state)
{
    enum { COUNT = 20000 };
    static const size_t memory[] = {50000, (size_t)8 << 20};
    static const struct sort_type *type = &sort_types[13];
    uint64_t seed = test_seed();
    uint8_t *bytes = calloc(COUNT, TIED_BYTES);
    size_t *order = calloc(COUNT, sizeof(*order));
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 1, &type, 0, &seed);
    for (size_t i = 0; i < COUNT; i++) {
        memset(bytes + i * TIED_BYTES, 'x', TIED_BYTES - 2);
        for (size_t k = 0; k < PIECES; k++) {
            if (test_random(&seed) % 4 == 0)
                bytes[i * TIED_BYTES + k * PIECE_BYTES + test_random(&seed) % PIECE_BYTES] = 'y';
        }
        size_t to = i; /* into its place among those before */
        for (size_t low = 0, middle; low < to;) {
            middle = (low + to) / 2;
            if (tied_compare(bytes, order[middle], i) <= 0)
                low = middle + 1;
            else
                to = middle;
        }
        memmove(order + to + 1, order + to, (i - to) * sizeof(*order));
        order[to] = i;
    }
    for (size_t m = 0; m < 2; m++) {
        struct lith_key_sorter *sorter;
        struct lith_recipe recipe;
        MUST(lith_key_sorter_new(&table.layout, memory[m], &work, &sorter, &err));
        MUST(lith_key_sorter_unit(sorter, 0, &err));
        for (size_t i = 0; i < COUNT; i++) {
            size_t length = TIED_BYTES;
            struct lith_key_batch keys = {
                .count = 1, .data = bytes + i * TIED_BYTES, .ends = &length};
            MUST(lith_key_sorter_add(sorter, &keys, &err));
        }
        lith_recipe_init(&recipe, &work, 1000);
        MUST(lith_key_sorter_finish(sorter, &recipe, NULL, &err));
        MUST(lith_recipe_end(&recipe, &err));
        recipe_check(&recipe, order, COUNT, COUNT);
        lith_recipe_done(&recipe);
        lith_key_sorter_free(sorter);
    }
    sort_table_done(&table);
    free(order);
    free(bytes);
}

/* Merges all runs to a recipe or another run. */
static enum lith_code runs_merge(struct lith_sort_runs *runs, size_t common, bool to_recipe)
{
    struct lith_sort_runs merged;
    struct lith_recipe recipe;

    lith_recipe_init(&recipe, &work, 1000);
    lith_sort_runs_init(&merged, runs->width, 1000, &work);
    struct lith_sort_merge_job job = {.from = runs,
                                      .end = runs->count,
                                      .common = common,
                                      .buffer_bytes = LITH_SORT_CURSOR_BYTES_MIN,
                                      .to_runs = to_recipe ? NULL : &merged,
                                      .to_recipe = to_recipe ? &recipe : NULL};
    enum lith_code code = lith_sort_merge(&job, &work, &err);
    lith_sort_runs_done(&merged);
    lith_recipe_done(&recipe);
    return code;
}

/* An entry of a sorted run comes back from scratch with another length. */
static void lengths_that_scratch_changed(void **state)
{
    enum { BYTES = 60, COMMON = 40, ENTRY = LITH_ENTRY_HEAD_BYTES + BYTES, ROWS = 8 };
    static const struct {
        unsigned entry;
        unsigned byte; /* of the length */
        uint8_t flips;
    } cases[] = {
        {0, 0, 0x3c}, /* 0 bytes */
        {1, 0, 0x20}, /* fewer than all keys have in common */
        {3, 0, 0x40}, /* more than the run has */
        {6, 3, 0x80}, /* many more */
        {2, 0, 0x40}, /* behind it is less than a head */
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[BYTES];
        struct lith_slice key = {bytes, BYTES};
        struct lith_sort_runs runs;
        memset(bytes, 'k', BYTES);
        lith_sort_runs_init(&runs, 0, 4096, &work);
        for (unsigned row = 0; row < ROWS; row++) { /* two runs of four */
            bytes[COMMON] = (uint8_t)(row % 4);
            MUST(lith_sort_runs_add_key(&runs, key, row, &err));
        }
        MUST(lith_sort_runs_flush(&runs, &err));
        assert_int_equal(runs.count, 2);
        uint64_t at = cases[i / 2].entry * ENTRY + sizeof(uint64_t) + cases[i / 2].byte;
        sort_damage_plant(&runs.spool.source, at, cases[i / 2].flips, 0);
        sort_damage_check(runs_merge(&runs, COMMON, i % 2), &err);
        lith_sort_runs_done(&runs);
    }
}

/* A record comes back as what stands for a run that has ended. */
static void a_record_like_an_end(void **state)
{
    static const uint8_t bytes[2 * 9] = {[9] = 0xff, 0xff, 0xff, 0xff, 0xff,
                                         0xff,       0xff, 0xff, 0xff};
    static const uint64_t places[2] = {0, (UINT64_C(1) << LITH_PLACE_BITS) - 2};

    (void)state;
    for (int i = 0; i < 4; i++) { /* in either run */
        struct lith_sort_block block;
        struct lith_sort_runs runs;
        uint64_t at = 0;
        lith_sort_block_init(&block, 9, 1000, &mem);
        lith_sort_runs_init(&runs, 9, 1000, &work);
        for (size_t run = 0; run < 2; run++) {
            size_t row = run == (size_t)i % 2, count;
            struct lith_key_batch keys = {.count = 1, .width = 9, .data = bytes + 9 * row};
            if (row)
                at = runs.bytes + offsetof(struct lith_sort_record, ref);
            MUST(lith_sort_block_add(&block, &keys, 0, places[row], &count, &err));
            MUST(lith_sort_runs_begin(&runs, &err));
            MUST(lith_sort_runs_put(&runs, (void *)block.records, sizeof(*block.records), &err));
            lith_sort_block_clear(&block);
        }
        MUST(lith_sort_runs_flush(&runs, &err));
        sort_damage_plant(&runs.spool.source, at, 1, 0);
        sort_damage_check(runs_merge(&runs, 0, i / 2), &err);
        lith_sort_runs_done(&runs);
        lith_sort_block_done(&block);
    }
}

/* Any bit of any run: what was changed may be a key or a place, which nobody can tell here. */
static void runs_that_scratch_changed(void **state)
{
    uint64_t seed = test_seed();
    int found = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct lith_key_common common = {0};
        struct lith_sort_runs runs;
        uint8_t bytes[600];
        lith_sort_runs_init(&runs, 0, 4096, &work);
        memset(bytes, 'k', sizeof(bytes));
        for (unsigned row = 0; row < 20; row++) {
            struct lith_slice key = {bytes, 10 + test_random(&seed) % (round % 2 ? 20 : 590)};
            bytes[6] = (uint8_t)test_random(&seed);
            lith_key_common_add(&common, key);
            MUST(lith_sort_runs_add_key(&runs, key, row, &err));
        }
        MUST(lith_sort_runs_flush(&runs, &err));
        sort_damage_plant(&runs.spool.source, test_random(&seed) % runs.bytes,
                          (uint8_t)(1u << test_random(&seed) % 8),
                          (unsigned)(test_random(&seed) % 3));
        enum lith_code code = runs_merge(&runs, common.bytes, test_random(&seed) % 2);
        if (code != LITH_OK)
            sort_damage_check(code, &err);
        found += code != LITH_OK;
        lith_sort_runs_done(&runs);
    }
    assert_true(found > 20);
}

static void failures_leave_nothing(void **state)
{
    const struct sort_type *types[2] = {&sort_types[5], &sort_types[13]};
    uint64_t seed = test_seed();

    (void)state;
    for (uint32_t fields = 1; fields <= 2; fields++) {
        bool failed = true;
        struct sort_table table;
        sort_table_init(&table, fields, types, 2500, &seed);
        size_t *order = sort_table_order(&table);
        for (int64_t n = 0; failed; n++) {
            struct lith_recipe recipe;
            lith_recipe_init(&recipe, &work, 1000);
            atomic_store(&mem.fail_after, n);
            enum lith_code code = table_sort(&table, 400, LITH_SORT_MEMORY_BYTES_MIN, &recipe);
            failed = atomic_load(&mem.fail_after) < 0;
            atomic_store(&mem.fail_after, -1);
            assert_int_equal(code, failed ? LITH_E_NOMEM : LITH_OK);
            if (!failed)
                recipe_check(&recipe, order, 2500, 400);
            lith_recipe_done(&recipe);
            assert_int_equal(scratch.used, 0);
            assert_int_equal(mem.used, 0);
        }
        for (scratch.limit = 1; scratch.limit < 1000000; scratch.limit *= 3) {
            struct lith_recipe recipe;
            lith_recipe_init(&recipe, &work, 1000);
            enum lith_code code = table_sort(&table, 400, LITH_SORT_MEMORY_BYTES_MIN, &recipe);
            assert_true(code == LITH_OK || code == LITH_E_LIMIT);
            assert_true(code == LITH_E_LIMIT || scratch.limit > 10000);
            lith_recipe_done(&recipe);
            assert_int_equal(scratch.used, 0);
        }
        assert_int_equal(mem.used, 0);
        scratch.limit = LITH_SCRATCH_BYTES_DEFAULT;
        free(order);
        sort_table_done(&table);
    }
}

/* One sorter for many clusters, whose rows follow each other in the recipe. */
static void clusters_take_turns(void **state)
{
    const struct sort_type *type = &sort_types[1];
    uint64_t seed = test_seed();
    struct lith_key_builder builder;
    struct lith_key_sorter *sorter;
    struct lith_recipe recipe;
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 1, &type, 1000, &seed);
    size_t *order = sort_table_order(&table);
    size_t *twice = calloc(2000, sizeof(*twice));
    for (size_t i = 0; i < 2000; i++)
        twice[i] = order[i % 1000];
    lith_key_builder_init(&builder, &table.layout, &mem);
    MUST(lith_key_sorter_new(&table.layout, 5000, &work, &sorter, &err));
    lith_recipe_init(&recipe, &work, 1000);
    MUST(lith_key_sorter_finish(sorter, &recipe, NULL, &err)); /* nothing yet */
    for (int i = 0; i < 2; i++) {
        MUST(table_add(sorter, &table, &builder, 300));
        MUST(lith_key_sorter_finish(sorter, &recipe, NULL, &err));
    }
    MUST(lith_recipe_end(&recipe, &err));
    recipe_check(&recipe, twice, 2000, 300);
    lith_recipe_done(&recipe);
    lith_key_sorter_free(sorter);
    lith_key_builder_done(&builder);
    free(twice);
    free(order);
    sort_table_done(&table);
}

#define UNITS 12

/* Rows [begins[u], begins[u + 1]) of a table are unit u. */
struct units {
    size_t begins[UNITS + 1];
};

/* Sorts the rows, cuts them into units, deals those out in a random order, and then exchanges a few
 * rows: so units are mostly in order and apart, and some not. */
static void units_make(struct sort_table *table, struct units *units, uint64_t *seed)
{
    size_t row_bytes = table->field_count * sizeof(struct sort_cell);
    struct sort_cell *dealt = calloc(table->row_count + 1, row_bytes);
    size_t cuts[UNITS + 1], turns[UNITS], at = 0;

    sort_table_sort(table);
    cuts[0] = 0;
    for (size_t i = 0; i < UNITS; i++) {
        size_t left = table->row_count - cuts[i];
        cuts[i + 1] = i + 1 == UNITS ? table->row_count
                                     : cuts[i] + test_random(seed) % (2 * left / (UNITS - i) + 1);
        size_t k = test_random(seed) % (i + 1);
        turns[i] = turns[k];
        turns[k] = i;
    }
    for (size_t i = 0; i < UNITS; i++) {
        size_t rows = cuts[turns[i] + 1] - cuts[turns[i]];
        units->begins[i] = at;
        memcpy(dealt + at * table->field_count, sort_cell_at(table, cuts[turns[i]], 0),
               rows * row_bytes);
        at += rows;
    }
    units->begins[UNITS] = at;
    free(table->cells);
    table->cells = dealt;
    for (size_t i = test_random(seed) % 4; i > 0 && at > 0; i--) {
        struct sort_cell row[FIELDS_MAX];
        struct sort_cell *a = table->cells + test_random(seed) % at * table->field_count;
        struct sort_cell *b = table->cells + test_random(seed) % at * table->field_count;
        memcpy(row, a, row_bytes);
        memmove(a, b, row_bytes);
        memcpy(b, row, row_bytes);
    }
}

/* The keys of a unit to a proof of its order, a sorter, or both. */
static void unit_read(struct sort_table *table, const struct units *units, uint32_t unit,
                      struct lith_key_order *order, struct lith_key_builder *builder,
                      struct lith_key_sorter *sorter)
{
    for (size_t at = units->begins[unit]; at < units->begins[unit + 1];) {
        size_t left = units->begins[unit + 1] - at, count = left < 30 ? left : 30;
        struct lith_key_rows rows = sort_table_rows(table, at, count);
        struct lith_key_batch keys;
        if (order)
            MUST(lith_key_order_add(order, &rows, &err));
        if (sorter) {
            MUST(lith_key_builder_build(builder, &rows, &keys, &err));
            MUST(lith_key_sorter_add(sorter, &keys, &err));
        }
        at += count;
    }
}

/* As a merge does it: prove, cluster, sort what overlaps. Returns how many clusters need no sort.
 */
static size_t units_sort(struct sort_table *table, const struct units *units,
                         struct lith_recipe *recipe)
{
    struct lith_unit_range ranges[UNITS];
    struct lith_unit_cluster *clusters;
    struct lith_key_builder builder;
    struct lith_key_sorter *sorter;
    struct lith_key_order order;
    struct lith_arena arena;
    size_t count, copied = 0;

    lith_arena_init(&arena, &mem);
    lith_key_order_init(&order, &table->layout, &mem);
    lith_key_builder_init(&builder, &table->layout, &mem);
    MUST(lith_key_sorter_new(&table->layout, 5000, &work, &sorter, &err));
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        lith_key_order_begin(&order);
        unit_read(table, units, unit, &order, NULL, NULL);
        MUST(lith_key_order_range(&order, unit, &arena, &ranges[unit], &err));
    }
    MUST(lith_unit_clusters(ranges, UNITS, &arena, &clusters, &count, &err));
    for (size_t i = 0; i < count; i++) {
        const struct lith_unit_cluster *cluster = &clusters[i];
        if (!cluster->needs_sort) {
            copied++;
            MUST(lith_recipe_add(recipe, ranges[cluster->begin].unit, 0, cluster->row_count, &err));
            continue;
        }
        for (size_t k = cluster->begin; k < cluster->end; k++) {
            MUST(lith_key_sorter_unit(sorter, ranges[k].unit, &err));
            unit_read(table, units, ranges[k].unit, NULL, &builder, sorter);
        }
        MUST(lith_key_sorter_finish(sorter, recipe, NULL, &err));
    }
    MUST(lith_recipe_end(recipe, &err));
    lith_key_sorter_free(sorter);
    lith_key_builder_done(&builder);
    lith_key_order_done(&order);
    lith_arena_done(&arena);
    return copied;
}

/* Proofs, clusters and sorts together give the order of all rows. */
static void clusters_are_the_whole_order(void **state)
{
    uint64_t seed = test_seed();
    size_t copied = 0;

    (void)state;
    for (int round = 0; round < 200; round++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = 1 + (uint32_t)(test_random(&seed) % FIELDS_MAX);
        struct lith_recipe_reader reader;
        struct lith_recipe_run run;
        struct lith_recipe recipe;
        struct sort_table table;
        struct units units;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, test_random(&seed) % 2000, &seed);
        units_make(&table, &units, &seed);
        size_t *order = sort_table_order(&table);
        lith_recipe_init(&recipe, &work, 1000);
        copied += units_sort(&table, &units, &recipe);
        assert_int_equal(recipe.row_count, table.row_count);
        MUST(lith_recipe_open_at(&recipe, 0, &reader, &err));
        for (size_t at = 0; at < table.row_count; at++) {
            MUST(lith_recipe_next(&reader, 1, &run, &err));
            assert_int_equal(run.row_count, 1);
            assert_int_equal(units.begins[run.unit] + run.row, order[at]);
        }
        lith_recipe_close(&reader);
        lith_recipe_done(&recipe);
        free(order);
        sort_table_done(&table);
    }
    assert_true(copied > 200); /* of 2400 units */
}

/* More bytes than an entry's length has bits for; none of them is read. */
static void a_key_beyond_an_entry(void **state)
{
    static const uint8_t byte;
    static const size_t end = (size_t)UINT32_MAX + 1;
    struct lith_key_batch keys = {.count = 1, .data = &byte, .ends = &end};
    struct lith_sort_block block;
    struct lith_sort_runs runs;
    size_t count;

    (void)state;
    mem.limit = 1 << 20;
    lith_sort_block_init(&block, 0, (size_t)64 << 30, &mem);
    lith_sort_runs_init(&runs, 0, 1000, &work);
    assert_int_equal(lith_sort_block_add(&block, &keys, 0, 0, &count, &err), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "a sort key of 4294967296 bytes"));
    assert_int_equal(lith_sort_runs_add_key(&runs, lith_key_at(&keys, 0), 0, &err), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "a sort key of 4294967296 bytes"));
    lith_sort_runs_done(&runs);
    lith_sort_block_done(&block);
}

static void limits_and_cancelling(void **state)
{
    const struct sort_type *type = &sort_types[5];
    uint64_t seed = 1;
    struct lith_key_sorter *sorter;
    struct lith_recipe recipe;
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 1, &type, 300, &seed);
    MUST(lith_key_sorter_new(&table.layout, 5000, &work, &sorter, &err));
    MUST(lith_key_sorter_unit(sorter, LITH_UNIT_COUNT_MAX - 1, &err));
    assert_int_equal(lith_key_sorter_unit(sorter, LITH_UNIT_COUNT_MAX, &err), LITH_E_LIMIT);
    lith_key_sorter_free(sorter);
    lith_key_sorter_free(NULL);
    lith_recipe_init(&recipe, &work, 1000);
    cancel = 1;
    control.cancel = &cancel;
    assert_int_equal(table_sort(&table, 100, 5000, &recipe), LITH_E_CANCELLED);
    control.cancel = NULL;
    lith_recipe_done(&recipe);
    sort_table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_as_comparing_values, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(stretches_are_those_of_the_rows, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(stretches_of_long_keys, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(ordered_rows_are_one_run, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(packed_units_stay_apart, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(short_keys_are_packed, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(long_strings_stay_in_bounds, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(long_keys_with_long_ties, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(lengths_that_scratch_changed, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_record_like_an_end, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(runs_that_scratch_changed, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(clusters_take_turns, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(clusters_are_the_whole_order, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_key_beyond_an_entry, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(limits_and_cancelling, scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
