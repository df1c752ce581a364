/*
 * Durations and sizes: what is read, what is refused, how they are shown.
 */
#include "support.h"

#include "base/time.h"

static struct lith_err err;

static void durations_that_parse(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
        const char *shown;
    } cases[] = {
        {"0", 0, "0"},
        {"0s", 0, "0"},
        {"15m", (int64_t)900 * 1000000000, "15m"},
        {"6h", (int64_t)21600 * 1000000000, "6h"},
        {"7d", (int64_t)604800 * 1000000000, "7d"},
        {"30s", (int64_t)30 * 1000000000, "30s"},
        {"90s", (int64_t)90 * 1000000000, "90s"},
        {"60m", (int64_t)3600 * 1000000000, "1h"},
        {"250ms", 250000000, "250ms"},
        {"1500us", 1500000, "1500us"},
        {"9223372036854775807ns", INT64_MAX, "9223372036854775807ns"},
    };
    char text[LITH_TIME_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = -1;
        MUST(lith_duration_parse(cases[i].text, &ns, &err));
        assert_int_equal(ns, cases[i].ns);
        lith_duration_text(ns, text);
        assert_string_equal(text, cases[i].shown);
    }
    lith_duration_text(INT64_MIN, text);
    assert_string_equal(text, "-9223372036854775808ns");
    lith_duration_text((int64_t)-60 * 1000000000, text);
    assert_string_equal(text, "-1m");
}

static void durations_that_do_not(void **state)
{
    static const char *const cases[] = {
        "",
        "15",
        "m",
        "15 m",
        "-15m",
        "1.5h",
        "15M",
        "15min",
        "15mm",
        "+1s",
        "00",
        "1h30m",
        " 1s",
        "1s ",
        "9223372036854775808ns",
        "106752d",
        "99999999999999999999s",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = 77;
        assert_int_equal(lith_duration_parse(cases[i], &ns, &err), LITH_E_INVALID);
        assert_int_equal(ns, 77);
    }
}

static void random_durations_come_back(void **state)
{
    uint64_t seed = test_seed();
    char text[LITH_TIME_TEXT_BYTES];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int64_t back = -1;
        int64_t ns = (int64_t)(test_random(&seed) >> (1 + test_random(&seed) % 63));
        ns = i % 2 ? ns : ns / 60000000000 * 60000000000;
        lith_duration_text(ns, text);
        MUST(lith_duration_parse(text, &back, &err));
        assert_int_equal(back, ns);
    }
}

static void sizes_that_parse(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"0", 0},
        {"4096", 4096},
        {"100B", 100},
        {"512KiB", 524288},
        {"64MiB", 67108864},
        {"1GiB", 1073741824},
        {"2TiB", (uint64_t)2 << 40},
        {"10MB", 10000000},
        {"3kB", 3000},
        {"3KB", 3000},
        {"15EiB", (uint64_t)15 << 60},
        {"18446744073709551615", UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t bytes = 77;
        MUST(lith_size_parse(cases[i].text, &bytes, &err));
        assert_int_equal(bytes, cases[i].bytes);
    }
}

static void sizes_that_do_not(void **state)
{
    static const char *const cases[] = {
        "",       "MiB", "-1", "1.5GiB", "64 MiB", "64mib", "64M", "16EiB", "18446744073709551616",
        "64MiBx", " 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t bytes = 77;
        assert_int_equal(lith_size_parse(cases[i], &bytes, &err), LITH_E_INVALID);
        assert_int_equal(bytes, 77);
    }
}

static void sizes_are_shown(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0B"},
        {1000, "1000B"},
        {1024, "1KiB"},
        {1536, "1.5KiB"},
        {67108864, "64MiB"},
        {67108865, "64.0MiB"},
        {1610612736, "1.5GiB"},
        {1073741823, "1.0GiB"},
        {(uint64_t)3 << 60, "3EiB"},
        {UINT64_MAX, "16.0EiB"},
    };
    char text[LITH_TIME_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lith_size_text(cases[i].bytes, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_that_parse),       cmocka_unit_test(durations_that_do_not),
        cmocka_unit_test(random_durations_come_back), cmocka_unit_test(sizes_that_parse),
        cmocka_unit_test(sizes_that_do_not),          cmocka_unit_test(sizes_are_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
