/*
 * Reading one column chunk: its pages decoded to levels and values, a batch at a time.
 *
 * Memory is bounded by the work's budget whatever the sizes of pages and dictionary. Everything
 * is checked: page sizes against the chunk, CRCs, counts, levels, dictionary ids, rows.
 * parquet-splice.md sections 1.3 and 9.1, 5 to 8.
 */
#ifndef LITH_PARQUET_CHUNK_READER_H
#define LITH_PARQUET_CHUNK_READER_H

#include "base/work.h"
#include "codec/codec.h"
#include "parquet/footer.h"
#include "parquet/values.h"

struct lith_read_dictionary;

struct lith_batch {
    size_t position_count;      /* values and nulls; 0 = the chunk has ended */
    const uint16_t *def_levels; /* position_count entries; NULL when max_def is 0 */
    const uint16_t *rep_levels; /* NULL when max_rep is 0 */
    struct lith_values values;  /* those with def == max_def */
    bool page_start;            /* the first batch of a data page */
};

/* One chunk of a file: what a reader needs of the footer, so that callers with many files need not
 * hold all of theirs. Everything is borrowed. */
struct lith_chunk_ref {
    const struct lith_schema *schema;
    uint32_t row_group; /* for errors */
    uint32_t leaf;
    int64_t num_rows; /* of the row group */
    uint64_t footer_offset;
    struct lith_slice created_by;
    const struct lith_chunk_meta *meta;
    /* Of this chunk, read before: its page is passed over. NULL: it is read. */
    const struct lith_read_dictionary *dictionary;
};

/* A chunk of a footer that outlives it. */
struct lith_chunk_ref lith_chunk_ref_of(const struct lith_footer *footer, uint32_t row_group,
                                        uint32_t leaf);

/* Where the chunk ends in its file, at most: a few writers' sizes leave out the dictionary's
 * header. */
uint64_t lith_chunk_ref_end(const struct lith_chunk_ref *ref);

struct lith_chunk_reader;
struct lith_page;

/* A dictionary page that was read before, and where the chunk goes on behind it. */
struct lith_read_dictionary {
    uint32_t count;       /* entries */
    uint32_t page_index;  /* of the page behind it */
    uint64_t position;    /* of that page's header */
    uint64_t end;         /* of the chunk */
    struct lith_buf body; /* decompressed */
};

/*
 * A reader that goes through one chunk after another, and keeps its buffers in between.
 * `want_ids`: batches of dictionary pages have ids instead of values where the dictionary is held
 * in memory.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_new(struct lith_codec_context *codecs,
                                                     const struct lith_work *work, bool want_ids,
                                                     struct lith_chunk_reader **ret_reader,
                                                     struct lith_err *err);

/* Begins a chunk; the one before is let go. `source` and what `ref` points to outlive it. Reads
 * nothing yet, but checks the codec. */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_begin(struct lith_chunk_reader *reader,
                                                       struct lith_source *source,
                                                       const struct lith_chunk_ref *ref,
                                                       struct lith_err *err);

/* A reader for one chunk. `source`, what `ref` points to and `work` outlive it. */
LITH_MUST_CHECK enum lith_code
lith_chunk_reader_open_ref(struct lith_source *source, const struct lith_chunk_ref *ref,
                           struct lith_codec_context *codecs, const struct lith_work *work,
                           struct lith_chunk_reader **ret_reader, struct lith_err *err);

/* The same for a chunk of a footer that outlives the reader. */
LITH_MUST_CHECK enum lith_code
lith_chunk_reader_open(struct lith_source *source, const struct lith_footer *footer,
                       uint32_t row_group, uint32_t leaf, struct lith_codec_context *codecs,
                       const struct lith_work *work, struct lith_chunk_reader **ret_reader,
                       struct lith_err *err);

/*
 * The next batch: at most LITH_BATCH_POSITIONS positions of one page, borrowed until the next
 * call. At the end position_count is 0, and the whole chunk has been checked: values as in the
 * chunk metadata, rows as in the row group. Errors name row group, column, page and byte offset.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_next(struct lith_chunk_reader *reader,
                                                      struct lith_batch *ret_batch,
                                                      struct lith_err *err);

/*
 * Page by page: each data page may be read as batches, loaded and looked at as it is, or passed
 * over. What was passed over is counted by its header: rows of V1 pages of lists are then not
 * known, and not checked.
 */

/* The next data page, its body not read yet; NULL at the end. A page that was begun must have been
 * read to its end (asserted). */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_page(struct lith_chunk_reader *reader,
                                                      const struct lith_page **ret_page,
                                                      struct lith_err *err);
/* The next batch of the page at hand; position_count is 0 at its end. */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_page_batch(struct lith_chunk_reader *reader,
                                                            struct lith_batch *ret_batch,
                                                            struct lith_err *err);
/* Reads and decompresses the page at hand without decoding it; its bodies are then set. */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_page_load(struct lith_chunk_reader *reader,
                                                           struct lith_err *err);
/*
 * Counts the rows of the page at hand where its header does not say them: V1 pages of lists, which
 * are loaded and their levels checked. The rows of a chunk of such pages are checked at its end
 * only if all were decoded or counted.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_page_rows(struct lith_chunk_reader *reader,
                                                           struct lith_err *err);
/* Loads the page at hand and finds its values: where they begin in page->values, and how many. */
LITH_MUST_CHECK enum lith_code lith_chunk_reader_page_values(struct lith_chunk_reader *reader,
                                                             uint64_t *ret_begin,
                                                             uint64_t *ret_count,
                                                             struct lith_err *err);
/* The chunk's dictionary, known once the first data page was asked for; NULL: there is none. */
struct lith_dictionary *lith_chunk_reader_dictionary(struct lith_chunk_reader *reader);
/* The size of the dictionary's body, if lith_chunk_reader_dictionary_take can give it; else 0:
 * there is none, or it was not decompressed into memory. */
size_t lith_chunk_reader_dictionary_bytes(const struct lith_chunk_reader *reader);
/* Gives the dictionary away, for another reading of the chunk; the caller frees its body. The chunk
 * at hand must not be read any further. */
void lith_chunk_reader_dictionary_take(struct lith_chunk_reader *reader,
                                       struct lith_read_dictionary *ret_dictionary);
/* Puts row group, column, page and byte in front of a failure of what was done with the page. */
enum lith_code lith_chunk_reader_fail(struct lith_chunk_reader *reader, enum lith_code code,
                                      struct lith_err *err);

/* NULL is a no-op. */
void lith_chunk_reader_close(struct lith_chunk_reader *reader);

#endif
