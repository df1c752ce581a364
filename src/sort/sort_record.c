/*
 * A radix sort from the least byte up: one pass for each byte that differs anywhere.
 *
 * Keys of a lake are near each other (times of a day differ in five bytes), so most passes are
 * never made.
 */
#include "sort/sort_record.h"

#include "base/err.h"

#define DIGITS 9u
/* Digits that are counted in one walk, so that counts stay on the stack. */
#define DIGITS_AT_ONCE 5u

/* Digit 0 is the ninth byte, 1 to 8 are those of the prefix. */
LITH_TEMPLATE uint8_t digit_of(const struct lith_sort_record *record, uint32_t digit)
{
    return (uint8_t)(digit ? record->prefix >> (8 * (digit - 1)) : record->ref >> LITH_PLACE_BITS);
}

static void digits_count(const struct lith_sort_record *records, size_t count, uint32_t first,
                         uint32_t counts[DIGITS_AT_ONCE][256])
{
    memset(counts, 0, DIGITS_AT_ONCE * sizeof(counts[0]));
    for (size_t i = 0; i < count; i++) {
        uint64_t prefix = records[i].prefix;
        if (first) {
            counts[0][prefix >> 32 & 0xff]++;
            counts[1][prefix >> 40 & 0xff]++;
            counts[2][prefix >> 48 & 0xff]++;
            counts[3][prefix >> 56]++;
        } else {
            counts[0][records[i].ref >> LITH_PLACE_BITS]++;
            counts[1][prefix & 0xff]++;
            counts[2][prefix >> 8 & 0xff]++;
            counts[3][prefix >> 16 & 0xff]++;
            counts[4][prefix >> 24 & 0xff]++;
        }
    }
}

static void digit_scatter(const struct lith_sort_record *from, struct lith_sort_record *to,
                          size_t count, uint32_t digit, uint32_t counts[256])
{
    uint32_t sum = 0;

    for (size_t i = 0; i < 256; i++) {
        uint32_t here = counts[i];
        counts[i] = sum;
        sum += here;
    }
    if (digit == 0) {
        for (size_t i = 0; i < count; i++)
            to[counts[digit_of(&from[i], 0)]++] = from[i];
        return;
    }
    uint32_t shift = 8 * (digit - 1);
    for (size_t i = 0; i < count; i++)
        to[counts[(uint8_t)(from[i].prefix >> shift)]++] = from[i];
}

struct lith_sort_record *lith_records_sort(struct lith_sort_record *records,
                                           struct lith_sort_record *room, size_t count)
{
    uint32_t counts[DIGITS_AT_ONCE][256];

    LITH_ASSERT(count <= UINT32_MAX);
    for (uint32_t digit = 0; count > 1 && digit < DIGITS; digit++) {
        uint32_t first = digit < DIGITS_AT_ONCE ? 0 : DIGITS_AT_ONCE;
        if (digit == first)
            digits_count(records, count, first, counts);
        uint32_t *digit_counts = counts[digit - first];
        if (digit_counts[digit_of(&records[0], digit)] == count)
            continue; /* the same in all */
        digit_scatter(records, room, count, digit, digit_counts);
        struct lith_sort_record *sorted = room;
        room = records;
        records = sorted;
    }
    return records;
}
