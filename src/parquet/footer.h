/*
 * The footer: FileMetaData of parquet.thrift, parsed and checked.
 *
 * Everything borrowed lives in the arena given to lith_footer_read. After a successful read these
 * hold: the schema is linked; every row group has one chunk per leaf, in leaf order, of the leaf's
 * type and path; counts are not negative and sum without overflow; a flat column has as many
 * positions as its row group has rows, a repeated one at least as many; every chunk's byte range
 * lies between the leading magic and the footer, and ranges do not overlap. What else a file claims
 * is checked by those who use it. research: parquet-splice.md section 9.1, 1 to 5.
 */
#ifndef LITH_PARQUET_FOOTER_H
#define LITH_PARQUET_FOOTER_H

#include "base/source.h"
#include "parquet/schema.h"

struct lith_key_value {
    struct lith_slice key;
    struct lith_slice value; /* data NULL: absent, which is not the same as empty */
};

/* Statistics as they stand in a file. Bounds are borrowed; data NULL = absent. Deprecated `min`
 * and `max` are kept apart: they are shown, never believed. */
struct lith_statistics {
    struct lith_slice min_value;
    struct lith_slice max_value;
    struct lith_slice legacy_min;
    struct lith_slice legacy_max;
    bool has_null_count;
    bool has_distinct_count;
    bool has_nan_count;
    bool min_exact; /* absent = false */
    bool max_exact;
    int64_t null_count;
    int64_t distinct_count;
    int64_t nan_count;
};

struct lith_size_statistics {
    bool present;
    bool has_unencoded_bytes;
    int64_t unencoded_bytes; /* BYTE_ARRAY only */
    int64_t *rep_histogram;  /* max_rep + 1 entries, or NULL */
    int64_t *def_histogram;  /* max_def + 1 entries, or NULL */
};

struct lith_encoding_stat {
    int32_t page_type;
    int32_t encoding;
    int32_t count;
};

/* ColumnMetaData and the index fields of ColumnChunk. */
struct lith_chunk_meta {
    int codec; /* enum lith_codec; unknown numbers are refused when the chunk is opened */
    int64_t num_values;
    int64_t total_uncompressed_size;
    int64_t total_compressed_size;
    int64_t data_page_offset;
    int64_t dictionary_page_offset; /* 0 = absent (an offset of 0 is a lie writers tell) */
    int64_t offset_index_offset;    /* 0 = absent, also below */
    int64_t column_index_offset;
    int64_t bloom_filter_offset;
    int32_t offset_index_length;
    int32_t column_index_length;
    int32_t bloom_filter_length; /* 0 = unknown */
    uint32_t encodings;          /* bit n = enum lith_encoding n */
    struct lith_statistics statistics;
    struct lith_size_statistics size_statistics;
    struct lith_encoding_stat *encoding_stats;
    uint32_t encoding_stat_count;
    struct lith_key_value *key_values;
    uint32_t key_value_count;
    struct lith_slice geospatial; /* raw GeospatialStatistics, or empty */
};

struct lith_sorting_column {
    int32_t column_index;
    bool descending;
    bool nulls_first;
};

struct lith_row_group {
    struct lith_chunk_meta *chunks; /* one per leaf */
    int64_t num_rows;
    int64_t total_byte_size;
    struct lith_sorting_column *sorting_columns;
    uint32_t sorting_column_count;
};

/* One entry of column_orders. */
enum lith_column_order {
    LITH_ORDER_UNDEFINED = 0, /* absent, or a member we do not know */
    LITH_ORDER_TYPE = 1,      /* TYPE_ORDER */
    LITH_ORDER_IEEE754 = 2,   /* IEEE_754_TOTAL_ORDER */
    LITH_ORDER_INT96 = 3,     /* INT96_TIMESTAMP_ORDER */
};

struct lith_footer {
    int32_t version;
    int64_t num_rows;
    uint64_t footer_offset; /* where the footer's thrift begins in the file */
    uint32_t footer_bytes;
    struct lith_schema schema;
    struct lith_row_group *row_groups;
    uint32_t row_group_count;
    struct lith_key_value *key_values;
    uint32_t key_value_count;
    struct lith_slice created_by;
    uint8_t *column_orders; /* enum lith_column_order per leaf, or NULL when absent */
};

/*
 * Reads and checks the footer of a file in one or two reads. CORRUPT names the byte offset.
 * UNSUPPORTED: encrypted footers or columns (magic PARE, encryption_algorithm, crypto metadata),
 * chunks in other files (file_path). LIMIT: the footer does not fit the arena's budget.
 * A chunk without values has its offsets and compressed size cleared: it has no pages to read.
 * num_rows of the footer need not equal the sum of the row groups (files lie): the row groups
 * count, and *ret->num_rows is their sum, unless the two differ and the footer says more than 0:
 * then CORRUPT.
 */
LITH_MUST_CHECK enum lith_code lith_footer_read(struct lith_source *source,
                                                struct lith_arena *arena,
                                                struct lith_footer *ret_footer,
                                                struct lith_err *err);

/* The value of a key, or NULL. The last one counts where a key stands twice. */
const struct lith_key_value *lith_footer_key(const struct lith_footer *footer, const char *key);
const struct lith_key_value *lith_footer_key_slice(const struct lith_footer *footer,
                                                   struct lith_slice key);

#endif
