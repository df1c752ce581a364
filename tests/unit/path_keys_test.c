/*
 * What paths say: keys, percent encodings, tenants, periods, layouts, sealing; output names and
 * markers of table formats.
 */
#include "arena_support.h"

#include "base/path_layout.h"
#include "base/time.h"
#include "lake/output_name.h"
#include "lake/path_keys.h"
#include "lake/table_format.h"

struct path_case {
    const char *path;
    const char *layout;
    const char *tenant;
    const char *begin; /* NULL: no period */
    const char *end;
};

static const struct path_case path_cases[] = {
    {"", NULL, "default", NULL, NULL},
    {"data", NULL, "default", NULL, NULL},
    {"data/tenant_id=acme/year=2026/month=06/day=15/hour=10", NULL, "acme", "2026-06-15T10:00:00Z",
     "2026-06-15T11:00:00Z"},
    {"tenant_id=a%2Fb%20c/year=2026/month=6", NULL, "a/b c", "2026-06-01T00:00:00Z",
     "2026-07-01T00:00:00Z"},
    {"tenant_id=caf%C3%A9/year=2026", NULL, "caf\xc3\xa9", "2026-01-01T00:00:00Z",
     "2027-01-01T00:00:00Z"},
    {"tenant_id=caf\xc3\xa9", NULL, "caf\xc3\xa9", NULL, NULL},
    {"tenant_id=%e2%82%ac%zz%4", NULL, "\xe2\x82\xac%zz%4", NULL, NULL},
    {"tenant_id=", NULL, "", NULL, NULL},
    {"tenant_id=a=b", NULL, "a=b", NULL, NULL},
    {"tenant_id=__HIVE_DEFAULT_PARTITION__/year=2026", NULL, "__HIVE_DEFAULT_PARTITION__",
     "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"year=2024/month=02/day=29", NULL, "default", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
    {"year=2026/month=02/day=29", NULL, "default", NULL, NULL},
    {"year=2100/month=02/day=29", NULL, "default", NULL, NULL},
    {"year=2000/month=2/day=29", NULL, "default", "2000-02-29T00:00:00Z", "2000-03-01T00:00:00Z"},
    {"year=2026/month=12", NULL, "default", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"year=2026/month=12/day=31/hour=23/minute=59", NULL, "default", "2026-12-31T23:59:00Z",
     "2027-01-01T00:00:00Z"},
    {"year=2026/hour=3", NULL, "default", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"hour=3", NULL, "default", NULL, NULL},
    {"year=2026/month=13", NULL, "default", NULL, NULL},
    {"year=2026/month=0", NULL, "default", NULL, NULL},
    {"year=2026/month=06/day=15/hour=24", NULL, "default", NULL, NULL},
    {"year=99999", NULL, "default", NULL, NULL},
    {"year=0001", NULL, "default", NULL, NULL},
    {"year=-5", NULL, "default", NULL, NULL},
    {"year=__HIVE_DEFAULT_PARTITION__", NULL, "default", NULL, NULL},
    {"year=1969", NULL, "default", "1969-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
    {"date=2026-06-15", NULL, "default", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z"},
    {"dt=20260615/hour=7", NULL, "default", "2026-06-15T07:00:00Z", "2026-06-15T08:00:00Z"},
    {"dt=2026-6-15", NULL, "default", NULL, NULL},
    {"dt=latest", NULL, "default", NULL, NULL},
    {"date=2026-02-30", NULL, "default", NULL, NULL},
    {"=x/tenant_id=t", NULL, "t", NULL, NULL},
    {"db1/cpu/2026/06/15/10", "{db}/{measurement}/{yyyy}/{mm}/{dd}/{hh}", "default",
     "2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z"},
    {"db1/cpu/2026/06", "{db}/{measurement}/{yyyy}/{mm}/{dd}/{hh}", "default",
     "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"},
    {"db1/cpu/26/06", "{db}/{measurement}/{yyyy}/{mm}", "default", NULL, NULL},
    {"acme/2026-06-15", "{tenant_id}/{yyyy}-{mm}-{dd}", "acme", "2026-06-15T00:00:00Z",
     "2026-06-16T00:00:00Z"},
    {"t-acme.x/20260615", "t-{tenant_id}.x/{yyyy}{mm}{dd}", "acme", "2026-06-15T00:00:00Z",
     "2026-06-16T00:00:00Z"},
    {"tenant_id=acme/2026", "{other}/{yyyy}", "default", "2026-01-01T00:00:00Z",
     "2027-01-01T00:00:00Z"},
};

static void paths_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(path_cases) / sizeof(path_cases[0]); i++) {
        const struct path_case *c = &path_cases[i];
        struct lith_path_options options = {.layout = c->layout};
        struct lith_path_keys keys;
        int64_t begin = 0;
        int64_t end = 0;
        MUST(lith_path_keys_parse(c->path, &options, &arena, &keys, &err));
        assert_string_equal(keys.tenant, c->tenant);
        if (keys.has_period != (c->begin != NULL))
            fail_msg("%s: period %d", c->path, keys.has_period);
        if (!c->begin)
            continue;
        MUST(lith_time_parse(c->begin, &begin, &err));
        MUST(lith_time_parse(c->end, &end, &err));
        assert_true(keys.begin_ns == begin);
        assert_true(keys.end_ns == end);
    }
}

/* A path that a layout was given for, and that is another one, has no time that counts. */
static void layouts_that_do_not_fit(void **state)
{
    static const struct {
        const char *path;
        const char *layout;
        bool fits;
    } cases[] = {
        {"db/2026/06", "{db}/{yyyy}/{mm}", true},
        {"db/2026/06/more", "{db}/{yyyy}/{mm}", true},
        {"db/2026", "{db}/{yyyy}/{mm}", true},
        {"db", "{db}/{yyyy}/{mm}", false},
        {"", "{yyyy}", false},
        {"db/2026/6", "{db}/{yyyy}/{mm}", false},
        {"db/2026/13", "{db}/{yyyy}/{mm}", false},
        {"db/latest", "{db}/{date}", false},
        {"db/2026-06-15", "{db}/{date}", true},
        {"raw/db/2026", "raw/{db}/{yyyy}", true},
        {"cooked/db/2026", "raw/{db}/{yyyy}", false},
        {"db/year=2026", "{db}/{yyyy}", true},
        {"db/tenant_id=acme", "{db}/{yyyy}", true},
        {"db/cpu", "{db}/{measurement}", true},
        {"db", "{db}/{measurement}", false},
        {"tenant_id=acme", NULL, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_path_options options = {.layout = cases[i].layout};
        struct lith_path_keys keys;
        MUST(lith_path_keys_parse(cases[i].path, &options, &arena, &keys, &err));
        if (cases[i].fits ? keys.misfit != NULL : keys.misfit != options.layout)
            fail_msg("%s, %s", cases[i].path, cases[i].layout);
    }
}

static void layouts_are_checked(void **state)
{
    static const struct {
        const char *layout;
        const char *says; /* NULL: taken */
    } cases[] = {
        {"{db}/{yyyy}/{mm}/{dd}/{hh}", NULL},
        {"t-{tenant_id}.x/{yyyy}{mm}{dd}/", NULL},
        {"{db", "without a name and }"},
        {"{db/{yyyy}", "without a name and }"},
        {"{}/x", "without a name and }"},
        {"{a{b}", "within a name"},
        {"{a}{b}", "text must follow it"},
        {"{a}/{a}", "{a} stands there twice"},
        {"data/2026", "no {field} is named"},
        {"/{db}", "nothing stands before a /"},
        {"{db}//{yyyy}", "nothing stands before a /"},
        {"{a}.{b}.{c}.{d}.{e}.{f}.{g}.{h}.{i}", "in one part"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum lith_code code = lith_path_layout_check(cases[i].layout, &err);
        assert_int_equal(code, cases[i].says ? LITH_E_INVALID : LITH_OK);
        if (cases[i].says && !strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].layout, err.text);
    }
}

static void nulls_and_names(void **state)
{
    struct lith_path_options options = {.tenant_key = "org"};
    struct lith_path_keys keys;

    (void)state;
    MUST(lith_path_keys_parse("org=x/a%20b=1/k=__HIVE_DEFAULT_PARTITION__/tenant_id=no", &options,
                              &arena, &keys, &err));
    assert_int_equal(keys.count, 4);
    assert_string_equal(keys.tenant, "x");
    assert_string_equal(lith_path_keys_find(&keys, "a b")->value, "1");
    assert_null(lith_path_keys_find(&keys, "k")->value);
    assert_null(lith_path_keys_find(&keys, "none"));
}

static void bad_paths_are_refused(void **state)
{
    static const struct {
        const char *path;
        const char *layout;
    } cases[] = {
        {"a=1/a=2", NULL}, {"a=%00", NULL},  {"a%00=1", NULL},   {"x", "{db"},
        {"x", "{}"},       {"xy", "{a}{b}"}, {"x/y", "{a}/{a}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_path_options options = {.layout = cases[i].layout};
        struct lith_path_keys keys;
        assert_int_equal(lith_path_keys_parse(cases[i].path, &options, &arena, &keys, &err),
                         LITH_E_INVALID);
    }
}

static void percent_encoding_comes_back(void **state)
{
    static const struct {
        const char *plain;
        const char *encoded;
    } cases[] = {
        {"", ""},
        {"AZaz09-._~", "AZaz09-._~"},
        {"a/b", "a%2Fb"},
        {"100% +", "100%25%20%2B"},
        {"caf\xc3\xa9", "caf%C3%A9"},
        {"\n=\x7f\xff", "%0A%3D%7F%FF"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *encoded = NULL;
        const char *back = NULL;
        MUST(lith_percent_encode(cases[i].plain, &arena, &encoded, &err));
        assert_string_equal(encoded, cases[i].encoded);
        MUST(lith_percent_decode(encoded, strlen(encoded), &arena, &back, &err));
        assert_string_equal(back, cases[i].plain);
    }
}

static void any_bytes_come_back(void **state)
{
    uint64_t seed = test_seed();
    char plain[40];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t bytes = test_random(&seed) % sizeof(plain);
        const char *encoded = NULL;
        const char *back = NULL;
        for (size_t i = 0; i < bytes; i++)
            plain[i] = (char)(1 + test_random(&seed) % 255);
        plain[bytes] = 0;
        MUST(lith_percent_encode(plain, &arena, &encoded, &err));
        MUST(lith_percent_decode(encoded, strlen(encoded), &arena, &back, &err));
        assert_string_equal(back, plain);
    }
}

static void sealing(void **state)
{
    enum { MINUTE = 60 };
    static const struct {
        bool has_period;
        int64_t end;
        int64_t newest;
        int64_t now;
        enum lith_seal seal;
    } cases[] = {
        {true, 100, INT64_MIN, 100 + 15 * MINUTE - 1, LITH_SEAL_PERIOD},
        {true, 100, INT64_MIN, 100 + 15 * MINUTE, LITH_SEALED},
        {true, 100, 5000, 5000 + 10 * MINUTE - 1, LITH_SEAL_BUSY},
        {true, 100, 5000, 5000 + 10 * MINUTE, LITH_SEALED},
        {true, INT64_MAX, 0, 5000, LITH_SEAL_PERIOD},
        {false, 0, 5000, 5000 + 10 * MINUTE - 1, LITH_SEAL_BUSY},
        {false, 0, 5000, 5000 + 10 * MINUTE, LITH_SEALED},
        {false, 0, INT64_MAX, 5000, LITH_SEAL_BUSY},
        {false, 0, INT64_MIN, 0, LITH_SEALED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_path_keys keys = {.has_period = cases[i].has_period, .end_ns = cases[i].end};
        assert_int_equal(
            lith_path_keys_seal(&keys, cases[i].newest, cases[i].now, 15 * MINUTE, 10 * MINUTE),
            cases[i].seal);
    }
    assert_false(lith_path_part_walks("_delta_log"));
    assert_false(lith_path_part_walks(".hoodie"));
    assert_true(lith_path_part_walks("year=2026"));
}

#define UUID "0198f0c2-7c1e-7000-8000-0123456789ab"

static void output_names(void **state)
{
    static const struct {
        const char *name;
        bool is_output;
        uint64_t epoch;
    } cases[] = {
        {UUID "_5f21c0de_e3.parquet", true, 3},
        {UUID "_5f21c0de_e0.parquet", true, 0},
        {UUID "_5f21c0de_e9223372036854775807.parquet", true, INT64_MAX},
        {UUID "_5f21c0de_e9223372036854775808.parquet", false, 0},
        {UUID "_5f21c0de_e03.parquet", false, 0},
        {UUID "_5f21c0de_e.parquet", false, 0},
        {UUID "_5f21c0de_e-1.parquet", false, 0},
        {UUID "_5F21c0de_e3.parquet", false, 0},
        {UUID "_5f21c0d_e3.parquet", false, 0},
        {UUID "_5f21c0de_e3.parquet.tmp", false, 0},
        {UUID "_5f21c0de_e3", false, 0},
        {UUID ".parquet", false, 0},
        {"0198f0c2-7c1e-4000-8000-0123456789ab_5f21c0de_e3.parquet", false, 0},
        {"", false, 0},
        {"a.parquet", false, 0},
    };
    struct lith_output_name parts;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (lith_output_name_parse(cases[i].name, &parts) != cases[i].is_output)
            fail_msg("%s", cases[i].name);
        if (cases[i].is_output)
            assert_true(parts.epoch == cases[i].epoch);
    }
    assert_true(lith_output_name_is_of(cases[0].name, "5f21c0de"));
    assert_false(lith_output_name_is_of(cases[0].name, "5f21c0df"));
}

static void output_names_come_back(void **state)
{
    struct lith_uuid_source uuids = {.env = lith_env_system()};
    char name[LITH_OUTPUT_NAME_BYTES];
    char last[LITH_OUTPUT_NAME_BYTES] = "";
    char pid[LITH_PID_TEXT_BYTES];
    struct lith_output_name parts;

    (void)state;
    lith_pid_draw(lith_env_system(), pid);
    for (uint64_t i = 0; i < 100; i++) {
        lith_output_name_make(&uuids, pid, i == 99 ? INT64_MAX : i, name);
        assert_true(lith_output_name_parse(name, &parts));
        assert_string_equal(parts.pid, pid);
        assert_true(parts.epoch == (i == 99 ? INT64_MAX : i));
        assert_true(strcmp(last, name) < 0);
        assert_true(lith_name_is_data(name));
        memcpy(last, name, sizeof(last));
    }
    assert_false(lith_name_is_data(".parquet"));
    assert_false(lith_name_is_data("_x.parquet"));
    assert_false(lith_name_is_data(".x.parquet"));
    assert_false(lith_name_is_data("x.parquet.tmp"));
    assert_true(lith_name_is_data("x.parquet"));
}

static void table_formats(void **state)
{
    static const char *const folders[] = {".hoodie", "_delta_log", "_spark_metadata", "metadata"};
    static const char *const files[] = {"_metadata", "_common_metadata"};
    struct lith_listing nothing = {0};

    (void)state;
    assert_null(lith_table_format_marker(&nothing, NULL));
    for (size_t i = 0; i < 4; i++) {
        const char *name = folders[i];
        struct lith_listing listing = {.folders = &name, .folder_count = 1};
        const char *marker = lith_table_format_marker(&listing, NULL);
        if (i < 3)
            assert_string_equal(marker, folders[i]);
        else
            assert_null(marker);
        listing = (struct lith_listing){.others = &name, .other_count = 1};
        assert_int_equal(lith_table_format_marker(&listing, NULL) != NULL, i < 3);
    }
    for (size_t i = 0; i < 2; i++) {
        struct lith_object object = {.name = files[i]};
        struct lith_listing listing = {.objects = &object, .object_count = 1};
        assert_string_equal(lith_table_format_marker(&listing, NULL), files[i]);
    }
    struct lith_object object = {.name = "v3.metadata.json"};
    struct lith_listing metadata = {.objects = &object, .object_count = 1};
    assert_non_null(lith_table_format_marker(&nothing, &metadata));
    object.name = "metadata.json";
    assert_null(lith_table_format_marker(&nothing, &metadata));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(layouts_that_do_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(layouts_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(nulls_and_names, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_paths_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(percent_encoding_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(any_bytes_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(sealing, setup, teardown),
        cmocka_unit_test_setup_teardown(output_names, setup, teardown),
        cmocka_unit_test_setup_teardown(output_names_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(table_formats, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
