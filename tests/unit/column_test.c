/*
 * Files as another schema sees them: columns and struct members that a file lacks, REQUIRED under
 * OPTIONAL, INT32 under INT64; against an output whose levels are written down here by hand.
 */
#include "support.h"

#include "parquet/file_writer.h"
#include "verify/verify.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;

/* A schema as one line a node, depth first. */
struct node {
    const char *name;
    unsigned child_count;
    enum lith_type type;
    enum lith_repetition repetition;
};

/* One column of one file: levels and values in order. */
struct leaf {
    size_t count;
    uint16_t rep[12];
    uint16_t def[12];
    size_t value_count;
    int32_t i32[12];
    int64_t i64[12];
};

struct test_file {
    const struct node *nodes;
    uint32_t node_count;
    int64_t rows;
    const struct leaf *leaves;
};

static const struct node target_nodes[] = {
    {"root", 4, 0, LITH_REQUIRED},
    {"a", 0, LITH_TYPE_INT64, LITH_OPTIONAL},
    {"s", 2, 0, LITH_OPTIONAL},
    {"p", 0, LITH_TYPE_INT32, LITH_OPTIONAL},
    {"q", 0, LITH_TYPE_INT64, LITH_OPTIONAL},
    {"l", 1, 0, LITH_OPTIONAL},
    {"list", 1, 0, LITH_REPEATED},
    {"element", 3, 0, LITH_OPTIONAL},
    {"m", 0, LITH_TYPE_INT32, LITH_OPTIONAL},
    {"n", 0, LITH_TYPE_INT64, LITH_OPTIONAL},
    {"deep", 0, LITH_TYPE_INT32, LITH_REPEATED},
    {"z", 0, LITH_TYPE_INT32, LITH_OPTIONAL},
};

/* Four rows: s is null, {10}, {11}, null; l is null, [], [null, {5}, {null}], [{7}]. */
static const struct node first_nodes[] = {
    {"root", 3, 0, LITH_REQUIRED},    {"a", 0, LITH_TYPE_INT32, LITH_REQUIRED},
    {"s", 1, 0, LITH_OPTIONAL},       {"p", 0, LITH_TYPE_INT32, LITH_REQUIRED},
    {"l", 1, 0, LITH_OPTIONAL},       {"list", 1, 0, LITH_REPEATED},
    {"element", 1, 0, LITH_OPTIONAL}, {"m", 0, LITH_TYPE_INT32, LITH_OPTIONAL},
};
static const struct leaf first_leaves[] = {
    {.count = 4, .value_count = 4, .i32 = {1, -2, 3, 4}},
    {.count = 4, .def = {0, 1, 1, 0}, .value_count = 2, .i32 = {10, 11}},
    {.count = 6,
     .rep = {0, 0, 0, 1, 1, 0},
     .def = {0, 1, 2, 4, 3, 4},
     .value_count = 2,
     .i32 = {5, 7}},
};

/* Two rows: l is [{deep [1, 2]}, {deep []}], null; no s. Columns stand in another order. */
static const struct node second_nodes[] = {
    {"root", 2, 0, LITH_REQUIRED},
    {"l", 1, 0, LITH_OPTIONAL},
    {"list", 1, 0, LITH_REPEATED},
    {"element", 1, 0, LITH_OPTIONAL},
    {"deep", 0, LITH_TYPE_INT32, LITH_REPEATED},
    {"a", 0, LITH_TYPE_INT64, LITH_REQUIRED},
};
static const struct leaf second_leaves[] = {
    {.count = 4, .rep = {0, 2, 1, 0}, .def = {4, 4, 3, 0}, .value_count = 2, .i32 = {1, 2}},
    {.count = 2, .value_count = 2, .i64 = {5, 6}},
};

static const struct leaf union_leaves[] = {
    {.count = 6, .def = {1, 1, 1, 1, 1, 1}, .value_count = 6, .i64 = {1, -2, 3, 4, 5, 6}},
    {.count = 6, .def = {0, 2, 2, 0, 0, 0}, .value_count = 2, .i32 = {10, 11}},
    {.count = 6, .def = {0, 1, 1, 0, 0, 0}},
    {.count = 9,
     .rep = {0, 0, 0, 1, 1, 0, 0, 1, 0},
     .def = {0, 1, 2, 4, 3, 4, 3, 3, 0},
     .value_count = 2,
     .i32 = {5, 7}},
    {.count = 9, .rep = {0, 0, 0, 1, 1, 0, 0, 1, 0}, .def = {0, 1, 2, 3, 3, 3, 3, 3, 0}},
    {.count = 10,
     .rep = {0, 0, 0, 1, 1, 0, 0, 2, 1, 0},
     .def = {0, 1, 2, 3, 3, 3, 4, 4, 3, 0},
     .value_count = 2,
     .i32 = {1, 2}},
    {.count = 6},
};

static void schema_make(const struct test_file *file, struct lith_arena *arena,
                        struct lith_schema *ret_schema)
{
    void *block;

    lith_arena_init(arena, &mem);
    MUST(lith_arena_array(arena, file->node_count, sizeof(struct lith_schema_node), &block, &err));
    struct lith_schema_node *nodes = block;
    for (uint32_t i = 0; i < file->node_count; i++) {
        nodes[i].name = lith_slice_text(file->nodes[i].name);
        nodes[i].is_group = file->nodes[i].child_count > 0;
        nodes[i].child_count = file->nodes[i].child_count;
        nodes[i].type = file->nodes[i].type;
        nodes[i].repetition = file->nodes[i].repetition;
        nodes[i].converted_type = LITH_CONVERTED_NONE;
    }
    *ret_schema = (struct lith_schema){.nodes = nodes, .node_count = file->node_count};
    MUST(lith_schema_link(ret_schema, arena, &err));
}

static void chunk_write(struct lith_file_writer *writer, const struct lith_schema_node *node,
                        const struct leaf *leaf)
{
    const struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY,
                                         .fallback = LITH_ENCODING_PLAIN};
    bool wide = node->type == LITH_TYPE_INT64;
    const struct lith_batch batch = {
        .position_count = leaf->count,
        .def_levels = node->max_def ? leaf->def : NULL,
        .rep_levels = node->max_rep ? leaf->rep : NULL,
        .values = {.type = node->type,
                   .width = wide ? 8 : 4,
                   .count = leaf->value_count,
                   .fixed = wide ? (const uint8_t *)leaf->i64 : (const uint8_t *)leaf->i32},
    };

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    MUST(lith_file_writer_add(writer, &batch, &err));
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(struct lith_spool *spool, const struct test_file *file)
{
    struct lith_file_writer *writer;
    struct lith_arena arena;
    struct lith_schema schema;

    schema_make(file, &arena, &schema);
    lith_spool_init(spool, &mem, &scratch, (size_t)1 << 20);
    MUST(lith_file_writer_new(&spool->sink, &schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, file->rows, &err));
    for (uint32_t i = 0; i < schema.leaf_count; i++)
        chunk_write(writer, lith_schema_leaf(&schema, i), &file->leaves[i]);
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_arena_done(&arena);
}

static struct lith_spool sources_of[3];
static struct lith_memory_source opened[4]; /* the first file stays open beside another */
static size_t opened_next;

static enum lith_code source_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *e)
{
    (void)ctx;
    (void)e;
    struct lith_memory_source *source = &opened[opened_next++ % 4];
    lith_memory_source_init(source, lith_spool_memory(&sources_of[index]),
                            (size_t)sources_of[index].source.size);
    *ret_source = &source->base;
    return LITH_OK;
}

static enum lith_code output_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *e)
{
    return source_open(ctx, index + 2, ret_source, e);
}

static const char *output_name(void *ctx, size_t index)
{
    (void)ctx;
    (void)index;
    return "output";
}

static const char *source_name(void *ctx, size_t index)
{
    (void)ctx;
    return index ? "second" : "first";
}

/* The output with these columns, checked against both sources. */
static enum lith_code check(const struct leaf *leaves, bool sorted,
                            const struct lith_verify_part *parts)
{
    const struct test_file output = {
        .nodes = target_nodes, .node_count = 12, .rows = 6, .leaves = leaves};
    const struct lith_verify_sources sources = {
        .files = {.count = 2, .open = source_open, .name = source_name},
        .parts = parts,
        .part_count = 2,
        .sorted = sorted};
    const struct lith_verify_options options = {
        .level = LITH_VERIFY_DECODE, .sources = &sources, .codecs = codecs, .work = &work};
    struct lith_memory_source source;
    struct lith_spool spool;

    file_write(&spool, &output);
    lith_memory_source_init(&source, lith_spool_memory(&spool), (size_t)spool.source.size);
    enum lith_code code = lith_verify_file(&source.base, &options, &err);
    lith_spool_done(&spool);
    return code;
}

static void sources_write(void)
{
    file_write(&sources_of[0], &(struct test_file){first_nodes, 8, 4, first_leaves});
    file_write(&sources_of[1], &(struct test_file){second_nodes, 6, 2, second_leaves});
}

static void sources_done(void)
{
    lith_spool_done(&sources_of[0]);
    lith_spool_done(&sources_of[1]);
}

static void a_union_passes(void **state)
{
    const struct lith_verify_part parts[] = {{0, LITH_NO_INDEX}, {1, 0}};
    const struct lith_verify_part turned[] = {{1, 0}, {0, 0}};
    const struct lith_verify_part gone[] = {{1, 0}, {0, 1}};

    (void)state;
    sources_write();
    MUST(check(union_leaves, false, NULL));
    MUST(check(union_leaves, true, NULL));
    MUST(check(union_leaves, false, parts));
    MUST(check(union_leaves, true, turned));
    assert_int_equal(check(union_leaves, false, turned), LITH_E_CORRUPT);
    assert_int_equal(check(union_leaves, false, gone), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "first: row group 1 is not there any more"));
    sources_done();
}

/* Mistakes that readers do not notice: nulls at the wrong level. */
static void misplaced_nulls_are_found(void **state)
{
    static const struct {
        uint32_t leaf;
        size_t at;
        uint16_t def;
        const char *text;
    } cases[] = {
        {2, 1, 0, "column \"s.q\""}, /* the struct becomes null */
        {4, 3, 2, "column \"l.list.element.n\""},
        {5, 1, 0, "column \"l.list.element.deep\""},
        {3, 7, 2, "column \"l.list.element.m\""},
    };

    (void)state;
    sources_write();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct leaf leaves[7];
        memcpy(leaves, union_leaves, sizeof(leaves));
        leaves[cases[i].leaf].def[cases[i].at] = cases[i].def;
        assert_int_equal(check(leaves, true, NULL), LITH_E_CORRUPT);
        assert_int_equal(check(leaves, false, NULL), LITH_E_CORRUPT);
        if (!strstr(err.text, cases[i].text))
            fail_msg("%s", err.text);
    }
    sources_done();
}

/* The output is the third file. */
static enum lith_code rows_of(size_t first_of_a, bool *ret_equal)
{
    const struct lith_verify_files inputs = {.count = 2, .open = source_open, .name = source_name};
    const struct lith_verify_files output = {.count = 1, .open = output_open, .name = output_name};
    const struct lith_verify_rows_options options = {.a = first_of_a == 2 ? &output : &inputs,
                                                     .b = first_of_a == 2 ? &inputs : &output,
                                                     .codecs = codecs,
                                                     .work = &work};
    struct lith_rows_sum a;
    struct lith_rows_sum b;

    return lith_verify_rows(&options, ret_equal, &a, &b, &err);
}

static void rows_of_narrower_files(void **state)
{
    const struct test_file output = {
        .nodes = target_nodes, .node_count = 12, .rows = 6, .leaves = union_leaves};
    struct leaf leaves[7];
    struct test_file other = output;
    bool equal;

    (void)state;
    sources_write();
    file_write(&sources_of[2], &output);
    MUST(rows_of(2, &equal));
    assert_true(equal);
    MUST(rows_of(0, &equal)); /* the output's schema is looked for on both sides */
    assert_true(equal);
    lith_spool_done(&sources_of[2]);
    memcpy(leaves, union_leaves, sizeof(leaves));
    leaves[2].def[1] = 0;
    other.leaves = leaves;
    file_write(&sources_of[2], &other);
    MUST(rows_of(2, &equal));
    assert_false(equal);
    lith_spool_done(&sources_of[2]);
    sources_done();
}

static void different_schemas_are_named(void **state)
{
    const struct lith_verify_files both = {.count = 2, .open = source_open, .name = source_name};
    const struct lith_verify_files none = {.count = 0, .open = source_open, .name = source_name};
    const struct lith_verify_rows_options options = {
        .a = &both, .b = &none, .codecs = codecs, .work = &work};
    struct lith_rows_sum a;
    struct lith_rows_sum b;
    bool equal;

    (void)state;
    sources_write();
    assert_int_equal(lith_verify_rows(&options, &equal, &a, &b, &err), LITH_E_INVALID);
    assert_non_null(strstr(err.text, "first and second have different schemas: "));
    sources_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_union_passes),
        cmocka_unit_test(misplaced_nulls_are_found),
        cmocka_unit_test(rows_of_narrower_files),
        cmocka_unit_test(different_schemas_are_named),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
