/*
 * How a merge reads its inputs, and with how many threads: how often each is opened, and that
 * neither shows in the outputs.
 */
#include "parquet_support.h"

#include <signal.h>

#include "merge/merge.h"

#define INPUTS_MAX 3000

static struct lith_err err;
static struct test_tools tools; /* what inputs and outputs lie in */

/* Inputs in memory that count how often they are opened, and how many are open. */
static struct {
    struct lith_opener base;
    struct lith_merge_input inputs[INPUTS_MAX];
    struct lith_spool files[INPUTS_MAX];
    struct {
        struct lith_source base;
        struct lith_source *of;
        bool open;
        unsigned opens;
    } sources[INPUTS_MAX];
    size_t count;
    size_t open;
    size_t open_max;
    unsigned opens_max; /* of one input */
} lake;

static enum lith_code input_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                 struct lith_err *e)
{
    size_t index = (size_t)((uint8_t *)base - (uint8_t *)lake.sources) / sizeof(lake.sources[0]);

    assert_true(lake.sources[index].open);
    return lith_source_read(lake.sources[index].of, offset, to, bytes, e);
}

static void input_close(struct lith_source *base)
{
    size_t index = (size_t)((uint8_t *)base - (uint8_t *)lake.sources) / sizeof(lake.sources[0]);

    assert_true(lake.sources[index].open);
    lake.sources[index].open = false;
    lake.open--;
}

static enum lith_code input_open(struct lith_opener *opener, size_t index,
                                 struct lith_source **ret_source, struct lith_err *e)
{
    static const struct lith_source_ops ops = {.read = input_read, .close = input_close};

    (void)opener;
    (void)e;
    assert_false(lake.sources[index].open);
    lake.sources[index].base = (struct lith_source){.ops = &ops, .size = lake.inputs[index].size};
    lake.sources[index].of = &lake.files[index].source;
    lake.sources[index].open = true;
    lake.sources[index].opens++;
    lake.open++;
    lake.open_max = lake.open > lake.open_max ? lake.open : lake.open_max;
    lake.opens_max =
        lake.sources[index].opens > lake.opens_max ? lake.sources[index].opens : lake.opens_max;
    *ret_source = &lake.sources[index].base;
    return LITH_OK;
}

/* `count` files of `rows` rows each: about 20 bytes a row. */
static void lake_make(size_t count, size_t rows)
{
    memset(&lake, 0, sizeof(lake));
    test_tools_init(&tools);
    lith_mem_init(&tools.mem, (size_t)1 << 30, NULL);
    lake.base.open = input_open;
    lake.count = count;
    for (size_t i = 0; i < count; i++) {
        struct test_parquet file = {.begin = i * rows, .rows = rows, .more = "more"};
        lith_spool_init(&lake.files[i], &tools.mem, &tools.scratch, (size_t)1 << 28);
        test_parquet_rows(&lake.files[i].sink, &file, &tools);
        lake.inputs[i] =
            (struct lith_merge_input){.name = "an input", .size = lake.files[i].source.size};
    }
}

static void lake_done(void)
{
    for (size_t i = 0; i < lake.count; i++)
        lith_spool_done(&lake.files[i]);
    lith_mem_done(&tools.mem);
}

/* How a merge of the lake is done. */
struct way {
    size_t memory;
    size_t open_files_max;
    uint64_t row_group_bytes;
    int64_t row_group_rows;
    const char *scratch;
    uint32_t threads;
    enum lith_force force;
};

static const char *sort_by; /* of merges from now on; NULL: none */

struct outs {
    struct lith_merge_outputs base;
    struct lith_spool file;
    int64_t rows;
};

static enum lith_code out_begin(struct lith_merge_outputs *base, size_t index,
                                struct lith_sink **ret_sink, struct lith_err *e)
{
    struct outs *outs = (struct outs *)base;

    (void)e;
    assert_int_equal(index, 0);
    *ret_sink = &outs->file.sink;
    return LITH_OK;
}

static enum lith_code out_end(struct lith_merge_outputs *base, const struct lith_merge_file *file,
                              struct lith_err *e)
{
    (void)e;
    ((struct outs *)base)->rows = file->rows;
    return LITH_OK;
}

/* Asks the merge to stop at a call of its progress. */
static struct {
    volatile sig_atomic_t flag;
    int calls_left; /* negative: never */
} stop = {.calls_left = -1};

static void progress_take(void *ctx, const struct lith_progress *progress)
{
    (void)ctx;
    assert_true(progress->bytes_done <= progress->bytes_total);
    if (stop.calls_left >= 0 && stop.calls_left-- == 0)
        atomic_store((volatile _Atomic sig_atomic_t *)&stop.flag, 1);
}

static size_t bad_input; /* of the last merge */

static enum lith_code merge_run(const struct way *way, int64_t fail_after, struct outs *outs,
                                size_t *ret_peak)
{
    struct lith_merge_options options = {.row_group_bytes = way->row_group_bytes,
                                         .row_group_rows = way->row_group_rows,
                                         .force = way->force,
                                         .sort_by = sort_by};
    struct lith_control control = {.cancel = &stop.flag, .progress = progress_take};
    struct lith_scratch scratch;
    struct lith_merge *merge = NULL;
    struct lith_mem mem;

    lith_mem_init(&mem, way->memory, NULL);
    lith_scratch_init(&scratch, way->scratch, 0);
    struct lith_work work = {.mem = &mem,
                             .scratch = &scratch,
                             .control = &control,
                             .open_files_max = way->open_files_max,
                             .threads = way->threads};
    lake.opens_max = 0;
    lake.open_max = 0;
    for (size_t i = 0; i < lake.count; i++)
        lake.sources[i].opens = 0;
    *outs = (struct outs){.base = {.begin = out_begin, .end = out_end}};
    lith_spool_init(&outs->file, &tools.mem, &tools.scratch, (size_t)1 << 28);
    atomic_store(&mem.fail_after, fail_after);
    enum lith_code code =
        lith_merge_new(lake.inputs, lake.count, &lake.base, &options, &work, &merge, &err);
    if (code == LITH_OK) {
        code = lith_merge_run(merge, &outs->base, &err);
        bad_input = lith_merge_bad_input(merge);
    }
    lith_merge_free(merge);
    assert_int_equal(lake.open, 0);
    assert_int_equal(scratch.used, 0);
    *ret_peak = atomic_load(&mem.peak);
    lith_mem_done(&mem);
    return code;
}

/* Merges, and wants the bytes that the first way gave. */
static void must_give(const struct way *way, struct outs *expected, size_t number)
{
    struct outs outs;
    size_t peak;

    if (merge_run(way, -1, &outs, &peak) != LITH_OK)
        fail_msg("way %zu: %s", number, err.text);
    assert_true(peak <= way->memory);
    assert_true(lake.open_max <= (way->open_files_max ? way->open_files_max : LITH_OPEN_FILES_MAX));
    if (number == 0) {
        *expected = outs;
        return;
    }
    assert_int_equal(outs.rows, expected->rows);
    assert_int_equal(outs.file.source.size, expected->file.source.size);
    assert_memory_equal(lith_spool_memory(&outs.file), lith_spool_memory(&expected->file),
                        outs.file.source.size);
    lith_spool_done(&outs.file);
}

/* Merges the lake in all ways; row groups are the same in all. */
static void ways_try(const struct way *ways, size_t count, unsigned opens_max)
{
    struct outs expected = {0};

    for (size_t i = 0; i < count; i++) {
        must_give(&ways[i], &expected, i);
        if (lake.opens_max > opens_max)
            fail_msg("way %zu: an input was opened %u times", i, lake.opens_max);
    }
    lith_spool_done(&expected.file);
}

static void many_small_files_are_opened_once(void **state)
{
    static const struct way ways[] = {
        {256u << 20, 0, 1 << 20, 0, "/tmp", 1, LITH_FORCE_NONE},
        {16u << 20, 0, 1 << 20, 0, "/tmp", 1, LITH_FORCE_NONE},
        {16u << 20, 2, 1 << 20, 0, "/tmp", 1, LITH_FORCE_NONE},
        {256u << 20, 0, 1 << 20, 0, "/tmp", 2, LITH_FORCE_NONE},
        {256u << 20, 2, 1 << 20, 0, "/tmp", 4, LITH_FORCE_NONE},
        {64u << 20, 0, 1 << 20, 0, "/tmp", 2, LITH_FORCE_NONE},
        {16u << 20, 0, 1 << 20, 0, "/tmp", 4, LITH_FORCE_NONE},
    };

    (void)state;
    lake_make(INPUTS_MAX, 20);
    ways_try(ways, sizeof(ways) / sizeof(ways[0]), 1);
    lake_done();
}

/* Files of 400 KiB and more, of which some are in an output row group. */
static void mov_5_large_files_are_opened_twice_at_most(void **state)
{
    static const struct way ways[] = {
        {64u << 20, 0, 16u << 20, 0, "/tmp", 1, LITH_FORCE_NONE},
        {64u << 20, 8, 16u << 20, 0, "/tmp", 1,
         LITH_FORCE_NONE}, /* not staged, a row group's files fit */
        {64u << 20, 1, 16u << 20, 0, "/tmp", 1,
         LITH_FORCE_NONE}, /* too many for that: staged by their footers */
        {16u << 20, 20, 16u << 20, 0, "/tmp", 1,
         LITH_FORCE_NONE}, /* larger than what is staged in so little memory */
        {256u << 20, 0, 16u << 20, 0, "/tmp", 2, LITH_FORCE_NONE},
        {256u << 20, 8, 16u << 20, 0, "/tmp", 4, LITH_FORCE_NONE},
        {256u << 20, 2, 16u << 20, 0, "/tmp", 3, LITH_FORCE_NONE},
        {64u << 20, 1, 16u << 20, 0, "/tmp", 2, LITH_FORCE_NONE},
    };

    (void)state;
    lake_make(12, 60000);
    assert_true(lake.inputs[0].size > 512u << 10);
    ways_try(ways, sizeof(ways) / sizeof(ways[0]), 2);
    lake_done();
}

/* Pages, indexes and filters come from what is staged, or from the file: it does not show. */
static void copies_are_the_same_however_read(void **state)
{
    static const struct way ways[] = {
        {64u << 20, 0, 16u << 20, 0, "/tmp", 1, LITH_FORCE_COPY},
        {64u << 20, 8, 16u << 20, 0, "/tmp", 1, LITH_FORCE_COPY},
        {64u << 20, 1, 16u << 20, 0, "/tmp", 1, LITH_FORCE_COPY},
        {16u << 20, 20, 16u << 20, 0, "/tmp", 1, LITH_FORCE_COPY},
        {256u << 20, 0, 16u << 20, 0, "/tmp", 2, LITH_FORCE_COPY},
        {96u << 20, 8, 16u << 20, 0, "/tmp", 3, LITH_FORCE_COPY},
    };

    (void)state;
    lake_make(12, 60000);
    ways_try(ways, sizeof(ways) / sizeof(ways[0]), 2);
    lake_done();
}

static void without_scratch_files_are_opened_again(void **state)
{
    static const struct way ways[] = {
        {256u << 20, 0, 1 << 18, 0, "/tmp", 1, LITH_FORCE_NONE},
        {64u << 20, 3, 1 << 18, 0, "/nonexistent/folder", 2, LITH_FORCE_NONE},
        {16u << 20, 3, 1 << 18, 0, "/nonexistent/folder", 1, LITH_FORCE_NONE},
    };

    (void)state;
    lake_make(INPUTS_MAX, 40);
    ways_try(ways, sizeof(ways) / sizeof(ways[0]), 1000);
    assert_true(lake.opens_max > 2); /* else the case shows nothing */
    lake_done();
}

static void allocations_may_fail(void **state)
{
    static const struct way ways[] = {
        {16u << 20, 2, 1 << 12, 0, "/tmp", 1, LITH_FORCE_RECODE},
        {16u << 20, 2, 1 << 12, 0, "/tmp", 1, LITH_FORCE_COPY},
    };
    struct outs outs;
    size_t peak;

    (void)state;
    lake_make(8, 100);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        enum lith_code code = LITH_E_NOMEM;
        for (int64_t n = 0; code == LITH_E_NOMEM; n += 1 + n / 64) {
            code = merge_run(&ways[i], n, &outs, &peak);
            lith_spool_done(&outs.file);
            assert_true(n < 100000);
        }
        assert_int_equal(code, LITH_OK);
        assert_int_equal(outs.rows, 800);
    }
    lake_done();
}

/* With threads it is not always the same allocation; a merge gives all back, whichever it is, or
 * does without. */
static void allocations_of_threads_may_fail(void **state)
{
    static const struct way ways[] = {
        {96u << 20, 3, 1 << 12, 0, "/tmp", 3, LITH_FORCE_NONE},
        {96u << 20, 4, 1 << 12, 0, "/tmp", 3, LITH_FORCE_NONE},
    };
    struct outs outs;
    size_t peak;

    (void)state;
    lake_make(8, 100);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        sort_by = i ? "template_id" : NULL;
        for (int64_t n = 0; n < 3000; n += 1 + n / 64) {
            enum lith_code code = merge_run(&ways[i], n, &outs, &peak);
            lith_spool_done(&outs.file);
            assert_true(code == LITH_E_NOMEM || (code == LITH_OK && outs.rows == 800));
        }
    }
    sort_by = NULL;
    lake_done();
}

/* Wherever it is asked to, a merge stops, and gives all back. */
static void merges_stop_on_request(void **state)
{
    static const struct way ways[] = {
        {96u << 20, 3, 1 << 12, 0, "/tmp", 1, LITH_FORCE_NONE},
        {96u << 20, 3, 1 << 12, 0, "/tmp", 2, LITH_FORCE_NONE},
        {96u << 20, 3, 1 << 12, 0, "/tmp", 3, LITH_FORCE_NONE},
        {96u << 20, 3, 1 << 12, 0, "/tmp", 1, LITH_FORCE_NONE},
        {96u << 20, 4, 1 << 12, 0, "/tmp", 3, LITH_FORCE_NONE},
    };
    struct outs outs;
    size_t peak;

    (void)state;
    lake_make(8, 100);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        sort_by = i < 3 ? NULL : "template_id";
        for (int calls = 0; calls < 31; calls++) {
            stop.calls_left = calls;
            assert_int_equal(merge_run(&ways[i], -1, &outs, &peak), LITH_E_CANCELLED);
            lith_spool_done(&outs.file);
            stop.flag = 0;
        }
    }
    stop.calls_left = -1;
    sort_by = NULL;
    lake_done();
}

/* Breaks a byte of a page body of column `leaf` of an input: its checksum is wrong then. */
static void input_break(size_t input, uint32_t leaf)
{
    struct lith_spool *file = &lake.files[input];
    struct lith_footer footer;
    struct lith_arena arena;

    lith_arena_init(&arena, &tools.mem);
    MUST(lith_footer_read(&file->source, &arena, &footer, &err));
    const struct lith_chunk_meta *meta = &footer.row_groups[0].chunks[leaf];
    file->memory.data[meta->data_page_offset + meta->total_compressed_size - 1] ^= 1;
    lith_arena_done(&arena);
}

/* Some inputs are bad, the first leaf of them in one: with any number of threads it is the same
 * that is named, for the same column. */
static void failures_must_be_the_same(uint32_t first_leaf)
{
    const struct {
        size_t input;
        uint32_t leaf;
    } bad[] = {{6, first_leaf}, {2, 3}, {7, first_leaf}, {1, 2}};
    static const uint32_t threads[] = {1, 2, 3, 4, 2, 3, 4};
    char text[sizeof(err.text)] = "";
    struct outs outs;
    size_t peak;

    lake_make(8, 5000);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        input_break(bad[i].input, bad[i].leaf);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        struct way way = {256u << 20, 0, 0, 0, "/tmp", threads[i], LITH_FORCE_NONE};
        assert_int_equal(merge_run(&way, -1, &outs, &peak), LITH_E_CORRUPT);
        lith_spool_done(&outs.file);
        assert_int_equal(bad_input, 6);
        if (i == 0)
            memcpy(text, err.text, sizeof(text));
        assert_string_equal(err.text, text);
    }
    lake_done();
}

static void failures_are_the_same_with_threads(void **state)
{
    (void)state;
    failures_must_be_the_same(1);
    sort_by = "template_id";
    failures_must_be_the_same(0);
    sort_by = NULL;
}

/* Rows that are sorted, by keys that are kept and keys that are not, with memory for all and for
 * little. */
static void sorted_rows_are_the_same_with_threads(void **state)
{
    static const struct way ways[][4] = {
        {{256u << 20, 0, 1 << 18, 0, "/tmp", 1, LITH_FORCE_NONE},
         {256u << 20, 0, 1 << 18, 0, "/tmp", 2, LITH_FORCE_NONE},
         {256u << 20, 3, 1 << 18, 0, "/tmp", 4, LITH_FORCE_NONE},
         {256u << 20, 1, 1 << 18, 0, "/tmp", 4, LITH_FORCE_NONE}},
        {{64u << 20, 0, 1 << 18, 0, "/tmp", 1, LITH_FORCE_NONE},
         {64u << 20, 0, 1 << 18, 0, "/tmp", 2, LITH_FORCE_NONE},
         {64u << 20, 3, 1 << 18, 0, "/tmp", 2, LITH_FORCE_NONE},
         {64u << 20, 2, 1 << 18, 0, "/tmp", 4, LITH_FORCE_NONE}},
    };
    static const char *const keys[] = {"template_id", "template_id:desc,word"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(keys) / sizeof(keys[0]); i++) {
        sort_by = keys[i / 2];
        lake_make(8, 20000);
        ways_try(ways[i % 2], 4, 100);
        lake_done();
    }
    sort_by = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_small_files_are_opened_once),
        cmocka_unit_test(mov_5_large_files_are_opened_twice_at_most),
        cmocka_unit_test(copies_are_the_same_however_read),
        cmocka_unit_test(without_scratch_files_are_opened_again),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(allocations_of_threads_may_fail),
        cmocka_unit_test(merges_stop_on_request),
        cmocka_unit_test(failures_are_the_same_with_threads),
        cmocka_unit_test(sorted_rows_are_the_same_with_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
