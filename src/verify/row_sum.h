/*
 * The sum of a hash of every row: equal for equal multisets of rows, whatever their order and
 * however they are spread over files, row groups and pages.
 *
 * Files are columns, rows are not: each row has a running 128-bit state that takes one column
 * after the other. The states of a row group go through two spools in turn.
 */
#ifndef LITH_VERIFY_ROW_SUM_H
#define LITH_VERIFY_ROW_SUM_H

#include "verify/input.h"

struct lith_row_summer {
    const struct lith_schema *target;
    uint64_t seed;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_rows_sum sum;
    struct lith_spool spools[2]; /* the states before and after a column */
};

void lith_row_summer_init(struct lith_row_summer *summer, const struct lith_schema *target,
                          uint64_t seed, struct lith_codec_context *codecs,
                          const struct lith_work *work);
void lith_row_summer_done(struct lith_row_summer *summer);

/* Adds all rows of a row group. Fits lith_sources_walk; ctx is the summer. */
LITH_MUST_CHECK enum lith_code lith_row_summer_add(void *ctx, const struct lith_column_file *file,
                                                   uint32_t row_group, struct lith_err *err);

#endif
