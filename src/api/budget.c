/*
 * The memory and scratch space of one public object or call.
 */
#include "api/budget.h"

#include <inttypes.h>

enum lith_code lith_budget_init(struct lith_budget *budget, const struct lith_control *control,
                                struct lith_err *err)
{
    static const struct lith_control none;

    budget->control = control ? *control : none;
    uint64_t bytes = budget->control.memory_bytes_max;
    if (bytes == 0)
        bytes = LITH_MEMORY_BYTES_DEFAULT;
    if (bytes < LITH_MEMORY_BYTES_MIN || bytes > SIZE_MAX)
        return lith_fail(err, LITH_E_INVALID,
                         "a memory budget of %" PRIu64 " bytes; give at least %" PRIu64, bytes,
                         (uint64_t)LITH_MEMORY_BYTES_MIN);
    if (budget->control.threads > LITH_THREADS_MAX)
        return lith_fail(err, LITH_E_INVALID, "%u threads; at most %u", budget->control.threads,
                         LITH_THREADS_MAX);
    lith_mem_init(&budget->mem, (size_t)bytes, NULL);
    lith_scratch_init(&budget->scratch, budget->control.scratch_dir,
                      budget->control.scratch_bytes_max);
    budget->work = (struct lith_work){
        .mem = &budget->mem,
        .scratch = &budget->scratch,
        .control = &budget->control,
        .threads = budget->control.threads,
    };
    return LITH_OK;
}
