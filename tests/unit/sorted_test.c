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
#define ROWS_MAX 20000

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

static void cells_write(struct lith_file_writer *writer, const int32_t *cells, size_t row_count,
                        unsigned leaf)
{
    static uint16_t def[LITH_BATCH_POSITIONS];
    static int32_t narrow[LITH_BATCH_POSITIONS];
    static uint8_t bytes[LITH_BATCH_POSITIONS];
    static struct lith_slice slices[LITH_BATCH_POSITIONS];
    static double wide[LITH_BATCH_POSITIONS];
    size_t count = 0;

    for (size_t i = 0; i < row_count; i++) {
        def[i] = cells && cells[i] != NULL_HERE;
        if (!def[i])
            continue;
        narrow[count] = cells[i];
        bytes[count] = (uint8_t)(cells[i] + 128);
        slices[count] = (struct lith_slice){&bytes[count], 1};
        wide[count++] = cells[i] == NAN_HERE ? __builtin_nan("") : (double)cells[i];
    }
    struct lith_batch batch = {.position_count = row_count,
                               .def_levels = def,
                               .values = {.type = nodes[leaf + 1].type,
                                          .width = lith_type_width(nodes[leaf + 1].type, 0),
                                          .count = count}};
    if (leaf == 3)
        batch.values.slices = slices;
    else
        batch.values.fixed = leaf == 0 ? (const uint8_t *)narrow : (const uint8_t *)wide;
    MUST(lith_file_writer_add(writer, &batch, &err));
}

static void chunk_write(struct lith_file_writer *writer, const int32_t *cells, size_t row_count,
                        unsigned leaf)
{
    const struct lith_chunk_plan plan = {.fallback = LITH_ENCODING_PLAIN};

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (size_t at = 0; at < row_count; at += LITH_BATCH_POSITIONS) {
        size_t left = row_count - at;
        cells_write(writer, cells ? cells + at : NULL,
                    left < LITH_BATCH_POSITIONS ? left : LITH_BATCH_POSITIONS, leaf);
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(struct lith_spool *spool, const struct lith_schema *schema, const int32_t *a,
                       const int32_t *b, size_t row_count)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)1 << 20);
    MUST(lith_file_writer_new(&spool->sink, schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, (int64_t)row_count, &err));
    chunk_write(writer, a, row_count, 0);
    chunk_write(writer, b, row_count, 1);
    chunk_write(writer, NULL, row_count, 2);
    chunk_write(writer, a, row_count, 3);
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

static enum lith_code check(const int32_t *a, const int32_t *b, size_t row_count,
                            struct lith_sorting_column *sorting, uint32_t count)
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
    file_write(&spool, &schema, a, b, row_count);
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
        enum lith_code code = check(rows->a, rows->b, ROWS, sorting, cases[i / 2].count);
        if (code != (cases[i / 2].holds ? LITH_OK : LITH_E_CORRUPT))
            fail_msg("case %zu: %s", i, code == LITH_OK ? "passed" : err.text);
    }
}

/* Cells of a row, and how they are to stand. */
struct row {
    int32_t cells[2];
};

static struct lith_sorting_column order[2];

static int row_compare(const void *x, const void *y)
{
    const struct row *a = x, *b = y;

    for (uint32_t k = 0; k < 2; k++) {
        int32_t p = a->cells[order[k].column_index], q = b->cells[order[k].column_index];
        int nulls = (p == NULL_HERE) - (q == NULL_HERE);
        int values = (p > q) - (p < q); /* NAN_HERE is the greatest */
        if (nulls)
            return order[k].nulls_first ? -nulls : nulls;
        if (p != NULL_HERE && values)
            return order[k].descending ? -values : values;
    }
    return 0;
}

/* Rows in order, of which some were exchanged, against a comparison of the cells. */
static void many_rows(void **state)
{
    static struct row rows[ROWS_MAX];
    static int32_t a[ROWS_MAX], b[ROWS_MAX];
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 100; round++) {
        size_t count = 1 + test_random(&seed) % ROWS_MAX, wrong = count;
        uint32_t range = test_random(&seed) % 2 ? 60 : 3;
        for (uint32_t k = 0; k < 2; k++)
            order[k] = (struct lith_sorting_column){.column_index = (int32_t)(round % 2 ? k : !k),
                                                    .descending = test_random(&seed) % 2,
                                                    .nulls_first = test_random(&seed) % 2};
        for (size_t i = 0; i < count; i++) {
            uint64_t chance = test_random(&seed) % 50;
            rows[i].cells[0] = chance == 0 ? NULL_HERE : (int32_t)(test_random(&seed) % range) - 9;
            rows[i].cells[1] = chance == 1   ? NULL_HERE
                               : chance == 2 ? NAN_HERE
                                             : (int32_t)(test_random(&seed) % 999) - 99;
        }
        qsort(rows, count, sizeof(rows[0]), row_compare);
        if (test_random(&seed) % 2) {
            size_t i = test_random(&seed) % count, k = test_random(&seed) % count;
            if (count > LITH_BATCH_POSITIONS && round % 4 < 2) { /* across two batches */
                i = LITH_BATCH_POSITIONS;
                k = i - 1;
            }
            struct row row = rows[i];
            rows[i] = rows[k];
            rows[k] = row;
        }
        for (size_t i = count - 1; i > 0; i--)
            wrong = row_compare(&rows[i - 1], &rows[i]) > 0 ? i : wrong;
        for (size_t i = 0; i < count; i++) {
            a[i] = rows[i].cells[0];
            b[i] = rows[i].cells[1];
        }
        char text[40];
        snprintf(text, sizeof(text), "row %zu sorts", wrong);
        enum lith_code code = check(a, b, count, order, 2);
        if (code != (wrong == count ? LITH_OK : LITH_E_CORRUPT) ||
            (code != LITH_OK && !strstr(err.text, text)))
            fail_msg("%zu rows, %s: %s", count, text, code == LITH_OK ? "passed" : err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_are_checked),
                                       cmocka_unit_test(many_rows)};

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
