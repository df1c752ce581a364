/*
 * Planning a merge: passes over its inputs, until all is known that the outputs need.
 *
 * Nearly always one is enough. Where not all schemas are one, the other footers are read for their
 * schemas alone, all are joined, and a second pass plans over the union. A sorted rewrite learns
 * from the first pass in which order its units come; where that is another, it makes one more.
 */
#include "merge/merge_pass.h"

#include <stdlib.h>

#include "base/checked.h"

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

/* Reads the footer of an input for its schema alone. */
static enum lith_code kind_take(struct lith_merge *merge, size_t index, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_footer footer;
    struct lith_input *input;
    uint32_t kind;

    lith_arena_init(&arena, merge->work->mem);
    LITH_TRY(lith_input_set_get(&merge->set, index, &input, err));
    LITH_TRY(lith_footer_read(input->source, &arena, &footer, err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &arena, err));
    LITH_TRY(lith_kinds_find(&merge->kinds, &footer, &arena, &kind, err));
    if (kind == LITH_NO_INDEX) {
        LITH_TRY(lith_kinds_add(&merge->kinds, &footer, (uint32_t)index, err));
        kind = merge->kinds.count - 1;
    }
    input->kind = kind;
    return LITH_OK;
}

/* What else the operator might allow, so that all join; empty: nothing does. */
static enum lith_code hint_find(struct lith_merge *merge, const char **ret_hint,
                                struct lith_err *err)
{
    const struct lith_union_rules *allow = &merge->options.allow;
    const struct {
        bool dates, strings, any_case;
        enum lith_match match;
        const char *text;
    } ways[] = {
        {true, false, false, merge->options.match, ", or --allow dates-to-timestamps"},
        {false, true, false, merge->options.match, ", or --allow bytes-to-strings"},
        {false, false, true, merge->options.match, ", or --allow names-by-case"},
        {false, false, false, LITH_MATCH_NAME, ", or --match-columns name"},
        {false, false, false, LITH_MATCH_ID, ", or --match-columns id"},
    };
    struct lith_kinds_conflict conflict;
    struct lith_schema joined;

    *ret_hint = "";
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct lith_union_rules rules = *allow;
        rules.dates_widen = rules.dates_widen || ways[i].dates;
        rules.strings_widen = rules.strings_widen || ways[i].strings;
        rules.any_case = rules.any_case || ways[i].any_case;
        LITH_TRY(lith_kinds_join(&merge->kinds, &rules, ways[i].match, &joined, &conflict, err));
        if (conflict.text)
            continue;
        *ret_hint = ways[i].text;
        return LITH_OK;
    }
    return LITH_OK;
}

/* Joins the schemas of all inputs to merge->schema. */
static enum lith_code schemas_join(struct lith_merge *merge, size_t first, struct lith_err *err)
{
    struct lith_kinds_conflict conflict;

    for (size_t i = first; i < lith_merge_visit_count(merge); i++) {
        size_t input = lith_merge_visit(merge, i).input;
        LITH_TRY(lith_work_check(merge->work, err));
        if (kind_take(merge, input, err) != LITH_OK)
            return lith_err_prefix(err, "%s", merge->inputs[input].name);
    }
    LITH_TRY(lith_kinds_join(&merge->kinds, &merge->options.allow, merge->options.match,
                             &merge->schema, &conflict, err));
    if (!conflict.text)
        return LITH_OK;
    const char *hint;
    LITH_TRY(hint_find(merge, &hint, err));
    if (conflict.left == conflict.right)
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s does not join any other file: %s",
                         merge->inputs[merge->kinds.kinds[conflict.left].input].name,
                         conflict.text);
    return lith_fail(err, LITH_E_UNSUPPORTED, "%s and %s do not join: %s; merge them apart%s",
                     merge->inputs[merge->kinds.kinds[conflict.left].input].name,
                     merge->inputs[merge->kinds.kinds[conflict.right].input].name, conflict.text,
                     hint);
}

/* Forgets what was planned. The inputs stay open. */
static void plan_clear(struct lith_merge *merge)
{
    lith_column_runs_done(&merge->runs);
    lith_key_values_done(&merge->key_values);
    lith_key_values_init(&merge->key_values, merge->work->mem, merge->options.unknown_keys,
                         merge->inputs[0].name);
    for (uint32_t i = 0; i < merge->kinds.count; i++)
        merge->kinds.kinds[i].written = (struct lith_schema){0};
    for (size_t i = 0; i < merge->input_count; i++)
        merge->set.inputs[i].created_by = NULL;
    merge->unit_count = 0;
    merge->row_group_count = 0;
    merge->rows = 0;
    merge->input_bytes = 0;
}

/* By name, then by place: so the order in which inputs are named does not show. */
static int inputs_compare(const void *left, const void *right, void *ctx)
{
    const struct lith_merge_input *inputs = ctx;
    const struct lith_visit *a = left;
    const struct lith_visit *b = right;
    int order = strcmp(inputs[a->input].name, inputs[b->input].name);

    return order ? order : (a->input > b->input) - (a->input < b->input);
}

/* For a sorted rewrite: whole inputs, by name. */
static enum lith_code visits_begin(struct lith_merge *merge, struct lith_err *err)
{
    struct lith_visit *visits;
    void *block;

    LITH_TRY(lith_arena_array(&merge->arena, merge->input_count, sizeof(*visits), &block, err));
    visits = block;
    for (size_t i = 0; i < merge->input_count; i++)
        visits[i] = (struct lith_visit){.input = (uint32_t)i, .end = UINT32_MAX};
    qsort_r(visits, merge->input_count, sizeof(*visits), inputs_compare,
            (void *)(uintptr_t)merge->inputs);
    merge->visits = visits;
    merge->visit_count = merge->input_count;
    return LITH_OK;
}

/* Replaces the visits by those of the units in the order of the clusters. */
static enum lith_code visits_sort(struct lith_merge *merge, struct lith_err *err)
{
    const struct lith_sorting *sorting = &merge->sorting;
    struct lith_visit *visits;
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(&merge->arena, sorting->range_count, sizeof(*visits), &block, err));
    visits = block;
    for (size_t i = 0; i < sorting->range_count; i++) {
        const struct lith_unit *unit = &merge->units[sorting->ranges[i].unit];
        struct lith_visit *last = count ? &visits[count - 1] : NULL;
        if (last && last->input == unit->input && last->end == unit->row_group)
            last->end++;
        else
            visits[count++] =
                (struct lith_visit){unit->input, unit->row_group, unit->row_group + 1};
    }
    merge->visits = visits;
    merge->visit_count = count;
    return LITH_OK;
}

/* Once more, over the union of schemas or in another order. */
static enum lith_code pass_again(struct lith_merge *merge, struct lith_err *err)
{
    size_t end;

    plan_clear(merge);
    LITH_TRY(lith_merge_schema_begin(merge, err));
    LITH_TRY(lith_merge_pass(merge, true, &end, err));
    if (merge->kinds.count > 1)
        lith_key_values_schema_changed(&merge->key_values);
    return LITH_OK;
}

/* The units are those whose keys were looked at, each in its place. */
static enum lith_code units_check(const struct lith_merge *merge, struct lith_err *err)
{
    const struct lith_sorting *sorting = &merge->sorting;
    bool is_same = merge->unit_count == sorting->range_count;

    for (size_t i = 0; is_same && i < merge->unit_count; i++)
        is_same = (uint64_t)merge->units[i].rows == sorting->ranges[i].row_count;
    return is_same ? LITH_OK
                   : lith_fail(err, LITH_E_CONFLICT, "an input changed while it was being merged");
}

static enum lith_code inputs_take(struct lith_merge *merge, struct lith_err *err)
{
    bool in_order;
    size_t end;

    if (merge->options.sort_by)
        LITH_TRY(visits_begin(merge, err));
    LITH_TRY(lith_merge_pass(merge, false, &end, err));
    if (end < lith_merge_visit_count(merge)) {
        LITH_TRY(schemas_join(merge, end, err));
        LITH_TRY(pass_again(merge, err));
    }
    if (merge->options.match == LITH_MATCH_ID && merge->kinds.kinds[0].ids != LITH_IDS_ALL)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "%s: columns are to be matched by field id, but not all of its fields "
                         "have one that means something; match_columns auto or name takes it",
                         merge->inputs[merge->kinds.kinds[0].input].name);
    if (merge->options.sort_by) {
        LITH_TRY(lith_sorting_settle(&merge->sorting, &in_order, err));
        if (!in_order || lith_sorting_sorts(&merge->sorting)) {
            LITH_TRY(visits_sort(merge, err));
            LITH_TRY(pass_again(merge, err));
            LITH_TRY(units_check(merge, err));
        }
    }
    if (merge->erasure.erase) {
        merge->erases_now = true;
        LITH_TRY(pass_again(merge, err));
        LITH_TRY(lith_erasure_settle(&merge->erasure, err));
    }
    return lith_kinds_written(&merge->kinds, &merge->schema, &merge->arena, &merge->written, err);
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
    LITH_TRY(lith_input_set_init(&merge->set, merge->input_count, opener, merge->work, err));
    LITH_TRY(lith_merge_codecs_new(merge, &merge->codecs, err));
    if (merge->options.erase.columns && merge->options.sort_by)
        return lith_fail(err, LITH_E_INVALID,
                         "rows are sorted or erased, not both at once: erase them first");
    lith_erasure_init(&merge->erasure, &merge->options.erase, merge->codecs, merge->work);
    if (merge->options.sort_by) {
        LITH_TRY(lith_codec_context_new(merge->work->mem, &merge->key_codecs, err));
        lith_codec_context_for_proofs(merge->key_codecs);
    }
    lith_sorting_init(&merge->sorting, merge->options.sort_by, merge->key_codecs, merge->work);
    LITH_TRY(inputs_take(merge, err));
    return key_columns_find(merge, err);
}

/* Small enough for statistics to tell row groups apart, large enough for few of them. */
static uint64_t sorted_row_group_bytes(const struct lith_merge_input *inputs, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes = lith_sum_u64(bytes, inputs[i].size);
    bytes /= LITH_SORTED_ROW_GROUPS;
    if (bytes < LITH_SORTED_ROW_GROUP_BYTES_MIN)
        return LITH_SORTED_ROW_GROUP_BYTES_MIN;
    return lith_min_u64(bytes, LITH_SORTED_ROW_GROUP_BYTES_MAX);
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
    if (options->sort_by && options->row_group_by_size)
        merge->limits.row_group_bytes = sorted_row_group_bytes(inputs, input_count);
    merge->bad_input = SIZE_MAX;
    lith_arena_init(&merge->arena, work->mem);
    lith_kinds_init(&merge->kinds, &merge->arena);
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
    lith_sorting_done(&merge->sorting);
    lith_erasure_done(&merge->erasure);
    lith_codec_context_free(merge->codecs);
    lith_codec_context_free(merge->key_codecs);
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
    return merge->rows - (int64_t)merge->erasure.erased;
}

uint64_t lith_merge_erased(const struct lith_merge *merge)
{
    return merge->erasure.erased;
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
