/*
 * Footers: files that lie, are cut, are short of memory, or are large.
 */
#include "metadata_support.h"

#include "base/limits.h"

#define BUDGET (256u << 20)

/* Two flat columns and one repeated: the schema of all files here. */
static void schema_make(struct lith_schema *schema, struct lith_schema_node nodes[4],
                        struct lith_arena *arena)
{
    struct lith_err err;

    nodes[0] = test_group("root", LITH_REQUIRED, 3);
    nodes[1] = test_leaf("a", LITH_REQUIRED, LITH_TYPE_INT32);
    nodes[2] = test_leaf("b", LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY);
    nodes[3] = test_leaf("c", LITH_REPEATED, LITH_TYPE_DOUBLE);
    *schema = (struct lith_schema){.nodes = nodes, .node_count = 4};
    MUST(lith_schema_link(schema, arena, &err));
}

static enum lith_code bytes_read(const void *data, size_t bytes, struct lith_mem *mem,
                                 struct lith_footer *ret_footer, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_memory_source source;

    lith_arena_init(&arena, mem);
    lith_memory_source_init(&source, data, bytes);
    return lith_footer_read(&source.base, &arena, ret_footer, err);
}

static void tweak_nothing(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf)
{
    (void)meta;
    (void)row_group;
    (void)leaf;
}

#define TWEAK(name, statement)                                                                     \
    static void name(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf)              \
    {                                                                                              \
        if (row_group == 1 && leaf == 1)                                                           \
            statement;                                                                             \
    }

TWEAK(tweak_values, meta->num_values--)
TWEAK(tweak_negative_values, meta->num_values = -1)
TWEAK(tweak_negative_size, meta->total_uncompressed_size = -1)
TWEAK(tweak_negative_index, meta->offset_index_offset = -4)
TWEAK(tweak_start, meta->data_page_offset = 3)
TWEAK(tweak_end, meta->total_compressed_size = 1000)
TWEAK(tweak_overflow, meta->total_compressed_size = INT64_MAX)
TWEAK(tweak_overlap, meta->data_page_offset -= 1)
TWEAK(tweak_same_place, meta->data_page_offset = 4)
TWEAK(tweak_short, meta->total_compressed_size = 1)
TWEAK(tweak_dictionary, meta->dictionary_page_offset = meta->data_page_offset - 1)
TWEAK(tweak_dictionary_behind, meta->dictionary_page_offset = meta->data_page_offset + 1)
TWEAK(tweak_codec, meta->codec = 5000)

/* Each chunk where the mirrored one would be: legal, but not ascending. */
static void tweak_order(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf)
{
    meta->data_page_offset = 4 + (int64_t)((1 - row_group) * 3 + leaf) * TEST_CHUNK_BYTES;
}

static void tweak_repeated(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf)
{
    meta->num_values += leaf == 2 ? 5 + (int64_t)row_group : 0;
}

static void tweak_no_values(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf)
{
    (void)row_group;
    (void)leaf;
    meta->data_page_offset = 0;
    meta->dictionary_page_offset = 77;
}

static void test_claims(void **state)
{
    static const struct {
        const char *name;
        void (*tweak)(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf);
        int64_t num_rows;
        int64_t footer_rows;
        enum lith_code code;
        const char *text; /* part of the error */
    } cases[] = {
        {"fine", tweak_nothing, 4, 8, LITH_OK, NULL},
        {"rows left to the row groups", tweak_nothing, 4, 0, LITH_OK, NULL},
        {"no rows", tweak_no_values, 0, 0, LITH_OK, NULL},
        {"other rows", tweak_nothing, 4, 9, LITH_E_CORRUPT, "9 rows, its row groups have 8"},
        {"negative rows", tweak_nothing, -4, -8, LITH_E_CORRUPT, "num_rows is -4"},
        {"overflowing rows", tweak_nothing, INT64_MAX, 8, LITH_E_CORRUPT, "overflow"},
        {"fewer values", tweak_values, 4, 8, LITH_E_CORRUPT, "row group 1: column b: 3 values"},
        {"more values of a list", tweak_repeated, 4, 8, LITH_OK, NULL},
        {"negative values", tweak_negative_values, 4, 8, LITH_E_CORRUPT, "num_values is -1"},
        {"negative size", tweak_negative_size, 4, 8, LITH_E_CORRUPT, "total_uncompressed_size"},
        {"negative index", tweak_negative_index, 4, 8, LITH_E_CORRUPT, "offset_index_offset is -4"},
        {"inside the magic", tweak_start, 4, 8, LITH_E_CORRUPT, "offset 3"},
        {"behind the footer", tweak_end, 4, 8, LITH_E_CORRUPT, "1000 bytes at offset 44"},
        {"overflowing end", tweak_overflow, 4, 8, LITH_E_CORRUPT, "offset 44"},
        {"overlap", tweak_overlap, 4, 8, LITH_E_CORRUPT, "overlap at offset 43"},
        {"twice the same bytes", tweak_same_place, 4, 8, LITH_E_CORRUPT, "overlap at offset 4"},
        {"a short size", tweak_short, 4, 8, LITH_OK, NULL},
        {"another order", tweak_order, 4, 8, LITH_OK, NULL},
        {"dictionary before", tweak_dictionary, 4, 8, LITH_E_CORRUPT, "overlap at offset 43"},
        {"dictionary behind", tweak_dictionary_behind, 4, 8, LITH_E_CORRUPT, "behind"},
        {"unknown codec", tweak_codec, 4, 8, LITH_OK, NULL},
    };
    struct lith_schema_node nodes[4];
    struct lith_schema schema;
    struct lith_arena arena;
    struct lith_mem mem;
    struct lith_err err;
    struct lith_buf buf;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_arena_init(&arena, &mem);
    lith_buf_init(&buf, &mem, 1 << 16);
    schema_make(&schema, nodes, &arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct test_file file = {&schema, cases[i].num_rows, cases[i].footer_rows, 2,
                                 cases[i].tweak};
        struct lith_footer footer;
        lith_buf_clear(&buf);
        test_file_make(&file, &buf);
        enum lith_code code = bytes_read(buf.data, buf.bytes, &mem, &footer, &err);
        if (code != cases[i].code || (code != LITH_OK && !strstr(err.text, cases[i].text)))
            fail_msg("%s: %s: %s", cases[i].name, lith_code_name(code),
                     code == LITH_OK ? "" : err.text);
        if (code == LITH_OK)
            assert_int_equal(footer.num_rows, 2 * cases[i].num_rows);
    }
    lith_buf_done(&buf);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

/* FileMetaData by hand, behind a magic and 20 bytes of body. Version and name are always there. */
#define VERSION 0x15, 0x02
#define ROOT(children) 0x48, 1, 'r', 0x15, (children)*2, 0
#define INT32_COLUMN(letter) 0x15, 2, 0x25, 0, 0x18, 1, (letter), 0
#define NO_ROWS 0x16, 0
#define NO_GROUPS 0x19, 0x0c
/* ColumnMetaData up to its data page, without a stop byte. */
#define CHUNK(type, letter)                                                                        \
    0x15, (type), 0x19, 0x15, 0, 0x19, 0x18, 1, (letter), 0x15, 0, 0x16, 2, 0x16, 2, 0x16, 2,      \
        0x26, 8
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void test_bytes(void **state)
{
    const struct {
        const char *name;
        const uint8_t *bytes;
        size_t count;
        enum lith_code code;
        const char *text;
    } cases[] = {
        {"no columns", BYTES(VERSION, 0x19, 0x1c, ROOT(0), NO_ROWS, NO_GROUPS, 0), LITH_OK, NULL},
        {"no columns but two rows, in an empty list of type 0",
         BYTES(VERSION, 0x19, 0x1c, ROOT(0), 0x16, 4, 0x19, 0x1c, 0x19, 0x00, 0x16, 0, 0x16, 4, 0,
               0),
         LITH_OK, NULL},
        {"one chunk",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x3c, CHUNK(2, 'a'), 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_OK, NULL},
        {"a chunk of another type",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x3c, CHUNK(4, 'a'), 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_E_CORRUPT, "has type INT64 (2), its column INT32"},
        {"a chunk of another column",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x3c, CHUNK(2, 'z'), 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_E_CORRUPT, "says \"z\" where the schema has \"a\""},
        {"an optional field of another wire type",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x3c, CHUNK(2, 'a'), 0x69, 0x15, 2, 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_OK, NULL},
        {"a chunk in another file",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x18, 1, 'f', 0x2c, CHUNK(2, 'a'), 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_E_UNSUPPORTED, "another file, \"f\""},
        {"an encrypted chunk",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x3c, CHUNK(2, 'a'), 0, 0x5c, 0x1c, 0, 0, 0, 0x16, 2, 0x16, 2, 0, 0),
         LITH_E_UNSUPPORTED, "column is encrypted"},
        {"an encrypted chunk without metadata",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x1c,
               0x98, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0x16, 2, 0x16, 2,
               0, 0),
         LITH_E_UNSUPPORTED, "column is encrypted"},
        {"no chunk for a column",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), INT32_COLUMN('a'), 0x16, 2, 0x19, 0x1c, 0x19, 0x0c,
               0x16, 2, 0x16, 2, 0, 0),
         LITH_E_CORRUPT, "0 column chunks, the schema has 1"},
        {"an algorithm", BYTES(VERSION, 0x19, 0x1c, ROOT(0), NO_ROWS, NO_GROUPS, 0x4c, 0, 0),
         LITH_E_UNSUPPORTED, "encrypted or signed"},
        {"a signing key", BYTES(VERSION, 0x19, 0x1c, ROOT(0), NO_ROWS, NO_GROUPS, 0x58, 0, 0),
         LITH_E_UNSUPPORTED, "encrypted or signed"},
        {"row groups first", BYTES(VERSION, 0x39, 0x0c, 0x09, 4, 0x1c, ROOT(0), NO_ROWS, 0),
         LITH_E_CORRUPT, "before the schema"},
        {"two schemas", BYTES(VERSION, 0x19, 0x1c, ROOT(0), 0x09, 4, 0x1c, ROOT(0), 0),
         LITH_E_CORRUPT, "second schema"},
        {"no schema", BYTES(VERSION, 0x26, 0, 0), LITH_E_CORRUPT, "required field schema"},
        {"an empty schema", BYTES(VERSION, 0x19, 0x0c, NO_ROWS, NO_GROUPS, 0), LITH_E_CORRUPT,
         "begin with a group"},
        {"no row groups", BYTES(VERSION, 0x19, 0x1c, ROOT(0), NO_ROWS, 0), LITH_E_CORRUPT,
         "required field row_groups"},
        {"a version that is text", BYTES(0x18, 1, '1', 0x19, 0x1c, ROOT(0), NO_ROWS, NO_GROUPS, 0),
         LITH_E_CORRUPT, "required field version"},
        {"a column without type or children",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), 0x35, 0, 0x18, 1, 'a', 0, NO_ROWS, NO_GROUPS, 0),
         LITH_E_CORRUPT, "neither a type nor children"},
        {"type 8",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), 0x15, 16, 0x25, 0, 0x18, 1, 'a', 0, NO_ROWS, NO_GROUPS,
               0),
         LITH_E_CORRUPT, "unknown type 8"},
        {"repetition 3",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), 0x15, 2, 0x25, 6, 0x18, 1, 'a', 0, NO_ROWS, NO_GROUPS,
               0),
         LITH_E_CORRUPT, "repetition (found 3)"},
        {"negative children",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), 0x48, 1, 'a', 0x15, 1, 0, NO_ROWS, NO_GROUPS, 0),
         LITH_E_CORRUPT, "num_children is -1"},
        {"a list that claims 2^27 elements",
         BYTES(VERSION, 0x19, 0xfc, 0x80, 0x80, 0x80, 0x40, ROOT(0), NO_ROWS, NO_GROUPS, 0),
         LITH_E_CORRUPT, "FileMetaData.schema"},
        {"a logical type with two members",
         BYTES(VERSION, 0x19, 0x2c, ROOT(1), 0x15, 12, 0x25, 0, 0x18, 1, 'a', 0x6c, 0x1c, 0, 0x1c,
               0, 0, 0, NO_ROWS, NO_GROUPS, 0),
         LITH_E_CORRUPT, "union"},
    };
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_err err;
    struct lith_buf buf;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&buf, &mem, 1 << 16);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lith_buf_clear(&buf);
        test_file_wrap(cases[i].bytes, cases[i].count, 20, &buf);
        enum lith_code code = bytes_read(buf.data, buf.bytes, &mem, &footer, &err);
        if (code != cases[i].code || (code != LITH_OK && !strstr(err.text, cases[i].text)))
            fail_msg("%s: %s: %s", cases[i].name, lith_code_name(code),
                     code == LITH_OK ? "" : err.text);
    }
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

static void test_frame(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t count;
        enum lith_code code;
    } cases[] = {
        {"empty", "", 0, LITH_E_CORRUPT},
        {"two magics", "PAR1PAR1", 8, LITH_E_CORRUPT},
        {"length 0", "PAR1\0\0\0\0PAR1", 12, LITH_E_CORRUPT},
        {"length past the start", "PAR1x\2\0\0\0PAR1", 13, LITH_E_CORRUPT},
        {"length 2^32 - 1", "PAR1x\xff\xff\xff\xffPAR1", 13, LITH_E_CORRUPT},
        {"encrypted", "PAREx\1\0\0\0PARE", 13, LITH_E_UNSUPPORTED},
        {"another head", "PAR2\0\1\0\0\0PAR1", 13, LITH_E_CORRUPT},
        {"another tail", "PAR1\0\1\0\0\0PAR2", 13, LITH_E_CORRUPT},
    };
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_err err;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum lith_code code = bytes_read(cases[i].bytes, cases[i].count, &mem, &footer, &err);
        if (code != cases[i].code)
            fail_msg("%s: %s", cases[i].name, lith_code_name(code));
    }
    lith_mem_done(&mem);
}

/* A good file in `buf`. */
static void good_make(struct lith_buf *buf, uint32_t row_group_count)
{
    struct lith_schema_node nodes[4];
    struct lith_schema schema;
    struct lith_arena arena;

    lith_arena_init(&arena, buf->mem);
    schema_make(&schema, nodes, &arena);
    struct test_file file = {&schema, 4, 4 * (int64_t)row_group_count, row_group_count, NULL};
    test_file_make(&file, buf);
    lith_arena_done(&arena);
}

static void test_truncation(void **state)
{
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_buf whole;
    struct lith_buf cut;
    struct lith_err err;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&whole, &mem, 1 << 16);
    lith_buf_init(&cut, &mem, 1 << 16);
    good_make(&whole, 2);
    MUST(bytes_read(whole.data, whole.bytes, &mem, &footer, &err));
    for (size_t bytes = 0; bytes < whole.bytes; bytes++)
        assert_int_equal(bytes_read(whole.data, bytes, &mem, &footer, &err), LITH_E_CORRUPT);
    for (size_t bytes = 1; bytes < footer.footer_bytes; bytes++) {
        lith_buf_clear(&cut);
        test_file_wrap(whole.data + footer.footer_offset, bytes, footer.footer_offset - 4, &cut);
        assert_int_equal(bytes_read(cut.data, cut.bytes, &mem, &footer, &err), LITH_E_CORRUPT);
        assert_non_null(strstr(err.text, "byte "));
    }
    lith_buf_done(&cut);
    lith_buf_done(&whole);
    lith_mem_done(&mem);
}

/* Any byte may be wrong: no crash, no more memory than the bytes allow, nothing negative. */
static void test_noise(void **state)
{
    uint64_t seed = test_seed();
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_buf buf;
    struct lith_err err;
    unsigned parsed = 0;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&buf, &mem, 1 << 16);
    good_make(&buf, 2);
    MUST(bytes_read(buf.data, buf.bytes, &mem, &footer, &err));
    size_t begin = (size_t)footer.footer_offset;
    for (int round = 0; round < 20000; round++) {
        size_t at = begin + (size_t)(test_random(&seed) % (buf.bytes - begin));
        uint8_t old = buf.data[at];
        buf.data[at] = (uint8_t)test_random(&seed);
        atomic_store(&mem.peak, atomic_load(&mem.used));
        if (bytes_read(buf.data, buf.bytes, &mem, &footer, &err) == LITH_OK) {
            parsed++;
            assert_true(footer.num_rows >= 0);
        }
        assert_true(atomic_load(&mem.peak) < 64 * buf.bytes + (64u << 10));
        buf.data[at] = old;
    }
    print_message("%u of 20000 changed footers still parse\n", parsed);
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

static void test_memory(void **state)
{
    struct lith_footer footer;
    struct lith_mem file_mem;
    struct lith_mem mem;
    struct lith_buf buf;
    struct lith_err err;
    int64_t allowed = 0;
    (void)state;

    lith_mem_init(&file_mem, BUDGET, NULL);
    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&buf, &file_mem, 8u << 20);
    good_make(&buf, 2000); /* the footer passes the first guess: two reads */
    for (;; allowed++) {
        atomic_store(&mem.fail_after, allowed);
        enum lith_code code = bytes_read(buf.data, buf.bytes, &mem, &footer, &err);
        if (code == LITH_OK)
            break;
        assert_int_equal(code, LITH_E_NOMEM);
        assert_int_equal(atomic_load(&mem.used), 0);
    }
    assert_true(allowed > 3);
    assert_true(footer.footer_bytes > LITH_FOOTER_GUESS_BYTES);
    atomic_store(&mem.fail_after, -1);
    size_t peak = atomic_load(&mem.peak);
    print_message("footer of %u bytes: %zu bytes of memory\n", footer.footer_bytes, peak);
    assert_true(peak < 30 * (size_t)footer.footer_bytes);
    lith_mem_done(&mem);

    lith_mem_init(&mem, peak / 2, NULL);
    assert_int_equal(bytes_read(buf.data, buf.bytes, &mem, &footer, &err), LITH_E_LIMIT);
    lith_mem_done(&mem);
    lith_buf_done(&buf);
    lith_mem_done(&file_mem);
}

/* The schema that takes most memory for its bytes: columns with empty names. */
static void test_memory_of_lies(void **state)
{
    static const uint8_t column[] = {0x15, 2, 0x25, 0, 0x18, 0, 0};
    const uint32_t count = 100000;
    struct lith_thrift_writer w;
    struct lith_buf thrift;
    struct lith_buf file;
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_err err;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&thrift, &mem, 8u << 20);
    lith_buf_init(&file, &mem, 8u << 20);
    lith_thrift_writer_init(&w, &thrift, &err);
    lith_thrift_write_i32(&w, 1, 1);
    lith_thrift_write_list(&w, 2, LITH_THRIFT_STRUCT, count + 1);
    lith_thrift_write_struct(&w, 0);
    lith_thrift_write_binary(&w, 4, lith_slice_text("r"));
    lith_thrift_write_i32(&w, 5, (int32_t)count);
    lith_thrift_write_stop(&w);
    for (uint32_t i = 0; i < count; i++)
        MUST(lith_buf_append(&thrift, column, sizeof(column), &err));
    lith_thrift_write_i64(&w, 3, 0);
    lith_thrift_write_list(&w, 4, LITH_THRIFT_STRUCT, 0);
    lith_thrift_write_stop(&w);
    MUST(w.code);
    test_file_wrap(thrift.data, thrift.bytes, 0, &file);
    size_t used = atomic_load(&mem.used);
    MUST(bytes_read(file.data, file.bytes, &mem, &footer, &err));
    assert_int_equal(footer.schema.leaf_count, count);
    size_t peak = atomic_load(&mem.peak) - used;
    print_message("schema of %u bytes: %zu bytes of memory\n", footer.footer_bytes, peak);
    assert_true(peak < 30 * (size_t)footer.footer_bytes);
    lith_buf_done(&file);
    lith_buf_done(&thrift);
    lith_mem_done(&mem);
}

/* Lists that claim as many elements as there are bytes: refused before memory is taken. */
static void test_memory_of_claims(void **state)
{
    const uint32_t count = 100000;
    struct lith_thrift_writer w;
    struct lith_buf thrift;
    struct lith_buf file;
    struct lith_footer footer;
    struct lith_mem mem;
    struct lith_err err;
    (void)state;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_buf_init(&thrift, &mem, 8u << 20);
    lith_buf_init(&file, &mem, 8u << 20);
    for (int16_t id = 2; id <= 7; id++) {
        if (id == 3 || id == 6)
            continue; /* no lists */
        lith_buf_clear(&thrift);
        lith_buf_clear(&file);
        lith_thrift_writer_init(&w, &thrift, &err);
        if (id > 2) { /* a schema of the root alone */
            lith_thrift_write_list(&w, 2, LITH_THRIFT_STRUCT, 1);
            lith_thrift_write_struct(&w, 0);
            lith_thrift_write_binary(&w, 4, lith_slice_text("r"));
            lith_thrift_write_stop(&w);
        }
        lith_thrift_write_list(&w, id, LITH_THRIFT_STRUCT, count);
        MUST(w.code);
        MUST(lith_buf_reserve(&thrift, count, &err));
        memset(thrift.data + thrift.bytes, 0, count);
        thrift.bytes += count;
        test_file_wrap(thrift.data, thrift.bytes, 0, &file);
        size_t used = atomic_load(&mem.used);
        atomic_store(&mem.peak, used);
        assert_int_equal(bytes_read(file.data, file.bytes, &mem, &footer, &err), LITH_E_CORRUPT);
        assert_true(atomic_load(&mem.peak) - used < 4 * (size_t)count);
    }
    lith_buf_done(&file);
    lith_buf_done(&thrift);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),         cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_frame),          cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_noise),          cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_lies), cmocka_unit_test(test_memory_of_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
