/*
 * Keys as bytes: every pair of rows compares by them as by their values, for each type, direction
 * and place of nulls, with one key and with several.
 */
#include "sort_support.h"

static struct lith_err err;
static struct lith_mem mem;

#define ROWS 120

static int sign_of(int value)
{
    return (value > 0) - (value < 0);
}

static void pairs_check(struct sort_table *table, const struct lith_key_batch *keys)
{
    for (size_t a = 0; a < table->row_count; a++) {
        for (size_t b = 0; b < table->row_count; b++) {
            int expected = sign_of(sort_table_compare(table, a, b));
            int found = sign_of(lith_key_compare(lith_key_at(keys, a), lith_key_at(keys, b)));
            if (expected != found)
                fail_msg("order %d, descending %d, nulls_first %d, fields %u: rows %zu and %zu: %d "
                         "instead of %d",
                         (int)table->types[0]->order, table->keys[0].descending,
                         table->keys[0].nulls_first, table->field_count, a, b, found, expected);
        }
    }
}

static void table_check(struct sort_table *table)
{
    struct lith_key_rows rows = sort_table_rows(table, 0, table->row_count);
    struct lith_key_builder builder;
    struct lith_key_batch keys;

    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_key_builder_init(&builder, &table->layout, &mem);
    MUST(lith_key_builder_build(&builder, &rows, &keys, &err));
    assert_int_equal(keys.count, table->row_count);
    pairs_check(table, &keys);
    lith_key_builder_done(&builder);
    lith_mem_done(&mem);
}

static void one_key_of_each_type(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < SORT_TYPE_COUNT * 8; i++) {
        const struct sort_type *type = &sort_types[i / 8];
        struct sort_table table;
        sort_table_init(&table, 1, &type, ROWS, &seed);
        table.keys[0].descending = i & 1;
        table.keys[0].nulls_first = i >> 1 & 1;
        lith_key_layout_init(&table.layout, &table.schema, table.keys, 1);
        table_check(&table);
        sort_table_done(&table);
    }
}

static void several_keys(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = 2 + (uint32_t)(test_random(&seed) % 2);
        struct sort_table table;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, 40, &seed);
        table_check(&table);
        sort_table_done(&table);
    }
}

/* The bytes themselves, since they decide what a record holds. */
static void bytes_of_keys(void **state)
{
    static const struct {
        enum lith_order order;
        bool descending;
        const char *value;
        size_t value_bytes;
        const char *key;
        size_t key_bytes;
    } cases[] = {
        {LITH_ORDER_SIGNED_64, false, "\1\0\0\0\0\0\0\0", 8, "\1\x80\0\0\0\0\0\0\1", 9},
        {LITH_ORDER_SIGNED_64, true, "\1\0\0\0\0\0\0\0", 8, "\1\x7f\xff\xff\xff\xff\xff\xff\xfe",
         9},
        {LITH_ORDER_BYTES, false, "a\0b", 3,
         "\1a\0\xff"
         "b\0\0",
         7},
        {LITH_ORDER_BYTES, true, "a", 1, "\1\x9e\xff\xff", 4},
        {LITH_ORDER_DECIMAL_BYTES, false, "\0\0\1\2", 4, "\1\x80\0\0\2\1\2", 7},
        {LITH_ORDER_DECIMAL_BYTES, false, "\xff\xfe", 2, "\1\x7f\xff\xff\xfe\xfe", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool varies = cases[i].order != LITH_ORDER_SIGNED_64;
        struct lith_key_layout layout = {.field_count = 1, .width = varies ? 0 : 9};
        layout.fields[0] = (struct lith_key_field){.order = cases[i].order,
                                                   .width = varies ? 0 : 8,
                                                   .has_marker = true,
                                                   .null_marker = 2,
                                                   .descending = cases[i].descending};
        struct lith_slice value = {(const uint8_t *)cases[i].value, cases[i].value_bytes};
        struct lith_key_rows rows = {.row_count = 1};
        rows.columns[0].values = (struct lith_values){.count = 1, .width = varies ? 0 : 8};
        if (varies)
            rows.columns[0].values.slices = &value;
        else
            rows.columns[0].values.fixed = value.data;
        struct lith_key_builder builder;
        struct lith_key_batch keys;
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_key_builder_init(&builder, &layout, &mem);
        MUST(lith_key_builder_build(&builder, &rows, &keys, &err));
        struct lith_slice key = lith_key_at(&keys, 0);
        if (key.bytes != cases[i].key_bytes || memcmp(key.data, cases[i].key, key.bytes) != 0)
            fail_msg("case %zu", i);
        lith_key_builder_done(&builder);
        lith_mem_done(&mem);
    }
}

/* Parts of rows give the keys of those rows, whatever nulls stand in front of them. */
static void cut_rows_have_the_same_keys(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < SORT_TYPE_COUNT; i++) {
        const struct sort_type *types[2] = {&sort_types[i], &sort_types[13]};
        struct lith_key_builder whole, part;
        struct lith_key_batch keys, some;
        struct sort_table table;
        sort_table_init(&table, 2, types, ROWS, &seed);
        struct lith_key_rows rows = sort_table_rows(&table, 0, ROWS);
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_key_builder_init(&whole, &table.layout, &mem);
        lith_key_builder_init(&part, &table.layout, &mem);
        MUST(lith_key_builder_build(&whole, &rows, &keys, &err));
        for (size_t begin = 0; begin < ROWS; begin++) {
            size_t count = 1 + test_random(&seed) % (ROWS - begin);
            struct lith_key_rows cut = lith_key_rows_cut(&rows, 2, begin, count);
            MUST(lith_key_builder_build(&part, &cut, &some, &err));
            for (size_t k = 0; k < count; k++)
                assert_int_equal(
                    lith_key_compare(lith_key_at(&keys, begin + k), lith_key_at(&some, k)), 0);
        }
        lith_key_builder_done(&whole);
        lith_key_builder_done(&part);
        sort_table_done(&table);
        lith_mem_done(&mem);
    }
}

static void failed_allocations(void **state)
{
    uint64_t seed = test_seed();
    const struct sort_type *type = &sort_types[13];
    struct sort_table table;
    struct lith_key_builder builder = {0};
    struct lith_key_batch keys;

    (void)state;
    lith_key_builder_done(&builder);
    sort_table_init(&table, 1, &type, ROWS, &seed);
    struct lith_key_rows rows = sort_table_rows(&table, 0, ROWS);
    lith_mem_init(&mem, SIZE_MAX, NULL);
    for (int64_t n = 0; n < 2; n++) {
        lith_key_builder_init(&builder, &table.layout, &mem);
        atomic_store(&mem.fail_after, n);
        assert_int_equal(lith_key_builder_build(&builder, &rows, &keys, &err), LITH_E_NOMEM);
        MUST(lith_key_builder_build(&builder, &rows, &keys, &err));
        pairs_check(&table, &keys);
        lith_key_builder_done(&builder);
    }
    sort_table_done(&table);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key_of_each_type), cmocka_unit_test(several_keys),
        cmocka_unit_test(bytes_of_keys),        cmocka_unit_test(cut_rows_have_the_same_keys),
        cmocka_unit_test(failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
