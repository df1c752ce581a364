/*
 * Sorting a cluster: keys to a recipe, spans dealt, row groups gathered.
 */
#include "merge/mingle.h"

#include <inttypes.h>

#include "base/checked.h"
#include "sort/key_builder.h"
#include "sort/key_sorter.h"

/* Parts of the budget besides that of the sort of keys, which is over when they begin: of dealing,
 * of the bucket that is gathered, */
#define DEAL_SHARES 3u
#define GATHER_SHARES 8u
/* of the recipe, and of what stays of it for a row group: four bytes a row. A recipe that is in
 * memory whole has up to half of what sorting had: what that is more, dealing has less. */
#define RECIPE_SHARES 16u
#define PLACES_SHARES 6u
#define ORDER_SHARES 16u
/* A decoded column of a bucket should take no more than this part of what may be gathered, as its
 * footers tell. */
#define BUCKET_PART 2u
/* What is dealt should take no more than this part of scratch. */
#define SCRATCH_PART 2u
/* Rows of a bucket: few make work that is not theirs. */
#define BUCKET_ROWS_MIN 16u
/* What a value takes besides its bytes: levels, and a place. */
#define VALUE_BYTES_MORE 32u

/* Uncompressed bytes that a footer is believed for each byte that is there: it would make more row
 * groups and spans than there can be rows for, else. */
#define SHRINKING_MAX 1024u

/* What the footers say of the cluster. */
struct size {
    uint64_t rows;
    uint64_t bytes; /* uncompressed */
};

static struct size size_of(const struct lith_mingle *mingle)
{
    struct size size = {0};

    for (size_t i = mingle->begin; i < mingle->end; i++) {
        const struct lith_unit *unit = &mingle->merge->units[i];
        uint64_t most = lith_product_u64(unit->compressed_bytes, SHRINKING_MAX);
        size.rows += (uint64_t)unit->rows;
        size.bytes = lith_sum_u64(size.bytes, lith_min_u64(unit->uncompressed_bytes, most));
    }
    return size;
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : lith_min_u64(value, most);
}

/* The most rows of a row group that the limits allow. */
static uint64_t group_rows_max(const struct lith_merge *merge, const struct size *size)
{
    uint64_t most =
        lith_min_u64(merge->work->mem->limit / ORDER_SHARES / sizeof(uint32_t), UINT32_MAX / 2);
    uint64_t bytes_a_row = 1 + size->bytes / size->rows;

    if (merge->limits.row_group_rows > 0)
        most = lith_min_u64(most, (uint64_t)merge->limits.row_group_rows);
    if (merge->limits.row_group_bytes > 0)
        most = lith_min_u64(most, 1 + merge->limits.row_group_bytes / bytes_a_row);
    return most;
}

/* How many buckets a span may have. */
static uint64_t buckets_max(const struct lith_merge *merge)
{
    return clamp(merge->work->mem->limit / DEAL_SHARES / LITH_DEAL_MEMORY_BYTES_MIN, 1,
                 LITH_DEAL_BUCKETS_MAX);
}

static uint64_t largest_group(const struct lith_group_ends *groups)
{
    uint64_t largest = 0, begin = 0;

    for (size_t i = 0; i < groups->count; i++) {
        largest = lith_max_u64(largest, groups->ends[i] - begin);
        begin = groups->ends[i];
    }
    return largest;
}

/* Rows of buckets and spans, once the row groups are known. */
static void spans_set(struct lith_mingle *mingle, const struct size *size)
{
    const struct lith_merge *merge = mingle->merge;
    uint64_t bytes_a_row = size->bytes / size->rows;
    uint64_t gathered = merge->work->mem->limit / GATHER_SHARES / BUCKET_PART;
    uint64_t dealt_a_row = 2 * bytes_a_row + (uint64_t)merge->schema.leaf_count * 8;
    uint64_t largest = lith_max_u64(largest_group(&mingle->groups), 1); /* all may be erased */

    mingle->bucket_rows = gathered / (bytes_a_row + VALUE_BYTES_MORE);
    mingle->bucket_rows = clamp(mingle->bucket_rows, BUCKET_ROWS_MIN, largest);
    /* A row group is dealt in one span. */
    if (lith_parts_u64(largest, mingle->bucket_rows) > buckets_max(merge))
        mingle->bucket_rows = lith_parts_u64(largest, buckets_max(merge));
    mingle->span_rows = merge->work->scratch->limit / SCRATCH_PART / dealt_a_row;
}

/* The keys of units, read again where they were not kept. */
struct reading {
    struct lith_merge *merge;
    struct lith_chunk_maker *maker;
    struct lith_key_scan scan;
    struct lith_key_builder builder;
    struct lith_key_sorter *sorter;
    struct lith_arena arena; /* of the footer */
    struct lith_footer footer;
    uint32_t input; /* whose footer it is; LITH_NO_INDEX: none */
};

static void reading_done(struct reading *r)
{
    lith_key_scan_done(&r->scan);
    lith_key_builder_done(&r->builder);
    lith_key_sorter_free(r->sorter);
    lith_arena_done(&r->arena);
}

/* What the first look at the keys told. Bounds may be cut where keys vary in length. */
static struct lith_sort_outlook outlook_of(struct lith_mingle *mingle)
{
    const struct lith_unit_range *ranges = mingle->merge->sorting.ranges;
    struct lith_sort_outlook outlook = {
        .smallest = ranges[mingle->begin].smallest.bytes,
        .largest = ranges[mingle->begin].largest.bytes,
        .unit_begin = (uint32_t)mingle->begin,
        .unit_count = (uint32_t)(mingle->end - mingle->begin),
        .row_count = mingle->row_count,
        .kept = &mingle->merge->sorting.kept,
    };

    for (size_t i = mingle->begin; i < mingle->end; i++) {
        outlook.unit_rows_max = lith_max_u64(outlook.unit_rows_max, ranges[i].row_count);
        if (lith_key_compare(ranges[i].smallest.bytes, outlook.smallest) < 0)
            outlook.smallest = ranges[i].smallest.bytes;
        if (lith_key_compare(ranges[i].largest.bytes, outlook.largest) > 0)
            outlook.largest = ranges[i].largest.bytes;
    }
    return outlook;
}

static enum lith_code reading_begin(struct reading *r, const struct lith_mingle *mingle,
                                    struct lith_err *err)
{
    struct lith_merge *merge = mingle->merge;
    struct lith_sorting *sorting = &merge->sorting;
    size_t memory = lith_max_size(lith_sorting_memory(merge->work), LITH_SORT_MEMORY_BYTES_MIN);

    *r = (struct reading){.merge = merge, .maker = mingle->maker, .input = LITH_NO_INDEX};
    lith_arena_init(&r->arena, merge->work->mem);
    lith_key_builder_init(&r->builder, &sorting->layout, merge->work->mem);
    LITH_TRY(lith_key_sorter_new(&sorting->layout, memory, merge->work, &r->sorter, err));
    return lith_key_scan_init(&r->scan, &merge->schema, sorting->keys, &sorting->layout,
                              sorting->codecs, merge->work, err);
}

/* The source of a unit's file, whose footer is at hand then. */
static enum lith_code unit_open(struct reading *r, const struct lith_unit *unit,
                                struct lith_source **ret_source, struct lith_err *err)
{
    LITH_TRY(lith_chunk_maker_input(r->maker, unit->input, ret_source, err));
    if (r->input == unit->input)
        return LITH_OK;
    lith_arena_done(&r->arena);
    lith_arena_init(&r->arena, r->merge->work->mem);
    r->input = LITH_NO_INDEX;
    LITH_TRY(lith_footer_read(*ret_source, &r->arena, &r->footer, err));
    LITH_TRY(lith_merge_kind_check(r->merge, unit->input, &r->footer, &r->arena, err));
    r->input = unit->input;
    return LITH_OK;
}

static enum lith_code unit_read(struct reading *r, size_t index, struct lith_err *err)
{
    const struct lith_unit *unit = &r->merge->units[index];
    const struct lith_kind *kind = &r->merge->kinds.kinds[r->merge->set.inputs[unit->input].kind];
    struct lith_source *source;
    struct lith_key_rows rows;
    struct lith_key_batch keys;

    LITH_TRY(unit_open(r, unit, &source, err));
    if (unit->row_group >= r->footer.row_group_count ||
        r->footer.row_groups[unit->row_group].num_rows != unit->rows)
        return lith_fail(err, LITH_E_CONFLICT, "it changed while it was being merged");
    if (lith_kept_keys_has(&r->merge->sorting.kept, index))
        return LITH_OK; /* the sorter has them */
    LITH_TRY(lith_key_scan_unit(&r->scan, &r->footer, unit->row_group, kind->places, source, err));
    LITH_TRY(lith_key_sorter_unit(r->sorter, (uint32_t)index, err));
    for (;;) {
        LITH_TRY(lith_key_reader_next(&r->scan.rows, &rows, err));
        if (rows.row_count == 0)
            return LITH_OK;
        LITH_TRY(lith_key_builder_build(&r->builder, &rows, &keys, err));
        LITH_TRY(lith_key_sorter_add(r->sorter, &keys, err));
    }
}

static enum lith_code units_read(struct reading *r, struct lith_mingle *mingle,
                                 struct lith_key_stretches *stretches, struct lith_err *err)
{
    for (size_t i = mingle->begin; i < mingle->end; i++) {
        if (unit_read(r, i, err) == LITH_OK)
            continue;
        mingle->maker->bad_input = r->merge->units[i].input;
        return lith_err_prefix(err, "%s", r->merge->inputs[r->merge->units[i].input].name);
    }
    LITH_TRY(lith_key_sorter_finish(r->sorter, &mingle->recipe, stretches, err));
    return lith_recipe_end(&mingle->recipe, err);
}

static enum lith_code recipe_make(struct lith_mingle *mingle, struct lith_key_stretches *stretches,
                                  struct lith_err *err)
{
    struct lith_sort_outlook outlook = outlook_of(mingle);
    struct reading reading;

    enum lith_code code = reading_begin(&reading, mingle, err);
    if (code == LITH_OK)
        code = lith_key_sorter_expect(reading.sorter, &outlook, err);
    if (code == LITH_OK)
        code = units_read(&reading, mingle, stretches, err);
    reading_done(&reading);
    lith_kept_keys_done(&mingle->merge->sorting.kept);
    return code;
}

/* What stays of units. */
static enum lith_code kept_copy(struct lith_mingle *mingle, struct lith_err *err)
{
    struct lith_merge *merge = mingle->merge;

    for (size_t i = mingle->begin; i < mingle->end; i++)
        LITH_TRY(lith_erasure_copy(&merge->erasure, (uint32_t)i, (uint64_t)merge->units[i].rows,
                                   &mingle->recipe, err));
    return lith_recipe_end(&mingle->recipe, err);
}

static enum lith_code units_make(struct lith_mingle *mingle, struct lith_err *err)
{
    const struct lith_merge *merge = mingle->merge;
    const struct lith_erasure *erasure = &merge->erasure;
    size_t count = mingle->end - mingle->begin;
    void *block;

    LITH_TRY(lith_alloc_array(merge->work->mem, count, sizeof(*mingle->units), &block, err));
    mingle->units = block;
    for (size_t i = 0; i < count; i++) {
        size_t unit = mingle->begin + i;
        bool is_whole = erasure->erase && erasure->units[unit].erased == 0;
        if ((uint64_t)merge->units[unit].rows >= LITH_UNIT_ROWS_MAX)
            return lith_fail(err, LITH_E_LIMIT,
                             "row group %" PRIu32 " of %s has %" PRIi64
                             " rows: more than can be written in another order",
                             merge->units[unit].row_group,
                             merge->inputs[merge->units[unit].input].name, merge->units[unit].rows);
        mingle->units[i] = (struct lith_deal_unit){
            .row_count = (uint32_t)merge->units[unit].rows,
            .in_order = erasure->erase ? is_whole : merge->sorting.ranges[unit].in_order,
        };
        if (erasure->erase && erasure->units[unit].count == 0)
            mingle->units[i].row_count = 0;
    }
    return LITH_OK;
}

/* The order of the rows, and the row groups that they make. */
static enum lith_code rows_order(struct lith_mingle *mingle, uint64_t rows_max,
                                 struct lith_key_stretches *stretches, struct lith_err *err)
{
    bool erases = mingle->merge->erasure.erase != NULL;

    LITH_TRY(erases ? kept_copy(mingle, err) : recipe_make(mingle, stretches, err));
    if (!erases && mingle->recipe.row_count != mingle->row_count)
        return lith_fail(err, LITH_E_CORRUPT, "the sort keys have %llu rows, the footers %llu",
                         (unsigned long long)mingle->recipe.row_count,
                         (unsigned long long)mingle->row_count);
    mingle->row_count = mingle->recipe.row_count;
    return lith_group_ends_init(&mingle->groups, stretches->kept, stretches->count,
                                mingle->row_count, rows_max, mingle->merge->work->mem, err);
}

bool lith_mingle_wants(const struct lith_merge *merge, size_t begin, size_t end)
{
    return lith_sorting_sorts_unit(&merge->sorting, begin) ||
           lith_erasure_touches(&merge->erasure, begin, end);
}

enum lith_code lith_mingle_begin(struct lith_mingle *mingle, struct lith_merge *merge,
                                 struct lith_chunk_maker *maker, struct lith_column_pool *pool,
                                 size_t begin, size_t end, struct lith_err *err)
{
    struct lith_key_stretches stretches;

    *mingle = (struct lith_mingle){
        .merge = merge,
        .maker = maker,
        .pool = pool,
        .thread_count = pool ? lith_column_pool_threads(pool) : 1,
        .begin = begin,
        .end = end,
    };
    lith_recipe_init(&mingle->recipe, merge->work, merge->work->mem->limit / RECIPE_SHARES);
    lith_recipe_allow_places(&mingle->recipe, merge->work->mem->limit / PLACES_SHARES);
    struct size size = size_of(mingle);
    LITH_ASSERT(size.rows > 0);
    uint64_t rows_max = group_rows_max(merge, &size);
    mingle->row_count = size.rows;
    lith_key_stretches_init(&stretches, &merge->sorting.layout, lith_group_ends_rows_min(rows_max),
                            merge->work->mem);
    enum lith_code code = rows_order(mingle, rows_max, &stretches, err);
    lith_key_stretches_done(&stretches);
    if (code != LITH_OK)
        return code;
    spans_set(mingle, &size);
    return units_make(mingle, err);
}

static void span_end(struct lith_mingle *mingle)
{
    for (uint32_t i = mingle->thread_count; i-- > 0;) { /* the first deal outlives its twins */
        if (mingle->gathers)
            lith_gather_free(mingle->gathers[i]);
        if (mingle->deals)
            lith_deal_free(mingle->deals[i]);
    }
    lith_free(mingle->gathers);
    lith_free(mingle->deals);
    mingle->gathers = NULL;
    mingle->deals = NULL;
}

void lith_mingle_done(struct lith_mingle *mingle)
{
    if (!mingle->merge)
        return;
    span_end(mingle);
    lith_recipe_done(&mingle->recipe);
    lith_group_ends_done(&mingle->groups);
    lith_free(mingle->units);
    *mingle = (struct lith_mingle){.merge = NULL};
}

/* Buckets from the next row on, each in one row group: of one row group, and of those behind it
 * that fit the span too. */
static uint32_t borders_set(struct lith_mingle *mingle)
{
    uint64_t row = mingle->row;
    uint32_t count = 0;

    mingle->borders[0] = row;
    for (size_t i = mingle->group; i < mingle->groups.count; i++) {
        uint64_t end = mingle->groups.ends[i];
        uint64_t buckets = count + lith_parts_u64(end - row, mingle->bucket_rows);
        if (count > 0 &&
            (end - mingle->row > mingle->span_rows || buckets > buckets_max(mingle->merge)))
            break;
        while (row < end) {
            row = lith_min_u64(row + mingle->bucket_rows, end);
            LITH_ASSERT(count < LITH_DEAL_BUCKETS_MAX);
            mingle->borders[++count] = row;
        }
    }
    return count;
}

/* Of one gatherer; of all, what they load together (chunks_at_once). */
static size_t gather_bytes(const struct lith_mingle *mingle)
{
    return mingle->merge->work->mem->limit / GATHER_SHARES;
}

static size_t deal_bytes(const struct lith_mingle *mingle)
{
    size_t limit = mingle->merge->work->mem->limit, recipe = limit / RECIPE_SHARES;
    size_t places = lith_recipe_places_bytes(&mingle->recipe);

    return limit / DEAL_SHARES - (places > recipe ? places - recipe : 0);
}

/* A deal and a gatherer for each thread. */
static enum lith_code deals_make(struct lith_mingle *mingle, struct lith_err *err)
{
    struct lith_mem *mem = mingle->merge->work->mem;
    void *block;

    LITH_TRY(lith_alloc_array(mem, mingle->thread_count, sizeof(*mingle->deals), &block, err));
    mingle->deals = block;
    LITH_TRY(lith_alloc_array(mem, mingle->thread_count, sizeof(*mingle->gathers), &block, err));
    mingle->gathers = block;
    LITH_TRY(lith_deal_new(&mingle->span, &mingle->deals[0], err));
    for (uint32_t i = 1; i < mingle->thread_count; i++)
        LITH_TRY(lith_deal_twin(mingle->deals[0], &mingle->deals[i], err));
    for (uint32_t i = 0; i < mingle->thread_count; i++)
        LITH_TRY(lith_gather_new(mingle->deals[0], gather_bytes(mingle), &mingle->gathers[i], err));
    return LITH_OK;
}

static enum lith_code leaf_deal(void *ctx, uint32_t thread, struct lith_chunk_maker *maker,
                                uint32_t leaf, struct lith_err *err)
{
    struct lith_mingle *mingle = ctx;

    return lith_chunk_maker_deal(maker, leaf, mingle->begin, mingle->end, mingle->deals[thread],
                                 err);
}

static enum lith_code leaves_deal(struct lith_mingle *mingle, struct lith_err *err)
{
    struct lith_leaf_task task = {.run = leaf_deal, .ctx = mingle};

    if (mingle->pool)
        return lith_column_pool_each(mingle->pool, mingle->begin, mingle->end, &task, err);
    for (uint32_t leaf = 0; leaf < mingle->merge->schema.leaf_count; leaf++)
        LITH_TRY(leaf_deal(mingle, 0, mingle->maker, leaf, err));
    return LITH_OK;
}

static enum lith_code span_begin(struct lith_mingle *mingle, struct lith_err *err)
{
    struct lith_merge *merge = mingle->merge;

    mingle->span = (struct lith_deal_span){
        .work = merge->work,
        .recipe = &mingle->recipe,
        .borders = mingle->borders,
        .bucket_count = borders_set(mingle),
        .unit_begin = (uint32_t)mingle->begin,
        .unit_count = (uint32_t)(mingle->end - mingle->begin),
        .units = mingle->units,
        .dealer_count = mingle->thread_count,
        .leaf_count = merge->schema.leaf_count,
    };
    mingle->span.memory_bytes_max =
        lith_max_size(deal_bytes(mingle), (size_t)mingle->thread_count * mingle->span.bucket_count *
                                              LITH_DEAL_MEMORY_BYTES_MIN);
    mingle->bucket = 0;
    LITH_TRY(deals_make(mingle, err));
    return leaves_deal(mingle, err);
}

/* The buckets of one row group, and the order of each. */
struct group {
    struct lith_bucket_order orders[LITH_DEAL_BUCKETS_MAX];
    uint32_t count;
    uint64_t rows;
};

static enum lith_code group_begin(struct lith_mingle *mingle, struct group *group,
                                  struct lith_err *err)
{
    while (mingle->row + group->rows < mingle->groups.ends[mingle->group]) {
        uint32_t bucket = mingle->bucket + group->count;
        LITH_TRY(lith_bucket_order_find(&mingle->span, bucket, &group->orders[group->count], err));
        group->rows += group->orders[group->count++].row_count;
    }
    return LITH_OK;
}

static void group_done(struct group *group)
{
    for (uint32_t i = 0; i < LITH_DEAL_BUCKETS_MAX; i++)
        lith_bucket_order_done(&group->orders[i]);
}

static enum lith_code bucket_write(const struct lith_mingle *mingle, struct lith_gather *gather,
                                   uint32_t leaf, const struct lith_bucket_order *order,
                                   const struct lith_chunk_outlet *outlet, struct lith_err *err)
{
    struct lith_batch batch;

    LITH_TRY(lith_gather_begin(gather, leaf, order, err));
    for (;;) {
        LITH_TRY(lith_work_check(mingle->merge->work, err));
        LITH_TRY(lith_gather_next(gather, &batch, err));
        if (batch.position_count == 0)
            return LITH_OK;
        LITH_TRY(lith_witness_decoded(outlet->witness, &batch, err));
        if (outlet->counts)
            LITH_TRY(lith_key_counts_add(outlet->counts, &batch, err));
        LITH_TRY(lith_file_writer_add(outlet->writer, &batch, err));
    }
}

/* A row group that is written. */
struct group_job {
    struct lith_mingle *mingle;
    const struct group *group;
};

static enum lith_code chunk_write(void *ctx, uint32_t thread, uint32_t leaf,
                                  struct lith_file_writer *writer, struct lith_witness *witness,
                                  struct lith_err *err)
{
    const struct group_job *job = ctx;
    struct lith_merge *merge = job->mingle->merge;
    struct lith_gather *gather = job->mingle->gathers[thread];
    const struct lith_schema_node *node = lith_schema_leaf(&merge->schema, leaf);
    struct lith_chunk_plan plan =
        lith_chunk_votes_plan(&merge->votes[leaf], node, &merge->options.codec);
    struct lith_chunk_outlet outlet = lith_chunk_outlet_of(merge, leaf, writer, witness);

    lith_gather_chunk(gather, leaf);
    lith_witness_chunk_begin(witness, node);
    LITH_TRY(lith_file_writer_chunk(writer, &plan, err));
    for (uint32_t i = 0; i < job->group->count; i++)
        LITH_TRY(bucket_write(job->mingle, gather, leaf, &job->group->orders[i], &outlet, err));
    LITH_TRY(lith_file_writer_chunk_end(writer, err));
    return lith_witness_chunk_end(witness, job->group->rows, err);
}

/* As many chunks as can be gathered within the memory of one gatherer: what is loaded of each is at
 * most as much as of the largest. So what is loaded at all does not depend on threads. */
static uint32_t chunks_at_once(const struct lith_mingle *mingle, const struct group *group)
{
    uint64_t most = gather_bytes(mingle), largest = 1;

    for (uint32_t leaf = 0; leaf < mingle->merge->schema.leaf_count; leaf++) {
        for (uint32_t i = 0; i < group->count; i++)
            largest = lith_max_u64(
                largest, lith_gather_bytes(mingle->deals[0], leaf, group->orders[i].bucket));
    }
    return largest > most ? 1 : (uint32_t)lith_min_u64(most / largest, UINT32_MAX);
}

static enum lith_code chunks_write(struct group_job *job, struct lith_file_writer *writer,
                                   struct lith_witness *witness, struct lith_err *err)
{
    struct lith_mingle *mingle = job->mingle;

    if (mingle->pool) {
        struct lith_chunk_task task = {
            .write = chunk_write, .ctx = job, .count_max = chunks_at_once(mingle, job->group)};
        return lith_column_pool_write_by(mingle->pool, &task, writer, witness, err);
    }
    for (uint32_t leaf = 0; leaf < mingle->merge->schema.leaf_count; leaf++)
        LITH_TRY(chunk_write(job, 0, leaf, writer, witness, err));
    return LITH_OK;
}

static enum lith_code group_write(struct lith_mingle *mingle, struct group *group,
                                  struct lith_file_writer *writer, struct lith_witness *witness,
                                  struct lith_err *err)
{
    struct group_job job = {mingle, group};

    LITH_TRY(group_begin(mingle, group, err));
    LITH_TRY(lith_file_writer_row_group(writer, (int64_t)group->rows, err));
    LITH_TRY(chunks_write(&job, writer, witness, err));
    return lith_file_writer_row_group_end(writer, err);
}

enum lith_code lith_mingle_row_group(struct lith_mingle *mingle, struct lith_file_writer *writer,
                                     struct lith_witness *witness, int64_t *ret_rows,
                                     struct lith_err *err)
{
    struct group *group;
    void *block;

    if (!mingle->deals)
        LITH_TRY(span_begin(mingle, err));
    LITH_TRY(lith_alloc_array(mingle->merge->work->mem, 1, sizeof(*group), &block, err));
    group = block;
    enum lith_code code = group_write(mingle, group, writer, witness, err);
    if (code == LITH_OK) {
        *ret_rows = (int64_t)group->rows;
        mingle->row += group->rows;
        mingle->group++;
        mingle->bucket += group->count;
        if (mingle->bucket == mingle->span.bucket_count)
            span_end(mingle);
    }
    group_done(group);
    lith_free(group);
    return code;
}
