/*
 * Bytes in front of compressed bodies: what comes out by whole buffers and by streams, which are
 * other decoders for most codecs; bodies of all kinds of writers; bodies that must be refused.
 */
#include "support.h"

#include <lz4hc.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/spool.h"
#include "codec/prefix.h"

static const enum lith_codec codecs[] = {
    LITH_CODEC_UNCOMPRESSED, LITH_CODEC_SNAPPY,  LITH_CODEC_GZIP,
    LITH_CODEC_ZSTD,         LITH_CODEC_LZ4_RAW,
};
#define CODEC_COUNT (sizeof(codecs) / sizeof(codecs[0]))

static const size_t prefix_sizes[] = {0,   1,   2,   6,    10,   11,    14,    15,    16,   59,
                                      60,  61,  62,  255,  256,  257,   269,   270,   271,  525,
                                      526, 750, 751, 1023, 1025, 65535, 65536, 65537, 70000};
#define PREFIX_COUNT (sizeof(prefix_sizes) / sizeof(prefix_sizes[0]))
#define PREFIX_BYTES_MAX 70000u

static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_codec_context *context;
static struct lith_spool spool;
static struct lith_err err;
static uint8_t prefix[PREFIX_BYTES_MAX];
static uint64_t random_state;

static int set_up(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 * LITH_GIB, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    lith_spool_init(&spool, &mem, &scratch, 64 * LITH_MIB);
    random_state = test_seed();
    for (size_t i = 0; i < sizeof(prefix); i++)
        prefix[i] = (uint8_t)test_random(&random_state);
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

static struct lith_slice slice_of(const struct lith_buf *buf)
{
    return (struct lith_slice){buf->data, buf->bytes};
}

enum shape { SHAPE_ZERO, SHAPE_RANDOM, SHAPE_NUMBERS, SHAPE_WORDS, SHAPE_COUNT };

static struct lith_buf plain_new(size_t bytes, enum shape shape)
{
    static const char words[] = "the quick brown fox jumps over the lazy dog ";
    struct lith_buf plain = buf_new();
    size_t from = 0;

    MUST(lith_buf_reserve(&plain, bytes, &err));
    plain.bytes = bytes;
    for (size_t i = 0; i < bytes; i++) {
        if (shape == SHAPE_WORDS && i % 11 == 0)
            from = test_random(&random_state) % 30;
        uint64_t forms[SHAPE_COUNT] = {
            [SHAPE_RANDOM] = test_random(&random_state),
            [SHAPE_NUMBERS] = i % 8 < 2 ? i / 8 * 37 >> 8 * (i % 8) : 0,
            [SHAPE_WORDS] = (uint8_t)words[from + i % 11],
        };
        plain.data[i] = (uint8_t)forms[shape];
    }
    return plain;
}

static void expect_whole(enum lith_codec codec, struct lith_slice body, size_t prefix_bytes,
                         struct lith_slice plain)
{
    LITH_AUTO(buf) struct lith_buf out = buf_new();
    size_t bytes = prefix_bytes + plain.bytes;

    MUST(lith_buf_reserve(&out, bytes + 1, &err));
    MUST(lith_decompress(context, codec, body.data, body.bytes, out.data, bytes, &err));
    assert_memory_equal(out.data, prefix, prefix_bytes);
    if (plain.bytes)
        assert_memory_equal(out.data + prefix_bytes, plain.data, plain.bytes);
}

/* Both forms of decompression give the prefix and then `plain`. */
static void expect_both(enum lith_codec codec, struct lith_slice body, size_t prefix_bytes,
                        struct lith_slice plain)
{
    struct lith_memory_source source;
    size_t bytes = prefix_bytes + plain.bytes;

    expect_whole(codec, body, prefix_bytes, plain);
    lith_memory_source_init(&source, body.data, body.bytes);
    lith_spool_clear(&spool);
    struct lith_decompress_stream stream = {
        .from = &source.base,
        .from_bytes = body.bytes,
        .to = &spool.sink,
        .written = &spool.source,
        .to_bytes = bytes,
        .history_bytes_max = 64 * LITH_MIB,
    };
    MUST(lith_decompress_stream(context, codec, &stream, &err));
    assert_int_equal(spool.sink.written, bytes);
    const uint8_t *out = lith_spool_memory(&spool);
    if (prefix_bytes)
        assert_memory_equal(out, prefix, prefix_bytes);
    if (plain.bytes)
        assert_memory_equal(out + prefix_bytes, plain.data, plain.bytes);
}

static void expect_prefixed(enum lith_codec codec, struct lith_slice body, size_t prefix_bytes,
                            struct lith_slice plain)
{
    LITH_AUTO(buf) struct lith_buf to = buf_new();
    struct lith_slice front = {prefix, prefix_bytes};

    MUST(lith_buf_append(&to, "x", 1, &err));
    MUST(lith_compressed_prefix(codec, front, body, plain.bytes, &to, &err));
    assert_int_equal(to.data[0], 'x');
    assert_true(to.bytes - 1 <= body.bytes + prefix_bytes + prefix_bytes / 100 + 64);
    expect_both(codec, (struct lith_slice){to.data + 1, to.bytes - 1}, prefix_bytes, plain);
}

/* `code`, a text with `word`, and nothing appended. */
static void expect_refused(enum lith_codec codec, struct lith_slice body, size_t plain_bytes,
                           enum lith_code code, const char *word)
{
    LITH_AUTO(buf) struct lith_buf to = buf_new();

    MUST(lith_buf_append(&to, "x", 1, &err));
    assert_int_equal(
        lith_compressed_prefix(codec, (struct lith_slice){prefix, 6}, body, plain_bytes, &to, &err),
        code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" is not in: %s", word, err.text);
    assert_int_equal(to.bytes, 1);
}

static void our_bodies(void **state)
{
    static const size_t sizes[] = {1,   2,   3,   12,  13,  14,    15,    16,    200,
                                   255, 256, 257, 300, 600, 65535, 65800, 140000};

    (void)state;
    for (size_t c = 0; c < CODEC_COUNT; c++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
                LITH_AUTO(buf) struct lith_buf plain = plain_new(sizes[s], shape);
                LITH_AUTO(buf) struct lith_buf body = buf_new();
                MUST(lith_compress(context, codecs[c], plain.data, plain.bytes, &body, &err));
                for (size_t p = 0; p < PREFIX_COUNT; p++)
                    expect_prefixed(codecs[c], slice_of(&body), prefix_sizes[p], slice_of(&plain));
            }
        }
    }
}

/* Compressed forms of nothing, which no page of values has. */
static void empty_bodies(void **state)
{
    (void)state;
    for (size_t c = 0; c < CODEC_COUNT; c++) {
        LITH_AUTO(buf) struct lith_buf body = buf_new();
        MUST(lith_compress(context, codecs[c], "", 0, &body, &err));
        expect_prefixed(codecs[c], slice_of(&body), 6, (struct lith_slice){0});
        if (codecs[c] != LITH_CODEC_UNCOMPRESSED)
            expect_refused(codecs[c], (struct lith_slice){0}, 0, LITH_E_CORRUPT, "cut off");
    }
}

/* zlib's streams: all kinds of first blocks, and a header with all that a header may have. */
static void gzip_make(struct lith_slice plain, int level, int strategy, gz_header *header,
                      struct lith_buf *to)
{
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, strategy), Z_OK);
    if (header)
        assert_int_equal(deflateSetHeader(&z, header), Z_OK);
    size_t room = plain.bytes + plain.bytes / 8 + 1000;
    MUST(lith_buf_reserve(to, room, &err));
    z.next_in = plain.data;
    z.avail_in = (uInt)plain.bytes;
    z.next_out = to->data + to->bytes;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->bytes += z.total_out;
    (void)deflateEnd(&z);
}

static void gzip_of_other_writers(void **state)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
    static uint8_t extra[700], name[] = "part-0.parquet", comment[] = "a comment";
    gz_header header = {.extra = extra,
                        .extra_len = sizeof(extra),
                        .name = name,
                        .comment = comment,
                        .hcrc = 1,
                        .text = 1,
                        .time = 7};

    (void)state;
    for (size_t s = 0; s < 4; s++) {
        for (int level = 0; level <= 9; level += 3) {
            LITH_AUTO(buf) struct lith_buf plain = plain_new(1 + 3000 * s, (enum shape)s);
            LITH_AUTO(buf) struct lith_buf bare = buf_new();
            LITH_AUTO(buf) struct lith_buf named = buf_new();
            gzip_make(slice_of(&plain), level, strategies[s], NULL, &bare);
            gzip_make(slice_of(&plain), level, strategies[s], &header, &named);
            expect_prefixed(LITH_CODEC_GZIP, slice_of(&bare), 10, slice_of(&plain));
            expect_prefixed(LITH_CODEC_GZIP, slice_of(&bare), 70000, slice_of(&plain));
            expect_prefixed(LITH_CODEC_GZIP, slice_of(&named), 10, slice_of(&plain));
            named.data[named.bytes - 20 > 1000 ? 20 : 4] ^= 1;
            if (s > 0)
                expect_refused(LITH_CODEC_GZIP, slice_of(&named), plain.bytes, LITH_E_UNSUPPORTED,
                               "header's checksum");
        }
    }
}

/* The empty member in front is the one that must not be taken for the whole. */
static void gzip_members(void **state)
{
    static const int levels[][3] = {{-1, 6, 6}, {6, -1, 6}, {6, 6, -1},  {-1, -1, 6},
                                    {-1, 0, 6}, {0, -1, 0}, {-1, -1, -1}};
    LITH_AUTO(buf) struct lith_buf plain = plain_new(500, SHAPE_WORDS);

    (void)state;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        LITH_AUTO(buf) struct lith_buf body = buf_new();
        size_t bytes = 0;
        for (size_t m = 0; m < 3; m++) {
            bool empty = levels[i][m] < 0;
            struct lith_slice member = {plain.data, empty ? 0 : plain.bytes};
            gzip_make(member, empty ? 6 : levels[i][m], Z_DEFAULT_STRATEGY, NULL, &body);
            bytes += member.bytes;
        }
        expect_refused(LITH_CODEC_GZIP, slice_of(&body), bytes, LITH_E_UNSUPPORTED, "member");
    }
}

/* An empty dynamic block hides the end of an empty first member from a look at its first bits. */
static void gzip_empty_blocks_first(void **state)
{
    LITH_AUTO(buf) struct lith_buf plain = plain_new(500, SHAPE_WORDS);
    LITH_AUTO(buf) struct lith_buf one = buf_new();
    LITH_AUTO(buf) struct lith_buf body = buf_new();

    (void)state;
    gzip_make(slice_of(&plain), 6, Z_DEFAULT_STRATEGY, NULL, &one);
    MUST(lith_buf_append(&body, one.data, 10, &err));
    for (size_t i = 0; i < 100; i++)
        MUST(lith_buf_append(&body, "\0\0\0\xff\xff", 5, &err));
    size_t blocks_end = body.bytes;
    MUST(lith_buf_append(&body, one.data + 10, one.bytes - 10, &err));
    expect_prefixed(LITH_CODEC_GZIP, slice_of(&body), 10, slice_of(&plain));
    body.bytes = blocks_end;
    MUST(lith_buf_append(&body, "\3\0\0\0\0\0\0\0\0\0", 10, &err)); /* last block, trailer */
    MUST(lith_buf_append(&body, one.data, one.bytes, &err));
    expect_refused(LITH_CODEC_GZIP, slice_of(&body), plain.bytes, LITH_E_UNSUPPORTED,
                   "a member ends");
}

struct zstd_kind {
    int level;
    int window_log;
    bool content;
    bool checksum;
    bool streamed;
};

static void zstd_make(struct lith_slice plain, const struct zstd_kind *kind, struct lith_buf *to)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(plain.bytes) + 64;

    MUST(lith_buf_reserve(to, room, &err));
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, kind->level);
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, kind->content);
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, kind->checksum);
    if (kind->window_log)
        assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, kind->window_log)));
    if (kind->content && kind->streamed)
        (void)ZSTD_CCtx_setPledgedSrcSize(c, plain.bytes);
    ZSTD_outBuffer out = {to->data + to->bytes, room, 0};
    ZSTD_inBuffer in = {plain.data, plain.bytes, 0};
    if (kind->streamed)
        assert_false(ZSTD_isError(ZSTD_compressStream2(c, &out, &in, ZSTD_e_continue)));
    assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_end), 0);
    to->bytes += out.pos;
    (void)ZSTD_freeCCtx(c);
}

static void zstd_of_other_writers(void **state)
{
    static const struct zstd_kind kinds[] = {
        {.level = 1, .content = true},
        {.level = 3, .content = false},
        {.level = 19, .content = true},
        {.level = 3, .content = true, .streamed = true},
        {.level = 3, .content = false, .streamed = true},
        {.level = 3, .window_log = 10, .content = true, .streamed = true},
        {.level = 19, .window_log = 10, .content = false, .streamed = true},
        {.level = 12, .window_log = 17, .content = true},
        {.level = -5, .window_log = 16, .content = false},
    };
    static const size_t sizes[] = {1, 200, 255, 256, 300, 65791, 65792, 400000};

    (void)state;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            LITH_AUTO(buf) struct lith_buf plain = plain_new(sizes[s], (enum shape)(s % 4));
            LITH_AUTO(buf) struct lith_buf body = buf_new();
            zstd_make(slice_of(&plain), &kinds[k], &body);
            for (size_t p = 0; p<PREFIX_COUNT; p += sizes[s]> 1000 ? 4 : 1)
                expect_prefixed(LITH_CODEC_ZSTD, slice_of(&body), prefix_sizes[p],
                                slice_of(&plain));
        }
    }
}

/* A content size of 8 bytes, which the library does not write for small pages. */
static void zstd_wide_content_size(void **state)
{
    static const uint8_t single[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 3, 0,   0,   0,  0,
                                     0,    0,    0,    0x19, 0,    0, 'a', 'b', 'c'};
    static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x00, 3, 0,   0,   0,
                                     0,    0,    0,    0,    0x19, 0,    0, 'a', 'b', 'c'};
    static const uint8_t huge[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 8, 1, 0, 0};
    struct lith_slice abc = {(const uint8_t *)"abc", 3};

    (void)state;
    for (size_t p = 0; p < PREFIX_COUNT; p++) {
        expect_prefixed(LITH_CODEC_ZSTD, (struct lith_slice){single, sizeof(single)},
                        prefix_sizes[p], abc);
        expect_prefixed(LITH_CODEC_ZSTD, (struct lith_slice){window, sizeof(window)},
                        prefix_sizes[p], abc);
    }
    expect_refused(LITH_CODEC_ZSTD, (struct lith_slice){huge, sizeof(huge)}, 1u << 27,
                   LITH_E_UNSUPPORTED, "single segment of 134217734 bytes");
}

static void zstd_refusals(void **state)
{
    static const struct zstd_kind checked = {.level = 3, .content = true, .checksum = true};
    static const struct zstd_kind usual = {.level = 3, .content = true};
    static const struct zstd_kind unsized = {.level = 3, .streamed = true};
    LITH_AUTO(buf) struct lith_buf plain = plain_new(500, SHAPE_WORDS);
    LITH_AUTO(buf) struct lith_buf body = buf_new();

    (void)state;
    zstd_make(slice_of(&plain), &checked, &body);
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 500, LITH_E_UNSUPPORTED, "checksum");
    lith_buf_clear(&body);
    zstd_make(slice_of(&plain), &usual, &body);
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 501, LITH_E_UNSUPPORTED, "several frames");
    zstd_make(slice_of(&plain), &usual, &body);
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 1000, LITH_E_UNSUPPORTED, "several frames");
    body.data[4] |= 1;
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 500, LITH_E_UNSUPPORTED, "dictionary id");
    body.data[4] |= 8;
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 500, LITH_E_CORRUPT, "reserved bit");
    lith_store_u32(body.data, 0x184d2a57);
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 500, LITH_E_UNSUPPORTED, "skippable");
    lith_store_u32(body.data, 0xfd2fb527);
    expect_refused(LITH_CODEC_ZSTD, slice_of(&body), 500, LITH_E_CORRUPT, "0xfd2fb527");

    /* Frames that do not say their size may be several: a longer first one changes no other. */
    LITH_AUTO(buf) struct lith_buf twice = buf_new();
    lith_buf_clear(&body);
    for (size_t i = 0; i < 2; i++) {
        zstd_make(slice_of(&plain), &unsized, &body);
        MUST(lith_buf_append(&twice, plain.data, plain.bytes, &err));
    }
    expect_prefixed(LITH_CODEC_ZSTD, slice_of(&body), 70000, slice_of(&twice));
}

static void lz4_of_other_writers(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < 70000; bytes = bytes * 3 + bytes % 7) {
        for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
            LITH_AUTO(buf) struct lith_buf plain = plain_new(bytes, shape);
            LITH_AUTO(buf) struct lith_buf body = buf_new();
            int room = LZ4_compressBound((int)bytes);
            MUST(lith_buf_reserve(&body, (size_t)room, &err));
            body.bytes = (size_t)LZ4_compress_HC((const char *)plain.data, (char *)body.data,
                                                 (int)bytes, room, 9);
            for (size_t p = 0; p < PREFIX_COUNT; p += 3)
                expect_prefixed(LITH_CODEC_LZ4_RAW, slice_of(&body), prefix_sizes[p],
                                slice_of(&plain));
        }
    }
}

static void codecs_without(void **state)
{
    static const enum lith_codec none[] = {LITH_CODEC_BROTLI, LITH_CODEC_LZ4, LITH_CODEC_LZO,
                                           (enum lith_codec)8};
    static const char *const words[] = {"BROTLI (4): its static dictionary", "LZ4 (5)", "LZO (3)",
                                        "UNKNOWN (8): it is not known"};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        expect_refused(none[i], (struct lith_slice){prefix, 50}, 50, LITH_E_UNSUPPORTED, words[i]);
}

static void damaged_headers(void **state)
{
#define BODY(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }
    static const struct {
        enum lith_codec codec;
        struct lith_slice body;
        size_t plain_bytes;
        const char *word;
    } cases[] = {
        {LITH_CODEC_UNCOMPRESSED, BODY("abc"), 4, "expected 4 bytes, found 3"},
        {LITH_CODEC_SNAPPY,
         BODY("\x05\x08"
              "abc"),
         3, "expected 3 bytes, found 5"},
        {LITH_CODEC_SNAPPY, BODY("\x83"), 3, "cut off within the header, after 1"},
        {LITH_CODEC_SNAPPY, BODY("\x83\x80\x80\x80\x80\x00"), 3, "no length"},
        {LITH_CODEC_LZ4_RAW, BODY(""), 3, "cut off"},
        {LITH_CODEC_LZ4_RAW, BODY("\xf0\xff\xff"), 3, "cut off"},
        {LITH_CODEC_LZ4_RAW,
         BODY("\x40"
              "abc"),
         4, "a literal of 4 bytes, but 3 follow"},
        {LITH_CODEC_LZ4_RAW,
         BODY("\x30"
              "abc"),
         2, "a literal of 3 bytes"},
        {LITH_CODEC_LZ4_RAW,
         BODY("\x30"
              "abc"),
         4, "expected 4 bytes, found 3"},
        {LITH_CODEC_GZIP, BODY("\x78\x9c\x03\0\0\0\0\1\0\0\0\0"), 3, "found 78 9c 03"},
        {LITH_CODEC_GZIP, BODY("\x1f\x8b\x08\x20\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0"), 0, "flags 20"},
        {LITH_CODEC_GZIP, BODY("\x1f\x8b\x08\x04\0\0\0\0\0\3\xff\xff\3\0\0\0\0\0\0\0\0\0"), 0,
         "cut off"},
        {LITH_CODEC_GZIP, BODY("\x1f\x8b\x08\x08\0\0\0\0\0\3unended"), 0, "cut off"},
        {LITH_CODEC_GZIP, BODY("\x1f\x8b\x08\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0"), 0, "of 18 bytes"},
        {LITH_CODEC_GZIP, BODY("\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\7\0\0\0"), 7,
         "expected 7 bytes, found 0"},
        {LITH_CODEC_ZSTD, BODY("\x28\xb5\x2f\xfd"), 3, "cut off"},
        {LITH_CODEC_ZSTD, BODY("\x28\xb5\x2f\xfd\x20"), 3, "cut off"},
        {LITH_CODEC_ZSTD, BODY("\x28\xb5\x2f\xfd\x20\x03\x19\0"), 3, "has no block"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(cases[i].codec, cases[i].body, cases[i].plain_bytes, LITH_E_CORRUPT,
                       cases[i].word);
}

static void too_large_for_a_page(void **state)
{
    LITH_AUTO(buf) struct lith_buf to = buf_new();
    struct lith_body_ends ends = {.head = {prefix, 10},
                                  .tail = {prefix, 8},
                                  .bytes = INT32_MAX,
                                  .plain_bytes = (uint64_t)INT32_MAX - 5};
    struct lith_body_edit edit;

    (void)state;
    assert_int_equal(lith_prefix_plan(LITH_CODEC_SNAPPY, (struct lith_slice){prefix, 6}, &ends, &to,
                                      &edit, &err),
                     LITH_E_LIMIT);
    ends.plain_bytes = UINT64_MAX;
    assert_int_equal(lith_prefix_plan(LITH_CODEC_SNAPPY, (struct lith_slice){prefix, 6}, &ends, &to,
                                      &edit, &err),
                     LITH_E_LIMIT);
}

/* From any part of the body, the same edit as from all of it, or a wish for more. */
static void heads_of_any_length(void **state)
{
    (void)state;
    for (size_t c = 0; c < CODEC_COUNT; c++) {
        LITH_AUTO(buf) struct lith_buf plain = plain_new(9000, c % 2 ? SHAPE_WORDS : SHAPE_RANDOM);
        LITH_AUTO(buf) struct lith_buf body = buf_new();
        LITH_AUTO(buf) struct lith_buf whole = buf_new();
        struct lith_slice levels = {prefix, 10};
        bool found = false;
        MUST(lith_compress(context, codecs[c], plain.data, plain.bytes, &body, &err));
        MUST(lith_compressed_prefix(codecs[c], levels, slice_of(&body), plain.bytes, &whole, &err));
        for (size_t head = 0; head < body.bytes; head++) {
            LITH_AUTO(buf) struct lith_buf to = buf_new();
            struct lith_body_ends ends = lith_body_ends(slice_of(&body), plain.bytes);
            struct lith_body_edit edit;
            LITH_AUTO(block) void *copy = NULL; /* so that a look behind the head is seen */
            MUST(lith_alloc(&mem, head, &copy, &err));
            memcpy(copy, body.data, head);
            ends.head = (struct lith_slice){copy, head};
            enum lith_code code = lith_prefix_plan(codecs[c], levels, &ends, &to, &edit, &err);
            assert_true(code == LITH_OK || (code == LITH_E_NOT_FOUND && !found));
            if (code != LITH_OK)
                continue;
            found = true;
            MUST(lith_body_edit_append(&edit, slice_of(&body), &to, &err));
            assert_int_equal(to.bytes, whole.bytes);
            assert_memory_equal(to.data, whole.data, to.bytes);
        }
        assert_true(found);
    }
}

/* Cut and flipped bodies: no crash, and no body that was sound is spoilt or called damaged. (The
 * streams refuse a little more than the libraries.) */
static void hostile_bodies(void **state)
{
    (void)state;
    for (size_t round = 0; round < 6000; round++) {
        enum lith_codec codec = codecs[round % CODEC_COUNT];
        LITH_AUTO(buf)
        struct lith_buf plain =
            plain_new(1 + test_random(&random_state) % 300, (enum shape)(round / 5 % 4));
        LITH_AUTO(buf) struct lith_buf body = buf_new();
        LITH_AUTO(buf) struct lith_buf to = buf_new();
        MUST(lith_compress(context, codec, plain.data, plain.bytes, &body, &err));
        size_t near = test_random(&random_state) % 2 ? body.bytes : lith_min_size(body.bytes, 24);
        for (size_t flips = test_random(&random_state) % 4; flips; flips--)
            body.data[test_random(&random_state) % near] ^=
                (uint8_t)(1u << test_random(&random_state) % 8);
        if (test_random(&random_state) % 3 == 0)
            body.bytes = test_random(&random_state) % (body.bytes + 1);
        uint8_t out[301];
        enum lith_code sound =
            lith_decompress(context, codec, body.data, body.bytes, out, plain.bytes, &err);
        enum lith_code code = lith_compressed_prefix(codec, (struct lith_slice){prefix, 10},
                                                     slice_of(&body), plain.bytes, &to, &err);
        assert_true(code == LITH_OK || code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED);
        if (sound != LITH_OK || code == LITH_E_UNSUPPORTED)
            continue;
        if (code != LITH_OK)
            fail_msg("a sound body of %s: %s", lith_codec_name((int)codec), err.text);
        expect_whole(codec, slice_of(&to), 10, (struct lith_slice){out, plain.bytes});
    }
}

static void failing_allocations(void **state)
{
    LITH_AUTO(buf) struct lith_buf plain = plain_new(500, SHAPE_WORDS);
    LITH_AUTO(buf) struct lith_buf body = buf_new();
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    MUST(lith_compress(context, LITH_CODEC_GZIP, plain.data, plain.bytes, &body, &err));
    for (int64_t n = 0; code != LITH_OK; n++) {
        LITH_AUTO(buf) struct lith_buf to = buf_new();
        mem.fail_after = n;
        code = lith_compressed_prefix(LITH_CODEC_GZIP, (struct lith_slice){prefix, 10},
                                      slice_of(&body), plain.bytes, &to, &err);
        mem.fail_after = -1;
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        assert_true(code == LITH_OK || to.bytes == 0);
        assert_true(n < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_bodies),
        cmocka_unit_test(empty_bodies),
        cmocka_unit_test(gzip_of_other_writers),
        cmocka_unit_test(gzip_members),
        cmocka_unit_test(gzip_empty_blocks_first),
        cmocka_unit_test(zstd_of_other_writers),
        cmocka_unit_test(zstd_wide_content_size),
        cmocka_unit_test(zstd_refusals),
        cmocka_unit_test(lz4_of_other_writers),
        cmocka_unit_test(codecs_without),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(too_large_for_a_page),
        cmocka_unit_test(heads_of_any_length),
        cmocka_unit_test(hostile_bodies),
        cmocka_unit_test(failing_allocations),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
