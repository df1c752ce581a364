/*
 * Facts of a chunk and of its pages from any statistics and any indexes: whatever is claimed, what
 * is believed is consistent, and joining it with more never fails.
 *
 * Input: a byte for the column, one for the lengths of what follows: claims of the chunk (bytes of
 * counts, histograms and bounds), a column index, and an offset index that ends the input. Pages
 * are walked as the offset index says, with positions from the claims.
 */
#include <stdint.h>

#include "base/checked.h"
#include "parquet/bounds.h"
#include "parquet/carried_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define CLAIM_BYTES 48u
#define PAGE_CLAIMS (CLAIM_BYTES - 32u)
#define PAGES_MAX 64u

static const struct lith_schema_node leaves[] = {
    {.type = LITH_TYPE_INT32, .converted_type = -1, .max_def = 1},
    {.type = LITH_TYPE_INT64, .converted_type = LITH_CONVERTED_UINT_64},
    {.type = LITH_TYPE_DOUBLE, .converted_type = -1, .max_def = 2},
    {.type = LITH_TYPE_BYTE_ARRAY,
     .converted_type = LITH_CONVERTED_UTF8,
     .max_def = 2,
     .max_rep = 1},
    {.type = LITH_TYPE_BYTE_ARRAY, .converted_type = LITH_CONVERTED_DECIMAL, .max_def = 1},
    {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
     .type_length = 2,
     .converted_type = -1,
     .logical.kind = LITH_LOGICAL_FLOAT16,
     .max_def = 3,
     .max_rep = 2},
    {.type = LITH_TYPE_BOOLEAN, .converted_type = -1, .max_def = 1, .max_rep = 1},
    {.type = LITH_TYPE_INT96, .converted_type = -1, .max_def = 1},
};

static uint32_t page_positions(const uint8_t *claim, uint32_t page)
{
    return 1u + claim[32 + page % PAGE_CLAIMS];
}

/* Everything that lith_facts promises. */
static void facts_check(const struct lith_facts *facts, const struct lith_schema_node *leaf)
{
    enum lith_order order = lith_order_of(leaf);
    size_t width = lith_type_width(leaf->type, leaf->type_length);
    int64_t counted = facts->null_count + facts->nan_count;

    LITH_ASSERT(facts->has_null_count || facts->null_count == 0);
    LITH_ASSERT(facts->has_nan_count || facts->nan_count == 0);
    LITH_ASSERT(facts->null_count >= 0 && facts->nan_count >= 0);
    LITH_ASSERT(counted <= facts->positions);
    LITH_ASSERT(facts->is_all_null ==
                (facts->has_null_count && facts->null_count == facts->positions));
    LITH_ASSERT(facts->unencoded_bytes >= -1);
    LITH_ASSERT(!facts->is_all_null || facts->unencoded_bytes == 0);
    LITH_ASSERT(!facts->has_null_count || !facts->def_histogram ||
                facts->positions - facts->def_histogram[leaf->max_def] == facts->null_count);
    if (!facts->has_bounds)
        return;
    LITH_ASSERT(counted < facts->positions || !facts->has_null_count);
    LITH_ASSERT(width == 0 || (facts->min.bytes == width && facts->max.bytes == width));
    LITH_ASSERT(!lith_order_is_nan(order, facts->min));
    LITH_ASSERT(lith_order_compare(order, facts->min, facts->max) <= 0);
}

static void join(struct lith_bounds *bounds, const struct lith_facts *facts)
{
    struct lith_statistics statistics;
    struct lith_buf room;
    struct lith_err err;

    lith_buf_init(&room, bounds->min.mem, 1 << 20);
    LITH_ASSERT(lith_bounds_add_facts(bounds, facts, &err) == LITH_OK);
    LITH_ASSERT(lith_bounds_statistics(bounds, true, 64, &room, &statistics, &err) == LITH_OK);
    LITH_ASSERT(!statistics.min_value.data == !statistics.max_value.data);
    lith_buf_done(&room);
}

/* Claims of the chunk from its bytes: small numbers, so that some fit. */
static void meta_fill(struct lith_chunk_meta *meta, int64_t histograms[2][4], const uint8_t *claim)
{
    struct lith_statistics *s = &meta->statistics;

    for (uint32_t i = 0; i < claim[0] % 8u; i++)
        meta->num_values += page_positions(claim, i);
    s->has_null_count = claim[1] & 1;
    s->null_count = (int8_t)claim[2];
    s->has_nan_count = claim[1] & 2;
    s->nan_count = (int8_t)claim[3];
    s->min_exact = claim[1] & 4;
    if (claim[1] & 8)
        s->min_value = (struct lith_slice){claim + 16, claim[4] & 15};
    if (claim[1] & 16)
        s->max_value = (struct lith_slice){claim + 24, claim[5] & 7};
    for (int i = 0; i < 8; i++)
        histograms[i / 4][i % 4] = (int8_t)claim[6 + i];
    meta->size_statistics = (struct lith_size_statistics){
        .present = true,
        .has_unencoded_bytes = claim[1] & 32,
        .unencoded_bytes = (int8_t)claim[14],
        .rep_histogram = claim[1] & 64 ? histograms[0] : NULL,
        .def_histogram = claim[1] & 128 ? histograms[1] : NULL,
    };
}

static void walk(struct lith_carried_index *index, const uint8_t *claim, struct lith_bounds *bounds)
{
    for (uint32_t i = 0; i < PAGES_MAX; i++) {
        struct lith_facts facts;
        int64_t rows;
        /* The places are taken from the index while it has some: else nothing would agree. */
        bool is_told = index->offsets.pages && i < index->offsets.page_count;
        struct lith_walked_page page = {
            .offset = is_told ? (uint64_t)index->offsets.pages[i].offset : i,
            .bytes = is_told ? (uint32_t)index->offsets.pages[i].bytes : i,
            .num_values = page_positions(claim, i),
            .rows = claim[i % 16] % 8 - 1,
        };
        lith_carried_index_page(index, &page, &facts, &rows);
        facts_check(&facts, index->leaf);
        LITH_ASSERT(facts.positions == page.num_values);
        LITH_ASSERT(rows >= -1 && rows <= facts.positions);
        LITH_ASSERT(index->leaf->max_rep || rows == facts.positions);
        LITH_ASSERT(!index->has_columns || index->has_offsets);
        join(bounds, &facts);
    }
}

static void chunk(const struct lith_schema_node *leaf, const uint8_t *claim, const uint8_t *data,
                  size_t column_bytes, size_t bytes, struct lith_arena *arena)
{
    struct lith_schema_node nodes[2] = {{.is_group = true}, *leaf};
    uint32_t node = 1;
    uint8_t order = LITH_ORDER_TYPE;
    int64_t histograms[2][4];
    struct lith_chunk_meta meta = {0};
    struct lith_row_group group = {.chunks = &meta};
    struct lith_footer footer = {
        .schema = {.nodes = nodes, .node_count = 2, .leaves = &node, .leaf_count = 1},
        .row_groups = &group,
        .row_group_count = 1,
        .created_by = lith_slice_text("parquet-cpp-arrow version 20.0.0"),
        .column_orders = &order,
    };
    struct lith_carried_claims claims = {
        .leaf = leaf,
        .trust = {.bounds = lith_order_of(leaf) != LITH_ORDER_NONE, .nulls = true},
        .column_index = {data, column_bytes},
        .offset_index = {data + column_bytes, bytes - column_bytes},
    };
    struct lith_carried_index index;
    struct lith_bounds bounds;
    struct lith_facts facts;
    struct lith_err err;

    meta_fill(&meta, histograms, claim);
    group.num_rows = leaf->max_rep ? claim[15] % (meta.num_values + 1) : meta.num_values;
    lith_bounds_init(&bounds, lith_order_of(leaf), arena->mem, 1 << 16);
    LITH_ASSERT(lith_facts_of_chunk(&footer, 0, 0, arena, &facts, &err) == LITH_OK);
    facts_check(&facts, leaf);
    join(&bounds, &facts);
    claims.chunk = &facts;
    claims.num_rows = group.num_rows;
    LITH_ASSERT(lith_carried_index_read(&claims, arena, &index, &err) == LITH_OK);
    walk(&index, claim, &bounds);
    lith_bounds_done(&bounds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_arena arena;
    struct lith_mem mem;

    if (bytes < 2 + CLAIM_BYTES)
        return 0;
    lith_mem_init(&mem, 64 << 20, NULL);
    lith_arena_init(&arena, &mem);
    size_t left = bytes - 2 - CLAIM_BYTES;
    size_t column_bytes = lith_min_size(data[1], left);
    chunk(&leaves[data[0] % (sizeof(leaves) / sizeof(leaves[0]))], data + 2, data + 2 + CLAIM_BYTES,
          column_bytes, left, &arena);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
