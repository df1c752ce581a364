/*
 * inspect: the page headers of a chunk, without their bodies.
 *
 * The walk ends when the chunk's values have come, as that of parquet/page_source.c does, and
 * shows what that leaves out, too: index pages, unknown pages, pages without values.
 */
#include <inttypes.h>

#include "api/inspect.h"
#include "base/checked.h"
#include "parquet/page_header.h"

struct page_walk {
    struct lith_inspect *in;
    uint64_t position;
    uint64_t end; /* where the footer begins */
    uint64_t values_left;
    struct lith_buf head;
};

static enum lith_code header_read(struct page_walk *walk, struct lith_page_header *header,
                                  size_t *ret_bytes, struct lith_err *err)
{
    uint64_t left = walk->position < walk->end ? walk->end - walk->position : 0;
    uint64_t most = lith_min_u64(left, walk->head.limit);
    uint64_t want = lith_min_u64(LITH_PAGE_HEADER_GUESS_BYTES, most);

    for (;;) {
        lith_buf_clear(&walk->head);
        LITH_TRY(lith_buf_reserve(&walk->head, (size_t)want, err));
        LITH_TRY(
            lith_source_read(walk->in->source, walk->position, walk->head.data, (size_t)want, err));
        walk->head.bytes = (size_t)want;
        enum lith_code code =
            lith_page_header_parse(walk->head.data, walk->head.bytes, header, ret_bytes, err);
        if (code != LITH_E_NOT_FOUND)
            return code;
        if (want == most)
            return lith_fail(err, LITH_E_CORRUPT,
                             "no page header in %" PRIu64 " bytes, and %" PRIu64
                             " values are still to come",
                             most, walk->values_left);
        want = lith_min_u64(want * 8, most);
    }
}

static bool is_data(const struct lith_page_header *header)
{
    return header->type == LITH_PAGE_DATA || header->type == LITH_PAGE_DATA_V2;
}

static struct lith_json *encoding(int32_t number)
{
    return lith_inspect_name(lith_encoding_name(number), number);
}

static bool kind_fill(struct lith_json *page, const struct lith_page_header *header)
{
    if (header->type == LITH_PAGE_DICTIONARY)
        return lith_json_set(page, "values", lith_json_int(header->num_values)) &&
               lith_json_set(page, "encoding", encoding(header->encoding)) &&
               lith_json_set(page, "is_sorted", lith_json_bool(header->is_sorted));
    if (!is_data(header))
        return true;
    bool ok = lith_json_set(page, "values", lith_json_int(header->num_values)) &&
              lith_json_set(page, "encoding", encoding(header->encoding));
    if (header->type == LITH_PAGE_DATA)
        return ok && lith_json_set(page, "definition_encoding", encoding(header->def_encoding)) &&
               lith_json_set(page, "repetition_encoding", encoding(header->rep_encoding));
    return ok && lith_json_set(page, "nulls", lith_json_int(header->num_nulls)) &&
           lith_json_set(page, "rows", lith_json_int(header->num_rows)) &&
           lith_json_set(page, "definition_bytes", lith_json_int(header->def_bytes)) &&
           lith_json_set(page, "repetition_bytes", lith_json_int(header->rep_bytes)) &&
           lith_json_set(page, "is_compressed", lith_json_bool(header->is_compressed));
}

static bool page_fill(struct lith_json *page, const struct lith_page_header *header,
                      uint64_t offset, size_t header_bytes)
{
    bool ok =
        lith_json_set(page, "offset", lith_json_int((int64_t)offset)) &&
        lith_json_set(page, "type",
                      lith_inspect_name(lith_page_type_name(header->type), header->type)) &&
        lith_json_set(page, "header_bytes", lith_json_int((int64_t)header_bytes)) &&
        lith_json_set(page, "compressed_bytes", lith_json_int(header->compressed_bytes)) &&
        lith_json_set(page, "uncompressed_bytes", lith_json_int(header->uncompressed_bytes)) &&
        kind_fill(page, header);
    if (header->has_crc)
        ok = ok && lith_json_set(page, "crc", lith_json_int(header->crc));
    return ok;
}

static enum lith_code page_write(struct page_walk *walk, const struct lith_page_header *header,
                                 size_t header_bytes, uint32_t leaf, struct lith_err *err)
{
    struct lith_json *statistics = NULL;

    if (is_data(header))
        LITH_TRY(lith_inspect_statistics(walk->in, leaf, &header->statistics, &statistics, err));
    struct lith_json *page = lith_json_object();
    bool ok = page && page_fill(page, header, walk->position, header_bytes);
    if (statistics && lith_json_count(statistics) == 0)
        lith_json_free(statistics);
    else if (statistics)
        ok &= lith_json_set(page, "statistics", statistics);
    return lith_inspect_value(walk->in, page, ok, false, err);
}

static enum lith_code page_pass(struct page_walk *walk, const struct lith_page_header *header,
                                size_t header_bytes, struct lith_err *err)
{
    uint64_t body = walk->position + header_bytes;
    uint64_t bytes = (uint64_t)header->compressed_bytes;

    if (bytes > walk->end - body)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a body of %" PRIu64 " bytes, but the pages end in %" PRIu64, bytes,
                         walk->end - body);
    if (is_data(header) && header->num_values > walk->values_left)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%u values in the page, but only %" PRIu64 " are left in the chunk",
                         header->num_values, walk->values_left);
    walk->values_left -= is_data(header) ? header->num_values : 0;
    walk->position = body + bytes;
    return LITH_OK;
}

static enum lith_code pages_write(struct page_walk *walk, uint32_t leaf, struct lith_err *err)
{
    struct lith_page_header header;
    size_t header_bytes;

    LITH_TRY(lith_inspect_raw(walk->in, ",\"pages\":[", err));
    for (uint64_t index = 0; walk->values_left; index++) {
        uint64_t offset = walk->position;
        LITH_TRY(lith_work_check(walk->in->work, err));
        if (index)
            LITH_TRY(lith_inspect_raw(walk->in, ",", err));
        enum lith_code code = header_read(walk, &header, &header_bytes, err);
        if (code == LITH_OK)
            code = page_write(walk, &header, header_bytes, leaf, err);
        if (code == LITH_OK)
            code = page_pass(walk, &header, header_bytes, err);
        if (code != LITH_OK)
            return lith_err_prefix(err, "page %" PRIu64 " at byte %" PRIu64, index, offset);
    }
    return lith_inspect_raw(walk->in, "]", err);
}

enum lith_code lith_inspect_pages(struct lith_inspect *in, const struct lith_chunk_meta *meta,
                                  uint32_t leaf, struct lith_err *err)
{
    int64_t start = meta->data_page_offset;

    if (meta->dictionary_page_offset > 0 && meta->dictionary_page_offset < start)
        start = meta->dictionary_page_offset;
    if (meta->num_values < 0 || start < 0)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRId64 " values from byte %" PRId64,
                         meta->num_values, start);
    struct page_walk walk = {.in = in,
                             .position = (uint64_t)start,
                             .end = lith_min_u64(in->footer.footer_offset, in->source->size),
                             .values_left = (uint64_t)meta->num_values};
    lith_buf_init(&walk.head, in->work->mem,
                  lith_min_size(LITH_PAGE_HEADER_BYTES_MAX, lith_work_share(in->work)));
    enum lith_code code = pages_write(&walk, leaf, err);
    lith_buf_done(&walk.head);
    return code;
}
