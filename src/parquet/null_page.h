/*
 * Pages of nulls: what a source has of a column it lacks.
 *
 * PLAIN and without values, which every reader takes, also between dictionary pages. The levels
 * are 0 only where the whole column is missing from the root on: inside a group that the source
 * has, they are those of another leaf of the group, cut off at the group. parquet-splice.md
 * sections 5 ("Null pages") and 6.3.
 */
#ifndef LITH_PARQUET_NULL_PAGE_H
#define LITH_PARQUET_NULL_PAGE_H

#include "codec/codec.h"
#include "parquet/page_header.h"
#include "parquet/schema.h"

/* Levels of positions; rep_levels is NULL where all are 0. */
struct lith_levels {
    const uint16_t *rep_levels;
    const uint16_t *def_levels;
    size_t count;
};

/*
 * The levels of a leaf that is missing below a group, from those of any leaf that is there: a
 * position of the group has the leaf's repetition level and, of its definition level, what the
 * group reaches. Positions that only a list below the group repeats are left out. `group_rep`
 * and `group_def` are the group's own max_rep and max_def (both 0 for the root).
 *
 * Writes at most sibling->count entries and returns how many. The outputs may be the inputs'
 * arrays; ret_rep may be NULL when the missing leaf has max_rep 0. Pure: batches may be cut
 * anywhere.
 */
size_t lith_levels_clip(const struct lith_levels *sibling, uint16_t group_rep, uint16_t group_def,
                        uint16_t *ret_rep, uint16_t *ret_def);

/*
 * Appends the stored body of a V1 page of nulls of `leaf`, and gives its header with CRC: `count`
 * rows (1 to LITH_PAGE_POSITIONS_MAX) that all have definition level `level`, below the leaf's
 * max_def, and no list before it: the column, or a group of its path, is missing from where `level`
 * groups are always there. Takes the same time for any count. `to` must have room for the
 * compressed levels. UNSUPPORTED for codecs that are not written.
 */
LITH_MUST_CHECK enum lith_code
lith_null_page_run(struct lith_codec_context *codecs, enum lith_codec codec,
                   const struct lith_schema_node *leaf, uint32_t count, uint16_t level,
                   struct lith_buf *to, struct lith_page_header *ret_header, struct lith_err *err);

#endif
