/*
 * Joining SNAPPY blocks: the library must decompress what was joined to the same bytes as the
 * parts, and damage must never be read past.
 */
#include "support.h"

#include "codec/codec.h"
#include "codec/snappy_join.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_codec_context *codecs;

#define LEVEL_BYTES 7u
#define PLAIN_BYTES_MAX (3u * 70000u)

/* A body as small pages have it: some bytes of levels, then numbers. `kind`: how they repeat. */
static size_t body_make(uint64_t *random, unsigned kind, size_t values, uint8_t *body)
{
    static const uint8_t levels[LEVEL_BYTES] = {3, 0, 0, 0, 0xe8, 7, 1};

    memcpy(body, levels, sizeof(levels));
    for (size_t i = 0; i < values; i++) {
        uint64_t value = test_random(random);
        if (kind == 1)
            value &= 0xfffff; /* high bytes are zero, as those of the levels are */
        else if (kind == 2)
            value = i / 50;
        else if (kind == 3 && i < 3)
            value = 0x01000003; /* copies from the levels themselves */
        memcpy(body + LEVEL_BYTES + 8 * i, &value, sizeof(value));
    }
    return LEVEL_BYTES + 8 * values;
}

static void joined_blocks_decompress(void **state)
{
    static uint8_t body[PLAIN_BYTES_MAX], expected[PLAIN_BYTES_MAX], found[PLAIN_BYTES_MAX];
    LITH_AUTO(buf) struct lith_buf block;
    LITH_AUTO(buf) struct lith_buf elements;
    LITH_AUTO(buf) struct lith_buf joined;
    uint64_t random = test_seed();
    size_t cut = 0;

    (void)state;
    lith_buf_init(&block, &mem, SIZE_MAX);
    lith_buf_init(&elements, &mem, SIZE_MAX);
    lith_buf_init(&joined, &mem, SIZE_MAX);
    for (size_t round = 0; round < 400; round++) {
        size_t plain = 0;
        lith_buf_clear(&elements);
        for (size_t part = 0; part < 3; part++) {
            size_t values = 1 + test_random(&random) % (round % 10 ? 700 : 8000);
            size_t bytes = body_make(&random, (unsigned)(test_random(&random) % 4), values, body);
            bool done;
            lith_buf_clear(&block);
            MUST(lith_buf_reserve(&block, lith_compress_bound(LITH_CODEC_SNAPPY, bytes), &err));
            MUST(lith_compress(codecs, LITH_CODEC_SNAPPY, body, bytes, &block, &err));
            MUST(lith_snappy_tail((struct lith_slice){block.data, block.bytes}, bytes, LEVEL_BYTES,
                                  &elements, &done, &err));
            if (!done)
                continue;
            cut++;
            memcpy(expected + plain, body + LEVEL_BYTES, bytes - LEVEL_BYTES);
            plain += bytes - LEVEL_BYTES;
        }
        lith_buf_clear(&joined);
        MUST(lith_snappy_begin(plain + 5, lith_slice_text("front"), &joined, &err));
        MUST(lith_buf_append(&joined, elements.data, elements.bytes, &err));
        MUST(lith_decompress(codecs, LITH_CODEC_SNAPPY, joined.data, joined.bytes, found, plain + 5,
                             &err));
        assert_memory_equal(found, "front", 5);
        assert_memory_equal(found + 5, expected, plain);
    }
    assert_true(cut > 800); /* of 1,200: those that repeat a lot copy across the cut */
}

/* Whatever is done to a block: it is refused, or what it gives has the size that it should. */
static void damage_is_refused(void **state)
{
    static uint8_t body[PLAIN_BYTES_MAX], found[PLAIN_BYTES_MAX];
    LITH_AUTO(buf) struct lith_buf block;
    LITH_AUTO(buf) struct lith_buf elements;
    LITH_AUTO(buf) struct lith_buf joined;
    uint64_t random = test_seed();

    (void)state;
    lith_buf_init(&block, &mem, SIZE_MAX);
    lith_buf_init(&elements, &mem, SIZE_MAX);
    lith_buf_init(&joined, &mem, SIZE_MAX);
    for (size_t round = 0; round < 20000; round++) {
        size_t bytes = body_make(&random, (unsigned)(round % 4), 1 + round % 200, body);
        size_t plain = bytes - LEVEL_BYTES;
        struct lith_err ignored;
        bool done;
        lith_buf_clear(&block);
        lith_buf_clear(&elements);
        lith_buf_clear(&joined);
        MUST(lith_buf_reserve(&block, lith_compress_bound(LITH_CODEC_SNAPPY, bytes), &err));
        MUST(lith_compress(codecs, LITH_CODEC_SNAPPY, body, bytes, &block, &err));
        size_t kept = round % 3 ? block.bytes : test_random(&random) % block.bytes;
        for (size_t i = 0; kept && i < 1 + round % 4; i++)
            block.data[test_random(&random) % kept] = (uint8_t)test_random(&random);
        uint8_t *exact = malloc(kept ? kept : 1); /* so that a sanitizer sees its end */
        memcpy(exact, block.data, kept);
        MUST(lith_snappy_tail((struct lith_slice){exact, kept}, bytes, LEVEL_BYTES, &elements,
                              &done, &err));
        free(exact);
        if (!done) {
            assert_int_equal(elements.bytes, 0);
            continue;
        }
        MUST(lith_snappy_begin(plain, (struct lith_slice){NULL, 0}, &joined, &err));
        MUST(lith_buf_append(&joined, elements.data, elements.bytes, &err));
        assert_int_equal(lith_decompress(codecs, LITH_CODEC_SNAPPY, joined.data, joined.bytes,
                                         found, plain, &ignored),
                         LITH_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_blocks_decompress),
        cmocka_unit_test(damage_is_refused),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return failed;
}
