/*
 * How chunks are written: votes of the sources, and what they come to.
 */
#include "support.h"

#include "merge/chunk_choice.h"

#define BIT(name) (1u << LITH_ENCODING_##name)

/* One source chunk. */
struct vote {
    int codec;
    int64_t bytes;
    int64_t values;
    uint32_t encodings;
};

static const struct lith_codec_choice keep = {0};

struct choice_case {
    const char *what;
    enum lith_type type;
    struct vote votes[3];
    enum lith_codec codec;
    enum lith_encoding fallback;
    bool try_dictionary;
};

static const struct choice_case cases[] = {
    {"one plain source",
     LITH_TYPE_INT64,
     {{LITH_CODEC_SNAPPY, 10, 10, BIT(PLAIN) | BIT(RLE)}},
     LITH_CODEC_SNAPPY,
     LITH_ENCODING_PLAIN,
     true},
    {"codec by bytes, not by files",
     LITH_TYPE_INT64,
     {{LITH_CODEC_SNAPPY, 10, 10, BIT(PLAIN)},
      {LITH_CODEC_SNAPPY, 10, 10, BIT(PLAIN)},
      {LITH_CODEC_ZSTD, 21, 1, BIT(PLAIN)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_PLAIN,
     true},
    {"the deprecated LZ4 votes for LZ4_RAW",
     LITH_TYPE_INT64,
     {{LITH_CODEC_LZ4, 30, 10, BIT(PLAIN)}, {LITH_CODEC_SNAPPY, 20, 10, BIT(PLAIN)}},
     LITH_CODEC_LZ4_RAW,
     LITH_ENCODING_PLAIN,
     true},
    {"both LZ4 together",
     LITH_TYPE_INT64,
     {{LITH_CODEC_LZ4, 15, 10, BIT(PLAIN)},
      {LITH_CODEC_LZ4_RAW, 15, 10, BIT(PLAIN)},
      {LITH_CODEC_SNAPPY, 20, 10, BIT(PLAIN)}},
     LITH_CODEC_LZ4_RAW,
     LITH_ENCODING_PLAIN,
     true},
    {"a chosen DELTA stays, without a dictionary",
     LITH_TYPE_INT64,
     {{LITH_CODEC_ZSTD, 10, 100, BIT(DELTA_BINARY_PACKED) | BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_DELTA_BINARY_PACKED,
     false},
    {"encoding by values",
     LITH_TYPE_BYTE_ARRAY,
     {{LITH_CODEC_ZSTD, 10, 100, BIT(DELTA_BYTE_ARRAY) | BIT(RLE)},
      {LITH_CODEC_ZSTD, 10, 101, BIT(DELTA_LENGTH_BYTE_ARRAY) | BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
     false},
    {"PLAIN beside a dictionary is the dictionary's own",
     LITH_TYPE_INT64,
     {{LITH_CODEC_ZSTD, 10, 100, BIT(PLAIN) | BIT(RLE) | BIT(RLE_DICTIONARY)},
      {LITH_CODEC_ZSTD, 10, 1, BIT(DELTA_BINARY_PACKED) | BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_DELTA_BINARY_PACKED,
     true},
    {"a dictionary somewhere: tried",
     LITH_TYPE_INT64,
     {{LITH_CODEC_ZSTD, 10, 1, BIT(PLAIN_DICTIONARY) | BIT(RLE)},
      {LITH_CODEC_ZSTD, 10, 100, BIT(DELTA_BINARY_PACKED) | BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_DELTA_BINARY_PACKED,
     true},
    {"BOOLEAN has no dictionary",
     LITH_TYPE_BOOLEAN,
     {{LITH_CODEC_ZSTD, 10, 10, BIT(PLAIN) | BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_PLAIN,
     false},
    {"RLE BOOLEAN",
     LITH_TYPE_BOOLEAN,
     {{LITH_CODEC_ZSTD, 10, 10, BIT(RLE)}},
     LITH_CODEC_ZSTD,
     LITH_ENCODING_RLE,
     false},
    {"no sources with bytes",
     LITH_TYPE_INT32,
     {{0}},
     LITH_CODEC_UNCOMPRESSED,
     LITH_ENCODING_PLAIN,
     true},
    {"an empty list of encodings",
     LITH_TYPE_INT32,
     {{LITH_CODEC_GZIP, 5, 5, 0}},
     LITH_CODEC_GZIP,
     LITH_ENCODING_PLAIN,
     true},
};

static void test_choice(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct choice_case *c = &cases[i];
        struct lith_chunk_votes votes = {0};
        struct lith_schema_node leaf = {.type = c->type, .converted_type = LITH_CONVERTED_NONE};
        for (size_t v = 0; v < 3 && c->votes[v].values; v++) {
            struct lith_chunk_meta meta = {.codec = c->votes[v].codec,
                                           .total_compressed_size = c->votes[v].bytes,
                                           .num_values = c->votes[v].values,
                                           .encodings = c->votes[v].encodings};
            lith_chunk_votes_add(&votes, &meta, c->type);
        }
        struct lith_chunk_plan plan = lith_chunk_votes_plan(&votes, &leaf, &keep);
        if (plan.codec != c->codec || plan.fallback != c->fallback ||
            plan.try_dictionary != c->try_dictionary)
            fail_msg("%s: codec %d, encoding %d, dictionary %d", c->what, plan.codec, plan.fallback,
                     plan.try_dictionary);
    }
}

/* encoding_stats tell data pages from the dictionary page where the list cannot. */
static void test_encoding_stats(void **state)
{
    struct lith_encoding_stat stats[] = {
        {LITH_PAGE_DICTIONARY, LITH_ENCODING_PLAIN, 1},
        {LITH_PAGE_DATA, LITH_ENCODING_RLE_DICTIONARY, 3},
        {LITH_PAGE_DATA, LITH_ENCODING_PLAIN, 2},
        {LITH_PAGE_DATA, LITH_ENCODING_DELTA_BINARY_PACKED, 0},
        {LITH_PAGE_DATA, 4711, 1},
    };
    struct lith_chunk_meta meta = {.codec = LITH_CODEC_ZSTD,
                                   .num_values = 9,
                                   .total_compressed_size = 9,
                                   .encodings = BIT(DELTA_BINARY_PACKED),
                                   .encoding_stats = stats,
                                   .encoding_stat_count = 5};
    struct lith_chunk_votes votes = {0};

    (void)state;
    lith_chunk_votes_add(&votes, &meta, LITH_TYPE_INT64);
    assert_true(votes.any_dictionary);
    assert_int_equal(votes.values_by_encoding[LITH_ENCODING_PLAIN], 9);
    assert_int_equal(votes.values_by_encoding[LITH_ENCODING_DELTA_BINARY_PACKED], 0);
}

/* A chunk of nulls was given an encoding by nobody's choice. */
static void test_nulls_do_not_vote(void **state)
{
    struct lith_chunk_meta nulls = {.codec = LITH_CODEC_ZSTD,
                                    .num_values = 2000,
                                    .encodings = BIT(BYTE_STREAM_SPLIT) | BIT(RLE),
                                    .statistics = {.has_null_count = true, .null_count = 2000}};
    struct lith_chunk_meta values = {
        .codec = LITH_CODEC_ZSTD, .num_values = 10, .encodings = BIT(PLAIN) | BIT(RLE)};
    struct lith_schema_node leaf = {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
                                    .type_length = 33,
                                    .converted_type = LITH_CONVERTED_NONE};
    struct lith_chunk_votes votes = {0};

    (void)state;
    lith_chunk_votes_add(&votes, &nulls, leaf.type);
    lith_chunk_votes_add(&votes, &values, leaf.type);
    assert_int_equal(lith_chunk_votes_plan(&votes, &leaf, &keep).fallback, LITH_ENCODING_PLAIN);
    nulls.statistics.null_count = 5000; /* a lie: all of them vote */
    lith_chunk_votes_add(&votes, &nulls, leaf.type);
    assert_int_equal(lith_chunk_votes_plan(&votes, &leaf, &keep).fallback,
                     LITH_ENCODING_BYTE_STREAM_SPLIT);
}

static void test_bloom(void **state)
{
    struct lith_chunk_meta without = {.codec = LITH_CODEC_ZSTD, .num_values = 1};
    struct lith_chunk_meta with = without;
    struct lith_chunk_votes votes = {0};
    struct lith_schema_node leaf = {.type = LITH_TYPE_FIXED_LEN_BYTE_ARRAY,
                                    .type_length = 12,
                                    .converted_type = LITH_CONVERTED_NONE};

    (void)state;
    with.bloom_filter_offset = 100;
    lith_chunk_votes_add(&votes, &without, leaf.type);
    assert_false(lith_chunk_votes_plan(&votes, &leaf, &keep).bloom);
    lith_chunk_votes_add(&votes, &with, leaf.type);
    assert_true(lith_chunk_votes_plan(&votes, &leaf, &keep).bloom);
    leaf.converted_type = LITH_CONVERTED_INTERVAL;
    assert_false(lith_chunk_votes_plan(&votes, &leaf, &keep).bloom);
}

/* A codec that is given overrides the votes, and nothing else. */
static void test_given_codec(void **state)
{
    struct lith_schema_node leaf = {.type = LITH_TYPE_INT64, .converted_type = LITH_CONVERTED_NONE};
    struct lith_chunk_meta meta = {
        .codec = LITH_CODEC_SNAPPY, .total_compressed_size = 9, .num_values = 9};
    struct lith_codec_choice given = {true, LITH_CODEC_UNCOMPRESSED, 0};
    struct lith_chunk_votes votes = {0};

    (void)state;
    lith_chunk_votes_add(&votes, &meta, leaf.type);
    struct lith_chunk_plan voted = lith_chunk_votes_plan(&votes, &leaf, &keep);
    struct lith_chunk_plan plan = lith_chunk_votes_plan(&votes, &leaf, &given);
    assert_int_equal(voted.codec, LITH_CODEC_SNAPPY);
    assert_int_equal(plan.codec, LITH_CODEC_UNCOMPRESSED);
    assert_int_equal(plan.fallback, voted.fallback);
    assert_int_equal(plan.try_dictionary, voted.try_dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),         cmocka_unit_test(test_given_codec),
        cmocka_unit_test(test_encoding_stats), cmocka_unit_test(test_nulls_do_not_vote),
        cmocka_unit_test(test_bloom),
    };
    return cmocka_run_group_tests_name("chunk_choice", tests, NULL, NULL);
}
