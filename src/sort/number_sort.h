/*
 * Sorting numbers of 64 bits where they stand.
 */
#ifndef LITH_SORT_NUMBER_SORT_H
#define LITH_SORT_NUMBER_SORT_H

#include "base/bytes.h"
#include "sort/digits.h"

/* A digit of eight bits a level. */
#define LITH_NUMBER_LEVELS 8u
/* Numbers and as much room fit a cache of 2 MiB. */
#define LITH_NUMBERS_CACHED ((size_t)64 << 10)

/* What was dealt to parts by a digit, and which part is next. */
struct lith_number_level {
    size_t begin;
    uint32_t next;
    uint32_t ends[LITH_DIGITS]; /* of parts, from `begin` on */
};

/* What sorting takes beside the numbers, however many they are. */
struct lith_number_room {
    uint64_t numbers[LITH_NUMBERS_CACHED];
    struct lith_number_level levels[LITH_NUMBER_LEVELS];
};

/* At most UINT32_MAX of them. */
void lith_numbers_sort(uint64_t *numbers, size_t count, struct lith_number_room *room);

/* Sorts them by their upper 32 bits, which differ, where the lower ones go along: through a room as
 * large, since they are few, or near each other. At most UINT32_MAX of them. */
void lith_numbers_sort_upper(uint64_t *numbers, uint64_t *room, size_t count);

#endif
