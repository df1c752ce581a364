/*
 * A manifest that was lost: an output of ours lies beside files that it was made of, or files are
 * held out of sight, which only a commit does (readers = exchange).
 */
#ifndef LITH_JOB_LOST_H
#define LITH_JOB_LOST_H

#include "job/job.h"
#include "lake/snapshot.h"
#include "merge/input_list.h"

/* What is told of it; %s is the output. */
#define LITH_LOST_FORMAT                                                                           \
    "its manifest was lost: %s is an output of Lithify, and inputs of it are here too; lithify "   \
    "fsck --repair makes one anew"

#define LITH_LOST_MADE_FORMAT                                                                      \
    "its manifest was lost: %s is an output of Lithify, and inputs of it are held beside the "     \
    "lake; lithify fsck --repair makes one anew"

#define LITH_LOST_HELD_FORMAT                                                                      \
    "its manifest was lost: %zu of its files are held beside the lake; lithify fsck --repair "     \
    "makes one anew"

/* Are some of the inputs here, too, as files of their own, or in partitions below? */
LITH_MUST_CHECK enum lith_code lith_lost_is_beside(const struct lith_job *job,
                                                   const struct lith_listed_input *inputs,
                                                   size_t input_count,
                                                   const struct lith_snapshot *snapshot,
                                                   bool *ret_is, struct lith_err *err);

/* Are some of them held out of sight? */
bool lith_lost_is_held(const struct lith_listed_input *inputs, size_t input_count,
                       const struct lith_snapshot *snapshot);

/*
 * The same for whoever only reads: asks the footers of live files that are named like outputs, and
 * of no others. *ret_output: the first one that is beside an input, or does not say whose rows it
 * has, as a name of the snapshot; NULL: no manifest was lost here, or there is one.
 */
LITH_MUST_CHECK enum lith_code lith_lost_find(const struct lith_job *job,
                                              const struct lith_snapshot *snapshot,
                                              const char **ret_output, struct lith_err *err);

/* Files that are held although no manifest is there: how many, and their bytes. What they were
 * replaced by is shown, so nothing counts twice. */
size_t lith_lost_held(const struct lith_snapshot *snapshot, uint64_t *ret_bytes);

#endif
