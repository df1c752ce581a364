/*
 * The chunk reader over files that others wrote: good ones decode to the rows and nulls that
 * their manifest and statistics say, bad ones are refused with the place, and a small budget
 * changes nothing but the memory.
 */
#include "corpus_support.h"

#include "base/read_ahead.h"
#include "parquet/page_source.h"

#define LARGE ((size_t)256 << 20)

/* null_count of writers that are known to count right. */
static void check_nulls(const struct opened *o, uint32_t row_group, uint32_t leaf,
                        const struct lith_stream_hash *hash)
{
    const struct lith_chunk_meta *meta = &o->footer.row_groups[row_group].chunks[leaf];

    assert_int_equal(hash->rows, o->footer.row_groups[row_group].num_rows);
    assert_int_equal(hash->positions, meta->num_values);
    if (meta->statistics.has_null_count && lith_schema_leaf(&o->footer.schema, leaf)->max_rep == 0)
        assert_int_equal(hash->positions - hash->values, meta->statistics.null_count);
}

static void good_files_decode(void **state)
{
    size_t files = 0;

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        struct lith_stream_hash hash;
        struct opened o;
        if (!corpus_entries[i].good)
            continue;
        MUST(opened_open(&o, corpus_entries[i].path, LARGE));
        MUST(lith_stream_hash_new(&o.own, &hash, &err));
        for (uint32_t row_group = 0; row_group < o.footer.row_group_count; row_group++) {
            for (uint32_t leaf = 0; leaf < o.footer.schema.leaf_count; leaf++) {
                lith_stream_hash_reset(&hash);
                if (opened_chunk(&o, row_group, leaf, &hash) != LITH_OK)
                    fail_msg("%s: %s", corpus_entries[i].path, err.text);
                check_nulls(&o, row_group, leaf, &hash);
            }
        }
        if (corpus_entries[i].rows >= 0)
            assert_int_equal(o.footer.num_rows, corpus_entries[i].rows);
        lith_stream_hash_done(&hash);
        opened_close(&o);
        files++;
    }
    assert_true(files >= 140);
}

static enum lith_code read_whole(const char *path, size_t budget, struct lith_hash128 *ret_hash)
{
    struct lith_stream_hash hash;
    struct opened o;
    enum lith_code code = opened_open(&o, path, budget);

    MUST(lith_stream_hash_new(&o.own, &hash, &err));
    if (code == LITH_OK)
        code = opened_read(&o, &hash);
    *ret_hash = lith_stream_hash_end(&hash);
    lith_stream_hash_done(&hash);
    opened_close(&o);
    return code;
}

static void bad_files_are_refused(void **state)
{
    size_t files = 0;

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        struct lith_hash128 hash;
        if (!corpus_entries[i].bad)
            continue;
        enum lith_code code = read_whole(corpus_entries[i].path, LARGE, &hash);
        if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
            fail_msg("%s: %s", corpus_entries[i].path, lith_code_name(code));
        assert_true(strlen(err.text) > 20);
        files++;
    }
    assert_int_equal(files, 29);
}

/* Those whose footers are fine: the text says where the damage is. */
static void damage_is_named_with_its_place(void **state)
{
    static const struct {
        const char *path;
        const char *text;
    } cases[] = {
        {"bad/impala__num_values_def_levels_mismatch.parquet",
         "row group 0, column \"_c0\", page 0 at byte 4: 2 values in the page, but only 1"},
        {"bad/parquet-testing__ARROW-GH-47662.parquet",
         "row group 0, column \"flba_field\", page 0 at byte 4: "},
        {"bad/parquet-testing__ARROW-GH-45185.parquet",
         "page 0 at byte 4: the first repetition level is 1, it must be 0"},
        {"bad/parquet-testing__ARROW-RS-GH-6229-LEVELS.parquet",
         "column \"outer.list.item.c\", page 1 at byte 19: "},
        {"bad/parquet-testing__ARROW-GH-41321.parquet",
         "column \"int64\", page 1 at byte 1313: definition levels: "},
        {"bad/impala__plain-encoded-out-of-bounds.parquet",
         "column \"s\", page 1 at byte 18: a value of 12 bytes"},
        {"bad/parquet-testing__datapage_v1-corrupt-checksum.parquet",
         "column \"a\", page 0 at byte 4: the page's CRC is "},
        {"bad/duckdb__rle_malicious_bitwidth.parquet", "page 1 at byte 233: a bit width of 63"},
        {"bad/impala__bad_codec.parquet", "codec 5000"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_hash128 hash;
        assert_int_not_equal(read_whole(cases[i].path, LARGE, &hash), LITH_OK);
        if (!strstr(err.text, cases[i].text))
            fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].path, err.text, cases[i].text);
    }
}

/* Odd files: read in full, or refused in words. Which ones are refused is no accident. */
static void odd_files_are_read_or_refused(void **state)
{
    static const char *const refused[] = {
        "arrow-testing__crash-649c71a618ae2fd80cec177a9676eb3e280fc1fa",
        "arrow-testing__fuzz-5068991573000192",
        "impala__bad_column_metadata",
        "parquet-testing__large_string_map.brotli",
        "parquetjs__fruits-bloomfilter",
    };

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        struct lith_hash128 hash;
        bool expected = false;
        if (corpus_entries[i].good || corpus_entries[i].bad)
            continue;
        for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++)
            expected = expected || strstr(corpus_entries[i].path, refused[k]);
        enum lith_code code = read_whole(corpus_entries[i].path, LARGE, &hash);
        if ((code != LITH_OK) != expected)
            fail_msg("%s: %s %s", corpus_entries[i].path, lith_code_name(code), err.text);
    }
}

/* Pages that are larger than an eighth of the budget go through spools and windows. What a small
 * budget cannot hold is refused by name: ZSTD histories, single values. */
static void small_budgets_give_the_same(void **state)
{
    static const struct {
        size_t budget;
        size_t refused_max;
    } budgets[] = {{(size_t)16 << 20, 0}, {(size_t)1 << 20, 3}, {(size_t)256 << 10, 4}};

    (void)state;
    for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
        size_t refused = 0;
        for (size_t i = 0; i < corpus_count; i++) {
            struct lith_hash128 large;
            struct lith_hash128 small;
            if (!corpus_entries[i].good)
                continue;
            MUST(read_whole(corpus_entries[i].path, LARGE, &large));
            enum lith_code code = read_whole(corpus_entries[i].path, budgets[b].budget, &small);
            if (code == LITH_E_LIMIT) {
                refused++;
                continue;
            }
            if (code != LITH_OK || !lith_hash128_equal(small, large))
                fail_msg("%s under %zu bytes: %s", corpus_entries[i].path, budgets[b].budget,
                         code == LITH_OK ? "another fingerprint" : err.text);
        }
        assert_true(refused <= budgets[b].refused_max);
    }
}

/* Reads all chunks of a file that is in memory: pages are looked at where they stand. */
static enum lith_code read_in_memory(struct opened *o, struct lith_stream_hash *hash)
{
    struct lith_source *file = o->source;
    struct lith_memory_source memory;
    void *bytes;

    MUST(lith_alloc(&o->own, (size_t)file->size, &bytes, &err));
    MUST(lith_source_read(file, 0, bytes, (size_t)file->size, &err));
    lith_memory_source_init(&memory, bytes, (size_t)file->size);
    o->source = &memory.base;
    enum lith_code code = opened_read(o, hash);
    o->source = file;
    lith_free(bytes);
    return code;
}

/* Reads each chunk through a buffer that is filled ahead. */
static enum lith_code read_ahead(struct opened *o, struct lith_stream_hash *hash)
{
    struct lith_source *file = o->source;
    struct lith_read_ahead ahead;
    enum lith_code code = LITH_OK;

    lith_read_ahead_init(&ahead, &o->own, LITH_READ_AHEAD_BYTES);
    o->source = &ahead.base;
    for (uint32_t i = 0; i < o->footer.row_group_count; i++) {
        for (uint32_t leaf = 0; leaf < o->footer.schema.leaf_count && code == LITH_OK; leaf++) {
            const struct lith_chunk_meta *meta = &o->footer.row_groups[i].chunks[leaf];
            uint64_t begin = (uint64_t)lith_chunk_start(meta);
            lith_read_ahead_open(&ahead, file, begin,
                                 begin + (uint64_t)meta->total_compressed_size);
            code = opened_chunk(o, i, leaf, hash);
        }
    }
    o->source = file;
    lith_read_ahead_done(&ahead);
    return code;
}

/* Bytes at hand in memory, or read ahead, are the bytes of the file: under any budget. */
static void ways_to_the_bytes_give_the_same(void **state)
{
    static enum lith_code (*const ways[])(struct opened * o, struct lith_stream_hash * hash) = {
        opened_read, read_in_memory, read_ahead};
    static const size_t budgets[] = {LARGE, (size_t)256 << 10};

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
            struct lith_hash128 hashes[3];
            enum lith_code codes[3];
            for (size_t w = 0; w < 3; w++) {
                struct lith_stream_hash hash;
                struct opened o;
                codes[w] = opened_open(&o, corpus_entries[i].path, budgets[b]);
                MUST(lith_stream_hash_new(&o.own, &hash, &err));
                if (codes[w] == LITH_OK)
                    codes[w] = ways[w](&o, &hash);
                hashes[w] = lith_stream_hash_end(&hash);
                lith_stream_hash_done(&hash);
                opened_close(&o);
                if (codes[w] != codes[0] ||
                    (codes[0] == LITH_OK && !lith_hash128_equal(hashes[w], hashes[0])))
                    fail_msg("%s: way %zu: %s instead of %s", corpus_entries[i].path, w,
                             lith_code_name(codes[w]), lith_code_name(codes[0]));
            }
        }
    }
}

/* Allocations fail one by one (later ones in steps, they repeat): NOMEM comes back, nothing is
 * left behind. */
static void allocations_may_fail(void **state)
{
    static const struct {
        const char *path;
        size_t budget;
    } cases[] = {
        {"good/nanoparquet__int64.parquet", LARGE},
        {"good/databend__variant.parquet", LARGE},
        {"good/clickhouse-java__test_sample.parquet", LARGE},
        {"good/clickhouse-java__test_sample.parquet", (size_t)24 << 10},
        {"good/delta__parquet-all-types-legacy-format-part-00000-5afb67f1-c000.snappy.parquet",
         (size_t)64 << 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum lith_code code = LITH_E_NOMEM;
        for (int64_t n = 0; code == LITH_E_NOMEM; n += 1 + n / 64) {
            struct lith_stream_hash hash;
            struct opened o;
            MUST(opened_open(&o, cases[i].path, cases[i].budget));
            MUST(lith_stream_hash_new(&o.own, &hash, &err));
            atomic_store(&o.mem.fail_after, n);
            code = opened_read(&o, &hash);
            atomic_store(&o.mem.fail_after, -1);
            lith_stream_hash_done(&hash);
            opened_close(&o);
            assert_true(n < 100000);
        }
        if (code != LITH_OK)
            fail_msg("%s: %s", cases[i].path, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_decode),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(damage_is_named_with_its_place),
        cmocka_unit_test(odd_files_are_read_or_refused),
        cmocka_unit_test(small_budgets_give_the_same),
        cmocka_unit_test(ways_to_the_bytes_give_the_same),
        cmocka_unit_test(allocations_may_fail),
    };

    if (!corpus_find())
        return TEST_SKIP;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
