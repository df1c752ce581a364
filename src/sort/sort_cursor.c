/*
 * Reading a sorted run. A row that does not fit what is left of the buffer is moved to its front.
 */
#include "sort/sort_cursor.h"

#include "base/checked.h"
#include "sort/scratch_damage.h"

/* Of keys that are longer than a buffer so much is read at a time. */
#define PIECE_BYTES 1024u

/* Fills the buffer from the row on. */
static enum lith_code refill(struct lith_sort_cursor *cursor, struct lith_err *err)
{
    size_t bytes = (size_t)lith_min_u64(cursor->end - cursor->at, cursor->buffer_bytes);

    LITH_TRY(lith_source_read(cursor->source, cursor->at, cursor->buffer, bytes, err));
    cursor->position = 0;
    cursor->filled = bytes;
    return LITH_OK;
}

static enum lith_code record_read(struct lith_sort_cursor *cursor, struct lith_err *err)
{
    if (cursor->filled - cursor->position < sizeof(struct lith_sort_record))
        LITH_TRY(refill(cursor, err));
    LITH_ASSERT(cursor->filled - cursor->position >= sizeof(struct lith_sort_record));
    const uint8_t *from = cursor->buffer + cursor->position;
    cursor->prefix = lith_load_u64(from + offsetof(struct lith_sort_record, prefix));
    cursor->ref = lith_load_u64(from + offsetof(struct lith_sort_record, ref));
    if ((cursor->prefix & cursor->ref) == UINT64_MAX)
        return lith_scratch_damaged(err); /* no unit has a row of that number */
    return LITH_OK;
}

/* Whether an entry of which `left` bytes are at hand has its head, and a key of a length that the
 * run has, behind what all keys begin with. */
static bool entry_is_good(const struct lith_sort_cursor *cursor, const uint8_t *entry, size_t left)
{
    if (left < LITH_ENTRY_HEAD_BYTES)
        return false;
    size_t bytes = lith_entry_key(entry).bytes;
    return bytes >= cursor->common && bytes <= cursor->end - cursor->at - LITH_ENTRY_HEAD_BYTES;
}

static enum lith_code entry_read(struct lith_sort_cursor *cursor, struct lith_err *err)
{
    size_t left = cursor->filled - cursor->position;
    const uint8_t *entry = cursor->buffer + cursor->position;

    if (left < LITH_ENTRY_HEAD_BYTES ||
        left - LITH_ENTRY_HEAD_BYTES < lith_entry_key(entry).bytes) {
        LITH_TRY(refill(cursor, err));
        left = cursor->filled;
        entry = cursor->buffer;
    }
    if (!entry_is_good(cursor, entry, left))
        return lith_scratch_damaged(err);
    struct lith_slice key = lith_entry_key(entry);
    cursor->ref = lith_entry_place(entry);
    cursor->key = key.data;
    cursor->key_bytes = key.bytes;
    cursor->key_here = lith_min_size(key.bytes, left - LITH_ENTRY_HEAD_BYTES);
    cursor->prefix = lith_key_prefix(key.data + cursor->common, cursor->key_here - cursor->common);
    return LITH_OK;
}

static enum lith_code row_read(struct lith_sort_cursor *cursor, struct lith_err *err)
{
    if (cursor->at == cursor->end) {
        cursor->is_ended = true;
        return LITH_OK;
    }
    return cursor->is_short ? record_read(cursor, err) : entry_read(cursor, err);
}

enum lith_code lith_sort_cursor_init(struct lith_sort_cursor *cursor, struct lith_sort_runs *runs,
                                     size_t run, size_t common, uint8_t *buffer,
                                     size_t buffer_bytes, struct lith_err *err)
{
    LITH_ASSERT(buffer_bytes >= LITH_SORT_CURSOR_BYTES_MIN);
    *cursor = (struct lith_sort_cursor){
        .source = &runs->spool.source,
        .at = runs->runs[run].begin,
        .end = runs->runs[run].end,
        .buffer = buffer,
        .buffer_bytes = buffer_bytes,
        .is_short = lith_keys_are_short(runs->width),
        .common = common,
    };
    return row_read(cursor, err);
}

enum lith_code lith_sort_cursor_next(struct lith_sort_cursor *cursor, struct lith_err *err)
{
    size_t bytes = cursor->is_short ? sizeof(struct lith_sort_record)
                                    : LITH_ENTRY_HEAD_BYTES + cursor->key_bytes;

    cursor->at += bytes;
    /* Of a key that was not all in the buffer nothing is left there. */
    cursor->position = lith_min_size(cursor->position + bytes, cursor->filled);
    return row_read(cursor, err);
}

/* Bytes [from, from + bytes) of a key, read into `room` where they are not in the buffer. */
static enum lith_code piece_read(const struct lith_sort_cursor *cursor, size_t from, size_t bytes,
                                 uint8_t *room, const uint8_t **ret_piece, struct lith_err *err)
{
    if (from + bytes <= cursor->key_here) {
        *ret_piece = cursor->key + from;
        return LITH_OK;
    }
    LITH_TRY(lith_source_read(cursor->source, cursor->at + LITH_ENTRY_HEAD_BYTES + from, room,
                              bytes, err));
    *ret_piece = room;
    return LITH_OK;
}

/* Keys that are equal in both buffers, from byte `at` on. */
static enum lith_code rest_compare(const struct lith_sort_cursor *a,
                                   const struct lith_sort_cursor *b, size_t at, int *ret_order,
                                   struct lith_err *err)
{
    uint8_t a_room[PIECE_BYTES], b_room[PIECE_BYTES];
    size_t common = lith_min_size(a->key_bytes, b->key_bytes);
    const uint8_t *x, *y;

    while (at < common) {
        size_t bytes = lith_min_size(common - at, PIECE_BYTES);
        LITH_TRY(piece_read(a, at, bytes, a_room, &x, err));
        LITH_TRY(piece_read(b, at, bytes, b_room, &y, err));
        *ret_order = memcmp(x, y, bytes);
        if (*ret_order)
            return LITH_OK;
        at += bytes;
    }
    *ret_order = (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
    return LITH_OK;
}

enum lith_code lith_sort_cursor_compare(const struct lith_sort_cursor *a,
                                        const struct lith_sort_cursor *b, bool *ret_before,
                                        struct lith_err *err)
{
    size_t here = lith_min_size(a->key_here, b->key_here);
    int order = memcmp(a->key + a->common, b->key + b->common, here - a->common);

    if (order == 0)
        LITH_TRY(rest_compare(a, b, here, &order, err));
    *ret_before = order ? order < 0 : a->ref < b->ref;
    return LITH_OK;
}

enum lith_code lith_sort_cursor_copy(const struct lith_sort_cursor *cursor,
                                     struct lith_sort_runs *to, struct lith_err *err)
{
    uint8_t room[PIECE_BYTES];
    const uint8_t *piece;

    if (cursor->is_short)
        return lith_sort_runs_put(to, cursor->buffer + cursor->position,
                                  sizeof(struct lith_sort_record), err);
    LITH_TRY(lith_sort_runs_put(to, cursor->buffer + cursor->position,
                                LITH_ENTRY_HEAD_BYTES + cursor->key_here, err));
    for (size_t at = cursor->key_here; at < cursor->key_bytes;) {
        size_t bytes = lith_min_size(cursor->key_bytes - at, PIECE_BYTES);
        LITH_TRY(piece_read(cursor, at, bytes, room, &piece, err));
        LITH_TRY(lith_sort_runs_put(to, piece, bytes, err));
        at += bytes;
    }
    return LITH_OK;
}
