/*
 * One column of a row group whose positions are added to the states of its rows, block by block of
 * rows, in step with other columns.
 */
#ifndef LITH_VERIFY_ROW_COLUMN_H
#define LITH_VERIFY_ROW_COLUMN_H

#include "verify/column.h"
#include "verify/row_hash.h"

/* Positions whose values' words are made at a time; they stay in the processor's first cache. */
#define LITH_ROW_RUN 512u

struct lith_row_column {
    struct lith_column column;
    struct lith_mem *mem;
    struct lith_row_key key;
    struct lith_hash128 *level_words; /* the key's */
    struct lith_batch batch;          /* the one at hand; before it is read: no positions */
    size_t position_next;             /* in the batch */
    size_t value_next;
    bool entries_made;            /* or not, where the budget has no room for them */
    struct lith_hash128 *entries; /* the words of the dictionary's entries, or NULL */
};

/* Where a column is, and what its rows are hashed with. Everything is borrowed. */
struct lith_row_place {
    const struct lith_column_file *file;
    uint32_t row_group;
    const struct lith_schema *target;
    uint64_t seed;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

LITH_MUST_CHECK enum lith_code lith_row_column_open(struct lith_row_column *column,
                                                    const struct lith_row_place *place,
                                                    uint32_t leaf, struct lith_err *err);
/*
 * Adds the next `row_count` rows to `states`. `words` has room for LITH_ROW_RUN + 1. CORRUPT where
 * there are fewer; whole chunks have as many rows as their row group, or the reader fails.
 */
LITH_MUST_CHECK enum lith_code lith_row_column_add(struct lith_row_column *column,
                                                   struct lith_hash128 *states, size_t row_count,
                                                   struct lith_hash128 *words,
                                                   struct lith_err *err);
/* CORRUPT where rows are left. */
LITH_MUST_CHECK enum lith_code lith_row_column_end(struct lith_row_column *column,
                                                   struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_row_column_close(struct lith_row_column *column);

#endif
