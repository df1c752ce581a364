/*
 * Page headers: written ones read again, cut ones asked to go on, wrong ones refused.
 */
#include "metadata_support.h"

#include "parquet/page_header.h"

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const struct lith_page_header headers[] = {
    {.type = LITH_PAGE_DATA,
     .uncompressed_bytes = 1000,
     .compressed_bytes = 300,
     .has_crc = true,
     .crc = 0xfedcba98,
     .num_values = 77,
     .encoding = LITH_ENCODING_RLE_DICTIONARY,
     .def_encoding = LITH_ENCODING_RLE,
     .rep_encoding = LITH_ENCODING_BIT_PACKED},
    {.type = LITH_PAGE_DICTIONARY,
     .uncompressed_bytes = INT32_MAX,
     .compressed_bytes = INT32_MAX,
     .num_values = INT32_MAX,
     .encoding = LITH_ENCODING_PLAIN,
     .is_sorted = true},
    {.type = LITH_PAGE_DATA_V2,
     .uncompressed_bytes = 20,
     .compressed_bytes = 20,
     .num_values = 9,
     .encoding = LITH_ENCODING_DELTA_BINARY_PACKED,
     .def_encoding = LITH_ENCODING_RLE,
     .rep_encoding = LITH_ENCODING_RLE,
     .num_nulls = 2,
     .num_rows = 5,
     .def_bytes = 11,
     .rep_bytes = 9,
     .is_compressed = false},
    {.type = LITH_PAGE_INDEX, .uncompressed_bytes = 1, .compressed_bytes = 1},
    {.type = 17, .uncompressed_bytes = 1, .compressed_bytes = 1},
};

static void header_compare(const struct lith_page_header *a, const struct lith_page_header *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->uncompressed_bytes, b->uncompressed_bytes);
    assert_int_equal(a->compressed_bytes, b->compressed_bytes);
    assert_int_equal(a->has_crc, b->has_crc);
    assert_int_equal(a->crc, b->crc);
    assert_int_equal(a->num_values, b->num_values);
    assert_int_equal(a->encoding, b->encoding);
    assert_int_equal(a->def_encoding, b->def_encoding);
    assert_int_equal(a->rep_encoding, b->rep_encoding);
    assert_int_equal(a->num_nulls, b->num_nulls);
    assert_int_equal(a->num_rows, b->num_rows);
    assert_int_equal(a->def_bytes, b->def_bytes);
    assert_int_equal(a->rep_bytes, b->rep_bytes);
    assert_int_equal(a->is_compressed, b->is_compressed);
    assert_int_equal(a->is_sorted, b->is_sorted);
}

static void test_round_trip(void **state)
{
    struct lith_page_header found;
    struct lith_mem mem;
    struct lith_buf buf;
    struct lith_err err;
    size_t bytes = 0;
    (void)state;

    lith_mem_init(&mem, 1 << 20, NULL);
    lith_buf_init(&buf, &mem, 1 << 10);
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        lith_buf_clear(&buf);
        MUST(lith_page_header_write(&headers[i], &buf, &err));
        size_t whole = buf.bytes;
        MUST(lith_buf_append(&buf, "page body", 9, &err));
        MUST(lith_page_header_parse(buf.data, buf.bytes, &found, &bytes, &err));
        assert_int_equal(bytes, whole);
        header_compare(&found, &headers[i]);
        for (size_t cut = 0; cut < whole; cut++)
            assert_int_equal(lith_page_header_parse(buf.data, cut, &found, &bytes, &err),
                             LITH_E_NOT_FOUND);
    }
    lith_buf_done(&buf);
    lith_mem_done(&mem);
}

/* type, uncompressed, compressed, then what the case adds. */
#define V1_HEAD 0x15, 0x00, 0x15, 0x14, 0x15, 0x14
#define V2_HEAD 0x15, 0x06, 0x15, 0x14, 0x15, 0x14

static void test_bytes(void **state)
{
    const struct {
        const char *name;
        const uint8_t *bytes;
        size_t count;
        enum lith_code code;
    } cases[] = {
        {"nothing", BYTES(0x00), LITH_E_CORRUPT},
        {"plain V1", BYTES(V1_HEAD, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0), LITH_OK},
        {"V1 with statistics",
         BYTES(V1_HEAD, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0x1c, 0x36, 2, 0, 0, 0), LITH_OK},
        {"V1 without its header", BYTES(V1_HEAD, 0), LITH_E_CORRUPT},
        {"V1 with the header of a dictionary", BYTES(V1_HEAD, 0x4c, 0x15, 2, 0x15, 0, 0, 0),
         LITH_E_CORRUPT},
        {"V1 without an encoding", BYTES(V1_HEAD, 0x2c, 0x15, 2, 0x25, 6, 0x15, 6, 0, 0),
         LITH_E_CORRUPT},
        {"negative values", BYTES(V1_HEAD, 0x2c, 0x15, 1, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0),
         LITH_E_CORRUPT},
        {"negative size", BYTES(0x15, 0x02, 0x15, 0x01, 0x15, 0x14, 0), LITH_E_CORRUPT},
        {"a size past i32", BYTES(0x15, 2, 0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0x15, 2, 0),
         LITH_E_CORRUPT},
        {"a size that is a string", BYTES(0x15, 2, 0x18, 1, 'a', 0x15, 2, 0), LITH_E_CORRUPT},
        {"a field of type 14", BYTES(0x15, 2, 0x1e, 2, 0x15, 2, 0, 0, 0, 0), LITH_E_CORRUPT},
        {"unknown fields", BYTES(0x15, 2, 0x15, 2, 0x15, 2, 0x98, 1, 'x', 0x1c, 0x11, 0, 0),
         LITH_OK},
        {"V2", BYTES(V2_HEAD, 0x5c, 0x15, 8, 0x15, 2, 0x15, 8, 0x15, 0, 0x15, 4, 0x15, 0, 0, 0),
         LITH_OK},
        {"V2 levels longer than the page",
         BYTES(V2_HEAD, 0x5c, 0x15, 8, 0x15, 2, 0x15, 8, 0x15, 0, 0x15, 12, 0x15, 10, 0, 0),
         LITH_E_CORRUPT},
        {"V2 with a negative level length",
         BYTES(V2_HEAD, 0x5c, 0x15, 8, 0x15, 2, 0x15, 8, 0x15, 0, 0x15, 3, 0x15, 0, 0, 0),
         LITH_E_CORRUPT},
        {"V2 with more nulls than values",
         BYTES(V2_HEAD, 0x5c, 0x15, 8, 0x15, 10, 0x15, 8, 0x15, 0, 0x15, 4, 0x15, 0, 0, 0),
         LITH_E_CORRUPT},
        {"V2 with more rows than values",
         BYTES(V2_HEAD, 0x5c, 0x15, 8, 0x15, 2, 0x15, 10, 0x15, 0, 0x15, 4, 0x15, 0, 0, 0),
         LITH_E_CORRUPT},
    };
    struct lith_page_header found;
    struct lith_err err;
    size_t bytes;
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum lith_code code =
            lith_page_header_parse(cases[i].bytes, cases[i].count, &found, &bytes, &err);
        if (code != cases[i].code)
            fail_msg("%s: %s %s", cases[i].name, lith_code_name(code),
                     code == LITH_OK ? "" : err.text);
        if (code == LITH_OK)
            assert_int_equal(bytes, cases[i].count);
        if (code == LITH_OK && found.type == LITH_PAGE_DATA_V2)
            assert_true(found.is_compressed); /* absent means true */
    }
}

static void test_noise(void **state)
{
    uint64_t seed = test_seed();
    struct lith_page_header found;
    struct lith_err err;
    uint8_t bytes[64];
    size_t length;
    (void)state;

    for (int round = 0; round < 200000; round++) {
        size_t count = (size_t)(test_random(&seed) % sizeof(bytes));
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)(test_random(&seed) % 0x20);
        if (lith_page_header_parse(bytes, count, &found, &length, &err) != LITH_OK)
            continue;
        assert_true(length <= count);
        assert_true(found.compressed_bytes >= 0);
        assert_true(found.uncompressed_bytes >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
