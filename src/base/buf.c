/*
 * A growing byte buffer: capacity doubles up to the limit.
 */
#include "base/buf.h"

#include <string.h>

#include "base/checked.h"

void lith_buf_init(struct lith_buf *buf, struct lith_mem *mem, size_t limit)
{
    *buf = (struct lith_buf){.mem = mem, .limit = limit};
}

void lith_buf_done(struct lith_buf *buf)
{
    lith_free(buf->data);
    buf->data = NULL;
    buf->bytes = 0;
    buf->capacity = 0;
}

enum lith_code lith_buf_reserve(struct lith_buf *buf, size_t more, struct lith_err *err)
{
    size_t sum;

    if (!lith_add_size(buf->bytes, more, &sum) || sum > buf->limit)
        return lith_fail(err, LITH_E_LIMIT,
                         "a buffer of %zu bytes needs %zu more, its limit is %zu", buf->bytes, more,
                         buf->limit);
    if (sum <= buf->capacity)
        return LITH_OK;
    size_t capacity = buf->capacity > SIZE_MAX / 2 ? SIZE_MAX : buf->capacity * 2;
    if (capacity < 256)
        capacity = 256;
    if (capacity < sum)
        capacity = sum;
    capacity = lith_min_size(capacity, buf->limit);
    void *data = buf->data;
    enum lith_code code = lith_realloc(buf->mem, &data, capacity, err);
    if (code == LITH_E_LIMIT && capacity > sum) {
        capacity = sum; /* the doubling did not fit the budget: take just what is needed */
        code = lith_realloc(buf->mem, &data, capacity, err);
    }
    LITH_TRY(code);
    buf->data = data;
    buf->capacity = capacity;
    return LITH_OK;
}

enum lith_code lith_buf_append(struct lith_buf *buf, const void *from, size_t bytes,
                               struct lith_err *err)
{
    LITH_TRY(lith_buf_reserve(buf, bytes, err));
    if (bytes)
        memcpy(buf->data + buf->bytes, from, bytes);
    buf->bytes += bytes;
    return LITH_OK;
}

enum lith_code lith_buf_append_byte(struct lith_buf *buf, uint8_t byte, struct lith_err *err)
{
    LITH_TRY(lith_buf_reserve(buf, 1, err));
    buf->data[buf->bytes++] = byte;
    return LITH_OK;
}
