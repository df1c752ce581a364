/*
 * Arenas: memory that lives for one phase (footer, plan, batch, job) and goes in one step.
 *
 * Blocks come from a budget. Not safe to share between threads.
 */
#ifndef LITH_BASE_ARENA_H
#define LITH_BASE_ARENA_H

#include <stdarg.h>

#include "base/mem.h"

struct lith_arena_block;

struct lith_arena {
    struct lith_mem *mem;
    struct lith_arena_block *blocks; /* newest first */
    size_t block_bytes;              /* size of the next block */
};

/* Takes no memory yet. */
void lith_arena_init(struct lith_arena *arena, struct lith_mem *mem);

/* Gives everything back; the arena can be used again. A zeroed arena is a no-op. */
void lith_arena_done(struct lith_arena *arena);

/* `bytes` cleared bytes aligned to 16, valid until lith_arena_done. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_arena_alloc(struct lith_arena *arena, size_t bytes,
                                                void **ret_block, struct lith_err *err);

/* `count` cleared elements; the product is checked. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_arena_array(struct lith_arena *arena, size_t count,
                                                size_t element_bytes, void **ret_block,
                                                struct lith_err *err);

/* A copy of `bytes` bytes with a zero byte behind it. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_arena_copy(struct lith_arena *arena, const void *from,
                                               size_t bytes, void **ret_copy, struct lith_err *err);

/* A formatted string, zero-terminated. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_arena_format(struct lith_arena *arena, char **ret_text,
                                                 struct lith_err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, for functions that take such a list themselves. */
LITH_MUST_CHECK enum lith_code lith_arena_format_list(struct lith_arena *arena, char **ret_text,
                                                      struct lith_err *err, const char *format,
                                                      va_list args)
    __attribute__((format(printf, 4, 0)));

/* Bytes taken from the budget by this arena. */
size_t lith_arena_bytes(const struct lith_arena *arena);

/* LITH_AUTO(arena) struct lith_arena a; */
static inline void lith_arena_auto(struct lith_arena *arena)
{
    lith_arena_done(arena);
}

#endif
