/*
 * Manifests: good ones come back with every field, hostile ones are refused with a place.
 */
#include "arena_support.h"

#include "base/limits.h"
#include "lake/manifest.h"

#define ID1 "00112233445566778899aabbccddeeff"
#define ID2 "ffeeddccbbaa99887766554433221100"
#define AT "\"2026-06-15T11:20:00Z\""
#define LOG                                                                                        \
    "\"log\":[{\"generation\":11,\"commit_id\":\"" ID1                                             \
    "\",\"epoch\":2,\"op\":\"adopt\",\"at\":" AT ",\"event\":true},"                               \
    "{\"generation\":12,\"commit_id\":\"" ID2 "\",\"epoch\":3,\"op\":\"teleport\",\"at\":" AT      \
    ",\"how\":[1,2.5]}]"
#define FILE_A                                                                                     \
    "{\"name\":\"a.parquet\",\"size\":10,\"etag\":\"10:5\",\"since\":11,\"commit_id\":\"" ID1      \
    "\",\"colour\":\"red\"}"
#define FILE_B                                                                                     \
    "{\"name\":\"b.parquet\",\"size\":20,\"etag\":\"20:5\",\"rows\":7,\"crc32\":\"00ff00aa\","     \
    "\"set\":2,\"since\":12,\"commit_id\":\"" ID2 "\"}"
#define HEAD                                                                                       \
    "\"format\":1,\"pid\":\"5f21c0de\",\"epoch\":3,\"commit_id\":\"" ID2 "\",\"committed_at\":" AT

static const char full[] =
    "{\"generation\":12,\"files\":[\"a.parquet\",\"b.parquet\"],\"owner\":{\"team\":\"x\"},"
    "\"lithify\":{" HEAD "," LOG ",\"files\":[" FILE_A "," FILE_B "],"
    "\"retired\":[{\"name\":\"c.parquet\",\"size\":1,\"etag\":\"1:1\",\"rows\":0,\"crc32\":"
    "\"00000000\",\"generation\":12,\"at\":" AT ",\"commit_id\":\"" ID2 "\",\"why\":null}],"
    "\"gone\":[{\"name\":\"d.parquet\",\"size\":4,\"crc32\":\"deadbeef\",\"at\":" AT "}],"
    "\"condemned\":[\"c.parquet\"],"
    "\"outcome\":{\"live_hash\":\"" ID1 "\",\"policy_hash\":\"" ID2
    "\",\"writer\":1,\"files_before\":40,\"files_after\":2,\"verdict\":\"reduced\","
    "\"sets_hash\":\"" ID1 "\",\"conflicts\":["
    "\"a\"],\"refusals\":[\"\",\"no\"],"
    "\"extra\":1},"
    "\"quarantine\":[{\"name\":\"a.parquet\",\"etag\":\"10:5\",\"reason\":\"torn\",\"since\":" AT
    "}],\"misplaced\":[{\"name\":\"b.parquet\",\"etag\":\"20:5\",\"rules\":\"" ID1
    "\",\"reason\":\"column a\",\"since\":" AT
    ",\"row\":7}],\"lost\":[{\"name\":\"l.parquet\",\"size\":3,\"etag\":\"3:1\",\"rows\":9,"
    "\"generation\":12,\"at\":" AT ",\"commit_id\":\"" ID1 "\",\"hope\":1}],\"future\":true}}";

static enum lith_code parse(const char *text, struct lith_manifest *ret)
{
    return lith_manifest_parse(text, strlen(text), "manifest.json", &arena, ret, &err);
}

static void check_full(const struct lith_manifest *m)
{
    assert_false(m->foreign);
    assert_int_equal(m->generation, 12);
    assert_string_equal(m->pid, "5f21c0de");
    assert_int_equal(m->epoch, 3);
    assert_string_equal(m->commit_id, ID2);
    assert_true(m->committed_at_ns == 1781522400000000000);
    assert_int_equal(m->file_count, 2);
    assert_string_equal(m->files[1].name, "b.parquet");
    assert_int_equal(m->files[1].size, 20);
    assert_true(m->files[1].has_rows && m->files[1].has_crc);
    assert_int_equal(m->files[1].crc32, 0x00ff00aa);
    assert_int_equal(m->files[1].generation, 12);
    assert_false(m->files[0].has_rows || m->files[0].has_crc);
    assert_int_equal(m->retired_count, 1);
    assert_true(m->retired[0].has_rows && m->retired[0].rows == 0);
    assert_int_equal(m->gone_count, 1);
    assert_int_equal(m->gone[0].crc32, 0xdeadbeef);
    assert_true(lith_manifest_condemned(m, "c.parquet"));
    assert_int_equal(m->log_count, 2);
    assert_true(m->log[0].event);
    assert_int_equal(m->log[0].op, LITH_OP_ADOPT);
    assert_int_equal(m->log[1].op, LITH_OP_OTHER);
    assert_string_equal(m->log[1].op_text, "teleport");
    assert_true(m->has_outcome);
    assert_int_equal(m->outcome.files_before, 40);
    assert_int_equal(m->outcome.conflict_count, 1);
    assert_string_equal(m->outcome.conflicts[0], "a");
    assert_string_equal(m->outcome.sets_hash, ID1);
    assert_int_equal(m->outcome.refusal_count, 2);
    assert_null(m->outcome.refusals[0]);
    assert_string_equal(m->outcome.refusals[1], "no");
    assert_int_equal(m->files[0].set, 0);
    assert_int_equal(m->files[1].set, 2);
    assert_int_equal(m->quarantine_count, 1);
    assert_string_equal(m->quarantine[0].reason, "torn");
    assert_int_equal(m->misplaced_count, 1);
    assert_string_equal(m->misplaced[0].name, "b.parquet");
    assert_string_equal(m->misplaced[0].etag, "20:5");
    assert_string_equal(m->misplaced[0].rules, ID1);
    assert_string_equal(m->misplaced[0].reason, "column a");
    assert_true(m->misplaced[0].since_ns == 1781522400000000000);
    assert_int_equal(m->lost_count, 1);
    const struct lith_entry *lost = lith_manifest_lost(m, "l.parquet", 3);
    assert_ptr_equal(lost, &m->lost[0]);
    assert_null(lith_manifest_lost(m, "l.parquet", 4));
    assert_true(lost->has_rows && lost->rows == 9 && !lost->has_crc && lost->generation == 12);
    assert_string_equal(lost->commit_id, ID1);
}

/* Everything comes back, also what this version does not know; written twice it is the same. */
static void a_full_one_comes_back(void **state)
{
    static const char *const unknown[] = {
        "\"team\":\"x\"", "\"colour\":\"red\"", "\"why\":null",        "\"how\":[1,2.5]",
        "\"extra\":1",    "\"future\": true",   "\"op\":\"teleport\"", "\"row\":7"};
    LITH_AUTO(manifest) struct lith_manifest m = {0};
    LITH_AUTO(manifest) struct lith_manifest back = {0};
    LITH_AUTO(buf) struct lith_buf once;
    LITH_AUTO(buf) struct lith_buf twice;

    (void)state;
    lith_buf_init(&once, &mem, SIZE_MAX);
    lith_buf_init(&twice, &mem, SIZE_MAX);
    MUST(parse(full, &m));
    check_full(&m);
    MUST(lith_manifest_write(&m, &once, &err));
    MUST(lith_buf_append_byte(&once, 0, &err));
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        if (!strstr((const char *)once.data, unknown[i]))
            fail_msg("%s is lost:\n%s", unknown[i], (const char *)once.data);
    }
    MUST(parse((const char *)once.data, &back));
    check_full(&back);
    MUST(lith_manifest_write(&back, &twice, &err));
    MUST(lith_buf_append_byte(&twice, 0, &err));
    assert_string_equal((const char *)once.data, (const char *)twice.data);
}

static void a_foreign_one_has_names_alone(void **state)
{
    static const char *const texts[] = {
        "{\"generation\":3,\"files\":[\"b.parquet\",\"a.parquet\"],\"x\":1}",
        "{\"files\":[\"b.parquet\",\"a.parquet\"]}",
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        LITH_AUTO(manifest) struct lith_manifest m = {0};
        MUST(parse(texts[i], &m));
        assert_true(m.foreign);
        assert_int_equal(m.generation, i ? 0 : 3);
        assert_int_equal(m.file_count, 2);
        assert_string_equal(m.files[0].name, "b.parquet");
    }
}

/* Each replaces one piece of the full one. */
static const struct {
    const char *piece;
    const char *with;
    enum lith_code code;
} hostile[] = {
    {"\"generation\":12,\"files\"", "\"generation\":0,\"files\"", LITH_E_CORRUPT},
    {"\"generation\":12,\"files\"", "\"generation\":-1,\"files\"", LITH_E_CORRUPT},
    {"\"generation\":12,\"files\"", "\"generation\":1.5,\"files\"", LITH_E_CORRUPT},
    {"\"generation\":12,\"files\"", "\"generation\":13,\"files\"", LITH_E_CORRUPT},
    {"\"generation\":12,\"files\"", "\"files\"", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"b.parquet\",\"a.parquet\"]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"a.parquet\"]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "\"a.parquet\"", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"a.parquet\",7]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"../x.parquet\",\"b.parquet\"]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"x/a.parquet\",\"b.parquet\"]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"a.txt\",\"b.parquet\"]", LITH_E_CORRUPT},
    {"[\"a.parquet\",\"b.parquet\"]", "[\"..\",\"b.parquet\"]", LITH_E_CORRUPT},
    {"\"name\":\"a.parquet\",\"size\":10,", "\"name\":\"a.parquet\",\"size\":-10,", LITH_E_CORRUPT},
    {"\"name\":\"a.parquet\",\"size\":10,", "\"name\":\"a.parquet\",", LITH_E_CORRUPT},
    {"\"etag\":\"10:5\",\"since\"", "\"since\"", LITH_E_CORRUPT},
    {"\"00ff00aa\"", "\"00ff00a\"", LITH_E_CORRUPT},
    {"\"00ff00aa\"", "\"00FF00AA\"", LITH_E_CORRUPT},
    {"\"name\":\"c.parquet\"", "\"name\":\"b.parquet\"", LITH_E_CORRUPT},
    {"\"name\":\"c.parquet\"", "\"name\":\"../c.parquet\"", LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"]", "\"condemned\":[\"a.parquet\"]", LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"]", "\"condemned\":[\"/etc/passwd\"]", LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"]", "\"condemned\":[\"c.parquet\",\"c.parquet\"]",
     LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"]", "\"condemned\":{}", LITH_E_CORRUPT},
    {"\"format\":1", "\"format\":2", LITH_E_UNSUPPORTED},
    {"\"format\":1", "\"format\":\"1\"", LITH_E_CORRUPT},
    {"\"pid\":\"5f21c0de\"", "\"pid\":\"5f21c0d\"", LITH_E_CORRUPT},
    {"\"epoch\":3,\"commit_id\"", "\"epoch\":4,\"commit_id\"", LITH_E_CORRUPT},
    {"\"epoch\":2,\"op\"", "\"epoch\":4,\"op\"", LITH_E_CORRUPT},
    {"\"committed_at\":" AT, "\"committed_at\":\"noon\"", LITH_E_CORRUPT},
    {"\"files_after\":2", "\"files_after\":null", LITH_E_CORRUPT},
    {"\"set\":2", "\"set\":\"2\"", LITH_E_CORRUPT},
    {"\"set\":2", "\"set\":-2", LITH_E_CORRUPT},
    {"\"set\":2", "\"set\":65536", LITH_E_CORRUPT},
    {"\"conflicts\":[\"a\"]", "\"conflicts\":\"a\"", LITH_E_CORRUPT},
    {"\"conflicts\":[\"a\"]", "\"conflicts\":[1]", LITH_E_CORRUPT},
    {"\"sets_hash\":\"", "\"sets_hash\":\"x", LITH_E_CORRUPT},
    {"\"refusals\":[\"\"", "\"refusals\":[null", LITH_E_CORRUPT},
    {"\"quarantine\":[", "\"quarantine\":[1,", LITH_E_CORRUPT},
    {"\"misplaced\":[", "\"misplaced\":[1,", LITH_E_CORRUPT},
    {"\"lost\":[", "\"lost\":[1,", LITH_E_CORRUPT},
    {"\"lost\":[{\"name\":\"l", "\"lost\":[{\"name\":\"../l", LITH_E_CORRUPT},
    {"\"size\":3,\"etag\":\"3:1\"", "\"size\":3", LITH_E_CORRUPT},
    {"\"misplaced\":[{\"name\":\"b", "\"misplaced\":[{\"name\":\"../b", LITH_E_CORRUPT},
    {"\"rules\":\"", "\"rules\":\"x", LITH_E_CORRUPT},
    {"\"etag\":\"20:5\",\"rules\"", "\"rules\"", LITH_E_CORRUPT},
    {"\"reason\":\"column a\",", "", LITH_E_CORRUPT},
    {"\"owner\":", "\"owner\":1,\"owner\":", LITH_E_CORRUPT},
    {"\"owner\":", "\"lithify\":1,\"owner\":", LITH_E_CORRUPT},
    {"\"gone\":", "\"gone\":[],\"g\\u006fne\":", LITH_E_CORRUPT},
    {"\"gone\":", "\"gone\" [],\"x\":", LITH_E_CORRUPT},
    {"\"condemned\":[", "\"condemned\":[,", LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"", "\"condemned\":[\"c.parquet\",", LITH_E_CORRUPT},
    {"\"condemned\":[\"c.parquet\"", "\"condemned\":[\"c.parquet\"}", LITH_E_CORRUPT},
    {"\"future\":true}}", "\"future\":true}}}", LITH_E_CORRUPT},
    {"\"future\":true}}", "\"future\":true,}}", LITH_E_CORRUPT},
    {"\"future\":true}}", "\"future\":true}", LITH_E_CORRUPT},
};

static void hostile_ones_are_refused(void **state)
{
    char text[4096];

    (void)state;
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        LITH_AUTO(manifest) struct lith_manifest m = {0};
        const char *at = strstr(full, hostile[i].piece);
        assert_non_null(at);
        (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - full), full, hostile[i].with,
                       at + strlen(hostile[i].piece));
        enum lith_code code = parse(text, &m);
        if (code != hostile[i].code)
            fail_msg("%s: %s", hostile[i].with, lith_code_name(code));
        assert_non_null(strstr(err.text, "manifest.json"));
    }
}

/* Whatever is cut off or flipped: refused or read, never a crash. */
static void damage_is_never_fatal(void **state)
{
    uint64_t seed = test_seed();
    char text[sizeof(full)];

    (void)state;
    for (size_t bytes = 0; bytes < sizeof(full) - 1; bytes++) {
        LITH_AUTO(manifest) struct lith_manifest m = {0};
        assert_int_not_equal(lith_manifest_parse(full, bytes, "m", &arena, &m, &err), LITH_OK);
    }
    for (int round = 0; round < 3000; round++) {
        LITH_AUTO(manifest) struct lith_manifest m = {0};
        memcpy(text, full, sizeof(full));
        for (int flips = 0; flips < 3; flips++)
            text[test_random(&seed) % (sizeof(full) - 1)] ^= (char)(1 << test_random(&seed) % 7);
        (void)!lith_manifest_parse(text, sizeof(full) - 1, "m", &arena, &m, &err);
        if (round % 100 == 0)
            lith_arena_done(&arena);
    }
}

static void too_large_is_refused_by_size(void **state)
{
    struct lith_manifest m;

    (void)state;
    assert_int_equal(lith_manifest_parse(full, LITH_MANIFEST_BYTES_MAX + 1, "m", &arena, &m, &err),
                     LITH_E_LIMIT);
    assert_int_equal(parse("", &m), LITH_E_CORRUPT);
    assert_int_equal(parse("[]", &m), LITH_E_CORRUPT);
    assert_int_equal(parse("null", &m), LITH_E_CORRUPT);
    assert_int_equal(parse("{}", &m), LITH_E_CORRUPT);
}

/* JSON cannot hold every name: rather no commit than a changed name. */
static void names_that_are_not_utf8_are_refused(void **state)
{
    LITH_AUTO(manifest) struct lith_manifest m = {0};
    LITH_AUTO(buf) struct lith_buf text;

    (void)state;
    lith_buf_init(&text, &mem, SIZE_MAX);
    MUST(parse(full, &m));
    m.files[0].name = "\xff.parquet";
    assert_int_equal(lith_manifest_write(&m, &text, &err), LITH_E_UNSUPPORTED);
    m.files[0].name = "caf\xc3\xa9 \"\\\n.parquet";
    lith_buf_clear(&text);
    MUST(lith_manifest_write(&m, &text, &err));
    LITH_AUTO(manifest) struct lith_manifest back = {0};
    MUST(lith_manifest_parse(text.data, text.bytes, "m", &arena, &back, &err));
    assert_string_equal(back.files[0].name, m.files[0].name);
}

static void the_live_hash_is_of_sorted_names_and_sizes(void **state)
{
    struct lith_entry a[2] = {{.name = "b.parquet", .size = 2}, {.name = "a.parquet", .size = 1}};
    struct lith_entry b[2] = {{.name = "a.parquet", .size = 1}, {.name = "b.parquet", .size = 2}};
    static const char text[] = "a.parquet\0001\nb.parquet\0002\n";
    char expected[33];
    char hash[33];

    (void)state;
    lith_hash128_text(lith_hash128(text, sizeof(text) - 1, 0), expected);
    MUST(lith_live_hash(a, 2, &mem, hash, &err));
    assert_string_equal(hash, expected);
    MUST(lith_live_hash(b, 2, &mem, hash, &err));
    assert_string_equal(hash, expected);
    b[0].size = 3;
    MUST(lith_live_hash(b, 2, &mem, hash, &err));
    assert_string_not_equal(hash, expected);
}

/* P7: a manifest of many files takes its tables, not a tree of its text. */
static void many_files_take_little_memory(void **state)
{
    enum { FILES = 20000 };
    LITH_AUTO(manifest) struct lith_manifest m = {0};
    LITH_AUTO(manifest) struct lith_manifest back = {0};
    LITH_AUTO(buf) struct lith_buf text;
    void *block;
    char *name;

    (void)state;
    lith_buf_init(&text, &mem, SIZE_MAX);
    MUST(parse(full, &m));
    MUST(lith_arena_array(&arena, FILES, sizeof(struct lith_entry), &block, &err));
    m.files = block;
    m.file_count = FILES;
    for (size_t i = 0; i < FILES; i++) {
        MUST(lith_arena_format(&arena, &name, &err, "part-%06zu.parquet", i));
        m.files[i] = (struct lith_entry){.name = name,
                                         .etag = "1209:1764492000123456789",
                                         .size = i,
                                         .generation = 11,
                                         .commit_id = ID1};
    }
    MUST(lith_manifest_write(&m, &text, &err));
    size_t before = atomic_load(&mem.used);
    atomic_store(&mem.peak, before);
    MUST(lith_manifest_parse(text.data, text.bytes, "m", &arena, &back, &err));
    assert_int_equal(back.file_count, FILES);
    assert_string_equal(back.files[FILES - 1].name, "part-019999.parquet");
    assert_true(atomic_load(&mem.peak) - before < FILES * (size_t)256);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    for (int64_t n = 0;; n++) {
        LITH_AUTO(manifest) struct lith_manifest m = {0};
        LITH_AUTO(buf) struct lith_buf text;
        lith_arena_done(&arena);
        lith_buf_init(&text, &mem, SIZE_MAX);
        atomic_store(&mem.fail_after, n);
        enum lith_code code = parse(full, &m);
        if (code == LITH_OK)
            code = lith_manifest_write(&m, &text, &err);
        atomic_store(&mem.fail_after, -1);
        if (code == LITH_OK)
            break;
        assert_int_equal(code, LITH_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_one_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_foreign_one_has_names_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_ones_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_never_fatal, setup, teardown),
        cmocka_unit_test_setup_teardown(too_large_is_refused_by_size, setup, teardown),
        cmocka_unit_test_setup_teardown(names_that_are_not_utf8_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_live_hash_is_of_sorted_names_and_sizes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(many_files_take_little_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_reported, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
