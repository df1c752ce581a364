/*
 * The sum of a hash of every row: equal for equal multisets of rows, whatever their order and
 * however they are spread over files, row groups and pages.
 *
 * Files are columns, rows are not: each row has a running state that takes one column after the
 * other (row_hash.h). A row group is gone through in blocks of rows, with as many columns open as
 * the budget has room for; where that is not all, the states of all rows go through a spool once
 * for each group of columns.
 */
#ifndef LITH_VERIFY_ROW_SUM_H
#define LITH_VERIFY_ROW_SUM_H

#include "verify/input.h"

struct lith_row_summer {
    const struct lith_schema *target;
    uint64_t seed;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    uint32_t columns_max; /* that are open at once: less where the budget turned out too small */
    struct lith_sink *hashes; /* where the hash of each row goes, 16 bytes; NULL: nowhere */
    struct lith_rows_sum sum;
    struct lith_spool spools[2]; /* the states before and after a group of columns */
};

void lith_row_summer_init(struct lith_row_summer *summer, const struct lith_schema *target,
                          uint64_t seed, struct lith_codec_context *codecs,
                          const struct lith_work *work);
void lith_row_summer_done(struct lith_row_summer *summer);

/* Adds all rows of a row group. Fits lith_sources_walk; ctx is the summer. */
LITH_MUST_CHECK enum lith_code lith_row_summer_add(void *ctx, const struct lith_column_file *file,
                                                   uint32_t row_group, struct lith_err *err);

#endif
