/*
 * One source chunk of a merge: what is needed of its metadata, and its bytes where they are at
 * hand.
 *
 * A footer is held while its file is planned, not longer. What a merge asks of a chunk later is
 * written into a record of some fifty bytes; nothing outside this process reads it.
 */
#ifndef LITH_MERGE_SOURCE_CHUNK_H
#define LITH_MERGE_SOURCE_CHUNK_H

#include "base/limits.h"
#include "parquet/facts.h"
#include "parquet/footer.h"

struct lith_source_chunk {
    /* Offsets are those of the input file. Set are: codec, num_values, sizes, the offsets and
     * lengths of pages, indexes (that of columns only where its bounds are trusted) and bloom
     * filter, encodings. All else is zero: statistics are in `facts`. */
    struct lith_chunk_meta meta;
    struct lith_facts facts;
    struct lith_trust trust;   /* in what its column index says */
    uint32_t unit;             /* index of the unit */
    bool is_absent;            /* the source lacks the column: all else is of a leaf beside it */
    bool is_void;              /* then: that leaf is the column, and has nothing but nulls */
    bool is_narrow;            /* its values are to be widened */
    uint32_t data_page_count;  /* by encoding_stats; 0: unknown */
    uint32_t plain_page_count; /* those of them whose values are no dictionary ids */
    uint64_t pages_offset;     /* of the chunk's first byte in the input file */
    bool is_staged;            /* the slices below are the chunk; else it is to be read */
    struct lith_slice pages;   /* from pages_offset on */
    /* Those that the chunk has; the indexes only where it may have more than one data page. */
    struct lith_slice offset_index;
    struct lith_slice column_index;
    struct lith_slice bloom_filter; /* only where its length is known */
};

/* Entries of a level histogram: one more than the deepest level of a schema. */
#define LITH_HISTOGRAM_ENTRIES_MAX (LITH_SCHEMA_DEPTH_MAX + 1u)

/* Room for any record: its numbers, two histograms, two bounds. */
#define LITH_SOURCE_RECORD_BYTES_MAX (16u << 10)

/*
 * What a footer says of a chunk, borrowed from it and from the arena. `bytes` is a memory source
 * over the input file, or over the part of it that was read, at the file's offsets; NULL: the chunk
 * is not staged. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code
lith_source_chunk_take(const struct lith_footer *footer, uint32_t row_group, uint32_t leaf,
                       struct lith_source *bytes, struct lith_arena *arena,
                       struct lith_source_chunk *ret_chunk, struct lith_err *err);

/* A column that is not there, in a source row group of `rows` rows; no leaf is read for it. */
struct lith_source_chunk lith_source_chunk_absent(int64_t rows);

/* Bytes of the staged slices together. */
size_t lith_source_chunk_staged_bytes(const struct lith_source_chunk *chunk);

/* Writes the record of a chunk of `leaf` (all but `unit` and what the staged slices hold); the
 * number of its bytes. */
size_t lith_source_chunk_write(const struct lith_source_chunk *chunk,
                               const struct lith_schema_node *leaf,
                               uint8_t room[LITH_SOURCE_RECORD_BYTES_MAX]);

/*
 * Reads a record back. Bounds borrow from it, histograms from `room` (2 *
 * LITH_HISTOGRAM_ENTRIES_MAX). The staged slices have their lengths, and no data yet. CORRUPT when
 * it is not what was written.
 */
LITH_MUST_CHECK enum lith_code lith_source_chunk_read(struct lith_slice record, int64_t *room,
                                                      struct lith_source_chunk *ret_chunk,
                                                      struct lith_err *err);

/* Forgets that the chunk was staged: it is to be read. */
void lith_source_chunk_unstage(struct lith_source_chunk *chunk);

/* Gives the staged slices their data: `data` is pages, offset index, column index, bloom filter,
 * one behind the other. */
void lith_source_chunk_place(struct lith_source_chunk *chunk, const uint8_t *data);

#endif
