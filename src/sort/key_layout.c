/*
 * Which bytes the fields of a key take.
 */
#include "sort/key_layout.h"

#include "base/err.h"

void lith_key_layout_init(struct lith_key_layout *layout, const struct lith_schema *schema,
                          const struct lith_sort_key *keys, uint32_t key_count)
{
    bool varies = false;

    LITH_ASSERT(key_count > 0);
    LITH_ASSERT(key_count <= LITH_SORT_KEYS_MAX);
    *layout = (struct lith_key_layout){.field_count = key_count};
    for (uint32_t i = 0; i < key_count; i++) {
        const struct lith_schema_node *leaf = lith_schema_leaf(schema, keys[i].leaf);
        enum lith_order order = lith_order_of(leaf);
        LITH_ASSERT(order != LITH_ORDER_NONE);
        LITH_ASSERT(leaf->max_rep == 0);
        struct lith_key_field *field = &layout->fields[i];
        *field = (struct lith_key_field){
            .order = order,
            .type = leaf->type,
            .width = lith_type_width(leaf->type, leaf->type_length),
            .has_marker = leaf->max_def > 0,
            .null_marker = keys[i].nulls_first ? 0 : 2,
            .descending = keys[i].descending,
        };
        varies = varies || field->width == 0 || field->width > LITH_SORT_WIDTH_MAX;
        layout->width += varies ? 0 : field->has_marker + field->width;
    }
    if (varies || layout->width > LITH_SORT_WIDTH_MAX)
        layout->width = 0;
}
