/*
 * One look of fsck: a view of the partition, and what is found in it. Private to fsck*.c.
 */
#ifndef LITH_JOB_FSCK_H
#define LITH_JOB_FSCK_H

#include "job/facts.h"
#include "job/findings.h"
#include "job/job.h"

struct lith_fsck_look {
    const struct lith_job *job;
    const struct lith_view *view;
    const struct lith_fact_book *book; /* of late files; deep, or without a manifest: of all */
    struct lith_findings *findings;
    bool deep; /* live files are read whole */
};

/* What the manifest says against what is there; the manifest is ours. */
LITH_MUST_CHECK enum lith_code lith_fsck_tables(const struct lith_fsck_look *look,
                                                struct lith_err *err);
/* Journals of the partition; the view is NULL where its manifest cannot be read. */
LITH_MUST_CHECK enum lith_code lith_fsck_journals(const struct lith_job *job,
                                                  const struct lith_view *view,
                                                  struct lith_findings *findings,
                                                  struct lith_err *err);
/* The files that are live, each by itself. CONFLICT: one changed or vanished while it was read. */
LITH_MUST_CHECK enum lith_code lith_fsck_live(const struct lith_fsck_look *look,
                                              struct lith_err *err);

#endif
