/*
 * What a page, or a chunk, was found to hold: positions, values and levels, counted.
 */
#ifndef LITH_VERIFY_TALLY_H
#define LITH_VERIFY_TALLY_H

#include "parquet/chunk_reader.h"

struct lith_tally {
    uint64_t positions;
    uint64_t values;
    uint64_t nans;
    uint64_t rows;
    uint64_t value_bytes;   /* of byte arrays */
    int64_t *rep_histogram; /* max_rep + 1 */
    int64_t *def_histogram; /* max_def + 1 */
};

LITH_MUST_CHECK enum lith_code lith_tally_init(struct lith_tally *tally,
                                               const struct lith_schema_node *leaf,
                                               struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_tally_done(struct lith_tally *tally);
void lith_tally_clear(struct lith_tally *tally, const struct lith_schema_node *leaf);

/* Adds all of a batch but its NaNs. */
void lith_tally_batch(struct lith_tally *tally, const struct lith_batch *batch,
                      const struct lith_schema_node *leaf);
void lith_tally_add(struct lith_tally *into, const struct lith_tally *from,
                    const struct lith_schema_node *leaf);

#endif
