/*
 * The structure of an output: what can be checked without decoding a value.
 * parquet-splice.md section 11.4, 3 to 7, 10 and 13.
 */
#ifndef LITH_VERIFY_STRUCTURE_H
#define LITH_VERIFY_STRUCTURE_H

#include "parquet/page_index.h"
#include "verify/seen.h"

/* The indexes of one chunk, in an arena; absent ones have no pages. */
struct lith_indexes {
    struct lith_offset_index offsets;
    struct lith_column_index columns;
    bool has_offsets;
    bool has_columns;
};

/* Counts of rows and groups, totals, order of chunks; everything above single chunks. */
LITH_MUST_CHECK enum lith_code lith_structure_file(const struct lith_footer *footer,
                                                   struct lith_err *err);

/* One chunk's metadata against what was seen of it. `ret_indexes` is read from the file into
 * `arena` and checked against the pages. */
LITH_MUST_CHECK enum lith_code
lith_structure_chunk(const struct lith_seen *seen, struct lith_source *source,
                     const struct lith_footer *footer, uint32_t row_group, uint32_t leaf,
                     struct lith_arena *arena, struct lith_indexes *ret_indexes,
                     struct lith_err *err);

#endif
