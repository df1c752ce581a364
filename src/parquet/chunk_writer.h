/*
 * Writing one column chunk: positions gathered to pages, and the choice of a dictionary.
 *
 * Pages close at a size or a row count, at a row border. While a dictionary is tried, closed
 * pages wait in a spool as levels and ids; once it is settled, chunk-wide, they are written as
 * dictionary pages or fed back as values. A full dictionary that pays keeps the pages it has.
 * parquet-splice.md sections 1.6 and 5.
 */
#ifndef LITH_PARQUET_CHUNK_WRITER_H
#define LITH_PARQUET_CHUNK_WRITER_H

#include "parquet/bloom.h"
#include "parquet/dictionary_builder.h"
#include "parquet/file_writer.h"
#include "parquet/page_writer.h"

/* Levels and ids of a page: the page being filled while a dictionary is tried, or one read back
 * from the spool. */
struct lith_page_levels {
    struct lith_buf def_levels; /* uint16_t each; empty where all are the highest */
    struct lith_buf rep_levels; /* uint16_t each */
    struct lith_buf ids;        /* uint32_t each */
    size_t position_count;
    size_t value_count;
    size_t row_count;
};

struct lith_chunk_writer {
    const struct lith_work *work;
    const struct lith_schema_node *leaf;
    struct lith_chunk_plan plan;
    int64_t num_rows;
    size_t width; /* of a value; 0 = byte arrays */
    struct lith_page_writer pages;

    /* The page being filled. Values stand in data and slices unless ids do. */
    struct lith_page_levels open;
    struct lith_buf data;
    struct lith_buf slices; /* byte arrays: struct lith_slice each, pointers set when it closes */
    size_t page_bytes;      /* what its values take in a body */
    size_t page_memory;     /* what it takes here */
    size_t page_plain_bytes;
    bool page_has_ids;   /* of the dictionary that is tried, or given */
    bool page_is_joined; /* `data` has the elements of SNAPPY blocks, values there are none */

    /* While a dictionary is tried. */
    bool collecting;
    struct lith_dictionary_builder dictionary;
    struct lith_spool spool; /* closed pages: a head, then levels and ids */
    uint32_t spooled_pages;
    uint32_t source_pages; /* that batches began */
    bool looked;           /* whether the trial is hopeless, early */
    uint64_t spooled_values;
    uint64_t spooled_rows;
    uint64_t spooled_plain_bytes;
    uint32_t spooled_entries; /* the first entries of the dictionary: those of whole pages */
    size_t spooled_entry_bytes;
    struct lith_page_levels loaded;
    struct lith_buf gathered; /* values of ids */
    struct lith_buf mapped;   /* ids of a batch in the given dictionary */
    struct lith_buf used;     /* bits: entries that a page has */

    struct lith_bloom bloom; /* bits NULL: none yet */
};

/* All given outlive the writer. Takes no memory yet. */
void lith_chunk_writer_init(struct lith_chunk_writer *writer, struct lith_sink *sink,
                            struct lith_codec_context *codecs, const struct lith_work *work);
void lith_chunk_writer_done(struct lith_chunk_writer *writer);

/* Begins a chunk of `num_rows` rows. */
LITH_MUST_CHECK enum lith_code lith_chunk_writer_begin(struct lith_chunk_writer *writer,
                                                       const struct lith_schema_node *leaf,
                                                       const struct lith_chunk_plan *plan,
                                                       int64_t num_rows, struct lith_err *err);
/* Adds positions. What is written follows from them and from where source pages begin, however they
 * are cut to batches, unless a dictionary is given. LIMIT, naming the size, for a value larger than
 * a share of the budget. */
LITH_MUST_CHECK enum lith_code lith_chunk_writer_add(struct lith_chunk_writer *writer,
                                                     const struct lith_batch *batch,
                                                     struct lith_err *err);
/*
 * Joined values: `facts->positions` PLAIN values of fixed width, none null, in a column without
 * lists, as elements of a SNAPPY block (snappy_join.h). They share pages with each other only.
 * lith_chunk_writer_joins says whether they may come now.
 */
bool lith_chunk_writer_joins(const struct lith_chunk_writer *writer);
LITH_MUST_CHECK enum lith_code lith_chunk_writer_join(struct lith_chunk_writer *writer,
                                                      const struct lith_facts *facts,
                                                      struct lith_slice elements,
                                                      struct lith_err *err);

/* As file_writer.h has them. */
LITH_MUST_CHECK enum lith_code lith_chunk_writer_source(struct lith_chunk_writer *writer,
                                                        const struct lith_facts *facts,
                                                        int64_t rows, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_chunk_writer_source_end(struct lith_chunk_writer *writer,
                                                            struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_chunk_writer_copy(struct lith_chunk_writer *writer,
                                                      const struct lith_copied_page *page,
                                                      struct lith_err *err);
void lith_chunk_writer_bloom_or(struct lith_chunk_writer *writer, struct lith_bloom *bloom);

/* Ends the chunk. *ret_meta is lith_page_writer_end's; indexes and the bloom filter are appended
 * to the buffers, where there are any. */
LITH_MUST_CHECK enum lith_code
lith_chunk_writer_end(struct lith_chunk_writer *writer, struct lith_buf *column_index,
                      struct lith_buf *offset_index, struct lith_buf *bloom,
                      struct lith_chunk_meta *ret_meta, struct lith_err *err);

#endif
