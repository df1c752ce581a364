/*
 * sorting_columns against rows: orders, directions, places of nulls, ties that a second column
 * breaks.
 */
#include "support.h"

#include "parquet/file_writer.h"
#include "verify/sorted.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;

#define NULL_HERE INT32_MIN
#define NAN_HERE INT32_MAX
#define ROWS 6

/* Two optional columns: a is INT32, b DOUBLE; then one without an order, and a as bytes. */
struct rows {
    int32_t a[ROWS];
    int32_t b[ROWS];
};

static struct lith_schema_node nodes[] = {
    {.is_group = true, .child_count = 4, .converted_type = LITH_CONVERTED_NONE},
    {.type = LITH_TYPE_INT32, .repetition = LITH_OPTIONAL, .converted_type = LITH_CONVERTED_NONE},
    {.type = LITH_TYPE_DOUBLE, .repetition = LITH_OPTIONAL, .converted_type = LITH_CONVERTED_NONE},
    {.type = LITH_TYPE_INT96, .repetition = LITH_OPTIONAL, .converted_type = LITH_CONVERTED_NONE},
    {.type = LITH_TYPE_BYTE_ARRAY,
     .repetition = LITH_OPTIONAL,
     .converted_type = LITH_CONVERTED_NONE},
};

static void chunk_write(struct lith_file_writer *writer, const int32_t *cells, unsigned leaf)
{
    const struct lith_chunk_plan plan = {.fallback = LITH_ENCODING_PLAIN};
    uint16_t def[ROWS];
    int32_t narrow[ROWS];
    uint8_t bytes[ROWS];
    struct lith_slice slices[ROWS];
    double wide[ROWS];
    size_t count = 0;

    for (size_t i = 0; i < ROWS; i++) {
        def[i] = cells && cells[i] != NULL_HERE;
        if (!def[i])
            continue;
        narrow[count] = cells[i];
        bytes[count] = (uint8_t)(cells[i] + 128);
        slices[count] = (struct lith_slice){&bytes[count], 1};
        wide[count++] = cells[i] == NAN_HERE ? __builtin_nan("") : (double)cells[i];
    }
    struct lith_batch batch = {.position_count = ROWS,
                               .def_levels = def,
                               .values = {.type = nodes[leaf + 1].type,
                                          .width = lith_type_width(nodes[leaf + 1].type, 0),
                                          .count = count}};
    if (leaf == 3)
        batch.values.slices = slices;
    else
        batch.values.fixed = leaf == 0 ? (const uint8_t *)narrow : (const uint8_t *)wide;
    MUST(lith_file_writer_chunk(writer, &plan, &err));
    MUST(lith_file_writer_add(writer, &batch, &err));
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(struct lith_spool *spool, const struct lith_schema *schema,
                       const struct rows *rows)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)1 << 20);
    MUST(lith_file_writer_new(&spool->sink, schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, ROWS, &err));
    chunk_write(writer, rows->a, 0);
    chunk_write(writer, rows->b, 1);
    chunk_write(writer, NULL, 2);
    chunk_write(writer, rows->a, 3);
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

static enum lith_code check(const struct rows *rows, struct lith_sorting_column *sorting,
                            uint32_t count)
{
    static const char *const names[] = {"root", "a", "b", "c", "d"};
    struct lith_schema schema = {.nodes = nodes, .node_count = 5};
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_memory_source source;
    struct lith_spool spool;

    lith_arena_init(&arena, &mem);
    for (size_t i = 0; i < 5; i++)
        nodes[i].name = lith_slice_text(names[i]);
    MUST(lith_schema_link(&schema, &arena, &err));
    file_write(&spool, &schema, rows);
    lith_memory_source_init(&source, lith_spool_memory(&spool), (size_t)spool.source.size);
    MUST(lith_footer_read(&source.base, &arena, &footer, &err));
    footer.row_groups[0].sorting_columns = sorting;
    footer.row_groups[0].sorting_column_count = count;
    enum lith_code code = lith_sorted_check(&source.base, &footer, 0, codecs, &work, &err);
    lith_spool_done(&spool);
    lith_arena_done(&arena);
    return code;
}

static void orders_are_checked(void **state)
{
    static const struct {
        struct rows rows;
        struct lith_sorting_column sorting[2];
        uint32_t count;
        bool holds;
    } cases[] = {
        {{{1, 2, 2, 3, 4, 5}, {0}}, {{0, false, false}}, 1, true},
        {{{1, 2, 2, 3, 5, 4}, {0}}, {{0, false, false}}, 1, false},
        {{{5, 4, 4, 2, 1, -1}, {0}}, {{0, true, false}}, 1, true},
        {{{5, 4, 4, 2, 3, -1}, {0}}, {{0, true, false}}, 1, false},
        {{{1, 2, 3, 4, NULL_HERE, NULL_HERE}, {0}}, {{0, false, false}}, 1, true},
        {{{1, 2, 3, 4, NULL_HERE, NULL_HERE}, {0}}, {{0, false, true}}, 1, false},
        {{{NULL_HERE, 1, 2, 3, 4, 5}, {0}}, {{0, false, true}}, 1, true},
        {{{NULL_HERE, 5, 4, 3, 2, 1}, {0}}, {{0, true, true}}, 1, true},
        {{{5, 4, 3, 2, 1, NULL_HERE}, {0}}, {{0, true, true}}, 1, false},
        {{{1, NULL_HERE, 2, 3, 4, 5}, {0}}, {{0, false, false}}, 1, false},
        {{{0}, {-3, -1, 0, 7, 9, NAN_HERE}}, {{1, false, false}}, 1, true},
        {{{0}, {-3, -1, 0, 7, NAN_HERE, 9}}, {{1, false, false}}, 1, false},
        {{{1, 1, 1, 2, 2, 3}, {5, 6, 7, 1, 2, 0}}, {{0, false, false}, {1, false, false}}, 2, true},
        {{{1, 1, 1, 2, 2, 3}, {5, 6, 7, 1, 0, 0}},
         {{0, false, false}, {1, false, false}},
         2,
         false},
        {{{1, 1, 1, 2, 2, 3}, {7, 6, 5, 2, 1, 9}}, {{0, false, false}, {1, true, false}}, 2, true},
        {{{0}, {0}}, {{2, false, false}}, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const struct rows *rows = &cases[i / 2].rows;
        struct lith_sorting_column sorting[2] = {cases[i / 2].sorting[0], cases[i / 2].sorting[1]};
        if (i % 2 && sorting[0].column_index == 0)
            sorting[0].column_index = 3; /* the same as bytes, which are compared row by row */
        enum lith_code code = check(rows, sorting, cases[i / 2].count);
        if (code != (cases[i / 2].holds ? LITH_OK : LITH_E_CORRUPT))
            fail_msg("case %zu: %s", i, code == LITH_OK ? "passed" : err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_are_checked)};

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
