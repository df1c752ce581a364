/*
 * UTF-8: every encoding of every code point, and nothing else.
 */
#include "support.h"

#include "base/utf8.h"

/* Encodes by definition; returns the number of bytes. */
static size_t encode(uint32_t code, uint8_t to[4])
{
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = bytes - 1; i > 0; i--) {
        to[i] = (uint8_t)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    to[0] = (uint8_t)(marks[bytes] | code);
    return bytes;
}

static void code_points_are_characters(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x120000; code++) {
        uint8_t bytes[4];
        bool legal = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        size_t count = encode(code, bytes);
        if (lith_utf8_character(bytes, count) != (legal ? count : 0))
            fail_msg("U+%04X", code);
        if (count > 1 && lith_utf8_character(bytes, count - 1) != 0)
            fail_msg("U+%04X cut off", code);
    }
}

/* Counting what is accepted of all 3-byte and shorter sequences finds no overlong one. */
static void nothing_else_is(void **state)
{
    size_t accepted[5] = {0};

    (void)state;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        uint8_t bytes[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        accepted[lith_utf8_character(bytes, 3)]++;
    }
    assert_int_equal(accepted[1], 128u << 16);
    assert_int_equal(accepted[2], (0x800u - 0x80) << 8);
    assert_int_equal(accepted[3], 0x10000u - 0x800 - 0x800);
    assert_int_equal(accepted[4], 0);
    assert_int_equal(lith_utf8_character((const uint8_t *)"\xf0\x8f\xbf\xbf", 4), 0);
    assert_int_equal(lith_utf8_character((const uint8_t *)"\xf0\x90\x80\x41", 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_points_are_characters),
        cmocka_unit_test(nothing_else_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
