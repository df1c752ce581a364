/*
 * What tests work with that need no more than a heap, or a heap and scratch: both are counted, and
 * empty in the end.
 */
#ifndef LITH_TESTS_MEM_SUPPORT_H
#define LITH_TESTS_MEM_SUPPORT_H

#include "support.h"

#include "base/spool.h"

static struct lith_mem mem;
static struct lith_scratch scratch;
static char folder[64]; /* of scratch */
static int dir_fd;

static inline int mem_setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    return 0;
}

static inline int mem_teardown(void **state)
{
    (void)state;
    assert_int_equal(atomic_load(&mem.used), 0);
    lith_mem_done(&mem);
    return 0;
}

static inline int scratch_setup(void **state)
{
    test_folder_make(folder, &dir_fd);
    lith_scratch_init(&scratch, folder, 0);
    return mem_setup(state);
}

static inline int scratch_teardown(void **state)
{
    assert_int_equal(atomic_load(&scratch.used), 0);
    test_folder_remove(folder, dir_fd); /* fails if a spool left a name behind */
    return mem_teardown(state);
}

#endif
