/*
 * A schema that outlives the footer it came from.
 */
#include "parquet/schema.h"

static enum lith_code slice_copy(struct lith_arena *arena, struct lith_slice *slice,
                                 struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(arena, slice->data, slice->bytes, &copy, err));
    slice->data = copy;
    return LITH_OK;
}

enum lith_code lith_schema_copy(const struct lith_schema *from, struct lith_arena *arena,
                                struct lith_schema *ret_schema, struct lith_err *err)
{
    struct lith_schema schema = {.node_count = from->node_count};
    void *block;

    LITH_TRY(
        lith_arena_copy(arena, from->nodes, from->node_count * sizeof(*from->nodes), &block, err));
    schema.nodes = block;
    for (uint32_t i = 0; i < schema.node_count; i++) {
        LITH_TRY(slice_copy(arena, &schema.nodes[i].name, err));
        if (schema.nodes[i].logical.raw.bytes)
            LITH_TRY(slice_copy(arena, &schema.nodes[i].logical.raw, err));
    }
    LITH_TRY(lith_schema_link(&schema, arena, err));
    *ret_schema = schema;
    return LITH_OK;
}
