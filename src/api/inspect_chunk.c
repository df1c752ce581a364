/*
 * inspect: one column chunk, as the footer has it.
 */
#include "api/inspect.h"
#include "codec/codec.h"

enum lith_code lith_inspect_statistics(struct lith_inspect *in, uint32_t leaf,
                                       const struct lith_statistics *s,
                                       struct lith_json **ret_object, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();
    bool ok = object != NULL;

    if (ok) {
        LITH_TRY(lith_inspect_set_bound(in, object, "min", leaf, s->min_value, err));
        LITH_TRY(lith_inspect_set_bound(in, object, "max", leaf, s->max_value, err));
        LITH_TRY(lith_inspect_set_bound(in, object, "legacy_min", leaf, s->legacy_min, err));
        LITH_TRY(lith_inspect_set_bound(in, object, "legacy_max", leaf, s->legacy_max, err));
    }
    if (s->min_value.data)
        ok = ok && lith_json_set(object, "min_exact", lith_json_bool(s->min_exact));
    if (s->max_value.data)
        ok = ok && lith_json_set(object, "max_exact", lith_json_bool(s->max_exact));
    if (s->has_null_count)
        ok = ok && lith_json_set(object, "null_count", lith_json_int(s->null_count));
    if (s->has_distinct_count)
        ok = ok && lith_json_set(object, "distinct_count", lith_json_int(s->distinct_count));
    if (s->has_nan_count)
        ok = ok && lith_json_set(object, "nan_count", lith_json_int(s->nan_count));
    if (!ok)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    *ret_object = object;
    object = NULL;
    return LITH_OK;
}

static struct lith_json *encodings_make(uint32_t encodings)
{
    struct lith_json *array = lith_json_array();
    bool ok = array != NULL;

    for (int i = 0; ok && i < 32; i++) {
        if (encodings >> i & 1)
            ok = lith_json_push(array, lith_inspect_name(lith_encoding_name(i), i));
    }
    if (ok)
        return array;
    lith_json_free(array);
    return NULL;
}

static struct lith_json *encoding_stats_make(const struct lith_chunk_meta *meta)
{
    struct lith_json *array = lith_json_array();
    bool ok = array != NULL;

    for (uint32_t i = 0; ok && i < meta->encoding_stat_count; i++) {
        const struct lith_encoding_stat *stat = &meta->encoding_stats[i];
        struct lith_json *object = lith_json_object();
        ok = object &&
             lith_json_set(
                 object, "page_type",
                 lith_inspect_name(lith_page_type_name(stat->page_type), stat->page_type)) &&
             lith_json_set(object, "encoding",
                           lith_inspect_name(lith_encoding_name(stat->encoding), stat->encoding)) &&
             lith_json_set(object, "count", lith_json_int(stat->count));
        ok &= lith_json_push(array, object);
    }
    if (ok)
        return array;
    lith_json_free(array);
    return NULL;
}

static struct lith_json *size_statistics_make(const struct lith_size_statistics *s,
                                              const struct lith_schema_node *leaf)
{
    struct lith_json *object = lith_json_object();
    bool ok = object != NULL;

    if (s->has_unencoded_bytes)
        ok = ok && lith_json_set(object, "unencoded_bytes", lith_json_int(s->unencoded_bytes));
    if (s->rep_histogram)
        ok = ok && lith_json_set(object, "repetition_levels",
                                 lith_inspect_counts(s->rep_histogram, leaf->max_rep + 1u));
    if (s->def_histogram)
        ok = ok && lith_json_set(object, "definition_levels",
                                 lith_inspect_counts(s->def_histogram, leaf->max_def + 1u));
    if (ok)
        return object;
    lith_json_free(object);
    return NULL;
}

static struct lith_json *offset_or_null(int64_t offset)
{
    return offset > 0 ? lith_json_int(offset) : lith_json_null();
}

static bool chunk_fill(struct lith_json *object, const struct lith_inspect *in,
                       const struct lith_chunk_meta *meta, uint32_t leaf_index)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(&in->footer.schema, leaf_index);
    char path[512];

    lith_inspect_path(in, leaf_index, path);
    bool ok =
        lith_json_set(object, "column", lith_json_int(leaf_index)) &&
        lith_json_set(object, "path", lith_json_text(path)) &&
        lith_json_set(object, "type",
                      lith_inspect_name(lith_type_name((int)leaf->type), (int)leaf->type)) &&
        lith_json_set(object, "codec",
                      lith_inspect_name(lith_codec_name(meta->codec), meta->codec)) &&
        lith_json_set(object, "encodings", encodings_make(meta->encodings)) &&
        lith_json_set(object, "values", lith_json_int(meta->num_values)) &&
        lith_json_set(object, "compressed_bytes", lith_json_int(meta->total_compressed_size)) &&
        lith_json_set(object, "uncompressed_bytes", lith_json_int(meta->total_uncompressed_size)) &&
        lith_json_set(object, "data_page_offset", offset_or_null(meta->data_page_offset)) &&
        lith_json_set(object, "dictionary_page_offset",
                      offset_or_null(meta->dictionary_page_offset));
    if (meta->encoding_stat_count)
        ok = ok && lith_json_set(object, "encoding_stats", encoding_stats_make(meta));
    if (meta->size_statistics.present)
        ok = ok && lith_json_set(object, "size_statistics",
                                 size_statistics_make(&meta->size_statistics, leaf));
    if (meta->key_value_count)
        ok = ok && lith_json_set(object, "key_values",
                                 lith_inspect_key_values(meta->key_values, meta->key_value_count));
    if (meta->geospatial.bytes)
        ok = ok && lith_inspect_set_hex(object, "geospatial_hex", meta->geospatial,
                                        LITH_INSPECT_VALUE_BYTES_MAX);
    return ok;
}

static enum lith_code chunk_write(struct lith_inspect *in, const struct lith_chunk_meta *meta,
                                  uint32_t leaf, struct lith_err *err)
{
    struct lith_json *statistics;

    LITH_TRY(lith_inspect_statistics(in, leaf, &meta->statistics, &statistics, err));
    struct lith_json *object = lith_json_object();
    bool ok = object && chunk_fill(object, in, meta, leaf);
    ok &= lith_json_set(object, "statistics", statistics);
    LITH_TRY(lith_inspect_value(in, object, ok, true, err));
    LITH_TRY(lith_inspect_indexes(in, meta, leaf, err));
    if (in->pages)
        LITH_TRY(lith_inspect_pages(in, meta, leaf, err));
    return lith_inspect_raw(in, "}", err);
}

enum lith_code lith_inspect_chunk(struct lith_inspect *in, uint32_t row_group, uint32_t leaf,
                                  struct lith_err *err)
{
    char path[512];

    LITH_TRY(lith_work_check(in->work, err));
    enum lith_code code =
        chunk_write(in, &in->footer.row_groups[row_group].chunks[leaf], leaf, err);
    lith_arena_done(&in->scratch);
    if (code == LITH_OK || code == LITH_E_CANCELLED)
        return code;
    lith_inspect_path(in, leaf, path);
    return lith_err_prefix(err, "row group %u, column %s", row_group, path);
}
