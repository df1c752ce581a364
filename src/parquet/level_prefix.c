/*
 * One run of levels in front of the values of a page.
 *
 * V1 pages have their levels inside what is compressed, so there the codec's format decides
 * whether they can be put in (codec/prefix.h); V2 pages have them in front of it.
 */
#include "parquet/level_prefix.h"

#include <inttypes.h>

#include "base/hash.h"
#include "parquet/encode.h"
#include "parquet/rle.h"
#include "parquet/types.h"

struct lith_level_run lith_level_run(uint32_t count, uint16_t level, uint16_t max, bool with_length)
{
    struct lith_level_run run = {0};
    uint8_t *begin = run.data + (with_length ? 4 : 0);
    uint8_t *at = begin;

    LITH_ASSERT(max > 0);
    LITH_ASSERT(level <= max);
    LITH_ASSERT(count <= INT32_MAX);
    if (count > 0) {
        at = lith_varint_put(at, (uint64_t)count << 1);
        *at++ = (uint8_t)level;
        if (lith_bit_width(max) > 8)
            *at++ = (uint8_t)(level >> 8);
    }
    if (with_length)
        lith_store_u32(run.data, (uint32_t)(at - begin));
    run.bytes = (size_t)(at - run.data);
    return run;
}

static enum lith_code header_check(const struct lith_page_header *header, enum lith_codec codec,
                                   uint64_t bytes, struct lith_err *err)
{
    bool v2 = header->type == LITH_PAGE_DATA_V2;

    if (header->type != LITH_PAGE_DATA && !v2)
        return lith_fail(err, LITH_E_INVALID, "levels for a page of type %d", header->type);
    if (header->compressed_bytes < 0 || bytes != (uint64_t)header->compressed_bytes ||
        header->uncompressed_bytes < 0 || header->num_values > INT32_MAX)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a body of %" PRIu64 " bytes; the header says %d bytes, %d uncompressed, "
                         "%" PRIu32 " values",
                         bytes, header->compressed_bytes, header->uncompressed_bytes,
                         header->num_values);
    if ((codec == LITH_CODEC_UNCOMPRESSED || (v2 && !header->is_compressed)) &&
        header->compressed_bytes != header->uncompressed_bytes)
        return lith_fail(err, LITH_E_CORRUPT, "an uncompressed page of %d bytes, %d uncompressed",
                         header->compressed_bytes, header->uncompressed_bytes);
    if (v2 && header->num_nulls > 0)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " nulls in a REQUIRED column",
                         header->num_nulls);
    if (v2 && header->num_rows != header->num_values)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu32 " rows of %" PRIu32 " values without repetition",
                         header->num_rows, header->num_values);
    return LITH_OK;
}

/* Levels that some writers put into a V2 page although there are none (ARROW-17453) are left out.
 */
static enum lith_code define_v2(struct lith_page_header *header, uint16_t max_def,
                                struct lith_buf *front, struct lith_body_edit *edit,
                                struct lith_err *err)
{
    struct lith_level_run run = lith_level_run(header->num_values, max_def, max_def, false);
    uint64_t old_bytes = (uint64_t)header->rep_bytes + header->def_bytes;
    int64_t compressed = (int64_t)header->compressed_bytes - (int64_t)old_bytes;
    int64_t uncompressed = (int64_t)header->uncompressed_bytes - (int64_t)old_bytes;

    if (compressed < 0 || uncompressed < 0)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " bytes of levels in a page of %d (%d)",
                         old_bytes, header->compressed_bytes, header->uncompressed_bytes);
    if (uncompressed > INT32_MAX - (int64_t)run.bytes)
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes of levels in front of %" PRId64, run.bytes,
                         uncompressed);
    edit->skip = old_bytes;
    edit->keep = (uint64_t)compressed;
    header->rep_bytes = 0;
    header->def_bytes = (uint32_t)run.bytes;
    header->uncompressed_bytes = (int32_t)(uncompressed + (int64_t)run.bytes);
    return lith_buf_append(front, run.data, run.bytes, err);
}

static enum lith_code define_v1(struct lith_page_header *header, enum lith_codec codec,
                                uint16_t max_def, const struct lith_body_ends *ends,
                                struct lith_buf *front, struct lith_body_edit *edit,
                                struct lith_err *err)
{
    struct lith_level_run run = lith_level_run(header->num_values, max_def, max_def, true);
    struct lith_slice prefix = {run.data, run.bytes};
    struct lith_body_ends body = *ends;

    body.plain_bytes = (uint64_t)header->uncompressed_bytes;
    LITH_TRY(lith_prefix_plan(codec, prefix, &body, front, edit, err));
    header->uncompressed_bytes += (int32_t)run.bytes;
    return LITH_OK;
}

enum lith_code lith_page_define_plan(const struct lith_page_header *header, enum lith_codec codec,
                                     uint16_t max_def, const struct lith_body_ends *ends,
                                     struct lith_buf *front, struct lith_page_header *ret_header,
                                     struct lith_body_edit *ret_edit, struct lith_err *err)
{
    struct lith_page_header new_header = *header;
    struct lith_body_edit edit = {0};
    size_t before = front->bytes;

    LITH_TRY(header_check(header, codec, ends->bytes, err));
    if (header->type == LITH_PAGE_DATA_V2)
        LITH_TRY(define_v2(&new_header, max_def, front, &edit, err));
    else
        LITH_TRY(define_v1(&new_header, codec, max_def, ends, front, &edit, err));
    uint64_t bytes = front->bytes - before + edit.keep + edit.trailer_bytes;
    if (bytes > INT32_MAX) {
        front->bytes = before;
        return lith_fail(err, LITH_E_LIMIT, "a page of %" PRIu64 " bytes with its levels", bytes);
    }
    new_header.compressed_bytes = (int32_t)bytes;
    new_header.def_encoding = LITH_ENCODING_RLE;
    new_header.rep_encoding = LITH_ENCODING_RLE;
    new_header.has_crc = false;
    new_header.crc = 0;
    *ret_header = new_header;
    *ret_edit = edit;
    return LITH_OK;
}

enum lith_code lith_page_define(const struct lith_page_header *header, enum lith_codec codec,
                                uint16_t max_def, struct lith_slice body, struct lith_buf *to,
                                struct lith_page_header *ret_header, struct lith_err *err)
{
    struct lith_body_ends ends = lith_body_ends(body, 0);
    struct lith_page_header new_header;
    struct lith_body_edit edit;
    size_t before = to->bytes;

    if (header->has_crc)
        LITH_TRY(lith_page_crc_check(header, lith_crc32(0, body.data, body.bytes), err));
    LITH_TRY(lith_page_define_plan(header, codec, max_def, &ends, to, &new_header, &edit, err));
    enum lith_code code = lith_body_edit_append(&edit, body, to, err);
    if (code != LITH_OK) {
        to->bytes = before;
        return code;
    }
    new_header.has_crc = true;
    new_header.crc = lith_crc32(0, to->data + before, to->bytes - before);
    *ret_header = new_header;
    return LITH_OK;
}
