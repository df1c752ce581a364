/*
 * Decoders: forms that only other writers make, every refusal with its code, bounds on batches and
 * values, and damage: whatever the bytes, a body in memory and one in a source give the same end.
 */
#include "encoding_support.h"

static struct bench bench;

static int setup(void **state)
{
    bench_init(&bench, SMALL_BUDGET);
    return encoding_setup(state);
}

static int teardown(void **state)
{
    assert_int_equal(bench.mem.used, 0);
    return encoding_teardown(state);
}

/* One page's values and what must become of them. */
struct known {
    const char *name;
    enum lith_encoding encoding;
    enum lith_type type;
    int32_t type_length;
    uint64_t count;
    const char *bytes;
    size_t byte_count;
    enum lith_code code;
    uint64_t left;
    const char *values; /* flattened; NULL: not compared */
    size_t value_bytes;
};

#define BYTES(text) text, sizeof(text) - 1
#define ZEROS_32 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define DELTA LITH_ENCODING_DELTA_BINARY_PACKED
#define DELTA_LENGTH LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY
#define DELTA_BYTES LITH_ENCODING_DELTA_BYTE_ARRAY
#define SPLIT LITH_ENCODING_BYTE_STREAM_SPLIT
#define FLBA LITH_TYPE_FIXED_LEN_BYTE_ARRAY

static const struct known known[] = {
    {"plain, trailing bytes", LITH_ENCODING_PLAIN, LITH_TYPE_INT32, 0, 2,
     BYTES("\1\0\0\0\2\0\0\0xyz"), LITH_OK, 3, BYTES("\1\0\0\0\2\0\0\0")},
    {"plain, too short", LITH_ENCODING_PLAIN, LITH_TYPE_INT32, 0, 2, BYTES("\1\0\0\0\2\0\0"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"plain, a count over 64 bits of bytes", LITH_ENCODING_PLAIN, LITH_TYPE_INT64, 0,
     UINT64_MAX / 4, BYTES("\1\0\0\0\0\0\0\0"), LITH_E_CORRUPT, 0, NULL, 0},
    {"plain strings", LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, 0, 3,
     BYTES("\1\0\0\0a\0\0\0\0\2\0\0\0bcz"), LITH_OK, 1, BYTES("\1\0\0\0a\0\0\0\0\2\0\0\0bc")},
    {"plain string past the end", LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\1\0\0\0a\3\0\0\0bc"), LITH_E_CORRUPT, 0, NULL, 0},
    {"plain string of 4 GiB", LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, 0, 1,
     BYTES("\xff\xff\xff\xff"
           "bc"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"plain booleans", LITH_ENCODING_PLAIN, LITH_TYPE_BOOLEAN, 0, 9, BYTES("\x81\xff\0"), LITH_OK,
     1, BYTES("\1\0\0\0\0\0\0\1\1")},
    {"plain booleans, too short", LITH_ENCODING_PLAIN, LITH_TYPE_BOOLEAN, 0, 9, BYTES("\x81"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"rle booleans", LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0, 4, BYTES("\2\0\0\0\x14\1z"), LITH_OK,
     1, BYTES("\1\1\1\1")},
    {"rle booleans, length past the end", LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0, 4,
     BYTES("\3\0\0\0\x14\1"), LITH_E_CORRUPT, 0, NULL, 0},
    {"rle booleans, runs past the length", LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0, 12,
     BYTES("\2\0\0\0\x14\1\x14\1"), LITH_E_CORRUPT, 0, NULL, 0},
    {"rle booleans of the value 2", LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0, 1,
     BYTES("\2\0\0\0\x14\2"), LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, one value", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x80\1\4\1\x0ez"), LITH_OK, 1,
     BYTES("\7\0\0\0")},
    {"delta, widths of miniblocks not needed are garbage", DELTA, LITH_TYPE_INT32, 0, 3,
     BYTES("\x80\1\4\3\2\2\0\xff\x63\x41z"), LITH_OK, 1, BYTES("\1\0\0\0\2\0\0\0\3\0\0\0")},
    {"delta, padding is garbage", DELTA, LITH_TYPE_INT32, 0, 3,
     BYTES("\x80\1\4\3\2\2\1\0\0\0\xfe\xff\xff\xff"), LITH_OK, 0,
     BYTES("\1\0\0\0\2\0\0\0\4\0\0\0")},
    {"delta, padding is missing", DELTA, LITH_TYPE_INT32, 0, 3,
     BYTES("\x80\1\4\3\2\2\1\0\0\0\xfe\xff\xff"), LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, INT32 wraps", DELTA, LITH_TYPE_INT32, 0, 2,
     BYTES("\x80\1\4\2\xfe\xff\xff\xff\x0f\2\0\0\0\0"), LITH_OK, 0,
     BYTES("\xff\xff\xff\x7f\0\0\0\x80")},
    {"delta, INT64 wraps", DELTA, LITH_TYPE_INT64, 0, 2,
     BYTES("\x80\1\4\2\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\2\0\0\0\0"), LITH_OK, 0,
     BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\x80")},
    {"delta, block of 8", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x08\1\1\0"), LITH_E_CORRUPT, 0,
     NULL, 0},
    {"delta, block of 0", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\0\1\1\0"), LITH_E_CORRUPT, 0, NULL,
     0},
    {"delta, no miniblocks", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x80\1\0\1\0"), LITH_E_CORRUPT, 0,
     NULL, 0},
    {"delta, 8 miniblocks of 16", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x80\1\x08\1\0"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, 3 miniblocks", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x80\1\3\1\0"), LITH_E_CORRUPT, 0,
     NULL, 0},
    {"delta, larger count", DELTA, LITH_TYPE_INT32, 0, 1, BYTES("\x80\1\4\2\0\0\0\0\0\0"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, smaller count", DELTA, LITH_TYPE_INT32, 0, 2, BYTES("\x80\1\4\1\0"), LITH_E_CORRUPT, 0,
     NULL, 0},
    /* DuckDB packs the differences of 32-bit numbers as 64-bit ones: 0, 2^32 - 1, 0. */
    {"delta, INT32 of 33 bits", DELTA, LITH_TYPE_INT32, 0, 3,
     BYTES("\x80\1\4\3\0\xfd\xff\xff\xff\x1f\x21\0\0\0"
           "\xfe\xff\xff\xff\1" ZEROS_32 ZEROS_32 ZEROS_32 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
     LITH_OK, 0, BYTES("\0\0\0\0\xff\xff\xff\xff\0\0\0\0")},
    {"delta, INT32 of 33 bits, too short", DELTA, LITH_TYPE_INT32, 0, 3,
     BYTES("\x80\1\4\3\0\0\x21\0\0\0" ZEROS_32 ZEROS_32 ZEROS_32 ZEROS_32 "\0\0\0"), LITH_E_CORRUPT,
     0, NULL, 0},
    {"delta, INT32 of 34 bits", DELTA, LITH_TYPE_INT32, 0, 2, BYTES("\x80\1\4\2\0\0\x22\0\0\0"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, INT64 of 65 bits", DELTA, LITH_TYPE_INT64, 0, 2, BYTES("\x80\1\4\2\0\0\x41\0\0\0"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"delta, huge block in many miniblocks", DELTA, LITH_TYPE_INT64, 0, 2,
     BYTES("\x80\x80\x80\x80\4\x80\x80\x80\x20\2\0\0\0\0"), LITH_E_CORRUPT, 0, NULL, 0},
    {"delta strings, lengths", DELTA_LENGTH, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\x80\1\4\2\2\2\0\0\0\0abcz"), LITH_OK, 1, BYTES("\1\0\0\0a\2\0\0\0bc")},
    {"delta strings, data too short", DELTA_LENGTH, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\x80\1\4\2\2\2\0\0\0\0ab"), LITH_E_CORRUPT, 0, NULL, 0},
    {"delta strings, negative length", DELTA_LENGTH, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\x80\1\4\2\2\3\0\0\0\0abc"), LITH_E_CORRUPT, 0, NULL, 0},
    {"prefixes", DELTA_BYTES, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\x80\1\4\2\0\2\0\0\0\0"
           "\x80\1\4\2\4\1\0\0\0\0"
           "abc"),
     LITH_OK, 0, BYTES("\2\0\0\0ab\2\0\0\0ac")},
    {"prefix longer than the value before", DELTA_BYTES, LITH_TYPE_BYTE_ARRAY, 0, 2,
     BYTES("\x80\1\4\2\0\6\0\0\0\0"
           "\x80\1\4\2\4\1\0\0\0\0"
           "abc"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"first prefix", DELTA_BYTES, LITH_TYPE_BYTE_ARRAY, 0, 1, BYTES("\x80\1\4\1\2\x80\1\4\1\2a"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"prefixes of values of 2 bytes", DELTA_BYTES, FLBA, 2, 2,
     BYTES("\x80\1\4\2\0\2\0\0\0\0"
           "\x80\1\4\2\4\1\0\0\0\0"
           "abc"),
     LITH_OK, 0, BYTES("abac")},
    {"prefixes of values of 3 bytes", DELTA_BYTES, FLBA, 3, 2,
     BYTES("\x80\1\4\2\0\2\0\0\0\0"
           "\x80\1\4\2\4\1\0\0\0\0"
           "abc"),
     LITH_E_CORRUPT, 0, NULL, 0},
    {"streams", SPLIT, FLBA, 3, 2, BYTES("adbecf"), LITH_OK, 0, BYTES("abcdef")},
    {"streams, a byte too many", SPLIT, FLBA, 3, 2, BYTES("adbecfg"), LITH_E_CORRUPT, 0, NULL, 0},
    {"streams, a byte too few", SPLIT, FLBA, 3, 2, BYTES("adbec"), LITH_E_CORRUPT, 0, NULL, 0},
    {"values of no bytes", LITH_ENCODING_PLAIN, FLBA, 0, 2, BYTES("ab"), LITH_E_CORRUPT, 0, NULL,
     0},
    {"ids without a dictionary", LITH_ENCODING_RLE_DICTIONARY, LITH_TYPE_INT32, 0, 1,
     BYTES("\1\2\0"), LITH_E_CORRUPT, 0, NULL, 0},
    {"levels' encoding", LITH_ENCODING_BIT_PACKED, LITH_TYPE_INT32, 0, 1, BYTES("\1"),
     LITH_E_UNSUPPORTED, 0, NULL, 0},
    {"RLE integers", LITH_ENCODING_RLE, LITH_TYPE_INT32, 0, 1, BYTES("\1"), LITH_E_UNSUPPORTED, 0,
     NULL, 0},
    {"ALP", (enum lith_encoding)10, LITH_TYPE_DOUBLE, 0, 1, BYTES("\1"), LITH_E_UNSUPPORTED, 0,
     NULL, 0},
};

static enum lith_code known_decode(const struct known *k, bool in_memory, size_t step,
                                   struct lith_buf *to, uint64_t *ret_left)
{
    struct lith_body body = bench_body(&bench, (const uint8_t *)k->bytes, k->byte_count, in_memory);
    struct lith_decoder_options options = {
        .encoding = k->encoding,
        .type = k->type,
        .type_length = k->type_length,
        .value_count = k->count,
        .body = &body,
        .end = k->byte_count,
        .work = &bench.work,
    };

    return decode_all(&options, step, to, ret_left);
}

static void test_known_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        for (int round = 0; round < 4; round++) {
            struct lith_buf back;
            uint64_t left = 0;

            lith_buf_init(&back, &mem, SIZE_MAX);
            enum lith_code code =
                known_decode(&known[i], round & 1, round & 2 ? 1 : 100, &back, &left);
            if (code != known[i].code)
                fail_msg("%s: %s: %s", known[i].name, lith_code_name(code), err.text);
            if (code == LITH_OK) {
                if (left != known[i].left)
                    fail_msg("%s: %" PRIu64 " bytes left", known[i].name, left);
                assert_int_equal(back.bytes, known[i].value_bytes);
                assert_memory_equal(back.data, known[i].values, back.bytes);
            }
            lith_buf_done(&back);
        }
}

/* Without values every encoding accepts an empty part. */
static void test_no_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct known none = known[i];
        struct lith_buf back;
        uint64_t left = 1;

        if (none.code == LITH_E_UNSUPPORTED || (none.type == FLBA && none.type_length == 0))
            continue;
        none.count = 0;
        none.byte_count = 0;
        lith_buf_init(&back, &mem, SIZE_MAX);
        MUST(known_decode(&none, i & 1, 1, &back, &left));
        assert_int_equal(left, 0);
    }
}

static void test_continue(void **state)
{
    (void)state;
    static const uint8_t page[] = "\x80\1\4\2\4\0\0\0\0\0"
                                  "\x80\1\4\2\2\0\0\0\0\0"
                                  "xy";
    struct lith_body body = bench_body(&bench, page, sizeof(page) - 1, false);
    struct lith_decoder_options options = {
        .encoding = DELTA_BYTES,
        .type = LITH_TYPE_BYTE_ARRAY,
        .value_count = 2,
        .body = &body,
        .end = body.bytes,
        .work = &bench.work,
    };
    struct lith_decoder *decoder = NULL;
    struct lith_values values;

    MUST(lith_decoder_open(&options, &decoder, &err));
    lith_decoder_continue(decoder, lith_slice_text("abc"));
    MUST(lith_decoder_next(decoder, 1, &values, &err));
    assert_true(lith_slice_equal(values.slices[0], lith_slice_text("abx")));
    MUST(lith_decoder_next(decoder, 1, &values, &err));
    assert_true(lith_slice_equal(values.slices[0], lith_slice_text("aby")));
    lith_decoder_close(decoder);
}

/* A single value above the share of the budget is refused, with both numbers, over a source. */
static void test_value_limit(void **state)
{
    (void)state;
    static const struct {
        enum lith_encoding encoding;
        enum lith_type type;
        bool copied; /* held in memory whatever the body is */
    } cases[] = {
        {LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, false},
        {LITH_ENCODING_PLAIN, FLBA, false},
        {DELTA_LENGTH, LITH_TYPE_BYTE_ARRAY, false},
        {DELTA_BYTES, LITH_TYPE_BYTE_ARRAY, true},
        {SPLIT, FLBA, true},
    };
    size_t share = lith_work_share(&bench.work);
    uint8_t *huge = calloc(1, share + 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int over = 0; over < 2; over++) {
            struct lith_slice slice = {huge, share + (size_t)over};
            bool bytes = cases[i].type == LITH_TYPE_BYTE_ARRAY;
            struct lith_values values = {.type = cases[i].type,
                                         .width = bytes ? 0 : slice.bytes,
                                         .count = 1,
                                         .fixed = bytes ? NULL : huge,
                                         .slices = bytes ? &slice : NULL};
            struct lith_buf encoded;
            struct lith_buf back;

            lith_buf_init(&encoded, &mem, SIZE_MAX);
            lith_buf_init(&back, &mem, SIZE_MAX);
            MUST(lith_encode(cases[i].encoding, &values, &mem, &encoded, &err));
            for (int in_memory = 0; in_memory < 2; in_memory++) {
                struct known k = {.encoding = cases[i].encoding,
                                  .type = cases[i].type,
                                  .type_length = (int32_t)values.width,
                                  .count = 1,
                                  .bytes = (const char *)encoded.data,
                                  .byte_count = encoded.bytes};
                bool refused = over && (!in_memory || cases[i].copied);
                enum lith_code code = known_decode(&k, in_memory, 1, &back, NULL);
                assert_int_equal(code, refused ? LITH_E_LIMIT : LITH_OK);
                if (refused)
                    assert_non_null(strstr(err.text, "raise --memory"));
            }
            lith_buf_done(&encoded);
            lith_buf_done(&back);
        }
    free(huge);
}

/* Batches stay small when prefixes make much of little, and when values are long. */
static void test_batch_bounds(void **state)
{
    (void)state;
    size_t batch_max = lith_work_share(&bench.work) / 4;
    static uint8_t text[20000];
    static struct lith_slice slices[3000];
    static const enum lith_encoding encodings[] = {LITH_ENCODING_PLAIN, DELTA_LENGTH, DELTA_BYTES};

    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < 3000; i++)
        slices[i] = (struct lith_slice){text, i % 100 == 99 ? sizeof(text) : 3000};
    struct lith_values values = {.type = LITH_TYPE_BYTE_ARRAY, .count = 3000, .slices = slices};
    for (size_t e = 0; e < 3; e++) {
        struct lith_buf encoded;
        uint64_t done = 0;

        lith_buf_init(&encoded, &mem, SIZE_MAX);
        MUST(lith_encode(encodings[e], &values, &mem, &encoded, &err));
        struct lith_body body = bench_body(&bench, encoded.data, encoded.bytes, false);
        struct lith_decoder_options options = {
            .encoding = encodings[e],
            .type = LITH_TYPE_BYTE_ARRAY,
            .value_count = 3000,
            .body = &body,
            .end = body.bytes,
            .work = &bench.work,
        };
        struct lith_decoder *decoder = NULL;
        MUST(lith_decoder_open(&options, &decoder, &err));
        while (done < 3000) {
            struct lith_values batch;
            size_t bytes = 0;
            MUST(lith_decoder_next(decoder, 4096, &batch, &err));
            for (size_t i = 0; i < batch.count; i++) {
                assert_true(lith_slice_equal(batch.slices[i], slices[done + i]));
                bytes += batch.slices[i].bytes;
            }
            assert_true(bytes <= batch_max || batch.count == 1);
            done += batch.count;
        }
        lith_decoder_close(decoder);
        lith_buf_done(&encoded);
    }
}

static const struct {
    enum lith_encoding encoding;
    enum lith_type type;
    int32_t type_length;
} pairs[] = {
    {LITH_ENCODING_PLAIN, LITH_TYPE_BOOLEAN, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_INT64, 0},
    {LITH_ENCODING_PLAIN, LITH_TYPE_BYTE_ARRAY, 0},
    {LITH_ENCODING_RLE, LITH_TYPE_BOOLEAN, 0},
    {DELTA, LITH_TYPE_INT32, 0},
    {DELTA, LITH_TYPE_INT64, 0},
    {DELTA_LENGTH, LITH_TYPE_BYTE_ARRAY, 0},
    {DELTA_BYTES, LITH_TYPE_BYTE_ARRAY, 0},
    {DELTA_BYTES, FLBA, 7},
    {SPLIT, LITH_TYPE_DOUBLE, 0},
    {SPLIT, FLBA, 5},
};

/* Some bytes changed, or the end cut off; in a block of exactly its size, for the sanitizer. */
static uint8_t *damage(const struct lith_buf *encoded, size_t *ret_bytes, uint64_t *random)
{
    size_t bytes = encoded->bytes;
    uint64_t kind = test_random(random) % 4;

    if (kind == 0)
        bytes = test_random(random) % (bytes + 1);
    uint8_t *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    if (bytes)
        memcpy(copy, encoded->data, bytes);
    for (uint64_t i = 0; i < kind && bytes; i++) {
        /* mostly near the front, where headers are */
        size_t at = test_random(random) % (test_random(random) % 2 && bytes > 30 ? 30 : bytes);
        copy[at] = (uint8_t)test_random(random);
    }
    *ret_bytes = bytes;
    return copy;
}

static void test_damage(void **state)
{
    (void)state;
    uint64_t random = test_seed();

    for (size_t round = 0; round < 6000; round++) {
        size_t pair = round % (sizeof(pairs) / sizeof(pairs[0]));
        size_t count = test_random(&random) % 600 + 1;
        struct sample s;
        struct lith_buf encoded;
        struct lith_buf back[2];
        enum lith_code codes[2];
        size_t bytes;

        sample_init(&s, pairs[pair].type, pairs[pair].type_length,
                    (enum shape)(test_random(&random) % SHAPE_COUNT), count, random);
        lith_buf_init(&encoded, &mem, SIZE_MAX);
        MUST(lith_encode(pairs[pair].encoding, &s.values, &mem, &encoded, &err));
        uint8_t *copy = damage(&encoded, &bytes, &random);
        struct known k = {.encoding = pairs[pair].encoding,
                          .type = pairs[pair].type,
                          .type_length = pairs[pair].type_length,
                          .count = count,
                          .bytes = (const char *)copy,
                          .byte_count = bytes};
        for (int i = 0; i < 2; i++) {
            lith_buf_init(&back[i], &mem, SIZE_MAX);
            codes[i] = known_decode(&k, i, test_random(&random) % 300 + 1, &back[i], NULL);
        }
        assert_int_equal(codes[0], codes[1]);
        if (codes[0] == LITH_OK) {
            assert_int_equal(back[0].bytes, back[1].bytes);
            assert_true(back[0].bytes == 0 ||
                        memcmp(back[0].data, back[1].data, back[0].bytes) == 0);
        }
        lith_buf_done(&back[0]);
        lith_buf_done(&back[1]);
        lith_buf_done(&encoded);
        sample_done(&s);
        free(copy);
    }
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (size_t pair = 0; pair < sizeof(pairs) / sizeof(pairs[0]); pair++) {
        struct sample s;
        struct lith_buf encoded;
        enum lith_code code = LITH_E_NOMEM;

        sample_init(&s, pairs[pair].type, pairs[pair].type_length, SHAPE_EDGES, 5000, 3);
        lith_buf_init(&encoded, &mem, SIZE_MAX);
        MUST(lith_encode(pairs[pair].encoding, &s.values, &mem, &encoded, &err));
        struct known k = {.encoding = pairs[pair].encoding,
                          .type = pairs[pair].type,
                          .type_length = pairs[pair].type_length,
                          .count = 5000,
                          .bytes = (const char *)encoded.data,
                          .byte_count = encoded.bytes};
        for (int64_t n = 0; code != LITH_OK; n++) {
            struct lith_buf back;
            lith_buf_init(&back, &mem, SIZE_MAX);
            bench.mem.fail_after = n;
            code = known_decode(&k, false, 4096, &back, NULL);
            bench.mem.fail_after = -1;
            assert_true(code == LITH_OK || code == LITH_E_NOMEM);
            assert_int_equal(bench.mem.used, 0);
            lith_buf_done(&back);
        }
        lith_buf_done(&encoded);
        sample_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_continue, setup, teardown),
        cmocka_unit_test_setup_teardown(test_value_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_batch_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_allocation_failures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
