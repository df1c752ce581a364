/*
 * A radix sort in two parts: what is larger than a processor's cache is dealt to 256 parts by its
 * highest bits, until parts fit; those are sorted from the lowest bit up.
 *
 * Bits that are the same in all records of a part are passed over: times of a day differ in five
 * bytes. A sort from the lowest bit alone writes all over memory in each pass, three times as slow
 * for ten million records.
 */
#include "sort/sort_record.h"

#include "base/err.h"
#include "sort/digits.h"

/* Records and as much room fit a cache of 2 MiB. */
#define CACHED_COUNT ((size_t)64 << 10)
/* Below this comparing is faster than counting. */
#define FEW_COUNT 32u
/* Parts of parts; what is still too large then is sorted as it is. Nulls and a few values far off
 * take one each. */
#define DEALS_MAX 4u
#define NINTH_SHIFT LITH_PLACE_BITS

/* The bits that differ among records. */
struct varying {
    uint64_t prefix;
    uint64_t ninth;
};

static struct varying varying_of(const struct lith_sort_record *records, size_t count)
{
    struct varying varying = {0};

    for (size_t i = 1; i < count; i++) {
        varying.prefix |= records[i].prefix ^ records[0].prefix;
        varying.ninth |= records[i].ref ^ records[0].ref;
    }
    varying.ninth >>= NINTH_SHIFT;
    return varying;
}

static bool record_after(const struct lith_sort_record *a, const struct lith_sort_record *b)
{
    return a->prefix > b->prefix ||
           (a->prefix == b->prefix && a->ref >> NINTH_SHIFT > b->ref >> NINTH_SHIFT);
}

static void few_sort(struct lith_sort_record *records, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct lith_sort_record record = records[i];
        size_t to = i;
        for (; to > 0 && record_after(&records[to - 1], &record); to--)
            records[to] = records[to - 1];
        records[to] = record;
    }
}

/* One pass by a digit of the prefix, or the ninth byte, from one array to the other. */
LITH_TEMPLATE void pass(bool by_ninth, uint32_t shift, const struct lith_sort_record *from,
                        struct lith_sort_record *to, size_t count)
{
    uint32_t counts[LITH_DIGITS] = {0};

    for (size_t i = 0; i < count; i++)
        counts[(uint8_t)((by_ninth ? from[i].ref : from[i].prefix) >> shift)]++;
    lith_digits_sum(counts);
    for (size_t i = 0; i < count; i++)
        to[counts[(uint8_t)((by_ninth ? from[i].ref : from[i].prefix) >> shift)]++] = from[i];
}

/* Sorts `from` through `other`, from the lowest bit up; returns the one that holds the result. */
static struct lith_sort_record *passes_sort(struct lith_sort_record *from,
                                            struct lith_sort_record *other, size_t count)
{
    struct varying varying = varying_of(from, count);
    struct lith_sort_record *swap;

    if (varying.ninth) {
        pass(true, NINTH_SHIFT, from, other, count);
        swap = from, from = other, other = swap;
    }
    while (varying.prefix) {
        uint32_t shift = (uint32_t)__builtin_ctzll(varying.prefix);
        pass(false, shift, from, other, count);
        swap = from, from = other, other = swap;
        varying.prefix = lith_digits_above(varying.prefix, shift);
    }
    return from;
}

/* Deals records to parts by the highest bits that differ; ends[i] is where part i ends. */
static void deal(const struct lith_sort_record *from, struct lith_sort_record *to, size_t count,
                 uint64_t varying, uint32_t ends[LITH_DIGITS])
{
    uint32_t shift = lith_digit_highest(varying);

    memset(ends, 0, LITH_DIGITS * sizeof(*ends));
    for (size_t i = 0; i < count; i++)
        ends[(uint8_t)(from[i].prefix >> shift)]++;
    lith_digits_sum(ends);
    for (size_t i = 0; i < count; i++)
        to[ends[(uint8_t)(from[i].prefix >> shift)]++] = from[i];
}

/* A part that was dealt out, and which of its own parts is next. */
struct dealt {
    size_t begin;
    uint32_t next;
    uint32_t ends[LITH_DIGITS]; /* from `begin` on */
};

struct sorting {
    struct lith_sort_record *arrays[2]; /* what depth d was dealt to stands in arrays[d % 2] */
    uint32_t depth;
    struct dealt dealt[DEALS_MAX];
};

/*
 * Sorts [begin, begin + count), which stands in the array of this depth, to arrays[0]. A part that
 * is too large is dealt out one level deeper instead.
 */
static void part_sort(struct sorting *sorting, size_t begin, size_t count)
{
    struct lith_sort_record *here = sorting->arrays[sorting->depth % 2] + begin;
    struct lith_sort_record *other = sorting->arrays[(sorting->depth + 1) % 2] + begin;
    struct lith_sort_record *sorted = here;

    if (count > CACHED_COUNT && sorting->depth < DEALS_MAX) {
        uint64_t varying = varying_of(here, count).prefix;
        if (varying) {
            struct dealt *dealt = &sorting->dealt[sorting->depth++];
            dealt->begin = begin;
            dealt->next = 0;
            deal(here, other, count, varying, dealt->ends);
            return;
        }
    }
    if (count <= FEW_COUNT)
        few_sort(here, count);
    else
        sorted = passes_sort(here, other, count);
    if (sorted != sorting->arrays[0] + begin)
        memcpy(sorting->arrays[0] + begin, sorted, count * sizeof(*sorted));
}

void lith_records_sort(struct lith_sort_record *records, struct lith_sort_record *room,
                       size_t count)
{
    struct sorting sorting;

    LITH_ASSERT(count <= UINT32_MAX);
    sorting.arrays[0] = records;
    sorting.arrays[1] = room;
    sorting.depth = 0;
    part_sort(&sorting, 0, count);
    while (sorting.depth) {
        struct dealt *dealt = &sorting.dealt[sorting.depth - 1];
        if (dealt->next == LITH_DIGITS) {
            sorting.depth--;
            continue;
        }
        uint32_t begin = dealt->next ? dealt->ends[dealt->next - 1] : 0;
        part_sort(&sorting, dealt->begin + begin, dealt->ends[dealt->next++] - begin);
    }
}
