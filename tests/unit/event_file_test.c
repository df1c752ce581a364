/*
 * Events to Parquet and back: every field, null and list; files of other shapes; failing
 * allocations. Other engines read them in tests/py/test_audit.py.
 */
#include "support.h"

#include "audit/event_file.h"
#include "audit/event_schema.h"
#include "base/spool.h"
#include "parquet/footer.h"

static const struct lith_control control;
static struct lith_scratch scratch;
static struct lith_mem mem;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_err err;
static struct lith_arena arena;
static struct lith_spool file;

static int setup(void **state)
{
    (void)state;
    lith_scratch_init(&scratch, NULL, 0);
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_arena_init(&arena, &mem);
    lith_spool_init(&file, &mem, &scratch, (size_t)1 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_spool_done(&file);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}

static const char *text(uint64_t *seed)
{
    char *made;

    MUST(lith_arena_format(&arena, &made, &err, "t\xc3\xbc%" PRIx64, test_random(seed) % 1000));
    return made;
}

static const char *const *texts(uint64_t *seed, size_t *ret_count)
{
    static const size_t counts[] = {0, 0, 1, 2, 7, 9000};
    size_t kind = test_random(seed) % 7;
    void *block;

    *ret_count = kind ? counts[kind - 1] : 0;
    if (kind == 0)
        return NULL;
    MUST(lith_arena_array(&arena, *ret_count + 1, sizeof(char *), &block, &err));
    for (size_t i = 0; i < *ret_count; i++)
        ((const char **)block)[i] = text(seed);
    return block;
}

static struct lith_event event_draw(uint64_t *seed)
{
    struct lith_event event = {0};

    for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
        const struct lith_event_column *column = &lith_event_columns[i];
        uint8_t *at = (uint8_t *)&event + column->field;
        uint8_t *other = (uint8_t *)&event + column->other;
        bool has = column->required || test_random(seed) % 2;
        if (column->kind == LITH_EVENT_TEXT && has)
            *(const char **)at = text(seed);
        if (column->kind == LITH_EVENT_TEXTS)
            *(const char *const **)at = texts(seed, (size_t *)other);
        if (column->kind == LITH_EVENT_BYTE)
            *(uint64_t *)at = test_random(seed) % 256;
        if (column->kind == LITH_EVENT_TIME)
            *(int64_t *)at = (int64_t)test_random(seed);
        if (column->kind == LITH_EVENT_NUMBER && has) {
            *(uint64_t *)at = test_random(seed);
            *(bool *)other = true;
        }
    }
    return event;
}

static void what_is_written_is_read(void **state)
{
    uint64_t seed = test_seed();
    struct lith_event events[5], *read;
    size_t count;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        size_t wanted = 1 + round % 5;
        teardown(NULL);
        setup(NULL);
        for (size_t i = 0; i < wanted; i++)
            events[i] = event_draw(&seed);
        MUST(lith_events_write(events, wanted, &file.sink, &work, &err));
        MUST(lith_events_read(&file.source, &work, &arena, &read, &count, &err));
        assert_int_equal(count, wanted);
        for (size_t i = 0; i < count; i++)
            assert_true(lith_event_equal(&events[i], &read[i]));
        MUST(lith_events_read_ids(&file.source, &work, &arena, &read, &count, &err));
        assert_int_equal(count, wanted);
        for (size_t i = 0; i < count; i++) {
            assert_null(read[i].op);
            assert_int_equal(!read[i].commit_id, !events[i].commit_id);
            if (read[i].commit_id)
                assert_string_equal(read[i].commit_id, events[i].commit_id);
        }
    }
}

/* A change of any one field is seen. */
static void equal_events_are_equal(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        struct lith_event a = event_draw(&seed), other = event_draw(&seed);
        for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
            const struct lith_event_column *column = &lith_event_columns[i];
            struct lith_event b = a;
            assert_true(lith_event_equal(&a, &b));
            size_t field = column->field;
            memcpy((uint8_t *)&b + field, (uint8_t *)&other + field, sizeof(uint64_t));
            if (column->kind == LITH_EVENT_TEXTS)
                memcpy((uint8_t *)&b + column->other, (uint8_t *)&other + column->other,
                       sizeof(size_t));
            if (column->kind == LITH_EVENT_TIME)
                assert_int_equal(lith_event_equal(&a, &b), a.time_ns == other.time_ns);
            if (column->kind == LITH_EVENT_TEXT && column->required) {
                const char *left = *(const char **)((uint8_t *)&a + field);
                const char *right = *(const char **)((uint8_t *)&b + field);
                assert_int_equal(lith_event_equal(&a, &b), strcmp(left, right) == 0);
            }
        }
    }
}

static void the_schema_is_the_one_that_is_documented(void **state)
{
    struct lith_event event = {.tenant = "t", .type = "compaction"};
    struct lith_footer footer;

    (void)state;
    MUST(lith_events_write(&event, 1, &file.sink, &work, &err));
    MUST(lith_footer_read(&file.source, &arena, &footer, &err));
    MUST(lith_schema_normalise(&footer.schema, &arena, &err));
    assert_int_equal(footer.schema.leaf_count, LITH_EVENT_COLUMNS);
    const struct lith_schema_node *time = lith_schema_leaf(&footer.schema, 1);
    assert_int_equal(time->logical.kind, LITH_LOGICAL_TIMESTAMP);
    assert_int_equal(time->logical.unit, LITH_UNIT_NANOS);
    assert_true(time->logical.utc);
    assert_int_equal(time->repetition, LITH_REQUIRED);
    const struct lith_schema_node *kind = lith_schema_leaf(&footer.schema, 2);
    assert_int_equal(kind->logical.bit_width, 8);
    assert_false(kind->logical.is_signed);
}

/* Files of other programs: columns that are not ours are passed over, wrong types told. */
static void other_files_are_told(void **state)
{
    struct lith_memory_source source;
    struct lith_event *read;
    size_t count;

    (void)state;
    lith_memory_source_init(&source, "PAR1 no PAR1", 12);
    assert_int_equal(lith_events_read(&source.base, &work, &arena, &read, &count, &err),
                     LITH_E_CORRUPT);
}

static void every_allocation_may_fail(void **state)
{
    uint64_t seed = test_seed();
    struct lith_event event = event_draw(&seed), *read;
    enum lith_code code = LITH_E_NOMEM;
    size_t count;

    (void)state;
    for (int64_t n = 0; code != LITH_OK; n++) {
        LITH_AUTO(arena) struct lith_arena own;
        struct lith_mem budget;
        struct lith_work small = {.mem = &budget, .scratch = &scratch, .control = &control};
        lith_mem_init(&budget, (size_t)64 << 20, NULL);
        lith_arena_init(&own, &budget);
        atomic_store(&budget.fail_after, n);
        lith_spool_clear(&file);
        code = lith_events_write(&event, 1, &file.sink, &small, &err);
        if (code == LITH_OK)
            code = lith_events_read(&file.source, &small, &own, &read, &count, &err);
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        lith_arena_done(&own);
        lith_mem_done(&budget);
        assert_true(n < 5000);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_is_written_is_read),
        CASE(equal_events_are_equal),
        CASE(the_schema_is_the_one_that_is_documented),
        CASE(other_files_are_told),
        CASE(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
