/*
 * Writing a Parquet file: row groups, then chunks in schema order, then indexes and footer.
 *
 * Metadata of finished chunks is spooled as bytes, so memory does not grow with their number.
 * ColumnIndexes, then OffsetIndexes stand together just before the footer (parquet-splice.md
 * section 2.1); a bloom filter stands behind its row group.
 */
#ifndef LITH_PARQUET_FILE_WRITER_H
#define LITH_PARQUET_FILE_WRITER_H

#include "base/work.h"
#include "codec/codec.h"
#include "parquet/chunk_reader.h"
#include "parquet/footer.h"

struct lith_file_writer;
struct lith_dictionary_builder;
struct lith_bloom;
struct lith_copied_page;
struct lith_facts;

/* How one chunk is to be written: decided by the merge from the sources. */
struct lith_chunk_plan {
    enum lith_codec codec;
    enum lith_encoding fallback; /* for pages without dictionary; must fit the type */
    bool try_dictionary;         /* keep a dictionary when it pays, chunk-wide */
    bool bloom;                  /* build a bloom filter */
    /* A dictionary that is complete: it is written first, and pages all of whose values it has use
     * it. NULL: none is given. Not with try_dictionary. Outlives the chunk. */
    const struct lith_dictionary_builder *dictionary;
};

/* Writes the leading magic. `sink` and `schema` outlive the writer. */
LITH_MUST_CHECK enum lith_code
lith_file_writer_new(struct lith_sink *sink, const struct lith_schema *schema,
                     struct lith_codec_context *codecs, const struct lith_work *work,
                     struct lith_file_writer **ret_writer, struct lith_err *err);
void lith_file_writer_free(struct lith_file_writer *writer);

/* The rows of every row group are sorted so: by the caller's word. Borrowed until the file is
 * finished. */
void lith_file_writer_sorted(struct lith_file_writer *writer,
                             const struct lith_sorting_column *columns, uint32_t count);

/* Begins the next row group; chunks must then come for every leaf in order. num_rows > 0. */
LITH_MUST_CHECK enum lith_code lith_file_writer_row_group(struct lith_file_writer *writer,
                                                          int64_t num_rows, struct lith_err *err);
/* Begins the next leaf's chunk. */
LITH_MUST_CHECK enum lith_code lith_file_writer_chunk(struct lith_file_writer *writer,
                                                      const struct lith_chunk_plan *plan,
                                                      struct lith_err *err);
/*
 * Adds positions to the open chunk. Pages close at LITH_PAGE_BYTES_TARGET or LITH_PAGE_ROWS_MAX
 * at a row border; a single row too large for a share of the budget is cut inside (then without
 * page index, as V1 allows). LIMIT when one value is larger than a share of the budget.
 */
LITH_MUST_CHECK enum lith_code lith_file_writer_add(struct lith_file_writer *writer,
                                                    const struct lith_batch *batch,
                                                    struct lith_err *err);
/* Values of a SNAPPY block without its levels, as chunk_writer.h has them. */
bool lith_file_writer_joins(const struct lith_file_writer *writer);
LITH_MUST_CHECK enum lith_code lith_file_writer_join(struct lith_file_writer *writer,
                                                     const struct lith_facts *facts,
                                                     struct lith_slice elements,
                                                     struct lith_err *err);

/*
 * Copied pages, as page_writer.h has them. Not while a dictionary is tried; positions added before
 * and after stand in pages of their own.
 */
LITH_MUST_CHECK enum lith_code lith_file_writer_source(struct lith_file_writer *writer,
                                                       const struct lith_facts *facts, int64_t rows,
                                                       struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_file_writer_source_end(struct lith_file_writer *writer,
                                                           struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_file_writer_copy(struct lith_file_writer *writer,
                                                     const struct lith_copied_page *page,
                                                     struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_file_writer_copy_bytes(struct lith_file_writer *writer,
                                                           const void *data, size_t bytes,
                                                           struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_file_writer_copy_end(struct lith_file_writer *writer,
                                                         struct lith_err *err);
/* Values of copied pages that the bloom filter must know: those of another filter, or, with NULL,
 * nobody knows which: the chunk goes without. */
void lith_file_writer_bloom(struct lith_file_writer *writer, struct lith_bloom *bloom);

/* What pages of PLAIN values of the open chunk were, and came to, that were compressed here. */
void lith_file_writer_packed(const struct lith_file_writer *writer, uint64_t *ret_plain_bytes,
                             uint64_t *ret_stored_bytes);

/* Ends the chunk: statistics, indexes, bloom filter. Asserts that its rows are num_rows. */
LITH_MUST_CHECK enum lith_code lith_file_writer_chunk_end(struct lith_file_writer *writer,
                                                          struct lith_err *err);
/* Ends the row group (all leaves must have come). */
LITH_MUST_CHECK enum lith_code lith_file_writer_row_group_end(struct lith_file_writer *writer,
                                                              struct lith_err *err);

/*
 * Parts: chunks of a row group that are written apart from their file, in another thread, and
 * placed in it later.
 *
 * A part is a writer: between lith_file_writer_part and lith_file_writer_place it is given chunks
 * of consecutive leaves, one after another, as a file's writer is. Its bytes go to a sink of the
 * caller's whose first byte stands at LITH_PART_OFFSET, since 0 is no place for a page; the caller
 * puts them into the file's sink, and then has the part placed. `schema` outlives the part.
 */
#define LITH_PART_OFFSET 4u
LITH_MUST_CHECK enum lith_code lith_file_writer_part_new(const struct lith_schema *schema,
                                                         const struct lith_work *work,
                                                         struct lith_file_writer **ret_part,
                                                         struct lith_err *err);
/* Begins a part at `leaf` of the row group that is open in `writer`, of which it only reads what
 * stays while the row group is open. `sink` and `codecs` outlive the part's chunks. */
void lith_file_writer_part(struct lith_file_writer *part, const struct lith_file_writer *writer,
                           uint32_t leaf, struct lith_sink *sink,
                           struct lith_codec_context *codecs);
/* Adds the part's chunks, whose first is the next leaf's, to the file; their bytes have been
 * written, from offset `begin` of the file on, and are the last ones there. */
LITH_MUST_CHECK enum lith_code lith_file_writer_place(struct lith_file_writer *writer,
                                                      struct lith_file_writer *part, uint64_t begin,
                                                      struct lith_err *err);

/* Where the file's bytes go: between chunks, for those of parts. */
struct lith_sink *lith_file_writer_sink(struct lith_file_writer *writer);

/* Bytes written so far, and rows of finished row groups. */
uint64_t lith_file_writer_bytes(const struct lith_file_writer *writer);
int64_t lith_file_writer_rows(const struct lith_file_writer *writer);

/* Puts bytes that are no row data between the last row group and the indexes (the list of
 * inputs); *ret_offset is where. No row group may follow. */
LITH_MUST_CHECK enum lith_code lith_file_writer_blob(struct lith_file_writer *writer,
                                                     const void *data, size_t bytes,
                                                     uint64_t *ret_offset, struct lith_err *err);

/* Writes indexes, footer and the trailing magic. */
LITH_MUST_CHECK enum lith_code lith_file_writer_finish(struct lith_file_writer *writer,
                                                       const struct lith_key_value *key_values,
                                                       uint32_t key_value_count,
                                                       struct lith_err *err);

#endif
