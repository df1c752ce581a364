/*
 * sorting_columns that are numbers of 32 or 64 bits, held against rows many at a time.
 *
 * Most sorted files are sorted by such columns. What sorted.c does row by row is done here with
 * loops over whole batches.
 */
#ifndef LITH_VERIFY_SORTED_NUMBERS_H
#define LITH_VERIFY_SORTED_NUMBERS_H

#include "parquet/chunk_reader.h"

/* Whether this is for all sorting columns of a row group, whose indexes were checked. */
bool lith_sorted_numbers_fit(const struct lith_footer *footer, uint32_t row_group);

/* As lith_sorted_check, for columns that fit. */
LITH_MUST_CHECK enum lith_code
lith_sorted_numbers_check(struct lith_source *source, const struct lith_footer *footer,
                          uint32_t row_group, struct lith_codec_context *codecs,
                          const struct lith_work *work, struct lith_err *err);

#endif
