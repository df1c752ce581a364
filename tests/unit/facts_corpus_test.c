/*
 * Facts of files that others wrote, chunks and pages, against their decoded values.
 */
#include "corpus_support.h"

#include "parquet/bounds.h"
#include "parquet/carried_index.h"
#include "parquet/page_source.h"

/* What decoding finds in a run. */
struct found {
    struct lith_bounds bounds;
    int64_t positions;
    int64_t rows;
    int64_t unencoded;
    int64_t def[64];
};

static size_t chunk_bounds, chunk_exact, page_bounds, page_rows, null_pages;

static void batch_add(struct found *found, const struct lith_batch *batch)
{
    MUST(lith_bounds_add(&found->bounds, &batch->values, &err));
    found->positions += (int64_t)batch->position_count;
    for (size_t i = 0; batch->values.slices && i < batch->values.count; i++)
        found->unencoded += (int64_t)batch->values.slices[i].bytes;
    for (size_t i = 0; i < batch->position_count; i++) {
        found->rows += !batch->rep_levels || batch->rep_levels[i] == 0;
        if (batch->def_levels)
            found->def[batch->def_levels[i]]++;
    }
}

static void found_clear(struct found *found)
{
    lith_bounds_clear(&found->bounds);
    found->positions = found->rows = found->unencoded = 0;
    memset(found->def, 0, sizeof(found->def));
}

static void bound_check(const char *where, const struct lith_bounds *bounds,
                        struct lith_slice bound, bool is_max, bool exact)
{
    const struct lith_buf *own = is_max ? &bounds->max : &bounds->min;
    struct lith_slice value = {own->data ? own->data : (const uint8_t *)"", own->bytes};
    int difference = lith_order_compare(bounds->order, bound, value);

    if ((is_max ? difference < 0 : difference > 0) || (exact && difference != 0))
        fail_msg("%s: %s is no bound (%d)", where, is_max ? "max" : "min", difference);
}

static void facts_check(const char *where, const struct lith_schema_node *leaf,
                        const struct lith_facts *facts, const struct found *found)
{
    const struct lith_bounds *bounds = &found->bounds;

    if (facts->positions != found->positions)
        fail_msg("%s: %" PRId64 " positions", where, found->positions);
    if (facts->has_null_count && facts->null_count != found->positions - bounds->value_count)
        fail_msg("%s: %" PRId64 " nulls, not %" PRId64, where,
                 found->positions - bounds->value_count, facts->null_count);
    if (facts->has_nan_count && facts->nan_count != bounds->nan_count)
        fail_msg("%s: %" PRId64 " NaN", where, bounds->nan_count);
    if (facts->is_all_null && bounds->value_count > 0)
        fail_msg("%s: not all null", where);
    if (facts->has_bounds && bounds->has_bounds) {
        bound_check(where, bounds, facts->min, false, facts->min_exact);
        bound_check(where, bounds, facts->max, true, facts->max_exact);
    }
    if (leaf->type == LITH_TYPE_BYTE_ARRAY && facts->unencoded_bytes >= 0 &&
        facts->unencoded_bytes != found->unencoded)
        fail_msg("%s: %" PRId64 " bytes", where, found->unencoded);
    if (facts->def_histogram &&
        memcmp(facts->def_histogram, found->def, (leaf->max_def + 1u) * 8) != 0)
        fail_msg("%s: another histogram", where);
}

static void page_check(const char *where, struct lith_carried_index *index,
                       const struct lith_page *page, const struct found *found)
{
    struct lith_walked_page walked = {
        .offset = page->offset,
        .bytes = page->header_bytes + (uint32_t)page->header.compressed_bytes,
        .num_values = page->header.num_values,
        .rows = page->is_v2 ? (int64_t)page->header.num_rows : -1,
    };
    struct lith_facts facts;
    int64_t rows;

    lith_carried_index_page(index, &walked, &facts, &rows);
    facts_check(where, index->leaf, &facts, found);
    if (rows >= 0 && rows != found->rows)
        fail_msg("%s: %" PRId64 " rows, not %" PRId64, where, found->rows, rows);
    page_bounds += facts.has_bounds;
    null_pages += facts.is_all_null;
    page_rows += index->leaf->max_rep && rows >= 0;
}

/* The bytes of an index; empty where the metadata places it outside of the file. */
static struct lith_slice index_bytes(struct opened *o, int64_t offset, int32_t bytes)
{
    void *block;

    if (offset <= 0 || bytes <= 0 || (uint64_t)offset > o->footer.footer_offset ||
        (uint64_t)bytes > o->footer.footer_offset - (uint64_t)offset)
        return (struct lith_slice){NULL, 0};
    MUST(lith_arena_alloc(&o->arena, (size_t)bytes, &block, &err));
    MUST(lith_source_read(o->source, (uint64_t)offset, block, (size_t)bytes, &err));
    return (struct lith_slice){block, (size_t)bytes};
}

static void chunk_check(const char *path, struct opened *o, uint32_t row_group, uint32_t leaf)
{
    const struct lith_schema_node *node = lith_schema_leaf(&o->footer.schema, leaf);
    const struct lith_chunk_meta *meta = &o->footer.row_groups[row_group].chunks[leaf];
    struct lith_chunk_reader *reader;
    struct lith_carried_index index;
    struct found page_found, chunk_found;
    const struct lith_page *at;
    struct lith_facts facts;
    char where[700];

    assert_true(node->max_def < 64);
    MUST(lith_facts_of_chunk(&o->footer, row_group, leaf, &o->arena, &facts, &err));
    const struct lith_carried_claims claims = {
        .leaf = node,
        .trust = lith_facts_trust(&o->footer, leaf),
        .chunk = &facts,
        .num_rows = o->footer.row_groups[row_group].num_rows,
        .offset_index = index_bytes(o, meta->offset_index_offset, meta->offset_index_length),
        .column_index = index_bytes(o, meta->column_index_offset, meta->column_index_length),
    };
    MUST(lith_carried_index_read(&claims, &o->arena, &index, &err));
    lith_bounds_init(&page_found.bounds, lith_order_of(node), &o->own, 1 << 20);
    lith_bounds_init(&chunk_found.bounds, lith_order_of(node), &o->own, 1 << 20);
    found_clear(&page_found);
    found_clear(&chunk_found);
    MUST(lith_chunk_reader_open(o->source, &o->footer, row_group, leaf, o->codecs, &o->work,
                                &reader, &err));
    for (uint32_t number = 0;; number++) {
        struct lith_batch batch = {.position_count = 1};
        struct lith_page page;
        MUST(lith_chunk_reader_page(reader, &at, &err));
        if (!at)
            break;
        page = *at;
        while (batch.position_count) {
            MUST(lith_chunk_reader_page_batch(reader, &batch, &err));
            batch_add(&page_found, &batch);
            batch_add(&chunk_found, &batch);
        }
        (void)snprintf(where, sizeof(where), "%.500s, row group %u, leaf %u, page %u", path,
                       row_group, leaf, number);
        page_check(where, &index, &page, &page_found);
        found_clear(&page_found);
    }
    lith_chunk_reader_close(reader);
    (void)snprintf(where, sizeof(where), "%.500s, row group %u, leaf %u", path, row_group, leaf);
    facts_check(where, node, &facts, &chunk_found);
    chunk_bounds += facts.has_bounds;
    chunk_exact += facts.min_exact;
    lith_bounds_done(&page_found.bounds);
    lith_bounds_done(&chunk_found.bounds);
}

static void test_corpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        struct opened o;
        if (!corpus_entries[i].good)
            continue;
        MUST(opened_open(&o, corpus_entries[i].path, (size_t)256 << 20));
        for (uint32_t row_group = 0; row_group < o.footer.row_group_count; row_group++)
            for (uint32_t leaf = 0; leaf < o.footer.schema.leaf_count; leaf++)
                chunk_check(corpus_entries[i].path, &o, row_group, leaf);
        opened_close(&o);
    }
    print_message("%zu chunks with bounds, %zu exact; %zu pages with bounds, %zu of nulls, %zu of "
                  "lists whose rows are known\n",
                  chunk_bounds, chunk_exact, page_bounds, null_pages, page_rows);
    assert_true(chunk_bounds > 100);
    assert_true(page_bounds > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};

    if (!corpus_find())
        return TEST_SKIP;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
