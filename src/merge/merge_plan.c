/*
 * Planning a merge: every footer is read once, checked against the first, and summed up.
 *
 * Small inputs are read whole on that occasion. What is kept per input is small: schemas and
 * key-values are folded as they come, and what is needed of each chunk goes to the column runs, so
 * memory does not grow with the number of columns times files.
 */
#include "merge/merge_state.h"

#include "base/array.h"
#include "base/checked.h"
#include "merge/annotations.h"

/* What planning needs from one input to the next. */
struct planning {
    struct lith_staging staging;
    struct lith_layout_row_group row_group; /* the output row group that is being filled */
    struct lith_arena arena;                /* of the input's footer */
    struct lith_buf room;                   /* an input's bytes */
    struct lith_memory_source memory;       /* over them */
    struct lith_source *bytes;              /* the same, or NULL: the input is not staged */
    bool staged_last;                       /* the input before was: the next one is like it */
};

static enum lith_code first_take(struct lith_merge *merge, const struct lith_footer *footer,
                                 const struct lith_schema *raw, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_schema_copy(raw, &merge->arena, &merge->written, err));
    LITH_TRY(lith_schema_copy(&footer->schema, &merge->arena, &merge->schema, err));
    LITH_TRY(lith_arena_array(&merge->arena, merge->schema.leaf_count, sizeof(*merge->votes),
                              &block, err));
    merge->votes = block;
    LITH_TRY(lith_arena_array(&merge->arena, merge->schema.leaf_count, sizeof(*merge->packed),
                              &block, err));
    merge->packed = block;
    lith_column_runs_init(&merge->runs, merge->work, merge->schema.leaf_count);
    return lith_gate_meaning(footer, merge->work->mem, merge->meaning, err);
}

/* Refuses a file whose schema or meaning is not that of the first. */
static enum lith_code first_compare(struct lith_merge *merge, const struct lith_footer *footer,
                                    const struct lith_schema *raw, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    char meaning[LITH_MEANING_BYTES];
    const char *difference = NULL;
    bool equal = false;

    lith_arena_init(&arena, merge->work->mem);
    LITH_TRY(lith_schema_equal(&merge->schema, &footer->schema, &arena, &equal, &difference, err));
    if (!equal)
        return lith_fail(err, LITH_E_UNSUPPORTED, "its schema differs from that of %s: %s",
                         merge->inputs[0].name, difference);
    LITH_TRY(lith_gate_meaning(footer, merge->work->mem, meaning, err));
    if (strcmp(meaning, merge->meaning) != 0)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "its values mean something else than those of %s, so they must be merged "
                         "apart: \"%s\" against \"%s\"",
                         merge->inputs[0].name, meaning, merge->meaning);
    lith_annotations_join(&merge->written, raw, &merge->schema);
    return LITH_OK;
}

/* Appends a unit, and notes where the output row groups begin. */
static enum lith_code unit_add(struct lith_merge *merge, struct planning *planning,
                               const struct lith_unit *unit, struct lith_err *err)
{
    struct lith_mem *mem = merge->work->mem;
    void *block = merge->units;

    LITH_TRY(lith_array_grow(mem, &block, merge->unit_count, sizeof(*merge->units), err));
    merge->units = block;
    if (lith_layout_begins(&planning->row_group, unit, &merge->limits)) {
        block = merge->row_groups;
        LITH_TRY(
            lith_array_grow(mem, &block, merge->row_group_count, sizeof(*merge->row_groups), err));
        merge->row_groups = block;
        merge->row_groups[merge->row_group_count++] = (uint32_t)merge->unit_count;
        LITH_TRY(lith_column_runs_cut(&merge->runs, err));
    }
    merge->units[merge->unit_count++] = *unit;
    return LITH_OK;
}

static enum lith_code row_group_take(struct lith_merge *merge, struct planning *planning,
                                     const struct lith_footer *footer, size_t input, uint32_t index,
                                     struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[index];
    struct lith_unit unit = {.input = (uint32_t)input, .row_group = index, .rows = group->num_rows};

    for (uint32_t leaf = 0; leaf < merge->schema.leaf_count; leaf++) {
        const struct lith_chunk_meta *meta = &group->chunks[leaf];
        if (meta->total_uncompressed_size < 0 || meta->total_compressed_size < 0 ||
            !lith_add_u64(unit.uncompressed_bytes, (uint64_t)meta->total_uncompressed_size,
                          &unit.uncompressed_bytes) ||
            !lith_add_u64(unit.compressed_bytes, (uint64_t)meta->total_compressed_size,
                          &unit.compressed_bytes))
            return lith_fail(err, LITH_E_CORRUPT, "row group %u: chunk sizes do not sum up", index);
        lith_chunk_votes_add(&merge->votes[leaf], meta,
                             lith_schema_leaf(&merge->schema, leaf)->type);
    }
    if (group->num_rows == 0)
        return LITH_OK; /* nothing in it; readers and writers trip over such row groups */
    if (!lith_add_i64(merge->rows, group->num_rows, &merge->rows) ||
        !lith_add_u64(merge->input_bytes, unit.compressed_bytes, &merge->input_bytes))
        return lith_fail(err, LITH_E_LIMIT, "the inputs have more than 2^63 rows");
    if (merge->unit_count == UINT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "the inputs have more than 2^32 row groups");
    LITH_TRY(unit_add(merge, planning, &unit, err));
    return lith_column_runs_add(&merge->runs, footer, index, planning->bytes, err);
}

/* Notes what reading the chunks of an input needs of its footer besides the chunks. Inputs of one
 * writer, usually all, share its text. */
static enum lith_code writer_note(struct lith_merge *merge, struct lith_input *input,
                                  const struct lith_footer *footer, struct lith_err *err)
{
    struct lith_slice writer = footer->created_by;
    void *text;
    void *slice;

    if (!merge->last_writer || !lith_slice_equal(*merge->last_writer, writer)) {
        LITH_TRY(lith_arena_copy(&merge->arena, writer.data, writer.bytes, &text, err));
        writer.data = text;
        LITH_TRY(lith_arena_copy(&merge->arena, &writer, sizeof(writer), &slice, err));
        merge->last_writer = slice;
    }
    input->created_by = merge->last_writer;
    input->footer_offset = footer->footer_offset;
    return LITH_OK;
}

static enum lith_code footer_take(struct lith_merge *merge, struct planning *planning,
                                  struct lith_footer *footer, size_t index, struct lith_err *err)
{
    struct lith_arena *arena = &planning->arena;
    struct lith_schema raw;

    LITH_TRY(lith_schema_copy(&footer->schema, arena, &raw, err));
    LITH_TRY(lith_schema_normalise(&footer->schema, arena, err));
    LITH_TRY(lith_gate_file(footer, err));
    if (index == 0)
        LITH_TRY(first_take(merge, footer, &raw, err));
    else
        LITH_TRY(first_compare(merge, footer, &raw, err));
    LITH_TRY(writer_note(merge, &merge->set.inputs[index], footer, err));
    for (uint32_t i = 0; i < footer->row_group_count; i++)
        LITH_TRY(row_group_take(merge, planning, footer, index, i, err));
    return lith_key_values_add(&merge->key_values, footer, err);
}

/* Reads the first `bytes` bytes of an input into the room that all share. False: there is no memory
 * for it now. */
static enum lith_code bytes_read(struct planning *planning, struct lith_source *source,
                                 uint64_t bytes, bool *ret_read, struct lith_err *err)
{
    struct lith_err ignored;

    lith_buf_clear(&planning->room);
    *ret_read = lith_buf_reserve(&planning->room, (size_t)bytes, &ignored) == LITH_OK;
    if (!*ret_read)
        return LITH_OK;
    LITH_TRY(lith_source_read(source, 0, planning->room.data, (size_t)bytes, err));
    lith_memory_source_init(&planning->memory, planning->room.data, (size_t)bytes);
    planning->bytes = &planning->memory.base;
    return LITH_OK;
}

/* The mean of what its row groups hold. */
static uint64_t row_group_bytes(const struct lith_footer *footer)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            int64_t bytes = footer->row_groups[i].chunks[leaf].total_uncompressed_size;
            if (bytes > 0 && !lith_add_u64(sum, (uint64_t)bytes, &sum))
                return UINT64_MAX;
        }
    }
    return footer->row_group_count ? sum / footer->row_group_count : sum;
}

/*
 * Reads the footer of an open input, and the rest of it too where it is to be staged: at once, if
 * it is like the one before. It is closed then, since it will not be read again unless scratch
 * fails.
 */
static enum lith_code input_read(struct lith_merge *merge, struct planning *planning, size_t index,
                                 struct lith_footer *ret_footer, struct lith_err *err)
{
    struct lith_source *source = merge->set.inputs[index].source;
    bool is_read = false;

    planning->bytes = NULL;
    if (planning->staged_last && source->size <= planning->staging.file_bytes_max)
        LITH_TRY(bytes_read(planning, source, source->size, &is_read, err));
    LITH_TRY(
        lith_footer_read(is_read ? planning->bytes : source, &planning->arena, ret_footer, err));
    bool stages = (index == 0 || merge->runs.stages) &&
                  lith_staging_takes(&planning->staging, source->size, row_group_bytes(ret_footer));
    planning->staged_last = stages;
    if (stages && !is_read)
        LITH_TRY(bytes_read(planning, source, ret_footer->footer_offset, &is_read, err));
    if (!stages)
        planning->bytes = NULL;
    else if (is_read)
        lith_input_set_close(&merge->set, index);
    return LITH_OK;
}

static enum lith_code input_take(struct lith_merge *merge, struct planning *planning, size_t index,
                                 struct lith_err *err)
{
    struct lith_footer footer;

    lith_arena_init(&planning->arena, merge->work->mem);
    enum lith_code code = input_read(merge, planning, index, &footer, err);
    if (code == LITH_OK)
        code = footer_take(merge, planning, &footer, index, err);
    lith_arena_done(&planning->arena);
    return code;
}

/* The leaf that a key column names: a top-level column of that name. */
static uint32_t leaf_named(const struct lith_schema *schema, const char *name)
{
    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);
        if (node->parent == 0 && lith_slice_equal(node->name, lith_slice_text(name)))
            return leaf;
    }
    return LITH_NO_INDEX;
}

static enum lith_code key_columns_find(struct lith_merge *merge, struct lith_err *err)
{
    void *block;

    if (merge->options.skip_witness)
        return LITH_OK;
    LITH_TRY(lith_arena_array(&merge->arena, merge->options.key_column_count, sizeof(*merge->keys),
                              &block, err));
    merge->keys = block;
    for (size_t i = 0; i < merge->options.key_column_count; i++) {
        uint32_t leaf = leaf_named(&merge->schema, merge->options.key_columns[i]);
        bool known = leaf == LITH_NO_INDEX;
        for (size_t k = 0; k < merge->key_count; k++)
            known = known || merge->keys[k].leaf == leaf;
        if (known)
            continue;
        struct lith_merge_key *key = &merge->keys[merge->key_count++];
        key->leaf = leaf;
        lith_key_counts_init(&key->counts, merge->work->mem);
    }
    return LITH_OK;
}

static void planning_auto(struct planning *planning)
{
    lith_buf_done(&planning->room);
}

static enum lith_code inputs_take(struct lith_merge *merge, struct lith_err *err)
{
    __attribute__((cleanup(planning_auto))) struct planning planning = {
        .staging = {.file_bytes_max = lith_column_runs_file_bytes_max(merge->work),
                    .input_count = merge->input_count,
                    .open_files_max = lith_work_open_files(merge->work),
                    .row_group_bytes = merge->options.row_group_bytes},
    };
    struct lith_input *input;

    lith_buf_init(&planning.room, merge->work->mem, planning.staging.file_bytes_max);
    for (size_t i = 0; i < merge->input_count; i++) {
        LITH_TRY(lith_work_check(merge->work, err));
        LITH_TRY(lith_input_set_get(&merge->set, i, &input, err));
        if (input_take(merge, &planning, i, err) != LITH_OK)
            return lith_err_prefix(err, "%s", merge->inputs[i].name);
    }
    return lith_column_runs_finish(&merge->runs, err);
}

enum lith_code lith_merge_codecs_new(const struct lith_merge *merge,
                                     struct lith_codec_context **ret_codecs, struct lith_err *err)
{
    const struct lith_codec_choice *codec = &merge->options.codec;

    LITH_TRY(lith_codec_context_new(merge->work->mem, ret_codecs, err));
    if (codec->is_given)
        lith_codec_context_level(*ret_codecs, codec->codec, codec->level);
    return LITH_OK;
}

static enum lith_code plan(struct lith_merge *merge, struct lith_opener *opener,
                           struct lith_err *err)
{
    LITH_TRY(lith_input_set_init(&merge->set, merge->inputs, merge->input_count, opener,
                                 merge->work, err));
    LITH_TRY(lith_merge_codecs_new(merge, &merge->codecs, err));
    LITH_TRY(inputs_take(merge, err));
    return key_columns_find(merge, err);
}

enum lith_code lith_merge_new(const struct lith_merge_input *inputs, size_t input_count,
                              struct lith_opener *opener, const struct lith_merge_options *options,
                              const struct lith_work *work, struct lith_merge **ret_merge,
                              struct lith_err *err)
{
    void *block;

    if (input_count == 0 || input_count >= LITH_NO_INDEX)
        return lith_fail(err, LITH_E_INVALID, "%zu files to merge", input_count);
    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_merge), &block, err));
    struct lith_merge *merge = block;
    merge->inputs = inputs;
    merge->input_count = input_count;
    merge->options = *options;
    merge->work = work;
    merge->limits = (struct lith_layout_limits){
        .row_group_bytes = options->row_group_bytes,
        .row_group_rows = options->row_group_rows,
    };
    merge->bad_input = SIZE_MAX;
    lith_arena_init(&merge->arena, work->mem);
    lith_key_values_init(&merge->key_values, work->mem, options->unknown_keys, inputs[0].name);
    enum lith_code code = plan(merge, opener, err);
    if (code != LITH_OK) {
        lith_merge_free(merge);
        return code;
    }
    *ret_merge = merge;
    return LITH_OK;
}

void lith_merge_free(struct lith_merge *merge)
{
    if (!merge)
        return;
    lith_input_set_done(&merge->set);
    lith_column_runs_done(&merge->runs);
    lith_codec_context_free(merge->codecs);
    lith_key_values_done(&merge->key_values);
    for (size_t i = 0; i < merge->key_count; i++)
        lith_key_counts_done(&merge->keys[i].counts);
    lith_arena_done(&merge->arena);
    lith_free(merge->units);
    lith_free(merge->row_groups);
    lith_lock_free(merge->lock);
    lith_free(merge);
}

const char *lith_merge_missing_key(const struct lith_merge *merge)
{
    for (size_t i = 0; i < merge->options.key_column_count; i++) {
        if (leaf_named(&merge->schema, merge->options.key_columns[i]) == LITH_NO_INDEX)
            return merge->options.key_columns[i];
    }
    return NULL;
}

int64_t lith_merge_rows(const struct lith_merge *merge)
{
    return merge->rows;
}

void lith_merge_rows_by_input(const struct lith_merge *merge, int64_t *rows)
{
    for (size_t i = 0; i < merge->unit_count; i++)
        rows[merge->units[i].input] += merge->units[i].rows;
}

size_t lith_merge_bad_input(const struct lith_merge *merge)
{
    return merge->bad_input;
}
