/*
 * The text of a sort order: what it means, and what is said of one that means nothing.
 */
#include "support.h"

#include "sample_schema.h"
#include "sort/sort_key.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_arena arena;
static struct lith_schema schema;

/* Leaves in their order: id 0, s.x 1, s.y.z 2, "s.x" 3 (one name), "p:q" 4, "c,d" 5, `say "hi"` 6,
 * list.element 7, t96 8, span 9, shape 10, v.metadata 11, only.dotted 12, Tenant 13, "\x01" 14,
 * nothing 15, twice 16 and 17. */
static const struct sample_node sample[] = {
    {"schema", 17, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"id", 0, LITH_OPTIONAL, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
    {"s", 2, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"x", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"y", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"z", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
    {"s.x", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"p:q", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"c,d", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"say \"hi\"", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"list", 1, LITH_REPEATED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"element", 0, LITH_OPTIONAL, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"t96", 0, LITH_OPTIONAL, LITH_TYPE_INT96, 0, -1, 0, 0, 0},
    {"span", 0, LITH_OPTIONAL, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 12, LITH_CONVERTED_INTERVAL, 0, 0,
     0},
    {"shape", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, -1, 0, 0, LITH_LOGICAL_GEOMETRY},
    {"v", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, LITH_LOGICAL_VARIANT},
    {"metadata", 0, LITH_REQUIRED, LITH_TYPE_BYTE_ARRAY, 0, -1, 0, 0, 0},
    {"only.dotted", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"Tenant", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"\x01", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"nothing", 0, LITH_OPTIONAL, LITH_TYPE_INT32, 0, -1, 0, 0, LITH_LOGICAL_UNKNOWN},
    {"twice", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"twice", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
};

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    MUST(sample_schema_build(sample, sizeof(sample) / sizeof(sample[0]), &arena, &schema, &err));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}

struct good_case {
    const char *text;
    uint32_t count;
    struct lith_sort_key keys[3];
};

static const struct good_case good_cases[] = {
    {"id", 1, {{0, false, false}}},
    {"id:asc", 1, {{0, false, false}}},
    {"id:desc", 1, {{0, true, false}}},
    {"id:nulls-first", 1, {{0, false, true}}},
    {"id:desc:nulls-first", 1, {{0, true, true}}},
    {"id:nulls-first:desc", 1, {{0, true, true}}},
    {"id:nulls-last:asc", 1, {{0, false, false}}},
    {"s.y.z,id:desc,only.dotted", 3, {{2, false, false}, {0, true, false}, {12, false, false}}},
    {"\"s\".x", 1, {{1, false, false}}},
    {"s.\"x\":desc", 1, {{1, true, false}}},
    {"\"s.x\"", 1, {{3, false, false}}},
    {"\"only.dotted\"", 1, {{12, false, false}}},
    {"\"p:q\":desc,\"c,d\"", 2, {{4, true, false}, {5, false, false}}},
    {"\"say \\\"hi\\\"\"", 1, {{6, false, false}}},
    {"say \"hi\"", 1, {{6, false, false}}},
    {"\"\\x01\"", 1, {{14, false, false}}},
    {"\"i\\d\"", 1, {{0, false, false}}},
};

static void texts_that_mean_something(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good_cases) / sizeof(good_cases[0]); i++) {
        const struct good_case *c = &good_cases[i];
        struct lith_sort_key *keys;
        uint32_t count;
        if (lith_sort_keys_parse(c->text, &schema, &arena, &keys, &count, &err) != LITH_OK)
            fail_msg("%s: %s", c->text, err.text);
        assert_int_equal(count, c->count);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_equal(keys[k].leaf, c->keys[k].leaf);
            assert_int_equal(keys[k].descending, c->keys[k].descending);
            assert_int_equal(keys[k].nulls_first, c->keys[k].nulls_first);
        }
    }
}

/* Each column is found by the path that messages show. */
static void shown_paths_are_found(void **state)
{
    (void)state;
    for (uint32_t leaf = 0; leaf < 7; leaf++) {
        struct lith_sort_key *keys;
        uint32_t count;
        char text[200] = "\"";
        if (leaf == 1 || leaf == 4 || leaf == 5)
            continue; /* s.x reads as another does; what means something must be quoted */
        lith_schema_path(&schema, schema.leaves[leaf], text, sizeof(text));
        MUST(lith_sort_keys_parse(text, &schema, &arena, &keys, &count, &err));
        assert_int_equal(keys[0].leaf, leaf);
    }
}

struct bad_case {
    const char *text;
    enum lith_code code;
    const char *says;
};

static const struct bad_case bad_cases[] = {
    {"", LITH_E_INVALID, "without a column"},
    {"id,", LITH_E_INVALID, "at byte 3: a key without a column"},
    {",id", LITH_E_INVALID, "without a column"},
    {":desc", LITH_E_INVALID, "without a column"},
    {"id:down", LITH_E_INVALID, "unknown option \"down\""},
    {"id:", LITH_E_INVALID, "unknown option \"\""},
    {"id:desc:asc", LITH_E_INVALID, "\"asc\" behind an option of the same kind"},
    {"id:nulls-first:nulls-first", LITH_E_INVALID, "same kind"},
    {"id,id:desc", LITH_E_INVALID, "keys 1 and 2 are the same column"},
    {"p:q", LITH_E_INVALID, "unknown option \"q\""},
    {"ib", LITH_E_INVALID, "no column \"ib\"; of 18 columns the nearest are: id"},
    {"tenant", LITH_E_INVALID, "nearest are: Tenant"},
    {"s", LITH_E_INVALID, "s is a group of 2"},
    {"s.x", LITH_E_INVALID, "two columns read the same, s.x and \"s.x\""},
    {"twice", LITH_E_INVALID, "two columns read the same"},
    {"\"s\".\"x", LITH_E_INVALID, "a quote that is not closed"},
    {"\"id\"x", LITH_E_INVALID, "\"x\" behind a quoted name"},
    {"\"id\\", LITH_E_INVALID, "a backslash with nothing behind it"},
    {"\"\\x1\"", LITH_E_INVALID, "two hexadecimal digits"},
    {"\"\\x1g\"", LITH_E_INVALID, "two hexadecimal digits"},
    {"list.element", LITH_E_UNSUPPORTED, "below a list or map"},
    {"t96", LITH_E_UNSUPPORTED, "INT96"},
    {"span", LITH_E_UNSUPPORTED, "INTERVAL"},
    {"shape", LITH_E_UNSUPPORTED, "geometry"},
    {"v.metadata", LITH_E_UNSUPPORTED, "VARIANT"},
    {"nothing", LITH_E_UNSUPPORTED, "nothing but nulls"},
};

static void texts_that_mean_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_cases) / sizeof(bad_cases[0]); i++) {
        const struct bad_case *c = &bad_cases[i];
        struct lith_sort_key *keys;
        uint32_t count;
        enum lith_code code = lith_sort_keys_parse(c->text, &schema, &arena, &keys, &count, &err);
        if (code != c->code || !strstr(err.text, c->says))
            fail_msg("%s: %s: %s", c->text, lith_code_name(code), err.text);
    }
}

/* A text by itself, and which of its keys are of no use. */
static void keys_that_are_lacking(void **state)
{
    static const struct {
        const char *text;
        enum lith_code code; /* of the text */
        uint32_t lacks;
    } cases[] = {
        {"id", LITH_OK, 0},
        {"id,s.y.z:desc", LITH_OK, 0},
        {"ib:desc,id", LITH_OK, 1},
        {"id,s,s.x,twice,list.element,t96,\"s\".x,nothing", LITH_OK, 0xbe},
        {"id,ib:up", LITH_E_INVALID, 0},
        {"ib,", LITH_E_INVALID, 0},
        {"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", LITH_OK, 0xffff},
        {"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", LITH_E_LIMIT, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t lacks = 0;
        enum lith_code code = lith_sort_text_check(cases[i].text, &arena, &err);
        assert_int_equal(code, cases[i].code);
        code = lith_sort_keys_lacking(cases[i].text, &schema, &arena, &lacks, &err);
        if (code != cases[i].code || lacks != cases[i].lacks)
            fail_msg("%s: %s: %x", cases[i].text, lith_code_name(code), lacks);
        if (code != LITH_OK)
            assert_non_null(strstr(err.text, "sort order \""));
    }
}

static void too_many_keys_and_no_memory(void **state)
{
    struct sample_node nodes[LITH_SORT_KEYS_MAX + 2] = {
        {"schema", LITH_SORT_KEYS_MAX + 1, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0}};
    char names[LITH_SORT_KEYS_MAX + 1][2], text[3 * LITH_SORT_KEYS_MAX] = "";
    struct lith_schema wide;
    struct lith_sort_key *keys;
    uint32_t count;

    (void)state;
    for (uint32_t i = 0; i <= LITH_SORT_KEYS_MAX; i++) {
        names[i][0] = text[2 * i] = (char)('a' + i);
        names[i][1] = '\0';
        text[2 * i + 1] = i == LITH_SORT_KEYS_MAX ? '\0' : ',';
        nodes[1 + i] =
            (struct sample_node){names[i], 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0};
    }
    MUST(sample_schema_build(nodes, LITH_SORT_KEYS_MAX + 2, &arena, &wide, &err));
    assert_int_equal(lith_sort_keys_parse(text, &wide, &arena, &keys, &count, &err), LITH_E_LIMIT);
    text[2 * LITH_SORT_KEYS_MAX - 1] = '\0';
    MUST(lith_sort_keys_parse(text, &wide, &arena, &keys, &count, &err));
    assert_int_equal(count, LITH_SORT_KEYS_MAX);
    for (int64_t n = 0; n < 2; n++) {
        struct lith_arena fresh;
        lith_arena_init(&fresh, &mem);
        atomic_store(&mem.fail_after, n);
        enum lith_code code =
            lith_sort_keys_parse("id,\"s\".x", &schema, &fresh, &keys, &count, &err);
        assert_int_equal(code, LITH_E_NOMEM);
        atomic_store(&mem.fail_after, -1);
        lith_arena_done(&fresh);
    }
}

/* Random texts of what means something: none is read beyond its end. */
static void random_texts(void **state)
{
    static const char letters[] = "\"\\x0:,.sxyzid desc";
    uint64_t seed = test_seed();

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t bytes = test_random(&seed) % 12;
        char *text = calloc(1, bytes + 1);
        struct lith_arena fresh;
        struct lith_sort_key *keys;
        uint32_t count;
        for (size_t k = 0; k < bytes; k++)
            text[k] = letters[test_random(&seed) % (sizeof(letters) - 1)];
        lith_arena_init(&fresh, &mem);
        enum lith_code code = lith_sort_keys_parse(text, &schema, &fresh, &keys, &count, &err);
        assert_true(code == LITH_OK || code == LITH_E_INVALID || code == LITH_E_UNSUPPORTED);
        lith_arena_done(&fresh);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_that_mean_something, setup, teardown),
        cmocka_unit_test_setup_teardown(shown_paths_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_that_mean_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_that_are_lacking, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_keys_and_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(random_texts, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
