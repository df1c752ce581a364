/*
 * Which form of an annotation the outputs bear.
 */
#include "merge/annotations.h"

#include "base/err.h"

bool lith_annotation_is_same_form(const struct lith_schema_node *a,
                                  const struct lith_schema_node *b)
{
    return a->converted_type == b->converted_type && a->logical.kind == b->logical.kind;
}

void lith_annotations_join(struct lith_schema *written, const struct lith_schema *raw,
                           const struct lith_schema *normalised)
{
    LITH_ASSERT(written->node_count == raw->node_count);
    LITH_ASSERT(written->node_count == normalised->node_count);
    for (uint32_t i = 0; i < written->node_count; i++) {
        if (!lith_annotation_is_same_form(&written->nodes[i], &raw->nodes[i]))
            written->nodes[i] = normalised->nodes[i];
    }
}

void lith_annotation_form_take(struct lith_schema_node *to, const struct lith_schema_node *from)
{
    to->converted_type = from->converted_type;
    to->logical = from->logical;
    to->has_scale = from->has_scale;
    to->has_precision = from->has_precision;
    to->scale = from->scale;
    to->precision = from->precision;
}
