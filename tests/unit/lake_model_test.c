/*
 * Random histories of a partition on a real directory, against a model that is a set of rows.
 *
 * Writers add files and replay old ones; other processes adopt, fold, compact, collect and roll
 * back, are overtaken by each other, and are killed at any step. At every step both readers look:
 * the open rule shows every row exactly once; the strict rule shows no row twice and never loses
 * one that it has shown (P1, P2, P3, P10).
 */
#include "store_support.h"

#include "base/hash.h"
#include "lake/commit.h"
#include "lake/gc.h"

#define ROWS_MAX 8192
#define FILE_BYTES_MAX 65536
#define INPUTS_MAX 40
#define POLICY_HASH "0123456789abcdef0123456789abcdef"

static struct lith_err err;
static struct lith_mem mem;
static struct test_env env;       /* of the process that changes the lake */
static struct test_env quiet_env; /* of readers: no steps */
static struct lith_store *store;
static struct lith_store *quiet_store;
static char path[64];
static int dir_fd;
static uint64_t seed;

/* The model. */
static unsigned row_count;             /* rows 0 .. row_count are written and acknowledged */
static uint8_t strict_shown[ROWS_MAX]; /* by the strict rule, ever */
static bool step_checks;

/* What writers have sent. */
#define SENT_MAX 256
static struct sent {
    char name[32];
    unsigned first;
    unsigned rows;
} all_sent[SENT_MAX];
static size_t sent_count;

static int depth; /* of operations that overtake each other */

/* A data file's contents: its rows, and the inputs that it was made from. */
struct contents {
    uint64_t rows[ROWS_MAX];
    size_t row_count;
    char names[INPUTS_MAX][80];
    uint64_t sizes[INPUTS_MAX]; /* of the inputs */
    size_t name_count;
    uint32_t crc;
};

static uint64_t below(uint64_t n)
{
    return test_random(&seed) % n;
}

static enum lith_code contents_read(struct lith_folder *folder, const char *name,
                                    struct contents *c)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_blob blob;

    lith_arena_init(&arena, &mem);
    LITH_TRY(lith_folder_get(folder, name, FILE_BYTES_MAX, &arena, &blob, &err));
    c->row_count = 0;
    c->name_count = 0;
    c->crc = lith_crc32(0, blob.data, blob.bytes);
    char *save = NULL;
    char *text = (char *)(uintptr_t)blob.data;
    for (char *word = strtok_r(text, "\n", &save); word; word = strtok_r(NULL, "\n", &save)) {
        char *space = strchr(word, ' ');
        if (word[0] == 'i' && space) {
            *space = 0;
            c->sizes[c->name_count] = strtoull(space + 1, NULL, 10);
            (void)snprintf(c->names[c->name_count++], sizeof(c->names[0]), "%s", word + 1);
        } else
            c->rows[c->row_count++] = strtoull(word, NULL, 10);
    }
    return LITH_OK;
}

/* Reads by one rule. Returns a complaint, or NULL. */
static const char *look(enum lith_snapshot_mode mode, bool remember)
{
    static uint8_t seen[ROWS_MAX];
    static struct contents c;
    static char why[200];
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    memset(seen, 0, sizeof(seen));
    if (lith_folder_open(quiet_store, "", &folder, &err) != LITH_OK ||
        lith_view_take(folder, mode, &mem, &view, &err) != LITH_OK)
        return err.text;
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        if (!view.snapshot.files[i].live)
            continue;
        if (contents_read(folder, view.snapshot.files[i].name, &c) != LITH_OK)
            return err.text;
        for (size_t j = 0; j < c.row_count; j++) {
            if (seen[c.rows[j]]++) {
                (void)snprintf(why, sizeof(why), "mode %d: row %u twice, in %.80s", (int)mode,
                               (unsigned)c.rows[j], view.snapshot.files[i].name);
                return why;
            }
        }
    }
    bool adopted = lith_view_manifest(&view) != NULL;
    for (unsigned row = 0; row < row_count; row++) {
        bool must = mode == LITH_SNAPSHOT_OPEN || !adopted || strict_shown[row];
        if (must && !seen[row]) {
            (void)snprintf(why, sizeof(why), "mode %d: row %u is lost", (int)mode, row);
            return why;
        }
        if (remember && adopted)
            strict_shown[row] = seen[row];
    }
    return NULL;
}

static const char *look_both(void)
{
    const char *open = look(LITH_SNAPSHOT_OPEN, false);

    return open ? open : look(LITH_SNAPSHOT_STRICT, false);
}

/* At every step of a child; then perhaps the end of it. */
static void step(struct lith_env *base, const char *name)
{
    struct lith_err kept = err;

    if (step_checks) {
        const char *why = look_both();
        if (why) {
            (void)fprintf(stderr, "at %s: %s\n", name, why);
            _exit(88);
        }
    }
    err = kept;
    test_env_step(base, name);
}

static void stamp_now(struct lith_folder *folder, struct lith_stamp *stamp)
{
    int64_t now = 0;

    MUST(lith_folder_now(folder, &now, &err));
    lith_stamp_draw(&env.base, now, stamp);
}

static enum lith_put put(struct lith_folder *folder, const struct lith_view *view,
                         const struct lith_manifest *next)
{
    enum lith_put result = LITH_PUT_UNKNOWN;

    MUST(lith_commit_put(folder, &view->blob, next, &mem, &result, &err));
    assert_int_not_equal(result, LITH_PUT_UNKNOWN);
    return result;
}

static void op_adopt(struct lith_folder *folder)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_stamp stamp;
    struct lith_manifest next;
    char pid[LITH_PID_TEXT_BYTES];

    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    if (lith_view_manifest(&view))
        return;
    lith_pid_draw(&env.base, pid);
    struct lith_adopt adopt = {
        .manifest_name = LITH_MANIFEST_NAME, .pid = pid, .listing = &view.listing};
    stamp_now(folder, &stamp);
    MUST(lith_commit_adopt(NULL, &adopt, &stamp, &view.arena, &next, &err));
    (void)put(folder, &view, &next);
}

static struct lith_entry entry_of(const struct lith_object *object, const struct contents *c)
{
    return (struct lith_entry){.name = object->name,
                               .etag = object->etag,
                               .size = object->size,
                               .rows = c->row_count,
                               .crc32 = c->crc,
                               .has_rows = true,
                               .has_crc = true};
}

static void op_fold(struct lith_folder *folder)
{
    static struct contents c;
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_entry files[INPUTS_MAX];
    struct lith_entry again[INPUTS_MAX];
    struct lith_fold fold = {.files = files, .refreshed = again};
    struct lith_stamp stamp;
    struct lith_manifest next;

    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    if (!lith_view_manifest(&view))
        return;
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view.snapshot.files[i];
        bool other = file->state == LITH_FILE_RETIRED && file->object && file->differs;
        if (file->state != LITH_FILE_LATE && !other)
            continue;
        if (fold.file_count == INPUTS_MAX || fold.refreshed_count == INPUTS_MAX)
            break;
        MUST(contents_read(folder, file->name, &c));
        if (other && c.crc == file->entry->crc32 && c.row_count == file->entry->rows)
            again[fold.refreshed_count++] = entry_of(file->object, &c);
        else
            files[fold.file_count++] = entry_of(file->object, &c);
    }
    if (fold.file_count + fold.refreshed_count == 0)
        return;
    stamp_now(folder, &stamp);
    MUST(lith_commit_fold(&view.manifest, &fold, &stamp, &view.arena, &next, &err));
    (void)put(folder, &view, &next);
}

/* What a job has done before its commit. */
struct job {
    struct lith_arena arena;
    struct lith_entry inputs[INPUTS_MAX];
    size_t input_count;
    struct lith_entry outputs[2];
    size_t output_count;
    uint64_t epoch;
    struct lith_stamp stamp;
};

static void text_write(struct lith_sink *sink, const char *text)
{
    MUST(lith_sink_write(sink, text, strlen(text), &err));
}

/* Writes one output with the rows of inputs [begin, end) of the job. */
static void output_make(struct lith_folder *folder, struct lith_uuid_source *uuids, const char *pid,
                        struct job *job, size_t begin, size_t end)
{
    static struct contents c;
    char name[LITH_OUTPUT_NAME_BYTES];
    char line[120];
    const char *like[INPUTS_MAX];
    LITH_AUTO(output) struct lith_output *output = NULL;
    struct lith_output_options options = {.name = name, .like_names = like};
    struct lith_object object;
    uint64_t rows = 0;

    lith_output_name_make(uuids, pid, job->epoch, name);
    for (size_t i = begin; i < end; i++)
        like[options.like_count++] = job->inputs[i].name;
    MUST(lith_output_new(folder, &options, &output, &err));
    for (size_t i = begin; i < end; i++) {
        MUST(contents_read(folder, job->inputs[i].name, &c));
        for (size_t j = 0; j < c.row_count; j++, rows++) {
            (void)snprintf(line, sizeof(line), "%u\n", (unsigned)c.rows[j]);
            text_write(output->sink, line);
        }
        (void)snprintf(line, sizeof(line), "i%s %u\n", job->inputs[i].name,
                       (unsigned)job->inputs[i].size);
        text_write(output->sink, line);
    }
    MUST(lith_output_seal(output, &err));
    uint32_t crc = output->crc;
    MUST(lith_output_publish(output, &job->arena, &object, &err));
    job->outputs[job->output_count++] = (struct lith_entry){.name = object.name,
                                                            .etag = object.etag,
                                                            .size = object.size,
                                                            .rows = rows,
                                                            .crc32 = crc,
                                                            .has_rows = true,
                                                            .has_crc = true};
}

/* Commits on a view; false when somebody else came first. */
static bool job_commit(struct lith_folder *folder, struct lith_view *view, struct job *job)
{
    struct lith_compact compact = {.inputs = job->inputs,
                                   .input_count = job->input_count,
                                   .outputs = job->outputs,
                                   .output_count = job->output_count,
                                   .policy_hash = POLICY_HASH};
    struct lith_manifest next;

    MUST(lith_commit_compact(&view->manifest, &compact, &job->stamp, &view->arena, &next, &err));
    return put(folder, view, &next) == LITH_PUT_COMMITTED;
}

static void op_any(struct lith_folder *folder);

static void job_conflict(struct lith_folder *folder, struct job *job)
{
    LITH_AUTO(view) struct lith_view view = {0};
    const char *why = NULL;
    struct lith_attempt attempt = {.commit_id = job->stamp.commit_id,
                                   .epoch = job->epoch,
                                   .inputs = job->inputs,
                                   .input_count = job->input_count,
                                   .outputs = job->outputs,
                                   .output_count = job->output_count};

    MUST(lith_view_take_list_last(folder, &mem, &view, &err));
    if (lith_commit_judge(&view, &attempt, &why) == LITH_RETRY_AGAIN)
        (void)job_commit(folder, &view, job);
}

static void job_run(struct lith_folder *folder, struct lith_view *view, struct job *job)
{
    static struct contents c;
    struct lith_uuid_source uuids = {.env = lith_env_system()};

    for (size_t i = 0; i < view->snapshot.file_count && job->input_count < INPUTS_MAX; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        if (!file->live || !file->object || file->differs || below(3) == 0)
            continue;
        MUST(contents_read(folder, file->name, &c));
        job->inputs[job->input_count++] = entry_of(file->object, &c);
    }
    if (job->input_count < 2)
        return;
    job->epoch = view->manifest.epoch;
    stamp_now(folder, &job->stamp);
    size_t middle = below(2) ? job->input_count : job->input_count / 2;
    output_make(folder, &uuids, view->manifest.pid, job, 0, middle);
    if (middle < job->input_count)
        output_make(folder, &uuids, view->manifest.pid, job, middle, job->input_count);
    if (below(3) == 0 && depth < 2)
        op_any(folder); /* overtaken */
    if (!job_commit(folder, view, job))
        job_conflict(folder, job);
}

static void op_compact(struct lith_folder *folder)
{
    LITH_AUTO(view) struct lith_view before = {0};
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_stamp stamp;
    struct lith_manifest next;
    struct job job = {0};

    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &before, &err));
    if (!lith_view_manifest(&before))
        return;
    stamp_now(folder, &stamp);
    MUST(lith_commit_lease(&before.manifest, &stamp, &before.arena, &next, &err));
    if (put(folder, &before, &next) != LITH_PUT_COMMITTED)
        return;
    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    lith_arena_init(&job.arena, &mem);
    job_run(folder, &view, &job);
    lith_arena_done(&job.arena);
}

/* What the orphans of a view say that they were made from; now and then one cannot be read. */
static size_t orphans_read(struct lith_folder *folder, struct lith_view *view, bool all,
                           struct lith_orphan_inputs orphans[INPUTS_MAX])
{
    static struct contents c;
    size_t count = 0;

    for (size_t i = 0; i < view->snapshot.file_count && count < INPUTS_MAX; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        void *block = NULL;
        if (file->state != LITH_FILE_ORPHAN || (!all && below(8) == 0))
            continue;
        if (contents_read(folder, file->name, &c) != LITH_OK)
            continue; /* deleted by another process meanwhile */
        MUST(lith_arena_array(&view->arena, c.name_count, sizeof(char *), &block, &err));
        const char **names = block;
        MUST(lith_arena_copy(&view->arena, c.sizes, c.name_count * sizeof(c.sizes[0]), &block,
                             &err));
        const uint64_t *sizes = block;
        for (size_t j = 0; j < c.name_count; j++) {
            void *copy = NULL;
            MUST(lith_arena_copy(&view->arena, c.names[j], strlen(c.names[j]), &copy, &err));
            names[j] = copy;
        }
        orphans[count++] = (struct lith_orphan_inputs){.name = file->name,
                                                       .known = true,
                                                       .inputs = names,
                                                       .sizes = sizes,
                                                       .input_count = c.name_count};
    }
    return count;
}

static void gc_clean(struct lith_folder *folder, bool all)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_orphan_inputs orphans[INPUTS_MAX];
    struct lith_gc_policy policy = {.bytes_max = UINT64_MAX};
    struct lith_gc_plan plan;
    struct lith_stamp stamp;
    struct lith_manifest next;
    bool changed = false;

    MUST(lith_view_take_list_last(folder, &mem, &view, &err));
    size_t count = orphans_read(folder, &view, all, orphans);
    stamp_now(folder, &stamp);
    if (lith_gc_plan(&view, orphans, count, &policy, stamp.at_ns, &view.arena, &plan, &err) !=
        LITH_OK)
        return;
    struct lith_clean clean = {.listing = &view.listing,
                               .kept = plan.kept,
                               .kept_count = plan.kept_count,
                               .keep_all = plan.keep_all,
                               .replay_window_ns = INT64_MAX / 2};
    MUST(lith_commit_clean(&view.manifest, &clean, &stamp, &view.arena, &changed, &next, &err));
    if (changed)
        (void)put(folder, &view, &next);
}

static void gc_run(struct lith_folder *folder, bool all)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_gc_policy policy = {.bytes_max = all || below(2) ? UINT64_MAX : 200};
    struct lith_gc_plan plan;
    struct lith_stamp stamp;
    struct lith_manifest next;
    void *block;

    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    if (!lith_view_manifest(&view))
        return;
    MUST(lith_arena_array(&view.arena, INPUTS_MAX, sizeof(struct lith_orphan_inputs), &block,
                          &err)); /* op_any comes back here: they are not all on the stack */
    struct lith_orphan_inputs *orphans = block;
    size_t count = orphans_read(folder, &view, all, orphans);
    stamp_now(folder, &stamp);
    MUST(lith_gc_plan(&view, orphans, count, &policy, stamp.at_ns, &view.arena, &plan, &err));
    if (plan.delete_count) {
        MUST(lith_commit_fence(&view.manifest, plan.fence_names, plan.fence_count, &stamp,
                               &view.arena, &next, &err));
        if (put(folder, &view, &next) != LITH_PUT_COMMITTED)
            return;
        if (!all && below(4) == 0 && depth < 2)
            op_any(folder); /* overtaken between the fence and the deletes */
        for (size_t i = 0; i < plan.item_count; i++) {
            if (plan.items[i].verdict != LITH_GC_DELETE)
                continue;
            enum lith_code code = lith_folder_delete_if(folder, &plan.items[i].target, &err);
            assert_true(code == LITH_OK || code == LITH_E_NOT_FOUND || code == LITH_E_CONFLICT);
        }
        MUST(lith_folder_deletes_end(folder, &err));
    }
    gc_clean(folder, all);
}

static void op_gc(struct lith_folder *folder)
{
    gc_run(folder, false);
}

static void op_rollback(struct lith_folder *folder)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_stamp stamp;
    struct lith_manifest next;

    MUST(lith_view_take_list_last(folder, &mem, &view, &err));
    if (!lith_view_manifest(&view))
        return;
    stamp_now(folder, &stamp);
    if (lith_commit_rollback(&view.manifest, &view.listing, &stamp, &view.arena, &next, &err) ==
        LITH_OK)
        (void)put(folder, &view, &next);
}

static void op_any(struct lith_folder *folder)
{
    static void (*const ops[])(struct lith_folder *) = {op_adopt, op_fold,    op_fold, op_compact,
                                                        op_gc,    op_compact, op_gc,   op_rollback};

    depth++;
    ops[below(sizeof(ops) / sizeof(ops[0]))](folder);
    depth--;
}

static void sent_write(const struct sent *sent)
{
    char text[100] = "";
    size_t bytes = 0;

    for (unsigned i = 0; i < sent->rows; i++)
        bytes += (size_t)snprintf(text + bytes, sizeof(text) - bytes, "%u\n", sent->first + i);
    test_file_write(dir_fd, "writing.tmp", text);
    assert_int_equal(renameat(dir_fd, "writing.tmp", dir_fd, sent->name), 0);
}

/* A writer: rows under a new name, visible at once. */
static void write_rows(void)
{
    struct sent *sent = &all_sent[sent_count];

    if (sent_count == SENT_MAX)
        return;
    *sent = (struct sent){.first = row_count, .rows = 1 + (unsigned)below(4)};
    (void)snprintf(sent->name, sizeof(sent->name), "w%06u.parquet", row_count);
    sent_write(sent);
    row_count += sent->rows;
    sent_count++;
}

/* A writer that sends a file again whose rows are in an output by now. */
static void write_again(void)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    if (sent_count == 0)
        return;
    const struct sent *sent = &all_sent[below(sent_count)];
    MUST(lith_folder_open(quiet_store, "", &folder, &err));
    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    const struct lith_snapshot_file *file = lith_snapshot_find(&view.snapshot, sent->name);
    if (!file || file->state == LITH_FILE_RETIRED || file->state == LITH_FILE_GONE)
        sent_write(sent);
}

/* One operation in a process of its own, which may be killed at some step. */
static void run_child(uint64_t crash_at)
{
    uint64_t child_seed = test_random(&seed);
    pid_t pid = fork();

    if (pid == 0) {
        struct lith_folder *folder = NULL;
        test_env_init(&env, child_seed);
        env.base.step = step;
        env.crash_at = crash_at;
        seed = child_seed;
        step_checks = true;
        if (lith_folder_open(store, "", &folder, &err) != LITH_OK)
            _exit(9);
        op_any(folder);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != TEST_CRASHED))
        fail_msg("an operation ended with status %x", (unsigned)status);
}

static void history_begin(void)
{
    struct lith_local_options options = {.root = path};

    row_count = 0;
    sent_count = 0;
    memset(strict_shown, 0, sizeof(strict_shown));
    lith_mem_init(&mem, SIZE_MAX, NULL);
    test_env_init(&env, 1);
    test_env_init(&quiet_env, 2);
    test_folder_make(path, &dir_fd);
    MUST(lith_local_open(&options, &env.base, &mem, &store, &err));
    MUST(lith_local_open(&options, &quiet_env.base, &mem, &quiet_store, &err));
}

static void history_end(void)
{
    lith_store_close(store);
    lith_store_close(quiet_store);
    test_folder_remove(path, dir_fd);
    lith_mem_done(&mem);
}

static void every_row_is_seen_once(void **state)
{
    (void)state;
    seed = test_seed();
    for (int history = 0; history < 12; history++) {
        history_begin();
        for (int i = 0; i < 60; i++) {
            uint64_t what = below(10);
            if (what < 4)
                write_rows();
            else if (what < 5)
                write_again();
            else
                run_child(below(2) ? 1 + below(40) : 0);
            const char *why = look_both();
            if (why)
                fail_msg("history %d, move %d: %s", history, i, why);
            assert_null(look(LITH_SNAPSHOT_STRICT, true));
        }
        history_end();
    }
}

static void leftovers_check(struct lith_folder *folder)
{
    LITH_AUTO(view) struct lith_view view = {0};

    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    assert_int_equal(view.snapshot.state_count[LITH_FILE_ORPHAN], 0);
    assert_int_equal(view.snapshot.state_count[LITH_FILE_OUR_TMP], 0);
    assert_int_equal(view.snapshot.state_count[LITH_FILE_GONE_TMP], 0);
    assert_int_equal(view.snapshot.state_count[LITH_FILE_RETIRED], 0);
    assert_int_equal(view.manifest.retired_count, 0);
    assert_int_equal(view.manifest.condemned_count, 0);
}

/* In the end nothing is left but live files: gc collects what crashes left behind. */
static void leftovers_are_reclaimed(void **state)
{
    struct lith_folder *folder = NULL;

    (void)state;
    seed = test_seed();
    history_begin();
    for (int i = 0; i < 80; i++) {
        if (below(3) == 0)
            write_rows();
        run_child(1 + below(40));
    }
    MUST(lith_folder_open(store, "", &folder, &err));
    op_adopt(folder);
    op_fold(folder); /* an orphan stays as long as an input of it is not in the manifest */
    for (int i = 0; i < 3; i++)
        gc_run(folder, true);
    leftovers_check(folder);
    assert_null(look_both());
    lith_folder_close(folder);
    history_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_seen_once),
        cmocka_unit_test(leftovers_are_reclaimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
