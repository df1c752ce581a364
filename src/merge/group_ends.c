/*
 * Ends of row groups: pieces that do not mix with others, and their equal parts.
 */
#include "merge/group_ends.h"

#include "base/array.h"

/* Fewer rows than this part of a row group are not worth one of their own. */
#define GAP_PART 8u

/* Cuts the rows from the last end on, up to `end`, into equal parts. */
static enum lith_code piece_cut(struct lith_group_ends *ends, uint64_t end, uint64_t rows_max,
                                struct lith_err *err)
{
    uint64_t row = ends->count ? ends->ends[ends->count - 1] : 0;

    if (row == end)
        return LITH_OK;
    uint64_t part = lith_parts_u64(end - row, lith_parts_u64(end - row, rows_max));
    while (row < end) {
        void *array = ends->ends;
        LITH_TRY(lith_array_grow(ends->mem, &array, ends->count, sizeof(*ends->ends), err));
        ends->ends = array;
        row += lith_min_u64(part, end - row);
        ends->ends[ends->count++] = row;
    }
    return LITH_OK;
}

enum lith_code lith_group_ends_init(struct lith_group_ends *ends,
                                    const struct lith_key_stretch *stretches, size_t stretch_count,
                                    uint64_t row_count, uint64_t rows_max, struct lith_mem *mem,
                                    struct lith_err *err)
{
    uint64_t gap_min = rows_max / GAP_PART;
    uint64_t end = 0; /* of the stretch before; 0: none yet */

    LITH_ASSERT(rows_max > 0);
    *ends = (struct lith_group_ends){.mem = mem};
    for (size_t i = 0; i < stretch_count; i++) {
        const struct lith_key_stretch *next = &stretches[i];
        bool apart = next->begin - end >= gap_min;
        LITH_ASSERT(next->begin >= end);
        if (apart)
            LITH_TRY(piece_cut(ends, end, rows_max, err));
        if (apart || end > 0)
            LITH_TRY(piece_cut(ends, next->begin, rows_max, err));
        end = next->end;
    }
    LITH_ASSERT(end <= row_count);
    if (row_count - end >= gap_min)
        LITH_TRY(piece_cut(ends, end, rows_max, err));
    return piece_cut(ends, row_count, rows_max, err);
}

void lith_group_ends_done(struct lith_group_ends *ends)
{
    lith_free(ends->ends);
    *ends = (struct lith_group_ends){0};
}
