/*
 * What tests of pure functions over an arena share: its budget, and that all of it comes back.
 */
#ifndef LITH_TESTS_ARENA_SUPPORT_H
#define LITH_TESTS_ARENA_SUPPORT_H

#include "support.h"

#include "base/arena.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct lith_err err;
static struct lith_mem mem;
static struct lith_arena arena;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}

#endif
