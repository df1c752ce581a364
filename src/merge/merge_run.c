/*
 * Running a merge: files, row groups, columns, sources, in that order of nesting.
 *
 * Only one output chunk is open at a time, and one source chunk. A file ends at the first row
 * group border past its share of what is left, in bytes written.
 */
#include "merge/merge_state.h"

#include "merge/input_list.h"
#include "merge/mover.h"

/* One run: the open output and what is left for the others. */
struct run {
    struct lith_merge *merge;
    struct lith_merge_outputs *outputs;
    struct lith_witness witness;
    struct lith_file_writer *writer;
    struct lith_run_cursor cursor;     /* over the sources of a column */
    struct lith_read_ahead read_ahead; /* over the source at hand, where it is a file */
    size_t next_row_group;
    size_t next_unit;    /* its first */
    uint64_t left_bytes; /* of units not taken yet */
    uint64_t files_left;
    size_t output_index;
};

static void progress_report(struct lith_merge *merge, uint64_t bytes)
{
    const struct lith_control *control = merge->work->control;

    merge->bytes_done += bytes;
    if (!control->progress)
        return;
    struct lith_progress progress = {
        .bytes_done = merge->bytes_done,
        .bytes_total = merge->input_bytes,
        .phase = "merge",
    };
    control->progress(control->progress_ctx, &progress);
}

static struct lith_key_counts *counts_of(struct lith_merge *merge, uint32_t leaf)
{
    for (size_t i = 0; i < merge->key_count; i++) {
        if (merge->keys[i].leaf == leaf)
            return &merge->keys[i].counts;
    }
    return NULL;
}

/* A source for the bytes of a chunk: memory where it was staged, else its file, opened again. */
static enum lith_code chunk_source(struct run *run, const struct lith_source_chunk *chunk,
                                   size_t input_index, struct lith_memory_source *memory,
                                   struct lith_source **ret_source, struct lith_err *err)
{
    struct lith_input *input;

    if (chunk->is_staged) {
        lith_memory_source_init_at(memory, chunk->pages_offset, chunk->pages.data,
                                   chunk->pages.bytes);
        *ret_source = &memory->base;
        return LITH_OK;
    }
    LITH_TRY(lith_input_set_get(&run->merge->set, input_index, &input, err));
    lith_read_ahead_open(&run->read_ahead, input->source, chunk->pages_offset,
                         chunk->pages_offset + (uint64_t)chunk->meta.total_compressed_size);
    *ret_source = &run->read_ahead.base;
    return LITH_OK;
}

/* Moves one column of a unit into the open chunk. */
static enum lith_code unit_move(struct run *run, uint32_t leaf,
                                const struct lith_source_chunk *chunk, struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    const struct lith_unit *unit = &merge->units[chunk->unit];
    const struct lith_input *input = &merge->set.inputs[unit->input];
    struct lith_memory_source memory;
    struct lith_source *source;

    LITH_TRY(lith_work_check(merge->work, err));
    merge->bad_input = unit->input;
    LITH_TRY(chunk_source(run, chunk, unit->input, &memory, &source, err));
    struct lith_move move = {
        .source = source,
        .ref = {.schema = &merge->schema,
                .row_group = unit->row_group,
                .leaf = leaf,
                .num_rows = unit->rows,
                .footer_offset = input->footer_offset,
                .created_by = *input->created_by,
                .meta = &chunk->meta},
        .codecs = merge->codecs,
        .work = merge->work,
        .writer = run->writer,
        .witness = merge->options.skip_witness ? NULL : &run->witness,
        .counts = counts_of(merge, leaf),
    };
    if (lith_mover_run(lith_mover_choose(&move), &move, err) != LITH_OK)
        return lith_err_prefix(err, "%s", merge->inputs[unit->input].name);
    merge->bad_input = SIZE_MAX;
    progress_report(merge, (uint64_t)chunk->meta.total_compressed_size);
    return LITH_OK;
}

static enum lith_code chunk_write(struct run *run, uint32_t leaf, size_t begin, size_t end,
                                  struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    struct lith_chunk_plan plan =
        lith_chunk_votes_plan(&merge->votes[leaf], lith_schema_leaf(&merge->schema, leaf));
    struct lith_source_chunk source;
    uint64_t rows = 0;
    bool ended;

    lith_witness_chunk_begin(&run->witness, lith_schema_leaf(&merge->schema, leaf));
    LITH_TRY(lith_file_writer_chunk(run->writer, &plan, err));
    lith_run_cursor_open(&run->cursor, leaf, begin, end);
    for (;;) {
        LITH_TRY(lith_run_cursor_next(&run->cursor, &source, &ended, err));
        if (ended)
            break;
        LITH_TRY(unit_move(run, leaf, &source, err));
        rows += (uint64_t)merge->units[source.unit].rows;
    }
    LITH_TRY(lith_file_writer_chunk_end(run->writer, err));
    return lith_witness_chunk_end(&run->witness, rows, err);
}

/* Writes the next output row group. */
static enum lith_code row_group_write(struct run *run, struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    size_t next = run->next_row_group + 1;
    size_t begin = run->next_unit;
    size_t end = next < merge->row_group_count ? merge->row_groups[next] : merge->unit_count;
    int64_t rows = 0;

    for (size_t i = begin; i < end; i++) {
        rows += merge->units[i].rows;
        run->left_bytes -= merge->units[i].compressed_bytes;
    }
    LITH_TRY(lith_file_writer_row_group(run->writer, rows, err));
    for (uint32_t leaf = 0; leaf < merge->schema.leaf_count; leaf++)
        LITH_TRY(chunk_write(run, leaf, begin, end, err));
    LITH_TRY(lith_file_writer_row_group_end(run->writer, err));
    run->next_unit = end;
    run->next_row_group = next;
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

    LITH_TRY(lith_key_values_finish(&merge->key_values, 3, &entries, &count, err));
    if (merge->options.pid) {
        entries[count].key = lith_slice_text("lithify.pid");
        entries[count++].value = lith_slice_text(merge->options.pid);
        entries[count].key = lith_slice_text("lithify.job");
        entries[count++].value = lith_slice_text(merge->options.job);
        entries[count].key = lith_slice_text(LITH_INPUT_LIST_KEY);
        LITH_TRY(lith_input_list_write(run->writer, merge->inputs, first_input, last_input,
                                       merge->codecs, &merge->arena, &entries[count++].value, err));
    }
    return lith_file_writer_finish(run->writer, entries, count, err);
}

/* Fills the file that has been begun, and ends it. */
static enum lith_code file_fill(struct run *run, struct lith_err *err)
{
    struct lith_merge *merge = run->merge;
    uint64_t goal = lith_layout_file_goal(run->left_bytes, run->files_left);
    size_t first_unit = run->next_unit;

    while (run->next_unit < merge->unit_count && lith_file_writer_bytes(run->writer) < goal)
        LITH_TRY(row_group_write(run, err));
    /* Inputs without rows are held by the file that would have had them: the first one. */
    size_t first_input = run->output_index == 0 ? 0 : merge->units[first_unit].input;
    size_t last_input = run->next_unit == merge->unit_count
                            ? merge->input_count - 1
                            : merge->units[run->next_unit - 1].input;
    LITH_TRY(file_finish(run, first_input, last_input, err));
    struct lith_merge_file file = {
        .index = run->output_index,
        .bytes = lith_file_writer_bytes(run->writer),
        .rows = lith_file_writer_rows(run->writer),
        .first_input = first_input,
        .last_input = last_input,
        .units = merge->units + first_unit,
        .unit_count = run->next_unit - first_unit,
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

enum lith_code lith_merge_run(struct lith_merge *merge, struct lith_merge_outputs *outputs,
                              struct lith_err *err)
{
    struct run run = {
        .merge = merge,
        .outputs = outputs,
        .left_bytes = merge->input_bytes,
        .files_left = lith_layout_file_count(merge->input_bytes, merge->options.target_file_bytes),
    };
    enum lith_code code;

    lith_run_cursor_init(&run.cursor, &merge->runs);
    lith_read_ahead_init(&run.read_ahead, merge->work->mem);
    do {
        code = file_write(&run, err);
    } while (code == LITH_OK && run.next_unit < merge->unit_count);
    lith_run_cursor_done(&run.cursor);
    lith_read_ahead_done(&run.read_ahead);
    return code;
}
