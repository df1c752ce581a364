/*
 * Which inputs are staged: the thresholds and why they stand where they do.
 */
#include "merge/staging.h"

#include "base/limits.h"

bool lith_staging_by_size(const struct lith_staging *staging, uint64_t file_bytes,
                          uint64_t chunk_count)
{
    if (file_bytes > staging->file_bytes_max)
        return false;
    if (file_bytes <= LITH_STAGE_FILE_BYTES)
        return true;
    return chunk_count > 0 && file_bytes / chunk_count < LITH_STAGE_CHUNK_BYTES;
}

bool lith_staging_by_footer(const struct lith_staging *staging, uint64_t file_bytes,
                            uint64_t row_group_bytes)
{
    if (file_bytes > staging->file_bytes_max || staging->input_count <= staging->open_files_max)
        return false;
    return staging->row_group_bytes == 0 ||
           row_group_bytes < staging->row_group_bytes / staging->open_files_max;
}
