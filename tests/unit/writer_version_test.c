/*
 * created_by of real files and of odd ones; whose bounds are not believed.
 */
#include "support.h"

#include "parquet/writer_version.h"

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        const char *name;
        uint32_t version[3];
        bool is_release;
    } cases[] = {
        {"parquet-mr version 1.8.0 (build 0fda28af84b9746396014ad6a415b90592a98b3b)",
         "parquet-mr",
         {1, 8, 0},
         true},
        {"parquet-mr version 1.5.0-cdh5.5.0 (build ${buildNumber})",
         "parquet-mr",
         {1, 5, 0},
         false},
        {"parquet-mr version 1.8.0rc1", "parquet-mr", {1, 8, 0}, false},
        {"parquet-mr version 1.12", "parquet-mr", {1, 12, 0}, true},
        {"parquet-mr version 1.10.0.7.1", "parquet-mr", {1, 10, 0}, false},
        {"parquet-mr version ", "parquet-mr", {0, 0, 0}, false},
        {"parquet-mr version x.y", "parquet-mr", {0, 0, 0}, false},
        {"parquet-mr version 1.", "parquet-mr", {1, 0, 0}, false},
        {"parquet-mr", "parquet-mr", {0, 0, 0}, false},
        {"parquet-cpp version 1.3.2-SNAPSHOT", "parquet-cpp", {1, 3, 2}, false},
        {"parquet-cpp-arrow version 26.0.1", "parquet-cpp-arrow", {26, 0, 1}, true},
        {"DuckDB version v1.2.0 (build 5f5512b827)", "DuckDB", {1, 2, 0}, true},
        {"Polars", "Polars", {0, 0, 0}, false},
        {"a version 99999999999999.1.2", "a", {999999, 0, 0}, false},
        {" version 1.2.3", "", {1, 2, 3}, true},
        {"", "", {0, 0, 0}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_writer_version w = lith_writer_version_of(lith_slice_text(cases[i].text));
        if (!lith_slice_equal(w.name, lith_slice_text(cases[i].name)) ||
            w.major != cases[i].version[0] || w.minor != cases[i].version[1] ||
            w.patch != cases[i].version[2] || w.is_release != cases[i].is_release)
            fail_msg("\"%s\": %.*s %u.%u.%u %d", cases[i].text, LITH_SLICE_ARGS(w.name), w.major,
                     w.minor, w.patch, w.is_release);
    }
}

static void test_before(void **state)
{
    static const struct {
        const char *text;
        bool before; /* parquet-mr 1.8.1 */
    } cases[] = {
        {"parquet-mr version 1.8.1", false},
        {"parquet-mr version 1.8.1-SNAPSHOT", true},
        {"parquet-mr version 1.8.0", true},
        {"parquet-mr version 1.8.2-SNAPSHOT", false},
        {"parquet-mr version 1.10.0", false},
        {"parquet-mr version 2.0.0", false},
        {"parquet-mr version 0.9.9", true},
        {"parquet-mr", true},
        {"parquet-mr-x version 1.0.0", false},
        {"parquet version 1.0.0", false},
        {"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_writer_version w = lith_writer_version_of(lith_slice_text(cases[i].text));
        if (lith_writer_is_before(&w, "parquet-mr", 1, 8, 1) != cases[i].before)
            fail_msg("%s", cases[i].text);
    }
    assert_true(lith_is_old_parquet_mr(lith_slice_text("parquet-mr version 1.2.9 (x)"), 3));
    assert_false(lith_is_old_parquet_mr(lith_slice_text("parquet-mr version 1.3.0 (x)"), 3));
    assert_true(lith_is_old_parquet_mr(lith_slice_text("parquet-mr version 1.3.0 (x)"), 8));
    assert_false(lith_is_old_parquet_mr(lith_slice_text("parquet-mr version 1.10.1 (x)"), 8));
}

static const struct lith_schema_node int_leaf = {.type = LITH_TYPE_INT32, .converted_type = -1};
static const struct lith_schema_node unsigned_leaf = {.type = LITH_TYPE_INT32,
                                                      .converted_type = LITH_CONVERTED_UINT_32};
static const struct lith_schema_node text_leaf = {.type = LITH_TYPE_BYTE_ARRAY,
                                                  .converted_type = LITH_CONVERTED_UTF8};
static const struct lith_schema_node double_leaf = {.type = LITH_TYPE_DOUBLE, .converted_type = -1};
static const struct lith_schema_node fixed_leaf = {
    .type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY, .type_length = 4, .converted_type = -1};
static const struct lith_schema_node decimal_leaf = {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
                                                     .type_length = 4,
                                                     .converted_type = LITH_CONVERTED_DECIMAL};

/* parquet-splice.md section 3.5. */
static void test_distrust(void **state)
{
    static const struct {
        const char *text;
        bool knows[6]; /* signed, unsigned, text, double, fixed, decimal */
    } cases[] = {
        {"parquet-mr version 1.7.0 (build x)", {true, false, false, true, false, false}},
        {"parquet-mr version 1.8.3 (build x)", {true, false, false, true, false, false}},
        {"parquet-mr version 1.10.0 (build x)", {true, true, true, true, true, true}},
        {"parquet-mr version 1.10.0-rc1", {true, false, false, true, false, false}},
        {"parquet-mr", {true, false, false, true, false, false}},
        {"parquet-cpp version 1.2.9", {true, false, false, false, false, false}},
        {"parquet-cpp version 1.3.1", {true, true, true, false, true, false}},
        {"parquet-cpp version 1.3.2-SNAPSHOT", {true, true, true, false, true, false}},
        {"parquet-cpp version 1.5.1-SNAPSHOT", {true, true, true, true, true, false}},
        {"parquet-cpp version 1.4.0", {true, true, true, true, true, false}},
        {"parquet-cpp-arrow version 1.0.0", {true, true, true, true, true, false}},
        {"parquet-cpp-arrow version 3.0.0", {true, true, true, true, true, false}},
        {"parquet-cpp-arrow version 4.0.0", {true, true, true, true, true, true}},
        {"ClickHouse v25.8.1.1", {true, true, true, true, true, false}},
        {"DuckDB", {true, true, true, true, true, false}},
        {"lithify version 0.1.0", {true, true, true, true, true, true}},
        {"hyparquet", {true, true, true, true, true, false}},
        {"parquet-rs version 0.3.0", {true, true, true, true, true, false}},
        {"DuckDB version v1.2.0 (build 5f5512b827)", {true, true, true, true, true, true}},
        {"Polars", {true, true, true, true, true, false}},
        {"", {true, true, false, true, false, false}},
    };
    static const struct lith_schema_node *const leaves[] = {
        &int_leaf, &unsigned_leaf, &text_leaf, &double_leaf, &fixed_leaf, &decimal_leaf};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t k = 0; k < 6; k++)
            if (lith_writer_knows_bounds(lith_slice_text(cases[i].text), leaves[k]) !=
                cases[i].knows[k])
                fail_msg("%s, leaf %zu", cases[i].text, k);
}

static void test_decimal_numbers(void **state)
{
    static const struct lith_schema_node leaf = {.type = LITH_TYPE_INT32,
                                                 .converted_type = LITH_CONVERTED_DECIMAL};

    (void)state;
    assert_false(lith_writer_knows_bounds(lith_slice_text("hyparquet"), &leaf));
    assert_true(lith_writer_knows_bounds(lith_slice_text("Polars"), &leaf));
}

static void test_nulls(void **state)
{
    (void)state;
    assert_false(lith_writer_knows_nulls(lith_slice_text("Polars")));
    assert_false(
        lith_writer_knows_nulls(lith_slice_text("Polars (python) version 2.0.0 (build x)")));
    assert_true(
        lith_writer_knows_nulls(lith_slice_text("Polars (python) version 2.1.0 (build x)")));
    assert_true(lith_writer_knows_nulls(lith_slice_text("Pola")));
    assert_true(lith_writer_knows_nulls(lith_slice_text("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),    cmocka_unit_test(test_before),
        cmocka_unit_test(test_distrust), cmocka_unit_test(test_decimal_numbers),
        cmocka_unit_test(test_nulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
