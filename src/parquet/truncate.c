/*
 * Shortened bounds: prefixes, and prefixes whose last byte or character is one greater.
 *
 * The bytewise order of UTF-8 is the order of code points, so incrementing a character works as
 * incrementing a byte does.
 */
#include "parquet/truncate.h"

#include <string.h>

#define CODE_POINT_MAX 0x10ffffu

/* Bytes of the character at `at`, by its first byte; 0 when none begins so. */
static size_t utf8_length(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

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

static bool utf8_is_valid(const uint8_t *at, size_t bytes)
{
    static const uint32_t point_min[] = {0, 0, 0x80, 0x800, 0x10000};

    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return false;
    uint32_t point = utf8_decode(at, bytes);
    return point >= point_min[bytes] && point <= CODE_POINT_MAX &&
           (point < 0xd800 || point > 0xdfff);
}

/* The whole characters in the first `bytes_max` bytes; 0 when something is not UTF-8. */
static size_t utf8_prefix(struct lith_slice value, size_t bytes_max)
{
    size_t bytes = 0;

    while (bytes < bytes_max) {
        size_t more = utf8_length(value.data[bytes]);
        if (more == 0)
            return 0;
        if (bytes + more > bytes_max)
            break;
        if (!utf8_is_valid(value.data + bytes, more))
            return 0;
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
