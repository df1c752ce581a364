/*
 * The fields of a manifest by table, for its reader and its writer. Private to lake.
 */
#ifndef LITH_LAKE_MANIFEST_FIELDS_H
#define LITH_LAKE_MANIFEST_FIELDS_H

#include "lake/manifest.h"

/* One of the three tables of files. */
struct lith_entry_kind {
    const char *table;
    const char *const *known; /* every field, NULL at the end */
    const char *generation_key;
    bool generation_maybe; /* it need not be there: 0 */
    bool has_etag;
    bool has_commit_id;
    bool has_at;
    bool has_set;
};

extern const struct lith_entry_kind lith_entry_live;
extern const struct lith_entry_kind lith_entry_retired;
extern const struct lith_entry_kind lith_entry_gone;
extern const struct lith_entry_kind lith_entry_handed;
extern const struct lith_entry_kind lith_entry_lost;

extern const char *const lith_root_fields[];
extern const char *const lith_ours_fields[];
extern const char *const lith_log_fields[];
extern const char *const lith_outcome_fields[];
extern const char *const lith_quarantine_fields[];
extern const char *const lith_handed_fields[];
extern const char *const lith_taken_fields[];
extern const char *const lith_misplaced_fields[];

#endif
