/*
 * Schemas for tests that write files: a table of nodes, depth first, linked and normalised.
 */
#ifndef LITH_TESTS_SAMPLE_SCHEMA_H
#define LITH_TESTS_SAMPLE_SCHEMA_H

#include "parquet/schema.h"

struct sample_node {
    const char *name;
    uint32_t child_count; /* 0: a leaf */
    enum lith_repetition repetition;
    enum lith_type type;
    int32_t type_length;
    int converted; /* enum lith_converted_type */
    int32_t scale;
    int32_t precision;
    int logical; /* UUID or FLOAT16, which have no converted type; else 0 */
};

/* Builds a schema of `count` nodes, the root first. Memory is the arena's. */
static inline enum lith_code sample_schema_build(const struct sample_node *from, uint32_t count,
                                                 struct lith_arena *arena,
                                                 struct lith_schema *ret_schema,
                                                 struct lith_err *err)
{
    static const uint8_t uuid_raw[] = {0xec, 0, 0}, float16_raw[] = {0xfc, 0, 0};
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_schema_node), &block, err));
    struct lith_schema schema = {.nodes = block, .node_count = count};
    for (uint32_t i = 0; i < count; i++) {
        struct lith_schema_node *node = &schema.nodes[i];
        node->name = lith_slice_text(from[i].name);
        node->is_group = from[i].child_count > 0;
        node->child_count = from[i].child_count;
        node->repetition = from[i].repetition;
        node->type = from[i].type;
        node->type_length = from[i].type_length;
        node->converted_type = from[i].converted;
        node->has_scale = from[i].converted == LITH_CONVERTED_DECIMAL;
        node->has_precision = node->has_scale;
        node->scale = from[i].scale;
        node->precision = from[i].precision;
        node->logical.kind = from[i].logical;
        if (from[i].logical == LITH_LOGICAL_UUID)
            node->logical.raw = (struct lith_slice){uuid_raw, sizeof(uuid_raw)};
        else if (from[i].logical)
            node->logical.raw = (struct lith_slice){float16_raw, sizeof(float16_raw)};
    }
    LITH_TRY(lith_schema_link(&schema, arena, err));
    LITH_TRY(lith_schema_normalise(&schema, arena, err));
    *ret_schema = schema;
    return LITH_OK;
}

#endif
