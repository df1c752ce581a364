/*
 * A thread pool: a ring of tasks under one mutex.
 *
 * Three conditions: room in the ring, work in the ring, nothing left to do. Workers block all
 * signals, so that those reach the program's own thread.
 */
#include "base/pool.h"

#include <string.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "base/limits.h"

struct task {
    void (*run)(void *ctx);
    void *ctx;
};

/* The ring holds tasks[first .. first + queued), modulo queue_max; all below the mutex. */
struct lith_pool {
    pthread_mutex_t mutex;
    pthread_cond_t has_room;
    pthread_cond_t has_work;
    pthread_cond_t is_idle;
    struct task *tasks;
    unsigned queue_max;
    unsigned first;
    unsigned queued;
    unsigned running;
    bool ending;
    unsigned thread_count;
    pthread_t threads[];
};

static void lock(pthread_mutex_t *mutex)
{
    int failed = pthread_mutex_lock(mutex);

    LITH_ASSERT(!failed);
}

static void unlock(pthread_mutex_t *mutex)
{
    int failed = pthread_mutex_unlock(mutex);

    LITH_ASSERT(!failed);
}

/* Takes the oldest task; false when the pool ends. Called and returns locked. */
static bool task_take(struct lith_pool *pool, struct task *ret_task)
{
    while (!pool->queued && !pool->ending)
        (void)pthread_cond_wait(&pool->has_work, &pool->mutex);
    if (!pool->queued)
        return false;
    *ret_task = pool->tasks[pool->first];
    pool->first = (pool->first + 1) % pool->queue_max;
    pool->queued--;
    pool->running++;
    (void)pthread_cond_signal(&pool->has_room);
    return true;
}

static void *worker(void *ctx)
{
    struct lith_pool *pool = ctx;
    struct task task;

    lock(&pool->mutex);
    while (task_take(pool, &task)) {
        unlock(&pool->mutex);
        task.run(task.ctx);
        lock(&pool->mutex);
        pool->running--;
        if (!pool->running && !pool->queued)
            (void)pthread_cond_broadcast(&pool->is_idle);
    }
    unlock(&pool->mutex);
    return NULL;
}

static enum lith_code threads_start(struct lith_pool *pool, unsigned thread_count,
                                    struct lith_err *err)
{
    sigset_t all;
    sigset_t before;
    int error = 0;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* workers inherit it */
    while (!error && pool->thread_count < thread_count) {
        error = pthread_create(&pool->threads[pool->thread_count], NULL, worker, pool);
        if (!error)
            pool->thread_count++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return lith_fail(err, LITH_E_LIMIT, "thread %u of %u: %s; lower --threads",
                         pool->thread_count + 1, thread_count, strerror(error));
    return LITH_OK;
}

enum lith_code lith_pool_new(struct lith_mem *mem, unsigned thread_count, unsigned queue_max,
                             struct lith_pool **ret_pool, struct lith_err *err)
{
    void *block;
    void *tasks;

    if (thread_count < 1 || thread_count > LITH_THREADS_MAX || queue_max < 1)
        return lith_fail(err, LITH_E_LIMIT,
                         "%u threads with a queue of %u tasks: 1 to %u threads, at least 1 task",
                         thread_count, queue_max, LITH_THREADS_MAX);
    LITH_TRY(
        lith_alloc(mem, sizeof(struct lith_pool) + thread_count * sizeof(pthread_t), &block, err));
    enum lith_code code = lith_alloc_array(mem, queue_max, sizeof(struct task), &tasks, err);
    if (code != LITH_OK) {
        lith_free(block);
        return code;
    }
    struct lith_pool *pool = block;
    *pool = (struct lith_pool){.tasks = tasks, .queue_max = queue_max};
    (void)pthread_mutex_init(&pool->mutex, NULL); /* with default attributes they cannot fail */
    (void)pthread_cond_init(&pool->has_room, NULL);
    (void)pthread_cond_init(&pool->has_work, NULL);
    (void)pthread_cond_init(&pool->is_idle, NULL);
    code = threads_start(pool, thread_count, err);
    if (code != LITH_OK) {
        lith_pool_free(pool); /* ends those that did start */
        return code;
    }
    *ret_pool = pool;
    return LITH_OK;
}

unsigned lith_pool_cores(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

void lith_pool_add(struct lith_pool *pool, void (*task)(void *ctx), void *ctx)
{
    lock(&pool->mutex);
    LITH_ASSERT(!pool->ending);
    while (pool->queued == pool->queue_max)
        (void)pthread_cond_wait(&pool->has_room, &pool->mutex);
    unsigned last = (unsigned)(((uint64_t)pool->first + pool->queued) % pool->queue_max);
    pool->tasks[last] = (struct task){.run = task, .ctx = ctx};
    pool->queued++;
    (void)pthread_cond_signal(&pool->has_work);
    unlock(&pool->mutex);
}

void lith_pool_wait(struct lith_pool *pool)
{
    lock(&pool->mutex);
    while (pool->queued || pool->running)
        (void)pthread_cond_wait(&pool->is_idle, &pool->mutex);
    unlock(&pool->mutex);
}

void lith_pool_free(struct lith_pool *pool)
{
    if (!pool)
        return;
    lock(&pool->mutex);
    pool->ending = true; /* workers leave when the ring is empty */
    (void)pthread_cond_broadcast(&pool->has_work);
    unlock(&pool->mutex);
    for (unsigned i = 0; i < pool->thread_count; i++)
        (void)pthread_join(pool->threads[i], NULL);
    (void)pthread_cond_destroy(&pool->is_idle);
    (void)pthread_cond_destroy(&pool->has_work);
    (void)pthread_cond_destroy(&pool->has_room);
    (void)pthread_mutex_destroy(&pool->mutex);
    lith_free(pool->tasks);
    lith_free(pool);
}

struct lith_lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

enum lith_code lith_lock_new(struct lith_mem *mem, struct lith_lock **ret_lock,
                             struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(mem, sizeof(struct lith_lock), &block, err));
    struct lith_lock *made = block;
    (void)pthread_mutex_init(&made->mutex, NULL);
    (void)pthread_cond_init(&made->changed, NULL);
    *ret_lock = made;
    return LITH_OK;
}

void lith_lock_take(struct lith_lock *taken)
{
    lock(&taken->mutex);
}

void lith_lock_give(struct lith_lock *taken)
{
    unlock(&taken->mutex);
}

void lith_lock_wait(struct lith_lock *taken)
{
    (void)pthread_cond_wait(&taken->changed, &taken->mutex);
}

void lith_lock_wake(struct lith_lock *taken)
{
    (void)pthread_cond_broadcast(&taken->changed);
}

void lith_lock_free(struct lith_lock *freed)
{
    if (!freed)
        return;
    (void)pthread_cond_destroy(&freed->changed);
    (void)pthread_mutex_destroy(&freed->mutex);
    lith_free(freed);
}
