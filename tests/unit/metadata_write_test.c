/*
 * Metadata that is written and parsed again: every field must come back.
 */
#include "metadata_support.h"

static const int64_t rep_histogram[] = {3, 4};
static const int64_t def_histogram[] = {1, 0, 6};
static const uint8_t geospatial[] = {0x1c, 0x00, 0x00}; /* an empty bbox */

static void nested_make(struct lith_schema *schema, struct lith_schema_node nodes[4],
                        struct lith_arena *arena)
{
    static const uint8_t unknown[] = {0x0c, 0xf6, 0x27, 0x00, 0x00}; /* kind 2555 */
    struct lith_err err;

    nodes[0] = test_group("root", LITH_REQUIRED, 2);
    nodes[1] = test_group("list", LITH_REPEATED, 1);
    nodes[1].converted_type = LITH_CONVERTED_LIST;
    nodes[2] = test_leaf("element", LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY);
    nodes[2].logical.kind = 2555;
    nodes[2].logical.raw = (struct lith_slice){unknown, sizeof(unknown)};
    nodes[3] = test_leaf("d", LITH_REQUIRED, LITH_TYPE_FIXED_LEN_BYTE_ARRAY);
    nodes[3].type_length = 5;
    nodes[3].converted_type = LITH_CONVERTED_DECIMAL;
    nodes[3].has_scale = true;
    nodes[3].scale = 2;
    nodes[3].has_precision = true;
    nodes[3].precision = 11;
    nodes[3].has_field_id = true;
    nodes[3].field_id = -1;
    *schema = (struct lith_schema){.nodes = nodes, .node_count = 4};
    MUST(lith_schema_link(schema, arena, &err));
    MUST(lith_schema_normalise(schema, arena, &err));
}

static struct lith_encoding_stat stats[] = {{0, 8, 3}, {2, 0, 1}};
static struct lith_key_value pairs[] = {
    {.key = {(const uint8_t *)"k", 1}, .value = {(const uint8_t *)"", 0}},
    {.key = {(const uint8_t *)"absent", 6}},
    {.key = {(const uint8_t *)"k", 1}, .value = {(const uint8_t *)"last", 4}},
};

/* Everything a chunk can say. */
static struct lith_chunk_meta meta_make(void)
{
    return (struct lith_chunk_meta){
        .codec = 6,
        .num_values = 7,
        .total_uncompressed_size = 100,
        .total_compressed_size = 50,
        .data_page_offset = 14,
        .dictionary_page_offset = 4,
        .offset_index_offset = 1000,
        .offset_index_length = 20,
        .column_index_offset = 1020,
        .column_index_length = 30,
        .bloom_filter_offset = 900,
        .bloom_filter_length = 47,
        .encodings = 1u << 0 | 1u << 3 | 1u << 8 | 1u << 31,
        .statistics = {.min_value = {(const uint8_t *)"", 0},
                       .max_value = {(const uint8_t *)"zz", 2},
                       .has_null_count = true,
                       .has_distinct_count = true,
                       .has_nan_count = true,
                       .max_exact = true,
                       .null_count = 1,
                       .distinct_count = 5,
                       .nan_count = 0},
        .size_statistics = {.present = true,
                            .has_unencoded_bytes = true,
                            .unencoded_bytes = 99,
                            .rep_histogram = (int64_t *)(uintptr_t)rep_histogram,
                            .def_histogram = (int64_t *)(uintptr_t)def_histogram},
        .encoding_stats = stats,
        .encoding_stat_count = 2,
        .key_values = pairs,
        .key_value_count = 3,
        .geospatial = {geospatial, sizeof(geospatial)},
    };
}

static void statistics_compare(const struct lith_statistics *a, const struct lith_statistics *b)
{
    assert_true(lith_slice_equal(a->min_value, b->min_value));
    assert_true(lith_slice_equal(a->max_value, b->max_value));
    assert_int_equal(a->min_value.data == NULL, b->min_value.data == NULL);
    assert_int_equal(a->max_value.data == NULL, b->max_value.data == NULL);
    assert_null(a->legacy_min.data);
    assert_null(a->legacy_max.data);
    assert_int_equal(a->has_null_count, b->has_null_count);
    assert_int_equal(a->has_distinct_count, b->has_distinct_count);
    assert_int_equal(a->has_nan_count, b->has_nan_count);
    assert_int_equal(a->min_exact, b->min_exact);
    assert_int_equal(a->max_exact, b->max_exact);
    assert_int_equal(a->null_count, b->null_count);
    assert_int_equal(a->distinct_count, b->distinct_count);
    assert_int_equal(a->nan_count, b->nan_count);
}

static void offsets_compare(const struct lith_chunk_meta *a, const struct lith_chunk_meta *b)
{
    assert_int_equal(a->codec, b->codec);
    assert_int_equal(a->num_values, b->num_values);
    assert_int_equal(a->total_uncompressed_size, b->total_uncompressed_size);
    assert_int_equal(a->total_compressed_size, b->total_compressed_size);
    assert_int_equal(a->data_page_offset, b->data_page_offset);
    assert_int_equal(a->dictionary_page_offset, b->dictionary_page_offset);
    assert_int_equal(a->offset_index_offset, b->offset_index_offset);
    assert_int_equal(a->offset_index_length, b->offset_index_length);
    assert_int_equal(a->column_index_offset, b->column_index_offset);
    assert_int_equal(a->column_index_length, b->column_index_length);
    assert_int_equal(a->bloom_filter_offset, b->bloom_filter_offset);
    assert_int_equal(a->bloom_filter_length, b->bloom_filter_length);
    assert_int_equal(a->encodings, b->encodings);
}

static void meta_compare(const struct lith_chunk_meta *a, const struct lith_chunk_meta *b)
{
    offsets_compare(a, b);
    statistics_compare(&a->statistics, &b->statistics);
    assert_true(a->size_statistics.present && a->size_statistics.has_unencoded_bytes);
    assert_int_equal(a->size_statistics.unencoded_bytes, 99);
    assert_memory_equal(a->size_statistics.rep_histogram, rep_histogram, sizeof(rep_histogram));
    assert_memory_equal(a->size_statistics.def_histogram, def_histogram, sizeof(def_histogram));
    assert_int_equal(a->encoding_stat_count, 2);
    assert_memory_equal(a->encoding_stats, stats, sizeof(stats));
    assert_true(lith_slice_equal(a->geospatial, b->geospatial));
    assert_int_equal(a->key_value_count, 3);
    assert_non_null(a->key_values[0].value.data);
    assert_int_equal(a->key_values[0].value.bytes, 0);
    assert_null(a->key_values[1].value.data);
}

/* A file of one row group: each piece by a writer of its own, as a spooling caller has it. */
static void pieces_write(const struct lith_schema *schema, const struct lith_chunk_meta *metas,
                         const struct lith_sorting_column *sorting, struct lith_buf *to)
{
    struct lith_row_group_tail tail = {
        .num_rows = 3,
        .total_byte_size = 200,
        .total_compressed_size = 60,
        .file_offset = 4,
        .ordinal = -1,
        .sorting_columns = sorting,
        .sorting_column_count = 2,
    };
    struct lith_thrift_writer w;
    struct lith_err err;

    for (int piece = 0; piece < 6; piece++) {
        lith_thrift_writer_init(&w, to, &err);
        if (piece == 0)
            lith_footer_head_write(&w, schema, 3, 1);
        else if (piece == 1)
            lith_row_group_head_write(&w, 2);
        else if (piece < 4)
            lith_chunk_meta_write(&w, schema, (uint32_t)piece - 2, &metas[piece - 2]);
        else if (piece == 4)
            lith_row_group_tail_write(&w, &tail);
        else
            lith_footer_tail_write(&w, pairs, 3, lith_slice_text("tests version 1"), 2);
        MUST(w.code);
    }
}

static void test_footer(void **state)
{
    static const struct lith_sorting_column sorting[] = {{1, true, false}, {0, false, true}};
    struct lith_schema_node nodes[4];
    struct lith_memory_source source;
    struct lith_chunk_meta metas[2];
    struct lith_footer footer;
    struct lith_schema schema;
    struct lith_arena arena;
    struct lith_buf thrift;
    struct lith_buf file;
    struct lith_mem mem;
    struct lith_err err;
    const char *difference = NULL;
    bool equal;
    (void)state;

    lith_mem_init(&mem, 16u << 20, NULL);
    lith_arena_init(&arena, &mem);
    lith_buf_init(&thrift, &mem, 1 << 16);
    lith_buf_init(&file, &mem, 1 << 16);
    nested_make(&schema, nodes, &arena);
    metas[0] = meta_make();
    /* Bounds without a null_count are not written: some readers take it for 0. */
    metas[1] = (struct lith_chunk_meta){
        .num_values = 3,
        .total_compressed_size = 9,
        .data_page_offset = 60,
        .statistics = {.min_value = lith_slice_text("a"), .max_value = lith_slice_text("b")}};
    pieces_write(&schema, metas, sorting, &thrift);
    test_file_wrap(thrift.data, thrift.bytes, 100, &file);

    lith_memory_source_init(&source, file.data, file.bytes);
    MUST(lith_footer_read(&source.base, &arena, &footer, &err));
    assert_int_equal(footer.num_rows, 3);
    assert_int_equal(footer.footer_offset, 104);
    assert_int_equal(footer.row_group_count, 1);
    assert_int_equal(footer.column_orders[0], LITH_ORDER_TYPE);
    assert_int_equal(footer.column_orders[1], LITH_ORDER_TYPE);
    assert_true(lith_slice_equal(footer.created_by, lith_slice_text("tests version 1")));
    assert_true(lith_slice_equal(lith_footer_key(&footer, "k")->value, lith_slice_text("last")));
    assert_null(lith_footer_key(&footer, "absent")->value.data);
    assert_null(lith_footer_key(&footer, "missing"));
    MUST(lith_schema_equal(&footer.schema, &schema, &arena, &equal, &difference, &err));
    if (!equal)
        fail_msg("%s", difference);
    assert_int_equal(footer.schema.nodes[3].converted_type, LITH_CONVERTED_DECIMAL);
    assert_int_equal(footer.schema.nodes[3].logical.precision, 11);
    assert_int_equal(footer.schema.nodes[3].field_id, -1);
    assert_true(lith_slice_equal(footer.schema.nodes[2].logical.raw, nodes[2].logical.raw));
    assert_int_equal(footer.row_groups[0].total_byte_size, 200);
    assert_int_equal(footer.row_groups[0].sorting_column_count, 2);
    assert_memory_equal(&footer.row_groups[0].sorting_columns[0].column_index,
                        &sorting[0].column_index, sizeof(int32_t));
    assert_true(footer.row_groups[0].sorting_columns[0].descending);
    assert_true(footer.row_groups[0].sorting_columns[1].nulls_first);
    meta_compare(&footer.row_groups[0].chunks[0], &metas[0]);
    offsets_compare(&footer.row_groups[0].chunks[1], &metas[1]);
    assert_false(footer.row_groups[0].chunks[1].size_statistics.present);
    assert_null(footer.row_groups[0].chunks[1].statistics.min_value.data);

    lith_buf_done(&file);
    lith_buf_done(&thrift);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_footer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
