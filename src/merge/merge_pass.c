/*
 * A pass over the inputs: every footer is read once, and summed up.
 *
 * Small inputs are read whole on that occasion. What is kept per input is small: schemas and
 * key-values are folded as they come, and what is needed of each chunk goes to the column runs, so
 * memory does not grow with the number of columns times files.
 */
#include "merge/merge_pass.h"

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
    bool is_over_union;                     /* the second pass: all schemas are known */
    bool is_mixed;                          /* the first: there is another schema */
    size_t cluster;                         /* of the next unit, once the units are sorted */
};

size_t lith_merge_visit_count(const struct lith_merge *merge)
{
    return merge->visits ? merge->visit_count : merge->input_count;
}

struct lith_visit lith_merge_visit(const struct lith_merge *merge, size_t index)
{
    if (merge->visits)
        return merge->visits[index];
    return (struct lith_visit){.input = (uint32_t)index, .end = UINT32_MAX};
}

enum lith_code lith_merge_schema_begin(struct lith_merge *merge, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(&merge->arena, merge->schema.leaf_count, sizeof(*merge->votes),
                              &block, err));
    merge->votes = block;
    LITH_TRY(lith_arena_array(&merge->arena, merge->schema.leaf_count, sizeof(*merge->packed),
                              &block, err));
    merge->packed = block;
    lith_column_runs_init(&merge->runs, merge->work, merge->schema.leaf_count);
    if (merge->erases_now && lith_erasure_begin(&merge->erasure, &merge->schema, err) != LITH_OK)
        return lith_err_prefix(err, "erase_by");
    if (merge->options.sort_by && !merge->sorting.is_settled)
        return lith_sorting_begin(&merge->sorting, &merge->schema, err);
    return LITH_OK;
}

/* Takes the schema of the first input for that of all. */
static enum lith_code first_take(struct lith_merge *merge, const struct lith_footer *footer,
                                 size_t index, struct lith_err *err)
{
    LITH_TRY(lith_kinds_add(&merge->kinds, footer, (uint32_t)index, err));
    merge->schema = merge->kinds.kinds[0].schema;
    return lith_merge_schema_begin(merge, err);
}

/* Refuses a file whose meaning is not that of the first. */
static enum lith_code meaning_check(struct lith_merge *merge, const struct lith_footer *footer,
                                    bool is_first, struct lith_err *err)
{
    struct lith_meaning meaning;
    int part;

    LITH_TRY(lith_meaning_of(footer, merge->work->mem, &meaning, err));
    if (is_first)
        merge->meaning = meaning;
    if (lith_meaning_join(&merge->meaning, &meaning, &part))
        return LITH_OK;
    return lith_fail(
        err, LITH_E_UNSUPPORTED,
        "by its footer, its values mean something else than those of %s, so they must be "
        "merged apart: \"%s\" against \"%s\"",
        merge->inputs[merge->kinds.kinds[0].input].name, lith_meaning_text(&meaning, part),
        lith_meaning_text(&merge->meaning, part));
}

/* Notes the form that the annotations of an input have. */
static enum lith_code form_take(struct lith_merge *merge, struct lith_kind *kind,
                                const struct lith_schema *raw, struct lith_err *err)
{
    if (kind->written.node_count == 0)
        return lith_schema_copy(raw, &merge->arena, &kind->written, err);
    lith_annotations_join(&kind->written, raw, &kind->schema);
    return LITH_OK;
}

/* Whether the next unit begins a row group because of where the clusters of a sorted rewrite begin:
 * one whose rows are to be sorted stands alone. *ret_stays: it is inside of such a one. */
static bool cluster_begins(const struct lith_merge *merge, struct planning *planning,
                           bool *ret_stays)
{
    const struct lith_sorting *sorting = &merge->sorting;
    bool was_sorted = false;

    *ret_stays = false;
    if (!sorting->is_settled)
        return false;
    const struct lith_unit_cluster *cluster = &sorting->clusters[planning->cluster];
    if (merge->unit_count == cluster->end) {
        was_sorted = cluster->needs_sort;
        cluster = &sorting->clusters[++planning->cluster];
    }
    *ret_stays = cluster->needs_sort && merge->unit_count != cluster->begin;
    return was_sorted || (cluster->needs_sort && !*ret_stays);
}

/* Appends a unit, and notes where the output row groups begin. */
static enum lith_code unit_add(struct lith_merge *merge, struct planning *planning,
                               const struct lith_unit *unit, struct lith_err *err)
{
    struct lith_mem *mem = merge->work->mem;
    void *block = merge->units;
    bool stays;

    LITH_TRY(lith_array_grow(mem, &block, merge->unit_count, sizeof(*merge->units), err));
    merge->units = block;
    if (cluster_begins(merge, planning, &stays))
        planning->row_group = (struct lith_layout_row_group){0};
    if (!stays && lith_layout_begins(&planning->row_group, unit, &merge->limits)) {
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

/* Sums up what a source row group has. */
static enum lith_code unit_sum(const struct lith_footer *footer, const struct lith_row_group *group,
                               uint32_t index, struct lith_unit *unit, struct lith_err *err)
{
    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        const struct lith_chunk_meta *meta = &group->chunks[leaf];
        if (meta->total_uncompressed_size < 0 || meta->total_compressed_size < 0 ||
            !lith_add_u64(unit->uncompressed_bytes, (uint64_t)meta->total_uncompressed_size,
                          &unit->uncompressed_bytes) ||
            !lith_add_u64(unit->compressed_bytes, (uint64_t)meta->total_compressed_size,
                          &unit->compressed_bytes))
            return lith_fail(err, LITH_E_CORRUPT, "row group %u: chunk sizes do not sum up", index);
    }
    return LITH_OK;
}

static void votes_add(struct lith_merge *merge, const struct lith_row_group *group,
                      const struct lith_union_place *places)
{
    for (uint32_t leaf = 0; leaf < merge->schema.leaf_count; leaf++) {
        uint32_t from = places ? places[leaf].leaf : leaf;
        enum lith_type type = lith_schema_leaf(&merge->schema, leaf)->type;
        if (from == LITH_NO_INDEX)
            continue;
        if (places && places[leaf].is_narrow)
            lith_chunk_votes_add_narrow(&merge->votes[leaf], &group->chunks[from]);
        else
            lith_chunk_votes_add(&merge->votes[leaf], &group->chunks[from], type);
    }
}

static enum lith_code row_group_take(struct lith_merge *merge, struct planning *planning,
                                     const struct lith_footer *footer, size_t input, uint32_t index,
                                     struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[index];
    const struct lith_union_place *places =
        merge->kinds.kinds[merge->set.inputs[input].kind].places;
    struct lith_unit unit = {.input = (uint32_t)input, .row_group = index, .rows = group->num_rows};

    LITH_TRY(unit_sum(footer, group, index, &unit, err));
    votes_add(merge, group, places);
    if (group->num_rows == 0)
        return LITH_OK; /* nothing in it; readers and writers trip over such row groups */
    if (!lith_add_i64(merge->rows, group->num_rows, &merge->rows) ||
        !lith_add_u64(merge->input_bytes, unit.compressed_bytes, &merge->input_bytes))
        return lith_fail(err, LITH_E_LIMIT, "the inputs have more than 2^63 rows");
    if (merge->unit_count == UINT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "the inputs have more than 2^32 row groups");
    struct lith_source *source =
        planning->bytes ? planning->bytes : merge->set.inputs[input].source;
    if (merge->options.sort_by && !merge->sorting.is_settled)
        LITH_TRY(lith_sorting_unit(&merge->sorting, footer, index, places, source, err));
    if (merge->erases_now)
        LITH_TRY(lith_erasure_unit(&merge->erasure, footer, index, places, source, err));
    LITH_TRY(unit_add(merge, planning, &unit, err));
    return lith_column_runs_add(&merge->runs, footer, index, places, planning->bytes, err);
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

/* The kind of an input's footer, which is normalised; where it `is_known` already, the same. */
static enum lith_code kind_find(struct lith_merge *merge, size_t input,
                                const struct lith_footer *footer, struct lith_arena *scratch,
                                bool is_known, uint32_t *ret_kind, struct lith_err *err)
{
    LITH_TRY(lith_kinds_find(&merge->kinds, footer, scratch, ret_kind, err));
    if (is_known && *ret_kind != merge->set.inputs[input].kind)
        return lith_fail(err, LITH_E_CONFLICT, "its schema changed while it was being merged");
    return LITH_OK;
}

enum lith_code lith_merge_kind_check(struct lith_merge *merge, size_t input,
                                     struct lith_footer *footer, struct lith_arena *scratch,
                                     struct lith_err *err)
{
    uint32_t kind;

    LITH_TRY(lith_schema_normalise(&footer->schema, scratch, err));
    return kind_find(merge, input, footer, scratch, true, &kind, err);
}

static enum lith_code footer_take(struct lith_merge *merge, struct planning *planning,
                                  struct lith_footer *footer, const struct lith_visit *visit,
                                  struct lith_err *err)
{
    struct lith_arena *arena = &planning->arena;
    size_t index = visit->input;
    bool is_first = merge->kinds.count == 0;
    bool is_again = merge->set.inputs[index].created_by != NULL; /* a visit to other row groups */
    struct lith_schema raw;
    uint32_t kind;

    LITH_TRY(lith_schema_copy(&footer->schema, arena, &raw, err));
    LITH_TRY(lith_schema_normalise(&footer->schema, arena, err));
    LITH_TRY(lith_gate_file(footer, err));
    LITH_TRY(meaning_check(merge, footer, is_first, err));
    if (is_first)
        LITH_TRY(first_take(merge, footer, index, err));
    LITH_TRY(kind_find(merge, index, footer, arena, planning->is_over_union, &kind, err));
    if (kind == LITH_NO_INDEX) {
        planning->is_mixed = true;
        return LITH_OK;
    }
    merge->set.inputs[index].kind = kind;
    LITH_TRY(form_take(merge, &merge->kinds.kinds[kind], &raw, err));
    LITH_TRY(writer_note(merge, &merge->set.inputs[index], footer, err));
    for (uint32_t i = visit->begin; i < visit->end && i < footer->row_group_count; i++)
        LITH_TRY(row_group_take(merge, planning, footer, index, i, err));
    return is_again ? LITH_OK : lith_key_values_add(&merge->key_values, footer, err);
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

static enum lith_code input_take(struct lith_merge *merge, struct planning *planning,
                                 const struct lith_visit *visit, struct lith_err *err)
{
    struct lith_footer footer;
    struct lith_input *input;

    LITH_TRY(lith_input_set_get(&merge->set, visit->input, &input, err));
    lith_arena_init(&planning->arena, merge->work->mem);
    enum lith_code code = input_read(merge, planning, visit->input, &footer, err);
    if (code == LITH_OK)
        code = footer_take(merge, planning, &footer, visit, err);
    lith_arena_done(&planning->arena);
    return code;
}

static void planning_auto(struct planning *planning)
{
    lith_buf_done(&planning->room);
}

enum lith_code lith_merge_pass(struct lith_merge *merge, bool is_over_union, size_t *ret_end,
                               struct lith_err *err)
{
    __attribute__((cleanup(planning_auto))) struct planning planning = {
        .staging = {.file_bytes_max = lith_column_runs_file_bytes_max(merge->work),
                    .input_count = merge->input_count,
                    .open_files_max = lith_work_open_files(merge->work),
                    /* A cluster takes all of its inputs at once, column by column. */
                    .row_group_bytes =
                        lith_sorting_sorts(&merge->sorting) ? 0 : merge->limits.row_group_bytes},
        .is_over_union = is_over_union,
    };

    lith_buf_init(&planning.room, merge->work->mem, planning.staging.file_bytes_max);
    for (*ret_end = 0; *ret_end < lith_merge_visit_count(merge); (*ret_end)++) {
        struct lith_visit visit = lith_merge_visit(merge, *ret_end);
        LITH_TRY(lith_work_check(merge->work, err));
        if (input_take(merge, &planning, &visit, err) != LITH_OK)
            return lith_err_prefix(err, "%s", merge->inputs[visit.input].name);
        if (planning.is_mixed)
            return LITH_OK;
    }
    return lith_column_runs_finish(&merge->runs, err);
}
