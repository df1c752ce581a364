/*
 * Writing metadata: page headers, chunk metadata, row groups and the footer as Thrift.
 *
 * Piece by piece, so that a writer can spool finished chunks and row groups and holds no whole
 * footer. In the file the pieces follow each other:
 *
 *   footer head, then per row group: [ row group head, chunk metas, row group tail ], footer tail
 *
 * Each piece may have a writer and a buffer of its own.
 */
#ifndef LITH_PARQUET_METADATA_WRITE_H
#define LITH_PARQUET_METADATA_WRITE_H

#include "parquet/footer.h"
#include "parquet/page_header.h"
#include "parquet/thrift.h"

/* Appends a PageHeader. Statistics in it are not written (F: PageIndex.md advises against). */
LITH_MUST_CHECK enum lith_code lith_page_header_write(const struct lith_page_header *header,
                                                      struct lith_buf *to, struct lith_err *err);

/* Appends the list<SchemaElement> field (2) of FileMetaData. */
void lith_schema_write(struct lith_thrift_writer *w, const struct lith_schema *schema);

/* Appends one ColumnChunk as a list element: file_offset 0, meta_data inline, index offsets.
 * path_in_schema comes from the schema. Zero offsets and empty parts are left out. */
void lith_chunk_meta_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                           uint32_t leaf, const struct lith_chunk_meta *meta);

/* Deprecated bounds are not written. */
void lith_statistics_write(struct lith_thrift_writer *w, int16_t id,
                           const struct lith_statistics *statistics);

/* Begins a RowGroup as a list element: `chunk_count` chunk metas must follow. */
void lith_row_group_head_write(struct lith_thrift_writer *w, uint32_t chunk_count);

/* What stands behind the chunks of a row group. */
struct lith_row_group_tail {
    int64_t num_rows;
    int64_t total_byte_size;       /* uncompressed, headers included */
    int64_t total_compressed_size; /* headers included */
    int64_t file_offset;           /* first page of the first chunk; 0 = left out */
    int32_t ordinal;               /* on all row groups or on none; negative = left out */
    const struct lith_sorting_column *sorting_columns;
    uint32_t sorting_column_count;
};
void lith_row_group_tail_write(struct lith_thrift_writer *w,
                               const struct lith_row_group_tail *tail);

/* Begins FileMetaData: version 1, schema, num_rows, and the header of row_groups. */
void lith_footer_head_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                            int64_t num_rows, uint32_t row_group_count);

/* Ends FileMetaData: key-value pairs, created_by, and TYPE_ORDER for each of the leaves. */
void lith_footer_tail_write(struct lith_thrift_writer *w, const struct lith_key_value *key_values,
                            uint32_t key_value_count, struct lith_slice created_by,
                            uint32_t leaf_count);

#endif
