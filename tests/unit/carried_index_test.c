/*
 * Page indexes of sources: true ones are dealt out page by page, and each lie of parquet-splice.md
 * 2.2 and 2.3 costs what it must: the column index, or both.
 */
#include "arena_support.h"

#include "base/limits.h"
#include "parquet/carried_index.h"
#include "parquet/thrift.h"

enum { PAGES_MAX = 4 };

/* What a file says of its pages, and what the walk sees; made the same, then changed. */
struct claims {
    uint32_t page_count;
    struct lith_page_location locations[PAGES_MAX];
    int64_t unencoded[PAGES_MAX];
    bool has_unencoded;
    uint32_t column_count; /* of the lists of the column index */
    bool null_pages[PAGES_MAX];
    struct lith_slice mins[PAGES_MAX];
    struct lith_slice maxes[PAGES_MAX];
    int64_t nulls[PAGES_MAX];
    bool has_nulls;
    int64_t nans[PAGES_MAX];
    bool has_nans;
    int64_t rep[2 * PAGES_MAX];
    int64_t def[3 * PAGES_MAX];
    uint32_t rep_count; /* entries written */
    uint32_t def_count;
};

struct source_file {
    const struct lith_schema_node *leaf;
    struct claims claims;
    struct lith_walked_page pages[PAGES_MAX];
    uint32_t page_count; /* of the walk */
    struct lith_facts chunk;
    int64_t num_rows;
    uint8_t order;
    const char *created_by;
    bool no_offsets;
    bool no_columns;
    int damage; /* a byte of the column index that is set to 0xff; 0: none */
};

static const struct lith_schema_node flat_leaf = {
    .type = LITH_TYPE_INT32, .converted_type = -1, .max_def = 1};
static const struct lith_schema_node list_leaf = {.type = LITH_TYPE_BYTE_ARRAY,
                                                  .converted_type = LITH_CONVERTED_UTF8,
                                                  .max_def = 2,
                                                  .max_rep = 1};
static const struct lith_schema_node double_leaf = {.type = LITH_TYPE_DOUBLE, .converted_type = -1};

#define BYTES(text) ((struct lith_slice){(const uint8_t *)(text), sizeof(text) - 1})

/* Three pages of 10, 20 and 5 positions: 2 nulls, all null, none. */
static void flat_file(struct source_file *f)
{
    static const int64_t positions[3] = {10, 20, 5}, nulls[3] = {2, 20, 0};
    int64_t row = 0;

    *f = (struct source_file){.leaf = &flat_leaf,
                              .page_count = 3,
                              .num_rows = 35,
                              .order = LITH_ORDER_TYPE,
                              .created_by = "somebody"};
    struct claims *c = &f->claims;
    c->page_count = c->column_count = 3;
    c->has_nulls = true;
    c->def_count = 6;
    for (int i = 0; i < 3; i++) {
        f->pages[i] = (struct lith_walked_page){.offset = 100 * (uint64_t)(i + 1),
                                                .bytes = 90,
                                                .num_values = (uint32_t)positions[i],
                                                .rows = -1};
        c->locations[i] = (struct lith_page_location){100 * (i + 1), 90, row};
        c->null_pages[i] = i == 1;
        c->nulls[i] = nulls[i];
        c->def[2 * i] = nulls[i];
        c->def[2 * i + 1] = positions[i] - nulls[i];
        row += positions[i];
    }
    c->mins[0] = BYTES("\xfe\xff\xff\xff");
    c->maxes[0] = BYTES("\7\0\0\0");
    c->mins[2] = c->maxes[2] = BYTES("\5\0\0\0");
    f->chunk = lith_facts_unknown(&flat_leaf, 35);
    f->chunk.has_null_count = true;
    f->chunk.null_count = 22;
    f->chunk.has_bounds = true;
    f->chunk.min = c->mins[0];
    f->chunk.max = c->maxes[0];
}

/* Two pages of 6 and 4 positions, 3 rows in each; the second one is V2. */
static void list_file(struct source_file *f)
{
    static const int64_t rep[4] = {3, 3, 3, 1}, def[6] = {1, 1, 4, 0, 2, 2};

    *f = (struct source_file){.leaf = &list_leaf,
                              .page_count = 2,
                              .num_rows = 6,
                              .order = LITH_ORDER_TYPE,
                              .created_by = "somebody"};
    struct claims *c = &f->claims;
    c->page_count = c->column_count = 2;
    c->has_nulls = c->has_unencoded = true;
    c->rep_count = 4;
    c->def_count = 6;
    memcpy(c->rep, rep, sizeof(rep));
    memcpy(c->def, def, sizeof(def));
    f->pages[0] = (struct lith_walked_page){.offset = 4, .bytes = 50, .num_values = 6, .rows = -1};
    f->pages[1] = (struct lith_walked_page){.offset = 54, .bytes = 60, .num_values = 4, .rows = 3};
    c->locations[0] = (struct lith_page_location){4, 50, 0};
    c->locations[1] = (struct lith_page_location){54, 60, 3};
    for (int i = 0; i < 2; i++) {
        c->nulls[i] = 2;
        c->unencoded[i] = 40 + i;
        c->mins[i] = BYTES("a");
        c->maxes[i] = BYTES("b\xff");
    }
    f->chunk = lith_facts_unknown(&list_leaf, 10);
}

static void i64_list_write(struct lith_thrift_writer *w, int16_t id, const int64_t *values,
                           uint32_t count)
{
    if (count == 0)
        return;
    lith_thrift_write_list(w, id, LITH_THRIFT_I64, count);
    for (uint32_t i = 0; i < count; i++)
        lith_thrift_write_element_i64(w, values[i]);
}

static void columns_write(const struct claims *c, struct lith_buf *to)
{
    struct lith_thrift_writer w;

    lith_thrift_writer_init(&w, to, &err);
    lith_thrift_write_list(&w, 1, LITH_THRIFT_TRUE, c->column_count);
    for (uint32_t i = 0; i < c->column_count; i++)
        lith_thrift_write_element_bool(&w, c->null_pages[i]);
    for (int16_t id = 2; id <= 3; id++) {
        lith_thrift_write_list(&w, id, LITH_THRIFT_BINARY, c->column_count);
        for (uint32_t i = 0; i < c->column_count; i++)
            lith_thrift_write_element_binary(&w, id == 2 ? c->mins[i] : c->maxes[i]);
    }
    lith_thrift_write_i32(&w, 4, 0);
    i64_list_write(&w, 5, c->nulls, c->has_nulls ? c->column_count : 0);
    i64_list_write(&w, 6, c->rep, c->rep_count);
    i64_list_write(&w, 7, c->def, c->def_count);
    i64_list_write(&w, 8, c->nans, c->has_nans ? c->column_count : 0);
    lith_thrift_write_stop(&w);
    MUST(w.code);
}

static void offsets_write(const struct claims *c, struct lith_buf *to)
{
    struct lith_thrift_writer w;

    lith_thrift_writer_init(&w, to, &err);
    lith_thrift_write_list(&w, 1, LITH_THRIFT_STRUCT, c->page_count);
    for (uint32_t i = 0; i < c->page_count; i++) {
        lith_thrift_write_struct(&w, 0);
        lith_thrift_write_i64(&w, 1, c->locations[i].offset);
        lith_thrift_write_i32(&w, 2, c->locations[i].bytes);
        lith_thrift_write_i64(&w, 3, c->locations[i].first_row);
        lith_thrift_write_stop(&w);
    }
    i64_list_write(&w, 2, c->unencoded, c->has_unencoded ? c->page_count : 0);
    lith_thrift_write_stop(&w);
    MUST(w.code);
}

/* The facts and rows of each page as they are dealt out; `fail_after`: see mem.h. */
struct dealt {
    bool has_offsets;
    bool has_columns;
    struct lith_facts facts[PAGES_MAX];
    int64_t def[PAGES_MAX][4];
    int64_t rows[PAGES_MAX];
};

static enum lith_code deal(const struct source_file *f, int64_t fail_after, struct dealt *ret_dealt)
{
    struct lith_schema_node nodes[2] = {{.is_group = true}, *f->leaf};
    uint32_t leaf = 1;
    uint8_t order = f->order;
    struct lith_chunk_meta meta = {.num_values = f->chunk.positions};
    struct lith_row_group group = {.chunks = &meta, .num_rows = f->num_rows};
    struct lith_footer footer = {
        .schema = {.nodes = nodes, .node_count = 2, .leaves = &leaf, .leaf_count = 1},
        .row_groups = &group,
        .row_group_count = 1,
        .created_by = lith_slice_text(f->created_by),
        .column_orders = &order,
    };
    struct lith_carried_claims claims = {
        .leaf = f->leaf,
        .trust = lith_facts_trust(&footer, 0),
        .chunk = &f->chunk,
        .num_rows = f->num_rows,
    };
    struct lith_carried_index index;
    struct lith_buf columns, offsets;

    lith_buf_init(&columns, &mem, 1 << 20);
    lith_buf_init(&offsets, &mem, 1 << 20);
    columns_write(&f->claims, &columns);
    if (f->damage)
        columns.data[f->damage] = 0xff;
    offsets_write(&f->claims, &offsets);
    if (!f->no_columns)
        claims.column_index = (struct lith_slice){columns.data, columns.bytes};
    if (!f->no_offsets)
        claims.offset_index = (struct lith_slice){offsets.data, offsets.bytes};
    atomic_store(&mem.fail_after, fail_after);
    enum lith_code code = lith_carried_index_read(&claims, &arena, &index, &err);
    atomic_store(&mem.fail_after, -1);
    if (code == LITH_OK) {
        ret_dealt->has_offsets = index.has_offsets;
        ret_dealt->has_columns = index.has_columns;
        for (uint32_t i = 0; i < f->page_count; i++) {
            struct lith_facts *facts = &ret_dealt->facts[i];
            lith_carried_index_page(&index, &f->pages[i], facts, &ret_dealt->rows[i]);
            if (facts->def_histogram)
                memcpy(ret_dealt->def[i], facts->def_histogram,
                       (f->leaf->max_def + 1u) * sizeof(int64_t));
        }
    }
    lith_buf_done(&columns);
    lith_buf_done(&offsets);
    return code;
}

static void test_flat(void **state)
{
    struct source_file f;
    struct dealt d;

    (void)state;
    flat_file(&f);
    MUST(deal(&f, -1, &d));
    assert_true(d.has_offsets);
    assert_true(d.has_columns);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(d.rows[i], f.pages[i].num_values);
        assert_int_equal(d.facts[i].positions, f.pages[i].num_values);
        assert_true(d.facts[i].has_null_count);
        assert_int_equal(d.facts[i].null_count, f.claims.nulls[i]);
        assert_int_equal(d.facts[i].is_all_null, i == 1);
        assert_int_equal(d.facts[i].has_bounds, i != 1);
        assert_false(d.facts[i].min_exact);
        assert_non_null(d.facts[i].def_histogram);
        assert_memory_equal(d.def[i], &f.claims.def[2 * i], 16);
        assert_int_equal(d.facts[i].unencoded_bytes, 0);
    }
    /* Without histograms the same ones are made from the null counts. */
    f.claims.def_count = 0;
    MUST(deal(&f, -1, &d));
    for (int i = 0; i < 3; i++)
        assert_memory_equal(d.def[i], &f.claims.def[2 * i], 16);
}

static void test_list(void **state)
{
    struct source_file f;
    struct dealt d;

    (void)state;
    list_file(&f);
    MUST(deal(&f, -1, &d));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(d.rows[i], 3);
        assert_int_equal(d.facts[i].null_count, 2);
        assert_true(d.facts[i].has_bounds);
        assert_true(lith_slice_equal(d.facts[i].max, BYTES("b\xff")));
        assert_int_equal(d.facts[i].unencoded_bytes, 40 + i);
        assert_memory_equal(d.def[i], &f.claims.def[3 * i], 24);
    }
    /* Without indexes: the rows of V2 pages, where they can be. */
    f.no_offsets = true;
    MUST(deal(&f, -1, &d));
    assert_int_equal(d.rows[0], -1);
    assert_int_equal(d.rows[1], 3);
    assert_false(d.facts[1].has_bounds);
    f.pages[1].rows = 5;
    MUST(deal(&f, -1, &d));
    assert_int_equal(d.rows[1], -1);
    f.pages[0].rows = 3;
    f.pages[1].rows = 2; /* 6 rows are to come */
    MUST(deal(&f, -1, &d));
    assert_int_equal(d.rows[0], 3);
    assert_int_equal(d.rows[1], -1);
    f.num_rows = 2;
    MUST(deal(&f, -1, &d));
    assert_int_equal(d.rows[0], -1);
}

/* Changes of one file; what is known before the walk, and of each page. */
struct lie {
    const char *what;
    void (*tell)(struct source_file *f);
    bool is_list;
    int offsets; /* pages whose rows the index gives; as many as all: it is true */
    int columns; /* pages whose facts it gives */
    bool found_late;
};

#define LIE(name, statement)                                                                       \
    static void name(struct source_file *f)                                                        \
    {                                                                                              \
        struct claims *c = &f->claims;                                                             \
        (void)c;                                                                                   \
        statement;                                                                                 \
    }

LIE(no_change, (void)0)
LIE(first_row, c->locations[0].first_row = 1)
LIE(rows_stay, c->locations[1].first_row = 0)
LIE(rows_past_end, c->locations[2].first_row = 35)
LIE(rows_shifted, c->locations[2].first_row = 29)
LIE(place, c->locations[1].offset++)
LIE(bytes, c->locations[2].bytes--)
LIE(fewer_entries, (c->page_count = c->column_count = 2, c->def_count = 4, c->nulls[1] = 20))
LIE(fewer_pages, (f->page_count = 2, f->chunk.positions = 30))
LIE(more_columns, c->column_count = 2)
LIE(group_longer, f->num_rows = 36)
LIE(null_page_of_0_nulls, (c->nulls[1] = 0, f->chunk.has_null_count = false))
LIE(null_page_of_some, (c->nulls[1] = 19, f->chunk.has_null_count = false))
LIE(null_page_with_min, c->mins[1] = BYTES("\5\0\0\0"))
LIE(null_page_no_counts, (c->has_nulls = false, c->def_count = 0))
LIE(no_null_page_empty, c->mins[0] = c->maxes[0] = BYTES(""))
LIE(min_above_max, c->mins[0] = BYTES("\x08\0\0\0"))
LIE(narrow, c->mins[0] = BYTES("\1\0\0"))
LIE(nulls_sum, f->chunk.null_count = 21)
LIE(nulls_negative, (c->nulls[0] = -2, f->chunk.has_null_count = false))
LIE(nulls_many, (c->nulls[2] = 6, f->chunk.has_null_count = false, c->def_count = 0))
LIE(nulls_all, (c->nulls[2] = 5, f->chunk.has_null_count = false, c->def_count = 0))
LIE(chunk_min, f->chunk.min = BYTES("\xff\xff\xff\xff"))
LIE(chunk_max, f->chunk.max = BYTES("\6\0\0\0"))
LIE(def_sum, c->def[1]++)
LIE(def_nulls, (c->def[4] = 1, c->def[5] = 4))
LIE(def_length, c->def_count = 5)
LIE(untrusted, f->created_by = "parquet-cpp version 1.2.0")
LIE(no_order, f->order = LITH_ORDER_UNDEFINED)
LIE(damaged, f->damage = 1)
LIE(no_columns, f->no_columns = true)
LIE(no_offsets, f->no_offsets = true)
/* What parquet-rs writes for a page of lists [1, null], [2, null]: parquet-splice.md 2.3. */
LIE(rust_null_page, (c->null_pages[1] = true, c->mins[1] = c->maxes[1] = BYTES("")))
LIE(list_rows_many, c->locations[1].first_row = 1)
LIE(list_rows_more, (c->locations[1].first_row = 7, f->num_rows = 9, c->rep_count = 0))
LIE(list_v2_rows, f->pages[1].rows = 2)
LIE(list_rep_rows, (c->rep[2] = 2, c->rep[3] = 2))
LIE(list_rep_sum, c->rep[3] = 2)
LIE(list_v2_unknown, f->pages[1].rows = -1)

static const struct lie lies[] = {
    {"nothing", no_change, false, 3, 3, false},
    {"a first row of 1", first_row, false, 0, 0, false},
    {"rows that do not grow", rows_stay, false, 0, 0, false},
    {"rows past the end", rows_past_end, false, 0, 0, false},
    {"rows that are not those of the pages", rows_shifted, false, 1, 1, true},
    {"another offset", place, false, 1, 1, true},
    {"other bytes", bytes, false, 2, 2, true},
    {"fewer entries", fewer_entries, false, 1, 1, true},
    {"fewer pages", fewer_pages, false, 1, 1, true},
    {"lists of other lengths", more_columns, false, 3, 0, false},
    {"more rows in the row group", group_longer, false, 2, 2, true},
    {"a null page of no nulls", null_page_of_0_nulls, false, 3, 1, true},
    {"a null page of some", null_page_of_some, false, 3, 1, true},
    {"a null page with a bound", null_page_with_min, false, 3, 0, false},
    {"a null page without null counts", null_page_no_counts, false, 3, 0, false},
    {"no null page, empty bounds", no_null_page_empty, false, 3, 0, false},
    {"min above max", min_above_max, false, 3, 0, false},
    {"a bound of another width", narrow, false, 3, 0, false},
    {"more nulls than the chunk", nulls_sum, false, 3, 0, false},
    {"negative nulls", nulls_negative, false, 3, 0, false},
    {"more nulls than positions", nulls_many, false, 3, 2, true},
    {"all null, with bounds", nulls_all, false, 3, 2, true},
    {"below the chunk's min", chunk_min, false, 3, 0, false},
    {"above the chunk's max", chunk_max, false, 3, 0, false},
    {"a histogram of another sum", def_sum, false, 3, 0, true},
    {"a histogram of other nulls", def_nulls, false, 3, 2, true},
    {"a histogram of another length", def_length, false, 3, 3, false},
    {"a distrusted writer", untrusted, false, 3, 3, false},
    {"no column order", no_order, false, 3, 0, false},
    {"damage", damaged, false, 3, 0, false},
    {"no column index", no_columns, false, 3, 0, false},
    {"no offset index", no_offsets, false, 0, 0, false},
    {"nothing", no_change, true, 2, 2, false},
    {"a null page of a list with values", rust_null_page, true, 2, 1, true},
    {"fewer rows than the histogram says", list_rows_many, true, 0, 0, true},
    {"more rows than positions", list_rows_more, true, 0, 0, true},
    {"rows of a V2 page", list_v2_rows, true, 1, 1, true},
    {"rows by the histogram", list_rep_rows, true, 1, 1, true},
    {"sum of the histogram", list_rep_sum, true, 2, 1, true},
    {"V1 pages alone", list_v2_unknown, true, 2, 2, false},
};

static void test_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        const struct lie *lie = &lies[i];
        struct source_file f;
        struct dealt d;

        (lie->is_list ? list_file : flat_file)(&f);
        lie->tell(&f);
        MUST(deal(&f, -1, &d));
        if (d.has_columns != (lie->columns > 0 || lie->found_late))
            fail_msg("%s: has columns %d", lie->what, d.has_columns);
        for (int page = 0; page < (int)f.page_count; page++) {
            const struct lith_facts *facts = &d.facts[page];
            bool known = facts->has_bounds || facts->is_all_null || facts->has_null_count;
            if (known != (page < lie->columns))
                fail_msg("%s: page %d known %d", lie->what, page, known);
            /* The rows of a flat page are its positions, whatever an index says; those of a V1
             * page of lists only the index knows. */
            bool has_rows = page < lie->offsets || !lie->is_list;
            if (f.pages[page].rows < 0 && (d.rows[page] >= 0) != has_rows)
                fail_msg("%s: page %d rows %" PRId64, lie->what, page, d.rows[page]);
        }
        lith_arena_done(&arena);
    }
}

/* NaN bounds, counts of NaN, widened zeros. */
static void test_floats(void **state)
{
    struct source_file f;
    struct dealt d;
    double numbers[3] = {0.0, -0.0, 0};

    (void)state;
    numbers[2] = strtod("nan", NULL);
    flat_file(&f);
    f.leaf = &double_leaf;
    f.chunk = lith_facts_unknown(&double_leaf, 35);
    struct claims *c = &f.claims;
    c->has_nulls = false;
    c->has_nans = true;
    c->def_count = 0;
    c->null_pages[1] = false;
    for (int i = 0; i < 3; i++) {
        c->mins[i] = (struct lith_slice){(const uint8_t *)&numbers[0], 8};
        c->maxes[i] = (struct lith_slice){(const uint8_t *)&numbers[1], 8};
        c->nans[i] = i;
    }
    MUST(deal(&f, -1, &d));
    assert_true(d.has_columns);
    for (int i = 0; i < 3; i++) {
        assert_true(d.facts[i].has_null_count); /* required: 0 */
        assert_true(d.facts[i].has_nan_count);
        assert_int_equal(d.facts[i].nan_count, i);
        assert_memory_equal(d.facts[i].min.data, &numbers[1], 8);
        assert_memory_equal(d.facts[i].max.data, &numbers[0], 8);
    }
    c->nans[1] = 20; /* nothing but NaN, and bounds */
    MUST(deal(&f, -1, &d));
    assert_true(d.facts[0].has_bounds);
    assert_false(d.facts[1].has_bounds);
    assert_false(d.facts[2].has_bounds);
    c->maxes[2].data = (const uint8_t *)&numbers[2];
    MUST(deal(&f, -1, &d));
    assert_false(d.has_columns);
    lith_arena_done(&arena);
}

/* Any byte changed, any place cut off: no failure; and memory that fails is NOMEM. */
static void test_damage(void **state)
{
    struct source_file f;
    struct dealt d;

    (void)state;
    list_file(&f);
    for (f.damage = 1; f.damage < 50; f.damage++)
        MUST(deal(&f, -1, &d));
    f.damage = 0;
    lith_arena_done(&arena);
    enum lith_code code = LITH_E_NOMEM;
    for (int64_t n = 0; code == LITH_E_NOMEM; n++) {
        code = deal(&f, n, &d);
        lith_arena_done(&arena);
        assert_true(n < 100);
    }
    MUST(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),   cmocka_unit_test(test_list),   cmocka_unit_test(test_lies),
        cmocka_unit_test(test_floats), cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
