/*
 * Keys that are kept: which are, and that rows sorted by them stand as if all had been read.
 */
#include "mem_support.h"

#include "sort/key_sorter.h"

#define UNITS_MAX 12
#define ROWS_MAX 200
#define WIDTH_MAX 9

static struct lith_err err;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};

struct units {
    struct lith_key_layout layout;
    uint32_t count;
    size_t rows[UNITS_MAX];
    uint8_t keys[UNITS_MAX][ROWS_MAX * WIDTH_MAX];
    struct lith_unit_range ranges[UNITS_MAX];
    struct lith_sort_outlook outlook;
    uint64_t row_count;
};

/* Random keys, of nine bytes with a marker, which `strange` of ten units have otherwise. */
static void units_make(struct units *units, size_t width, size_t strange, uint64_t *seed)
{
    memset(units, 0, sizeof(*units));
    units->layout.width = width;
    units->count = 1 + (uint32_t)(test_random(seed) % UNITS_MAX);
    for (uint32_t unit = 0; unit < units->count; unit++) {
        bool is_strange = width == 9 && test_random(seed) % 10 < strange;
        size_t rows = units->rows[unit] = 1 + test_random(seed) % ROWS_MAX;
        struct lith_slice least = {0}, most = {0};
        for (size_t i = 0; i < rows; i++) {
            uint8_t *key = units->keys[unit] + i * width;
            for (size_t k = 0; k < width; k++)
                key[k] = k + 3 < width ? (uint8_t)(k == 0) : (uint8_t)test_random(seed);
            if (is_strange)
                key[0] = 2;
            struct lith_slice slice = {key, width};
            least = !i || lith_key_compare(slice, least) < 0 ? slice : least;
            most = !i || lith_key_compare(slice, most) > 0 ? slice : most;
        }
        units->ranges[unit] = (struct lith_unit_range){
            .unit = unit, .row_count = rows, .smallest = {least, false}, .largest = {most, false}};
        struct lith_sort_outlook *all = &units->outlook;
        all->smallest = !unit || lith_key_compare(least, all->smallest) < 0 ? least : all->smallest;
        all->largest = !unit || lith_key_compare(most, all->largest) > 0 ? most : all->largest;
        all->unit_rows_max = rows > all->unit_rows_max ? rows : all->unit_rows_max;
        all->row_count += rows;
    }
    units->outlook.unit_count = units->count;
}

/* The first look, a few rows at a time. */
static enum lith_code units_keep(const struct units *units, struct lith_kept_keys *kept,
                                 uint64_t *seed)
{
    size_t width = units->layout.width;

    for (uint32_t unit = 0; unit < units->count; unit++) {
        for (size_t at = 0, some; at < units->rows[unit]; at += some) {
            some = 1 + test_random(seed) % (units->rows[unit] - at);
            struct lith_key_batch keys = {
                .count = some, .width = width, .data = units->keys[unit] + at * width};
            if (lith_kept_keys_wants(kept))
                LITH_TRY(lith_kept_keys_add(kept, &keys, &err));
        }
        LITH_TRY(lith_kept_keys_unit(kept, &units->ranges[unit],
                                     unit ? &units->ranges[unit - 1] : NULL, &err));
    }
    return LITH_OK;
}

/* The second, of units that were not kept. */
static enum lith_code units_sort(struct units *units, struct lith_kept_keys *kept,
                                 size_t memory_bytes, struct lith_recipe *recipe)
{
    struct lith_key_sorter *sorter;

    units->outlook.kept = kept;
    LITH_TRY(lith_key_sorter_new(&units->layout, memory_bytes, &work, &sorter, &err));
    enum lith_code code = lith_key_sorter_expect(sorter, &units->outlook, &err);
    for (uint32_t unit = 0; code == LITH_OK && unit < units->count; unit++) {
        struct lith_key_batch keys = {
            .count = units->rows[unit], .width = units->layout.width, .data = units->keys[unit]};
        if (lith_kept_keys_has(kept, unit))
            continue;
        code = lith_key_sorter_unit(sorter, unit, &err);
        if (code == LITH_OK)
            code = lith_key_sorter_add(sorter, &keys, &err);
    }
    if (code == LITH_OK)
        code = lith_key_sorter_finish(sorter, recipe, NULL, &err);
    if (code == LITH_OK)
        code = lith_recipe_end(recipe, &err);
    lith_key_sorter_free(sorter);
    return code;
}

/* All rows once, in their order. */
static void recipe_check(const struct units *units, struct lith_recipe *recipe)
{
    size_t width = units->layout.width;
    struct lith_recipe_reader reader;
    struct lith_recipe_run run, last = {0};
    uint64_t rows = 0;

    assert_int_equal(recipe->row_count, units->outlook.row_count);
    MUST(lith_recipe_open_at(recipe, 0, &reader, &err));
    for (;; rows++) {
        MUST(lith_recipe_next(&reader, 1, &run, &err));
        if (run.row_count == 0)
            break;
        assert_true(run.unit < units->count && run.row < units->rows[run.unit]);
        if (rows) { /* behind the last one by key, unit, row: so no row comes twice */
            int order = memcmp(units->keys[last.unit] + last.row * width,
                               units->keys[run.unit] + run.row * width, width);
            assert_true(order < 0 ||
                        (order == 0 &&
                         (last.unit < run.unit || (last.unit == run.unit && last.row < run.row))));
        }
        last = run;
    }
    assert_int_equal(rows, units->outlook.row_count);
    lith_recipe_close(&reader);
}

static void sorted_by_kept_keys(void **state)
{
    static const size_t room[] = {0, 2000, 1 << 20};
    uint64_t seed = test_seed();
    unsigned all = 0, some = 0, none = 0, dropped = 0;

    (void)state;
    for (size_t i = 0; i < 600; i++) {
        static struct units units;
        struct lith_kept_keys kept;
        struct lith_recipe recipe;
        uint32_t count = 0;
        units_make(&units, 1 + i % WIDTH_MAX, i % 4 == 0 ? 3 : 0, &seed);
        lith_kept_keys_init(&kept, &units.layout, room[test_random(&seed) % 3], UINT32_MAX, &mem);
        MUST(units_keep(&units, &kept, &seed));
        for (uint32_t unit = 0; unit < units.count; unit++)
            count += lith_kept_keys_has(&kept, unit);
        lith_recipe_init(&recipe, &work, 1000);
        MUST(units_sort(&units, &kept, i % 5 ? 1 << 20 : 1 << 16, &recipe));
        dropped += count && !kept.unit_count;
        assert_null(kept.numbers);
        recipe_check(&units, &recipe);
        all += count && count + 1 == units.count; /* but the first, which shows that it pays */
        some += count && count + 1 < units.count;
        none += count == 0;
        lith_recipe_done(&recipe);
        lith_kept_keys_done(&kept);
    }
    assert_true(all > 20 && some > 20 && none > 20 && dropped > 20);
}

/* Units in order that lie apart are not kept, nor are any before it shows that a sort is needed;
 * and none of too many rows. */
static void which_are_kept(void **state)
{
    static const struct {
        const char *begins, *ends; /* of units' keys of one byte */
        const char *in_order;
        uint64_t rows_max;
        const char *kept;
    } cases[] = {
        {"aceg", "bdfh", "yyyy", 100, "nnnn"}, {"geca", "hfdb", "yyyy", 100, "nnnn"},
        {"acdg", "bdfh", "yyyy", 100, "nnny"}, {"aceg", "bdfh", "nyyy", 100, "nyyy"},
        {"aceg", "bdfh", "yynn", 100, "nnny"}, {"aaaa", "bbbb", "yyyy", 100, "nnyy"},
        {"aaaa", "bbbb", "yyyy", 7, "nnnn"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_key_layout layout = {.width = 1};
        struct lith_kept_keys kept;
        struct lith_unit_range ranges[4];
        lith_kept_keys_init(&kept, &layout, 1 << 20, cases[i].rows_max, &mem);
        for (size_t unit = 0; unit < 4; unit++) {
            uint8_t bytes[2] = {(uint8_t)cases[i].begins[unit], (uint8_t)cases[i].ends[unit]};
            struct lith_key_batch keys = {.count = 2, .width = 1, .data = bytes};
            ranges[unit] = (struct lith_unit_range){
                .row_count = 2,
                .in_order = cases[i].in_order[unit] == 'y',
                .smallest.bytes = {(const uint8_t *)cases[i].begins + unit, 1},
                .largest.bytes = {(const uint8_t *)cases[i].ends + unit, 1},
            };
            if (lith_kept_keys_wants(&kept))
                MUST(lith_kept_keys_add(&kept, &keys, &err));
            MUST(lith_kept_keys_unit(&kept, &ranges[unit], unit ? &ranges[unit - 1] : NULL, &err));
        }
        for (size_t unit = 0; unit < 4; unit++)
            assert_int_equal(lith_kept_keys_has(&kept, unit), cases[i].kept[unit] == 'y');
        if (i < 2 || i == 6)
            assert_null(kept.numbers);
        lith_kept_keys_done(&kept);
    }
}

/* Keys can be read again: where the budget has no room for them none are kept. */
static void no_room_is_no_failure(void **state)
{
    static struct units units;
    uint64_t seed = test_seed();
    struct lith_kept_keys kept;
    size_t limit = mem.limit;

    (void)state;
    do {
        units_make(&units, 8, 0, &seed);
    } while (units.count < 3);
    lith_kept_keys_init(&kept, &units.layout, 1 << 20, UINT32_MAX, &mem);
    mem.limit = 1000;
    MUST(units_keep(&units, &kept, &seed));
    mem.limit = limit;
    assert_false(lith_kept_keys_has(&kept, 2));
    assert_int_equal(atomic_load(&mem.used), 0);
    lith_kept_keys_done(&kept);
}

static void allocations_fail(void **state)
{
    static struct units units;
    uint64_t seed = test_seed();
    int64_t failures = 0;

    (void)state;
    do {
        units_make(&units, 9, 0, &seed);
    } while (units.count < 3);
    for (enum lith_code code = LITH_E_NOMEM; code != LITH_OK; failures++) {
        struct lith_kept_keys kept;
        struct lith_recipe recipe;
        atomic_store(&mem.fail_after, failures);
        lith_kept_keys_init(&kept, &units.layout, 1 << 20, UINT32_MAX, &mem);
        lith_recipe_init(&recipe, &work, 1000);
        code = units_keep(&units, &kept, &seed);
        if (code == LITH_OK)
            code = units_sort(&units, &kept, 1 << 20, &recipe);
        atomic_store(&mem.fail_after, -1);
        if (code == LITH_OK)
            recipe_check(&units, &recipe);
        else
            assert_int_equal(code, LITH_E_NOMEM);
        lith_recipe_done(&recipe);
        lith_kept_keys_done(&kept);
        assert_int_equal(atomic_load(&mem.used), 0);
    }
    assert_true(failures > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sorted_by_kept_keys, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(which_are_kept, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(no_room_is_no_failure, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(allocations_fail, scratch_setup, scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
