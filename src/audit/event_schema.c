/*
 * The columns of an event. Lists have the standard three levels (LogicalTypes.md, Lists).
 */
#include "audit/event_schema.h"

#define FIELD(name) offsetof(struct lith_event, name)

const struct lith_event_column lith_event_columns[LITH_EVENT_COLUMNS] = {
    {"tenant_id", LITH_EVENT_TEXT, true, FIELD(tenant), 0},
    {"timestamp", LITH_EVENT_TIME, true, FIELD(time_ns), 0},
    {"event_kind", LITH_EVENT_BYTE, true, FIELD(kind), 0},
    {"event_type", LITH_EVENT_TEXT, true, FIELD(type), 0},
    {"reason", LITH_EVENT_TEXT, false, FIELD(reason), 0},
    {"compaction_partition", LITH_EVENT_TEXT, false, FIELD(partition), 0},
    {"compaction_input_files", LITH_EVENT_TEXTS, false, FIELD(input_files),
     FIELD(input_file_count)},
    {"compaction_output_file", LITH_EVENT_TEXT, false, FIELD(output_file), 0},
    {"compaction_generation", LITH_EVENT_NUMBER, false, FIELD(generation), FIELD(has_generation)},
    {"compaction_rows", LITH_EVENT_NUMBER, false, FIELD(rows), FIELD(has_rows)},
    {"compaction_output_files", LITH_EVENT_TEXTS, false, FIELD(output_files),
     FIELD(output_file_count)},
    {"op", LITH_EVENT_TEXT, false, FIELD(op), 0},
    {"bytes_before", LITH_EVENT_NUMBER, false, FIELD(bytes_before), FIELD(has_bytes_before)},
    {"bytes_after", LITH_EVENT_NUMBER, false, FIELD(bytes_after), FIELD(has_bytes_after)},
    {"duration_ns", LITH_EVENT_NUMBER, false, FIELD(duration_ns), FIELD(has_duration)},
    {"verify", LITH_EVENT_TEXT, false, FIELD(verify), 0},
    {"commit_id", LITH_EVENT_TEXT, false, FIELD(commit_id), 0},
};

/* LogicalType.TIMESTAMP {isAdjustedToUTC: true, unit: NANOS} as Thrift has it; it has no converted
 * type that would say the same. */
static const uint8_t timestamp_raw[] = {0x8c, 0x11, 0x1c, 0x3c, 0, 0, 0, 0};

static struct lith_schema_node *node_add(struct lith_schema *schema, const char *name,
                                         enum lith_repetition repetition)
{
    struct lith_schema_node *node = &schema->nodes[schema->node_count++];

    node->name = lith_slice_text(name);
    node->repetition = repetition;
    node->converted_type = LITH_CONVERTED_NONE;
    return node;
}

static struct lith_schema_node *group_add(struct lith_schema *schema, const char *name,
                                          enum lith_repetition repetition, uint32_t child_count)
{
    struct lith_schema_node *node = node_add(schema, name, repetition);

    node->is_group = true;
    node->child_count = child_count;
    return node;
}

static void leaf_add(struct lith_schema *schema, const char *name, enum lith_repetition repetition,
                     enum lith_event_kind kind)
{
    static const struct {
        enum lith_type type;
        int converted;
    } types[] = {
        [LITH_EVENT_TEXT] = {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_UTF8},
        [LITH_EVENT_TEXTS] = {LITH_TYPE_BYTE_ARRAY, LITH_CONVERTED_UTF8},
        [LITH_EVENT_NUMBER] = {LITH_TYPE_INT64, LITH_CONVERTED_UINT_64},
        [LITH_EVENT_BYTE] = {LITH_TYPE_INT32, LITH_CONVERTED_UINT_8},
        [LITH_EVENT_TIME] = {LITH_TYPE_INT64, LITH_CONVERTED_NONE},
    };
    struct lith_schema_node *node = node_add(schema, name, repetition);

    node->type = types[kind].type;
    node->converted_type = types[kind].converted;
    if (kind == LITH_EVENT_TIME)
        node->logical = (struct lith_logical){.kind = LITH_LOGICAL_TIMESTAMP,
                                              .raw = {timestamp_raw, sizeof(timestamp_raw)},
                                              .utc = true,
                                              .unit = LITH_UNIT_NANOS};
}

enum lith_code lith_event_schema(struct lith_arena *arena, struct lith_schema *ret_schema,
                                 struct lith_err *err)
{
    struct lith_schema schema = {0};
    void *block;

    LITH_TRY(lith_arena_array(arena, 1 + 3 * LITH_EVENT_COLUMNS, sizeof(struct lith_schema_node),
                              &block, err));
    schema.nodes = block;
    (void)group_add(&schema, "schema", LITH_REQUIRED, LITH_EVENT_COLUMNS);
    for (size_t i = 0; i < LITH_EVENT_COLUMNS; i++) {
        const struct lith_event_column *column = &lith_event_columns[i];
        enum lith_repetition repetition = column->required ? LITH_REQUIRED : LITH_OPTIONAL;
        if (column->kind != LITH_EVENT_TEXTS) {
            leaf_add(&schema, column->name, repetition, column->kind);
            continue;
        }
        group_add(&schema, column->name, repetition, 1)->converted_type = LITH_CONVERTED_LIST;
        (void)group_add(&schema, "list", LITH_REPEATED, 1);
        leaf_add(&schema, "element", LITH_OPTIONAL, column->kind);
    }
    LITH_TRY(lith_schema_link(&schema, arena, err));
    LITH_TRY(lith_schema_normalise(&schema, arena, err));
    *ret_schema = schema;
    return LITH_OK;
}
