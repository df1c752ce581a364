/*
 * Dealing and gathering against rows moved one by one in plain arrays.
 */
#include "deal_support.h"
#include "sort_damage_support.h"

#include "sort/gather.h"

#define BUCKETS_MAX 40
#define UNIT_BEGIN 7

struct tools {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
};

static void tools_init(struct tools *tools)
{
    *tools = (struct tools){0};
    lith_mem_init(&tools->mem, (size_t)256 << 20, NULL);
    lith_scratch_init(&tools->scratch, "/tmp", 0);
    tools->work = (struct lith_work){
        .mem = &tools->mem, .scratch = &tools->scratch, .control = &tools->control};
}

static void tools_done(struct tools *tools)
{
    lith_mem_done(&tools->mem);
    assert_int_equal(atomic_load(&tools->scratch.used), 0);
}

/* How a model is dealt. */
struct course {
    uint32_t bucket_count;
    uint64_t borders[BUCKETS_MAX + 1];
    uint32_t span_buckets; /* at most so many in a span */
    size_t memory;         /* beyond the least, of a span */
    size_t gather_memory;
    size_t batch_max;
    bool skips;
    bool has_twin;   /* every other leaf is dealt by it */
    bool is_damaged; /* what comes out is not compared */
    bool by_leaf;    /* a leaf of all buckets, then the next; else all leaves of a bucket */
    uint64_t seed;
};

static int number_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void course_init(struct course *course, size_t row_count, uint64_t *seed)
{
    static const size_t memories[] = {0, 0, 10000, 1 << 20, 32 << 20};
    static const size_t gather_memories[] = {1, 1000, 20000, 1 << 20, 32 << 20, 32 << 20};
    static const size_t batches[] = {1, 7, 500, LITH_BATCH_POSITIONS};
    uint32_t wanted = 1 + (uint32_t)model_below(seed, BUCKETS_MAX), count = 0;

    *course = (struct course){.span_buckets = 1 + (uint32_t)model_below(seed, BUCKETS_MAX),
                              .memory = memories[model_below(seed, 5)],
                              .gather_memory = gather_memories[model_below(seed, 6)],
                              .batch_max = batches[model_below(seed, 4)],
                              .skips = model_below(seed, 2),
                              .has_twin = model_below(seed, 2),
                              .by_leaf = model_below(seed, 2),
                              .seed = test_random(seed)};
    for (uint32_t i = 0; i < wanted; i++)
        course->borders[i] = model_below(seed, row_count);
    if (row_count > 2000 && course->gather_memory < 20000)
        course->gather_memory = 20000; /* few rows at a time are many walks */
    course->borders[0] = 0;
    qsort(course->borders, wanted, sizeof(course->borders[0]), number_compare);
    for (uint32_t i = 1; i < wanted; i++)
        if (course->borders[i] != course->borders[count])
            course->borders[++count] = course->borders[i];
    course->borders[++count] = row_count;
    course->bucket_count = count;
}

/* The values of a chunk as a dictionary, each with an id of its own. */
static struct lith_dictionary chunk_dictionary(const struct lith_schema_node *leaf,
                                               const struct model_chunk *chunk, size_t row_count,
                                               const struct lith_work *work)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);

    return (struct lith_dictionary){
        .type = leaf->type,
        .width = width,
        .count = (uint32_t)chunk->row_values[row_count],
        .fixed = width ? chunk->fixed : NULL,
        .slices = width ? NULL : chunk->slices,
        .mem = work->mem,
    };
}

/* Gives ids to a batch whose first value is the chunk's value `value`. */
static void batch_ids(struct lith_batch *batch, size_t value, struct lith_dictionary *dictionary)
{
    static uint32_t ids[LITH_BATCH_POSITIONS];

    for (size_t i = 0; i < batch->values.count; i++)
        ids[i] = (uint32_t)(value + i);
    batch->values.fixed = NULL;
    batch->values.slices = NULL;
    batch->values.ids = ids;
    batch->values.dictionary = dictionary;
}

/* Deals a chunk in batches of any size; rows that go nowhere are passed over at times, and values
 * are ids at times where they may. */
static enum lith_code chunk_deal(struct lith_deal *deal, const struct lith_schema_node *leaf,
                                 const struct model_chunk *chunk, size_t row_count,
                                 struct course *course, struct lith_err *err)
{
    size_t row = 0, value = 0;
    struct lith_dictionary dictionary =
        chunk_dictionary(leaf, chunk, row_count, lith_deal_span(deal)->work);
    enum lith_code code = LITH_OK;

    for (size_t at = 0; code == LITH_OK && at < chunk->position_count;) {
        size_t end = at + 1 + model_below(&course->seed, course->batch_max);
        while (row < row_count && chunk->row_positions[row] < at)
            row++;
        if (course->skips && row < row_count && chunk->row_positions[row] == at) {
            size_t idle = (size_t)lith_deal_idle_rows(deal);
            assert_true(idle <= row_count - row);
            if (idle) {
                size_t rows = 1 + model_below(&course->seed, idle);
                lith_deal_skip(deal, rows);
                at = chunk->row_positions[row + rows];
                value = chunk->row_values[row + rows];
                continue;
            }
        }
        end = end < chunk->position_count ? end : chunk->position_count;
        struct lith_batch batch = model_batch(leaf, chunk, at, end, value);
        if (lith_deal_takes_ids(deal) && batch.values.count && model_below(&course->seed, 3))
            batch_ids(&batch, value, &dictionary);
        code = lith_deal_add(deal, &batch, err);
        value += batch.values.count;
        at = end;
    }
    lith_dictionary_map_drop(&dictionary);
    return code;
}

static enum lith_code units_deal(struct lith_deal *deal, const struct model *model, uint32_t leaf,
                                 struct course *course, struct lith_err *err)
{
    for (uint32_t unit = 0; unit < model->unit_count && !lith_deal_is_full(deal); unit++) {
        if (lith_deal_rows(deal, UNIT_BEGIN + unit) == 0)
            continue;
        LITH_TRY(lith_deal_unit(deal, UNIT_BEGIN + unit, err));
        LITH_TRY(chunk_deal(deal, &model->leaves[leaf], &model->chunks[leaf][unit],
                            model->row_counts[unit], course, err));
        LITH_TRY(lith_deal_unit_end(deal, err));
    }
    return LITH_OK;
}

static enum lith_code leaf_deal(struct lith_deal *deal, const struct model *model, uint32_t leaf,
                                struct course *course, struct lith_err *err)
{
    const struct lith_schema_node *node = &model->leaves[leaf];
    bool by_ids = node->type != LITH_TYPE_BOOLEAN && model_below(&course->seed, 2);

    LITH_TRY(by_ids ? lith_deal_leaf_ids(deal, node, err) : lith_deal_leaf(deal, node, err));
    LITH_TRY(units_deal(deal, model, leaf, course, err));
    if (lith_deal_is_full(deal)) {
        LITH_TRY(lith_deal_leaf_again(deal, err));
        LITH_TRY(units_deal(deal, model, leaf, course, err));
    }
    return lith_deal_leaf_end(deal, err);
}

static enum lith_code leaf_read(struct lith_gather *gather, uint32_t leaf,
                                const struct lith_bucket_order *order, struct lith_err *err)
{
    struct lith_batch batch;

    LITH_TRY(lith_gather_begin(gather, leaf, order, err));
    do {
        LITH_TRY(lith_gather_next(gather, &batch, err));
    } while (batch.position_count);
    return LITH_OK;
}

static enum lith_code leaf_gather(struct lith_gather *gather, const struct model *model,
                                  uint32_t leaf, const struct lith_bucket_order *order,
                                  const uint64_t *borders, struct lith_err *err)
{
    struct model_cursor cursor = {.row = (size_t)borders[order->bucket]};
    struct lith_batch batch;

    LITH_TRY(lith_gather_begin(gather, leaf, order, err));
    for (bool is_first = true;; is_first = false) {
        LITH_TRY(lith_gather_next(gather, &batch, err));
        if (batch.position_count == 0)
            break;
        assert_int_equal(batch.page_start, is_first);
        model_compare(model, leaf, &cursor, &batch);
    }
    assert_int_equal(cursor.row, borders[order->bucket + 1]);
    assert_int_equal(cursor.position, 0);
    return LITH_OK;
}

static enum lith_code buckets_gather(struct lith_deal *deal, const struct model *model,
                                     const struct course *course, struct lith_gather *gather,
                                     struct lith_bucket_order *orders, struct lith_err *err)
{
    const struct lith_deal_span *span = lith_deal_span(deal);

    for (uint32_t i = 0; i < span->bucket_count; i++)
        LITH_TRY(lith_bucket_order_find(span, i, &orders[i], err));
    for (uint32_t i = 0; i < span->bucket_count * model->leaf_count; i++) {
        uint32_t leaf = course->by_leaf ? i / span->bucket_count : i % model->leaf_count;
        uint32_t bucket = course->by_leaf ? i % span->bucket_count : i / model->leaf_count;
        LITH_TRY(course->is_damaged
                     ? leaf_read(gather, leaf, &orders[bucket], err)
                     : leaf_gather(gather, model, leaf, &orders[bucket], span->borders, err));
    }
    return LITH_OK;
}

static enum lith_code span_gather(struct lith_deal *deal, const struct model *model,
                                  const struct course *course, struct lith_err *err)
{
    struct lith_bucket_order orders[BUCKETS_MAX + 1] = {{0}};
    struct lith_gather *gather = NULL;

    enum lith_code code = lith_gather_new(deal, course->gather_memory, &gather, err);
    if (code == LITH_OK)
        code = buckets_gather(deal, model, course, gather, orders, err);
    lith_gather_free(gather);
    for (uint32_t i = 0; i <= BUCKETS_MAX; i++)
        lith_bucket_order_done(&orders[i]);
    return code;
}

static enum lith_code span_run(const struct model *model, struct course *course,
                               const struct lith_deal_span *span, struct lith_err *err)
{
    struct lith_deal *deal, *twin = NULL;
    enum lith_code code = lith_deal_new(span, &deal, err);

    if (code != LITH_OK)
        return code;
    if (course->has_twin)
        code = lith_deal_twin(deal, &twin, err);
    for (uint32_t leaf = 0; code == LITH_OK && leaf < model->leaf_count; leaf++)
        code = leaf_deal(twin && leaf % 2 == 0 ? twin : deal, model, leaf, course, err);
    if (code == LITH_OK)
        code = span_gather(deal, model, course, err);
    lith_deal_free(twin);
    lith_deal_free(deal);
    return code;
}

/* Deals and gathers all spans of a recipe. */
static enum lith_code course_run(const struct model *model, const struct course *course,
                                 struct lith_recipe *recipe, const struct lith_work *work,
                                 struct lith_err *err)
{
    struct lith_deal_unit units[MODEL_UNITS_MAX];
    struct course run = *course;

    model_units(model, units);
    for (uint32_t begin = 0; begin < course->bucket_count; begin += course->span_buckets) {
        uint32_t left = course->bucket_count - begin;
        struct lith_deal_span span = {
            .work = work,
            .recipe = recipe,
            .borders = course->borders + begin,
            .bucket_count = left < course->span_buckets ? left : course->span_buckets,
            .unit_begin = UNIT_BEGIN,
            .unit_count = model->unit_count,
            .units = units,
            .leaf_count = model->leaf_count,
        };
        span.dealer_count = 1 + course->has_twin;
        span.memory_bytes_max = course->memory + (size_t)span.dealer_count * span.bucket_count *
                                                     LITH_DEAL_MEMORY_BYTES_MIN;
        LITH_TRY(span_run(model, &run, &span, err));
    }
    return LITH_OK;
}

static void model_random(struct model *model, size_t rows_max, uint64_t *seed)
{
    model_init(model, rows_max, seed);
    uint32_t leaves = 1 + (uint32_t)model_below(seed, MODEL_LEAVES_MAX);
    for (uint32_t i = 0; i < leaves; i++)
        model_leaf_add(model, &model_shapes[model_below(seed, MODEL_SHAPES)], seed);
}

static void test_random_columns(void **state)
{
    uint64_t seed = test_seed();
    const char *rounds = getenv("LITHIFY_ROUNDS");

    (void)state;
    for (int round = rounds ? atoi(rounds) : 150; round > 0; round--) {
        struct lith_recipe recipe;
        struct tools tools;
        struct course course;
        struct model model;
        struct lith_err err;
        tools_init(&tools);
        model_random(&model, round % 10 ? 300 : 9000, &seed);
        course_init(&course, model.row_count, &seed);
        (round % 2 ? model_recipe : model_places)(&model, &tools.work, UNIT_BEGIN, &recipe);
        MUST(course_run(&model, &course, &recipe, &tools.work, &err));
        lith_recipe_done(&recipe);
        model_done(&model);
        tools_done(&tools);
    }
}

/* Every shape, loaded and read where it lies. */
static void test_every_shape(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 2 * MODEL_SHAPES; i++) {
        struct lith_recipe recipe;
        struct tools tools;
        struct course course;
        struct model model;
        struct lith_err err;
        tools_init(&tools);
        model_init(&model, 2000, &seed);
        model_leaf_add(&model, &model_shapes[i / 2], &seed);
        course_init(&course, model.row_count, &seed);
        course.gather_memory = i % 2 ? 500 : 32 << 20;
        model_recipe(&model, &tools.work, UNIT_BEGIN, &recipe);
        MUST(course_run(&model, &course, &recipe, &tools.work, &err));
        lith_recipe_done(&recipe);
        model_done(&model);
        tools_done(&tools);
    }
}

/* A span of as many buckets as there can be, one row each, and values larger than any buffer. */
static void test_borders(void **state)
{
    struct lith_deal_unit units[MODEL_UNITS_MAX];
    static uint64_t borders[LITH_DEAL_BUCKETS_MAX + 1];
    uint64_t seed = test_seed();
    struct lith_recipe recipe;
    struct tools tools;
    static struct model model = {.unit_count = 2,
                                 .row_counts = {100, LITH_DEAL_BUCKETS_MAX - 100},
                                 .in_order = {true, false},
                                 .row_count = LITH_DEAL_BUCKETS_MAX};
    struct model_taste taste = {.bytes_max = 400000};
    struct lith_err err;

    (void)state;
    tools_init(&tools);
    model_order(&model, true, &seed);
    model.leaf_count = 1;
    model.leaves[0] = (struct lith_schema_node){.type = LITH_TYPE_BYTE_ARRAY};
    for (uint32_t i = 0; i < 2; i++)
        model_chunk_make(&model.chunks[0][i], &model.leaves[0], model.row_counts[i], &taste, &seed);
    for (uint32_t i = 0; i <= LITH_DEAL_BUCKETS_MAX; i++)
        borders[i] = i;
    model_units(&model, units);
    model_recipe(&model, &tools.work, UNIT_BEGIN, &recipe);
    struct lith_deal_span span = {.work = &tools.work,
                                  .recipe = &recipe,
                                  .borders = borders,
                                  .bucket_count = LITH_DEAL_BUCKETS_MAX,
                                  .unit_begin = UNIT_BEGIN,
                                  .unit_count = 2,
                                  .units = units,
                                  .leaf_count = 1,
                                  .memory_bytes_max = 2 << 20};
    struct course course = {.batch_max = 300, .seed = seed};
    struct lith_deal *deal;
    struct lith_gather *gather;
    MUST(lith_deal_new(&span, &deal, &err));
    MUST(leaf_deal(deal, &model, 0, &course, &err));
    for (uint32_t i = 0; i < LITH_DEAL_BUCKETS_MAX; i++) {
        struct lith_bucket_order order;
        MUST(lith_gather_new(deal, i % 2 ? 1 << 20 : 10, &gather, &err));
        MUST(lith_bucket_order_find(&span, i, &order, &err));
        MUST(leaf_gather(gather, &model, 0, &order, borders, &err));
        lith_bucket_order_done(&order);
        lith_gather_free(gather);
    }
    lith_deal_free(deal);
    lith_recipe_done(&recipe);
    model_done(&model);
    tools_done(&tools);
}

/* Each allocation fails once; nothing is kept. */
static void test_allocations_fail(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 12; round++) {
        struct lith_recipe recipe;
        struct tools tools;
        struct course course;
        struct model model;
        struct lith_err err;
        int64_t failures = 0;
        tools_init(&tools);
        model_random(&model, 60, &seed);
        course_init(&course, model.row_count, &seed);
        course.span_buckets = 1 + course.bucket_count / 2;
        (round % 2 ? model_recipe : model_places)(&model, &tools.work, UNIT_BEGIN, &recipe);
        size_t before = atomic_load(&tools.mem.used);
        for (;; failures++) {
            atomic_store(&tools.mem.fail_after, failures);
            enum lith_code code = course_run(&model, &course, &recipe, &tools.work, &err);
            if (code == LITH_OK)
                break;
            assert_int_equal(code, LITH_E_NOMEM);
            assert_int_equal(atomic_load(&tools.mem.used), before);
        }
        assert_true(failures > 10);
        lith_recipe_done(&recipe);
        model_done(&model);
        tools_done(&tools);
    }
}

/* 2000 rows of 48 bytes are more than any span of BUCKETS_MAX buckets keeps in memory, and too many
 * for a dictionary: so there is something in scratch, whatever the seed. */
static void test_scratch_full(void **state)
{
    struct model_shape shape = {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 48, 0, 0};
    uint64_t seed = test_seed();
    struct lith_recipe recipe;
    struct tools tools;
    struct course course;
    struct model model;
    struct lith_err err;
    int failures = 0;

    (void)state;
    tools_init(&tools);
    for (model_init(&model, 2000, &seed); model.row_count < 2000; model_init(&model, 2000, &seed))
        model_done(&model);
    model_leaf_add(&model, &shape, &seed);
    course_init(&course, model.row_count, &seed);
    course.memory = 0;
    course.span_buckets = BUCKETS_MAX;
    model_recipe(&model, &tools.work, UNIT_BEGIN, &recipe);
    for (tools.scratch.limit = atomic_load(&tools.scratch.used);;
         tools.scratch.limit += model.row_count) {
        uint64_t used = atomic_load(&tools.scratch.used);
        if (course_run(&model, &course, &recipe, &tools.work, &err) == LITH_OK)
            break;
        assert_int_equal(err.code, LITH_E_LIMIT);
        assert_non_null(strstr(err.text, "--scratch-max"));
        assert_int_equal(atomic_load(&tools.scratch.used), used);
        failures++;
    }
    assert_true(failures > 10);
    lith_recipe_done(&recipe);
    model_done(&model);
    tools_done(&tools);
}

/* A chunk whose rows are not those of its row group. */
static void test_other_rows(void **state)
{
    static const uint64_t borders[] = {0, 2, 4};
    static const struct lith_deal_unit unit = {4, true};
    static const uint16_t reps[] = {0, 1, 0, 0, 0, 1};
    static const uint8_t bytes[6] = {0};
    struct lith_schema_node leaf = {.type = LITH_TYPE_BOOLEAN, .max_rep = 1};
    static const struct {
        size_t begin, end;
        enum lith_code code;
        const char *text;
    } cases[] = {
        {0, 6, LITH_OK, NULL}, {0, 4, LITH_E_CORRUPT, "3 rows"}, {1, 6, LITH_E_CORRUPT, "level 1"}};
    struct lith_recipe recipe;
    struct lith_deal *deal;
    struct tools tools;
    struct lith_err err;

    (void)state;
    tools_init(&tools);
    lith_recipe_init(&recipe, &tools.work, 1000);
    MUST(lith_recipe_add(&recipe, 0, 0, 4, &err));
    MUST(lith_recipe_end(&recipe, &err));
    struct lith_deal_span span = {.work = &tools.work,
                                  .recipe = &recipe,
                                  .borders = borders,
                                  .bucket_count = 2,
                                  .unit_count = 1,
                                  .units = &unit,
                                  .leaf_count = 1,
                                  .memory_bytes_max = 2 * LITH_DEAL_MEMORY_BYTES_MIN};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_batch batch = {.position_count = cases[i].end - cases[i].begin,
                                   .rep_levels = reps + cases[i].begin,
                                   .values = {.width = 1, .fixed = bytes}};
        batch.values.count = batch.position_count;
        MUST(lith_deal_new(&span, &deal, &err));
        MUST(lith_deal_leaf(deal, &leaf, &err));
        MUST(lith_deal_unit(deal, 0, &err));
        enum lith_code code = lith_deal_add(deal, &batch, &err);
        if (code == LITH_OK)
            code = lith_deal_unit_end(deal, &err);
        assert_int_equal(code, cases[i].code);
        if (code != LITH_OK)
            assert_non_null(strstr(err.text, cases[i].text));
        if (code == LITH_OK)
            MUST(lith_deal_leaf_end(deal, &err));
        lith_deal_free(deal);
    }
    MUST(lith_deal_new(&span, &deal, &err));
    MUST(lith_deal_leaf(deal, &leaf, &err));
    MUST(lith_deal_unit(deal, 0, &err));
    struct lith_batch batch = {.position_count = 6,
                               .rep_levels = reps,
                               .values = {.width = 1, .count = 6, .fixed = bytes}};
    MUST(lith_deal_add(deal, &batch, &err));
    assert_int_equal(lith_deal_add(deal, &batch, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "more rows than the 4"));
    lith_deal_free(deal);
    MUST(lith_deal_new(&span, &deal, &err));
    leaf.max_def = 256;
    assert_int_equal(lith_deal_leaf(deal, &leaf, &err), LITH_E_LIMIT);
    lith_deal_free(deal);
    lith_recipe_done(&recipe);
    tools_done(&tools);
}

/* One bit of what waits in scratch is another when it comes back. */
static void test_damaged_scratch(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct lith_deal_unit units[MODEL_UNITS_MAX];
        struct lith_bucket_order order;
        struct lith_recipe recipe;
        struct lith_gather *gather;
        struct lith_deal *deal;
        struct tools tools;
        struct model model;
        struct lith_err err;
        tools_init(&tools);
        model_init(&model, 40, &seed);
        model_leaf_add(&model, &model_shapes[model_below(&seed, MODEL_SHAPES)], &seed);
        model_recipe(&model, &tools.work, UNIT_BEGIN, &recipe);
        model_units(&model, units);
        uint64_t borders[] = {0, model.row_count};
        struct lith_deal_span span = {.work = &tools.work,
                                      .recipe = &recipe,
                                      .borders = borders,
                                      .bucket_count = 1,
                                      .unit_begin = UNIT_BEGIN,
                                      .unit_count = model.unit_count,
                                      .units = units,
                                      .leaf_count = 1,
                                      .memory_bytes_max = round % 2 ? 1 << 20 : 4096};
        struct course course = {.batch_max = 300, .seed = seed};
        MUST(lith_deal_new(&span, &deal, &err));
        MUST(leaf_deal(deal, &model, 0, &course, &err));
        struct lith_spool *spool = &lith_deal_store(deal, 0)->spool;
        /* What a leaf left that began anew is never read. */
        size_t begin = (size_t)lith_deal_store(deal, 0)->leaves[0].offset;
        size_t bytes = (size_t)spool->source.size - begin;
        size_t at = bytes ? begin + model_below(&seed, bytes) : 0;
        uint8_t byte = 0;
        if (bytes)
            MUST(lith_source_read(&spool->source, at, &byte, 1, &err));
        byte ^= (uint8_t)(1u << model_below(&seed, 8));
        if (spool->fd >= 0)
            assert_int_equal(pwrite(spool->fd, &byte, 1, (off_t)at), 1);
        else if (bytes)
            spool->memory.data[at] = byte;
        MUST(lith_bucket_order_find(&span, 0, &order, &err));
        MUST(lith_gather_new(deal, round % 3 ? 1 << 20 : 100, &gather, &err));
        enum lith_code code = lith_gather_begin(gather, 0, &order, &err);
        assert_int_equal(code, bytes ? LITH_E_IO : LITH_OK);
        if (code != LITH_OK)
            assert_non_null(strstr(err.text, "scratch"));
        lith_gather_free(gather);
        lith_bucket_order_done(&order);
        lith_deal_free(deal);
        lith_recipe_done(&recipe);
        model_done(&model);
        tools_done(&tools);
    }
}

/* A few rows whose recipe is to be damaged: what comes of them is not compared. */
struct damaged_run {
    struct tools tools;
    struct model model;
    struct course course;
    struct lith_recipe recipe;
};

static void damaged_run_init(struct damaged_run *run, uint64_t *seed)
{
    tools_init(&run->tools);
    model_init(&run->model, 40, seed);
    model_leaf_add(&run->model, &model_shapes[model_below(seed, MODEL_SHAPES)], seed);
    course_init(&run->course, run->model.row_count, seed);
    run->course.span_buckets = BUCKETS_MAX;
    run->course.is_damaged = true;
    model_recipe(&run->model, &run->tools.work, UNIT_BEGIN, &run->recipe);
    /* One block, with 8 bytes in front of its runs. */
    assert_true(run->recipe.run_count <= LITH_RECIPE_BLOCK_RUNS);
}

static enum lith_code damaged_run_try(struct damaged_run *run, struct lith_err *err)
{
    return course_run(&run->model, &run->course, &run->recipe, &run->tools.work, err);
}

static void damaged_run_done(struct damaged_run *run)
{
    lith_recipe_done(&run->recipe);
    model_done(&run->model);
    tools_done(&run->tools);
}

/* A recipe that scratch changed names some row twice and another one never: that is found, unless
 * the rows of its unit are in order, so that it does not matter. */
static void test_damaged_recipe(void **state)
{
    uint64_t seed = test_seed();
    int found = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct damaged_run run;
        struct lith_err err;
        damaged_run_init(&run, &seed);
        /* Unit or row of a run, which are 7 of its 8 bytes. */
        size_t at =
            8 + 8 * model_below(&seed, (size_t)run.recipe.run_count) + model_below(&seed, 7);
        run.recipe.spool.memory.data[at] ^= (uint8_t)(1u << model_below(&seed, 8));
        enum lith_code code = damaged_run_try(&run, &err);
        run.course.is_damaged = false;
        if (code == LITH_OK)
            MUST(damaged_run_try(&run, &err));
        else
            assert_int_equal(code, LITH_E_IO);
        found += code != LITH_OK;
        damaged_run_done(&run);
    }
    assert_true(found > 1000);
}

/* Sorting a bucket reads the recipe twice, and the second time a run is another one: of a unit
 * or of a length that leaves a unit with more rows than it has, though none is out of order. */
static void test_order_of_changed_runs(void **state)
{
    static const struct {
        bool in_order;
        uint64_t at; /* of the third run, whose eight bytes are row, unit and length */
    } cases[] = {{true, 4}, {false, 4}, {true, 7}, {false, 7}};
    static const uint64_t borders[] = {0, 10};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_deal_unit units[2] = {{100, cases[i].in_order}, {100, cases[i].in_order}};
        struct lith_bucket_order order;
        struct lith_recipe recipe;
        struct tools tools;
        struct lith_err err;
        tools_init(&tools);
        lith_recipe_init(&recipe, &tools.work, 1000);
        for (uint32_t k = 0; k < 10; k++)
            MUST(lith_recipe_add(&recipe, k % 2, 2 * k, 1, &err));
        MUST(lith_recipe_end(&recipe, &err));
        struct lith_deal_span span = {.work = &tools.work,
                                      .recipe = &recipe,
                                      .borders = borders,
                                      .bucket_count = 1,
                                      .unit_count = 2,
                                      .units = units,
                                      .leaf_count = 1,
                                      .memory_bytes_max = 1 << 20};
        sort_damage_plant(&recipe.spool.source, 8 + 2 * 8 + cases[i].at, 1, 1);
        sort_damage_check(lith_bucket_order_sort(&span, 0, &order, &err), &err);
        lith_recipe_done(&recipe);
        tools_done(&tools);
    }
}

/* The same for any byte of a recipe from any reading of it on, in all that reads it: it may not
 * matter, but what is made of it stays in its bounds. */
static void test_changing_recipe(void **state)
{
    uint64_t seed = test_seed();
    int found = 0;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct damaged_run run;
        struct lith_err err;
        damaged_run_init(&run, &seed);
        size_t at = 8 + model_below(&seed, 8 * (size_t)run.recipe.run_count);
        sort_damage_plant(&run.recipe.spool.source, at, (uint8_t)(1u << model_below(&seed, 8)),
                          (unsigned)model_below(&seed, 2 * run.course.bucket_count + 1));
        enum lith_code code = damaged_run_try(&run, &err);
        if (code != LITH_OK)
            sort_damage_check(code, &err);
        found += code != LITH_OK;
        damaged_run_done(&run);
    }
    assert_true(found > 500);
}

/* Columns of much more bytes than a span has memory: it stays at what its header says. */
static void test_memory(void **state)
{
    struct lith_deal_unit units[MODEL_UNITS_MAX];
    uint64_t seed = test_seed(), borders[9];
    struct model model = {.unit_count = 4};
    struct model_taste taste = {.null_percent = 10, .list_max = 10, .bytes_max = 1000};
    struct lith_recipe recipe;
    struct tools tools;
    struct lith_err err;

    (void)state;
    tools_init(&tools);
    for (uint32_t i = 0; i < model.unit_count; i++) {
        model.row_counts[i] = 5000;
        model.in_order[i] = i % 2;
        model.row_count += 5000;
    }
    model_order(&model, true, &seed);
    model.leaf_count = 1;
    model.leaves[0] =
        (struct lith_schema_node){.type = LITH_TYPE_BYTE_ARRAY, .max_def = 2, .max_rep = 1};
    for (uint32_t i = 0; i < model.unit_count; i++)
        model_chunk_make(&model.chunks[0][i], &model.leaves[0], 5000, &taste, &seed);
    model_borders(&model, 8, borders);
    model_units(&model, units);
    model_recipe(&model, &tools.work, UNIT_BEGIN, &recipe);
    size_t before = atomic_load(&tools.mem.used);
    struct lith_deal_span span = {.work = &tools.work,
                                  .recipe = &recipe,
                                  .borders = borders,
                                  .bucket_count = 8,
                                  .unit_begin = UNIT_BEGIN,
                                  .unit_count = 4,
                                  .units = units,
                                  .leaf_count = 1,
                                  .memory_bytes_max = 256 << 10};
    struct course course = {
        .batch_max = LITH_BATCH_POSITIONS, .gather_memory = 64 << 10, .seed = seed};
    atomic_store(&tools.mem.peak, before);
    MUST(span_run(&model, &course, &span, &err));
    size_t peak = atomic_load(&tools.mem.peak) - before;
    print_message("%zu KiB at most\n", peak >> 10);
    /* Orders of all buckets, batches, extents of 4 KiB; what was dealt is some 10 MiB. */
    size_t orders = model.row_count * 4 + model.row_count / 8 * 16;
    size_t maps = 0; /* of ids of a chunk, which its reader would have */
    for (uint32_t i = 0; i < model.unit_count; i++)
        if (model.chunks[0][i].row_values[5000] > maps / sizeof(uint32_t))
            maps = model.chunks[0][i].row_values[5000] * sizeof(uint32_t);
    assert_true(peak < span.memory_bytes_max + course.gather_memory + orders + maps + (1 << 19));
    lith_recipe_done(&recipe);
    model_done(&model);
    tools_done(&tools);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_columns),
        cmocka_unit_test(test_every_shape),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_allocations_fail),
        cmocka_unit_test(test_scratch_full),
        cmocka_unit_test(test_other_rows),
        cmocka_unit_test(test_damaged_scratch),
        cmocka_unit_test(test_damaged_recipe),
        cmocka_unit_test(test_order_of_changed_runs),
        cmocka_unit_test(test_changing_recipe),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
