/*
 * A look at a partition: its view, what the footers say, and the plan that follows.
 *
 * A job looks several times; footers are read once per file, by identity.
 */
#ifndef LITH_JOB_LOOK_H
#define LITH_JOB_LOOK_H

#include "job/facts.h"
#include "lake/commit.h"

/* Which of a plan's inputs are decoded. */
enum lith_path_check {
    LITH_PATH_CHECK_SUSPECTS, /* those that do not belong, going by their statistics */
    LITH_PATH_CHECK_ALL,      /* besides those whose statistics do not tell */
};

struct lith_look {
    struct lith_arena arena; /* of the plan, until the next look */
    struct lith_view view;
    struct lith_path_keys keys; /* in the job's arena */
    struct lith_fact_book book;
    struct lith_plan plan;
    const char *const *refusals; /* of the book's sets, as the plan had them */
    int64_t now_ns;
    bool listing_only; /* no footers are read: a first guess, for the order of partitions */
    bool all_files;    /* the report has every file, not only those with a reason of their own */
};

LITH_MUST_CHECK enum lith_code lith_look_init(struct lith_look *look, const struct lith_job *job,
                                              struct lith_err *err);
void lith_look_done(struct lith_look *look);

/* Takes a new view, reads footers where the listing alone says that there may be work, plans. */
LITH_MUST_CHECK enum lith_code lith_look_again(struct lith_look *look, const struct lith_job *job,
                                               struct lith_err *err);

/* The same from a list of the folder that was taken just now and lives as long as the look. */
LITH_MUST_CHECK enum lith_code lith_look_listed(struct lith_look *look, const struct lith_job *job,
                                                const struct lith_listing *listing,
                                                struct lith_err *err);

/* Decodes inputs of the plan whose rows may not belong to the path, and plans again where some do
 * not, or are damaged (*ret_found): on the same view. */
LITH_MUST_CHECK enum lith_code lith_look_settle(struct lith_look *look, const struct lith_job *job,
                                                enum lith_path_check which, bool *ret_found,
                                                struct lith_err *err);

/* True when the partition is due, or there is something to write into its manifest: files to fold,
 * news of files whose rows do not belong. The lock is worth taking. */
bool lith_look_wants_work(const struct lith_look *look, const struct lith_job *job);

/* Fills the report from the look: state, reason, counts, files. Texts go to the job's arena. */
LITH_MUST_CHECK enum lith_code lith_look_report(const struct lith_look *look,
                                                const struct lith_job *job,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);

/* A manifest was lost, by what the book knows: the reason, in the job's arena. */
LITH_MUST_CHECK enum lith_code lith_lost_report(const struct lith_fact_book *book,
                                                const struct lith_job *job,
                                                struct lith_partition_report *report,
                                                struct lith_err *err);

/* What superseded files hold until gc, and when the last of them may go. */
void lith_held_report(const struct lith_snapshot *snapshot, const struct lith_job *job,
                      struct lith_partition_report *report);

/* The first look, with its report. A manifest that cannot be read blocks the partition: that is a
 * report, not a failure, and the look then wants no work. */
LITH_MUST_CHECK enum lith_code lith_look_first(struct lith_look *look, const struct lith_job *job,
                                               struct lith_partition_report *report,
                                               struct lith_err *err);

#endif
