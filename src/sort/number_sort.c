/*
 * A radix sort: what is larger than a processor's cache is dealt to parts by its highest bits that
 * differ, each number changing places with the one that stands where it belongs; parts that fit are
 * sorted from the lowest bit up, through a room. Many bits are not looked at one by one: so many of
 * the highest as hardly two numbers share, then the few that do.
 */
#include "sort/number_sort.h"

#include "base/err.h"

/* So few are inserted one by one. */
#define INSERT_COUNT_MAX 32u
/* So few after a digit that tells most apart; a quarter of it is what one costs at worst. */
#define SOME_COUNT_MAX 512u

/* So many bits tell most numbers of a cache apart, if they are spread; three digits. */
#define TELLING_BITS 24u
static_assert(LITH_NUMBERS_CACHED <= (size_t)1 << (TELLING_BITS - 8), "hardly two share them");

static bool is_sorted(const uint64_t *numbers, size_t count)
{
    bool wrong = false;

    for (size_t i = 1; i < count; i++)
        wrong |= numbers[i - 1] > numbers[i];
    return !wrong;
}

/* The bits that differ. */
static uint64_t varying_of(const uint64_t *numbers, size_t count)
{
    uint64_t varying = 0;

    for (size_t i = 1; i < count; i++)
        varying |= numbers[i] ^ numbers[0];
    return varying;
}

static void few_sort(uint64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t number = numbers[i];
        size_t to = i;
        for (; to > 0 && numbers[to - 1] > number; to--)
            numbers[to] = numbers[to - 1];
        numbers[to] = number;
    }
}

static void pass(const uint64_t *from, uint64_t *to, size_t count, uint32_t shift)
{
    uint32_t places[LITH_DIGITS] = {0};

    for (size_t i = 0; i < count; i++)
        places[(uint8_t)(from[i] >> shift)]++;
    lith_digits_sum(places);
    for (size_t i = 0; i < count; i++)
        to[places[(uint8_t)(from[i] >> shift)]++] = from[i];
}

/* Sorts numbers that fit the room by the bits of `varying`. */
static void passes_sort(uint64_t *numbers, uint64_t *room, size_t count, uint64_t varying)
{
    uint64_t *from = numbers, *to = room;

    while (varying) {
        uint32_t shift = (uint32_t)__builtin_ctzll(varying);
        pass(from, to, count, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
        varying = lith_digits_above(varying, shift);
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof(*numbers));
}

/* So few that one digit tells most of them apart, and all of them are inserted in no time. */
static void some_sort(uint64_t *numbers, uint64_t *room, size_t count)
{
    uint64_t varying = varying_of(numbers, count);

    if (varying) {
        uint32_t shift = lith_digit_highest(varying);
        pass(numbers, room, count, shift);
        memcpy(numbers, room, count * sizeof(*numbers));
    }
    few_sort(numbers, count);
}

/* Sorts those that are the same from bit `shift` on, in numbers that are sorted by these. */
static void ties_sort(uint64_t *numbers, uint64_t *room, size_t count, uint32_t shift)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        uint64_t *here = numbers + begin;
        uint64_t above = here[0] >> shift;
        for (end = begin + 1; end < count && numbers[end] >> shift == above;)
            end++;
        if (end - begin <= INSERT_COUNT_MAX)
            few_sort(here, end - begin);
        else if (end - begin <= SOME_COUNT_MAX)
            some_sort(here, room, end - begin);
        else
            passes_sort(here, room, end - begin, varying_of(here, end - begin));
    }
}

/* Numbers that fit the room. */
static void cached_sort(uint64_t *numbers, uint64_t *room, size_t count)
{
    uint64_t varying = varying_of(numbers, count);

    if (varying >> (TELLING_BITS + LITH_DIGIT_BITS) == 0) {
        passes_sort(numbers, room, count, varying);
        return;
    }
    uint32_t shift = 64 - TELLING_BITS - (uint32_t)__builtin_clzll(varying);
    passes_sort(numbers, room, count, varying >> shift << shift);
    ties_sort(numbers, room, count, shift);
}

/* Deals numbers that differ to parts, by the highest bits that do. */
static void deal(uint64_t *numbers, size_t count, uint64_t varying, uint32_t ends[LITH_DIGITS])
{
    uint32_t shift = lith_digit_highest(varying);
    uint32_t next[LITH_DIGITS] = {0};

    for (size_t i = 0; i < count; i++)
        next[(uint8_t)(numbers[i] >> shift)]++;
    lith_digits_sum(next);
    for (size_t i = 0; i + 1 < LITH_DIGITS; i++)
        ends[i] = next[i + 1];
    ends[LITH_DIGITS - 1] = (uint32_t)count;
    /* Each number of a part goes to the part it belongs to, and what stood there comes in its
     * place, to be looked at the next time: no exchange waits for the one before. */
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (size_t part = 0; part < LITH_DIGITS; part++) {
            is_done = is_done && next[part] == ends[part];
            for (size_t i = next[part]; i < ends[part]; i++) {
                uint64_t number = numbers[i];
                uint32_t *to = &next[(uint8_t)(number >> shift)];
                numbers[i] = numbers[*to];
                numbers[*to] = number;
                ++*to;
            }
        }
    }
}

/* Sorts [begin, begin + count), or deals it out one level deeper. */
static void part_sort(uint64_t *numbers, size_t begin, size_t count, struct lith_number_room *room,
                      uint32_t *depth)
{
    uint64_t *here = numbers + begin;

    if (count <= INSERT_COUNT_MAX) {
        few_sort(here, count);
        return;
    }
    if (count <= LITH_NUMBERS_CACHED) {
        cached_sort(here, room->numbers, count);
        return;
    }
    uint64_t varying = varying_of(here, count);
    if (varying == 0)
        return;
    LITH_ASSERT(*depth < LITH_NUMBER_LEVELS);
    struct lith_number_level *level = &room->levels[(*depth)++];
    level->begin = begin;
    level->next = 0;
    deal(here, count, varying, level->ends);
}

void lith_numbers_sort_upper(uint64_t *numbers, uint64_t *room, size_t count)
{
    LITH_ASSERT(count <= UINT32_MAX);
    if (count <= INSERT_COUNT_MAX)
        few_sort(numbers, count);
    else if (!is_sorted(numbers, count))
        passes_sort(numbers, room, count, varying_of(numbers, count) >> 32 << 32);
}

void lith_numbers_sort(uint64_t *numbers, size_t count, struct lith_number_room *room)
{
    uint32_t depth = 0;

    LITH_ASSERT(count <= UINT32_MAX);
    if (is_sorted(numbers, count))
        return;
    part_sort(numbers, 0, count, room, &depth);
    while (depth) {
        struct lith_number_level *level = &room->levels[depth - 1];
        if (level->next == LITH_DIGITS) {
            depth--;
            continue;
        }
        uint32_t begin = level->next ? level->ends[level->next - 1] : 0;
        uint32_t end = level->ends[level->next++];
        part_sort(numbers, level->begin + begin, end - begin, room, &depth);
    }
}
