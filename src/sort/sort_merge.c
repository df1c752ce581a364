/*
 * A tree of losers: each inner node holds the run that lost there, so that the next row costs one
 * comparison a level. Leaves are the runs; a run that has ended loses to all.
 */
#include "sort/sort_merge.h"

#include "base/checked.h"

/* Rows between two looks at the caller's wish to stop. */
#define ROWS_BETWEEN_CHECKS 65536u

/* A run in the tree, with as much of its row as decides most comparisons. */
struct node {
    uint64_t prefix;
    uint64_t ref;
    uint64_t run;
};

struct merge {
    struct lith_sort_cursor *cursors;
    struct node *losers; /* node i of a heap whose root is 1; 0: the winner */
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

/* No row has both numbers at their largest, as cursors see to: a run that has ended comes last. */
static struct node node_of(const struct merge *merge, size_t run)
{
    const struct lith_sort_cursor *cursor = &merge->cursors[run];

    if (cursor->is_ended)
        return (struct node){UINT64_MAX, UINT64_MAX, run};
    return (struct node){cursor->prefix, cursor->ref, run};
}

static inline bool short_is_before(const struct node *a, const struct node *b)
{
    return (a->prefix < b->prefix) | ((a->prefix == b->prefix) & (a->ref < b->ref));
}

static enum lith_code long_is_before(const struct merge *merge, const struct node *a,
                                     const struct node *b, bool *ret_before, struct lith_err *err)
{
    const struct lith_sort_cursor *x = &merge->cursors[a->run], *y = &merge->cursors[b->run];

    if (a->prefix == b->prefix && !x->is_ended && !y->is_ended)
        return lith_sort_cursor_compare(x, y, ret_before, err);
    *ret_before = a->prefix != b->prefix ? a->prefix < b->prefix : !x->is_ended;
    return LITH_OK;
}

static enum lith_code is_before(const struct merge *merge, const struct node *a,
                                const struct node *b, bool *ret_before, struct lith_err *err)
{
    if (!merge->is_short)
        return long_is_before(merge, a, b, ret_before, err);
    *ret_before = short_is_before(a, b);
    return LITH_OK;
}

/* Lets a run climb from its leaf; who loses stays at the node. Who wins is chance, so the two are
 * exchanged without a branch. */
static void short_climb(struct node *losers, size_t at, struct node up)
{
    for (; at > 0; at /= 2) {
        struct node *loser = &losers[at];
        uint64_t mask = 0 - (uint64_t)short_is_before(loser, &up);
        uint64_t prefix = (loser->prefix ^ up.prefix) & mask;
        uint64_t ref = (loser->ref ^ up.ref) & mask;
        uint64_t run = (loser->run ^ up.run) & mask;
        *loser = (struct node){loser->prefix ^ prefix, loser->ref ^ ref, loser->run ^ run};
        up = (struct node){up.prefix ^ prefix, up.ref ^ ref, up.run ^ run};
    }
    losers[0] = up;
}

static enum lith_code long_climb(struct merge *merge, size_t at, struct node up,
                                 struct lith_err *err)
{
    for (; at > 0; at /= 2) {
        struct node loser = merge->losers[at];
        bool loser_wins;
        LITH_TRY(long_is_before(merge, &loser, &up, &loser_wins, err));
        if (loser_wins) {
            merge->losers[at] = up;
            up = loser;
        }
    }
    merge->losers[0] = up;
    return LITH_OK;
}

#define NOBODY UINT64_MAX

/*
 * Runs climb one after another. At a node where nobody is yet a run waits for its opponent, which
 * is the other of the two that pass there.
 */
static enum lith_code tree_build(struct merge *merge, struct lith_err *err)
{
    for (size_t i = 0; i < merge->count; i++)
        merge->losers[i].run = NOBODY;
    for (size_t run = 0; run < merge->count; run++) {
        struct node up = node_of(merge, run);
        size_t at = (merge->count + run) / 2;
        for (; at > 0 && merge->losers[at].run != NOBODY; at /= 2) {
            struct node loser = merge->losers[at];
            bool loser_wins;
            LITH_TRY(is_before(merge, &loser, &up, &loser_wins, err));
            if (loser_wins) {
                merge->losers[at] = up;
                up = loser;
            }
        }
        merge->losers[at] = up;
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
    uint8_t room[LITH_RECORD_KEY_BYTES];

    if (job->to_runs)
        return lith_sort_cursor_copy(cursor, job->to_runs, err);
    if (job->stretches)
        LITH_TRY(lith_key_stretches_add(job->stretches, lith_sort_cursor_key(cursor, room), err));
    return lith_recipe_add(job->to_recipe, lith_place_unit(place), lith_place_row(place), 1, err);
}

static enum lith_code rows_merge(struct merge *merge, const struct lith_sort_merge_job *job,
                                 const struct lith_work *work, struct lith_err *err)
{
    for (uint64_t row = 0;; row++) {
        size_t winner = merge->losers[0].run;
        struct lith_sort_cursor *cursor = &merge->cursors[winner];
        if (cursor->is_ended)
            return LITH_OK;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            LITH_TRY(lith_work_check(work, err));
        LITH_TRY(row_take(cursor, job, err));
        LITH_TRY(lith_sort_cursor_next(cursor, err));
        size_t leaf = (merge->count + winner) / 2;
        if (merge->is_short)
            short_climb(merge->losers, leaf, node_of(merge, winner));
        else
            LITH_TRY(long_climb(merge, leaf, node_of(merge, winner), err));
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
