/*
 * Inspecting files: the corpus gives JSON that holds together; damage gives JSON or an error that
 * names the file, never a crash.
 */
#include "corpus_support.h"

#include "base/json.h"
#include "base/limits.h"

static uint64_t count_of(const struct lith_json *json, const char *key)
{
    return (uint64_t)lith_json_int_of(lith_json_get(json, key));
}

static void path_make(char path[1200], const struct corpus_entry *entry)
{
    int length = snprintf(path, 1200, "%s/%s", corpus_root, entry->path);

    assert_in_range(length, 1, 1199);
}

/* Chunks, values and pages agree with each other. */
static void chunk_check(const struct lith_json *chunk, const char *path)
{
    const struct lith_json *pages = lith_json_get(chunk, "pages");
    uint64_t values = 0;

    for (size_t i = 0; i < lith_json_count(pages); i++) {
        const struct lith_json *page = lith_json_at(pages, i);
        const char *type = lith_json_text_of(lith_json_get(page, "type"));
        if (type && strncmp(type, "DATA_PAGE", 9) == 0)
            values += count_of(page, "values");
    }
    if (values != count_of(chunk, "values"))
        fail_msg("%s: pages of %" PRIu64 " values in a chunk of %" PRIu64, path, values,
                 count_of(chunk, "values"));
}

static void text_check(const char *text, const char *path)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    uint64_t rows = 0;

    MUST(lith_json_parse(text, strlen(text), &root, &err));
    const struct lith_json *groups = lith_json_get(root, "row_groups");
    assert_int_equal(lith_json_count(groups), count_of(root, "row_group_count"));
    for (size_t i = 0; i < lith_json_count(groups); i++) {
        const struct lith_json *group = lith_json_at(groups, i);
        const struct lith_json *columns = lith_json_get(group, "columns");
        assert_int_equal(lith_json_count(columns), count_of(root, "column_count"));
        rows += count_of(group, "rows");
        for (size_t j = 0; j < lith_json_count(columns); j++)
            chunk_check(lith_json_at(columns, j), path);
    }
    assert_int_equal(rows, count_of(root, "rows"));
}

static void the_corpus(void **state)
{
    struct lith_control control = {.memory_bytes_max = LITH_MEMORY_BYTES_MIN};
    char path[1200];
    char *text;

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        const struct corpus_entry *entry = &corpus_entries[i];
        path_make(path, entry);
        enum lith_code code = lith_inspect_file(path, true, &control, &text, &err);
        if (code == LITH_OK) {
            text_check(text, path);
            lith_text_free(text);
            continue;
        }
        if (entry->good)
            fail_msg("%s: %s", path, err.text);
        if (!strstr(err.text, entry->path))
            fail_msg("%s is not named: %s", path, err.text);
    }
}

/* A copy of the file with some bytes changed, most of them near its end, where the footer is. */
static void damage(int folder, const uint8_t *data, size_t bytes, uint64_t *seed)
{
    LITH_AUTO(block) void *copy = NULL;
    size_t changes = 1 + test_random(seed) % 8;
    size_t kept = bytes;

    MUST(lith_alloc(lith_mem_root(), bytes, &copy, &err));
    memcpy(copy, data, bytes);
    for (size_t i = 0; i < changes; i++) {
        size_t span = test_random(seed) % 4 ? (bytes < 4096 ? bytes : 4096) : bytes;
        ((uint8_t *)copy)[bytes - 1 - test_random(seed) % span] = (uint8_t)test_random(seed);
    }
    if (test_random(seed) % 16 == 0)
        kept = test_random(seed) % bytes;
    int fd = openat(folder, "a.parquet", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, copy, kept), (ssize_t)kept);
    (void)close(fd);
}

static void damaged_files(void **state)
{
    struct lith_control control = {.memory_bytes_max = LITH_MEMORY_BYTES_MIN};
    uint64_t seed = test_seed();
    char folder[64];
    char path[1200];
    size_t bytes;
    uint8_t *data;
    char *text;
    int fd;

    (void)state;
    test_folder_make(folder, &fd);
    for (size_t n = 0; n < 2000; n++) {
        const struct corpus_entry *entry = &corpus_entries[test_random(&seed) % corpus_count];
        path_make(path, entry);
        if (!entry->good || lith_file_read_all(AT_FDCWD, path, (size_t)1 << 20, lith_mem_root(),
                                               &data, &bytes, &err) != LITH_OK)
            continue;
        damage(fd, data, bytes, &seed);
        lith_free(data);
        int length = snprintf(path, sizeof(path), "%s/a.parquet", folder);
        assert_in_range(length, 1, sizeof(path) - 1);
        if (lith_inspect_file(path, true, &control, &text, &err) == LITH_OK) {
            LITH_AUTO(json) struct lith_json *root = NULL;
            MUST(lith_json_parse(text, strlen(text), &root, &err));
            lith_text_free(text);
        } else if (!strstr(err.text, path)) {
            fail_msg("%s is not named: %s", path, err.text);
        }
    }
    test_folder_remove(folder, fd);
}

static void cancelled(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    struct lith_control control = {.cancel = &stop};
    char path[1200];
    char *text;

    (void)state;
    for (size_t i = 0; i < corpus_count; i++) {
        if (!corpus_entries[i].good || corpus_entries[i].rows < 1)
            continue;
        path_make(path, &corpus_entries[i]);
        assert_int_equal(lith_inspect_file(path, false, &control, &text, &err), LITH_E_CANCELLED);
        return;
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_corpus),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(cancelled),
    };

    if (!corpus_find())
        return TEST_SKIP;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
