/*
 * Column runs: what was added unit by unit comes back column by column, wherever it lay meanwhile.
 */
#include "support.h"

#include "merge/column_runs.h"
#include "sample_schema.h"

#define UNITS 300
#define LEAVES 4

static const struct sample_node nodes[] = {
    {"root", 4, 0, 0, 0, LITH_CONVERTED_NONE, 0, 0, 0},
    {"a", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, LITH_CONVERTED_NONE, 0, 0, 0},
    {"b", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
    {"c", 0, LITH_REPEATED, LITH_TYPE_INT32, 0, LITH_CONVERTED_NONE, 0, 0, 0},
    {"d", 0, LITH_OPTIONAL, LITH_TYPE_DOUBLE, 0, LITH_CONVERTED_NONE, 0, 0, 0},
};

/* An input of one row group; what it says is made up, but may be believed. */
struct unit {
    struct lith_footer footer;
    struct lith_row_group group;
    struct lith_memory_source file;
    bool is_read; /* whole, so that it can be staged */
    bool cut;     /* an output row group begins with it */
};

static struct lith_err err;
static struct lith_arena arena; /* of what the units are made of */
static struct lith_schema schema;
static struct unit units[UNITS];
static char folder[64];
static int folder_fd;

static void *make(size_t bytes)
{
    void *block;

    MUST(lith_arena_alloc(&arena, bytes, &block, &err));
    return block;
}

static struct lith_slice made_up(size_t bytes, uint8_t fill)
{
    uint8_t *data = make(bytes + 1);

    memset(data, fill, bytes);
    return (struct lith_slice){data, bytes};
}

/* Where the next part of a file goes. */
static int64_t place(uint64_t *at, uint64_t bytes)
{
    uint64_t begin = *at;

    *at += bytes;
    return (int64_t)begin;
}

static void statistics_make(struct lith_chunk_meta *meta, uint32_t leaf, uint64_t *seed)
{
    struct lith_statistics *statistics = &meta->statistics;
    static const size_t widths[LEAVES] = {8, 0, 4, 8};
    size_t bytes = widths[leaf];

    if (leaf == 1)
        bytes = test_random(seed) % 8 == 0 ? 5000 : test_random(seed) % 30;
    if (test_random(seed) % 4) {
        statistics->min_value = made_up(bytes, 0x10);
        statistics->max_value = made_up(bytes, 0x20);
        statistics->min_exact = test_random(seed) % 2;
        statistics->max_exact = test_random(seed) % 2;
    }
    statistics->has_null_count = leaf != 0 && test_random(seed) % 4;
    statistics->null_count = (int64_t)(test_random(seed) % (uint64_t)(meta->num_values + 1));
    if (leaf == 2 && test_random(seed) % 2) {
        int64_t *rep = make(2 * sizeof(int64_t));
        int64_t *def = make(2 * sizeof(int64_t));
        rep[0] = def[0] = statistics->has_null_count ? statistics->null_count : 0;
        rep[1] = def[1] = meta->num_values - rep[0];
        meta->size_statistics = (struct lith_size_statistics){
            .present = true, .rep_histogram = rep, .def_histogram = def};
    }
    if (leaf == 1 && test_random(seed) % 2) {
        meta->size_statistics.present = meta->size_statistics.has_unencoded_bytes = true;
        meta->size_statistics.unencoded_bytes = (int64_t)(test_random(seed) % 1000);
    }
}

static void chunk_make(struct lith_chunk_meta *meta, uint32_t leaf, uint64_t *at, uint64_t *seed)
{
    uint64_t bytes = 20 + test_random(seed) % (leaf == 1 ? 20000 : 2000);

    *meta = (struct lith_chunk_meta){
        .codec = (int)(test_random(seed) % 5),
        .num_values = (int64_t)(test_random(seed) % 1000),
        .total_uncompressed_size = (int64_t)(test_random(seed) % 100000),
        .total_compressed_size = (int64_t)bytes,
        .encodings = (uint32_t)(test_random(seed) % 512),
    };
    meta->data_page_offset = place(at, bytes);
    if (test_random(seed) % 2) {
        meta->dictionary_page_offset = meta->data_page_offset;
        meta->data_page_offset += 10;
    }
    if (test_random(seed) % 2) {
        struct lith_encoding_stat *stats = make(3 * sizeof(*stats));
        stats[0] = (struct lith_encoding_stat){LITH_PAGE_DICTIONARY, LITH_ENCODING_PLAIN, 1};
        stats[1] = (struct lith_encoding_stat){LITH_PAGE_DATA, LITH_ENCODING_PLAIN, 1};
        stats[2] = (struct lith_encoding_stat){LITH_PAGE_DATA_V2, LITH_ENCODING_RLE_DICTIONARY,
                                               (int32_t)(test_random(seed) % 3)};
        meta->encoding_stats = stats;
        meta->encoding_stat_count = 3;
    }
    statistics_make(meta, leaf, seed);
}

static void extras_make(struct lith_chunk_meta *meta, uint64_t *at, uint64_t *seed)
{
    if (test_random(seed) % 2) {
        meta->offset_index_length = (int32_t)(1 + test_random(seed) % 50);
        meta->offset_index_offset = place(at, (uint64_t)meta->offset_index_length);
        meta->column_index_length = (int32_t)(1 + test_random(seed) % 50);
        meta->column_index_offset = place(at, (uint64_t)meta->column_index_length);
    }
    if (test_random(seed) % 2) {
        meta->bloom_filter_length = (int32_t)(test_random(seed) % 50); /* 0: not known */
        meta->bloom_filter_offset = place(at, (uint64_t)meta->bloom_filter_length + 1);
    }
}

static void unit_make(struct unit *unit, uint64_t *seed)
{
    uint64_t at = 4;

    unit->group = (struct lith_row_group){.chunks = make(LEAVES * sizeof(struct lith_chunk_meta))};
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
        chunk_make(&unit->group.chunks[leaf], leaf, &at, seed);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
        extras_make(&unit->group.chunks[leaf], &at, seed);
    unit->footer = (struct lith_footer){
        .schema = schema,
        .row_groups = &unit->group,
        .row_group_count = 1,
        .footer_offset = at,
        .created_by = lith_slice_text("a writer version 1.0.0"),
        .column_orders = make(LEAVES),
    };
    memset(unit->footer.column_orders, LITH_ORDER_TYPE, LEAVES);
    uint8_t *file = make(at);
    for (uint64_t i = 0; i < at; i++)
        file[i] = (uint8_t)test_random(seed);
    lith_memory_source_init(&unit->file, file, at);
    unit->is_read = test_random(seed) % 8 != 0;
    unit->cut = test_random(seed) % 70 == 0;
}

static int setup(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    lith_arena_init(&arena, lith_mem_root());
    MUST(sample_schema_build(nodes, LEAVES + 1, &arena, &schema, &err));
    for (size_t i = 0; i < UNITS; i++)
        unit_make(&units[i], &seed);
    units[0].cut = true;
    test_folder_make(folder, &folder_fd);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    test_folder_remove(folder, folder_fd);
    lith_arena_done(&arena);
    return 0;
}

/* A budget, scratch and the runs in it. */
struct place {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct lith_column_runs runs;
};

static void place_init(struct place *p, size_t memory, const char *scratch, uint64_t scratch_max)
{
    *p = (struct place){0};
    lith_mem_init(&p->mem, memory, NULL);
    lith_scratch_init(&p->scratch, scratch, scratch_max);
    p->work = (struct lith_work){.mem = &p->mem, .scratch = &p->scratch, .control = &p->control};
    lith_column_runs_init(&p->runs, &p->work, LEAVES);
}

static void place_done(struct place *p)
{
    lith_column_runs_done(&p->runs);
    lith_mem_done(&p->mem);
    assert_int_equal(p->scratch.used, 0);
}

static enum lith_code units_add(struct place *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (units[i].cut)
            LITH_TRY(lith_column_runs_cut(&p->runs, &err));
        LITH_TRY(lith_column_runs_add(&p->runs, &units[i].footer, 0, NULL,
                                      units[i].is_read ? &units[i].file.base : NULL, &err));
    }
    return lith_column_runs_finish(&p->runs, &err);
}

static void assert_slice(struct lith_slice slice, struct lith_slice expected)
{
    assert_int_equal(slice.bytes, expected.bytes);
    if (expected.bytes)
        assert_memory_equal(slice.data, expected.data, expected.bytes);
}

static void assert_meta(const struct lith_chunk_meta *meta, const struct lith_chunk_meta *expected)
{
    struct lith_chunk_meta want = *expected;

    want.statistics = (struct lith_statistics){0};
    want.size_statistics = (struct lith_size_statistics){0};
    want.encoding_stats = NULL;
    want.encoding_stat_count = 0;
    assert_memory_equal(meta, &want, sizeof(want));
}

static void assert_facts(const struct lith_facts *facts, const struct unit *unit, uint32_t leaf)
{
    const struct lith_schema_node *node = lith_schema_leaf(&schema, leaf);
    struct lith_facts want;
    struct lith_arena local;

    lith_arena_init(&local, lith_mem_root());
    MUST(lith_facts_of_chunk(&unit->footer, 0, leaf, &local, &want, &err));
    if (want.min.bytes > LITH_STATISTICS_BYTES_MAX)
        want.has_bounds = want.min_exact = want.max_exact = false;
    assert_int_equal(facts->positions, want.positions);
    assert_int_equal(facts->has_null_count, want.has_null_count);
    assert_int_equal(facts->has_nan_count, want.has_nan_count);
    assert_int_equal(facts->has_bounds, want.has_bounds);
    assert_int_equal(facts->is_all_null, want.is_all_null);
    assert_int_equal(facts->is_fixed, want.is_fixed);
    assert_int_equal(facts->min_exact, want.min_exact);
    assert_int_equal(facts->max_exact, want.max_exact);
    if (want.has_null_count)
        assert_int_equal(facts->null_count, want.null_count);
    if (want.has_nan_count)
        assert_int_equal(facts->nan_count, want.nan_count);
    assert_int_equal(facts->unencoded_bytes, want.unencoded_bytes);
    assert_int_equal(!facts->rep_histogram, !want.rep_histogram);
    assert_int_equal(!facts->def_histogram, !want.def_histogram);
    if (want.rep_histogram)
        assert_memory_equal(facts->rep_histogram, want.rep_histogram, (node->max_rep + 1u) * 8);
    if (want.def_histogram)
        assert_memory_equal(facts->def_histogram, want.def_histogram, (node->max_def + 1u) * 8);
    if (want.has_bounds) {
        assert_slice(facts->min, want.min);
        assert_slice(facts->max, want.max);
    }
    lith_arena_done(&local);
}

static struct lith_slice slice_of(const struct unit *unit, int64_t offset, int64_t bytes)
{
    if (offset == 0 || bytes == 0)
        return (struct lith_slice){0};
    return (struct lith_slice){unit->file.data + offset, (size_t)bytes};
}

static void assert_chunk(const struct lith_source_chunk *chunk, size_t index, uint32_t leaf)
{
    const struct unit *unit = &units[index];
    const struct lith_chunk_meta *meta = &unit->group.chunks[leaf];
    uint32_t pages = 0;

    assert_int_equal(chunk->unit, index);
    assert_meta(&chunk->meta, meta);
    assert_facts(&chunk->facts, unit, leaf);
    if (meta->encoding_stats)
        pages = 1 + (uint32_t)meta->encoding_stats[2].count;
    assert_int_equal(chunk->data_page_count, pages);
    assert_int_equal(chunk->plain_page_count, pages ? 1 : 0);
    int64_t start =
        meta->dictionary_page_offset ? meta->dictionary_page_offset : meta->data_page_offset;
    assert_int_equal(chunk->pages_offset, start);
    if (!chunk->is_staged) {
        assert_int_equal(lith_source_chunk_staged_bytes(chunk), 0);
        return;
    }
    assert_true(unit->is_read);
    assert_slice(chunk->pages, slice_of(unit, start, meta->total_compressed_size));
    assert_slice(chunk->bloom_filter,
                 slice_of(unit, meta->bloom_filter_offset, meta->bloom_filter_length));
    assert_slice(chunk->offset_index, slice_of(unit, pages == 1 ? 0 : meta->offset_index_offset,
                                               meta->offset_index_length));
    assert_slice(chunk->column_index, slice_of(unit, pages == 1 ? 0 : meta->column_index_offset,
                                               meta->column_index_length));
}

/* Walks every leaf over every output row group; how many chunks were staged. */
static enum lith_code units_walk(struct place *p, size_t count, size_t *ret_staged)
{
    struct lith_run_cursor cursor;
    struct lith_source_chunk chunk;
    size_t staged = 0;
    bool end = false;

    lith_run_cursor_init(&cursor, &p->runs);
    enum lith_code code = LITH_OK;
    for (size_t begin = 0; begin < count && code == LITH_OK;) {
        size_t stop = begin + 1;
        while (stop < count && !units[stop].cut)
            stop++;
        for (uint32_t leaf = 0; leaf < LEAVES && code == LITH_OK; leaf++) {
            lith_run_cursor_open(&cursor, leaf, begin, stop);
            for (size_t i = begin; i < stop && code == LITH_OK; i++) {
                code = lith_run_cursor_next(&cursor, &chunk, &end, &err);
                if (code != LITH_OK)
                    break;
                assert_false(end);
                assert_chunk(&chunk, i, leaf);
                staged += chunk.is_staged;
            }
            if (code == LITH_OK) {
                MUST(lith_run_cursor_next(&cursor, &chunk, &end, &err));
                assert_true(end);
            }
        }
        begin = stop;
    }
    lith_run_cursor_done(&cursor);
    *ret_staged = staged;
    return code;
}

static size_t read_count(size_t count)
{
    size_t read = 0;

    for (size_t i = 0; i < count; i++)
        read += units[i].is_read;
    return read;
}

static void chunks_come_back(void **state)
{
    static const size_t budgets[] = {256u << 20, 16u << 20, 2u << 20};
    struct place p;
    size_t staged;

    (void)state;
    for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        place_init(&p, budgets[i], folder, 0);
        MUST(units_add(&p, UNITS));
        MUST(units_walk(&p, UNITS, &staged));
        assert_int_equal(staged, read_count(UNITS) * LEAVES);
        if (i > 0) {
            assert_true(p.scratch.used > 0);
            assert_true(atomic_load(&p.mem.peak) < budgets[i] / 2);
        }
        place_done(&p);
    }
    place_init(&p, 16u << 20, folder, 0); /* no units at all */
    MUST(units_add(&p, 0));
    place_done(&p);
}

/* Without scratch, or with little of it, chunks are read again; records come back all the same. */
static void staging_stops_where_scratch_does(void **state)
{
    static const uint64_t limits[] = {1, 100000, 2u << 20, 4u << 20};
    struct place p;
    size_t staged;

    (void)state;
    place_init(&p, 16u << 20, "/nonexistent/folder", 0);
    MUST(units_add(&p, UNITS));
    MUST(units_walk(&p, UNITS, &staged));
    assert_true(staged < read_count(UNITS) * LEAVES);
    place_done(&p);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        place_init(&p, 16u << 20, folder, limits[i]);
        MUST(units_add(&p, UNITS));
        assert_true(p.scratch.used <= limits[i]);
        MUST(units_walk(&p, UNITS, &staged));
        assert_true(staged < read_count(UNITS) * LEAVES);
        place_done(&p);
    }
}

/* Where the file that scratch is may not grow, what was staged gives way to records. */
static void records_push_staged_bytes_out(void **state)
{
    struct place p;
    size_t staged;

    (void)state;
    place_init(&p, 2u << 20, folder, 0);
    for (size_t i = 0; i < UNITS; i++) {
        if (i == UNITS / 2) /* another spool took the rest */
            atomic_store(&p.scratch.used, p.scratch.limit);
        MUST(lith_column_runs_add(&p.runs, &units[i].footer, 0, NULL, &units[i].file.base, &err));
    }
    MUST(lith_column_runs_finish(&p.runs, &err));
    assert_false(p.runs.stages);
    struct lith_run_cursor cursor;
    struct lith_source_chunk chunk;
    bool end;
    lith_run_cursor_init(&cursor, &p.runs);
    lith_run_cursor_open(&cursor, 1, 0, UNITS);
    for (staged = 0;; staged++) {
        MUST(lith_run_cursor_next(&cursor, &chunk, &end, &err));
        if (end)
            break;
        assert_meta(&chunk.meta, &units[staged].group.chunks[1]);
    }
    assert_int_equal(staged, UNITS);
    lith_run_cursor_done(&cursor);
    atomic_store(&p.scratch.used, p.scratch.limit);
    lith_column_runs_done(&p.runs);
    lith_mem_done(&p.mem);
}

/* Each allocation fails once: then all is given back, or the chunks come back all the same. */
static void failed_allocations(void **state)
{
    const size_t count = 60;
    bool failed = true;

    (void)state;
    for (int64_t n = 0; failed; n++) {
        struct place p;
        size_t staged;
        place_init(&p, 2u << 20, folder, 0);
        atomic_store(&p.mem.fail_after, n);
        enum lith_code code = units_add(&p, count);
        if (code == LITH_OK)
            code = units_walk(&p, count, &staged);
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        failed = atomic_load(&p.mem.fail_after) < 0;
        atomic_store(&p.mem.fail_after, -1);
        place_done(&p);
    }
    struct lith_column_runs zero = {0};
    lith_column_runs_done(&zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_back),
        cmocka_unit_test(staging_stops_where_scratch_does),
        cmocka_unit_test(records_push_staged_bytes_out),
        cmocka_unit_test(failed_allocations),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
