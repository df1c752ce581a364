/*
 * Flat objects read in place: what they give is what the tree gives, and what is no JSON is not
 * read.
 */
#include "support.h"

#include "base/json_row.h"

static struct lith_err err;

static const char *const known[] = {"name", "size", "event", "", NULL};

static bool row_read(const char *text, size_t bytes, struct lith_json_row *ret_row)
{
    struct lith_json_span span = {text, bytes};

    return lith_json_row_read(span, known, ret_row);
}

static void plain_rows_are_read(void **state)
{
    static const char text[] =
        "{ \"size\" : -12 ,\n\"name\":\"a b.parquet\",\"event\":true,\"\":\"\"}";
    struct lith_json_row row;

    (void)state;
    assert_true(row_read(text, strlen(text), &row));
    assert_false(row.has_unknown);
    assert_int_equal(lith_json_row_cell(&row, "size")->number, -12);
    assert_true(lith_json_cell_is(lith_json_row_cell(&row, "name"), "a b.parquet"));
    assert_false(lith_json_cell_is(lith_json_row_cell(&row, "name"), "a b"));
    assert_false(lith_json_cell_is(lith_json_row_cell(&row, "size"), "-12"));
    assert_int_equal(lith_json_row_cell(&row, "event")->kind, LITH_JSON_BOOL);
    assert_int_equal(lith_json_row_cell(&row, "event")->number, 1);
    assert_true(lith_json_cell_is(lith_json_row_cell(&row, ""), ""));
    assert_true(row_read("{}", 2, &row));
    assert_int_equal(lith_json_row_cell(&row, "name")->kind, LITH_JSON_ABSENT);
    assert_true(row_read("{\"event\":false}", 15, &row));
    assert_int_equal(lith_json_row_cell(&row, "event")->number, 0);
}

/* No JSON, or JSON that a tree has to be made of. */
static void others_are_left_to_the_parser(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "5",
        "{\"name\"}",
        "{\"name\":}",
        "{\"name\":\"a\"",
        "{\"name\":\"a\"]",
        "{\"name\":\"a\"}}",
        "{\"name\":\"a\",}",
        "{\"name\":\"a\" \"size\":1}",
        "{name:\"a\"}",
        "{\"name\":\"a\",\"name\":\"a\"}",
        "{\"name\":\"a\\u0041\"}",
        "{\"name\":\"a\nb\"}",
        "{\"name\":\"\xc3\xa9\"}",
        "{\"name\":\"a\x7f\"}",
        "{\"n\\u0061me\":\"a\"}",
        "{\"name\":null}",
        "{\"name\":{}}",
        "{\"name\":[]}",
        "{\"size\":1.5}",
        "{\"size\":1e3}",
        "{\"size\":01}",
        "{\"size\":-}",
        "{\"size\":+1}",
        "{\"size\":1x}",
        "{\"size\":9223372036854775807}",
        "{\"event\":True}",
        "{\"event\":tru}",
        "{\"event\":truer}",
        "{\"other\":1}",
    };
    struct lith_json_row row;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (row_read(texts[i], strlen(texts[i]), &row))
            fail_msg("%s was read", texts[i]);
    }
}

static void trees_give_all_kinds(void **state)
{
    static const char text[] = "{\"name\":\"\xc3\xa9\",\"size\":null,\"event\":[1],\"more\":1}";
    LITH_AUTO(json) struct lith_json *root = NULL;
    LITH_AUTO(json) struct lith_json *array = lith_json_array();
    struct lith_json_row row;

    (void)state;
    MUST(lith_json_parse(text, strlen(text), &root, &err));
    lith_json_row_of(root, known, &row);
    assert_true(row.has_unknown);
    assert_true(lith_json_cell_is(lith_json_row_cell(&row, "name"), "\xc3\xa9"));
    assert_int_equal(lith_json_row_cell(&row, "size")->kind, LITH_JSON_OTHER);
    assert_int_equal(lith_json_row_cell(&row, "event")->kind, LITH_JSON_OTHER);
    assert_int_equal(lith_json_row_cell(&row, "")->kind, LITH_JSON_ABSENT);
    lith_json_row_of(array, known, &row);
    assert_false(row.has_unknown);
    assert_int_equal(lith_json_row_cell(&row, "name")->kind, LITH_JSON_ABSENT);
}

static void same_cells(const struct lith_json_row *a, const struct lith_json_row *b)
{
    for (size_t i = 0; known[i]; i++) {
        const struct lith_json_cell *left = &a->cells[i];
        const struct lith_json_cell *right = &b->cells[i];
        assert_int_equal(left->kind, right->kind);
        assert_int_equal(left->number, right->number);
        assert_int_equal(left->text.bytes, right->text.bytes);
        if (left->text.bytes)
            assert_memory_equal(left->text.text, right->text.text, left->text.bytes);
    }
}

/* Whatever is read in place, the parser reads too, and to the same cells. */
static void damaged_rows_are_read_as_the_parser_reads_them(void **state)
{
    static const char whole[] =
        "{\"name\":\"part-0.parquet\",\"size\":120, \"event\":false ,\"\":-7}";
    static const char letters[] = "{}[]\":,\\ 0-1.etrufalsn\n\x01\xc3\x7f";
    uint64_t seed = test_seed();
    size_t read = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        LITH_AUTO(json) struct lith_json *root = NULL;
        struct lith_json_row row;
        struct lith_json_row wanted;
        char text[sizeof(whole)];
        memcpy(text, whole, sizeof(whole));
        for (uint64_t n = test_random(&seed) % 3; n; n--)
            text[test_random(&seed) % (sizeof(whole) - 1)] =
                letters[test_random(&seed) % (sizeof(letters) - 1)];
        if (!row_read(text, sizeof(whole) - 1, &row))
            continue;
        read++;
        if (lith_json_parse(text, sizeof(whole) - 1, &root, &err) != LITH_OK)
            fail_msg("%s: %s", text, err.text);
        lith_json_row_of(root, known, &wanted);
        assert_false(wanted.has_unknown);
        same_cells(&row, &wanted);
    }
    assert_in_range(read, 30000, 99999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_rows_are_read),
        cmocka_unit_test(others_are_left_to_the_parser),
        cmocka_unit_test(trees_give_all_kinds),
        cmocka_unit_test(damaged_rows_are_read_as_the_parser_reads_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
