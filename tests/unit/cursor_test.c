/*
 * Cursors: sticky failure at the end, varints at the edges of 64 bits.
 */
#include "support.h"

#include "base/cursor.h"

static void takes_end_at_the_end(void **state)
{
    static const uint8_t data[] = {1, 2, 3, 4, 5, 6};
    struct lith_cursor c = lith_cursor_at(data, sizeof(data));

    (void)state;
    assert_int_equal(lith_cursor_byte(&c), 1);
    assert_int_equal(lith_cursor_u32(&c), 0x05040302);
    assert_int_equal(lith_cursor_left(&c), 1);
    assert_int_equal(lith_cursor_u32(&c), 0);
    assert_true(c.failed);
    assert_int_equal(lith_cursor_left(&c), 0);
    assert_int_equal(lith_cursor_byte(&c), 0); /* stays failed, though a byte is there */
    c = lith_cursor_at(data, sizeof(data));
    assert_null(lith_cursor_take(&c, SIZE_MAX));
    assert_true(c.failed);
    c = lith_cursor_at(NULL, 0);
    assert_int_equal(lith_cursor_varint(&c), 0);
    assert_true(c.failed);
}

static void varints(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        bool good;
        uint64_t value;
    } cases[] = {
        {"\x00", 1, true, 0},
        {"\x7f", 1, true, 127},
        {"\x80\x01", 2, true, 128},
        {"\x96\x01", 2, true, 150}, /* the example of the protobuf documentation */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true, UINT64_MAX},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, true, (uint64_t)1 << 63},
        {"\x80\x00", 2, true, 0}, /* longer than needed, within 64 bits: legal ULEB128 */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false, 0},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81", 10, false, 0},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, false, 0},
        {"\x80", 1, false, 0},
        {"", 0, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_cursor c = lith_cursor_at((const uint8_t *)cases[i].bytes, cases[i].count);
        assert_int_equal(lith_cursor_varint(&c), cases[i].value);
        assert_int_equal(c.failed, !cases[i].good);
        assert_int_equal(lith_cursor_left(&c), 0);
    }
}

static void zigzags(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        int64_t value;
    } cases[] = {
        {"\x00", 1, 0},
        {"\x01", 1, -1},
        {"\x02", 1, 1},
        {"\x03", 1, -2},
        {"\xfe\x01", 2, 127},
        {"\xff\x01", 2, -128},
        {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, INT64_MAX},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_cursor c = lith_cursor_at((const uint8_t *)cases[i].bytes, cases[i].count);
        assert_int_equal(lith_cursor_zigzag(&c), cases[i].value);
        assert_false(c.failed);
    }
}

/* Any value, written by the definition of ULEB128, is read back. */
static void random_varints_come_back(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t value = test_random(&seed) >> (test_random(&seed) % 64);
        uint8_t bytes[10];
        size_t count = 0;
        for (uint64_t rest = value; count == 0 || rest; rest >>= 7)
            bytes[count++] = (uint8_t)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        struct lith_cursor c = lith_cursor_at(bytes, count);
        assert_int_equal(lith_cursor_varint(&c), value);
        assert_false(c.failed);
        c = lith_cursor_at(bytes, count - 1);
        assert_int_equal(lith_cursor_varint(&c), 0);
        assert_true(c.failed);
    }
}

static void loads_and_stores(void **state)
{
    uint8_t bytes[8];

    (void)state;
    lith_store_u64(bytes, 0x0102030405060708u);
    assert_memory_equal(bytes, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    assert_int_equal(lith_load_u64(bytes), 0x0102030405060708u);
    assert_int_equal(lith_load_u32(bytes), 0x05060708);
    assert_int_equal(lith_load_u32_be(bytes), 0x08070605);
    assert_true(
        lith_slice_equal(lith_slice_text("ab"), (struct lith_slice){(uint8_t[]){97, 98}, 2}));
    assert_true(lith_slice_equal((struct lith_slice){0}, lith_slice_text("")));
    assert_false(lith_slice_equal(lith_slice_text("ab"), lith_slice_text("ac")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_end_at_the_end),
        cmocka_unit_test(varints),
        cmocka_unit_test(zigzags),
        cmocka_unit_test(random_varints_come_back),
        cmocka_unit_test(loads_and_stores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
