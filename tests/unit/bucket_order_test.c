/*
 * The order of a bucket, found both ways, against rows counted one by one.
 */
#include "deal_support.h"
#include "sort_damage_support.h"

#include "sort/bucket_order.h"

#define UNIT_BEGIN 3
#define BUCKETS 3

typedef enum lith_code (*find_order)(const struct lith_deal_span *span, uint32_t bucket,
                                     struct lith_bucket_order *ret_order, struct lith_err *err);

static const find_order ways[] = {lith_bucket_order_rank, lith_bucket_order_sort,
                                  lith_bucket_order_find};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

struct tools {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct model model;
    struct lith_recipe recipe;
    struct lith_deal_unit units[MODEL_UNITS_MAX];
    uint64_t borders[BUCKETS + 1];
    struct lith_deal_span span;
};

/* Buckets of some rows of random units. */
static void tools_init(struct tools *t, size_t rows_max, uint64_t *seed)
{
    *t = (struct tools){.work = {.mem = &t->mem, .scratch = &t->scratch, .control = &t->control}};
    lith_mem_init(&t->mem, (size_t)256 << 20, NULL);
    lith_scratch_init(&t->scratch, "/tmp", 0);
    for (model_init(&t->model, rows_max, seed); t->model.row_count < BUCKETS;
         model_init(&t->model, rows_max, seed))
        model_done(&t->model);
    model_recipe(&t->model, &t->work, UNIT_BEGIN, &t->recipe);
    model_units(&t->model, t->units);
    model_borders(&t->model, BUCKETS, t->borders);
    t->span = (struct lith_deal_span){.work = &t->work,
                                      .recipe = &t->recipe,
                                      .borders = t->borders,
                                      .bucket_count = BUCKETS,
                                      .unit_begin = UNIT_BEGIN,
                                      .unit_count = t->model.unit_count,
                                      .units = t->units,
                                      .leaf_count = 1,
                                      .memory_bytes_max = 1 << 20};
}

/* One unit of `unit_rows` rows in order instead, of which one bucket takes the first. */
static void one_unit(struct tools *t, uint32_t unit_rows, uint64_t bucket_rows)
{
    lith_recipe_done(&t->recipe);
    lith_recipe_init(&t->recipe, &t->work, 1 << 16);
    t->units[0] = (struct lith_deal_unit){unit_rows, true};
    t->borders[1] = bucket_rows;
    t->span.bucket_count = 1;
    t->span.unit_begin = 0;
    t->span.unit_count = 1;
}

static void tools_done(struct tools *t)
{
    lith_recipe_done(&t->recipe);
    model_done(&t->model);
    lith_mem_done(&t->mem);
    assert_int_equal(atomic_load(&t->scratch.used), 0);
}

static int place_compare(const void *a, const void *b)
{
    const struct model_place *x = a, *y = b;

    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* That arrivals say of each output row where it stands among those of the bucket by unit and row.
 */
static void order_check(const struct tools *t, uint32_t bucket,
                        const struct lith_bucket_order *order)
{
    size_t rows = (size_t)(t->borders[bucket + 1] - t->borders[bucket]);
    const struct model_place *places = t->model.places + t->borders[bucket];
    struct model_place *arrived = model_room(rows, sizeof(*arrived));

    assert_int_equal(order->bucket, bucket);
    assert_int_equal(order->row_count, rows);
    memcpy(arrived, places, rows * sizeof(*places));
    qsort(arrived, rows, sizeof(*arrived), place_compare);
    for (size_t i = 0; i < rows; i++) {
        assert_true(order->arrivals[i] < rows);
        assert_int_equal(place_compare(&arrived[order->arrivals[i]], &places[i]), 0);
    }
    free(arrived);
}

static void test_both_ways(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct tools t;
        tools_init(&t, round % 10 ? 200 : 20000, &seed);
        for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
            for (size_t way = 0; way < WAYS; way++) {
                struct lith_bucket_order order;
                struct lith_err err;
                MUST(ways[way](&t.span, bucket, &order, &err));
                order_check(&t, bucket, &order);
                lith_bucket_order_done(&order);
            }
        }
        tools_done(&t);
    }
}

/* A bucket of few rows of many, and one for which memory has no room of bits: sorted. */
static void test_which_way(void **state)
{
    static const struct {
        uint32_t unit_rows;
        size_t memory;
        uint64_t bucket_rows;
        size_t more; /* than what arrivals take, at most */
    } cases[] = {
        {1 << 20, 1 << 20, 1 << 20, 220 << 10}, /* three bytes for 16 rows, and a reader's block */
        {1 << 20, 1 << 20, 2, 20 << 10},
        {1 << 20, 64 << 10, 1 << 20, 20 << 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_bucket_order order;
        struct lith_err err;
        uint64_t seed = 1;
        struct tools t;
        tools_init(&t, 10, &seed);
        one_unit(&t, cases[i].unit_rows, cases[i].bucket_rows);
        MUST(lith_recipe_add(&t.recipe, 0, 0, cases[i].unit_rows, &err));
        MUST(lith_recipe_end(&t.recipe, &err));
        t.span.memory_bytes_max = cases[i].memory;
        size_t before = atomic_load(&t.mem.used);
        atomic_store(&t.mem.peak, before);
        MUST(lith_bucket_order_find(&t.span, 0, &order, &err));
        size_t more = atomic_load(&t.mem.peak) - before - order.row_count * sizeof(uint32_t);
        assert_true(more <= cases[i].more);
        assert_true((more > 100 << 10) == (i == 0));
        for (uint32_t k = 0; k < order.row_count; k++)
            assert_int_equal(order.arrivals[k], k);
        lith_bucket_order_done(&order);
        tools_done(&t);
    }
}

static void test_allocations_fail(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        struct lith_bucket_order order;
        struct lith_err err;
        int64_t failures = 0;
        struct tools t;
        tools_init(&t, 100, &seed);
        size_t before = atomic_load(&t.mem.used);
        for (;; failures++) {
            atomic_store(&t.mem.fail_after, failures);
            enum lith_code code = ways[way](&t.span, 1, &order, &err);
            if (code == LITH_OK)
                break;
            assert_int_equal(code, LITH_E_NOMEM);
            assert_int_equal(atomic_load(&t.mem.used), before);
        }
        assert_true(failures > 3);
        order_check(&t, 1, &order);
        lith_bucket_order_done(&order);
        tools_done(&t);
    }
}

/* One bit of the recipe is another, from some reading on: what comes of it has each arrival once,
 * or there is none. */
static void test_damaged_recipe(void **state)
{
    uint64_t seed = test_seed();
    int found = 0;

    (void)state;
    for (size_t round = 0; round < 3000; round++) {
        struct lith_bucket_order order;
        struct lith_err err;
        struct tools t;
        tools_init(&t, 40, &seed);
        size_t at = 8 + model_below(&seed, 8 * (size_t)t.recipe.run_count);
        sort_damage_plant(&t.recipe.spool.source, at, (uint8_t)(1u << model_below(&seed, 8)),
                          (unsigned)model_below(&seed, 2));
        enum lith_code code = ways[round % WAYS](&t.span, 0, &order, &err);
        if (code != LITH_OK) {
            sort_damage_check(code, &err);
            found++;
        } else {
            bool *seen = model_room(order.row_count, sizeof(*seen));
            for (size_t i = 0; i < order.row_count; i++) {
                assert_true(order.arrivals[i] < order.row_count);
                assert_false(seen[order.arrivals[i]]);
                seen[order.arrivals[i]] = true;
            }
            free(seen);
            lith_bucket_order_done(&order);
        }
        tools_done(&t);
    }
    assert_true(found > 300);
}

/* A row that stands in a bucket twice, in place of its neighbour. */
static void test_row_twice(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        struct lith_bucket_order order;
        struct lith_err err;
        uint64_t seed = 1;
        struct tools t;
        tools_init(&t, 10, &seed);
        one_unit(&t, 9, 4);
        MUST(lith_recipe_add(&t.recipe, 0, 4, 2, &err));
        MUST(lith_recipe_add(&t.recipe, 0, 5, 1, &err));
        MUST(lith_recipe_add(&t.recipe, 0, 7, 1, &err));
        MUST(lith_recipe_end(&t.recipe, &err));
        sort_damage_check(ways[way](&t.span, 0, &order, &err), &err);
        tools_done(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),        cmocka_unit_test(test_which_way),
        cmocka_unit_test(test_allocations_fail), cmocka_unit_test(test_damaged_recipe),
        cmocka_unit_test(test_row_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
