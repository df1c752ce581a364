/*
 * Key columns of a file, read in step: pages of different sizes, nulls, columns that are not there.
 */
#include "sort_support.h"

#include "parquet/file_writer.h"
#include "sort/key_rows.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, (size_t)16 << 20, NULL);
    lith_scratch_init(&scratch, NULL, 0);
    MUST(lith_codec_context_new(&mem, &codecs, &err));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return 0;
}

/* One column of the table, in batches of up to `batch_rows`; batches that end pages differ from
 * column to column. */
static void column_write(struct lith_file_writer *writer, struct sort_table *table, uint32_t leaf,
                         size_t batch_rows)
{
    const struct lith_chunk_plan plan = {.fallback = LITH_ENCODING_PLAIN};

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (size_t at = 0; at < table->row_count; at += batch_rows) {
        size_t left = table->row_count - at;
        size_t count = left < batch_rows ? left : batch_rows;
        struct lith_key_rows rows = sort_table_rows(table, at, count);
        struct lith_batch batch = {
            .position_count = count,
            .def_levels = rows.columns[leaf].def_levels,
            .values = rows.columns[leaf].values,
        };
        MUST(lith_file_writer_add(writer, &batch, &err));
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(struct lith_spool *spool, struct sort_table *table)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)4 << 20);
    MUST(lith_file_writer_new(&spool->sink, &table->schema, codecs, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, (int64_t)table->row_count, &err));
    for (uint32_t i = 0; i < table->field_count; i++)
        column_write(writer, table, i, 300 + 1000 * i);
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

/* Keys of the table's rows, one after another, against those of the rows that are read. */
static void keys_check(struct sort_table *table, struct lith_key_reader *reader)
{
    struct lith_key_builder found, expected;
    struct lith_key_batch keys, wanted;
    struct lith_key_rows rows;
    size_t row = 0;

    lith_key_builder_init(&found, &table->layout, &mem);
    lith_key_builder_init(&expected, &table->layout, &mem);
    for (;;) {
        MUST(lith_key_reader_next(reader, &rows, &err));
        if (rows.row_count == 0)
            break;
        MUST(lith_key_builder_build(&found, &rows, &keys, &err));
        for (size_t i = 0; i < rows.row_count; i++, row++) {
            struct lith_key_rows one = sort_table_rows(table, row, 1);
            MUST(lith_key_builder_build(&expected, &one, &wanted, &err));
            assert_int_equal(lith_key_compare(lith_key_at(&keys, i), lith_key_at(&wanted, 0)), 0);
        }
    }
    assert_int_equal(row, table->row_count);
    lith_key_builder_done(&found);
    lith_key_builder_done(&expected);
}

/* Reads a file; field `absent` comes from nowhere, and is null in the table too. */
static void file_check(struct sort_table *table, struct lith_spool *spool, uint32_t absent,
                       uint64_t row_count, bool is_whole)
{
    struct lith_key_source sources[FIELDS_MAX] = {0};
    struct lith_key_reader reader;
    struct lith_footer footer;
    struct lith_arena arena;

    lith_arena_init(&arena, &mem);
    MUST(lith_footer_read(&spool->source, &arena, &footer, &err));
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (i == absent)
            continue;
        sources[i].max_def = !table->is_required[i];
        MUST(lith_chunk_reader_open(&spool->source, &footer, 0, i, codecs, &work,
                                    &sources[i].reader, &err));
    }
    lith_key_reader_init(&reader, &table->layout, sources, row_count, &work);
    if (is_whole) {
        keys_check(table, &reader);
    } else {
        struct lith_key_rows rows = {.row_count = 1};
        enum lith_code code = LITH_OK;
        while (code == LITH_OK && rows.row_count)
            code = lith_key_reader_next(&reader, &rows, &err);
        assert_int_equal(code, LITH_E_CORRUPT);
    }
    for (uint32_t i = 0; i < table->field_count; i++)
        lith_chunk_reader_close(sources[i].reader);
    lith_arena_done(&arena);
}

static void columns_in_step(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        const struct sort_type *types[FIELDS_MAX];
        uint32_t fields = 1 + (uint32_t)(test_random(&seed) % FIELDS_MAX);
        uint32_t absent = (uint32_t)(test_random(&seed) % (2 * fields));
        struct lith_spool spool;
        struct sort_table table;
        for (uint32_t k = 0; k < fields; k++)
            types[k] = &sort_types[test_random(&seed) % SORT_TYPE_COUNT];
        sort_table_init(&table, fields, types, 1 + test_random(&seed) % 30000, &seed);
        file_write(&spool, &table);
        if (absent < fields && table.is_required[absent])
            absent = fields;
        for (size_t row = 0; absent < fields && row < table.row_count; row++)
            table.cells[row * fields + absent].is_null = true;
        file_check(&table, &spool, absent, table.row_count, true);
        if (absent != 0) {
            file_check(&table, &spool, absent, table.row_count - 1, false);
            file_check(&table, &spool, absent, table.row_count + 1, false);
        }
        lith_spool_done(&spool);
        sort_table_done(&table);
    }
}

/* Rows of long values come few at a time, a value longer than that alone. */
static void few_long_values_at_a_time(void **state)
{
    enum { COUNT = 64 };
    static uint8_t text[300 << 10];
    struct lith_slice slices[COUNT];
    struct lith_key_layout layout = {.field_count = 1};
    struct lith_key_reader reader;
    struct lith_key_rows rows;
    uint64_t row_count = 0;

    (void)state;
    layout.fields[0] =
        (struct lith_key_field){.order = LITH_ORDER_BYTES, .type = LITH_TYPE_BYTE_ARRAY};
    for (size_t i = 0; i < COUNT; i++)
        slices[i] = (struct lith_slice){text, i == 10 ? sizeof(text) : 100000};
    struct lith_key_source none = {0};
    lith_key_reader_init(&reader, &layout, &none, COUNT, &work);
    reader.bytes_max = 250000;
    reader.left.columns[0].values =
        (struct lith_values){.type = LITH_TYPE_BYTE_ARRAY, .count = COUNT, .slices = slices};
    reader.left_counts[0] = COUNT;
    while (row_count < COUNT) {
        size_t bytes = 0;
        MUST(lith_key_reader_next(&reader, &rows, &err));
        assert_true(rows.row_count > 0);
        for (size_t i = 0; i < rows.row_count; i++)
            bytes += rows.columns[0].values.slices[i].bytes;
        assert_true(bytes <= 250000 || rows.row_count == 1);
        row_count += rows.row_count;
    }
    assert_int_equal(row_count, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_in_step, setup, teardown),
        cmocka_unit_test_setup_teardown(few_long_values_at_a_time, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
