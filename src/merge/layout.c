/*
 * The layout of outputs: greedy, in the order of the inputs.
 */
#include "merge/layout.h"

#include "base/checked.h"

size_t lith_layout_row_group_end(const struct lith_unit *units, size_t count, size_t begin,
                                 const struct lith_layout_limits *limits)
{
    uint64_t bytes = units[begin].uncompressed_bytes;
    int64_t rows = units[begin].rows;
    size_t end = begin + 1;

    for (; end < count; end++) {
        if (!lith_add_u64(bytes, units[end].uncompressed_bytes, &bytes) ||
            !lith_add_i64(rows, units[end].rows, &rows))
            break;
        if (limits->row_group_bytes && bytes > limits->row_group_bytes)
            break;
        if (limits->row_group_rows && rows > limits->row_group_rows)
            break;
    }
    return end;
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
