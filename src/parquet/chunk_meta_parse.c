/*
 * Reading ColumnChunk and ColumnMetaData.
 *
 * A chunk must be the leaf's it stands for: same type, same path. Refused are chunks that lie in
 * other files or are encrypted; parquet-splice.md sections 1.4, 8 and 9.1.
 */
#include "parquet/footer_parse.h"

/* PageEncodingStats: three required fields of two bytes, and a stop byte. */
#define ENCODING_STAT_BYTES_MIN 7u

static const struct lith_field_rule metadata_fields[] = {
    [1] = {"type", LITH_THRIFT_I32, true},
    [2] = {"encodings", LITH_THRIFT_LIST, true},
    [3] = {"path_in_schema", LITH_THRIFT_LIST, true},
    [4] = {"codec", LITH_THRIFT_I32, true},
    [5] = {"num_values", LITH_THRIFT_I64, true},
    [6] = {"total_uncompressed_size", LITH_THRIFT_I64, true},
    [7] = {"total_compressed_size", LITH_THRIFT_I64, true},
    [8] = {"key_value_metadata", LITH_THRIFT_LIST, false},
    [9] = {"data_page_offset", LITH_THRIFT_I64, true},
    [11] = {"dictionary_page_offset", LITH_THRIFT_I64, false},
    [12] = {"statistics", LITH_THRIFT_STRUCT, false},
    [13] = {"encoding_stats", LITH_THRIFT_LIST, false},
    [14] = {"bloom_filter_offset", LITH_THRIFT_I64, false},
    [15] = {"bloom_filter_length", LITH_THRIFT_I32, false},
    [16] = {"size_statistics", LITH_THRIFT_STRUCT, false},
    [17] = {"geospatial_statistics", LITH_THRIFT_STRUCT, false},
};
static const struct lith_struct_rule metadata_rule =
    LITH_STRUCT_RULE("ColumnMetaData", metadata_fields);

static enum lith_code type_check(struct lith_metadata *m, const struct lith_schema_node *leaf,
                                 int32_t type, struct lith_err *err)
{
    if (m->cursor.failed || type == (int32_t)leaf->type)
        return LITH_OK;
    const char *name = lith_type_name(type);
    return lith_metadata_fail(m, err, LITH_E_CORRUPT, "the chunk has type %s (%d), its column %s",
                              name ? name : "unknown", type, lith_type_name((int)leaf->type));
}

/* Encodings that do not fit the set are left out: it only says what to expect of the pages. */
static uint32_t encodings_parse(struct lith_metadata *m, struct lith_struct_at *at)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_I32, 1);
    uint32_t encodings = 0;

    for (uint32_t i = 0; i < count; i++) {
        int32_t encoding =
            lith_thrift_i32(&m->cursor, (struct lith_thrift_field){.type = LITH_THRIFT_I32});
        if (encoding >= 0 && encoding < 32)
            encodings |= 1u << encoding;
    }
    return encodings;
}

static enum lith_code path_check(struct lith_metadata *m, struct lith_struct_at *at,
                                 const struct lith_schema *schema, uint32_t leaf,
                                 struct lith_err *err)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t depth = lith_schema_ancestry(schema, schema->leaves[leaf], path);
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_BINARY, 1);

    if (m->cursor.failed)
        return LITH_OK; /* the end of the struct reports it */
    if (count != depth)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                  "path_in_schema has %u names, the column of the schema %u", count,
                                  depth);
    for (uint32_t i = 0; i < depth; i++) {
        struct lith_slice name =
            lith_thrift_binary(&m->cursor, (struct lith_thrift_field){.type = LITH_THRIFT_BINARY});
        struct lith_slice expected = schema->nodes[path[i]].name;
        if (!m->cursor.failed && !lith_slice_equal(name, expected))
            return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                      "path_in_schema says \"%.*s\" where the schema has \"%.*s\"",
                                      LITH_SLICE_ARGS(name), LITH_SLICE_ARGS(expected));
    }
    return LITH_OK;
}

static enum lith_code encoding_stat_parse(struct lith_metadata *m, struct lith_encoding_stat *stat,
                                          struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"page_type", LITH_THRIFT_I32, true},
        [2] = {"encoding", LITH_THRIFT_I32, true},
        [3] = {"count", LITH_THRIFT_I32, true},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("PageEncodingStats", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        int32_t value = lith_thrift_i32(&m->cursor, at.field);
        if (at.field.id == 1)
            stat->page_type = value;
        else if (at.field.id == 2)
            stat->encoding = value;
        else
            stat->count = value;
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code encoding_stats_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                           struct lith_chunk_meta *meta, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, ENCODING_STAT_BYTES_MIN);
    void *block = NULL;

    if (count > 0)
        LITH_TRY(lith_arena_array(m->arena, count, sizeof(struct lith_encoding_stat), &block, err));
    struct lith_encoding_stat *stats = block;
    for (uint32_t i = 0; i < count; i++)
        LITH_TRY(encoding_stat_parse(m, &stats[i], err));
    meta->encoding_stats = stats;
    meta->encoding_stat_count = count;
    return LITH_OK;
}

/* A histogram of another length than the column's levels is of no use: left out. */
static enum lith_code histogram_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                      uint32_t expected, int64_t **ret_histogram,
                                      struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_I64, 1);
    void *block = NULL;

    if (count == expected)
        LITH_TRY(lith_arena_array(m->arena, count, sizeof(int64_t), &block, err));
    int64_t *histogram = block;
    for (uint32_t i = 0; i < count; i++) {
        int64_t value =
            lith_thrift_i64(&m->cursor, (struct lith_thrift_field){.type = LITH_THRIFT_I64});
        if (histogram)
            histogram[i] = value;
    }
    *ret_histogram = histogram;
    return LITH_OK;
}

static enum lith_code size_statistics_parse(struct lith_metadata *m,
                                            const struct lith_schema_node *leaf,
                                            struct lith_size_statistics *sizes,
                                            struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"unencoded_byte_array_data_bytes", LITH_THRIFT_I64, false},
        [2] = {"repetition_level_histogram", LITH_THRIFT_LIST, false},
        [3] = {"definition_level_histogram", LITH_THRIFT_LIST, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("SizeStatistics", fields);
    struct lith_struct_at at = {.rule = &rule};

    *sizes = (struct lith_size_statistics){.present = true};
    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            sizes->unencoded_bytes = lith_thrift_i64(&m->cursor, at.field);
            sizes->has_unencoded_bytes = true;
            break;
        case 2:
            LITH_TRY(histogram_parse(m, &at, leaf->max_rep + 1u, &sizes->rep_histogram, err));
            break;
        case 3:
            LITH_TRY(histogram_parse(m, &at, leaf->max_def + 1u, &sizes->def_histogram, err));
            break;
        }
    }
    return lith_struct_end(m, &at, err);
}

/* A struct kept as it stands, stop byte included. */
static struct lith_slice raw_struct(struct lith_metadata *m)
{
    const uint8_t *start = m->cursor.next;

    lith_thrift_skip(&m->cursor, LITH_THRIFT_STRUCT);
    return (struct lith_slice){start, (size_t)(m->cursor.next - start)};
}

/* The fields that need more than one read. */
static enum lith_code metadata_part_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                          const struct lith_schema *schema, uint32_t leaf,
                                          struct lith_chunk_meta *meta, struct lith_err *err)
{
    const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);

    switch (at->field.id) {
    case 1:
        return type_check(m, node, lith_thrift_i32(&m->cursor, at->field), err);
    case 2:
        meta->encodings = encodings_parse(m, at);
        return LITH_OK;
    case 3:
        return path_check(m, at, schema, leaf, err);
    case 8:
        return lith_key_values_parse(m, at, &meta->key_values, &meta->key_value_count, err);
    case 12:
        return lith_statistics_parse(m, &meta->statistics, err);
    case 13:
        return encoding_stats_parse(m, at, meta, err);
    case 16:
        return size_statistics_parse(m, node, &meta->size_statistics, err);
    case 17:
        meta->geospatial = raw_struct(m);
        return LITH_OK;
    }
    return LITH_OK;
}

static enum lith_code metadata_parse(struct lith_metadata *m, const struct lith_schema *schema,
                                     uint32_t leaf, struct lith_chunk_meta *meta,
                                     struct lith_err *err)
{
    struct lith_struct_at at = {.rule = &metadata_rule};

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 4:
            meta->codec = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 5:
            meta->num_values = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 6:
            meta->total_uncompressed_size = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 7:
            meta->total_compressed_size = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 9:
            meta->data_page_offset = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 11:
            meta->dictionary_page_offset = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 14:
            meta->bloom_filter_offset = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 15:
            meta->bloom_filter_length = lith_thrift_i32(&m->cursor, at.field);
            break;
        default:
            LITH_TRY(metadata_part_parse(m, &at, schema, leaf, meta, err));
            break;
        }
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code encrypted(const struct lith_metadata *m, struct lith_err *err)
{
    return lith_metadata_fail(m, err, LITH_E_UNSUPPORTED,
                              "the column is encrypted; decrypt the file before merging");
}

static enum lith_code elsewhere(struct lith_metadata *m, const struct lith_struct_at *at,
                                struct lith_err *err)
{
    struct lith_slice path = lith_thrift_binary(&m->cursor, at->field);

    if (path.bytes == 0) /* also on failure, which the end of the struct reports */
        return LITH_OK;
    return lith_metadata_fail(m, err, LITH_E_UNSUPPORTED,
                              "the chunk lies in another file, \"%.*s\": a summary file holds "
                              "no rows of its own",
                              LITH_SLICE_ARGS(path));
}

enum lith_code lith_chunk_meta_parse(struct lith_metadata *m, const struct lith_schema *schema,
                                     uint32_t leaf, struct lith_chunk_meta *ret_meta,
                                     struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"file_path", LITH_THRIFT_BINARY, false},
        [3] = {"meta_data", LITH_THRIFT_STRUCT, true},
        [4] = {"offset_index_offset", LITH_THRIFT_I64, false},
        [5] = {"offset_index_length", LITH_THRIFT_I32, false},
        [6] = {"column_index_offset", LITH_THRIFT_I64, false},
        [7] = {"column_index_length", LITH_THRIFT_I32, false},
        [8] = {"crypto_metadata", LITH_THRIFT_STRUCT, false},
        [9] = {"encrypted_column_metadata", LITH_THRIFT_BINARY, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("ColumnChunk", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            LITH_TRY(elsewhere(m, &at, err));
            break;
        case 3:
            LITH_TRY(metadata_parse(m, schema, leaf, ret_meta, err));
            break;
        case 4:
            ret_meta->offset_index_offset = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 5:
            ret_meta->offset_index_length = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 6:
            ret_meta->column_index_offset = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 7:
            ret_meta->column_index_length = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 8:
        case 9:
            return encrypted(m, err);
        }
    }
    return lith_struct_end(m, &at, err);
}
