/*
 * What values are expected to be: by type, by value, and what statistics prove of it. Random
 * columns are judged against all of their values.
 */
#include "arena_support.h"

#include <math.h>

#include "base/time.h"
#include "parquet/expected.h"

#define LEAF(t, ...)                                                                               \
    {                                                                                              \
        .type = LITH_TYPE_##t, .converted_type = -1, .repetition = LITH_OPTIONAL, .max_def = 1,    \
        __VA_ARGS__                                                                                \
    }
#define LOGICAL(k, ...) .logical = {.kind = LITH_LOGICAL_##k, __VA_ARGS__}

static const struct lith_schema_node boolean = LEAF(BOOLEAN, );
static const struct lith_schema_node int32 = LEAF(INT32, );
static const struct lith_schema_node int64 = LEAF(INT64, );
static const struct lith_schema_node int8 =
    LEAF(INT32, LOGICAL(INTEGER, .bit_width = 8, .is_signed = true));
static const struct lith_schema_node uint32 = LEAF(INT32, LOGICAL(INTEGER, .bit_width = 32));
static const struct lith_schema_node uint64 = LEAF(INT64, LOGICAL(INTEGER, .bit_width = 64));
static const struct lith_schema_node date = LEAF(INT32, LOGICAL(DATE));
static const struct lith_schema_node millis =
    LEAF(INT64, LOGICAL(TIMESTAMP, .utc = true, .unit = LITH_UNIT_MILLIS));
static const struct lith_schema_node micros =
    LEAF(INT64, LOGICAL(TIMESTAMP, .utc = true, .unit = LITH_UNIT_MICROS));
static const struct lith_schema_node nanos =
    LEAF(INT64, LOGICAL(TIMESTAMP, .utc = true, .unit = LITH_UNIT_NANOS));
static const struct lith_schema_node local =
    LEAF(INT64, LOGICAL(TIMESTAMP, .unit = LITH_UNIT_MICROS));
static const struct lith_schema_node day_time =
    LEAF(INT32, LOGICAL(TIME, .unit = LITH_UNIT_MILLIS));
static const struct lith_schema_node int96 = LEAF(INT96, );
static const struct lith_schema_node real = LEAF(DOUBLE, );
static const struct lith_schema_node small = LEAF(FLOAT, );
static const struct lith_schema_node text = LEAF(BYTE_ARRAY, LOGICAL(STRING));
static const struct lith_schema_node bytes = LEAF(BYTE_ARRAY, );
static const struct lith_schema_node json = LEAF(BYTE_ARRAY, LOGICAL(JSON));
static const struct lith_schema_node nothing = LEAF(INT32, LOGICAL(UNKNOWN));
static const struct lith_schema_node of_later = LEAF(BYTE_ARRAY, .logical = {.kind = 99});
static const struct lith_schema_node fixed = LEAF(FIXED_LEN_BYTE_ARRAY, .type_length = 4);
static const struct lith_schema_node uuid =
    LEAF(FIXED_LEN_BYTE_ARRAY, .type_length = 16, LOGICAL(UUID));
static const struct lith_schema_node half =
    LEAF(FIXED_LEN_BYTE_ARRAY, .type_length = 2, LOGICAL(FLOAT16));
static const struct lith_schema_node interval = {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
                                                 .type_length = 12,
                                                 .converted_type = LITH_CONVERTED_INTERVAL};
static const struct lith_schema_node decimal32 =
    LEAF(INT32, LOGICAL(DECIMAL, .scale = 2, .precision = 9));
static const struct lith_schema_node decimal_bytes =
    LEAF(BYTE_ARRAY, LOGICAL(DECIMAL, .scale = 2, .precision = 30));
static const struct lith_schema_node decimal_fixed =
    LEAF(FIXED_LEN_BYTE_ARRAY, .type_length = 20, LOGICAL(DECIMAL, .scale = 2, .precision = 30));
static const struct lith_schema_node list = {.type = LITH_TYPE_INT32,
                                             .converted_type = -1,
                                             .repetition = LITH_REPEATED,
                                             .max_rep = 1,
                                             .max_def = 1};
static const struct lith_schema_node group = {.is_group = true, .converted_type = -1};

#define BYTES(value)                                                                               \
    {                                                                                              \
        (const uint8_t *)(value), sizeof(value) - 1                                                \
    }
/* One value each that is what the text says, and one that is not. */
static const struct {
    const char *what;
    const struct lith_schema_node *leaf;
    const char *text;
    struct lith_slice yes; /* data NULL: none is */
    struct lith_slice no;
} text_cases[] = {
    {"boolean", &boolean, "true", BYTES("\1"), BYTES("\0")},
    {"boolean, as Python has it", &boolean, "False", BYTES("\0"), BYTES("\1")},
    {"int32", &int32, "06", BYTES("\6\0\0\0"), BYTES("\x06\0\0\1")},
    {"int64", &int64, "6", BYTES("\6\0\0\0\0\0\0\0"), BYTES("\7\0\0\0\0\0\0\0")},
    {"negative", &int32, "-1", BYTES("\xff\xff\xff\xff"), BYTES("\1\0\0\0")},
    {"int8", &int8, "-128", BYTES("\x80\xff\xff\xff"), BYTES("\x80\0\0\0")},
    {"too large for int32", &int32, "5000000000", {NULL, 0}, BYTES("\0\0\0\0")},
    {"too large for int64", &int64, "9223372036854775808", {NULL, 0}, BYTES("\0\0\0\0\0\0\0\x80")},
    {"negative for unsigned", &uint32, "-1", {NULL, 0}, BYTES("\xff\xff\xff\xff")},
    {"uint32", &uint32, "4294967295", BYTES("\xff\xff\xff\xff"), BYTES("\0\0\0\0")},
    {"uint64", &uint64, "18446744073709551615", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
     BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f")},
    {"date", &date, "1970-01-11", BYTES("\x0a\0\0\0"), BYTES("\x0b\0\0\0")},
    {"date, short", &date, "19700111", BYTES("\x0a\0\0\0"), BYTES("\x09\0\0\0")},
    {"first of a day", &millis, "1970-01-02", BYTES("\0\x5c\x26\5\0\0\0\0"),
     BYTES("\xff\x5b\x26\5\0\0\0\0")},
    {"last of a day", &millis, "1970-01-01", BYTES("\xff\x5b\x26\5\0\0\0\0"),
     BYTES("\0\x5c\x26\5\0\0\0\0")},
    {"before 1970", &millis, "1969-12-31", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
     BYTES("\0\0\0\0\0\0\0\0")},
    {"a second", &micros, "1970-01-01 00:00:01", BYTES("\x40\x42\x0f\0\0\0\0\0"),
     BYTES("\x3f\x42\x0f\0\0\0\0\0")},
    {"a nanosecond", &nanos, "1970-01-01 00:00:00.000000001", BYTES("\1\0\0\0\0\0\0\0"),
     BYTES("\2\0\0\0\0\0\0\0")},
    {"zone", &micros, "1970-01-01 02:00:00+02:00", BYTES("\0\0\0\0\0\0\0\0"),
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff")},
    {"local", &local, "1970-01-01 00:00:00", BYTES("\0\0\0\0\0\0\0\0"),
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff")},
    {"int96", &int96, "1970-01-01", BYTES("\xff\xff\0\0\0\0\0\0\x8c\x3d\x25\0"),
     BYTES("\xff\xff\0\0\0\0\0\0\x8d\x3d\x25\0")},
    {"int96 far away", &int96, "1970-01-01", BYTES("\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"),
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
    {"double", &real, "6", BYTES("\0\0\0\0\0\0\x18\x40"), BYTES("\1\0\0\0\0\0\x18\x40")},
    {"double, as writers have it", &real, "6.0", BYTES("\0\0\0\0\0\0\x18\x40"),
     BYTES("\1\0\0\0\0\0\x18\x40")},
    {"double, minus zero", &real, "0", BYTES("\0\0\0\0\0\0\0\x80"), BYTES("\1\0\0\0\0\0\0\0")},
    {"float", &small, "-6", BYTES("\0\0\xc0\xc0"), BYTES("\0\0\xc0\x40")},
    {"string", &text, "a/b", BYTES("a/b"), BYTES("a%2Fb")},
    {"string, longer", &text, "acme", BYTES("acme"), BYTES("acme ")},
    {"string, shorter", &text, "acme", BYTES("acme"), BYTES("acm")},
    {"string, case", &text, "acme", BYTES("acme"), BYTES("Acme")},
    {"string of digits", &text, "06", BYTES("06"), BYTES("6")},
    {"string of a date", &text, "2026-06-15", BYTES("2026-06-15"), BYTES("2026-06-16")},
    {"string of a time", &text, "2026-06-15", BYTES("2026-06-15T10:00:00Z"),
     BYTES("2026-06-15-10:00")},
    {"string of a time, with a space", &text, "2026-06-15", BYTES("2026-06-15 10:00:00"),
     BYTES("2026-06-15x")},
    {"string of a time, short", &text, "20260615", BYTES("20260615T100000"), BYTES("202606151")},
    {"string that is no date", &text, "2026-13-15", BYTES("2026-13-15"), BYTES("2026-13-15 10:00")},
    {"empty string", &text, "", BYTES(""), BYTES("\0")},
    {"bytes", &bytes, "acme", BYTES("acme"), BYTES("acmf")},
    {"fixed bytes", &fixed, "acme", BYTES("acme"), BYTES("acmf")},
    {"uuid", &uuid, "123E4567-e89b-12d3-a456-426614174000",
     BYTES("\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"),
     BYTES("\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x01")},
    {"decimal", &decimal32, "1.5", BYTES("\x96\0\0\0"), BYTES("\x0f\0\0\0")},
    {"decimal, negative", &decimal32, "-0.01", BYTES("\xff\xff\xff\xff"), BYTES("\1\0\0\0")},
    {"decimal too large", &decimal32, "99999999.99", {NULL, 0}, BYTES("\xff\xff\xff\x7f")},
    {"decimal bytes", &decimal_bytes, "1.50", BYTES("\0\x96"), BYTES("\x96")},
    {"decimal fixed", &decimal_fixed, "-0.01",
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
     BYTES("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
};

static void texts_by_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]); i++) {
        struct lith_expectation said = {.kind = LITH_EXPECT_TEXT, .text = text_cases[i].text};
        struct lith_expected e;
        if (!lith_expected_make(text_cases[i].leaf, &said, &e))
            fail_msg("%s: not compared", text_cases[i].what);
        if (text_cases[i].yes.data && lith_expected_fit(&e, text_cases[i].yes) != LITH_FIT_YES)
            fail_msg("%s: the value does not fit", text_cases[i].what);
        if (lith_expected_fit(&e, text_cases[i].no) != LITH_FIT_NO)
            fail_msg("%s: the other value fits", text_cases[i].what);
    }
}

/* What cannot be compared stays uncompared: it is never a mismatch. */
static void not_compared(void **state)
{
    static const struct {
        const char *what;
        const struct lith_schema_node *leaf;
        const char *text;
    } cases[] = {
        {"a name and a boolean", &boolean, "yes"},
        {"a name and a number", &int64, "acme"},
        {"nothing and a number", &int64, ""},
        {"a date and a number", &int32, "2026-06-15"},
        {"more than 64 bits", &uint64, "18446744073709551616"},
        {"a day and a date", &date, "15"},
        {"a time and a date", &date, "2026-06-15 00:00:00"},
        {"an hour and a timestamp", &micros, "10"},
        {"finer than the column", &millis, "2026-06-15 00:00:00.0000001"},
        {"an unknown zone", &micros, "2026-06-15 00:00:00 CEST"},
        {"a zone and a local time", &local, "2026-06-15 00:00:00+02:00"},
        {"a year without nanoseconds", &micros, "9999-12-31"},
        {"a time of day", &day_time, "10:00:00"},
        {"a fraction and a double", &real, "0.5"},
        {"bytes that are escaped", &bytes, "\\x00"},
        {"more than a float holds", &small, "16777217"},
        {"more than a double holds", &real, "9007199254740993"},
        {"JSON", &json, "acme"},
        {"a column of nulls", &nothing, "6"},
        {"a type of later", &of_later, "acme"},
        {"fixed bytes of another length", &fixed, "acme5"},
        {"no UUID", &uuid, "acme"},
        {"half floats", &half, "6"},
        {"interval", &interval, "acmeacmeacme"},
        {"a finer decimal", &decimal32, "1.505"},
        {"a list", &list, "6"},
        {"a group", &group, "6"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_expectation said = {.kind = LITH_EXPECT_TEXT, .text = cases[i].text};
        struct lith_expected e;
        if (lith_expected_make(cases[i].leaf, &said, &e))
            fail_msg("%s", cases[i].what);
    }
}

/* How bytes become a text is every writer's own, unless they are one. */
static void raw_bytes(void **state)
{
    static const struct lith_expectation said = {.kind = LITH_EXPECT_TEXT, .text = "AP8="};
    static const struct lith_schema_node *const leaves[] = {&bytes, &fixed};
    struct lith_expected e;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_true(lith_expected_make(leaves[i], &said, &e));
        assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("AP8=")), LITH_FIT_YES);
        assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("BP8=")), LITH_FIT_NO);
        assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("\0\xff\0\0")),
                         LITH_FIT_YES);
        assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("'ab'")), LITH_FIT_YES);
    }
    assert_true(lith_expected_make(&text, &said, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("\0\xff\0\0")), LITH_FIT_NO);
}

static void nulls(void **state)
{
    static const struct lith_expectation said = {.kind = LITH_EXPECT_NULL};
    struct lith_expected e;

    (void)state;
    assert_true(lith_expected_make(&int32, &said, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("\0\0\0\0")), LITH_FIT_NO);
    assert_true(lith_expected_make(&int96, &said, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("\0\0\0\0\0\0\0\0\0\0\0\0")),
                     LITH_FIT_NO);
    assert_true(lith_expected_make(&nothing, &said, &e));
    assert_true(lith_expected_make(&text, &said, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("")), LITH_FIT_YES);
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("x")), LITH_FIT_NO);
    assert_true(lith_expected_make(&real, &said, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice)BYTES("\0\0\0\0\0\0\xf8\x7f")),
                     LITH_FIT_NONE);
    assert_false(lith_expected_make(&list, &said, &e));
    assert_false(lith_expected_make(&group, &said, &e));
}

static int64_t time_of(const char *when)
{
    int64_t ns;

    MUST(lith_time_parse(when, &ns, &err));
    return ns;
}

static struct lith_expectation period(const char *begin, const char *end)
{
    return (struct lith_expectation){
        .kind = LITH_EXPECT_PERIOD, .begin_ns = time_of(begin), .end_ns = time_of(end)};
}

static enum lith_fit fit_number(const struct lith_expected *e, int64_t number)
{
    return lith_expected_fit(e, (struct lith_slice){(const uint8_t *)&number, 8});
}

static enum lith_fit fit_int32(const struct lith_expected *e, int32_t number)
{
    return lith_expected_fit(e, (struct lith_slice){(const uint8_t *)&number, 4});
}

static enum lith_fit fit_real(const struct lith_expected *e, double number)
{
    return lith_expected_fit(e, (struct lith_slice){(const uint8_t *)&number, 8});
}

/* The first and the last moment belong, the ones before and behind do not; J4: also before 1970. */
static void periods_by_unit(void **state)
{
    static const struct {
        const char *begin;
        const char *end;
    } periods[] = {
        {"2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z"},
        {"2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
        {"1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z"},
        {"1678-01-01T00:00:00Z", "1679-01-01T00:00:00Z"},
        {"2261-12-31T00:00:00Z", "2262-01-01T00:00:00Z"},
    };
    static const struct {
        const struct lith_schema_node *leaf;
        int64_t unit;
    } columns[] = {{&millis, 1000000}, {&micros, 1000}, {&nanos, 1}, {&local, 1000}};

    (void)state;
    for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
        struct lith_expectation said = period(periods[i].begin, periods[i].end);
        for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++) {
            int64_t unit = columns[j].unit;
            struct lith_expected e;
            assert_true(lith_expected_make(columns[j].leaf, &said, &e));
            assert_int_equal(fit_number(&e, said.begin_ns / unit), LITH_FIT_YES);
            assert_int_equal(fit_number(&e, said.end_ns / unit - 1), LITH_FIT_YES);
            assert_int_equal(fit_number(&e, said.begin_ns / unit - 1), LITH_FIT_NO);
            assert_int_equal(fit_number(&e, said.end_ns / unit),
                             said.end_ns == 0 ? LITH_FIT_NONE : LITH_FIT_NO);
            assert_int_equal(fit_number(&e, INT64_MAX), LITH_FIT_NO);
            assert_int_equal(fit_number(&e, INT64_MIN), LITH_FIT_NO);
            assert_int_equal(fit_number(&e, 0), LITH_FIT_NONE);
        }
    }
}

/* A bare number tells its unit by its size. */
static void periods_of_bare_numbers(void **state)
{
    struct lith_expectation said = period("2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z");
    int64_t begin = said.begin_ns / LITH_SECOND_NS;
    struct lith_expected e;

    (void)state;
    static const struct lith_schema_node *const wide[] = {&int64, &uint64};
    for (size_t i = 0; i < 2; i++) {
        assert_true(lith_expected_make(wide[i], &said, &e));
        for (int64_t unit = 1; unit <= LITH_SECOND_NS; unit *= 1000) {
            assert_int_equal(fit_number(&e, begin * unit), LITH_FIT_YES);
            assert_int_equal(fit_number(&e, begin * unit + 3600 * unit - 1), LITH_FIT_YES);
            assert_int_equal(fit_number(&e, begin * unit - 1), LITH_FIT_NO);
            assert_int_equal(fit_number(&e, begin * unit + 3600 * unit), LITH_FIT_NO);
        }
    }
    assert_true(lith_expected_make(&int32, &said, &e));
    assert_int_equal(fit_int32(&e, (int32_t)begin), LITH_FIT_YES);
    assert_int_equal(fit_int32(&e, (int32_t)begin - 1), LITH_FIT_NO);
    assert_int_equal(fit_int32(&e, 0), LITH_FIT_NONE);
    assert_true(lith_expected_make(&real, &said, &e));
    for (double unit = 1; unit <= 1e6; unit *= 1000) {
        assert_int_equal(fit_real(&e, (double)begin * unit), LITH_FIT_YES);
        assert_int_equal(fit_real(&e, ((double)begin + 3599.5) * unit), LITH_FIT_YES);
        assert_int_equal(fit_real(&e, nextafter((double)begin * unit, 0)), LITH_FIT_NO);
        assert_int_equal(fit_real(&e, ((double)begin + 3600) * unit), LITH_FIT_NO);
    }
    assert_int_equal(fit_real(&e, -0.0), LITH_FIT_NONE);
    assert_int_equal(fit_real(&e, (double)NAN), LITH_FIT_NONE);
    assert_int_equal(fit_real(&e, (double)INFINITY), LITH_FIT_NO);
}

static void periods_of_other_types(void **state)
{
    struct lith_expectation hour = period("2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z");
    struct lith_expectation month = period("2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z");
    struct lith_expectation late = period("2040-01-01T00:00:00Z", "2041-01-01T00:00:00Z");
    const struct lith_schema_node *const none[] = {&boolean,  &small,     &text,     &uuid,
                                                   &half,     &list,      &group,    &json,
                                                   &day_time, &decimal32, &interval, &nothing};
    struct lith_expected e;
    uint8_t value[12] = {0};

    (void)state;
    assert_true(lith_expected_make(&date, &hour, &e)); /* the day that the hour is of */
    assert_int_equal(fit_int32(&e, 20619), LITH_FIT_YES);
    assert_int_equal(fit_int32(&e, 20618), LITH_FIT_NO);
    assert_int_equal(fit_int32(&e, 20620), LITH_FIT_NO);
    assert_true(lith_expected_make(&date, &month, &e));
    assert_int_equal(fit_int32(&e, 20605), LITH_FIT_YES);
    assert_int_equal(fit_int32(&e, 20634), LITH_FIT_YES);
    assert_int_equal(fit_int32(&e, 20604), LITH_FIT_NO);
    assert_int_equal(fit_int32(&e, 20635), LITH_FIT_NO);
    assert_true(lith_expected_make(&int96, &hour, &e));
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice){value, 12}), LITH_FIT_NONE);
    lith_store_u32(value + 8, 2440588 + 20619);
    lith_store_u64(value, (uint64_t)10 * 3600 * LITH_SECOND_NS);
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice){value, 12}), LITH_FIT_YES);
    lith_store_u64(value, (uint64_t)11 * 3600 * LITH_SECOND_NS);
    assert_int_equal(lith_expected_fit(&e, (struct lith_slice){value, 12}), LITH_FIT_NO);
    assert_false(lith_expected_make(&int32, &late, &e)); /* after 2038 */
    assert_true(lith_expected_make(&uint32, &late, &e));
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(lith_expected_make(none[i], &hour, &e));
}

/* Facts of 10 positions, by hand. */
struct judge_case {
    const char *what;
    const struct lith_schema_node *leaf;
    const char *text;
    const char *min; /* NULL: no bounds */
    const char *max;
    size_t width; /* of both; 0: they are texts */
    bool exact;
    int nulls; /* -1: unknown */
    enum lith_proof proof;
};
static const struct judge_case judge_cases[] = {
    {"exact text", &text, "acme", "acme", "acme", 0, true, 0, LITH_PROOF_YES},
    {"text that may be cut", &text, "acme", "acme", "acme", 0, false, 0, LITH_PROOF_OPEN},
    {"text cut in front", &text, "acme", "ac", "ad", 0, false, 0, LITH_PROOF_OPEN},
    {"another text", &text, "acme", "beta", "beta", 0, true, 0, LITH_PROOF_SUSPECT},
    {"another text that may be cut", &text, "acme", "be", "bf", 0, false, 0, LITH_PROOF_SUSPECT},
    {"two texts", &text, "acme", "acme", "beta", 0, true, 0, LITH_PROOF_SUSPECT},
    {"two texts that may be cut", &text, "acme", "aa", "beta", 0, false, 0, LITH_PROOF_OPEN},
    {"empty text", &text, "", "", "", 0, true, 0, LITH_PROOF_YES},
    {"times of a day", &text, "2026-06-15", "2026-06-15T01", "2026-06-15T23", 0, true, 0,
     LITH_PROOF_YES},
    {"times in two forms", &text, "2026-06-15", "2026-06-15 01", "2026-06-15T23", 0, true, 0,
     LITH_PROOF_OPEN},
    {"no statistics", &text, "acme", NULL, NULL, 0, false, 0, LITH_PROOF_OPEN},
    {"nulls", &text, "acme", "acme", "acme", 0, true, 3, LITH_PROOF_SUSPECT},
    {"nothing but nulls", &text, "acme", NULL, NULL, 0, false, 10, LITH_PROOF_SUSPECT},
    {"unknown nulls", &text, "acme", "acme", "acme", 0, true, -1, LITH_PROOF_OPEN},
    {"number", &int32, "06", "\6\0\0\0", "\6\0\0\0", 4, true, 0, LITH_PROOF_YES},
    {"number without flags", &int32, "06", "\6\0\0\0", "\6\0\0\0", 4, false, 0, LITH_PROOF_YES},
    {"another number", &int32, "06", "\7\0\0\0", "\7\0\0\0", 4, false, 0, LITH_PROOF_SUSPECT},
    {"two numbers", &int32, "06", "\6\0\0\0", "\7\0\0\0", 4, false, 0, LITH_PROOF_SUSPECT},
    {"a number that none is", &int32, "5000000000", NULL, NULL, 0, false, 0, LITH_PROOF_SUSPECT},
    {"binary bounds of bytes", &bytes, "acme", "\1", "\xff", 0, true, 0, LITH_PROOF_OPEN},
    {"a day", &millis, "1970-01-01", "\1\0\0\0\0\0\0\0", "\xff\x5b\x26\5\0\0\0\0", 8, false, 0,
     LITH_PROOF_YES},
    {"a day and more", &millis, "1970-01-01", "\1\0\0\0\0\0\0\0", "\0\x5c\x26\5\0\0\0\0", 8, false,
     0, LITH_PROOF_SUSPECT},
    {"no order", &int96, "1970-01-01", NULL, NULL, 0, false, 0, LITH_PROOF_OPEN},
    {"no order, nulls", &int96, "1970-01-01", NULL, NULL, 0, false, 1, LITH_PROOF_SUSPECT},
    {"float, NaN unknown", &small, "6", "\0\0\xc0\x40", "\0\0\xc0\x40", 4, true, 0,
     LITH_PROOF_OPEN},
};

static struct lith_facts facts_of(const struct judge_case *c)
{
    size_t min_bytes = c->min ? c->width ? c->width : strlen(c->min) : 0;
    size_t max_bytes = c->max ? c->width ? c->width : strlen(c->max) : 0;

    return (struct lith_facts){
        .positions = 10,
        .has_null_count = c->nulls >= 0,
        .null_count = c->nulls > 0 ? c->nulls : 0,
        .is_all_null = c->nulls == 10,
        .has_bounds = c->min != NULL,
        .is_fixed = c->leaf->type != LITH_TYPE_BYTE_ARRAY,
        .min_exact = c->exact,
        .max_exact = c->exact,
        .min = {(const uint8_t *)c->min, min_bytes},
        .max = {(const uint8_t *)c->max, max_bytes},
    };
}

static void statistics_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(judge_cases) / sizeof(judge_cases[0]); i++) {
        const struct judge_case *c = &judge_cases[i];
        struct lith_expectation said = {.kind = LITH_EXPECT_TEXT, .text = c->text};
        struct lith_facts facts = facts_of(c);
        struct lith_expected e;
        assert_true(lith_expected_make(c->leaf, &said, &e));
        struct lith_expected_columns columns = {.first = &e};
        enum lith_proof proof = lith_expected_judge(&columns, &facts, NULL);
        if (proof != c->proof)
            fail_msg("%s: %d", c->what, (int)proof);
        /* Where nulls may be, they and what is not known of them do not matter. */
        columns.none_fits = true;
        proof = lith_expected_judge(&columns, &facts, NULL);
        if (c->nulls != 0 && c->nulls != 10 && c->min && proof != LITH_PROOF_YES)
            fail_msg("%s, nulls fit: %d", c->what, (int)proof);
        if (c->nulls == 0 && proof != c->proof && c->leaf != &small)
            fail_msg("%s, nulls would fit: %d", c->what, (int)proof);
        facts.positions = 0;
        assert_int_equal(lith_expected_judge(&columns, &facts, NULL), LITH_PROOF_YES);
    }
}

/*
 * Random columns of few values: true statistics, of which some are left out, never say YES where a
 * row does not fit, and say YES where all do and nothing is left out. SUSPECT is right, too.
 */
static int64_t random_moment(uint64_t *seed, const struct lith_expectation *said)
{
    switch (test_random(seed) % 8) {
    case 0:
        return 0;
    case 1:
        return said->begin_ns / 1000 - 1;
    case 2:
        return said->end_ns / 1000;
    default:
        return said->begin_ns / 1000 + (int64_t)(test_random(seed) % 3600) * 1000000;
    }
}

struct random_column {
    int64_t values[4];
    bool is_null[4];
    struct lith_facts facts;
    int64_t min, max;
};

static void random_column(uint64_t *seed, const struct lith_expectation *said, bool is_whole,
                          struct random_column *c)
{
    bool rare = test_random(seed) % 2;
    size_t values = 0;

    memset(c, 0, sizeof(*c));
    for (size_t i = 0; i < 4; i++) {
        c->is_null[i] = test_random(seed) % (rare ? 16 : 4) == 0;
        c->values[i] = rare ? said->begin_ns / 1000 : random_moment(seed, said);
        if (c->is_null[i])
            continue;
        c->min = values == 0 || c->values[i] < c->min ? c->values[i] : c->min;
        c->max = values == 0 || c->values[i] > c->max ? c->values[i] : c->max;
        values++;
    }
    c->facts = (struct lith_facts){.positions = 4, .is_fixed = true};
    c->facts.has_null_count = is_whole || test_random(seed) % 4;
    c->facts.null_count = c->facts.has_null_count ? (int64_t)(4 - values) : 0;
    c->facts.is_all_null = c->facts.has_null_count && values == 0;
    c->facts.has_bounds = values > 0 && (is_whole || test_random(seed) % 4);
    c->facts.min = (struct lith_slice){(const uint8_t *)&c->min, 8};
    c->facts.max = (struct lith_slice){(const uint8_t *)&c->max, 8};
}

static bool rows_fit(const struct lith_expected_columns *columns, const struct random_column *first,
                     const struct random_column *second)
{
    for (size_t i = 0; i < 4; i++) {
        enum lith_fit fit =
            first->is_null[i] ? LITH_FIT_NONE : fit_number(columns->first, first->values[i]);
        if (fit == LITH_FIT_NONE && columns->second)
            fit =
                second->is_null[i] ? LITH_FIT_NONE : fit_number(columns->second, second->values[i]);
        if (fit == LITH_FIT_NO || (fit == LITH_FIT_NONE && !columns->none_fits))
            return false;
    }
    return true;
}

static void random_statistics(void **state)
{
    struct lith_expectation said = period("2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z");
    uint64_t seed = test_seed();
    struct lith_expected e, other;
    size_t proven = 0;
    size_t wrong = 0;

    (void)state;
    assert_true(lith_expected_make(&micros, &said, &e));
    assert_true(lith_expected_make(&local, &said, &other));
    for (size_t i = 0; i < 200000; i++) {
        struct random_column first, second;
        struct lith_expected_columns columns = {.first = &e};
        random_column(&seed, &said, i % 2, &first);
        random_column(&seed, &said, i % 2, &second);
        columns.second = test_random(&seed) % 2 ? &other : NULL;
        columns.none_fits = test_random(&seed) % 2;
        bool fits = rows_fit(&columns, &first, &second);
        enum lith_proof proof =
            lith_expected_judge(&columns, &first.facts, columns.second ? &second.facts : NULL);
        if (proof == LITH_PROOF_YES && !fits)
            fail_msg("case %zu: proven, and wrong", i);
        if (proof == LITH_PROOF_SUSPECT && fits)
            fail_msg("case %zu: all fits, and it is suspect", i);
        proven += proof == LITH_PROOF_YES;
        wrong += proof == LITH_PROOF_SUSPECT;
    }
    assert_true(proven > 10000);
    assert_true(wrong > 10000);
}

/* What the fallback proves where the first column proves nothing. */
static void fallbacks_judged(void **state)
{
    struct lith_expectation said = period("2026-06-15T10:00:00Z", "2026-06-15T11:00:00Z");
    int64_t in = said.begin_ns / 1000;
    int64_t out = said.end_ns / 1000;
    int64_t zero = 0;
    struct lith_expected e;
    const struct {
        const char *what;
        const int64_t *min, *max;             /* of the first column; NULL: nothing but nulls */
        const int64_t *other_min, *other_max; /* of the fallback; NULL: there is none */
        int nulls;
        enum lith_proof proof;
    } cases[] = {
        {"no need", &in, &in, &out, &out, 0, LITH_PROOF_YES},
        {"no need, none there", &in, &in, NULL, NULL, 0, LITH_PROOF_YES},
        {"nulls, and a fallback", &in, &in, &in, &in, 2, LITH_PROOF_YES},
        {"nulls, and a bad fallback", &in, &in, &out, &out, 2, LITH_PROOF_OPEN},
        {"nulls alone, and a fallback", NULL, NULL, &in, &in, 10, LITH_PROOF_YES},
        {"zeros alone, and a fallback", &zero, &zero, &in, &in, 0, LITH_PROOF_YES},
        {"some zeros, and a fallback", &zero, &in, &in, &in, 0, LITH_PROOF_OPEN},
        {"zeros, and zeros", &zero, &zero, &zero, &zero, 0, LITH_PROOF_OPEN},
        {"zeros, none there", &zero, &in, NULL, NULL, 0, LITH_PROOF_SUSPECT},
        {"nulls, none there", &in, &in, NULL, NULL, 2, LITH_PROOF_SUSPECT},
        {"bad, and a fallback", &in, &out, &in, &in, 0, LITH_PROOF_SUSPECT},
    };

    (void)state;
    assert_true(lith_expected_make(&micros, &said, &e));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_facts facts[2] = {
            {.positions = 10,
             .is_fixed = true,
             .has_null_count = true,
             .null_count = cases[i].nulls,
             .is_all_null = cases[i].nulls == 10,
             .has_bounds = cases[i].min != NULL,
             .min = {(const uint8_t *)cases[i].min, 8},
             .max = {(const uint8_t *)cases[i].max, 8}},
            {.positions = 10,
             .is_fixed = true,
             .has_null_count = true,
             .has_bounds = cases[i].other_min != NULL,
             .min = {(const uint8_t *)cases[i].other_min, 8},
             .max = {(const uint8_t *)cases[i].other_max, 8}},
        };
        struct lith_expected_columns columns = {.first = &e,
                                                .second = cases[i].other_min ? &e : NULL};
        enum lith_proof proof = lith_expected_judge(&columns, &facts[0], &facts[1]);
        if (proof != cases[i].proof)
            fail_msg("%s: %d", cases[i].what, (int)proof);
    }
    /* A file without the column: the fallback is all there is. */
    struct lith_facts facts = {.positions = 10,
                               .is_fixed = true,
                               .has_null_count = true,
                               .has_bounds = true,
                               .min = {(const uint8_t *)&in, 8},
                               .max = {(const uint8_t *)&in, 8}};
    struct lith_expected_columns columns = {.second = &e, .none_fits = true};
    assert_int_equal(lith_expected_judge(&columns, NULL, &facts), LITH_PROOF_YES);
    facts.max.data = (const uint8_t *)&out;
    assert_int_equal(lith_expected_judge(&columns, NULL, &facts), LITH_PROOF_SUSPECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(raw_bytes),
        TEST(texts_by_type),
        TEST(not_compared),
        TEST(nulls),
        TEST(periods_by_unit),
        TEST(periods_of_bare_numbers),
        TEST(periods_of_other_types),
        TEST(statistics_judged),
        TEST(random_statistics),
        TEST(fallbacks_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
