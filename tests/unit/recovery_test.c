/*
 * Readers = glob: jobs that were cut off anywhere are finished by whichever job comes next, by the
 * journal and the manifest together; and what is not sure stops the partition, and deletes nothing.
 */
#include "recovery_support.h"

#include "base/limits.h"
#include "lake/commit.h"

static const struct {
    const char *step;
    unsigned arrival;
} cuts[] = {
    {"output-synced", 1},
    {LITH_JOB_STEP_JOURNALED, 1},
    {"output-publish", 1},
    {"output-renamed", 1},
    {"output-durable", 1},
    {"committed", 1},
    {"fenced", 1},
    {"delete-renamed", 1},
    {"delete-unlinked", 3},
    {"delete-renamed", 6},
    {"delete-durable", 1},
    {"cleaned", 1},
    {"delete-renamed", 7}, /* of the journal itself */
    {LITH_JOB_STEP_UNJOURNALED, 1},
};

static const char *still_at; /* a step */

/* Apart from their callers, whose stacks would hold what each of these needs. */
static enum lith_code run(enum test_kind kind, struct lith_partition_report *report)
{
    struct lith_job_options options = options_of_test();

    return test_job(kind, &options, report);
}

static void must_run(enum test_kind kind)
{
    struct lith_partition_report report;

    MUST(run(kind, &report));
}

static void a_job_leaves_what_it_made_alone(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    fresh_make();
    struct lith_partition_report report = test_must(TEST_COMPACT, &options);
    assert_int_equal(report.state, LITH_PARTITION_COMPACTED);
    assert_int_equal(report.inputs, 6);
    assert_int_equal(report.deleted, 6);
    assert_int_equal(report.deleted_bytes, report.input_bytes);
    assert_int_equal(report.held_bytes, 0);
    assert_settled(ROWS);
    assert_int_equal(test_names(".parquet"), 1);
    /* P6: nothing more is ever done. */
    uint64_t before = test_folder_state();
    assert_int_equal(test_must(TEST_COMPACT, &options).state, LITH_PARTITION_LEFT);
    (void)test_must(TEST_GC, &options);
    assert_int_equal(test_folder_state(), before);
}

/* P3: the next compaction finishes it, and what it then finds to do. */
static void the_next_job_finishes(void **state)
{
    struct lith_job_options options = options_of_test();

    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        fresh_make();
        cut_at(cuts[i].step, cuts[i].arrival);
        (void)test_rows(ROWS);
        (void)globbed(ROWS, 2);
        struct lith_partition_report report = test_must(TEST_COMPACT, &options);
        if (report.state != LITH_PARTITION_COMPACTED && report.state != LITH_PARTITION_LEFT)
            fail_msg("%s: %s", cuts[i].step, report.reason);
        assert_int_equal(test_names(".tmp"), strcmp(cuts[i].step, "output-synced") == 0);
        if (journals() || globbed(ROWS, 1) > 2)
            fail_msg("%s: left", cuts[i].step);
        (void)test_rows(ROWS);
        teardown(state);
        setup(state);
    }
}

/* Whatever job comes: each finishes it first. */
static void every_kind_of_job_finishes(void **state)
{
    static const enum test_kind kinds[] = {TEST_GC, TEST_RETIRE, TEST_ADOPT};
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;

    test_retired[0] = "nobody.parquet";
    test_retired_count = 1;
    for (size_t i = 0; i < 3; i++) {
        for (unsigned late = 0; late < 2; late++) {
            fresh_make();
            cut_at(late ? "committed" : "output-durable", 1);
            assert_int_equal(journals(), 1);
            enum lith_code code = test_job(kinds[i], &options, &report);
            assert_int_equal(code, kinds[i] == TEST_RETIRE ? LITH_E_INVALID : LITH_OK);
            assert_settled(ROWS);
            teardown(state);
            setup(state);
        }
    }
}

/* A pass that changes nothing says what waits, and writes nothing. */
static void dry_runs_foresee_it(void **state)
{
    static const enum test_kind kinds[] = {TEST_PLAN, TEST_GC_PLAN};
    struct lith_job_options options = options_of_test();

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    uint64_t before = test_folder_state();
    for (size_t i = 0; i < 2; i++) {
        struct lith_partition_report report = test_must(kinds[i], &options);
        assert_int_equal(report.state, LITH_PARTITION_PENDING);
        assert_non_null(strstr(report.reason, "cut off"));
    }
    assert_int_equal(test_folder_state(), before);
    assert_int_equal(journals(), 1);
}

/* P9: the partition is blocked with the name of the journal, again and again; nothing goes. */
static void assert_blocked(const char *says)
{
    static const enum test_kind kinds[] = {TEST_COMPACT, TEST_GC, TEST_ADOPT, TEST_COMPACT};
    struct lith_job_options options = options_of_test();
    char name[300];

    assert_int_equal(state_names(".json", name), 1);
    uint64_t before = test_folder_state();
    for (size_t i = 0; i < 4; i++) {
        struct lith_partition_report report = test_must(kinds[i], &options);
        if (report.state != LITH_PARTITION_BLOCKED || !strstr(report.reason, says))
            fail_msg("job %d: state %d: %s (not: %s)", (int)kinds[i], (int)report.state,
                     report.reason, says);
        if (!strstr(report.reason, "manifest.json:"))
            assert_non_null(strstr(report.reason, name));
        assert_int_equal(test_folder_state(), before);
    }
    assert_int_equal(journals(), 1);
}

static void journal_write(const char *text)
{
    char name[300];
    char at[400];

    assert_int_equal(state_names(".json", name), 1);
    (void)snprintf(at, sizeof(at), STATE "/%s", name);
    test_file_write(dir_fd, at, text);
}

static void what_cannot_be_read_blocks(void **state)
{
    static const char *const texts[] = {"", "{", "[]", "{\"format\": 1}", "{\"format\": 2}"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fresh_make();
        cut_at(i % 2 ? "committed" : "output-durable", 1);
        journal_write(texts[i]);
        assert_blocked("nothing is done here until it is restored");
        teardown(state);
        setup(state);
    }
}

static void without_its_manifest_it_blocks(void **state)
{
    for (unsigned late = 0; late < 2; late++) {
        fresh_make();
        cut_at(late ? "committed" : "output-durable", 1);
        assert_int_equal(unlinkat(dir_fd, LITH_MANIFEST_NAME, 0), 0);
        assert_blocked("there is no manifest");
        teardown(state);
        setup(state);
    }
    fresh_make();
    cut_at("committed", 1);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, "{\"generation\": 1, \"files\": []}");
    assert_blocked("another program's");
}

/* A manifest that was put in place by somebody: of another life of the partition, or older. */
static void another_manifest_blocks(void **state)
{
    struct lith_job_options options = options_of_test();
    static char old[16384];

    fresh_make();
    (void)test_must(TEST_ADOPT, &options);
    int fd = openat(dir_fd, LITH_MANIFEST_NAME, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, old, sizeof(old) - 1) > 0);
    (void)close(fd);
    cut_at("output-durable", 1);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, old);
    assert_blocked("older than its job");
    memcpy(strstr(old, "\"pid\": \"") + 8, "00000000", 8);
    test_file_write(dir_fd, LITH_MANIFEST_NAME, old);
    assert_blocked("another manifest");
    (void)state;
}

static void object_find(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    char *name = ctx;

    (void)folder;
    for (size_t i = 0; i < view->snapshot.file_count; i++) {
        struct lith_output_name parts;
        if (lith_output_name_parse(view->snapshot.files[i].name, &parts))
            (void)snprintf(name, 100, "%s", view->snapshot.files[i].name);
    }
}

/* P10, A15: an output whose bytes changed under its identity is no reason to delete anything. */
static void with_another_output_nothing_goes(void **state)
{
    char name[100] = "";
    struct stat st;

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    test_look(object_find, name);
    assert_int_equal(fstatat(dir_fd, name, &st, 0), 0);
    int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "damage", 6, 40), 6);
    struct timespec times[2] = {st.st_atim, st.st_mtim};
    assert_int_equal(futimens(fd, times), 0);
    (void)close(fd);
    struct lith_job_options options = options_of_test();
    uint64_t before = test_folder_state();
    for (unsigned i = 0; i < 2; i++) {
        struct lith_partition_report report = test_must(TEST_COMPACT, &options);
        assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        assert_non_null(strstr(report.reason, "has the crc32"));
        assert_int_equal(test_folder_state(), before);
    }
    assert_int_equal(inputs_left(), 6);
}

/* P10: the output is gone, the inputs are all there is: they stay. */
static void without_its_output_nothing_goes(void **state)
{
    char name[100] = "";

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    test_look(object_find, name);
    assert_int_equal(unlinkat(dir_fd, name, 0), 0);
    struct lith_job_options options = options_of_test();
    uint64_t before = test_folder_state();
    for (unsigned i = 0; i < 2; i++) {
        struct lith_partition_report report = test_must(TEST_COMPACT, &options);
        assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        assert_non_null(strstr(report.reason, "missing"));
        assert_int_equal(test_folder_state(), before);
    }
    assert_int_equal(journals(), 1);
}

/* An output that was never committed, and of whose inputs one is gone: it may hold the only copy.
 */
static void without_an_input_the_output_stays(void **state)
{
    (void)state;
    fresh_make();
    cut_at("output-durable", 2);
    assert_int_equal(unlinkat(dir_fd, "f0002.parquet", 0), 0);
    struct lith_job_options options = options_of_test();
    for (unsigned i = 0; i < 2; i++) {
        struct lith_partition_report report = test_must(TEST_COMPACT, &options);
        assert_int_equal(report.state, LITH_PARTITION_BLOCKED);
        assert_non_null(strstr(report.reason, "missing"));
    }
    assert_int_equal(test_names("_e2.parquet"), 2);
    assert_int_equal(journals(), 1);
}

/* P10: a file that is not the one that was merged stays, and its rows come alive. */
static void an_input_that_changed_stays(void **state)
{
    struct lith_job_options options = options_of_test();
    struct test_parquet other = {.begin = ROWS, .rows = 10, .age_s = 3600};

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    test_parquet_write(dir_fd, "f0003.parquet", &other);
    (void)test_must(TEST_GC, &options);
    assert_int_equal(journals(), 0);
    assert_true(test_file_exists(dir_fd, "f0003.parquet"));
    assert_int_equal(inputs_left(), 1);
    (void)globbed(ROWS + 10, 1);
    (void)test_must(TEST_COMPACT, &options);
    assert_settled(ROWS + 10);
}

/* Somebody writes under the name of an input while it is to be deleted. */
static void writer_hook(const char *step)
{
    struct test_parquet other = {.begin = ROWS, .rows = 10, .age_s = 3600};

    if (!still_at || strcmp(step, still_at) != 0)
        return;
    still_at = NULL;
    test_parquet_write(dir_fd, "f0003.parquet", &other);
}

/* P10: the delete takes what was merged, and gives anything else its name back. */
static void an_input_that_changes_under_the_deletes_stays(void **state)
{
    static const char *const steps[] = {"committed", "fenced", "delete-unlinked"};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        fresh_make();
        still_at = steps[i];
        test_hook = writer_hook;
        must_run(TEST_COMPACT);
        test_hook = NULL;
        assert_null(still_at);
        assert_true(test_file_exists(dir_fd, "f0003.parquet"));
        assert_int_equal(inputs_left(), 1);
        must_run(TEST_COMPACT);
        assert_settled(ROWS + 10);
        teardown(state);
        setup(state);
    }
}

/* The names a journal gives mean nothing where the manifest knows better. */
static void what_is_live_again_stays(void **state)
{
    struct lith_job_options options = options_of_test();
    struct lith_job_options other = options;

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    other.readers = LITH_READERS_MANIFEST; /* a hand that goes round the rule */
    test_journals_stale = true;
    (void)test_must(TEST_ROLLBACK, &other);
    test_journals_stale = false;
    (void)test_must(TEST_GC, &options);
    assert_int_equal(journals(), 0);
    (void)test_rows(ROWS);
    assert_int_equal(inputs_left(), 6);
}

/* Case x: a pass that began before the journal was there knows nothing of it. */
static void two_journals_of_one_partition(void **state)
{
    static const char *const steps[] = {LITH_JOB_STEP_JOURNALED, "output-durable", "committed",
                                        "fenced"};
    struct lith_job_options options = options_of_test();

    for (size_t first = 0; first < 4; first++) {
        for (size_t second = 0; second < 4; second++) {
            fresh_make();
            cut_at(steps[first], 1);
            test_files(6, 6, FILE_ROWS);
            test_journals_stale = true;
            cut_at(steps[second], 1);
            test_journals_stale = false;
            assert_int_equal(journals(), 2);
            (void)test_rows(2 * ROWS);
            struct lith_partition_report report = test_must(TEST_GC, &options);
            if (report.state != LITH_PARTITION_LEFT)
                fail_msg("%s, then %s: %s", steps[first], steps[second], report.reason);
            assert_settled(2 * ROWS);
            teardown(state);
            setup(state);
        }
    }
}

/* A store without locks: whoever asks gets one, as after a lease that ran out. */
static struct lith_store_ops free_ops;

static enum lith_code free_lock(struct lith_folder *folder, enum lith_lock_wait wait,
                                struct lith_err *e)
{
    (void)folder;
    (void)wait;
    (void)e;
    return LITH_OK;
}

static void free_unlock(struct lith_folder *folder)
{
    (void)folder;
}

static void locks_free(struct lith_store *store)
{
    free_ops = *store->ops;
    free_ops.lock = free_lock;
    free_ops.unlock = free_unlock;
    store->ops = &free_ops;
}

/* What somebody else does once, while a job stands still at `still_at`. */
static enum test_kind still_kind;

static void still_hook(const char *step)
{
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;

    if (!still_at || strcmp(step, still_at) != 0)
        return;
    still_at = NULL;
    if (test_job(still_kind, &options, &report) != LITH_OK)
        fail_msg("the other one: %s", err.text);
}

/* Case x: a recovery takes a slow job for dead, before, between and after its outputs. */
static void a_recovery_under_a_slow_job(void **state)
{
    static const char *const steps[] = {LITH_JOB_STEP_JOURNALED,
                                        "output-publish",
                                        "output-durable",
                                        "put-locked",
                                        "committed",
                                        "fenced",
                                        "delete-renamed"};
    static const enum test_kind kinds[] = {TEST_GC, TEST_COMPACT};
    struct lith_partition_report report;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        for (size_t j = 0; j < 2; j++) {
            fresh_make();
            must_run(TEST_ADOPT);
            test_store_change = locks_free;
            still_at = steps[i];
            still_kind = kinds[j];
            test_hook = still_hook;
            enum lith_code code = run(TEST_COMPACT, &report);
            test_hook = NULL;
            test_store_change = NULL;
            assert_null(still_at);
            if (code != LITH_OK && code != LITH_E_CONFLICT && code != LITH_E_IO)
                fail_msg("%s: %s", steps[i], err.text);
            (void)test_rows(ROWS);
            (void)globbed(ROWS, 2);
            must_run(TEST_COMPACT);
            assert_settled(ROWS);
            teardown(state);
            setup(state);
        }
    }
}

/* Deletes of one name are refused. */
static struct lith_store_ops refusing_ops;
static const struct lith_store_ops *refusing_below;
static const char *refused_name;

static enum lith_code refusing_delete_if(struct lith_folder *folder,
                                         const struct lith_object *object, struct lith_err *e)
{
    if (strcmp(object->name, refused_name) == 0)
        return lith_fail(e, LITH_E_DENIED, "delete %s: refused", object->name);
    return refusing_below->delete_if(folder, object, e);
}

static void deletes_refuse(struct lith_store *store)
{
    refusing_below = store->ops;
    refusing_ops = *store->ops;
    refusing_ops.delete_if = refusing_delete_if;
    store->ops = &refusing_ops;
}

static void generation_take(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    uint64_t *generation = ctx;

    (void)folder;
    *generation = view->manifest.generation;
}

static uint64_t generation(void)
{
    uint64_t found = 0;

    test_look(generation_take, &found);
    return found;
}

/* ARC.4, A19: what cannot be deleted is pending; the rest goes; nothing is committed in vain. */
static void a_delete_that_fails_is_pending(void **state)
{
    struct lith_partition_report report;
    uint64_t first = 0;

    (void)state;
    fresh_make();
    refused_name = "f0003.parquet";
    test_store_change = deletes_refuse;
    for (unsigned pass = 0; pass < 5; pass++) {
        MUST(run(TEST_COMPACT, &report));
        assert_int_equal(report.state, LITH_PARTITION_PENDING);
        assert_non_null(strstr(report.reason, "f0003.parquet"));
        assert_int_equal(report.deleted, pass == 0 ? 5 : 0);
        assert_true(report.held_bytes > 0);
        assert_int_equal(journals(), 1);
        first = pass == 0 ? generation() : first;
        assert_int_equal(generation(), first);
        assert_int_equal(inputs_left(), 1);
        (void)test_rows(ROWS);
    }
    test_store_change = NULL;
    MUST(run(TEST_COMPACT, &report));
    assert_int_equal(report.state, LITH_PARTITION_LEFT);
    assert_int_equal(report.deleted, 1);
    assert_settled(ROWS);
}

static bool log_has(const struct lith_manifest *m, enum lith_op op)
{
    for (size_t i = 0; i < m->log_count; i++) {
        if (m->log[i].op == op)
            return true;
    }
    return false;
}

struct log_seen {
    bool has_compact;
    size_t count;
};

static void log_look(struct lith_folder *folder, const struct lith_view *view, void *ctx)
{
    struct log_seen *seen = ctx;

    (void)folder;
    seen->has_compact = log_has(&view->manifest, LITH_OP_COMPACT);
    seen->count = view->manifest.log_count;
}

/* Commits by passes that know of no journal: each file is named, and taken out again. */
static void commits_make(unsigned first, unsigned count)
{
    char name[32];

    for (unsigned i = first; i < first + count; i++) {
        struct test_parquet file = {.begin = 10000, .rows = 1, .age_s = 3600};
        (void)snprintf(name, sizeof(name), "x%04u.parquet", i);
        test_parquet_write(dir_fd, name, &file);
        test_retired[0] = name;
        test_retired_count = 1;
        must_run(TEST_RETIRE);
    }
}

/* The entry of a commit stays in the log while its journal is there, and no longer. */
static void no_commit_leaves_the_log_before_its_journal(void **state)
{
    struct log_seen seen = {0};
    unsigned count = LITH_LOG_COUNT_MIN / 2 + 10; /* two commits each */

    (void)state;
    fresh_make();
    cut_at("committed", 1);
    test_journals_stale = true;
    commits_make(0, count);
    test_look(log_look, &seen);
    assert_true(seen.has_compact);
    assert_true(seen.count > LITH_LOG_COUNT_MIN);
    test_journals_stale = false;
    must_run(TEST_GC);
    assert_settled(ROWS);
    commits_make(count, 1);
    test_look(log_look, &seen);
    assert_false(seen.has_compact);
    assert_int_equal(seen.count, LITH_LOG_COUNT_MIN);
}

/* Objects are seen as soon as they are sealed: the journal is there by then. */
static unsigned seals;

static void seal_hook(const char *step)
{
    char name[300];

    if (strcmp(step, "output-synced") != 0)
        return;
    assert_int_equal(state_names(".json", name), 1);
    seals++;
}

static void seal_shows(struct lith_store *store)
{
    store->seal_shows = true;
}

static void the_journal_comes_before_what_is_seen(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    fresh_make();
    two_outputs(&options);
    test_hook = seal_hook;
    test_store_change = seal_shows;
    seals = 0;
    assert_int_equal(test_must(TEST_COMPACT, &options).outputs, 2);
    assert_int_equal(seals, 2);
    assert_settled(ROWS);
}

/* What a put or a removal of a journal left goes with the next job. */
static void leftovers_of_journals_go(void **state)
{
    struct lith_job_options options = options_of_test();

    (void)state;
    fresh_make();
    (void)test_must(TEST_COMPACT, &options);
    test_file_write(dir_fd, STATE "/_00112233445566778899aabbccddeeff.json.tmp", "{");
    test_file_write(dir_fd, STATE "/_ffeeddccbbaa99887766554433221100.json.gone.tmp", "{");
    assert_int_equal(state_names("", NULL), 2);
    (void)test_must(TEST_COMPACT, &options);
    assert_settled(ROWS);
}

static void a_rollback_is_refused(void **state)
{
    struct lith_job_options options = options_of_test();
    struct lith_partition_report report;

    (void)state;
    fresh_make();
    (void)test_must(TEST_COMPACT, &options);
    assert_int_equal(test_job(TEST_ROLLBACK, &options, &report), LITH_E_INVALID);
    assert_non_null(strstr(err.text, "readers = glob"));
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_job_leaves_what_it_made_alone),
        T(the_next_job_finishes),
        T(every_kind_of_job_finishes),
        T(dry_runs_foresee_it),
        T(what_cannot_be_read_blocks),
        T(without_its_manifest_it_blocks),
        T(another_manifest_blocks),
        T(with_another_output_nothing_goes),
        T(without_its_output_nothing_goes),
        T(without_an_input_the_output_stays),
        T(an_input_that_changed_stays),
        T(an_input_that_changes_under_the_deletes_stays),
        T(what_is_live_again_stays),
        T(two_journals_of_one_partition),
        T(a_recovery_under_a_slow_job),
        T(a_delete_that_fails_is_pending),
        T(no_commit_leaves_the_log_before_its_journal),
        T(the_journal_comes_before_what_is_seen),
        T(leftovers_of_journals_go),
        T(a_rollback_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
