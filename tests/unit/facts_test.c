/*
 * What of a source's statistics is believed: one case per rule of parquet-splice.md 3.2 to 3.5.
 */
#include "arena_support.h"

#include <math.h>

#include "parquet/facts.h"

static const struct lith_schema_node int_leaf = {
    .type = LITH_TYPE_INT32, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node required_leaf = {.type = LITH_TYPE_INT32,
                                                      .converted_type = -1};
static const struct lith_schema_node unsigned_leaf = {
    .type = LITH_TYPE_INT32, .converted_type = LITH_CONVERTED_UINT_32, .max_def = 1};
static const struct lith_schema_node text_leaf = {
    .type = LITH_TYPE_BYTE_ARRAY, .converted_type = LITH_CONVERTED_UTF8, .max_def = 1};
static const struct lith_schema_node decimal_leaf = {
    .type = LITH_TYPE_BYTE_ARRAY, .converted_type = LITH_CONVERTED_DECIMAL, .max_def = 1};
static const struct lith_schema_node bool_leaf = {
    .type = LITH_TYPE_BOOLEAN, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node float_leaf = {
    .type = LITH_TYPE_FLOAT, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node fixed_leaf = {
    .type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY, .type_length = 3, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node half_leaf = {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
                                                  .type_length = 2,
                                                  .converted_type = -1,
                                                  .logical.kind = LITH_LOGICAL_FLOAT16,
                                                  .max_def = 1};
static const struct lith_schema_node int96_leaf = {
    .type = LITH_TYPE_INT96, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node list_leaf = {
    .type = LITH_TYPE_BYTE_ARRAY, .converted_type = -1, .max_def = 2, .max_rep = 1};
static const struct lith_schema_node deep_leaf = {
    .type = LITH_TYPE_INT32, .converted_type = -1, .max_def = 3};

#define BYTES(text)                                                                                \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }
#define NO_BOUND                                                                                   \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* A file of one leaf and one row group with one chunk. */
struct file {
    struct lith_footer footer;
    struct lith_schema_node nodes[2];
    uint32_t leaf;
    struct lith_row_group group;
    struct lith_chunk_meta meta;
    uint8_t order;
};

static void file_init(struct file *file, const struct lith_schema_node *leaf, int64_t positions)
{
    memset(file, 0, sizeof(*file));
    file->nodes[1] = *leaf;
    file->leaf = 1;
    file->meta.num_values = positions;
    file->group = (struct lith_row_group){.chunks = &file->meta, .num_rows = positions};
    file->order = LITH_ORDER_TYPE;
    file->footer = (struct lith_footer){
        .schema = {.nodes = file->nodes, .node_count = 2, .leaves = &file->leaf, .leaf_count = 1},
        .row_groups = &file->group,
        .row_group_count = 1,
        .created_by = lith_slice_text("lithify version 1.2.3"),
        .column_orders = &file->order,
    };
}

static struct lith_facts file_facts(const struct file *file)
{
    struct lith_facts facts;

    MUST(lith_facts_of_chunk(&file->footer, 0, 0, &arena, &facts, &err));
    return facts;
}

/* 10 positions each. */
struct bound_case {
    const char *what;
    const struct lith_schema_node *leaf;
    struct lith_slice min;
    struct lith_slice max;
    bool has_bounds;
};

static const struct bound_case bound_cases[] = {
    {"a pair", &int_leaf, BYTES("\1\0\0\0"), BYTES("\2\0\0\0"), true},
    {"one value", &int_leaf, BYTES("\1\0\0\0"), BYTES("\1\0\0\0"), true},
    {"negative", &int_leaf, BYTES("\xff\xff\xff\xff"), BYTES("\2\0\0\0"), true},
    {"the same unsigned", &unsigned_leaf, BYTES("\xff\xff\xff\xff"), BYTES("\2\0\0\0"), false},
    {"min above max", &int_leaf, BYTES("\3\0\0\0"), BYTES("\2\0\0\0"), false},
    {"no max", &int_leaf, BYTES("\1\0\0\0"), NO_BOUND, false},
    {"no min", &int_leaf, NO_BOUND, BYTES("\1\0\0\0"), false},
    {"narrow min", &int_leaf, BYTES("\1\0\0"), BYTES("\1\0\0\0"), false},
    {"wide max", &int_leaf, BYTES("\1\0\0\0"), BYTES("\1\0\0\0\0"), false},
    {"empty", &int_leaf, BYTES(""), BYTES(""), false},
    {"empty text", &text_leaf, BYTES(""), BYTES(""), true},
    {"text", &text_leaf, BYTES("a"), BYTES("b"), true},
    {"no UTF-8", &text_leaf, BYTES("a\xff"), BYTES("\xff"), true},
    {"text, prefix smaller", &text_leaf, BYTES("ab"), BYTES("a"), false},
    {"decimal, by sign", &decimal_leaf, BYTES("\xff"), BYTES("\0\1"), true},
    {"decimal, wrong way", &decimal_leaf, BYTES("\0\1"), BYTES("\xff"), false},
    {"decimal of no bytes", &decimal_leaf, BYTES(""), BYTES("\1"), false},
    {"boolean", &bool_leaf, BYTES("\0"), BYTES("\1"), true},
    {"boolean 2", &bool_leaf, BYTES("\0"), BYTES("\2"), false},
    {"fixed", &fixed_leaf, BYTES("abc"), BYTES("abd"), true},
    {"fixed, cut", &fixed_leaf, BYTES("ab"), BYTES("abd"), false},
    {"float", &float_leaf, BYTES("\0\0\x80\xbf"), BYTES("\0\0\x80\x3f"), true},
    {"NaN max", &float_leaf, BYTES("\0\0\x80\xbf"), BYTES("\0\0\xc0\x7f"), false},
    {"NaN min", &float_leaf, BYTES("\0\0\xc0\xff"), BYTES("\0\0\x80\x3f"), false},
    {"zeros", &float_leaf, BYTES("\0\0\0\0"), BYTES("\0\0\0\x80"), true},
    {"half zeros", &half_leaf, BYTES("\0\0"), BYTES("\0\x80"), true},
    {"half NaN", &half_leaf, BYTES("\0\0"), BYTES("\0\x7e"), false},
    {"no order", &int96_leaf, BYTES("aaaabbbbcccc"), BYTES("aaaabbbbcccc"), false},
};

static void test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bound_cases) / sizeof(bound_cases[0]); i++) {
        const struct bound_case *c = &bound_cases[i];
        struct file file;
        /* These come out widened: min -0, which was max, and the other way round. */
        bool is_zero = strstr(c->what, "zeros") != NULL;

        file_init(&file, c->leaf, 10);
        file.meta.statistics =
            (struct lith_statistics){.min_value = c->min, .max_value = c->max, .max_exact = true};
        struct lith_facts facts = file_facts(&file);
        if (facts.has_bounds != c->has_bounds || facts.has_null_count || facts.is_all_null)
            fail_msg("%s: bounds %d", c->what, facts.has_bounds);
        if (c->has_bounds && (!lith_slice_equal(facts.min, is_zero ? c->max : c->min) ||
                              !lith_slice_equal(facts.max, is_zero ? c->min : c->max)))
            fail_msg("%s: other bounds", c->what);
        assert_false(facts.min_exact); /* absent */
        assert_int_equal(facts.max_exact, c->has_bounds && !is_zero);
        assert_int_equal(facts.is_fixed, c->leaf->type != LITH_TYPE_BYTE_ARRAY);

        /* The legacy pair is never taken, nor a pair in an order that is not stated. */
        struct lith_statistics *s = &file.meta.statistics;
        for (int order = 0; order < 4; order++) {
            file.order = (uint8_t)order;
            bool known =
                order == LITH_ORDER_TYPE ||
                (order == LITH_ORDER_IEEE754 && lith_order_is_floating(lith_order_of(c->leaf)));
            assert_int_equal(file_facts(&file).has_bounds, known && c->has_bounds);
        }
        file.order = LITH_ORDER_TYPE;
        *s = (struct lith_statistics){.legacy_min = c->min, .legacy_max = c->max};
        assert_false(file_facts(&file).has_bounds);
        *s = (struct lith_statistics){.min_value = c->min, .max_value = c->max};
        file.footer.column_orders = NULL;
        assert_false(file_facts(&file).has_bounds);
    }
}

static void test_distrusted_writer(void **state)
{
    struct file file;

    (void)state;
    file_init(&file, &text_leaf, 10);
    file.meta.statistics = (struct lith_statistics){
        .min_value = BYTES("a"), .max_value = BYTES("b"), .has_null_count = true, .null_count = 4};
    assert_true(file_facts(&file).has_bounds);
    file.footer.created_by = lith_slice_text("parquet-mr version 1.9.0 (build x)");
    assert_false(file_facts(&file).has_bounds);
    assert_true(file_facts(&file).has_null_count);
    /* polars#29321 */
    file.footer.created_by = lith_slice_text("Polars");
    assert_true(file_facts(&file).has_bounds);
    assert_false(file_facts(&file).has_null_count);
    file.meta.statistics.null_count = 0;
    assert_true(file_facts(&file).has_null_count);
}

/* Empty lists alone, of which a writer counts no null: they have no values all the same. */
static void test_empty_lists(void **state)
{
    int64_t rep[2] = {10, 0}, def[3] = {10, 0, 0};
    struct file file;

    (void)state;
    file_init(&file, &list_leaf, 10);
    file.meta.statistics = (struct lith_statistics){.has_null_count = true};
    file.meta.size_statistics.rep_histogram = rep;
    file.meta.size_statistics.def_histogram = def;
    assert_true(file_facts(&file).is_all_null);
    file.meta.statistics.min_value = (struct lith_slice)BYTES("a");
    assert_false(file_facts(&file).is_all_null);
    assert_false(file_facts(&file).has_null_count);
}

enum { UNKNOWN = -99 };

struct count_case {
    const char *what;
    const struct lith_schema_node *leaf;
    int64_t positions;
    int64_t nulls; /* as the file says, or UNKNOWN */
    int64_t nans;
    bool bounds;
    int64_t nulls_are;
    int64_t nans_are;
    bool bounds_are;
    bool is_all_null;
};

static const struct count_case count_cases[] = {
    {"counts", &float_leaf, 10, 3, 2, true, 3, 2, true, false},
    {"no counts", &float_leaf, 10, UNKNOWN, UNKNOWN, true, UNKNOWN, UNKNOWN, true, false},
    {"TYPE_ORDER without nan_count", &float_leaf, 10, 3, UNKNOWN, true, 3, UNKNOWN, true, false},
    {"NaN of integers", &int_leaf, 10, 3, 2, true, 3, UNKNOWN, true, false},
    {"nulls below 0", &float_leaf, 10, -1, 2, true, UNKNOWN, UNKNOWN, false, false},
    {"more nulls than positions", &int_leaf, 10, 11, UNKNOWN, true, UNKNOWN, UNKNOWN, false, false},
    {"all null", &int_leaf, 10, 10, UNKNOWN, false, 10, UNKNOWN, false, true},
    {"all null, but bounds", &int_leaf, 10, 10, UNKNOWN, true, UNKNOWN, UNKNOWN, false, false},
    {"required", &required_leaf, 10, UNKNOWN, UNKNOWN, true, 0, UNKNOWN, true, false},
    {"nulls of a required column", &required_leaf, 10, 1, UNKNOWN, true, 0, UNKNOWN, false, false},
    {"NaN below 0", &float_leaf, 10, 3, -1, true, UNKNOWN, UNKNOWN, false, false},
    {"more NaN than values", &float_leaf, 10, 3, 8, false, UNKNOWN, UNKNOWN, false, false},
    {"nothing but NaN", &float_leaf, 10, 3, 7, false, 3, 7, false, false},
    {"nothing but NaN, but bounds", &float_leaf, 10, 3, 7, true, UNKNOWN, UNKNOWN, false, false},
    {"no positions", &float_leaf, 0, 3, 7, true, 0, UNKNOWN, false, true},
};

static void test_counts(void **state)
{
    static const struct lith_slice bound = BYTES("\0\0\x80\x3f");

    (void)state;
    for (size_t i = 0; i < sizeof(count_cases) / sizeof(count_cases[0]); i++) {
        const struct count_case *c = &count_cases[i];
        struct file file;

        file_init(&file, c->leaf, c->positions);
        file.meta.statistics = (struct lith_statistics){
            .has_null_count = c->nulls != UNKNOWN,
            .null_count = c->nulls,
            .has_nan_count = c->nans != UNKNOWN,
            .nan_count = c->nans,
            .min_value = c->bounds ? bound : (struct lith_slice)NO_BOUND,
            .max_value = c->bounds ? bound : (struct lith_slice)NO_BOUND,
        };
        struct lith_facts f = file_facts(&file);
        int64_t nulls = f.has_null_count ? f.null_count : UNKNOWN;
        int64_t nans = f.has_nan_count ? f.nan_count : UNKNOWN;
        if (nulls != c->nulls_are || nans != c->nans_are || f.has_bounds != c->bounds_are ||
            f.is_all_null != c->is_all_null || f.positions != c->positions)
            fail_msg("%s: %" PRId64 " %" PRId64 " %d %d", c->what, nulls, nans, f.has_bounds,
                     f.is_all_null);
    }
}

/* An untrusted pair still contradicts a column of nulls. */
static void test_contradiction_of_untrusted(void **state)
{
    struct file file;

    (void)state;
    file_init(&file, &int96_leaf, 5);
    file.meta.statistics = (struct lith_statistics){
        .has_null_count = true, .null_count = 5, .min_value = BYTES("aaaabbbbcccc")};
    assert_false(file_facts(&file).has_null_count);
    file.meta.statistics.min_value.data = NULL;
    assert_true(file_facts(&file).is_all_null);
}

struct histogram_case {
    const char *what;
    const struct lith_schema_node *leaf;
    int64_t rows;
    int64_t positions;
    int64_t nulls;  /* UNKNOWN: not said */
    int64_t rep[2]; /* -1 first: none */
    int64_t def[4];
    bool rep_is;
    int64_t def_is[4]; /* -1 first: none */
    int64_t nulls_are;
};

static const struct histogram_case histogram_cases[] = {
    {"of a list", &list_leaf, 6, 10, 4, {6, 4}, {1, 3, 6}, true, {1, 3, 6}, 4},
    {"nulls not said", &list_leaf, 6, 10, UNKNOWN, {6, 4}, {1, 3, 6}, true, {1, 3, 6}, 4},
    {"def sum", &list_leaf, 6, 10, 4, {6, 4}, {1, 3, 7}, false, {-1}, UNKNOWN},
    {"rep sum", &list_leaf, 6, 10, 4, {6, 5}, {1, 3, 6}, false, {-1}, UNKNOWN},
    {"rows", &list_leaf, 5, 10, 4, {6, 4}, {1, 3, 6}, false, {-1}, UNKNOWN},
    {"negative", &list_leaf, 6, 10, 4, {6, 4}, {-1, 5, 6}, false, {-1}, UNKNOWN},
    {"overflow", &list_leaf, 6, 10, 4, {6, 4}, {INT64_MAX, INT64_MAX, 12}, false, {-1}, UNKNOWN},
    {"flat: sum", &int_leaf, 10, 10, 4, {-1}, {4, 7}, false, {4, 6}, 4},
    {"list: all null", &list_leaf, 6, 10, 10, {-1}, {-1}, false, {-1}, 10},
    {"nulls said to be more", &list_leaf, 6, 10, 5, {6, 4}, {1, 3, 6}, false, {-1}, UNKNOWN},
    {"empty lists not counted", &list_leaf, 6, 10, 3, {6, 4}, {1, 3, 6}, true, {1, 3, 6}, 4},
    {"only def", &list_leaf, 6, 10, 4, {-1}, {1, 3, 6}, false, {1, 3, 6}, 4},
    {"flat: made up", &int_leaf, 10, 10, 4, {-1}, {-1}, false, {4, 6}, 4},
    {"flat: read", &int_leaf, 10, 10, 4, {10}, {4, 6}, false, {4, 6}, 4},
    {"flat: nothing known", &int_leaf, 10, 10, UNKNOWN, {-1}, {-1}, false, {-1}, UNKNOWN},
    {"flat: contradiction", &int_leaf, 10, 10, 5, {-1}, {4, 6}, false, {-1}, UNKNOWN},
    {"struct without nulls", &deep_leaf, 10, 10, 0, {-1}, {-1}, false, {0, 0, 0, 10}, 0},
    {"struct with nulls", &deep_leaf, 10, 10, 1, {-1}, {-1}, false, {-1}, 1},
    {"required", &required_leaf, 10, 10, UNKNOWN, {10}, {10}, false, {-1}, 0},
    {"list: nulls that nothing confirms", &list_leaf, 6, 10, 0, {-1}, {-1}, false, {-1}, UNKNOWN},
};

static void test_histograms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(histogram_cases) / sizeof(histogram_cases[0]); i++) {
        const struct histogram_case *c = &histogram_cases[i];
        int64_t rep[2], def[4];
        struct file file;

        file_init(&file, c->leaf, c->positions);
        file.group.num_rows = c->rows;
        memcpy(rep, c->rep, sizeof(rep));
        memcpy(def, c->def, sizeof(def));
        file.meta.statistics =
            (struct lith_statistics){.has_null_count = c->nulls != UNKNOWN, .null_count = c->nulls};
        file.meta.size_statistics = (struct lith_size_statistics){
            .present = true,
            .rep_histogram = rep[0] < 0 ? NULL : rep,
            .def_histogram = def[0] == -1 && def[1] == 0 ? NULL : def,
        };
        struct lith_facts f = file_facts(&file);
        int64_t nulls = f.has_null_count ? f.null_count : UNKNOWN;
        if ((f.rep_histogram != NULL) != c->rep_is || nulls != c->nulls_are)
            fail_msg("%s: %d %" PRId64, c->what, f.rep_histogram != NULL, nulls);
        if ((f.def_histogram != NULL) != (c->def_is[0] >= 0))
            fail_msg("%s: def %d", c->what, f.def_histogram != NULL);
        if (f.def_histogram)
            assert_memory_equal(f.def_histogram, c->def_is, (c->leaf->max_def + 1u) * 8);
    }
}

static void test_unencoded(void **state)
{
    static const struct {
        const struct lith_schema_node *leaf;
        int64_t said; /* UNKNOWN: nothing */
        bool all_null;
        int64_t is;
    } cases[] = {
        {&text_leaf, 7, false, 7},          {&text_leaf, 0, false, 0},
        {&text_leaf, UNKNOWN, false, -1},   {&text_leaf, -5, false, -1},
        {&text_leaf, INT64_MAX, false, -1}, {&text_leaf, 7, true, 0},
        {&text_leaf, UNKNOWN, true, 0},     {&int_leaf, 7, false, 0},
        {&fixed_leaf, 7, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct file file;

        file_init(&file, cases[i].leaf, 10);
        file.meta.statistics.has_null_count = cases[i].all_null;
        file.meta.statistics.null_count = 10;
        file.meta.size_statistics.has_unencoded_bytes = cases[i].said != UNKNOWN;
        file.meta.size_statistics.unencoded_bytes = cases[i].said;
        assert_int_equal(file_facts(&file).unencoded_bytes, cases[i].is);
    }
}

/* All null by the null count, of values by the histogram: neither is known. */
static void test_all_null_contradicted(void **state)
{
    int64_t def[2] = {9, 1};
    struct file file;

    (void)state;
    file_init(&file, &text_leaf, 10);
    file.meta.statistics = (struct lith_statistics){.has_null_count = true, .null_count = 10};
    file.meta.size_statistics.def_histogram = def;
    struct lith_facts f = file_facts(&file);
    assert_false(f.is_all_null);
    assert_false(f.has_null_count);
    assert_int_equal(f.unencoded_bytes, -1);
}

static void test_header(void **state)
{
    struct lith_statistics s = {.has_null_count = true,
                                .null_count = 2,
                                .min_value = BYTES("a"),
                                .max_value = BYTES("b"),
                                .min_exact = true};
    struct lith_trust trust = {.bounds = true, .nulls = true};
    struct lith_facts f;

    (void)state;
    f = lith_facts_of_statistics(&s, &text_leaf, trust, 5);
    assert_true(f.has_bounds);
    assert_true(f.min_exact);
    assert_false(f.max_exact);
    assert_int_equal(f.unencoded_bytes, -1);
    assert_int_equal(f.positions, 5);
    assert_int_equal(f.null_count, 2);
    f = lith_facts_of_statistics(&s, &text_leaf, (struct lith_trust){.nulls = true}, 5);
    assert_false(f.has_bounds);
    assert_int_equal(f.null_count, 2);
    f = lith_facts_of_statistics(&s, &text_leaf, trust, 2);
    assert_false(f.has_null_count);
    assert_false(f.has_bounds);
    assert_int_equal(f.positions, 2);
    f = lith_facts_of_statistics(&s, &list_leaf, trust, 5);
    assert_true(f.has_bounds);
    assert_false(f.has_null_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_distrusted_writer),
        cmocka_unit_test(test_empty_lists),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_contradiction_of_untrusted),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_unencoded),
        cmocka_unit_test(test_all_null_contradicted),
        cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
