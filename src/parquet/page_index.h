/*
 * Page indexes: ColumnIndex and OffsetIndex, built while pages are written, and read back.
 *
 * A builder collects one entry per data page and appends the Thrift forms at the end of a chunk.
 * Boundary order is always recomputed. PageIndex.md; parquet-splice.md section 2.
 */
#ifndef LITH_PARQUET_PAGE_INDEX_H
#define LITH_PARQUET_PAGE_INDEX_H

#include "base/arena.h"
#include "parquet/bounds.h"

enum lith_boundary_order {
    LITH_BOUNDARY_UNORDERED = 0,
    LITH_BOUNDARY_ASCENDING = 1,
    LITH_BOUNDARY_DESCENDING = 2,
};

/* One data page, as the builder is told of it. What is unknown of one page is not written of any:
 * a list that says nothing of a page cannot be. */
struct lith_index_page {
    int64_t offset;    /* of the page header in the file */
    int32_t bytes;     /* header included */
    int64_t first_row; /* in the row group */
    const struct lith_bounds *bounds;
    int64_t unencoded_bytes;      /* BYTE_ARRAY values without lengths; -1: unknown */
    const int64_t *rep_histogram; /* max_rep + 1, or NULL when max_rep is 0, or unknown */
    const int64_t *def_histogram; /* max_def + 1, or NULL when max_def is 0, or unknown */
};

struct lith_index_builder;

/* For one chunk of a leaf column. Bounds are truncated to LITH_INDEX_BOUND_BYTES_MAX. */
LITH_MUST_CHECK enum lith_code lith_index_builder_new(struct lith_mem *mem,
                                                      const struct lith_schema_node *leaf,
                                                      struct lith_index_builder **ret_builder,
                                                      struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_index_builder_add(struct lith_index_builder *builder,
                                                      const struct lith_index_page *page,
                                                      struct lith_err *err);
/* A page began inside a row: no OffsetIndex, and so no ColumnIndex, can be written. */
void lith_index_builder_drop(struct lith_index_builder *builder);
/*
 * Appends the ColumnIndex to `column_index` and the OffsetIndex to `offset_index`. Nothing is
 * appended where one must not be written: no ColumnIndex for an undefined order, for a page that
 * may have values but no bounds, or a page of nothing but NaN. Lists that are not known of every
 * page are left out, histograms both together.
 */
LITH_MUST_CHECK enum lith_code lith_index_builder_finish(struct lith_index_builder *builder,
                                                         struct lith_buf *column_index,
                                                         struct lith_buf *offset_index,
                                                         struct lith_err *err);
void lith_index_builder_free(struct lith_index_builder *builder);

/* Appends to `to` the OffsetIndex in `from`, one that a builder made, with `shift` added to the
 * offsets of its pages. */
LITH_MUST_CHECK enum lith_code lith_offset_index_shift(struct lith_slice from, int64_t shift,
                                                       struct lith_buf *to, struct lith_err *err);

struct lith_page_location {
    int64_t offset;
    int32_t bytes;
    int64_t first_row;
};

struct lith_offset_index {
    struct lith_page_location *pages;
    uint32_t page_count;
    int64_t *unencoded_bytes; /* page_count entries, or NULL */
};

struct lith_column_index {
    bool *null_pages;
    struct lith_slice *min_values;
    struct lith_slice *max_values;
    int64_t *null_counts;    /* or NULL */
    int64_t *nan_counts;     /* or NULL */
    int64_t *rep_histograms; /* page_count * (max_rep + 1), or NULL */
    int64_t *def_histograms; /* page_count * (max_def + 1), or NULL */
    uint32_t rep_histogram_count;
    uint32_t def_histogram_count;
    uint32_t page_count;
    enum lith_boundary_order boundary_order;
};

/* Parse; slices borrow from `data`, arrays from the arena. CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_offset_index_parse(const uint8_t *data, size_t bytes,
                                                       struct lith_arena *arena,
                                                       struct lith_offset_index *ret_index,
                                                       struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_column_index_parse(const uint8_t *data, size_t bytes,
                                                       struct lith_arena *arena,
                                                       struct lith_column_index *ret_index,
                                                       struct lith_err *err);

#endif
