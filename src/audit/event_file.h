/*
 * Events as a Parquet file, and back.
 */
#ifndef LITH_AUDIT_EVENT_FILE_H
#define LITH_AUDIT_EVENT_FILE_H

#include "base/arena.h"
#include "base/source.h"
#include "base/work.h"

/* Writes one file: a row for each event, one row group. Texts must be UTF-8. */
LITH_MUST_CHECK enum lith_code lith_events_write(const struct lith_event *events, size_t count,
                                                 struct lith_sink *sink,
                                                 const struct lith_work *work,
                                                 struct lith_err *err);

/* All events of a file, in its order, in the arena. Columns are known by their names; those that
 * are not there are null, unknown ones are passed over. CORRUPT; UNSUPPORTED for another type. */
LITH_MUST_CHECK enum lith_code
lith_events_read(struct lith_source *source, const struct lith_work *work, struct lith_arena *arena,
                 struct lith_event **ret_events, size_t *ret_count, struct lith_err *err);

/* The same, of the one column: all else is null. */
LITH_MUST_CHECK enum lith_code lith_events_read_ids(struct lith_source *source,
                                                    const struct lith_work *work,
                                                    struct lith_arena *arena,
                                                    struct lith_event **ret_events,
                                                    size_t *ret_count, struct lith_err *err);

/* Do they say the same? */
bool lith_event_equal(const struct lith_event *a, const struct lith_event *b);

#endif
