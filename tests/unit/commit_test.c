/*
 * Commits as functions: what each operation makes of a manifest, and what it refuses.
 */
#include "commit_support.h"

#include "base/limits.h"

#define OUTPUT(n, e) "0198f0c2-7c1e-7000-8000-00000000000" n "_" PID "_e" e ".parquet"

static struct lith_object objects[] = {
    {.name = "a.parquet", .etag = "e", .size = 1},
    {.name = "b.parquet", .etag = "e", .size = 2},
    {.name = "c.parquet", .etag = "e", .size = 3},
    {.name = "notes.txt", .etag = "e", .size = 3},
};
static const struct lith_listing listing = {.objects = objects, .object_count = 4};

/* Adopted: a, b, c; generation 1, epoch 1. */
static struct lith_manifest adopted(void)
{
    struct lith_adopt adopt = {
        .manifest_name = LITH_MANIFEST_NAME, .pid = PID, .listing = &listing};
    struct lith_stamp stamp = stamp_at(100);
    struct lith_manifest m;

    MUST(lith_commit_adopt(NULL, &adopt, &stamp, &arena, &m, &err));
    return m;
}

/* a and b are one output by now; c stays. */
static struct lith_manifest compacted(void)
{
    static struct lith_manifest base;
    struct lith_entry inputs[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_entry outputs[] = {entry(OUTPUT("1", "1"), 9, 11)};
    struct lith_compact compact = {.inputs = inputs,
                                   .input_count = 2,
                                   .outputs = outputs,
                                   .output_count = 1,
                                   .policy_hash = POLICY_HASH};
    struct lith_stamp stamp = stamp_at(200);
    struct lith_manifest m;

    base = adopted();
    MUST(lith_commit_compact(&base, &compact, &stamp, &arena, &m, &err));
    return m;
}

static void an_adoption_names_what_is_there(void **state)
{
    struct lith_manifest m = adopted();
    struct lith_stamp stamp = stamp_at(1);
    struct lith_adopt adopt = {
        .manifest_name = LITH_MANIFEST_NAME, .pid = PID, .listing = &listing};
    struct lith_manifest again;

    (void)state;
    assert_int_equal(m.generation, 1);
    assert_int_equal(m.file_count, 3);
    assert_int_equal(m.log_count, 1);
    assert_int_equal(m.log[0].op, LITH_OP_ADOPT);
    assert_false(m.files[0].has_rows);
    assert_int_equal(lith_commit_adopt(&m, &adopt, &stamp, &arena, &again, &err), LITH_E_INVALID);
}

static void a_foreign_manifest_is_adopted_on_request(void **state)
{
    static const char text[] = "{\"generation\":7,\"files\":[\"b.parquet\"],\"theirs\":1}";
    static const char lost[] = "{\"files\":[\"x.parquet\"]}";
    LITH_AUTO(manifest) struct lith_manifest base = {0};
    LITH_AUTO(manifest) struct lith_manifest broken = {0};
    struct lith_adopt adopt = {.pid = PID, .listing = &listing};
    struct lith_stamp stamp = stamp_at(100);
    struct lith_manifest m;
    LITH_AUTO(buf) struct lith_buf out;

    (void)state;
    lith_buf_init(&out, &mem, SIZE_MAX);
    MUST(lith_manifest_parse(text, sizeof(text) - 1, "_manifest.json", &arena, &base, &err));
    assert_int_equal(lith_commit_lease(&base, &stamp, &arena, &m, &err), LITH_E_INVALID);
    MUST(lith_commit_adopt(&base, &adopt, &stamp, &arena, &m, &err));
    assert_int_equal(m.generation, 8);
    assert_string_equal(m.name, "_manifest.json");
    assert_int_equal(m.file_count, 1);
    assert_int_equal(m.gone_count, 2); /* ignored: not live as long as they are there */
    MUST(lith_manifest_write(&m, &out, &err));
    MUST(lith_buf_append_byte(&out, 0, &err));
    assert_non_null(strstr((const char *)out.data, "\"theirs\": 1"));
    adopt.unlisted_live = true;
    MUST(lith_commit_adopt(&base, &adopt, &stamp, &arena, &m, &err));
    assert_int_equal(m.file_count, 3);
    MUST(lith_manifest_parse(lost, sizeof(lost) - 1, "manifest.json", &arena, &broken, &err));
    assert_int_equal(lith_commit_adopt(&broken, &adopt, &stamp, &arena, &m, &err), LITH_E_INVALID);
}

static void a_compaction_moves_inputs_to_retired(void **state)
{
    struct lith_manifest m = compacted();
    char hash[33];

    (void)state;
    assert_int_equal(m.generation, 2);
    assert_int_equal(m.file_count, 2);
    assert_string_equal(m.files[0].name, OUTPUT("1", "1"));
    assert_int_equal(m.files[0].generation, 2);
    assert_int_equal(m.retired_count, 2);
    assert_int_equal(m.retired[0].generation, 2);
    assert_true(m.retired[0].at_ns == 200);
    assert_string_equal(m.outcome.verdict, "reduced");
    assert_int_equal(m.outcome.files_before, 3);
    assert_int_equal(m.outcome.files_after, 2);
    MUST(lith_live_hash(m.files, m.file_count, &mem, hash, &err));
    assert_string_equal(m.outcome.live_hash, hash);
}

/* Where files do not join, a commit says which are of which set; another outcome forgets it. */
static void a_commit_notes_what_does_not_join(void **state)
{
    static const struct lith_file_set files[] = {{"a.parquet", 1}, {"c.parquet", 2}};
    static const char *const conflicts[] = {"column x"};
    static const char *const refusals[] = {NULL, "no column y"};
    struct lith_manifest base = adopted();
    struct lith_entry inputs[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_entry outputs[] = {entry(OUTPUT("1", "1"), 9, 11)};
    struct lith_compact compact = {.inputs = inputs,
                                   .input_count = 2,
                                   .outputs = outputs,
                                   .output_count = 1,
                                   .policy_hash = POLICY_HASH,
                                   .sets = {files, 2, POLICY_HASH, conflicts, 1, refusals, 2},
                                   .output_set = 1};
    struct lith_stamp stamp = stamp_at(200);
    struct lith_entry late = entry("late.parquet", 7, 1);
    struct lith_fold fold = {.files = &late, .file_count = 1};
    struct lith_manifest m;
    struct lith_manifest next;

    (void)state;
    MUST(lith_commit_compact(&base, &compact, &stamp, &arena, &m, &err));
    assert_int_equal(lith_manifest_live(&m, OUTPUT("1", "1"))->set, 1);
    assert_int_equal(lith_manifest_live(&m, "c.parquet")->set, 2);
    assert_string_equal(m.outcome.sets_hash, POLICY_HASH);
    assert_int_equal(m.outcome.conflict_count, 1);
    assert_string_equal(m.outcome.conflicts[0], "column x");
    assert_int_equal(m.outcome.refusal_count, 2);
    assert_null(m.outcome.refusals[0]);
    assert_string_equal(m.outcome.refusals[1], "no column y");
    /* A late file is of no set until that is said. */
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_int_equal(lith_manifest_live(&next, "late.parquet")->set, 0);
    assert_int_equal(lith_manifest_live(&next, "c.parquet")->set, 2);
    assert_int_equal(next.outcome.conflict_count, 1);
    assert_int_equal(next.outcome.refusal_count, 2);
    static const struct lith_file_set more[] = {{"c.parquet", 2}, {"late.parquet", 2}};
    fold.sets = (struct lith_file_sets){more, 2, POLICY_HASH, conflicts, 1, NULL, 0};
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_int_equal(lith_manifest_live(&next, "late.parquet")->set, 2);
    assert_int_equal(lith_manifest_live(&next, OUTPUT("1", "1"))->set, 0);
    assert_int_equal(next.outcome.refusal_count, 0);
    /* What is left may be of one set that cannot be merged. */
    static const char *const all[] = {"no column z"};
    fold.sets = (struct lith_file_sets){more, 2, POLICY_HASH, NULL, 0, all, 1};
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_int_equal(next.outcome.conflict_count, 0);
    assert_string_equal(next.outcome.refusals[0], "no column z");
    /* The next compaction says nothing of sets: all files join, or not all are known. */
    struct lith_entry input = entry("c.parquet", 3, 4);
    struct lith_entry output = entry(OUTPUT("2", "1"), 3, 4);
    compact = (struct lith_compact){.inputs = &input,
                                    .input_count = 1,
                                    .outputs = &output,
                                    .output_count = 1,
                                    .policy_hash = POLICY_HASH};
    MUST(lith_commit_compact(&m, &compact, &stamp, &arena, &next, &err));
    assert_int_equal(lith_manifest_live(&next, OUTPUT("1", "1"))->set, 0);
    assert_string_equal(next.outcome.sets_hash, "");
    assert_int_equal(next.outcome.conflict_count, 0);
    assert_int_equal(next.outcome.refusal_count, 0);
}

/* One change to a good compaction each. */
static void a_compaction_refuses_what_does_not_add_up(void **state)
{
    static const struct {
        const char *input;
        uint64_t input_size;
        uint64_t input_rows;
        const char *output;
        uint64_t output_rows;
        bool crc;
        enum lith_code code;
    } cases[] = {
        {"c.parquet", 3, 4, OUTPUT("2", "1"), 4, true, LITH_OK},
        {"late.parquet", 3, 4, OUTPUT("2", "1"), 4, true, LITH_OK},
        {"c.parquet", 3, 4, OUTPUT("2", "1"), 5, true, LITH_E_INVALID},
        {"c.parquet", 3, 4, OUTPUT("2", "1"), 4, false, LITH_E_INVALID},
        {"c.parquet", 4, 4, OUTPUT("2", "1"), 4, true, LITH_E_INVALID},
        {"a.parquet", 1, 4, OUTPUT("2", "1"), 4, true, LITH_E_INVALID},      /* retired */
        {OUTPUT("3", "1"), 3, 4, OUTPUT("2", "1"), 4, true, LITH_E_INVALID}, /* an orphan */
        {"c.parquet", 3, 4, OUTPUT("2", "2"), 4, true, LITH_E_INVALID},      /* another epoch */
        {"c.parquet", 3, 4, OUTPUT("1", "1"), 4, true, LITH_E_INVALID},      /* known already */
        {"c.parquet", 3, 4, "plain.parquet", 4, true, LITH_E_INVALID},
        {"../c.parquet", 3, 4, OUTPUT("2", "1"), 4, true, LITH_E_CORRUPT},
    };
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_entry input = entry(cases[i].input, cases[i].input_size, cases[i].input_rows);
        struct lith_entry output = entry(cases[i].output, 3, cases[i].output_rows);
        struct lith_compact compact = {.inputs = &input,
                                       .input_count = 1,
                                       .outputs = &output,
                                       .output_count = 1,
                                       .policy_hash = POLICY_HASH};
        struct lith_manifest m;
        input.has_crc = cases[i].crc;
        enum lith_code code = lith_commit_compact(&base, &compact, &stamp, &arena, &m, &err);
        if (code != cases[i].code && !(code != LITH_OK && cases[i].code == LITH_E_CORRUPT))
            fail_msg("case %zu: %s %s", i, lith_code_name(code), err.text);
    }
}

static void a_fold_names_late_files(void **state)
{
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);
    struct lith_entry late[] = {entry("late.parquet", 7, 1), entry("a.parquet", 5, 2)};
    struct lith_quarantine aside = {.name = "c.parquet", .etag = "e", .reason = "torn"};
    struct lith_fold fold = {
        .files = late, .file_count = 2, .quarantine = &aside, .quarantine_count = 1};
    struct lith_manifest m;
    struct lith_manifest next;

    (void)state;
    late[1].etag = "other"; /* same name as a retired one, other bytes */
    MUST(lith_commit_fold(&base, &fold, &stamp, &arena, &m, &err));
    assert_non_null(lith_manifest_live(&m, "late.parquet"));
    assert_non_null(lith_manifest_live(&m, "a.parquet"));
    assert_null(lith_manifest_retired(&m, "a.parquet"));
    assert_int_equal(m.gone_count, 1);
    assert_int_equal(m.quarantine_count, 1);
    MUST(lith_commit_lease(&m, &stamp, &arena, &next, &err));
    assert_int_equal(next.quarantine_count, 1);
    assert_int_equal(next.epoch, 2);
    fold = (struct lith_fold){.files = late, .file_count = 1};
    assert_int_equal(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err), LITH_E_INVALID);
    late[0] = entry("b.parquet", 2, 6);
    assert_int_equal(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err), LITH_E_INVALID);
    late[0] = entry(OUTPUT("7", "1"), 2, 6);
    assert_int_equal(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err), LITH_E_INVALID);
    /* The same bytes written again: the entry takes the new identity. */
    struct lith_entry again = entry("b.parquet", 2, 6);
    again.etag = "new";
    fold = (struct lith_fold){.refreshed = &again, .refreshed_count = 1};
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_string_equal(lith_manifest_retired(&next, "b.parquet")->etag, "new");
    again.crc32++;
    assert_int_equal(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err), LITH_E_INVALID);
}

#define RULES "0123456789abcdef0123456789abcdef"
#define RULES_OF_LATER "1123456789abcdef0123456789abcdef"

/* Files with rows that do not belong: noted by name, etag and rules; what was written again, is no
 * longer live, or was judged by other rules needs no note. */
static void a_fold_notes_misplaced_files(void **state)
{
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);
    struct lith_entry late[] = {entry("x.parquet", 7, 1), entry("y.parquet", 5, 2),
                                entry("z.parquet", 5, 2)};
    struct lith_misplaced notes[] = {
        {.name = "x.parquet", .etag = "e", .rules = RULES, .reason = "one", .since_ns = 300},
        {.name = "y.parquet", .etag = "of before", .rules = RULES, .reason = "two"},
        {.name = "gone.parquet", .etag = "e", .rules = RULES, .reason = "three"},
    };
    struct lith_fold fold = {
        .files = late, .file_count = 3, .misplaced = notes, .misplaced_count = 3};
    struct lith_manifest m, next;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        late[i].etag = "e";
    MUST(lith_commit_fold(&base, &fold, &stamp, &arena, &m, &err));
    assert_int_equal(m.misplaced_count, 1);
    assert_string_equal(m.misplaced[0].name, "x.parquet");
    assert_true(m.misplaced[0].since_ns == 300);
    notes[0] =
        (struct lith_misplaced){.name = "z.parquet", .etag = "e", .rules = RULES, .reason = "four"};
    fold = (struct lith_fold){.misplaced = notes, .misplaced_count = 1};
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_int_equal(next.misplaced_count, 2);
    notes[0].reason = "five"; /* the same file again: one note */
    MUST(lith_commit_fold(&next, &fold, &stamp, &arena, &m, &err));
    assert_int_equal(m.misplaced_count, 2);
    assert_string_equal(m.misplaced[1].reason, "five");
    notes[0].rules = RULES_OF_LATER; /* what earlier rules said is of no use any more */
    MUST(lith_commit_fold(&m, &fold, &stamp, &arena, &next, &err));
    assert_int_equal(next.misplaced_count, 1);
    assert_string_equal(next.misplaced[0].rules, RULES_OF_LATER);
    MUST(lith_commit_lease(&next, &stamp, &arena, &m, &err));
    assert_int_equal(m.misplaced_count, 1);
    MUST(lith_commit_retire(&m, &late[2], 1, &stamp, &arena, &next, &err));
    assert_int_equal(next.misplaced_count, 0);
}

/* A grace runs from when readers could know: the manifest's own time, if that is later. */
static void carried_entries_take_the_later_time(void **state)
{
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);
    struct lith_manifest m;
    struct lith_manifest next;

    (void)state;
    base.mtime_ns = 250;
    MUST(lith_commit_lease(&base, &stamp, &arena, &m, &err));
    assert_true(m.retired[0].at_ns == 250);
    m.mtime_ns = 400; /* of another generation: no matter */
    MUST(lith_commit_lease(&m, &stamp, &arena, &next, &err));
    assert_true(next.retired[0].at_ns == 250);
}

static void fence_and_clean(void **state)
{
    static const char *const names[] = {"a.parquet", OUTPUT("5", "1")};
    static const char *const live[] = {"c.parquet"};
    static const char *const kept[] = {"b.parquet"};
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);
    struct lith_object half[] = {{.name = "a.parquet.gone.tmp", .etag = "e", .size = 1}};
    struct lith_listing shown = {.objects = half, .object_count = 1};
    struct lith_listing nothing = {0};
    struct lith_clean clean = {
        .listing = &shown, .kept = kept, .kept_count = 1, .replay_window_ns = 1000};
    struct lith_manifest m;
    struct lith_manifest next;
    bool changed = false;

    (void)state;
    assert_int_equal(lith_commit_fence(&base, live, 1, &stamp, &arena, &m, &err), LITH_E_INVALID);
    MUST(lith_commit_fence(&base, names, 2, &stamp, &arena, &m, &err));
    assert_int_equal(m.epoch, 2);
    assert_int_equal(m.condemned_count, 2);
    /* A delete that was cut off still shows; b is kept for an orphan. */
    MUST(lith_commit_clean(&m, &clean, &stamp, &arena, &changed, &next, &err));
    assert_true(changed);
    assert_int_equal(next.retired_count, 2);
    assert_int_equal(next.condemned_count, 1);
    clean.listing = &nothing;
    MUST(lith_commit_clean(&next, &clean, &stamp, &arena, &changed, &m, &err));
    assert_int_equal(m.retired_count, 1);
    assert_int_equal(m.gone_count, 1);
    assert_int_equal(m.condemned_count, 0);
    MUST(lith_commit_clean(&m, &clean, &stamp, &arena, &changed, &next, &err));
    assert_false(changed);
    /* Forgotten after the window, but not while such a file is there. */
    stamp = stamp_at(1400);
    shown = (struct lith_listing){.objects = objects, .object_count = 4};
    clean.listing = &shown;
    MUST(lith_commit_clean(&m, &clean, &stamp, &arena, &changed, &next, &err));
    assert_int_equal(next.gone_count, 1);
    /* Nor while an orphan may hold its rows. */
    static const char *const also[] = {"a.parquet", "b.parquet"};
    clean = (struct lith_clean){
        .listing = &nothing, .kept = also, .kept_count = 2, .replay_window_ns = 1000};
    MUST(lith_commit_clean(&m, &clean, &stamp, &arena, &changed, &next, &err));
    assert_int_equal(next.gone_count, 1);
    clean.kept = kept;
    clean.kept_count = 1;
    MUST(lith_commit_clean(&m, &clean, &stamp, &arena, &changed, &next, &err));
    assert_int_equal(next.gone_count, 0);
}

static void a_rollback_undoes_the_last_compaction(void **state)
{
    static const char *const condemned[] = {"a.parquet"};
    static const struct lith_entry one[] = {
        {.name = "c.parquet", .crc32 = 0xc0ffee, .has_crc = true}};
    struct lith_manifest base = compacted();
    struct lith_stamp stamp = stamp_at(300);
    struct lith_listing less = {.objects = objects + 1, .object_count = 3};
    struct lith_manifest m;
    struct lith_manifest next;

    (void)state;
    MUST(lith_commit_rollback(&base, &listing, &stamp, &arena, &m, &err));
    assert_int_equal(m.file_count, 3);
    assert_int_equal(m.retired_count, 1);
    assert_string_equal(m.retired[0].name, OUTPUT("1", "1"));
    assert_string_equal(m.outcome.verdict, "rolled_back");
    assert_int_equal(lith_commit_rollback(&m, &listing, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_commit_rollback(&base, &less, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    MUST(lith_commit_fence(&base, condemned, 1, &stamp, &arena, &m, &err));
    assert_int_equal(lith_commit_rollback(&m, &listing, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    MUST(lith_commit_retire(&base, one, 1, &stamp, &arena, &m, &err));
    assert_int_equal(m.file_count, 1);
    assert_int_equal(m.retired_count, 3);
    assert_true(lith_manifest_retired(&m, "c.parquet")->has_crc);
    assert_int_equal(lith_manifest_retired(&m, "c.parquet")->crc32, 0xc0ffee);
    assert_int_equal(lith_commit_rollback(&m, &listing, &stamp, &arena, &next, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_commit_retire(&m, one, 1, &stamp, &arena, &next, &err), LITH_E_INVALID);
}

/* 64 commits stay; older ones leave once their event exists. */
static void the_log_keeps_what_has_no_event(void **state)
{
    static struct lith_manifest m[2];
    int now = 0;

    (void)state;
    m[0] = adopted();
    for (unsigned i = 0; i < 100; i++) {
        struct lith_stamp stamp = stamp_at(i);
        if (i >= 10)
            lith_manifest_mark_event(&m[now], m[now].log[0].commit_id);
        MUST(lith_commit_lease(&m[now], &stamp, &arena, &m[!now], &err));
        now = !now;
    }
    assert_int_equal(m[now].generation, 101);
    assert_int_equal(m[now].log_count, LITH_LOG_COUNT_MIN);
    for (unsigned i = 0; i < 100; i++) {
        struct lith_stamp stamp = stamp_at(i);
        MUST(lith_commit_lease(&m[now], &stamp, &arena, &m[!now], &err));
        now = !now;
    }
    assert_int_equal(m[now].log_count, LITH_LOG_COUNT_MIN + 100 - (m[now].log[0].event ? 1 : 0));
}

/* What waits for its event stays, however much it is; what waits for none leaves. */
static void the_log_loses_no_event(void **state)
{
    static struct lith_manifest m[2];
    int now = 0;

    (void)state;
    m[0] = adopted();
    for (unsigned i = 0; i < LITH_LOG_COUNT_MAX + 10; i++) {
        struct lith_stamp stamp = stamp_at(i);
        MUST(lith_commit_lease(&m[now], &stamp, &arena, &m[!now], &err));
        now = !now;
        assert_string_equal(m[now].log[m[now].log_count - 1].commit_id, m[now].commit_id);
    }
    assert_int_equal(m[now].log_count, LITH_LOG_COUNT_MAX + 11);
    for (size_t i = 0; i < LITH_LOG_COUNT_MAX + 11; i++)
        lith_manifest_mark_event(&m[now], m[now].log[i].commit_id);
    lith_manifest_log_trim(&m[now]);
    assert_int_equal(m[now].log_count, LITH_LOG_COUNT_MIN);
    for (unsigned i = 0; i < 2 * LITH_LOG_COUNT_MIN; i++) {
        struct lith_stamp stamp = stamp_at(i);
        stamp.no_event = true;
        MUST(lith_commit_lease(&m[now], &stamp, &arena, &m[!now], &err));
        now = !now;
    }
    assert_int_equal(m[now].log_count, LITH_LOG_COUNT_MIN);
}

static void a_loser_is_judged(void **state)
{
    static struct lith_object there[] = {
        {.name = OUTPUT("2", "1"), .etag = "e", .size = 9},
        {.name = "c.parquet", .etag = "e", .size = 3},
        {.name = "late.parquet", .etag = "e", .size = 4},
    };
    struct lith_view view = {.listing = {.objects = there, .object_count = 3},
                             .blob = {.etag = ""},
                             .manifest = compacted()};
    struct lith_entry inputs[] = {entry("c.parquet", 3, 1), entry("late.parquet", 4, 1)};
    struct lith_entry outputs[] = {entry(OUTPUT("2", "1"), 9, 2)};
    struct lith_attempt attempt = {.commit_id = "none",
                                   .epoch = 1,
                                   .inputs = inputs,
                                   .input_count = 2,
                                   .outputs = outputs,
                                   .output_count = 1};
    const char *why = NULL;

    (void)state;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_AGAIN);
    attempt.epoch = 2;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
    attempt.epoch = 1;
    attempt.commit_id = view.manifest.log[1].commit_id;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DONE);
    attempt.commit_id = "none";
    inputs[0].size++;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
    inputs[0] = entry("a.parquet", 1, 5); /* retired meanwhile */
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
    inputs[0] = entry("c.parquet", 3, 1);
    view.listing.object_count = 2; /* the late file vanished */
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
    view.listing.object_count = 3;
    const char *condemned[] = {OUTPUT("2", "1")};
    view.manifest.condemned = condemned;
    view.manifest.condemned_count = 1;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
    view.manifest.condemned_count = 0;
    outputs[0] = entry(OUTPUT("1", "1"), 9, 2); /* named by the manifest */
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DONE);
    view.blob.etag = NULL;
    assert_int_equal(lith_commit_judge(&view, &attempt, &why), LITH_RETRY_DROP);
}

/* A chain of commits with each allocation failing once: an error, and nothing leaks. */
static enum lith_code chain(struct lith_mem *budget)
{
    static const char *const names[] = {"a.parquet"};
    struct lith_adopt adopt = {
        .manifest_name = LITH_MANIFEST_NAME, .pid = PID, .listing = &listing};
    struct lith_entry inputs[] = {entry("a.parquet", 1, 5), entry("b.parquet", 2, 6)};
    struct lith_entry outputs[] = {entry(OUTPUT("1", "1"), 9, 11)};
    struct lith_compact compact = {.inputs = inputs,
                                   .input_count = 2,
                                   .outputs = outputs,
                                   .output_count = 1,
                                   .policy_hash = POLICY_HASH};
    struct lith_clean clean = {.listing = &listing};
    struct lith_stamp stamp = stamp_at(1);
    struct lith_manifest m[4];
    struct lith_snapshot snapshot;
    LITH_AUTO(arena) struct lith_arena phase;
    LITH_AUTO(buf) struct lith_buf text;
    bool changed = false;

    lith_arena_init(&phase, budget);
    lith_buf_init(&text, budget, SIZE_MAX);
    LITH_TRY(lith_commit_adopt(NULL, &adopt, &stamp, &phase, &m[0], &err));
    LITH_TRY(lith_commit_compact(&m[0], &compact, &stamp, &phase, &m[1], &err));
    LITH_TRY(lith_commit_fence(&m[1], names, 1, &stamp, &phase, &m[2], &err));
    LITH_TRY(lith_commit_clean(&m[2], &clean, &stamp, &phase, &changed, &m[3], &err));
    LITH_TRY(lith_snapshot_resolve(&listing, &m[3], LITH_SNAPSHOT_OPEN, &phase, &snapshot, &err));
    return lith_manifest_write(&m[3], &text, &err);
}

static void no_memory_is_reported(void **state)
{
    struct lith_mem budget;
    int64_t n = 0;

    (void)state;
    lith_mem_init(&budget, SIZE_MAX, NULL);
    for (;; n++) {
        atomic_store(&budget.fail_after, n);
        enum lith_code code = chain(&budget);
        atomic_store(&budget.fail_after, -1);
        if (code == LITH_OK)
            break;
        assert_int_equal(code, LITH_E_NOMEM);
    }
    assert_true(n > 5);
    lith_mem_done(&budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_adoption_names_what_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(a_foreign_manifest_is_adopted_on_request, setup, teardown),
        cmocka_unit_test_setup_teardown(a_compaction_moves_inputs_to_retired, setup, teardown),
        cmocka_unit_test_setup_teardown(a_compaction_refuses_what_does_not_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(a_commit_notes_what_does_not_join, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fold_names_late_files, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fold_notes_misplaced_files, setup, teardown),
        cmocka_unit_test_setup_teardown(carried_entries_take_the_later_time, setup, teardown),
        cmocka_unit_test_setup_teardown(fence_and_clean, setup, teardown),
        cmocka_unit_test_setup_teardown(a_rollback_undoes_the_last_compaction, setup, teardown),
        cmocka_unit_test_setup_teardown(the_log_keeps_what_has_no_event, setup, teardown),
        cmocka_unit_test_setup_teardown(the_log_loses_no_event, setup, teardown),
        cmocka_unit_test_setup_teardown(a_loser_is_judged, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_reported, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
