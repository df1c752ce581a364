/*
 * Running a merge: files, row groups, columns, sources, in that order of nesting.
 *
 * Only one output chunk is open at a time, and one source chunk; with threads, as many
 * (column_pool.h). A file ends at the first row group border past its share of what is left, in
 * bytes written.
 */
#include "merge/merge_state.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "merge/chunk_move.h"
#include "merge/column_pool.h"
#include "merge/input_list.h"
#include "merge/mingle.h"

/* One run: the open output and what is left for the others. */
struct run {
    struct lith_merge *merge;
    struct lith_merge_outputs *outputs;
    struct lith_witness witness;
    struct lith_file_writer *writer;
    struct lith_chunk_maker maker;
    struct lith_column_pool *pool; /* makes the chunks instead; NULL: one thread does */
    struct lith_unit cluster;      /* what is left of it: rows and bytes */
    struct lith_mingle mingle;     /* of the cluster that is being sorted; zeroed: none is */
    size_t next_row_group;
    size_t next_unit;     /* its first; of a cluster that is being sorted, while that lasts */
    uint32_t group_count; /* of the open file */
    bool is_mingled;      /* likewise: some of its rows were sorted */
    uint64_t left_bytes;  /* of units not taken yet */
    uint64_t left_plain_bytes;
    uint64_t written_bytes; /* of files that are finished */
    uint64_t files_left;
    size_t output_index;
};

void lith_merge_progress(struct lith_merge *merge, uint64_t bytes)
{
    const struct lith_control *control = merge->work->control;

    if (merge->lock)
        lith_lock_take(merge->lock);
    merge->bytes_done += bytes;
    struct lith_progress progress = {
        .bytes_done = merge->bytes_done,
        .bytes_total = merge->input_bytes,
        .phase = "merge",
    };
    if (control->progress)
        control->progress(control->progress_ctx, &progress);
    if (merge->lock)
        lith_lock_give(merge->lock);
}

void lith_merge_row_group(const struct lith_merge *merge, size_t index, size_t *ret_begin,
                          size_t *ret_end)
{
    bool is_last = index + 1 == merge->row_group_count;

    *ret_begin = merge->row_groups[index];
    *ret_end = is_last ? merge->unit_count : merge->row_groups[index + 1];
}

static enum lith_code chunks_write(struct run *run, size_t begin, size_t end, struct lith_err *err)
{
    struct lith_chunk_maker *maker = &run->maker;

    if (run->pool)
        return lith_column_pool_write(run->pool, begin, end, run->writer, &run->witness, err);
    lith_chunk_maker_row_group(maker, begin, end);
    for (uint32_t leaf = 0; leaf < run->merge->schema.leaf_count; leaf++)
        LITH_TRY(lith_chunk_maker_write(maker, leaf, begin, end, run->writer, &run->witness, err));
    return LITH_OK;
}

/* Takes bytes off the cluster, and off what is left: those of so many of its rows, or all. */
static void cluster_take(struct run *run, int64_t rows, bool all)
{
    struct lith_unit *cluster = &run->cluster;
    double part = cluster->rows > rows ? (double)rows / (double)cluster->rows : 1;
    uint64_t bytes = (uint64_t)(part * (double)cluster->compressed_bytes);
    uint64_t plain_bytes = (uint64_t)(part * (double)cluster->uncompressed_bytes);

    if (all) {
        bytes = cluster->compressed_bytes;
        plain_bytes = cluster->uncompressed_bytes;
    }
    cluster->rows -= rows;
    cluster->compressed_bytes -= bytes;
    cluster->uncompressed_bytes -= plain_bytes;
    run->left_bytes -= bytes;
    run->left_plain_bytes -= plain_bytes;
}

/* Writes the next row group of a cluster whose rows are sorted: units [begin, end). */
static enum lith_code cluster_write(struct run *run, size_t begin, size_t end, struct lith_err *err)
{
    struct lith_mingle *mingle = &run->mingle;
    int64_t rows = 0;

    if (!mingle->merge) {
        if (!run->pool)
            lith_chunk_maker_row_group(&run->maker, begin, end);
        run->cluster = (struct lith_unit){0};
        for (size_t i = begin; i < end; i++) {
            run->cluster.compressed_bytes += run->merge->units[i].compressed_bytes;
            run->cluster.uncompressed_bytes += run->merge->units[i].uncompressed_bytes;
            run->cluster.rows += run->merge->units[i].rows;
        }
        LITH_TRY(lith_mingle_begin(mingle, run->merge, &run->maker, run->pool, begin, end, err));
    }
    run->is_mingled = true;
    if (!lith_mingle_is_at_end(mingle)) { /* all of its rows may be erased */
        LITH_TRY(lith_mingle_row_group(mingle, run->writer, &run->witness, &rows, err));
        run->group_count++;
    }
    cluster_take(run, rows, lith_mingle_is_at_end(mingle));
    if (!lith_mingle_is_at_end(mingle))
        return LITH_OK;
    run->next_unit = end;
    run->next_row_group++;
    lith_mingle_done(mingle);
    return LITH_OK;
}

/* Writes a row group of whole units: [begin, end). */
static enum lith_code units_write(struct run *run, size_t begin, size_t end, struct lith_err *err)
{
    const struct lith_merge *merge = run->merge;
    int64_t rows = 0;

    for (size_t i = begin; i < end; i++) {
        rows += merge->units[i].rows;
        run->left_bytes -= merge->units[i].compressed_bytes;
        run->left_plain_bytes -= merge->units[i].uncompressed_bytes;
    }
    LITH_TRY(lith_file_writer_row_group(run->writer, rows, err));
    LITH_TRY(chunks_write(run, begin, end, err));
    LITH_TRY(lith_file_writer_row_group_end(run->writer, err));
    run->next_unit = end;
    run->next_row_group++;
    run->group_count++;
    return LITH_OK;
}

/* Writes the next output row group. */
static enum lith_code row_group_write(struct run *run, struct lith_err *err)
{
    size_t begin, end;

    lith_merge_row_group(run->merge, run->next_row_group, &begin, &end);
    if (lith_mingle_wants(run->merge, begin, end))
        LITH_TRY(cluster_write(run, begin, end, err));
    else
        LITH_TRY(units_write(run, begin, end, err));
    if (run->outputs->row_group)
        run->outputs->row_group(run->outputs);
    return LITH_OK;
}

/* Ends the file: the list of inputs where it belongs to a lake, key-values, footer. */
static enum lith_code file_finish(struct run *run, size_t first_input, size_t last_input,
                                  struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    struct lith_key_value *entries;
    uint32_t count;

    LITH_TRY(lith_key_values_finish(&merge->key_values, 6, &entries, &count, err));
    /* What the writers of the inputs meant by their names, which the output does not bear. */
    if (merge->kinds.count == 1 && merge->kinds.kinds[0].ids == LITH_IDS_MADE) {
        entries[count].key = lith_slice_text(LITH_IDS_KEY);
        entries[count++].value = lith_slice_text(LITH_IDS_COUNTED);
    }
    if (lith_meaning_is_parquet_mr(&merge->meaning)) {
        entries[count].key = lith_slice_text(LITH_INT96_KEY);
        entries[count++].value = lith_slice_text(LITH_INT96_PARQUET_MR);
    }
    if (merge->erasure.erased) {
        char *text;
        LITH_TRY(lith_arena_format(&merge->arena, &text, err, "%" PRIu64, merge->erasure.erased));
        entries[count].key = lith_slice_text("lithify.erased");
        entries[count++].value = lith_slice_text(text);
    }
    if (merge->options.pid) {
        entries[count].key = lith_slice_text(LITH_PID_KEY);
        entries[count++].value = lith_slice_text(merge->options.pid);
        entries[count].key = lith_slice_text(LITH_JOB_KEY);
        entries[count++].value = lith_slice_text(merge->options.job);
        entries[count].key = lith_slice_text(LITH_INPUT_LIST_KEY);
        LITH_TRY(lith_input_list_write(run->writer, merge->inputs, first_input, last_input,
                                       merge->codecs, &merge->arena, &entries[count++].value, err));
    }
    return lith_file_writer_finish(run->writer, entries, count, err);
}

/*
 * The bytes that what is left will have. Where outputs get another codec than their inputs had, a
 * file would end far from its size by the bytes of these: without compression they are known,
 * else the files before tell.
 */
static uint64_t left_expected(const struct run *run)
{
    const struct lith_codec_choice *codec = &run->merge->options.codec;
    uint64_t taken = run->merge->input_bytes - run->left_bytes;

    if (!codec->is_given)
        return run->left_bytes;
    if (codec->codec == LITH_CODEC_UNCOMPRESSED)
        return run->left_plain_bytes;
    return lith_layout_scaled(run->left_bytes, run->written_bytes, taken);
}

static uint64_t goal_set(struct run *run)
{
    const struct lith_merge_options *options = &run->merge->options;
    uint64_t left = left_expected(run);

    if (options->codec.is_given)
        run->files_left = lith_layout_file_count(left, options->target_file_bytes);
    return lith_layout_file_goal(left, run->files_left);
}

/* The inputs whose rows the file has that ends: after a sort it may be any. */
static void inputs_of(const struct run *run, size_t first_unit, size_t *ret_first, size_t *ret_last)
{
    const struct lith_merge *merge = run->merge;
    /* Within a row group whose rows are mingled it may have rows of all units of that. */
    size_t end = run->mingle.merge ? run->mingle.end : run->next_unit;

    /* Inputs without rows are held by the file that would have had them: the first one. */
    *ret_first = 0;
    *ret_last = merge->input_count - 1;
    if (merge->options.sort_by)
        return;
    if (run->output_index > 0)
        *ret_first = merge->units[first_unit].input;
    if (end < merge->unit_count)
        *ret_last = merge->units[end - 1].input;
}

/* Fills the file that has been begun, and ends it. */
static enum lith_code file_fill(struct run *run, struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    uint64_t goal = goal_set(run);
    size_t first_unit = run->next_unit;
    size_t first_input, last_input;

    run->group_count = 0;
    run->is_mingled = false;
    /* One row group at least: a goal of few bytes must not make files without end. */
    while (run->next_unit < merge->unit_count &&
           (run->group_count == 0 || lith_file_writer_bytes(run->writer) < goal))
        LITH_TRY(row_group_write(run, err));
    inputs_of(run, first_unit, &first_input, &last_input);
    LITH_TRY(file_finish(run, first_input, last_input, err));
    run->written_bytes += lith_file_writer_bytes(run->writer);
    struct lith_merge_file file = {
        .index = run->output_index,
        .bytes = lith_file_writer_bytes(run->writer),
        .rows = lith_file_writer_rows(run->writer),
        .first_input = first_input,
        .last_input = last_input,
        .units = merge->units + first_unit,
        .unit_count = run->next_unit - first_unit,
        .is_mingled = run->is_mingled,
        .witness = &run->witness,
        .keys = merge->keys,
        .key_count = merge->key_count,
    };
    return run->outputs->end(run->outputs, &file, err);
}

static enum lith_code file_write(struct run *run, struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    struct lith_sink *sink;

    lith_witness_init(&run->witness, merge->work, merge->schema.leaf_count);
    for (size_t i = 0; i < merge->key_count; i++) {
        lith_key_counts_done(&merge->keys[i].counts);
        lith_key_counts_init(&merge->keys[i].counts, merge->work->mem);
    }
    enum lith_code code = run->outputs->begin(run->outputs, run->output_index, &sink, err);
    if (code == LITH_OK)
        code = lith_file_writer_new(sink, &merge->written, merge->codecs, merge->work, &run->writer,
                                    err);
    if (code == LITH_OK && merge->options.sort_by)
        lith_file_writer_sorted(run->writer, merge->sorting.columns, merge->sorting.key_count);
    if (code == LITH_OK)
        code = file_fill(run, err);
    lith_file_writer_free(run->writer);
    run->writer = NULL;
    lith_witness_done(&run->witness);
    run->output_index++;
    if (run->files_left > 1)
        run->files_left--;
    return code;
}

static enum lith_code maker_init(struct lith_chunk_maker *maker, struct lith_merge *merge,
                                 uint32_t user, struct lith_err *err)
{
    size_t windows_bytes = user == LITH_NO_INDEX ? lith_windows_bytes_max(merge->work) : 0;

    return lith_chunk_maker_init(maker, merge, merge->codecs, user, windows_bytes, err);
}

/* What makes chunks: the pool, else the maker, which also reads keys that are sorted. */
static enum lith_code makers_begin(struct run *run, struct lith_err *err)
{
    LITH_TRY(lith_column_pool_new(run->merge, &run->pool, err));
    uint32_t user = run->pool ? lith_column_pool_user(run->pool) : LITH_NO_INDEX;
    if (run->pool && !lith_sorting_sorts(&run->merge->sorting))
        return LITH_OK;
    return maker_init(&run->maker, run->merge, user, err);
}

static void makers_end(struct run *run)
{
    struct lith_merge *merge = run->merge;

    if (run->maker.merge) {
        memcpy(merge->moved, run->maker.tools.bytes, sizeof(merge->moved));
        merge->bad_input = run->maker.bad_input;
    }
    if (run->pool) {
        lith_column_pool_moved(run->pool, merge->moved);
        if (lith_column_pool_bad_input(run->pool) != SIZE_MAX)
            merge->bad_input = lith_column_pool_bad_input(run->pool);
    }
    lith_mingle_done(&run->mingle);
    lith_column_pool_free(run->pool);
    lith_chunk_maker_done(&run->maker);
}

enum lith_code lith_merge_run(struct lith_merge *merge, struct lith_merge_outputs *outputs,
                              struct lith_err *err)
{
    struct run run = {
        .merge = merge,
        .outputs = outputs,
        .left_bytes = merge->input_bytes,
        .files_left = lith_layout_file_count(merge->input_bytes, merge->options.target_file_bytes),
    };
    for (size_t i = 0; i < merge->unit_count; i++)
        run.left_plain_bytes =
            lith_sum_u64(run.left_plain_bytes, merge->units[i].uncompressed_bytes);

    enum lith_code code = makers_begin(&run, err);
    while (code == LITH_OK) {
        code = file_write(&run, err);
        if (run.next_unit >= merge->unit_count)
            break;
    }
    makers_end(&run);
    return code;
}

static enum lith_code row_group_explain(struct lith_chunk_maker *maker, size_t begin, size_t end,
                                        struct lith_err *err)
{
    bool sorts = lith_mingle_wants(maker->merge, begin, end);

    lith_chunk_maker_row_group(maker, begin, end);
    for (uint32_t leaf = 0; leaf < maker->merge->schema.leaf_count; leaf++) {
        if (sorts)
            LITH_TRY(lith_chunk_maker_explain_sorted(maker, leaf, begin, end, err));
        else
            LITH_TRY(lith_chunk_maker_plan(maker, leaf, begin, end, err));
    }
    return LITH_OK;
}

enum lith_code lith_merge_explain(struct lith_merge *merge, struct lith_err *err)
{
    struct lith_chunk_maker maker;

    enum lith_code code = maker_init(&maker, merge, LITH_NO_INDEX, err);
    for (size_t i = 0; code == LITH_OK && i < merge->row_group_count; i++) {
        size_t begin, end;
        lith_merge_row_group(merge, i, &begin, &end);
        code = row_group_explain(&maker, begin, end, err);
    }
    merge->bad_input = maker.bad_input;
    lith_chunk_maker_done(&maker);
    return code;
}

uint64_t lith_merge_moved(const struct lith_merge *merge, enum lith_mover mover)
{
    return merge->moved[mover];
}
