/*
 * What is gathered goes into a file as it is: written, witnessed, read back, compared with rows
 * moved one by one.
 */
#include "deal_support.h"

#include "parquet/file_writer.h"
#include "parquet/witness.h"
#include "sample_schema.h"
#include "sort/gather.h"

#define BUCKETS 6

static const struct sample_node nodes[] = {
    {"schema", 4, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"id", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
    {"x", 0, LITH_OPTIONAL, LITH_TYPE_DOUBLE, 0, -1, 0, 0, 0},
    {"words", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, LITH_CONVERTED_LIST, 0, 0, 0},
    {"list", 1, LITH_REPEATED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"element", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
    {"name", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
};

struct file_test {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct lith_arena arena;
    struct lith_schema schema;
    struct lith_codec_context *codecs;
    struct model model;
    struct lith_recipe recipe;
    uint64_t borders[BUCKETS + 1];
    struct lith_deal_unit units[MODEL_UNITS_MAX];
    struct lith_deal_span span;
    struct lith_spool file;
    struct lith_witness witness;
};

static void file_test_init(struct file_test *t, uint64_t *seed)
{
    struct lith_err err;

    lith_mem_init(&t->mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&t->scratch, "/tmp", 0);
    t->work = (struct lith_work){.mem = &t->mem, .scratch = &t->scratch, .control = &t->control};
    lith_arena_init(&t->arena, &t->mem);
    MUST(sample_schema_build(nodes, sizeof(nodes) / sizeof(nodes[0]), &t->arena, &t->schema, &err));
    MUST(lith_codec_context_new(&t->mem, &t->codecs, &err));
    model_init(&t->model, 8000, seed);
    for (uint32_t i = 0; i < t->schema.leaf_count; i++) {
        const struct lith_schema_node *leaf = lith_schema_leaf(&t->schema, i);
        struct model_shape shape = {leaf->type, leaf->type_length, leaf->max_def, leaf->max_rep};
        model_leaf_add(&t->model, &shape, seed);
    }
    model_recipe(&t->model, &t->work, 0, &t->recipe);
    model_units(&t->model, t->units);
    model_borders(&t->model, BUCKETS, t->borders);
    t->span = (struct lith_deal_span){.work = &t->work,
                                      .recipe = &t->recipe,
                                      .borders = t->borders,
                                      .bucket_count = BUCKETS,
                                      .unit_count = t->model.unit_count,
                                      .units = t->units,
                                      .leaf_count = t->schema.leaf_count,
                                      .memory_bytes_max = 1 << 20};
    lith_spool_init(&t->file, &t->mem, &t->scratch, 32 << 20);
    lith_witness_init(&t->witness, &t->work, t->schema.leaf_count);
}

static void file_test_done(struct file_test *t)
{
    lith_witness_done(&t->witness);
    lith_spool_done(&t->file);
    lith_recipe_done(&t->recipe);
    model_done(&t->model);
    lith_codec_context_free(t->codecs);
    lith_arena_done(&t->arena);
    lith_mem_done(&t->mem);
}

static void leaves_deal(struct file_test *t, struct lith_deal *deal)
{
    struct lith_err err;

    for (uint32_t leaf = 0; leaf < t->schema.leaf_count; leaf++) {
        MUST(lith_deal_leaf(deal, lith_schema_leaf(&t->schema, leaf), &err));
        for (uint32_t unit = 0; unit < t->model.unit_count; unit++) {
            const struct model_chunk *chunk = &t->model.chunks[leaf][unit];
            if (lith_deal_rows(deal, unit) == 0)
                continue;
            MUST(lith_deal_unit(deal, unit, &err));
            for (size_t at = 0, value = 0; at < chunk->position_count;) {
                size_t left = chunk->position_count - at;
                size_t end = at + (left < LITH_BATCH_POSITIONS ? left : LITH_BATCH_POSITIONS);
                struct lith_batch batch =
                    model_batch(&t->model.leaves[leaf], chunk, at, end, value);
                MUST(lith_deal_add(deal, &batch, &err));
                value += batch.values.count;
                at = end;
            }
            MUST(lith_deal_unit_end(deal, &err));
        }
        MUST(lith_deal_leaf_end(deal, &err));
    }
}

/* One row group of buckets [begin, end), column by column. */
static void row_group_write(struct file_test *t, struct lith_deal *deal,
                            struct lith_file_writer *writer, uint32_t begin, uint32_t end)
{
    struct lith_chunk_plan plan = {
        .codec = LITH_CODEC_SNAPPY, .fallback = LITH_ENCODING_PLAIN, .try_dictionary = true};
    struct lith_bucket_order orders[BUCKETS];
    struct lith_gather *gather;
    struct lith_batch batch;
    struct lith_err err;
    uint64_t rows = t->borders[end] - t->borders[begin];

    MUST(lith_gather_new(deal, begin ? 1 << 20 : 100 << 10, &gather, &err));
    for (uint32_t i = begin; i < end; i++)
        MUST(lith_bucket_order_find(&t->span, i, &orders[i], &err));
    MUST(lith_file_writer_row_group(writer, (int64_t)rows, &err));
    for (uint32_t leaf = 0; leaf < t->schema.leaf_count; leaf++) {
        MUST(lith_file_writer_chunk(writer, &plan, &err));
        lith_witness_chunk_begin(&t->witness, lith_schema_leaf(&t->schema, leaf));
        for (uint32_t i = begin; i < end; i++) {
            MUST(lith_gather_begin(gather, leaf, &orders[i], &err));
            for (;;) {
                MUST(lith_gather_next(gather, &batch, &err));
                if (batch.position_count == 0)
                    break;
                MUST(lith_witness_decoded(&t->witness, &batch, &err));
                MUST(lith_file_writer_add(writer, &batch, &err));
            }
        }
        MUST(lith_witness_chunk_end(&t->witness, rows, &err));
        MUST(lith_file_writer_chunk_end(writer, &err));
    }
    MUST(lith_file_writer_row_group_end(writer, &err));
    for (uint32_t i = begin; i < end; i++)
        lith_bucket_order_done(&orders[i]);
    lith_gather_free(gather);
}

static void file_compare(struct file_test *t)
{
    struct lith_chunk_reader *reader;
    struct lith_footer footer;
    struct lith_batch batch;
    struct lith_err err;

    MUST(lith_footer_read(&t->file.source, &t->arena, &footer, &err));
    assert_int_equal(footer.row_group_count, 2);
    for (uint32_t leaf = 0; leaf < t->schema.leaf_count; leaf++) {
        struct model_cursor cursor = {.row = 0};
        for (uint32_t group = 0; group < 2; group++) {
            MUST(lith_chunk_reader_open(&t->file.source, &footer, group, leaf, t->codecs, &t->work,
                                        &reader, &err));
            do {
                MUST(lith_chunk_reader_next(reader, &batch, &err));
                model_compare(&t->model, leaf, &cursor, &batch);
            } while (batch.position_count);
            lith_chunk_reader_close(reader);
        }
        assert_int_equal(cursor.row, t->model.row_count);
    }
}

static void test_file(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 6; round++) {
        static struct file_test t;
        struct lith_file_writer *writer;
        struct lith_deal *deal;
        struct lith_err err;
        bool is_made = false;
        do {
            if (is_made)
                file_test_done(&t);
            memset(&t, 0, sizeof(t));
            file_test_init(&t, &seed);
            is_made = true;
        } while (t.model.row_count < BUCKETS);
        MUST(lith_deal_new(&t.span, &deal, &err));
        leaves_deal(&t, deal);
        MUST(lith_file_writer_new(&t.file.sink, &t.schema, t.codecs, &t.work, &writer, &err));
        row_group_write(&t, deal, writer, 0, 2);
        row_group_write(&t, deal, writer, 2, BUCKETS);
        MUST(lith_file_writer_finish(writer, NULL, 0, &err));
        lith_file_writer_free(writer);
        lith_deal_free(deal);
        file_compare(&t);
        file_test_done(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_file)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
