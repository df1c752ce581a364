/*
 * Encoders: the examples of Encodings.md byte by byte, and round trips of every encoding, type,
 * shape of values and size, decoded in memory and over a source with tiny windows.
 */
#include "encoding_support.h"

static struct bench large; /* for bodies in memory */
static struct bench small; /* for bodies in a source */

static int setup(void **state)
{
    bench_init(&large, LARGE_BUDGET);
    bench_init(&small, SMALL_BUDGET);
    return encoding_setup(state);
}

static int teardown(void **state)
{
    assert_int_equal(large.mem.used, 0);
    assert_int_equal(small.mem.used, 0);
    return encoding_teardown(state);
}

static const struct {
    enum lith_encoding encoding;
    enum lith_type type;
    int32_t type_length;
} pairs[] = {
    {LITH_ENCODING_PLAIN, LITH_TYPE_BOOLEAN, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_INT32, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_INT64, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_INT96, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_FLOAT, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_DOUBLE, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 5},
    {LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0},
    {LITH_ENCODING_DELTA_BINARY_PACKED, LITH_TYPE_INT32, 0},
    {LITH_ENCODING_DELTA_BINARY_PACKED, LITH_TYPE_INT64, 0},
    {LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY, LITH_TYPE_BYTE_ARRAY, 0},
    {LITH_ENCODING_DELTA_BYTE_ARRAY, LITH_TYPE_BYTE_ARRAY, 0},
    {LITH_ENCODING_DELTA_BYTE_ARRAY, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 7},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_INT32, 0},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_INT64, 0},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_FLOAT, 0},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_DOUBLE, 0},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2},
    {LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 1000},
};
#define PAIR_COUNT (sizeof(pairs) / sizeof(pairs[0]))

static void decode_and_compare(size_t pair, const struct sample *s, const struct lith_buf *encoded,
                               bool in_memory, size_t step)
{
    struct bench *b = in_memory ? &large : &small;
    struct lith_body body = bench_body(b, encoded->data, encoded->bytes, in_memory);
    struct lith_decoder_options options = {
        .encoding = pairs[pair].encoding,
        .type = pairs[pair].type,
        .type_length = pairs[pair].type_length,
        .value_count = s->values.count,
        .body = &body,
        .begin = 3,
        .end = encoded->bytes - 2,
        .work = &b->work,
    };
    struct lith_buf back;
    struct lith_buf expected;
    uint64_t left = 1;

    lith_buf_init(&back, &mem, SIZE_MAX);
    lith_buf_init(&expected, &mem, SIZE_MAX);
    values_flatten(&s->values, &expected);
    if (decode_all(&options, step, &back, &left) != LITH_OK)
        fail_msg("pair %zu, %zu values, step %zu: %s", pair, s->values.count, step, err.text);
    assert_int_equal(left, 0);
    assert_int_equal(back.bytes, expected.bytes);
    if (back.bytes)
        assert_memory_equal(back.data, expected.data, back.bytes);
    lith_buf_done(&back);
    lith_buf_done(&expected);
}

static void test_round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 127, 128, 129, 1000, 20000};
    static const size_t steps[] = {1, 5, 129, 4095, SIZE_MAX};
    uint64_t seed = test_seed();

    for (size_t pair = 0; pair < PAIR_COUNT; pair++)
        for (int shape = 0; shape < SHAPE_COUNT; shape++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                struct sample s;
                struct lith_buf encoded;

                if (sizes[i] * (size_t)pairs[pair].type_length > 1000000)
                    continue;
                sample_init(&s, pairs[pair].type, pairs[pair].type_length, (enum shape)shape,
                            sizes[i], seed + i);
                lith_buf_init(&encoded, &mem, SIZE_MAX);
                MUST(lith_buf_append(&encoded, "abc", 3, &err));
                MUST(lith_encode(pairs[pair].encoding, &s.values, &mem, &encoded, &err));
                MUST(lith_buf_append(&encoded, "yz", 2, &err));
                for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
                    if (sizes[i] > 1000 && steps[k] < 100)
                        continue;
                    decode_and_compare(pair, &s, &encoded, true, steps[k]);
                    decode_and_compare(pair, &s, &encoded, false, steps[k]);
                }
                lith_buf_done(&encoded);
                sample_done(&s);
            }
}

static void expect_bytes(enum lith_encoding encoding, const struct lith_values *values,
                         const void *expected, size_t bytes)
{
    struct lith_buf buf;

    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_encode(encoding, values, &mem, &buf, &err));
    assert_int_equal(buf.bytes, bytes);
    assert_memory_equal(buf.data, expected, bytes);
    lith_buf_done(&buf);
}

static void test_specification(void **state)
{
    (void)state;
    static const uint8_t floats[] = {0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x11,
                                     0x22, 0x33, 0xa3, 0xb4, 0xc5, 0xd6};
    static const uint8_t split[] = {0xaa, 0x00, 0xa3, 0xbb, 0x11, 0xb4,
                                    0xcc, 0x22, 0xc5, 0xdd, 0x33, 0xd6};
    struct lith_values values = {.type = LITH_TYPE_FLOAT, .width = 4, .count = 3, .fixed = floats};
    expect_bytes(LITH_ENCODING_BYTE_STREAM_SPLIT, &values, split, sizeof(split));

    /* 1, 2, 3, 4, 5: header, min delta 1, widths of 0 */
    static const uint32_t rising[] = {1, 2, 3, 4, 5};
    static const uint8_t rising_delta[] = {128, 1, 4, 5, 2, 2, 0, 0, 0, 0};
    values = (struct lith_values){
        .type = LITH_TYPE_INT32, .width = 4, .count = 5, .fixed = (const uint8_t *)rising};
    expect_bytes(LITH_ENCODING_DELTA_BINARY_PACKED, &values, rising_delta, sizeof(rising_delta));

    /* 7, 5, 3, 1, 2, 3, 4, 5: min delta -2, relative deltas 0 0 0 3 3 3 3 of 2 bits */
    static const uint32_t valley[] = {7, 5, 3, 1, 2, 3, 4, 5};
    static const uint8_t valley_delta[] = {128, 1,    4,    8, 14, 3, 2, 0, 0,
                                           0,   0xc0, 0x3f, 0, 0,  0, 0, 0, 0};
    values = (struct lith_values){
        .type = LITH_TYPE_INT32, .width = 4, .count = 8, .fixed = (const uint8_t *)valley};
    expect_bytes(LITH_ENCODING_DELTA_BINARY_PACKED, &values, valley_delta, sizeof(valley_delta));

    const struct lith_slice words[] = {lith_slice_text("Hello"), lith_slice_text("World"),
                                       lith_slice_text("Foobar"), lith_slice_text("ABCDEF")};
    static const char words_delta[] = "\x80\x01\x04\x04\x0a\x00\x01\x00\x00\x00\x02\x00\x00\x00"
                                      "HelloWorldFoobarABCDEF";
    values = (struct lith_values){.type = LITH_TYPE_BYTE_ARRAY, .count = 4, .slices = words};
    expect_bytes(LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY, &values, words_delta,
                 sizeof(words_delta) - 1);

    static const uint8_t bits[] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    values = (struct lith_values){.type = LITH_TYPE_BOOLEAN, .width = 1, .count = 9, .fixed = bits};
    expect_bytes(LITH_ENCODING_PLAIN, &values, "\x01\x01", 2);
    expect_bytes(LITH_ENCODING_RLE, &values, "\x03\0\0\0\x05\x01\x01", 7);
}

/* Lengths 0 2 0 3 and 4 2 6 5, then the suffixes, as in the specification. */
static void test_delta_strings(void **state)
{
    (void)state;
    const struct lith_slice words[] = {lith_slice_text("axis"), lith_slice_text("axle"),
                                       lith_slice_text("babble"), lith_slice_text("babyhood")};
    struct lith_values values = {.type = LITH_TYPE_BYTE_ARRAY, .count = 4, .slices = words};
    struct lith_buf buf;

    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_encode(LITH_ENCODING_DELTA_BYTE_ARRAY, &values, &mem, &buf, &err));
    assert_true(buf.bytes > 17);
    assert_memory_equal(buf.data + buf.bytes - 17, "axislebabbleyhood", 17);
    lith_buf_done(&buf);
}

static void test_limits_and_faults(void **state)
{
    (void)state;
    for (size_t pair = 0; pair < PAIR_COUNT; pair++) {
        struct sample s;
        struct lith_buf buf;
        enum lith_code code = LITH_E_NOMEM;

        assert_true(lith_encoding_fits(pairs[pair].encoding, pairs[pair].type));
        sample_init(&s, pairs[pair].type, pairs[pair].type_length, SHAPE_RANDOM, 300, 1);
        lith_buf_init(&buf, &mem, 20);
        assert_int_equal(lith_encode(pairs[pair].encoding, &s.values, &mem, &buf, &err),
                         LITH_E_LIMIT);
        lith_buf_done(&buf);
        for (int64_t n = 0; code != LITH_OK; n++) {
            lith_buf_init(&buf, &mem, SIZE_MAX);
            mem.fail_after = n;
            code = lith_encode(pairs[pair].encoding, &s.values, &mem, &buf, &err);
            mem.fail_after = -1;
            assert_true(code == LITH_OK || code == LITH_E_NOMEM);
            lith_buf_done(&buf);
        }
        sample_done(&s);
    }
    assert_false(lith_encoding_fits(LITH_ENCODING_RLE, LITH_TYPE_INT32));
    assert_false(lith_encoding_fits(LITH_ENCODING_BYTE_STREAM_SPLIT, LITH_TYPE_INT96));
    assert_false(lith_encoding_fits(LITH_ENCODING_RLE_DICTIONARY, LITH_TYPE_INT32));
    assert_false(lith_encoding_fits((enum lith_encoding)99, LITH_TYPE_INT32));
}

static void test_ids(void **state)
{
    (void)state;
    static const struct {
        uint32_t dictionary_count;
        uint8_t width;
    } cases[] = {{0, 1}, {1, 1}, {2, 1}, {3, 2}, {256, 8}, {257, 9}, {UINT32_MAX, 32}};
    static const uint32_t ids[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_buf buf;
        lith_buf_init(&buf, &mem, SIZE_MAX);
        MUST(lith_encode_ids(ids, cases[i].dictionary_count ? 9 : 0, cases[i].dictionary_count,
                             &buf, &err));
        assert_int_equal(buf.data[0], cases[i].width);
        lith_buf_done(&buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trips, setup, teardown),
        cmocka_unit_test_setup_teardown(test_specification, setup, teardown),
        cmocka_unit_test_setup_teardown(test_delta_strings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits_and_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ids, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
