/*
 * Files of Parquet, in the schedules that have them: there the merge, the check and the audit
 * events are the library's own too.
 *
 * Writers' files are made here, byte by byte (one column `row`, INT64, PLAIN, not compressed), so
 * that another implementation than the library's has written them. Their rows, and those of
 * outputs, are read back with the library's reader.
 */
#ifndef LITH_TESTS_SIM_PARQUET_H
#define LITH_TESTS_SIM_PARQUET_H

#include "sim_file.h"

/* One schedule of so many. */
#define SIM_REAL_SHARE 100u

bool sim_parquet_is(const struct sim_blob *blob);
const struct sim_blob *sim_parquet_new(struct sim_world *world, const uint32_t *rows,
                                       uint32_t count);

/* Of writers' files and of what was merged from them; of files of the audit series the rows that
 * stand for their events. None where it cannot be read. */
struct sim_rows sim_parquet_rows(struct sim_world *world, const struct sim_blob *blob);
/* None where it is no output. */
struct sim_inputs sim_parquet_inputs(struct sim_world *world, const struct sim_blob *blob);

#endif
