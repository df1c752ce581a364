/*
 * Journals of one partition (readers = glob), and what its manifest says of their jobs.
 *
 * A journal is believed in nothing: it says which commit and which files to ask the manifest for.
 * DESIGN.md section 5, readers = glob.
 */
#ifndef LITH_JOB_PENDING_H
#define LITH_JOB_PENDING_H

#include "job/job.h"
#include "lake/journal_files.h"
#include "lake/snapshot.h"

struct lith_pending {
    const char *tier;
    struct lith_journal_read read; /* in the job's arena */
    bool is_committed;             /* its outputs count, and what it merged may go */
    bool is_done;                  /* nothing is there any more that it has to answer for */
};

/* How many journals, or rests of one, the pass found of the job's partition: from
 * job->journals->files[*ret_begin] on. None where nobody looked. */
LITH_MUST_CHECK enum lith_code lith_pending_files(const struct lith_job *job, size_t *ret_begin,
                                                  size_t *ret_count, struct lith_err *err);

/* Reads one that is no rest. NOT_FOUND: it was settled meanwhile; CORRUPT, UNSUPPORTED, DENIED: it
 * cannot be gone by. Tier and name are set in any case. */
LITH_MUST_CHECK enum lith_code lith_pending_read(const struct lith_job *job,
                                                 const struct lith_journal_file *file,
                                                 struct lith_pending *ret_pending,
                                                 struct lith_err *err);

/* Asks the manifest (NULL: there is none). Returns why it cannot answer, static; NULL: it can, and
 * `is_committed` is set. */
const char *lith_pending_judge(struct lith_pending *pending, const struct lith_manifest *manifest);

/* Files that are there and that its job, once judged, has to answer for: inputs that it merged, or
 * outputs that were never committed; but for `kept`, names in order. */
size_t lith_pending_left(const struct lith_pending *pending, const struct lith_snapshot *snapshot,
                         const char *const *kept, size_t kept_count);

/* The epoch of its outputs. */
uint64_t lith_pending_epoch(const struct lith_pending *pending);

#endif
