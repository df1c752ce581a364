/*
 * Which form of an annotation the outputs bear.
 */
#include "merge/annotations.h"

#include "base/err.h"

static bool is_same_form(const struct lith_schema_node *a, const struct lith_schema_node *b)
{
    return a->converted_type == b->converted_type && a->logical.kind == b->logical.kind;
}

void lith_annotations_join(struct lith_schema *written, const struct lith_schema *raw,
                           const struct lith_schema *normalised)
{
    LITH_ASSERT(written->node_count == raw->node_count);
    LITH_ASSERT(written->node_count == normalised->node_count);
    for (uint32_t i = 0; i < written->node_count; i++) {
        if (!is_same_form(&written->nodes[i], &raw->nodes[i]))
            written->nodes[i] = normalised->nodes[i];
    }
}
