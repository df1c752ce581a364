/*
 * The file writer: what it wrote is read back through the reader and compared, its pages are
 * walked against its metadata; choices of dictionaries, rows and values that are too large,
 * budgets, and failing allocations. Other engines read its files in tests/py/writer_check.py.
 */
#include "support.h"

#include "base/hash.h"
#include "base/spool.h"
#include "parquet/bloom.h"
#include "parquet/file_writer.h"
#include "parquet/page_header.h"
#include "parquet/page_index.h"
#include "sample_schema.h"

#define L(name, repetition, type, length, converted)                                               \
    {                                                                                              \
        name, 0, repetition, LITH_TYPE_##type, length, LITH_CONVERTED_##converted, 0, 0, 0         \
    }

static const struct sample_node text_nodes[] = {
    {"schema", 1, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    L("text", LITH_OPTIONAL, BYTE_ARRAY, 0, UTF8),
};
static const struct sample_node number_nodes[] = {
    {"schema", 1, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    L("number", LITH_REQUIRED, INT64, 0, NONE),
};
static const struct sample_node list_nodes[] = {
    {"schema", 1, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"list", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, LITH_CONVERTED_LIST, 0, 0, 0},
    {"list", 1, LITH_REPEATED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    L("element", LITH_OPTIONAL, BYTE_ARRAY, 0, NONE),
};

static const struct lith_control control;
static struct lith_scratch scratch;
static struct lith_mem mem;      /* the writer's budget */
static struct lith_mem test_mem; /* the test's own */
static struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static struct lith_work test_work = {.mem = &test_mem, .scratch = &scratch, .control = &control};
static struct lith_err err;
static struct lith_arena arena;
static struct lith_schema schema;
static struct lith_spool file;

/* The data of a test: positions of one leaf, in pages of `page_rows` rows; 0: of no pages. */
static uint16_t *defs, *reps;
static struct lith_slice *slices;
static uint8_t *numbers;
static size_t position_count, value_count, row_count, page_rows;

static int setup(void **state)
{
    (void)state;
    lith_scratch_init(&scratch, NULL, 0);
    lith_mem_init(&test_mem, (size_t)1 << 30, NULL);
    lith_mem_init(&mem, 16 << 20, NULL);
    lith_arena_init(&arena, &test_mem);
    lith_spool_init(&file, &test_mem, &scratch, (size_t)1 << 28);
    position_count = value_count = row_count = page_rows = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_spool_done(&file);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    lith_mem_done(&test_mem);
    return 0;
}

static void begin(const struct sample_node *nodes, uint32_t count, size_t positions_max)
{
    void *block;

    MUST(sample_schema_build(nodes, count, &arena, &schema, &err));
    MUST(lith_arena_array(&arena, positions_max, sizeof(uint16_t), &block, &err));
    defs = block;
    MUST(lith_arena_array(&arena, positions_max, sizeof(uint16_t), &block, &err));
    reps = block;
    MUST(lith_arena_array(&arena, positions_max, sizeof(struct lith_slice), &block, &err));
    slices = block;
    MUST(lith_arena_array(&arena, positions_max, sizeof(uint64_t), &block, &err));
    numbers = block;
}

static void add_position(uint16_t rep, uint16_t def)
{
    reps[position_count] = rep;
    defs[position_count++] = def;
    row_count += rep == 0;
}

static void add_bytes(uint16_t rep, uint16_t def, size_t bytes, uint64_t content)
{
    void *block;

    add_position(rep, def);
    MUST(lith_arena_array(&arena, bytes + 1, 1, &block, &err));
    memset(block, 'a' + (int)(content % 26), bytes);
    if (bytes >= 9)
        (void)snprintf(block, bytes, "%08" PRIx64, content);
    slices[value_count++] = (struct lith_slice){block, bytes};
}

static void add_number(uint64_t number)
{
    add_position(0, 0);
    lith_store_u64(numbers + 8 * value_count++, number);
}

static struct lith_batch batch_at(size_t at, size_t count, size_t value_at)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(&schema, 0);
    struct lith_batch batch = {.position_count = count};

    batch.def_levels = leaf->max_def ? defs + at : NULL;
    batch.rep_levels = leaf->max_rep ? reps + at : NULL;
    batch.values.type = leaf->type;
    batch.values.width = lith_type_width(leaf->type, leaf->type_length);
    for (size_t i = at; i < at + count; i++)
        batch.values.count += !batch.def_levels || defs[i] == leaf->max_def;
    if (leaf->type == LITH_TYPE_BYTE_ARRAY)
        batch.values.slices = slices + value_at;
    else
        batch.values.fixed = numbers + 8 * value_at;
    return batch;
}

/* How many of the positions from `at` on are up to the next page, `most` at most; *row: the one
 * before the first of them, which it counts on from. */
static size_t before_page(size_t at, size_t most, size_t *row, bool *ret_page_start)
{
    size_t count = 0;

    *ret_page_start = page_rows && reps[at] == 0 && *row % page_rows == 0;
    for (; count < most && at + count < position_count; count++) {
        bool is_row = reps[at + count] == 0;
        if (count > 0 && page_rows && is_row && *row % page_rows == 0)
            break;
        *row += is_row;
    }
    return count;
}

/* Writes the positions as one row group, in batches of `batch_positions`. */
static enum lith_code group_write(struct lith_file_writer *writer,
                                  const struct lith_chunk_plan *plan, size_t batch_positions)
{
    size_t value_at = 0, row = 0, count;

    LITH_TRY(lith_file_writer_row_group(writer, (int64_t)row_count, &err));
    LITH_TRY(lith_file_writer_chunk(writer, plan, &err));
    for (size_t at = 0; at < position_count; at += count) {
        bool page_start;
        count = before_page(at, batch_positions, &row, &page_start);
        struct lith_batch batch = batch_at(at, count, value_at);
        batch.page_start = page_start;
        value_at += batch.values.count;
        LITH_TRY(lith_file_writer_add(writer, &batch, &err));
    }
    LITH_TRY(lith_file_writer_chunk_end(writer, &err));
    return lith_file_writer_row_group_end(writer, &err);
}

static enum lith_code write_all(const struct lith_chunk_plan *plan, size_t batch_positions,
                                unsigned groups)
{
    struct lith_codec_context *codecs = NULL;
    struct lith_file_writer *writer = NULL;
    uint64_t offset;

    lith_spool_clear(&file);
    enum lith_code code = lith_codec_context_new(&mem, &codecs, &err);
    if (code == LITH_OK)
        code = lith_file_writer_new(&file.sink, &schema, codecs, &work, &writer, &err);
    for (unsigned i = 0; i < groups && code == LITH_OK; i++)
        code = group_write(writer, plan, batch_positions);
    if (code == LITH_OK)
        code = lith_file_writer_blob(writer, "blob", 4, &offset, &err);
    if (code == LITH_OK)
        code = lith_file_writer_finish(writer, NULL, 0, &err);
    if (code == LITH_OK)
        assert_int_equal(lith_file_writer_rows(writer), (int64_t)row_count * groups);
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
    return code;
}

/* Reads a chunk back through the reader and compares every position. */
static void compare_chunk(const struct lith_footer *footer, uint32_t group)
{
    struct lith_codec_context *codecs;
    struct lith_chunk_reader *reader;
    struct lith_batch batch;
    size_t at = 0, value_at = 0;

    MUST(lith_codec_context_new(&test_mem, &codecs, &err));
    MUST(lith_chunk_reader_open(&file.source, footer, group, 0, codecs, &test_work, &reader, &err));
    for (;;) {
        MUST(lith_chunk_reader_next(reader, &batch, &err));
        if (batch.position_count == 0)
            break;
        assert_true(at + batch.position_count <= position_count);
        struct lith_batch expected = batch_at(at, batch.position_count, value_at);
        assert_int_equal(batch.values.count, expected.values.count);
        if (batch.def_levels)
            assert_memory_equal(batch.def_levels, defs + at, batch.position_count * 2);
        if (batch.rep_levels)
            assert_memory_equal(batch.rep_levels, reps + at, batch.position_count * 2);
        for (size_t i = 0; i < batch.values.count; i++)
            assert_true(lith_slice_equal(lith_values_at(&batch.values, i),
                                         lith_values_at(&expected.values, i)));
        at += batch.position_count;
        value_at += batch.values.count;
    }
    assert_int_equal(at, position_count);
    lith_chunk_reader_close(reader);
    lith_codec_context_free(codecs);
}

struct walk {
    unsigned data_pages;
    unsigned dictionary_pages;
    uint32_t encodings; /* of data pages */
};

static void check_location(const struct lith_offset_index *index, unsigned page, uint64_t offset,
                           uint64_t bytes)
{
    if (!index->pages)
        return;
    assert_true(page < index->page_count);
    assert_int_equal(index->pages[page].offset, offset);
    assert_int_equal(index->pages[page].bytes, bytes);
    assert_true(page == 0 || index->pages[page].first_row > index->pages[page - 1].first_row);
}

/* Walks the pages of a chunk: sizes, CRCs, counts, offsets and encodings as its metadata says. */
static struct walk walk_chunk(const struct lith_footer *footer, uint32_t group)
{
    const struct lith_chunk_meta *meta = &footer->row_groups[group].chunks[0];
    uint64_t start = (uint64_t)(meta->dictionary_page_offset ? meta->dictionary_page_offset
                                                             : meta->data_page_offset);
    uint64_t at = start, end = start + (uint64_t)meta->total_compressed_size;
    const uint8_t *data = lith_spool_memory(&file);
    struct lith_offset_index index = {.pages = NULL};
    struct walk walk = {0};
    int64_t positions = 0, uncompressed = 0;

    if (meta->offset_index_offset)
        MUST(lith_offset_index_parse(data + meta->offset_index_offset,
                                     (size_t)meta->offset_index_length, &arena, &index, &err));
    while (at < end) {
        struct lith_page_header header;
        size_t bytes;
        MUST(lith_page_header_parse(data + at, (size_t)(end - at), &header, &bytes, &err));
        uint64_t body = (uint64_t)header.compressed_bytes;
        assert_true(header.has_crc);
        assert_int_equal(header.crc, lith_crc32(0, data + at + bytes, body));
        if (header.type == LITH_PAGE_DICTIONARY) {
            assert_int_equal(at, start);
            assert_int_equal(at + bytes + body, meta->data_page_offset);
            walk.dictionary_pages++;
        } else {
            assert_int_equal(header.type, LITH_PAGE_DATA);
            check_location(&index, walk.data_pages++, at, bytes + body);
            walk.encodings |= 1u << header.encoding;
            positions += header.num_values;
        }
        uncompressed += (int64_t)bytes + header.uncompressed_bytes;
        at += bytes + body;
    }
    assert_int_equal(at, end);
    assert_int_equal(positions, meta->num_values);
    assert_int_equal(positions, position_count);
    assert_int_equal(uncompressed, meta->total_uncompressed_size);
    assert_true(!index.pages || index.page_count == walk.data_pages);
    assert_int_equal(meta->dictionary_page_offset != 0, walk.dictionary_pages);
    return walk;
}

static void check_encodings(const struct lith_chunk_meta *meta, const struct walk *walk,
                            bool has_levels)
{
    uint32_t expected = walk->encodings;
    unsigned data_pages = 0;

    if (has_levels)
        expected |= 1u << LITH_ENCODING_RLE;
    if (walk->dictionary_pages)
        expected |= 1u << LITH_ENCODING_PLAIN;
    assert_int_equal(meta->encodings, expected);
    for (uint32_t i = 0; i < meta->encoding_stat_count; i++)
        if (meta->encoding_stats[i].page_type == LITH_PAGE_DATA)
            data_pages += (unsigned)meta->encoding_stats[i].count;
    assert_int_equal(data_pages, walk->data_pages);
}

/* Reads the file back and checks all of it; the walk is the first row group's. */
static struct walk check_file(unsigned groups)
{
    struct lith_footer footer;
    struct walk walk = {0};

    MUST(lith_footer_read(&file.source, &arena, &footer, &err));
    assert_int_equal(footer.row_group_count, groups);
    assert_int_equal(footer.num_rows, row_count * groups);
    assert_true(lith_slice_equal(footer.created_by, lith_slice_text("lithify version 0.1.0")));
    assert_non_null(footer.column_orders);
    assert_int_equal(footer.column_orders[0], LITH_ORDER_TYPE);
    for (uint32_t i = groups; i-- > 0;) {
        const struct lith_chunk_meta *meta = &footer.row_groups[i].chunks[0];
        compare_chunk(&footer, i);
        walk = walk_chunk(&footer, i);
        check_encodings(meta, &walk, lith_schema_leaf(&schema, 0)->max_def > 0);
        assert_int_equal(footer.row_groups[i].total_byte_size, meta->total_uncompressed_size);
        assert_true(meta->statistics.has_null_count);
        assert_int_equal(meta->statistics.null_count, position_count - value_count);
        assert_null(meta->statistics.legacy_min.data);
    }
    return walk;
}

#define BIT(encoding) (1u << LITH_ENCODING_##encoding)

/* Rows of `distinct` values; every `null_every`-th is null. */
static const struct dictionary_case {
    const char *name;
    uint64_t rows;
    uint64_t distinct;
    size_t value_bytes;
    uint64_t null_every;
    uint64_t turn; /* from this row on, all values differ */
    bool dictionary;
    uint32_t encodings;
} dictionary_cases[] = {
    {"few values", 50000, 10, 12, 7, 0, true, BIT(RLE_DICTIONARY)},
    {"one value", 1000, 1, 12, 0, 0, true, BIT(RLE_DICTIONARY)},
    {"one row", 1, 1, 12, 0, 0, false, BIT(DELTA_BYTE_ARRAY)},
    {"all differ", 50000, 50000, 12, 0, 0, false, BIT(DELTA_BYTE_ARRAY)},
    {"all differ, few", 1000, 1000, 12, 3, 0, false, BIT(DELTA_BYTE_ARRAY)},
    {"nothing but nulls", 50000, 1, 12, 1, 0, false, BIT(PLAIN)},
    {"the dictionary gets full, and pays", 120000, 10, 40, 0, 60000, true,
     BIT(RLE_DICTIONARY) | BIT(DELTA_BYTE_ARRAY)},
    {"the dictionary gets full, and does not", 100000, 10, 60, 0, 1000, false,
     BIT(DELTA_BYTE_ARRAY)},
    {"empty values", 3000, 1, 0, 0, 0, true, BIT(RLE_DICTIONARY)},
};

static void test_dictionaries(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY,
                                   .fallback = LITH_ENCODING_DELTA_BYTE_ARRAY,
                                   .try_dictionary = true,
                                   .bloom = true};

    (void)state;
    for (size_t i = 0; i < sizeof(dictionary_cases) / sizeof(dictionary_cases[0]); i++) {
        const struct dictionary_case *c = &dictionary_cases[i];
        teardown(NULL);
        setup(NULL);
        begin(text_nodes, 2, c->rows);
        for (uint64_t row = 0; row < c->rows; row++) {
            uint64_t content = c->turn && row >= c->turn ? row + c->distinct : row % c->distinct;
            if (c->null_every && row % c->null_every == 0)
                add_position(0, 0);
            else
                add_bytes(0, 1, c->value_bytes, content);
        }
        MUST(write_all(&plan, 4096, 1));
        struct walk walk = check_file(1);
        if (walk.dictionary_pages != c->dictionary || walk.encodings != c->encodings)
            fail_msg("%s: dictionary pages %u, encodings %x", c->name, walk.dictionary_pages,
                     walk.encodings);
    }
}

/* Every value of a column with a bloom filter tests positive; others mostly do not. */
static void test_bloom(void **state)
{
    struct lith_chunk_plan plan = {
        .codec = LITH_CODEC_ZSTD, .fallback = LITH_ENCODING_DELTA_BINARY_PACKED, .bloom = true};
    struct lith_footer footer;
    struct lith_bloom bloom;
    unsigned wrong = 0;

    (void)state;
    begin(number_nodes, 2, 30000);
    for (uint64_t i = 0; i < 30000; i++)
        add_number(i % 5000 * 7919);
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        plan.try_dictionary = dictionary;
        MUST(write_all(&plan, 1000, 3));
        check_file(3);
        MUST(lith_footer_read(&file.source, &arena, &footer, &err));
        for (uint32_t group = 0; group < 3; group++) {
            const struct lith_chunk_meta *meta = &footer.row_groups[group].chunks[0];
            MUST(lith_bloom_read(&file.source, (uint64_t)meta->bloom_filter_offset,
                                 (uint32_t)meta->bloom_filter_length, &test_mem, &bloom, &err));
            assert_true(bloom.bytes <= 2 * lith_bloom_bytes(5000, 100));
            for (uint64_t i = 0; i < 5000; i++) {
                uint64_t value = i * 7919, other = value + 1;
                assert_true(lith_bloom_has_hash(&bloom, lith_xxh64(&value, 8)));
                wrong += lith_bloom_has_hash(&bloom, lith_xxh64(&other, 8));
            }
            lith_bloom_done(&bloom);
        }
    }
    assert_true(wrong < 30000 / 33);
}

/* Random lists of random values in batches of random size, for every codec. */
static void test_random_lists(void **state)
{
    static const enum lith_codec codecs[] = {LITH_CODEC_UNCOMPRESSED, LITH_CODEC_SNAPPY,
                                             LITH_CODEC_GZIP,         LITH_CODEC_BROTLI,
                                             LITH_CODEC_ZSTD,         LITH_CODEC_LZ4_RAW};
    uint64_t seed = test_seed();

    (void)state;
    for (unsigned round = 0; round < 12; round++) {
        struct lith_chunk_plan plan = {.codec = codecs[round % 6],
                                       .fallback = round % 4 < 2 ? LITH_ENCODING_PLAIN
                                                                 : LITH_ENCODING_DELTA_BYTE_ARRAY,
                                       .try_dictionary = round % 2 == 0,
                                       .bloom = round % 3 == 0};
        uint64_t distinct = 1 + test_random(&seed) % 30000;
        teardown(NULL);
        setup(NULL);
        begin(list_nodes, 4, 400000);
        for (unsigned row = 0; row < 20000; row++) {
            uint64_t count = test_random(&seed) % 8;
            if (count < 2)
                add_position(0, (uint16_t)count);
            for (uint64_t i = 0; i + 1 < count; i++) {
                uint64_t value = test_random(&seed) % distinct;
                if (value % 5 == 0)
                    add_position(i > 0, 2);
                else
                    add_bytes(i > 0, 3, (size_t)(value % 40), value);
            }
        }
        MUST(write_all(&plan, 1 + (size_t)(test_random(&seed) % 5000), 2));
        struct walk walk = check_file(2);
        assert_true(walk.data_pages > 0);
    }
}

/* Rows of `per_row` values, one in `null_every` null, the first `turn` all different. */
static const struct border_case {
    const char *name;
    unsigned rows;
    unsigned per_row;
    unsigned null_every;
    unsigned turn;
    unsigned distinct;
    size_t value_bytes;
    size_t page_rows;
} border_cases[] = {
    {"new values end in the fourth page", 30000, 1, 2, 13000, 6500, 40, 4000},
    {"they end in the first page", 30000, 1, 2, 3000, 1500, 40, 4000},
    {"they do not end", 30000, 1, 3, 30000, 30000, 40, 4000},
    {"small pages", 9000, 1, 0, 2300, 2300, 40, 100},
    {"lists", 9000, 3, 4, 9600, 7200, 20, 1000},
    {"the dictionary gets full", 100000, 1, 5, 60000, 60000, 60, 70000},
};

static void border_rows(const struct border_case *c)
{
    uint64_t chance = 1;

    begin(list_nodes, 4, (size_t)c->rows * c->per_row);
    page_rows = c->page_rows;
    for (unsigned i = 0; i < c->rows * c->per_row; i++) {
        if (c->null_every && i % c->null_every == 0)
            add_position(i % c->per_row > 0, 2);
        else
            add_bytes(i % c->per_row > 0, 3, c->value_bytes,
                      i < c->turn ? value_count : test_random(&chance) % c->distinct);
    }
}

/* Where batches end is no matter: threads of a sort have other batches of the same rows. */
static void test_batch_borders(void **state)
{
    static const size_t batches[] = {4096, 4095, 1111, 64, 7};
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY,
                                   .fallback = LITH_ENCODING_DELTA_BYTE_ARRAY,
                                   .try_dictionary = true,
                                   .bloom = true};
    struct lith_hash128 first = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(border_cases) / sizeof(border_cases[0]); i++) {
        teardown(NULL);
        setup(NULL);
        border_rows(&border_cases[i]);
        for (size_t b = 0; b < sizeof(batches) / sizeof(batches[0]); b++) {
            MUST(write_all(&plan, batches[b], 1));
            struct lith_hash128 hash =
                lith_hash128(lith_spool_memory(&file), (size_t)file.source.size, 0);
            if (b == 0)
                first = hash;
            if (memcmp(&hash, &first, sizeof(hash)) != 0)
                fail_msg("%s: batches of %zu", border_cases[i].name, batches[b]);
        }
        check_file(1);
    }
}

/* Many rows: pages close at LITH_PAGE_ROWS_MAX rows and near LITH_PAGE_BYTES_TARGET bytes. */
static void test_page_borders(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_UNCOMPRESSED};
    struct lith_column_index index;
    struct lith_footer footer;

    (void)state;
    begin(number_nodes, 2, 50001);
    for (uint64_t i = 0; i < 50001; i++)
        add_number(i);
    MUST(write_all(&plan, 777, 1));
    assert_int_equal(check_file(1).data_pages, 3);
    MUST(lith_footer_read(&file.source, &arena, &footer, &err));
    const struct lith_chunk_meta *meta = &footer.row_groups[0].chunks[0];
    MUST(lith_column_index_parse(lith_spool_memory(&file) + meta->column_index_offset,
                                 (size_t)meta->column_index_length, &arena, &index, &err));
    assert_int_equal(index.boundary_order, LITH_BOUNDARY_ASCENDING);
    assert_int_equal(lith_load_u64(index.min_values[1].data), 20000);
    assert_int_equal(lith_load_u64(index.max_values[1].data), 39999);
    assert_int_equal(lith_load_u64(meta->statistics.max_value.data), 50000);
    assert_true(meta->statistics.max_exact);

    teardown(NULL);
    setup(NULL);
    begin(text_nodes, 2, 100);
    for (uint64_t i = 0; i < 100; i++)
        add_bytes(0, 1, 100000, i);
    MUST(write_all(&plan, 100, 1));
    assert_int_equal(check_file(1).data_pages, 10);
}

/* A row of more than half a share of the budget is cut; then there is no page index. */
static void test_large_row(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY, .try_dictionary = true};
    struct lith_footer footer;

    (void)state;
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        teardown(NULL);
        setup(NULL);
        begin(list_nodes, 4, 2000000);
        for (uint64_t i = 0; i < 3000; i++)
            add_bytes(i % 3 > 0, 3, 20, i);
        for (uint64_t i = 0; i < (dictionary ? 1000000 : 6000); i++)
            add_bytes(i > 0, 3, dictionary ? 3 : 1000, dictionary ? i % 20 : i);
        add_position(0, 0);
        MUST(write_all(&plan, 4096, 2));
        assert_true(check_file(2).data_pages > 2);
        MUST(lith_footer_read(&file.source, &arena, &footer, &err));
        assert_int_equal(footer.row_groups[0].chunks[0].offset_index_offset, 0);
        assert_int_equal(footer.row_groups[0].chunks[0].column_index_offset, 0);
        assert_int_equal(footer.row_groups[1].chunks[0].dictionary_page_offset != 0, dictionary);
    }
}

/* One value as large as a share is written; a larger one is refused with the numbers. */
static void test_large_value(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_ZSTD, .try_dictionary = true};
    size_t share = lith_work_share(&work);

    (void)state;
    begin(text_nodes, 2, 20);
    add_bytes(0, 1, 5, 0);
    add_bytes(0, 1, share, 1);
    add_bytes(0, 1, 5, 0);
    MUST(write_all(&plan, 20, 1));
    check_file(1);
    add_bytes(0, 1, share + 1, 1);
    assert_int_equal(write_all(&plan, 20, 1), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "4194305"));
    assert_non_null(strstr(err.text, "column text"));

    /* A fixed length above a share is refused before the first value. */
    struct sample_node nodes[2] = {text_nodes[0], text_nodes[1]};
    nodes[1].type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY;
    nodes[1].type_length = (int32_t)share + 1;
    nodes[1].converted = LITH_CONVERTED_NONE;
    begin(nodes, 2, 1);
    position_count = 0;
    assert_int_equal(write_all(&plan, 20, 1), LITH_E_LIMIT);
}

/* Very many row groups: the budget holds, as the metadata waits in spools. */
static void test_many_row_groups(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_UNCOMPRESSED};
    struct lith_footer footer;

    (void)state;
    begin(number_nodes, 2, 1);
    add_number(42);
    MUST(write_all(&plan, 1, 33000));
    MUST(lith_footer_read(&file.source, &arena, &footer, &err));
    assert_int_equal(footer.row_group_count, 33000);
    assert_true(atomic_load(&mem.peak) < 3 << 20);
    assert_true(atomic_load(&scratch.used) == 0);
}

static void test_cancel(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    static const struct lith_control stopped = {.cancel = &stop};
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_UNCOMPRESSED};

    (void)state;
    begin(number_nodes, 2, 1);
    add_number(42);
    work.control = &stopped;
    assert_int_equal(write_all(&plan, 1, 1), LITH_E_CANCELLED);
    work.control = &control;
}

/* The N-th allocation fails, for every N: NOMEM, and nothing is lost or taken twice. */
static void test_failing_memory(void **state)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_ZSTD,
                                   .fallback = LITH_ENCODING_DELTA_BYTE_ARRAY,
                                   .try_dictionary = true,
                                   .bloom = true};
    enum lith_code code = LITH_E_NOMEM;
    int64_t n;

    (void)state;
    begin(list_nodes, 4, 10000);
    for (uint64_t i = 0; i < 5000; i++)
        add_bytes(i % 4 > 0, 3, 30, i % 50);
    for (uint64_t i = 0; i < 5000; i++)
        add_bytes(i % 4 > 0, 3, 30, i);
    for (n = 0; code != LITH_OK; n++) {
        assert_true(n < 5000);
        atomic_store(&mem.fail_after, n);
        code = write_all(&plan, 4096, 2);
        atomic_store(&mem.fail_after, -1);
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        assert_int_equal(atomic_load(&mem.used), 0);
    }
    assert_true(n > 30);
    check_file(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dictionaries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bloom, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_batch_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_page_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_row, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_row_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failing_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
