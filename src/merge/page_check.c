/*
 * Checks of pages that nobody decodes.
 */
#include "merge/page_check.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "parquet/page_body.h"

/* The header of DELTA_BINARY_PACKED: four varints. */
#define DELTA_HEADER_BYTES_MAX 40u

enum lith_code lith_v2_levels_check(const struct lith_page *page, struct lith_source *pages,
                                    struct lith_chunk_levels *levels, struct lith_err *err)
{
    const struct lith_page_header *header = &page->header;
    struct lith_page stored = *page;
    uint64_t begin, count;

    stored.levels = (struct lith_body){
        .source = pages,
        .offset = page->offset + page->header_bytes,
        .bytes = (uint64_t)header->rep_bytes + (uint64_t)header->def_bytes,
    };
    LITH_TRY(lith_chunk_levels_open(levels, &stored, &begin, &count, err));
    for (bool is_first = true; levels->undecoded > 0; is_first = false) {
        LITH_TRY(lith_chunk_levels_fill(levels, err));
        if (is_first && levels->rep.max > 0 && levels->rep.levels[0] != 0)
            return lith_fail(err, LITH_E_CORRUPT, "the first repetition level is %u, it must be 0",
                             levels->rep.levels[0]);
        levels->begin = levels->end;
    }
    if (levels->values != count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the header says %" PRIu32 " nulls, the levels %" PRIu64,
                         header->num_nulls, header->num_values - levels->values);
    if (levels->rows != header->num_rows)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the header says %" PRIu32 " rows, the levels %" PRIu64, header->num_rows,
                         levels->rows);
    return LITH_OK;
}

enum lith_code lith_plain_size_check(const struct lith_page_header *header, enum lith_codec codec,
                                     struct lith_err *err)
{
    if (codec != LITH_CODEC_UNCOMPRESSED || header->compressed_bytes == header->uncompressed_bytes)
        return LITH_OK;
    return lith_fail(err, LITH_E_CORRUPT,
                     "a body of %" PRId32 " bytes that is not compressed, but the header says "
                     "%" PRId32 " uncompressed",
                     header->compressed_bytes, header->uncompressed_bytes);
}

enum lith_code lith_prefix_is_own(const struct lith_body *values, uint64_t begin, bool *ret_own,
                                  struct lith_err *err)
{
    uint8_t header[DELTA_HEADER_BYTES_MAX];
    size_t bytes = (size_t)lith_min_u64(values->bytes - begin, sizeof(header));

    LITH_TRY(lith_body_read(values, begin, header, bytes, err));
    struct lith_cursor c = lith_cursor_at(header, bytes);
    for (int i = 0; i < 3; i++) /* sizes of block and miniblock, count of values */
        (void)lith_cursor_varint(&c);
    *ret_own = lith_cursor_varint(&c) == 0 && !c.failed;
    return LITH_OK;
}
