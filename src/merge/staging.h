/*
 * Which inputs are read whole while a merge is planned, and their chunks staged in column runs.
 *
 * Two reasons: small reads cost more than a copy of the bytes (docs/reading-inputs.md), and no
 * input should be opened more than twice. Pure.
 */
#ifndef LITH_MERGE_STAGING_H
#define LITH_MERGE_STAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lith_staging {
    size_t file_bytes_max;    /* larger ones are never read whole */
    size_t input_count;       /* of the merge */
    size_t open_files_max;    /* that are kept open at once */
    uint64_t row_group_bytes; /* of outputs, uncompressed; 0: no bound */
};

/* By the size of the file, and the number of its chunks as far as it is known (else 0). */
bool lith_staging_by_size(const struct lith_staging *staging, uint64_t file_bytes,
                          uint64_t chunk_count);

/* By what the footer says: whether files like it are more per output row group than can be open.
 * `row_group_bytes` is the mean of its row groups, uncompressed. */
bool lith_staging_by_footer(const struct lith_staging *staging, uint64_t file_bytes,
                            uint64_t row_group_bytes);

#endif
