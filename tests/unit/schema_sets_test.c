/*
 * Sets of files that join: which file goes to which set, why sets are apart, and what it costs.
 */
#include "schema_text.h"

#include "job/schema_sets.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define FILES_MAX 6

static struct lith_schema_sets sets;
static struct lith_arena sets_arena; /* schemas are read into the other one */
static const char *sort_by;

static void sets_begin(enum lith_match match, struct lith_union_rules allow)
{
    lith_arena_init(&sets_arena, &mem);
    struct lith_schema_rules rules = {.allow = allow, .match = match, .sort_by = sort_by};
    MUST(lith_schema_sets_init(&sets, &rules, &sets_arena, &err));
}

static void sets_end(void)
{
    lith_schema_sets_done(&sets);
    lith_arena_done(&sets_arena);
}

static const struct lith_meaning no_meaning;

static enum lith_code file_find(const struct lith_schema_file *file, uint32_t *ret_set)
{
    uint32_t kind;

    LITH_TRY(lith_schema_sets_find(&sets, file, &kind, &err));
    *ret_set = sets.kinds[kind - 1].set;
    return LITH_OK;
}

static enum lith_code set_find_of(const char *created_by, const char *name, const char *text,
                                  const char *calendar, uint32_t *ret_set)
{
    struct lith_schema schema = schema_read(text);
    struct lith_footer footer = {.created_by = lith_slice_text(created_by)};
    struct lith_meaning meaning = {.matters[LITH_MEANING_DATES] = *calendar != '\0'};
    struct lith_schema_file file = {.name = name,
                                    .schema = &schema,
                                    .is_counted = lith_fields_are_counted(&footer),
                                    .meaning = &meaning};

    (void)snprintf(meaning.texts[LITH_MEANING_DATES], LITH_MEANING_TEXT_BYTES, "%s", calendar);
    return file_find(&file, ret_set);
}

static enum lith_code set_find(const char *name, const char *text, const char *calendar,
                               uint32_t *ret_set)
{
    return set_find_of("a writer", name, text, calendar, ret_set);
}

static const char *conflict_text(uint32_t set)
{
    const struct lith_schema_conflict *conflict = lith_schema_sets_conflict(&sets, set);
    const char *text;

    if (!conflict)
        return "none";
    MUST(lith_schema_conflict_text(conflict, conflict->left, conflict->right, &arena, &text, &err));
    return text;
}

/* Files f0, f1 ... in this order, and their sets as digits; `-`: refused. `text`: why the last set
 * stands apart, or what is said of the one refused. */
struct files {
    enum lith_match match;
    const char *schemas[FILES_MAX];
    const char *found;
    const char *text;
};

static void files_check(const struct files *cases, size_t count, struct lith_union_rules allow)
{
    for (size_t i = 0; i < count; i++) {
        const struct files *c = &cases[i];
        char found[FILES_MAX + 1] = "";
        sets_begin(c->match, allow);
        for (size_t f = 0; f < FILES_MAX && c->schemas[f]; f++) {
            const char name[] = {'f', (char)('0' + f), 0};
            uint32_t set = 0;
            enum lith_code code = set_find(name, c->schemas[f], "", &set);
            if (code != LITH_OK)
                assert_int_equal(code, LITH_E_INVALID);
            found[f] = code == LITH_OK ? (char)('0' + set) : '-';
        }
        if (strcmp(found, c->found) != 0)
            fail_msg("case %zu (%s): %s, not %s", i, c->schemas[0], found, c->found);
        const char *text = strchr(found, '-') ? err.text : conflict_text((uint32_t)sets.count);
        if (c->text && !strstr(text, c->text))
            fail_msg("case %zu: %s\nnot %s", i, text, c->text);
        assert_null(sets.count ? lith_schema_sets_conflict(&sets, 1) : NULL);
        sets_end();
    }
}
#define CHECK(cases, ...) files_check(cases, COUNT(cases), (struct lith_union_rules){__VA_ARGS__})

static void names(void **state)
{
    static const struct files cases[] = {
        {LITH_MATCH_AUTO, {"!a:INT32", "!a:INT32", "!a:INT32 ?b:BYTES"}, "111", "none"},
        {LITH_MATCH_AUTO, {"!a:INT32 ?b:BYTES", "?b:BYTES", "!c:FLOAT"}, "111", "none"},
        {LITH_MATCH_AUTO,
         {"!a:INT32", "!a:BYTES/STRING", "!a:INT64", "!a:BYTES/STRING ?b:INT32", "!a:INT32"},
         "12121",
         "column a: INT32 (in f0) against BYTE_ARRAY STRING (in f1)"},
        {LITH_MATCH_AUTO,
         {"!a:INT32", "!a:BYTES/STRING", "!a:BOOLEAN", "!a:BOOLEAN ?x:INT32"},
         "1233",
         "column a: INT32 (in f0) against BOOLEAN (in f2)"},
        /* The type that stands in the way came with the second file. */
        {LITH_MATCH_AUTO,
         {"!a:INT32", "?b:INT64", "?b:BYTES"},
         "112",
         "column b: INT64 (in f1) against BYTE_ARRAY (in f2)"},
        /* A file that fits both goes to the first. */
        {LITH_MATCH_AUTO, {"!a:INT32", "!a:BYTES", "!b:INT32"}, "121", NULL},
        {LITH_MATCH_AUTO,
         {"!a:INT32", "!A:INT32"},
         "12",
         "column a: this name (in f0) against the name \"A\", which differs by case alone (in f1)"},
        {LITH_MATCH_AUTO,
         {"!a_against_b:INT32", "!a_against_b:BYTES"},
         "12",
         "column a_against_b: INT32 (in f0) against BYTE_ARRAY (in f1)"},
        /* No union takes these; equal ones are a set all the same. */
        {LITH_MATCH_AUTO,
         {"!a:INT32 !a:INT32", "!a:INT32 !a:INT32", "!a:INT32/INT_32 !a:INT32", "!b:INT32"},
         "1112",
         "column a: this name (in f0) against the name \"a\" of another field (in f3)"},
        {LITH_MATCH_AUTO,
         {"!b:INT32", "!a:INT32 !a:INT32", "!b:INT32", "!a:INT32 !a:INT32"},
         "1212",
         "\"a\" of another field (in f1)"},
    };

    (void)state;
    CHECK(cases, 0);
}

static void field_ids(void **state)
{
    static const struct files cases[] = {
        /* All have ids: renamed, added. */
        {LITH_MATCH_AUTO, {"!a#1:INT32", "!b#1:INT32", "!b#1:INT32 ?c#2:BYTES"}, "111", "none"},
        {LITH_MATCH_NAME, {"!a#1:INT32", "!b#1:INT32"}, "11", "none"},
        {LITH_MATCH_NAME, {"!a#1:INT32", "!a#2:INT32", "!a:INT32"}, "111", "none"},
        {LITH_MATCH_AUTO,
         {"!a#1:INT32", "!b#1:BYTES"},
         "12",
         "column a: INT32 (in f0) against BYTE_ARRAY (in f1)"},
        {LITH_MATCH_AUTO, {"!a#1:INT32", "!a#2:INT32"}, "12", "column a: this name"},
        /* Without ids, where names say the same as ids: in any order. */
        {LITH_MATCH_AUTO, {"!a#1:INT32", "!a#1:INT32 ?b#2:BYTES", "!a:INT32"}, "111", "none"},
        {LITH_MATCH_AUTO, {"!a:INT32", "!a#1:INT32", "!a#1:INT32 ?b#2:BYTES"}, "111", "none"},
        {LITH_MATCH_AUTO, {"!a#1:INT32", "!a:INT32", "?b#2:BYTES", "?b:BYTES"}, "1111", "none"},
        {LITH_MATCH_AUTO,
         {"!a:INT32", "!a#1:INT32 !b:INT32", "!a#7:INT32"},
         "112",
         "against field id 7"},
        /* Where they do not: those without go apart, whenever they come. */
        {LITH_MATCH_AUTO,
         {"!a#1:INT32", "!b#1:INT32", "!a:INT32"},
         "112",
         "do not mix (f0 against f2)"},
        {LITH_MATCH_AUTO,
         {"!a#1:INT32", "!a:INT32", "!b#1:INT32", "!b#1:INT32 ?c#2:BYTES"},
         "1122",
         "do not mix (f0 against f2)"},
        {LITH_MATCH_AUTO, {"!a:INT32", "!a#1:INT32", "!a#2:INT32"}, "112", "column a: this name"},
        /* A name that moved: which id has it depends on the order. */
        {LITH_MATCH_AUTO,
         {"!a#1:INT32", "!b#1:INT32 !a#2:INT32"},
         "12",
         "column a: one field by its id (in f0) against another by its name (in f1)"},
        {LITH_MATCH_AUTO, {"!b#1:INT32 !a#2:INT32", "!a#1:INT32"}, "12", "another by its name"},
        {LITH_MATCH_ID, {"!a#1:INT32", "!b#1:INT32 !a#2:INT32"}, "12", "would decide"},
        /* Also where a file between them has the field under its new name alone: it may leave. */
        {LITH_MATCH_AUTO,
         {"!a#1:INT32", "!b#1:INT32", "!b#1:INT32 !a#2:INT32"},
         "112",
         "one name belongs to columns of different field ids"},
        {LITH_MATCH_ID,
         {"!a#1:INT32", "!b#1:INT32", "!b#1:INT32 ?a#2:INT32"},
         "112",
         "would decide"},
        {LITH_MATCH_AUTO,
         {"?s#9{?a#1:INT32}", "?s#9{?b#1:INT32}", "?s#9{?b#1:INT32 ?a#2:INT32} ?a#3:INT32"},
         "112",
         "would decide"},
        /* In another group it is another name. */
        {LITH_MATCH_AUTO,
         {"?s#9{?a#1:INT32}", "?s#9{?b#1:INT32}", "?s#9{?b#1:INT32} ?a#3:INT32"},
         "111",
         "none"},
        /* Ids were asked for. */
        {LITH_MATCH_ID, {"!a#1:INT32", "!b#1:INT32", "!a:INT32"}, "11-", "match_columns is id"},
        {LITH_MATCH_ID, {"!a#1:INT32 !b:INT32"}, "-", "not all of its fields have an id that"},
        /* One id twice: it says nothing. */
        {LITH_MATCH_AUTO,
         {"!a#1:INT32 !b#1:INT32", "!a#1:INT32 !b#1:INT32", "!a#1:INT32"},
         "111",
         "none"},
    };

    (void)state;
    CHECK(cases, 0);
}

/* Fields of a random schema: few ids and few names, so that they meet; types of which some join. */
static void schema_random(char *text, size_t room, uint64_t *seed)
{
    static const char *const types[] = {"INT32", "INT64", "INT32", "BYTES"};
    bool has_ids = test_random(seed) % 8 != 0;
    uint64_t ids = test_random(seed), names = test_random(seed);
    unsigned count = 1 + (unsigned)(test_random(seed) % 3);
    int bytes = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned name = (unsigned)((names + i) % 4);
        unsigned id = (unsigned)((ids + i * (1 + ids % 2 * 2)) % 4);
        char number[8] = "";
        if (has_ids)
            (void)snprintf(number, sizeof(number), "#%u", 1 + id);
        bytes += snprintf(text + bytes, room - (size_t)bytes, "?%c%s:%s ", "abcB"[name], number,
                          types[name == 1 ? test_random(seed) % COUNT(types) : 0]);
    }
}

/* What was found to be one set joins, whichever files of it a job takes. */
static void any_part_of_a_set_joins(void **state)
{
    enum { ROUNDS = 4000, FILES = 5, TEXT = 64 };
    static const enum lith_match matches[] = {LITH_MATCH_AUTO, LITH_MATCH_NAME};
    uint64_t seed = test_seed();
    size_t joined = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        enum lith_match match = matches[round % 2];
        char texts[FILES][TEXT];
        struct lith_schema schemas[FILES];
        uint32_t found[FILES];
        sets_begin(match, (struct lith_union_rules){0});
        for (size_t f = 0; f < FILES; f++) {
            schema_random(texts[f], TEXT, &seed);
            schemas[f] = schema_read(texts[f]);
            MUST(set_find("f", texts[f], "", &found[f]));
        }
        for (unsigned part = 1; part < 1U << FILES; part++) {
            struct lith_kinds kinds;
            struct lith_kinds_conflict conflict = {0};
            struct lith_union_rules rules = {0};
            struct lith_schema schema;
            uint32_t set = 0;
            bool is_one = true;
            lith_kinds_init(&kinds, &sets_arena);
            for (uint32_t f = 0; f < FILES; f++) {
                struct lith_footer footer = {.schema = schemas[f]};
                if (!(part >> f & 1))
                    continue;
                is_one = is_one && (set == 0 || set == found[f]);
                set = found[f];
                MUST(lith_kinds_add(&kinds, &footer, f, &err));
            }
            if (!is_one)
                continue;
            MUST(lith_kinds_join(&kinds, &rules, match, &schema, &conflict, &err));
            if (conflict.text)
                fail_msg("%s | %s | %s | %s | %s: part %x of set %u: %s", texts[0], texts[1],
                         texts[2], texts[3], texts[4], part, set, conflict.text);
            joined += kinds.count > 1;
        }
        sets_end();
        lith_arena_done(&arena);
    }
    assert_true(joined > ROUNDS);
}

static void what_is_allowed(void **state)
{
    static const struct files dates[] = {
        {LITH_MATCH_AUTO, {"!a:INT32/DATE", "!a:INT64/TIMESTAMP_MICROS"}, "11", "none"},
        {LITH_MATCH_AUTO, {"!a:BYTES", "!a:BYTES/STRING"}, "12", NULL},
    };
    static const struct files strings[] = {
        {LITH_MATCH_AUTO, {"!a:INT32/DATE", "!a:INT64/TIMESTAMP_MICROS"}, "12", NULL},
        {LITH_MATCH_AUTO, {"!a:BYTES", "!a:BYTES/STRING"}, "11", "none"},
    };
    static const struct files cases[] = {
        {LITH_MATCH_AUTO, {"!a:INT32", "!A:INT32"}, "11", "none"},
        {LITH_MATCH_AUTO, {"!a:BYTES", "!a:BYTES/STRING"}, "12", NULL},
    };

    (void)state;
    CHECK(dates, .dates_widen = true);
    CHECK(strings, .strings_widen = true);
    CHECK(cases, .any_case = true);
    CHECK(cases, .any_case = true, .by_id = true); /* that is for `match` to say */
}

static void meanings(void **state)
{
    uint32_t set;

    (void)state;
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    MUST(set_find("f0", "!a:INT32", "", &set));
    assert_int_equal(set, 1);
    MUST(set_find("f1", "!a:INT32", "calendar legacy", &set));
    assert_int_equal(set, 2);
    MUST(set_find("f2", "!a:INT64", "calendar legacy", &set));
    assert_int_equal(set, 2);
    assert_non_null(strstr(conflict_text(2), "against calendar legacy (in f1)"));
    /* Types say more than calendars. */
    MUST(set_find("f3", "!a:BYTES", "calendar legacy", &set));
    assert_int_equal(set, 3);
    assert_string_equal(conflict_text(3), "column a: INT64 (in f2) against BYTE_ARRAY (in f3)");
    sets_end();
}

/* Ids that a program gave by counting are any column's: names decide. */
static void ids_that_were_counted(void **state)
{
    static const char old_arrow[] = "parquet-cpp-arrow version 4.0.0";
    static const char new_arrow[] = "parquet-cpp-arrow version 9.0.0";
    uint32_t set;

    (void)state;
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    MUST(set_find_of(old_arrow, "f0", "?a#1:INT32 ?b#2:BYTES", "", &set));
    assert_int_equal(set, 1);
    MUST(set_find_of(old_arrow, "f1", "?b#1:BYTES ?a#2:INT32", "", &set));
    assert_int_equal(set, 1);
    MUST(set_find_of(new_arrow, "f2", "?b#1:BYTES ?a#2:INT32", "", &set));
    assert_int_equal(set, 1);
    MUST(set_find_of(new_arrow, "f3", "?a#1:INT32 ?b#2:BYTES", "", &set));
    assert_int_equal(set, 2); /* those of f2 mean something */
    sets_end();
}

/* One change of one file moves that file alone: those before it, and those of other columns, stay
 * where they are. */
static void a_file_that_changes_moves_alone(void **state)
{
    static const char *const schemas[] = {"!a:INT32",          "!a:BYTES", "!a:INT32 ?b:INT32",
                                          "!a:BYTES ?b:BYTES", "?b:INT32", "!a:INT32"};
    static const char *const changed[] = {"!a:BYTES", "!a:INT32", "!a:BOOLEAN", "!c:INT32"};
    uint32_t before[COUNT(schemas)];

    (void)state;
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    for (size_t i = 0; i < COUNT(schemas); i++)
        MUST(set_find("f", schemas[i], "", &before[i]));
    sets_end();
    for (size_t n = 0; n < COUNT(changed); n++) {
        uint32_t after;
        sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
        for (size_t i = 0; i < COUNT(schemas); i++) {
            MUST(set_find("f", i == 5 ? changed[n] : schemas[i], "", &after));
            if (i < 5)
                assert_int_equal(after, before[i]);
        }
        sets_end();
    }
}

/* Many kinds, each many times: memory follows the kinds' names and one union, not the additions. */
static void memory_follows_the_kinds(void **state)
{
    enum { KINDS = 2000, ROUNDS = 20, COLUMNS = 60 };
    size_t used[2] = {0};

    (void)state;
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    for (unsigned n = 0; n < KINDS * ROUNDS; n++) {
        char text[COLUMNS * 16] = "";
        size_t bytes = 0;
        unsigned kind = n % KINDS;
        uint32_t set;
        for (unsigned c = 0; c < COLUMNS; c++) {
            if (c < 12 || c == kind % COLUMNS)
                bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes, "?c%u:INT%u ", c,
                                          c < 11 && (kind >> c & 1) ? 64u : 32u);
        }
        struct lith_schema schema = schema_read(text);
        struct lith_schema_file file = {.name = "f", .schema = &schema, .meaning = &no_meaning};
        MUST(file_find(&file, &set));
        assert_int_equal(set, 1);
        lith_arena_done(&arena);
        if (n == KINDS - 1)
            used[0] = mem.used;
        if (n == KINDS * ROUNDS - 1)
            used[1] = mem.used;
    }
    print_message("%zu kinds: %zu bytes\n", sets.found.count, used[1]);
    assert_true(sets.found.count > 1000);
    assert_int_equal(used[0], used[1]);
    assert_true(used[1] < (size_t)512 << 10);
    sets_end();
}

/* Beyond the last set that others are tried on, equal files still find each other. */
static void more_sets_than_are_tried(void **state)
{
    char text[32];
    uint32_t set;

    (void)state;
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < LITH_UNION_SETS_MAX + 20; i++) {
            (void)snprintf(text, sizeof(text), "!a:FLBA%u", i + 1);
            MUST(set_find("f", text, "", &set));
            assert_int_equal(set, i + 1);
        }
    }
    MUST(set_find("g", "!b:INT32", "", &set));
    assert_int_equal(set, 1);
    (void)snprintf(text, sizeof(text), "!a:FLBA%u ?b:INT32", LITH_UNION_SETS_MAX + 1);
    MUST(set_find("g", text, "", &set));
    assert_int_equal(set, LITH_UNION_SETS_MAX + 21);
    sets_end();
}

/* What kinds lack of the keys of a sort is told of each; a set is refused as long as all its kinds
 * together have no such columns. */
static void keys_of_a_sort(void **state)
{
    static const struct {
        const char *schema;
        uint32_t set, lacks;
        const char *refusal; /* of its set by then */
    } cases[] = {
        {"!a:INT32", 1, 3, "no column \"s\""},
        {"!a:BYTES/STRING ?t:INT64", 2, 1, "no column \"s\""},
        {"!a:INT32 ?s:INT32", 1, 2, "no column \"t\""},
        {"!a:INT32 ?t:INT32", 1, 1, NULL},
        {"!a:INT32", 1, 3, NULL},
        {"!a:BOOLEAN ?s:INT96 ?t:INT32", 3, 1, "INT96"},
        {"!a:INT32 ?s:INT32 ?t:INT32", 1, 0, NULL},
    };

    (void)state;
    sort_by = "s,t:desc";
    sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lith_schema schema = schema_read(cases[i].schema);
        struct lith_schema_file file = {.name = "f", .schema = &schema, .meaning = &no_meaning};
        const char *refusal;
        uint32_t kind;
        MUST(lith_schema_sets_find(&sets, &file, &kind, &err));
        assert_int_equal(sets.kinds[kind - 1].set, cases[i].set);
        assert_int_equal(sets.kinds[kind - 1].lacks, cases[i].lacks);
        MUST(lith_schema_sets_refusal(&sets, cases[i].set, &arena, &refusal, &err));
        if (!cases[i].refusal)
            assert_null(refusal);
        else if (!refusal || !strstr(refusal, cases[i].refusal))
            fail_msg("case %zu: %s", i, refusal ? refusal : "not refused");
    }
    assert_int_equal(sets.kind_count, 6);
    sort_by = NULL;
    sets_end();
}

/* Each allocation fails once; nothing leaks, and what was found before stays. */
static void allocations_that_fail(void **state)
{
    static const char *const schemas[] = {"!a#1:INT32", "!a#1:INT64 ?b#2:BYTES", "!a:INT64",
                                          "!a:BYTES", "!a#1:INT32 ?c#3:BYTES"};
    static const uint32_t expected[] = {1, 1, 1, 2, 1};

    (void)state;
    for (int64_t n = 0;; n++) {
        enum lith_code code = LITH_OK;
        struct lith_schema read[COUNT(schemas)];
        uint32_t set = 0;
        for (size_t i = 0; i < COUNT(schemas); i++)
            read[i] = schema_read(schemas[i]);
        sort_by = "b";
        sets_begin(LITH_MATCH_AUTO, (struct lith_union_rules){0});
        atomic_store(&mem.fail_after, n);
        for (size_t i = 0; i < COUNT(schemas) && code == LITH_OK; i++) {
            struct lith_schema_file file = {
                .name = "f", .schema = &read[i], .meaning = &no_meaning};
            code = file_find(&file, &set);
            if (code == LITH_OK)
                assert_int_equal(set, expected[i]);
        }
        atomic_store(&mem.fail_after, -1);
        sort_by = NULL;
        sets_end();
        if (code == LITH_OK) {
            assert_true(n > 10);
            return;
        }
        assert_int_equal(code, LITH_E_NOMEM);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    static const struct CMUnitTest tests[] = {
        T(names),
        T(field_ids),
        T(any_part_of_a_set_joins),
        T(what_is_allowed),
        T(meanings),
        T(ids_that_were_counted),
        T(a_file_that_changes_moves_alone),
        T(memory_follows_the_kinds),
        T(more_sets_than_are_tried),
        T(keys_of_a_sort),
        T(allocations_that_fail),
    };

    return cmocka_run_group_tests_name("schema_sets", tests, NULL, NULL);
}
