/*
 * The chunks of an output row group made by several threads, and written in order.
 *
 * Chunks of neighbouring leaves are a task. A worker writes its task's chunks as a part of the
 * file (file_writer.h) into memory; the thread of the job appends parts in the order of leaves. The
 * part whose turn it is goes straight to the file: nothing waits for a chunk to be whole, and a
 * worker that has filled its memory waits for its turn. So the bytes of an output are those that
 * one thread would have written, and memory is bounded by the number of parts.
 */
#ifndef LITH_MERGE_COLUMN_POOL_H
#define LITH_MERGE_COLUMN_POOL_H

#include "merge/chunk_move.h"

struct lith_column_pool;

/*
 * As many threads as the merge's work allows, its memory has room for, and it has columns for.
 * *ret_pool is NULL where that is one: then chunks are made one after another. It shares the inputs
 * of the merge: only the pool, and who calls it, opens them from now on.
 */
LITH_MUST_CHECK enum lith_code lith_column_pool_new(struct lith_merge *merge,
                                                    struct lith_column_pool **ret_pool,
                                                    struct lith_err *err);
/* NULL is a no-op. */
void lith_column_pool_free(struct lith_column_pool *pool);

/* How many threads; each calls itself by a number below. */
uint32_t lith_column_pool_threads(const struct lith_column_pool *pool);

/* The merge's inputs are there for who calls the pool, too, as this user. */
uint32_t lith_column_pool_user(const struct lith_column_pool *pool);

/* Runs something for each leaf, in any thread, with that thread's maker. */
struct lith_leaf_task {
    enum lith_code (*run)(void *ctx, uint32_t thread, struct lith_chunk_maker *maker, uint32_t leaf,
                          struct lith_err *err);
    void *ctx;
};

/* Runs the task for all leaves of units [begin, end). The failure reported is that of the first
 * leaf that failed; those behind it may not have been begun. */
LITH_MUST_CHECK enum lith_code lith_column_pool_each(struct lith_column_pool *pool, size_t begin,
                                                     size_t end, const struct lith_leaf_task *task,
                                                     struct lith_err *err);

/* Writes the chunk of a leaf from elsewhere, in any thread. */
struct lith_chunk_task {
    enum lith_code (*write)(void *ctx, uint32_t thread, uint32_t leaf,
                            struct lith_file_writer *writer, struct lith_witness *witness,
                            struct lith_err *err);
    void *ctx;
    uint32_t count_max; /* at once; at least 1 */
};

/* Writes the chunks of all leaves into the open row group of `writer`, as the next function does.
 */
LITH_MUST_CHECK enum lith_code lith_column_pool_write_by(struct lith_column_pool *pool,
                                                         const struct lith_chunk_task *task,
                                                         struct lith_file_writer *writer,
                                                         struct lith_witness *witness,
                                                         struct lith_err *err);

/*
 * Writes the chunks of all leaves, from units [begin, end), into the open row group of `writer`.
 * The failure reported is that of the first leaf that failed. LIMIT may be for memory that the
 * other threads had: one thread alone may have enough.
 */
LITH_MUST_CHECK enum lith_code lith_column_pool_write(struct lith_column_pool *pool, size_t begin,
                                                      size_t end, struct lith_file_writer *writer,
                                                      struct lith_witness *witness,
                                                      struct lith_err *err);

/* The input whose reading failed; SIZE_MAX: none. */
size_t lith_column_pool_bad_input(const struct lith_column_pool *pool);

/* Compressed bytes of source pages moved so far, by mover. */
void lith_column_pool_moved(const struct lith_column_pool *pool,
                            uint64_t ret_bytes[LITH_MOVER_COUNT]);

#endif
