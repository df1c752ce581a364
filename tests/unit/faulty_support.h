/*
 * A store whose N-th verb fails: before it has done anything, or after, with an answer that says
 * nothing of it.
 */
#ifndef LITH_TESTS_FAULTY_SUPPORT_H
#define LITH_TESTS_FAULTY_SUPPORT_H

#include "job_support.h"

enum test_fault {
    FAULT_BEFORE,    /* IO, and nothing was done */
    FAULT_TRANSIENT, /* likewise, but it may be tried again */
    FAULT_DONE,      /* a write was done; the answer is TRANSIENT */
    FAULT_LOST,      /* a write was done; the answer is IO */
    FAULT_COUNT,
    FAULT_TAKEN, /* it does not fail: somebody has just taken the manifest away */
};

static const struct lith_store_ops *faulty_below;
static struct lith_store_ops faulty_ops;
static enum test_fault faulty_kind;
static uint64_t faulty_at;     /* the call that fails, from 1; 0: none */
static uint64_t faulty_calls;  /* of all verbs */
static uint64_t faulty_writes; /* of those that change something, or may */

static inline bool faulty_due(bool writes)
{
    faulty_writes += writes;
    if (++faulty_calls != faulty_at)
        return false;
    if (faulty_kind == FAULT_TAKEN)
        (void)unlinkat(dir_fd, "manifest.json", 0);
    return faulty_kind != FAULT_TAKEN;
}

static inline enum lith_code faulty_fail(struct lith_err *e)
{
    bool again = faulty_kind == FAULT_TRANSIENT || faulty_kind == FAULT_DONE;

    return lith_fail(e, again ? LITH_E_TRANSIENT : LITH_E_IO, "injected");
}

/* What a verb that writes comes to. */
static inline enum lith_code faulty_end(bool due, enum lith_code code, struct lith_err *e)
{
    return due && code == LITH_OK ? faulty_fail(e) : code;
}

static inline bool faulty_skips(bool due)
{
    return due && faulty_kind <= FAULT_TRANSIENT;
}

static enum lith_code faulty_folder_open(struct lith_store *store, const char *at,
                                         struct lith_folder **ret_folder, struct lith_err *e)
{
    return faulty_due(false) ? faulty_fail(e) : faulty_below->folder_open(store, at, ret_folder, e);
}

static enum lith_code faulty_lock(struct lith_folder *folder, enum lith_lock_wait wait,
                                  struct lith_err *e)
{
    return faulty_due(true) ? faulty_fail(e) : faulty_below->lock(folder, wait, e);
}

static enum lith_code faulty_now(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *e)
{
    return faulty_due(true) ? faulty_fail(e) : faulty_below->now(folder, ret_ns, e);
}

static enum lith_code faulty_list(struct lith_folder *folder, struct lith_arena *arena,
                                  struct lith_listing *ret_listing, struct lith_err *e)
{
    return faulty_due(false) ? faulty_fail(e) : faulty_below->list(folder, arena, ret_listing, e);
}

static enum lith_code faulty_head(struct lith_folder *folder, const char *name,
                                  struct lith_arena *arena, struct lith_object *ret_object,
                                  struct lith_err *e)
{
    return faulty_due(false) ? faulty_fail(e)
                             : faulty_below->head(folder, name, arena, ret_object, e);
}

static enum lith_code faulty_folder_make(struct lith_store *store, const char *at,
                                         struct lith_err *e)
{
    bool due = faulty_due(true);

    if (faulty_skips(due))
        return faulty_fail(e);
    return faulty_end(due, faulty_below->folder_make(store, at, e), e);
}

static enum lith_code faulty_get(struct lith_folder *folder, const char *name, size_t limit,
                                 struct lith_arena *arena, struct lith_blob *ret_blob,
                                 struct lith_err *e)
{
    return faulty_due(false) ? faulty_fail(e)
                             : faulty_below->get(folder, name, limit, arena, ret_blob, e);
}

static enum lith_code faulty_source_open(struct lith_folder *folder,
                                         const struct lith_object *object,
                                         struct lith_source **ret_source, struct lith_err *e)
{
    return faulty_due(false) ? faulty_fail(e)
                             : faulty_below->source_open(folder, object, ret_source, e);
}

static enum lith_code faulty_put_if(struct lith_folder *folder, const char *name,
                                    const struct lith_blob *expected, struct lith_content *body,
                                    struct lith_err *e)
{
    bool due = faulty_due(true);

    if (faulty_skips(due))
        return faulty_fail(e);
    return faulty_end(due, faulty_below->put_if(folder, name, expected, body, e), e);
}

static enum lith_code faulty_output_new(struct lith_folder *folder,
                                        const struct lith_output_options *options,
                                        struct lith_output **ret_output, struct lith_err *e)
{
    return faulty_due(true) ? faulty_fail(e)
                            : faulty_below->output_new(folder, options, ret_output, e);
}

static enum lith_code faulty_output_seal(struct lith_output *output, struct lith_err *e)
{
    return faulty_due(true) ? faulty_fail(e) : faulty_below->output_seal(output, e);
}

static enum lith_code faulty_output_publish(struct lith_output *output, struct lith_arena *arena,
                                            struct lith_object *ret_object, struct lith_err *e)
{
    bool due = faulty_due(true);

    if (faulty_skips(due))
        return faulty_fail(e);
    return faulty_end(due, faulty_below->output_publish(output, arena, ret_object, e), e);
}

static enum lith_code faulty_delete_if(struct lith_folder *folder, const struct lith_object *object,
                                       struct lith_err *e)
{
    bool due = faulty_due(true);

    if (faulty_skips(due))
        return faulty_fail(e);
    return faulty_end(due, faulty_below->delete_if(folder, object, e), e);
}

static enum lith_code faulty_deletes_end(struct lith_folder *folder, struct lith_err *e)
{
    return faulty_due(true) ? faulty_fail(e) : faulty_below->deletes_end(folder, e);
}

/* For test_store_change. */
static inline void faulty_change(struct lith_store *store)
{
    faulty_below = store->ops;
    faulty_ops = *store->ops;
    faulty_ops.folder_open = faulty_folder_open;
    faulty_ops.lock = faulty_lock;
    faulty_ops.now = faulty_now;
    faulty_ops.list = faulty_list;
    faulty_ops.head = faulty_head;
    faulty_ops.folder_make = faulty_folder_make;
    faulty_ops.get = faulty_get;
    faulty_ops.source_open = faulty_source_open;
    faulty_ops.put_if = faulty_put_if;
    faulty_ops.output_new = faulty_output_new;
    faulty_ops.output_seal = faulty_output_seal;
    faulty_ops.output_publish = faulty_output_publish;
    faulty_ops.delete_if = faulty_delete_if;
    faulty_ops.deletes_end = faulty_deletes_end;
    store->ops = &faulty_ops;
    faulty_calls = 0;
    faulty_writes = 0;
}

/* What a walk over failures needs to know of a job. */
struct test_walk {
    void (*make)(void);  /* the partition, in an empty folder */
    enum test_kind kind; /* the job */
    /* After a run: fails the test unless the partition is as before it, or as after a whole one;
     * `done`: only the latter. */
    void (*check)(bool done);
    /* INVALID is as good as OK, for what cannot be done a second time. */
    bool once;
};

static inline bool test_walk_is_done(const struct test_walk *walk, enum lith_code code)
{
    return code == LITH_OK || (walk->once && code == LITH_E_INVALID);
}

/* One job in the partition as it is, over a faulty store or without memory; then a whole one, which
 * puts right what the other left. */
static inline bool test_walk_step(const struct test_walk *walk,
                                  const struct lith_job_options *options, struct lith_mem *budget)
{
    struct lith_partition_report report;
    enum lith_code code = test_job_under(walk->kind, options, budget, &report);

    test_store_change = NULL;
    /* A job whose commit holds may have deletes left. */
    bool ended = code == LITH_OK && report.state != LITH_PARTITION_PENDING;
    walk->check(ended);
    code = test_job(walk->kind, options, &report);
    if (!test_walk_is_done(walk, code))
        fail_msg("after a failure: %s", err.text);
    walk->check(true);
    assert_int_equal(test_names(".tmp"), 0);
    return ended;
}

static inline void test_walk_again(const struct test_walk *walk)
{
    void *none = NULL;

    teardown(&none);
    setup(&none);
    walk->make();
}

/* Every verb fails in every way, the first, the second ... until a job comes to its end. */
static inline void test_walk_verbs(const struct test_walk *walk,
                                   const struct lith_job_options *options)
{
    for (int kind = 0; kind < FAULT_COUNT; kind++) {
        bool ended = false;
        bool reached = true;
        for (uint64_t n = 1; !ended || reached; n++) {
            test_walk_again(walk);
            faulty_kind = (enum test_fault)kind;
            faulty_at = n;
            test_store_change = faulty_change;
            ended = test_walk_step(walk, options, &mem);
            reached = faulty_calls >= n;
            assert_true(n < 500);
        }
        faulty_at = 0;
    }
}

/* Every allocation fails, the first, the second ... */
static inline void test_walk_allocations(const struct test_walk *walk,
                                         const struct lith_job_options *options)
{
    bool ended = false;

    for (int64_t n = 0; !ended; n++) {
        struct lith_mem budget;
        test_walk_again(walk);
        lith_mem_init(&budget, (size_t)64 << 20, NULL);
        atomic_store(&budget.fail_after, n);
        ended = test_walk_step(walk, options, &budget);
        lith_mem_done(&budget); /* asserts that nothing leaked */
        assert_true(n < 5000);
    }
}

/* A crash at every step, the first, the second ... */
static inline void test_walk_crashes(const struct test_walk *walk,
                                     const struct lith_job_options *options)
{
    struct lith_partition_report report;
    bool ended = false;

    for (uint64_t step = 1; !ended; step++) {
        int status = 0;
        test_walk_again(walk);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            env.steps = 0;
            env.crash_at = step;
            _exit(test_job(walk->kind, options, &report) == LITH_OK ? 0 : 9);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == TEST_CRASHED);
        ended = WEXITSTATUS(status) == 0;
        env.seed++; /* the child drew numbers that this process did not */
        walk->check(ended);
        enum lith_code code = test_job(walk->kind, options, &report);
        if (!test_walk_is_done(walk, code))
            fail_msg("after a crash at step %u: %s", (unsigned)step, err.text);
        walk->check(true);
        assert_true(step < 200);
    }
}

#endif
