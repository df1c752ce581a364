/*
 * The pages of one chunk on their way out: encoded, compressed, with a CRC, and counted.
 *
 * A page goes in three steps, so that the caller can let go of large values before they are
 * compressed: its values are noted (bounds, sizes), it is encoded, it is put into the sink. What
 * the chunk's metadata and indexes say is what went through here. Data pages are V1.
 */
#ifndef LITH_PARQUET_PAGE_WRITER_H
#define LITH_PARQUET_PAGE_WRITER_H

#include "base/work.h"
#include "codec/codec.h"
#include "parquet/facts.h"
#include "parquet/page_header.h"
#include "parquet/page_index.h"

/* A data page that is to be encoded. Exactly one of values and ids counts. */
struct lith_new_page {
    const uint16_t *def_levels; /* NULL when all are max_def */
    const uint16_t *rep_levels; /* NULL when max_rep is 0 */
    size_t position_count;
    size_t row_count; /* rows that begin in it */
    enum lith_encoding encoding;
    struct lith_values values;
    const uint32_t *ids; /* RLE_DICTIONARY; NULL = values */
    size_t id_count;
    uint32_t dictionary_count;
    bool keeps_encoding; /* RLE_DICTIONARY, although there is no id; else nulls alone are PLAIN */
};

struct lith_page_writer {
    struct lith_sink *sink;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    const struct lith_schema_node *leaf;
    struct lith_index_builder *index;
    struct lith_buf body;
    struct lith_buf compressed;
    struct lith_buf header;
    struct lith_buf room; /* truncated bounds of the chunk's statistics */
    struct lith_bounds page_bounds;
    struct lith_bounds chunk_bounds;
    int64_t *histograms; /* page rep, page def, chunk rep, chunk def */
    size_t histogram_count;
    int64_t page_unencoded_bytes;
    int64_t chunk_unencoded_bytes;
    int64_t rows;
    uint32_t data_pages[2][LITH_ENCODING_COUNT]; /* V1, V2 */
    struct lith_encoding_stat stats[2 * LITH_ENCODING_COUNT + 1];
    struct lith_page_header page;  /* of the page encoded and not put yet, or being copied */
    bool is_covered;               /* the chunk knows of these pages by the facts of their source */
    bool histograms_unknown;       /* of the chunk */
    bool unencoded_unknown;        /* likewise */
    int64_t source_rows;           /* the chunk's rows where the open source ends */
    struct lith_index_page copied; /* of the page being copied */
    uint64_t copied_left;          /* bytes of its body that are still to come */
    uint64_t packed_plain_bytes;   /* of pages of PLAIN values that were compressed here */
    uint64_t packed_stored_bytes;
    bool page_inside; /* it begins inside a row */
    size_t page_rows;
    struct lith_chunk_meta meta;
};

void lith_page_writer_init(struct lith_page_writer *writer, struct lith_sink *sink,
                           struct lith_codec_context *codecs, const struct lith_work *work);
void lith_page_writer_done(struct lith_page_writer *writer);

/* Begins a chunk. `leaf` outlives it. */
LITH_MUST_CHECK enum lith_code lith_page_writer_begin(struct lith_page_writer *writer,
                                                      const struct lith_schema_node *leaf,
                                                      enum lith_codec codec, struct lith_err *err);

/* Writes the dictionary page, which comes first: `count` PLAIN values. */
LITH_MUST_CHECK enum lith_code lith_page_writer_dictionary(struct lith_page_writer *writer,
                                                           struct lith_slice plain, uint32_t count,
                                                           struct lith_err *err);

/* Notes values of the page that is encoded next; any number of calls. */
LITH_MUST_CHECK enum lith_code lith_page_writer_note(struct lith_page_writer *writer,
                                                     const struct lith_values *values,
                                                     struct lith_err *err);
/* The same for pages of ids of byte arrays: the bounds of values that occur, any number of calls;
 * then how many values there are, and their bytes. */
LITH_MUST_CHECK enum lith_code lith_page_writer_note_distinct(struct lith_page_writer *writer,
                                                              const struct lith_values *values,
                                                              struct lith_err *err);
void lith_page_writer_note_counts(struct lith_page_writer *writer, int64_t values, int64_t bytes);
/* Encodes a page, whose values have all been noted, and needs it no more. A page without values
 * becomes PLAIN: an empty dictionary or delta body is read by few. */
LITH_MUST_CHECK enum lith_code lith_page_writer_encode(struct lith_page_writer *writer,
                                                       const struct lith_new_page *page,
                                                       struct lith_err *err);
/*
 * Instead of encoding: a page of `count` PLAIN values, none of them null, in a column without
 * lists. `values` is what follows the levels in a SNAPPY block of `plain_bytes` behind them; what
 * is known of the values was noted with lith_page_writer_note_facts. Writes the page.
 */
struct lith_joined_page {
    size_t count;
    uint64_t plain_bytes;
    struct lith_slice values; /* elements of a block */
};
LITH_MUST_CHECK enum lith_code lith_page_writer_put_joined(struct lith_page_writer *writer,
                                                           const struct lith_joined_page *page,
                                                           struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_page_writer_note_facts(struct lith_page_writer *writer,
                                                           const struct lith_facts *facts,
                                                           struct lith_err *err);
/* Compresses and writes the page encoded last. CANCELLED. */
LITH_MUST_CHECK enum lith_code lith_page_writer_put(struct lith_page_writer *writer,
                                                    struct lith_err *err);

/*
 * Copied pages: bodies as they stand in a source, compressed with the chunk's codec, under new
 * headers. What metadata and indexes say of them comes from facts.
 */

/*
 * Begins the pages of a source of `rows` rows. With `facts`, these are what the chunk's metadata
 * says of all pages until the end of the source, copied or encoded; without (NULL), each copied
 * page's own facts are.
 */
LITH_MUST_CHECK enum lith_code lith_page_writer_source(struct lith_page_writer *writer,
                                                       const struct lith_facts *facts, int64_t rows,
                                                       struct lith_err *err);
void lith_page_writer_source_end(struct lith_page_writer *writer);

struct lith_copied_page {
    struct lith_page_header header; /* as it is to stand in the output; statistics are left out */
    const struct lith_facts *facts; /* of its positions */
    int64_t rows; /* that begin in it; -1: not known, nor whether it begins with a row */
};

/* Writes the header of a page; compressed_bytes of body must follow, in any number of parts. */
LITH_MUST_CHECK enum lith_code lith_page_writer_copy(struct lith_page_writer *writer,
                                                     const struct lith_copied_page *page,
                                                     struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_page_writer_copy_bytes(struct lith_page_writer *writer,
                                                           const void *data, size_t bytes,
                                                           struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_page_writer_copy_end(struct lith_page_writer *writer,
                                                         struct lith_err *err);

/*
 * Ends the chunk: *ret_meta has all but the places of indexes and bloom filter, and points into
 * the writer until the next chunk. Appends the indexes to the buffers, where there are any.
 */
LITH_MUST_CHECK enum lith_code lith_page_writer_end(struct lith_page_writer *writer,
                                                    struct lith_buf *column_index,
                                                    struct lith_buf *offset_index,
                                                    struct lith_chunk_meta *ret_meta,
                                                    struct lith_err *err);

#endif
