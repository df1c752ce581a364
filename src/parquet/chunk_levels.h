/*
 * The levels of a data page: repetition and definition levels decoded a batch at a time, counted
 * and checked against their maximum.
 *
 * V1 pages have them in front of the values (RLE behind a 4-byte length, or the deprecated
 * BIT_PACKED), V2 pages in a part of their own. Encodings.md; parquet-splice.md section 9.1, 7.
 */
#ifndef LITH_PARQUET_CHUNK_LEVELS_H
#define LITH_PARQUET_CHUNK_LEVELS_H

#include "parquet/page_source.h"
#include "parquet/rle.h"

/* One of the two streams; a maximum of 0 has no bytes. */
struct lith_level_stream {
    const char *name; /* for errors */
    uint16_t max;
    unsigned width;
    bool bit_packed;
    bool msb_first; /* of BIT_PACKED: see lith_chunk_levels_begin */
    uint64_t begin; /* in the body */
    uint64_t end;
    struct lith_window window;
    struct lith_rle_decoder rle;
    uint16_t *levels; /* LITH_BATCH_POSITIONS entries; may be NULL when max is 0 */
    bool is_run;      /* those decoded last are all `run_level`, as is the whole array */
    uint16_t run_level;
};

/* Levels of one page. Entries [begin, end) of the arrays are decoded and not handed out. */
struct lith_chunk_levels {
    struct lith_level_stream rep;
    struct lith_level_stream def;
    struct lith_mem *mem;
    size_t begin;
    size_t end;
    uint64_t undecoded; /* positions of the page behind `end` */
    uint64_t rows;      /* found in the page so far: positions with repetition level 0 */
    uint64_t values;    /* found in the page so far: positions with the highest definition */
};

/*
 * Begins a chunk; zeroed levels, or those of another chunk, whose memory is used again.
 * `created_by` decides the order of bits of BIT_PACKED levels: the specification, and parquet-mr,
 * have the most significant bit first; Impala wrote the least significant one first.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_levels_begin(struct lith_chunk_levels *levels,
                                                       const struct lith_schema_node *leaf,
                                                       struct lith_slice created_by,
                                                       struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_chunk_levels_done(struct lith_chunk_levels *levels);

/*
 * Starts a data page. *ret_values_begin is where the values begin in page->values; *ret_count
 * how many there are (V1: counted; V2: as the header says). `err` must outlive the page.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_levels_open(struct lith_chunk_levels *levels,
                                                      const struct lith_page *page,
                                                      uint64_t *ret_values_begin,
                                                      uint64_t *ret_count, struct lith_err *err);

/* Decodes the next positions when none are waiting. */
LITH_MUST_CHECK enum lith_code lith_chunk_levels_fill(struct lith_chunk_levels *levels,
                                                      struct lith_err *err);

/* How many values are among the waiting positions. */
size_t lith_chunk_levels_values(const struct lith_chunk_levels *levels);

/* How many of the waiting positions hold `values` values: up to the next value, or all. */
size_t lith_chunk_levels_cut(const struct lith_chunk_levels *levels, size_t values);

#endif
