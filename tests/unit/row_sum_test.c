/*
 * Sums of rows: the same whatever the budget, so whichever columns are open at once; and another
 * one for each kind of difference. Rows are made by their number, and files say which rows they
 * hold in which order.
 */
#include "support.h"

#include "parquet/file_writer.h"
#include "verify/row_sum.h"

#define COLUMNS 24u
#define ROWS 9000u   /* more than two blocks */
#define LONG_LIST 7u /* the row whose lists are longer than a batch, and */
#define LIST_COUNT 9000u
#define LONG_VALUE 5u /* the one with long strings */
#define LONG_BYTES_MAX ((size_t)4 << 20)
#define PIECE 1000u

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_codec_context *codecs;
static struct lith_arena arena;
static struct lith_schema schema;

/* By turns: INT64; optional string of few values; list of INT32; string of many values. */
enum kind { NUMBER, NAME, LIST, TEXT, KINDS };

static const struct lith_schema_node kinds[KINDS] = {
    [NUMBER] = {.type = LITH_TYPE_INT64},
    [NAME] = {.type = LITH_TYPE_BYTE_ARRAY, .repetition = LITH_OPTIONAL},
    [LIST] = {.type = LITH_TYPE_INT32, .repetition = LITH_REPEATED},
    [TEXT] = {.type = LITH_TYPE_BYTE_ARRAY},
};

/* A file: rows by their numbers, and what is wrong with it. */
struct test_file {
    uint32_t ids[ROWS];
    uint32_t row_count;
    uint32_t group_rows;
    bool dictionaries;
    size_t long_bytes;   /* 0: no long strings */
    uint32_t odd_column; /* LITH_NO_INDEX: none */
    uint32_t null_row;   /* which has a null there; or */
    uint32_t swap_row;   /* which has the value of the next one there, and that its */
    uint32_t list_row;   /* whose list has another last element there */
};

static void schema_make(void)
{
    static struct lith_schema_node nodes[COLUMNS + 1];
    char *name;

    lith_arena_init(&arena, &mem);
    nodes[0] = (struct lith_schema_node){.is_group = true, .child_count = COLUMNS};
    nodes[0].name = lith_slice_text("root");
    for (uint32_t i = 1; i <= COLUMNS; i++) {
        MUST(lith_arena_format(&arena, &name, &err, "c%u", i));
        nodes[i] = kinds[(i - 1) % KINDS];
        nodes[i].name = lith_slice_text(name);
    }
    for (uint32_t i = 0; i <= COLUMNS; i++)
        nodes[i].converted_type = LITH_CONVERTED_NONE;
    schema = (struct lith_schema){.nodes = nodes, .node_count = COLUMNS + 1};
    MUST(lith_schema_link(&schema, &arena, &err));
    MUST(lith_schema_normalise(&schema, &arena, &err));
}

/* The values of one column of some rows. */
struct piece {
    struct lith_batch batch;
    uint16_t rep[PIECE];
    uint16_t def[PIECE];
    int64_t i64[PIECE];
    int32_t i32[PIECE];
    char text[PIECE][24];
    struct lith_slice slices[PIECE];
    size_t values;
};
static struct piece piece;
static char long_text[LONG_BYTES_MAX];

static void piece_put(struct lith_file_writer *writer, enum kind kind)
{
    struct piece *p = &piece;

    p->batch.def_levels = kind == NAME || kind == LIST ? p->def : NULL;
    p->batch.rep_levels = kind == LIST ? p->rep : NULL;
    p->batch.values = (struct lith_values){.type = kinds[kind].type, .count = p->values};
    if (kind == NUMBER || kind == LIST) {
        p->batch.values.width = kind == NUMBER ? 8 : 4;
        p->batch.values.fixed = kind == NUMBER ? (const uint8_t *)p->i64 : (const uint8_t *)p->i32;
    } else {
        p->batch.values.slices = p->slices;
    }
    if (p->batch.position_count > 0)
        MUST(lith_file_writer_add(writer, &p->batch, &err));
    p->batch.position_count = 0;
    p->values = 0;
}

/* Room for one more position; one that begins a row where `rep` is 0. */
static void position_add(struct lith_file_writer *writer, enum kind kind, uint16_t rep,
                         bool is_null)
{
    if (piece.batch.position_count == PIECE)
        piece_put(writer, kind);
    piece.rep[piece.batch.position_count] = rep;
    piece.def[piece.batch.position_count++] = !is_null;
}

static void text_add(const struct test_file *file, uint32_t column, uint32_t id)
{
    struct piece *p = &piece;
    char *text = p->text[p->values];

    if (column % KINDS == NAME)
        (void)snprintf(text, sizeof(p->text[0]), "name %u", (id + column) % 9);
    else
        (void)snprintf(text, sizeof(p->text[0]), "%x", id * 7 + column);
    p->slices[p->values] = lith_slice_text(text);
    if (file->long_bytes > 0 && column % KINDS == TEXT && id == LONG_VALUE)
        p->slices[p->values] = (struct lith_slice){(const uint8_t *)long_text, file->long_bytes};
    p->values++;
}

static void list_add(struct lith_file_writer *writer, uint32_t column, uint32_t id, bool is_odd)
{
    uint32_t count = id == LONG_LIST ? LIST_COUNT : (id + column) % 4;

    if (count == 0)
        position_add(writer, LIST, 0, true);
    for (uint32_t i = 0; i < count; i++) {
        position_add(writer, LIST, i > 0, false);
        piece.i32[piece.values++] = (int32_t)(id * 31 + i + (is_odd && i == count - 1));
    }
}

static void chunk_write(struct lith_file_writer *writer, const struct test_file *file,
                        uint32_t column, uint32_t begin, uint32_t end)
{
    enum kind kind = (enum kind)(column % KINDS);
    const struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY,
                                         .fallback = LITH_ENCODING_PLAIN,
                                         .try_dictionary = file->dictionaries};

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (uint32_t row = begin; row < end; row++) {
        bool is_odd = column == file->odd_column;
        uint32_t id = file->ids[row];
        if (is_odd && row == file->swap_row)
            id = file->ids[row + 1];
        else if (is_odd && row == file->swap_row + 1)
            id = file->ids[row - 1];
        if (kind == LIST) {
            list_add(writer, column, id, is_odd && row == file->list_row);
            continue;
        }
        bool is_null = kind == NAME && (id % 5 == 4 || (is_odd && row == file->null_row));
        position_add(writer, kind, 0, is_null);
        if (kind == NUMBER)
            piece.i64[piece.values++] = (int64_t)id * (int64_t)(column + 1);
        else if (!is_null)
            text_add(file, column, id);
    }
    piece_put(writer, kind);
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void file_write(struct lith_spool *spool, const struct test_file *file)
{
    struct lith_file_writer *writer;

    lith_spool_init(spool, &mem, &scratch, (size_t)64 << 20);
    MUST(lith_file_writer_new(&spool->sink, &schema, codecs, &work, &writer, &err));
    for (uint32_t begin = 0; begin < file->row_count; begin += file->group_rows) {
        uint32_t left = file->row_count - begin;
        uint32_t rows = left < file->group_rows ? left : file->group_rows;
        MUST(lith_file_writer_row_group(writer, rows, &err));
        for (uint32_t column = 0; column < COLUMNS; column++)
            chunk_write(writer, file, column, begin, begin + rows);
        MUST(lith_file_writer_row_group_end(writer, &err));
    }
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
}

static void file_make(struct test_file *file)
{
    *file = (struct test_file){.row_count = ROWS,
                               .group_rows = ROWS,
                               .odd_column = LITH_NO_INDEX,
                               .null_row = LITH_NO_INDEX,
                               .swap_row = LITH_NO_INDEX - 1,
                               .list_row = LITH_NO_INDEX};
    for (uint32_t i = 0; i < ROWS; i++)
        file->ids[i] = i;
}

/* Whether the summer had to try again with fewer columns. */
static bool was_refused;

/* Where the hashes of rows go too, or NULL. */
static struct lith_spool *hashes;

/* Added to what the footer says of the first row group. */
static int64_t false_rows;

static enum lith_code sum_input(struct lith_input *input, const struct lith_work *with,
                                struct lith_rows_sum *ret_sum)
{
    struct lith_row_summer summer;
    enum lith_code code = lith_input_map(input, &schema, &err);
    const struct lith_column_file file = {
        .source = input->source, .footer = &input->footer, .maps = input->maps};

    lith_row_summer_init(&summer, &schema, 99, codecs, with);
    if (hashes)
        summer.hashes = &hashes->sink;
    for (uint32_t i = 0; i < input->footer.row_group_count && code == LITH_OK; i++)
        code = lith_row_summer_add(&summer, &file, i, &err);
    *ret_sum = summer.sum;
    was_refused = summer.columns_max < COLUMNS;
    lith_row_summer_done(&summer);
    return code;
}

/* What the sum has of memory; the footer is not counted. */
struct budget {
    size_t limit;
    size_t held; /* by others */
    int64_t fail_after;
};
static const struct budget ample = {.limit = (size_t)64 << 20, .fail_after = -1};

static enum lith_code sum_spool(const struct lith_spool *spool, const struct budget *budget,
                                struct lith_rows_sum *ret_sum)
{
    struct lith_mem small;
    void *held;
    struct lith_memory_source source;
    struct lith_input input;
    const struct lith_work with = {.mem = &small, .scratch = &scratch, .control = &control};

    lith_mem_init(&small, budget->limit, NULL);
    MUST(lith_alloc(&small, budget->held, &held, &err));
    lith_memory_source_init(&source, lith_spool_memory(spool), (size_t)spool->source.size);
    MUST(lith_input_attach(&input, &source.base, &mem, &err));
    input.footer.row_groups[0].num_rows += false_rows;
    atomic_store(&small.fail_after, budget->fail_after);
    enum lith_code code = sum_input(&input, &with, ret_sum);
    lith_input_done(&input);
    lith_free(held);
    lith_mem_done(&small);
    return code;
}

static struct lith_rows_sum sum_file(const struct test_file *file)
{
    struct lith_spool spool;
    struct lith_rows_sum sum;

    file_write(&spool, file);
    MUST(sum_spool(&spool, &ample, &sum));
    lith_spool_done(&spool);
    return sum;
}

static bool is_same(struct lith_rows_sum a, struct lith_rows_sum b)
{
    return a.rows == b.rows && lith_hash128_equal(a.sum, b.sum);
}

/* From all columns at once to one at a time, with long values and lists, down to a budget whose
 * share holds no long value. */
static void every_budget_gives_the_same_sum(void **state)
{
    static struct test_file file;

    (void)state;
    file_make(&file);
    file.long_bytes = (size_t)200 << 10;
    for (int i = 0; i < 2; i++) {
        struct budget budget = {.limit = (size_t)32 << 20, .fail_after = -1};
        struct lith_spool spool;
        struct lith_rows_sum first, sum;
        enum lith_code code;
        file.dictionaries = i;
        file_write(&spool, &file);
        MUST(sum_spool(&spool, &ample, &first));
        assert_int_equal(first.rows, ROWS);
        assert_false(was_refused);
        while ((code = sum_spool(&spool, &budget, &sum)) == LITH_OK) {
            assert_true(is_same(sum, first));
            budget.limit -= budget.limit / 8;
        }
        assert_int_equal(code, LITH_E_LIMIT);
        assert_in_range(budget.limit, file.long_bytes, (size_t)2 << 20);
        lith_spool_done(&spool);
    }
}

/* Pages that take more than the footer let expect: columns are fewer then, and start again. */
static void refused_columns_are_read_again(void **state)
{
    struct budget budget = {.limit = (size_t)64 << 20, .fail_after = -1};
    static struct test_file file;
    struct lith_spool spool;
    struct lith_rows_sum first, sum;
    size_t refused = 0;

    (void)state;
    file_make(&file);
    file.long_bytes = LONG_BYTES_MAX - 1000;
    uint32_t id = file.ids[LONG_VALUE];
    file.ids[LONG_VALUE] = file.ids[8000]; /* behind the first block */
    file.ids[8000] = id;
    file_write(&spool, &file);
    MUST(sum_spool(&spool, &ample, &first));
    assert_false(was_refused);
    for (size_t left = 7; left < 40; left++) {
        budget.held = budget.limit - (left << 20);
        MUST(sum_spool(&spool, &budget, &sum));
        assert_true(is_same(sum, first));
        refused += was_refused;
    }
    assert_in_range(refused, 1, 30);
    lith_spool_done(&spool);
}

static void shuffle(struct test_file *file, uint64_t *seed)
{
    for (uint32_t i = file->row_count - 1; i > 0; i--) {
        uint32_t k = (uint32_t)(test_random(seed) % (i + 1));
        uint32_t id = file->ids[i];
        file->ids[i] = file->ids[k];
        file->ids[k] = id;
    }
}

/* Order, row groups and encodings do not matter: the long list stands at any place of a block. */
static void layout_does_not_matter(void **state)
{
    static const uint32_t group_rows[] = {ROWS, 4096, 4097, 4095, 1, 1000};
    static struct test_file file;
    uint64_t seed = test_seed();

    (void)state;
    file_make(&file);
    file.row_count = 8200;
    struct lith_rows_sum first = sum_file(&file);
    for (size_t i = 0; i < sizeof(group_rows) / sizeof(group_rows[0]); i++) {
        file.group_rows = group_rows[i];
        file.dictionaries = i % 2 == 0;
        if (group_rows[i] == 1)
            continue;
        shuffle(&file, &seed);
        assert_true(is_same(sum_file(&file), first));
    }
    file_make(&file);
    file.row_count = 60;
    first = sum_file(&file);
    file.group_rows = 1;
    assert_true(is_same(sum_file(&file), first));
    uint32_t last = file.ids[59];
    file.ids[59] = file.ids[LONG_LIST]; /* the long list ends a block and the file */
    file.ids[LONG_LIST] = last;
    file.group_rows = 60;
    assert_true(is_same(sum_file(&file), first));
}

static void differences_are_found(void **state)
{
    static struct test_file true_file;
    static struct test_file file;
    struct lith_rows_sum other;

    (void)state;
    file_make(&true_file);
    const struct lith_rows_sum first = sum_file(&true_file);
    for (uint32_t column = 0; column < COLUMNS; column++) {
        file = true_file;
        file.odd_column = column;
        file.swap_row = column * 300 + 12;
        assert_false(is_same(sum_file(&file), first));
        file = true_file;
        file.odd_column = column;
        file.null_row = ROWS - 3 - ROWS % 5;
        file.list_row = LONG_LIST;
        if (column % KINDS == NAME || column % KINDS == LIST)
            assert_false(is_same(sum_file(&file), first));
    }
    file = true_file;
    file.ids[8999] = file.ids[0]; /* a row doubled, another gone */
    other = sum_file(&file);
    assert_int_equal(other.rows, first.rows);
    assert_false(is_same(other, first));
    file = true_file;
    file.row_count--;
    assert_false(is_same(sum_file(&file), first));
}

/* Whatever row and batch the columns end at, and with one column open or all. */
static void false_counts_are_found(void **state)
{
    static const uint32_t row_counts[] = {1, 4095, 4096, 4097, ROWS};
    static const size_t limits[] = {(size_t)64 << 20, (size_t)2 << 20};
    static struct test_file file;

    (void)state;
    file_make(&file);
    for (size_t i = 0; i < sizeof(row_counts) / sizeof(row_counts[0]); i++) {
        struct lith_spool spool;
        struct lith_rows_sum sum;
        file.row_count = row_counts[i];
        file_write(&spool, &file);
        for (size_t k = 0; k < 2; k++) {
            const struct budget budget = {.limit = limits[k], .fail_after = -1};
            for (false_rows = -1; false_rows <= 1; false_rows++)
                assert_int_equal(sum_spool(&spool, &budget, &sum),
                                 false_rows ? LITH_E_CORRUPT : LITH_OK);
        }
        false_rows = 0;
        lith_spool_done(&spool);
    }
}

/* One hash for each row, in order, whatever columns were open at once; they add up to the sum. */
static void hashes_are_those_of_the_sum(void **state)
{
    static struct test_file file;
    struct budget budgets[] = {ample, {.limit = (size_t)64 << 20, .fail_after = -1}};
    struct lith_spool spool, kept[2];
    struct lith_rows_sum sum;

    (void)state;
    file_make(&file);
    file.long_bytes = LONG_BYTES_MAX - 1000;
    file.group_rows = 5000;
    file_write(&spool, &file);
    budgets[1].held = budgets[1].limit - ((size_t)12 << 20);
    for (size_t i = 0; i < 2; i++) {
        struct lith_rows_sum added = {0};
        lith_spool_init(&kept[i], &mem, &scratch, (size_t)64 << 20);
        hashes = &kept[i];
        MUST(sum_spool(&spool, &budgets[i], &sum));
        hashes = NULL;
        assert_int_equal(was_refused, i);
        const void *block = lith_spool_memory(&kept[i]);
        const struct lith_hash128 *each = block;
        for (added.rows = 0; added.rows < kept[i].source.size / sizeof(*each); added.rows++)
            added.sum = lith_hash128_add(added.sum, each[added.rows]);
        assert_true(is_same(sum, added));
    }
    assert_memory_equal(lith_spool_memory(&kept[0]), lith_spool_memory(&kept[1]),
                        ROWS * sizeof(struct lith_hash128));
    lith_spool_done(&kept[0]);
    lith_spool_done(&kept[1]);
    lith_spool_done(&spool);
}

static void allocations_may_fail(void **state)
{
    struct budget budgets[] = {{.limit = (size_t)64 << 20}, {.limit = (size_t)2 << 20}};
    static struct test_file file;
    struct lith_spool spool;
    struct lith_rows_sum first, sum;

    (void)state;
    file_make(&file);
    file.dictionaries = true;
    file.row_count = 5000;
    file_write(&spool, &file);
    MUST(sum_spool(&spool, &ample, &first));
    for (size_t i = 0; i < 2; i++) {
        int64_t *n = &budgets[i].fail_after;
        enum lith_code code;
        while ((code = sum_spool(&spool, &budgets[i], &sum)) == LITH_E_NOMEM)
            *n += 1 + *n / 16;
        MUST(code);
        assert_true(*n > 100);
        assert_true(is_same(sum, first));
    }
    lith_spool_done(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_budget_gives_the_same_sum),
        cmocka_unit_test(refused_columns_are_read_again),
        cmocka_unit_test(layout_does_not_matter),
        cmocka_unit_test(differences_are_found),
        cmocka_unit_test(false_counts_are_found),
        cmocka_unit_test(hashes_are_those_of_the_sum),
        cmocka_unit_test(allocations_may_fail),
    };

    memset(long_text, 'x', sizeof(long_text));
    lith_mem_init(&mem, (size_t)512 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    schema_make();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_arena_done(&arena);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
