/*
 * The format of files: Parquet, merged by merge/ and checked by verify/.
 */
#include "job/format.h"

#include <string.h>

#include "base/checked.h"
#include "job/merge_step.h"
#include "job/parquet_path.h"
#include "merge/gate.h"

static enum lith_code rows_sum(const struct lith_footer *footer, struct lith_fact *fact,
                               struct lith_err *err)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        if (!lith_add_u64(rows, (uint64_t)footer->row_groups[i].num_rows, &rows))
            return lith_fail(err, LITH_E_CORRUPT, "row counts do not sum up");
    }
    fact->rows = rows;
    fact->has_rows = true;
    return LITH_OK;
}

/* What the statistics prove of the path's rules; the first column that is not compared is noted. */
static enum lith_code path_look(struct lith_fact_book *book, const struct lith_footer *footer,
                                const char *name, struct lith_arena *scratch,
                                struct lith_fact *fact, struct lith_err *err)
{
    static const enum lith_belonging belonging[] = {[LITH_PROOF_YES] = LITH_BELONGS,
                                                    [LITH_PROOF_OPEN] = LITH_BELONGS_OPEN,
                                                    [LITH_PROOF_SUSPECT] = LITH_BELONGS_SUSPECT};
    enum lith_proof proof;
    const char *text;
    char *note;

    LITH_TRY(lith_parquet_path_judge(&book->rules, footer, scratch, &proof, &text, err));
    fact->belonging = belonging[proof];
    if (!text || book->uncompared)
        return LITH_OK;
    LITH_TRY(lith_arena_format(book->arena, &note, err, "%s (in %s)", text, name));
    book->uncompared = note;
    return LITH_OK;
}

static enum lith_code look(struct lith_fact_book *book, const struct lith_job *job,
                           struct lith_source *source, const char *name, struct lith_fact *fact,
                           bool *ret_lists_inputs, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_meaning meaning;
    struct lith_footer footer;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &scratch, err));
    LITH_TRY(rows_sum(&footer, fact, err));
    *ret_lists_inputs = lith_footer_key(&footer, LITH_INPUT_LIST_KEY) != NULL;
    LITH_TRY(lith_gate_file(&footer, err));
    LITH_TRY(path_look(book, &footer, name, &scratch, fact, err));
    LITH_TRY(lith_meaning_of(&footer, book->mem, &meaning, err));
    struct lith_schema_file file = {name, &footer.schema, lith_fields_are_counted(&footer),
                                    &meaning};
    return lith_schema_sets_find(&book->sets, &file, &fact->kind, err);
}

static enum lith_code belongs(const struct lith_fact_book *book, const struct lith_job *job,
                              struct lith_source *source, const char **ret_misfit,
                              struct lith_err *err)
{
    return lith_parquet_path_scan(&book->rules, source, book->codecs, job->work, job->arena,
                                  ret_misfit, err);
}

static enum lith_code inputs(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_listed_input **ret_inputs,
                             size_t *ret_count, struct lith_err *err)
{
    struct lith_footer footer;

    LITH_TRY(lith_footer_read(source, arena, &footer, err));
    return lith_input_list_read(source, &footer, codecs, arena, ret_inputs, ret_count, err);
}

static enum lith_code key_text(const struct lith_footer *footer, const char *key,
                               struct lith_arena *arena, const char **ret_text,
                               struct lith_err *err)
{
    const struct lith_key_value *found = lith_footer_key(footer, key);
    void *copy;

    *ret_text = "";
    if (!found || found->value.bytes == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(arena, found->value.data, found->value.bytes, &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

static enum lith_code list_read(struct lith_source *source, const struct lith_footer *footer,
                                struct lith_codec_context *codecs, struct lith_arena *arena,
                                struct lith_origin *origin, struct lith_err *err)
{
    enum lith_code code = lith_input_list_read(source, footer, codecs, arena, &origin->inputs,
                                               &origin->input_count, err);

    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code == LITH_E_CORRUPT)
        err->code = code = LITH_E_INVALID;
    LITH_TRY(code);
    origin->is_output = true;
    LITH_TRY(key_text(footer, LITH_PID_KEY, arena, &origin->pid, err));
    return key_text(footer, LITH_JOB_KEY, arena, &origin->job, err);
}

static enum lith_code origin(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_origin *ret_origin,
                             struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_origin found = {0};
    struct lith_fact fact = {0};
    struct lith_footer footer;

    lith_arena_init(&scratch, arena->mem);
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    LITH_TRY(rows_sum(&footer, &fact, err));
    found.rows = fact.rows;
    LITH_TRY(list_read(source, &footer, codecs, arena, &found, err));
    *ret_origin = found;
    return LITH_OK;
}

static enum lith_code holds(const struct lith_rows_question *question, bool *ret_holds,
                            struct lith_err *err)
{
    const struct lith_verify_rows_options options = {.a = question->part,
                                                     .b = question->whole,
                                                     .seed = question->seed,
                                                     .codecs = question->codecs,
                                                     .work = question->work};
    struct lith_rows_sum part, whole;

    return lith_verify_rows_hold(&options, ret_holds, &part, &whole, err);
}

static bool has_column(const struct lith_schema *schema, const char *name)
{
    size_t bytes = strlen(name);

    for (uint32_t i = 1; i < schema->node_count; i++) {
        const struct lith_schema_node *node = &schema->nodes[i];
        if (node->parent == 0 && !node->is_group && node->name.bytes == bytes &&
            memcmp(node->name.data, name, bytes) == 0)
            return true;
    }
    return false;
}

static enum lith_code columns(const struct lith_job *job, struct lith_source *source,
                              const char *const *names, size_t count, size_t *ret_missing,
                              struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_footer footer;
    size_t at = 0;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    while (at < count && has_column(&footer.schema, names[at]))
        at++;
    *ret_missing = at;
    return LITH_OK;
}

static enum lith_code merge_run(struct lith_format_merge *m, struct lith_merge *merge,
                                struct lith_err *err)
{
    m->missing_key = lith_merge_missing_key(merge);
    m->row_count = lith_merge_rows(merge);
    enum lith_code code = lith_merge_run(merge, m->outputs, err);
    m->bad_input = lith_merge_bad_input(merge);
    LITH_TRY(code);
    lith_merge_rows_by_input(merge, m->rows);
    return LITH_OK;
}

static enum lith_code merge(struct lith_format_merge *m, struct lith_err *err)
{
    const struct lith_job *job = m->job;
    struct lith_merge_options options = lith_job_merge_options(job);
    struct lith_merge *made;

    m->bad_input = SIZE_MAX;
    options.pid = m->pid;
    options.job = m->hash;
    options.force = m->force;
    LITH_TRY(lith_merge_new(m->inputs, m->input_count, m->opener, &options, job->work, &made, err));
    enum lith_code code = merge_run(m, made, err);
    lith_merge_free(made);
    return code;
}

const struct lith_format *lith_parquet_format(void)
{
    static const struct lith_format format = {
        .look = look,
        .belongs = belongs,
        .inputs = inputs,
        .columns = columns,
        .origin = origin,
        .holds = holds,
        .merge = merge,
        .check = lith_check_output,
    };

    return &format;
}
