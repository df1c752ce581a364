/*
 * Where the row groups of sorted rows end: as few as the limit asks for, but apart where many rows
 * have one first key.
 *
 * A long stretch (sort/key_stretches.h) has at least half the rows that a row group may have. It is
 * cut into equal parts, as are the rows between two of them; fewer rows than an eighth go with the
 * stretch before them, or the one behind where there is none. Pure but for its memory.
 */
#ifndef LITH_MERGE_GROUP_ENDS_H
#define LITH_MERGE_GROUP_ENDS_H

#include "base/checked.h"
#include "sort/key_stretches.h"

/* The rows of a long stretch. */
static inline uint64_t lith_group_ends_rows_min(uint64_t rows_max)
{
    return lith_parts_u64(rows_max, 2);
}

/* Row group i ends before row ends[i], where the next one begins; the first begins at row 0. */
struct lith_group_ends {
    struct lith_mem *mem;
    uint64_t *ends;
    size_t count;
};

/*
 * The ends for `row_count` rows, at most `rows_max` (not 0) in a row group. `stretches` are those
 * of at least the rows above, in their order, and may be NULL where there are none. The caller's to
 * end, also after a failure. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_group_ends_init(struct lith_group_ends *ends,
                                                    const struct lith_key_stretch *stretches,
                                                    size_t stretch_count, uint64_t row_count,
                                                    uint64_t rows_max, struct lith_mem *mem,
                                                    struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_group_ends_done(struct lith_group_ends *ends);

#endif
