/*
 * UTF-8: the table of well-formed sequences, by first byte.
 */
#include "base/utf8.h"

/* First bytes [first, last]; the second byte lies in [second_min, second_max], others in
 * [0x80, 0xbf]. */
static const struct {
    uint8_t first;
    uint8_t last;
    uint8_t bytes;
    uint8_t second_min;
    uint8_t second_max;
} rows[] = {
    {0x00, 0x7f, 1, 0x80, 0xbf}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

size_t lith_utf8_character(const uint8_t *at, size_t left)
{
    size_t row = 0;

    while (row < sizeof(rows) / sizeof(rows[0]) &&
           (at[0] < rows[row].first || at[0] > rows[row].last))
        row++;
    if (row == sizeof(rows) / sizeof(rows[0]) || rows[row].bytes > left)
        return 0;
    size_t bytes = rows[row].bytes;
    if (bytes > 1 && (at[1] < rows[row].second_min || at[1] > rows[row].second_max))
        return 0;
    for (size_t i = 2; i < bytes; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    }
    return bytes;
}
