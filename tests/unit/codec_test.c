/*
 * Codecs: round trips, damaged input, sizes that do not meet, streams against whole buffers, and
 * how much memory they take. Framings that are not written are built here, with liblz4 or by hand.
 */
#include "support.h"

#include <malloc.h>

#include <lz4.h>
#include <lz4frame.h>

#include "base/limits.h"
#include "base/spool.h"
#include "codec/codec.h"
#include "codec/snappy_expand.h"

static const enum lith_codec writable[] = {
    LITH_CODEC_UNCOMPRESSED, LITH_CODEC_SNAPPY, LITH_CODEC_GZIP,
    LITH_CODEC_BROTLI,       LITH_CODEC_ZSTD,   LITH_CODEC_LZ4_RAW,
};
#define WRITABLE_COUNT (sizeof(writable) / sizeof(writable[0]))

static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_codec_context *context;
static struct lith_spool spool;
static struct lith_err err;

static int set_up(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 * LITH_GIB, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    lith_spool_init(&spool, &mem, &scratch, 64 * LITH_MIB);
    return lith_codec_context_new(&mem, &context, &err) != LITH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    lith_codec_context_free(context);
    lith_spool_done(&spool);
    lith_mem_done(&mem);
    return 0;
}

static struct lith_buf buf_new(void)
{
    struct lith_buf buf;

    lith_buf_init(&buf, &mem, 1 * LITH_GIB);
    return buf;
}

static enum lith_code whole(enum lith_codec codec, const void *from, size_t from_bytes, void *to,
                            size_t to_bytes)
{
    return lith_decompress(context, codec, from, from_bytes, to, to_bytes, &err);
}

/* The input stands in the middle of its source. The output is in `spool`. */
static enum lith_code streamed_with(enum lith_codec codec, const void *from, size_t from_bytes,
                                    size_t to_bytes, size_t history_bytes_max)
{
    LITH_AUTO(buf) struct lith_buf file = buf_new();
    struct lith_memory_source source;

    lith_spool_clear(&spool);
    if (lith_buf_append(&file, "head", 4, &err) != LITH_OK ||
        lith_buf_append(&file, from, from_bytes, &err) != LITH_OK ||
        lith_buf_append(&file, "tail", 4, &err) != LITH_OK)
        return err.code;
    lith_memory_source_init(&source, file.data, file.bytes);
    struct lith_decompress_stream stream = {
        .from = &source.base,
        .from_offset = 4,
        .from_bytes = from_bytes,
        .to = &spool.sink,
        .written = &spool.source,
        .to_bytes = to_bytes,
        .history_bytes_max = history_bytes_max,
    };
    return lith_decompress_stream(context, codec, &stream, &err);
}

static enum lith_code streamed(enum lith_codec codec, const void *from, size_t from_bytes,
                               size_t to_bytes)
{
    return streamed_with(codec, from, from_bytes, to_bytes, 8 * LITH_MIB);
}

/* Both forms give exactly `plain`. */
static void expect_plain(enum lith_codec codec, const void *from, size_t from_bytes,
                         const void *plain, size_t plain_bytes)
{
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    MUST(lith_buf_reserve(&out, plain_bytes + 1, &err));
    out.data[plain_bytes] = 0xa5;
    MUST(whole(codec, from, from_bytes, plain_bytes ? out.data : NULL, plain_bytes));
    assert_int_equal(out.data[plain_bytes], 0xa5);
    if (plain_bytes)
        assert_memory_equal(out.data, plain, plain_bytes);
    if (codec == LITH_CODEC_SNAPPY && from_bytes) {
        memset(out.data, 0, plain_bytes);
        MUST(
            lith_snappy_expand((struct lith_slice){from, from_bytes}, out.data, plain_bytes, &err));
        assert_int_equal(out.data[plain_bytes], 0xa5);
        assert_true(plain_bytes == 0 || memcmp(out.data, plain, plain_bytes) == 0);
    }
    MUST(streamed(codec, from, from_bytes, plain_bytes));
    assert_int_equal(spool.sink.written, plain_bytes);
    if (plain_bytes)
        assert_memory_equal(lith_spool_memory(&spool), plain, plain_bytes);
}

/* Both forms say `code`, and the text has all of `words` (NULL: any). */
static void expect_failure(enum lith_codec codec, const void *from, size_t from_bytes,
                           size_t to_bytes, enum lith_code code, const char *word)
{
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    MUST(lith_buf_reserve(&out, to_bytes, &err));
    assert_int_equal(whole(codec, from, from_bytes, out.data, to_bytes), code);
    if (word && !strstr(err.text, word))
        fail_msg("\"%s\" is not in: %s", word, err.text);
    assert_int_equal(streamed(codec, from, from_bytes, to_bytes), code);
    if (word && !strstr(err.text, word))
        fail_msg("\"%s\" is not in: %s", word, err.text);
}

enum shape { SHAPE_ZERO, SHAPE_RANDOM, SHAPE_INTS, SHAPE_TEXT, SHAPE_RUNS, SHAPE_COUNT };

static void fill(uint8_t *data, size_t bytes, enum shape shape, uint64_t *random)
{
    char line[64] = "";
    size_t used = 0;

    for (size_t i = 0; i < bytes; i++) {
        switch (shape) {
        case SHAPE_ZERO:
            data[i] = 0;
            break;
        case SHAPE_RANDOM:
            data[i] = (uint8_t)test_random(random);
            break;
        case SHAPE_INTS:
            data[i] = (uint8_t)(i % 8 < 2 ? (i / 8 * 37) >> (8 * (i % 8)) : 0);
            break;
        case SHAPE_TEXT:
            if (line[used] == 0) {
                (void)snprintf(line, sizeof(line), "level=info id=%zu status=%u path=/a/%u\n", i,
                               (unsigned)(test_random(random) % 5) * 100,
                               (unsigned)(test_random(random) % 1000));
                used = 0;
            }
            data[i] = (uint8_t)line[used++];
            break;
        case SHAPE_RUNS:
            data[i] = i ? data[i - 1] : 0;
            if (test_random(random) % 200 == 0)
                data[i] = (uint8_t)test_random(random);
            break;
        case SHAPE_COUNT:
            break;
        }
    }
}

static struct lith_buf plain_new(size_t bytes, enum shape shape, uint64_t *random)
{
    struct lith_buf plain = buf_new();

    MUST(lith_buf_reserve(&plain, bytes, &err));
    if (bytes)
        fill(plain.data, bytes, shape, random);
    plain.bytes = bytes;
    return plain;
}

static void round_trips(void **state)
{
    static const size_t sizes[] = {0, 1, 4, 12, 13, 64, 65, 4096, 65535, 65537, 131073, 700001};
    uint64_t random = test_seed();

    (void)state;
    for (size_t c = 0; c < WRITABLE_COUNT; c++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
                LITH_AUTO(buf) struct lith_buf plain = plain_new(sizes[s], shape, &random);
                LITH_AUTO(buf) struct lith_buf packed = buf_new();
                MUST(lith_buf_append(&packed, "x", 1, &err));
                MUST(lith_compress(context, writable[c], plain.data, plain.bytes, &packed, &err));
                assert_int_equal(packed.data[0], 'x');
                assert_true(packed.bytes - 1 <= lith_compress_bound(writable[c], plain.bytes));
                expect_plain(writable[c], packed.data + 1, packed.bytes - 1, plain.data,
                             plain.bytes);
            }
        }
    }
}

static void empty_input_is_an_empty_page(void **state)
{
    (void)state;
    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++) {
        if (codec == LITH_CODEC_LZO)
            continue;
        expect_plain((enum lith_codec)codec, "", 0, "", 0);
        expect_failure((enum lith_codec)codec, "", 0, 1, LITH_E_CORRUPT, "expected 1 bytes");
        expect_failure((enum lith_codec)codec, "", 0, 1, LITH_E_CORRUPT, lith_codec_name(codec));
    }
}

static void names_and_checks(void **state)
{
    static const char *names[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                  "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    (void)state;
    for (int codec = 0; codec < LITH_CODEC_COUNT; codec++) {
        bool known = codec != LITH_CODEC_LZO;
        assert_string_equal(lith_codec_name(codec), names[codec]);
        assert_int_equal(lith_codec_check(codec, &err), known ? LITH_OK : LITH_E_UNSUPPORTED);
        assert_int_equal(lith_codec_writable((enum lith_codec)codec),
                         known && codec != LITH_CODEC_LZ4);
    }
    assert_string_equal(lith_codec_name(-1), "UNKNOWN");
    assert_string_equal(lith_codec_name(8), "UNKNOWN");
    assert_int_equal(lith_codec_check(-1, &err), LITH_E_UNSUPPORTED);
    assert_int_equal(lith_codec_check(8, &err), LITH_E_UNSUPPORTED);
    assert_int_equal(lith_codec_check(LITH_CODEC_LZO, &err), LITH_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "codec LZO"));
    assert_int_equal(lith_compress(context, LITH_CODEC_LZ4, "a", 1, &out, &err),
                     LITH_E_UNSUPPORTED);
    assert_int_equal(whole(LITH_CODEC_LZO, "a", 1, &out, 1), LITH_E_UNSUPPORTED);
    lith_codec_context_free(NULL);
}

/* A small page in each codec; the deprecated LZ4 in its framings. */
static struct lith_buf packed_new(enum lith_codec codec, const void *from, size_t bytes)
{
    struct lith_buf packed = buf_new();

    MUST(lith_compress(context, codec, from, bytes, &packed, &err));
    return packed;
}

static void append_be(struct lith_buf *to, size_t number)
{
    uint8_t bytes[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                        (uint8_t)number};

    MUST(lith_buf_append(to, bytes, 4, &err));
}

static void append_block(struct lith_buf *to, const uint8_t *from, size_t bytes, bool with_size)
{
    int bound = LZ4_compressBound((int)bytes);
    LITH_AUTO(buf) struct lith_buf block = buf_new();

    MUST(lith_buf_reserve(&block, (size_t)bound, &err));
    int found = LZ4_compress_default((const char *)from, (char *)block.data, (int)bytes, bound);
    assert_true(found > 0);
    if (with_size)
        append_be(to, (size_t)found);
    MUST(lith_buf_append(to, block.data, (size_t)found, &err));
}

enum framing {
    FRAMING_HADOOP,
    FRAMING_HADOOP_BLOCKS,
    FRAMING_HADOOP_FRAMES,
    FRAMING_BLOCK,
    FRAMING_FRAME,
    FRAMING_FRAME_LARGE,
    FRAMING_COUNT
};

static void append_frame(struct lith_buf *to, const uint8_t *from, size_t bytes, bool large)
{
    LZ4F_preferences_t preferences = {0};

    preferences.frameInfo.blockSizeID = large ? LZ4F_max4MB : LZ4F_default;
    preferences.frameInfo.blockMode = large ? LZ4F_blockIndependent : LZ4F_blockLinked;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    size_t bound = LZ4F_compressFrameBound(bytes, &preferences);
    MUST(lith_buf_reserve(to, bound, &err));
    size_t found = LZ4F_compressFrame(to->data + to->bytes, bound, from, bytes, &preferences);
    assert_false(LZ4F_isError(found));
    to->bytes += found;
}

static struct lith_buf framed_new(enum framing framing, const uint8_t *from, size_t bytes)
{
    struct lith_buf to = buf_new();
    size_t step = framing == FRAMING_HADOOP ? bytes : bytes / 3 + 1;

    if (framing == FRAMING_BLOCK)
        append_block(&to, from, bytes, false);
    else if (framing >= FRAMING_FRAME)
        append_frame(&to, from, bytes, framing == FRAMING_FRAME_LARGE);
    else if (framing == FRAMING_HADOOP_FRAMES)
        append_be(&to, 0);
    else
        append_be(&to, bytes);
    for (size_t at = 0; framing <= FRAMING_HADOOP_FRAMES && at < bytes; at += step) {
        size_t now = bytes - at < step ? bytes - at : step;
        if (framing == FRAMING_HADOOP_FRAMES)
            append_be(&to, now);
        append_block(&to, from + at, now, true);
    }
    return to;
}

static void lz4_dialects(void **state)
{
    static const size_t sizes[] = {0, 1, 20, 5000, 300000};
    uint64_t random = test_seed();

    (void)state;
    for (enum framing framing = 0; framing < FRAMING_COUNT; framing++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
                LITH_AUTO(buf) struct lith_buf plain = plain_new(sizes[s], shape, &random);
                LITH_AUTO(buf)
                struct lith_buf packed = framed_new(framing, plain.data, plain.bytes);
                expect_plain(LITH_CODEC_LZ4, packed.data, packed.bytes, plain.data, plain.bytes);
                expect_failure(LITH_CODEC_LZ4, packed.data, packed.bytes, plain.bytes + 1,
                               LITH_E_CORRUPT, "LZ4 (");
                MUST(lith_buf_append_byte(&packed, 0, &err));
                expect_failure(LITH_CODEC_LZ4, packed.data, packed.bytes, plain.bytes,
                               LITH_E_CORRUPT, "LZ4 (");
            }
        }
    }
}

/* A sink that knows what must come, and a source that shows what has come. */
struct check_sink {
    struct lith_sink base;
    struct lith_source written;
    const uint8_t *expected;
};

static enum lith_code check_write(struct lith_sink *sink, const void *from, size_t bytes,
                                  struct lith_err *e)
{
    struct check_sink *check = (struct check_sink *)sink;

    if (memcmp(check->expected + sink->written, from, bytes) != 0)
        return lith_fail(e, LITH_E_IO, "other bytes at %" PRIu64, sink->written);
    check->written.size = sink->written + bytes;
    return LITH_OK;
}

static enum lith_code check_read(struct lith_source *source, uint64_t offset, void *to,
                                 size_t bytes, struct lith_err *e)
{
    const struct check_sink *check =
        (const void *)((uint8_t *)source - offsetof(struct check_sink, written));

    (void)e;
    memcpy(to, check->expected + offset, bytes);
    return LITH_OK;
}

static const struct lith_sink_ops check_sink_ops = {.write = check_write};
static const struct lith_source_ops check_source_ops = {.read = check_read};

#define LARGE_BYTES ((size_t)300 << 20)

static enum lith_code large_stream(struct lith_mem *small, enum lith_codec codec,
                                   const struct lith_buf *packed, const struct lith_buf *plain,
                                   size_t to_bytes)
{
    struct lith_codec_context *own = NULL;
    struct lith_memory_source source;
    struct check_sink check = {{&check_sink_ops, 0}, {&check_source_ops, 0}, plain->data};

    lith_memory_source_init(&source, packed->data, packed->bytes);
    struct lith_decompress_stream stream = {
        .from = &source.base,
        .from_bytes = packed->bytes,
        .to = &check.base,
        .written = &check.written,
        .to_bytes = to_bytes,
        .history_bytes_max = LITH_MIB,
    };
    MUST(lith_codec_context_new(small, &own, &err));
    enum lith_code code = lith_decompress_stream(own, codec, &stream, &err);
    lith_codec_context_free(own);
    if (code == LITH_OK)
        assert_int_equal(check.base.written, to_bytes);
    else
        assert_true(check.base.written <= to_bytes);
    return code;
}

/*
 * Only a page of 256 MiB and more can be taken for both. A literal and a short match give a first
 * word that, as Hadoop's raw size, is below the page's; a long match and the last literals follow.
 */
static void lz4_block_that_looks_like_hadoop(void **state)
{
    static const uint8_t start[] = {0x10, 0, 1, 0, 0x0f, 1, 0};
    static const uint8_t end[] = {0x50, 0, 0, 0, 0, 0};
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf out = buf_new();
    LITH_AUTO(buf) struct lith_buf packed = buf_new();
    size_t length = LARGE_BYTES - 5 - 5 - 4 - 15;

    (void)state;
    MUST(lith_buf_reserve(&plain, LARGE_BYTES, &err));
    memset(plain.data, 0, LARGE_BYTES);
    MUST(lith_buf_append(&packed, start, sizeof(start), &err));
    for (; length >= 255; length -= 255)
        MUST(lith_buf_append_byte(&packed, 255, &err));
    MUST(lith_buf_append_byte(&packed, (uint8_t)length, &err));
    MUST(lith_buf_append(&packed, end, sizeof(end), &err));
    MUST(lith_buf_reserve(&out, LARGE_BYTES, &err));
    MUST(whole(LITH_CODEC_LZ4, packed.data, packed.bytes, out.data, LARGE_BYTES));
    assert_memory_equal(out.data, plain.data, LARGE_BYTES);
    MUST(large_stream(&mem, LITH_CODEC_LZ4, &packed, &plain, LARGE_BYTES));
    assert_int_equal(whole(LITH_CODEC_LZ4, packed.data, packed.bytes, out.data, LARGE_BYTES - 1),
                     LITH_E_CORRUPT);
}

static void truncated_input_fails(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(3000, SHAPE_TEXT, &random);
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    (void)state;
    MUST(lith_buf_reserve(&out, plain.bytes, &err));
    for (size_t c = 0; c < WRITABLE_COUNT + FRAMING_COUNT; c++) {
        bool own = c < WRITABLE_COUNT;
        enum lith_codec codec = own ? writable[c] : LITH_CODEC_LZ4;
        LITH_AUTO(buf)
        struct lith_buf packed =
            own ? packed_new(codec, plain.data, plain.bytes)
                : framed_new((enum framing)(c - WRITABLE_COUNT), plain.data, plain.bytes);
        for (size_t cut = 0; cut < packed.bytes; cut++) {
            /* A block of exactly the size, so that reading past the end is seen. */
            LITH_AUTO(buf) struct lith_buf part = buf_new();
            MUST(lith_buf_append(&part, packed.data, cut, &err));
            assert_int_equal(whole(codec, part.data, cut, out.data, plain.bytes), LITH_E_CORRUPT);
            assert_int_equal(streamed(codec, part.data, cut, plain.bytes), LITH_E_CORRUPT);
        }
    }
}

/* Damage need not be seen (not every codec has a checksum), but must be harmless. */
static void flipped_bytes_are_harmless(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    (void)state;
    for (int round = 0; round < 4000; round++) {
        size_t c = test_random(&random) % (WRITABLE_COUNT + FRAMING_COUNT);
        bool own = c < WRITABLE_COUNT;
        enum lith_codec codec = own ? writable[c] : LITH_CODEC_LZ4;
        LITH_AUTO(buf)
        struct lith_buf plain =
            plain_new(test_random(&random) % 3000 + 1,
                      (enum shape)(test_random(&random) % SHAPE_COUNT), &random);
        LITH_AUTO(buf)
        struct lith_buf packed =
            own ? packed_new(codec, plain.data, plain.bytes)
                : framed_new((enum framing)(c - WRITABLE_COUNT), plain.data, plain.bytes);
        for (uint64_t flips = test_random(&random) % 4 + 1; flips; flips--)
            packed.data[test_random(&random) % packed.bytes] ^=
                (uint8_t)(1u << (test_random(&random) % 8));
        lith_buf_clear(&out);
        MUST(lith_buf_reserve(&out, plain.bytes, &err));
        enum lith_code a = whole(codec, packed.data, packed.bytes, out.data, plain.bytes);
        enum lith_code b = streamed(codec, packed.data, packed.bytes, plain.bytes);
        if (a == LITH_OK && b == LITH_OK)
            assert_memory_equal(out.data, lith_spool_memory(&spool), plain.bytes);
    }
}

static void sizes_must_meet(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(200000, SHAPE_TEXT, &random);

    (void)state;
    for (size_t c = 0; c < WRITABLE_COUNT; c++) {
        const char *name = lith_codec_name((int)writable[c]);
        LITH_AUTO(buf)
        struct lith_buf packed = packed_new(writable[c], plain.data, plain.bytes);
        expect_failure(writable[c], packed.data, packed.bytes, 199999, LITH_E_CORRUPT, name);
        expect_failure(writable[c], packed.data, packed.bytes, 199999, LITH_E_CORRUPT, "199999");
        expect_failure(writable[c], packed.data, packed.bytes, 200001, LITH_E_CORRUPT, "2000");
        expect_failure(writable[c], packed.data, packed.bytes, 0, LITH_E_CORRUPT, name);
        expect_failure(writable[c], packed.data, packed.bytes, 100, LITH_E_CORRUPT, name);
        MUST(lith_buf_append_byte(&packed, 0, &err));
        expect_failure(writable[c], packed.data, packed.bytes, 200000, LITH_E_CORRUPT, name);
    }
}

static void several_members_and_frames(void **state)
{
    static const uint8_t skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    static const enum lith_codec codecs[] = {LITH_CODEC_GZIP, LITH_CODEC_ZSTD};
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(300000, SHAPE_TEXT, &random);

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        LITH_AUTO(buf) struct lith_buf packed = buf_new();
        MUST(lith_compress(context, codecs[c], plain.data, 100000, &packed, &err));
        MUST(lith_compress(context, codecs[c], plain.data, 0, &packed, &err));
        if (codecs[c] == LITH_CODEC_ZSTD)
            MUST(lith_buf_append(&packed, skippable, sizeof(skippable), &err));
        MUST(lith_compress(context, codecs[c], plain.data + 100000, 200000, &packed, &err));
        expect_plain(codecs[c], packed.data, packed.bytes, plain.data, plain.bytes);
        expect_failure(codecs[c], packed.data, packed.bytes, 100000, LITH_E_CORRUPT, "100000");
        expect_failure(codecs[c], packed.data, packed.bytes - 1, 300000, LITH_E_CORRUPT, NULL);
    }
    expect_plain(LITH_CODEC_ZSTD, skippable, sizeof(skippable), "", 0);
}

static void zstd_headers_are_read(void **state)
{
    /* Single segment, dictionary 7, no contents, one empty last block. */
    static const uint8_t dictionary[] = {0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 0, 1, 0, 0};
    /* A frame of version 0.7; one byte too few; nothing of zstd. */
    static const uint8_t old[] = {0x27, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    /* A window of 128 MiB, an empty last block. */
    static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (27 - 10) << 3, 1, 0, 0};

    (void)state;
    expect_failure(LITH_CODEC_ZSTD, dictionary, sizeof(dictionary), 0, LITH_E_UNSUPPORTED,
                   "dictionary 7");
    expect_failure(LITH_CODEC_ZSTD, old, sizeof(old), 0, LITH_E_CORRUPT, "0xfd2fb527");
    expect_failure(LITH_CODEC_ZSTD, "abcd", 4, 0, LITH_E_CORRUPT, "found 4 bytes");
    MUST(whole(LITH_CODEC_ZSTD, window, sizeof(window), NULL, 0));
    assert_int_equal(streamed(LITH_CODEC_ZSTD, window, sizeof(window), 0), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "134217728"));
    assert_non_null(strstr(err.text, "8388608"));
    MUST(streamed_with(LITH_CODEC_ZSTD, window, sizeof(window), 0, 128 * LITH_MIB));
}

static void histories_have_a_limit(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(700000, SHAPE_TEXT, &random);
    static const enum lith_codec codecs[] = {LITH_CODEC_BROTLI, LITH_CODEC_ZSTD};

    (void)state;
    for (size_t c = 0; c < 2; c++) {
        LITH_AUTO(buf) struct lith_buf packed = packed_new(codecs[c], plain.data, plain.bytes);
        assert_int_equal(
            streamed_with(codecs[c], packed.data, packed.bytes, plain.bytes, 256 * LITH_KIB),
            LITH_E_LIMIT);
        assert_non_null(strstr(err.text, "262144"));
        assert_non_null(strstr(err.text, lith_codec_name((int)codecs[c])));
        MUST(streamed_with(codecs[c], packed.data, packed.bytes, plain.bytes, LITH_MIB));
    }
    LITH_AUTO(buf)
    struct lith_buf framed = framed_new(FRAMING_FRAME_LARGE, plain.data, plain.bytes);
    assert_int_equal(
        streamed_with(LITH_CODEC_LZ4, framed.data, framed.bytes, plain.bytes, 256 * LITH_KIB),
        LITH_E_LIMIT);
    MUST(streamed_with(LITH_CODEC_LZ4, framed.data, framed.bytes, plain.bytes, 4 * LITH_MIB));
}

static void append_copy(struct lith_buf *to, struct lith_buf *plain, uint32_t distance,
                        unsigned length)
{
    uint8_t element[5] = {(uint8_t)((length - 1) << 2 | 3), (uint8_t)distance,
                          (uint8_t)(distance >> 8), (uint8_t)(distance >> 16),
                          (uint8_t)(distance >> 24)};

    MUST(lith_buf_append(to, element, sizeof(element), &err));
    for (unsigned i = 0; i < length; i++)
        MUST(lith_buf_append_byte(plain, plain->data[plain->bytes - distance], &err));
}

/* Copies with 4-byte offsets from anywhere in the page, which the library never writes. */
static void snappy_copies_from_far_back(void **state)
{
    uint64_t random = test_seed();
    const size_t literal = 400000;
    LITH_AUTO(buf) struct lith_buf plain = plain_new(literal, SHAPE_RANDOM, &random);
    LITH_AUTO(buf) struct lith_buf elements = buf_new();
    LITH_AUTO(buf) struct lith_buf packed = buf_new();
    uint8_t tag[] = {62 << 2, (uint8_t)(literal - 1), (uint8_t)((literal - 1) >> 8),
                     (uint8_t)((literal - 1) >> 16)};

    (void)state;
    MUST(lith_buf_append(&elements, tag, sizeof(tag), &err));
    MUST(lith_buf_append(&elements, plain.data, literal, &err));
    append_copy(&elements, &plain, (uint32_t)plain.bytes, 64);
    /* Half of them from the borders at which the window of a stream slides. */
    for (int i = 0; i < 20000; i++) {
        uint64_t from = test_random(&random) % plain.bytes;
        if (i % 2)
            from = (from / LITH_CODEC_WINDOW_BYTES + 1) * LITH_CODEC_WINDOW_BYTES -
                   test_random(&random) % 3;
        if (from < plain.bytes)
            append_copy(&elements, &plain, (uint32_t)(plain.bytes - from),
                        (unsigned)(test_random(&random) % 64) + 1);
    }
    size_t rest = plain.bytes;
    for (; rest > 0x7f; rest >>= 7)
        MUST(lith_buf_append_byte(&packed, (uint8_t)(rest | 0x80), &err));
    MUST(lith_buf_append_byte(&packed, (uint8_t)rest, &err));
    size_t head = packed.bytes;
    MUST(lith_buf_append(&packed, elements.data, elements.bytes, &err));
    expect_plain(LITH_CODEC_SNAPPY, packed.data, packed.bytes, plain.data, plain.bytes);
    /* The first copy from one byte before the start. */
    packed.data[head + 4 + literal + 1]++;
    expect_failure(LITH_CODEC_SNAPPY, packed.data, packed.bytes, plain.bytes, LITH_E_CORRUPT,
                   "SNAPPY");
}

/* A block of up to 20 elements of any kind, some of which copy from where nothing is. */
static size_t elements_make(uint64_t *random, uint8_t *to)
{
    size_t bytes = 0;

    for (uint64_t left = test_random(random) % 20 + 1; left > 0; left--) {
        unsigned kind = test_random(random) % 4;
        unsigned length = (unsigned)(test_random(random) % 64);
        if (kind == 0 && bytes > 0 && test_random(random) % 2)
            kind = 1;
        if (kind == 0 && length >= 60)
            length = 59;
        to[bytes++] = (uint8_t)(length << 2 | kind);
        size_t more = kind == 0 ? length + 1 : kind == 3 ? 4 : kind;
        for (size_t i = 0; i < more; i++)
            to[bytes++] = (uint8_t)test_random(random);
        if (kind == 1)
            to[bytes - 2] &= 0x1f;
        for (size_t i = 1; kind > 1 && i < more; i++)
            to[bytes - more + i] = 0;
        if (kind > 0 && test_random(random) % 2)
            to[bytes - (kind == 3 ? 4 : kind)] %= 24; /* copies that overlap themselves */
    }
    return bytes;
}

/* Whatever a block holds, and whatever it is said to hold, the library and our code agree. */
static void snappy_is_expanded_as_by_the_library(void **state)
{
    static uint8_t block[4096], by_library[4096], by_us[4096 + 1];
    uint64_t random = test_seed();
    unsigned taken = 0;

    (void)state;
    for (int round = 0; round < 200000; round++) {
        size_t elements = elements_make(&random, block + 2);
        size_t plain = test_random(&random) % 1200;
        if (test_random(&random) % 4) { /* the length that its elements have */
            plain = 0;
            for (size_t at = 2; at < 2 + elements;) {
                uint8_t tag = block[at];
                plain += (tag & 3) == 1 ? 4 + (tag >> 2 & 7u) : (tag >> 2) + 1u;
                at += (tag & 3) == 0 ? (tag >> 2) + 2u : (tag & 3) == 3 ? 5u : (tag & 3) + 1u;
            }
        }
        block[0] = (uint8_t)(plain | 0x80);
        block[1] = (uint8_t)(plain >> 7);
        by_us[plain] = 0xa5;
        enum lith_code library = whole(LITH_CODEC_SNAPPY, block, elements + 2, by_library, plain);
        enum lith_code own =
            lith_snappy_expand((struct lith_slice){block, elements + 2}, by_us, plain, &err);
        assert_int_equal(own, library);
        assert_int_equal(by_us[plain], 0xa5);
        if (own == LITH_OK && plain > 0)
            assert_memory_equal(by_us, by_library, plain);
        taken += own == LITH_OK;
    }
    assert_true(taken > 2000);
}

/* The budget is the test: 2 MiB for a page of 300 MiB. A page that claims less is a bomb. */
static void streams_take_little_memory(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(1 << 20, SHAPE_RUNS, &random);

    (void)state;
    MUST(lith_buf_reserve(&plain, LARGE_BYTES, &err));
    for (; plain.bytes < LARGE_BYTES; plain.bytes += 1 << 20) {
        memcpy(plain.data + plain.bytes, plain.data, 1 << 20);
        memcpy(plain.data + plain.bytes + 500, &plain.bytes, sizeof(plain.bytes));
    }
    for (size_t c = 0; c < WRITABLE_COUNT + FRAMING_FRAME_LARGE; c++) {
        bool own = c < WRITABLE_COUNT;
        enum lith_codec codec = own ? writable[c] : LITH_CODEC_LZ4;
        struct lith_mem small;
        LITH_AUTO(buf)
        struct lith_buf packed =
            own ? packed_new(codec, plain.data, plain.bytes)
                : framed_new((enum framing)(c - WRITABLE_COUNT), plain.data, plain.bytes);
        lith_mem_init(&small, 2 * LITH_MIB, NULL);
        MUST(large_stream(&small, codec, &packed, &plain, LARGE_BYTES));
        print_message("%s: %zu bytes to 300 MiB, peak %zu KiB\n", lith_codec_name((int)codec),
                      packed.bytes, small.peak >> 10);
        assert_int_equal(large_stream(&small, codec, &packed, &plain, 1000), LITH_E_CORRUPT);
        lith_mem_done(&small);
    }
}

/* Each allocation fails once; nothing leaks, and then all goes well with the same context. */
static void allocations_may_fail(void **state)
{
    uint64_t random = test_seed();
    LITH_AUTO(buf) struct lith_buf plain = plain_new(200000, SHAPE_TEXT, &random);
    LITH_AUTO(buf) struct lith_buf out = buf_new();

    (void)state;
    MUST(lith_buf_reserve(&out, plain.bytes, &err));
    for (size_t c = 0; c < WRITABLE_COUNT + FRAMING_COUNT; c++) {
        bool own = c < WRITABLE_COUNT;
        enum lith_codec codec = own ? writable[c] : LITH_CODEC_LZ4;
        enum lith_code code = LITH_E_NOMEM;
        LITH_AUTO(buf)
        struct lith_buf packed =
            own ? packed_new(codec, plain.data, plain.bytes)
                : framed_new((enum framing)(c - WRITABLE_COUNT), plain.data, plain.bytes);
        for (int n = 0; code != LITH_OK; n++) {
            LITH_AUTO(buf) struct lith_buf again = buf_new();
            struct lith_codec_context *kept = context;
            assert_true(n < 1000);
            mem.fail_after = n;
            context = NULL;
            code = lith_codec_context_new(&mem, &context, &err);
            if (code == LITH_OK)
                code = whole(codec, packed.data, packed.bytes, out.data, plain.bytes);
            if (code == LITH_OK)
                code = streamed(codec, packed.data, packed.bytes, plain.bytes);
            if (code == LITH_OK && own)
                code = lith_compress(context, codec, plain.data, plain.bytes, &again, &err);
            mem.fail_after = -1;
            lith_codec_context_free(context);
            context = kept;
            assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        }
    }
}

/* Bytes that compress the better the longer one looks. */
static void words_fill(struct lith_buf *plain, size_t bytes)
{
    uint32_t random = 1;

    MUST(lith_buf_reserve(plain, bytes + 64, &err));
    while (plain->bytes < bytes) {
        random = random * 1664525u + 1013904223u;
        plain->bytes += (size_t)snprintf((char *)plain->data + plain->bytes, 64,
                                         "GET /items/%u?user=%x HTTP/1.1\n", (random >> 16) % 700,
                                         (random >> 8) % 5000);
    }
    plain->bytes = bytes;
}

/* Compresses at a level with a context of its own, and wants the same back; how long it became. */
static size_t level_size(enum lith_codec codec, int level, const struct lith_buf *plain)
{
    LITH_AUTO(buf) struct lith_buf packed = buf_new();
    LITH_AUTO(buf) struct lith_buf out = buf_new();
    struct lith_codec_context *own = NULL;

    MUST(lith_codec_context_new(&mem, &own, &err));
    lith_codec_context_level(own, codec, level);
    MUST(lith_compress(own, codec, plain->data, plain->bytes, &packed, &err));
    lith_codec_context_free(own);
    MUST(lith_buf_reserve(&out, plain->bytes, &err));
    MUST(whole(codec, packed.data, packed.bytes, out.data, plain->bytes));
    assert_memory_equal(out.data, plain->data, plain->bytes);
    return packed.bytes;
}

static const enum lith_codec leveled[] = {LITH_CODEC_GZIP, LITH_CODEC_BROTLI, LITH_CODEC_ZSTD};

static void levels(void **state)
{
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf usual = buf_new();

    (void)state;
    words_fill(&plain, 100000);
    for (size_t c = 0; c < sizeof(leveled) / sizeof(leveled[0]); c++) {
        struct lith_codec_levels range = lith_codec_levels(leveled[c]);
        size_t least = level_size(leveled[c], range.least, &plain);
        size_t most = 0;
        for (int level = range.least; level <= range.most; level++)
            most = level_size(leveled[c], level, &plain);
        assert_true(most < least - least / 20);
        lith_buf_clear(&usual);
        MUST(lith_compress(context, leveled[c], plain.data, plain.bytes, &usual, &err));
        assert_int_equal(usual.bytes, level_size(leveled[c], range.usual, &plain));
    }
}

/* Under a sanitizer the heap cannot be asked, and shows as 0. */
static void charge_check(enum lith_codec codec, int level, const struct lith_buf *plain,
                         size_t bytes)
{
    LITH_AUTO(buf) struct lith_buf packed = buf_new();
    struct lith_codec_context *own = NULL;

    MUST(lith_buf_reserve(&packed, 2 * bytes + LITH_KIB, &err));
    size_t charged = mem.used;
    struct mallinfo2 before = mallinfo2();
    MUST(lith_codec_context_new(&mem, &own, &err));
    lith_codec_context_level(own, codec, level);
    MUST(lith_compress(own, codec, plain->data, bytes, &packed, &err));
    struct mallinfo2 after = mallinfo2();
    size_t taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    charged = mem.used - charged;
    lith_codec_context_free(own);
    if (taken > charged + 16 * LITH_KIB)
        fail_msg("%s level %d, %zu bytes: takes %zu, charged %zu", lith_codec_name((int)codec),
                 level, bytes, taken, charged);
}

/* P7: what libraries keep for themselves is charged: pages below a window and beyond it. BROTLI's
 * encoder is gone when it has compressed. */
static void levels_take_what_is_charged(void **state)
{
    static const size_t sizes[] = {1000, 70000, 600000, 1100000};
    /* The last levels before tables grow, and the last of all. */
    static const int gzip_levels[] = {1, 6, 9, 10, 12};
    static const int zstd_levels[] = {1, 3, 6, 8, 12, 13, 22};
    LITH_AUTO(buf) struct lith_buf plain = buf_new();

    (void)state;
    words_fill(&plain, sizes[3]);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t l = 0; l < sizeof(gzip_levels) / sizeof(int); l++)
            charge_check(LITH_CODEC_GZIP, gzip_levels[l], &plain, sizes[i]);
        for (size_t l = 0; l < sizeof(zstd_levels) / sizeof(int); l++)
            charge_check(LITH_CODEC_ZSTD, zstd_levels[l], &plain, sizes[i]);
    }
}

static void a_level_may_be_too_much(void **state)
{
    LITH_AUTO(buf) struct lith_buf plain = buf_new();
    LITH_AUTO(buf) struct lith_buf packed = buf_new();

    (void)state;
    words_fill(&plain, 2000000);
    for (size_t c = 0; c < sizeof(leveled) / sizeof(leveled[0]); c++) {
        struct lith_codec_context *own = NULL;
        struct lith_mem small;
        lith_mem_init(&small, 4 * LITH_MIB, NULL);
        MUST(lith_codec_context_new(&small, &own, &err));
        lith_codec_context_level(own, leveled[c], lith_codec_levels(leveled[c]).most);
        assert_int_equal(lith_compress(own, leveled[c], plain.data, plain.bytes, &packed, &err),
                         LITH_E_LIMIT);
        lith_codec_context_free(own);
        assert_int_equal(small.used, 0);
        lith_mem_done(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_checks),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(empty_input_is_an_empty_page),
        cmocka_unit_test(lz4_dialects),
        cmocka_unit_test(lz4_block_that_looks_like_hadoop),
        cmocka_unit_test(truncated_input_fails),
        cmocka_unit_test(flipped_bytes_are_harmless),
        cmocka_unit_test(sizes_must_meet),
        cmocka_unit_test(several_members_and_frames),
        cmocka_unit_test(zstd_headers_are_read),
        cmocka_unit_test(histories_have_a_limit),
        cmocka_unit_test(snappy_copies_from_far_back),
        cmocka_unit_test(snappy_is_expanded_as_by_the_library),
        cmocka_unit_test(streams_take_little_memory),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(levels),
        cmocka_unit_test(levels_take_what_is_charged),
        cmocka_unit_test(a_level_may_be_too_much),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
