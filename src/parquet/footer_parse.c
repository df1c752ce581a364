/*
 * Reading FileMetaData and RowGroup.
 *
 * The schema must stand before the row groups, as every writer has it: chunks are checked
 * against it while they are read, and the footer is walked once.
 */
#include "parquet/footer_parse.h"

/* The fewest bytes that an element can have, so that counts are safe to allocate by:
 * SchemaElement: a name, and a type or a child count; RowGroup: its three required fields;
 * ColumnChunk: the eight required fields of its metadata. All with a stop byte. */
#define SCHEMA_ELEMENT_BYTES_MIN 5u
#define ROW_GROUP_BYTES_MIN 7u
#define COLUMN_CHUNK_BYTES_MIN 16u
#define SORTING_COLUMN_BYTES_MIN 5u
#define COLUMN_ORDER_BYTES_MIN 1u

static enum lith_code sorting_column_parse(struct lith_metadata *m,
                                           struct lith_sorting_column *column, struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"column_idx", LITH_THRIFT_I32, true},
        [2] = {"descending", LITH_THRIFT_TRUE, true},
        [3] = {"nulls_first", LITH_THRIFT_TRUE, true},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("SortingColumn", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        if (at.field.id == 1)
            column->column_index = lith_thrift_i32(&m->cursor, at.field);
        else if (at.field.id == 2)
            column->descending = lith_thrift_bool(&m->cursor, at.field);
        else
            column->nulls_first = lith_thrift_bool(&m->cursor, at.field);
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code sorting_columns_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                            struct lith_row_group *row_group, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, SORTING_COLUMN_BYTES_MIN);
    void *block = NULL;

    if (count > 0)
        LITH_TRY(
            lith_arena_array(m->arena, count, sizeof(struct lith_sorting_column), &block, err));
    row_group->sorting_columns = block;
    row_group->sorting_column_count = count;
    for (uint32_t i = 0; i < count; i++)
        LITH_TRY(sorting_column_parse(m, &row_group->sorting_columns[i], err));
    return LITH_OK;
}

static enum lith_code chunks_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                   const struct lith_schema *schema,
                                   struct lith_row_group *row_group, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, COLUMN_CHUNK_BYTES_MIN);
    void *block = NULL;

    if (m->cursor.failed)
        return lith_metadata_bad(m, err);
    if (count != schema->leaf_count)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                  "%u column chunks, the schema has %u columns", count,
                                  schema->leaf_count);
    if (count > 0)
        LITH_TRY(lith_arena_array(m->arena, count, sizeof(struct lith_chunk_meta), &block, err));
    row_group->chunks = block;
    for (uint32_t i = 0; i < count; i++) {
        enum lith_code code = lith_chunk_meta_parse(m, schema, i, &row_group->chunks[i], err);
        if (code != LITH_OK) {
            char path[256];
            lith_schema_path(schema, schema->leaves[i], path, sizeof(path));
            return lith_err_prefix(err, "column %s", path);
        }
    }
    return LITH_OK;
}

static enum lith_code row_group_parse(struct lith_metadata *m, const struct lith_schema *schema,
                                      struct lith_row_group *row_group, struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"columns", LITH_THRIFT_LIST, true},
        [2] = {"total_byte_size", LITH_THRIFT_I64, true},
        [3] = {"num_rows", LITH_THRIFT_I64, true},
        [4] = {"sorting_columns", LITH_THRIFT_LIST, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("RowGroup", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            LITH_TRY(chunks_parse(m, &at, schema, row_group, err));
            break;
        case 2:
            row_group->total_byte_size = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 3:
            row_group->num_rows = lith_thrift_i64(&m->cursor, at.field);
            break;
        case 4:
            LITH_TRY(sorting_columns_parse(m, &at, row_group, err));
            break;
        }
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code row_groups_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                       struct lith_footer *footer, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, ROW_GROUP_BYTES_MIN);
    void *block = NULL;

    if (footer->schema.node_count == 0)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT, "row groups stand before the schema");
    if (count > 0)
        LITH_TRY(lith_arena_array(m->arena, count, sizeof(struct lith_row_group), &block, err));
    footer->row_groups = block;
    footer->row_group_count = count;
    for (uint32_t i = 0; i < count; i++) {
        enum lith_code code = row_group_parse(m, &footer->schema, &footer->row_groups[i], err);
        if (code != LITH_OK)
            return lith_err_prefix(err, "row group %u", i);
    }
    return LITH_OK;
}

static enum lith_code schema_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                   struct lith_footer *footer, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, SCHEMA_ELEMENT_BYTES_MIN);

    if (m->cursor.failed)
        return lith_metadata_bad(m, err);
    if (footer->schema.node_count > 0)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT, "a second schema");
    return lith_schema_parse(m, count, &footer->schema, err);
}

/* One ColumnOrder: the number of its member, 0 when it is none that we know. */
static uint8_t column_order_parse(struct lith_metadata *m)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;
    uint8_t order = LITH_ORDER_UNDEFINED;

    while (lith_thrift_field_next(&m->cursor, &last_id, &field)) {
        if (field.id >= LITH_ORDER_TYPE && field.id <= LITH_ORDER_INT96)
            order = (uint8_t)field.id;
        lith_thrift_skip(&m->cursor, field.type);
    }
    return order;
}

/* Orders that are not one per column say nothing: the same as absent. */
static enum lith_code column_orders_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                          struct lith_footer *footer, struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, COLUMN_ORDER_BYTES_MIN);
    void *block = NULL;

    if (count > 0 && count == footer->schema.leaf_count)
        LITH_TRY(lith_arena_alloc(m->arena, count, &block, err));
    footer->column_orders = block;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t order = column_order_parse(m);
        if (footer->column_orders)
            footer->column_orders[i] = order;
    }
    return LITH_OK;
}

static enum lith_code field_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                  struct lith_footer *footer, struct lith_err *err)
{
    switch (at->field.id) {
    case 1:
        footer->version = lith_thrift_i32(&m->cursor, at->field);
        return LITH_OK;
    case 2:
        return schema_parse(m, at, footer, err);
    case 3:
        footer->num_rows = lith_thrift_i64(&m->cursor, at->field);
        return LITH_OK;
    case 4:
        return row_groups_parse(m, at, footer, err);
    case 5:
        return lith_key_values_parse(m, at, &footer->key_values, &footer->key_value_count, err);
    case 6:
        footer->created_by = lith_thrift_binary(&m->cursor, at->field);
        return LITH_OK;
    case 7:
        return column_orders_parse(m, at, footer, err);
    }
    return lith_metadata_fail(m, err, LITH_E_UNSUPPORTED,
                              "the file is encrypted or signed; decrypt it before merging");
}

enum lith_code lith_footer_parse(struct lith_metadata *m, struct lith_footer *footer,
                                 struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"version", LITH_THRIFT_I32, true},
        [2] = {"schema", LITH_THRIFT_LIST, true},
        [3] = {"num_rows", LITH_THRIFT_I64, true},
        [4] = {"row_groups", LITH_THRIFT_LIST, true},
        [5] = {"key_value_metadata", LITH_THRIFT_LIST, false},
        [6] = {"created_by", LITH_THRIFT_BINARY, false},
        [7] = {"column_orders", LITH_THRIFT_LIST, false},
        [8] = {"encryption_algorithm", LITH_THRIFT_STRUCT, false},
        [9] = {"footer_signing_key_metadata", LITH_THRIFT_BINARY, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("FileMetaData", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at))
        LITH_TRY(field_parse(m, &at, footer, err));
    return lith_struct_end(m, &at, err);
}
