/*
 * The walk over a lake: every partition, parents before children, siblings by name.
 *
 * Passes over an audit series below the root: it is a lake of its own.
 * Does not follow links to directories, so it ends on any file system. What cannot be listed is
 * handed over as a failure of that folder and does not stop the walk.
 */
#ifndef LITH_LAKE_WALK_H
#define LITH_LAKE_WALK_H

#include "store/store.h"

struct lith_walk_stop {
    const char *path;              /* below the root */
    bool is_partition;             /* it directly holds data files or a manifest */
    const char *table_format;      /* the marker at or above it, or NULL; static storage:
                                      of a table format, or the file of another lake */
    const struct lith_err *failed; /* it cannot be listed; NULL otherwise */
    /* Open and listed just now, until `each` returns; NULL where it failed. */
    struct lith_folder *folder;
    const struct lith_listing *listing;
};

/* Calls `each` for every partition and for every folder that failed. A failure of `each` ends the
 * walk and is returned. LIMIT for a path deeper than LITH_WALK_DEPTH_MAX parts. */
LITH_MUST_CHECK enum lith_code lith_lake_walk(
    struct lith_store *store, const struct lith_control *control,
    enum lith_code (*each)(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err),
    void *ctx, struct lith_err *err);

/* The same for one folder alone: only the folders that lead to `path` are looked at; NULL: all. */
LITH_MUST_CHECK enum lith_code lith_lake_walk_to(
    struct lith_store *store, const char *path, const struct lith_control *control,
    enum lith_code (*each)(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err),
    void *ctx, struct lith_err *err);

#endif
