/*
 * The planner: tables of partitions and what becomes of them; convergence, late files, rewrite
 * amplification over simulated time.
 */
#include "arena_support.h"

#include "base/time.h"
#include "plan/plan.h"

#define PID "5f21c0de"
#define HOUR_NS (3600 * LITH_SECOND_NS)
#define DAY_NS (24 * HOUR_NS)
#define POLICY_HASH "0123456789abcdef0123456789abcdef"
#define SETS_HASH "1123456789abcdef0123456789abcdef"
#define RULES_HASH "2123456789abcdef0123456789abcdef"
#define FILES_MAX 4096

/* A partition in memory: files, and the outcome of the last job. */
static struct {
    struct lith_object objects[FILES_MAX];
    char names[FILES_MAX][80];
    size_t count;
    struct lith_manifest manifest;
    struct lith_log_entry log;
    bool has_manifest;
} part;

static struct lith_policy policy;
static struct lith_path_keys keys;
static struct lith_uuid_source uuids;
static struct lith_object sorted[FILES_MAX];
static struct lith_entry entries[FILES_MAX];
static struct lith_listing listing;
static struct lith_snapshot snapshot;

static void part_clear(void)
{
    memset(&part, 0, sizeof(part));
    memset(&keys, 0, sizeof(keys));
    policy = lith_policy_default();
    policy.target_file_bytes = 1000;
    uuids = (struct lith_uuid_source){.env = lith_env_system()};
    part.manifest = (struct lith_manifest){.name = "manifest.json", .pid = PID};
}

static void add(const char *name, uint64_t size, int64_t mtime_ns)
{
    size_t at = part.count++;

    assert_true(at < FILES_MAX);
    (void)snprintf(part.names[at], sizeof(part.names[at]), "%s", name);
    part.objects[at] = (struct lith_object){.size = size, .mtime_ns = mtime_ns, .etag = "e"};
}

static void add_many(size_t count, uint64_t size, int64_t mtime_ns)
{
    static unsigned number;
    char name[80];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof(name), "w%08u.parquet", number++);
        add(name, size, mtime_ns);
    }
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(((const struct lith_object *)a)->name, ((const struct lith_object *)b)->name);
}

static struct lith_plan_request request_at(int64_t now_ns)
{
    return (struct lith_plan_request){.snapshot = &snapshot,
                                      .keys = &keys,
                                      .policy = &policy,
                                      .policy_hash = POLICY_HASH,
                                      .sets_hash = SETS_HASH,
                                      .rules_hash = RULES_HASH,
                                      .now_ns = now_ns};
}

/* Under the open rule, with all files late unless they are outputs. */
static struct lith_plan plan_at(int64_t now_ns)
{
    struct lith_plan_request request = request_at(now_ns);
    struct lith_plan plan;
    size_t merged = 0;

    part.manifest.file_count = 0;
    part.manifest.files = entries;
    for (size_t i = 0; i < part.count; i++) {
        part.objects[i].name = part.names[i];
        sorted[i] = part.objects[i];
        if (lith_output_name_is_of(part.names[i], PID))
            entries[part.manifest.file_count++] = (struct lith_entry){
                .name = part.names[i], .size = part.objects[i].size, .etag = "e"};
    }
    qsort(sorted, part.count, sizeof(*sorted), compare_objects);
    listing = (struct lith_listing){.objects = sorted, .object_count = part.count};
    MUST(lith_snapshot_resolve(&listing, part.has_manifest ? &part.manifest : NULL,
                               LITH_SNAPSHOT_OPEN, &arena, &snapshot, &err));
    MUST(lith_plan_partition(&request, &arena, &plan, &err));
    assert_int_equal(plan.file_count, snapshot.file_count);
    for (size_t i = 0; i < plan.file_count; i++)
        merged += plan.files[i].reason == LITH_WHY_MERGE;
    assert_int_equal(merged, plan.input_count);
    for (size_t i = 1; i < plan.input_count; i++)
        assert_true(strcmp(plan.inputs[i - 1]->name, plan.inputs[i]->name) < 0);
    return plan;
}

static bool is_input(const struct lith_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->input_count; i++) {
        if (strcmp(plan->inputs[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* Carries the plan out: inputs go, outputs of even size come, the outcome is written. */
static void carry_out(const struct lith_plan *plan, int64_t now_ns)
{
    struct lith_outcome *outcome = &part.manifest.outcome;
    size_t kept = 0;

    for (size_t i = 0; i < part.count; i++) {
        if (is_input(plan, part.names[i]))
            continue;
        memmove(part.names[kept], part.names[i], sizeof(part.names[i]));
        part.objects[kept++] = part.objects[i];
    }
    part.count = kept;
    for (uint64_t i = 0; i < plan->output_count; i++) {
        char name[LITH_OUTPUT_NAME_BYTES];
        lith_output_name_make(&uuids, PID, 1, name);
        add(name, plan->input_bytes / plan->output_count, now_ns);
    }
    for (size_t i = 0; i < part.count; i++)
        entries[i] = (struct lith_entry){.name = part.names[i], .size = part.objects[i].size};
    MUST(lith_live_hash(entries, part.count, &mem, outcome->live_hash, &err));
    memcpy(outcome->policy_hash, POLICY_HASH, sizeof(outcome->policy_hash));
    outcome->writer = LITH_WRITER_VERSION;
    outcome->verdict = plan->output_count < plan->input_count ? "reduced" : "unchanged";
    outcome->settled = plan->settled;
    part.manifest.has_outcome = true;
    part.log = (struct lith_log_entry){.op = LITH_OP_COMPACT, .at_ns = now_ns, .commit_id = ""};
    part.manifest.log = &part.log;
    part.manifest.log_count = 1;
    part.has_manifest = true;
}

/* Sizes of quiet files, and how many go in and come out. */
static void ladders(void **state)
{
    static const struct {
        uint64_t sizes[12]; /* 0 ends */
        bool settled;
        enum lith_part_reason reason;
        size_t inputs;
        uint64_t outputs;
    } cases[] = {
        {{0}, true, LITH_PART_NOTHING, 0, 0},
        {{10}, true, LITH_PART_NOTHING, 0, 0},
        {{10, 10}, true, LITH_PART_DUE, 2, 1},
        {{10, 10}, false, LITH_PART_TOO_FEW, 0, 0},
        {{10, 10, 10}, false, LITH_PART_TOO_FEW, 0, 0},
        {{10, 10, 10, 10}, false, LITH_PART_DUE, 4, 1},
        {{10, 11}, false, LITH_PART_NO_GAIN, 0, 0},
        {{10, 11}, true, LITH_PART_DUE, 2, 1}, /* a quarter is enough */
        {{10, 40}, true, LITH_PART_DUE, 2, 1},
        {{10, 44}, true, LITH_PART_NO_GAIN, 0, 0},
        {{10, 10, 10, 10, 40}, false, LITH_PART_DUE, 5, 1},
        {{10, 10, 10, 10, 41}, false, LITH_PART_DUE, 4, 1},
        {{1, 100, 100, 100, 100}, false, LITH_PART_DUE, 5, 1}, /* a tiny one is no obstacle */
        {{1, 100, 100}, false, LITH_PART_TOO_FEW, 0, 0},
        {{10, 10, 10, 10, 1000}, false, LITH_PART_DUE, 4, 1}, /* target_file: never */
        {{1000, 1000, 1000, 1000}, true, LITH_PART_NOTHING, 0, 0},
        {{10, 10, 10, 999}, true, LITH_PART_DUE, 3, 1},
        {{700, 700}, true, LITH_PART_DUE, 2, 1}, /* 1400: one output, final */
        {{750, 750}, true, LITH_PART_NO_GAIN, 0, 0},
        {{900, 900, 900}, true, LITH_PART_NO_GAIN, 0, 0},
        {{600, 600, 600}, true, LITH_PART_DUE, 2, 1},      /* three would give two of 900 */
        {{600, 600, 600, 600}, true, LITH_PART_DUE, 4, 2}, /* 1200 each: final */
        {{290, 290, 290, 290}, true, LITH_PART_DUE, 4, 1},
        {{300, 300, 300, 300, 300, 300}, true, LITH_PART_DUE, 6, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        part_clear();
        for (size_t j = 0; cases[i].sizes[j]; j++)
            add_many(1, cases[i].sizes[j], 0);
        struct lith_plan plan = plan_at(cases[i].settled ? 6 * HOUR_NS : HOUR_NS);
        if (plan.reason != cases[i].reason || plan.input_count != cases[i].inputs)
            fail_msg("case %zu: %s, %zu inputs", i, lith_part_reason_text(plan.reason),
                     plan.input_count);
        assert_int_equal(plan.output_count, cases[i].outputs);
        assert_int_equal(plan.gain, cases[i].inputs - cases[i].outputs);
    }
}

static void forty_small_files_make_one_job(void **state)
{
    (void)state;
    part_clear();
    add_many(40, 5, 0);
    keys = (struct lith_path_keys){.has_period = true, .begin_ns = 0, .end_ns = HOUR_NS};
    struct lith_plan plan = plan_at(HOUR_NS);
    assert_int_equal(plan.reason, LITH_PART_NOT_SEALED);
    assert_true(plan.due_ns == HOUR_NS + policy.grace_ns);
    assert_int_equal(plan.files[0].reason, LITH_WHY_LEFT_ALONE);
    plan = plan_at(plan.due_ns - 1);
    assert_int_equal(plan.reason, LITH_PART_NOT_SEALED);
    plan = plan_at(plan.due_ns);
    assert_int_equal(plan.reason, LITH_PART_DUE);
    assert_int_equal(plan.input_count, 40);
    assert_int_equal(plan.output_count, 1);
    carry_out(&plan, 2 * HOUR_NS);
    assert_int_equal(plan_at(3 * HOUR_NS).reason, LITH_PART_CONVERGED);
    assert_int_equal(plan_at(900 * HOUR_NS).reason, LITH_PART_CONVERGED);
}

static void too_few_wait_for_settle(void **state)
{
    (void)state;
    part_clear();
    add_many(3, 5, 0);
    struct lith_plan plan = plan_at(HOUR_NS);
    assert_int_equal(plan.reason, LITH_PART_TOO_FEW);
    assert_true(plan.due_ns == policy.settle_ns);
    assert_int_equal(plan_at(plan.due_ns - 1).reason, LITH_PART_TOO_FEW);
    plan = plan_at(plan.due_ns);
    assert_int_equal(plan.reason, LITH_PART_DUE);
    assert_true(plan.settled);
}

static void a_late_file_joins_after_settle(void **state)
{
    (void)state;
    part_clear();
    add_many(40, 5, 0);
    struct lith_plan plan = plan_at(HOUR_NS);
    carry_out(&plan, HOUR_NS);
    add_many(1, 60, 2 * HOUR_NS);
    assert_int_equal(plan_at(2 * HOUR_NS).reason, LITH_PART_NOT_SEALED);
    assert_int_equal(plan_at(3 * HOUR_NS).reason, LITH_PART_NO_GAIN);
    plan = plan_at(8 * HOUR_NS);
    assert_int_equal(plan.reason, LITH_PART_DUE); /* 60 is more than a quarter of 200 */
    assert_int_equal(plan.input_count, 2);
    carry_out(&plan, 8 * HOUR_NS);
    assert_int_equal(plan_at(900 * HOUR_NS).reason, LITH_PART_CONVERGED);
}

/* What changes the outcome's key has a partition looked at again. */
static void an_outcome_stops_a_repeat(void **state)
{
    (void)state;
    part_clear();
    add_many(4, 100, 0);
    struct lith_plan plan = plan_at(18 * HOUR_NS);
    plan.output_count = plan.input_count; /* it came to nothing: as many files as before */
    carry_out(&plan, 18 * HOUR_NS);
    assert_int_equal(plan_at(19 * HOUR_NS).reason, LITH_PART_CONVERGED);
    assert_int_equal(plan_at(900 * HOUR_NS).reason, LITH_PART_CONVERGED);
    part.manifest.outcome.writer++;
    assert_int_equal(plan_at(19 * HOUR_NS).reason, LITH_PART_DUE);
    part.manifest.outcome.writer--;
    part.manifest.outcome.policy_hash[0] ^= 1;
    assert_int_equal(plan_at(19 * HOUR_NS).reason, LITH_PART_DUE);
    part.manifest.outcome.policy_hash[0] ^= 1;
    part.manifest.outcome.verdict = "rolled_back";
    assert_int_equal(plan_at(19 * HOUR_NS).reason, LITH_PART_ROLLED_BACK);
    add_many(1, 100, 0);
    assert_int_equal(plan_at(30 * HOUR_NS).reason, LITH_PART_DUE);
}

static void max_inputs_takes_the_smallest(void **state)
{
    size_t waiting = 0;
    int64_t hour = 1;

    (void)state;
    part_clear();
    policy.max_inputs = 100;
    policy.target_file_bytes = 1000000;
    add_many(1000, 5, 0);
    add_many(1, 400, 0);
    struct lith_plan plan = plan_at(HOUR_NS);
    assert_int_equal(plan.input_count, 100);
    for (size_t i = 0; i < plan.file_count; i++)
        waiting += plan.files[i].reason == LITH_WHY_MAX_INPUTS;
    assert_int_equal(waiting, 901);
    for (; plan.reason == LITH_PART_DUE; hour++) {
        assert_true(plan.input_count <= 100);
        carry_out(&plan, hour * HOUR_NS);
        plan = plan_at(hour * HOUR_NS + HOUR_NS / 2);
        assert_true(hour < 40);
    }
    assert_true(part.count <= 3);
}

static void files_stay_out_with_their_reason(void **state)
{
    struct lith_file_facts facts[] = {
        {.name = "a.parquet", .blocked = "encrypted"}, {.name = "c.parquet", .schema_set = 1},
        {.name = "d.parquet", .schema_set = 2},        {.name = "e.parquet", .schema_set = 2},
        {.name = "f.parquet", .schema_set = 2},
    };
    static const struct {
        const char *name;
        enum lith_file_reason reason;
    } expected[] = {
        {"a.parquet", LITH_WHY_BLOCKED}, {"b.parquet", LITH_WHY_MERGE},
        {"c.parquet", LITH_WHY_SCHEMA},  {"d.parquet", LITH_WHY_MERGE},
        {"e.parquet", LITH_WHY_MERGE},   {"f.parquet", LITH_WHY_MERGE},
        {"g.parquet", LITH_WHY_LARGE},   {"h.parquet", LITH_WHY_LINK},
        {"i.txt", LITH_WHY_NOT_LIVE},
    };
    struct lith_plan plan;

    (void)state;
    part_clear();
    for (size_t i = 0; i < 9; i++)
        add(expected[i].name, i == 6 ? 5000 : 10, 0);
    part.objects[7].is_link = true;
    (void)plan_at(HOUR_NS);
    struct lith_plan_request request = request_at(HOUR_NS);
    request.facts = facts;
    request.fact_count = 5;
    MUST(lith_plan_partition(&request, &arena, &plan, &err));
    for (size_t i = 0; i < 9; i++) {
        if (plan.files[i].reason != expected[i].reason)
            fail_msg("%s %s", expected[i].name, lith_file_reason_text(plan.files[i].reason));
    }
    assert_string_equal(plan.files[0].detail, "encrypted");
    request.table_format = "_delta_log";
    MUST(lith_plan_partition(&request, &arena, &plan, &err));
    assert_int_equal(plan.reason, LITH_PART_TABLE_FORMAT);
    assert_true(lith_part_reason_blocks(plan.reason));
    assert_int_equal(plan.input_count, 0);
}

/* P4: one file with rows that do not belong blocks its partition, whether its footer says so or the
 * manifest; but a note of another file of that name, or by other rules, says nothing, and a file
 * that is not written again does not matter. Late files may be named all the same. */
static void p4_rows_that_do_not_belong_block(void **state)
{
    static const struct {
        const char *what;
        const char *name; /* of the note */
        const char *etag;
        const char *rules;
        bool by_fact; /* instead of a note */
        bool is_blocked;
    } cases[] = {
        {"a note", "c.parquet", "e", RULES_HASH, false, true},
        {"a note of a late file", "e.parquet", "e", RULES_HASH, false, true},
        {"a fact", NULL, NULL, NULL, true, true},
        {"another etag", "c.parquet", "f", RULES_HASH, false, false},
        {"other rules", "c.parquet", "e", SETS_HASH, false, false},
        {"another file", "x.parquet", "e", RULES_HASH, false, false},
        {"a large file", "z.parquet", "e", RULES_HASH, false, false},
        {"nothing", NULL, NULL, NULL, false, false},
    };
    struct lith_file_facts fact = {.name = "c.parquet", .misplaced = "why"};
    static struct lith_entry live[4];
    struct lith_misplaced note = {.reason = "why"};
    struct lith_plan plan;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        part_clear();
        for (size_t j = 0; j < 5; j++) {
            char name[] = {(char)('a' + j), '.', 'p', 'a', 'r', 'q', 'u', 'e', 't', 0};
            add(name, 10, 0);
        }
        add("z.parquet", 5000, 0);
        part.has_manifest = true;
        (void)plan_at(HOUR_NS);
        for (size_t j = 0; j < 4; j++)
            live[j] = (struct lith_entry){.name = part.names[j], .size = 10, .etag = "e"};
        part.manifest.files = live;
        part.manifest.file_count = 4;
        note.name = cases[i].name;
        note.etag = cases[i].etag;
        note.rules = cases[i].rules;
        part.manifest.misplaced = &note;
        part.manifest.misplaced_count = cases[i].name != NULL;
        struct lith_plan_request request = request_at(DAY_NS);
        request.facts = &fact;
        request.fact_count = cases[i].by_fact;
        MUST(lith_snapshot_resolve(&listing, &part.manifest, LITH_SNAPSHOT_OPEN, &arena, &snapshot,
                                   &err));
        MUST(lith_plan_partition(&request, &arena, &plan, &err));
        if ((plan.reason == LITH_PART_MISPLACED) != cases[i].is_blocked)
            fail_msg("%s: %s", cases[i].what, lith_part_reason_text(plan.reason));
        assert_int_equal(plan.input_count, cases[i].is_blocked ? 0 : 5);
        for (size_t j = 0; j < plan.file_count; j++) {
            bool is_it =
                cases[i].is_blocked &&
                strcmp(plan.files[j].file->name, cases[i].by_fact ? fact.name : cases[i].name) == 0;
            assert_int_equal(plan.files[j].reason == LITH_WHY_MISPLACED, is_it);
            if (is_it)
                assert_string_equal(plan.files[j].detail, "why");
            else if (plan.files[j].reason != LITH_WHY_NOT_LIVE)
                assert_null(plan.files[j].detail);
        }
        if (cases[i].is_blocked)
            assert_non_null(strstr(plan.detail, "why"));
    }
    assert_true(lith_part_reason_blocks(LITH_PART_MISPLACED));
    assert_false(lith_part_reason_stops(LITH_PART_MISPLACED));
    assert_true(lith_part_reason_stops(LITH_PART_MISSING));
}

/* What is known of two sets comes from the manifest where it has all of it, by these rules, and
 * the facts lack a file. */
static void sets_are_taken_from_the_manifest(void **state)
{
    static const char *const noted[] = {"noted"};
    static const char *const read[] = {"read"};
    struct lith_file_facts facts[] = {{.name = "a.parquet", .schema_set = 1},
                                      {.name = "b.parquet", .schema_set = 1},
                                      {.name = "c.parquet", .schema_set = 2},
                                      {.name = "d.parquet", .schema_set = 2}};
    static struct lith_entry live[4];
    struct lith_plan plan;

    (void)state;
    part_clear();
    for (size_t i = 0; i < 4; i++) {
        add(facts[i].name, 10, 0);
        live[i] = (struct lith_entry){
            .name = facts[i].name, .size = 10, .etag = "e", .set = (uint16_t)(i % 2 + 1)};
    }
    part.has_manifest = true;
    (void)plan_at(HOUR_NS);
    part.manifest.files = live;
    part.manifest.file_count = 4;
    part.manifest.has_outcome = true;
    part.manifest.outcome.writer = LITH_WRITER_VERSION;
    part.manifest.outcome.verdict = "reduced";
    part.manifest.outcome.conflicts = noted;
    part.manifest.outcome.conflict_count = 1;
    memcpy(part.manifest.outcome.sets_hash, SETS_HASH, sizeof(SETS_HASH));
    for (unsigned n = 0; n < 7; n++) {
        struct lith_plan_request request = request_at(DAY_NS);
        bool is_noted = n <= 1;
        request.facts = facts;
        request.fact_count = n == 0 ? 0 : n == 6 ? 4 : 3;
        request.conflicts = read;
        request.conflict_count = 1;
        live[3].set = n == 2 ? 0 : n == 3 ? 3 : 2;
        part.manifest.outcome.writer = LITH_WRITER_VERSION + (n == 4);
        part.manifest.outcome.sets_hash[0] = n == 5 ? 'x' : SETS_HASH[0];
        MUST(lith_snapshot_resolve(&listing, &part.manifest, LITH_SNAPSHOT_OPEN, &arena, &snapshot,
                                   &err));
        MUST(lith_plan_partition(&request, &arena, &plan, &err));
        /* What nobody knows (d, from 2 to 5) joins with any. */
        assert_int_equal(plan.input_count, is_noted || n == 6 ? 2 : 3);
        assert_string_equal(plan.inputs[0]->name, "a.parquet");
        assert_string_equal(plan.inputs[1]->name, is_noted ? "c.parquet" : "b.parquet");
        assert_int_equal(plan.conflict_count, 1);
        assert_string_equal(plan.conflicts[0], is_noted ? "noted" : "read");
        assert_string_equal(plan.files[is_noted ? 1 : 2].detail, is_noted ? "noted" : "read");
    }
}

/* Files a to h by size: which are merged (m), which have no merge for what they lack (r), and which
 * have nothing beside them (-). */
struct lacking_case {
    const char *what;
    const char *sets;  /* 0: not known */
    const char *lacks; /* the bits of each */
    uint64_t last;     /* the size of the last one; the others have 10 */
    uint64_t max_inputs;
    bool is_refused; /* set 2 */
    const char *expected;
};

static const struct lacking_case lacking_cases[] = {
    {"a refused set of larger gain", "11122222", "00000000", 10, 100, true, "mmmrrrrr"},
    {"nothing but a refused set", "22222222", "00000000", 10, 100, true, "rrrrrrrr"},
    {"a refused file alone", "1111112", "0000000", 10, 100, true, "mmmmmm-"},
    {"a refused file that is too large for its set", "1112222", "0000000", 500, 100, true,
     "mmmrrrr"},
    {"files not known beside a refused set", "00022222", "00000000", 10, 100, true, "mmmrrrrr"},
    {"one has what others lack", "11111111", "11101111", 10, 100, false, "mmmmmmmm"},
    {"two have it together", "11111111", "11213331", 10, 100, false, "mmmmmmmm"},
    {"nobody has one of two", "11111111", "33313333", 10, 100, false, "rrrrrrrr"},
    {"only a large one has it", "11111111", "11111110", 500, 100, false, "rrrrrrr-"},
    {"only a large one has it, and others wait", "11111222", "11111000", 10, 100, false,
     "rrrrrmmm"},
    {"not among as many as a job takes", "11111111", "11111100", 10, 4, false, "rrrrrr--"},
    {"among as many as a job takes", "11111111", "11011111", 10, 4, false, "mmmmwwww"},
};

static void what_all_files_lack_is_not_merged(void **state)
{
    static const char *const refusals[] = {NULL, "no"};
    static const char letters[LITH_FILE_REASON_COUNT] = {
        [LITH_WHY_MERGE] = 'm',  [LITH_WHY_REFUSED] = 'r',    [LITH_WHY_LADDER] = '-',
        [LITH_WHY_SCHEMA] = '-', [LITH_WHY_MAX_INPUTS] = 'w',
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lacking_cases) / sizeof(lacking_cases[0]); i++) {
        const struct lacking_case *c = &lacking_cases[i];
        size_t count = strlen(c->sets);
        struct lith_file_facts facts[8];
        char found[9] = "";
        char names[8][16];
        struct lith_plan plan;
        part_clear();
        policy.max_inputs = c->max_inputs;
        for (size_t k = 0; k < count; k++) {
            (void)snprintf(names[k], sizeof(names[k]), "%c.parquet", (char)('a' + k));
            add(names[k], k + 1 == count ? c->last : 10, 0);
            facts[k] = (struct lith_file_facts){.name = names[k],
                                                .schema_set = (uint64_t)(c->sets[k] - '0'),
                                                .lacks = (uint32_t)(c->lacks[k] - '0')};
        }
        (void)plan_at(DAY_NS);
        struct lith_plan_request request = request_at(DAY_NS);
        request.facts = facts;
        request.fact_count = count;
        request.refusals = refusals;
        request.refusal_count = c->is_refused ? 2 : 0;
        MUST(lith_plan_partition(&request, &arena, &plan, &err));
        for (size_t k = 0; k < count; k++) {
            const struct lith_plan_file *file = &plan.files[k];
            found[k] = letters[file->reason];
            if (file->reason == LITH_WHY_REFUSED)
                assert_non_null(strstr(file->detail, c->is_refused ? "no" : "sort_by"));
        }
        if (strcmp(found, c->expected) != 0)
            fail_msg("%s: %s, not %s", c->what, found, c->expected);
    }
}

/* What refuses sets is taken from the manifest, too. */
static void refusals_are_taken_from_the_manifest(void **state)
{
    static const char *const noted[] = {"noted"};
    static struct lith_entry live[4];
    struct lith_plan plan;

    (void)state;
    part_clear();
    for (size_t i = 0; i < 4; i++) {
        char name[] = {(char)('a' + i), '.', 'p', 'a', 'r', 'q', 'u', 'e', 't', 0};
        add(name, 10, 0);
        live[i] = (struct lith_entry){.name = part.names[i], .size = 10, .etag = "e", .set = 1};
    }
    part.has_manifest = true;
    (void)plan_at(DAY_NS);
    part.manifest.files = live;
    part.manifest.file_count = 4;
    part.manifest.has_outcome = true;
    part.manifest.outcome = (struct lith_outcome){
        .writer = LITH_WRITER_VERSION, .verdict = "reduced", .refusals = noted, .refusal_count = 1};
    memcpy(part.manifest.outcome.sets_hash, SETS_HASH, sizeof(SETS_HASH));
    for (unsigned n = 0; n < 2; n++) {
        struct lith_plan_request request = request_at(DAY_NS);
        live[3].set = n == 0 ? 1 : 0;
        MUST(lith_snapshot_resolve(&listing, &part.manifest, LITH_SNAPSHOT_OPEN, &arena, &snapshot,
                                   &err));
        MUST(lith_plan_partition(&request, &arena, &plan, &err));
        assert_int_equal(plan.input_count, n == 0 ? 0 : 4);
        assert_int_equal(plan.files[0].reason, n == 0 ? LITH_WHY_REFUSED : LITH_WHY_MERGE);
        if (n == 0)
            assert_string_equal(plan.files[0].detail, "noted");
    }
}

static void blocked_partitions_say_why(void **state)
{
    static struct lith_entry named[] = {{.name = "lost.parquet", .etag = "1:1", .size = 1}};
    struct lith_manifest m = {.name = "m", .foreign = true, .files = named, .file_count = 1};
    struct lith_listing nothing = {0};
    struct lith_plan_request request = request_at(HOUR_NS);
    struct lith_plan plan;

    (void)state;
    part_clear();
    MUST(lith_snapshot_resolve(&nothing, &m, LITH_SNAPSHOT_OPEN, &arena, &snapshot, &err));
    MUST(lith_plan_partition(&request, &arena, &plan, &err));
    assert_int_equal(plan.reason, LITH_PART_FOREIGN);
    m.foreign = false;
    MUST(lith_snapshot_resolve(&nothing, &m, LITH_SNAPSHOT_OPEN, &arena, &snapshot, &err));
    MUST(lith_plan_partition(&request, &arena, &plan, &err));
    assert_int_equal(plan.reason, LITH_PART_MISSING);
    assert_non_null(strstr(plan.detail, "lost.parquet"));
}

/*
 * A year of late files: each day some of random size, sweeps after each. A byte is rewritten at
 * most about log(total / smallest) times to the base 1.25, in truth far less; few files remain.
 */
static void late_files_cost_log_n(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 3; round++) {
        uint64_t written = 0;
        uint64_t rewritten = 0;
        part_clear();
        policy.target_file_bytes = 100000;
        for (int64_t day = 0; day < 365; day++) {
            size_t count = round == 0 ? 1 : test_random(&seed) % 8;
            for (size_t i = 0; i < count; i++) {
                uint64_t size = round == 0 ? 10 : 5 + test_random(&seed) % (round == 1 ? 20 : 4000);
                add_many(1, size, day * DAY_NS);
                written += size;
            }
            for (int hour = 1; hour < 24; hour += 4) {
                struct lith_plan plan = plan_at(day * DAY_NS + hour * HOUR_NS);
                if (plan.reason != LITH_PART_DUE)
                    continue;
                assert_true(plan.gain > 0);
                rewritten += plan.input_bytes;
                carry_out(&plan, day * DAY_NS + hour * HOUR_NS);
            }
            lith_arena_done(&arena);
        }
        print_message("round %d: %" PRIu64 " bytes written, each rewritten %.2f times, %zu files\n",
                      round, written, (double)rewritten / (double)written, part.count);
        assert_true(rewritten < written * 16);
        assert_true(part.count < 16 + written / 50000);
    }
}

/* However sizes lie: jobs always shrink the lake and the lake always comes to rest. */
static void any_lake_converges(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 200; round++) {
        int jobs = 0;
        part_clear();
        size_t count = test_random(&seed) % 60;
        for (size_t i = 0; i < count; i++)
            add_many(1, test_random(&seed) % (1u << (test_random(&seed) % 12)), 0);
        int64_t now = round % 2 ? HOUR_NS : 7 * HOUR_NS;
        struct lith_plan plan = plan_at(now);
        while (plan.reason == LITH_PART_DUE || plan.reason == LITH_PART_TOO_FEW ||
               now < 7 * HOUR_NS) {
            size_t before = part.count;
            if (plan.reason == LITH_PART_DUE) {
                carry_out(&plan, now);
                assert_true(part.count < before);
                assert_true(++jobs < 12);
            }
            now += 7 * HOUR_NS;
            plan = plan_at(now);
        }
        /* At rest it stays so. */
        assert_int_not_equal(plan_at(now + 1000 * HOUR_NS).reason, LITH_PART_DUE);
        lith_arena_done(&arena);
    }
}

static void the_order_is_gain_aged(void **state)
{
    struct lith_plan_rank ranks[] = {
        {"few", 2, 0},
        {"many", 100, 0},
        {"old-few", 2, 60 * DAY_NS},
        {"a-tie", 2, 0},
    };

    (void)state;
    qsort(ranks, 4, sizeof(ranks[0]), lith_plan_rank_compare);
    assert_string_equal(ranks[0].path, "old-few");
    assert_string_equal(ranks[1].path, "many");
    assert_string_equal(ranks[2].path, "a-tie");
    assert_string_equal(ranks[3].path, "few");
}

static void output_counts(void **state)
{
    static const uint64_t cases[][3] = {
        {0, 100, 1},   {1, 100, 1},   {149, 100, 1}, {150, 100, 2},
        {249, 100, 2}, {250, 100, 3}, {5, 1, 5},     {UINT64_MAX, UINT64_MAX, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(lith_plan_output_count(cases[i][0], cases[i][1]) == cases[i][2]);
}

static void the_policy_is_checked_and_hashed(void **state)
{
    struct lith_policy p = lith_policy_default();
    char hash[33];
    char other[33];

    (void)state;
    MUST(lith_policy_check(&p, &err));
    MUST(lith_policy_hash(&p, &arena, hash, &err));
    p.settle_ns++;
    p.small_file_bytes++;
    MUST(lith_policy_hash(&p, &arena, other, &err));
    assert_string_equal(hash, other);
    p.merge_text = "codec=zstd";
    MUST(lith_policy_hash(&p, &arena, other, &err));
    assert_string_not_equal(hash, other);
    p = lith_policy_default();
    p.target_file_bytes *= 2;
    MUST(lith_policy_hash(&p, &arena, other, &err));
    assert_string_not_equal(hash, other);
    p = lith_policy_default();
    p.min_files = 1;
    assert_int_equal(lith_policy_check(&p, &err), LITH_E_INVALID);
    p = lith_policy_default();
    p.max_inputs = 3;
    assert_int_equal(lith_policy_check(&p, &err), LITH_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ladders, setup, teardown),
        cmocka_unit_test_setup_teardown(forty_small_files_make_one_job, setup, teardown),
        cmocka_unit_test_setup_teardown(too_few_wait_for_settle, setup, teardown),
        cmocka_unit_test_setup_teardown(a_late_file_joins_after_settle, setup, teardown),
        cmocka_unit_test_setup_teardown(an_outcome_stops_a_repeat, setup, teardown),
        cmocka_unit_test_setup_teardown(max_inputs_takes_the_smallest, setup, teardown),
        cmocka_unit_test_setup_teardown(files_stay_out_with_their_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(p4_rows_that_do_not_belong_block, setup, teardown),
        cmocka_unit_test_setup_teardown(sets_are_taken_from_the_manifest, setup, teardown),
        cmocka_unit_test_setup_teardown(what_all_files_lack_is_not_merged, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals_are_taken_from_the_manifest, setup, teardown),
        cmocka_unit_test_setup_teardown(blocked_partitions_say_why, setup, teardown),
        cmocka_unit_test_setup_teardown(late_files_cost_log_n, setup, teardown),
        cmocka_unit_test_setup_teardown(any_lake_converges, setup, teardown),
        cmocka_unit_test_setup_teardown(the_order_is_gain_aged, setup, teardown),
        cmocka_unit_test_setup_teardown(output_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_policy_is_checked_and_hashed, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
