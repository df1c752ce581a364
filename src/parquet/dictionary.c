/*
 * Dictionaries: a walk over the PLAIN values of the page notes where each entry lies.
 *
 * Nothing is copied but BOOLEAN bits. The count is checked against the body before room for the
 * places is taken, so that a false count cannot ask for memory. Encodings.md, "Plain".
 */
#include "parquet/dictionary.h"

#include <inttypes.h>

/* The walk reads lengths and skips values; a longer buffer would read what is skipped. */
#define WALK_BUFFER_BYTES ((size_t)16 * 1024)

static enum lith_code count_fail(const struct lith_dictionary *dictionary, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT,
                     "a dictionary of %" PRIu32 " entries in a body of %" PRIu64 " bytes",
                     dictionary->count, dictionary->body.bytes);
}

static enum lith_code fixed_init(struct lith_dictionary *dictionary, struct lith_err *err)
{
    if (dictionary->body.bytes / dictionary->width < dictionary->count)
        return count_fail(dictionary, err);
    dictionary->fixed = dictionary->body.data;
    return LITH_OK;
}

/* One bit each in the body, one byte each in `owned`. */
static enum lith_code boolean_init(struct lith_dictionary *dictionary, struct lith_err *err)
{
    struct lith_window w;
    uint64_t bytes = ((uint64_t)dictionary->count + 7) / 8;
    enum lith_code code = LITH_OK;

    if (dictionary->body.bytes < bytes)
        return count_fail(dictionary, err);
    LITH_TRY(lith_alloc(dictionary->mem, dictionary->count, &dictionary->owned, err));
    LITH_TRY(lith_window_init(&w, &dictionary->body, 0, bytes, dictionary->mem, WALK_BUFFER_BYTES,
                              WALK_BUFFER_BYTES, err));
    uint8_t *values = dictionary->owned;
    for (uint32_t i = 0; i < dictionary->count && code == LITH_OK; i++) {
        if (!lith_window_need(&w, 1)) {
            code = w.code;
            break;
        }
        values[i] = *w.next >> (i % 8) & 1;
        w.next += i % 8 == 7;
    }
    lith_window_done(&w);
    dictionary->fixed = values;
    return code;
}

static enum lith_code memory_walk(struct lith_dictionary *dictionary, struct lith_err *err)
{
    const uint8_t *at = dictionary->body.data;
    uint64_t left = dictionary->body.bytes;

    for (uint32_t i = 0; i < dictionary->count; i++) {
        uint64_t bytes = left < 4 ? 0 : lith_load_u32(at);
        if (left < 4 || bytes > left - 4)
            return lith_fail(err, LITH_E_CORRUPT,
                             "entry %" PRIu32 " of %" PRIu32 " passes the end of the dictionary", i,
                             dictionary->count);
        dictionary->slices[i] = (struct lith_slice){at + 4, (size_t)bytes};
        at += 4 + bytes;
        left -= 4 + bytes;
    }
    return LITH_OK;
}

static enum lith_code source_walk(struct lith_dictionary *dictionary, struct lith_window *w)
{
    for (uint32_t i = 0; i < dictionary->count; i++) {
        if (!lith_window_need(w, 4))
            return w->code;
        uint32_t bytes = lith_load_u32(w->next);
        w->next += 4;
        dictionary->offsets[i] = dictionary->body.bytes - lith_window_left(w);
        dictionary->lengths[i] = bytes;
        if (!lith_window_skip(w, bytes))
            return w->code;
    }
    return LITH_OK;
}

static enum lith_code bytes_init(struct lith_dictionary *dictionary, struct lith_err *err)
{
    struct lith_mem *mem = dictionary->mem;
    size_t count = dictionary->count;
    struct lith_window w;
    void *block;

    if (dictionary->body.bytes / 4 < count)
        return count_fail(dictionary, err);
    if (dictionary->body.data || count == 0) {
        LITH_TRY(lith_alloc_array(mem, count, sizeof(*dictionary->slices), &block, err));
        dictionary->slices = block;
        return memory_walk(dictionary, err);
    }
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*dictionary->offsets), &block, err));
    dictionary->offsets = block;
    LITH_TRY(lith_alloc_array(mem, count, sizeof(*dictionary->lengths), &block, err));
    dictionary->lengths = block;
    LITH_TRY(lith_window_init(&w, &dictionary->body, 0, dictionary->body.bytes, mem,
                              WALK_BUFFER_BYTES, WALK_BUFFER_BYTES, err));
    enum lith_code code = source_walk(dictionary, &w);
    lith_window_done(&w);
    return code;
}

enum lith_code lith_dictionary_init(struct lith_dictionary *dictionary, enum lith_type type,
                                    int32_t type_length, uint32_t count,
                                    const struct lith_body *body, const struct lith_work *work,
                                    struct lith_err *err)
{
    enum lith_code code;

    if (type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY && type_length <= 0)
        return lith_fail(err, LITH_E_CORRUPT, "%s of %" PRId32 " bytes", lith_type_name((int)type),
                         type_length);
    struct lith_dictionary made = {
        .type = type,
        .width = lith_type_width(type, type_length),
        .count = count,
        .body = *body,
        .mem = work->mem,
    };
    if (type == LITH_TYPE_BOOLEAN)
        code = boolean_init(&made, err);
    else if (type == LITH_TYPE_BYTE_ARRAY)
        code = bytes_init(&made, err);
    else
        code = fixed_init(&made, err);
    if (code != LITH_OK) {
        lith_dictionary_done(&made);
        return code;
    }
    *dictionary = made;
    return LITH_OK;
}

enum lith_code lith_dictionary_read(const struct lith_dictionary *dictionary, uint32_t id,
                                    struct lith_buf *to, struct lith_err *err)
{
    size_t width = dictionary->width;

    LITH_ASSERT(id < dictionary->count);
    if (dictionary->slices)
        return lith_buf_append(to, dictionary->slices[id].data, dictionary->slices[id].bytes, err);
    if (dictionary->fixed)
        return lith_buf_append(to, dictionary->fixed + id * width, width, err);
    uint64_t offset = dictionary->offsets ? dictionary->offsets[id] : (uint64_t)id * width;
    size_t bytes = dictionary->lengths ? dictionary->lengths[id] : width;
    if (bytes == 0)
        return LITH_OK;
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    LITH_TRY(lith_source_read(dictionary->body.source, dictionary->body.offset + offset,
                              to->data + to->bytes, bytes, err));
    to->bytes += bytes;
    return LITH_OK;
}

enum lith_code lith_dictionary_map_make(struct lith_dictionary *dictionary, struct lith_err *err)
{
    size_t bytes = dictionary->count * sizeof(*dictionary->map);
    void *block;

    if (dictionary->map)
        return LITH_OK;
    LITH_TRY(lith_alloc(dictionary->mem, bytes, &block, err));
    dictionary->map = block;
    memset(dictionary->map, 0xff, bytes);
    return LITH_OK;
}

void lith_dictionary_map_drop(struct lith_dictionary *dictionary)
{
    lith_free(dictionary->map);
    dictionary->map = NULL;
}

void lith_dictionary_done(struct lith_dictionary *dictionary)
{
    lith_free(dictionary->slices);
    lith_free(dictionary->offsets);
    lith_free(dictionary->lengths);
    lith_free(dictionary->owned);
    lith_free(dictionary->hashes);
    lith_free(dictionary->map);
    *dictionary = (struct lith_dictionary){0};
}
