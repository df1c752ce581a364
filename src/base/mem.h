/*
 * Counted memory: every heap byte of a job is charged to a budget.
 *
 * This is the only place that calls malloc. A budget may have a parent (job under process); a
 * charge must fit both. Budgets are safe to share between threads. A test can make the N-th
 * allocation fail.
 */
#ifndef LITH_BASE_MEM_H
#define LITH_BASE_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct lith_mem {
    size_t limit; /* bytes */
    struct lith_mem *parent;
    _Atomic size_t used;
    _Atomic size_t peak;
    _Atomic uint64_t refused;   /* charges that did not fit */
    _Atomic int64_t fail_after; /* tests: allocations until one fails; negative = never */
};

/* A budget of `limit` bytes under `parent` (NULL: none). No memory is taken. */
void lith_mem_init(struct lith_mem *mem, size_t limit, struct lith_mem *parent);

/* Asserts that everything was given back. */
void lith_mem_done(struct lith_mem *mem);

/* A budget without limit, for objects that hold budgets themselves. Static, shared. */
struct lith_mem *lith_mem_root(void);

/*
 * For the start of a program whose heap is this one: large buffers are taken and given back for
 * each column, and the C library is told to keep them meanwhile, since asking the system for zeroed
 * pages each time costs a tenth of a merge. All threads share one heap, so that each can have what
 * another gave back. At most some tens of MiB stay with the process.
 */
void lith_mem_tune(void);

/* Gives pages of what was freed back to the system: between two phases that each take much. */
void lith_mem_trim(void);

/* Bytes that can still be taken from this budget and its parents. */
size_t lith_mem_left(const struct lith_mem *mem);

/*
 * Takes `bytes` (aligned to 16, not cleared). LIMIT when the budget is too small (the text has
 * the numbers), NOMEM when the system has none. Free with lith_free; 0 bytes is legal.
 */
LITH_MUST_CHECK enum lith_code lith_alloc(struct lith_mem *mem, size_t bytes, void **ret_block,
                                          struct lith_err *err);

/* As lith_alloc for `count` cleared elements; the product is checked. */
LITH_MUST_CHECK enum lith_code lith_alloc_array(struct lith_mem *mem, size_t count,
                                                size_t element_bytes, void **ret_block,
                                                struct lith_err *err);

/*
 * Grows or shrinks a block from lith_alloc (NULL: takes one). On failure *block is unchanged
 * and still owned. While it grows, old and new are charged only for the difference.
 */
LITH_MUST_CHECK enum lith_code lith_realloc(struct lith_mem *mem, void **block, size_t bytes,
                                            struct lith_err *err);

/* Gives a block back to the budget it came from; NULL is a no-op. */
void lith_free(void *block);

/*
 * Charges and releases bytes that a library takes for itself (codec contexts), so that they
 * count although they do not come from lith_alloc.
 */
LITH_MUST_CHECK enum lith_code lith_mem_charge(struct lith_mem *mem, size_t bytes,
                                               struct lith_err *err);
void lith_mem_release(struct lith_mem *mem, size_t bytes);

/* LITH_AUTO(block) void *p = NULL; */
static inline void lith_block_auto(void *pointer)
{
    lith_free(*(void **)pointer);
}

#endif
