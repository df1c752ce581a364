/*
 * Making bodies anew. V1: levels and values are compressed as one, so levels go in front of what is
 * to be compressed, or of what has been; V2: levels stand apart.
 */
#include "merge/page_edit.h"

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/dictionary_builder.h"
#include "parquet/level_prefix.h"
#include "parquet/remap.h"

static enum lith_code at_page(const struct lith_page_edit *edit, enum lith_code code,
                              struct lith_err *err)
{
    return code == LITH_OK ? code : lith_chunk_reader_fail(edit->reader, code, err);
}

/* Compresses the values' part of a body again: of V1 pages all of it. */
static enum lith_code body_pack(const struct lith_page_edit *edit, struct lith_slice levels,
                                struct lith_slice plain, struct lith_page_header *header,
                                struct lith_err *err)
{
    struct lith_move_tools *tools = edit->move->tools;
    struct lith_buf *packed = &tools->packed;
    size_t level_bytes = edit->page->is_v2 ? levels.bytes : 0;

    lith_buf_clear(packed);
    LITH_TRY(lith_buf_append(packed, levels.data, level_bytes, err));
    LITH_TRY(lith_buf_reserve(packed, lith_compress_bound(edit->move->codec, plain.bytes), err));
    LITH_TRY(lith_compress(tools->codecs, edit->move->codec, plain.data, plain.bytes, packed, err));
    header->is_compressed = true;
    header->uncompressed_bytes = (int32_t)(level_bytes + plain.bytes);
    header->compressed_bytes = (int32_t)packed->bytes;
    header->has_crc = true;
    header->crc = lith_crc32(0, packed->data, packed->bytes);
    return LITH_OK;
}

static enum lith_code ids_rewrite(const struct lith_page_edit *edit,
                                  struct lith_page_header *header, bool *ret_done,
                                  struct lith_err *err)
{
    const struct lith_dictionary *source = lith_chunk_reader_dictionary(edit->reader);
    struct lith_buf *plain = &edit->move->tools->body;
    uint64_t begin, count;

    LITH_TRY(lith_chunk_reader_page_values(edit->reader, &begin, &count, err));
    const struct lith_body *body = &edit->page->values;
    const struct lith_body *body_levels = &edit->page->levels;
    bool is_v2 = edit->page->is_v2;
    *ret_done = body->data && (body_levels->data || body_levels->bytes == 0) && count > 0;
    if (!*ret_done)
        return LITH_OK;
    struct lith_level_run run;
    struct lith_slice levels = {body_levels->data, (size_t)body_levels->bytes};
    lith_buf_clear(plain);
    if (edit->defines) {
        uint16_t level = edit->move->leaf->max_def;
        run = lith_level_run(header->num_values, level, level, !is_v2);
        levels = (struct lith_slice){run.data, run.bytes};
        header->def_bytes = is_v2 ? (uint32_t)run.bytes : 0;
        LITH_TRY(lith_buf_append(plain, run.data, is_v2 ? 0 : run.bytes, err));
    }
    LITH_TRY(lith_buf_append(plain, body->data, (size_t)begin, err));
    struct lith_slice ids = {body->data + begin, (size_t)(body->bytes - begin)};
    enum lith_code code = lith_remap_ids(ids, count, edit->map, source->count,
                                         edit->move->dictionary->count, plain, err);
    LITH_TRY(at_page(edit, code, err));
    return body_pack(edit, levels, (struct lith_slice){plain->data, plain->bytes}, header, err);
}

enum lith_code lith_page_edit_ids(const struct lith_page_edit *edit,
                                  struct lith_page_header *header, bool *ret_done,
                                  struct lith_err *err)
{
    struct lith_move_tools *tools = edit->move->tools;
    const struct lith_page_header before = *header;
    enum lith_code code = ids_rewrite(edit, header, ret_done, err);

    if (code != LITH_E_LIMIT)
        return code;
    /* Ids of one bit become many times as long in a large dictionary: recoded, they are several
     * pages. */
    lith_buf_done(&tools->body);
    lith_buf_done(&tools->packed);
    *header = before;
    *ret_done = false;
    return LITH_OK;
}

/* The stored body of the page at hand in memory; *ret_body is empty where it is too large. */
static enum lith_code body_hold(const struct lith_page_edit *edit, struct lith_slice *ret_body,
                                struct lith_err *err)
{
    const struct lith_move *move = edit->move;
    struct lith_buf *held = &move->tools->body;
    size_t bytes = (size_t)edit->page->header.compressed_bytes;
    uint64_t at = edit->page->offset + edit->page->header_bytes;

    *ret_body = (struct lith_slice){NULL, 0};
    if (bytes == 0 || bytes > lith_page_bytes_max(move->tools->work))
        return LITH_OK;
    const uint8_t *data;
    LITH_TRY(lith_source_get(move->pages, at, bytes, held, &data, err));
    *ret_body = (struct lith_slice){data, bytes};
    return LITH_OK;
}

enum lith_code lith_page_edit_levels(const struct lith_page_edit *edit,
                                     struct lith_page_header *header, bool *ret_done,
                                     struct lith_err *err)
{
    const struct lith_move *move = edit->move;
    struct lith_buf *packed = &move->tools->packed;
    struct lith_slice body;

    *ret_done = false;
    LITH_TRY(body_hold(edit, &body, err));
    if (!body.data)
        return LITH_OK;
    lith_buf_clear(packed);
    enum lith_code code = lith_page_define(&edit->page->header, move->codec, move->leaf->max_def,
                                           body, packed, header, err);
    if (code == LITH_E_UNSUPPORTED || code == LITH_E_NOT_FOUND || code == LITH_E_LIMIT)
        return LITH_OK;
    LITH_TRY(at_page(edit, code, err));
    if (lith_page_has_ids(&edit->page->header))
        header->encoding = LITH_ENCODING_RLE_DICTIONARY;
    *ret_done = true;
    return LITH_OK;
}
