/*
 * The audit events of a schedule: files of the series, and whether each commit has its event.
 *
 * The library's event files are Parquet, and so they are where all files are (sim_parquet.h). Else
 * (-Wl,--wrap) an event is a file of one row, as writers' files are (sim_file.h): the row is the
 * commit's. So all that holds of rows holds of events, and a series is merged and cleaned as any
 * partition is.
 */
#ifndef LITH_TESTS_SIM_AUDIT_H
#define LITH_TESTS_SIM_AUDIT_H

#include "base/work.h"
#include "sim_oracle.h"

/* Where the series is: its directories have paths below this one. */
#define SIM_SERIES_PATH "audit"

void sim_audit_begin(struct sim_world *world);

/* A commit has landed. */
void sim_audit_commit(struct sim_dir *dir, const struct sim_manifest *manifest);

/* At rest: of each commit that was to have an event there is one, and of no other. */
void sim_audit_settled(struct sim_world *world);

/* The row that stands for the event of a commit: by its id and its generation. */
uint32_t sim_audit_row(struct sim_world *world, const struct lith_event *event);
/* The events of a file of the series that is Parquet; as lith_events_read. */
enum lith_code sim_audit_read(struct lith_source *source, const struct lith_work *work,
                              struct lith_arena *arena, struct lith_event **ret_events,
                              size_t *ret_count, struct lith_err *err);

#endif
