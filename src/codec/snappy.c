/*
 * SNAPPY: raw blocks (no framing), whole buffers through the library's C interface.
 *
 * The streaming form is in snappy_stream.c, because the library has none in C.
 */
#include <snappy-c.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "codec/internal.h"
#include "codec/snappy_expand.h"

enum lith_code lith_snappy_decompress(struct lith_codec_context *context, struct lith_slice from,
                                      void *to, size_t to_bytes, struct lith_err *err)
{
    const char *data = (const char *)from.data;
    size_t found;

    if (context->for_proofs)
        return lith_snappy_expand(from, to, to_bytes, err);
    if (snappy_uncompressed_length(data, from.bytes, &found) != SNAPPY_OK)
        return lith_codec_fail_data(err, "SNAPPY", "no length at the start", from.bytes, to_bytes);
    if (found != to_bytes)
        return lith_codec_fail_size(err, "SNAPPY", to_bytes, found);
    if (snappy_uncompress(data, from.bytes, to, &found) != SNAPPY_OK)
        return lith_codec_fail_data(err, "SNAPPY", "damaged block", from.bytes, to_bytes);
    LITH_ASSERT(found == to_bytes);
    return LITH_OK;
}

size_t lith_snappy_bound(size_t bytes)
{
    return snappy_max_compressed_length(bytes);
}

enum lith_code lith_snappy_compress(struct lith_codec_context *context, struct lith_slice from,
                                    uint8_t *to, size_t *bytes, struct lith_err *err)
{
    /* The library takes its work memory in each call. */
    LITH_TRY(lith_mem_charge(context->mem, LITH_SNAPPY_WORK_BYTES, err));
    snappy_status status = snappy_compress((const char *)from.data, from.bytes, (char *)to, bytes);
    lith_mem_release(context->mem, LITH_SNAPPY_WORK_BYTES);
    if (status != SNAPPY_OK)
        return lith_fail(err, LITH_E_LIMIT, "SNAPPY: %zu bytes do not fit %zu", from.bytes, *bytes);
    return LITH_OK;
}
