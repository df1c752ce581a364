/*
 * A sorted run that is read from its beginning to its end, row by row, through a buffer.
 *
 * A key that is longer than the buffer is there with its beginning; the rest is read from the file
 * when two such keys are compared, or copied.
 */
#ifndef LITH_SORT_SORT_CURSOR_H
#define LITH_SORT_SORT_CURSOR_H

#include "sort/sort_runs.h"

/* The head of an entry and of its key as much as decides its prefix. */
#define LITH_SORT_CURSOR_BYTES_MIN (LITH_ENTRY_HEAD_BYTES + LITH_SORT_BOUND_BYTES_MAX + 8u)

struct lith_sort_cursor {
    /* The row at hand. */
    bool is_ended;
    uint64_t prefix;    /* of the key, long ones behind what all begin with */
    uint64_t ref;       /* short keys: as in the record; long ones: the place */
    const uint8_t *key; /* long ones: what of it is in the buffer */
    size_t key_here;
    size_t key_bytes;

    struct lith_source *source;
    uint64_t at; /* of the row, in the file */
    uint64_t end;
    uint8_t *buffer; /* borrowed */
    size_t buffer_bytes;
    size_t position; /* of the row */
    size_t filled;
    bool is_short;
    size_t common;
};

/* Stands at the first row of a run. `buffer` is borrowed and holds `buffer_bytes`, at least the
 * minimum above; `common` is what all keys of all runs begin with. IO. */
LITH_MUST_CHECK enum lith_code lith_sort_cursor_init(struct lith_sort_cursor *cursor,
                                                     struct lith_sort_runs *runs, size_t run,
                                                     size_t common, uint8_t *buffer,
                                                     size_t buffer_bytes, struct lith_err *err);

/* Goes to the next row. IO. */
LITH_MUST_CHECK enum lith_code lith_sort_cursor_next(struct lith_sort_cursor *cursor,
                                                     struct lith_err *err);

/* The place of the row. */
static inline uint64_t lith_sort_cursor_place(const struct lith_sort_cursor *cursor)
{
    return cursor->ref & ((UINT64_C(1) << LITH_PLACE_BITS) - 1);
}

/* The key of the row, or its beginning where it is longer than the buffer. Short keys stand in
 * `room`, zeros behind them. */
static inline struct lith_slice lith_sort_cursor_key(const struct lith_sort_cursor *cursor,
                                                     uint8_t room[LITH_RECORD_KEY_BYTES])
{
    if (!cursor->is_short)
        return (struct lith_slice){cursor->key, cursor->key_here};
    lith_record_key(cursor->prefix, cursor->ref, room);
    return (struct lith_slice){room, LITH_RECORD_KEY_BYTES};
}

/* Whether the row of `a` comes before that of `b`, both of one prefix and of long keys. IO. */
LITH_MUST_CHECK enum lith_code lith_sort_cursor_compare(const struct lith_sort_cursor *a,
                                                        const struct lith_sort_cursor *b,
                                                        bool *ret_before, struct lith_err *err);

/* Appends the row to the run that was begun last. IO. */
LITH_MUST_CHECK enum lith_code lith_sort_cursor_copy(const struct lith_sort_cursor *cursor,
                                                     struct lith_sort_runs *to,
                                                     struct lith_err *err);

#endif
