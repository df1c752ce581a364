/*
 * The schema: completing the tree, and paths for people.
 *
 * One pass over the depth-first list; the way from the root to the current node is the stack.
 */
#include "parquet/schema.h"

/* The open groups, outermost first, and how many children each still expects. */
struct open_group {
    uint32_t node;
    uint32_t left;
};

static enum lith_code node_check(const struct lith_schema_node *node, uint32_t index,
                                 struct lith_err *err)
{
    if (!node->is_group && node->child_count > 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "schema element %u (\"%.*s\") has a type and children", index,
                         LITH_SLICE_ARGS(node->name));
    if (!node->is_group && node->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY && node->type_length <= 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "column \"%.*s\" is FIXED_LEN_BYTE_ARRAY with type_length %d",
                         LITH_SLICE_ARGS(node->name), node->type_length);
    return LITH_OK;
}

/* Links a node below the innermost open group. */
static void node_link(struct lith_schema *schema, uint32_t index, uint32_t parent_index)
{
    struct lith_schema_node *node = &schema->nodes[index];
    const struct lith_schema_node *parent = &schema->nodes[parent_index];

    node->parent = parent_index;
    node->depth = parent->depth + 1;
    node->max_def = (uint16_t)(parent->max_def + (node->repetition != LITH_REQUIRED));
    node->max_rep = (uint16_t)(parent->max_rep + (node->repetition == LITH_REPEATED));
    node->leaf_index = LITH_NO_INDEX;
    if (!node->is_group) {
        node->leaf_index = schema->leaf_count;
        schema->leaves[schema->leaf_count++] = index;
    }
}

static enum lith_code root_link(struct lith_schema *schema, struct lith_err *err)
{
    if (schema->node_count == 0 || !schema->nodes[0].is_group)
        return lith_fail(err, LITH_E_CORRUPT, "the schema does not begin with a group");
    schema->nodes[0].parent = LITH_NO_INDEX;
    schema->nodes[0].leaf_index = LITH_NO_INDEX;
    schema->nodes[0].depth = 0;
    schema->nodes[0].max_def = 0;
    schema->nodes[0].max_rep = 0;
    return LITH_OK;
}

enum lith_code lith_schema_link(struct lith_schema *schema, struct lith_arena *arena,
                                struct lith_err *err)
{
    struct open_group open[LITH_SCHEMA_DEPTH_MAX];
    uint32_t depth = 0;
    void *leaves;

    LITH_TRY(root_link(schema, err));
    LITH_TRY(lith_arena_array(arena, schema->node_count, sizeof(uint32_t), &leaves, err));
    schema->leaves = leaves;
    schema->leaf_count = 0;
    open[depth++] = (struct open_group){.node = 0, .left = schema->nodes[0].child_count};
    for (uint32_t i = 1; i < schema->node_count; i++) {
        while (depth > 0 && open[depth - 1].left == 0)
            depth--;
        if (depth == 0)
            return lith_fail(err, LITH_E_CORRUPT,
                             "the schema has %u elements, but its groups only count %u",
                             schema->node_count, i);
        open[depth - 1].left--;
        LITH_TRY(node_check(&schema->nodes[i], i, err));
        node_link(schema, i, open[depth - 1].node);
        if (!schema->nodes[i].is_group)
            continue;
        if (depth == LITH_SCHEMA_DEPTH_MAX)
            return lith_fail(err, LITH_E_LIMIT, "the schema is nested deeper than %u groups",
                             LITH_SCHEMA_DEPTH_MAX);
        open[depth++] = (struct open_group){.node = i, .left = schema->nodes[i].child_count};
    }
    for (; depth > 0; depth--) {
        if (open[depth - 1].left > 0)
            return lith_fail(
                err, LITH_E_CORRUPT, "the schema ends %u children short in group \"%.*s\"",
                open[depth - 1].left, LITH_SLICE_ARGS(schema->nodes[open[depth - 1].node].name));
    }
    return LITH_OK;
}

/* Text that grows until it is full; always terminated. */
struct text {
    char *to;
    size_t bytes;
    size_t used;
};

static void text_byte(struct text *text, char byte)
{
    if (text->used + 1 < text->bytes)
        text->to[text->used++] = byte;
    text->to[text->used] = '\0';
}

static bool is_control(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f;
}

static bool needs_quotes(struct lith_slice name)
{
    for (size_t i = 0; i < name.bytes; i++) {
        if (is_control(name.data[i]) || name.data[i] == '.' || name.data[i] == '"')
            return true;
    }
    return name.bytes == 0;
}

static void text_name(struct text *text, struct lith_slice name)
{
    static const char digits[] = "0123456789abcdef";
    bool quoted = needs_quotes(name);

    if (quoted)
        text_byte(text, '"');
    for (size_t i = 0; i < name.bytes && text->used + 1 < text->bytes; i++) {
        uint8_t byte = name.data[i];
        if (is_control(byte)) {
            text_byte(text, '\\');
            text_byte(text, 'x');
            text_byte(text, digits[byte >> 4]);
            text_byte(text, digits[byte & 15]);
            continue;
        }
        if (quoted && (byte == '"' || byte == '\\'))
            text_byte(text, '\\');
        text_byte(text, (char)byte);
    }
    if (quoted)
        text_byte(text, '"');
}

uint32_t lith_schema_ancestry(const struct lith_schema *schema, uint32_t node,
                              uint32_t path[LITH_SCHEMA_DEPTH_MAX])
{
    uint32_t depth = schema->nodes[node].depth;

    LITH_ASSERT(depth <= LITH_SCHEMA_DEPTH_MAX);
    for (uint32_t i = depth; i > 0; i--) {
        path[i - 1] = node;
        node = schema->nodes[node].parent;
    }
    return depth;
}

void lith_schema_path(const struct lith_schema *schema, uint32_t node, char *to, size_t to_bytes)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t count = lith_schema_ancestry(schema, node, path);
    struct text text = {.to = to, .bytes = to_bytes};

    LITH_ASSERT(to_bytes > 0);
    to[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            text_byte(&text, '.');
        text_name(&text, schema->nodes[path[i]].name);
    }
}
