/*
 * The audit events of a schedule: files of the series, and whether each commit has its event.
 *
 * The library's event files are Parquet. Here (-Wl,--wrap) an event is a file of one row, as
 * writers' files are (sim_file.h): the row is the commit's. So all that holds of rows holds of
 * events, and a series is merged and cleaned as any partition is.
 */
#ifndef LITH_TESTS_SIM_AUDIT_H
#define LITH_TESTS_SIM_AUDIT_H

#include "sim_oracle.h"

/* Where the series is: its directories have paths below this one. */
#define SIM_SERIES_PATH "audit"

void sim_audit_begin(struct sim_world *world);

/* A commit has landed. */
void sim_audit_commit(struct sim_dir *dir, const struct sim_manifest *manifest);

/* At rest: of each commit that was to have an event there is one, and of no other. */
void sim_audit_settled(struct sim_world *world);

#endif
