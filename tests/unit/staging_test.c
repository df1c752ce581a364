/*
 * Which inputs are staged: those of which a row group takes more than can be open.
 */
#include "support.h"

#include "merge/staging.h"

static void those_too_many_to_stay_open(void **state)
{
    static const struct {
        struct lith_staging staging;
        uint64_t file_bytes;
        uint64_t row_group_bytes;
        bool takes;
    } cases[] = {
        {{4000, 100, 10, 1000}, 50, 99, true},       /* more than 10 in an output row group */
        {{4000, 100, 10, 1000}, 50, 100, false},     /* exactly 10: they stay open */
        {{4000, 10, 10, 1000}, 50, 1, false},        /* all of them can be open */
        {{4000, 11, 10, 1000}, 50, 1, true},         /* one cannot */
        {{4000, 100, 10, 1000}, 4000, 99, true},     /* as large as a file may be */
        {{4000, 100, 10, 1000}, 4001, 99, false},    /* larger */
        {{4000, 100, 10, 0}, 4000, 1 << 30, true},   /* one row group of all */
        {{4000, 10, 10, 0}, 4000, 1 << 30, false},   /* likewise, and all can be open */
        {{4000, 100, 10, 0}, 50000, 1 << 30, false}, /* scratch is not for large ones */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool takes =
            lith_staging_takes(&cases[i].staging, cases[i].file_bytes, cases[i].row_group_bytes);
        if (takes != cases[i].takes)
            fail_msg("case %zu: %d", i, takes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_too_many_to_stay_open)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
