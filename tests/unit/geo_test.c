/*
 * GeoParquet's key: which files mean the same by it, and what is said of the rows of both.
 */
#include "support.h"

#include "merge/meaning.h"
#include "merge/key_values.h"

#define GEO(fields)                                                                                \
    "{\"version\":\"1.1.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{" fields "}}}"
#define WKB(fields) GEO("\"encoding\":\"WKB\"," fields)
#define TYPES(list) "\"geometry_types\":[" list "]"
#define POINT "\"Point\""
#define LINE "\"LineString\""
#define BOX(a, b, c, d) "\"bbox\":[" #a "," #b "," #c "," #d "]"

/* `joined` NULL: the two mean something else, and are never joined. */
struct geo_case {
    const char *what;
    const char *a;
    const char *b;
    const char *joined;
};

static const struct geo_case geo_cases[] = {
    {"types are united", WKB(TYPES(POINT)), WKB(TYPES(LINE "," POINT)), WKB(TYPES(POINT "," LINE))},
    {"no types are unknown ones", WKB(TYPES(POINT)), WKB(TYPES("")), WKB(TYPES(""))},
    {"unknown ones stay", WKB(TYPES("")), WKB(TYPES(POINT)), WKB(TYPES(""))},
    {"types that one lacks", WKB(TYPES(POINT)), GEO("\"encoding\":\"WKB\""), WKB(TYPES(""))},
    {"types that the first lacks", GEO("\"encoding\":\"WKB\""), WKB(TYPES(POINT)), WKB(TYPES(""))},
    {"types that are no words", WKB(TYPES(POINT)), WKB(TYPES("1")), WKB(TYPES(""))},
    {"boxes are joined", WKB(BOX(1, 2.5, 3, 4)), WKB(BOX(0, 3, 2.5, 9)), WKB(BOX(0, 2.5, 3, 9))},
    {"a box that one lacks", WKB(BOX(1, 2, 3, 4) "," TYPES(POINT)), WKB(TYPES(POINT)),
     WKB(TYPES(POINT))},
    {"a box that the first lacks", WKB(TYPES(POINT)), WKB(BOX(1, 2, 3, 4) "," TYPES(POINT)),
     WKB(TYPES(POINT))},
    {"boxes of 2 and 3 axes", WKB("\"bbox\":[1,2,3,4],\"epoch\":1"),
     WKB("\"bbox\":[1,2,3,4,5,6],\"epoch\":1"), WKB("\"epoch\":1")},
    {"boxes of 3 axes", WKB("\"bbox\":[1,2,3,4,5,6]"), WKB("\"bbox\":[1,2,-3,4,5,7]"),
     WKB("\"bbox\":[1,2,-3,4,5,7]")},
    {"a box across the antimeridian", WKB(BOX(170, 0, -170, 1) "," TYPES(POINT)),
     WKB(BOX(0, 0, 1, 2) "," TYPES(POINT)), WKB(TYPES(POINT))},
    {"a box that is none", WKB("\"bbox\":[1,2,3,\"4\"],\"epoch\":1"),
     WKB(BOX(1, 2, 3, 4) ",\"epoch\":1"), WKB("\"epoch\":1")},
    {"another encoding", GEO("\"encoding\":\"WKB\""), GEO("\"encoding\":\"point\""), NULL},
    {"another system", WKB("\"crs\":{\"id\":{\"authority\":\"EPSG\",\"code\":4326}}"),
     WKB("\"crs\":{\"id\":{\"authority\":\"EPSG\",\"code\":3857}}"), NULL},
    {"no system against the default one", WKB("\"crs\":null"), WKB(TYPES(POINT)), NULL},
    {"other edges", WKB("\"edges\":\"spherical\""), WKB("\"edges\":\"planar\""), NULL},
    {"edges are planar", WKB("\"edges\":\"planar\"," TYPES(POINT)), WKB(TYPES(POINT)),
     WKB(TYPES(POINT))},
    {"another orientation", WKB("\"orientation\":\"counterclockwise\""), WKB(TYPES(POINT)), NULL},
    {"another epoch", WKB("\"epoch\":2020.5"), WKB("\"epoch\":2021"), NULL},
    {"more fields, alike", WKB("\"covering\":{\"bbox\":1},\"x\":1"),
     WKB("\"x\":1,\"covering\":{\"bbox\":1},\"y\":1"), WKB("\"covering\":{\"bbox\":1},\"x\":1")},
    {"more fields, others", WKB(TYPES(POINT) ",\"covering\":{\"bbox\":1}"),
     WKB(TYPES(POINT) ",\"covering\":{\"bbox\":2}"), WKB(TYPES(POINT))},
    {"another primary column",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{},\"h\":{}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"h\",\"columns\":{\"g\":{},\"h\":{}}}", NULL},
    {"columns in another order",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{\"epoch\":1},\"h\":{}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"h\":{},\"g\":{\"epoch\":1}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{\"epoch\":1},\"h\":{}}}"},
    {"fields of other columns",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{\"epoch\":1},\"h\":{}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{},\"h\":{\"epoch\":1}}}",
     NULL},
    {"one column more", WKB(TYPES(POINT)),
     "{\"version\":\"1.1.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{\"encoding\":\"WKB\"},"
     "\"h\":{}}}",
     NULL},
    {"a later version",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}},\"creator\":\"a\"}",
     "{\"version\":\"1.1.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}},\"creator\":\"b\"}",
     "{\"version\":\"1.1.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}}}"},
    {"a draft", "{\"version\":\"0.4.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}}}", NULL},
    {"a draft of 1.0",
     "{\"version\":\"1.0.0-beta.1\",\"primary_column\":\"g\",\"columns\":{\"g\":{}}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":{}}}", NULL},
    {"no JSON, alike", "geo", "geo", "geo"},
    {"no JSON", "geo", "oeg", NULL},
    {"no JSON against some", WKB(TYPES(POINT)), "geo", NULL},
    {"no object of columns", "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":[]}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":[1]}", NULL},
    {"no columns that are objects",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":1}}",
     "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{\"g\":2}}", NULL},
    {"alike to the letter", "{\"version\":\"1.0.0\", \"primary_column\":\"g\", \"columns\":{}}",
     "{\"version\":\"1.0.0\", \"primary_column\":\"g\", \"columns\":{}}",
     "{\"version\":\"1.0.0\", \"primary_column\":\"g\", \"columns\":{}}"},
};

static struct lith_key_value geo_of(const char *value)
{
    return (struct lith_key_value){lith_slice_text("geo"), lith_slice_text(value)};
}

static bool same_meaning(const struct lith_footer *a, const struct lith_footer *b,
                         struct lith_mem *mem)
{
    struct lith_meaning meanings[2];
    struct lith_err err;
    int part;

    MUST(lith_meaning_of(a, mem, &meanings[0], &err));
    MUST(lith_meaning_of(b, mem, &meanings[1], &err));
    return lith_meaning_join(&meanings[0], &meanings[1], &part);
}

/* Joins a, b, then a again, which changes nothing more. */
static void joined_check(const struct geo_case *c, struct lith_footer *a, struct lith_footer *b,
                         struct lith_mem *mem)
{
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_err err;
    uint32_t count;

    lith_key_values_init(&merged, mem, LITH_UNKNOWN_KEYS_DROP, "file-0");
    MUST(lith_key_values_add(&merged, a, &err));
    MUST(lith_key_values_add(&merged, b, &err));
    MUST(lith_key_values_add(&merged, a, &err));
    MUST(lith_key_values_finish(&merged, 0, &entries, &count, &err));
    assert_int_equal(count, 1);
    if (!lith_slice_equal(entries[0].value, lith_slice_text(c->joined)))
        fail_msg("%s: %.*s", c->what, LITH_SLICE_ARGS(entries[0].value));
    lith_key_values_done(&merged);
}

static void test_join(void **state)
{
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    for (size_t i = 0; i < sizeof(geo_cases) / sizeof(geo_cases[0]); i++) {
        const struct geo_case *c = &geo_cases[i];
        struct lith_key_value keys[] = {geo_of(c->a), geo_of(c->b)};
        struct lith_footer a = {.key_values = &keys[0], .key_value_count = 1};
        struct lith_footer b = {.key_values = &keys[1], .key_value_count = 1};
        if (same_meaning(&a, &b, &mem) != (c->joined != NULL))
            fail_msg("%s: meanings", c->what);
        if (c->joined)
            joined_check(c, &a, &b, &mem);
        assert_int_equal(mem.used, 0);
    }
    lith_mem_done(&mem);
}

static void test_absent(void **state)
{
    struct lith_key_value geo = geo_of(WKB(TYPES(POINT)));
    struct lith_key_value empty = {.key = lith_slice_text("geo")};
    struct lith_footer with = {.key_values = &geo, .key_value_count = 1};
    struct lith_footer without = {0};
    struct lith_footer valueless = {.key_values = &empty, .key_value_count = 1};
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    assert_false(same_meaning(&with, &without, &mem));
    assert_false(same_meaning(&with, &valueless, &mem));
    assert_false(same_meaning(&without, &valueless, &mem));
    assert_true(same_meaning(&valueless, &valueless, &mem));
    lith_mem_done(&mem);
}

/* What is shown is cut, and the hash in front of it still tells columns apart. */
static void test_many_columns(void **state)
{
    enum { COLUMNS = 200, ROOM = 32 << 10 };
    char *texts[2];
    struct lith_key_value keys[2];
    struct lith_footer footers[2] = {{.key_value_count = 1}, {.key_value_count = 1}};
    struct lith_mem mem;

    (void)state;
    for (int side = 0; side < 2; side++) {
        texts[side] = calloc(1, ROOM);
        assert_non_null(texts[side]);
        int used = snprintf(texts[side], ROOM,
                            "{\"version\":\"1.0.0\",\"primary_column\":\"g\",\"columns\":{");
        for (int i = 0; i < COLUMNS; i++)
            used += snprintf(texts[side] + used, (size_t)(ROOM - used), "%s\"c%d\":{\"epoch\":%d}",
                             i ? "," : "", i, side == 1 && i == COLUMNS - 1);
        (void)snprintf(texts[side] + used, (size_t)(ROOM - used), "}}");
        keys[side] = geo_of(texts[side]);
        footers[side].key_values = &keys[side];
    }
    lith_mem_init(&mem, 4 << 20, NULL);
    assert_true(same_meaning(&footers[0], &footers[0], &mem));
    assert_false(same_meaning(&footers[0], &footers[1], &mem));
    lith_mem_done(&mem);
    free(texts[0]);
    free(texts[1]);
}

/* GEOMETRY(crs = "projjson:sys"): the system stands in the key `sys`. */
static const uint8_t projjson[] = {0x0c, 17 * 2, 0x18, 12,  'p', 'r', 'o', 'j', 'j',
                                   's',  'o',    'n',  ':', 's', 'y', 's', 0,   0};
/* GEOMETRY(crs = "OGC:CRS84"): it stands nowhere. */
static const uint8_t ogc[] = {0x0c, 17 * 2, 0x18, 9,   'O', 'G', 'C', ':',
                              'C',  'R',    'S',  '8', '4', 0,   0};

static struct lith_footer geometry_of(struct lith_schema_node nodes[2], uint32_t *leaf,
                                      struct lith_key_value *key)
{
    *leaf = 1;
    return (struct lith_footer){
        .schema = {nodes, 2, leaf, 1}, .key_values = key, .key_value_count = key ? 1 : 0};
}

static void test_crs_in_key(void **state)
{
    struct lith_schema_node nodes[] = {
        {.is_group = true, .child_count = 1},
        {.type = LITH_TYPE_BYTE_ARRAY,
         .logical = {.kind = LITH_LOGICAL_GEOMETRY, .raw = {projjson, sizeof(projjson)}}},
    };
    struct lith_key_value one = {lith_slice_text("sys"), lith_slice_text("{1}")};
    struct lith_key_value other = {lith_slice_text("sys"), lith_slice_text("{2}")};
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_slice key;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t leaf, count;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    assert_true(lith_geo_crs_key(&nodes[1], &key));
    assert_true(lith_slice_equal(key, lith_slice_text("sys")));
    struct lith_footer a = geometry_of(nodes, &leaf, &one);
    struct lith_footer b = geometry_of(nodes, &leaf, &other);
    struct lith_footer none = geometry_of(nodes, &leaf, NULL);
    assert_true(same_meaning(&a, &a, &mem));
    assert_false(same_meaning(&a, &b, &mem));
    assert_false(same_meaning(&a, &none, &mem));
    /* The last of two counts, as for readers; an unknown key would be dropped. */
    struct lith_key_value twice[] = {other, one};
    struct lith_footer c = a;
    c.key_values = twice;
    c.key_value_count = 2;
    assert_true(same_meaning(&a, &c, &mem));
    lith_key_values_init(&merged, &mem, LITH_UNKNOWN_KEYS_DROP, "file-0");
    MUST(lith_key_values_add(&merged, &c, &err));
    MUST(lith_key_values_add(&merged, &a, &err));
    MUST(lith_key_values_finish(&merged, 0, &entries, &count, &err));
    assert_int_equal(count, 1);
    assert_true(lith_slice_equal(entries[0].value, one.value));
    lith_key_values_done(&merged);

    nodes[1].logical.raw = (struct lith_slice){ogc, sizeof(ogc)};
    assert_false(lith_geo_crs_key(&nodes[1], &key));
    assert_true(same_meaning(&a, &b, &mem));
    nodes[1].logical.raw = (struct lith_slice){projjson, 6}; /* cut */
    assert_false(lith_geo_crs_key(&nodes[1], &key));
    lith_mem_done(&mem);
}

/* Too little memory is told, and leaves nothing behind. */
static void test_memory(void **state)
{
    struct lith_key_value keys[] = {geo_of(WKB(TYPES(POINT))), geo_of(WKB(TYPES(LINE)))};
    struct lith_footer footers[] = {{.key_values = &keys[0], .key_value_count = 1},
                                    {.key_values = &keys[1], .key_value_count = 1}};
    bool done = false;

    (void)state;
    for (size_t bytes = 0; !done; bytes += 512) {
        struct lith_key_value *entries;
        struct lith_key_values merged;
        struct lith_mem mem;
        struct lith_err err;
        uint32_t count;
        lith_mem_init(&mem, bytes, NULL);
        lith_key_values_init(&merged, &mem, LITH_UNKNOWN_KEYS_DROP, "file-0");
        enum lith_code code = LITH_OK;
        for (int i = 0; code == LITH_OK && i < 2; i++)
            code = lith_key_values_add(&merged, &footers[i], &err);
        if (code == LITH_OK)
            code = lith_key_values_finish(&merged, 0, &entries, &count, &err);
        assert_true(code == LITH_OK || code == LITH_E_LIMIT);
        done = code == LITH_OK;
        lith_key_values_done(&merged);
        assert_int_equal(mem.used, 0);
        lith_mem_done(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),         cmocka_unit_test(test_absent),
        cmocka_unit_test(test_many_columns), cmocka_unit_test(test_crs_in_key),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("geo", tests, NULL, NULL);
}
