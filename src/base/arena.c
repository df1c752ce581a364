/*
 * Arenas: a list of growing blocks, cut from the front.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"

struct lith_arena_block {
    struct lith_arena_block *older;
    size_t bytes; /* behind this header */
    size_t used;
    size_t reserved; /* keeps what follows aligned to 16 */
};
static_assert(sizeof(struct lith_arena_block) % 16 == 0, "blocks stay aligned");

void lith_arena_init(struct lith_arena *arena, struct lith_mem *mem)
{
    arena->mem = mem;
    arena->blocks = NULL;
    arena->block_bytes = LITH_ARENA_BLOCK_BYTES_MIN;
}

void lith_arena_done(struct lith_arena *arena)
{
    while (arena->blocks) {
        struct lith_arena_block *older = arena->blocks->older;
        lith_free(arena->blocks);
        arena->blocks = older;
    }
    arena->block_bytes = LITH_ARENA_BLOCK_BYTES_MIN;
}

static enum lith_code block_add(struct lith_arena *arena, size_t bytes, struct lith_err *err)
{
    size_t payload = bytes > arena->block_bytes ? bytes : arena->block_bytes;
    size_t sum;
    void *block;

    if (!lith_add_size(payload, sizeof(struct lith_arena_block), &sum))
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes in one block", bytes);
    LITH_TRY(lith_alloc(arena->mem, sum, &block, err));
    struct lith_arena_block *added = block;
    *added = (struct lith_arena_block){.older = arena->blocks, .bytes = payload};
    arena->blocks = added;
    arena->block_bytes = lith_min_size(arena->block_bytes * 2, LITH_ARENA_BLOCK_BYTES_MAX);
    return LITH_OK;
}

enum lith_code lith_arena_alloc(struct lith_arena *arena, size_t bytes, void **ret_block,
                                struct lith_err *err)
{
    size_t rounded;

    if (!lith_add_size(bytes, 15, &rounded))
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes in one block", bytes);
    rounded &= ~(size_t)15;
    if (!arena->blocks || arena->blocks->bytes - arena->blocks->used < rounded)
        LITH_TRY(block_add(arena, rounded, err));
    uint8_t *at = (uint8_t *)(arena->blocks + 1) + arena->blocks->used;
    arena->blocks->used += rounded;
    memset(at, 0, bytes);
    *ret_block = at;
    return LITH_OK;
}

enum lith_code lith_arena_array(struct lith_arena *arena, size_t count, size_t element_bytes,
                                void **ret_block, struct lith_err *err)
{
    size_t bytes;

    if (!lith_mul_size(count, element_bytes, &bytes))
        return lith_fail(err, LITH_E_LIMIT, "%zu elements of %zu bytes", count, element_bytes);
    return lith_arena_alloc(arena, bytes, ret_block, err);
}

enum lith_code lith_arena_copy(struct lith_arena *arena, const void *from, size_t bytes,
                               void **ret_copy, struct lith_err *err)
{
    size_t sum;
    void *copy;

    if (!lith_add_size(bytes, 1, &sum))
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes in one block", bytes);
    LITH_TRY(lith_arena_alloc(arena, sum, &copy, err));
    if (bytes)
        memcpy(copy, from, bytes);
    *ret_copy = copy;
    return LITH_OK;
}

enum lith_code lith_arena_format_list(struct lith_arena *arena, char **ret_text,
                                      struct lith_err *err, const char *format, va_list args)
{
    va_list again;
    void *text;

    va_copy(again, args);
    int bytes = vsnprintf(NULL, 0, format, again);
    va_end(again);
    LITH_ASSERT(bytes >= 0);
    LITH_TRY(lith_arena_alloc(arena, (size_t)bytes + 1, &text, err));
    (void)vsnprintf(text, (size_t)bytes + 1, format, args);
    *ret_text = text;
    return LITH_OK;
}

enum lith_code lith_arena_format(struct lith_arena *arena, char **ret_text, struct lith_err *err,
                                 const char *format, ...)
{
    va_list args;

    va_start(args, format);
    enum lith_code code = lith_arena_format_list(arena, ret_text, err, format, args);
    va_end(args);
    return code;
}

size_t lith_arena_bytes(const struct lith_arena *arena)
{
    size_t bytes = 0;

    for (const struct lith_arena_block *block = arena->blocks; block; block = block->older)
        bytes += block->bytes + sizeof(*block);
    return bytes;
}
