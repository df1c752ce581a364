/*
 * The Thrift compact protocol: bytes by hand, and what is written read again.
 */
#include "support.h"

#include <limits.h>

#include "base/buf.h"
#include "base/limits.h"
#include "parquet/thrift.h"

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* The bytes of one struct; skipped field by field it must end at its stop byte, or fail. */
static const struct {
    const char *name;
    const uint8_t *bytes;
    size_t count;
    bool fails;
    int fields;
} structs[] = {
    {"empty", BYTES(0x00), false, 0},
    {"bools and i32", BYTES(0x11, 0x12, 0x15, 0x02, 0x00), false, 3},
    {"a long field id", BYTES(0x05, 0xfe, 0xff, 0x03, 0x02, 0x00), false, 1},
    {"a field id past i16", BYTES(0x05, 0x80, 0x80, 0x04, 0x02, 0x00), true, 0},
    {"a delta past i16", BYTES(0x05, 0xfe, 0xff, 0x03, 0x02, 0x15, 0x02, 0x00), true, 1},
    {"type 13", BYTES(0x1d, 0x00), true, 0},
    {"no stop byte", BYTES(0x15, 0x02), true, 1},
    {"an overlong varint",
     BYTES(0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x00), true, 1},
    {"a string", BYTES(0x18, 0x02, 'a', 'b', 0x00), false, 1},
    {"a string past the end", BYTES(0x18, 0x05, 'a', 'b', 0x00), true, 1},
    {"a string of 2^32", BYTES(0x18, 0x80, 0x80, 0x80, 0x80, 0x10, 0x00), true, 1},
    {"a double", BYTES(0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x00), false, 1},
    {"a list of three i32", BYTES(0x19, 0x35, 0x02, 0x04, 0x06, 0x00), false, 1},
    {"a list of two bools", BYTES(0x19, 0x21, 0x01, 0x02, 0x00), false, 1},
    {"an empty list of type 0", BYTES(0x19, 0x00, 0x00), false, 1},
    {"a list of type 0", BYTES(0x19, 0x10, 0x00), true, 1},
    {"a list that claims 2^28", BYTES(0x19, 0xf5, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00), true, 1},
    {"a set", BYTES(0x1a, 0x13, 0x07, 0x00), false, 1},
    {"an empty map", BYTES(0x1b, 0x00, 0x00), false, 1},
    {"a map of i32 to string", BYTES(0x1b, 0x02, 0x58, 0x02, 0x01, 'a', 0x04, 0x00, 0x00), false,
     1},
    {"a map of bool to struct", BYTES(0x1b, 0x01, 0x1c, 0x01, 0x15, 0x02, 0x00, 0x00), false, 1},
    {"a map that claims 2^28", BYTES(0x1b, 0x80, 0x80, 0x80, 0x80, 0x01, 0x55, 0x00), true, 1},
    {"a list of lists of structs", BYTES(0x19, 0x29, 0x1c, 0x00, 0x2c, 0x11, 0x00, 0x00, 0x00),
     false, 1},
};

static void test_structs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
        struct lith_cursor c = lith_cursor_at(structs[i].bytes, structs[i].count);
        struct lith_thrift_field field;
        int16_t last_id = 0;
        int fields = 0;
        while (lith_thrift_field_next(&c, &last_id, &field)) {
            fields++;
            lith_thrift_skip(&c, field.type);
        }
        if (c.failed != structs[i].fails || fields != structs[i].fields)
            fail_msg("%s: failed %d, %d fields", structs[i].name, c.failed, fields);
        if (!c.failed)
            assert_ptr_equal(c.next, structs[i].bytes + structs[i].count);
    }
}

static void test_depth(void **state)
{
    uint8_t bytes[4 * LITH_THRIFT_DEPTH_MAX];
    (void)state;

    for (unsigned depth = 1; depth <= LITH_THRIFT_DEPTH_MAX + 1; depth++) {
        memset(bytes, 0x1c, depth);
        memset(bytes + depth, 0, depth + 1);
        struct lith_cursor c = lith_cursor_at(bytes, 2 * depth + 1);
        lith_thrift_skip(&c, LITH_THRIFT_STRUCT);
        assert_int_equal(c.failed, depth + 1 > LITH_THRIFT_DEPTH_MAX);
    }
}

static void test_types(void **state)
{
    static const uint8_t two[] = {0x04};
    static const uint8_t wide[] = {0x80, 0x80, 0x80, 0x80, 0x10}; /* 2^31 */
    struct lith_cursor c;
    (void)state;

    for (uint8_t type = LITH_THRIFT_TRUE; type <= LITH_THRIFT_STRUCT; type++) {
        struct lith_thrift_field field = {.type = type};
        c = lith_cursor_at(two, 1);
        (void)lith_thrift_i32(&c, field);
        assert_int_equal(c.failed, type < LITH_THRIFT_I8 || type > LITH_THRIFT_I32);
        c = lith_cursor_at(two, 1);
        (void)lith_thrift_i64(&c, field);
        assert_int_equal(c.failed, type != LITH_THRIFT_I64);
        c = lith_cursor_at(two, 1);
        (void)lith_thrift_bool(&c, field);
        assert_int_equal(c.failed, type > LITH_THRIFT_FALSE);
        c = lith_cursor_at(two, 1);
        (void)lith_thrift_struct(&c, field);
        assert_int_equal(c.failed, type != LITH_THRIFT_STRUCT);
    }
    c = lith_cursor_at(wide, sizeof(wide));
    (void)lith_thrift_i32(&c, (struct lith_thrift_field){.type = LITH_THRIFT_I32});
    assert_true(c.failed);
    c = lith_cursor_at(wide, sizeof(wide));
    assert_int_equal(lith_thrift_i64(&c, (struct lith_thrift_field){.type = LITH_THRIFT_I64}),
                     (int64_t)1 << 31);
}

static const int64_t numbers[] = {0,         1,         -1,        63,        -64,      64,
                                  INT16_MAX, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static void write_all(struct lith_thrift_writer *w)
{
    lith_thrift_write_bool(w, 1, true);
    lith_thrift_write_bool(w, 2, false);
    lith_thrift_write_i8(w, 3, -7);
    lith_thrift_write_i16(w, 100, -300);
    lith_thrift_write_i32(w, 101, INT32_MIN);
    lith_thrift_write_binary(w, 102, lith_slice_text("text"));
    lith_thrift_write_struct(w, 103);
    lith_thrift_write_i32(w, 1, 5);
    lith_thrift_write_stop(w);
    lith_thrift_write_list(w, 104, LITH_THRIFT_I64, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i++)
        lith_thrift_write_element_i64(w, numbers[i]);
    lith_thrift_write_list(w, 105, LITH_THRIFT_BINARY, 20);
    for (int i = 0; i < 20; i++)
        lith_thrift_write_element_binary(w, lith_slice_text("x"));
    lith_thrift_write_i64(w, 50, INT64_MIN); /* backwards: the long form */
    lith_thrift_write_stop(w);
}

static void list_check(struct lith_cursor *c, struct lith_thrift_field field)
{
    uint8_t type;
    uint32_t count = lith_thrift_list(c, field, &type);
    struct lith_thrift_field element = {.type = type};

    for (uint32_t i = 0; i < count; i++) {
        if (field.id == 104)
            assert_int_equal(lith_thrift_i64(c, element), numbers[i]);
        else
            assert_true(lith_slice_equal(lith_thrift_binary(c, element), lith_slice_text("x")));
    }
    assert_int_equal(count, field.id == 104 ? NUMBERS : 20);
}

static void field_check(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.id == 1 || field.id == 2)
        assert_int_equal(lith_thrift_bool(c, field), field.id == 1);
    else if (field.id == 3)
        assert_int_equal(lith_thrift_i32(c, field), -7);
    else if (field.id == 100)
        assert_int_equal(lith_thrift_i32(c, field), -300);
    else if (field.id == 101)
        assert_int_equal(lith_thrift_i32(c, field), INT32_MIN);
    else if (field.id == 102)
        assert_true(lith_slice_equal(lith_thrift_binary(c, field), lith_slice_text("text")));
    else if (field.id == 103)
        lith_thrift_skip(c, field.type);
    else if (field.id == 50)
        assert_true(lith_thrift_i64(c, field) == INT64_MIN);
    else
        list_check(c, field);
}

static void test_round_trip(void **state)
{
    struct lith_thrift_field field;
    struct lith_thrift_writer w;
    struct lith_mem mem;
    struct lith_buf buf;
    struct lith_err err;
    int16_t last_id = 0;
    int fields = 0;
    (void)state;

    lith_mem_init(&mem, 1 << 20, NULL);
    lith_buf_init(&buf, &mem, 1 << 16);
    lith_thrift_writer_init(&w, &buf, &err);
    write_all(&w);
    MUST(w.code);
    struct lith_cursor c = lith_cursor_at(buf.data, buf.bytes);
    for (; lith_thrift_field_next(&c, &last_id, &field); fields++)
        field_check(&c, field);
    assert_false(c.failed);
    assert_ptr_equal(c.next, buf.data + buf.bytes);
    assert_int_equal(fields, 10);

    /* A buffer that is too small: the failure stays, whatever is written after it. */
    size_t whole = buf.bytes;
    lith_buf_done(&buf);
    for (size_t limit = 0; limit < whole; limit++) {
        lith_buf_init(&buf, &mem, limit);
        lith_thrift_writer_init(&w, &buf, &err);
        write_all(&w);
        assert_int_equal(w.code, LITH_E_LIMIT);
        lith_buf_done(&buf);
    }
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structs),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
