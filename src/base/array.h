/*
 * Arrays that grow one element at a time, by doubling.
 *
 * There is room for 16 elements, then for the next power of two: the room follows from the count,
 * so nobody stores it. Asked at each element, it takes memory only where the count is 0 or such a
 * power; hence an array that grows by these alone, and never shrinks, always has its room.
 */
#ifndef LITH_BASE_ARRAY_H
#define LITH_BASE_ARRAY_H

#include "base/arena.h"

/*
 * Makes room behind the `count` elements of a block from the heap (NULL: none yet); lith_free ends
 * it. New elements are not cleared. On failure *array is unchanged. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_array_grow(struct lith_mem *mem, void **array, size_t count,
                                               size_t element_bytes, struct lith_err *err);

/* The same in an arena: what is left behind is at most as large as the result. */
LITH_MUST_CHECK enum lith_code lith_array_grow_in(struct lith_arena *arena, void **array,
                                                  size_t count, size_t element_bytes,
                                                  struct lith_err *err);

#endif
