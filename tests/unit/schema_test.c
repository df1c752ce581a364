/*
 * Linking, paths, annotations against types, normalising and comparing of schemas.
 */
#include "metadata_support.h"

#include "base/limits.h"
#include "parquet/footer_parse.h"

#define NODES_MAX 8

struct fixture {
    struct lith_mem mem;
    struct lith_arena arena;
    struct lith_err err;
};

static int setup(void **state)
{
    static struct fixture fixture;

    lith_mem_init(&fixture.mem, 64u << 20, NULL);
    lith_arena_init(&fixture.arena, &fixture.mem);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    lith_arena_done(&f->arena);
    lith_mem_done(&f->mem);
    return 0;
}

/* optional list of required structs {a, "b.c"}, and a flat column with an empty name. */
static void nested_make(struct lith_schema *schema, struct lith_schema_node *nodes)
{
    nodes[0] = test_group("root", LITH_REPEATED, 2);
    nodes[1] = test_group("list", LITH_OPTIONAL, 1);
    nodes[2] = test_group("bag", LITH_REPEATED, 2);
    nodes[3] = test_leaf("a", LITH_REQUIRED, LITH_TYPE_INT32);
    nodes[4] = test_leaf("b.c", LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY);
    nodes[5] = test_leaf("", LITH_REQUIRED, LITH_TYPE_DOUBLE);
    *schema = (struct lith_schema){.nodes = nodes, .node_count = 6};
}

static void test_link(void **state)
{
    struct fixture *f = *state;
    struct lith_schema_node nodes[NODES_MAX];
    struct lith_schema schema;
    struct lith_err err;

    nested_make(&schema, nodes);
    MUST(lith_schema_link(&schema, &f->arena, &err));
    assert_int_equal(schema.leaf_count, 3);
    static const struct {
        uint32_t node;
        uint16_t max_def;
        uint16_t max_rep;
        const char *path;
    } leaves[] = {{3, 2, 1, "list.bag.a"}, {4, 3, 1, "list.bag.\"b.c\""}, {5, 0, 0, "\"\""}};
    for (uint32_t i = 0; i < 3; i++) {
        char path[64];
        const struct lith_schema_node *leaf = lith_schema_leaf(&schema, i);
        assert_int_equal(schema.leaves[i], leaves[i].node);
        assert_int_equal(leaf->leaf_index, i);
        assert_int_equal(leaf->max_def, leaves[i].max_def);
        assert_int_equal(leaf->max_rep, leaves[i].max_rep);
        lith_schema_path(&schema, leaves[i].node, path, sizeof(path));
        assert_string_equal(path, leaves[i].path);
    }
    assert_int_equal(nodes[0].parent, LITH_NO_INDEX);
    assert_int_equal(nodes[2].leaf_index, LITH_NO_INDEX);
    assert_int_equal(nodes[4].parent, 2);
    assert_int_equal(nodes[4].depth, 3);
    assert_int_equal(nodes[5].parent, 0);
}

static void test_link_refuses(void **state)
{
    static const struct {
        const char *name;
        uint32_t node_count;
        uint32_t counts[3]; /* children of root, list, bag */
        uint32_t leaf_children;
        enum lith_type type;
        int32_t type_length;
    } cases[] = {
        {"no nodes", 0, {2, 1, 2}, 0, LITH_TYPE_INT32, 0},
        {"too few children", 6, {2, 1, 1}, 0, LITH_TYPE_INT32, 0},
        {"too many children", 6, {3, 1, 2}, 0, LITH_TYPE_INT32, 0},
        {"huge count", 6, {2, UINT32_MAX, 2}, 0, LITH_TYPE_INT32, 0},
        {"type and children", 6, {2, 1, 2}, 1, LITH_TYPE_INT32, 0},
        {"no length", 6, {2, 1, 2}, 0, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 0},
        {"negative length", 6, {2, 1, 2}, 0, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, -5},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_schema_node nodes[NODES_MAX];
        struct lith_schema schema;
        nested_make(&schema, nodes);
        schema.node_count = cases[i].node_count;
        for (int group = 0; group < 3; group++)
            nodes[group].child_count = cases[i].counts[group];
        nodes[3].type = cases[i].type;
        nodes[3].type_length = cases[i].type_length;
        nodes[3].child_count = cases[i].leaf_children;
        if (lith_schema_link(&schema, &f->arena, &f->err) != LITH_E_CORRUPT)
            fail_msg("%s was accepted", cases[i].name);
    }
}

static void test_link_odd(void **state)
{
    struct fixture *f = *state;
    struct lith_schema_node nodes[3] = {
        test_group("root", LITH_REQUIRED, 2),
        test_group("empty", LITH_OPTIONAL, 0),
        test_leaf("a", LITH_REQUIRED, LITH_TYPE_BOOLEAN),
    };
    struct lith_schema schema = {.nodes = nodes, .node_count = 3};
    struct lith_err err;

    MUST(lith_schema_link(&schema, &f->arena, &err));
    assert_int_equal(schema.leaf_count, 1);
    assert_int_equal(nodes[2].parent, 0);
    schema = (struct lith_schema){.nodes = nodes, .node_count = 1};
    nodes[0].child_count = 0;
    MUST(lith_schema_link(&schema, &f->arena, &err));
    assert_int_equal(schema.leaf_count, 0);
}

static void test_depth(void **state)
{
    struct fixture *f = *state;
    static struct lith_schema_node nodes[LITH_SCHEMA_DEPTH_MAX + 2];
    struct lith_err err;
    char path[2048];
    char tiny[4];

    for (uint32_t groups = LITH_SCHEMA_DEPTH_MAX; groups <= LITH_SCHEMA_DEPTH_MAX + 1; groups++) {
        struct lith_schema schema = {.nodes = nodes, .node_count = groups + 1};
        for (uint32_t i = 0; i < groups; i++)
            nodes[i] = test_group("ggg", LITH_REPEATED, 1);
        nodes[groups] = test_leaf("a", LITH_REPEATED, LITH_TYPE_INT32);
        if (groups > LITH_SCHEMA_DEPTH_MAX) {
            assert_int_equal(lith_schema_link(&schema, &f->arena, &err), LITH_E_LIMIT);
            continue;
        }
        MUST(lith_schema_link(&schema, &f->arena, &err));
        assert_int_equal(nodes[groups].max_rep, LITH_SCHEMA_DEPTH_MAX);
        lith_schema_path(&schema, groups, path, sizeof(path));
        assert_int_equal(strlen(path), 4 * (LITH_SCHEMA_DEPTH_MAX - 1) + 1);
        lith_schema_path(&schema, groups, tiny, sizeof(tiny));
        assert_string_equal(tiny, "ggg");
    }
}

/* One column under a root, with the converted or logical type of a case. */
static void column_make(struct fixture *f, struct lith_schema *schema,
                        struct lith_schema_node nodes[2], struct lith_schema_node column)
{
    struct lith_err err;

    nodes[0] = test_group("root", LITH_REQUIRED, 1);
    nodes[1] = column;
    *schema = (struct lith_schema){.nodes = nodes, .node_count = 2};
    MUST(lith_schema_link(schema, &f->arena, &err));
}

#define LOGICAL(...)                                                                               \
    (struct lith_logical)                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void test_annotations(void **state)
{
    static const struct {
        enum lith_type type;
        int32_t type_length;
        int converted;
        struct lith_logical logical;
        bool accepted;
    } cases[] = {
        {LITH_TYPE_INT32, 0, LITH_CONVERTED_INT_64, {.kind = 0}, false},
        {LITH_TYPE_INT64, 0, LITH_CONVERTED_INT_64, {.kind = 0}, true},
        {LITH_TYPE_INT32, 0, LITH_CONVERTED_UINT_8, {.kind = 0}, true},
        {LITH_TYPE_INT64, 0, LITH_CONVERTED_DATE, {.kind = 0}, false},
        {LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_DECIMAL, {.kind = 0}, true},
        {LITH_TYPE_DOUBLE, 0, LITH_CONVERTED_DECIMAL, {.kind = 0}, false},
        {LITH_TYPE_DOUBLE, 0, LITH_CONVERTED_UTF8, {.kind = 0}, false},
        {LITH_TYPE_BOOLEAN, 0, 24, {.kind = 0}, true}, /* unknown: carried */
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 12, LITH_CONVERTED_INTERVAL, {.kind = 0}, true},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 11, LITH_CONVERTED_INTERVAL, {.kind = 0}, false},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16, -1, {.kind = LITH_LOGICAL_UUID}, true},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 15, -1, {.kind = LITH_LOGICAL_UUID}, false},
        {LITH_TYPE_BYTE_ARRAY, 0, -1, {.kind = LITH_LOGICAL_UUID}, false},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2, -1, {.kind = LITH_LOGICAL_FLOAT16}, true},
        {LITH_TYPE_BYTE_ARRAY, 0, -1, {.kind = LITH_LOGICAL_VARIANT}, false},
        {LITH_TYPE_INT32, 0, -1, {.kind = LITH_LOGICAL_INTEGER, .bit_width = 64}, false},
        {LITH_TYPE_INT64, 0, -1, {.kind = LITH_LOGICAL_INTEGER, .bit_width = 8}, false},
        {LITH_TYPE_INT64, 0, -1, {.kind = LITH_LOGICAL_TIME, .unit = LITH_UNIT_MILLIS}, false},
        {LITH_TYPE_INT64, 0, -1, {.kind = LITH_LOGICAL_TIME, .unit = LITH_UNIT_NANOS}, true},
        {LITH_TYPE_INT96, 0, -1, {.kind = LITH_LOGICAL_TIMESTAMP, .unit = 1}, false},
        {LITH_TYPE_INT96, 0, -1, {.kind = LITH_LOGICAL_UNKNOWN}, true},
        {LITH_TYPE_INT96, 0, -1, {.kind = 2555}, true},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_schema_node nodes[2];
        struct lith_schema schema;
        struct lith_schema_node column = test_leaf("x", LITH_REQUIRED, cases[i].type);
        column.type_length = cases[i].type_length;
        column.converted_type = cases[i].converted;
        column.logical = cases[i].logical;
        column_make(f, &schema, nodes, column);
        enum lith_code code = lith_schema_check(&schema, &f->err);
        if (code != (cases[i].accepted ? LITH_OK : LITH_E_CORRUPT))
            fail_msg("case %zu: %s", i, lith_code_name(code));
    }
}

/* Converted and logical types that mean the same; both forms must end equal, and have both. */
static void test_normalise(void **state)
{
    static const struct {
        enum lith_type type;
        int converted;
        struct lith_logical logical;
    } cases[] = {
        {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_UTF8, {.kind = LITH_LOGICAL_STRING}},
        {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_ENUM, {.kind = LITH_LOGICAL_ENUM}},
        {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_JSON, {.kind = LITH_LOGICAL_JSON}},
        {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_BSON, {.kind = LITH_LOGICAL_BSON}},
        {LITH_TYPE_INT32, LITH_CONVERTED_DATE, {.kind = LITH_LOGICAL_DATE}},
        {LITH_TYPE_INT32,
         LITH_CONVERTED_TIME_MILLIS,
         {.kind = LITH_LOGICAL_TIME, .utc = true, .unit = LITH_UNIT_MILLIS}},
        {LITH_TYPE_INT64,
         LITH_CONVERTED_TIMESTAMP_MICROS,
         {.kind = LITH_LOGICAL_TIMESTAMP, .utc = true, .unit = LITH_UNIT_MICROS}},
        {LITH_TYPE_INT32, LITH_CONVERTED_UINT_16, {.kind = LITH_LOGICAL_INTEGER, .bit_width = 16}},
        {LITH_TYPE_INT64,
         LITH_CONVERTED_INT_64,
         {.kind = LITH_LOGICAL_INTEGER, .bit_width = 64, .is_signed = true}},
        {LITH_TYPE_INT64,
         LITH_CONVERTED_DECIMAL,
         {.kind = LITH_LOGICAL_DECIMAL, .scale = 2, .precision = 9}},
    };
    struct fixture *f = *state;
    struct lith_err err;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_schema_node old_nodes[2];
        struct lith_schema_node new_nodes[2];
        struct lith_schema old_schema;
        struct lith_schema new_schema;
        struct lith_schema_node column = test_leaf("x", LITH_OPTIONAL, cases[i].type);
        const char *difference = NULL;
        bool equal;
        column.logical = cases[i].logical;
        column_make(f, &new_schema, new_nodes, column);
        column.logical = LOGICAL(.kind = LITH_LOGICAL_NONE);
        column.converted_type = cases[i].converted;
        if (cases[i].converted == LITH_CONVERTED_DECIMAL) {
            column.scale = 2;
            column.precision = 9;
            column.has_scale = true;
            column.has_precision = true;
        }
        column_make(f, &old_schema, old_nodes, column);
        MUST(lith_schema_normalise(&old_schema, &f->arena, &err));
        MUST(lith_schema_normalise(&new_schema, &f->arena, &err));
        assert_int_equal(old_nodes[1].logical.kind, cases[i].logical.kind);
        assert_int_equal(old_nodes[1].logical.unit, cases[i].logical.unit);
        assert_true(old_nodes[1].logical.raw.bytes > 0);
        assert_int_equal(new_nodes[1].converted_type, cases[i].converted);
        new_nodes[1].logical.raw = old_nodes[1].logical.raw; /* none was parsed */
        MUST(lith_schema_equal(&old_schema, &new_schema, &f->arena, &equal, &difference, &err));
        if (!equal)
            fail_msg("case %zu: %s", i, difference);
        assert_int_equal(new_nodes[1].scale, old_nodes[1].scale);
    }
}

static void test_normalise_keeps(void **state)
{
    struct fixture *f = *state;
    struct lith_schema_node nodes[4] = {
        test_group("root", LITH_REQUIRED, 1),
        test_group("map", LITH_OPTIONAL, 1),
        test_group("key_value", LITH_REPEATED, 1),
        test_leaf("key", LITH_REQUIRED, LITH_TYPE_INT64),
    };
    struct lith_schema schema = {.nodes = nodes, .node_count = 4};
    struct lith_err err;

    nodes[1].converted_type = LITH_CONVERTED_MAP_KEY_VALUE;
    nodes[2].converted_type = LITH_CONVERTED_MAP_KEY_VALUE;
    /* A local time has no converted type that means it. */
    nodes[3].logical = LOGICAL(.kind = LITH_LOGICAL_TIMESTAMP, .unit = LITH_UNIT_MICROS);
    MUST(lith_schema_link(&schema, &f->arena, &err));
    MUST(lith_schema_normalise(&schema, &f->arena, &err));
    assert_int_equal(nodes[1].converted_type, LITH_CONVERTED_MAP);
    assert_int_equal(nodes[1].logical.kind, LITH_LOGICAL_MAP);
    assert_int_equal(nodes[2].converted_type, LITH_CONVERTED_NONE);
    assert_int_equal(nodes[2].logical.kind, LITH_LOGICAL_NONE);
    assert_int_equal(nodes[3].converted_type, LITH_CONVERTED_NONE);

    /* A DECIMAL without scale has scale 0, one without precision no logical form. */
    struct lith_schema_node pair[2];
    struct lith_schema_node column = test_leaf("d", LITH_REQUIRED, LITH_TYPE_INT32);
    column.converted_type = LITH_CONVERTED_DECIMAL;
    column.precision = 5;
    column.has_precision = true;
    column_make(f, &schema, pair, column);
    MUST(lith_schema_normalise(&schema, &f->arena, &err));
    assert_int_equal(pair[1].logical.kind, LITH_LOGICAL_DECIMAL);
    assert_true(pair[1].has_scale);
    column.has_precision = false;
    column_make(f, &schema, pair, column);
    MUST(lith_schema_normalise(&schema, &f->arena, &err));
    assert_int_equal(pair[1].logical.kind, LITH_LOGICAL_NONE);
}

typedef void change(struct lith_schema_node *node);

static void change_nothing(struct lith_schema_node *node)
{
    (void)node;
}
static void change_name(struct lith_schema_node *node)
{
    node->name = lith_slice_text("y");
}
static void change_type(struct lith_schema_node *node)
{
    node->type = LITH_TYPE_INT64;
}
static void change_repetition(struct lith_schema_node *node)
{
    node->repetition = LITH_OPTIONAL;
}
static void change_field_id(struct lith_schema_node *node)
{
    node->has_field_id = true;
}
static void change_to_int_32(struct lith_schema_node *node)
{
    node->converted_type = LITH_CONVERTED_INT_32;
}
static void change_to_int_16(struct lith_schema_node *node)
{
    node->converted_type = LITH_CONVERTED_INT_16;
}
static void change_to_unknown(struct lith_schema_node *node)
{
    node->converted_type = 24;
}

static void test_equal(void **state)
{
    static const struct {
        change *change;
        const char *difference; /* NULL: equal */
    } cases[] = {
        {change_nothing, NULL},
        {change_to_int_32, NULL},
        {change_name, "column x: the name \"x\" against the name \"y\""},
        {change_type, "column x: INT32 against INT64"},
        {change_repetition, "column x: REQUIRED against OPTIONAL"},
        {change_field_id, "column x: no field id against field id 0"},
        {change_to_int_16, "column x: no annotation against INTEGER(16, signed)"},
        {change_to_unknown, "column x: no annotation against converted type (24)"},
    };
    struct fixture *f = *state;
    struct lith_err err;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_schema_node left[2];
        struct lith_schema_node right[2];
        struct lith_schema a;
        struct lith_schema b;
        const char *difference = NULL;
        bool equal;
        struct lith_schema_node column = test_leaf("x", LITH_REQUIRED, LITH_TYPE_INT32);
        column_make(f, &a, left, column);
        cases[i].change(&column);
        column_make(f, &b, right, column);
        right[0].name = lith_slice_text("spark_schema");
        MUST(lith_schema_normalise(&a, &f->arena, &err));
        MUST(lith_schema_normalise(&b, &f->arena, &err));
        MUST(lith_schema_equal(&a, &b, &f->arena, &equal, &difference, &err));
        assert_int_equal(equal, cases[i].difference == NULL);
        if (cases[i].difference)
            assert_string_equal(difference, cases[i].difference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_link, setup, teardown),
        cmocka_unit_test_setup_teardown(test_link_refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_link_odd, setup, teardown),
        cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
        cmocka_unit_test_setup_teardown(test_annotations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_normalise, setup, teardown),
        cmocka_unit_test_setup_teardown(test_normalise_keeps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_equal, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
