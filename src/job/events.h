/*
 * The audit events of a job's commits, and of those before it that were cut off.
 *
 * Before its first commit a job puts a note beside the manifest; it takes it away once the events
 * of all commits are known to be in the series. So a note in a listing says that events may be
 * missing, and a partition without one, at rest, costs nothing. Where locks keep nobody out there
 * are no notes, and each pass asks for the event of the last commit. docs/audit.md.
 */
#ifndef LITH_JOB_EVENTS_H
#define LITH_JOB_EVENTS_H

#include "audit/series.h"
#include "job/job.h"
#include "lake/commit.h"

/* One per job. */
struct lith_job_events {
    struct lith_series *series;
    struct lith_series_day day;
    const char *tenant; /* as UTF-8, as is path; in the job's arena; NULL: not looked at yet */
    const char *partition;
    const char **known; /* ids of commits whose events are there; in the job's arena */
    size_t known_count;
    bool is_noted; /* the note is there */
    bool is_found; /* and was before this job put one: another was cut off */
    bool stays;    /* and stays: what became of a commit is not known */
    uint64_t written;
    uint64_t missing;    /* commits of the last manifest looked at that have no event */
    struct lith_err err; /* why the first could not be written; code OK: all could */
    int64_t since_ns;    /* monotonic: the commit before, or the beginning */
};

void lith_job_events_init(struct lith_job_events *events, struct lith_series *series,
                          struct lith_env *env);
void lith_job_events_done(struct lith_job_events *events);

/* All of these are no-ops for a job without events. */

/* True when events may be missing: the listing has a note, or, where locks keep nobody out, the log
 * a commit whose event is not known to be there (the last one is always such). */
bool lith_job_events_owed(const struct lith_job *job, const struct lith_view *view);

/* Writes what is missing of the log of the partition as it is. Under the lock. Fails only where the
 * partition cannot be read. */
LITH_MUST_CHECK enum lith_code lith_job_events_repair(const struct lith_job *job,
                                                      struct lith_err *err);
/* The same of a manifest that was read. */
void lith_job_events_settle(const struct lith_job *job, const struct lith_manifest *manifest);

/* Around a commit; `base` may be NULL. The note must be there before, so its failure is one. */
LITH_MUST_CHECK enum lith_code lith_job_events_before(const struct lith_job *job,
                                                      const struct lith_manifest *base,
                                                      struct lith_manifest *next,
                                                      struct lith_err *err);
void lith_job_events_after(const struct lith_job *job, const struct lith_manifest *base,
                           const struct lith_manifest *next, enum lith_put put);

/* Before the lock goes: takes the note away where nothing is missing, and fills the report. */
void lith_job_events_end(const struct lith_job *job, struct lith_partition_report *report);

#endif
