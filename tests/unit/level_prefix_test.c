/*
 * Levels in front of pages: the runs by our decoder, pages of both versions and every codec against
 * their levels and values taken apart by hand, headers that contradict the page.
 */
#include "support.h"

#include "base/hash.h"
#include "base/limits.h"
#include "parquet/level_prefix.h"
#include "parquet/rle.h"

static struct lith_mem mem;
static struct lith_codec_context *context;
static struct lith_err err;

static int set_up(void **state)
{
    (void)state;
    lith_mem_init(&mem, 256 * LITH_MIB, NULL);
    return lith_codec_context_new(&mem, &context, &err) != LITH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    lith_codec_context_free(context);
    lith_mem_done(&mem);
    return 0;
}

static struct lith_buf buf_new(void)
{
    struct lith_buf buf;

    lith_buf_init(&buf, &mem, INT32_MAX);
    return buf;
}

static void expect_run(const uint8_t *data, size_t bytes, uint32_t count, uint16_t level,
                       unsigned width)
{
    struct lith_body body = {.data = data, .bytes = bytes};
    struct lith_window window;
    struct lith_rle_decoder decoder;

    MUST(lith_window_init(&window, &body, 0, bytes, &mem, 64, 64, &err));
    MUST(lith_rle_init(&decoder, &window, width, &err));
    for (uint32_t i = 0; i < count && i < 100000; i++) {
        uint16_t found;
        MUST(lith_rle_next_u16(&decoder, &found, 1, &err));
        assert_int_equal(found, level);
    }
    if (count > 100000)
        assert_int_equal(decoder.repeat_left, count - 100000);
    assert_int_equal(lith_rle_left(&decoder), 0);
    lith_window_done(&window);
}

static void runs(void **state)
{
    static const uint32_t counts[] = {0, 1, 7, 63, 64, 8191, 8192, 20000, 1u << 20, INT32_MAX};
    static const uint16_t maxima[] = {1, 2, 3, 4, 255, 256, 257, UINT16_MAX};

    (void)state;
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        for (size_t m = 0; m < sizeof(maxima) / sizeof(maxima[0]); m++) {
            for (uint16_t level = maxima[m];; level = (uint16_t)(level / 2)) {
                struct lith_level_run bare = lith_level_run(counts[c], level, maxima[m], false);
                struct lith_level_run run = lith_level_run(counts[c], level, maxima[m], true);
                expect_run(bare.data, bare.bytes, counts[c], level, lith_bit_width(maxima[m]));
                assert_int_equal(run.bytes, bare.bytes + 4);
                assert_int_equal(lith_load_u32(run.data), bare.bytes);
                assert_memory_equal(run.data + 4, bare.data, bare.bytes);
                if (level == 0)
                    break;
            }
        }
    }
    struct lith_level_run run = lith_level_run(1000, 1, 1, true);
    assert_int_equal(run.bytes, 7);
    assert_memory_equal(run.data, "\3\0\0\0\xd0\x0f\1", 7); /* 1000 << 1 as ULEB128, then 1 */
}

/* A REQUIRED page of `count` values of 8 bytes; V2 behind `old_levels` bytes of useless levels. */
static struct lith_page_header page_make(bool v2, enum lith_codec codec, uint32_t count,
                                         size_t old_levels, struct lith_buf *plain,
                                         struct lith_buf *body)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = i * i % 1000;
        MUST(lith_buf_append(plain, &value, sizeof(value), &err));
    }
    for (size_t i = 0; i < old_levels; i++)
        MUST(lith_buf_append_byte(body, 0, &err));
    MUST(lith_compress(context, codec, plain->data, plain->bytes, body, &err));
    return (struct lith_page_header){
        .type = v2 ? LITH_PAGE_DATA_V2 : LITH_PAGE_DATA,
        .uncompressed_bytes = (int32_t)(plain->bytes + old_levels),
        .compressed_bytes = (int32_t)body->bytes,
        .has_crc = true,
        .crc = lith_crc32(0, body->data, body->bytes),
        .num_values = count,
        .num_rows = v2 ? count : 0,
        .rep_bytes = (uint32_t)old_levels,
        .encoding = LITH_ENCODING_PLAIN,
        .def_encoding = v2 ? LITH_ENCODING_RLE : LITH_ENCODING_BIT_PACKED,
        .rep_encoding = v2 ? LITH_ENCODING_RLE : LITH_ENCODING_BIT_PACKED,
        .is_compressed = v2,
    };
}

static void expect_defined(bool v2, enum lith_codec codec, uint32_t count, size_t old_levels,
                           uint16_t max_def)
{
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf body = buf_new();
    LITH_AUTO(buf) struct lith_buf to = buf_new();
    LITH_AUTO(buf) struct lith_buf out = buf_new();
    struct lith_page_header old = page_make(v2, codec, count, old_levels, &plain, &body);
    struct lith_page_header found;
    struct lith_level_run run = lith_level_run(count, max_def, max_def, !v2);

    MUST(lith_buf_append(&to, "x", 1, &err));
    MUST(lith_page_define(&old, codec, max_def, (struct lith_slice){body.data, body.bytes}, &to,
                          &found, &err));
    const uint8_t *stored = to.data + 1;
    size_t bytes = to.bytes - 1;
    assert_int_equal(found.compressed_bytes, bytes);
    assert_int_equal(found.uncompressed_bytes, plain.bytes + run.bytes);
    assert_true(found.has_crc);
    assert_int_equal(found.crc, lith_crc32(0, stored, bytes));
    assert_int_equal(found.type, old.type);
    assert_int_equal(found.num_values, count);
    assert_int_equal(found.num_rows, old.num_rows);
    assert_int_equal(found.encoding, LITH_ENCODING_PLAIN);
    assert_int_equal(found.def_encoding, LITH_ENCODING_RLE);
    assert_int_equal(found.rep_encoding, LITH_ENCODING_RLE);
    assert_int_equal(found.is_compressed, old.is_compressed);
    assert_int_equal(found.rep_bytes, 0);
    assert_int_equal(found.def_bytes, v2 ? run.bytes : 0);
    if (v2) {
        assert_memory_equal(stored, run.data, run.bytes);
        stored += run.bytes;
        bytes -= run.bytes;
        run.bytes = 0;
    }
    MUST(lith_buf_reserve(&out, run.bytes + plain.bytes + 1, &err));
    MUST(lith_decompress(context, codec, stored, bytes, out.data, run.bytes + plain.bytes, &err));
    if (run.bytes)
        assert_memory_equal(out.data, run.data, run.bytes);
    assert_memory_equal(out.data + run.bytes, plain.data, plain.bytes);
}

static void pages(void **state)
{
    static const uint32_t counts[] = {1, 5, 63, 64, 1000, 20000};

    (void)state;
    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++) {
        if (!lith_codec_writable((enum lith_codec)codec))
            continue;
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            expect_defined(true, (enum lith_codec)codec, counts[c], 0, 1);
            expect_defined(true, (enum lith_codec)codec, counts[c], 6, 300);
            if (codec == LITH_CODEC_BROTLI)
                continue;
            expect_defined(false, (enum lith_codec)codec, counts[c], 0, 1);
            expect_defined(false, (enum lith_codec)codec, counts[c], 0, 300);
        }
    }
}

/* A header of `old` changed by `tweak` is refused with `code` and a text with `word`. */
static void expect_refused(bool v2, enum lith_codec codec, void (*tweak)(struct lith_page_header *),
                           enum lith_code code, const char *word)
{
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf body = buf_new();
    LITH_AUTO(buf) struct lith_buf to = buf_new();
    struct lith_page_header header = page_make(v2, codec, 100, 0, &plain, &body);
    struct lith_page_header found;

    if (tweak)
        tweak(&header);
    assert_int_equal(lith_page_define(&header, codec, 1, (struct lith_slice){body.data, body.bytes},
                                      &to, &found, &err),
                     code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" is not in: %s", word, err.text);
    assert_int_equal(to.bytes, 0);
}

static void crc_wrong(struct lith_page_header *header)
{
    header->crc ^= 1;
}

static void dictionary(struct lith_page_header *header)
{
    header->type = LITH_PAGE_DICTIONARY;
}

static void compressed_longer(struct lith_page_header *header)
{
    header->compressed_bytes++;
}

static void compressed_negative(struct lith_page_header *header)
{
    header->compressed_bytes = -1;
}

static void uncompressed_longer(struct lith_page_header *header)
{
    header->uncompressed_bytes++;
}

static void uncompressed_huge(struct lith_page_header *header)
{
    header->uncompressed_bytes = INT32_MAX - 2;
}

static void stored_longer(struct lith_page_header *header)
{
    header->is_compressed = false;
    header->uncompressed_bytes = header->compressed_bytes + 1;
}

static void nulls(struct lith_page_header *header)
{
    header->num_nulls = 1;
}

static void rows(struct lith_page_header *header)
{
    header->num_rows--;
}

static void values(struct lith_page_header *header)
{
    header->num_values = UINT32_MAX;
}

static void levels(struct lith_page_header *header)
{
    header->rep_bytes = (uint32_t)header->compressed_bytes;
    header->def_bytes = 1;
}

static void levels_wrapping(struct lith_page_header *header)
{
    header->rep_bytes = UINT32_MAX;
    header->def_bytes = 1;
}

static void refusals(void **state)
{
    (void)state;
    expect_refused(false, LITH_CODEC_ZSTD, crc_wrong, LITH_E_CORRUPT, "CRC");
    expect_refused(true, LITH_CODEC_ZSTD, crc_wrong, LITH_E_CORRUPT, "CRC");
    expect_refused(false, LITH_CODEC_ZSTD, dictionary, LITH_E_INVALID, "type 2");
    expect_refused(true, LITH_CODEC_ZSTD, compressed_longer, LITH_E_CORRUPT, "the header says");
    expect_refused(true, LITH_CODEC_ZSTD, compressed_negative, LITH_E_CORRUPT, "the header says");
    expect_refused(false, LITH_CODEC_UNCOMPRESSED, uncompressed_longer, LITH_E_CORRUPT,
                   "an uncompressed page of 800 bytes, 801");
    expect_refused(true, LITH_CODEC_ZSTD, stored_longer, LITH_E_CORRUPT, "an uncompressed page");
    expect_refused(false, LITH_CODEC_SNAPPY, uncompressed_longer, LITH_E_CORRUPT,
                   "expected 801 bytes, found 800");
    expect_refused(false, LITH_CODEC_SNAPPY, uncompressed_huge, LITH_E_LIMIT, "at most");
    expect_refused(true, LITH_CODEC_SNAPPY, uncompressed_huge, LITH_E_LIMIT, "of levels");
    expect_refused(true, LITH_CODEC_ZSTD, nulls, LITH_E_CORRUPT, "1 nulls in a REQUIRED");
    expect_refused(true, LITH_CODEC_ZSTD, rows, LITH_E_CORRUPT, "99 rows of 100 values");
    expect_refused(false, LITH_CODEC_ZSTD, values, LITH_E_CORRUPT, "4294967295 values");
    expect_refused(true, LITH_CODEC_ZSTD, levels, LITH_E_CORRUPT, "bytes of levels");
    expect_refused(true, LITH_CODEC_ZSTD, levels_wrapping, LITH_E_CORRUPT, "4294967296 bytes");
    expect_refused(false, LITH_CODEC_BROTLI, NULL, LITH_E_UNSUPPORTED, "BROTLI");
}

/* A buffer that is too small is left as it was. */
static void no_room(void **state)
{
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf body = buf_new();
    struct lith_page_header found;

    (void)state;
    for (int v2 = 0; v2 < 2; v2++) {
        lith_buf_clear(&plain);
        lith_buf_clear(&body);
        struct lith_page_header header = page_make(v2, LITH_CODEC_GZIP, 100, 0, &plain, &body);
        struct lith_slice stored = {body.data, body.bytes};
        LITH_AUTO(buf) struct lith_buf to = buf_new();
        enum lith_code code = LITH_E_LIMIT;
        for (to.limit = 0; code == LITH_E_LIMIT; to.limit++) {
            code = lith_page_define(&header, LITH_CODEC_GZIP, 1, stored, &to, &found, &err);
            assert_true(code == LITH_OK ? to.bytes == to.limit : to.bytes == 0);
        }
        assert_int_equal(code, LITH_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(pages),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_room),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
