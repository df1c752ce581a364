/*
 * Walking the pages of a column chunk: headers checked, bodies checked and decompressed.
 *
 * Gives dictionary and data pages in order and leaves out what holds no values (index pages,
 * unknown pages, pages of zero values). The walk ends when the chunk's num_values have come, and
 * fails where it would leave the chunk's total_compressed_size, to which the header of a dictionary
 * page is added for writers that forgot it (PARQUET-816). A body that does not fit its share of the
 * budget stays in the file, or is decompressed into a scratch spool. parquet-splice.md sections 1.1
 * to 1.3 and 9.1, 6.
 */
#ifndef LITH_PARQUET_PAGE_SOURCE_H
#define LITH_PARQUET_PAGE_SOURCE_H

#include "base/work.h"
#include "codec/codec.h"
#include "parquet/chunk_reader.h"
#include "parquet/page_header.h"
#include "parquet/window.h"
#include "parquet/writer_version.h"

struct lith_page {
    struct lith_page_header header; /* statistics borrowed until the next page */
    uint32_t header_bytes;
    uint64_t offset; /* of the header in the file */
    bool is_v2;
    struct lith_body levels; /* V2: repetition, then definition levels; V1: same as values */
    struct lith_body values; /* V2: the values alone; V1: levels, then values */
};

/* Where the bodies of one kind of page are kept. */
struct lith_page_room {
    struct lith_buf stored; /* as in the file */
    struct lith_buf plain;  /* decompressed */
    struct lith_spool spool;
};

/* Half a share for the dictionary's body, half for a page's: with more, they stay outside. */
static inline size_t lith_page_bytes_max(const struct lith_work *work)
{
    return lith_work_share(work) / 2;
}

struct lith_page_source {
    struct lith_source *source;
    const struct lith_chunk_meta *meta;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    uint64_t position;    /* of the next header */
    uint64_t end;         /* of the chunk */
    uint64_t end_max;     /* the footer */
    uint64_t values_left; /* of the chunk */
    uint32_t page_index;  /* of the page that `page_offset` is about; skipped ones count */
    uint64_t page_offset;
    bool always_compressed; /* V2 pages whose header says otherwise (ARROW-10100) */
    bool size_lacks_header; /* of the dictionary page */
    bool has_dictionary;
    bool has_data;
    bool started;              /* a header was looked for */
    bool dictionary_in_source; /* its values are looked up there while data pages are decoded */
    struct lith_read_dictionary passed; /* the dictionary page, but for its body */
    struct lith_buf head; /* bytes from page_offset on, as far as they had to be copied */
    struct lith_page_room dictionary;
    struct lith_page_room data;
};

/* Where the pages of a chunk begin: the dictionary page, if it is in front, else the data. */
int64_t lith_chunk_start(const struct lith_chunk_meta *meta);

/* `codecs` and `work` outlive it. Takes no memory yet. */
void lith_page_source_init(struct lith_page_source *pages, struct lith_codec_context *codecs,
                           const struct lith_work *work);
/* Begins a chunk; what was kept of the one before is let go. Reads nothing yet. `source` and what
 * `ref` points to outlive it. UNSUPPORTED for the codec. */
LITH_MUST_CHECK enum lith_code lith_page_source_begin(struct lith_page_source *pages,
                                                      struct lith_source *source,
                                                      const struct lith_chunk_ref *ref,
                                                      struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_page_source_done(struct lith_page_source *pages);

/*
 * The next dictionary or data page; *ret_end when all values have come. A dictionary page comes
 * with its body, which stays valid; a data page without: it may be passed over, or loaded.
 */
LITH_MUST_CHECK enum lith_code lith_page_source_next(struct lith_page_source *pages,
                                                     struct lith_page *ret_page, bool *ret_end,
                                                     struct lith_err *err);
/* Fills in the body of the data page that came last, valid until the next load. */
LITH_MUST_CHECK enum lith_code lith_page_source_load(struct lith_page_source *pages,
                                                     struct lith_page *page, struct lith_err *err);

#endif
