/*
 * What comes before a merge: a manifest, names for what came late, a lease; and what comes after
 * one that met a damaged file.
 */
#ifndef LITH_JOB_PREPARE_H
#define LITH_JOB_PREPARE_H

#include "job/look.h"

/* Adopts where there is no manifest, and folds late files. The look is fresh afterwards. */
LITH_MUST_CHECK enum lith_code lith_prepare_manifest(const struct lith_job *job,
                                                     struct lith_look *look, uint64_t *folded,
                                                     struct lith_err *err);

/* Takes the lease, in a commit of its own. The look is fresh afterwards. */
LITH_MUST_CHECK enum lith_code lith_prepare_lease(const struct lith_job *job,
                                                  struct lith_look *look, struct lith_err *err);

/* Sets a damaged file aside, so that the rest of the partition can go on; its view is stale then.
 */
LITH_MUST_CHECK enum lith_code lith_set_aside(const struct lith_job *job,
                                              const struct lith_view *view, const char *name,
                                              const char *reason, struct lith_err *err);

#endif
