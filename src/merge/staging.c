/*
 * Which inputs are staged.
 */
#include "merge/staging.h"

bool lith_staging_takes(const struct lith_staging *staging, uint64_t file_bytes,
                        uint64_t row_group_bytes)
{
    if (file_bytes > staging->file_bytes_max || staging->input_count <= staging->open_files_max)
        return false;
    return staging->row_group_bytes == 0 ||
           row_group_bytes < staging->row_group_bytes / staging->open_files_max;
}
