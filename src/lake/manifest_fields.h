/*
 * The fields of a manifest by table, for its reader and its writer. Private to lake.
 */
#ifndef LITH_LAKE_MANIFEST_FIELDS_H
#define LITH_LAKE_MANIFEST_FIELDS_H

#include "lake/manifest.h"

/* One of the three tables of files. */
struct entry_kind {
    const char *table;
    const char *const *known; /* every field, NULL at the end */
    const char *generation_key;
    bool has_etag;
    bool has_commit_id;
    bool has_at;
};

extern const struct entry_kind entry_live;
extern const struct entry_kind entry_retired;
extern const struct entry_kind entry_gone;

extern const char *const root_fields[];
extern const char *const ours_fields[];
extern const char *const log_fields[];
extern const char *const outcome_fields[];
extern const char *const quarantine_fields[];

#endif
