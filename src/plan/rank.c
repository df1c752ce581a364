/*
 * The order of partitions: what a job gains, times how long it has waited.
 *
 * The age makes every partition the first one day, so that a stream of worse ones cannot starve it.
 */
#include <string.h>

#include "base/checked.h"
#include "base/time.h"
#include "plan/plan.h"

/* What every partition has waited at least: fresh ones are ordered by gain alone. */
#define AGE_FLOOR_S 3600u

static uint64_t score(const struct lith_plan_rank *rank)
{
    uint64_t waited = rank->waiting_ns > 0 ? (uint64_t)(rank->waiting_ns / LITH_SECOND_NS) : 0;
    uint64_t product = 0;

    return lith_mul_u64(rank->gain, waited + AGE_FLOOR_S, &product) ? product : UINT64_MAX;
}

int lith_plan_rank_compare(const void *a, const void *b)
{
    const struct lith_plan_rank *left = a;
    const struct lith_plan_rank *right = b;
    uint64_t left_score = score(left);
    uint64_t right_score = score(right);

    if (left_score != right_score)
        return left_score > right_score ? -1 : 1;
    return strcmp(left->path, right->path);
}
