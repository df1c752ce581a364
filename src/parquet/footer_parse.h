/*
 * The parts of footer parsing that live in files of their own: private to the metadata readers.
 */
#ifndef LITH_PARQUET_FOOTER_PARSE_H
#define LITH_PARQUET_FOOTER_PARSE_H

#include "parquet/footer.h"
#include "parquet/thrift_struct.h"

/* FileMetaData: fills all of *footer that its bytes say. `arena` is that of `m`. */
LITH_MUST_CHECK enum lith_code lith_footer_parse(struct lith_metadata *m,
                                                 struct lith_footer *footer, struct lith_err *err);

/* `count` SchemaElements; the schema is linked and its annotations are checked. */
LITH_MUST_CHECK enum lith_code lith_schema_parse(struct lith_metadata *m, uint32_t count,
                                                 struct lith_schema *ret_schema,
                                                 struct lith_err *err);

/* CORRUPT when an annotation clearly contradicts its type: INTEGER(64) on INT32. */
LITH_MUST_CHECK enum lith_code lith_schema_check(const struct lith_schema *schema,
                                                 struct lith_err *err);

/* One ColumnChunk, of the leaf `leaf`. */
LITH_MUST_CHECK enum lith_code
lith_chunk_meta_parse(struct lith_metadata *m, const struct lith_schema *schema, uint32_t leaf,
                      struct lith_chunk_meta *ret_meta, struct lith_err *err);

LITH_MUST_CHECK enum lith_code lith_statistics_parse(struct lith_metadata *m,
                                                     struct lith_statistics *ret_statistics,
                                                     struct lith_err *err);

/* A list<KeyValue> field. */
LITH_MUST_CHECK enum lith_code lith_key_values_parse(struct lith_metadata *m,
                                                     struct lith_struct_at *at,
                                                     struct lith_key_value **ret_key_values,
                                                     uint32_t *ret_count, struct lith_err *err);

/* Counts, sums and byte ranges: what footer.h promises. Sets footer->num_rows to the sum. */
LITH_MUST_CHECK enum lith_code lith_footer_check(struct lith_footer *footer, struct lith_mem *mem,
                                                 struct lith_err *err);

#endif
