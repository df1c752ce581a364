/*
 * Kinds of schemas: found again, joined by names or ids as the files allow, and the form in which
 * the union is written.
 */
#include "union_support.h"

#include "merge/schema_kinds.h"

#define WRITER "a writer version 1.0"
#define OLD_ARROW "parquet-cpp-arrow version 5.0.0"

static struct lith_kinds kinds;

static uint32_t kind_add(const char *text, const char *created_by, uint32_t input)
{
    struct lith_footer footer = {.schema = schema_read(text),
                                 .created_by = lith_slice_text(created_by)};
    uint32_t kind;

    MUST(lith_kinds_find(&kinds, &footer, &arena, &kind, &err));
    if (kind != LITH_NO_INDEX)
        return kind;
    MUST(lith_kinds_add(&kinds, &footer, input, &err));
    kind = kinds.count - 1;
    MUST(lith_schema_copy(&kinds.kinds[kind].schema, &arena, &kinds.kinds[kind].written, &err));
    return kind;
}

static void test_found_again(void **state)
{
    static const char *const texts[] = {"!a:INT32", "?a:INT32", "!a:INT32 !b:INT32", "!b:INT32",
                                        "!a#1:INT32"};
    (void)state;

    lith_kinds_init(&kinds, &arena);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(kind_add(texts[i], WRITER, 10 * i), i);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(kind_add(texts[i], WRITER, 7), i);
        assert_int_equal(kinds.kinds[i].input, 10 * i);
    }
    /* Two forms of one annotation are one kind. */
    assert_int_equal(kind_add("!t:BYTES/STRING", WRITER, 0), 5);
    assert_int_equal(kind_add("!t:BYTES/utf8", WRITER, 0), 5);
    assert_int_equal(kind_add("!n:INT64/INT_64", WRITER, 0), 6);
    assert_int_equal(kind_add("!n:INT64", WRITER, 0), 6);
}

/* Equal schemas whose ids are not worth the same are two kinds, and names decide. */
static void test_worth(void **state)
{
    const struct lith_union_rules rules = {0};
    struct lith_kinds_conflict conflict;
    struct lith_schema joined;

    (void)state;
    lith_kinds_init(&kinds, &arena);
    assert_int_equal(kind_add("!a#1:INT32 !b#2:INT32", WRITER, 0), 0);
    assert_int_equal(kind_add("!a#1:INT32 !b#2:INT32", OLD_ARROW, 1), 1);
    assert_int_equal(kind_add("!a#1:INT32 !c#2:INT32", WRITER, 2), 2);
    assert_int_equal(kind_add("!a:INT32", WRITER, 3), 3);
    assert_int_equal(kind_add("!a:INT32", OLD_ARROW, 4), 3);
    MUST(lith_kinds_join(&kinds, &rules, LITH_MATCH_AUTO, &joined, &conflict, &err));
    /* b and c have one id, and there is a file that goes by names: which of both they are is not
     * for us to say. */
    assert_non_null(conflict.text);
    kinds.count = 2;
    MUST(lith_kinds_join(&kinds, &rules, LITH_MATCH_AUTO, &joined, &conflict, &err));
    assert_null(conflict.text);
    assert_string_equal(schema_write(&joined), "!a:INT32 !b:INT32");
}

struct join {
    enum lith_match match;
    const char *writer;
    const char *texts[3];
    const char *joined; /* or what the conflict says */
    int left, right;    /* kinds of the conflict; left is -1 without one */
};

static void join_check(const struct join *c)
{
    const struct lith_union_rules rules = {0};
    struct lith_kinds_conflict conflict;
    struct lith_schema joined;

    lith_kinds_init(&kinds, &arena);
    for (uint32_t i = 0; i < 3 && c->texts[i]; i++)
        (void)kind_add(c->texts[i], c->writer, i);
    MUST(lith_kinds_join(&kinds, &rules, c->match, &joined, &conflict, &err));
    if ((c->left < 0) != !conflict.text)
        fail_msg("%s + %s: %s", c->texts[0], c->texts[1], conflict.text ? conflict.text : "joined");
    if (c->left >= 0) {
        if (!strstr(conflict.text, c->joined))
            fail_msg("%s, not %s", conflict.text, c->joined);
        assert_int_equal(conflict.left, c->left);
        assert_int_equal(conflict.right, c->right);
        return;
    }
    assert_string_equal(schema_write(&joined), c->joined);
    for (uint32_t i = 0; i < kinds.count; i++)
        assert_non_null(kinds.kinds[i].places);
}

static void test_join(void **state)
{
    static const struct join cases[] = {
        {LITH_MATCH_AUTO, WRITER, {"!a:INT32", "!b:INT32", "?a:INT64"}, "?a:INT64 ?b:INT32", -1, 0},
        /* By ids where all have them; names are the last file's. */
        {LITH_MATCH_AUTO, WRITER, {"!a#1:INT32", "!b#1:INT32"}, "!b#1:INT32", -1, 0},
        {LITH_MATCH_NAME, WRITER, {"!a#1:INT32", "!b#1:INT32"}, "?a:INT32 ?b:INT32", -1, 0},
        {LITH_MATCH_NAME, WRITER, {"!a#1:INT32", "!b#2:INT32"}, "?a#1:INT32 ?b#2:INT32", -1, 0},
        {LITH_MATCH_ID, WRITER, {"!a#1:INT32", "!b#1:INT32"}, "!b#1:INT32", -1, 0},
        /* Not where some have none; then ids must say what names do. */
        {LITH_MATCH_AUTO, WRITER, {"!a#1:INT32", "!a:INT32"}, "!a:INT32", -1, 0},
        {LITH_MATCH_AUTO,
         WRITER,
         {"!a#1:INT32 !b:INT32", "!a#2:INT32"},
         "column a: field id 1 against field id 2",
         0,
         1},
        {LITH_MATCH_AUTO, WRITER, {"!a#1:INT32", "!b#1:INT32", "!a:INT32"}, "of the same id", 0, 1},
        {LITH_MATCH_AUTO, WRITER, {"!a#1:INT32", "!a:INT32", "!b#1:INT32"}, "of the same id", 0, 2},
        {LITH_MATCH_ID, WRITER, {"!a#1:INT32", "!a:INT32"}, "one that means something", 1, 1},
        /* Names that cross: somebody counted. */
        {LITH_MATCH_AUTO,
         WRITER,
         {"!a#1:INT32 !b#2:INT32", "!b#1:INT32 !a#2:INT32"},
         "one field by its id",
         0,
         1},
        {LITH_MATCH_ID,
         WRITER,
         {"!a#1:INT32 !b#2:INT32", "!b#1:INT32 !a#2:INT32"},
         "!b#1:INT32 !a#2:INT32",
         -1,
         0},
        /* Where that is known, names decide. */
        {LITH_MATCH_AUTO,
         OLD_ARROW,
         {"!a#1:INT32 !b#2:INT32", "!b#1:INT32 !c#2:INT32"},
         "?a:INT32 !b:INT32 ?c:INT32",
         -1,
         0},
        {LITH_MATCH_AUTO,
         WRITER,
         {"!a#1:INT32 !b#1:INT32", "!b#1:INT32"},
         "?a:INT32 !b:INT32",
         -1,
         0},
        {LITH_MATCH_ID, OLD_ARROW, {"!a#1:INT32", "!b#1:INT32"}, "one that means something", 0, 0},
        /* A type against another, of the kinds that have them. */
        {LITH_MATCH_AUTO,
         WRITER,
         {"!b:INT32", "!a:INT32", "!a:BYTES"},
         "column a: INT32 against BYTE_ARRAY",
         1,
         2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        join_check(&cases[i]);
}

/* The form of an annotation stays where all have it. */
static void test_written(void **state)
{
    static const struct {
        const char *texts[2];
        int converted; /* of column t */
        int logical;
    } cases[] = {
        {{"!t:BYTES/utf8", "!t:BYTES/utf8 !b:INT32"}, LITH_CONVERTED_UTF8, LITH_LOGICAL_NONE},
        {{"!t:BYTES/STRING", "!t:BYTES/STRING !b:INT32"}, LITH_CONVERTED_NONE, LITH_LOGICAL_STRING},
        {{"!t:BYTES/utf8", "!t:BYTES/STRING !b:INT32"}, LITH_CONVERTED_UTF8, LITH_LOGICAL_STRING},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct lith_union_rules rules = {0};
        struct lith_kinds_conflict conflict;
        struct lith_schema joined, written;
        lith_kinds_init(&kinds, &arena);
        for (int file = 0; file < 2; file++) {
            struct lith_schema raw = schema_read_raw(cases[i].texts[file]);
            struct lith_footer footer = {.created_by = lith_slice_text(WRITER)};
            MUST(lith_schema_copy(&raw, &arena, &footer.schema, &err));
            MUST(lith_schema_normalise(&footer.schema, &arena, &err));
            MUST(lith_kinds_add(&kinds, &footer, (uint32_t)file, &err));
            kinds.kinds[file].written = raw;
        }
        MUST(lith_kinds_join(&kinds, &rules, LITH_MATCH_AUTO, &joined, &conflict, &err));
        assert_null(conflict.text);
        MUST(lith_kinds_written(&kinds, &joined, &arena, &written, &err));
        assert_int_equal(written.nodes[1].converted_type, cases[i].converted);
        assert_int_equal(written.nodes[1].logical.kind, cases[i].logical);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_found_again),
        TEST(test_worth),
        TEST(test_join),
        TEST(test_written),
    };

    return cmocka_run_group_tests_name("schema_kinds", tests, NULL, NULL);
}
