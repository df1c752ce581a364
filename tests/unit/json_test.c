/*
 * JSON: what is refused, what survives a round trip, what random damage does.
 */
#include "support.h"

#include <malloc.h>

#include <math.h>

#include "base/json.h"
#include "base/limits.h"

static struct lith_err err;
static struct lith_mem mem;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

/* Parses, writes compactly and compares. */
static void round_trip(const char *text, const char *wanted)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    LITH_AUTO(buf) struct lith_buf buf;

    lith_buf_init(&buf, &mem, 1 << 20);
    MUST(lith_json_parse(text, strlen(text), &root, &err));
    MUST(lith_json_write(root, 0, &buf, &err));
    MUST(lith_buf_append_byte(&buf, 0, &err));
    assert_string_equal((char *)buf.data, wanted);
}

static void texts_survive(void **state)
{
    static const char *const same[] = {
        "{}",
        "[]",
        "{\"z\":1,\"a\":2,\"m\":{\"y\":null,\"b\":[true,false]}}",
        "[9223372036854775807,-9223372036854775808,0]",
        "\"text\"",
        "[1.5,-0.25]",
        "\"\\u001F\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        round_trip(same[i], same[i]);
    round_trip(" [ 1 , \"\\u00e9\\/\" ] \n", "[1,\"\xc3\xa9/\"]");
}

static void wrong_texts_are_refused(void **state)
{
    static const struct {
        const char *text;
        size_t bytes; /* 0: its length */
    } cases[] = {
        {"", 0},
        {"{", 0},
        {"{\"a\":1,\"a\":2}", 0},
        {"[1]x", 0},
        {"[1,]", 0},
        {"{'a':1}", 0},
        {"[01]", 0},
        {"[9223372036854775808]", 0},
        {"\"\\ud800\"", 0},
        {"[1e999]", 0},
        {"[NaN]", 0},
        {"\"\xff\"", 0},
        {"\"\xc0\x80\"", 0},
        {"\"\\u0000\"", 0},
        {"\"\x01\"", 0},
        {"[1]\0", 4},
        {"\xef\xbb\xbf{}", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_json *root = NULL;
        size_t bytes = cases[i].bytes ? cases[i].bytes : strlen(cases[i].text);
        if (lith_json_parse(cases[i].text, bytes, &root, &err) != LITH_E_CORRUPT)
            fail_msg("case %zu: %s", i, cases[i].text);
        assert_null(root);
    }
    struct lith_json *root = NULL;
    assert_int_equal(lith_json_parse("{\n \"a\": x}", 10, &root, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "line 2"));
    assert_int_equal(lith_json_parse(NULL, 0, &root, &err), LITH_E_CORRUPT);
}

static void depth_has_a_limit(void **state)
{
    static char text[2000001];
    struct lith_json *root = NULL;

    (void)state;
    memset(text, '[', LITH_JSON_DEPTH_MAX);
    memset(text + LITH_JSON_DEPTH_MAX, ']', LITH_JSON_DEPTH_MAX);
    MUST(lith_json_parse(text, 2 * LITH_JSON_DEPTH_MAX, &root, &err));
    lith_json_free(root);
    root = NULL;
    memset(text, '[', 1000000);
    memset(text + 1000000, ']', 1000000);
    assert_int_equal(lith_json_parse(text, 2000000, &root, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "1000000 deep"));
    /* Brackets in texts do not count, behind an escaped quote neither. */
    memset(text, '[', 1000);
    memcpy(text, "[\"[[\\\"", 6);
    memcpy(text + 998, "\"]", 2);
    MUST(lith_json_parse(text, 1000, &root, &err));
    lith_json_free(root);
}

static void values_are_built_and_read(void **state)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();
    struct lith_json *array = lith_json_array();
    LITH_AUTO(buf) struct lith_buf buf;

    (void)state;
    lith_buf_init(&buf, &mem, 1000);
    assert_true(lith_json_push(array, lith_json_int(INT64_MIN)));
    assert_true(lith_json_push(array, lith_json_real(0.5)));
    assert_true(lith_json_push(array, lith_json_null()));
    assert_true(lith_json_push(array, lith_json_real((double)INFINITY)));
    assert_false(lith_json_push(array, NULL));
    assert_true(lith_json_set(object, "list", array));
    assert_true(lith_json_set(object, "name", lith_json_text("a")));
    assert_true(lith_json_set(object, "yes", lith_json_bool(true)));
    assert_true(lith_json_set(object, "gone", lith_json_bool(false)));
    assert_true(lith_json_set(object, "list", lith_json_clone(array)));
    assert_false(lith_json_set(object, "x", NULL));
    assert_false(lith_json_set(NULL, "x", lith_json_int(1)));
    assert_true(lith_json_remove(object, "gone"));
    assert_false(lith_json_remove(object, "gone"));
    assert_int_equal(lith_json_count(object), 3);
    assert_int_equal(lith_json_count(lith_json_get(object, "list")), 4);
    assert_int_equal(lith_json_int_of(lith_json_at(lith_json_get(object, "list"), 0)), INT64_MIN);
    assert_null(lith_json_at(lith_json_get(object, "list"), 4));
    assert_string_equal(lith_json_text_of(lith_json_get(object, "name")), "a");
    assert_true(lith_json_bool_of(lith_json_get(object, "yes")));
    MUST(lith_json_write(object, 0, &buf, &err));
    assert_int_equal(buf.bytes, 67);
    assert_memory_equal(
        buf.data, "{\"list\":[-9223372036854775808,0.5,null,null],\"name\":\"a\",\"yes\":true}",
        67);
}

static void absent_and_other_types_read_as_nothing(void **state)
{
    LITH_AUTO(json) struct lith_json *number = lith_json_int(7);

    (void)state;
    assert_null(lith_json_get(NULL, "x"));
    assert_null(lith_json_get(number, "x"));
    assert_null(lith_json_at(NULL, 0));
    assert_null(lith_json_text_of(NULL));
    assert_null(lith_json_text_of(number));
    assert_int_equal(lith_json_int_of(NULL), 0);
    assert_int_equal(lith_json_count(NULL), 0);
    assert_int_equal(lith_json_count(number), 0);
    assert_false(lith_json_bool_of(NULL));
    assert_false(lith_json_is_object(NULL) || lith_json_is_array(NULL) || lith_json_is_text(NULL));
    assert_false(lith_json_is_int(NULL) || lith_json_is_bool(NULL) || lith_json_is_null(NULL));
    assert_true(lith_json_is_int(number));
    assert_null(lith_json_clone(NULL));
    lith_json_free(NULL);
}

static void bytes_become_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *text;
    } cases[] = {
        {"plain", 5, "plain"},
        {"", 0, ""},
        {"a\xff"
         "b",
         3,
         "a\xef\xbf\xbd"
         "b"},
        {"a\0b", 3,
         "a\xef\xbf\xbd"
         "b"},
        {"\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        LITH_AUTO(json)
        struct lith_json *text = lith_json_text_bytes(cases[i].bytes, cases[i].count);
        assert_string_equal(lith_json_text_of(text), cases[i].text);
    }
    LITH_AUTO(json) struct lith_json *text = lith_json_text("x\x80");
    assert_string_equal(lith_json_text_of(text), "x\xef\xbf\xbd");
}

static void failed_writes_leave_the_buffer(void **state)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    LITH_AUTO(buf) struct lith_buf buf;

    (void)state;
    lith_buf_init(&buf, &mem, 10);
    MUST(lith_buf_append(&buf, "abc", 3, &err));
    MUST(lith_json_parse("[1,2,3,4,5]", 11, &root, &err));
    assert_int_equal(lith_json_write(root, 0, &buf, &err), LITH_E_LIMIT);
    assert_int_equal(buf.bytes, 3);
    buf.limit = 1000;
    atomic_store(&mem.fail_after, 0);
    lith_buf_done(&buf);
    assert_int_equal(lith_json_write(root, 0, &buf, &err), LITH_E_NOMEM);
    assert_int_equal(buf.bytes, 0);
}

static void member_append(void *ctx, const char *key, const struct lith_json *value)
{
    char *text = ctx;
    size_t used = strlen(text);

    (void)snprintf(text + used, 64 - used, "%s=%d ", key, (int)lith_json_int_of(value));
}

/* Long keys make the buffer grow in the middle of a key; a piece that is lost must fail the whole.
 */
static void no_piece_is_lost(void **state)
{
    char text[4096] = "{";
    struct lith_json *root;

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        (void)snprintf(text + strlen(text), 200, "%s\"%0100u\":[%u]", i ? "," : "", i, i);
    (void)snprintf(text + strlen(text), 2, "}");
    MUST(lith_json_parse(text, strlen(text), &root, &err));
    for (int64_t n = 0; n < 8; n++) {
        LITH_AUTO(buf) struct lith_buf to;
        lith_buf_init(&to, &mem, SIZE_MAX);
        atomic_store(&mem.fail_after, n);
        enum lith_code code = lith_json_write(root, 0, &to, &err);
        atomic_store(&mem.fail_after, -1);
        if (code == LITH_OK)
            assert_int_equal(to.bytes, strlen(text));
        else
            assert_int_equal(to.bytes, 0);
    }
    lith_json_free(root);
}

static void members_come_in_order(void **state)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    char text[64] = "";

    (void)state;
    MUST(lith_json_parse("{\"q\":1,\"b\":2,\"zz\":3,\"a\":4}", 26, &root, &err));
    lith_json_each(root, member_append, text);
    assert_string_equal(text, "q=1 b=2 zz=3 a=4 ");
    lith_json_each(NULL, member_append, text);
}

/* A random value of a few levels. */
static struct lith_json *value_draw(uint64_t *seed, int depth)
{
    uint8_t bytes[12];
    char key[16];
    struct lith_json *value;

    switch (test_random(seed) % (depth ? 7 : 5)) {
    case 0:
        return lith_json_int((int64_t)test_random(seed));
    case 1:
        return lith_json_bool(test_random(seed) % 2);
    case 2:
        return lith_json_null();
    case 3:
        return lith_json_real((double)(int64_t)test_random(seed) / 1e7);
    case 4:
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)test_random(seed);
        return lith_json_text_bytes(bytes, test_random(seed) % sizeof(bytes));
    case 5:
        value = lith_json_array();
        for (uint64_t n = test_random(seed) % 5; n; n--)
            assert_true(lith_json_push(value, value_draw(seed, depth - 1)));
        return value;
    default:
        value = lith_json_object();
        for (uint64_t n = test_random(seed) % 5; n; n--) {
            (void)snprintf(key, sizeof(key), "k%d", (int)(test_random(seed) % 100));
            assert_true(lith_json_set(value, key, value_draw(seed, depth - 1)));
        }
        return value;
    }
}

/* Written, read and written again: the same text. Damaged: refused, or a text again. */
static void random_values_come_back(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int i = 0; i < 20000; i++) {
        LITH_AUTO(json) struct lith_json *value = value_draw(&seed, 4);
        LITH_AUTO(json) struct lith_json *back = NULL;
        LITH_AUTO(json) struct lith_json *damaged = NULL;
        LITH_AUTO(buf) struct lith_buf first;
        LITH_AUTO(buf) struct lith_buf second;

        lith_buf_init(&first, &mem, 1 << 20);
        lith_buf_init(&second, &mem, 1 << 20);
        MUST(lith_json_write(value, (unsigned)i % 3, &first, &err));
        MUST(lith_json_parse(first.data, first.bytes, &back, &err));
        MUST(lith_json_write(back, (unsigned)i % 3, &second, &err));
        assert_int_equal(first.bytes, second.bytes);
        assert_memory_equal(first.data, second.data, first.bytes);
        for (int n = 0; n < 3; n++)
            first.data[test_random(&seed) % first.bytes] = (uint8_t)test_random(&seed);
        if (lith_json_parse(first.data, first.bytes, &damaged, &err) == LITH_OK) {
            lith_buf_clear(&second);
            MUST(lith_json_write(damaged, 0, &second, &err));
        }
    }
}

/* The cost of a text covers what its tree takes, also of texts made to cost much. */
static void test_cost(void **state)
{
    static const char *const units[] = {
        "{}",        "[]",
        "1",         "true",
        "\"\"",      "\"a longer text of some thirty letters\"",
        "{\"a\":1}", "{\"a\":{},\"b\":[],\"c\":\"\",\"d\":null,\"e\":1.5,\"f\":[1,2,3]}",
        "[[[[]]]]",
    };
    enum { COUNT = 20000 };

    (void)state;
    for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
        size_t unit_bytes = strlen(units[u]);
        size_t bytes = COUNT * (unit_bytes + 1) + 1;
        char *text = test_malloc(bytes + 1);
        struct lith_json *root = NULL;
        text[0] = '[';
        for (size_t i = 0; i < COUNT; i++) {
            memcpy(text + 1 + i * (unit_bytes + 1), units[u], unit_bytes);
            text[(i + 1) * (unit_bytes + 1)] = i + 1 < COUNT ? ',' : ']';
        }
        struct mallinfo2 before = mallinfo2();
        MUST(lith_json_parse(text, bytes, &root, &err));
        struct mallinfo2 after = mallinfo2();
        size_t taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
        if (taken > lith_json_cost(text, bytes))
            fail_msg("%s: %zu bytes taken, %zu told", units[u], taken, lith_json_cost(text, bytes));
        lith_json_free(root);
        test_free(text);
    }
    assert_true(lith_json_cost("", 0) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_survive),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(values_are_built_and_read),
        cmocka_unit_test(absent_and_other_types_read_as_nothing),
        cmocka_unit_test(bytes_become_text),
        cmocka_unit_test(failed_writes_leave_the_buffer),
        cmocka_unit_test(no_piece_is_lost),
        cmocka_unit_test(members_come_in_order),
        cmocka_unit_test(random_values_come_back),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
