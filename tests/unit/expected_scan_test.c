/*
 * Values that do not fit, found by decoding: random columns against a plain loop over their rows,
 * one column and two in step; a file of ids that needs no decoding; failing allocations.
 */
#include "support.h"

#include "base/spool.h"
#include "parquet/expected_scan.h"
#include "parquet/file_writer.h"
#include "sample_schema.h"

#define ROWS_MAX 9000u
#define TEXT_BYTES 16u

static const struct sample_node nodes[] = {
    {"schema", 3, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"at", 0, LITH_OPTIONAL, LITH_TYPE_INT64, 0, LITH_CONVERTED_TIMESTAMP_MICROS, 0, 0, 0},
    {"seen", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, LITH_CONVERTED_TIMESTAMP_MICROS, 0, 0, 0},
    {"tenant", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
};
#define BEGIN_US INT64_C(1781517600000000) /* 2026-06-15T10:00:00Z */
#define HOUR_US INT64_C(3600000000)
static const struct lith_expectation hour = {
    .kind = LITH_EXPECT_PERIOD, .begin_ns = BEGIN_US * 1000, .end_ns = (BEGIN_US + HOUR_US) * 1000};
static const struct lith_expectation acme = {.kind = LITH_EXPECT_TEXT, .text = "acme"};

static struct lith_err err;
static const struct lith_control control;
static struct lith_scratch scratch;
static struct lith_mem mem;      /* of the scan */
static struct lith_mem test_mem; /* the test's own */
static struct lith_arena arena;
static struct lith_schema schema;
static struct lith_spool file;
static struct lith_footer footer;
static struct lith_codec_context *codecs;

/* The rows of a test. */
static size_t row_count;
static int64_t numbers[2][ROWS_MAX];
static const char *tenants[ROWS_MAX];
static bool is_null[2][ROWS_MAX]; /* of `at` and `tenant` */

static int setup(void **state)
{
    (void)state;
    lith_scratch_init(&scratch, NULL, 0);
    lith_mem_init(&test_mem, (size_t)1 << 30, NULL);
    lith_mem_init(&mem, 8 << 20, NULL);
    lith_arena_init(&arena, &test_mem);
    lith_spool_init(&file, &test_mem, &scratch, (size_t)1 << 28);
    MUST(sample_schema_build(nodes, 4, &arena, &schema, &err));
    MUST(lith_codec_context_new(&mem, &codecs, &err));
    memset(is_null, 0, sizeof(is_null));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_codec_context_free(codecs);
    lith_spool_done(&file);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    lith_mem_done(&test_mem);
    return 0;
}

static void column_write(struct lith_file_writer *writer, uint32_t leaf, bool dictionary)
{
    struct lith_chunk_plan plan = {
        .codec = LITH_CODEC_SNAPPY, .fallback = LITH_ENCODING_PLAIN, .try_dictionary = dictionary};
    static uint16_t defs[LITH_BATCH_POSITIONS];
    static int64_t fixed[LITH_BATCH_POSITIONS];
    static struct lith_slice slices[LITH_BATCH_POSITIONS];

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (size_t at = 0; at < row_count;) {
        struct lith_batch batch = {
            .values = {.type = leaf == 2 ? LITH_TYPE_BYTE_ARRAY : LITH_TYPE_INT64}};
        size_t value = 0;
        for (; at < row_count && batch.position_count < LITH_BATCH_POSITIONS; at++) {
            bool null = leaf != 1 && is_null[leaf / 2][at];
            defs[batch.position_count++] = !null;
            if (null)
                continue;
            if (leaf == 2)
                slices[value++] = lith_slice_text(tenants[at]);
            else
                fixed[value++] = numbers[leaf][at];
        }
        batch.def_levels = leaf == 1 ? NULL : defs;
        batch.values.count = value;
        batch.values.width = leaf == 2 ? 0 : 8;
        batch.values.fixed = leaf == 2 ? NULL : (const uint8_t *)fixed;
        batch.values.slices = leaf == 2 ? slices : NULL;
        MUST(lith_file_writer_add(writer, &batch, &err));
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(bool dictionary)
{
    struct lith_work work = {.mem = &test_mem, .scratch = &scratch, .control = &control};
    struct lith_codec_context *own;
    struct lith_file_writer *writer;

    lith_spool_clear(&file);
    MUST(lith_codec_context_new(&test_mem, &own, &err));
    MUST(lith_file_writer_new(&file.sink, &schema, own, &work, &writer, &err));
    MUST(lith_file_writer_row_group(writer, (int64_t)row_count, &err));
    for (uint32_t leaf = 0; leaf < 3; leaf++)
        column_write(writer, leaf, dictionary);
    MUST(lith_file_writer_row_group_end(writer, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_codec_context_free(own);
    MUST(lith_footer_read(&file.source, &arena, &footer, &err));
    MUST(lith_schema_normalise(&footer.schema, &arena, &err));
}

static struct lith_work scan_work = {.mem = &mem, .scratch = &scratch, .control = &control};

static enum lith_code scan(const struct lith_expected_columns *columns, uint32_t first,
                           struct lith_misfit *misfit)
{
    struct lith_expected_scan request = {
        .source = &file.source,
        .footer = &footer,
        .columns = *columns,
        .first = first,
        .second = 1,
        .has_nulls = true,
        .codecs = codecs,
        .work = &scan_work,
    };

    return lith_expected_scan(&request, &arena, misfit, &err);
}

static void expected_of(uint32_t leaf, const struct lith_expectation *said, struct lith_expected *e)
{
    assert_true(lith_expected_make(lith_schema_leaf(&schema, leaf), said, e));
}

static int64_t random_moment(uint64_t *seed)
{
    switch (test_random(seed) % 400) {
    case 0:
        return BEGIN_US - 1;
    case 1:
        return BEGIN_US + HOUR_US;
    case 2:
    case 3:
    case 4:
        return 0;
    default:
        return BEGIN_US + (int64_t)(test_random(seed) % 3600) * 1000000;
    }
}

static bool is_in(int64_t moment)
{
    return moment >= BEGIN_US && moment < BEGIN_US + HOUR_US;
}

/* What the rules say of one row; *ret_value: which value is wrong, 0 for none. */
static bool row_fits(size_t row, bool has_first, bool has_second, bool none_fits,
                     int64_t *ret_value)
{
    int64_t first = has_first && !is_null[0][row] ? numbers[0][row] : 0;
    int64_t second = has_second ? numbers[1][row] : 0;
    int64_t moment = first ? first : second;

    *ret_value = moment;
    return moment ? is_in(moment) : none_fits;
}

/* Two columns, one, or the fallback alone, against a loop. */
static void random_moments(void **state)
{
    static const struct {
        bool first;
        bool second;
    } which[] = {{true, true}, {true, false}, {false, true}};
    uint64_t seed = test_seed();
    struct lith_expected at, seen;
    size_t found = 0;
    size_t fit = 0;

    (void)state;
    expected_of(0, &hour, &at);
    expected_of(1, &hour, &seen);
    for (size_t i = 0; i < 300; i++) {
        bool is_clean = i % 3 == 0;
        row_count = 1 + test_random(&seed) % (i % 10 ? 300 : ROWS_MAX);
        for (size_t row = 0; row < row_count; row++) {
            is_null[0][row] = test_random(&seed) % 4 == 0;
            numbers[0][row] = is_clean ? BEGIN_US + (int64_t)row : random_moment(&seed);
            numbers[1][row] = is_clean ? BEGIN_US : random_moment(&seed);
        }
        for (size_t row = 0; row < row_count; row++)
            tenants[row] = "acme";
        file_write(i % 2);
        for (size_t j = 0; j < 3; j++) {
            struct lith_expected_columns columns = {.first = which[j].first ? &at : NULL,
                                                    .second = which[j].second ? &seen : NULL,
                                                    .none_fits = test_random(&seed) % 2};
            struct lith_misfit misfit;
            int64_t wrong = 0;
            size_t row = 0;
            while (row < row_count &&
                   row_fits(row, which[j].first, which[j].second, columns.none_fits, &wrong))
                row++;
            MUST(scan(&columns, 0, &misfit));
            if (misfit.found != (row < row_count))
                fail_msg("case %zu.%zu: row %zu of %zu", i, j, row, row_count);
            /* Of one column a null may be told before a value of its batch. */
            if (misfit.found && wrong && !misfit.is_null)
                assert_int_equal((int64_t)lith_load_u64(misfit.value.data), wrong);
            found += misfit.found;
            fit += !misfit.found;
        }
        lith_arena_done(&arena);
        MUST(sample_schema_build(nodes, 4, &arena, &schema, &err));
    }
    assert_true(found > 50);
    assert_true(fit > 50);
}

/* Texts, as ids and as they are. */
static void random_texts(void **state)
{
    static const char *const words[] = {"acme", "acm", "acme ", "beta", ""};
    uint64_t seed = test_seed();
    struct lith_expected e;
    size_t found = 0;

    (void)state;
    expected_of(2, &acme, &e);
    for (size_t i = 0; i < 300; i++) {
        struct lith_expected_columns columns = {.first = &e, .none_fits = i % 4 == 0};
        struct lith_misfit misfit;
        size_t row = 0;
        row_count = 1 + test_random(&seed) % 500;
        for (size_t j = 0; j < row_count; j++) {
            bool odd = i % 3 && test_random(&seed) % 200 == 0;
            tenants[j] = words[odd ? test_random(&seed) % 5 : 0];
            is_null[1][j] = i % 3 && test_random(&seed) % 200 == 0;
            numbers[0][j] = numbers[1][j] = 0;
        }
        file_write(i % 2);
        while (row < row_count &&
               (is_null[1][row] ? columns.none_fits : strcmp(tenants[row], "acme") == 0))
            row++;
        MUST(scan(&columns, 2, &misfit));
        assert_int_equal(misfit.found, row < row_count);
        found += misfit.found;
        /* A null may be told before a value of its batch. */
        if (misfit.found && !misfit.is_null && columns.none_fits)
            assert_true(lith_slice_equal(misfit.value, lith_slice_text(tenants[row])));
        lith_arena_done(&arena);
        MUST(sample_schema_build(nodes, 4, &arena, &schema, &err));
    }
    assert_true(found > 50);
}

/* Ids of a dictionary that fits are not looked at: damage of their pages is not even seen. */
static void pages_of_ids_are_passed_over(void **state)
{
    struct lith_expected e;
    struct lith_expected_columns columns = {.first = &e, .none_fits = true};
    struct lith_misfit misfit;

    (void)state;
    expected_of(2, &acme, &e);
    row_count = 4000;
    for (size_t i = 0; i < row_count; i++) {
        tenants[i] = "acme";
        numbers[0][i] = numbers[1][i] = (int64_t)i;
        is_null[1][i] = i % 7 == 0;
    }
    file_write(true);
    const struct lith_chunk_meta *meta = &footer.row_groups[0].chunks[2];
    assert_true(meta->dictionary_page_offset > 0);
    uint64_t end = (uint64_t)(meta->dictionary_page_offset + meta->total_compressed_size);
    memset(file.memory.data + end - 8, 0xff, 8);
    MUST(scan(&columns, 2, &misfit));
    assert_false(misfit.found);
    columns.none_fits = false;
    assert_int_equal(scan(&columns, 2, &misfit), LITH_E_CORRUPT);
}

/* The N-th allocation fails, for every N: NOMEM, and nothing is kept. */
static void failing_memory(void **state)
{
    struct lith_expected at, seen, tenant;
    const struct lith_expected_columns pair = {.first = &at, .second = &seen};
    const struct lith_expected_columns single = {.first = &tenant};
    struct lith_misfit misfit;

    (void)state;
    expected_of(0, &hour, &at);
    expected_of(1, &hour, &seen);
    expected_of(2, &acme, &tenant);
    row_count = 5000;
    for (size_t i = 0; i < row_count; i++) {
        tenants[i] = "acme";
        numbers[0][i] = numbers[1][i] = BEGIN_US + (int64_t)i;
    }
    for (unsigned i = 0; i < 4; i++) {
        enum lith_code code = LITH_E_NOMEM;
        int64_t n;
        file_write(i / 2);
        for (n = 0; code != LITH_OK; n++) {
            size_t before = atomic_load(&mem.used);
            assert_true(n < 200);
            atomic_store(&mem.fail_after, n);
            code = scan(i % 2 ? &pair : &single, i % 2 ? 0 : 2, &misfit);
            atomic_store(&mem.fail_after, -1);
            assert_true(code == LITH_OK || code == LITH_E_NOMEM);
            assert_int_equal(atomic_load(&mem.used), before);
        }
        assert_true(n > 1);
        assert_false(misfit.found);
    }
}

static void cancelled(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    static const struct lith_control stopped = {.cancel = &stop};
    struct lith_expected at, seen;
    const struct lith_expected_columns pair = {.first = &at, .second = &seen};
    const struct lith_expected_columns single = {.first = &at};
    struct lith_misfit misfit;

    (void)state;
    expected_of(0, &hour, &at);
    expected_of(1, &hour, &seen);
    row_count = 10;
    for (size_t i = 0; i < row_count; i++) {
        tenants[i] = "acme";
        numbers[0][i] = numbers[1][i] = BEGIN_US;
    }
    file_write(false);
    scan_work.control = &stopped;
    assert_int_equal(scan(&pair, 0, &misfit), LITH_E_CANCELLED);
    assert_int_equal(scan(&single, 0, &misfit), LITH_E_CANCELLED);
    scan_work.control = &control;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_moments), TEST(random_texts), TEST(pages_of_ids_are_passed_over),
        TEST(failing_memory), TEST(cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
