/*
 * Files of a schedule: lists of row numbers, and the inputs that an output lists.
 *
 * Lines of text: "sim", of outputs "pid", "job" and "in NAME SIZE" for each input, then "row N".
 * They stand in for Parquet files where merge and verify are not what is looked at.
 */
#ifndef LITH_TESTS_SIM_FILE_H
#define LITH_TESTS_SIM_FILE_H

#include "job/format.h"
#include "sim_dir.h"

#define SIM_ROWS_MAX 4096u /* numbers of rows are below this */

struct sim_rows {
    const uint32_t *rows;
    uint32_t count;
};

/* A writer's file of these rows. */
const struct sim_blob *sim_file_new(struct sim_world *world, const uint32_t *rows, uint32_t count);

/* The rows of a blob; none where it is not such a file. */
struct sim_rows sim_file_rows(struct sim_world *world, const struct sim_blob *blob);

/* The inputs that an output lists. */
struct sim_inputs {
    const char **names;
    uint64_t *sizes;
    uint32_t count;
};
struct sim_inputs sim_file_inputs(struct sim_world *world, const struct sim_blob *blob);

/* Of these files. Static storage. */
const struct lith_format *sim_format(void);

#endif
