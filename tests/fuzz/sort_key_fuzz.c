/*
 * Sort orders from any text: what is accepted names columns that there are, each once.
 */
#include <string.h>

#include "base/err.h"
#include "sort/sort_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Leaves id, s.x, "s.x" and list.element. */
static void schema_fill(struct lith_schema_node nodes[7])
{
    static const char *const names[] = {"schema", "id", "s", "x", "s.x", "list", "element"};
    static const uint32_t children[] = {4, 0, 1, 0, 0, 1, 0};

    memset(nodes, 0, 7 * sizeof(*nodes));
    for (uint32_t i = 0; i < 7; i++) {
        nodes[i].name = lith_slice_text(names[i]);
        nodes[i].child_count = children[i];
        nodes[i].is_group = children[i] > 0;
        nodes[i].type = LITH_TYPE_INT64;
        nodes[i].converted_type = LITH_CONVERTED_NONE;
        nodes[i].repetition = i == 5 ? LITH_REPEATED : LITH_OPTIONAL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_schema_node nodes[7];
    struct lith_schema schema = {.nodes = nodes, .node_count = 7};
    struct lith_sort_key *keys;
    struct lith_arena arena;
    struct lith_mem mem;
    struct lith_err err;
    uint32_t count;
    void *text;

    if (bytes > 4096)
        return 0;
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_arena_init(&arena, &mem);
    schema_fill(nodes);
    LITH_ASSERT(lith_schema_link(&schema, &arena, &err) == LITH_OK);
    LITH_ASSERT(lith_arena_copy(&arena, data, bytes, &text, &err) == LITH_OK);
    if (lith_sort_keys_parse(text, &schema, &arena, &keys, &count, &err) == LITH_OK) {
        LITH_ASSERT(count > 0);
        LITH_ASSERT(count <= 3);
        for (uint32_t i = 0; i < count; i++)
            LITH_ASSERT(keys[i].leaf < 3);
    }
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
