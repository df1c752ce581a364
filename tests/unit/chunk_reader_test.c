/*
 * The chunk reader over chunks forged here: each rule of the walk, the bodies, the levels and the
 * bytes behind the values, kept and broken.
 */
#include "support.h"

#include "base/hash.h"
#include "parquet/chunk_reader.h"
#include "parquet/encoder.h"
#include "parquet/metadata_write.h"

#define LARGE ((size_t)64 << 20)

static struct lith_err err;
static struct lith_mem own; /* of the test itself */

/* A file of one chunk: pages are appended, then it is read. */
struct forge {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct lith_codec_context *codecs;
    struct lith_buf file;
    struct lith_memory_source source;
    struct lith_schema_node nodes[2];
    uint32_t leaves[1];
    struct lith_chunk_meta meta;
    struct lith_row_group group;
    struct lith_footer footer;
    size_t behind;          /* bytes at the end that are no longer the chunk's */
    struct lith_buf values; /* read: PLAIN values, byte arrays behind a length */
    uint64_t positions;
    uint64_t nulls;
};

static void forge_init(struct forge *f, enum lith_type type, uint16_t max_def, uint16_t max_rep,
                       size_t budget)
{
    memset(f, 0, sizeof(*f));
    lith_mem_init(&f->mem, budget, NULL);
    lith_scratch_init(&f->scratch, "/tmp", 0);
    f->work = (struct lith_work){.mem = &f->mem, .scratch = &f->scratch, .control = &f->control};
    MUST(lith_codec_context_new(&own, &f->codecs, &err));
    lith_buf_init(&f->file, &own, SIZE_MAX);
    lith_buf_init(&f->values, &own, SIZE_MAX);
    MUST(lith_buf_append(&f->file, "PAR1", 4, &err));
    f->nodes[0] = (struct lith_schema_node){.name = lith_slice_text("root"),
                                            .is_group = true,
                                            .parent = LITH_NO_INDEX,
                                            .leaf_index = LITH_NO_INDEX,
                                            .child_count = 1};
    f->nodes[1] = (struct lith_schema_node){.name = lith_slice_text("x"),
                                            .type = type,
                                            .max_def = max_def,
                                            .max_rep = max_rep,
                                            .depth = 1};
    f->leaves[0] = 1;
    f->meta = (struct lith_chunk_meta){.data_page_offset = 4};
    f->group = (struct lith_row_group){.chunks = &f->meta};
    f->footer = (struct lith_footer){
        .schema = {.nodes = f->nodes, .node_count = 2, .leaves = f->leaves, .leaf_count = 1},
        .row_groups = &f->group,
        .row_group_count = 1,
        .created_by = lith_slice_text("some writer version 1.0"),
    };
}

static void forge_done(struct forge *f)
{
    lith_buf_done(&f->file);
    lith_buf_done(&f->values);
    lith_codec_context_free(f->codecs);
    lith_mem_done(&f->mem);
}

/* Appends a page with this body; sizes of the header that are 0 are filled in. */
static void forge_page(struct forge *f, struct lith_page_header header, const void *body,
                       size_t bytes)
{
    header.compressed_bytes = (int32_t)bytes;
    if (header.uncompressed_bytes == 0)
        header.uncompressed_bytes = (int32_t)bytes;
    MUST(lith_page_header_write(&header, &f->file, &err));
    MUST(lith_buf_append(&f->file, body, bytes, &err));
}

static struct lith_page_header v1(uint32_t num_values)
{
    return (struct lith_page_header){.type = LITH_PAGE_DATA,
                                     .num_values = num_values,
                                     .encoding = LITH_ENCODING_PLAIN,
                                     .def_encoding = LITH_ENCODING_RLE,
                                     .rep_encoding = LITH_ENCODING_RLE};
}

static struct lith_page_header v2(uint32_t num_values, uint32_t nulls, uint32_t def_bytes)
{
    return (struct lith_page_header){.type = LITH_PAGE_DATA_V2,
                                     .num_values = num_values,
                                     .num_rows = num_values,
                                     .num_nulls = nulls,
                                     .def_bytes = def_bytes,
                                     .encoding = LITH_ENCODING_PLAIN};
}

static struct lith_page_header dictionary(uint32_t count)
{
    return (struct lith_page_header){
        .type = LITH_PAGE_DICTIONARY, .num_values = count, .encoding = LITH_ENCODING_PLAIN};
}

static void keep(struct forge *f, const struct lith_batch *batch)
{
    f->positions += batch->position_count;
    f->nulls += batch->position_count - batch->values.count;
    for (size_t i = 0; i < batch->values.count; i++) {
        struct lith_slice value = lith_values_at(&batch->values, i);
        uint32_t bytes = (uint32_t)value.bytes;
        if (batch->values.slices)
            MUST(lith_buf_append(&f->values, &bytes, sizeof(bytes), &err));
        MUST(lith_buf_append(&f->values, value.data, value.bytes, &err));
    }
}

/* Reads the chunk as `rows` rows and `num_values` positions. */
static enum lith_code forge_read(struct forge *f, int64_t rows, int64_t num_values)
{
    struct lith_chunk_reader *reader;
    struct lith_batch batch;

    lith_memory_source_init(&f->source, f->file.data, f->file.bytes);
    f->footer.footer_offset = f->file.bytes;
    f->group.num_rows = rows;
    f->meta.num_values = num_values;
    f->meta.total_compressed_size = (int64_t)(f->file.bytes - f->behind - 4);
    lith_buf_clear(&f->values);
    f->positions = 0;
    f->nulls = 0;
    LITH_TRY(lith_chunk_reader_open(&f->source.base, &f->footer, 0, 0, f->codecs, &f->work, &reader,
                                    &err));
    enum lith_code code;
    do {
        code = lith_chunk_reader_next(reader, &batch, &err);
        if (code == LITH_OK)
            keep(f, &batch);
    } while (code == LITH_OK && batch.position_count > 0);
    lith_chunk_reader_close(reader);
    return code;
}

static void refused(struct forge *f, int64_t rows, int64_t num_values, const char *text)
{
    enum lith_code code = forge_read(f, rows, num_values);

    if (code != LITH_E_CORRUPT || !strstr(err.text, text))
        fail_msg("%s \"%s\", expected \"%s\"", lith_code_name(code),
                 code == LITH_OK ? "" : err.text, text);
    assert_non_null(strstr(err.text, "row group 0, column \"x\", page "));
}

static const uint32_t numbers[4] = {7, 8, 9, 10};

static void what_holds_no_values_is_passed_over(void **state)
{
    struct lith_page_header index = {.type = LITH_PAGE_INDEX};
    struct forge f;

    (void)state;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    forge_page(&f, index, "abcdef", 6);
    forge_page(&f, v1(2), numbers, 8);
    forge_page(&f, v1(0), "", 0);
    forge_page(&f, index, "", 0);
    forge_page(&f, v1(2), numbers + 2, 8);
    MUST(forge_read(&f, 4, 4));
    assert_int_equal(f.values.bytes, 16);
    assert_memory_equal(f.values.data, numbers, 16);
    refused(&f, 5, 5, "1 of 5 values are still to come");
    refused(&f, 3, 4, "at least 4 rows, its row group 3");
    refused(&f, 5, 4, "has 4 rows, its row group 5");
    refused(&f, 3, 3, "2 values in the page, but only 1 of 3");
    forge_done(&f);
}

/* What follows a chunk is the next one: a chunk that lacks a page must not take pages from it. */
static void pages_of_the_next_chunk_are_not_taken(void **state)
{
    struct lith_page_header unknown = {.type = 37};
    struct forge f;
    size_t own_bytes;

    (void)state;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    forge_page(&f, v1(2), numbers, 8);
    forge_page(&f, unknown, numbers, 8);
    own_bytes = f.file.bytes;
    forge_page(&f, v1(2), numbers + 2, 8);
    f.behind = f.file.bytes - own_bytes;
    refused(&f, 4, 4, "no page header in 0 bytes, and 2 of 4 values are still to come");
    f.behind--;
    refused(&f, 4, 4, "no page header in 1 bytes");
    f.behind = 1;
    refused(&f, 4, 4, "a body of 8 bytes, but the pages end in 7");
    f.behind = 0;
    MUST(forge_read(&f, 4, 4));
    forge_done(&f);
}

/* PARQUET-816: the header of the dictionary page is missing in the size, and no byte more. */
static void old_sizes_lack_the_header_of_the_dictionary(void **state)
{
    static const struct {
        const char *created_by;
        bool lacks;
    } writers[] = {{"parquet-mr", true},
                   {"parquet-mr version 1.2.5", true},
                   {"parquet-mr version 1.3.0", false},
                   {"parquet-mr version 1.12.2", false},
                   {"parquet-mr-next", false},
                   {"", false}};
    static const uint8_t body[] = {1, 0x03, 0x1b}; /* width 1; 8 bits of ids: 1 1 0 1 */
    struct lith_page_header ids = v1(4);
    struct forge f;

    (void)state;
    ids.encoding = LITH_ENCODING_RLE_DICTIONARY;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    forge_page(&f, dictionary(2), numbers, 8);
    size_t header_bytes = f.file.bytes - 4 - 8;
    forge_page(&f, ids, body, sizeof(body));
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        f.footer.created_by = lith_slice_text(writers[i].created_by);
        f.behind = header_bytes;
        if (writers[i].lacks)
            MUST(forge_read(&f, 4, 4));
        else
            refused(&f, 4, 4, "page 1 at byte");
        f.behind = header_bytes + 1;
        refused(&f, 4, 4, "page 1 at byte");
    }
    forge_done(&f);
}

/* A SNAPPY block of one literal. */
static size_t snappy(const void *data, uint8_t bytes, uint8_t *to)
{
    to[0] = bytes;
    to[1] = (uint8_t)((bytes - 1) << 2);
    memcpy(to + 2, data, bytes);
    return bytes + 2u;
}

/* Reading a chunk again with the dictionary of the first time: its page is not looked at. */
static void a_dictionary_that_was_read_is_passed(void **state)
{
    static const uint8_t body[] = {1, 0x03, 0x1b}; /* width 1; 8 bits of ids: 1 1 0 1 */
    struct lith_page_header first = dictionary(2), index = {.type = LITH_PAGE_INDEX};
    struct lith_page_header ids = v1(4);
    struct lith_read_dictionary read;
    struct lith_chunk_reader *reader;
    const struct lith_page *page;
    struct lith_batch batch;
    uint8_t block[16];
    struct forge f;

    (void)state;
    ids.encoding = LITH_ENCODING_RLE_DICTIONARY;
    first.uncompressed_bytes = 8;
    ids.uncompressed_bytes = 3;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    f.meta.codec = LITH_CODEC_SNAPPY;
    f.footer.created_by = lith_slice_text("parquet-mr version 1.2.5"); /* PARQUET-816 */
    forge_page(&f, index, "abcdef", 6);
    size_t begin = f.file.bytes;
    forge_page(&f, first, block, snappy(numbers, 8, block));
    size_t end = f.file.bytes;
    f.behind = end - begin - 10;
    forge_page(&f, ids, block, snappy(body, sizeof(body), block));
    MUST(forge_read(&f, 4, 4));

    struct lith_chunk_ref ref = lith_chunk_ref_of(&f.footer, 0, 0);
    MUST(lith_chunk_reader_new(f.codecs, &f.work, false, &reader, &err));
    MUST(lith_chunk_reader_begin(reader, &f.source.base, &ref, &err));
    assert_int_equal(lith_chunk_reader_dictionary_bytes(reader), 0);
    MUST(lith_chunk_reader_page(reader, &page, &err));
    assert_true(lith_chunk_reader_dictionary_bytes(reader) >= 8);
    lith_chunk_reader_dictionary_take(reader, &read);
    assert_int_equal(lith_chunk_reader_dictionary_bytes(reader), 0);
    assert_int_equal(read.count, 2);
    assert_memory_equal(read.body.data, numbers, 8);

    memset(f.file.data + 4, 0xff, end - 4);
    ref.dictionary = &read;
    for (int i = 0; i < 2; i++) {
        MUST(lith_chunk_reader_begin(reader, &f.source.base, &ref, &err));
        lith_buf_clear(&f.values);
        MUST(lith_chunk_reader_next(reader, &batch, &err));
        keep(&f, &batch);
        assert_memory_equal(f.values.data, ((uint32_t[]){8, 8, 7, 8}), 16);
        assert_int_equal(lith_chunk_reader_dictionary_bytes(reader), 0);
        MUST(lith_chunk_reader_next(reader, &batch, &err));
        assert_int_equal(batch.position_count, 0);
    }
    f.file.data[end] = 0xff; /* places are those of a reader that saw it all */
    MUST(lith_chunk_reader_begin(reader, &f.source.base, &ref, &err));
    assert_int_not_equal(lith_chunk_reader_next(reader, &batch, &err), LITH_OK);
    char place[64];
    (void)snprintf(place, sizeof(place), "page 2 at byte %zu", end);
    if (!strstr(err.text, place))
        fail_msg("%s", err.text);

    lith_buf_done(&read.body);
    lith_chunk_reader_close(reader);
    forge_done(&f);
}

static void one_dictionary_in_front(void **state)
{
    struct lith_page_header ids = v1(4);
    static const uint8_t body[] = {1, 0x03, 0x1b}; /* width 1; 8 bits of ids: 1 1 0 1 */
    struct forge f;

    (void)state;
    ids.encoding = LITH_ENCODING_RLE_DICTIONARY;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    forge_page(&f, dictionary(2), numbers, 8);
    forge_page(&f, ids, body, sizeof(body));
    MUST(forge_read(&f, 4, 4)); /* data_page_offset points at the dictionary, as Polars has it */
    assert_memory_equal(f.values.data, ((uint32_t[]){8, 8, 7, 8}), 16);
    f.meta.dictionary_page_offset = 4;
    f.meta.data_page_offset = 40;
    MUST(forge_read(&f, 4, 4));
    forge_page(&f, dictionary(2), numbers, 8);
    forge_page(&f, ids, body, sizeof(body));
    refused(&f, 8, 8, "a second dictionary page");
    f.file.bytes = 4;
    forge_page(&f, v1(4), numbers, 16);
    forge_page(&f, dictionary(2), numbers, 8);
    f.meta.dictionary_page_offset = 0;
    f.meta.data_page_offset = 4;
    refused(&f, 8, 8, "a dictionary page after data pages");
    forge_done(&f);
}

static void checksums_are_checked_at_any_size(void **state)
{
    static const size_t budgets[] = {LARGE, (size_t)256 << 10};
    size_t count = 40000;
    uint32_t *many = calloc(count, sizeof(*many));

    (void)state;
    assert_non_null(many);
    for (size_t i = 0; i < count; i++)
        many[i] = (uint32_t)(i / 3);
    for (size_t b = 0; b < 2; b++) {
        for (int codec = LITH_CODEC_UNCOMPRESSED; codec <= LITH_CODEC_SNAPPY; codec++) {
            struct lith_page_header header = v1((uint32_t)count);
            struct lith_buf body;
            struct forge f;
            forge_init(&f, LITH_TYPE_INT32, 0, 0, budgets[b]);
            lith_buf_init(&body, &own, SIZE_MAX);
            MUST(lith_compress(f.codecs, (enum lith_codec)codec, many, count * 4, &body, &err));
            f.meta.codec = codec;
            header.uncompressed_bytes = (int32_t)(count * 4);
            header.has_crc = true;
            header.crc = lith_crc32(0, body.data, body.bytes);
            forge_page(&f, header, body.data, body.bytes);
            MUST(forge_read(&f, (int64_t)count, (int64_t)count));
            assert_int_equal(f.values.bytes, count * 4);
            assert_memory_equal(f.values.data, many, count * 4);
            assert_true(atomic_load(&f.mem.peak) <= budgets[b]);
            f.file.bytes = 4;
            header.crc ^= 1;
            forge_page(&f, header, body.data, body.bytes);
            refused(&f, (int64_t)count, (int64_t)count, "page 0 at byte 4: the page's CRC is");
            lith_buf_done(&body);
            forge_done(&f);
        }
    }
    free(many);
}

static void v2_pages(void **state)
{
    static const uint8_t levels[] = {0x03, 0x0b}; /* 8 bits: 1 1 0 1 */
    uint8_t body[32];
    struct forge f;

    (void)state;
    memcpy(body, levels, 2);
    memcpy(body + 2, numbers, 12);
    forge_init(&f, LITH_TYPE_INT32, 1, 0, LARGE);
    forge_page(&f, v2(4, 1, 2), body, 14);
    MUST(forge_read(&f, 4, 4));
    assert_int_equal(f.nulls, 1);
    assert_memory_equal(f.values.data, numbers, 12);
    f.file.bytes = 4;
    forge_page(&f, v2(4, 2, 2), body, 14);
    refused(&f, 4, 4, "the levels have more values than the header's 4 less 2 nulls");
    f.file.bytes = 4;
    forge_page(&f, v2(4, 0, 2), body, 14);
    refused(&f, 4, 4, "4 values of 4 bytes in 12 bytes");
    f.file.bytes = 4;
    struct lith_page_header rows = v2(4, 1, 2);
    rows.num_rows = 3;
    forge_page(&f, rows, body, 14);
    refused(&f, 4, 4, "the header says 3 rows, the levels 4");
    f.file.bytes = 4;
    f.meta.codec = LITH_CODEC_SNAPPY; /* all null: no values' part, which is not for the codec */
    struct lith_page_header null = v2(4, 4, 2);
    null.is_compressed = true;
    forge_page(&f, null, "\x08\x00", 2);
    MUST(forge_read(&f, 4, 4));
    assert_int_equal(f.nulls, 4);
    forge_done(&f);
}

/* ARROW-17453: repetition levels although the column has none. */
static void v2_levels_that_the_schema_lacks(void **state)
{
    struct lith_page_header header = v2(4, 0, 0);
    uint8_t body[32] = {0x08, 0x00};
    struct forge f;

    (void)state;
    header.rep_bytes = 2;
    memcpy(body + 2, numbers, 16);
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    forge_page(&f, header, body, 18);
    MUST(forge_read(&f, 4, 4));
    assert_memory_equal(f.values.data, numbers, 16);
    forge_done(&f);
}

/* Arrow before 3.0 compressed V2 pages and said that it had not. */
static void v2_pages_that_lie_about_compression(void **state)
{
    struct lith_page_header header = v2(4, 0, 0);
    struct lith_buf body;
    struct forge f;

    (void)state;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    lith_buf_init(&body, &own, SIZE_MAX);
    MUST(lith_compress(f.codecs, LITH_CODEC_SNAPPY, numbers, 16, &body, &err));
    f.meta.codec = LITH_CODEC_SNAPPY;
    header.uncompressed_bytes = 16;
    forge_page(&f, header, body.data, body.bytes);
    refused(&f, 4, 4, "that is not compressed, but the header says 16");
    f.footer.created_by = lith_slice_text("parquet-cpp version 1.5.1-SNAPSHOT");
    MUST(forge_read(&f, 4, 4));
    assert_memory_equal(f.values.data, numbers, 16);
    lith_buf_done(&body);
    forge_done(&f);
}

static void levels_are_checked(void **state)
{
    /* Repetition 2 bits wide, definition 2 bits wide: RLE runs of one value each. */
    static const uint8_t high[] = {2, 0, 0, 0, 8, 0, 2, 0, 0, 0, 8, 3};
    static const uint8_t start[] = {2, 0, 0, 0, 8, 1, 2, 0, 0, 0, 8, 2};
    static const uint8_t short_run[] = {2, 0, 0, 0, 8, 0, 2, 0, 0, 0, 6, 0};
    static const uint8_t past[] = {2, 0, 0, 0, 8, 0, 99, 0, 0, 0, 8, 0};
    static const struct {
        const uint8_t *body;
        const char *text;
    } cases[] = {
        {high, "a definition level of 3, but the schema allows 2"},
        {start, "the first repetition level is 1, it must be 0"},
        {short_run, "definition levels: the runs end before the values do"},
        {past, "99 bytes of definition levels at 10 of a body of 12"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t body[64] = {0};
        struct forge f;
        forge_init(&f, LITH_TYPE_INT32, 2, 1, LARGE);
        memcpy(body, cases[i].body, 12);
        bool has_values = cases[i].body == start;
        forge_page(&f, v1(4), body, has_values ? 28 : 12);
        refused(&f, 4, 4, cases[i].text);
        forge_done(&f);
    }
}

/* Bytes behind the values: padding, or the sign of values read from the wrong place. */
static void bytes_behind_the_values(void **state)
{
    static const struct {
        uint16_t max_def;
        uint32_t num_values;
        size_t bytes;
        uint8_t body[40];
        const char *text; /* NULL: accepted */
    } cases[] = {
        {0, 2, 8, {1, 0, 0, 0, 2}, NULL},
        {0, 2, 9, {1, 0, 0, 0, 2}, NULL},
        {0, 2, 16, {1, 0, 0, 0, 2}, NULL},
        {0, 2, 17, {1, 0, 0, 0, 2}, "9 bytes are left behind 2 values and 0 nulls"},
        {0, 4, 22, {2, 0, 0, 0, 8, 1, 7}, "6 bytes that look like levels"},
        {1, 4, 22, {2, 0, 0, 0, 8, 1, 7}, NULL},
        {1, 4, 26, {2, 0, 0, 0, 8, 1, 7}, NULL},
        /* Definition 1 1 0 1, and a value stored for the null. */
        {1, 4, 22, {2, 0, 0, 0, 3, 11, 7}, "4 bytes are left behind 3 values and 1 nulls"},
        {1, 4, 18, {2, 0, 0, 0, 3, 11, 7}, NULL},
        {1, 4, 7, {2, 0, 0, 0, 8, 0, 7}, "1 bytes are left behind 0 values and 4 nulls"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f;
        forge_init(&f, LITH_TYPE_INT32, cases[i].max_def, 0, LARGE);
        forge_page(&f, v1(cases[i].num_values), cases[i].body, cases[i].bytes);
        if (cases[i].text)
            refused(&f, cases[i].num_values, cases[i].num_values, cases[i].text);
        else
            MUST(forge_read(&f, cases[i].num_values, cases[i].num_values));
        forge_done(&f);
    }
}

/* PARQUET-246: the first prefix of the second page is of the last value of the first page. */
static void prefixes_may_continue_for_old_writers(void **state)
{
    static const char *const old[] = {"", "parquet-mr", "parquet-mr version 1.6.0 (build abc)"};
    static const char *const others[] = {"parquet-mr version 1.8.0 (build abc)",
                                         "parquet-mr version 1.10.1 (build abc)", "duckdb"};
    static const uint8_t second[] = {0x80, 1, 4, 1, 6, /* one, 3 */
                                     0x80, 1, 4, 1, 2, 'p'};
    struct lith_page_header header = v1(1);
    struct forge f;

    (void)state;
    header.encoding = LITH_ENCODING_DELTA_BYTE_ARRAY;
    forge_init(&f, LITH_TYPE_BYTE_ARRAY, 0, 0, LARGE);
    forge_page(&f, header, "\x80\x01\x04\x01\x00\x80\x01\x04\x01\x0ahello", 15);
    forge_page(&f, header, second, sizeof(second));
    for (size_t i = 0; i < 3; i++) {
        f.footer.created_by = lith_slice_text(old[i]);
        MUST(forge_read(&f, 2, 2));
        assert_int_equal(f.values.bytes, 4 + 5 + 4 + 4);
        assert_memory_equal(f.values.data + 9, "\4\0\0\0help", 8);
    }
    for (size_t i = 0; i < 3; i++) {
        f.footer.created_by = lith_slice_text(others[i]);
        assert_int_equal(forge_read(&f, 2, 2), LITH_E_CORRUPT);
    }
    forge_done(&f);
}

/* Sizes of a header are claims: nothing is allocated for them beyond the budget. */
static void claims_of_sizes_cost_nothing(void **state)
{
    struct lith_page_header header = v1(4);
    struct forge f;

    (void)state;
    header.uncompressed_bytes = INT32_MAX;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, (size_t)1 << 20);
    f.meta.codec = LITH_CODEC_SNAPPY;
    forge_page(&f, header, "\xff\xff\xff\xff\x07\x00\x00", 7);
    assert_int_not_equal(forge_read(&f, 4, 4), LITH_OK);
    assert_true(atomic_load(&f.mem.peak) < (size_t)1 << 20);
    f.file.bytes = 4;
    forge_page(&f, v1(4), numbers, 16);
    f.file.bytes -= 5; /* the body passes the footer */
    refused(&f, 4, 4, "a body of 16 bytes, but the pages end in 11");
    forge_done(&f);
}

static void a_wish_to_stop_is_heard(void **state)
{
    static volatile sig_atomic_t stop = 1;
    struct forge f;

    (void)state;
    forge_init(&f, LITH_TYPE_INT32, 0, 0, LARGE);
    f.control.cancel = &stop;
    forge_page(&f, v1(4), numbers, 16);
    assert_int_equal(forge_read(&f, 4, 4), LITH_E_CANCELLED);
    forge_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_no_values_is_passed_over),
        cmocka_unit_test(pages_of_the_next_chunk_are_not_taken),
        cmocka_unit_test(old_sizes_lack_the_header_of_the_dictionary),
        cmocka_unit_test(one_dictionary_in_front),
        cmocka_unit_test(a_dictionary_that_was_read_is_passed),
        cmocka_unit_test(checksums_are_checked_at_any_size),
        cmocka_unit_test(v2_pages),
        cmocka_unit_test(v2_levels_that_the_schema_lacks),
        cmocka_unit_test(v2_pages_that_lie_about_compression),
        cmocka_unit_test(levels_are_checked),
        cmocka_unit_test(bytes_behind_the_values),
        cmocka_unit_test(prefixes_may_continue_for_old_writers),
        cmocka_unit_test(claims_of_sizes_cost_nothing),
        cmocka_unit_test(a_wish_to_stop_is_heard),
    };

    lith_mem_init(&own, (size_t)1 << 30, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
