/*
 * Key-value metadata of an output, and what makes dates of files incompatible.
 */
#include "support.h"

#include "merge/gate.h"
#include "merge/key_values.h"

static struct lith_key_value kv(const char *key, const char *value)
{
    struct lith_key_value entry = {.key = lith_slice_text(key)};

    if (value)
        entry.value = lith_slice_text(value);
    return entry;
}

static bool has(const struct lith_key_value *entries, uint32_t count, const char *key,
                const char *value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!lith_slice_equal(entries[i].key, lith_slice_text(key)))
            continue;
        if (!value)
            return !entries[i].value.data;
        return entries[i].value.data && lith_slice_equal(entries[i].value, lith_slice_text(value));
    }
    return false;
}

static void test_merge(void **state)
{
    struct lith_key_value first[] = {
        kv("same", "1"),
        kv("differs", "1"),
        kv("only-first", "1"),
        kv("absent-value", NULL),
        kv("absent-against-empty", NULL),
        kv("lithify.pid", "x"),
        kv("lithify.inputs", "x"),
        kv("hoodie_min_record_key", "a"),
        kv("org.apache.spark.version", "3.1.0"),
        kv("pandas", "{\"index_columns\": [{\"kind\": \"range\", \"start\": 0}]}"),
    };
    struct lith_key_value second[] = {
        kv("same", "1"),
        kv("differs", "2"),
        kv("only-second", "1"),
        kv("absent-value", NULL),
        kv("absent-against-empty", ""),
        kv("lithify.pid", "x"),
        kv("lithify.inputs", "x"),
        kv("hoodie_min_record_key", "a"),
        kv("org.apache.spark.version", "3.2.0"),
        kv("pandas", "{\"index_columns\": [{\"kind\": \"range\", \"start\": 0}]}"),
    };
    struct lith_footer a = {.key_values = first,
                            .key_value_count = sizeof(first) / sizeof(first[0]),
                            .created_by = lith_slice_text("writer one")};
    struct lith_footer b = {.key_values = second,
                            .key_value_count = sizeof(second) / sizeof(second[0]),
                            .created_by = lith_slice_text("writer two")};
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t count;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    lith_key_values_init(&merged, &mem);
    MUST(lith_key_values_add(&merged, &a, &err));
    MUST(lith_key_values_add(&merged, &b, &err));
    MUST(lith_key_values_add(&merged, &a, &err));
    MUST(lith_key_values_finish(&merged, 2, &entries, &count, &err));
    assert_int_equal(count, 4);
    assert_true(has(entries, count, "same", "1"));
    assert_true(has(entries, count, "absent-value", NULL));
    assert_true(has(entries, count, "org.apache.spark.version", "3.1.0"));
    assert_true(has(entries, count, "original.created.by", "writer one\nwriter two"));
    lith_key_values_done(&merged);
    lith_mem_done(&mem);
}

/* An output that is merged again names the writers of its inputs, not Lithify. */
static void test_writers_of_outputs(void **state)
{
    struct lith_key_value keys[] = {kv("original.created.by", "one\ntwo")};
    struct lith_footer output = {.key_values = keys,
                                 .key_value_count = 1,
                                 .created_by = lith_slice_text("lithify version 0")};
    struct lith_footer other = {.created_by = lith_slice_text("two")};
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t count;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    lith_key_values_init(&merged, &mem);
    MUST(lith_key_values_add(&merged, &output, &err));
    MUST(lith_key_values_add(&merged, &other, &err));
    MUST(lith_key_values_finish(&merged, 0, &entries, &count, &err));
    assert_int_equal(count, 1);
    assert_true(has(entries, count, "original.created.by", "one\ntwo"));
    lith_key_values_done(&merged);
    lith_mem_done(&mem);
}

static void meaning_of(enum lith_type type, int logical, const char *created_by,
                       struct lith_key_value *keys, uint32_t key_count,
                       char ret_meaning[LITH_MEANING_BYTES])
{
    struct lith_schema_node nodes[] = {
        {.is_group = true, .child_count = 1},
        {.type = type, .logical = {.kind = logical}},
    };
    uint32_t leaves[] = {1};
    struct lith_footer footer = {.schema = {nodes, 2, leaves, 1},
                                 .key_values = keys,
                                 .key_value_count = key_count,
                                 .created_by = lith_slice_text(created_by)};

    lith_gate_meaning(&footer, ret_meaning);
}

struct meaning_case {
    const char *what;
    enum lith_type type;
    int logical;
    const char *created_by[2];
    const char *key;
    const char *values[2]; /* NULL: without the key */
    bool equal;
};

static const struct meaning_case meaning_cases[] = {
    {"no dates: nothing matters",
     LITH_TYPE_INT64,
     LITH_LOGICAL_NONE,
     {"a", "parquet-mr"},
     "org.apache.spark.version",
     {"2.4.0", "3.1.0"},
     true},
    {"Spark 2 against 3",
     LITH_TYPE_INT32,
     LITH_LOGICAL_DATE,
     {"a", "a"},
     "org.apache.spark.version",
     {"2.4.0", "3.1.0"},
     false},
    {"Spark 3.0 against 3.2",
     LITH_TYPE_INT64,
     LITH_LOGICAL_TIMESTAMP,
     {"a", "a"},
     "org.apache.spark.version",
     {"3.0.0", "3.2.0"},
     true},
    {"Spark against no Spark",
     LITH_TYPE_INT32,
     LITH_LOGICAL_DATE,
     {"a", "a"},
     "org.apache.spark.version",
     {"3.2.0", NULL},
     false},
    {"INT96 of Spark 3.0 against 3.2",
     LITH_TYPE_INT96,
     LITH_LOGICAL_NONE,
     {"a", "a"},
     "org.apache.spark.version",
     {"3.0.0", "3.2.0"},
     false},
    {"INT96 of parquet-mr against others",
     LITH_TYPE_INT96,
     LITH_LOGICAL_NONE,
     {"parquet-mr version 1.8", "impala"},
     "k",
     {NULL, NULL},
     false},
    {"dates of parquet-mr against others",
     LITH_TYPE_INT32,
     LITH_LOGICAL_DATE,
     {"parquet-mr version 1.8", "impala"},
     "k",
     {NULL, NULL},
     true},
    {"Hive's zone",
     LITH_TYPE_INT64,
     LITH_LOGICAL_TIMESTAMP,
     {"a", "a"},
     "writer.time.zone",
     {"UTC", "Europe/Paris"},
     false},
    {"Hive's zone, equal",
     LITH_TYPE_INT64,
     LITH_LOGICAL_TIMESTAMP,
     {"a", "b"},
     "writer.time.zone",
     {"UTC", "UTC"},
     true},
};

static void test_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(meaning_cases) / sizeof(meaning_cases[0]); i++) {
        const struct meaning_case *c = &meaning_cases[i];
        char meanings[2][LITH_MEANING_BYTES];
        for (int side = 0; side < 2; side++) {
            struct lith_key_value key = kv(c->key, c->values[side]);
            meaning_of(c->type, c->logical, c->created_by[side], &key, c->values[side] ? 1 : 0,
                       meanings[side]);
        }
        if ((strcmp(meanings[0], meanings[1]) == 0) != c->equal)
            fail_msg("%s: \"%s\" against \"%s\"", c->what, meanings[0], meanings[1]);
    }
}

/* Dates of which nothing is said are no more than no dates, so that a column of them can be added;
 * INT96, and all that is said, is. */
static void test_no_meaning(void **state)
{
    struct lith_key_value zone = kv("writer.time.zone", "UTC");
    struct lith_key_value spark = kv("org.apache.spark.version", "3.2.0");
    char meaning[LITH_MEANING_BYTES];

    (void)state;
    meaning_of(LITH_TYPE_INT32, LITH_LOGICAL_NONE, "a", NULL, 0, meaning);
    assert_string_equal(meaning, "");
    meaning_of(LITH_TYPE_INT32, LITH_LOGICAL_DATE, "a", NULL, 0, meaning);
    assert_string_equal(meaning, "");
    meaning_of(LITH_TYPE_INT64, LITH_LOGICAL_TIMESTAMP, "a", &zone, 1, meaning);
    assert_string_not_equal(meaning, "");
    meaning_of(LITH_TYPE_INT64, LITH_LOGICAL_TIMESTAMP, "a", &spark, 1, meaning);
    assert_string_not_equal(meaning, "");
    meaning_of(LITH_TYPE_INT96, LITH_LOGICAL_NONE, "a", NULL, 0, meaning);
    assert_string_not_equal(meaning, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_writers_of_outputs),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_no_meaning),
    };
    return cmocka_run_group_tests_name("key_values", tests, NULL, NULL);
}
