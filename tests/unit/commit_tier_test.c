/*
 * Commits of a roll-up as functions: hand, rollup, moved, unhand; what each makes, what each
 * refuses, and that a manifest keeps it through text.
 */
#include "commit_support.h"

#include "base/limits.h"

#define OUTPUT(e) "0198f0c2-7c1e-7000-8000-000000000001_" PID "_e" e ".parquet"
#define ID "00112233445566778899aabbccddeeff"

static struct lith_object objects[] = {
    {.name = "a.parquet", .etag = "e", .size = 1},
    {.name = "b.parquet", .etag = "e", .size = 2},
    {.name = "c.parquet", .etag = "e", .size = 3},
};
static const struct lith_listing listing = {.objects = objects, .object_count = 3};

static struct lith_manifest adopted(void)
{
    struct lith_adopt adopt = {
        .manifest_name = LITH_MANIFEST_NAME, .pid = PID, .listing = &listing};
    struct lith_stamp stamp = stamp_at(100);
    struct lith_manifest m;

    MUST(lith_commit_adopt(NULL, &adopt, &stamp, &arena, &m, &err));
    return m;
}

static enum lith_code hand(const struct lith_manifest *base, struct lith_entry *inputs,
                           size_t count, struct lith_manifest *ret_next)
{
    struct lith_hand hand = {
        .parent = "day=01", .commit_id = ID, .inputs = inputs, .input_count = count};
    struct lith_stamp stamp = stamp_at(200);

    return lith_commit_hand(base, &hand, &stamp, &arena, ret_next, &err);
}

/* a and b are handed; c is not. */
static struct lith_manifest handed(struct lith_manifest *base)
{
    struct lith_entry inputs[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_manifest m;

    *base = adopted();
    MUST(hand(base, inputs, 2, &m));
    return m;
}

/* As another program reads it. */
static struct lith_manifest reread(const struct lith_manifest *m)
{
    LITH_AUTO(buf) struct lith_buf text;
    struct lith_manifest again;

    lith_buf_init(&text, &mem, SIZE_MAX);
    MUST(lith_manifest_write(m, &text, &err));
    MUST(lith_manifest_parse(text.data, text.bytes, "manifest.json", &arena, &again, &err));
    assert_null(again.owned); /* all fields are known */
    return again;
}

static void what_is_handed_stays_live(void **state)
{
    struct lith_manifest base, m = handed(&base);
    struct lith_manifest again = reread(&m);

    (void)state;
    assert_int_equal(again.file_count, 3);
    assert_int_equal(again.retired_count, 0);
    assert_true(again.has_handed);
    assert_string_equal(again.handed.parent, "day=01");
    assert_string_equal(again.handed.commit_id, ID);
    assert_int_equal(again.handed.file_count, 2);
    assert_int_equal(again.handed.files[1].rows, 6);
    assert_int_equal(again.handed.files[1].crc32, 2);
    assert_true(lith_manifest_is_handed(&again, "b.parquet"));
    assert_false(lith_manifest_is_handed(&again, "c.parquet"));
    assert_false(again.files[0].has_crc); /* its writer may still write it again, should it stay */
    assert_int_equal(again.log[again.log_count - 1].op, LITH_OP_HAND);
}

static void what_cannot_be_handed(void **state)
{
    struct lith_entry cases[] = {
        entry("x.parquet", 1, 5), /* not there */
        entry("a.parquet", 9, 5), /* another size */
        entry("a.parquet", 1, 5), /* another etag */
        entry("a.parquet", 1, 5), /* not read to its end */
    };
    struct lith_entry twice[] = {entry("a.parquet", 1, 5), entry("a.parquet", 1, 5)};
    struct lith_manifest base = adopted(), m, first = handed(&m);

    (void)state;
    cases[2].etag = "f";
    cases[3].has_crc = false;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(hand(&base, &cases[i], 1, &m), LITH_E_INVALID);
    assert_int_equal(hand(&base, twice, 2, &m), LITH_E_INVALID);
    assert_int_equal(hand(&first, twice, 1, &m), LITH_E_INVALID); /* once at a time */
}

static void nothing_else_moves_it(void **state)
{
    struct lith_manifest base, next, m = handed(&base);
    struct lith_entry input = entry("a.parquet", 1, 5);
    struct lith_entry output = entry(OUTPUT("1"), 9, 5);
    struct lith_compact compact = {.inputs = &input,
                                   .input_count = 1,
                                   .outputs = &output,
                                   .output_count = 1,
                                   .policy_hash = POLICY_HASH};
    struct lith_fold fold = {.renewed = &input, .renewed_count = 1};
    struct lith_stamp stamp = stamp_at(300);
    const char *name = "a.parquet";

    (void)state;
    assert_int_equal(lith_commit_compact(&m, &compact, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_non_null(strstr(err.text, "day=01"));
    assert_int_equal(lith_commit_retire(&m, &input, 1, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err), LITH_E_INVALID);
    assert_int_equal(lith_commit_fence(&m, &name, 1, &stamp, &arena, &next, &err), LITH_E_INVALID);
    input = entry("c.parquet", 3, 5); /* the others go on */
    MUST(lith_commit_compact(&m, &compact, &stamp, &arena, &next, &err));
    assert_true(next.has_handed);
}

static void moved_and_unhanded(void **state)
{
    struct lith_manifest base, gone, back, m = handed(&base);
    struct lith_stamp stamp = stamp_at(300);

    (void)state;
    assert_int_equal(lith_commit_moved(&m, POLICY_HASH, &stamp, &arena, &gone, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_commit_unhand(&base, ID, &stamp, &arena, &gone, &err), LITH_E_INVALID);
    MUST(lith_commit_moved(&m, ID, &stamp, &arena, &gone, &err));
    gone = reread(&gone);
    assert_false(gone.has_handed);
    assert_int_equal(gone.file_count, 1);
    assert_int_equal(gone.retired_count, 2);
    assert_true(gone.retired[0].has_crc && gone.retired[0].rows == 5);
    assert_int_equal(gone.retired[0].at_ns, 300);
    MUST(lith_commit_unhand(&m, ID, &stamp, &arena, &back, &err));
    back = reread(&back);
    assert_false(back.has_handed);
    assert_int_equal(back.file_count, 3);
    assert_int_equal(back.retired_count, 0);
}

static void a_rollup_is_remembered(void **state)
{
    struct lith_manifest base = adopted(), m;
    struct lith_entry output = entry(OUTPUT("1"), 9, 11);
    struct lith_rollup rollup = {.outputs = &output, .output_count = 1, .rows = 11};
    struct lith_stamp stamp = stamp_at(200);

    (void)state;
    rollup.rows = 12;
    assert_int_equal(lith_commit_rollup(&base, &rollup, &stamp, &arena, &m, &err), LITH_E_INVALID);
    rollup.rows = 11;
    output.name = OUTPUT("2"); /* of another epoch */
    assert_int_equal(lith_commit_rollup(&base, &rollup, &stamp, &arena, &m, &err), LITH_E_INVALID);
    output.name = OUTPUT("1");
    MUST(lith_commit_rollup(&base, &rollup, &stamp, &arena, &m, &err));
    assert_int_equal(m.file_count, 4);
    assert_true(lith_manifest_has_taken(&m, stamp.commit_id));
    /* Longer than the log remembers. */
    for (unsigned i = 0; i < LITH_LOG_COUNT_MIN + 2; i++) {
        struct lith_stamp later = stamp_at(300 + (int64_t)i);
        later.no_event = true;
        for (size_t j = 0; j < m.log_count; j++)
            lith_manifest_mark_event(&m, m.log[j].commit_id);
        base = reread(&m);
        MUST(lith_commit_lease(&base, &later, &arena, &m, &err));
    }
    assert_false(lith_manifest_has_commit(&m, stamp.commit_id));
    assert_true(lith_manifest_has_taken(&m, stamp.commit_id));
}

static void a_rollback_stops_at_a_rollup(void **state)
{
    struct lith_manifest base, m = handed(&base);
    struct lith_stamp stamp = stamp_at(400);
    struct lith_manifest next, gone;

    (void)state;
    assert_int_equal(lith_commit_rollback(&m, &listing, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    MUST(lith_commit_moved(&m, ID, &stamp, &arena, &gone, &err));
    assert_int_equal(lith_commit_rollback(&gone, &listing, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_non_null(strstr(err.text, "moved"));
}

static void what_a_manifest_cannot_say(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        const char *why;
    } cases[] = {
        {"\"parent\": \"day=01\"", "\"parent\": 1", "a text expected"},
        {"\"commit_id\": \"" ID "\"", "\"commit_id\": \"x\"", "hex digits expected"},
        {"{\"name\":\"a.parquet\",\"size\":1,\"rows\":5",
         "{\"name\":\"z.parquet\",\"size\":1,\"rows\":5", "is in handed and not in files"},
        {"{\"name\":\"a.parquet\",\"size\":1,\"rows\":5",
         "{\"name\":\"../a\",\"size\":1,\"rows\":5", "not the bare name"},
    };
    struct lith_manifest base, m = handed(&base);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        LITH_AUTO(buf) struct lith_buf text;
        LITH_AUTO(buf) struct lith_buf other;
        struct lith_manifest again;
        lith_buf_init(&text, &mem, SIZE_MAX);
        lith_buf_init(&other, &mem, SIZE_MAX);
        MUST(lith_manifest_write(&m, &text, &err));
        MUST(lith_buf_append_byte(&text, 0, &err));
        const char *at = strstr((const char *)text.data, cases[i].from);
        assert_non_null(at);
        MUST(lith_buf_append(&other, text.data, (size_t)(at - (const char *)text.data), &err));
        MUST(lith_buf_append(&other, cases[i].to, strlen(cases[i].to), &err));
        at += strlen(cases[i].from);
        MUST(lith_buf_append(&other, at, strlen(at), &err));
        assert_int_equal(
            lith_manifest_parse(other.data, other.bytes, "manifest.json", &arena, &again, &err),
            LITH_E_CORRUPT);
        assert_non_null(strstr(err.text, cases[i].why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_handed_stays_live, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_handed, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_else_moves_it, setup, teardown),
        cmocka_unit_test_setup_teardown(moved_and_unhanded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rollup_is_remembered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rollback_stops_at_a_rollup, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_manifest_cannot_say, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
