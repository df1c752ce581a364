/*
 * Which inputs are read whole while a merge is planned, and their chunks staged in column runs.
 *
 * Reading a chunk from a file that is open is cheaper than staging it: it costs one call, and no
 * copy to scratch and back. Opening the file for each of its columns is what costs. So those are
 * staged of which an output row group takes more than can be open at once; then writing them
 * opens none more than once. The figures are in docs/reading-inputs.md. Pure.
 */
#ifndef LITH_MERGE_STAGING_H
#define LITH_MERGE_STAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lith_staging {
    size_t file_bytes_max;    /* larger ones are never staged */
    size_t input_count;       /* of the merge */
    size_t open_files_max;    /* that are kept open at once */
    uint64_t row_group_bytes; /* of outputs, uncompressed; 0: no bound */
};

/* Whether a file is staged. `row_group_bytes` is the mean of its row groups, uncompressed. */
bool lith_staging_takes(const struct lith_staging *staging, uint64_t file_bytes,
                        uint64_t row_group_bytes);

#endif
