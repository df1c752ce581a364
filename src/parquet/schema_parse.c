/*
 * Reading SchemaElement and LogicalType.
 *
 * An annotation is kept as it stands besides what is understood of it, so that kinds we do not
 * know survive. The numbers of types and repetitions must be known: values depend on them.
 */
#include "parquet/footer_parse.h"

/* A union of empty structs: the number of its only member. */
static int unit_parse(struct lith_metadata *m)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;
    int unit = 0;

    while (lith_thrift_field_next(&m->cursor, &last_id, &field)) {
        unit = field.id;
        lith_thrift_skip(&m->cursor, field.type);
    }
    return unit;
}

static enum lith_code decimal_parse(struct lith_metadata *m, struct lith_logical *logical,
                                    struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"scale", LITH_THRIFT_I32, true},
        [2] = {"precision", LITH_THRIFT_I32, true},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("DecimalType", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        int32_t value = lith_thrift_i32(&m->cursor, at.field);
        if (at.field.id == 1)
            logical->scale = value;
        else
            logical->precision = value;
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code time_parse(struct lith_metadata *m, struct lith_logical *logical,
                                 struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"isAdjustedToUTC", LITH_THRIFT_TRUE, true},
        [2] = {"unit", LITH_THRIFT_STRUCT, true},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("TimeType", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        if (at.field.id == 1)
            logical->utc = lith_thrift_bool(&m->cursor, at.field);
        else
            logical->unit = unit_parse(m);
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code integer_parse(struct lith_metadata *m, struct lith_logical *logical,
                                    struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"bitWidth", LITH_THRIFT_I8, true},
        [2] = {"isSigned", LITH_THRIFT_TRUE, true},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("IntType", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        if (at.field.id == 1)
            logical->bit_width = lith_thrift_i32(&m->cursor, at.field);
        else
            logical->is_signed = lith_thrift_bool(&m->cursor, at.field);
    }
    return lith_struct_end(m, &at, err);
}

static enum lith_code member_parse(struct lith_metadata *m, uint8_t type,
                                   struct lith_logical *logical, struct lith_err *err)
{
    if (type == LITH_THRIFT_STRUCT && logical->kind == LITH_LOGICAL_DECIMAL)
        return decimal_parse(m, logical, err);
    if (type == LITH_THRIFT_STRUCT &&
        (logical->kind == LITH_LOGICAL_TIME || logical->kind == LITH_LOGICAL_TIMESTAMP))
        return time_parse(m, logical, err);
    if (type == LITH_THRIFT_STRUCT && logical->kind == LITH_LOGICAL_INTEGER)
        return integer_parse(m, logical, err);
    lith_thrift_skip(&m->cursor, type);
    return LITH_OK;
}

static enum lith_code logical_parse(struct lith_metadata *m, struct lith_logical *ret_logical,
                                    struct lith_err *err)
{
    const uint8_t *start = m->cursor.next;
    struct lith_logical logical = {.kind = LITH_LOGICAL_NONE};
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(&m->cursor, &last_id, &field)) {
        if (logical.kind != LITH_LOGICAL_NONE || field.id <= 0)
            return lith_metadata_fail(m, err, LITH_E_CORRUPT, "a union with member %d behind %d",
                                      field.id, logical.kind);
        logical.kind = field.id;
        LITH_TRY(member_parse(m, field.type, &logical, err));
    }
    logical.raw = (struct lith_slice){start, (size_t)(m->cursor.next - start)};
    *ret_logical = logical;
    return LITH_OK;
}

/* What an element says besides a node's own fields. */
struct element {
    bool has_type;
    bool has_children;
    bool has_repetition;
    int32_t type;
    int32_t repetition;
    int32_t child_count;
};

static const struct lith_field_rule element_fields[] = {
    [1] = {"type", LITH_THRIFT_I32, false},
    [2] = {"type_length", LITH_THRIFT_I32, false},
    [3] = {"repetition_type", LITH_THRIFT_I32, false},
    [4] = {"name", LITH_THRIFT_BINARY, true},
    [5] = {"num_children", LITH_THRIFT_I32, false},
    [6] = {"converted_type", LITH_THRIFT_I32, false},
    [7] = {"scale", LITH_THRIFT_I32, false},
    [8] = {"precision", LITH_THRIFT_I32, false},
    [9] = {"field_id", LITH_THRIFT_I32, false},
    [10] = {"logicalType", LITH_THRIFT_STRUCT, false},
};
static const struct lith_struct_rule element_rule =
    LITH_STRUCT_RULE("SchemaElement", element_fields);

static enum lith_code element_parse(struct lith_metadata *m, struct element *element,
                                    struct lith_schema_node *node, struct lith_err *err)
{
    struct lith_struct_at at = {.rule = &element_rule};

    while (lith_struct_next(m, &at)) {
        if (at.field.id == 4) {
            node->name = lith_thrift_binary(&m->cursor, at.field);
            continue;
        }
        if (at.field.id == 10) {
            LITH_TRY(logical_parse(m, &node->logical, err));
            continue;
        }
        int32_t value = lith_thrift_i32(&m->cursor, at.field);
        switch (at.field.id) {
        case 1:
            element->type = value;
            break;
        case 2:
            node->type_length = value;
            break;
        case 3:
            element->repetition = value;
            break;
        case 5:
            element->child_count = value;
            break;
        case 6:
            node->converted_type = value;
            break;
        case 7:
            node->scale = value;
            break;
        case 8:
            node->precision = value;
            break;
        case 9:
            node->field_id = value;
            break;
        }
    }
    element->has_type = at.seen >> 1 & 1;
    element->has_repetition = at.seen >> 3 & 1;
    element->has_children = at.seen >> 5 & 1;
    node->has_scale = at.seen >> 7 & 1;
    node->has_precision = at.seen >> 8 & 1;
    node->has_field_id = at.seen >> 9 & 1;
    return lith_struct_end(m, &at, err);
}

/* The root is a group whatever else it claims (parquet-go wrote one with a type), and its
 * repetition counts for nothing (Impala wrote REPEATED). */
static enum lith_code node_parse(struct lith_metadata *m, bool is_root,
                                 struct lith_schema_node *node, struct lith_err *err)
{
    struct element element = {0};

    node->converted_type = LITH_CONVERTED_NONE;
    LITH_TRY(element_parse(m, &element, node, err));
    if (element.child_count < 0)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT, "num_children is %d",
                                  element.child_count);
    node->child_count = (uint32_t)element.child_count;
    node->is_group = is_root || !element.has_type;
    if (is_root) {
        node->type_length = 0;
        return LITH_OK;
    }
    if (!element.has_type && !element.has_children)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                  "\"%.*s\" has neither a type nor children",
                                  LITH_SLICE_ARGS(node->name));
    if (element.has_type && !lith_type_name(element.type))
        return lith_metadata_fail(m, err, LITH_E_CORRUPT, "\"%.*s\" has the unknown type %d",
                                  LITH_SLICE_ARGS(node->name), element.type);
    if (!element.has_repetition || !lith_repetition_name(element.repetition))
        return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                  "\"%.*s\" has no known repetition (found %d)",
                                  LITH_SLICE_ARGS(node->name), element.repetition);
    node->type = (enum lith_type)element.type;
    node->repetition = (enum lith_repetition)element.repetition;
    if (node->is_group || node->type != LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        node->type_length = 0;
    return LITH_OK;
}

enum lith_code lith_schema_parse(struct lith_metadata *m, uint32_t count,
                                 struct lith_schema *ret_schema, struct lith_err *err)
{
    struct lith_schema schema = {.node_count = count};
    void *nodes = NULL;

    LITH_TRY(lith_arena_array(m->arena, count, sizeof(struct lith_schema_node), &nodes, err));
    schema.nodes = nodes;
    for (uint32_t i = 0; i < count; i++)
        LITH_TRY(node_parse(m, i == 0, &schema.nodes[i], err));
    LITH_TRY(lith_schema_link(&schema, m->arena, err));
    LITH_TRY(lith_schema_check(&schema, err));
    *ret_schema = schema;
    return LITH_OK;
}
