/*
 * Parts, workers, and whose turn it is.
 *
 * A worker is what a thread makes chunks with; a part is what a task makes. There are more parts
 * than workers, so that a part which waits to be appended keeps nobody from working. Parts are
 * begun in order, hence the one whose turn it is has always been begun, and nobody waits for ever.
 */
#include "merge/column_pool.h"

#include "base/checked.h"
#include "base/pool.h"

/* Parts beyond one per worker: one that is appended, one that waits for that. */
#define PARTS_MORE 2u
/* Source bytes that are worth a task of their own. */
#define TASK_BYTES ((uint64_t)1 * LITH_MIB)
/* Tasks of a row group that each worker should get at least, so that none is idle for long. */
#define TASKS_PER_WORKER 4u

struct worker {
    struct lith_chunk_maker maker;
    struct lith_codec_context *codecs;
    uint64_t row_group; /* that the maker has begun */
    bool is_busy;
};

struct part {
    struct lith_sink sink; /* of its writer */
    struct lith_column_pool *pool;
    struct lith_file_writer *writer;
    struct lith_witness witness;
    struct lith_buf bytes; /* while they wait for their turn */
    uint32_t leaf_begin;
    uint32_t leaf_end;
    uint64_t number;
    uint64_t file_begin;
    bool is_direct;    /* bytes go straight to the file, where they begin at file_begin */
    _Atomic bool stop; /* a part before it has failed */
    /* The result. */
    bool is_done;
    enum lith_code code;
    struct lith_err err;
    size_t bad_input;
};

struct lith_column_pool {
    struct lith_merge *merge;
    struct lith_pool *threads;
    struct lith_lock *lock; /* of `turn`, workers' is_busy, parts' number and is_done */
    uint64_t turn;          /* the number of the part that may write to the file */
    uint64_t started;       /* parts: all numbers are below */
    uint32_t leaf;          /* of the next part */
    struct worker *workers;
    uint32_t worker_count;
    struct part *parts; /* number n is in parts[n % part_count] */
    uint32_t part_count;
    size_t bad_input;
    /* The open row group. */
    uint64_t row_group;
    size_t unit_begin;
    size_t unit_end;
    uint32_t task_leaves;
    uint32_t parts_max;                 /* that are begun and not appended */
    const struct lith_chunk_task *task; /* what makes the chunks; NULL: the makers, from units */
    struct lith_file_writer *writer;
};

/* Blocks until it is the part's turn, then puts what waited into the file. */
static enum lith_code turn_take(struct part *part, struct lith_err *err)
{
    struct lith_column_pool *pool = part->pool;
    struct lith_sink *file = lith_file_writer_sink(pool->writer);

    lith_lock_take(pool->lock);
    while (pool->turn != part->number && !atomic_load(&part->stop))
        lith_lock_wait(pool->lock);
    bool is_turn = pool->turn == part->number;
    lith_lock_give(pool->lock);
    if (!is_turn)
        return lith_fail(err, LITH_E_CANCELLED, "not needed any more");
    part->file_begin = file->written;
    part->is_direct = true;
    LITH_TRY(lith_sink_write(file, part->bytes.data, part->bytes.bytes, err));
    lith_buf_clear(&part->bytes);
    return LITH_OK;
}

static enum lith_code part_write(struct lith_sink *sink, const void *from, size_t bytes,
                                 struct lith_err *err)
{
    struct part *part = (struct part *)sink;
    struct lith_err ignored; /* no room: then it has to be written */

    if (!part->is_direct) {
        if (lith_buf_append(&part->bytes, from, bytes, &ignored) == LITH_OK)
            return LITH_OK;
        LITH_TRY(turn_take(part, err));
    }
    return lith_sink_write(lith_file_writer_sink(part->pool->writer), from, bytes, err);
}

static void worker_begin(struct lith_column_pool *pool, struct worker *worker)
{
    if (worker->row_group != pool->row_group)
        lith_chunk_maker_row_group(&worker->maker, pool->unit_begin, pool->unit_end);
    worker->row_group = pool->row_group;
}

static enum lith_code chunk_write(struct part *part, struct worker *worker, uint32_t leaf,
                                  struct lith_err *err)
{
    struct lith_column_pool *pool = part->pool;
    const struct lith_chunk_task *task = pool->task;

    if (task)
        return task->write(task->ctx, (uint32_t)(worker - pool->workers), leaf, part->writer,
                           &part->witness, err);
    worker_begin(pool, worker);
    return lith_chunk_maker_write(&worker->maker, leaf, pool->unit_begin, pool->unit_end,
                                  part->writer, &part->witness, err);
}

static enum lith_code stop_check(const struct part *part, struct lith_err *err)
{
    return atomic_load(&part->stop) ? lith_fail(err, LITH_E_CANCELLED, "not needed any more")
                                    : LITH_OK;
}

static enum lith_code chunks_write(struct part *part, struct worker *worker, struct lith_err *err)
{
    worker->maker.stop = &part->stop;
    lith_file_writer_part(part->writer, part->pool->writer, part->leaf_begin, &part->sink,
                          worker->codecs);
    for (uint32_t leaf = part->leaf_begin; leaf < part->leaf_end; leaf++) {
        LITH_TRY(stop_check(part, err));
        LITH_TRY(chunk_write(part, worker, leaf, err));
    }
    return LITH_OK;
}

/* There are as many workers as threads, so one is free. */
static struct worker *worker_take(struct lith_column_pool *pool)
{
    uint32_t index = 0;

    lith_lock_take(pool->lock);
    while (index < pool->worker_count && pool->workers[index].is_busy)
        index++;
    LITH_ASSERT(index < pool->worker_count);
    pool->workers[index].is_busy = true;
    lith_lock_give(pool->lock);
    return &pool->workers[index];
}

/* Parts behind number `number` are not needed any more. Called with the lock taken. */
static void stop_behind(struct lith_column_pool *pool, uint64_t number)
{
    for (uint32_t i = 0; i < pool->part_count; i++) {
        if (pool->parts[i].number > number)
            atomic_store(&pool->parts[i].stop, true);
    }
}

static void task_run(void *ctx)
{
    struct part *part = ctx;
    struct lith_column_pool *pool = part->pool;
    struct worker *worker = worker_take(pool);

    part->code = chunks_write(part, worker, &part->err);
    part->bad_input = worker->maker.bad_input;
    lith_lock_take(pool->lock);
    worker->is_busy = false;
    part->is_done = true;
    if (part->code != LITH_OK)
        stop_behind(pool, part->number);
    lith_lock_wake(pool->lock);
    lith_lock_give(pool->lock);
}

/* Gives the next leaves of the row group to a worker. */
static void part_start(struct lith_column_pool *pool)
{
    struct part *part = &pool->parts[pool->started % pool->part_count];

    lith_lock_take(pool->lock);
    part->number = pool->started++;
    part->is_done = false;
    atomic_store(&part->stop, false);
    lith_lock_give(pool->lock);
    part->sink.written = LITH_PART_OFFSET;
    part->is_direct = false;
    part->leaf_begin = pool->leaf;
    part->leaf_end = (uint32_t)lith_min_u64(pool->leaf + (uint64_t)pool->task_leaves,
                                            pool->merge->schema.leaf_count);
    pool->leaf = part->leaf_end;
    lith_pool_add(pool->threads, task_run, part);
}

/* Waits for the part whose turn it is, and appends what it has not written itself. */
static enum lith_code part_finish(struct lith_column_pool *pool, struct part *part,
                                  struct lith_witness *witness, struct lith_err *err)
{
    lith_lock_take(pool->lock);
    pool->turn = part->number;
    lith_lock_wake(pool->lock);
    while (!part->is_done)
        lith_lock_wait(pool->lock);
    lith_lock_give(pool->lock);
    if (part->code != LITH_OK) {
        *err = part->err;
        pool->bad_input = part->bad_input;
        return part->code;
    }
    if (!part->is_direct)
        LITH_TRY(turn_take(part, err));
    LITH_TRY(lith_file_writer_place(pool->writer, part->writer, part->file_begin, err));
    return lith_witness_put(witness, &part->witness, err);
}

static enum lith_code parts_run(struct lith_column_pool *pool, struct lith_witness *witness,
                                struct lith_err *err)
{
    uint32_t leaf_count = pool->merge->schema.leaf_count;
    uint64_t finished = pool->started;

    LITH_ASSERT(pool->part_count > 0);
    pool->leaf = 0;
    while (finished < pool->started || pool->leaf < leaf_count) {
        while (pool->leaf < leaf_count && pool->started - finished < pool->parts_max)
            part_start(pool);
        LITH_TRY(part_finish(pool, &pool->parts[finished % pool->part_count], witness, err));
        finished++;
    }
    return LITH_OK;
}

/* Leaves of one task: small chunks of the same files go together. */
static uint32_t task_leaves(const struct lith_column_pool *pool)
{
    const struct lith_merge *merge = pool->merge;
    uint32_t leaf_count = merge->schema.leaf_count;
    uint64_t bytes = 1;

    for (size_t i = pool->unit_begin; i < pool->unit_end; i++)
        bytes += merge->units[i].compressed_bytes;
    uint64_t leaves = TASK_BYTES / (bytes / leaf_count + 1);
    uint64_t leaves_max = leaf_count / (pool->worker_count * TASKS_PER_WORKER);
    return (uint32_t)lith_max_u64(lith_min_u64(leaves, leaves_max), 1);
}

/*
 * A chunk does without what the budget refuses it, a page index for one. What others took of the
 * budget must not show in it, so after any refusal the row group is not good enough.
 */
static enum lith_code refusals_check(const struct lith_column_pool *pool, uint64_t before,
                                     struct lith_err *err)
{
    struct lith_mem *mem = pool->merge->work->mem;

    if (atomic_load(&mem->refused) == before)
        return LITH_OK;
    return lith_fail(err, LITH_E_LIMIT,
                     "memory budget of %zu bytes: too small for %u threads; raise --memory",
                     mem->limit, pool->worker_count);
}

/* Stops what is under way. */
static void parts_stop(struct lith_column_pool *pool)
{
    lith_lock_take(pool->lock);
    for (uint32_t i = 0; i < pool->part_count; i++)
        atomic_store(&pool->parts[i].stop, true);
    lith_lock_wake(pool->lock);
    lith_lock_give(pool->lock);
    lith_pool_wait(pool->threads);
}

static enum lith_code row_group_write(struct lith_column_pool *pool,
                                      struct lith_file_writer *writer, struct lith_witness *witness,
                                      struct lith_err *err)
{
    uint64_t refused = atomic_load(&pool->merge->work->mem->refused);

    pool->writer = writer;
    enum lith_code code = parts_run(pool, witness, err);
    if (code == LITH_OK)
        return refusals_check(pool, refused, err);
    parts_stop(pool);
    return code;
}

static void units_begin(struct lith_column_pool *pool, size_t begin, size_t end)
{
    pool->row_group++;
    pool->unit_begin = begin;
    pool->unit_end = end;
}

enum lith_code lith_column_pool_write(struct lith_column_pool *pool, size_t begin, size_t end,
                                      struct lith_file_writer *writer, struct lith_witness *witness,
                                      struct lith_err *err)
{
    units_begin(pool, begin, end);
    pool->task_leaves = task_leaves(pool);
    pool->parts_max = pool->part_count;
    pool->task = NULL;
    return row_group_write(pool, writer, witness, err);
}

enum lith_code lith_column_pool_write_by(struct lith_column_pool *pool,
                                         const struct lith_chunk_task *task,
                                         struct lith_file_writer *writer,
                                         struct lith_witness *witness, struct lith_err *err)
{
    LITH_ASSERT(task->count_max > 0);
    pool->task_leaves = 1;
    /* Parts beyond one a thread only wait. */
    pool->parts_max = task->count_max < pool->worker_count ? task->count_max : pool->part_count;
    pool->task = task;
    return row_group_write(pool, writer, witness, err);
}

/* Leaves that threads take one after another, in their order; those below `end`. */
struct leaves {
    struct lith_column_pool *pool;
    const struct lith_leaf_task *task;
    uint32_t next;
    uint32_t end; /* the first that failed: all before it were begun, and are run to their end */
    enum lith_code code;
    struct lith_err err;
};

static bool leaf_take(struct leaves *leaves, uint32_t *ret_leaf)
{
    lith_lock_take(leaves->pool->lock);
    bool is_there = leaves->next < leaves->end;
    if (is_there)
        *ret_leaf = leaves->next++;
    lith_lock_give(leaves->pool->lock);
    return is_there;
}

static void leaf_failed(struct leaves *leaves, uint32_t leaf, const struct worker *worker,
                        enum lith_code code, const struct lith_err *err)
{
    lith_lock_take(leaves->pool->lock);
    if (leaf < leaves->end) {
        leaves->end = leaf;
        leaves->code = code;
        leaves->err = *err;
        leaves->pool->bad_input = worker->maker.bad_input;
    }
    lith_lock_give(leaves->pool->lock);
}

static void leaves_run(void *ctx)
{
    struct leaves *leaves = ctx;
    struct lith_column_pool *pool = leaves->pool;
    struct worker *worker = worker_take(pool);
    uint32_t leaf;

    worker_begin(pool, worker);
    worker->maker.stop = NULL;
    while (leaf_take(leaves, &leaf)) {
        struct lith_err err;
        enum lith_code code = leaves->task->run(
            leaves->task->ctx, (uint32_t)(worker - pool->workers), &worker->maker, leaf, &err);
        if (code != LITH_OK)
            leaf_failed(leaves, leaf, worker, code, &err);
    }
    lith_lock_take(pool->lock);
    worker->is_busy = false;
    lith_lock_give(pool->lock);
}

enum lith_code lith_column_pool_each(struct lith_column_pool *pool, size_t begin, size_t end,
                                     const struct lith_leaf_task *task, struct lith_err *err)
{
    struct leaves leaves = {.pool = pool, .task = task, .end = pool->merge->schema.leaf_count};

    units_begin(pool, begin, end);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        lith_pool_add(pool->threads, leaves_run, &leaves);
    lith_pool_wait(pool->threads);
    if (leaves.code != LITH_OK)
        *err = leaves.err;
    return leaves.code;
}

uint32_t lith_column_pool_threads(const struct lith_column_pool *pool)
{
    return pool->worker_count;
}

uint32_t lith_column_pool_user(const struct lith_column_pool *pool)
{
    return pool->worker_count;
}

/* Threads that the work allows and that have something to do. */
static uint32_t threads_of(const struct lith_merge *merge)
{
    size_t threads = lith_min_size(merge->work->threads, LITH_THREADS_MAX);

    /* What is explained is told in the order of columns. */
    if (merge->options.explain)
        return 1;
    threads = lith_min_size(threads, merge->work->mem->limit / LITH_THREAD_MEMORY_BYTES_MIN);
    /* One input is open for who reads the keys. */
    size_t files = lith_work_open_files(merge->work) - lith_sorting_sorts(&merge->sorting);
    threads = lith_min_size(threads, files);
    return (uint32_t)lith_min_size(threads, merge->schema.leaf_count);
}

static enum lith_code workers_make(struct lith_column_pool *pool, struct lith_err *err)
{
    struct lith_merge *merge = pool->merge;
    void *block;

    LITH_TRY(lith_alloc_array(merge->work->mem, pool->worker_count, sizeof(*pool->workers), &block,
                              err));
    pool->workers = block;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];
        LITH_TRY(lith_merge_codecs_new(merge, &worker->codecs, err));
        LITH_TRY(lith_chunk_maker_init(&worker->maker, merge, worker->codecs, i,
                                       lith_windows_bytes_max(merge->work) / pool->worker_count,
                                       err));
    }
    return LITH_OK;
}

static enum lith_code parts_make(struct lith_column_pool *pool, struct lith_err *err)
{
    static const struct lith_sink_ops ops = {.write = part_write};
    const struct lith_merge *merge = pool->merge;
    size_t bytes_max = lith_min_size(lith_work_share(merge->work) / 8, LITH_PART_BYTES_MAX);
    void *block;

    pool->part_count = pool->worker_count + PARTS_MORE;
    LITH_TRY(
        lith_alloc_array(merge->work->mem, pool->part_count, sizeof(*pool->parts), &block, err));
    pool->parts = block;
    for (uint32_t i = 0; i < pool->part_count; i++) {
        struct part *part = &pool->parts[i];
        part->sink.ops = &ops;
        part->pool = pool;
        part->bad_input = SIZE_MAX;
        lith_buf_init(&part->bytes, merge->work->mem, bytes_max);
        lith_witness_init(&part->witness, merge->work, merge->schema.leaf_count);
        LITH_TRY(lith_file_writer_part_new(&merge->written, merge->work, &part->writer, err));
    }
    return LITH_OK;
}

static enum lith_code pool_fill(struct lith_column_pool *pool, struct lith_err *err)
{
    struct lith_merge *merge = pool->merge;

    LITH_TRY(lith_lock_new(merge->work->mem, &pool->lock, err));
    LITH_TRY(lith_lock_new(merge->work->mem, &merge->lock, err));
    LITH_TRY(lith_input_set_share(&merge->set, merge->work->mem, pool->worker_count + 1, err));
    LITH_TRY(workers_make(pool, err));
    LITH_TRY(parts_make(pool, err));
    return lith_pool_new(merge->work->mem, pool->worker_count, pool->part_count, &pool->threads,
                         err);
}

enum lith_code lith_column_pool_new(struct lith_merge *merge, struct lith_column_pool **ret_pool,
                                    struct lith_err *err)
{
    uint32_t threads = threads_of(merge);
    void *block;

    *ret_pool = NULL;
    if (threads < 2)
        return LITH_OK;
    LITH_TRY(lith_alloc_array(merge->work->mem, 1, sizeof(struct lith_column_pool), &block, err));
    struct lith_column_pool *pool = block;
    pool->merge = merge;
    pool->worker_count = threads;
    pool->bad_input = SIZE_MAX;
    enum lith_code code = pool_fill(pool, err);
    if (code != LITH_OK) {
        lith_column_pool_free(pool);
        return code;
    }
    *ret_pool = pool;
    return LITH_OK;
}

void lith_column_pool_free(struct lith_column_pool *pool)
{
    if (!pool)
        return;
    lith_pool_free(pool->threads);
    for (uint32_t i = 0; pool->parts && i < pool->part_count; i++) {
        lith_file_writer_free(pool->parts[i].writer);
        lith_witness_done(&pool->parts[i].witness);
        lith_buf_done(&pool->parts[i].bytes);
    }
    for (uint32_t i = 0; pool->workers && i < pool->worker_count; i++) {
        lith_chunk_maker_done(&pool->workers[i].maker);
        lith_codec_context_free(pool->workers[i].codecs);
    }
    lith_free(pool->parts);
    lith_free(pool->workers);
    lith_lock_free(pool->lock);
    lith_free(pool);
}

size_t lith_column_pool_bad_input(const struct lith_column_pool *pool)
{
    return pool->bad_input;
}

void lith_column_pool_moved(const struct lith_column_pool *pool,
                            uint64_t ret_bytes[LITH_MOVER_COUNT])
{
    for (int mover = 0; mover < LITH_MOVER_COUNT; mover++) {
        ret_bytes[mover] = 0;
        for (uint32_t i = 0; i < pool->worker_count; i++)
            ret_bytes[mover] += pool->workers[i].maker.tools.bytes[mover];
    }
}
