/*
 * The layout of outputs: which source row groups form an output row group, and when a file ends.
 *
 * Three bounds that have nothing to do with each other: heap (the budget), row group (uncompressed
 * bytes of the source chunks, rows), file (bytes written). Pure functions. DESIGN.md section 6.3.
 */
#ifndef LITH_MERGE_LAYOUT_H
#define LITH_MERGE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One source row group. */
struct lith_unit {
    uint32_t input;
    uint32_t row_group;
    int64_t rows;
    uint64_t uncompressed_bytes;
    uint64_t compressed_bytes;
};

struct lith_layout_limits {
    uint64_t row_group_bytes; /* 0: no bound */
    int64_t row_group_rows;   /* 0: no bound */
    uint64_t file_bytes;      /* 0: one file */
};

/* What the output row group that is being filled holds so far; zeroed before the first unit. */
struct lith_layout_row_group {
    size_t unit_count;
    uint64_t uncompressed_bytes;
    int64_t rows;
};

/* Takes the next unit: true when it begins a new row group, since the one before would pass a bound
 * with it (or there is none). A row group holds at least one unit. */
bool lith_layout_begins(struct lith_layout_row_group *group, const struct lith_unit *unit,
                        const struct lith_layout_limits *limits);

/* How many files `input_bytes` make: max(1, round(input_bytes / file_bytes)). */
uint64_t lith_layout_file_count(uint64_t input_bytes, uint64_t file_bytes);

/*
 * The bytes written at which a file ends, told when it begins: what is left divided by the files
 * left. UINT64_MAX for the last one. `left_bytes` are compressed bytes of units not yet taken.
 */
uint64_t lith_layout_file_goal(uint64_t left_bytes, uint64_t files_left);

/* What `left_bytes` will make, if `taken_bytes` made `made_bytes`; nothing was taken: as many. */
uint64_t lith_layout_scaled(uint64_t left_bytes, uint64_t made_bytes, uint64_t taken_bytes);

#endif
