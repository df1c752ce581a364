/*
 * Whether rows are in order, and between which keys: against comparing each row with the next one.
 */
#include "sort_support.h"

#include "sort/key_order.h"

static struct lith_err err;
static struct lith_mem mem;

/* Adds a table in pieces of random sizes. */
static enum lith_code table_add(struct lith_key_order *order, struct sort_table *table,
                                uint64_t *seed)
{
    lith_key_order_begin(order);
    for (size_t at = 0; at < table->row_count;) {
        size_t count = 1 + test_random(seed) % 60;
        count = count < table->row_count - at ? count : table->row_count - at;
        struct lith_key_rows rows = sort_table_rows(table, at, count);
        LITH_TRY(lith_key_order_add(order, &rows, &err));
        at += count;
    }
    return LITH_OK;
}

/* The key of one row. */
static struct lith_slice row_key(struct lith_key_builder *builder, struct sort_table *table,
                                 size_t row)
{
    struct lith_key_rows rows = sort_table_rows(table, row, 1);
    struct lith_key_batch keys;

    MUST(lith_key_builder_build(builder, &rows, &keys, &err));
    return lith_key_at(&keys, 0);
}

static void table_check(struct sort_table *table, struct lith_key_order *order, uint64_t *seed)
{
    struct lith_unit_range range;
    struct lith_key_builder builder;
    struct lith_arena arena;
    size_t smallest = 0, largest = 0;
    bool in_order = true;

    for (size_t i = 1; i < table->row_count; i++) {
        in_order = in_order && sort_table_compare(table, i - 1, i) <= 0;
        smallest = sort_table_compare(table, i, smallest) < 0 ? i : smallest;
        largest = sort_table_compare(table, i, largest) > 0 ? i : largest;
    }
    lith_arena_init(&arena, &mem);
    lith_key_builder_init(&builder, &table->layout, &mem);
    MUST(table_add(order, table, seed));
    MUST(lith_key_order_range(order, 77, &arena, &range, &err));
    assert_int_equal(range.unit, 77);
    assert_int_equal(range.row_count, table->row_count);
    if (range.in_order != in_order)
        fail_msg("order %d: in order: %d instead of %d", (int)table->types[0]->order,
                 range.in_order, in_order);
    if (table->row_count) {
        struct lith_slice key = row_key(&builder, table, smallest);
        assert_true(lith_slice_equal(range.smallest.bytes, key) && !range.smallest.is_cut);
        key = row_key(&builder, table, largest);
        assert_true(lith_slice_equal(range.largest.bytes, key) && !range.largest.is_cut);
    }
    lith_key_builder_done(&builder);
    lith_arena_done(&arena);
}

static void rows_swap(struct sort_table *table, size_t a, size_t b)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        struct sort_cell *x = &table->cells[a * table->field_count + i];
        struct sort_cell *y = &table->cells[b * table->field_count + i];
        struct sort_cell cell = *x;
        *x = *y;
        *y = cell;
    }
}

static void same_as_comparing_rows(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 1500; i++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = i % 3 ? 1 : 1 + (uint32_t)(test_random(&seed) % FIELDS_MAX);
        struct sort_table table;
        struct lith_key_order order;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, test_random(&seed) % 300, &seed);
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_key_order_init(&order, &table.layout, &mem);
        table_check(&table, &order, &seed); /* as it came: hardly in order */
        sort_table_sort(&table);
        table_check(&table, &order, &seed);
        for (int k = 0; k < 4 && table.row_count > 1; k++) { /* neighbours, then any two */
            size_t a = test_random(&seed) % (table.row_count - 1);
            size_t b = k < 2 ? a + 1 : test_random(&seed) % table.row_count;
            rows_swap(&table, a, b);
            table_check(&table, &order, &seed);
            rows_swap(&table, a, b);
        }
        lith_key_order_done(&order);
        sort_table_done(&table);
        lith_mem_done(&mem);
    }
}

/* Of long keys the beginning is told, and that it was cut. */
static void long_keys_are_cut(void **state)
{
    uint8_t text[2][1000];
    struct lith_slice values[2] = {{text[0], 1000}, {text[1], 1000}};
    struct lith_key_layout layout = {.field_count = 1};
    struct lith_key_order order = {0};
    struct lith_unit_range range;
    struct lith_arena arena;

    (void)state;
    lith_key_order_done(&order);
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    memset(text, 'x', sizeof(text));
    layout.fields[0] =
        (struct lith_key_field){.order = LITH_ORDER_BYTES, .type = LITH_TYPE_BYTE_ARRAY};
    lith_key_order_init(&order, &layout, &mem);
    for (int i = 0; i < 3; i++) { /* equal, ascending, descending at their very end */
        struct lith_key_rows rows = {.row_count = 1};
        lith_key_order_begin(&order);
        text[0][999] = i == 2 ? 'y' : 'x';
        text[1][999] = i == 1 ? 'y' : 'x';
        for (int k = 0; k < 2; k++) {
            rows.columns[0].values = (struct lith_values){
                .type = LITH_TYPE_BYTE_ARRAY, .count = 1, .slices = &values[k]};
            MUST(lith_key_order_add(&order, &rows, &err));
        }
        MUST(lith_key_order_range(&order, 0, &arena, &range, &err));
        assert_int_equal(range.in_order, i < 2);
        assert_true(range.smallest.is_cut && range.largest.is_cut);
        assert_int_equal(range.smallest.bytes.bytes, LITH_SORT_BOUND_BYTES_MAX);
        assert_memory_equal(range.largest.bytes.data, text[0], LITH_SORT_BOUND_BYTES_MAX);
    }
    lith_key_order_done(&order);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

static void failed_allocations(void **state)
{
    const struct sort_type *types[2] = {&sort_types[5], &sort_types[13]};
    uint64_t seed = test_seed();
    bool failed = true;
    struct sort_table table;

    (void)state;
    sort_table_init(&table, 2, types, 200, &seed);
    for (int64_t n = 0; failed; n++) {
        struct lith_key_order order;
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_key_order_init(&order, &table.layout, &mem);
        atomic_store(&mem.fail_after, n);
        enum lith_code code = table_add(&order, &table, &seed);
        failed = atomic_load(&mem.fail_after) < 0;
        assert_int_equal(code, failed ? LITH_E_NOMEM : LITH_OK);
        lith_key_order_done(&order);
        lith_mem_done(&mem);
    }
    sort_table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_comparing_rows),
        cmocka_unit_test(long_keys_are_cut),
        cmocka_unit_test(failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
