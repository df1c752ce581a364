/*
 * The columns of an event: one table, from which files are written and read.
 */
#ifndef LITH_AUDIT_EVENT_SCHEMA_H
#define LITH_AUDIT_EVENT_SCHEMA_H

#include "parquet/schema.h"

enum lith_event_kind {
    LITH_EVENT_TEXT,   /* STRING; absent: NULL */
    LITH_EVENT_TEXTS,  /* LIST of STRING; `other` is the count */
    LITH_EVENT_NUMBER, /* INT(64, unsigned); `other` is the has_ field, where it is optional */
    LITH_EVENT_BYTE,   /* INT(8, unsigned), of a uint64_t */
    LITH_EVENT_TIME,   /* TIMESTAMP(NANOS, UTC) */
};

struct lith_event_column {
    const char *name;
    enum lith_event_kind kind;
    bool required;
    size_t field; /* offsets in struct lith_event */
    size_t other;
};

#define LITH_EVENT_COLUMNS 17
extern const struct lith_event_column lith_event_columns[LITH_EVENT_COLUMNS];

/* The schema of event files, linked and normalised: the table's columns, a leaf each. */
LITH_MUST_CHECK enum lith_code
lith_event_schema(struct lith_arena *arena, struct lith_schema *ret_schema, struct lith_err *err);

#endif
