/*
 * Thread pools: every task runs once, waiting waits for all, failures leave nothing behind.
 */
#include "support.h"

#include "base/limits.h"
#include "base/pool.h"

static struct lith_err err;

struct tally {
    struct lith_lock *lock;
    size_t count; /* below the lock */
    uint64_t sum;
};

struct job {
    struct tally *tally;
    uint64_t number;
    unsigned runs;
};

static void job_run(void *ctx)
{
    struct job *job = ctx;

    job->runs++;
    if (job->number % 64 == 0)
        (void)usleep(100);
    lith_lock_take(job->tally->lock);
    job->tally->count++;
    job->tally->sum += job->number;
    lith_lock_give(job->tally->lock);
}

static void every_task_runs_once(void **state)
{
    static const struct {
        unsigned threads;
        unsigned queue;
    } cases[] = {{1, 1}, {1, 100}, {4, 1}, {8, 3}, {3, 5000}};
    static struct job jobs[3000];
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct tally tally = {0};
        struct lith_pool *pool = NULL;

        MUST(lith_lock_new(&mem, &tally.lock, &err));
        MUST(lith_pool_new(&mem, cases[c].threads, cases[c].queue, &pool, &err));
        lith_pool_wait(pool); /* of nothing */
        for (size_t i = 0; i < 3000; i++) {
            jobs[i] = (struct job){.tally = &tally, .number = i};
            lith_pool_add(pool, job_run, &jobs[i]);
            if (i == 999) {
                lith_pool_wait(pool);
                assert_int_equal(tally.count, 1000); /* nothing runs: no lock needed */
            }
        }
        if (c % 2)
            lith_pool_wait(pool);
        lith_pool_free(pool); /* waits too */
        assert_int_equal(tally.count, 3000);
        assert_int_equal(tally.sum, 3000 * 2999 / 2);
        for (size_t i = 0; i < 3000; i++)
            assert_int_equal(jobs[i].runs, 1);
        lith_lock_free(tally.lock);
    }
    lith_pool_free(NULL);
    lith_lock_free(NULL);
    lith_mem_done(&mem);
}

struct slow {
    _Atomic bool started;
    _Atomic bool ended;
};

static void slow_run(void *ctx)
{
    struct slow *slow = ctx;

    atomic_store(&slow->started, true);
    (void)usleep(20000);
    atomic_store(&slow->ended, true);
}

/* The queue is empty, yet a task runs: waiting is not over. */
static void waiting_includes_running_tasks(void **state)
{
    struct slow slow = {0};
    struct lith_mem mem;
    struct lith_pool *pool = NULL;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    MUST(lith_pool_new(&mem, 2, 4, &pool, &err));
    lith_pool_add(pool, slow_run, &slow);
    while (!atomic_load(&slow.started))
        (void)usleep(100);
    lith_pool_wait(pool);
    assert_true(atomic_load(&slow.ended));
    lith_pool_free(pool);
    lith_mem_done(&mem);
}

struct shared_memory {
    struct lith_mem *mem;
    _Atomic size_t refused;
};

static void memory_take(void *ctx)
{
    struct shared_memory *shared = ctx;
    struct lith_err task_err;
    void *block;

    for (int i = 0; i < 200; i++) {
        if (lith_alloc(shared->mem, 1000, &block, &task_err) != LITH_OK) {
            atomic_fetch_add(&shared->refused, 1);
            continue;
        }
        memset(block, i, 1000);
        lith_free(block);
    }
}

/* Budgets are shared between threads: never above the limit, nothing lost. */
static void budgets_hold_between_threads(void **state)
{
    struct lith_mem process;
    struct lith_mem parent;
    struct lith_mem mem;
    struct shared_memory shared = {.mem = &mem};
    struct lith_pool *pool = NULL;

    (void)state;
    lith_mem_init(&process, SIZE_MAX, NULL);
    lith_mem_init(&parent, 3000, NULL);
    lith_mem_init(&mem, SIZE_MAX, &parent);
    MUST(lith_pool_new(&process, 8, 16, &pool, &err));
    for (int i = 0; i < 64; i++)
        lith_pool_add(pool, memory_take, &shared);
    lith_pool_free(pool);
    assert_true(parent.peak <= 3000);
    assert_true(parent.peak >= 1016);
    lith_mem_done(&mem);
    lith_mem_done(&parent);
    lith_mem_done(&process);
}

static void impossible_pools_are_refused(void **state)
{
    struct lith_mem mem;
    struct lith_pool *pool = NULL;
    struct lith_lock *lock = NULL;

    (void)state;
    lith_mem_init(&mem, 100000, NULL);
    assert_int_equal(lith_pool_new(&mem, 0, 1, &pool, &err), LITH_E_LIMIT);
    assert_int_equal(lith_pool_new(&mem, LITH_THREADS_MAX + 1, 1, &pool, &err), LITH_E_LIMIT);
    assert_int_equal(lith_pool_new(&mem, 1, 0, &pool, &err), LITH_E_LIMIT);
    assert_int_equal(lith_pool_new(&mem, 1, UINT32_MAX, &pool, &err), LITH_E_LIMIT);
    for (int64_t n = 0; n < 2; n++) {
        atomic_store(&mem.fail_after, n);
        assert_int_equal(lith_pool_new(&mem, 2, 2, &pool, &err), LITH_E_NOMEM);
    }
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_lock_new(&mem, &lock, &err), LITH_E_NOMEM);
    assert_null(pool);
    assert_null(lock);
    lith_mem_done(&mem);
}

/* Tasks take turns, each waiting for the one before it. */
struct turns {
    struct lith_lock *lock;
    uint64_t turn;
};

struct turn {
    struct turns *turns;
    uint64_t number;
};

static void turn_run(void *ctx)
{
    struct turn *mine = ctx;
    struct turns *turns = mine->turns;

    lith_lock_take(turns->lock);
    while (turns->turn != mine->number)
        lith_lock_wait(turns->lock);
    turns->turn++;
    lith_lock_wake(turns->lock);
    lith_lock_give(turns->lock);
}

static void tasks_wait_for_each_other(void **state)
{
    struct turns turns = {.turn = 0};
    struct turn tasks[400];
    struct lith_pool *pool;
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    MUST(lith_lock_new(&mem, &turns.lock, &err));
    MUST(lith_pool_new(&mem, 4, 400, &pool, &err));
    for (size_t i = 0; i < 400; i++) { /* of each four threads the last one is first */
        tasks[i] = (struct turn){.turns = &turns, .number = i / 4 * 4 + 3 - i % 4};
        lith_pool_add(pool, turn_run, &tasks[i]);
    }
    lith_pool_free(pool);
    assert_int_equal(turns.turn, 400);
    lith_lock_free(turns.lock);
    lith_mem_done(&mem);
    assert_true(lith_pool_cores() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(waiting_includes_running_tasks),
        cmocka_unit_test(budgets_hold_between_threads),
        cmocka_unit_test(impossible_pools_are_refused),
        cmocka_unit_test(tasks_wait_for_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
