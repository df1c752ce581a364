/*
 * A growing byte buffer that knows its maximum from birth.
 *
 * data[0..bytes) are the contents; callers may read and overwrite them directly. An append that
 * would pass `limit` fails with LIMIT and changes nothing.
 */
#ifndef LITH_BASE_BUF_H
#define LITH_BASE_BUF_H

#include "base/mem.h"

struct lith_buf {
    struct lith_mem *mem;
    uint8_t *data;
    size_t bytes;
    size_t capacity;
    size_t limit;
};

/* Takes no memory yet. `limit` is the most it may ever hold. */
void lith_buf_init(struct lith_buf *buf, struct lith_mem *mem, size_t limit);

/* Gives the memory back; the buffer is empty and can be used again. */
void lith_buf_done(struct lith_buf *buf);

/* Forgets the contents, keeps the memory. */
static inline void lith_buf_clear(struct lith_buf *buf)
{
    buf->bytes = 0;
}

/* Makes room for `more` bytes behind the contents: data + bytes may then be written. */
LITH_MUST_CHECK enum lith_code lith_buf_reserve(struct lith_buf *buf, size_t more,
                                                struct lith_err *err);

LITH_MUST_CHECK enum lith_code lith_buf_append(struct lith_buf *buf, const void *from, size_t bytes,
                                               struct lith_err *err);

LITH_MUST_CHECK enum lith_code lith_buf_append_byte(struct lith_buf *buf, uint8_t byte,
                                                    struct lith_err *err);

/* LITH_AUTO(buf) struct lith_buf b; */
static inline void lith_buf_auto(struct lith_buf *buf)
{
    lith_buf_done(buf);
}

#endif
