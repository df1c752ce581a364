/*
 * sorting_columns of a row group, held against its rows. parquet-splice.md section 11.4, 11.
 */
#ifndef LITH_VERIFY_SORTED_H
#define LITH_VERIFY_SORTED_H

#include "parquet/chunk_reader.h"

/* CORRUPT when a row stands after one that sorts behind it, or a sorting column is nested or has
 * no order (nobody could say what its order is). */
LITH_MUST_CHECK enum lith_code
lith_sorted_check(struct lith_source *source, const struct lith_footer *footer, uint32_t row_group,
                  struct lith_codec_context *codecs, const struct lith_work *work,
                  struct lith_err *err);

#endif
