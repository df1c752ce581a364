/*
 * The commit that names late files.
 */
#ifndef LITH_JOB_FOLD_H
#define LITH_JOB_FOLD_H

#include "job/look.h"

/*
 * Names in the manifest what came after it, and sets live files aside that are broken for good;
 * with `at_once` young late files too. Adds to *folded. Where *ret_changed the look is stale.
 */
LITH_MUST_CHECK enum lith_code lith_fold_commit(const struct lith_job *job,
                                                const struct lith_look *look, bool at_once,
                                                uint64_t *folded, bool *ret_changed,
                                                struct lith_err *err);

#endif
