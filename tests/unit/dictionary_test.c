/*
 * Dictionaries in memory and in a source, ids through them, repeated values read once, refusals.
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

/* A source that counts the bytes read from it. */
struct counting_source {
    struct lith_source base;
    const uint8_t *data;
    uint64_t bytes_read;
};

static enum lith_code counting_read(struct lith_source *source, uint64_t offset, void *to,
                                    size_t bytes, struct lith_err *err_unused)
{
    struct counting_source *s = (struct counting_source *)source;

    (void)err_unused;
    memcpy(to, s->data + offset, bytes);
    s->bytes_read += bytes;
    return LITH_OK;
}

static const struct lith_source_ops counting_ops = {.read = counting_read};

static struct lith_decoder_options ids_options(struct lith_dictionary *dictionary,
                                               const struct lith_body *ids, uint64_t count)
{
    return (struct lith_decoder_options){
        .encoding = LITH_ENCODING_RLE_DICTIONARY,
        .type = dictionary->type,
        .type_length = (int32_t)dictionary->width,
        .value_count = count,
        .body = ids,
        .end = ids->bytes,
        .dictionary = dictionary,
        .work = &bench.work,
    };
}

/* `count` ids into a dictionary of `entries`, decoded and compared one by one. */
static void check_ids(enum lith_type type, int32_t type_length, enum shape shape, uint32_t entries,
                      size_t count, bool dictionary_in_memory, size_t step, uint64_t *random)
{
    struct bench other = {0}; /* the dictionary's source */
    struct sample s;
    struct lith_buf page;
    struct lith_buf ids_page;
    struct lith_buf back;
    struct lith_buf expected;
    struct lith_dictionary dictionary;
    uint32_t *ids = malloc(count * sizeof(*ids) + 1);
    uint64_t left = 1;

    lith_buf_init(&page, &mem, SIZE_MAX);
    lith_buf_init(&ids_page, &mem, SIZE_MAX);
    lith_buf_init(&back, &mem, SIZE_MAX);
    lith_buf_init(&expected, &mem, SIZE_MAX);
    sample_init(&s, type, type_length, shape, entries, test_random(random));
    MUST(lith_encode(LITH_ENCODING_PLAIN, &s.values, &mem, &page, &err));
    struct lith_body body = bench_body(&other, page.data, page.bytes, dictionary_in_memory);
    MUST(lith_dictionary_init(&dictionary, type, type_length, entries, &body, &bench.work, &err));
    for (size_t i = 0; i < count; i++) {
        ids[i] = i && test_random(random) % 3 == 0 ? ids[i - 1]
                                                   : (uint32_t)(test_random(random) % entries);
        struct lith_values one = s.values;
        one.count = 1;
        if (one.slices)
            one.slices += ids[i];
        else
            one.fixed += ids[i] * one.width;
        values_flatten(&one, &expected);
    }
    MUST(lith_encode_ids(ids, count, entries, &ids_page, &err));
    struct lith_body ids_body = bench_body(&bench, ids_page.data, ids_page.bytes, false);
    struct lith_decoder_options options = ids_options(&dictionary, &ids_body, count);
    options.type_length = type_length;
    MUST(decode_all(&options, step, &back, &left));
    assert_int_equal(left, 0);
    assert_int_equal(back.bytes, expected.bytes);
    assert_memory_equal(back.data, expected.data, back.bytes);
    lith_dictionary_done(&dictionary);
    lith_dictionary_done(&dictionary);
    sample_done(&s);
    lith_buf_done(&page);
    lith_buf_done(&ids_page);
    lith_buf_done(&back);
    lith_buf_done(&expected);
    free(ids);
}

static void test_every_type(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, 8, 129, 6000};
    uint64_t random = test_seed();

    for (int type = 0; type < LITH_TYPE_COUNT; type++)
        for (int shape = 0; shape < SHAPE_COUNT; shape++)
            for (size_t i = 0; i < 5; i++)
                for (int in_memory = 0; in_memory < 2; in_memory++) {
                    uint32_t entries = type == LITH_TYPE_BOOLEAN ? 2 : 1u << (i * 3);
                    check_ids((enum lith_type)type, type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY ? 3 : 0,
                              (enum shape)shape, entries, counts[i], in_memory, i & 1 ? 97 : 5000,
                              &random);
                }
}

/* 2,000 times the same 100 kB: read once, a few batches, little memory. */
static void test_repeated_large_value(void **state)
{
    (void)state;
    static uint8_t page[2 * 100004];
    static uint32_t ids[2000];
    struct counting_source source = {{&counting_ops, sizeof(page)}, page, 0};
    struct lith_body body = {.source = &source.base, .bytes = sizeof(page)};
    struct lith_dictionary dictionary;
    struct lith_buf ids_page;
    struct lith_decoder *decoder = NULL;
    uint64_t done = 0;
    size_t batches = 0;

    lith_store_u32(page, 100000);
    lith_store_u32(page + 100004, 100000);
    memset(page + 100008, 'x', 100000);
    for (size_t i = 0; i < 2000; i++)
        ids[i] = i < 1500;
    MUST(lith_dictionary_init(&dictionary, LITH_TYPE_BYTE_ARRAY, 0, 2, &body, &bench.work, &err));
    assert_true(source.bytes_read < 100000);
    lith_buf_init(&ids_page, &mem, SIZE_MAX);
    MUST(lith_encode_ids(ids, 2000, 2, &ids_page, &err));
    struct lith_body ids_body = {.data = ids_page.data, .bytes = ids_page.bytes};
    struct lith_decoder_options options = ids_options(&dictionary, &ids_body, 2000);
    source.bytes_read = 0;
    MUST(lith_decoder_open(&options, &decoder, &err));
    for (; done < 2000; batches++) {
        struct lith_values values;
        MUST(lith_decoder_next(decoder, 4096, &values, &err));
        for (size_t i = 0; i < values.count; i++) {
            assert_int_equal(values.slices[i].bytes, 100000);
            assert_int_equal(values.slices[i].data[99999], done + i < 1500 ? 'x' : 0);
        }
        done += values.count;
    }
    assert_int_equal(source.bytes_read, 200000);
    assert_true(batches <= 3);
    lith_decoder_close(decoder);
    lith_dictionary_done(&dictionary);
    lith_buf_done(&ids_page);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        enum lith_type type;
        int32_t type_length;
        uint32_t count;
        const char *bytes;
        size_t byte_count;
        enum lith_code code;
    } cases[] = {
        {LITH_TYPE_INT32, 0, 2, "12345678z", 9, LITH_OK},
        {LITH_TYPE_INT32, 0, 2, "1234567", 7, LITH_E_CORRUPT},
        {LITH_TYPE_INT32, 0, UINT32_MAX, "12345678", 8, LITH_E_CORRUPT},
        {LITH_TYPE_BYTE_ARRAY, 0, 2, "\1\0\0\0a\0\0\0\0z", 10, LITH_OK},
        {LITH_TYPE_BYTE_ARRAY, 0, 2, "\1\0\0\0a\1\0\0\0", 9, LITH_E_CORRUPT},
        {LITH_TYPE_BYTE_ARRAY, 0, 2, "\1\0\0\0a\0\0\0", 8, LITH_E_CORRUPT},
        {LITH_TYPE_BYTE_ARRAY, 0, 1,
         "\xff\xff\xff\xff"
         "a",
         5, LITH_E_CORRUPT},
        {LITH_TYPE_BYTE_ARRAY, 0, UINT32_MAX, "\0\0\0\0", 4, LITH_E_CORRUPT},
        {LITH_TYPE_BYTE_ARRAY, 0, 0, "", 0, LITH_OK},
        {LITH_TYPE_BOOLEAN, 0, 9, "\1\1", 2, LITH_OK},
        {LITH_TYPE_BOOLEAN, 0, 9, "\1", 1, LITH_E_CORRUPT},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 0, 1, "a", 1, LITH_E_CORRUPT},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, -1, 1, "a", 1, LITH_E_CORRUPT},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int in_memory = 0; in_memory < 2; in_memory++) {
            struct lith_dictionary dictionary = {0};
            struct lith_body body =
                bench_body(&bench, (const uint8_t *)cases[i].bytes, cases[i].byte_count, in_memory);
            assert_int_equal(lith_dictionary_init(&dictionary, cases[i].type, cases[i].type_length,
                                                  cases[i].count, &body, &bench.work, &err),
                             cases[i].code);
            lith_dictionary_done(&dictionary);
        }
}

static void test_bad_ids(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[4];
        size_t byte_count;
        uint64_t count;
        enum lith_code code;
    } cases[] = {
        {{2, 4, 1}, 3, 2, LITH_OK},
        {{2, 4, 2}, 3, 2, LITH_E_CORRUPT},   /* id 2 of 2 */
        {{33, 4, 1}, 3, 2, LITH_E_CORRUPT},  /* bit width */
        {{2, 4, 1}, 3, 3, LITH_E_CORRUPT},   /* too few */
        {{2}, 0, 1, LITH_E_CORRUPT},         /* no width */
        {{0, 4}, 2, 2, LITH_OK},             /* width 0 */
        {{2, 4, 1, 9}, 4, 2, LITH_OK},       /* trailing */
        {{2, 3, 0x01, 0x00}, 3, 4, LITH_OK}, /* padding cut off */
    };
    struct lith_body body = {.data = (const uint8_t *)"12345678", .bytes = 8};
    struct lith_dictionary dictionary;

    MUST(lith_dictionary_init(&dictionary, LITH_TYPE_INT32, 0, 2, &body, &bench.work, &err));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_body ids = {.data = cases[i].bytes, .bytes = cases[i].byte_count};
        struct lith_decoder_options options = ids_options(&dictionary, &ids, cases[i].count);
        struct lith_buf back;
        lith_buf_init(&back, &mem, SIZE_MAX);
        if (decode_all(&options, 9, &back, NULL) != cases[i].code)
            fail_msg("case %zu", i);
        if (i == 1)
            assert_non_null(strstr(err.text, "id 2 in a dictionary of 2"));
        lith_buf_done(&back);
    }
    lith_dictionary_done(&dictionary);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    static const uint8_t page[] = "\1\0\0\0a\0\0\0\0";
    struct lith_body body = bench_body(&bench, page, 9, false);
    struct lith_body ids = {.data = (const uint8_t *)"\1\3\1", .bytes = 3};
    enum lith_code code = LITH_E_NOMEM;

    for (int64_t n = 0; code != LITH_OK; n++) {
        struct lith_dictionary dictionary = {0};
        struct lith_buf back;
        lith_buf_init(&back, &mem, SIZE_MAX);
        bench.mem.fail_after = n;
        code =
            lith_dictionary_init(&dictionary, LITH_TYPE_BYTE_ARRAY, 0, 2, &body, &bench.work, &err);
        if (code == LITH_OK) {
            struct lith_decoder_options options = ids_options(&dictionary, &ids, 8);
            code = decode_all(&options, 9, &back, NULL);
        }
        bench.mem.fail_after = -1;
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        lith_dictionary_done(&dictionary);
        assert_int_equal(bench.mem.used, 0);
        lith_buf_done(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_type, setup, teardown),
        cmocka_unit_test_setup_teardown(test_repeated_large_value, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(test_allocation_failures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
