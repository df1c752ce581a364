/*
 * The external sort: its recipe is the order of a comparison of values, whatever the memory, and
 * what fails leaves nothing behind.
 */
#include "sort_support.h"

#include "sort/key_sorter.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static volatile sig_atomic_t cancel;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static char folder[64];
static int dir_fd;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    test_folder_make(folder, &dir_fd);
    lith_scratch_init(&scratch, folder, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_int_equal(scratch.used, 0);
    test_folder_remove(folder, dir_fd);
    lith_mem_done(&mem);
    return 0;
}

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

static enum lith_code table_sort(struct sort_table *table, size_t unit_rows, size_t memory_bytes,
                                 struct lith_recipe *recipe)
{
    struct lith_key_builder builder;
    struct lith_key_sorter *sorter;

    LITH_TRY(lith_key_sorter_new(&table->layout, memory_bytes, &work, &sorter, &err));
    lith_key_builder_init(&builder, &table->layout, &table->mem);
    enum lith_code code = table_add(sorter, table, &builder, unit_rows);
    if (code == LITH_OK)
        code = lith_key_sorter_finish(sorter, recipe, &err);
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
        if (at < row_count) { /* runs are as long as they can be */
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
        MUST(table_sort(&table, unit_rows, memory_bytes, &recipe));
        /* Besides: the sorter, the recipe's block and spool, a few words a run. */
        if (mem.peak > memory_bytes + memory_bytes / 8 + 20000)
            fail_msg("%zu bytes of memory, %zu were taken", memory_bytes, mem.peak);
        recipe_check(&recipe, order, rows, unit_rows);
        lith_recipe_done(&recipe);
        free(order);
        sort_table_done(&table);
    }
}

/* Rows that come in order are one run and never merged, however little memory there is. */
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
        MUST(table_sort(&table, 3000, LITH_SORT_MEMORY_BYTES_MIN, &recipe));
        assert_int_equal(recipe.run_count, 1);
        lith_recipe_done(&recipe);
        sort_table_done(&table);
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
    MUST(lith_key_sorter_finish(sorter, &recipe, &err));
    MUST(lith_recipe_end(&recipe, &err));
    assert_true(mem.peak < (size_t)100 << 10);
    recipe_check(&recipe, expected, COUNT, COUNT);
    lith_recipe_done(&recipe);
    lith_key_sorter_free(sorter);
    sort_table_done(&table);
    free(bytes);
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
    MUST(lith_key_sorter_finish(sorter, &recipe, &err)); /* nothing yet */
    for (int i = 0; i < 2; i++) {
        MUST(table_add(sorter, &table, &builder, 300));
        MUST(lith_key_sorter_finish(sorter, &recipe, &err));
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
        cmocka_unit_test_setup_teardown(same_as_comparing_values, setup, teardown),
        cmocka_unit_test_setup_teardown(ordered_rows_are_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(long_strings_stay_in_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(clusters_take_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_and_cancelling, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
