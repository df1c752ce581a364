/*
 * A tree of losers: each inner node holds the run that lost there, so that the next row costs one
 * comparison a level. Leaves are the runs; a run that has ended loses to all.
 */
#include "sort/sort_merge.h"

#include "base/checked.h"

/* Rows between two looks at the caller's wish to stop. */
#define ROWS_BETWEEN_CHECKS 65536u

struct merge {
    struct lith_sort_cursor *cursors;
    uint32_t *losers; /* node i of a heap whose root is 1; 0: the winner */
    size_t count;
    bool is_short;
    uint8_t *buffers;
};

/* An eighth of the memory is left for cursors and the tree. */
static size_t buffers_bytes(size_t memory_bytes_max)
{
    return memory_bytes_max - memory_bytes_max / 8;
}

/* The smallest buffer: small memory has small ones, so that a few runs fit any. */
static size_t buffer_bytes_min(size_t memory_bytes_max)
{
    return lith_min_size(LITH_SORT_BUFFER_BYTES, memory_bytes_max / 8);
}

size_t lith_sort_merge_runs_max(size_t memory_bytes_max)
{
    /* One buffer is that of the run that is written. */
    return buffers_bytes(memory_bytes_max) / buffer_bytes_min(memory_bytes_max) - 1;
}

size_t lith_sort_merge_buffer_bytes(size_t memory_bytes_max, size_t run_count)
{
    size_t bytes = buffers_bytes(memory_bytes_max) / (run_count + 1);

    /* Beyond a few hundred KiB larger reads cost no less. */
    return lith_min_size(bytes, 8 * LITH_SORT_BUFFER_BYTES);
}

/* Whether the row of run `a` comes before that of run `b`. */
static inline enum lith_code is_before(const struct merge *merge, uint32_t a, uint32_t b,
                                       bool *ret_before, struct lith_err *err)
{
    const struct lith_sort_cursor *x = &merge->cursors[a], *y = &merge->cursors[b];

    if (x->is_ended || y->is_ended)
        *ret_before = !x->is_ended;
    else if (x->prefix != y->prefix)
        *ret_before = x->prefix < y->prefix;
    else if (merge->is_short)
        *ret_before = x->ref < y->ref;
    else
        return lith_sort_cursor_compare(x, y, ret_before, err);
    return LITH_OK;
}

/* Lets `run` climb from its leaf; who loses stays at the node. */
static enum lith_code tree_climb(struct merge *merge, uint32_t run, size_t node,
                                 struct lith_err *err)
{
    for (; node > 0; node /= 2) {
        uint32_t loser = merge->losers[node];
        bool loser_wins;
        LITH_TRY(is_before(merge, loser, run, &loser_wins, err));
        if (loser_wins) {
            merge->losers[node] = run;
            run = loser;
        }
    }
    merge->losers[0] = run;
    return LITH_OK;
}

/*
 * Runs climb one after another. At a node where nobody is yet, which is then the first of the two
 * that pass it, a run waits for its opponent.
 */
static enum lith_code tree_build(struct merge *merge, struct lith_err *err)
{
    memset(merge->losers, 0xff, merge->count * sizeof(*merge->losers));
    for (uint32_t run = 0; run < merge->count; run++) {
        uint32_t winner = run;
        size_t node = (merge->count + run) / 2;
        for (; node > 0 && merge->losers[node] != UINT32_MAX; node /= 2) {
            uint32_t other = merge->losers[node];
            bool other_wins;
            LITH_TRY(is_before(merge, other, winner, &other_wins, err));
            if (other_wins) {
                merge->losers[node] = winner;
                winner = other;
            }
        }
        merge->losers[node] = winner;
    }
    return LITH_OK;
}

static enum lith_code merge_open(struct merge *merge, const struct lith_sort_merge_job *job,
                                 const struct lith_work *work, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(work->mem, merge->count, sizeof(*merge->cursors), &block, err));
    merge->cursors = block;
    LITH_TRY(lith_alloc_array(work->mem, merge->count, sizeof(*merge->losers), &block, err));
    merge->losers = block;
    LITH_TRY(lith_alloc(work->mem, merge->count * job->buffer_bytes, &block, err));
    merge->buffers = block;
    for (size_t i = 0; i < merge->count; i++)
        LITH_TRY(lith_sort_cursor_init(&merge->cursors[i], job->from, job->begin + i, job->common,
                                       merge->buffers + i * job->buffer_bytes, job->buffer_bytes,
                                       err));
    return tree_build(merge, err);
}

static enum lith_code row_take(const struct lith_sort_cursor *cursor,
                               const struct lith_sort_merge_job *job, struct lith_err *err)
{
    uint64_t place = lith_sort_cursor_place(cursor);

    if (job->to_runs)
        return lith_sort_cursor_copy(cursor, job->to_runs, err);
    return lith_recipe_add(job->to_recipe, lith_place_unit(place), lith_place_row(place), 1, err);
}

static enum lith_code rows_merge(struct merge *merge, const struct lith_sort_merge_job *job,
                                 const struct lith_work *work, struct lith_err *err)
{
    for (uint64_t row = 0;; row++) {
        uint32_t winner = merge->losers[0];
        struct lith_sort_cursor *cursor = &merge->cursors[winner];
        if (cursor->is_ended)
            return LITH_OK;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            LITH_TRY(lith_work_check(work, err));
        LITH_TRY(row_take(cursor, job, err));
        LITH_TRY(lith_sort_cursor_next(cursor, err));
        LITH_TRY(tree_climb(merge, winner, (merge->count + winner) / 2, err));
    }
}

enum lith_code lith_sort_merge(const struct lith_sort_merge_job *job, const struct lith_work *work,
                               struct lith_err *err)
{
    struct merge merge = {
        .count = job->end - job->begin,
        .is_short = lith_keys_are_short(job->from->width),
    };
    enum lith_code code = LITH_OK;

    LITH_ASSERT(merge.count > 0);
    LITH_ASSERT(!job->to_runs != !job->to_recipe);
    if (job->to_runs)
        code = lith_sort_runs_begin(job->to_runs, err);
    if (code == LITH_OK)
        code = merge_open(&merge, job, work, err);
    if (code == LITH_OK)
        code = rows_merge(&merge, job, work, err);
    lith_free(merge.buffers);
    lith_free(merge.losers);
    lith_free(merge.cursors);
    return code;
}
