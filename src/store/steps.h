/*
 * The named steps of everything that changes a lake, in the order in which they happen.
 *
 * lith_env.step is called with these names, so that a test can end the process at any of them.
 * "x-written" is before the fsync of x, "x-synced" after it, "x-renamed" after the rename.
 */
#ifndef LITH_STORE_STEPS_H
#define LITH_STORE_STEPS_H

/* One output file. */
#define LITH_STEP_OUTPUT_CREATED "output-created"
#define LITH_STEP_OUTPUT_WRITTEN "output-written"
#define LITH_STEP_OUTPUT_SYNCED "output-synced"
#define LITH_STEP_OUTPUT_PUBLISH "output-publish" /* before its rename */
#define LITH_STEP_OUTPUT_RENAMED "output-renamed"
#define LITH_STEP_OUTPUT_DURABLE "output-durable" /* the directory is synced */

/* One replacement of a manifest (or of another object that is put on a condition). */
#define LITH_STEP_PUT_LOCKED "put-locked"
#define LITH_STEP_PUT_WRITTEN "put-written"
#define LITH_STEP_PUT_SYNCED "put-synced"
#define LITH_STEP_PUT_RENAMED "put-renamed"
#define LITH_STEP_PUT_DURABLE "put-durable"

/* One replacement of a manifest together with the directory that it is in. */
#define LITH_STEP_SWAP_BUILT "swap-built"         /* the new directory has all its links */
#define LITH_STEP_SWAP_SYNCED "swap-synced"       /* it, and all that is held, is durable */
#define LITH_STEP_SWAP_EXCHANGED "swap-exchanged" /* it is the folder's from now on */
#define LITH_STEP_SWAP_DURABLE "swap-durable"
#define LITH_STEP_SWAP_CARRIED "swap-carried" /* what came into the old one has its name */
#define LITH_STEP_SWAP_REMOVED "swap-removed" /* the old one is gone, its ledger not yet */

/* One folder, in the one above it, which is synced. */
#define LITH_STEP_FOLDER_MADE "folder-made"

/* After the commit of each operation, named by it. */
#define LITH_STEP_ADOPTED "adopted"
#define LITH_STEP_LEASED "leased"
#define LITH_STEP_COMMITTED "committed" /* op compact */
#define LITH_STEP_FOLDED "folded"
#define LITH_STEP_FENCED "fenced"
#define LITH_STEP_CLEANED "cleaned"
#define LITH_STEP_ROLLED_BACK "rolled-back"
#define LITH_STEP_RESTORED "restored"
#define LITH_STEP_RETIRED "retired"
#define LITH_STEP_HANDED "handed"
#define LITH_STEP_ROLLED_UP "rolled-up"
#define LITH_STEP_MOVED "moved"
#define LITH_STEP_UNHANDED "unhanded"
#define LITH_STEP_REPAIRED "repaired"

/* Behind a commit: its event is in the audit series. */
#define LITH_STEP_AUDITED "audited"

/* One deletion. */
#define LITH_STEP_DELETE_RENAMED "delete-renamed" /* NAME is NAME.gone.tmp */
#define LITH_STEP_DELETE_CHECKED "delete-checked" /* its identity is the recorded one */
#define LITH_STEP_DELETE_UNLINKED "delete-unlinked"
#define LITH_STEP_DELETE_DURABLE "delete-durable" /* after the last one of a pass */

#endif
