/*
 * Texts as values: what is read, and what is not known for certain.
 */
#include "support.h"

#include "base/time.h"
#include "parquet/text_value.h"

static void booleans(void **state)
{
    static const struct {
        const char *text;
        int value; /* -1: none */
    } cases[] = {{"true", 1}, {"True", 1},   {"FALSE", 0}, {"false", 0}, {"", -1},
                 {"1", -1},   {"truee", -1}, {"tru", -1},  {"no", -1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool value = false;
        bool known = lith_text_boolean(cases[i].text, &value);
        if (known != (cases[i].value >= 0) || (known && value != (cases[i].value == 1)))
            fail_msg("%s", cases[i].text);
    }
}

static void integers(void **state)
{
    static const struct {
        const char *text;
        bool known;
        bool negative;
        uint64_t magnitude;
    } cases[] = {
        {"06", true, false, 6},
        {"6", true, false, 6},
        {"-05", true, true, 5},
        {"-0", true, false, 0},
        {"18446744073709551615", true, false, UINT64_MAX},
        {"18446744073709551616", false, false, 0},
        {"", false, false, 0},
        {"-", false, false, 0},
        {"+6", false, false, 0},
        {" 6", false, false, 0},
        {"6 ", false, false, 0},
        {"6.0", false, false, 0},
        {"0x6", false, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool negative = false;
        uint64_t magnitude = 0;
        bool known = lith_text_integer(cases[i].text, &negative, &magnitude);
        if (known != cases[i].known ||
            (known && (negative != cases[i].negative || magnitude != cases[i].magnitude)))
            fail_msg("%s", cases[i].text);
    }
}

static void decimals(void **state)
{
    static const struct {
        const char *text;
        int32_t scale;
        bool known;
        int64_t unscaled;
    } cases[] = {
        {"1.50", 2, true, 150},  {"1.5", 2, true, 150},
        {"1.500", 2, true, 150}, {"1.505", 2, false, 0},
        {"-1.5", 1, true, -15},  {"007", 0, true, 7},
        {"7.0", 0, true, 7},     {"7.1", 0, false, 0},
        {"0", 38, true, 0},      {"-0.00", 2, true, 0},
        {".5", 1, false, 0},     {"5.", 1, false, 0},
        {"1e2", 2, false, 0},    {"", 2, false, 0},
        {"-", 2, false, 0},      {"1", 39, false, 0},
        {"1", -1, false, 0},     {"1.5x", 2, false, 0},
        {"-256", 0, true, -256}, {"92233720368547758.07", 2, true, INT64_MAX},
    };
    uint8_t unscaled[LITH_DECIMAL_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool known = lith_text_decimal(cases[i].text, cases[i].scale, unscaled);
        uint64_t value = 0;
        bool fits = true;
        for (size_t j = 8; j < sizeof(unscaled); j++)
            value = value << 8 | unscaled[j];
        for (size_t j = 0; j < 8; j++)
            fits = fits && unscaled[j] == (cases[i].unscaled < 0 ? 0xff : 0);
        if (known != cases[i].known || (known && (!fits || (int64_t)value != cases[i].unscaled)))
            fail_msg("%s at %d: %d, %" PRId64, cases[i].text, (int)cases[i].scale, known,
                     (int64_t)value);
    }
    /* 38 nines are the most that a decimal has; 2^127 does not fit. */
    assert_true(lith_text_decimal("99999999999999999999999999999999999999", 0, unscaled));
    assert_int_equal(unscaled[0], 0x4b);
    assert_int_equal(unscaled[15], 0xff);
    assert_false(lith_text_decimal("170141183460469231731687303715884105728", 0, unscaled));
    assert_false(lith_text_decimal("99999999999999999999999999999999999999", 2, unscaled));
}

static void uuids(void **state)
{
    static const char *const bad[] = {"",
                                      "123e4567e89b12d3a456426614174000",
                                      "123e4567-e89b-12d3-a456-42661417400",
                                      "123e4567-e89b-12d3-a456-4266141740000",
                                      "123e4567-e89b-12d3-a456-42661417400g",
                                      "{123e4567-e89b-12d3-a456-426614174000}"};
    uint8_t bytes[16];

    (void)state;
    assert_true(lith_text_uuid("123e4567-E89B-12d3-a456-426614174000", bytes));
    assert_memory_equal(bytes, "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00",
                        16);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lith_text_uuid(bad[i], bytes));
}

#define DAY_NS (LITH_SECOND_NS * 86400)
#define ZONE true, true
#define NO_ZONE false, false

static void moments(void **state)
{
    static const struct {
        const char *text;
        bool is_date;
        bool has_zone;
        bool is_utc;
        int64_t begin_ns;
        int64_t lasts_ns; /* 0: it is no moment */
    } cases[] = {
        {"1970-01-02", true, NO_ZONE, DAY_NS, DAY_NS},
        {"19700102", true, NO_ZONE, DAY_NS, DAY_NS},
        {"1969-12-31", true, NO_ZONE, -DAY_NS, DAY_NS},
        {"1970-01-01 10:00", false, NO_ZONE, 10 * 3600 * LITH_SECOND_NS, 60 * LITH_SECOND_NS},
        {"1970-01-01 10:00:00", false, NO_ZONE, 10 * 3600 * LITH_SECOND_NS, LITH_SECOND_NS},
        {"1970-01-01T00:00:01.25", false, NO_ZONE, 1250000000, 10000000},
        {"1970-01-01 00:00:00.000000001", false, NO_ZONE, 1, 1},
        {"1970-01-01T00:00:00Z", false, ZONE, 0, LITH_SECOND_NS},
        {"1970-01-01 00:00:00 UTC", false, ZONE, 0, LITH_SECOND_NS},
        {"1970-01-01 00:00:00+00", false, ZONE, 0, LITH_SECOND_NS},
        {"1970-01-01 02:00:00+02:00", false, true, false, 0, LITH_SECOND_NS},
        {"1970-01-01 02:00:00+0200", false, true, false, 0, LITH_SECOND_NS},
        {"1969-12-31 18:30:00-05:30", false, true, false, 0, LITH_SECOND_NS},
        {"1970-01-01 00:00:00.0000000001", false, NO_ZONE, 0, 0},
        {"1970-01-01 24:00:00", false, NO_ZONE, 0, 0},
        {"1970-01-01 10:60:00", false, NO_ZONE, 0, 0},
        {"1970-01-01 10:00:60", false, NO_ZONE, 0, 0},
        {"1970-01-01 10", false, NO_ZONE, 0, 0},
        {"1970-01-01-10", false, NO_ZONE, 0, 0},
        {"1970-01-01 10:00:00 CET", false, NO_ZONE, 0, 0},
        {"1970-01-01 10:00:00.", false, NO_ZONE, 0, 0},
        {"1970-01-01 10:00:00+2", false, NO_ZONE, 0, 0},
        {"1970-01-01+02:00", false, NO_ZONE, 0, 0},
        {"1970-13-01", false, NO_ZONE, 0, 0},
        {"1970-02-29", false, NO_ZONE, 0, 0},
        {"1970-0102", false, NO_ZONE, 0, 0},
        {"70-01-02", false, NO_ZONE, 0, 0},
        {"15", false, NO_ZONE, 0, 0},
        {"", false, NO_ZONE, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_text_moment m = {0};
        bool known = lith_text_moment(cases[i].text, &m);
        bool same = m.is_date == cases[i].is_date && m.has_zone == cases[i].has_zone &&
                    m.is_utc == cases[i].is_utc && m.has_ns && m.begin_ns == cases[i].begin_ns &&
                    m.end_ns == m.begin_ns + cases[i].lasts_ns;
        if (known != (cases[i].lasts_ns > 0) || (known && !same))
            fail_msg("%s: %d, %" PRId64 " to %" PRId64, cases[i].text, known, m.begin_ns, m.end_ns);
    }
}

/* A date is one in any year; nanoseconds are not. */
static void far_years(void **state)
{
    struct lith_text_moment m;

    (void)state;
    assert_true(lith_text_moment("0001-01-01", &m));
    assert_false(m.has_ns);
    assert_int_equal(m.days, -719162);
    assert_true(lith_text_moment("9999-12-31 23:59:59", &m));
    assert_false(m.has_ns);
    assert_true(lith_text_moment("2261-12-31 23:59:59.999999999-23:59", &m));
    assert_true(m.has_ns && m.end_ns > m.begin_ns);
    assert_true(lith_text_moment("1678-01-01 00:00+23:59", &m));
    assert_true(m.has_ns && m.begin_ns < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(booleans), cmocka_unit_test(integers), cmocka_unit_test(decimals),
        cmocka_unit_test(uuids),    cmocka_unit_test(moments),  cmocka_unit_test(far_years),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
