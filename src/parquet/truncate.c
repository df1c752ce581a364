/*
 * Shortened bounds: prefixes, and prefixes whose last byte or character is one greater.
 *
 * The bytewise order of UTF-8 is the order of code points, so incrementing a character works as
 * incrementing a byte does.
 */
#include "parquet/truncate.h"

#include <string.h>

#include "base/utf8.h"

#define CODE_POINT_MAX 0x10ffffu

static uint32_t utf8_decode(const uint8_t *at, size_t bytes)
{
    static const uint8_t first_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = at[0] & first_mask[bytes];

    for (size_t i = 1; i < bytes; i++)
        point = point << 6 | (at[i] & 0x3f);
    return point;
}

static size_t utf8_encode(uint32_t point, uint8_t to[4])
{
    if (point < 0x80) {
        to[0] = (uint8_t)point;
        return 1;
    }
    size_t bytes = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const uint8_t first_mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes - 1; i > 0; i--) {
        to[i] = (uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    to[0] = (uint8_t)(first_mark[bytes] | point);
    return bytes;
}

/* The whole characters in the first `bytes_max` bytes; 0 when something is not UTF-8. */
static size_t utf8_prefix(struct lith_slice value, size_t bytes_max)
{
    size_t bytes = 0;

    while (bytes < bytes_max) {
        size_t more = lith_utf8_character(value.data + bytes, value.bytes - bytes);
        if (more == 0)
            return 0;
        if (bytes + more > bytes_max)
            break;
        bytes += more;
    }
    return bytes;
}

size_t lith_truncate_min(struct lith_slice value, bool is_utf8, size_t bytes_max)
{
    return is_utf8 ? utf8_prefix(value, bytes_max) : bytes_max;
}

static size_t utf8_increment(uint8_t *text, size_t bytes, size_t bytes_max)
{
    while (bytes > 0) {
        size_t start = bytes - 1;
        while ((text[start] & 0xc0) == 0x80)
            start--;
        uint32_t point = utf8_decode(text + start, bytes - start) + 1;
        if (point == 0xd800)
            point = 0xe000; /* over the surrogates */
        uint8_t encoded[4];
        size_t encoded_bytes = point <= CODE_POINT_MAX ? utf8_encode(point, encoded) : 0;
        if (encoded_bytes && start + encoded_bytes <= bytes_max) {
            memcpy(text + start, encoded, encoded_bytes);
            return start + encoded_bytes;
        }
        bytes = start;
    }
    return 0;
}

static size_t bytes_increment(uint8_t *data, size_t bytes)
{
    while (bytes > 0 && data[bytes - 1] == 0xff)
        bytes--;
    if (bytes > 0)
        data[bytes - 1]++;
    return bytes;
}

size_t lith_truncate_max(struct lith_slice value, bool is_utf8, size_t bytes_max, uint8_t *to)
{
    size_t bytes = lith_truncate_min(value, is_utf8, bytes_max);

    memcpy(to, value.data, bytes);
    return is_utf8 ? utf8_increment(to, bytes, bytes_max) : bytes_increment(to, bytes);
}
