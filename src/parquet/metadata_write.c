/*
 * Writing metadata. Field numbers are those of parquet.thrift.
 *
 * What is left out and why: parquet-splice.md sections 1.4 and 1.5.
 */
#include "parquet/metadata_write.h"

static void data_page_write(struct lith_thrift_writer *w, const struct lith_page_header *header)
{
    lith_thrift_write_struct(w, 5);
    lith_thrift_write_i32(w, 1, (int32_t)header->num_values);
    lith_thrift_write_i32(w, 2, header->encoding);
    lith_thrift_write_i32(w, 3, header->def_encoding);
    lith_thrift_write_i32(w, 4, header->rep_encoding);
    lith_thrift_write_stop(w);
}

static void dictionary_page_write(struct lith_thrift_writer *w,
                                  const struct lith_page_header *header)
{
    lith_thrift_write_struct(w, 7);
    lith_thrift_write_i32(w, 1, (int32_t)header->num_values);
    lith_thrift_write_i32(w, 2, header->encoding);
    if (header->is_sorted)
        lith_thrift_write_bool(w, 3, true);
    lith_thrift_write_stop(w);
}

static void data_page_v2_write(struct lith_thrift_writer *w, const struct lith_page_header *header)
{
    lith_thrift_write_struct(w, 8);
    lith_thrift_write_i32(w, 1, (int32_t)header->num_values);
    lith_thrift_write_i32(w, 2, (int32_t)header->num_nulls);
    lith_thrift_write_i32(w, 3, (int32_t)header->num_rows);
    lith_thrift_write_i32(w, 4, header->encoding);
    lith_thrift_write_i32(w, 5, (int32_t)header->def_bytes);
    lith_thrift_write_i32(w, 6, (int32_t)header->rep_bytes);
    lith_thrift_write_bool(w, 7, header->is_compressed);
    lith_thrift_write_stop(w);
}

enum lith_code lith_page_header_write(const struct lith_page_header *header, struct lith_buf *to,
                                      struct lith_err *err)
{
    struct lith_thrift_writer w;

    LITH_ASSERT(header->num_values <= INT32_MAX);
    lith_thrift_writer_init(&w, to, err);
    lith_thrift_write_i32(&w, 1, header->type);
    lith_thrift_write_i32(&w, 2, header->uncompressed_bytes);
    lith_thrift_write_i32(&w, 3, header->compressed_bytes);
    if (header->has_crc)
        lith_thrift_write_i32(&w, 4, (int32_t)header->crc);
    switch ((enum lith_page_type)header->type) {
    case LITH_PAGE_DATA:
        data_page_write(&w, header);
        break;
    case LITH_PAGE_DICTIONARY:
        dictionary_page_write(&w, header);
        break;
    case LITH_PAGE_DATA_V2:
        data_page_v2_write(&w, header);
        break;
    case LITH_PAGE_INDEX:
        break;
    }
    lith_thrift_write_stop(&w);
    return w.code;
}

static void node_write(struct lith_thrift_writer *w, const struct lith_schema_node *node)
{
    lith_thrift_write_struct(w, 0);
    if (!node->is_group)
        lith_thrift_write_i32(w, 1, (int32_t)node->type);
    if (!node->is_group && node->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        lith_thrift_write_i32(w, 2, node->type_length);
    if (node->depth > 0)
        lith_thrift_write_i32(w, 3, (int32_t)node->repetition);
    lith_thrift_write_binary(w, 4, node->name);
    if (node->is_group)
        lith_thrift_write_i32(w, 5, (int32_t)node->child_count);
    if (node->converted_type != LITH_CONVERTED_NONE)
        lith_thrift_write_i32(w, 6, node->converted_type);
    if (node->has_scale)
        lith_thrift_write_i32(w, 7, node->scale);
    if (node->has_precision)
        lith_thrift_write_i32(w, 8, node->precision);
    if (node->has_field_id)
        lith_thrift_write_i32(w, 9, node->field_id);
    if (node->logical.kind != LITH_LOGICAL_NONE)
        lith_thrift_write_raw_struct(w, 10, node->logical.raw);
    lith_thrift_write_stop(w);
}

void lith_schema_write(struct lith_thrift_writer *w, const struct lith_schema *schema)
{
    lith_thrift_write_list(w, 2, LITH_THRIFT_STRUCT, schema->node_count);
    for (uint32_t i = 0; i < schema->node_count; i++)
        node_write(w, &schema->nodes[i]);
}

static void path_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                       uint32_t leaf)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t count = lith_schema_ancestry(schema, schema->leaves[leaf], path);

    lith_thrift_write_list(w, 3, LITH_THRIFT_BINARY, count);
    for (uint32_t i = 0; i < count; i++)
        lith_thrift_write_element_binary(w, schema->nodes[path[i]].name);
}

static void encodings_write(struct lith_thrift_writer *w, uint32_t encodings)
{
    lith_thrift_write_list(w, 2, LITH_THRIFT_I32, (uint32_t)__builtin_popcount(encodings));
    for (int encoding = 0; encoding < 32; encoding++) {
        if (encodings >> encoding & 1)
            lith_thrift_write_element_i32(w, encoding);
    }
}

static void key_values_write(struct lith_thrift_writer *w, int16_t id,
                             const struct lith_key_value *key_values, uint32_t count)
{
    if (count == 0)
        return;
    lith_thrift_write_list(w, id, LITH_THRIFT_STRUCT, count);
    for (uint32_t i = 0; i < count; i++) {
        lith_thrift_write_struct(w, 0);
        lith_thrift_write_binary(w, 1, key_values[i].key);
        if (key_values[i].value.data)
            lith_thrift_write_binary(w, 2, key_values[i].value);
        lith_thrift_write_stop(w);
    }
}

void lith_statistics_write(struct lith_thrift_writer *w, int16_t id,
                           const struct lith_statistics *statistics)
{
    lith_thrift_write_struct(w, id);
    if (statistics->has_null_count)
        lith_thrift_write_i64(w, 3, statistics->null_count);
    if (statistics->has_distinct_count)
        lith_thrift_write_i64(w, 4, statistics->distinct_count);
    if (statistics->max_value.data)
        lith_thrift_write_binary(w, 5, statistics->max_value);
    if (statistics->min_value.data)
        lith_thrift_write_binary(w, 6, statistics->min_value);
    if (statistics->max_value.data)
        lith_thrift_write_bool(w, 7, statistics->max_exact);
    if (statistics->min_value.data)
        lith_thrift_write_bool(w, 8, statistics->min_exact);
    if (statistics->has_nan_count)
        lith_thrift_write_i64(w, 9, statistics->nan_count);
    lith_thrift_write_stop(w);
}

/* Arrow's Rust reader takes a null_count that is absent from Statistics for 0, and then finds no
 * nulls; where there are no Statistics it looks. So bounds alone are not written. */
static bool statistics_usable(const struct lith_statistics *statistics)
{
    return statistics->has_null_count;
}

static void encoding_stats_write(struct lith_thrift_writer *w, const struct lith_chunk_meta *meta)
{
    if (meta->encoding_stat_count == 0)
        return;
    lith_thrift_write_list(w, 13, LITH_THRIFT_STRUCT, meta->encoding_stat_count);
    for (uint32_t i = 0; i < meta->encoding_stat_count; i++) {
        lith_thrift_write_struct(w, 0);
        lith_thrift_write_i32(w, 1, meta->encoding_stats[i].page_type);
        lith_thrift_write_i32(w, 2, meta->encoding_stats[i].encoding);
        lith_thrift_write_i32(w, 3, meta->encoding_stats[i].count);
        lith_thrift_write_stop(w);
    }
}

static void histogram_write(struct lith_thrift_writer *w, int16_t id, const int64_t *histogram,
                            uint32_t count)
{
    if (!histogram)
        return;
    lith_thrift_write_list(w, id, LITH_THRIFT_I64, count);
    for (uint32_t i = 0; i < count; i++)
        lith_thrift_write_element_i64(w, histogram[i]);
}

static void size_statistics_write(struct lith_thrift_writer *w,
                                  const struct lith_size_statistics *sizes,
                                  const struct lith_schema_node *leaf)
{
    if (!sizes->present)
        return;
    lith_thrift_write_struct(w, 16);
    if (sizes->has_unencoded_bytes)
        lith_thrift_write_i64(w, 1, sizes->unencoded_bytes);
    histogram_write(w, 2, sizes->rep_histogram, leaf->max_rep + 1u);
    histogram_write(w, 3, sizes->def_histogram, leaf->max_def + 1u);
    lith_thrift_write_stop(w);
}

/* An optional offset or length: 0 stands for absent. */
static void present_i64_write(struct lith_thrift_writer *w, int16_t id, int64_t value)
{
    if (value != 0)
        lith_thrift_write_i64(w, id, value);
}

static void present_i32_write(struct lith_thrift_writer *w, int16_t id, int32_t value)
{
    if (value != 0)
        lith_thrift_write_i32(w, id, value);
}

static void column_metadata_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                                  uint32_t leaf, const struct lith_chunk_meta *meta)
{
    const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);

    lith_thrift_write_struct(w, 3);
    lith_thrift_write_i32(w, 1, (int32_t)node->type);
    encodings_write(w, meta->encodings);
    path_write(w, schema, leaf);
    lith_thrift_write_i32(w, 4, meta->codec);
    lith_thrift_write_i64(w, 5, meta->num_values);
    lith_thrift_write_i64(w, 6, meta->total_uncompressed_size);
    lith_thrift_write_i64(w, 7, meta->total_compressed_size);
    key_values_write(w, 8, meta->key_values, meta->key_value_count);
    lith_thrift_write_i64(w, 9, meta->data_page_offset);
    present_i64_write(w, 11, meta->dictionary_page_offset);
    if (statistics_usable(&meta->statistics))
        lith_statistics_write(w, 12, &meta->statistics);
    encoding_stats_write(w, meta);
    present_i64_write(w, 14, meta->bloom_filter_offset);
    present_i32_write(w, 15, meta->bloom_filter_length);
    size_statistics_write(w, &meta->size_statistics, node);
    if (meta->geospatial.bytes > 0)
        lith_thrift_write_raw_struct(w, 17, meta->geospatial);
    lith_thrift_write_stop(w);
}

void lith_chunk_meta_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                           uint32_t leaf, const struct lith_chunk_meta *meta)
{
    lith_thrift_write_struct(w, 0);
    lith_thrift_write_i64(w, 2, 0); /* file_offset: deprecated, but a required field */
    column_metadata_write(w, schema, leaf, meta);
    present_i64_write(w, 4, meta->offset_index_offset);
    present_i32_write(w, 5, meta->offset_index_length);
    present_i64_write(w, 6, meta->column_index_offset);
    present_i32_write(w, 7, meta->column_index_length);
    lith_thrift_write_stop(w);
}

void lith_row_group_head_write(struct lith_thrift_writer *w, uint32_t chunk_count)
{
    lith_thrift_write_struct(w, 0);
    lith_thrift_write_list(w, 1, LITH_THRIFT_STRUCT, chunk_count);
}

void lith_row_group_tail_write(struct lith_thrift_writer *w, const struct lith_row_group_tail *tail)
{
    /* The head may have been written elsewhere: a struct is open, and field 1 was its last. */
    if (w->depth == 0)
        w->depth = 1;
    w->last_id[w->depth] = 1;
    lith_thrift_write_i64(w, 2, tail->total_byte_size);
    lith_thrift_write_i64(w, 3, tail->num_rows);
    if (tail->sorting_column_count > 0) {
        lith_thrift_write_list(w, 4, LITH_THRIFT_STRUCT, tail->sorting_column_count);
        for (uint32_t i = 0; i < tail->sorting_column_count; i++) {
            lith_thrift_write_struct(w, 0);
            lith_thrift_write_i32(w, 1, tail->sorting_columns[i].column_index);
            lith_thrift_write_bool(w, 2, tail->sorting_columns[i].descending);
            lith_thrift_write_bool(w, 3, tail->sorting_columns[i].nulls_first);
            lith_thrift_write_stop(w);
        }
    }
    present_i64_write(w, 5, tail->file_offset);
    lith_thrift_write_i64(w, 6, tail->total_compressed_size);
    if (tail->ordinal >= 0) {
        LITH_ASSERT(tail->ordinal <= INT16_MAX);
        lith_thrift_write_i16(w, 7, (int16_t)tail->ordinal);
    }
    lith_thrift_write_stop(w);
}

void lith_footer_head_write(struct lith_thrift_writer *w, const struct lith_schema *schema,
                            int64_t num_rows, uint32_t row_group_count)
{
    lith_thrift_write_i32(w, 1, 1);
    lith_schema_write(w, schema);
    lith_thrift_write_i64(w, 3, num_rows);
    lith_thrift_write_list(w, 4, LITH_THRIFT_STRUCT, row_group_count);
}

void lith_footer_tail_write(struct lith_thrift_writer *w, const struct lith_key_value *key_values,
                            uint32_t key_value_count, struct lith_slice created_by,
                            uint32_t leaf_count)
{
    LITH_ASSERT(w->depth == 0);
    w->last_id[0] = 4; /* row_groups, whoever wrote it */
    key_values_write(w, 5, key_values, key_value_count);
    lith_thrift_write_binary(w, 6, created_by);
    lith_thrift_write_list(w, 7, LITH_THRIFT_STRUCT, leaf_count);
    for (uint32_t i = 0; i < leaf_count; i++) {
        lith_thrift_write_struct(w, 0);
        lith_thrift_write_struct(w, 1); /* TYPE_ORDER */
        lith_thrift_write_stop(w);
        lith_thrift_write_stop(w);
    }
    lith_thrift_write_stop(w);
}
