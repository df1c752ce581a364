/*
 * The layout of outputs: greedy, in the order of the inputs.
 */
#include "merge/layout.h"

#include "base/checked.h"

/* The group with one more unit; false when it would pass a bound. */
static bool takes(const struct lith_layout_row_group *group, const struct lith_unit *unit,
                  const struct lith_layout_limits *limits, struct lith_layout_row_group *ret_group)
{
    struct lith_layout_row_group more = {.unit_count = group->unit_count + 1};

    if (group->unit_count == 0 ||
        !lith_add_u64(group->uncompressed_bytes, unit->uncompressed_bytes,
                      &more.uncompressed_bytes) ||
        !lith_add_i64(group->rows, unit->rows, &more.rows))
        return false;
    if (limits->row_group_bytes && more.uncompressed_bytes > limits->row_group_bytes)
        return false;
    if (limits->row_group_rows && more.rows > limits->row_group_rows)
        return false;
    *ret_group = more;
    return true;
}

bool lith_layout_begins(struct lith_layout_row_group *group, const struct lith_unit *unit,
                        const struct lith_layout_limits *limits)
{
    if (takes(group, unit, limits, group))
        return false;
    *group = (struct lith_layout_row_group){
        .unit_count = 1, .uncompressed_bytes = unit->uncompressed_bytes, .rows = unit->rows};
    return true;
}

uint64_t lith_layout_file_count(uint64_t input_bytes, uint64_t file_bytes)
{
    if (file_bytes == 0)
        return 1;
    uint64_t count = input_bytes / file_bytes;
    if (input_bytes % file_bytes >= file_bytes - file_bytes / 2)
        count++;
    return lith_max_u64(count, 1);
}

uint64_t lith_layout_file_goal(uint64_t left_bytes, uint64_t files_left)
{
    return files_left <= 1 ? UINT64_MAX : left_bytes / files_left;
}

uint64_t lith_layout_scaled(uint64_t left_bytes, uint64_t made_bytes, uint64_t taken_bytes)
{
    if (taken_bytes == 0)
        return left_bytes;
    /* Sizes have 53 bits at most, and this is a guess: doubles are exact enough. */
    double scaled = (double)left_bytes * ((double)made_bytes / (double)taken_bytes);
    return scaled >= (double)(UINT64_MAX / 2) ? UINT64_MAX / 2 : (uint64_t)scaled;
}
