/*
 * The local store for readers that list directories: what a directory shows changes in one step.
 *
 * A layer over the local store. What readers must not see of a folder is held in a directory of its
 * own below the staging directory, which lies outside the root: outputs that are not committed,
 * files that were superseded. lith_folder_put_shown builds a new directory there, with links to all
 * that is shown from then on, and lets the two change places. docs/design.md section 5.
 */
#ifndef LITH_STORE_EXCHANGE_H
#define LITH_STORE_EXCHANGE_H

#include "store/store.h"

/* In the staging directory: whose it is. */
#define LITH_STAGING_MARK_NAME "_lithify_staging.json"

/*
 * `local` is a local store, which the new one owns from now on, also where it fails. `staging` is
 * the path of the staging directory, which need not be there for reading. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_exchange_open(struct lith_store *local, const char *staging,
                                                  struct lith_store **ret_store,
                                                  struct lith_err *err);

/*
 * The staging directory as one path without links: `given`, or the sibling ROOT.lithify (NULL).
 * INVALID where it cannot be one: in the root or around it, or likewise of `audit`, the place of
 * the audit series (NULL: there is none).
 */
LITH_MUST_CHECK enum lith_code lith_exchange_place(const char *root, const char *given,
                                                   const char *audit, struct lith_arena *arena,
                                                   const char **ret_place, struct lith_err *err);

/*
 * Tries out whether directories at `root` and at `staging` can change places, and files have names
 * in both; leaves nothing behind. UNSUPPORTED says why not; DENIED. Both must be there.
 */
LITH_MUST_CHECK enum lith_code lith_exchange_probe(const char *root, const char *staging,
                                                   struct lith_env *env, struct lith_err *err);

/*
 * Makes the staging directory of a lake that has none yet (`is_new`), and probes it. NOT_FOUND: it
 * is not there, though the lake is not new: what it held is not known. Else as the probe.
 */
LITH_MUST_CHECK enum lith_code lith_exchange_prepare(struct lith_store *store, bool is_new,
                                                     struct lith_err *err);
/* Writes down there which lake's it is. INVALID: it is another one's, which `takes_over` passes
 * over, or it holds other things. */
LITH_MUST_CHECK enum lith_code lith_exchange_claim(struct lith_store *store, const char *lake_id,
                                                   bool takes_over, struct lith_err *err);

/* Gives up the staging directory, for another. INVALID: something is held there. */
LITH_MUST_CHECK enum lith_code lith_exchange_leave(const char *staging, struct lith_env *env,
                                                   struct lith_mem *mem, struct lith_err *err);

#endif
