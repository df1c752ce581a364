/*
 * The configuration: every option at every origin, precedence, bad values, hostile files.
 */
#include "support.h"

#include "base/limits.h"
#include "config/config.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_config config;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_config_init(&config, &mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_config_done(&config);
    lith_mem_done(&mem);
    return 0;
}

/* Two values that the option takes and one that it does not; by kind unless a row says more. */
struct sample {
    const char *first;
    const char *second;
    const char *bad;
    const char *accepted; /* what the message for `bad` must say */
};

static struct sample sample_of(enum lith_option_id id)
{
    switch ((int)id) {
    case LITH_OPTION_READERS:
        return (struct sample){"manifest", "glob", "delta", "manifest|exchange|glob"};
    case LITH_OPTION_MANIFEST_NAME:
        return (struct sample){"_manifest.json", "manifest.json", "m", "_manifest.json"};
    case LITH_OPTION_VERIFY:
        return (struct sample){"off", "decode", "all", "off|structure|content|decode"};
    case LITH_OPTION_MATCH_COLUMNS:
        return (struct sample){"name", "id", "ids", "auto|name|id"};
    case LITH_OPTION_ALLOW:
        return (struct sample){"names-by-case,dates-to-timestamps", "bytes-to-strings",
                               "bytes-to-strings,dates",
                               "\"dates\": expected some of dates-to-timestamps|bytes-to-strings|"
                               "names-by-case"};
    case LITH_OPTION_TIERS:
        return (struct sample){"day", "day,month", "day,week",
                               "\"week\": expected some of day|month"};
    case LITH_OPTION_CODEC:
        return (struct sample){"zstd:19", "none", "zstd:23", "levels of zstd are 1 to 22"};
    case LITH_OPTION_UNKNOWN_KEYS:
        return (struct sample){"first", "error", "last", "drop|first|error"};
    case LITH_OPTION_SCRATCH:
        return (struct sample){"/tmp", ".", "/nowhere", "a directory"};
    case LITH_OPTION_THREADS:
        return (struct sample){"0", "8", "99999999999999999999", "too large"};
    case LITH_OPTION_LAYOUT:
        return (struct sample){"{a}", "{b}/{yyyy}", "{db", "{db}/{yyyy}/{mm}"};
    case LITH_OPTION_JOBS:
        return (struct sample){"2", "256", "257", "at most 256"};
    case LITH_OPTION_MEMORY:
        return (struct sample){"64MiB", "1GiB", "1MiB", "at least 16MiB"};
    case LITH_OPTION_MIN_FILES:
    case LITH_OPTION_MAX_INPUTS:
        return (struct sample){"2", "3", "1", "at least 2"};
    default:
        break;
    }
    switch (lith_options_table[id].kind) {
    case LITH_KIND_TEXT:
        return (struct sample){"a", "b/*", "", "a text"};
    case LITH_KIND_LIST:
        return (struct sample){"a,b", "c", "a,,b", "names with commas"};
    case LITH_KIND_SWITCH:
        return (struct sample){"true", "false", "yes", "true or false"};
    case LITH_KIND_COUNT:
        return (struct sample){"7", "8", "7k", "a whole number"};
    case LITH_KIND_SIZE:
        return (struct sample){"7MiB", "8KiB", "7 pages", "64MiB"};
    case LITH_KIND_DURATION:
        return (struct sample){"7m", "8h", "7", "15m"};
    case LITH_KIND_SHARD:
        return (struct sample){"2/3", "1/1", "4/3", "I/N"};
    case LITH_KIND_PERCENT:
        return (struct sample){"7%", "100%", "101%", "0% to 100%"};
    case LITH_KIND_CHOICE:
        break;
    }
    fail_msg("no sample for %s", lith_options_table[id].key);
    return (struct sample){0};
}

/* The environment of the next lith_config_variables. */
static char variable_name[64];
static const char *variable_value;

static const char *variable(const char *name)
{
    return strcmp(name, variable_name) == 0 ? variable_value : NULL;
}

static enum lith_code variable_take(enum lith_option_id id, const char *value)
{
    char *at = variable_name + snprintf(variable_name, sizeof(variable_name), "LITHIFY_");

    for (const char *key = lith_options_table[id].key; *key; key++)
        *at++ = *key == '_' ? '_' : (char)(*key - 'a' + 'A');
    *at = '\0';
    variable_value = value;
    return lith_config_variables(&config, variable, &err);
}

static enum lith_code file_take(const char *text, size_t bytes)
{
    char path[64];
    int folder;

    test_folder_make(path, &folder);
    int fd = openat(folder, "c.yaml", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), (ssize_t)bytes);
    (void)close(fd);
    char full[96];
    (void)snprintf(full, sizeof(full), "%s/c.yaml", path);
    enum lith_code code = lith_config_file(&config, full, &err);
    test_folder_remove(path, folder);
    return code;
}

static enum lith_code line_take(enum lith_option_id id, const char *value)
{
    char text[256];
    int bytes = snprintf(text, sizeof(text), "# a comment\n\n%s: \"%s\"\n",
                         lith_options_table[id].key, value);

    return file_take(text, (size_t)bytes);
}

static enum lith_code flag_take(enum lith_option_id id, const char *value)
{
    return lith_config_flag(&config, id, value, &err);
}

static enum lith_code (*const origins[])(enum lith_option_id id,
                                         const char *value) = {line_take, variable_take, flag_take};

static void assert_says(const char *what)
{
    if (!strstr(err.text, what))
        fail_msg("\"%s\" does not say \"%s\"", err.text, what);
}

static void each_option_at_each_origin(void **state)
{
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        for (size_t i = 0; i < 3; i++) {
            struct sample sample = sample_of((enum lith_option_id)id);
            MUST(origins[i]((enum lith_option_id)id, sample.first));
            assert_string_equal(lith_config_text(&config, (enum lith_option_id)id), sample.first);
            assert_true(lith_config_given(&config, (enum lith_option_id)id));
            teardown(state);
            setup(state);
        }
    }
}

/* Whatever comes first, the higher origin counts; the same origin again replaces. */
static void precedence(void **state)
{
    for (int n = 0; n < LITH_OPTION_COUNT * 9; n++) {
        enum lith_option_id id = (enum lith_option_id)(n / 9);
        size_t one = (size_t)n / 3 % 3;
        size_t two = (size_t)n % 3;
        struct sample sample = sample_of(id);
        MUST(origins[one](id, sample.first));
        MUST(origins[two](id, sample.second));
        assert_string_equal(lith_config_text(&config, id),
                            two >= one ? sample.second : sample.first);
        teardown(state);
        setup(state);
    }
}

static void bad_values_are_named_where_given(void **state)
{
    (void)state;
    for (int n = 0; n < LITH_OPTION_COUNT; n++) {
        enum lith_option_id id = (enum lith_option_id)n;
        struct sample sample = sample_of(id);
        char flag[64];
        if (!sample.bad)
            continue;
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(origins[i](id, sample.bad), LITH_E_INVALID);
            assert_says(sample.accepted);
            if (i == 0) {
                assert_says("c.yaml: line 3");
                assert_says(lith_options_table[id].key);
            }
            if (i == 1)
                assert_says(variable_name);
            (void)snprintf(flag, sizeof(flag), "--%s", lith_options_table[id].key);
            for (char *at = flag; *at; at++)
                *at = *at == '_' ? '-' : *at;
            if (i == 2)
                assert_says(flag);
        }
        assert_ptr_equal(lith_config_text(&config, id), lith_options_table[id].preset);
    }
}

static void defaults_are_those_of_the_library(void **state)
{
    struct lith_options options;
    const char **columns;
    size_t count;
    uint32_t index, shards;

    (void)state;
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        if (lith_options_table[id].preset)
            MUST(lith_option_check((enum lith_option_id)id, lith_options_table[id].preset, &err));
    }
    lith_options_default(&options);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_GRACE), options.grace_ns);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_QUIET_FOR), options.quiet_for_ns);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_SETTLE), options.settle_ns);
    assert_int_equal(lith_config_count(&config, LITH_OPTION_MIN_FILES), options.min_files);
    assert_int_equal(lith_config_count(&config, LITH_OPTION_MAX_INPUTS), options.max_inputs);
    assert_int_equal(lith_config_size(&config, LITH_OPTION_SMALL_FILE), options.small_file_bytes);
    assert_int_equal(lith_config_size(&config, LITH_OPTION_TARGET_FILE), options.target_file_bytes);
    assert_int_equal(lith_config_size(&config, LITH_OPTION_ROW_GROUP), options.row_group_bytes);
    assert_int_equal(lith_config_count(&config, LITH_OPTION_ROW_GROUP_ROWS),
                     options.row_group_rows);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_READER_GRACE),
                     options.reader_grace_ns);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_ORPHAN_GRACE),
                     options.orphan_grace_ns);
    assert_int_equal(lith_config_duration(&config, LITH_OPTION_REPLAY_WINDOW),
                     options.replay_window_ns);
    assert_int_equal(lith_config_size(&config, LITH_OPTION_GC_BYTES_MAX), options.gc_bytes_max);
    assert_int_equal(lith_config_level(&config, LITH_OPTION_VERIFY), options.verify);
    assert_string_equal(lith_config_text(&config, LITH_OPTION_CODEC), options.codec);
    assert_int_equal(lith_config_unknown_keys(&config, LITH_OPTION_UNKNOWN_KEYS),
                     options.unknown_keys);
    assert_int_equal(lith_config_count(&config, LITH_OPTION_JOBS), options.jobs);
    assert_string_equal(lith_config_text(&config, LITH_OPTION_TENANT_KEY), options.tenant_key);
    assert_null(options.manifest_name); /* what the lake has */
    assert_false(lith_config_given(&config, LITH_OPTION_MANIFEST_NAME));
    lith_config_shard(&config, LITH_OPTION_SHARD, &index, &shards);
    assert_int_equal(index, options.shard_index);
    assert_int_equal(shards, options.shard_count);
    assert_int_equal(lith_option_choice(LITH_OPTION_MATCH_COLUMNS,
                                        lith_config_text(&config, LITH_OPTION_MATCH_COLUMNS)),
                     options.joins.match);
    MUST(lith_config_list(&config, LITH_OPTION_ALLOW, &columns, &count, &err));
    assert_int_equal(count, 0);
    assert_false(options.joins.dates_to_timestamps || options.joins.bytes_to_strings ||
                 options.joins.names_by_case);
    MUST(lith_config_list(&config, LITH_OPTION_KEY_COLUMNS, &columns, &count, &err));
    assert_int_equal(count, options.key_column_count);
    assert_string_equal(columns[0], options.key_columns[0]);
}

static void lists(void **state)
{
    static const struct {
        const char *text;
        size_t count;
        const char *last;
    } cases[] = {
        {"key_columns: [a, b, c]\njobs: 2\n", 3, "c"},
        {"jobs: 2\nkey_columns:\n  - a\n  - b.c\n", 2, "b.c"},
        {"key_columns: a,b\n", 2, "b"},
        {"key_columns: ''\n", 0, NULL},
        {"key_columns: []\n", 0, NULL},
    };
    const char **items;
    size_t count;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        MUST(file_take(cases[i].text, strlen(cases[i].text)));
        MUST(lith_config_list(&config, LITH_OPTION_KEY_COLUMNS, &items, &count, &err));
        assert_int_equal(count, cases[i].count);
        if (count)
            assert_string_equal(items[count - 1], cases[i].last);
        if (strstr(cases[i].text, "jobs"))
            assert_int_equal(lith_config_count(&config, LITH_OPTION_JOBS), 2);
        teardown(state);
        setup(state);
    }
}

/* Several lists in one file, each its own. */
static void what_is_allowed(void **state)
{
    static const char text[] = "allow: [names-by-case, bytes-to-strings]\nkey_columns: [a]\n";
    const char **items;
    size_t count;

    (void)state;
    assert_false(lith_config_has(&config, LITH_OPTION_ALLOW, "names-by-case"));
    assert_true(lith_config_has(&config, LITH_OPTION_KEY_COLUMNS, "template_id"));
    MUST(file_take(text, sizeof(text) - 1));
    assert_true(lith_config_has(&config, LITH_OPTION_ALLOW, "names-by-case"));
    assert_true(lith_config_has(&config, LITH_OPTION_ALLOW, "bytes-to-strings"));
    assert_false(lith_config_has(&config, LITH_OPTION_ALLOW, "dates-to-timestamps"));
    assert_false(lith_config_has(&config, LITH_OPTION_ALLOW, "names"));
    MUST(lith_config_list(&config, LITH_OPTION_KEY_COLUMNS, &items, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(items[0], "a");
    MUST(flag_take(LITH_OPTION_ALLOW, ""));
    assert_false(lith_config_has(&config, LITH_OPTION_ALLOW, "names-by-case"));
}

static void files_that_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"targt_file: 1GiB\n", "line 1: there is no key targt_file; did you mean target_file?"},
        {"jobs: 2\nxyzzy: 1\n", "line 2: there is no key xyzzy"},
        {"target-file: 1GiB\n", "did you mean target_file?"},
        {"jobs: 2\ngrace: 5m\njobs: 3\n", "line 3: jobs stands on line 1 already"},
        {"jobs:\n  - 1\n", "line 1: jobs: expected one value, not a list"},
        {"allow: [names-by-case, a]\n", "line 1: allow: \"a\": expected some of"},
        {"jobs: {a: 1}\n", "nested too deep"},
        {"key_columns: [[a]]\n", "nested too deep"},
        {"key_columns: ['a,b']\n", "a name with a comma"},
        {"- jobs\n", "not a list"},
        {"jobs\n", "key: value"},
        {"jobs: &x 2\n", "anchors"},
        {"jobs: *x\n", "anchors"},
        {"jobs: !!int 2\n", "tags"},
        {"? [a]\n: 2\n", "a key must be a word"},
        {"jobs: 2\n---\njobs: 3\n", "a second document"},
        {"jobs: 2\n\tgrace: 5m\n", "line 2"},
        {"jobs: '2\n", "line"},
        {"jobs:\n", "a whole number"},
        {"\"jo\\0bs\": 1\n", "zero"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (file_take(cases[i].text, strlen(cases[i].text)) != LITH_E_INVALID)
            fail_msg("taken: %s", cases[i].text);
        assert_says(cases[i].says);
        assert_says("c.yaml");
    }
    assert_int_equal(lith_config_file(&config, "/nowhere/c.yaml", &err), LITH_E_NOT_FOUND);
}

static void empty_files_say_nothing(void **state)
{
    static const char *const cases[] = {"", "# only this\n", "---\n", "{}\n"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        enum lith_code code = file_take(cases[i], strlen(cases[i]));
        /* "---" alone is a document that holds null. */
        if (i == 2)
            assert_int_equal(code, LITH_E_INVALID);
        else
            assert_int_equal(code, LITH_OK);
    }
}

/* Deep, long, and multiplying files cost no more than their bytes. */
static void hostile_files(void **state)
{
    static char text[LITH_CONFIG_BYTES_MAX + 1];
    static const char laughs[] = "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n";

    (void)state;
    memset(text, '[', sizeof(text));
    assert_int_equal(file_take(text, 20000), LITH_E_INVALID);
    memcpy(text, "key_columns: ", 13);
    assert_int_equal(file_take(text, 20000), LITH_E_INVALID);
    for (size_t i = 0; i + 2 <= sizeof(text); i += 2)
        memcpy(text + i, "- ", 2);
    assert_int_equal(file_take(text, 20000), LITH_E_INVALID);
    assert_int_equal(file_take(laughs, sizeof(laughs) - 1), LITH_E_INVALID);
    memset(text, '#', sizeof(text));
    assert_int_equal(file_take(text, sizeof(text)), LITH_E_LIMIT);
    assert_int_equal(file_take(text, sizeof(text) - 1), LITH_OK);
    memcpy(text, "key_columns: [", 14);
    for (size_t i = 14; i + 2 <= 20000; i += 2)
        memcpy(text + i, "a,", 2);
    text[20000] = ']';
    assert_int_equal(file_take(text, 20001), LITH_E_INVALID);
}

/* Each allocation fails once; nothing leaks and the configuration stays usable. */
static void allocations_that_fail(void **state)
{
    static const char text[] = "jobs: 2\nkey_columns: [a, b]\ngrace: 5m\n";

    for (int64_t n = 0;; n++) {
        atomic_store(&mem.fail_after, n);
        enum lith_code code = file_take(text, sizeof(text) - 1);
        atomic_store(&mem.fail_after, -1);
        if (code == LITH_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(code, LITH_E_NOMEM);
        teardown(state);
        setup(state);
    }
    assert_int_equal(lith_config_count(&config, LITH_OPTION_JOBS), 2);
}

static void words(void **state)
{
    (void)state;
    assert_int_equal(lith_word_distance("target-file", "target_file"), 0);
    assert_int_equal(lith_word_distance("", "abc"), 3);
    assert_int_equal(lith_word_distance("kitten", "sitting"), 3);
    assert_int_equal(lith_option_find("target-file", 11), LITH_OPTION_TARGET_FILE);
    assert_int_equal(lith_option_find("target", 6), LITH_OPTION_COUNT);
    assert_string_equal(lith_option_nearest("memmory"), "memory");
    assert_null(lith_option_nearest("zzzzzzzz"));
    assert_null(lith_option_nearest("x"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_option_at_each_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(precedence, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_values_are_named_where_given, setup, teardown),
        cmocka_unit_test_setup_teardown(defaults_are_those_of_the_library, setup, teardown),
        cmocka_unit_test_setup_teardown(lists, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_allowed, setup, teardown),
        cmocka_unit_test_setup_teardown(files_that_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_files_say_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_files, setup, teardown),
        cmocka_unit_test_setup_teardown(allocations_that_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(words, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
