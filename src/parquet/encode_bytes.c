/*
 * DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY, encoding: streams of lengths, then the bytes.
 */
#include <inttypes.h>

#include "base/checked.h"
#include "parquet/encode.h"

static enum lith_code lengths_alloc(struct lith_mem *mem, size_t count, uint32_t **ret_lengths,
                                    struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(mem, count, sizeof(**ret_lengths), &block, err));
    *ret_lengths = block;
    return LITH_OK;
}

static enum lith_code length_check(size_t bytes, struct lith_err *err)
{
    if (bytes > INT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a value of %zu bytes, at most %" PRId32 " are legal",
                         bytes, INT32_MAX);
    return LITH_OK;
}

enum lith_code lith_encode_delta_length(const struct lith_values *values, struct lith_mem *mem,
                                        struct lith_buf *to, struct lith_err *err)
{
    LITH_AUTO(block) uint32_t *lengths = NULL;

    LITH_TRY(lengths_alloc(mem, values->count, &lengths, err));
    for (size_t i = 0; i < values->count; i++) {
        LITH_TRY(length_check(values->slices[i].bytes, err));
        lengths[i] = (uint32_t)values->slices[i].bytes;
    }
    LITH_TRY(lith_delta_encode_u32(lengths, values->count, to, err));
    for (size_t i = 0; i < values->count; i++)
        LITH_TRY(lith_buf_append(to, values->slices[i].data, values->slices[i].bytes, err));
    return LITH_OK;
}

/* The length of the longest common prefix. */
static size_t prefix_length(struct lith_slice a, struct lith_slice b)
{
    size_t most = lith_min_size(a.bytes, b.bytes);
    size_t at = 0;

    while (at + 8 <= most && lith_load_u64(a.data + at) == lith_load_u64(b.data + at))
        at += 8;
    while (at < most && a.data[at] == b.data[at])
        at++;
    return at;
}

enum lith_code lith_encode_delta_bytes(const struct lith_values *values, struct lith_mem *mem,
                                       struct lith_buf *to, struct lith_err *err)
{
    LITH_AUTO(block) uint32_t *prefixes = NULL;
    LITH_AUTO(block) uint32_t *suffixes = NULL;
    struct lith_slice last = lith_slice_text("");

    LITH_TRY(lengths_alloc(mem, values->count, &prefixes, err));
    LITH_TRY(lengths_alloc(mem, values->count, &suffixes, err));
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        LITH_TRY(length_check(value.bytes, err));
        prefixes[i] = (uint32_t)prefix_length(last, value);
        suffixes[i] = (uint32_t)value.bytes - prefixes[i];
        last = value;
    }
    LITH_TRY(lith_delta_encode_u32(prefixes, values->count, to, err));
    LITH_TRY(lith_delta_encode_u32(suffixes, values->count, to, err));
    for (size_t i = 0; i < values->count; i++)
        if (suffixes[i])
            LITH_TRY(lith_buf_append(to, lith_values_at(values, i).data + prefixes[i], suffixes[i],
                                     err));
    return LITH_OK;
}
