/*
 * Journals: what is written comes back, what a foreign hand changed is refused with the field, and
 * those of one partition are found among others.
 */
#include "arena_support.h"
#include "store_support.h"

#include "base/limits.h"
#include "lake/journal_files.h"

#define PATH "data/tenant_id=a b/hour=05"
#define STEM "data%2Ftenant_id%3Da%20b%2Fhour%3D05_"
#define ID1 "00112233445566778899aabbccddeeff"
#define ID2 "ffeeddccbbaa99887766554433221100"
#define NAME STEM ID1 ".json"
#define OUTPUT(n) "0198f0c2-7c1e-7000-8000-00000000000" n "_5f21c0de_e3.parquet"

static struct lith_journal_output outputs[] = {
    {.name = OUTPUT("1"), .size = 1000, .crc32 = 0x00ff00aa, .is_sealed = true},
    {.name = OUTPUT("2"), .upload_id = "upload \"7\""},
};
static struct lith_journal_input inputs[] = {
    {.name = "part-0.parquet", .etag = "10:5", .size = 10},
    {.name = "\xc3\xa4 \"b\".parquet", .etag = "0:9", .size = 0},
    {.name = "z.parquet", .etag = "\"d41d8\"", .size = INT64_MAX},
};

static struct lith_journal good(void)
{
    return (struct lith_journal){.partition = PATH,
                                 .job_id = ID1,
                                 .created_at_ns = 1781522400000000000,
                                 .outputs = outputs,
                                 .output_count = 2,
                                 .inputs = inputs,
                                 .input_count = 3};
}

static void same_check(const struct lith_journal *a, const struct lith_journal *b)
{
    assert_string_equal(a->partition, b->partition);
    assert_string_equal(a->job_id, b->job_id);
    assert_true(a->created_at_ns == b->created_at_ns);
    assert_int_equal(a->output_count, b->output_count);
    for (size_t i = 0; i < a->output_count; i++) {
        assert_string_equal(a->outputs[i].name, b->outputs[i].name);
        assert_int_equal(a->outputs[i].is_sealed, b->outputs[i].is_sealed);
        assert_int_equal(a->outputs[i].size, b->outputs[i].size);
        assert_int_equal(a->outputs[i].crc32, b->outputs[i].crc32);
        assert_int_equal(!a->outputs[i].upload_id, !b->outputs[i].upload_id);
        if (a->outputs[i].upload_id)
            assert_string_equal(a->outputs[i].upload_id, b->outputs[i].upload_id);
    }
    assert_int_equal(a->input_count, b->input_count);
    for (size_t i = 0; i < a->input_count; i++) {
        assert_string_equal(a->inputs[i].name, b->inputs[i].name);
        assert_string_equal(a->inputs[i].etag, b->inputs[i].etag);
        assert_int_equal(a->inputs[i].size, b->inputs[i].size);
    }
}

/* The text of a journal, zero-terminated. */
static char *text_of(const struct lith_journal *journal)
{
    LITH_AUTO(buf) struct lith_buf buf;
    void *copy;

    lith_buf_init(&buf, &mem, LITH_JOURNAL_BYTES_MAX);
    MUST(lith_journal_write(journal, &buf, &err));
    MUST(lith_arena_copy(&arena, buf.data, buf.bytes, &copy, &err));
    return copy;
}

static enum lith_code parse(const char *text, const char *name, struct lith_journal *ret)
{
    return lith_journal_parse(text, strlen(text), LITH_JOURNAL_TIER, name, &arena, ret, &err);
}

static void what_is_written_comes_back(void **state)
{
    struct lith_journal journal = good();
    struct lith_journal back;

    (void)state;
    MUST(parse(text_of(&journal), NAME, &back));
    same_check(&back, &journal);
    journal.partition = "";
    journal.output_count = 1;
    MUST(parse(text_of(&journal), "_" ID1 ".json", &back));
    same_check(&back, &journal);
}

/* The fields that others know, by the words of DESIGN.md section 5. */
static void the_fields_are_those_of_the_design(void **state)
{
    static const char *const fields[] = {
        "\"format\": 1",
        "\"status\": \"pending\"",
        "\"job_id\": \"" ID1 "\"",
        "\"created_at\": \"2026-06-15T11:20:00Z\"",
        "\"tier\": \"base\"",
        "\"partition_path\": \"" PATH "\"",
        "\"output_path\": \"" PATH "/" OUTPUT("1") "\"",
        "\"output_size\": 1000",
        "\"output_crc32\": \"00ff00aa\"",
        "{\"path\": \"" PATH "/" OUTPUT("2") "\", \"size\": null, \"crc32\": null, "
                                             "\"upload_id\": \"upload \\\"7\\\"\"}",
        "\"input_files\": [\n  \"" PATH "/part-0.parquet\"",
        "\"input_sizes\": [\n  10,\n  0,\n  9223372036854775807]",
        "\"input_etags\": [\n  \"10:5\"",
    };
    struct lith_journal journal = good();
    const char *text = text_of(&journal);

    (void)state;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (!strstr(text, fields[i]))
            fail_msg("no %s in %s", fields[i], text);
    }
}

/* The text with `from` replaced by `to`, everywhere. */
static const char *changed(const char *text, const char *from, const char *to)
{
    LITH_AUTO(buf) struct lith_buf buf;
    void *copy;

    lith_buf_init(&buf, &mem, LITH_JOURNAL_BYTES_MAX);
    assert_non_null(strstr(text, from));
    for (const char *at = strstr(text, from); at; at = strstr(text, from)) {
        MUST(lith_buf_append(&buf, text, (size_t)(at - text), &err));
        MUST(lith_buf_append(&buf, to, strlen(to), &err));
        text = at + strlen(from);
    }
    MUST(lith_buf_append(&buf, text, strlen(text), &err));
    MUST(lith_arena_copy(&arena, buf.data, buf.bytes, &copy, &err));
    return copy;
}

static void what_was_changed_is_refused(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        enum lith_code code;
        const char *says;
    } cases[] = {
        {"{\n \"format\"", "[\n \"format\"", LITH_E_CORRUPT, "JSON"},
        {"\"format\": 1", "\"format\": 2", LITH_E_UNSUPPORTED, "format 2"},
        {"\"format\": 1", "\"format\": 0", LITH_E_CORRUPT, "format: 1"},
        {"\"format\": 1", "\"format\": \"1\"", LITH_E_CORRUPT, "format: 1"},
        {"pending", "done", LITH_E_CORRUPT, "status: \"done\""},
        {"\"status\": \"pending\",", "", LITH_E_CORRUPT, "status: a text"},
        {"\"tier\": \"base\"", "\"tier\": \"hour\"", LITH_E_CORRUPT, "tier: \"hour\""},
        {ID1, ID2, LITH_E_CORRUPT, "job_id"},
        {"\"job_id\": \"" ID1, "\"job_id\": \"" ID1 "0", LITH_E_CORRUPT, "job_id"},
        {"\"partition_path\": \"data", "\"partition_path\": \"date", LITH_E_CORRUPT,
         "partition_path"},
        {"2026-06-15T", "yesterday ", LITH_E_CORRUPT, "created_at"},
        {"/part-0.parquet", "/../part-0.parquet", LITH_E_CORRUPT, "not the name of a data file"},
        {"/part-0.parquet", "/sub/part-0.parquet", LITH_E_CORRUPT, "not the name of a data file"},
        {"/part-0.parquet", "/_lithify.json", LITH_E_CORRUPT, "not the name of a data file"},
        {"/part-0.parquet", "/.parquet", LITH_E_CORRUPT, "not the name of a data file"},
        {"  \"" PATH "/part-0.parquet", "  \"part-0.parquet", LITH_E_CORRUPT,
         "is not in partition"},
        {"  \"" PATH "/part-0.parquet", "  \"/etc/part-0.parquet", LITH_E_CORRUPT,
         "is not in partition"},
        {"/part-0.parquet", "x/part-0.parquet", LITH_E_CORRUPT, "is not in partition"},
        {"z.parquet", "part-0.parquet", LITH_E_CORRUPT, "names part-0.parquet twice"},
        {"z.parquet", OUTPUT("2"), LITH_E_CORRUPT, "twice"},
        {OUTPUT("2"), OUTPUT("1"), LITH_E_CORRUPT, "twice"},
        {OUTPUT("2"), "other.parquet", LITH_E_CORRUPT, "is not named as an output"},
        {"2_5f21c0de_e3", "2_5f21c0de_e4", LITH_E_CORRUPT, "is not of the job of"},
        {"2_5f21c0de_e3", "2_00000000_e3", LITH_E_CORRUPT, "is not of the job of"},
        {"\"output_size\": 1000", "\"output_size\": 1001", LITH_E_CORRUPT, "first of outputs"},
        {"\"output_crc32\": \"00ff00aa\"", "\"output_crc32\": \"00ff00ab\"", LITH_E_CORRUPT,
         "first of outputs"},
        {"\"output_crc32\": \"00ff00aa\"", "\"output_crc32\": \"0FF\"", LITH_E_CORRUPT,
         "output_crc32: 8 hex"},
        {"\"output_size\": 1000", "\"output_size\": -1", LITH_E_CORRUPT, "output_size"},
        {"\"output_size\": 1000", "\"output_size\": null", LITH_E_CORRUPT, "output_size"},
        {"\"outputs\"", "\"outputz\"", LITH_E_CORRUPT, "outputs: a list"},
        {"\"outputs\": [", "\"outputs\": [ 7,", LITH_E_CORRUPT, "outputs: an object"},
        {"  10,", "", LITH_E_CORRUPT, "lists of equal length"},
        {"  10,", "  1.5,", LITH_E_CORRUPT, "input_sizes"},
        {"\"10:5\"", "\"\"", LITH_E_CORRUPT, "input_etags"},
        {"\"10:5\"", "5", LITH_E_CORRUPT, "input_etags"},
        {"\"input_files\"", "\"input_filez\"", LITH_E_CORRUPT, "lists of equal length"},
        {"\"upload \\\"7\\\"\"", "7", LITH_E_CORRUPT, "upload_id"},
    };
    struct lith_journal journal = good();
    struct lith_journal back;
    const char *text = text_of(&journal);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum lith_code code = parse(changed(text, cases[i].from, cases[i].to), NAME, &back);
        if (code != cases[i].code || !strstr(err.text, cases[i].says))
            fail_msg("%s -> %s: code %d, %s", cases[i].from, cases[i].to, (int)code,
                     code == LITH_OK ? "" : err.text);
    }
    assert_int_equal(parse("[]", NAME, &back), LITH_E_CORRUPT);
    assert_int_equal(parse("", NAME, &back), LITH_E_CORRUPT);
    assert_int_equal(parse(text, STEM ID2 ".json", &back), LITH_E_CORRUPT);
    assert_int_equal(parse(text, "other_" ID1 ".json", &back), LITH_E_CORRUPT);
    assert_int_equal(parse(text, "copy of it.json", &back), LITH_E_CORRUPT);
}

static void names_that_are_no_text_are_refused(void **state)
{
    LITH_AUTO(buf) struct lith_buf buf;
    struct lith_journal journal = good();
    struct lith_journal_input bad = {.name = "\xff.parquet", .etag = "1:1"};

    (void)state;
    lith_buf_init(&buf, &mem, LITH_JOURNAL_BYTES_MAX);
    journal.partition = "tenant_id=\xe9";
    assert_int_equal(lith_journal_write(&journal, &buf, &err), LITH_E_UNSUPPORTED);
    journal = good();
    journal.inputs = &bad;
    journal.input_count = 1;
    assert_int_equal(lith_journal_write(&journal, &buf, &err), LITH_E_UNSUPPORTED);
    journal = good();
    buf.limit = 300;
    assert_int_equal(lith_journal_write(&journal, &buf, &err), LITH_E_LIMIT);
}

static void stems_are_encoded_paths(void **state)
{
    static const struct {
        const char *path;
        const char *stem;
    } cases[] = {
        {"", "_"},
        {"a", "a_"},
        {PATH, STEM},
        {"a%20b", "a%2520b_"},
        {"tenant_id=\xc3\xa9", "tenant_id%3D%C3%A9_"},
    };
    char path[LITH_JOURNAL_PATH_BYTES_MAX + 2];
    const char *stem;
    const char *name;
    const char *back;
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MUST(lith_journal_stem(cases[i].path, &arena, &stem, &err));
        assert_string_equal(stem, cases[i].stem);
        MUST(lith_journal_name(cases[i].path, ID1, &arena, &name, &err));
        assert_true(lith_journal_name_parse(name, &bytes));
        assert_int_equal(bytes, strlen(stem));
        MUST(lith_journal_name_partition(name, &arena, &back, &err));
        assert_string_equal(back, cases[i].path);
    }
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = 0;
    MUST(lith_journal_name(path, ID1, &arena, &name, &err));
    assert_int_equal(name[0], '@');
    assert_true(lith_journal_name_parse(name, &bytes));
    assert_int_equal(bytes, 34);
    MUST(lith_journal_name_partition(name, &arena, &back, &err));
    assert_null(back);
    path[sizeof(path) - 2] = 0;
    MUST(lith_journal_name(path, ID1, &arena, &name, &err));
    assert_true(strlen(name) + strlen(LITH_GONE_SUFFIX) <= 255);
    MUST(lith_journal_name_partition(name, &arena, &back, &err));
    assert_string_equal(back, path);
}

static void other_names_are_no_journals(void **state)
{
    static const char *const others[] = {
        "",
        ".json",
        ID1 ".json",
        "a" ID1 ".json",
        "a_" ID1,
        "a_" ID1 ".json.tmp",
        "a_" ID1 " (1).json",
        "a_0011223344556677889AABBCCDDEEFF0.json",
    };
    const char *back;
    size_t bytes;

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(lith_journal_name_parse(others[i], &bytes));
    /* Named as one, but not as we would: nobody's path. */
    MUST(lith_journal_name_partition("a/b_" ID1 ".json", &arena, &back, &err));
    assert_null(back);
    MUST(lith_journal_name_partition("a%2fb_" ID1 ".json", &arena, &back, &err));
    assert_null(back);
    MUST(lith_journal_name_partition("%00_" ID1 ".json", &arena, &back, &err));
    assert_null(back);
}

/* A folder of its own, and a store in it. */
struct place {
    char path[64];
    int fd;
    struct test_env env;
    struct lith_store *store;
};

static void place_init(struct place *place)
{
    struct lith_local_options options = {.root = place->path};

    test_folder_make(place->path, &place->fd);
    test_env_init(&place->env, 1);
    MUST(lith_local_open(&options, &place->env.base, &mem, &place->store, &err));
}

static void place_done(struct place *place)
{
    lith_store_close(place->store);
    (void)close(place->fd);
    assert_int_equal(nftw(place->path, test_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(struct place *place, const char *partition, const char *id)
{
    struct lith_journal journal = good();
    struct lith_blob blob;

    journal.partition = partition;
    journal.job_id = id;
    MUST(lith_journal_put(place->store, &journal, NULL, &arena, &blob, &err));
}

static size_t count_of(const struct lith_journal_files *files, const char *partition)
{
    const char *stem;
    size_t begin = 0;

    MUST(lith_journal_stem(partition, &arena, &stem, &err));
    size_t count = lith_journal_files_of(files, stem, &begin);
    for (size_t i = begin; i < begin + count; i++)
        assert_memory_equal(files->files[i].name, stem, strlen(stem));
    return count;
}

static void those_of_a_partition_are_found(void **state)
{
    struct place place;
    struct lith_journal_files files;

    (void)state;
    place_init(&place);
    MUST(lith_journal_files_list(place.store, &arena, &files, &err));
    assert_int_equal(files.count, 0);
    assert_int_equal(count_of(&files, "a"), 0);
    put(&place, "a", ID1);
    put(&place, "a_" ID1, ID1); /* begins as the ones of "a" do */
    put(&place, "a_0", ID1);
    put(&place, "a", ID2);
    put(&place, "b", ID1);
    put(&place, "", ID2);
    MUST(lith_journal_files_list(place.store, &arena, &files, &err));
    assert_int_equal(files.count, 6);
    assert_int_equal(count_of(&files, "a"), 2);
    assert_int_equal(count_of(&files, "a_0"), 1);
    assert_int_equal(count_of(&files, "a_" ID1), 1);
    assert_int_equal(count_of(&files, ""), 1);
    assert_int_equal(count_of(&files, "c"), 0);
    assert_true(lith_journal_is_there(place.store, "a", ID2));
    assert_false(lith_journal_is_there(place.store, "a_0", ID2));
    place_done(&place);
}

/* Of every tier, and what a put or a removal left that was cut off. */
static void whatever_there_is_is_listed(void **state)
{
    struct place place;
    struct lith_journal_files files;
    size_t leftovers = 0;
    size_t strangers = 0;

    (void)state;
    place_init(&place);
    put(&place, "a", ID1);
    MUST(lith_folder_make(place.store, LITH_JOURNAL_FOLDER "/day", &err));
    test_file_write(place.fd, LITH_JOURNAL_FOLDER "/day/a_" ID2 ".json", "{}");
    test_file_write(place.fd, LITH_JOURNAL_FOLDER "/base/a_" ID2 ".json.tmp", "{}");
    test_file_write(place.fd, LITH_JOURNAL_FOLDER "/base/a_" ID2 ".json.gone.tmp", "{}");
    test_file_write(place.fd, LITH_JOURNAL_FOLDER "/base/copy.json", "{}");
    test_file_write(place.fd, LITH_JOURNAL_FOLDER "/base/notes.txt", "not ours");
    MUST(lith_journal_files_list(place.store, &arena, &files, &err));
    assert_int_equal(files.count, 5);
    assert_int_equal(count_of(&files, "a"), 4);
    for (size_t i = 0; i < files.count; i++) {
        leftovers += files.files[i].leftover != NULL;
        strangers += files.files[i].stem_bytes == 0;
        if (files.files[i].leftover)
            MUST(lith_journal_leftover_remove(place.store, &files.files[i], &err));
    }
    assert_int_equal(leftovers, 2);
    assert_int_equal(strangers, 1);
    MUST(lith_journal_files_list(place.store, &arena, &files, &err));
    assert_int_equal(files.count, 3);
    assert_true(lith_journal_is_there(place.store, "a", ID1));
    place_done(&place);
}

static void put_replace_and_remove_are_conditional(void **state)
{
    struct lith_journal_file file = {.tier = LITH_JOURNAL_TIER, .name = "a_" ID1 ".json"};
    struct lith_journal journal = good();
    struct lith_journal_read read;
    struct lith_blob blob;
    struct lith_blob none = {0};
    struct place place;

    (void)state;
    place_init(&place);
    journal.partition = "a";
    MUST(lith_journal_put(place.store, &journal, &none, &arena, &blob, &err));
    assert_int_equal(lith_journal_put(place.store, &journal, NULL, &arena, &none, &err),
                     LITH_E_CONFLICT);
    MUST(lith_journal_file_read(place.store, &file, &arena, &read, &err));
    same_check(&read.journal, &journal);
    journal.output_count = 1;
    MUST(lith_journal_put(place.store, &journal, &blob, &arena, &blob, &err));
    /* What was read is another one by now: it stays. */
    MUST(lith_journal_remove(place.store, LITH_JOURNAL_TIER, &read.object, &err));
    MUST(lith_journal_file_read(place.store, &file, &arena, &read, &err));
    same_check(&read.journal, &journal);
    MUST(lith_journal_remove(place.store, LITH_JOURNAL_TIER, &read.object, &err));
    MUST(lith_journal_remove(place.store, LITH_JOURNAL_TIER, &read.object, &err));
    assert_int_equal(lith_journal_file_read(place.store, &file, &arena, &read, &err),
                     LITH_E_NOT_FOUND);
    assert_int_equal(lith_journal_put(place.store, &journal, &blob, &arena, &none, &err),
                     LITH_E_CONFLICT);
    place_done(&place);
}

static void every_allocation_may_fail(void **state)
{
    struct lith_journal journal = good();
    struct lith_journal back;
    const char *text = text_of(&journal);
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    for (int64_t n = 0; code != LITH_OK; n++) {
        struct lith_mem budget;
        struct lith_arena own;
        LITH_AUTO(buf) struct lith_buf buf;
        lith_mem_init(&budget, SIZE_MAX, NULL);
        lith_arena_init(&own, &budget);
        lith_buf_init(&buf, &budget, LITH_JOURNAL_BYTES_MAX);
        atomic_store(&budget.fail_after, n);
        code = lith_journal_write(&journal, &buf, &err);
        if (code == LITH_OK)
            code =
                lith_journal_parse(text, strlen(text), LITH_JOURNAL_TIER, NAME, &own, &back, &err);
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        lith_arena_done(&own);
        lith_buf_done(&buf);
        lith_mem_done(&budget);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_comes_back),
        TEST(the_fields_are_those_of_the_design),
        TEST(what_was_changed_is_refused),
        TEST(names_that_are_no_text_are_refused),
        TEST(stems_are_encoded_paths),
        TEST(other_names_are_no_journals),
        TEST(those_of_a_partition_are_found),
        TEST(whatever_there_is_is_listed),
        TEST(put_replace_and_remove_are_conditional),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
