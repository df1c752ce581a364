/*
 * inspect: the schema, as the depth-first list it is.
 */
#include <stdio.h>

#include "api/inspect.h"

/* "TIMESTAMP(MICROS, utc)", "DECIMAL(9, 2)", "STRING". */
static struct lith_json *logical_text(const struct lith_logical *logical)
{
    static const char *const units[] = {"?", "MILLIS", "MICROS", "NANOS"};
    const char *name = lith_logical_name(logical->kind);
    char text[96];

    if (logical->kind == LITH_LOGICAL_NONE)
        return lith_json_null();
    switch (logical->kind) {
    case LITH_LOGICAL_TIME:
    case LITH_LOGICAL_TIMESTAMP:
        (void)snprintf(text, sizeof(text), "%s(%s, %s)", name,
                       units[logical->unit >= 1 && logical->unit <= 3 ? logical->unit : 0],
                       logical->utc ? "utc" : "local");
        break;
    case LITH_LOGICAL_DECIMAL:
        (void)snprintf(text, sizeof(text), "%s(%d, %d)", name, logical->precision, logical->scale);
        break;
    case LITH_LOGICAL_INTEGER:
        (void)snprintf(text, sizeof(text), "%s(%d, %s)", name, logical->bit_width,
                       logical->is_signed ? "signed" : "unsigned");
        break;
    default:
        (void)snprintf(text, sizeof(text), "%s", name ? name : "UNKNOWN_KIND");
        break;
    }
    return lith_json_text(text);
}

static bool node_fill(struct lith_json *object, const struct lith_schema *schema, uint32_t index)
{
    const struct lith_schema_node *node = &schema->nodes[index];
    char path[512] = "";

    if (index)
        lith_schema_path(schema, index, path, sizeof(path));
    bool ok = lith_inspect_set_bytes(object, "name", node->name, LITH_INSPECT_VALUE_BYTES_MAX) &&
              lith_json_set(object, "path", lith_json_text(path)) &&
              lith_json_set(object, "depth", lith_json_int(node->depth)) &&
              lith_json_set(object, "children", lith_json_int(node->child_count)) &&
              lith_json_set(object, "repetition",
                            lith_inspect_name(lith_repetition_name((int)node->repetition),
                                              (int)node->repetition)) &&
              lith_json_set(object, "converted",
                            node->converted_type == LITH_CONVERTED_NONE
                                ? lith_json_null()
                                : lith_inspect_name(lith_converted_name(node->converted_type),
                                                    node->converted_type)) &&
              lith_json_set(object, "logical", logical_text(&node->logical));
    if (node->has_field_id)
        ok = ok && lith_json_set(object, "field_id", lith_json_int(node->field_id));
    if (node->has_precision)
        ok = ok && lith_json_set(object, "precision", lith_json_int(node->precision));
    if (node->has_scale)
        ok = ok && lith_json_set(object, "scale", lith_json_int(node->scale));
    if (node->is_group)
        return ok && lith_json_set(object, "type", lith_json_null());
    ok = ok &&
         lith_json_set(object, "type",
                       lith_inspect_name(lith_type_name((int)node->type), (int)node->type)) &&
         lith_json_set(object, "column", lith_json_int(node->leaf_index)) &&
         lith_json_set(object, "max_definition_level", lith_json_int(node->max_def)) &&
         lith_json_set(object, "max_repetition_level", lith_json_int(node->max_rep));
    if (node->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        ok = ok && lith_json_set(object, "type_length", lith_json_int(node->type_length));
    return ok;
}

enum lith_code lith_inspect_schema(struct lith_inspect *in, struct lith_json **ret_nodes,
                                   struct lith_err *err)
{
    struct lith_json *nodes = lith_json_array();
    bool ok = nodes != NULL;

    for (uint32_t i = 0; ok && i < in->footer.schema.node_count; i++) {
        struct lith_json *node = lith_json_object();
        ok = node && node_fill(node, &in->footer.schema, i);
        ok &= lith_json_push(nodes, node);
    }
    if (!ok) {
        lith_json_free(nodes);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    }
    *ret_nodes = nodes;
    return LITH_OK;
}
