/*
 * What a partition's directory shows to those who list it: exactly the live files of a manifest.
 *
 * For stores that can change that in one step (lith_folder_put_shown). A pure function of a
 * manifest and of each object; docs/design.md section 5, readers = exchange.
 */
#ifndef LITH_LAKE_SHOWING_H
#define LITH_LAKE_SHOWING_H

#include "lake/manifest.h"
#include "lake/name_index.h"
#include "store/store.h"

struct lith_manifest_showing {
    struct lith_showing base;
    const struct lith_manifest *manifest; /* NULL: there is none */
    struct lith_name_index files;
    struct lith_name_index retired;
    bool *shown; /* by the index of `files`: was it among the objects? */
};

/* The manifest (NULL: none, so that everything is live) and the arena outlive it. */
LITH_MUST_CHECK enum lith_code lith_manifest_showing_init(struct lith_manifest_showing *showing,
                                                          const struct lith_manifest *manifest,
                                                          struct lith_arena *arena,
                                                          struct lith_err *err);

#endif
