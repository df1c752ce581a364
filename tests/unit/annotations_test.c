/*
 * Which form of an annotation outputs bear: that of the inputs where they agree, else both.
 */
#include "metadata_support.h"

#include "merge/annotations.h"

/* A column of microseconds in UTC, annotated in the old way, the new way, or both. */
static struct lith_schema_node micros(bool converted, bool logical)
{
    static const uint8_t raw[] = {0x8c, 0x11, 0x1c, 0x2c, 0x00, 0x00, 0x00, 0x00};
    struct lith_schema_node node = test_leaf("at", LITH_REQUIRED, LITH_TYPE_INT64);

    if (converted)
        node.converted_type = LITH_CONVERTED_TIMESTAMP_MICROS;
    if (logical)
        node.logical = (struct lith_logical){.kind = LITH_LOGICAL_TIMESTAMP,
                                             .utc = true,
                                             .unit = LITH_UNIT_MICROS,
                                             .raw = {raw, sizeof(raw)}};
    return node;
}

static void test_join(void **state)
{
    static const struct {
        bool first[2]; /* converted, logical */
        bool other[2];
        bool written[2];
    } cases[] = {
        {{true, false}, {true, false}, {true, false}},
        {{false, true}, {false, true}, {false, true}},
        {{true, true}, {true, true}, {true, true}},
        {{true, false}, {false, true}, {true, true}},
        {{true, false}, {true, true}, {true, true}},
        {{true, true}, {true, false}, {true, true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_schema_node written[] = {test_group("root", LITH_REQUIRED, 1),
                                             micros(cases[i].first[0], cases[i].first[1])};
        struct lith_schema_node raw[] = {test_group("root", LITH_REQUIRED, 1),
                                         micros(cases[i].other[0], cases[i].other[1])};
        struct lith_schema_node normalised[] = {test_group("root", LITH_REQUIRED, 1),
                                                micros(true, true)};
        struct lith_schema a = {.nodes = written, .node_count = 2};
        struct lith_schema b = {.nodes = raw, .node_count = 2};
        struct lith_schema both = {.nodes = normalised, .node_count = 2};
        lith_annotations_join(&a, &b, &both);
        bool converted = written[1].converted_type != LITH_CONVERTED_NONE;
        bool logical = written[1].logical.kind != LITH_LOGICAL_NONE;
        if (converted != cases[i].written[0] || logical != cases[i].written[1])
            fail_msg("case %zu: converted %d, logical %d", i, converted, logical);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join)};

    return cmocka_run_group_tests_name("annotations", tests, NULL, NULL);
}
