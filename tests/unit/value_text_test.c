/*
 * Values as texts: each logical type, by the rules of LogicalTypes.md.
 */
#include "support.h"

#include "parquet/value_text.h"

static struct lith_err err;

struct value_case {
    enum lith_type type;
    int32_t length;
    struct lith_logical logical;
    const char *bytes;
    size_t count;
    const char *text; /* NULL: none */
};

#define BYTES(text) text, sizeof(text) - 1
#define UNIT(k, u, z)                                                                              \
    {                                                                                              \
        .kind = LITH_LOGICAL_##k, .unit = LITH_UNIT_##u, .utc = z                                  \
    }

static const struct value_case cases[] = {
    {LITH_TYPE_BOOLEAN, 0, {0}, BYTES("\1"), "true"},
    {LITH_TYPE_INT32, 0, {0}, BYTES("\xff\xff\xff\xff"), "-1"},
    {LITH_TYPE_INT32,
     0,
     {.kind = LITH_LOGICAL_INTEGER, .bit_width = 32},
     BYTES("\xff\xff\xff\xff"),
     "4294967295"},
    {LITH_TYPE_INT64,
     0,
     {.kind = LITH_LOGICAL_INTEGER, .bit_width = 64},
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
     "18446744073709551615"},
    {LITH_TYPE_INT32, 0, {0}, BYTES("\1\0\0"), NULL},
    {LITH_TYPE_INT32, 0, {.kind = LITH_LOGICAL_DATE}, BYTES("\x69\x51\0\0"), "2027-01-23"},
    {LITH_TYPE_INT32, 0, {.kind = LITH_LOGICAL_DATE}, BYTES("\xff\xff\xff\xff"), "1969-12-31"},
    {LITH_TYPE_INT32, 0, UNIT(TIME, MILLIS, true), BYTES("\xe8\x03\0\0"), "00:00:01Z"},
    {LITH_TYPE_INT64, 0, UNIT(TIMESTAMP, MICROS, true), BYTES("\x40\x42\x0f\0\0\0\0\0"),
     "1970-01-01T00:00:01Z"},
    {LITH_TYPE_INT64, 0, UNIT(TIMESTAMP, NANOS, false), BYTES("\0\0\0\0\0\0\0\0"),
     "1970-01-01T00:00:00"},
    {LITH_TYPE_INT64, 0, UNIT(TIMESTAMP, MILLIS, true), BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f"),
     "9223372036854775807"},
    {LITH_TYPE_INT32,
     0,
     {.kind = LITH_LOGICAL_DECIMAL, .scale = 2, .precision = 9},
     BYTES("\xfb\xff\xff\xff"),
     "-0.05"},
    {LITH_TYPE_BYTE_ARRAY,
     0,
     {.kind = LITH_LOGICAL_DECIMAL, .scale = 2, .precision = 9},
     BYTES("\x30\x39"),
     "123.45"},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
     16,
     {.kind = LITH_LOGICAL_DECIMAL, .scale = 1, .precision = 38},
     BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf6"),
     "-1.0"},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
     9,
     {.kind = LITH_LOGICAL_DECIMAL, .scale = 0, .precision = 20},
     BYTES("\x01\xff\xff\xff\xff\xff\xff\xff\xff"),
     NULL},
    {LITH_TYPE_FLOAT, 0, {0}, BYTES("\xcd\xcc\xcc\x3d"), "0.1"},
    {LITH_TYPE_DOUBLE, 0, {0}, BYTES("\x9a\x99\x99\x99\x99\x99\xb9\x3f"), "0.1"},
    {LITH_TYPE_DOUBLE, 0, {0}, BYTES("\0\0\0\0\0\0\xf0\x7f"), "inf"},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2, {.kind = LITH_LOGICAL_FLOAT16}, BYTES("\0\x3e"), "1.5"},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
     16,
     {.kind = LITH_LOGICAL_UUID},
     BYTES("\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"),
     "01234567-89ab-cdef-0123-456789abcdef"},
    {LITH_TYPE_INT96, 0, {0}, BYTES("\0\xca\x9a\x3b\0\0\0\0\x8c\x3d\x25\0"), "1970-01-01T00:00:01"},
    {LITH_TYPE_BYTE_ARRAY, 0, {.kind = LITH_LOGICAL_STRING}, BYTES("gr\xc3\xbc"), "gr\xc3\xbc"},
    {LITH_TYPE_BYTE_ARRAY, 0, {.kind = LITH_LOGICAL_STRING}, BYTES(""), ""},
    {LITH_TYPE_BYTE_ARRAY, 0, {0}, BYTES("a\xff"), NULL},
    {LITH_TYPE_BYTE_ARRAY, 0, {0}, BYTES("a\nb"), NULL},
    {LITH_TYPE_BYTE_ARRAY,
     0,
     {0},
     BYTES("0123456789012345678901234567890123456789012345678901234567890123456789"),
     "0123456789012345678901234567890123456789012345678901234567890123..."},
};

static void values(void **state)
{
    struct lith_arena arena;
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, (size_t)1 << 20, NULL);
    lith_arena_init(&arena, &mem);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct value_case *c = &cases[i];
        struct lith_schema_node leaf = {
            .type = c->type, .type_length = c->length, .logical = c->logical};
        struct lith_slice value = {(const uint8_t *)c->bytes, c->count};
        char *text;
        MUST(lith_value_text(&leaf, value, &arena, &text, &err));
        if (!c->text && text)
            fail_msg("case %zu: %s instead of nothing", i, text);
        if (c->text && (!text || strcmp(text, c->text) != 0))
            fail_msg("case %zu: %s instead of %s", i, text ? text : "(nothing)", c->text);
    }
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
