/*
 * Percent encoding of names in paths, RFC 3986 section 2.1.
 */
#include <stdbool.h>
#include <string.h>

#include "lake/path_keys.h"

static bool is_unreserved(uint8_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

/* 0 to 15, or -1. */
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum lith_code lith_percent_encode(const char *text, struct lith_arena *arena,
                                   const char **ret_text, struct lith_err *err)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t bytes = strlen(text);
    void *block = NULL;

    LITH_TRY(lith_arena_array(arena, bytes + 1, 3, &block, err));
    char *to = block;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t c = (uint8_t)text[i];
        if (is_unreserved(c)) {
            *to++ = (char)c;
            continue;
        }
        *to++ = '%';
        *to++ = digits[c >> 4];
        *to++ = digits[c & 15u];
    }
    *to = 0;
    *ret_text = block;
    return LITH_OK;
}

enum lith_code lith_percent_decode(const char *text, size_t bytes, struct lith_arena *arena,
                                   const char **ret_text, struct lith_err *err)
{
    void *block = NULL;

    LITH_TRY(lith_arena_alloc(arena, bytes + 1, &block, err));
    char *to = block;
    for (size_t i = 0; i < bytes; i++) {
        int high = text[i] == '%' && bytes - i > 2 ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low < 0) {
            *to++ = text[i];
            continue;
        }
        if (high == 0 && low == 0)
            return lith_fail(err, LITH_E_INVALID, "\"%.*s\" encodes a zero byte",
                             (int)(bytes < 200 ? bytes : 200), text);
        *to++ = (char)(high * 16 + low);
        i += 2;
    }
    *to = 0;
    *ret_text = block;
    return LITH_OK;
}
