/*
 * Growing arrays: the room follows from the count.
 */
#include "base/array.h"

#include <string.h>

#include "base/checked.h"

#define ROOM_MIN 16u

static bool is_full(size_t count)
{
    return count == 0 || (count >= ROOM_MIN && (count & (count - 1)) == 0);
}

/* The room behind a full array in bytes. */
static enum lith_code room_bytes(size_t count, size_t element_bytes, size_t *ret_bytes,
                                 struct lith_err *err)
{
    size_t room = ROOM_MIN;

    if ((count && !lith_mul_size(count, 2, &room)) ||
        !lith_mul_size(room, element_bytes, ret_bytes))
        return lith_fail(err, LITH_E_LIMIT, "more than %zu elements of %zu bytes", count,
                         element_bytes);
    return LITH_OK;
}

enum lith_code lith_array_grow(struct lith_mem *mem, void **array, size_t count,
                               size_t element_bytes, struct lith_err *err)
{
    size_t bytes;

    if (!is_full(count))
        return LITH_OK;
    LITH_TRY(room_bytes(count, element_bytes, &bytes, err));
    return lith_realloc(mem, array, bytes, err);
}

enum lith_code lith_array_grow_in(struct lith_arena *arena, void **array, size_t count,
                                  size_t element_bytes, struct lith_err *err)
{
    size_t bytes;
    void *grown;

    if (!is_full(count))
        return LITH_OK;
    LITH_TRY(room_bytes(count, element_bytes, &bytes, err));
    LITH_TRY(lith_arena_alloc(arena, bytes, &grown, err));
    if (count)
        memcpy(grown, *array, count * element_bytes);
    *array = grown;
    return LITH_OK;
}
