/*
 * Dictionaries that are built: ids in order of first appearance, identity by bytes, and fullness.
 */
#include "support.h"

#include "base/limits.h"
#include "parquet/dictionary_builder.h"

static const struct lith_control control;
static struct lith_mem mem;
static struct lith_err err;
static struct lith_work work = {.mem = &mem, .control = &control};
static struct lith_dictionary_builder builder;
static uint32_t ids[100000];

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 64 << 20, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_dictionary_builder_done(&builder);
    lith_mem_done(&mem);
    return 0;
}

static void test_identity(void **state)
{
    /* 1, -0, +0, two NaNs, 1, -0 */
    static const uint64_t numbers[] = {
        0x3ff0000000000000u, 0x8000000000000000u, 0, 0x7ff8000000000000u, 0x7ff8000000000001u,
        0x3ff0000000000000u, 0x8000000000000000u};
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 0, 1};
    struct lith_values values = {
        .type = LITH_TYPE_DOUBLE, .width = 8, .count = 7, .fixed = (const uint8_t *)numbers};
    size_t count;

    (void)state;
    lith_dictionary_builder_init(&builder, 8, &work);
    MUST(lith_dictionary_builder_add(&builder, &values, ids, &count, &err));
    assert_int_equal(count, 7);
    assert_memory_equal(ids, expected, sizeof(expected));
    assert_int_equal(builder.count, 5);
    assert_memory_equal(builder.plain.data, numbers, 5 * 8);
}

/* Decimals of other lengths are other values; an empty one is a value. */
static void test_byte_arrays(void **state)
{
    static const struct lith_slice slices[] = {
        {(const uint8_t *)"\0\1", 2},
        {(const uint8_t *)"\1", 1},
        {NULL, 0},
        {(const uint8_t *)"\0\1", 2},
        {NULL, 0},
    };
    static const uint32_t expected[] = {0, 1, 2, 0, 2};
    struct lith_values values = {.type = LITH_TYPE_BYTE_ARRAY, .count = 5, .slices = slices};
    size_t count;

    (void)state;
    lith_dictionary_builder_init(&builder, 0, &work);
    MUST(lith_dictionary_builder_add(&builder, &values, ids, &count, &err));
    assert_int_equal(count, 5);
    assert_memory_equal(ids, expected, sizeof(expected));
    assert_int_equal(builder.plain.bytes, 15);
    assert_memory_equal(builder.plain.data, "\2\0\0\0\0\1\1\0\0\0\1\0\0\0\0", 15);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(lith_slice_equal(lith_dictionary_builder_at(&builder, i), slices[i]));
}

static void test_full(void **state)
{
    static uint8_t large[3 << 20];
    static uint8_t data[100000 * 16];
    struct lith_values values = {
        .type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY, .width = 16, .count = 100000, .fixed = data};
    struct lith_slice slice = {large, sizeof(large)};
    struct lith_values larges = {.type = LITH_TYPE_BYTE_ARRAY, .count = 1, .slices = &slice};
    size_t count, taken = 0;

    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        lith_store_u64(data + 16 * i, i);
    lith_dictionary_builder_init(&builder, 16, &work);
    MUST(lith_dictionary_builder_add(&builder, &values, ids, &count, &err));
    assert_int_equal(count, LITH_DICTIONARY_BYTES_MAX / 16);
    assert_int_equal(builder.count, count);
    values.count = count; /* what it has it still finds */
    MUST(lith_dictionary_builder_add(&builder, &values, ids, &count, &err));
    assert_int_equal(count, values.count);
    assert_int_equal(ids[count - 1], count - 1);

    /* A quarter of a share, 4 MiB, has room for one value of 3 MiB. */
    lith_dictionary_builder_done(&builder);
    lith_dictionary_builder_init(&builder, 0, &work);
    for (count = 1; count == 1; large[0]++) {
        MUST(lith_dictionary_builder_add(&builder, &larges, ids, &count, &err));
        taken += count;
    }
    assert_int_equal(taken, 1);
    assert_true(atomic_load(&mem.peak) < 16 << 20);
}

/* Random values from a small range, against looking them up one by one. */
static void test_random_values(void **state)
{
    static uint32_t numbers[20000], seen[1 << 14];
    uint64_t seed = test_seed();
    uint32_t next = 0;
    struct lith_values values = {
        .type = LITH_TYPE_INT32, .width = 4, .count = 20000, .fixed = (const uint8_t *)numbers};
    size_t count;

    (void)state;
    for (size_t i = 0; i < 20000; i++)
        numbers[i] = (uint32_t)(test_random(&seed) % (1 << 14));
    lith_dictionary_builder_init(&builder, 4, &work);
    MUST(lith_dictionary_builder_add(&builder, &values, ids, &count, &err));
    assert_int_equal(count, 20000);
    for (size_t i = 0; i < 20000; i++) {
        if (seen[numbers[i]] == 0)
            seen[numbers[i]] = ++next;
        assert_int_equal(ids[i], seen[numbers[i]] - 1);
    }
    assert_int_equal(builder.count, next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_identity, setup, teardown),
        cmocka_unit_test_setup_teardown(test_byte_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random_values, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
