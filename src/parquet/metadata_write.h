/*
 * Writing metadata: page headers, chunk metadata, row groups and the footer as Thrift.
 *
 * Piece by piece, so that a writer can spool finished chunks and holds no whole footer.
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

void lith_statistics_write(struct lith_thrift_writer *w, int16_t id,
                           const struct lith_statistics *statistics);

#endif
