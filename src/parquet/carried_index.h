/*
 * The page index of a source chunk, as far as it agrees with itself, with the chunk's statistics
 * and with the pages that are seen when the chunk is walked.
 *
 * What it does not know, or says wrongly, is unknown; a damaged index is as good as none. Read once
 * per chunk of several pages (a chunk of one page needs none: its facts are the chunk's).
 * parquet-splice.md sections 2.2, 2.3 and 2.6.
 */
#ifndef LITH_PARQUET_CARRIED_INDEX_H
#define LITH_PARQUET_CARRIED_INDEX_H

#include "base/arena.h"
#include "parquet/facts.h"
#include "parquet/page_index.h"

/* A data page with values, as the walk of the chunk saw it. */
struct lith_walked_page {
    uint64_t offset;     /* of the header, in the source file */
    uint32_t bytes;      /* header and body, as they stand there */
    uint32_t num_values; /* nulls included; not 0 */
    int64_t rows;        /* V2: the header's num_rows; V1: -1. Ignored for flat columns */
};

struct lith_carried_index {
    const struct lith_schema_node *leaf;
    struct lith_trust trust;
    struct lith_offset_index offsets;
    struct lith_column_index columns;
    bool has_offsets; /* false: absent, damaged or contradicted */
    bool has_columns; /* never without offsets */
    uint32_t next_page;
    int64_t positions;      /* of the chunk */
    int64_t num_rows;       /* of the row group */
    int64_t positions_done; /* of the pages so far */
    int64_t rows_done;      /* -1: unknown */
    int64_t *room;          /* a synthesised histogram */
};

/* What a source says of a chunk's pages, and what is known of the chunk. All is borrowed. */
struct lith_carried_claims {
    const struct lith_schema_node *leaf;
    struct lith_trust trust;
    const struct lith_facts *chunk;
    int64_t num_rows;               /* of the row group */
    struct lith_slice offset_index; /* as they stand in the file; empty: absent */
    struct lith_slice column_index;
};

/*
 * Reads both indexes. Bytes that do not parse or do not fit the budget mean absent; parsed, each
 * takes up to 33 times its bytes, so callers bound these. The bytes live as long as the index.
 * Fails only for what small allocations fail for: NOMEM.
 */
LITH_MUST_CHECK enum lith_code lith_carried_index_read(const struct lith_carried_claims *claims,
                                                       struct lith_arena *arena,
                                                       struct lith_carried_index *ret_index,
                                                       struct lith_err *err);

/*
 * The facts of the next data page, and the rows in it; -1: unknown, and then it is unknown as well
 * whether it begins with a row. A page that contradicts its entry makes what the index says of it
 * and of all later pages unknown. Histograms are borrowed until the next call, slices from the
 * arena.
 */
void lith_carried_index_page(struct lith_carried_index *index, const struct lith_walked_page *page,
                             struct lith_facts *ret_facts, int64_t *ret_rows);

#endif
