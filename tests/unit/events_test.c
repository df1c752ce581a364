/*
 * Audit events of jobs: each commit has one, whatever fails or ends the process, and no commit
 * waits for it.
 */
#include "job_support.h"

#include "audit/event_file.h"
#include "audit/log.h"
#include "job/commits.h"
#include "job/event_of.h"
#include "job/events.h"

static char series_path[80];

/* Verbs of one of the stores, the fail_at-th of which fails: before it does anything, or after. */
static struct lith_store_ops real_ops, failing_ops;
static struct lith_store *failing_store;
static unsigned verbs, fail_at;
static bool fails_after;

static enum lith_code verb(struct lith_store *store, enum lith_code code, struct lith_err *e)
{
    if (store == failing_store && fails_after && ++verbs == fail_at)
        return lith_fail(e, LITH_E_IO, "the disk is gone, some time after");
    return code;
}

static bool is_failing(struct lith_store *store)
{
    return store == failing_store && !fails_after && ++verbs == fail_at;
}

#define VERB(store, call)                                                                          \
    do {                                                                                           \
        if (is_failing(store))                                                                     \
            return lith_fail(e, LITH_E_IO, "the disk is gone");                                    \
        return verb(store, real_ops.call, e);                                                      \
    } while (0)

static enum lith_code test_make(struct lith_store *s, const char *p, struct lith_err *e)
{
    VERB(s, folder_make(s, p, e));
}
static enum lith_code test_list(struct lith_folder *f, struct lith_arena *a, struct lith_listing *l,
                                struct lith_err *e)
{
    VERB(f->store, list(f, a, l, e));
}
static enum lith_code test_head(struct lith_folder *f, const char *n, struct lith_arena *a,
                                struct lith_object *o, struct lith_err *e)
{
    VERB(f->store, head(f, n, a, o, e));
}
static enum lith_code test_get(struct lith_folder *f, const char *n, size_t limit,
                               struct lith_arena *a, struct lith_blob *b, struct lith_err *e)
{
    VERB(f->store, get(f, n, limit, a, b, e));
}
static enum lith_code test_put_if(struct lith_folder *f, const char *n, const struct lith_blob *x,
                                  struct lith_content *body, struct lith_err *e)
{
    VERB(f->store, put_if(f, n, x, body, e));
}
static enum lith_code test_delete_if(struct lith_folder *f, const struct lith_object *o,
                                     struct lith_err *e)
{
    VERB(f->store, delete_if(f, o, e));
}

static void ops_wrap(struct lith_store *store)
{
    real_ops = *store->ops;
    failing_ops = real_ops;
    failing_ops.folder_make = test_make;
    failing_ops.list = test_list;
    failing_ops.head = test_head;
    failing_ops.get = test_get;
    failing_ops.put_if = test_put_if;
    failing_ops.delete_if = test_delete_if;
    store->ops = &failing_ops;
}

/* A job with everything it needs. */
struct world {
    struct lith_store *store;
    struct lith_store *series_store;
    struct lith_folder *folder;
    struct lith_arena arena;
    struct lith_scratch scratch;
    struct lith_work work;
    struct lith_uuid_source uuids;
    struct lith_series series;
    struct lith_job_events events;
    struct lith_job job;
};

enum failing { FAILING_NONE, FAILING_SERIES, FAILING_LAKE };

static enum lith_code world_open(struct world *w, const struct lith_job_options *options,
                                 struct lith_mem *budget, enum failing failing)
{
    struct lith_local_options local = {.root = path};
    struct lith_local_options series = {.root = series_path, .may_be_absent = true};

    *w = (struct world){.work = {.mem = budget, .scratch = &w->scratch, .control = &test_control},
                        .uuids = {.env = &env.base}};
    failing_store = NULL;
    lith_arena_init(&w->arena, budget);
    lith_scratch_init(&w->scratch, "/tmp", 0);
    LITH_TRY(lith_local_open(&local, &env.base, budget, &w->store, &err));
    LITH_TRY(lith_local_open(&series, &env.base, budget, &w->series_store, &err));
    ops_wrap(w->store);
    ops_wrap(w->series_store);
    LITH_TRY(lith_folder_open(w->store, "", &w->folder, &err));
    w->series.store = w->series_store;
    lith_job_events_init(&w->events, &w->series, &env.base);
    w->job = (struct lith_job){.folder = w->folder,
                               .options = options,
                               .env = &env.base,
                               .uuids = &w->uuids,
                               .work = &w->work,
                               .arena = &w->arena,
                               .events = &w->events};
    failing_store = failing == FAILING_SERIES ? w->series_store
                    : failing == FAILING_LAKE ? w->store
                                              : NULL;
    return LITH_OK;
}

static void world_close(struct world *w)
{
    failing_store = NULL;
    lith_job_events_done(&w->events);
    lith_folder_close(w->folder);
    lith_store_close(w->series_store);
    lith_store_close(w->store);
    lith_arena_done(&w->arena);
}

static enum lith_code job_under(enum test_kind kind, struct lith_job_options *options,
                                struct lith_mem *budget, enum failing failing,
                                struct lith_partition_report *report)
{
    struct world w;
    enum lith_code code = world_open(&w, options, budget, failing);

    *report = (struct lith_partition_report){.path = ""};
    if (code == LITH_OK)
        code = kind == TEST_GC ? lith_job_gc(&w.job, report, &err)
                               : lith_job_compact(&w.job, report, &err);
    test_texts_keep(report);
    report->event_error = report->event_error ? "told" : NULL;
    world_close(&w);
    return code;
}

static struct lith_partition_report job_must(enum test_kind kind, struct lith_job_options *options)
{
    struct lith_partition_report report;

    MUST(job_under(kind, options, &mem, FAILING_NONE, &report));
    if (report.events_pending == 0)
        assert_null(report.event_error);
    return report;
}

/* Events of the series, by commit. */
#define EVENTS_MAX 4096u
static struct {
    char commit_id[LITH_COMMIT_ID_BYTES];
    char op[16];
    char reason[64];
    uint64_t generation, inputs, outputs, rows;
    bool has_inputs, has_duration;
} found[EVENTS_MAX];
static size_t found_count;

static void found_add(void *ctx, const struct lith_event *event)
{
    (void)ctx;
    assert_true(found_count < EVENTS_MAX);
    (void)snprintf(found[found_count].commit_id, LITH_COMMIT_ID_BYTES, "%s", event->commit_id);
    (void)snprintf(found[found_count].op, sizeof(found[0].op), "%s", event->op);
    (void)snprintf(found[found_count].reason, sizeof(found[0].reason), "%s",
                   event->reason ? event->reason : "");
    found[found_count].generation = event->generation;
    found[found_count].inputs = event->input_file_count;
    found[found_count].has_inputs = event->input_files != NULL;
    found[found_count].outputs = event->output_file_count;
    found[found_count].rows = event->rows;
    found[found_count++].has_duration = event->has_duration;
}

static void series_read(void)
{
    struct lith_local_options options = {.root = series_path, .may_be_absent = true};
    struct lith_log_request request = {0};
    struct lith_series series = {0};
    struct test_tools tools;

    test_tools_init(&tools);
    found_count = 0;
    MUST(lith_local_open(&options, &env.base, &tools.mem, &series.store, &err));
    MUST(lith_series_log(&series, &request, &tools.work, found_add, NULL, &err));
    lith_store_close(series.store);
    lith_mem_done(&tools.mem);
}

static size_t found_of(const char *commit_id)
{
    size_t count = 0;

    for (size_t i = 0; i < found_count; i++)
        count += strcmp(found[i].commit_id, commit_id) == 0;
    return count;
}

static void log_check(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    const struct lith_manifest *m = lith_view_manifest(view);

    (void)folder;
    (void)ctx;
    for (size_t i = 0; m && i < m->log_count; i++) {
        if (found_of(m->log[i].commit_id) != 1)
            fail_msg("generation %" PRIu64 " (%s) has %zu events", m->log[i].generation,
                     lith_op_name(m->log[i].op), found_of(m->log[i].commit_id));
    }
    if (m)
        assert_int_equal(found_count, m->log_count);
}

/* Each commit of the log has one event, and there are no others, nor a note. */
static void check_all(void)
{
    series_read();
    test_look(log_check, NULL);
    assert_false(test_file_exists(dir_fd, LITH_EVENTS_NOTE_NAME));
}

static int events_setup(void **state)
{
    (void)setup(state);
    (void)snprintf(series_path, sizeof(series_path), "%s.audit", path);
    return 0;
}

static int events_teardown(void **state)
{
    if (access(series_path, F_OK) == 0)
        assert_int_equal(nftw(series_path, test_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    return teardown(state);
}

static void again(void)
{
    void *none = NULL;

    events_teardown(&none);
    events_setup(&none);
}

static size_t found_op(const char *op)
{
    size_t count = 0;

    for (size_t i = 0; i < found_count; i++)
        count += strcmp(found[i].op, op) == 0;
    return count;
}

static void each_commit_has_one(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    assert_int_equal(job_must(TEST_COMPACT, &options).events, 3);
    check_all();
    assert_int_equal(found_op("adopt") + found_op("lease") + found_op("compact"), 3);
    assert_string_equal(found[2].op, "compact");
    assert_int_equal(found[2].inputs, 6);
    assert_int_equal(found[2].outputs, 1);
    assert_int_equal(found[2].rows, 60);
    assert_true(found[2].has_duration);
    test_files(6, 6, 10);
    assert_int_equal(job_must(TEST_COMPACT, &options).events, 3);
    check_all();
    assert_int_equal(found_op("fold"), 1);
    assert_int_equal(job_must(TEST_GC, &options).events, 2);
    check_all();
    assert_int_equal(found_op("fence"), 1);
    assert_int_equal(found[found_count - 1].inputs, 13); /* an output among them */
    for (size_t i = 0; i < found_count; i++)
        assert_string_equal(found[i].reason, "");
}

static void at_rest_nothing_is_asked_or_written(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    test_files(0, 6, 10);
    (void)job_must(TEST_COMPACT, &options);
    uint64_t before = test_folder_state();
    verbs = 0;
    fail_at = 0;
    fails_after = true; /* counts */
    MUST(job_under(TEST_COMPACT, &options, &mem, FAILING_SERIES, &report));
    assert_int_equal(verbs, 0);
    assert_int_equal(report.events, 0);
    MUST(job_under(TEST_COMPACT, &options, &mem, FAILING_LAKE, &report));
    assert_int_equal(verbs, 3); /* a list, and manifests of both names */
    assert_int_equal(test_folder_state(), before);
}

/* Merges six files anew; the verb `fail_at` of a store fails, before or after it took effect. */
static enum lith_code compact_failing(enum failing failing, bool after,
                                      struct lith_job_options *options,
                                      struct lith_partition_report *report)
{
    again();
    test_files(0, 6, 10);
    verbs = 0;
    fails_after = after;
    return job_under(TEST_COMPACT, options, &mem, failing, report);
}

/* What a failure of the series leaves undone the next pass does; the commits stand. */
static void any_verb_of_the_series_may_fail(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    for (int after = 0; after < 2; after++) {
        for (fail_at = 1;; fail_at++) {
            MUST(compact_failing(FAILING_SERIES, after, &options, &report));
            assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
            assert_int_equal(report.outputs, 1);
            if (verbs < fail_at)
                break;
            assert_true(report.events_pending > 0);
            assert_non_null(report.event_error);
            assert_true(test_file_exists(dir_fd, LITH_EVENTS_NOTE_NAME));
            report = job_must(fail_at % 2 ? TEST_COMPACT : TEST_GC, &options);
            assert_int_equal(report.events_pending, 0);
            series_read();
            assert_false(test_file_exists(dir_fd, LITH_EVENTS_NOTE_NAME));
            test_look(log_check, NULL);
        }
        assert_true(fail_at > 8);
    }
}

static void any_verb_of_the_lake_may_fail(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    for (int after = 0; after < 2; after++) {
        for (fail_at = 1;; fail_at++) {
            enum lith_code code = compact_failing(FAILING_LAKE, after, &options, &report);
            if (verbs < fail_at)
                break;
            bool told = code != LITH_OK || report.event_error ||
                        report.state != LITH_PARTITION_COMPACTED || report.more_due == 0;
            assert_true(told);
            (void)job_must(TEST_COMPACT, &options);
            (void)job_must(TEST_COMPACT, &options);
            check_all();
            (void)test_rows(60);
        }
        assert_true(fail_at > 12);
    }
}

static void any_allocation_may_fail(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    bool failed = true;

    (void)state;
    for (int64_t n = 0; failed; n += 5) { /* each in a row takes a minute */
        struct lith_mem budget;
        again();
        test_files(0, 4, 10);
        lith_mem_init(&budget, (size_t)64 << 20, NULL);
        atomic_store(&budget.fail_after, n);
        enum lith_code code = job_under(TEST_COMPACT, &options, &budget, FAILING_NONE, &report);
        failed = atomic_load(&budget.fail_after) < 0;
        lith_mem_done(&budget);
        assert_true(code == LITH_OK || code == LITH_E_NOMEM);
        (void)job_must(TEST_COMPACT, &options);
        check_all();
        assert_true(n < 20000);
    }
}

static void a_crash_at_any_step_costs_no_event(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    for (uint64_t step = 1;; step++) {
        again();
        test_files(0, 6, 10);
        pid_t child = fork();
        if (child == 0) {
            env.steps = 0;
            env.crash_at = step;
            (void)!job_under(TEST_COMPACT, &options, &mem, FAILING_NONE, &report);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WEXITSTATUS(status) != TEST_CRASHED)
            break;
        env.seed += step; /* the next program draws other ids */
        (void)job_must(TEST_COMPACT, &options);
        check_all();
        (void)test_rows(60);
    }
}

/* Commits that were made without a series have none until the next one is made with it. */
static void what_no_series_saw_is_written_with_the_next_commit(void **state)
{
    struct lith_job_options options = test_job_options();

    (void)state;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options); /* no series: nothing is owed */
    assert_int_equal(job_must(TEST_COMPACT, &options).events, 0);
    test_files(6, 6, 10);
    assert_int_equal(job_must(TEST_COMPACT, &options).events, 3);
    series_read();
    assert_int_equal(found_count, 3);
}

static struct lith_event_id id_of(unsigned index, int64_t day_ns, char commit_id[33])
{
    (void)snprintf(commit_id, 33, "%032x", index);
    return (struct lith_event_id){.tenant = "a b/ü",
                                  .pid = "0123abcd",
                                  .generation = index,
                                  .commit_id = commit_id,
                                  .at_ns = day_ns + index * LITH_SECOND_NS};
}

static struct lith_event event_of(const struct lith_event_id *id)
{
    return (struct lith_event){.tenant = id->tenant,
                               .time_ns = id->at_ns,
                               .kind = 3,
                               .type = "compaction",
                               .partition = "p",
                               .op = "compact",
                               .generation = id->generation,
                               .has_generation = true,
                               .commit_id = id->commit_id};
}

static bool day_has(struct world *w, unsigned index, int64_t day_ns)
{
    struct lith_series_day day = {0};
    char commit_id[33];
    struct lith_event_id id = id_of(index, day_ns, commit_id);
    bool has;

    MUST(lith_series_day_go(&day, &w->series, &id, &w->work, &err));
    MUST(lith_series_day_has(&day, &id, &w->work, &has, &err));
    lith_series_day_done(&day);
    return has;
}

static void day_put(struct world *w, unsigned index, int64_t day_ns)
{
    struct lith_series_day day = {0};
    char commit_id[33];
    struct lith_event_id id = id_of(index, day_ns, commit_id);
    struct lith_event event = event_of(&id);

    MUST(lith_series_day_go(&day, &w->series, &id, &w->work, &err));
    MUST(lith_series_day_put(&day, &id, &event, &w->work, &err));
    lith_series_day_done(&day);
}

/* A pass over the folder of one day of the series. */
static void day_job(struct world *w, enum test_kind kind, const char *folder_path)
{
    struct lith_partition_report report = {0};
    struct lith_job job = w->job;

    job.events = NULL;
    MUST(lith_folder_open(w->series_store, folder_path, &job.folder, &err));
    MUST(kind == TEST_GC ? lith_job_gc(&job, &report, &err)
                         : lith_job_compact(&job, &report, &err));
    lith_folder_close(job.folder);
}

/* No name of an event is left, listed or in the manifest: only what it was merged into has it. */
static void test_day_forgets(struct world *w, const char *folder_path)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    MUST(lith_folder_open(w->series_store, folder_path, &folder, &err));
    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    assert_int_equal(view.manifest.retired_count + view.manifest.gone_count, 0);
    assert_int_equal(view.snapshot.live_count, 1);
}

/* Merged, deleted and forgotten, an event is still there, and is put once. */
static void events_are_found_in_merged_days(void **state)
{
    struct lith_job_options options = test_job_options();
    int64_t day_ns = 20000 * DAY_S * LITH_SECOND_NS; /* 2024-10-04 */
    const char *folder_path;
    struct world w;

    (void)state;
    options.policy.quiet_for_ns = options.policy.settle_ns = 0;
    options.key_column_count = 0;
    options.replay_window_ns = 0;
    MUST(world_open(&w, &options, &mem, FAILING_NONE));
    MUST(lith_series_folder("a b/ü", day_ns, &w.arena, &folder_path, &err));
    assert_string_equal(folder_path, "tenant_id=a%20b%2F%C3%BC/year=2024/month=10/day=04");
    for (unsigned i = 0; i < 6; i++)
        day_put(&w, i, day_ns);
    day_put(&w, 3, day_ns);
    series_read();
    assert_int_equal(found_count, 6);
    for (unsigned pass = 0; pass < 5; pass++) {
        for (unsigned i = 0; i < 6; i++)
            assert_true(day_has(&w, i, day_ns));
        assert_false(day_has(&w, 6, day_ns));
        if (pass == 0)
            day_job(&w, TEST_COMPACT, folder_path);
        else /* what is retired goes, then what is gone is forgotten */
            day_job(&w, TEST_GC, folder_path);
    }
    test_day_forgets(&w, folder_path);
    day_put(&w, 6, day_ns);
    series_read();
    assert_int_equal(found_count, 7);
    world_close(&w);
}

static void racing_writers_leave_one(void **state)
{
    struct lith_job_options options = test_job_options();
    pid_t children[6];
    struct world w;

    (void)state;
    for (unsigned c = 0; c < 6; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            MUST(world_open(&w, &options, &mem, FAILING_NONE));
            for (unsigned i = 0; i < 20; i++)
                day_put(&w, i, 0);
            _exit(0);
        }
    }
    for (unsigned c = 0; c < 6; c++) {
        int status = 1;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
    series_read();
    assert_int_equal(found_count, 20);
}

/* A log that is full of commits without events takes no more, until they can be written. */
static void a_full_log_waits(void **state)
{
    static struct lith_manifest m[2];
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;
    struct test_tools tools;
    struct lith_arena arena;
    enum lith_put put;
    struct world w;
    int now = 0;

    (void)state;
    test_tools_init(&tools);
    lith_arena_init(&arena, &tools.mem);
    test_files(0, 2, 10);
    MUST(world_open(&w, &options, &tools.mem, FAILING_NONE));
    LITH_AUTO(view) struct lith_view view = {0};
    MUST(lith_view_take(w.folder, LITH_SNAPSHOT_OPEN, &tools.mem, &view, &err));
    struct lith_adopt adopt = {.manifest_name = LITH_MANIFEST_NAME,
                               .pid = "0123abcd",
                               .listing = &view.listing,
                               .unlisted_live = true};
    struct lith_stamp stamp;
    MUST(lith_job_stamp(&w.job, &stamp, &err));
    MUST(lith_commit_adopt(NULL, &adopt, &stamp, &arena, &m[0], &err));
    for (unsigned i = 1; i < LITH_LOG_COUNT_MAX; i++) {
        lith_stamp_draw(&env.base, stamp.at_ns, &stamp);
        stamp.no_event = true; /* but for the first, which holds them all */
        MUST(lith_commit_lease(&m[now], &stamp, &arena, &m[!now], &err));
        now = !now;
    }
    MUST(lith_commit_put(w.folder, &view.blob, &m[now], &tools.mem, &put, &err));
    world_close(&w);
    test_file_write(AT_FDCWD, series_path, "in the way");
    test_files(2, 6, 10);
    assert_int_equal(job_under(TEST_COMPACT, &options, &mem, FAILING_NONE, &report),
                     LITH_E_INVALID);
    assert_int_equal(unlink(series_path), 0);
    verbs = 0;
    fail_at = 1;
    fails_after = false;
    assert_int_equal(job_under(TEST_COMPACT, &options, &mem, FAILING_SERIES, &report),
                     LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "audit"));
    assert_int_equal(job_must(TEST_COMPACT, &options).state, LITH_PARTITION_COMPACTED);
    series_read();
    assert_true(found_count > 2);
    lith_arena_done(&arena);
}

static void texts_are_utf8(void **state)
{
    struct lith_arena arena;
    const char *text;

    (void)state;
    lith_arena_init(&arena, &mem);
    MUST(lith_text_as_utf8("a\xff/\xc3\xbc=%", &arena, &text, &err));
    assert_string_equal(text, "a%FF/\xc3\xbc=%");
    lith_arena_done(&arena);
}

static void names_follow_from_commits(void **state)
{
    struct lith_event_id id = {.tenant = "t",
                               .pid = "0123abcd",
                               .generation = 12,
                               .commit_id = "00112233445566778899aabbccddeeff",
                               .at_ns = 1750000000123456789};
    struct lith_arena arena;
    const char *name;

    (void)state;
    lith_arena_init(&arena, &mem);
    MUST(lith_event_name(&id, &arena, &name, &err));
    assert_string_equal(name, "20250615T150640.123456789Z_0123abcd_g12_"
                              "00112233445566778899aabbccddeeff.parquet");
    lith_arena_done(&arena);
}

static void folders_have_names_that_fit(void **state)
{
    struct lith_arena arena;
    char tenant[256];
    const char *a, *b;

    (void)state;
    lith_arena_init(&arena, &mem);
    memset(tenant, 0xc3, 255);
    tenant[255] = 0;
    MUST(lith_series_folder(tenant, 0, &arena, &a, &err));
    assert_true(strcspn(a, "/") < 255);
    tenant[254] = 'x';
    MUST(lith_series_folder(tenant, 0, &arena, &b, &err));
    assert_string_not_equal(a, b);
    MUST(lith_series_folder("..", -1, &arena, &a, &err));
    assert_string_equal(a, "tenant_id=../year=1969/month=12/day=31");
    lith_arena_done(&arena);
}

static void a_place_of_another_lake_is_refused(void **state)
{
    struct lith_job_options options = test_job_options();
    struct lith_partition_report report;

    (void)state;
    assert_int_equal(mkdir(series_path, 0755), 0);
    int fd = open(series_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    test_file_write(fd, "_lithify.json", "{}");
    (void)close(fd);
    test_files(0, 6, 10);
    MUST(job_under(TEST_COMPACT, &options, &mem, FAILING_NONE, &report));
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(report.events_pending, 3);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, events_setup, events_teardown)
    const struct CMUnitTest tests[] = {
        CASE(each_commit_has_one),
        CASE(at_rest_nothing_is_asked_or_written),
        CASE(any_verb_of_the_series_may_fail),
        CASE(any_verb_of_the_lake_may_fail),
        CASE(any_allocation_may_fail),
        CASE(a_crash_at_any_step_costs_no_event),
        CASE(what_no_series_saw_is_written_with_the_next_commit),
        CASE(events_are_found_in_merged_days),
        CASE(racing_writers_leave_one),
        CASE(a_full_log_waits),
        CASE(texts_are_utf8),
        CASE(names_follow_from_commits),
        CASE(folders_have_names_that_fit),
        CASE(a_place_of_another_lake_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
