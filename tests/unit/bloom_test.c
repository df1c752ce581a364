/*
 * Bloom filters: the hash, membership, false positives, folding, and a filter that another
 * writer (parquet-rs, in apache/parquet-testing) wrote.
 */
#include "support.h"

#include "base/hash.h"
#include "base/limits.h"
#include "parquet/bloom.h"

static struct lith_mem mem;
static struct lith_err err;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 << 28, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

/* Vectors of the xxHash specification's reference implementation. */
static void test_hash(void **state)
{
    (void)state;
    assert_true(lith_xxh64("", 0) == 0xef46db3751d8e999u);
    assert_true(lith_xxh64("a", 1) == 0xd24ec4f1a98c6e5bu);
    assert_true(lith_xxh64("abc", 3) == 0x44bc2cf5ad770999u);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(lith_bloom_bytes(0, 100), 32);
    assert_int_equal(lith_bloom_bytes(1, 100), 32);
    /* BloomFilter.md: about 10.5 bits for a value at 1 %. */
    assert_int_equal(lith_bloom_bytes(100000, 100), 131072);
    assert_int_equal(lith_bloom_bytes(UINT64_MAX, 100), LITH_BLOOM_BYTES_MAX);
}

static void add_numbers(struct lith_bloom *bloom, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        struct lith_values values = {
            .type = LITH_TYPE_INT64, .width = 8, .count = 1, .fixed = (const uint8_t *)&i};
        lith_bloom_add(bloom, &values);
    }
}

static uint64_t count_found(const struct lith_bloom *bloom, uint64_t begin, uint64_t end)
{
    uint64_t found = 0;

    for (uint64_t i = begin; i < end; i++)
        found += lith_bloom_has_hash(bloom, lith_xxh64(&i, 8));
    return found;
}

/* A filter made for far more values than it got is folded, and still finds every one. */
static void test_fold(void **state)
{
    struct lith_bloom bloom;

    (void)state;
    MUST(lith_bloom_init(&bloom, &mem, lith_bloom_bytes(1000000, 100), &err));
    add_numbers(&bloom, 0, 3000);
    lith_bloom_fold(&bloom, 100);
    assert_true(bloom.bytes <= 2 * lith_bloom_bytes(3000, 100));
    assert_true(bloom.bytes >= 2048);
    assert_true(lith_bloom_rate(&bloom) <= 0.01);
    assert_int_equal(count_found(&bloom, 0, 3000), 3000);
    assert_true(count_found(&bloom, 1000000, 1100000) < 1500);
    lith_bloom_done(&bloom);

    MUST(lith_bloom_init(&bloom, &mem, 1 << 20, &err));
    assert_int_equal(count_found(&bloom, 0, 1000), 0);
    lith_bloom_fold(&bloom, 100);
    assert_int_equal(bloom.bytes, 32);
    lith_bloom_done(&bloom);
}

/* Unions of all sizes against a filter that all values were added to at the final size. */
static void test_or(void **state)
{
    static const struct {
        uint32_t into;
        uint32_t from;
        uint32_t bytes; /* 0: no union */
    } cases[] = {
        {1024, 1024, 1024}, {4096, 1024, 1024}, {1024, 8192, 1024}, {32, 1 << 20, 32},
        {96, 32, 32},       {96, 288, 96},      {160, 96, 0},       {96, 128, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_bloom into, from, whole;

        MUST(lith_bloom_init(&into, &mem, cases[i].into, &err));
        MUST(lith_bloom_init(&from, &mem, cases[i].from, &err));
        add_numbers(&into, 0, 60);
        add_numbers(&from, 40, 110);
        MUST(lith_bloom_init(&whole, &mem, cases[i].bytes ? cases[i].bytes : cases[i].into, &err));
        add_numbers(&whole, 0, cases[i].bytes ? 110 : 60);
        assert_int_equal(lith_bloom_or(&into, &from), cases[i].bytes != 0);
        assert_int_equal(into.bytes, whole.bytes);
        assert_memory_equal(into.bits, whole.bits, whole.bytes);
        assert_int_equal(from.bytes, cases[i].from);
        lith_bloom_done(&into);
        lith_bloom_done(&from);
        lith_bloom_done(&whole);
    }
}

/* Eight filters of the right size for their values are one of little use (BloomFilter.md). */
static void test_useful(void **state)
{
    struct lith_bloom bloom, other;

    (void)state;
    MUST(lith_bloom_init(&bloom, &mem, lith_bloom_bytes(24000, 100), &err));
    MUST(lith_bloom_init(&other, &mem, bloom.bytes, &err));
    add_numbers(&bloom, 0, 24000);
    assert_true(lith_bloom_is_useful(&bloom, 100));
    add_numbers(&other, 20000, 24000);
    assert_true(lith_bloom_or(&bloom, &other)); /* the same values */
    assert_true(lith_bloom_is_useful(&bloom, 100));
    for (uint64_t part = 1; part < 8; part++) {
        memset(other.bits, 0, other.bytes);
        add_numbers(&other, part * 24000, (part + 1) * 24000);
        assert_true(lith_bloom_or(&bloom, &other));
    }
    assert_false(lith_bloom_is_useful(&bloom, 100));
    assert_false(lith_bloom_is_useful(&bloom, 2));
    assert_int_equal(count_found(&bloom, 0, 8 * 24000), 8 * 24000);
    lith_bloom_done(&bloom);
    /* Arrow reads only powers of two. */
    MUST(lith_bloom_init(&bloom, &mem, 96, &err));
    assert_false(lith_bloom_is_useful(&bloom, 100));
    lith_bloom_done(&bloom);
    lith_bloom_done(&other);
}

static void test_round_trip(void **state)
{
    struct lith_bloom bloom, back;
    struct lith_memory_source source;
    struct lith_buf buf;

    (void)state;
    MUST(lith_bloom_init(&bloom, &mem, 1024, &err));
    add_numbers(&bloom, 0, 500);
    lith_buf_init(&buf, &mem, 1 << 20);
    MUST(lith_buf_append(&buf, "pad", 3, &err));
    MUST(lith_bloom_write(&bloom, &buf, &err));
    lith_memory_source_init(&source, buf.data, buf.bytes);
    uint32_t length = (uint32_t)buf.bytes - 3;
    for (uint32_t said = 0; said <= length; said += length) {
        MUST(lith_bloom_read(&source.base, 3, said, &mem, &back, &err));
        assert_int_equal(back.bytes, 1024);
        assert_memory_equal(back.bits, bloom.bits, 1024);
        lith_bloom_done(&back);
    }
    assert_int_equal(lith_bloom_read(&source.base, 3, length - 1, &mem, &back, &err),
                     LITH_E_CORRUPT);
    assert_int_equal(lith_bloom_length(&source.base, 3), length);
    assert_int_equal(lith_bloom_length(&source.base, 4), 0);
    assert_int_equal(lith_bloom_length(&source.base, buf.bytes), 0);
    assert_int_equal(lith_bloom_read(&source.base, 4000, 0, &mem, &back, &err), LITH_E_CORRUPT);
    /* No prefix of it can be read. */
    for (size_t bytes = 3; bytes < buf.bytes; bytes++) {
        lith_memory_source_init(&source, buf.data, bytes);
        assert_int_equal(lith_bloom_read(&source.base, 3, 0, &mem, &back, &err), LITH_E_CORRUPT);
    }
    lith_buf_done(&buf);
    lith_bloom_done(&bloom);
}

static void test_bad_headers(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        enum lith_code code;
    } cases[] = {
        /* 32 bytes (zigzag 0x40), then three unions; the first one's member is 2. */
        {"\x15\x40\x1c\x2c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15, LITH_E_UNSUPPORTED},
        {"\x15\x42\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15, LITH_E_CORRUPT}, /* 33 bytes */
        {"\x15\x3f\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15, LITH_E_CORRUPT}, /* negative */
        {"\x15\x80\x80\x80\x80\x02\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 19, LITH_E_LIMIT},
        {"\0", 1, LITH_E_UNSUPPORTED},
    };
    struct lith_bloom bloom;
    struct lith_memory_source source;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lith_memory_source_init(&source, cases[i].bytes, cases[i].count);
        enum lith_code code = lith_bloom_read(&source.base, 0, 0, &mem, &bloom, &err);
        if (code != cases[i].code)
            fail_msg("case %zu: %s %s", i, lith_code_name(code), err.text);
    }
}

/* The filters of data_index_bloom_encoding_with_length.parquet: column String, row group 0. */
static void test_foreign(void **state)
{
    const char *path = test_corpus_folder();
    static uint8_t data[1 << 16];
    static const char *const present[] = {
        "Hello", "This is",   "a",         "test",  "How",  "are you",  "doing ",
        "today", "the quick", "brown fox", "jumps", "over", "the lazy", "dog"};
    char name[512];
    struct lith_memory_source source;
    struct lith_bloom bloom;

    (void)state;
    if (!path)
        skip();
    (void)snprintf(name, sizeof(name),
                   "%s/good/parquet-testing__data_index_bloom_encoding_with_length.parquet", path);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t bytes = read(fd, data, sizeof(data));
    (void)close(fd);
    assert_true(bytes > 0);
    lith_memory_source_init(&source, data, (size_t)bytes);
    MUST(lith_bloom_read(&source.base, 253, 2064, &mem, &bloom, &err));
    for (size_t i = 0; i < sizeof(present) / sizeof(present[0]); i++) {
        struct lith_slice value = lith_slice_text(present[i]);
        assert_true(lith_bloom_has_hash(&bloom, lith_xxh64(value.data, value.bytes)));
    }
    assert_true(lith_bloom_rate(&bloom) < 0.01);
    assert_false(lith_bloom_has_hash(&bloom, lith_xxh64("Hello ", 6)));
    lith_bloom_done(&bloom);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_fold),        cmocka_unit_test(test_or),
        cmocka_unit_test(test_useful),      cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_headers), cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
