/*
 * Rows as bits of a set, and how many of the set stand before each of them.
 *
 * Of a bucket whose rows are all in the set that is the order in which they arrive. Three bytes for
 * 16 rows, whether they are in the set or not.
 */
#ifndef LITH_SORT_ROW_RANKS_H
#define LITH_SORT_ROW_RANKS_H

#include "base/mem.h"

#define LITH_ROW_RANKS_WORD 64u

struct lith_row_ranks {
    uint64_t *words;
    uint32_t *before; /* bits of the words in front; once they were counted */
    size_t word_count;
};

static inline size_t lith_row_ranks_words(uint64_t row_count)
{
    return (size_t)(row_count / LITH_ROW_RANKS_WORD) + 1;
}

/* What it takes for rows [0, row_count). */
static inline uint64_t lith_row_ranks_bytes(uint64_t row_count)
{
    return (row_count / LITH_ROW_RANKS_WORD + 1) * (sizeof(uint64_t) + sizeof(uint32_t));
}

/* An empty set of rows below `row_count`, which is below 2^32. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_row_ranks_init(struct lith_row_ranks *ranks, uint64_t row_count,
                                                   struct lith_mem *mem, struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_row_ranks_done(struct lith_row_ranks *ranks);

/* Adds rows, at least one; false where one was there already. */
static inline bool lith_row_ranks_add(struct lith_row_ranks *ranks, uint32_t row,
                                      uint32_t row_count)
{
    uint64_t seen = 0, i = row, end = i + row_count;

    do {
        uint64_t bit = UINT64_C(1) << (i % LITH_ROW_RANKS_WORD);
        uint64_t *word = &ranks->words[i / LITH_ROW_RANKS_WORD];
        seen |= *word & bit;
        *word |= bit;
    } while (++i < end);
    return !seen;
}

/* All rows were added. */
void lith_row_ranks_count(struct lith_row_ranks *ranks);

/* Bits of a word: without an instruction that not every processor has. */
static inline uint32_t lith_word_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

static inline uint32_t lith_row_ranks_of(const struct lith_row_ranks *ranks, uint32_t row)
{
    uint64_t in_front = (UINT64_C(1) << (row % LITH_ROW_RANKS_WORD)) - 1;
    size_t word = row / LITH_ROW_RANKS_WORD;

    return ranks->before[word] + lith_word_bits(ranks->words[word] & in_front);
}

#endif
