/*
 * inspect: page indexes and the bloom filter of a chunk.
 *
 * A file without its indexes is still a file: one that cannot be read is shown as {"error": ...}.
 */
#include "api/inspect.h"
#include "parquet/bloom.h"
#include "parquet/page_index.h"

static enum lith_code bytes_read(struct lith_inspect *in, int64_t offset, int32_t length,
                                 const uint8_t **ret_data, struct lith_err *err)
{
    void *block;

    if (offset < 0 || length <= 0 || (uint64_t)length > lith_work_share(in->work))
        return lith_fail(err, LITH_E_LIMIT, "%d bytes at %lld", length, (long long)offset);
    LITH_TRY(lith_arena_alloc(&in->scratch, (size_t)length, &block, err));
    LITH_TRY(lith_source_read(in->source, (uint64_t)offset, block, (size_t)length, err));
    *ret_data = block;
    return LITH_OK;
}

static enum lith_code error_write(struct lith_inspect *in, const struct lith_err *problem,
                                  struct lith_err *err)
{
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set(object, "error", lith_json_text(problem->text));

    return lith_inspect_value(in, object, ok, false, err);
}

static enum lith_code place_write(struct lith_inspect *in, int64_t offset, int32_t length,
                                  struct lith_err *err)
{
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set(object, "offset", lith_json_int(offset)) &&
              lith_json_set(object, "bytes", lith_json_int(length));

    return lith_inspect_value(in, object, ok, true, err);
}

static enum lith_code offset_index_write(struct lith_inspect *in,
                                         const struct lith_chunk_meta *meta, struct lith_err *err)
{
    struct lith_offset_index index;
    struct lith_err problem;
    const uint8_t *data;

    enum lith_code code =
        bytes_read(in, meta->offset_index_offset, meta->offset_index_length, &data, &problem);
    if (code == LITH_OK)
        code = lith_offset_index_parse(data, (size_t)meta->offset_index_length, &in->scratch,
                                       &index, &problem);
    if (code != LITH_OK)
        return error_write(in, &problem, err);
    LITH_TRY(place_write(in, meta->offset_index_offset, meta->offset_index_length, err));
    LITH_TRY(lith_inspect_raw(in, ",\"pages\":[", err));
    for (uint32_t i = 0; i < index.page_count; i++) {
        struct lith_json *page = lith_json_object();
        bool ok = page && lith_json_set(page, "offset", lith_json_int(index.pages[i].offset)) &&
                  lith_json_set(page, "bytes", lith_json_int(index.pages[i].bytes)) &&
                  lith_json_set(page, "first_row", lith_json_int(index.pages[i].first_row));
        if (index.unencoded_bytes)
            ok = ok &&
                 lith_json_set(page, "unencoded_bytes", lith_json_int(index.unencoded_bytes[i]));
        LITH_TRY(i ? lith_inspect_raw(in, ",", err) : LITH_OK);
        LITH_TRY(lith_inspect_value(in, page, ok, false, err));
    }
    return lith_inspect_raw(in, "]}", err);
}

static enum lith_code column_page_fill(struct lith_inspect *in, struct lith_json *page,
                                       const struct lith_column_index *index, uint32_t at,
                                       uint32_t leaf, struct lith_err *err)
{
    bool ok = lith_json_set(page, "null_page", lith_json_bool(index->null_pages[at]));

    if (!index->null_pages[at]) {
        LITH_TRY(lith_inspect_set_bound(in, page, "min", leaf, index->min_values[at], err));
        LITH_TRY(lith_inspect_set_bound(in, page, "max", leaf, index->max_values[at], err));
    }
    if (index->null_counts)
        ok &= lith_json_set(page, "null_count", lith_json_int(index->null_counts[at]));
    if (index->nan_counts)
        ok &= lith_json_set(page, "nan_count", lith_json_int(index->nan_counts[at]));
    return ok ? LITH_OK : lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
}

static enum lith_code column_pages_write(struct lith_inspect *in,
                                         const struct lith_column_index *index, uint32_t leaf,
                                         struct lith_err *err)
{
    for (uint32_t i = 0; i < index->page_count; i++) {
        struct lith_json *page = lith_json_object();
        enum lith_code code = page ? column_page_fill(in, page, index, i, leaf, err) : LITH_OK;
        if (code != LITH_OK) {
            lith_json_free(page);
            return code;
        }
        if (i)
            LITH_TRY(lith_inspect_raw(in, ",", err));
        LITH_TRY(lith_inspect_value(in, page, true, false, err));
    }
    return LITH_OK;
}

static enum lith_code column_index_write(struct lith_inspect *in,
                                         const struct lith_chunk_meta *meta, uint32_t leaf,
                                         struct lith_err *err)
{
    static const char *const orders[] = {"UNORDERED", "ASCENDING", "DESCENDING"};
    struct lith_column_index index;
    struct lith_err problem;
    const uint8_t *data;

    enum lith_code code =
        bytes_read(in, meta->column_index_offset, meta->column_index_length, &data, &problem);
    if (code == LITH_OK)
        code = lith_column_index_parse(data, (size_t)meta->column_index_length, &in->scratch,
                                       &index, &problem);
    if (code != LITH_OK)
        return error_write(in, &problem, err);
    LITH_TRY(place_write(in, meta->column_index_offset, meta->column_index_length, err));
    unsigned order = (unsigned)index.boundary_order;
    LITH_TRY(lith_inspect_raw(in, ",\"boundary_order\":\"", err));
    LITH_TRY(lith_inspect_raw(in, order < 3 ? orders[order] : "UNKNOWN", err));
    LITH_TRY(lith_inspect_raw(in, "\",\"pages\":[", err));
    LITH_TRY(column_pages_write(in, &index, leaf, err));
    return lith_inspect_raw(in, "]}", err);
}

static enum lith_code bloom_write(struct lith_inspect *in, const struct lith_chunk_meta *meta,
                                  struct lith_err *err)
{
    struct lith_bloom bloom;
    struct lith_err problem;

    if (lith_bloom_read(in->source, (uint64_t)meta->bloom_filter_offset,
                        (uint32_t)meta->bloom_filter_length, in->work->mem, &bloom,
                        &problem) != LITH_OK)
        return error_write(in, &problem, err);
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set(object, "offset", lith_json_int(meta->bloom_filter_offset)) &&
              lith_json_set(object, "bytes",
                            meta->bloom_filter_length > 0 ? lith_json_int(meta->bloom_filter_length)
                                                          : lith_json_null()) &&
              lith_json_set(object, "algorithm", lith_json_text("BLOCK")) &&
              lith_json_set(object, "hash", lith_json_text("XXHASH")) &&
              lith_json_set(object, "bitset_bytes", lith_json_int(bloom.bytes)) &&
              lith_json_set(object, "false_positive_rate", lith_json_real(lith_bloom_rate(&bloom)));
    lith_bloom_done(&bloom);
    return lith_inspect_value(in, object, ok, false, err);
}

enum lith_code lith_inspect_indexes(struct lith_inspect *in, const struct lith_chunk_meta *meta,
                                    uint32_t leaf, struct lith_err *err)
{
    if (meta->offset_index_offset > 0) {
        LITH_TRY(lith_inspect_raw(in, ",\"offset_index\":", err));
        LITH_TRY(offset_index_write(in, meta, err));
    }
    if (meta->column_index_offset > 0) {
        LITH_TRY(lith_inspect_raw(in, ",\"column_index\":", err));
        LITH_TRY(column_index_write(in, meta, leaf, err));
    }
    if (meta->bloom_filter_offset > 0) {
        LITH_TRY(lith_inspect_raw(in, ",\"bloom_filter\":", err));
        LITH_TRY(bloom_write(in, meta, err));
    }
    return LITH_OK;
}
