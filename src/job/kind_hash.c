/*
 * Schema and meaning of a file as one hash.
 */
#include "job/kind_hash.h"

#include <string.h>

/* Lengths stand in front of what they are of, so that no two schemas give the same bytes. */
static void node_add(struct lith_hasher *hasher, const struct lith_schema_node *node)
{
    bool is_decimal = node->converted_type == LITH_CONVERTED_DECIMAL;
    const int64_t numbers[] = {
        node->is_group,
        node->is_group ? 0 : (int64_t)node->type,
        node->is_group ? 0 : node->type_length,
        (int64_t)node->repetition,
        node->child_count,
        node->has_field_id,
        node->has_field_id ? node->field_id : 0,
        node->converted_type,
        is_decimal ? node->scale : 0,
        is_decimal ? node->precision : 0,
        node->logical.kind,
        (int64_t)node->logical.raw.bytes,
        (int64_t)node->name.bytes,
    };

    lith_hasher_add(hasher, numbers, sizeof(numbers));
    if (node->logical.raw.bytes)
        lith_hasher_add(hasher, node->logical.raw.data, node->logical.raw.bytes);
    if (node->name.bytes)
        lith_hasher_add(hasher, node->name.data, node->name.bytes);
}

struct lith_hash128 lith_kind_hash(struct lith_hasher *hasher, const struct lith_schema *schema,
                                   const struct lith_meaning *meaning, bool is_counted)
{
    lith_hasher_reset(hasher);
    lith_hasher_add(hasher, &is_counted, sizeof(is_counted));
    for (int part = 0; part < LITH_MEANING_COUNT; part++) {
        const char *text = meaning->texts[part];
        lith_hasher_add(hasher, text, strlen(text) + 1);
        lith_hasher_add(hasher, &meaning->matters[part], sizeof(meaning->matters[part]));
    }
    for (uint32_t i = 1; i < schema->node_count; i++)
        node_add(hasher, &schema->nodes[i]);
    return lith_hasher_end(hasher);
}
