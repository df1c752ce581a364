/*
 * Sorting rows of a unit with something that goes along: a row above, 32 bits below.
 *
 * A radix sort over the bytes of the rows that differ, since those of a unit in a bucket are many
 * and near each other; few are inserted one by one.
 */
#include "base/bytes.h"
#include "sort/bucket_order.h"

#define INSERT_COUNT_MAX 48u
#define ROW_SHIFT 32u
#define ROW_DIGITS 4u

static void keys_insert(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t to = i;
        for (; to > 0 && keys[to - 1] > key; to--)
            keys[to] = keys[to - 1];
        keys[to] = key;
    }
}

static bool is_sorted(const uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (keys[i - 1] > keys[i])
            return false;
    return true;
}

static void digit_sort(const uint64_t *from, uint64_t *to, size_t count, uint32_t shift)
{
    size_t places[256] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        places[(uint8_t)(from[i] >> shift)]++;
    for (size_t i = 0; i < 256; i++) {
        size_t here = places[i];
        places[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[places[(uint8_t)(from[i] >> shift)]++] = from[i];
}

void lith_row_keys_sort(uint64_t *keys, uint64_t *room, size_t count)
{
    uint64_t differ = 0;
    uint64_t *from = keys, *to = room;

    if (count <= INSERT_COUNT_MAX) {
        keys_insert(keys, count);
        return;
    }
    if (is_sorted(keys, count))
        return;
    for (size_t i = 1; i < count; i++)
        differ |= keys[i] ^ keys[0];
    for (uint32_t digit = 0; digit < ROW_DIGITS; digit++) {
        uint32_t shift = ROW_SHIFT + 8 * digit;
        if ((uint8_t)(differ >> shift) == 0)
            continue; /* the same in all */
        digit_sort(from, to, count, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof(*keys));
}
