/*
 * Key-value metadata of an output, and what makes dates of files incompatible.
 */
#include "support.h"

#include "merge/meaning.h"
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

/* A key in three files, and in their output: NULL stands for no such key, "-" for one without a
 * value. What no case changes is in all files: "same". */
struct merge_case {
    const char *what;
    const char *key;
    const char *values[3];
    const char *wanted;
    enum lith_unknown_keys unknown;
    bool schema_changed;
    const char *refused; /* the words of the failure; NULL: there is none */
};

#define DROP LITH_UNKNOWN_KEYS_DROP
#define FIRST LITH_UNKNOWN_KEYS_FIRST
#define ERROR LITH_UNKNOWN_KEYS_ERROR
#define RANGE "{\"columns\": [\"]\"], \"index_columns\": [{\"kind\": \"range\", \"stop\": 3}]}"
#define NO_RANGE "{\"index_columns\": [\"__index_level_0__\", \"kind range\"], \"columns\": []}"

static const struct merge_case merge_cases[] = {
    {"unknown, alike", "k", {"1", "1", "1"}, "1", DROP, false, NULL},
    {"unknown, another", "k", {"1", "2", "1"}, NULL, DROP, false, NULL},
    {"unknown, another at the end", "k", {"1", "1", "2"}, NULL, DROP, false, NULL},
    {"unknown, one lacks it", "k", {"1", NULL, "1"}, NULL, DROP, false, NULL},
    {"unknown, the first lacks it", "k", {NULL, "1", "1"}, NULL, DROP, false, NULL},
    {"no value", "k", {"-", "-", "-"}, "-", DROP, false, NULL},
    {"no value against an empty one", "k", {"-", "", "-"}, NULL, DROP, false, NULL},
    {"first: another", "k", {"1", "2", "3"}, "1", FIRST, false, NULL},
    {"first: the first lacks it", "k", {NULL, "2", "3"}, "2", FIRST, false, NULL},
    {"first: no value", "k", {"-", "2", "3"}, "-", FIRST, false, NULL},
    {"error: alike", "k", {"1", "1", "1"}, "1", ERROR, false, NULL},
    {"error: another", "k", {"1", "1", "2"}, NULL, ERROR, false, "another value than in file-0"},
    {"error: no value", "k", {"1", "-", "1"}, NULL, ERROR, false, "another value than in file-0"},
    {"error: one lacks it",
     "k",
     {"1", NULL, "1"},
     NULL,
     ERROR,
     false,
     "missing, but not in file-0"},
    {"error: the first lacks it", "k", {NULL, "1", "1"}, NULL, ERROR, false, "is not in file-0"},
    {"unknown keys outlive a schema", "k", {"1", "1", "1"}, "1", DROP, true, NULL},

    {"ours", "lithify.pid", {"x", "x", "x"}, NULL, FIRST, false, NULL},
    {"ours differ", "lithify.inputs", {"x", "y", NULL}, NULL, ERROR, false, NULL},
    {"Hudi's range", "hoodie_min_record_key", {"a", "a", "a"}, NULL, DROP, false, NULL},
    {"Hudi's ranges", "hoodie_max_record_key", {"a", "b", "c"}, NULL, FIRST, false, NULL},
    {"Hudi's filter", "org.apache.hudi.bloomfilter", {"a", "a", "a"}, NULL, DROP, false, NULL},
    {"Hudi's old filter", "com.uber.hoodie.bloomfilter", {"a", "b", "a"}, NULL, ERROR, false, NULL},
    {"DuckDB's filter", "duckdb.interval_bloom_filter", {"a", "a", "a"}, NULL, DROP, false, NULL},

    {"Spark's versions",
     "org.apache.spark.version",
     {"3.1", "3.2", NULL},
     "3.1",
     ERROR,
     false,
     NULL},
    {"a calendar that the first lacks",
     "org.apache.spark.legacyDateTime",
     {NULL, "", ""},
     NULL,
     FIRST,
     false,
     NULL},
    {"a calendar that the first alone has",
     "org.apache.spark.legacyDateTime",
     {"", NULL, NULL},
     "",
     DROP,
     false,
     NULL},
    {"legacy INT96", "org.apache.spark.legacyINT96", {"", NULL, ""}, "", DROP, false, NULL},
    {"Spark's zone", "org.apache.spark.timeZone", {"UTC", "UTC", "UTC"}, "UTC", DROP, true, NULL},
    {"Hive's zone", "writer.time.zone", {"UTC", "CET", NULL}, "UTC", DROP, false, NULL},
    {"Hive's calendar", "writer.date.proleptic", {"true", NULL, NULL}, "true", DROP, false, NULL},
    {"Hive's rule", "writer.zone.conversion.legacy", {"a", NULL, NULL}, "a", DROP, false, NULL},

    {"Arrow's schema, alike", "ARROW:schema", {"x", "x", "x"}, "x", DROP, false, NULL},
    {"Arrow's schema, stale", "ARROW:schema", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Arrow's schemas", "ARROW:schema", {"x", "x", "y"}, NULL, FIRST, false, NULL},
    {"Arrow's schemas, no error", "ARROW:schema", {"x", NULL, "y"}, NULL, ERROR, false, NULL},
    {"Spark's schema",
     "org.apache.spark.sql.parquet.row.metadata",
     {"x", "x", "x"},
     "x",
     DROP,
     false,
     NULL},
    {"Spark's schema, stale",
     "org.apache.spark.sql.parquet.row.metadata",
     {"x", "x", "x"},
     NULL,
     FIRST,
     true,
     NULL},
    {"Spark's schemas",
     "org.apache.spark.sql.parquet.row.metadata",
     {"x", "y", "x"},
     NULL,
     FIRST,
     false,
     NULL},
    {"Avro's schema", "parquet.avro.schema", {"x", "x", "x"}, "x", DROP, false, NULL},
    {"Avro's schema, stale", "parquet.avro.schema", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Avro's old schemas", "avro.schema", {"x", "y", "x"}, NULL, FIRST, false, NULL},
    {"Avro's old schema, stale", "avro.schema", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"protobuf's", "parquet.proto.descriptor", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Thrift's", "thrift.descriptor", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Hive's schema, stale", "parquet.hive.schema", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Iceberg's schemas", "iceberg.schema", {"x", "x", "y"}, NULL, FIRST, false, NULL},
    {"Iceberg's schema, stale", "iceberg.schema", {"x", "x", "x"}, NULL, FIRST, true, NULL},
    {"Delta's keys", "delta.anything", {"x", "y", "x"}, NULL, FIRST, false, NULL},
    {"Delta's key, alike", "delta.anything", {"x", "x", "x"}, "x", DROP, false, NULL},

    {"pandas, an index by name",
     "pandas",
     {NO_RANGE, NO_RANGE, NO_RANGE},
     NO_RANGE,
     DROP,
     false,
     NULL},
    {"pandas, stale", "pandas", {NO_RANGE, NO_RANGE, NO_RANGE}, NULL, FIRST, true, NULL},
    {"pandas, others", "pandas", {NO_RANGE, "{}", NO_RANGE}, NULL, FIRST, false, NULL},
    {"pandas, a range", "pandas", {RANGE, RANGE, RANGE}, NULL, FIRST, false, NULL},
    {"pandas, a range without spaces",
     "pandas",
     {"{\"index_columns\":[{\"kind\":\"range\"}]}", "{\"index_columns\":[{\"kind\":\"range\"}]}",
      "{\"index_columns\":[{\"kind\":\"range\"}]}"},
     NULL,
     DROP,
     false,
     NULL},
    {"pandas, no JSON", "pandas", {"x", "x", "x"}, NULL, FIRST, false, NULL},
    {"pandas, no value", "pandas", {"-", "-", "-"}, NULL, FIRST, false, NULL},
};

/* "-" stands for a key without a value. */
static struct lith_key_value entry_of(const char *key, const char *value)
{
    return kv(key, strcmp(value, "-") == 0 ? NULL : value);
}

static void merge_case_check(const struct merge_case *c, struct lith_mem *mem)
{
    struct lith_key_values merged;
    struct lith_key_value *entries;
    struct lith_err err = {0};
    enum lith_code code = LITH_OK;
    uint32_t count;

    lith_key_values_init(&merged, mem, c->unknown, "file-0");
    for (int file = 0; code == LITH_OK && file < 3; file++) {
        struct lith_key_value keys[2] = {kv("same", "1")};
        struct lith_footer footer = {.key_values = keys, .key_value_count = 1};
        if (c->values[file])
            keys[footer.key_value_count++] = entry_of(c->key, c->values[file]);
        code = lith_key_values_add(&merged, &footer, &err);
    }
    if (c->schema_changed)
        lith_key_values_schema_changed(&merged);
    if (c->refused) {
        if (code != LITH_E_UNSUPPORTED || !strstr(err.text, c->refused) ||
            !strstr(err.text, c->key))
            fail_msg("%s: code %d, \"%s\"", c->what, code, err.text);
    } else {
        if (code != LITH_OK)
            fail_msg("%s: %s", c->what, err.text);
        MUST(lith_key_values_finish(&merged, 2, &entries, &count, &err));
        bool is_no_value = c->wanted && strcmp(c->wanted, "-") == 0;
        if (count != (c->wanted ? 2u : 1u) || !has(entries, count, "same", "1") ||
            (c->wanted && !has(entries, count, c->key, is_no_value ? NULL : c->wanted)))
            fail_msg("%s: %u keys", c->what, count);
    }
    lith_key_values_done(&merged);
}

static void test_merge(void **state)
{
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, 1 << 20, NULL);
    for (size_t i = 0; i < sizeof(merge_cases) / sizeof(merge_cases[0]); i++)
        merge_case_check(&merge_cases[i], &mem);
    lith_mem_done(&mem);
}

/* Merges two footers and wants one key with a value, or with `value` NULL no key at all. */
static void pair_check(struct lith_key_value *a, uint32_t a_count, struct lith_key_value *b,
                       uint32_t b_count, enum lith_unknown_keys unknown, const char *value)
{
    struct lith_footer first = {.key_values = a, .key_value_count = a_count};
    struct lith_footer second = {.key_values = b, .key_value_count = b_count};
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t count;

    lith_mem_init(&mem, 1 << 20, NULL);
    lith_key_values_init(&merged, &mem, unknown, "file-0");
    MUST(lith_key_values_add(&merged, &first, &err));
    MUST(lith_key_values_add(&merged, &second, &err));
    MUST(lith_key_values_finish(&merged, 0, &entries, &count, &err));
    assert_int_equal(count, value ? 1 : 0);
    if (value)
        assert_true(has(entries, count, "k", value));
    lith_key_values_done(&merged);
    lith_mem_done(&mem);
}

/* A key that stands twice in a file: with one value it is one, with two nothing is certain of it,
 * and who asks for one gets the last, as from the file itself. */
static void test_keys_twice(void **state)
{
    struct lith_key_value once[] = {kv("k", "1")};
    struct lith_key_value alike[] = {kv("k", "1"), kv("k", "1")};
    struct lith_key_value apart[] = {kv("k", "2"), kv("k", "1")};
    struct lith_key_value schemas[] = {kv("avro.schema", "1"), kv("avro.schema", "2")};

    (void)state;
    pair_check(alike, 2, once, 1, DROP, "1");
    pair_check(once, 1, alike, 2, DROP, "1");
    pair_check(apart, 2, apart, 2, DROP, NULL);
    pair_check(apart, 2, once, 1, DROP, NULL);
    pair_check(once, 1, apart, 2, DROP, NULL);
    pair_check(apart, 2, once, 1, FIRST, "1");
    pair_check(schemas, 2, schemas, 2, FIRST, NULL);
}

/* Many keys in many files cost no more than sorting them. */
static void test_many_keys(void **state)
{
    enum { COUNT = 20000 };
    struct lith_key_value *keys = calloc(COUNT, sizeof(*keys));
    char(*names)[16] = calloc(COUNT, sizeof(*names));
    struct lith_footer footer = {.key_values = keys, .key_value_count = COUNT};
    struct lith_key_value *entries;
    struct lith_key_values merged;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t count;

    (void)state;
    assert_non_null(keys);
    assert_non_null(names);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "key %d", i);
        keys[i] = kv(names[i], i % 2 ? "1" : "2");
    }
    lith_mem_init(&mem, 64 << 20, NULL);
    lith_key_values_init(&merged, &mem, FIRST, "file-0");
    for (int file = 0; file < 50; file++)
        MUST(lith_key_values_add(&merged, &footer, &err));
    MUST(lith_key_values_finish(&merged, 0, &entries, &count, &err));
    assert_int_equal(count, COUNT);
    lith_key_values_done(&merged);
    lith_mem_done(&mem);
    free(keys);
    free(names);
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
    lith_key_values_init(&merged, &mem, DROP, "file-0");
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
                       struct lith_meaning *ret_meaning)
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

    struct lith_mem mem;
    struct lith_err err;

    lith_mem_init(&mem, 1 << 20, NULL);
    MUST(lith_meaning_of(&footer, &mem, ret_meaning, &err));
    lith_mem_done(&mem);
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
    {"Hive's rule of conversion",
     LITH_TYPE_INT96,
     LITH_LOGICAL_NONE,
     {"a", "a"},
     "writer.zone.conversion.legacy",
     {"true", "false"},
     false},
};

static void test_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(meaning_cases) / sizeof(meaning_cases[0]); i++) {
        const struct meaning_case *c = &meaning_cases[i];
        struct lith_meaning meanings[2];
        int part;
        for (int side = 0; side < 2; side++) {
            struct lith_key_value key = kv(c->key, c->values[side]);
            meaning_of(c->type, c->logical, c->created_by[side], &key, c->values[side] ? 1 : 0,
                       &meanings[side]);
        }
        if (lith_meaning_join(&meanings[0], &meanings[1], &part) != c->equal)
            fail_msg("%s: \"%s\" against \"%s\"", c->what, lith_meaning_text(&meanings[0], part),
                     lith_meaning_text(&meanings[1], part));
    }
}

enum has { NOTHING, DATES, INT96 };

/* A file for each column of the table: what it has, and what it says. Files without dates join
 * those with some as long as their keys are the same, since keys that not all have are dropped. */
static void test_meaning_of_several(void **state)
{
    struct file {
        enum has has;
        const char *writer;
        const char *spark; /* its version; NULL: not Spark's */
    };
    static const struct {
        const char *what;
        struct file files[3];
        int joined; /* how many of them, from the first on */
    } cases[] = {
        {"a column of dates is added", {{NOTHING, "a", NULL}, {DATES, "b", NULL}}, 2},
        {"and taken away", {{DATES, "a", NULL}, {NOTHING, "b", NULL}, {DATES, "c", NULL}}, 3},
        {"by Spark", {{NOTHING, "a", "3.2.0"}, {DATES, "a", "3.5.0"}}, 2},
        {"but not to files of others", {{NOTHING, "a", NULL}, {DATES, "a", "3.5.0"}}, 1},
        {"nor of Spark 2", {{NOTHING, "a", "2.4.0"}, {DATES, "a", "3.5.0"}}, 1},
        {"files without dates may differ, but join none with dates then",
         {{NOTHING, "a", "2.4.0"}, {NOTHING, "a", "3.2.0"}, {DATES, "a", "2.4.0"}},
         2},
        {"a column of INT96 is added",
         {{NOTHING, "parquet-mr version 1.8", NULL}, {INT96, "i", NULL}},
         2},
        {"by parquet-mr", {{DATES, "i", NULL}, {INT96, "parquet-mr version 1.8", NULL}}, 2},
        {"by both",
         {{NOTHING, "i", NULL}, {INT96, "i", NULL}, {INT96, "parquet-mr version 1.8", NULL}},
         2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_meaning meaning, next;
        int joined = 0;
        int part;
        for (; joined < 3 && cases[i].files[joined].writer; joined++) {
            const struct file *file = &cases[i].files[joined];
            struct lith_key_value spark = kv("org.apache.spark.version", file->spark);
            meaning_of(file->has == INT96 ? LITH_TYPE_INT96 : LITH_TYPE_INT32,
                       file->has == DATES ? LITH_LOGICAL_DATE : LITH_LOGICAL_NONE, file->writer,
                       &spark, file->spark ? 1 : 0, &next);
            if (joined == 0)
                meaning = next;
            if (!lith_meaning_join(&meaning, &next, &part))
                break;
        }
        if (joined != cases[i].joined)
            fail_msg("%s: %d joined", cases[i].what, joined);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),     cmocka_unit_test(test_keys_twice),
        cmocka_unit_test(test_many_keys), cmocka_unit_test(test_writers_of_outputs),
        cmocka_unit_test(test_meaning),   cmocka_unit_test(test_meaning_of_several),
    };
    return cmocka_run_group_tests_name("key_values", tests, NULL, NULL);
}
