/*
 * Unions of schemas, row by row of parquet-splice.md sections 6.1 to 6.5: what joins, what it is
 * then, and what does not join.
 */
#include "union_support.h"

/* The text of the union of two schemas, or of their conflict, which must leave the union as it was.
 * Adding either schema again must change nothing; by ids the first one only has its names back. */
static const char *joined_text(unsigned rules, const char *left, const char *right)
{
    struct lith_schema a = schema_read(left);
    struct lith_schema b = schema_read(right);
    struct lith_union u = union_begin(rules, &a);
    struct lith_union_conflict conflict = union_add(&u, &b, 1);
    const char *joined = schema_write(&u.schema);

    if (conflict.text) {
        assert_string_equal(joined, schema_write(&a));
        return conflict.text;
    }
    for (uint32_t i = 0; i < u.schema.node_count; i++)
        assert_true(u.origins[i] < 2);
    assert_null(union_add(&u, &b, 2).text);
    assert_string_equal(schema_write(&u.schema), joined);
    if (!(rules & BY_ID)) {
        assert_null(union_add(&u, &a, 3).text);
        assert_string_equal(schema_write(&u.schema), joined);
    }
    for (uint32_t i = 0; i < u.schema.node_count; i++)
        assert_true(u.origins[i] < 2);
    return joined;
}

struct joins {
    unsigned rules;
    const char *left;
    const char *right;
    const char *joined; /* or the conflict; NULL: `left` */
    const char *turned; /* joined the other way round; NULL: `right` */
};

static void joins_check(const struct joins *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct joins *c = &cases[i];
        const char *expected[] = {c->joined ? c->joined : c->left,
                                  c->turned ? c->turned : c->right};
        const char *found[] = {joined_text(c->rules, c->left, c->right),
                               joined_text(c->rules, c->right, c->left)};
        for (int turned = 0; turned < 2; turned++) {
            if (strcmp(found[turned], expected[turned]) != 0)
                fail_msg("%s + %s%s:\n    %s, not\n    %s", c->left, c->right,
                         turned ? ", turned" : "", found[turned], expected[turned]);
        }
    }
}
#define CHECK(cases) joins_check(cases, COUNT(cases))

/* 6.1: by the exact path of names, in the order of first appearance. */
static void test_names(void **state)
{
    static const struct joins cases[] = {
        {0, "!a:INT32 ?b:BYTES", "!a:INT32 ?b:BYTES", NULL, NULL},
        {0, "!a:INT32 !b:BYTES !c:FLOAT", "!c:FLOAT !a:INT32 !b:BYTES", NULL, NULL},
        {0, "!s{!a:INT32 !b:BYTES}", "!s{!b:BYTES !a:INT32}", NULL, NULL},
        {0, "!a:INT32 !c:FLOAT", "!c:FLOAT !b:BYTES !a:INT32", "!a:INT32 !c:FLOAT ?b:BYTES",
         "!c:FLOAT ?b:BYTES !a:INT32"},
        /* A dot is a letter. */
        {0, "?a.b:INT32", "?a{?b:INT32}", "?a.b:INT32 ?a{?b:INT32}", "?a{?b:INT32} ?a.b:INT32"},
        {0, "?a.b:INT32", "?a{?b:BYTES}", "?a.b:INT32 ?a{?b:BYTES}", "?a{?b:BYTES} ?a.b:INT32"},
        {0, "?a.b{?c:INT32}", "?a{?b.c:INT32}", "?a.b{?c:INT32} ?a{?b.c:INT32}",
         "?a{?b.c:INT32} ?a.b{?c:INT32}"},
        /* An empty name, and names that begin alike. */
        {0, "?:INT32", "?:INT32 ?a:INT32", "?:INT32 ?a:INT32", NULL},
        {0, "?a:INT32", "?aa:INT32", "?a:INT32 ?aa:INT32", "?aa:INT32 ?a:INT32"},
        /* One name in different groups. */
        {0, "?s{?x:INT32} ?t{?x:BYTES}", "?t{?x:BYTES} ?s{?x:INT32} ?x:FLOAT",
         "?s{?x:INT32} ?t{?x:BYTES} ?x:FLOAT", NULL},
        /* Ids are kept where all say the same. */
        {0, "!a#1:INT32 !b#2:INT32 !c#3:INT32", "!a#1:INT32 !b#5:INT32 !c:INT32",
         "!a#1:INT32 !b:INT32 !c:INT32", "!a#1:INT32 !b:INT32 !c:INT32"},
        {0, "!a#1:INT32 !b#2:INT32", "!b#2:INT32 !a#1:INT32", NULL, NULL},
    };

    (void)state;
    CHECK(cases);
}

#define CASE_OF(path, other)                                                                       \
    "column " path ": this name against the name \"" other "\", which differs by case alone"

/* 6.1: two fields in one group that differ only by case. */
static void test_case(void **state)
{
    static const struct joins cases[] = {
        {0, "?a:INT32", "?A:INT32", CASE_OF("a", "A"), CASE_OF("A", "a")},
        {0, "?a:INT32", "?A:BYTES", CASE_OF("a", "A"), CASE_OF("A", "a")},
        {0, "?a:INT32", "?A{?x:INT32}", CASE_OF("a", "A"), CASE_OF("A", "a")},
        {0, "?x:INT32 ?aBc:INT32", "?abC:INT32 ?x:INT32", CASE_OF("aBc", "abC"),
         CASE_OF("abC", "aBc")},
        {0, "?s{?x:INT32 ?a:INT32}", "?s{?A:INT32 ?x:INT32}", CASE_OF("s.a", "A"),
         CASE_OF("s.A", "a")},
        {0, "?a:INT32 ?b:INT32", "?b:INT32 ?A:INT32", CASE_OF("a", "A"), CASE_OF("A", "a")},
        {0, "?Z:INT32", "?z:INT32", CASE_OF("Z", "z"), CASE_OF("z", "Z")},
        /* What one side has is new to the other. */
        {0, "?a:INT32", "?a:INT32 ?A:INT32", CASE_OF("a", "A"), CASE_OF("a", "A")},
        /* The operator allows it. */
        {ANY_CASE, "?a:INT32", "?A:BYTES", "?a:INT32 ?A:BYTES", "?A:BYTES ?a:INT32"},
        {ANY_CASE, "?a:INT32", "?a:INT32 ?A:BYTES", "?a:INT32 ?A:BYTES", NULL},
        /* Both have both. */
        {0, "?a:INT32 ?A:INT32", "?a:INT32 ?A:INT32", NULL, NULL},
        {0, "!a:INT32 !A:BYTES", "!A:BYTES !a:INT32", NULL, NULL},
        {0, "?s{?a:INT32 ?A:INT32}", "?s{?a:INT32 ?A:INT32} ?b:INT32",
         "?s{?a:INT32 ?A:INT32} ?b:INT32", NULL},
        /* Other groups, lengths, no letters. */
        {0, "?s{?a:INT32}", "?A:INT32", "?s{?a:INT32} ?A:INT32", "?A:INT32 ?s{?a:INT32}"},
        {0, "?ab:INT32", "?A:INT32", "?ab:INT32 ?A:INT32", "?A:INT32 ?ab:INT32"},
        {0, "?@:INT32 ?[:INT32", "?`:INT32", "?@:INT32 ?[:INT32 ?`:INT32",
         "?`:INT32 ?@:INT32 ?[:INT32"},
    };

    (void)state;
    CHECK(cases);
}

#define TWICE(path, name)                                                                          \
    "column " path ": this name against the name \"" name "\" of another field"
#define SEVERAL(path) "column " path ": one field against several of this name"

/* 6.1: one name twice in a group. */
static void test_doubled(void **state)
{
    static const struct joins cases[] = {
        {0, "?x:INT32", "?x:INT32 ?x:INT32", SEVERAL("x"), TWICE("x", "x")},
        {0, "?x:INT32", "?x:INT32 ?x:BYTES", SEVERAL("x"), "column x: BYTE_ARRAY against INT32"},
        {0, "?x:INT32 ?y:INT32", "?y:INT32 ?x:INT32 ?x:INT32", SEVERAL("x"), TWICE("x", "x")},
        {0, "?x:INT32 ?y:INT32", "?x:INT32 ?x:INT32 ?y:INT32", SEVERAL("x"), TWICE("x", "x")},
        {0, "?y:INT32", "?x:INT32 ?x:INT32", TWICE("x", "x"), TWICE("x", "x")},
        {0, "?x:INT32 ?x:INT32 ?y:INT32", "?x:INT32 ?y:INT32 ?x:INT32", TWICE("x", "x"),
         TWICE("x", "x")},
        {0, "?s{?x:INT32}", "?s{?x:INT32 ?x:INT32}", SEVERAL("s.x"), TWICE("s.x", "x")},
        {0, "?y:INT32", "?s{?x:INT32 ?x:INT32}", TWICE("s.x", "x"), TWICE("s.x", "x")},
        {0, "?s{?a:INT32}", "?s{?a:INT32} ?s{?a:INT32}", SEVERAL("s"), TWICE("s", "s")},
        {0, "?s{?a:INT32} ?s{?a:INT32}", "?s{?a:INT32} ?s{?a:INT32 ?b:INT32}", TWICE("s", "s"),
         TWICE("s", "s")},
        {ANY_CASE, "?y:INT32", "?x:INT32 ?X:INT32 ?x:INT32", TWICE("x", "x"), TWICE("x", "x")},
    };

    (void)state;
    CHECK(cases);
}

#define ICEBERG_LIST "?l#1/LIST{*list{!element#2{?x#3:INT32}}}"
#define ICEBERG_MAP "?m#1/MAP{*key_value{!key#2:INT32 ?value#3:INT32}}"

/* 6.1: by field ids. The names are those of the schema that came last. */
static void test_ids(void **state)
{
    static const struct joins cases[] = {
        {BY_ID, "!a#1:INT32", "!a#1:INT32", NULL, NULL},
        /* Renamed, moved, swapped. */
        {BY_ID, "!a#1:INT32", "!b#1:INT32", "!b#1:INT32", "!a#1:INT32"},
        {BY_ID, "!a#1:INT32 !b#2:BYTES", "!b#2:BYTES !a#1:INT32", NULL, NULL},
        {BY_ID, "!a#1:INT32 !b#2:BYTES", "!b#1:INT32 !a#2:BYTES", "!b#1:INT32 !a#2:BYTES",
         "!a#1:INT32 !b#2:BYTES"},
        {BY_ID, "!a#1:INT32 !b#2:BYTES", "!a#2:BYTES !b#1:INT32", "!b#1:INT32 !a#2:BYTES",
         "!b#2:BYTES !a#1:INT32"},
        {BY_ID, "?s#1{!a#2:INT32}", "?t#1{!b#2:INT32 !c#3:INT32}", "?t#1{!b#2:INT32 ?c#3:INT32}",
         "?s#1{!a#2:INT32 ?c#3:INT32}"},
        /* Added and dropped. */
        {BY_ID, "!a#1:INT32", "!a#1:INT32 !b#2:INT32", "!a#1:INT32 ?b#2:INT32",
         "!a#1:INT32 ?b#2:INT32"},
        {BY_ID, "!a#1:INT32", "!b#2:INT32", "?a#1:INT32 ?b#2:INT32", "?b#2:INT32 ?a#1:INT32"},
        /* Two ids end with one name: as one was dropped and another added, or renamed to it. */
        {BY_ID, "!a#1:INT32", "!a#2:INT32", TWICE("a", "a"), TWICE("a", "a")},
        {BY_ID, "!a#1:INT32", "!b#1:INT32 !a#2:BYTES", "!b#1:INT32 ?a#2:BYTES", TWICE("a", "a")},
        {BY_ID, "!a#1:INT32 !b#2:INT32", "!b#1:INT32", TWICE("b", "b"), "!a#1:INT32 ?b#2:INT32"},
        {BY_ID, "!s#1{!a#2:INT32}", "!s#1{!a#3:INT32}", TWICE("s.a", "a"), TWICE("s.a", "a")},
        /* Or with names that differ by case. */
        {BY_ID, "!a#1:INT32", "!A#1:INT32", "!A#1:INT32", "!a#1:INT32"},
        {BY_ID, "!a#1:INT32 !b#2:INT32", "!A#2:INT32", CASE_OF("a", "A"), "!b#2:INT32 ?a#1:INT32"},
        {BY_ID, "!a#1:INT32", "!x#1:INT32 !A#2:INT32", "!x#1:INT32 ?A#2:INT32", CASE_OF("a", "A")},
        /* One id twice. */
        {BY_ID, "!x#1:INT32", "!x#1:INT32 !y#1:INT32",
         "column y: one field against several of the same id",
         "column x: this name against the name \"x\", of the same id"},
        {BY_ID, "!x#1:INT32", "!y#2:INT32 !z#2:INT32",
         "column y: this name against the name \"z\", of the same id",
         "column y: this name against the name \"z\", of the same id"},
        /* A type against another. */
        {BY_ID, "!a#1:INT32", "!b#1:BYTES", "column a: INT32 against BYTE_ARRAY",
         "column b: BYTE_ARRAY against INT32"},
        /* Iceberg gives no ids to the groups inside lists and maps, nor inside variants. */
        {BY_ID, ICEBERG_LIST, "?k#1/LIST{*bag{!e#2{!y#3:INT64 !z#4:INT32}}}",
         "?k#1/LIST{*bag{!e#2{?y#3:INT64 ?z#4:INT32}}}",
         "?l#1/LIST{*list{!element#2{?x#3:INT64 ?z#4:INT32}}}"},
        {BY_ID, ICEBERG_MAP, "?n#1/MAP{*map{!k#2:INT32 !v#3:INT32}}",
         "?n#1/MAP{*map{!k#2:INT32 ?v#3:INT32}}", ICEBERG_MAP},
        {BY_ID, "!v#1/VARIANT{!metadata:BYTES !value:BYTES}",
         "?w#1/VARIANT{!metadata:BYTES !value:BYTES}", "?w#1/VARIANT{!metadata:BYTES !value:BYTES}",
         "?v#1/VARIANT{!metadata:BYTES !value:BYTES}"},
    };

    (void)state;
    CHECK(cases);
}

static void test_has_ids(void **state)
{
    static const struct {
        const char *schema;
        bool has_ids;
    } cases[] = {
        {"", false},
        {"!a:INT32", false},
        {"!a#1:INT32", true},
        {"!a#0:INT32 !b#-1:INT32", true},
        {"!a#1:INT32 !b:INT32", false},
        {"!s#1{!a:INT32}", false},
        {"!s{!a#1:INT32}", false},
        {"*r{!a#1:INT32}", false},
        {ICEBERG_LIST, true},
        {ICEBERG_MAP, true},
        {"?l/LIST{*list{!element#2:INT32}}", false},
        {"?l#1/LIST{*list{!element#2{?x:INT32}}}", false},
        {"?l#1/LIST{*array{?x:INT32 ?y#3:INT32}}", false},
        {"?m#1/MAP{*key_value{!key#2:INT32 ?value#3{?x:INT32}}}", false},
        {"?v#1/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value{!a{?value:BYTES}}}", true},
        {"?v/VARIANT{!metadata:BYTES !value:BYTES}", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lith_schema schema = schema_read(cases[i].schema);
        if (lith_schema_has_ids(&schema) != cases[i].has_ids)
            fail_msg("%s", cases[i].schema);
    }
}

/* 6.4: REQUIRED and OPTIONAL make OPTIONAL, whoever comes last; REPEATED is another shape. */
static void test_repetition(void **state)
{
    static const struct joins cases[] = {
        {0, "!a:INT32", "?a:INT32", "?a:INT32", NULL},
        {0, "?a:INT32", "?a:INT32", NULL, NULL},
        {0, "*a:INT32", "*a:INT32", NULL, NULL},
        {0, "!s{!x:INT32}", "?s{!x:INT32}", "?s{!x:INT32}", NULL},
        {0, "!s{!t{!x:INT32}}", "!s{?t{?x:INT32}}", "!s{?t{?x:INT32}}", NULL},
        {0, "?s{!x:INT32}", "!s{?x:INT32}", "?s{?x:INT32}", "?s{?x:INT32}"},
        {0, "?l/LIST{*list{!element:INT32}}", "!l/LIST{*list{?element:INT32}}",
         "?l/LIST{*list{?element:INT32}}", "?l/LIST{*list{?element:INT32}}"},
        {0, "*a:INT32", "?a:INT32", "column a: REPEATED against OPTIONAL",
         "column a: OPTIONAL against REPEATED"},
        {0, "*a:INT32", "!a:INT32", "column a: REPEATED against REQUIRED",
         "column a: REQUIRED against REPEATED"},
        {0, "!s{*t{!x:INT32}}", "!s{?t{!x:INT32}}", "column s.t: REPEATED against OPTIONAL",
         "column s.t: OPTIONAL against REPEATED"},
        {0, "?a:INT32", "?a{?x:INT32}", "column a: INT32 against a group of 1",
         "column a: a group of 1 against INT32"},
        {0, "*a:BYTES/STRING", "*a{?x:INT32 ?y:INT32}",
         "column a: BYTE_ARRAY STRING against a group of 2",
         "column a: a group of 2 against BYTE_ARRAY STRING"},
    };

    (void)state;
    CHECK(cases);
}

/* 6.3: what a schema lacks stands at the end of its group and is OPTIONAL; what is in a group that
 * it lacks is as it was. */
static void test_lacking(void **state)
{
    static const struct joins cases[] = {
        {0, "!a:INT32", "!a:INT32 !b:BYTES", "!a:INT32 ?b:BYTES", "!a:INT32 ?b:BYTES"},
        {0, "!a:INT32", "!b:BYTES !a:INT32", "!a:INT32 ?b:BYTES", "?b:BYTES !a:INT32"},
        {0, "!a:INT32", "!b:BYTES", "?a:INT32 ?b:BYTES", "?b:BYTES ?a:INT32"},
        {0, "!a:INT32 !d:INT32", "!a:INT32 !b:INT32 !c:INT32 !d:INT32",
         "!a:INT32 !d:INT32 ?b:INT32 ?c:INT32", "!a:INT32 ?b:INT32 ?c:INT32 !d:INT32"},
        {0, "!a:INT32", "!a:INT32 *r:INT32", "!a:INT32 *r:INT32", NULL},
        /* In a group. */
        {0, "!s{!x:INT32} !a:INT32", "!s{!x:INT32 !y:INT32} !a:INT32",
         "!s{!x:INT32 ?y:INT32} !a:INT32", "!s{!x:INT32 ?y:INT32} !a:INT32"},
        {0, "?s{?t{!x:INT32}}", "?s{?t{!y:INT32} !z:INT32}", "?s{?t{?x:INT32 ?y:INT32} ?z:INT32}",
         "?s{?t{?y:INT32 ?x:INT32} ?z:INT32}"},
        {0, "?s{!a:INT32 !x:INT32} !x:BYTES", "?s{!a:INT32} !x:BYTES",
         "?s{!a:INT32 ?x:INT32} !x:BYTES", "?s{!a:INT32 ?x:INT32} !x:BYTES"},
        {0, "*s{!x:INT32}", "*s{!x:INT32 !y:INT32}", "*s{!x:INT32 ?y:INT32}",
         "*s{!x:INT32 ?y:INT32}"},
        {0, "?l/LIST{*list{?element{!x:INT32}}} ?a:INT32",
         "?l/LIST{*list{?element{!y:INT32 !x:INT32}}} ?a:INT32",
         "?l/LIST{*list{?element{!x:INT32 ?y:INT32}}} ?a:INT32",
         "?l/LIST{*list{?element{?y:INT32 !x:INT32}}} ?a:INT32"},
        {0, "?m/MAP{*key_value{!key:INT32 ?value{!x:INT32}}}",
         "?m/MAP{*key_value{!key:INT32 ?value{!x:INT32 !y:INT32}}}",
         "?m/MAP{*key_value{!key:INT32 ?value{!x:INT32 ?y:INT32}}}",
         "?m/MAP{*key_value{!key:INT32 ?value{!x:INT32 ?y:INT32}}}"},
        {0, "?m/MAP{*key_value{!key{!x:INT32} !value:INT32}}",
         "?m/MAP{*key_value{!key{!x:INT32 !y:INT32} !value:INT32}}",
         "?m/MAP{*key_value{!key{!x:INT32 ?y:INT32} !value:INT32}}",
         "?m/MAP{*key_value{!key{!x:INT32 ?y:INT32} !value:INT32}}"},
        /* A whole group, list, map. */
        {0, "!a:INT32", "!a:INT32 !s{!x:INT32 !t{!y:INT32}}", "!a:INT32 ?s{!x:INT32 !t{!y:INT32}}",
         "!a:INT32 ?s{!x:INT32 !t{!y:INT32}}"},
        {0, "!s{!x:INT32}", "!s{!x:INT32 !t{!y{!z:INT32}}}", "!s{!x:INT32 ?t{!y{!z:INT32}}}",
         "!s{!x:INT32 ?t{!y{!z:INT32}}}"},
        {0, "!a:INT32", "!a:INT32 !l/LIST{*list{!element:INT32}}",
         "!a:INT32 ?l/LIST{*list{!element:INT32}}", "!a:INT32 ?l/LIST{*list{!element:INT32}}"},
        {0, "!a:INT32", "!m/MAP{*key_value{!key:INT32 !value:INT32}}",
         "?a:INT32 ?m/MAP{*key_value{!key:INT32 !value:INT32}}",
         "?m/MAP{*key_value{!key:INT32 !value:INT32}} ?a:INT32"},
        {0, "!a:INT32", "!a:INT32 *s{!x:INT32}", "!a:INT32 *s{!x:INT32}", NULL},
    };

    (void)state;
    CHECK(cases);
}

/* 6.2: types join as lith_type_join says, wherever they stand; what does not join names the path
 * and both types. */
static void test_types(void **state)
{
    static const struct joins cases[] = {
        {0, "!a:INT32", "!a:INT64", "!a:INT64", NULL},
        {0, "!a:INT32/INT_32", "!a:INT64", "!a:INT64", NULL},
        {0, "!a:INT32/INT_32", "!a:INT32", NULL, NULL},
        {0, "?s{!a:FLOAT}", "?s{!a:DOUBLE}", "?s{!a:DOUBLE}", NULL},
        {0, "!a:INT32/DECIMAL(9,2)", "?a:INT64/DECIMAL(4,2)", "?a:INT64/DECIMAL(9,2)",
         "?a:INT64/DECIMAL(9,2)"},
        {0, "!a:FLBA8/DECIMAL(9,2)", "!a:INT64/DECIMAL(18,2)", "!a:FLBA8/DECIMAL(18,2)",
         "!a:FLBA8/DECIMAL(18,2)"},
        {DATES, "!a:INT32/DATE", "!a:INT64/TIMESTAMP_MICROS", "!a:INT64/TIMESTAMP_MICROS", NULL},
        {STRINGS, "!a:BYTES", "!a:BYTES/STRING", "!a:BYTES/STRING", NULL},
        {0, "!a:INT64/timestamp_micros", "!a:INT64/TIMESTAMP_UTC_MICROS",
         "!a:INT64/TIMESTAMP_UTC_MICROS", NULL},
        {0, "!s{!a:INT32}", "!s{!a:BYTES/STRING}", "column s.a: INT32 against BYTE_ARRAY STRING",
         "column s.a: BYTE_ARRAY STRING against INT32"},
        {0, "!a.b:FLBA4", "!a.b:FLBA5",
         "column \"a.b\": FIXED_LEN_BYTE_ARRAY(4) against FIXED_LEN_BYTE_ARRAY(5)",
         "column \"a.b\": FIXED_LEN_BYTE_ARRAY(5) against FIXED_LEN_BYTE_ARRAY(4)"},
        {0, "!a:INT32/DATE", "!a:INT64/TIMESTAMP_MICROS",
         "column a: INT32 DATE against INT64 TIMESTAMP(local, MICROS)",
         "column a: INT64 TIMESTAMP(local, MICROS) against INT32 DATE"},
        {0, "!a:INT32/DECIMAL(9,2)", "!a:INT32/DECIMAL(9,3)",
         "column a: INT32 DECIMAL(9, 2) against INT32 DECIMAL(9, 3)",
         "column a: INT32 DECIMAL(9, 3) against INT32 DECIMAL(9, 2)"},
        {0, "!a:FLBA12/interval", "!a:FLBA12",
         "column a: FIXED_LEN_BYTE_ARRAY(12) INTERVAL against FIXED_LEN_BYTE_ARRAY(12)",
         "column a: FIXED_LEN_BYTE_ARRAY(12) against FIXED_LEN_BYTE_ARRAY(12) INTERVAL"},
        {0, "!a:BYTES/GEOMETRY", "!a:BYTES/GEOMETRY_CRS",
         "column a: BYTE_ARRAY GEOMETRY against one of other parameters",
         "column a: BYTE_ARRAY GEOMETRY against one of other parameters"},
        {0, "?l/LIST{*list{?element:INT32}}", "?l/LIST{*list{?element:BOOLEAN}}",
         "column l.list.element: INT32 against BOOLEAN",
         "column l.list.element: BOOLEAN against INT32"},
    };

    (void)state;
    CHECK(cases);
}

/* 6.2: a column of nulls is no column, so it may be REQUIRED no more. */
static void test_unknown(void **state)
{
    static const struct joins cases[] = {
        {0, "?a:INT32/UNKNOWN", "?a:BYTES/STRING", "?a:BYTES/STRING", NULL},
        {0, "!a:INT32/UNKNOWN", "!a:BYTES/STRING", "?a:BYTES/STRING", "?a:BYTES/STRING"},
        {0, "!a:INT32/UNKNOWN", "!a:INT32/UNKNOWN", NULL, NULL},
        {0, "?a:INT32/UNKNOWN", "!a:INT32", "?a:INT32", "?a:INT32"},
        {0, "?l/LIST{*list{?element:INT32/UNKNOWN}}", "?l/LIST{*list{!element:INT64}}",
         "?l/LIST{*list{?element:INT64}}", "?l/LIST{*list{?element:INT64}}"},
        {0, "?a:INT32/UNKNOWN", "?a{?x:INT32}", "column a: INT32 UNKNOWN against a group of 1",
         "column a: a group of 1 against INT32 UNKNOWN"},
    };

    (void)state;
    CHECK(cases);
}

#define TWO_THREE(path) "column " path ": a list of two levels against one of three"
#define THREE_TWO(path) "column " path ": a list of three levels against one of two"

/* 6.5, and rules 1 to 5 of LogicalTypes.md: lists join by their shape, whatever their names. */
static void test_lists(void **state)
{
    static const struct joins cases[] = {
        /* Rule 5, three levels. */
        {0, "?l/LIST{*list{?element:INT32}}", "?l/list{*bag{?array_element:INT32}}", NULL,
         "?l/LIST{*bag{?array_element:INT32}}"},
        {0, "?l/LIST{*list{?element:INT32}}", "?l/LIST{*element{!str:INT64}}",
         "?l/LIST{*list{?element:INT64}}", "?l/LIST{*element{?str:INT64}}"},
        {0, "?l/LIST{*list{?element:INT32}}", "?l/LIST{*m_tuple{?x:INT32}}", NULL, NULL},
        {0, "?l/LIST{*list{?element/LIST{*list{?element{?x:INT32}}}}}",
         "?l/LIST{*bag{?array_element/LIST{*bag{?array_element{?y:INT32}}}}}",
         "?l/LIST{*list{?element/LIST{*list{?element{?x:INT32 ?y:INT32}}}}}",
         "?l/LIST{*bag{?array_element/LIST{*bag{?array_element{?y:INT32 ?x:INT32}}}}}"},
        /* Rule 1, no group. */
        {0, "?l/LIST{*array:INT32}", "?l/LIST{*element:INT32}", NULL, NULL},
        {0, "?l/LIST{*array:INT32}", "?l/LIST{*array{?element:INT32}}",
         "column l.array: INT32 against a group of 1",
         "column l.array: a group of 1 against INT32"},
        {0, "?l/LIST{*array:INT32}", "?l/LIST{*list{?element:INT32}}", TWO_THREE("l"),
         THREE_TWO("l")},
        /* Rule 2, many fields. */
        {0, "?l/LIST{*element{!x:INT32 !y:INT32}}", "?l/LIST{*array{!y:INT32 !z:INT32}}",
         "?l/LIST{*element{?x:INT32 !y:INT32 ?z:INT32}}",
         "?l/LIST{*array{!y:INT32 ?z:INT32 ?x:INT32}}"},
        {0, "?l/LIST{*element{!x:INT32 !y:INT32}}", "?l/LIST{*element{!x:INT32}}", TWO_THREE("l"),
         THREE_TWO("l")},
        /* Rule 3, a repeated field. */
        {0, "?l/LIST{*list{*x:INT32}}", "?l/LIST{*array{*y:INT32}}",
         "?l/LIST{*list{*x:INT32 *y:INT32}}", "?l/LIST{*array{*y:INT32 *x:INT32}}"},
        {0, "?l/LIST{*list{*x:INT32}}", "?l/LIST{*list{?x:INT32}}", TWO_THREE("l"), THREE_TWO("l")},
        {0, "?l/LIST{*element/LIST{*element:INT32}}", "?l/LIST{*array/LIST{*array:INT32}}", NULL,
         NULL},
        /* Rule 4, a name. */
        {0, "?l/LIST{*array{!x:INT32}}", "?l/LIST{*l_tuple{!x:INT32 !y:INT32}}",
         "?l/LIST{*array{!x:INT32 ?y:INT32}}", "?l/LIST{*l_tuple{!x:INT32 ?y:INT32}}"},
        {0, "?l/LIST{*l_tuple{!x:INT32}}", "?l/LIST{*array{!y:INT32}}",
         "?l/LIST{*l_tuple{?x:INT32 ?y:INT32}}", "?l/LIST{*array{?y:INT32 ?x:INT32}}"},
        {0, "?l/LIST{*array{!x:INT32}}", "?l/LIST{*list{!x:INT32}}", TWO_THREE("l"),
         THREE_TWO("l")},
        {0, "!s{?l/LIST{*l_tuple{!x:INT32}}}", "!s{?l/LIST{*bag{!x:INT32}}}", TWO_THREE("s.l"),
         THREE_TWO("s.l")},
        /* The annotation must agree. */
        {0, "?l/LIST{*list{?element:INT32}}", "?l{*list{?element:INT32}}",
         "column l: a group of 1, LIST against a group of 1",
         "column l: a group of 1 against a group of 1, LIST"},
        {0, "*l:INT32", "?l/LIST{*array:INT32}", "column l: INT32 against a group of 1, LIST",
         "column l: a group of 1, LIST against INT32"},
        {0, "?l{*bag{?x:INT32}}", "?l{*list{?x:INT32}}", "?l{*bag{?x:INT32} *list{?x:INT32}}",
         "?l{*list{?x:INT32} *bag{?x:INT32}}"},
        {0, "?l/LIST{*list{?element/LIST{*list{?element:INT32}}}}",
         "?l/LIST{*list{?element{*list{?element:INT32}}}}",
         "column l.list.element: a group of 1, LIST against a group of 1",
         "column l.list.element: a group of 1 against a group of 1, LIST"},
    };

    (void)state;
    CHECK(cases);
}

/* 6.5: maps likewise; MAP_KEY_VALUE is MAP. */
static void test_maps(void **state)
{
    static const struct joins cases[] = {
        {0, "?m/MAP{*key_value{!key:BYTES/STRING ?value:INT32}}",
         "?m/map{*map{!k:BYTES/utf8 !v:INT64}}",
         "?m/MAP{*key_value{!key:BYTES/STRING ?value:INT64}}",
         "?m/MAP{*map{!k:BYTES/STRING ?v:INT64}}"},
        {0, "?m/MAP{*key_value{!key:INT32 ?value:INT32}}",
         "?m/map_key_value{*map{!key:INT32 ?value:INT32}}", NULL,
         "?m/MAP{*map{!key:INT32 ?value:INT32}}"},
        {0, "?m/MAP{*key_value{!key:INT32 ?value:INT32}}",
         "?m/map{*map/map_key_value{!key:INT32 ?value:INT32}}", NULL,
         "?m/MAP{*map{!key:INT32 ?value:INT32}}"},
        /* By their place. */
        {0, "?m/MAP{*key_value{!key:INT32 !value:FLOAT}}",
         "?m/MAP{*key_value{!value:INT32 !key:FLOAT}}", NULL, NULL},
        {0, "?m/MAP{*key_value{!key:INT32 !value{!x:INT32}}}",
         "?m/MAP{*map{!k:INT32 !v{!y:INT32}}}",
         "?m/MAP{*key_value{!key:INT32 !value{?x:INT32 ?y:INT32}}}",
         "?m/MAP{*map{!k:INT32 !v{?y:INT32 ?x:INT32}}}"},
        /* Another shape. */
        {0, "?m/MAP{*key_value{!key:INT32 !value:INT32}}", "?m/MAP{*key_value{!key:INT32}}",
         "column m.key_value: a group of 2 against a group of 1",
         "column m.key_value: a group of 1 against a group of 2"},
        {0, "?m/MAP{*list{?element:INT32}}", "?m/LIST{*list{?element:INT32}}",
         "column m: a group of 1, MAP against a group of 1, LIST",
         "column m: a group of 1, LIST against a group of 1, MAP"},
        {0, "?m/MAP{*key_value{!key:INT32 !value:INT32}}",
         "?m{*key_value{!key:INT32 !value:INT32}}",
         "column m: a group of 1, MAP against a group of 1",
         "column m: a group of 1 against a group of 1, MAP"},
    };

    (void)state;
    CHECK(cases);
}

#define PLAIN_VARIANT "v/VARIANT{!metadata:BYTES !value:BYTES}"
#define INT_VARIANT "v/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value:INT32}"
#define LONG_VARIANT "v/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value:INT64}"
#define OBJECT_VARIANT(fields) "v/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value{" fields "}}"
#define FIELD(name) "!" name "{?value:BYTES ?typed_value:INT32}"
#define OTHERWISE(path)                                                                            \
    "column " path ": a VARIANT of one shape against one that is shredded otherwise"

/* 6.2: variants of one shape join, as a whole. */
static void test_variants(void **state)
{
    static const struct joins cases[] = {
        {0, "?" PLAIN_VARIANT, "?" PLAIN_VARIANT, NULL, NULL},
        {0, "?" PLAIN_VARIANT, "!" PLAIN_VARIANT, NULL, "?" PLAIN_VARIANT},
        {0, "!a:INT32", "!a:INT32 !" PLAIN_VARIANT, "!a:INT32 ?" PLAIN_VARIANT,
         "!a:INT32 ?" PLAIN_VARIANT},
        {0, "?" OBJECT_VARIANT(FIELD("a") FIELD("b")), "!" OBJECT_VARIANT(FIELD("a") FIELD("b")),
         "?v/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value{" FIELD("a") " " FIELD("b") "}}",
         "?v/VARIANT{!metadata:BYTES ?value:BYTES ?typed_value{" FIELD("a") " " FIELD("b") "}}"},
        {0, "?" PLAIN_VARIANT, "?" INT_VARIANT, OTHERWISE("v"), OTHERWISE("v")},
        {0, "?" INT_VARIANT, "?" LONG_VARIANT, OTHERWISE("v"), OTHERWISE("v")},
        {0, "?" OBJECT_VARIANT(FIELD("a")), "?" OBJECT_VARIANT(FIELD("a") FIELD("b")),
         OTHERWISE("v"), OTHERWISE("v")},
        {0, "?" OBJECT_VARIANT(FIELD("a")), "?" OBJECT_VARIANT(FIELD("b")), OTHERWISE("v"),
         OTHERWISE("v")},
        {0, "!s{?" PLAIN_VARIANT "}", "!s{?" INT_VARIANT "}", OTHERWISE("s.v"), OTHERWISE("s.v")},
        {0, "?" PLAIN_VARIANT, "?v{!metadata:BYTES !value:BYTES}",
         "column v: a group of 2, VARIANT against a group of 2",
         "column v: a group of 2 against a group of 2, VARIANT"},
    };

    (void)state;
    CHECK(cases);
}

/* What the root is named, how it is repeated or annotated means nothing. */
static void test_root(void **state)
{
    static const struct joins cases[] = {
        {0, "?a:INT32", "?b:INT32", "?a:INT32 ?b:INT32", NULL},
        {0, "*g{?a:INT32}", "*g{?b:INT32}", "*g{?a:INT32 ?b:INT32}", NULL},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int kind = LITH_LOGICAL_NONE; kind <= LITH_LOGICAL_VARIANT; kind++) {
            struct lith_schema a = schema_read(cases[i].left);
            struct lith_schema b = schema_read(cases[i].right);
            a.nodes[0].logical.kind = b.nodes[0].logical.kind = kind;
            b.nodes[0].repetition = LITH_REPEATED;
            b.nodes[0].name = lith_slice_text("spark_schema");
            struct lith_union u = union_begin(0, &a);
            assert_null(union_add(&u, &b, 1).text);
            assert_string_equal(schema_write(&u.schema), cases[i].joined);
        }
    }
}

/* Origins are of the schema that has the type; a conflict names the right one of several. */
static void test_origins(void **state)
{
    static const char *const schemas[] = {
        "!a:INT32 !d:INT64/DECIMAL(5,2) !s{!x:FLOAT}",
        "!a:INT64 !d:INT32/DECIMAL(9,2) !b:INT32/DATE",
        "!a:INT32 !s{!x:DOUBLE !y:INT32/UNKNOWN} !l/LIST{*list{!element:INT32}}",
        "!s{!y:BOOLEAN}",
    };
    static const char joined[] = "?a:INT64 ?d:INT64/DECIMAL(9,2) ?s{?x:DOUBLE ?y:BOOLEAN} "
                                 "?b:INT32/DATE ?l/LIST{*list{!element:INT32}}";
    static const uint32_t origins[] = {0, 1, 0, 0, 2, 3, 1, 2, 2, 2};
    static const struct {
        const char *schema;
        const char *conflict;
        uint32_t origin;
    } cases[] = {
        {"!a:BOOLEAN", "column a: INT64 against BOOLEAN", 1},
        {"!d:BOOLEAN", "column d: INT64 DECIMAL(9, 2) against BOOLEAN", 0},
        {"!s:BOOLEAN", "column s: a group of 2 against BOOLEAN", 0},
        {"!s{!x:BOOLEAN}", "column s.x: DOUBLE against BOOLEAN", 2},
        {"!s{!y:INT32}", "column s.y: BOOLEAN against INT32", 3},
        {"!b:INT32", "column b: INT32 DATE against INT32", 1},
        {"!l/LIST{*list{!element:BOOLEAN}}", "column l.list.element: INT32 against BOOLEAN", 2},
        {"*l:INT32", "column l: a group of 1, LIST against INT32", 2},
        {"!B:INT32/DATE", CASE_OF("b", "B"), 1},
        {"!s{!X:DOUBLE}", CASE_OF("s.x", "X"), 2},
    };
    struct lith_schema first = schema_read(schemas[0]);
    struct lith_union u = union_begin(0, &first);
    (void)state;

    for (uint32_t i = 1; i < COUNT(schemas); i++) {
        struct lith_schema schema = schema_read(schemas[i]);
        assert_null(union_add(&u, &schema, i).text);
    }
    assert_string_equal(schema_write(&u.schema), joined);
    assert_int_equal(u.schema.node_count, COUNT(origins));
    assert_memory_equal(u.origins, origins, sizeof(origins));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lith_schema schema = schema_read(cases[i].schema);
        struct lith_union_conflict conflict = union_add(&u, &schema, 9);
        assert_non_null(conflict.text);
        assert_string_equal(conflict.text, cases[i].conflict);
        assert_int_equal(conflict.origin, cases[i].origin);
        assert_string_equal(schema_write(&u.schema), joined);
        assert_memory_equal(u.origins, origins, sizeof(origins));
    }
}

/* The union borrows nothing of the schemas, and is linked and normalised. */
static void test_owned(void **state)
{
    struct lith_union u;
    const char *joined;
    (void)state;

    for (int turned = 0; turned < 2; turned++) {
        char left[] = "!a#1:BYTES/utf8 !s{!x:INT32}", right[] = "!s{!y:INT32/date} !b#2:INT64";
        struct lith_schema a = schema_read(turned ? right : left);
        struct lith_schema b = schema_read(turned ? left : right);
        u = union_begin(0, &a);
        assert_null(union_add(&u, &b, 1).text);
        memset(left, '-', sizeof(left) - 1);
        memset(right, '-', sizeof(right) - 1);
        memset(a.nodes, 0xff, a.node_count * sizeof(*a.nodes));
        memset(b.nodes, 0xff, b.node_count * sizeof(*b.nodes));
        joined = schema_write(&u.schema);
        assert_string_equal(joined, turned ? "!s{?y:INT32/DATE ?x:INT32} ?b#2:INT64 "
                                             "?a#1:BYTES/STRING"
                                           : "?a#1:BYTES/STRING !s{?x:INT32 ?y:INT32/DATE} "
                                             "?b#2:INT64");
    }
    assert_int_equal(u.schema.leaf_count, 4);
    const struct lith_schema_node *leaf = lith_schema_leaf(&u.schema, 0);
    assert_int_equal(leaf->max_def, 1);
    assert_int_equal(leaf->parent, 1);
    assert_int_equal(leaf->converted_type, LITH_CONVERTED_DATE);
}

static void test_no_memory(void **state)
{
    struct lith_schema a = schema_read("!a:INT32 !s{!x:INT32}");
    struct lith_schema b = schema_read("!a:INT64 !s{!y:INT32} !b:INT32");
    struct lith_schema c = schema_read("!a:BOOLEAN");
    struct lith_union_rules rules = rules_of(0);
    enum lith_code code = LITH_E_NOMEM;
    (void)state;

    for (int64_t allowed = 0; code != LITH_OK; allowed++) {
        struct lith_union_conflict conflict;
        struct lith_union_place *places;
        struct lith_mem small;
        struct lith_arena parts;
        struct lith_union u;
        lith_mem_init(&small, SIZE_MAX, NULL);
        lith_arena_init(&parts, &small);
        parts.block_bytes = 1; /* a block for each allocation */
        atomic_store(&small.fail_after, allowed);
        code = lith_union_begin(&u, &rules, &a, 0, &parts, &err);
        if (code == LITH_OK)
            code = lith_union_add(&u, &c, 1, &parts, &conflict, &err);
        if (code == LITH_OK)
            code = lith_union_add(&u, &b, 1, &parts, &conflict, &err);
        if (code == LITH_OK)
            code = lith_union_places(&u, &a, &parts, &places, &err);
        if (code != LITH_OK)
            assert_int_equal(code, LITH_E_NOMEM);
        lith_arena_done(&parts);
        lith_mem_done(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names),   TEST(test_case),       TEST(test_doubled), TEST(test_ids),
        TEST(test_has_ids), TEST(test_repetition), TEST(test_lacking), TEST(test_types),
        TEST(test_unknown), TEST(test_lists),      TEST(test_maps),    TEST(test_variants),
        TEST(test_root),    TEST(test_origins),    TEST(test_owned),   TEST(test_no_memory),
    };

    return cmocka_run_group_tests_name("schema_union", tests, NULL, NULL);
}
