/*
 * Page indexes: built, parsed back and compared with what was given; what must not be written;
 * boundary order.
 */
#include "support.h"

#include <math.h>

#include "base/limits.h"
#include "parquet/page_index.h"

static struct lith_mem mem;
static struct lith_err err;
static struct lith_buf columns, offsets;
static struct lith_arena arena;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 << 22, NULL);
    lith_buf_init(&columns, &mem, 1 << 20);
    lith_buf_init(&offsets, &mem, 1 << 20);
    lith_arena_init(&arena, &mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_arena_done(&arena);
    lith_buf_done(&columns);
    lith_buf_done(&offsets);
    lith_mem_done(&mem);
    return 0;
}

static const struct lith_schema_node int_leaf = {
    .type = LITH_TYPE_INT32, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node text_leaf = {.type = LITH_TYPE_BYTE_ARRAY,
                                                  .converted_type = LITH_CONVERTED_UTF8,
                                                  .max_def = 2,
                                                  .max_rep = 1};
static const struct lith_schema_node double_leaf = {.type = LITH_TYPE_DOUBLE, .converted_type = -1};
static const struct lith_schema_node int96_leaf = {.type = LITH_TYPE_INT96, .converted_type = -1};

static void finish(struct lith_index_builder *builder)
{
    lith_buf_clear(&columns);
    lith_buf_clear(&offsets);
    MUST(lith_index_builder_finish(builder, &columns, &offsets, &err));
    lith_index_builder_free(builder);
}

static void add_page(struct lith_index_builder *builder, const struct lith_bounds *bounds,
                     int64_t row, const int64_t *rep, const int64_t *def)
{
    struct lith_index_page page = {
        .offset = 100 + row * 10,
        .bytes = 1000 + (int32_t)row,
        .first_row = row,
        .bounds = bounds,
        .unencoded_bytes = row * 3,
        .rep_histogram = rep,
        .def_histogram = def,
    };
    MUST(lith_index_builder_add(builder, &page, &err));
}

/* Pages of one INT32 pair each; min > max stands for a page of nulls. */
static void test_boundary_order(void **state)
{
    static const struct {
        int32_t pages[4][2];
        enum lith_boundary_order order;
    } cases[] = {
        {{{1, 2}, {2, 2}, {3, 9}, {9, 9}}, LITH_BOUNDARY_ASCENDING},
        {{{9, 9}, {3, 9}, {3, 4}, {-1, 0}}, LITH_BOUNDARY_DESCENDING},
        {{{1, 5}, {2, 4}, {3, 9}, {9, 9}}, LITH_BOUNDARY_UNORDERED},
        {{{1, 5}, {9, 0}, {2, 6}, {9, 0}}, LITH_BOUNDARY_ASCENDING},
        {{{5, 5}, {5, 5}, {5, 5}, {5, 5}}, LITH_BOUNDARY_ASCENDING},
        {{{1, 9}, {2, 3}, {2, 3}, {1, 2}}, LITH_BOUNDARY_UNORDERED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_index_builder *builder;
        struct lith_column_index index;
        struct lith_bounds bounds;
        int64_t histogram[2] = {1, 2};

        MUST(lith_index_builder_new(&mem, &int_leaf, &builder, &err));
        lith_bounds_init(&bounds, LITH_ORDER_SIGNED_32, &mem, 64);
        for (int page = 0; page < 4; page++) {
            const int32_t *pair = cases[i].pages[page];
            struct lith_values values = {.type = LITH_TYPE_INT32,
                                         .width = 4,
                                         .count = pair[0] > pair[1] ? 0 : 2,
                                         .fixed = (const uint8_t *)pair};
            lith_bounds_clear(&bounds);
            MUST(lith_bounds_add(&bounds, &values, &err));
            lith_bounds_add_nulls(&bounds, 3);
            add_page(builder, &bounds, page * 5, NULL, histogram);
        }
        finish(builder);
        MUST(lith_column_index_parse(columns.data, columns.bytes, &arena, &index, &err));
        assert_int_equal(index.boundary_order, cases[i].order);
        assert_int_equal(index.page_count, 4);
        for (int page = 0; page < 4; page++) {
            const int32_t *pair = cases[i].pages[page];
            bool is_null = pair[0] > pair[1];
            assert_int_equal(index.null_pages[page], is_null);
            assert_int_equal(index.null_counts[page], 3);
            assert_int_equal(index.min_values[page].bytes, is_null ? 0 : 4);
            assert_int_equal(index.max_values[page].bytes, is_null ? 0 : 4);
            if (!is_null) {
                assert_memory_equal(index.min_values[page].data, &pair[0], 4);
                assert_memory_equal(index.max_values[page].data, &pair[1], 4);
            }
        }
        assert_null(index.nan_counts);
        assert_null(index.rep_histograms);
        assert_int_equal(index.def_histogram_count, 8);
        lith_bounds_done(&bounds);
        lith_arena_done(&arena);
    }
}

/* A nested text column: truncated bounds, histograms, byte counts, offsets. */
static void test_text(void **state)
{
    static char long_text[200];
    struct lith_index_builder *builder;
    struct lith_column_index index;
    struct lith_offset_index locations;
    struct lith_bounds bounds;
    struct lith_slice slices[2] = {lith_slice_text("b"), {(const uint8_t *)long_text, 200}};
    struct lith_values values = {.type = LITH_TYPE_BYTE_ARRAY, .count = 2, .slices = slices};

    (void)state;
    memset(long_text, 'x', sizeof(long_text));
    MUST(lith_index_builder_new(&mem, &text_leaf, &builder, &err));
    lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 1000);
    MUST(lith_bounds_add(&bounds, &values, &err));
    for (int64_t page = 0; page < 3; page++) {
        int64_t rep[2] = {page + 1, 2}, def[3] = {0, page, 2};
        add_page(builder, &bounds, page, rep, def);
    }
    lith_bounds_done(&bounds);
    finish(builder);

    MUST(lith_column_index_parse(columns.data, columns.bytes, &arena, &index, &err));
    assert_int_equal(index.page_count, 3);
    assert_true(lith_slice_equal(index.min_values[2], lith_slice_text("b")));
    assert_int_equal(index.max_values[2].bytes, LITH_INDEX_BOUND_BYTES_MAX);
    assert_int_equal(index.max_values[2].data[LITH_INDEX_BOUND_BYTES_MAX - 1], 'x' + 1);
    assert_int_equal(index.rep_histogram_count, 6);
    assert_int_equal(index.rep_histograms[4], 3);
    assert_int_equal(index.def_histogram_count, 9);
    assert_int_equal(index.def_histograms[7], 2);
    MUST(lith_offset_index_parse(offsets.data, offsets.bytes, &arena, &locations, &err));
    assert_int_equal(locations.page_count, 3);
    assert_int_equal(locations.pages[1].offset, 110);
    assert_int_equal(locations.pages[2].offset, 120);
    assert_int_equal(locations.pages[2].bytes, 1002);
    assert_int_equal(locations.pages[2].first_row, 2);
    assert_int_equal(locations.unencoded_bytes[2], 6);

    /* No prefix of either can be read. */
    for (size_t bytes = 0; bytes < columns.bytes; bytes++)
        assert_int_equal(lith_column_index_parse(columns.data, bytes, &arena, &index, &err),
                         LITH_E_CORRUPT);
    for (size_t bytes = 0; bytes < offsets.bytes; bytes++)
        assert_int_equal(lith_offset_index_parse(offsets.data, bytes, &arena, &locations, &err),
                         LITH_E_CORRUPT);
    lith_arena_done(&arena);
}

static void test_left_out(void **state)
{
    struct lith_index_builder *builder;
    struct lith_column_index index;
    struct lith_bounds bounds;
    double numbers[2] = {(double)NAN, 5};
    struct lith_values values = {
        .type = LITH_TYPE_DOUBLE, .width = 8, .count = 2, .fixed = (const uint8_t *)numbers};

    (void)state;
    /* A page with a NaN and a number, then, the second time, one of nothing but NaN. */
    for (int with_nan_page = 0; with_nan_page < 2; with_nan_page++) {
        MUST(lith_index_builder_new(&mem, &double_leaf, &builder, &err));
        lith_bounds_init(&bounds, LITH_ORDER_DOUBLE, &mem, 64);
        values.count = 2;
        MUST(lith_bounds_add(&bounds, &values, &err));
        add_page(builder, &bounds, 0, NULL, NULL);
        lith_bounds_clear(&bounds);
        values.count = with_nan_page ? 1 : 0;
        MUST(lith_bounds_add(&bounds, &values, &err));
        add_page(builder, &bounds, 2, NULL, NULL);
        lith_bounds_done(&bounds);
        finish(builder);
        assert_int_equal(columns.bytes == 0, with_nan_page);
        assert_true(offsets.bytes > 0);
        if (!with_nan_page) {
            MUST(lith_column_index_parse(columns.data, columns.bytes, &arena, &index, &err));
            assert_int_equal(index.nan_counts[0], 1);
            assert_int_equal(index.nan_counts[1], 0);
            lith_arena_done(&arena);
        }
    }
    /* No order: only offsets. A row that was cut: nothing. */
    for (int dropped = 0; dropped < 2; dropped++) {
        MUST(lith_index_builder_new(&mem, &int96_leaf, &builder, &err));
        lith_bounds_init(&bounds, LITH_ORDER_NONE, &mem, 64);
        add_page(builder, &bounds, 0, NULL, NULL);
        if (dropped)
            lith_index_builder_drop(builder);
        add_page(builder, &bounds, 1, NULL, NULL);
        finish(builder);
        assert_int_equal(columns.bytes, 0);
        assert_int_equal(offsets.bytes == 0, dropped);
    }
}

/* What is unknown of the second of three pages is not written of any; the rest is. */
static void test_unknown(void **state)
{
    enum { NOTHING, NULLS, NANS, BOUNDS, SIZES, REP, DEF, CASES };

    (void)state;
    for (int c = NOTHING; c < CASES; c++) {
        static const struct lith_schema_node leaf = {
            .type = LITH_TYPE_DOUBLE, .converted_type = -1, .max_def = 1, .max_rep = 1};
        bool is_text = c == SIZES;
        double number = 5;
        struct lith_facts facts = {.positions = 3,
                                   .has_null_count = c != NULLS,
                                   .null_count = c == NULLS ? 0 : 1,
                                   .has_nan_count = c != NANS && !is_text,
                                   .has_bounds = c != BOUNDS,
                                   .min = {(const uint8_t *)&number, 8},
                                   .max = {(const uint8_t *)&number, 8}};
        int64_t counts[2] = {1, 2};
        struct lith_index_builder *builder;
        struct lith_column_index index;
        struct lith_offset_index locations;
        struct lith_bounds known, other;

        MUST(lith_index_builder_new(&mem, is_text ? &text_leaf : &leaf, &builder, &err));
        lith_bounds_init(&known, is_text ? LITH_ORDER_BYTES : LITH_ORDER_DOUBLE, &mem, 64);
        lith_bounds_init(&other, is_text ? LITH_ORDER_BYTES : LITH_ORDER_DOUBLE, &mem, 64);
        MUST(lith_bounds_add_facts(&other, &facts, &err));
        facts.has_null_count = facts.has_nan_count = facts.has_bounds = true;
        MUST(lith_bounds_add_facts(&known, &facts, &err));
        for (int64_t i = 0; i < 3; i++) {
            int64_t def[3] = {0, 1, 2};
            bool is_other = i == 1;
            struct lith_index_page page = {
                .offset = 10 + i,
                .bytes = 1,
                .first_row = i,
                .bounds = is_other ? &other : &known,
                .unencoded_bytes = is_other && c == SIZES ? -1 : 7,
                .rep_histogram = is_other && c == REP ? NULL : counts,
                .def_histogram = is_other && c == DEF ? NULL : def,
            };
            MUST(lith_index_builder_add(builder, &page, &err));
        }
        lith_bounds_done(&known);
        lith_bounds_done(&other);
        finish(builder);
        MUST(lith_offset_index_parse(offsets.data, offsets.bytes, &arena, &locations, &err));
        assert_int_equal(locations.page_count, 3);
        assert_null(locations.unencoded_bytes);
        assert_int_equal(columns.bytes == 0, c == BOUNDS);
        if (c != BOUNDS) {
            MUST(lith_column_index_parse(columns.data, columns.bytes, &arena, &index, &err));
            assert_int_equal(index.page_count, 3);
            assert_int_equal(index.null_counts != NULL, c != NULLS);
            assert_int_equal(index.nan_counts != NULL, c != NANS && !is_text);
            assert_int_equal(index.rep_histograms != NULL, c != REP && c != DEF);
            assert_int_equal(index.def_histograms != NULL, c != REP && c != DEF);
        }
        lith_arena_done(&arena);
    }
}

/* More pages than the memory of the builder holds: no index, no failure. */
static void test_many_pages(void **state)
{
    struct lith_index_builder *builder;
    struct lith_bounds bounds;
    int64_t def[2] = {0, 0};

    (void)state;
    MUST(lith_index_builder_new(&mem, &int_leaf, &builder, &err));
    lith_bounds_init(&bounds, LITH_ORDER_SIGNED_32, &mem, 64);
    for (int64_t i = 0; i < 20000; i++)
        add_page(builder, &bounds, i, NULL, def);
    finish(builder);
    assert_int_equal(columns.bytes, 0);
    assert_int_equal(offsets.bytes, 0);
}

/* An index of pages that stand elsewhere: their places move, all else is what it was. */
static void test_shift(void **state)
{
    static const struct lith_slice texts[2] = {{(const uint8_t *)"a", 1},
                                               {(const uint8_t *)"bc", 2}};
    static const int64_t shifts[] = {0, 1, 1000, (int64_t)1 << 40, -4};
    struct lith_schema_node leaf = {.type = LITH_TYPE_BYTE_ARRAY, .max_def = 1};
    struct lith_offset_index before, after;
    struct lith_bounds bounds;
    struct lith_buf moved;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(shifts) / sizeof(shifts[0]); i++) {
        int64_t shift = shifts[i / 2];
        struct lith_index_builder *builder;
        lith_buf_init(&moved, &mem, INT32_MAX);
        MUST(lith_index_builder_new(&mem, &leaf, &builder, &err));
        lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 64);
        for (int64_t page = 0; page < 100; page++) {
            struct lith_values values = {.type = LITH_TYPE_BYTE_ARRAY, .count = 2, .slices = texts};
            struct lith_index_page one = {.offset = 4 + page * 50,
                                          .bytes = 50,
                                          .first_row = page * 2,
                                          .bounds = &bounds,
                                          .unencoded_bytes = i % 2 ? 3 + page : -1};
            MUST(lith_bounds_add(&bounds, &values, &err));
            MUST(lith_index_builder_add(builder, &one, &err));
        }
        finish(builder);
        MUST(lith_offset_index_shift((struct lith_slice){offsets.data, offsets.bytes}, shift,
                                     &moved, &err));
        MUST(lith_offset_index_parse(offsets.data, offsets.bytes, &arena, &before, &err));
        MUST(lith_offset_index_parse(moved.data, moved.bytes, &arena, &after, &err));
        assert_int_equal(after.page_count, 100);
        assert_int_equal(after.unencoded_bytes != NULL, i % 2);
        for (size_t page = 0; page < 100; page++) {
            assert_int_equal(after.pages[page].offset, before.pages[page].offset + shift);
            assert_int_equal(after.pages[page].bytes, 50);
            assert_int_equal(after.pages[page].first_row, page * 2);
            if (i % 2)
                assert_int_equal(after.unencoded_bytes[page], 3 + page);
        }
        if (shift == 0)
            assert_memory_equal(moved.data, offsets.data, offsets.bytes);
        lith_bounds_done(&bounds);
        lith_buf_done(&moved);
        lith_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boundary_order), cmocka_unit_test(test_text),
        cmocka_unit_test(test_left_out),       cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_many_pages),     cmocka_unit_test(test_shift),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
