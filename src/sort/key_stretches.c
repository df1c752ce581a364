/*
 * Stretches of one first key: the end of that key is looked for only where it changes.
 */
#include "sort/key_stretches.h"

#include "base/array.h"
#include "base/checked.h"

/* A decimal is led by sign and count; see key_layout.h. */
#define DECIMAL_HEAD_BYTES 4u
#define DECIMAL_SIGN (UINT32_C(1) << 31)

void lith_key_stretches_init(struct lith_key_stretches *stretches,
                             const struct lith_key_layout *layout, uint64_t rows_min,
                             struct lith_mem *mem)
{
    LITH_ASSERT(rows_min > 0);
    *stretches = (struct lith_key_stretches){
        .mem = mem,
        .field = layout->fields[0],
        .rows_min = rows_min,
    };
}

void lith_key_stretches_done(struct lith_key_stretches *stretches)
{
    lith_free(stretches->kept);
    *stretches = (struct lith_key_stretches){0};
}

/* Up to the two zeros that end a text; 0: they are not there. */
static size_t text_bytes(struct lith_slice key, uint8_t zero)
{
    const uint8_t *end = key.data + key.bytes;
    const uint8_t *at = key.data;

    while (at < end && (at = memchr(at, zero, (size_t)(end - at))) != NULL) {
        at++;
        if (at < end && *at == zero)
            return (size_t)(at + 1 - key.data);
    }
    return 0;
}

static size_t decimal_bytes(struct lith_slice key, uint8_t flip)
{
    if (key.bytes < DECIMAL_HEAD_BYTES)
        return 0;
    uint32_t head = __builtin_bswap32(lith_load_u32(key.data)) ^ (flip ? UINT32_MAX : 0);
    size_t count = head & DECIMAL_SIGN ? head - DECIMAL_SIGN : DECIMAL_SIGN - 1 - head;
    return DECIMAL_HEAD_BYTES + count;
}

/* The bytes of the first key among those of all; 0: it is not all there. */
static size_t first_bytes(const struct lith_key_stretches *stretches, struct lith_slice key)
{
    const struct lith_key_field *field = &stretches->field;
    uint8_t flip = field->descending ? 0xff : 0;
    size_t marker = field->has_marker;
    size_t bytes = field->width;

    key.bytes = lith_min_size(key.bytes, LITH_FIRST_KEY_BYTES_MAX);
    if (marker && key.bytes && key.data[0] != LITH_KEY_VALUE)
        return marker; /* of a null, which has no more or zeros */
    if (key.bytes <= marker)
        return 0;
    if (bytes == 0) {
        struct lith_slice value = {key.data + marker, key.bytes - marker};
        bytes = field->order == LITH_ORDER_DECIMAL_BYTES ? decimal_bytes(value, flip)
                                                         : text_bytes(value, flip);
    }
    return bytes && bytes <= key.bytes - marker ? marker + bytes : 0;
}

enum lith_code lith_key_stretches_put(struct lith_key_stretches *stretches, uint64_t begin,
                                      uint64_t end, struct lith_err *err)
{
    void *array = stretches->kept;

    if (end - begin < stretches->rows_min)
        return LITH_OK;
    LITH_TRY(
        lith_array_grow(stretches->mem, &array, stretches->count, sizeof(*stretches->kept), err));
    stretches->kept = array;
    stretches->kept[stretches->count++] = (struct lith_key_stretch){begin, end};
    return LITH_OK;
}

enum lith_code lith_key_stretches_end(struct lith_key_stretches *stretches, struct lith_err *err)
{
    if (stretches->first_bytes)
        LITH_TRY(lith_key_stretches_put(stretches, stretches->begin, stretches->row, err));
    stretches->first_bytes = 0;
    return LITH_OK;
}

enum lith_code lith_key_stretches_turn(struct lith_key_stretches *stretches, struct lith_slice key,
                                       struct lith_err *err)
{
    LITH_TRY(lith_key_stretches_end(stretches, err));
    stretches->begin = stretches->row;
    stretches->first_bytes = first_bytes(stretches, key);
    memcpy(stretches->first, key.data, stretches->first_bytes);
    return LITH_OK;
}
