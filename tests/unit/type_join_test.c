/*
 * Which types of leaves join, and whose type and annotation the joined one has: the table of
 * parquet-splice.md section 6.2, each pair both ways round.
 */
#include "schema_text.h"

#include "merge/type_join.h"

#define DATES 1u
#define STRINGS 2u
#define ALL (DATES | STRINGS)

enum whose {
    NOBODYS, /* they do not join */
    BOTHS,   /* both have it: that of the left one stands */
    FIRSTS,
    SECONDS,
};

struct pair {
    const char *first;
    const char *second;
    unsigned rules;
    enum whose type;
    enum whose annotation;
};

/* A column of a type as schema_text.h writes it. */
static struct lith_schema_node leaf_read(const char *type)
{
    char *text;

    MUST(lith_arena_format(&arena, &text, &err, "?x:%s", type));
    return schema_read(text).nodes[1];
}

static struct lith_union_rules rules_of(unsigned rules)
{
    return (struct lith_union_rules){.dates_widen = rules & DATES,
                                     .strings_widen = rules & STRINGS};
}

/* `is_turned`: the second one of the pair is the left one. */
static enum lith_type_side side_of(enum whose whose, bool is_turned)
{
    if (whose == NOBODYS)
        return LITH_SIDE_NONE;
    if (whose == BOTHS)
        return LITH_SIDE_LEFT;
    return (whose == FIRSTS) != is_turned ? LITH_SIDE_LEFT : LITH_SIDE_RIGHT;
}

static void pair_check(const struct pair *pair)
{
    struct lith_union_rules rules = rules_of(pair->rules);

    for (int turned = 0; turned < 2; turned++) {
        struct lith_schema_node left = leaf_read(turned ? pair->second : pair->first);
        struct lith_schema_node right = leaf_read(turned ? pair->first : pair->second);
        enum lith_type_side annotation = LITH_SIDE_NONE;
        enum lith_type_side side = lith_type_join(&left, &right, &rules, &annotation);
        if (side != side_of(pair->type, turned))
            fail_msg("%s and %s%s: type of side %d", pair->first, pair->second,
                     turned ? ", turned" : "", (int)side);
        if (side != LITH_SIDE_NONE && annotation != side_of(pair->annotation, turned))
            fail_msg("%s and %s%s: annotation of side %d", pair->first, pair->second,
                     turned ? ", turned" : "", (int)annotation);
    }
}

static void pairs_check(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pair_check(&pairs[i]);
}
#define CHECK(pairs) pairs_check(pairs, sizeof(pairs) / sizeof((pairs)[0]))

/* One meaning, written in two ways. */
static void test_same(void **state)
{
    static const char *const pairs[][2] = {
        {"BOOLEAN", "BOOLEAN"},
        {"INT96", "INT96"},
        {"FLOAT", "FLOAT"},
        {"BYTES", "BYTES"},
        {"FLBA7", "FLBA7"},
        {"BYTES/utf8", "BYTES/STRING"},
        {"BYTES/enum", "BYTES/ENUM"},
        {"BYTES/json", "BYTES/JSON"},
        {"BYTES/bson", "BYTES/BSON"},
        {"INT32/date", "INT32/DATE"},
        {"INT32/time_millis", "INT32/TIME_UTC_MILLIS"},
        {"INT64/time_micros", "INT64/TIME_UTC_MICROS"},
        {"INT64/timestamp_millis", "INT64/TIMESTAMP_UTC_MILLIS"},
        {"INT64/timestamp_micros", "INT64/TIMESTAMP_UTC_MICROS"},
        {"INT32/uint_8", "INT32/UINT_8"},
        {"INT32/uint_16", "INT32/UINT_16"},
        {"INT32/uint_32", "INT32/UINT_32"},
        {"INT64/uint_64", "INT64/UINT_64"},
        {"INT32/int_8", "INT32/INT_8"},
        {"INT32/int_16", "INT32/INT_16"},
        {"INT32/int_32", "INT32/INT_32"},
        {"INT64/int_64", "INT64/INT_64"},
        {"INT32/int_32", "INT32"},
        {"INT32/INT_32", "INT32"},
        {"INT64/int_64", "INT64"},
        {"INT64/INT_64", "INT64"},
        {"INT32/decimal(9,2)", "INT32/DECIMAL(9,2)"},
        {"BYTES/decimal(40,2)", "BYTES/DECIMAL(40,2)"},
        {"FLBA12/interval", "FLBA12/interval"},
        {"FLBA16/UUID", "FLBA16/UUID"},
        {"FLBA2/FLOAT16", "FLBA2/FLOAT16"},
        {"BYTES/GEOMETRY_CRS", "BYTES/GEOMETRY_CRS"},
        {"INT32/UNKNOWN", "INT32/UNKNOWN"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        pair_check(&(struct pair){pairs[i][0], pairs[i][1], 0, BOTHS, BOTHS});
}

static void test_widened(void **state)
{
    static const struct pair pairs[] = {
        {"INT32", "INT64", 0, SECONDS, SECONDS},
        {"INT32/INT_32", "INT64", 0, SECONDS, SECONDS},
        {"INT32", "INT64/INT_64", 0, SECONDS, SECONDS},
        {"INT32/int_32", "INT64/int_64", 0, SECONDS, SECONDS},
        {"INT32/INT_8", "INT32/INT_16", 0, SECONDS, SECONDS},
        {"INT32/int_8", "INT32", 0, SECONDS, SECONDS},
        {"INT32/INT_16", "INT64", 0, SECONDS, SECONDS},
        {"INT32/uint_8", "INT32/UINT_32", 0, SECONDS, SECONDS},
        {"INT32/UINT_32", "INT64/UINT_64", 0, SECONDS, SECONDS},
        {"FLOAT", "DOUBLE", 0, SECONDS, SECONDS},
        {"INT32/DATE", "INT64/TIMESTAMP_MILLIS", DATES, SECONDS, SECONDS},
        {"INT32/date", "INT64/TIMESTAMP_MICROS", DATES, SECONDS, SECONDS},
        {"INT32/DATE", "INT64/TIMESTAMP_NANOS", ALL, SECONDS, SECONDS},
        {"BYTES", "BYTES/STRING", STRINGS, SECONDS, SECONDS},
        {"BYTES", "BYTES/utf8", ALL, SECONDS, SECONDS},
        {"INT32/UNKNOWN", "INT32", 0, SECONDS, SECONDS},
        {"INT32/UNKNOWN", "INT64/TIMESTAMP_UTC_MICROS", 0, SECONDS, SECONDS},
        {"INT32/UNKNOWN", "BYTES/STRING", 0, SECONDS, SECONDS},
        {"BYTES/UNKNOWN", "FLBA16/DECIMAL(38,0)", 0, SECONDS, SECONDS},
        {"BOOLEAN/UNKNOWN", "INT96", 0, SECONDS, SECONDS},
        {"FLBA1/UNKNOWN", "BYTES/GEOMETRY", 0, SECONDS, SECONDS},
    };

    (void)state;
    CHECK(pairs);
}

static void test_decimals(void **state)
{
    static const struct pair pairs[] = {
        /* More digits in the same storage: the annotation alone. */
        {"INT32/DECIMAL(5,2)", "INT32/DECIMAL(9,2)", 0, BOTHS, SECONDS},
        {"INT64/DECIMAL(18,2)", "INT64/DECIMAL(4,2)", 0, BOTHS, FIRSTS},
        {"FLBA5/DECIMAL(9,2)", "FLBA5/DECIMAL(11,2)", 0, BOTHS, SECONDS},
        {"BYTES/DECIMAL(9,2)", "BYTES/DECIMAL(50,2)", 0, BOTHS, SECONDS},
        {"INT32/decimal(5,2)", "INT32/DECIMAL(9,2)", 0, BOTHS, SECONDS},
        /* Wider storage, whoever has more digits. */
        {"INT32/DECIMAL(5,2)", "INT64/DECIMAL(18,2)", 0, SECONDS, SECONDS},
        {"INT32/DECIMAL(9,2)", "INT64/DECIMAL(4,2)", 0, SECONDS, FIRSTS},
        {"INT32/DECIMAL(9,2)", "FLBA16/DECIMAL(38,2)", 0, SECONDS, SECONDS},
        {"INT64/DECIMAL(18,2)", "FLBA8/DECIMAL(4,2)", 0, SECONDS, FIRSTS},
        /* A storage too short for all digits. */
        {"INT64/DECIMAL(18,2)", "FLBA7/DECIMAL(4,2)", 0, NOBODYS, NOBODYS},
        {"INT32/DECIMAL(9,2)", "FLBA3/DECIMAL(6,2)", 0, NOBODYS, NOBODYS},
        {"FLBA5/DECIMAL(11,2)", "FLBA4/DECIMAL(2,2)", 0, FIRSTS, FIRSTS},
        {"FLBA5/DECIMAL(9,2)", "FLBA9/DECIMAL(9,2)", 0, SECONDS, BOTHS},
        {"FLBA5/DECIMAL(9,2)", "FLBA9/DECIMAL(20,2)", 0, SECONDS, SECONDS},
        /* Another scale is another value; BYTE_ARRAY is no number's. */
        {"INT32/DECIMAL(9,2)", "INT32/DECIMAL(9,3)", 0, NOBODYS, NOBODYS},
        {"INT32/DECIMAL(5,2)", "INT64/DECIMAL(18,0)", 0, NOBODYS, NOBODYS},
        {"FLBA5/DECIMAL(9,2)", "BYTES/DECIMAL(9,2)", 0, NOBODYS, NOBODYS},
        {"INT32/DECIMAL(9,2)", "BYTES/DECIMAL(9,2)", ALL, NOBODYS, NOBODYS},
        {"INT64/DECIMAL(9,2)", "BYTES/DECIMAL(9,2)", ALL, NOBODYS, NOBODYS},
        /* A number without a scale is no decimal. */
        {"INT32/DECIMAL(9,0)", "INT32", ALL, NOBODYS, NOBODYS},
        {"INT32", "INT64/DECIMAL(18,0)", ALL, NOBODYS, NOBODYS},
        {"INT32/DECIMAL(9,0)", "INT64", ALL, NOBODYS, NOBODYS},
        {"FLBA4", "FLBA4/DECIMAL(9,0)", ALL, NOBODYS, NOBODYS},
    };

    (void)state;
    CHECK(pairs);
}

/* LogicalTypes.md: n bytes hold floor(log10(2^(8n-1) - 1)) digits. */
static void test_decimal_room(void **state)
{
    static const int digits_max[] = {0, 2, 4, 6, 9, 11, 14, 16, 18, 21, 23, 26, 28, 31, 33, 35, 38};
    (void)state;

    for (int bytes = 1; bytes <= 16; bytes++) {
        for (int digits = 1; digits <= 18; digits++) {
            char narrow[32], wide[32];
            enum whose type = digits <= digits_max[bytes] ? SECONDS : NOBODYS;
            (void)snprintf(narrow, sizeof(narrow), "%s/DECIMAL(%d,1)",
                           digits <= 9 ? "INT32" : "INT64", digits);
            (void)snprintf(wide, sizeof(wide), "FLBA%d/DECIMAL(1,1)", bytes);
            pair_check(&(struct pair){narrow, wide, 0, type, digits > 1 ? FIRSTS : BOTHS});
        }
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *first;
        const char *second;
        unsigned rules; /* that do not help */
    } pairs[] = {
        /* Units, and local against UTC. */
        {"INT64/TIMESTAMP_MILLIS", "INT64/TIMESTAMP_MICROS", ALL},
        {"INT64/TIMESTAMP_UTC_MICROS", "INT64/TIMESTAMP_UTC_NANOS", ALL},
        {"INT64/TIMESTAMP_MICROS", "INT64/TIMESTAMP_UTC_MICROS", ALL},
        {"INT64/TIMESTAMP_MICROS", "INT64/timestamp_micros", ALL},
        {"INT32/TIME_MILLIS", "INT32/TIME_UTC_MILLIS", ALL},
        {"INT32/TIME_MILLIS", "INT32/time_millis", ALL},
        {"INT64/TIME_MICROS", "INT64/TIME_NANOS", ALL},
        {"INT32/TIME_MILLIS", "INT64/TIME_MICROS", ALL},
        {"INT64/TIME_MICROS", "INT64/TIMESTAMP_MICROS", ALL},
        /* Signed against unsigned. */
        {"INT32", "INT32/UINT_32", ALL},
        {"INT32/INT_32", "INT32/uint_32", ALL},
        {"INT64", "INT64/UINT_64", ALL},
        {"INT32/UINT_32", "INT64", ALL},
        {"INT32/UINT_8", "INT32/INT_8", ALL},
        /* Lengths and kinds of bytes. */
        {"FLBA4", "FLBA5", ALL},
        {"FLBA4", "BYTES", ALL},
        {"FLBA4", "BYTES/STRING", ALL},
        {"FLBA16/UUID", "FLBA16", ALL},
        {"FLBA12/interval", "FLBA12", ALL},
        {"FLBA2/FLOAT16", "FLOAT", ALL},
        {"FLBA2/FLOAT16", "FLBA2", ALL},
        {"BYTES", "BYTES/STRING", DATES},
        {"BYTES", "BYTES/utf8", 0},
        {"BYTES/ENUM", "BYTES/STRING", ALL},
        {"BYTES/JSON", "BYTES/STRING", ALL},
        {"BYTES/BSON", "BYTES/JSON", ALL},
        {"BYTES", "BYTES/ENUM", ALL},
        {"BYTES", "BYTES/JSON", ALL},
        {"BYTES", "BYTES/GEOMETRY", ALL},
        {"BYTES/GEOMETRY", "BYTES/GEOMETRY_CRS", ALL},
        {"BYTES/GEOGRAPHY", "BYTES/GEOGRAPHY_EDGES", ALL},
        {"BYTES/GEOMETRY", "BYTES/GEOGRAPHY", ALL},
        {"FLBA4", "FLBA4/STRING", ALL},
        /* Dates: no rule, no unit, no instant. */
        {"INT32/DATE", "INT64/TIMESTAMP_MICROS", STRINGS},
        {"INT32/DATE", "INT64/TIMESTAMP_MILLIS", 0},
        {"INT32/DATE", "INT64/TIMESTAMP_UTC_MICROS", ALL},
        {"INT32/DATE", "INT64/timestamp_millis", ALL},
        {"INT32/DATE", "INT96", ALL},
        {"INT32/DATE", "INT64", ALL},
        {"INT32/DATE", "INT32", ALL},
        {"INT32/DATE", "INT32/TIME_MILLIS", ALL},
        {"INT64/TIMESTAMP_MICROS", "INT96", ALL},
        {"INT64/TIMESTAMP_MICROS", "INT64", ALL},
        {"INT32", "INT64/TIMESTAMP_MICROS", ALL},
        /* Other types. */
        {"BOOLEAN", "INT32", ALL},
        {"INT32", "FLOAT", ALL},
        {"INT32", "DOUBLE", ALL},
        {"INT64", "DOUBLE", ALL},
        {"INT64", "INT96", ALL},
        {"INT32", "BYTES", ALL},
        {"INT32", "BYTES/STRING", ALL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        pair_check(
            &(struct pair){pairs[i].first, pairs[i].second, pairs[i].rules, NOBODYS, NOBODYS});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same, setup, teardown),
        cmocka_unit_test_setup_teardown(test_widened, setup, teardown),
        cmocka_unit_test_setup_teardown(test_decimals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_decimal_room, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
    };

    return cmocka_run_group_tests_name("type_join", tests, NULL, NULL);
}
