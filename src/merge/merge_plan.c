/*
 * Planning a merge: every footer is read once, checked against the first, and summed up.
 *
 * What is kept per input is one small record per row group; schemas, statistics and key-values
 * are folded as they come, so memory does not grow with the number of columns times files.
 */
#include "merge/merge_state.h"

#include "base/array.h"
#include "base/checked.h"
#include "merge/annotations.h"

static enum lith_code first_take(struct lith_merge *merge, const struct lith_footer *footer,
                                 const struct lith_schema *raw, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_schema_copy(raw, &merge->arena, &merge->written, err));
    LITH_TRY(lith_schema_copy(&footer->schema, &merge->arena, &merge->schema, err));
    LITH_TRY(lith_arena_array(&merge->arena, merge->schema.leaf_count, sizeof(*merge->votes),
                              &block, err));
    merge->votes = block;
    lith_chunk_book_init(&merge->book, merge->work, merge->schema.leaf_count);
    lith_gate_meaning(footer, merge->meaning);
    return LITH_OK;
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
    lith_gate_meaning(footer, meaning);
    if (strcmp(meaning, merge->meaning) != 0)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "its dates mean something else than those of %s: \"%s\" against \"%s\"; "
                         "merge such files apart",
                         merge->inputs[0].name, meaning, merge->meaning);
    lith_annotations_join(&merge->written, raw, &merge->schema);
    return LITH_OK;
}

static enum lith_code unit_add(struct lith_merge *merge, const struct lith_unit *unit,
                               struct lith_err *err)
{
    void *block = merge->units;

    LITH_TRY(
        lith_array_grow(merge->work->mem, &block, merge->unit_count, sizeof(*merge->units), err));
    merge->units = block;
    merge->units[merge->unit_count++] = *unit;
    return LITH_OK;
}

static enum lith_code row_group_take(struct lith_merge *merge, const struct lith_footer *footer,
                                     size_t input, uint32_t index, struct lith_err *err)
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
    LITH_TRY(lith_chunk_book_add(&merge->book, group, err));
    return unit_add(merge, &unit, err);
}

/* Notes what reading the chunks of an input needs of its footer besides the chunks. Inputs of one
 * writer, usually all, share its text. */
static enum lith_code writer_note(struct lith_merge *merge, struct lith_input *input,
                                  const struct lith_footer *footer, struct lith_err *err)
{
    void *copy;

    if (!lith_slice_equal(merge->last_writer, footer->created_by)) {
        LITH_TRY(lith_arena_copy(&merge->arena, footer->created_by.data, footer->created_by.bytes,
                                 &copy, err));
        merge->last_writer = (struct lith_slice){copy, footer->created_by.bytes};
    }
    input->created_by = merge->last_writer;
    input->footer_offset = footer->footer_offset;
    return LITH_OK;
}

static enum lith_code footer_take(struct lith_merge *merge, struct lith_input *input, size_t index,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_footer footer;
    struct lith_schema raw;

    lith_arena_init(&arena, merge->work->mem);
    LITH_TRY(lith_footer_read(input->source, &arena, &footer, err));
    LITH_TRY(lith_schema_copy(&footer.schema, &arena, &raw, err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &arena, err));
    LITH_TRY(lith_gate_file(&footer, err));
    if (index == 0)
        LITH_TRY(first_take(merge, &footer, &raw, err));
    else
        LITH_TRY(first_compare(merge, &footer, &raw, err));
    LITH_TRY(writer_note(merge, input, &footer, err));
    for (uint32_t i = 0; i < footer.row_group_count; i++)
        LITH_TRY(row_group_take(merge, &footer, index, i, err));
    return lith_key_values_add(&merge->key_values, &footer, err);
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

static enum lith_code plan(struct lith_merge *merge, struct lith_opener *opener,
                           struct lith_err *err)
{
    struct lith_input *input;

    LITH_TRY(lith_input_set_init(&merge->set, merge->inputs, merge->input_count, opener,
                                 merge->work->mem, err));
    LITH_TRY(lith_codec_context_new(merge->work->mem, &merge->codecs, err));
    for (size_t i = 0; i < merge->input_count; i++) {
        LITH_TRY(lith_work_check(merge->work, err));
        LITH_TRY(lith_input_set_get(&merge->set, i, &input, err));
        if (footer_take(merge, input, i, err) != LITH_OK)
            return lith_err_prefix(err, "%s", input->name);
    }
    return key_columns_find(merge, err);
}

enum lith_code lith_merge_new(const struct lith_merge_input *inputs, size_t input_count,
                              struct lith_opener *opener, const struct lith_merge_options *options,
                              const struct lith_work *work, struct lith_merge **ret_merge,
                              struct lith_err *err)
{
    void *block;

    if (input_count == 0 || input_count > UINT32_MAX)
        return lith_fail(err, LITH_E_INVALID, "%zu files to merge", input_count);
    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_merge), &block, err));
    struct lith_merge *merge = block;
    merge->inputs = inputs;
    merge->input_count = input_count;
    merge->options = *options;
    merge->work = work;
    merge->bad_input = SIZE_MAX;
    lith_arena_init(&merge->arena, work->mem);
    lith_key_values_init(&merge->key_values, work->mem);
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
    lith_chunk_book_done(&merge->book);
    lith_codec_context_free(merge->codecs);
    lith_key_values_done(&merge->key_values);
    for (size_t i = 0; i < merge->key_count; i++)
        lith_key_counts_done(&merge->keys[i].counts);
    lith_arena_done(&merge->arena);
    lith_free(merge->units);
    lith_free(merge);
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
