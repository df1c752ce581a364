/*
 * Civil time against the C library's calendar, and RFC 3339 against its grammar.
 */
#include "support.h"

#include "base/time.h"

static struct lith_err err;

static void days_of_known_dates(void **state)
{
    static const struct {
        int64_t year;
        unsigned month;
        unsigned day;
        bool exists;
        int64_t days;
    } cases[] = {
        {1970, 1, 1, true, 0},           {1969, 12, 31, true, -1},    {2000, 2, 29, true, 11016},
        {2000, 3, 1, true, 11017},       {1900, 2, 29, false, 0},     {2026, 2, 29, false, 0},
        {2024, 2, 29, true, 19782},      {2026, 6, 15, true, 20619},  {2026, 13, 1, false, 0},
        {2026, 0, 1, false, 0},          {2026, 4, 31, false, 0},     {2026, 4, 0, false, 0},
        {0, 3, 1, true, -719468},        {1, 1, 1, true, -719162},    {9999, 12, 31, true, 2932896},
        {-4713, 11, 24, true, -2440588}, /* Julian day 0 */
        {INT64_MAX, 1, 1, false, 0},     {INT64_MIN, 1, 1, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t days = 0;
        assert_int_equal(lith_civil_days(cases[i].year, cases[i].month, cases[i].day, &days),
                         cases[i].exists);
        assert_int_equal(days, cases[i].days);
    }
}

/* gmtime_r is the oracle. */
static void random_times_agree_with_libc(void **state)
{
    uint64_t seed = test_seed();
    char text[LITH_TIME_TEXT_BYTES];
    char wanted[LITH_TIME_TEXT_BYTES];

    (void)state;
    for (int i = 0; i < 200000; i++) {
        int64_t ns = (int64_t)test_random(&seed);
        if (i % 2)
            ns /= 1000000000 * (int64_t)(1 + i % 3);
        int64_t seconds = ns / 1000000000 - (ns % 1000000000 < 0);
        time_t libc_seconds = (time_t)seconds;
        struct tm tm;
        int64_t back = 0;
        int64_t days = 0;

        struct lith_civil c = lith_civil_from_ns(ns);
        assert_non_null(gmtime_r(&libc_seconds, &tm));
        assert_true(c.year == tm.tm_year + 1900 && (int)c.month == tm.tm_mon + 1 &&
                    (int)c.day == tm.tm_mday && (int)c.hour == tm.tm_hour &&
                    (int)c.minute == tm.tm_min && (int)c.second == tm.tm_sec);
        assert_true(lith_civil_days(c.year, c.month, c.day, &days));
        assert_int_equal(days, seconds / 86400 - (seconds % 86400 < 0));
        lith_time_text(ns, text);
        assert_true(strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S", &tm) == 19);
        assert_int_equal(strncmp(text, wanted, 19), 0);
        MUST(lith_time_parse(text, &back, &err));
        assert_int_equal(back, ns);
    }
}

static void text_of_known_times(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1, "1970-01-01T00:00:00.000000001Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {100000000, "1970-01-01T00:00:00.1Z"},
        {(int64_t)1781522400 * 1000000000 + 120000000, "2026-06-15T11:20:00.12Z"},
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
        {INT64_MIN, "1677-09-21T00:12:43.145224192Z"},
    };
    char text[LITH_TIME_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = 0;
        lith_time_text(cases[i].ns, text);
        assert_string_equal(text, cases[i].text);
        MUST(lith_time_parse(cases[i].text, &ns, &err));
        assert_int_equal(ns, cases[i].ns);
    }
}

/* Examples of RFC 3339 section 5.8 among them. */
static void other_forms_that_parse(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
        int64_t ns;
    } cases[] = {
        {"1985-04-12T23:20:50.52Z", 482196050, 520000000},
        {"1996-12-19T16:39:57-08:00", 851042397, 0},
        {"1990-12-31T23:59:60Z", 662688000, 0},
        {"1990-12-31T15:59:60-08:00", 662688000, 0},
        {"1937-01-01T12:00:27.87+00:20", -1041337173, 870000000},
        {"2026-06-15 11:20:00z", 1781522400, 0},
        {"2026-06-15t13:20:00.1234567899+02:00", 1781522400, 123456789},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = 0;
        MUST(lith_time_parse(cases[i].text, &ns, &err));
        assert_int_equal(ns, cases[i].seconds * 1000000000 + cases[i].ns);
    }
}

static void wrong_forms_are_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "2026",
        "2026-06-15",
        "2026-06-15T11:20:00",
        "2026-06-15T11:20Z",
        "2026-06-15T11:20:00Zx",
        "2026-06-15T11:20:00.Z",
        "2026-06-31T11:20:00Z",
        "2026-00-15T11:20:00Z",
        "2026-06-15T24:00:00Z",
        "2026-06-15T11:60:00Z",
        "2026-06-15T11:20:61Z",
        "2026-06-15T11:20:60Z",
        "2026-06-15T11:20:00+2:00",
        "2026-06-15T11:20:00+24:00",
        "2026-06-15T11:20:00+02:60",
        "+2026-06-15T11:20:00Z",
        " 2026-06-15T11:20:00Z",
        "2026-6-15T11:20:00Z",
        "2262-04-11T23:47:16.854775808Z",
        "1677-09-21T00:12:43.145224191Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = 77;
        assert_int_equal(lith_time_parse(cases[i], &ns, &err), LITH_E_INVALID);
        assert_int_equal(ns, 77);
    }
}

/* Random damage to a good text: parses or is refused, and what parses prints the same time. */
static void damaged_texts_never_mislead(void **state)
{
    static const char alphabet[] = "0123456789-:TZ.+ x";
    uint64_t seed = test_seed();

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char damaged[LITH_TIME_TEXT_BYTES];
        char text[LITH_TIME_TEXT_BYTES];
        int64_t ns;
        int64_t back;

        lith_time_text((int64_t)test_random(&seed), damaged);
        for (uint64_t n = test_random(&seed) % 3; n < 3; n++)
            damaged[test_random(&seed) % strlen(damaged)] =
                alphabet[test_random(&seed) % (sizeof(alphabet) - 1)];
        if (lith_time_parse(damaged, &ns, &err) != LITH_OK)
            continue;
        lith_time_text(ns, text);
        MUST(lith_time_parse(text, &back, &err));
        assert_int_equal(back, ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_of_known_dates),     cmocka_unit_test(random_times_agree_with_libc),
        cmocka_unit_test(text_of_known_times),     cmocka_unit_test(other_forms_that_parse),
        cmocka_unit_test(wrong_forms_are_refused), cmocka_unit_test(damaged_texts_never_mislead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
