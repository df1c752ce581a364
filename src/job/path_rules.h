/*
 * What a partition's path says of the rows below it: rules, each of a column.
 *
 * A column that bears the name of a path key holds its value; the column of times holds moments of
 * the period. Pure functions of path and options. DESIGN.md section 6.4, docs/path-rows.md.
 */
#ifndef LITH_JOB_PATH_RULES_H
#define LITH_JOB_PATH_RULES_H

#include "job/job.h"
#include "parquet/expected.h"

struct lith_path_rule {
    const char *column;
    const char *fallback; /* counts where the column has no value; NULL: none */
    struct lith_expectation said;
    const char *text; /* "tenant_id=acme", or the period, for people */
};

struct lith_path_rules {
    const struct lith_path_rule *rules;
    size_t count;
    char hash[33]; /* of all that decides whether a row belongs */
};

/* In the arena. The keys and the options outlive the rules. */
LITH_MUST_CHECK enum lith_code lith_path_rules_make(const struct lith_path_keys *keys,
                                                    const struct lith_job_options *options,
                                                    struct lith_arena *arena,
                                                    struct lith_path_rules *ret_rules,
                                                    struct lith_err *err);

#endif
