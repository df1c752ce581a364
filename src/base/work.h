/*
 * What a long call works with: its memory, its scratch space, and the caller's wish to stop.
 *
 * One per job. Passed down instead of globals, so that a job is a function of its arguments.
 */
#ifndef LITH_BASE_WORK_H
#define LITH_BASE_WORK_H

#include <signal.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/spool.h"

struct lith_work {
    struct lith_mem *mem;
    struct lith_scratch *scratch;
    const struct lith_control *control; /* never NULL; may be all zero */
    size_t open_files_max;              /* of this job; 0: LITH_OPEN_FILES_MAX */
    uint32_t threads;                   /* that this job may use; 0: one */
};

/* How many inputs may be open at once. */
static inline size_t lith_work_open_files(const struct lith_work *work)
{
    return work->open_files_max ? work->open_files_max : LITH_OPEN_FILES_MAX;
}

/* The most that one page, value or window may take: a fixed share of the budget. */
static inline size_t lith_work_share(const struct lith_work *work)
{
    return work->mem->limit / LITH_BUDGET_SHARES;
}

/* CANCELLED when the caller asked to stop. Called at least once a page. */
LITH_MUST_CHECK static inline enum lith_code lith_work_check(const struct lith_work *work,
                                                             struct lith_err *err)
{
    /* Plain C11 for the caller; here it may be set by one thread and read by others. */
    const volatile _Atomic sig_atomic_t *cancel = (const volatile void *)work->control->cancel;

    if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
        return lith_fail(err, LITH_E_CANCELLED, "stopped on request");
    return LITH_OK;
}

#endif
