/*
 * The source chunks of a merge: where each lies and how large it is, without its footer.
 *
 * A merge asks for the chunks of one column of all inputs, then of the next. Whole footers of
 * many wide files do not fit a budget, and reading them again for each column would cost more
 * than the merge; so a small record per chunk is kept, in memory or in scratch.
 */
#ifndef LITH_MERGE_CHUNK_BOOK_H
#define LITH_MERGE_CHUNK_BOOK_H

#include "base/work.h"
#include "parquet/footer.h"

struct lith_chunk_book {
    struct lith_spool records; /* units in order, each with its leaves in order */
    uint32_t leaf_count;
};

void lith_chunk_book_init(struct lith_chunk_book *book, const struct lith_work *work,
                          uint32_t leaf_count);
/* A zeroed book is a no-op. */
void lith_chunk_book_done(struct lith_chunk_book *book);

/* Appends the chunks of the next unit. */
LITH_MUST_CHECK enum lith_code lith_chunk_book_add(struct lith_chunk_book *book,
                                                   const struct lith_row_group *group,
                                                   struct lith_err *err);

/* What reading the chunk needs of its metadata; all else is zero. */
LITH_MUST_CHECK enum lith_code lith_chunk_book_get(struct lith_chunk_book *book, size_t unit,
                                                   uint32_t leaf, struct lith_chunk_meta *ret_meta,
                                                   struct lith_err *err);

#endif
