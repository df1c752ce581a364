/*
 * Values of columns as texts for people: bounds of statistics and indexes.
 */
#ifndef LITH_PARQUET_VALUE_TEXT_H
#define LITH_PARQUET_VALUE_TEXT_H

#include "parquet/schema.h"

/*
 * The value of a leaf column, as it stands in statistics, by its logical type (of a normalised
 * schema): "2026-06-15", "1.50", "a text". *ret_text is NULL where no text says it: bytes without
 * a meaning, or of another length than the type has. From `arena`. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_value_text(const struct lith_schema_node *leaf,
                                               struct lith_slice value, struct lith_arena *arena,
                                               char **ret_text, struct lith_err *err);

/* Bytes of the longest prefix of at most `bytes_max` that ends between characters; 0 bytes and
 * false when the slice is not UTF-8 without control characters. */
bool lith_text_prefix(struct lith_slice text, size_t bytes_max, size_t *ret_bytes);

#endif
