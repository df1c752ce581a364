/*
 * Orders: which one a column has, and how values compare, after the tables of LogicalTypes.md.
 */
#include "support.h"

#include "parquet/order.h"

struct of_case {
    enum lith_type type;
    int logical;
    int converted;
    bool is_signed;
    int32_t type_length;
    enum lith_order order;
};

#define CONVERTED(x) LITH_LOGICAL_NONE, LITH_CONVERTED_##x
#define LOGICAL(x) LITH_LOGICAL_##x, LITH_CONVERTED_NONE
#define PLAIN LITH_LOGICAL_NONE, LITH_CONVERTED_NONE

static const struct of_case of_cases[] = {
    {LITH_TYPE_BOOLEAN, PLAIN, false, 0, LITH_ORDER_BOOLEAN},
    {LITH_TYPE_INT32, PLAIN, false, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT64, PLAIN, false, 0, LITH_ORDER_SIGNED_64},
    {LITH_TYPE_INT96, PLAIN, false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_FLOAT, PLAIN, false, 0, LITH_ORDER_FLOAT},
    {LITH_TYPE_DOUBLE, PLAIN, false, 0, LITH_ORDER_DOUBLE},
    {LITH_TYPE_BYTE_ARRAY, PLAIN, false, 0, LITH_ORDER_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, PLAIN, false, 5, LITH_ORDER_BYTES},
    {LITH_TYPE_INT32, LOGICAL(INTEGER), true, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT32, LOGICAL(INTEGER), false, 0, LITH_ORDER_UNSIGNED_32},
    {LITH_TYPE_INT64, LOGICAL(INTEGER), false, 0, LITH_ORDER_UNSIGNED_64},
    {LITH_TYPE_INT32, CONVERTED(UINT_8), false, 0, LITH_ORDER_UNSIGNED_32},
    {LITH_TYPE_INT64, CONVERTED(UINT_64), false, 0, LITH_ORDER_UNSIGNED_64},
    {LITH_TYPE_INT64, CONVERTED(INT_64), false, 0, LITH_ORDER_SIGNED_64},
    {LITH_TYPE_INT32, LOGICAL(DATE), false, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT64, LOGICAL(TIMESTAMP), false, 0, LITH_ORDER_SIGNED_64},
    {LITH_TYPE_INT32, LOGICAL(DECIMAL), false, 0, LITH_ORDER_SIGNED_32},
    {LITH_TYPE_INT64, CONVERTED(DECIMAL), false, 0, LITH_ORDER_SIGNED_64},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(DECIMAL), false, 0, LITH_ORDER_DECIMAL_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, CONVERTED(DECIMAL), false, 9, LITH_ORDER_DECIMAL_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LOGICAL(FLOAT16), false, 2, LITH_ORDER_FLOAT16},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LOGICAL(FLOAT16), false, 3, LITH_ORDER_NONE},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, LOGICAL(UUID), false, 16, LITH_ORDER_BYTES},
    {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, CONVERTED(INTERVAL), false, 12, LITH_ORDER_NONE},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(STRING), false, 0, LITH_ORDER_BYTES},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(BSON), false, 0, LITH_ORDER_BYTES},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(GEOMETRY), false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(GEOGRAPHY), false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(VARIANT), false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_INT32, LOGICAL(UNKNOWN), false, 0, LITH_ORDER_NONE},
    /* Annotations we do not know, and ones on a type they do not belong to. */
    {LITH_TYPE_INT32, 99, LITH_CONVERTED_NONE, false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_INT32, LITH_LOGICAL_NONE, 77, false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_INT32, LOGICAL(STRING), false, 0, LITH_ORDER_NONE},
    {LITH_TYPE_BYTE_ARRAY, LOGICAL(INTEGER), true, 0, LITH_ORDER_NONE},
};

static void test_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(of_cases) / sizeof(of_cases[0]); i++) {
        const struct of_case *c = &of_cases[i];
        struct lith_schema_node leaf = {.type = c->type, .type_length = c->type_length};
        leaf.converted_type = c->converted;
        leaf.logical.kind = c->logical;
        leaf.logical.is_signed = c->is_signed;
        if (lith_order_of(&leaf) != c->order)
            fail_msg("case %zu: order %d", i, (int)lith_order_of(&leaf));
    }
}

struct compare_case {
    enum lith_order order;
    const char *a;
    size_t a_bytes;
    const char *b;
    size_t b_bytes;
    int sign;
};

#define S(text) text, sizeof(text) - 1

static const struct compare_case compare_cases[] = {
    {LITH_ORDER_BOOLEAN, S("\0"), S("\1"), -1},
    {LITH_ORDER_SIGNED_32, S("\xff\xff\xff\xff"), S("\1\0\0\0"), -1},
    {LITH_ORDER_UNSIGNED_32, S("\xff\xff\xff\xff"), S("\1\0\0\0"), 1},
    {LITH_ORDER_SIGNED_64, S("\0\0\0\0\0\0\0\x80"), S("\0\0\0\0\0\0\0\0"), -1},
    {LITH_ORDER_UNSIGNED_64, S("\0\0\0\0\0\0\0\x80"), S("\0\0\0\0\0\0\0\0"), 1},
    {LITH_ORDER_SIGNED_32, S("\0\1\0\0"), S("\1\0\0\0"), 1},
    {LITH_ORDER_FLOAT, S("\0\0\0\x80"), S("\0\0\0\0"), 0},      /* -0, +0 */
    {LITH_ORDER_FLOAT, S("\0\0\x80\xbf"), S("\0\0\0\x80"), -1}, /* -1, -0 */
    {LITH_ORDER_DOUBLE, S("\0\0\0\0\0\0\xf0\xff"), S("\0\0\0\0\0\0\xf0\x7f"), -1},
    {LITH_ORDER_FLOAT16, S("\0\x80"), S("\0\0"), 0},     /* -0, +0 */
    {LITH_ORDER_FLOAT16, S("\0\xc0"), S("\0\xbc"), -1},  /* -2, -1 */
    {LITH_ORDER_FLOAT16, S("\0\x7c"), S("\xff\x7b"), 1}, /* infinity, 65504 */
    {LITH_ORDER_FLOAT16, S("\0\xfc"), S("\xff\xfb"), -1},
    {LITH_ORDER_BYTES, S("abc"), S("ab"), 1},
    {LITH_ORDER_BYTES, S(""), S("\0"), -1},
    {LITH_ORDER_BYTES, S("\xff"), S("\x01\xff"), 1},
    {LITH_ORDER_DECIMAL_BYTES, S("\x00\x01"), S("\x01"), 0},
    {LITH_ORDER_DECIMAL_BYTES, S("\xff\xff"), S("\xff"), 0},
    {LITH_ORDER_DECIMAL_BYTES, S("\xff"), S("\x00"), -1},
    {LITH_ORDER_DECIMAL_BYTES, S("\x80"), S("\xff\x7f"), 1},  /* -128, -129 */
    {LITH_ORDER_DECIMAL_BYTES, S("\x7f"), S("\x00\x80"), -1}, /* 127, 128 */
    {LITH_ORDER_DECIMAL_BYTES, S("\x01\x00"), S("\x7f"), 1},  /* 256, 127 */
    {LITH_ORDER_DECIMAL_BYTES, S("\xfe\x00"), S("\xff\x00"), -1},
};

static int sign_of(int value)
{
    return (value > 0) - (value < 0);
}

static void test_compare(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(compare_cases) / sizeof(compare_cases[0]); i++) {
        const struct compare_case *c = &compare_cases[i];
        struct lith_slice a = {(const uint8_t *)c->a, c->a_bytes};
        struct lith_slice b = {(const uint8_t *)c->b, c->b_bytes};
        if (sign_of(lith_order_compare(c->order, a, b)) != c->sign ||
            sign_of(lith_order_compare(c->order, b, a)) != -c->sign ||
            lith_order_compare(c->order, a, a) != 0)
            fail_msg("case %zu", i);
    }
}

static void test_nan(void **state)
{
    static const struct {
        enum lith_order order;
        const char *value;
        bool nan;
    } cases[] = {
        {LITH_ORDER_FLOAT, "\1\0\x80\x7f", true},
        {LITH_ORDER_FLOAT, "\0\0\x80\x7f", false},
        {LITH_ORDER_FLOAT, "\0\0\xc0\xff", true},
        {LITH_ORDER_DOUBLE, "\1\0\0\0\0\0\xf0\x7f", true},
        {LITH_ORDER_DOUBLE, "\0\0\0\0\0\0\xf0\xff", false},
        {LITH_ORDER_FLOAT16, "\1\x7c", true},
        {LITH_ORDER_FLOAT16, "\1\xfc", true},
        {LITH_ORDER_FLOAT16, "\0\x7c", false},
        {LITH_ORDER_UNSIGNED_32, "\xff\xff\xff\xff", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_slice value = {(const uint8_t *)cases[i].value, 8};
        assert_int_equal(lith_order_is_nan(cases[i].order, value), cases[i].nan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
