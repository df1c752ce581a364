/*
 * What the user wants, as the planner needs it, and its hash.
 */
#ifndef LITH_PLAN_POLICY_H
#define LITH_PLAN_POLICY_H

#include "base/arena.h"

struct lith_policy {
    int64_t grace_ns;
    int64_t quiet_for_ns;
    int64_t settle_ns;
    uint64_t min_files;
    uint64_t target_file_bytes;
    uint64_t max_inputs;
    uint64_t small_file_bytes; /* what status counts; not part of the hash */
    /* Everything else that changes what a merge writes (row_group, sort_by, codec ...), as text;
     * goes into the hash. Borrowed; NULL: nothing. */
    const char *merge_text;
};

/* The defaults of DESIGN.md section 6. */
struct lith_policy lith_policy_default(void);

/* INVALID names the first field that cannot work (min_files 1, target_file 0 ...). */
LITH_MUST_CHECK enum lith_code lith_policy_check(const struct lith_policy *policy,
                                                 struct lith_err *err);

/* XXH3-128 of what decides a compaction: min_files, target_file, max_inputs, merge_text. */
LITH_MUST_CHECK enum lith_code lith_policy_hash(const struct lith_policy *policy,
                                                struct lith_arena *arena, char ret_text[33],
                                                struct lith_err *err);

#endif
