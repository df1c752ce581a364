/*
 * The choice of a codec as a text.
 */
#include "support.h"

#include "base/codec_choice.h"

struct good {
    const char *text;
    struct lith_codec_choice choice;
};

static const struct good goods[] = {
    {"keep", {false, LITH_CODEC_UNCOMPRESSED, 0}}, {"none", {true, LITH_CODEC_UNCOMPRESSED, 0}},
    {"snappy", {true, LITH_CODEC_SNAPPY, 0}},      {"lz4_raw", {true, LITH_CODEC_LZ4_RAW, 0}},
    {"zstd", {true, LITH_CODEC_ZSTD, 1}},          {"zstd:1", {true, LITH_CODEC_ZSTD, 1}},
    {"zstd:22", {true, LITH_CODEC_ZSTD, 22}},      {"zstd:09", {true, LITH_CODEC_ZSTD, 9}},
    {"gzip", {true, LITH_CODEC_GZIP, 6}},          {"gzip:12", {true, LITH_CODEC_GZIP, 12}},
    {"brotli", {true, LITH_CODEC_BROTLI, 5}},      {"brotli:0", {true, LITH_CODEC_BROTLI, 0}},
    {"brotli:11", {true, LITH_CODEC_BROTLI, 11}},
};

/* The text, and what the message says. */
static const char *const bads[][2] = {
    {"", "expected keep, none, snappy"},
    {"zst", "zstd[:1-22]"},
    {"ZSTD", "expected keep"},
    {"lz4", "lz4_raw"},
    {"lzo", "expected keep"},
    {":3", "expected keep"},
    {"keep:1", "expected keep"},
    {"none:0", "none has no levels"},
    {"snappy:1", "snappy has no levels"},
    {"lz4_raw:", "lz4_raw has no levels"},
    {"zstd:", "levels of zstd are 1 to 22 (usual: 1)"},
    {"zstd:0", "1 to 22"},
    {"zstd:23", "1 to 22"},
    {"zstd:-1", "1 to 22"},
    {"zstd:+1", "1 to 22"},
    {"zstd:1 ", "1 to 22"},
    {"zstd:1:2", "1 to 22"},
    {"zstd:4294967297", "1 to 22"},
    {"gzip:0", "levels of gzip are 1 to 12 (usual: 6)"},
    {"gzip:13", "1 to 12"},
    {"brotli:12", "levels of brotli are 0 to 11 (usual: 5)"},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
        struct lith_codec_choice choice = {true, LITH_CODEC_LZO, 99};
        struct lith_err err;
        MUST(lith_codec_choice_parse(goods[i].text, &choice, &err));
        if (choice.is_given != goods[i].choice.is_given || choice.codec != goods[i].choice.codec ||
            choice.level != goods[i].choice.level)
            fail_msg("%s: codec %d, level %d", goods[i].text, choice.codec, choice.level);
    }
}

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
        struct lith_codec_choice choice;
        struct lith_err err = {0};
        if (lith_codec_choice_parse(bads[i][0], &choice, &err) != LITH_E_INVALID ||
            !strstr(err.text, bads[i][1]))
            fail_msg("\"%s\": %s", bads[i][0], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests_name("codec_choice", tests, NULL, NULL);
}
