/*
 * The metadata of a finished chunk, waiting in a spool until the file's indexes have their place.
 *
 * A record is the struct and what it points to. Nothing outside this process reads it.
 */
#ifndef LITH_PARQUET_CHUNK_RECORD_H
#define LITH_PARQUET_CHUNK_RECORD_H

#include "base/spool.h"
#include "parquet/footer.h"

/* Appends the record of a chunk of `leaf`, put together in `room`. */
LITH_MUST_CHECK enum lith_code lith_chunk_record_write(struct lith_spool *spool,
                                                       const struct lith_schema_node *leaf,
                                                       const struct lith_chunk_meta *meta,
                                                       struct lith_buf *room, struct lith_err *err);

/* Reads the record at *offset and moves *offset behind it. *ret_meta points into `room`, which
 * is cleared first. */
LITH_MUST_CHECK enum lith_code lith_chunk_record_read(struct lith_spool *spool, uint64_t *offset,
                                                      const struct lith_schema_node *leaf,
                                                      struct lith_buf *room,
                                                      struct lith_chunk_meta *ret_meta,
                                                      struct lith_err *err);

#endif
