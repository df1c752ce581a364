/*
 * Reading the series: the events of a lake by time.
 */
#ifndef LITH_AUDIT_LOG_H
#define LITH_AUDIT_LOG_H

#include "audit/series.h"

/*
 * Calls `each` for what is asked for, by time. A partition of the series is read by the reader
 * rule; one day at a time is held in memory (LIMIT). A file or a folder that cannot be read, or is
 * no series', hides no other one: its error (the first one's) is the result, after all events. A
 * series that is not there has no events; a directory of other things is none: INVALID.
 */
LITH_MUST_CHECK enum lith_code lith_series_log(const struct lith_series *series,
                                               const struct lith_log_request *request,
                                               const struct lith_work *work, lith_event_fn each,
                                               void *ctx, struct lith_err *err);

#endif
