/*
 * A thread pool: the only user of pthreads.
 *
 * Workers share the queue and nothing else. Tasks carry their own state and report through it.
 */
#ifndef LITH_BASE_POOL_H
#define LITH_BASE_POOL_H

#include "base/mem.h"

struct lith_pool;

/* Starts `thread_count` (1 to 256) workers with a queue of `queue_max` tasks. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_pool_new(struct lith_mem *mem, unsigned thread_count,
                                             unsigned queue_max, struct lith_pool **ret_pool,
                                             struct lith_err *err);

/* Processors that this program may use at once; at least 1. */
unsigned lith_pool_cores(void);

/* Queues task(ctx); blocks while the queue is full, so a task must not add to its own pool. Never
 * fails. */
void lith_pool_add(struct lith_pool *pool, void (*task)(void *ctx), void *ctx);

/* Blocks until every queued task has ended. */
void lith_pool_wait(struct lith_pool *pool);

/* Waits, ends the threads, frees. NULL is a no-op. */
void lith_pool_free(struct lith_pool *pool);

/* A lock for the state that tasks report into, and a way to wait for what another one does to it.
 */
struct lith_lock;
LITH_MUST_CHECK enum lith_code lith_lock_new(struct lith_mem *mem, struct lith_lock **ret_lock,
                                             struct lith_err *err);
void lith_lock_take(struct lith_lock *lock);
void lith_lock_give(struct lith_lock *lock);
/* Gives the lock, sleeps until somebody calls lith_lock_wake (or for no reason), and takes it
 * again: the caller looks again at what it waits for. */
void lith_lock_wait(struct lith_lock *lock);
/* Wakes all who wait. Called with the lock taken. */
void lith_lock_wake(struct lith_lock *lock);
/* NULL is a no-op. */
void lith_lock_free(struct lith_lock *lock);

#endif
