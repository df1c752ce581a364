/*
 * Recipes: runs join where they can, and come back from any output row on.
 */
#include "mem_support.h"
#include "sort_damage_support.h"

#include "sort/recipe.h"

static struct lith_err err;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};

#define RUNS 5000

/* Runs as they were added, and the output row at which each begins. */
struct added {
    struct lith_recipe_run runs[RUNS];
    uint64_t begins[RUNS];
    uint64_t rows;
};

static void runs_make(struct added *added, uint64_t *seed)
{
    added->rows = 0;
    for (size_t i = 0; i < RUNS; i++) {
        struct lith_recipe_run *run = &added->runs[i];
        *run = (struct lith_recipe_run){.unit = (uint32_t)(test_random(seed) % 3),
                                        .row = test_random(seed) % 1000000,
                                        .row_count = 1 + test_random(seed) % 5};
        if (i && test_random(seed) % 3 == 0) /* goes on where the one before ended */
            *run = (struct lith_recipe_run){run[-1].unit, run[-1].row + run[-1].row_count, 2};
        added->begins[i] = added->rows;
        added->rows += run->row_count;
    }
}

/* The place of an output row. */
static struct lith_recipe_run row_at(const struct added *added, uint64_t row)
{
    size_t low = 0, high = RUNS;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(added->begins[middle] <= row ? &low : &high) = middle;
    }
    struct lith_recipe_run run = added->runs[low];
    run.row += row - added->begins[low];
    return run;
}

/* The same rows as places; rows of a unit are below 2^20, so that 21 bits are too many. */
static void places_add(struct lith_recipe *recipe, const struct added *added)
{
    uint32_t row_bits = 21;
    void *block;
    size_t at = 0;

    lith_recipe_allow_places(recipe, added->rows * sizeof(uint32_t));
    assert_false(lith_recipe_wants_places(recipe, added->rows + 1));
    assert_true(lith_recipe_wants_places(recipe, added->rows));
    MUST(lith_alloc(&mem, added->rows * sizeof(uint32_t), &block, &err));
    uint32_t *places = block;
    for (size_t i = 0; i < RUNS; i++)
        for (uint64_t k = 0; k < added->runs[i].row_count; k++)
            places[at++] = added->runs[i].unit << row_bits | (uint32_t)(added->runs[i].row + k);
    assert_int_equal(at, added->rows);
    lith_recipe_take_places(recipe, places, added->rows, 0, row_bits);
    assert_int_equal(lith_recipe_places_bytes(recipe), added->rows * sizeof(uint32_t));
}

static void runs_add(struct lith_recipe *recipe, const struct added *added)
{
    for (size_t i = 0; i < RUNS; i++) {
        const struct lith_recipe_run *run = &added->runs[i];
        MUST(lith_recipe_add(recipe, run->unit, run->row, run->row_count, &err));
        MUST(lith_recipe_add(recipe, 7, 7, 0, &err)); /* no rows: nothing */
    }
}

static void read_from_any_row(void **state)
{
    static const size_t memory[] = {0, 10000, 1000000, SIZE_MAX /* as places */};
    static struct added added;
    uint64_t seed = test_seed();

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        struct lith_recipe recipe;
        runs_make(&added, &seed);
        lith_recipe_init(&recipe, &work, memory[m]);
        (m == 3 ? places_add : runs_add)(&recipe, &added);
        MUST(lith_recipe_end(&recipe, &err));
        assert_int_equal(recipe.row_count, added.rows);
        assert_true(recipe.run_count < RUNS);
        for (size_t i = 0; i < 300; i++) {
            uint64_t at = i == 0 ? added.rows : test_random(&seed) % added.rows;
            uint64_t end = added.rows - at > 3000 && i > 1 ? at + 3000 : added.rows;
            struct lith_recipe_reader reader;
            struct lith_recipe_run run, runs[40];
            MUST(lith_recipe_open_at(&recipe, at, &reader, &err));
            while (at < end) {
                uint64_t most = 1 + test_random(&seed) % (i % 2 ? 4 : 400);
                size_t runs_max = 1 + test_random(&seed) % 40, count = 1;
                if (i % 3 == 0)
                    MUST(lith_recipe_next(&reader, most, runs, &err));
                else
                    MUST(lith_recipe_next_some(&reader, most, runs_max, runs, &count, &err));
                assert_true(count > 0 && count <= runs_max);
                uint64_t before = at;
                for (size_t r = 0; r < count; r++) {
                    assert_true(runs[r].row_count > 0);
                    for (uint64_t k = 0; k < runs[r].row_count; k++, at++) {
                        struct lith_recipe_run expected = row_at(&added, at);
                        assert_int_equal(runs[r].unit, expected.unit);
                        assert_int_equal(runs[r].row + k, expected.row);
                    }
                }
                assert_true(at - before <= most);
            }
            if (at == added.rows) {
                size_t count;
                MUST(lith_recipe_next(&reader, 1, &run, &err));
                assert_int_equal(run.row_count, 0);
                MUST(lith_recipe_next_some(&reader, 1, 40, runs, &count, &err));
                assert_int_equal(count, 0);
            }
            lith_recipe_close(&reader);
        }
        lith_recipe_done(&recipe);
    }
}

/* Exactly as many runs as blocks hold, and none. */
static void ends_of_blocks(void **state)
{
    static const uint32_t counts[] = {0,
                                      1,
                                      LITH_RECIPE_BLOCK_RUNS - 1,
                                      LITH_RECIPE_BLOCK_RUNS,
                                      LITH_RECIPE_BLOCK_RUNS + 1,
                                      2 * LITH_RECIPE_BLOCK_RUNS};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct lith_recipe recipe;
        struct lith_recipe_reader reader;
        struct lith_recipe_run run;
        lith_recipe_init(&recipe, &work, 0);
        for (uint32_t k = 0; k < counts[i]; k++)
            MUST(lith_recipe_add(&recipe, k, 5, 1, &err));
        MUST(lith_recipe_end(&recipe, &err));
        for (uint32_t from = 0; from <= counts[i]; from += 511) {
            MUST(lith_recipe_open_at(&recipe, from, &reader, &err));
            for (uint32_t k = from; k < counts[i]; k++) {
                MUST(lith_recipe_next(&reader, UINT64_MAX, &run, &err));
                assert_int_equal(run.unit, k);
            }
            MUST(lith_recipe_next(&reader, UINT64_MAX, &run, &err));
            assert_int_equal(run.row_count, 0);
            lith_recipe_close(&reader);
        }
        lith_recipe_done(&recipe);
    }
}

/* A block says that it begins with another row, so that the one looked for is not in it. */
static void blocks_of_other_rows(void **state)
{
    static const struct {
        uint64_t row;
        uint64_t at; /* of a byte of the row that block 1 or 2 begins with */
        uint8_t flips;
    } cases[] = {
        {2500, 2 * 8200 + 1, 0x08}, /* 2048 is 0: behind its end is nothing */
        {1500, 1 * 8200 + 1, 0x04}, /* 1024 is 0: behind its end is another block */
        {1500, 1 * 8200 + 1, 0x08}, /* 1024 is 3072: the row would be in block 0 */
        {2500, 2 * 8200 + 7, 0x80},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_recipe recipe;
        struct lith_recipe_reader reader;
        lith_recipe_init(&recipe, &work, 0);
        for (uint64_t k = 0; k < 3000; k++)
            MUST(lith_recipe_add(&recipe, 0, 2 * k, 1, &err));
        MUST(lith_recipe_end(&recipe, &err));
        sort_damage_plant(&recipe.spool.source, cases[i].at, cases[i].flips, 0);
        sort_damage_check(lith_recipe_open_at(&recipe, cases[i].row, &reader, &err), &err);
        lith_recipe_done(&recipe);
    }
}

static void limits_and_failures(void **state)
{
    struct lith_recipe recipe = {0};
    struct lith_recipe_reader reader = {0};
    enum lith_code code = LITH_OK;

    (void)state;
    lith_recipe_done(&recipe);
    lith_recipe_close(&reader);
    lith_recipe_init(&recipe, &work, 1000);
    assert_int_equal(lith_recipe_add(&recipe, LITH_UNIT_COUNT_MAX, 0, 1, &err), LITH_E_LIMIT);
    assert_int_equal(lith_recipe_add(&recipe, 0, LITH_UNIT_ROWS_MAX, 1, &err), LITH_E_LIMIT);
    assert_int_equal(lith_recipe_add(&recipe, 0, 1, LITH_UNIT_ROWS_MAX - 1, &err), LITH_E_LIMIT);
    MUST(lith_recipe_add(&recipe, LITH_UNIT_COUNT_MAX - 1, 1, LITH_UNIT_ROWS_MAX - 2, &err));
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_recipe_add(&recipe, 0, 9, 1, &err), LITH_E_NOMEM);
    MUST(lith_recipe_add(&recipe, 0, 9, 1, &err)); /* nothing was lost */
    MUST(lith_recipe_end(&recipe, &err));
    assert_int_equal(recipe.run_count, (LITH_UNIT_ROWS_MAX - 2 + 255) / 256 + 1);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_recipe_open_at(&recipe, 0, &reader, &err), LITH_E_NOMEM);
    MUST(lith_recipe_open_at(&recipe, recipe.row_count - 1, &reader, &err));
    lith_recipe_close(&reader);
    lith_recipe_done(&recipe);
    scratch.limit = 20000; /* full scratch */
    lith_recipe_init(&recipe, &work, 1000);
    for (uint32_t i = 0; i < 10000 && code == LITH_OK; i++)
        code = lith_recipe_add(&recipe, i, 0, 1, &err);
    assert_int_equal(code, LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "--scratch-max"));
    lith_recipe_done(&recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read_from_any_row, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(ends_of_blocks, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(blocks_of_other_rows, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(limits_and_failures, scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
