/*
 * Witnesses: which segments a chunk comes to, and what makes their fingerprints differ.
 */
#include "support.h"

#include "base/work.h"
#include "parquet/witness.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_scratch scratch;
static struct lith_control control;
static const struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
static const struct lith_schema_node optional = {.type = LITH_TYPE_INT32, .max_def = 1};
static const struct lith_schema_node required = {.type = LITH_TYPE_INT32};

static struct lith_batch batch_of(const int32_t *values, size_t count)
{
    return (struct lith_batch){
        .position_count = count,
        .values = {
            .type = LITH_TYPE_INT32, .width = 4, .count = count, .fixed = (const uint8_t *)values}};
}

static const struct lith_page_header plain_page = {
    .type = LITH_PAGE_DATA,
    .uncompressed_bytes = 100,
    .compressed_bytes = 6,
    .num_values = 7,
    .encoding = LITH_ENCODING_PLAIN,
    .def_encoding = LITH_ENCODING_RLE,
    .rep_encoding = LITH_ENCODING_RLE,
};

static void copy(struct lith_witness *witness, const struct lith_page_header *header)
{
    MUST(lith_witness_copied_page(witness, header, LITH_CODEC_SNAPPY, &err));
    lith_witness_copied_bytes(witness, "abc", 3);
    lith_witness_copied_bytes(witness, "def", 3);
}

static void copy_ids(struct lith_witness *witness, int32_t encoding)
{
    struct lith_page_header header = plain_page;

    header.encoding = encoding;
    copy(witness, &header);
}

static struct lith_segment next(struct lith_witness *witness, struct lith_witness_place *place,
                                enum lith_segment_kind kind, uint64_t positions)
{
    struct lith_segment segment;

    MUST(lith_witness_read(witness, place, &segment, &err));
    assert_int_equal(segment.kind, kind);
    assert_int_equal(segment.positions, positions);
    return segment;
}

static void neighbours_of_one_kind_are_one(void **state)
{
    static const int32_t values[] = {1, 2, 3};
    struct lith_batch batch = batch_of(values, 3);
    struct lith_batch nothing = batch_of(values, 0);
    struct lith_witness witness;
    struct lith_witness_place place = {0};

    (void)state;
    lith_witness_init(&witness, &work, 2);
    lith_witness_chunk_begin(&witness, &required);
    MUST(lith_witness_decoded(&witness, &batch, &err));
    MUST(lith_witness_decoded(&witness, &batch, &err));
    copy(&witness, &plain_page);
    MUST(lith_witness_decoded(&witness, &nothing, &err));
    copy(&witness, &plain_page);
    MUST(lith_witness_decoded(&witness, &batch, &err));
    MUST(lith_witness_chunk_end(&witness, 23, &err));
    lith_witness_chunk_begin(&witness, &optional);
    copy(&witness, &plain_page);
    MUST(lith_witness_chunk_end(&witness, 23, &err));
    assert_int_equal(witness.row_group_count, 1);
    assert_int_equal(witness.rows, 23);

    struct lith_segment first = next(&witness, &place, LITH_SEGMENT_DECODED, 6);
    assert_int_equal(first.values, 6);
    assert_int_equal(first.rows, 6);
    struct lith_segment second = next(&witness, &place, LITH_SEGMENT_COPIED, 14);
    assert_int_equal(second.pages, 2);
    assert_false(second.has_ids);
    struct lith_segment third = next(&witness, &place, LITH_SEGMENT_DECODED, 3);
    assert_false(lith_hash128_equal(first.fingerprint, third.fingerprint));
    assert_int_equal(next(&witness, &place, LITH_SEGMENT_END, 0).rows, 23);
    assert_int_equal(next(&witness, &place, LITH_SEGMENT_COPIED, 7).pages, 1);
    assert_int_equal(next(&witness, &place, LITH_SEGMENT_END, 0).rows, 23);
    assert_int_equal(lith_witness_read(&witness, &place, &first, &err), LITH_E_CORRUPT);
    lith_witness_done(&witness);
}

static void ids_join_while_they_mean_the_same(void **state)
{
    static const struct lith_hash128 one = {1, 1};
    static const struct lith_hash128 two = {2, 2};
    struct lith_witness witness;
    struct lith_witness_place place = {0};

    (void)state;
    lith_witness_init(&witness, &work, 1);
    lith_witness_chunk_begin(&witness, &required);
    copy(&witness, &plain_page);
    lith_witness_dictionary(&witness, 10, one);
    copy_ids(&witness, LITH_ENCODING_PLAIN_DICTIONARY);
    lith_witness_dictionary(&witness, 10, one);
    copy_ids(&witness, LITH_ENCODING_RLE_DICTIONARY);
    lith_witness_dictionary(&witness, 11, two);
    copy(&witness, &plain_page);
    copy_ids(&witness, LITH_ENCODING_RLE_DICTIONARY);
    lith_witness_dictionary(&witness, 10, two);
    copy_ids(&witness, LITH_ENCODING_RLE_DICTIONARY);
    MUST(lith_witness_chunk_end(&witness, 42, &err));

    struct lith_segment segment = next(&witness, &place, LITH_SEGMENT_COPIED, 28);
    assert_true(segment.has_ids);
    assert_int_equal(segment.dictionary_count, 10);
    assert_int_equal(segment.dictionary.low, 1);
    segment = next(&witness, &place, LITH_SEGMENT_COPIED, 7);
    assert_int_equal(segment.dictionary_count, 11);
    assert_int_equal(segment.dictionary.low, 2);
    segment = next(&witness, &place, LITH_SEGMENT_COPIED, 7);
    assert_int_equal(segment.dictionary_count, 10);
    next(&witness, &place, LITH_SEGMENT_END, 0);
    lith_witness_done(&witness);
}

static struct lith_hash128 hash_of(const struct lith_page_header *header, enum lith_codec codec,
                                   const struct lith_schema_node *leaf, const char *body)
{
    struct lith_pages_hash hash;

    MUST(lith_pages_hash_new(&mem, &hash, &err));
    lith_pages_hash_page(&hash, header, codec, leaf);
    lith_pages_hash_bytes(&hash, body, 6);
    struct lith_hash128 end = lith_pages_hash_end(&hash);
    lith_pages_hash_done(&hash);
    return end;
}

static bool changes(const struct lith_page_header *a, const struct lith_page_header *b)
{
    return !lith_hash128_equal(hash_of(a, LITH_CODEC_ZSTD, &optional, "abcdef"),
                               hash_of(b, LITH_CODEC_ZSTD, &optional, "abcdef"));
}

/* What the header means counts, how it says so does not. */
static void headers_by_their_meaning(void **state)
{
    const struct lith_page_header *v1 = &plain_page;
    struct lith_page_header v2 = plain_page;
    struct lith_page_header h;

    (void)state;
    v2.type = LITH_PAGE_DATA_V2;
    v2.is_compressed = true;
    assert_true(changes(v1, &v2));
#define CHANGE(from, field, value, expected)                                                       \
    h = *(from);                                                                                   \
    h.field = (value);                                                                             \
    assert_int_equal(changes((from), &h), expected)
    CHANGE(v1, num_values, 8, true);
    CHANGE(v1, uncompressed_bytes, 101, true);
    CHANGE(v1, encoding, LITH_ENCODING_BYTE_STREAM_SPLIT, true);
    CHANGE(v1, def_encoding, LITH_ENCODING_BIT_PACKED, true);
    CHANGE(v1, rep_encoding, LITH_ENCODING_BIT_PACKED, false); /* no such levels */
    CHANGE(v1, num_nulls, 5, false);                           /* of V2 */
    CHANGE(v1, crc, 5, false);
    CHANGE(v1, has_crc, true, false);
    CHANGE(&v2, num_nulls, 1, true);
    CHANGE(&v2, num_rows, 1, true);
    CHANGE(&v2, def_bytes, 1, true);
    CHANGE(&v2, rep_bytes, 1, true);
    CHANGE(&v2, def_encoding, LITH_ENCODING_BIT_PACKED, false);
#undef CHANGE
    struct lith_hash128 before = hash_of(v1, LITH_CODEC_ZSTD, &optional, "abcdef");
    assert_false(lith_hash128_equal(before, hash_of(v1, LITH_CODEC_ZSTD, &optional, "abcdeg")));
    assert_false(lith_hash128_equal(before, hash_of(v1, LITH_CODEC_SNAPPY, &optional, "abcdef")));
    assert_int_equal(lith_page_codec(v1, LITH_CODEC_ZSTD), LITH_CODEC_ZSTD);
    assert_int_equal(lith_page_codec(&v2, LITH_CODEC_ZSTD), LITH_CODEC_ZSTD);
    v2.is_compressed = false;
    assert_int_equal(lith_page_codec(&v2, LITH_CODEC_ZSTD), LITH_CODEC_UNCOMPRESSED);
}

/* A body cannot pass for the next page's header, nor pages change their places. */
static void pages_keep_their_order(void **state)
{
    struct lith_page_header other = plain_page;
    struct lith_witness witness;
    struct lith_witness_place place = {0};

    (void)state;
    other.num_values = 8;
    lith_witness_init(&witness, &work, 1);
    for (int turned = 0; turned < 2; turned++) {
        lith_witness_chunk_begin(&witness, &required);
        copy(&witness, turned ? &other : &plain_page);
        copy(&witness, turned ? &plain_page : &other);
        MUST(lith_witness_chunk_end(&witness, 15, &err));
    }
    struct lith_segment a = next(&witness, &place, LITH_SEGMENT_COPIED, 15);
    next(&witness, &place, LITH_SEGMENT_END, 0);
    struct lith_segment b = next(&witness, &place, LITH_SEGMENT_COPIED, 15);
    assert_false(lith_hash128_equal(a.fingerprint, b.fingerprint));
    lith_witness_done(&witness);
}

static void nobody_asks(void **state)
{
    static const int32_t values[] = {1};
    struct lith_batch batch = batch_of(values, 1);

    (void)state;
    MUST(lith_witness_decoded(NULL, &batch, &err));
    lith_witness_dictionary(NULL, 1, (struct lith_hash128){1, 1});
    MUST(lith_witness_copied_page(NULL, &plain_page, LITH_CODEC_SNAPPY, &err));
    lith_witness_copied_bytes(NULL, "abc", 3);
}

static void segments_come_back_from_the_spool(void **state)
{
    struct lith_mem small;
    struct lith_witness witness;
    struct lith_witness_place place = {0};
    int32_t value;

    (void)state;
    lith_mem_init(&small, 1 << 16, NULL);
    const struct lith_work few = {.mem = &small, .scratch = &scratch, .control = &control};
    lith_witness_init(&witness, &few, 3);
    for (value = 0; value < 3000; value++) {
        struct lith_batch batch = batch_of(&value, 1);
        lith_witness_chunk_begin(&witness, &required);
        MUST(lith_witness_decoded(&witness, &batch, &err));
        copy(&witness, &plain_page);
        MUST(lith_witness_chunk_end(&witness, (uint64_t)value, &err));
    }
    assert_true(witness.segments.fd >= 0);
    assert_int_equal(witness.row_group_count, 1000);
    for (value = 0; value < 3000; value++) {
        next(&witness, &place, LITH_SEGMENT_DECODED, 1);
        next(&witness, &place, LITH_SEGMENT_COPIED, 7);
        assert_int_equal(next(&witness, &place, LITH_SEGMENT_END, 0).rows, value);
    }
    lith_witness_done(&witness);
    lith_mem_done(&small);
}

/* What is witnessed in parts reads as if it had been one. */
static void parts_come_in_the_order_they_are_put(void **state)
{
    static const int32_t values[] = {1, 2, 3, 4};
    struct lith_witness_place place = {0};
    struct lith_witness witness, parts[2];

    (void)state;
    lith_witness_init(&witness, &work, 2);
    lith_witness_init(&parts[0], &work, 2);
    lith_witness_init(&parts[1], &work, 2);
    for (int group = 0; group < 3; group++) {
        for (size_t i = 2; i-- > 0;) { /* the second one first */
            struct lith_batch batch = batch_of(values, i + 1);
            lith_witness_chunk_begin(&parts[i], &required);
            MUST(lith_witness_decoded(&parts[i], &batch, &err));
            if (group == 1)
                copy(&parts[i], &plain_page);
            MUST(lith_witness_chunk_end(&parts[i], 8, &err));
        }
        MUST(lith_witness_put(&witness, &parts[0], &err));
        MUST(lith_witness_put(&witness, &parts[1], &err));
    }
    assert_int_equal(witness.row_group_count, 3);
    assert_int_equal(witness.rows, 24);
    assert_int_equal(witness.chunk_count, 6);
    for (int group = 0; group < 3; group++) {
        for (uint64_t i = 0; i < 2; i++) {
            next(&witness, &place, LITH_SEGMENT_DECODED, i + 1);
            if (group == 1)
                next(&witness, &place, LITH_SEGMENT_COPIED, 7);
            next(&witness, &place, LITH_SEGMENT_END, 0);
        }
    }
    lith_witness_done(&witness);
    lith_witness_done(&parts[0]);
    lith_witness_done(&parts[1]);
    lith_mem_done(&mem);
}

static void allocations_may_fail(void **state)
{
    static const int32_t values[] = {1};
    struct lith_batch batch = batch_of(values, 1);
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    for (int64_t n = 0; code == LITH_E_NOMEM; n++) {
        struct lith_witness witness;
        lith_witness_init(&witness, &work, 1);
        lith_witness_chunk_begin(&witness, &required);
        atomic_store(&mem.fail_after, n);
        code = lith_witness_decoded(&witness, &batch, &err);
        if (code == LITH_OK)
            code = lith_witness_copied_page(&witness, &plain_page, LITH_CODEC_SNAPPY, &err);
        if (code == LITH_OK) {
            lith_witness_copied_bytes(&witness, "abcdef", 6);
            code = lith_witness_chunk_end(&witness, 8, &err);
        }
        atomic_store(&mem.fail_after, -1);
        lith_witness_done(&witness);
    }
    MUST(code);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_one_kind_are_one),
        cmocka_unit_test(ids_join_while_they_mean_the_same),
        cmocka_unit_test(headers_by_their_meaning),
        cmocka_unit_test(pages_keep_their_order),
        cmocka_unit_test(nobody_asks),
        cmocka_unit_test(segments_come_back_from_the_spool),
        cmocka_unit_test(parts_come_in_the_order_they_are_put),
        cmocka_unit_test(allocations_may_fail),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
