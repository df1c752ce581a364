/*
 * The policy's defaults, what cannot work, and the hash of what decides a compaction.
 */
#include "plan/policy.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/time.h"

#define MINUTE_NS (60 * LITH_SECOND_NS)

struct lith_policy lith_policy_default(void)
{
    return (struct lith_policy){.grace_ns = 15 * MINUTE_NS,
                                .quiet_for_ns = 15 * MINUTE_NS,
                                .settle_ns = 6 * 60 * MINUTE_NS,
                                .min_files = 4,
                                .target_file_bytes = 512 * LITH_MIB,
                                .max_inputs = 10000,
                                .small_file_bytes = 128 * LITH_MIB};
}

enum lith_code lith_policy_check(const struct lith_policy *policy, struct lith_err *err)
{
    if (policy->grace_ns < 0 || policy->quiet_for_ns < 0 || policy->settle_ns < 0)
        return lith_fail(err, LITH_E_INVALID, "grace, quiet_for and settle cannot be negative");
    if (policy->min_files < 2)
        return lith_fail(err, LITH_E_INVALID,
                         "min_files is %" PRIu64 "; a merge has at least 2 inputs",
                         policy->min_files);
    if (policy->max_inputs < policy->min_files)
        return lith_fail(err, LITH_E_INVALID,
                         "max_inputs is %" PRIu64 ", less than min_files, %" PRIu64,
                         policy->max_inputs, policy->min_files);
    if (policy->target_file_bytes == 0 || policy->target_file_bytes > INT64_MAX)
        return lith_fail(err, LITH_E_INVALID, "target_file is %" PRIu64 " bytes",
                         policy->target_file_bytes);
    return LITH_OK;
}

enum lith_code lith_policy_hash(const struct lith_policy *policy, struct lith_arena *arena,
                                char ret_text[33], struct lith_err *err)
{
    char *text = NULL;

    LITH_TRY(lith_arena_format(arena, &text, err,
                               "min_files=%" PRIu64 "\ntarget_file=%" PRIu64 "\nmax_inputs=%" PRIu64
                               "\n%s",
                               policy->min_files, policy->target_file_bytes, policy->max_inputs,
                               policy->merge_text ? policy->merge_text : ""));
    lith_hash128_text(lith_hash128(text, strlen(text), 0), ret_text);
    return LITH_OK;
}
