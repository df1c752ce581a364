/*
 * What fsck found, gathered for the report of a partition.
 */
#ifndef LITH_JOB_FINDINGS_H
#define LITH_JOB_FINDINGS_H

#include "base/arena.h"
#include "lithify.h"

struct lith_findings {
    struct lith_arena *arena; /* of rows and texts */
    struct lith_finding *rows;
    size_t count;
    size_t hands; /* of them want somebody's hand */
};

/* One finding but for its text; `file` is copied, `kind` and `todo` are static or in the arena. */
struct lith_found {
    const char *kind;
    const char *file;
    uint64_t bytes;
    bool wants_hand;
    const char *todo;
};

LITH_MUST_CHECK enum lith_code lith_findings_add(struct lith_findings *findings,
                                                 const struct lith_found *found,
                                                 struct lith_err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fills the report: the findings, and by them its state and reason. */
LITH_MUST_CHECK enum lith_code lith_findings_report(const struct lith_findings *findings,
                                                    struct lith_partition_report *report,
                                                    struct lith_err *err);

#endif
