/*
 * Pages of nulls read back by the chunk reader, and the rule of the sibling against records that
 * are taken apart by the definition of levels.
 */
#include "support.h"

#include "base/hash.h"
#include "base/limits.h"
#include "parquet/chunk_reader.h"
#include "parquet/metadata_write.h"
#include "parquet/null_page.h"

static struct lith_mem mem;
static struct lith_codec_context *context;
static struct lith_err err;

static int set_up(void **state)
{
    (void)state;
    lith_mem_init(&mem, 256 * LITH_MIB, NULL);
    return lith_codec_context_new(&mem, &context, &err) != LITH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    lith_codec_context_free(context);
    lith_mem_done(&mem);
    return 0;
}

/* The page as a file's only chunk: its levels, by the reader; it has no values. */
static void expect_page(const struct lith_page_header *header, struct lith_slice body, int codec,
                        const struct lith_schema_node *leaf, const struct lith_levels *expected,
                        int64_t rows)
{
    struct lith_schema_node nodes[2] = {{.is_group = true, .child_count = 1}, *leaf};
    uint32_t leaves[1] = {1};
    struct lith_chunk_meta meta = {
        .codec = codec, .num_values = (int64_t)expected->count, .data_page_offset = 4};
    struct lith_schema schema = {nodes, 2, leaves, 1};
    struct lith_chunk_ref ref = {.schema = &schema, .num_rows = rows, .meta = &meta};
    struct lith_memory_source source;
    struct lith_scratch scratch;
    struct lith_control control = {0};
    struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    struct lith_chunk_reader *reader;
    struct lith_batch batch = {0};
    LITH_AUTO(buf) struct lith_buf file;
    size_t at = 0;

    lith_scratch_init(&scratch, "/tmp", 0);
    lith_buf_init(&file, &mem, INT32_MAX);
    MUST(lith_buf_append(&file, "PAR1", 4, &err));
    MUST(lith_page_header_write(header, &file, &err));
    MUST(lith_buf_append(&file, body.data, body.bytes, &err));
    meta.total_compressed_size = (int64_t)file.bytes - 4;
    ref.footer_offset = file.bytes;
    lith_memory_source_init(&source, file.data, file.bytes);
    MUST(lith_chunk_reader_open_ref(&source.base, &ref, context, &work, &reader, &err));
    do {
        MUST(lith_chunk_reader_next(reader, &batch, &err));
        assert_int_equal(batch.values.count, 0);
        for (size_t i = 0; i < batch.position_count; i++) {
            assert_int_equal(batch.def_levels[i], expected->def_levels[at + i]);
            if (leaf->max_rep)
                assert_int_equal(batch.rep_levels[i],
                                 expected->rep_levels ? expected->rep_levels[at + i] : 0);
        }
        at += batch.position_count;
    } while (batch.position_count > 0);
    assert_int_equal(at, expected->count);
    lith_chunk_reader_close(reader);
}

static struct lith_schema_node leaf_of(uint16_t max_def, uint16_t max_rep)
{
    return (struct lith_schema_node){.name = lith_slice_text("x"),
                                     .type = LITH_TYPE_INT64,
                                     .max_def = max_def,
                                     .max_rep = max_rep,
                                     .depth = 1};
}

static void pages(void **state)
{
    static const struct {
        uint16_t max_def;
        uint16_t max_rep;
        uint16_t level;
    } leaves[] = {{1, 0, 0}, {3, 0, 0}, {3, 0, 2}, {3, 1, 0}, {3, 2, 1}, {300, 299, 299}};
    static const uint32_t counts[] = {1, 8, 100, 20000, 1u << 20};
    static uint16_t def[1u << 20];

    (void)state;
    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++) {
        for (size_t l = 0; l < sizeof(leaves) / sizeof(leaves[0]); l++) {
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
                struct lith_schema_node leaf = leaf_of(leaves[l].max_def, leaves[l].max_rep);
                struct lith_levels levels = {NULL, def, counts[c]};
                struct lith_page_header header;
                LITH_AUTO(buf) struct lith_buf body;
                lith_buf_init(&body, &mem, INT32_MAX);
                if (!lith_codec_writable((enum lith_codec)codec)) {
                    assert_int_equal(lith_null_page_run(context, (enum lith_codec)codec, &leaf, 1,
                                                        0, &body, &header, &err),
                                     LITH_E_UNSUPPORTED);
                    continue;
                }
                for (uint32_t i = 0; i < counts[c]; i++)
                    def[i] = leaves[l].level;
                MUST(lith_null_page_run(context, (enum lith_codec)codec, &leaf, counts[c],
                                        leaves[l].level, &body, &header, &err));
                expect_page(&header, (struct lith_slice){body.data, body.bytes}, codec, &leaf,
                            &levels, counts[c]);
                assert_int_equal(header.crc, lith_crc32(0, body.data, body.bytes));
            }
        }
    }
}

/*
 * optional group s { optional int a; optional group b (LIST) { repeated list { optional e } } }
 * in records: s null; s {a null, b null}; s {a 1, b []}; s {a 2, b [null]}; s {a 3, b [4, null,
 * 5]}. D(s) = 1, D(a) = 2, D(b) = 2, D(e) = 4.
 */
static void siblings_of_a_struct(void **state)
{
    static const uint16_t a_def[] = {0, 1, 2, 2, 2};
    static const uint16_t e_rep[] = {0, 0, 0, 0, 0, 1, 1};
    static const uint16_t e_def[] = {0, 1, 2, 3, 4, 3, 4};
    static const uint16_t wanted[] = {0, 1, 1, 1, 1};
    uint16_t rep[8], def[8];

    (void)state;
    memset(rep, 0xff, sizeof(rep));
    struct lith_levels a = {NULL, a_def, 5};
    assert_int_equal(lith_levels_clip(&a, 0, 1, rep, def), 5);
    assert_memory_equal(def, wanted, sizeof(wanted));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rep[i], 0);
    struct lith_levels e = {e_rep, e_def, 7};
    assert_int_equal(lith_levels_clip(&e, 0, 1, NULL, def), 5);
    assert_memory_equal(def, wanted, sizeof(wanted));
    /* A child of the list's repeated group: one position per element. */
    static const uint16_t in_list[] = {0, 1, 2, 3, 3, 3, 3};
    assert_int_equal(lith_levels_clip(&e, 1, 3, rep, def), 7);
    assert_memory_equal(def, in_list, sizeof(in_list));
    assert_memory_equal(rep, e_rep, sizeof(e_rep));
    /* In place, and nothing to do. */
    memcpy(rep, e_rep, sizeof(e_rep));
    memcpy(def, e_def, sizeof(e_def));
    struct lith_levels same = {rep, def, 7};
    assert_int_equal(lith_levels_clip(&same, 0, 1, rep, def), 5);
    assert_memory_equal(def, wanted, sizeof(wanted));
    same.count = 0;
    assert_int_equal(lith_levels_clip(&same, 0, 1, rep, def), 0);
}

/* Batches may be cut anywhere. */
static void cuts(void **state)
{
    uint16_t rep[200], def[200], whole_rep[200], whole_def[200], cut_rep[200], cut_def[200];
    uint64_t random = test_seed();

    (void)state;
    for (size_t i = 0; i < 200; i++) {
        rep[i] = (uint16_t)(test_random(&random) % 4);
        def[i] = (uint16_t)(test_random(&random) % 6);
    }
    struct lith_levels all = {rep, def, 200};
    size_t count = lith_levels_clip(&all, 1, 2, whole_rep, whole_def);
    for (size_t cut = 0; cut <= 200; cut++) {
        struct lith_levels first = {rep, def, cut};
        struct lith_levels second = {rep + cut, def + cut, 200 - cut};
        size_t half = lith_levels_clip(&first, 1, 2, cut_rep, cut_def);
        half += lith_levels_clip(&second, 1, 2, cut_rep + half, cut_def + half);
        assert_int_equal(half, count);
        assert_memory_equal(cut_rep, whole_rep, count * sizeof(uint16_t));
        assert_memory_equal(cut_def, whole_def, count * sizeof(uint16_t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),
        cmocka_unit_test(siblings_of_a_struct),
        cmocka_unit_test(cuts),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
