/*
 * Counting bits word by word.
 */
#include "sort/row_ranks.h"

enum lith_code lith_row_ranks_init(struct lith_row_ranks *ranks, uint64_t row_count,
                                   struct lith_mem *mem, struct lith_err *err)
{
    size_t count = lith_row_ranks_words(row_count);
    void *words, *before;

    LITH_ASSERT(row_count <= UINT32_MAX);
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*ranks->words), &words, err));
    enum lith_code code = lith_alloc(mem, count * sizeof(*ranks->before), &before, err);
    if (code != LITH_OK) {
        lith_free(words);
        return code;
    }
    *ranks = (struct lith_row_ranks){.words = words, .before = before, .word_count = count};
    return LITH_OK;
}

void lith_row_ranks_done(struct lith_row_ranks *ranks)
{
    lith_free(ranks->words);
    lith_free(ranks->before);
    *ranks = (struct lith_row_ranks){0};
}

void lith_row_ranks_count(struct lith_row_ranks *ranks)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < ranks->word_count; i++) {
        ranks->before[i] = sum;
        sum += lith_word_bits(ranks->words[i]);
    }
}
