/*
 * The merging part of a job.
 *
 * Inputs are opened by identity (size and etag), so a file that was replaced is noticed when it
 * is opened; and looked at once more at the end, for those replaced in place.
 */
#include "job/merge_step.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "job/format.h"

/* Opens the plan's inputs by number. */
struct plan_opener {
    struct lith_opener base;
    struct lith_folder *folder;
    const struct lith_plan *plan;
};

static enum lith_code plan_open(struct lith_opener *base, size_t index,
                                struct lith_source **ret_source, struct lith_err *err)
{
    struct plan_opener *opener = (struct plan_opener *)base;
    enum lith_code code = lith_folder_source_open(
        opener->folder, opener->plan->inputs[index]->object, ret_source, err);

    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "it vanished while it was merged");
    return code;
}

/* XXH3-128 of pid, input identities and policy hash: nothing random goes into a file. */
static enum lith_code job_hash(const struct lith_job *job, const char *pid,
                               const struct lith_plan *plan, char ret_text[33],
                               struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf text;

    lith_buf_init(&text, job->work->mem, LITH_INPUT_LIST_BYTES_MAX);
    LITH_TRY(lith_buf_append(&text, pid, strlen(pid) + 1, err));
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct lith_object *object = plan->inputs[i]->object;
        LITH_TRY(lith_buf_append(&text, object->name, strlen(object->name) + 1, err));
        LITH_TRY(lith_buf_append(&text, object->etag, strlen(object->etag) + 1, err));
    }
    LITH_TRY(
        lith_buf_append(&text, job->options->policy_hash, strlen(job->options->policy_hash), err));
    lith_hash128_text(lith_hash128(text.data, text.bytes, 0), ret_text);
    return LITH_OK;
}

static enum lith_code inputs_fill(struct lith_merge_step *step, const struct lith_job *job,
                                  const struct lith_plan *plan,
                                  struct lith_merge_input **ret_inputs, struct lith_err *err)
{
    void *inputs;
    void *entries;
    void *names;

    LITH_TRY(lith_arena_array(job->arena, plan->input_count, sizeof(struct lith_merge_input),
                              &inputs, err));
    LITH_TRY(
        lith_arena_array(job->arena, plan->input_count, sizeof(struct lith_entry), &entries, err));
    LITH_TRY(lith_arena_array(job->arena, plan->input_count, sizeof(char *), &names, err));
    step->inputs = entries;
    step->input_count = plan->input_count;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct lith_object *object = plan->inputs[i]->object;
        ((struct lith_merge_input *)inputs)[i] =
            (struct lith_merge_input){object->name, object->size};
        step->inputs[i] = (struct lith_entry){
            .name = object->name,
            .etag = object->etag,
            .size = object->size,
        };
        ((const char **)names)[i] = object->name;
    }
    step->outputs.input_names = names;
    step->outputs.input_count = plan->input_count;
    *ret_inputs = inputs;
    return LITH_OK;
}

/*
 * P10: what is retired is what was read to the end, never what was planned. Reads each input once
 * more, whole, for the checksum by which it is known again; a file that changed meanwhile has
 * another identity, under which it cannot be opened.
 */
static enum lith_code inputs_recheck(struct lith_merge_step *step, const struct lith_job *job,
                                     const struct lith_plan *plan, struct lith_err *err)
{
    for (size_t i = 0; i < step->input_count; i++) {
        LITH_AUTO(source) struct lith_source *source = NULL;
        struct lith_entry *input = &step->inputs[i];
        LITH_TRY(lith_work_check(job->work, err));
        enum lith_code code =
            lith_folder_source_open(job->folder, plan->inputs[i]->object, &source, err);
        if (code == LITH_E_CONFLICT || code == LITH_E_NOT_FOUND)
            return lith_fail(err, LITH_E_CONFLICT, "%s changed while it was merged", input->name);
        LITH_TRY(code);
        LITH_TRY(lith_source_crc32(source, job->work->mem, &input->crc32, err));
        input->has_crc = true;
    }
    return LITH_OK;
}

/* The rows of each input, as they were read. */
static void rows_take(struct lith_merge_step *step, const int64_t *rows)
{
    for (size_t i = 0; i < step->input_count; i++) {
        step->inputs[i].rows = (uint64_t)rows[i];
        step->inputs[i].has_rows = true;
    }
}

static enum lith_code merge_and_check(struct lith_merge_step *step, struct lith_format_merge *merge,
                                      const struct lith_plan *plan, struct lith_err *err)
{
    const struct lith_job *job = merge->job;
    enum lith_code code = job->options->format->merge(merge, err);

    step->missing_key = merge->missing_key;
    if ((code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED) &&
        merge->bad_input < step->input_count)
        step->bad_input = step->inputs[merge->bad_input].name;
    LITH_TRY(code);
    if (step->outputs.rows != (uint64_t)merge->row_count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the outputs hold %" PRIu64 " rows, the inputs %" PRIi64,
                         step->outputs.rows, merge->row_count);
    rows_take(step, merge->rows);
    LITH_TRY(lith_job_outputs_check(&step->outputs, err));
    return inputs_recheck(step, job, plan, err);
}

struct lith_merge_options lith_job_merge_options(const struct lith_job *job)
{
    return (struct lith_merge_options){
        .target_file_bytes = job->options->policy.target_file_bytes,
        .row_group_bytes = job->options->row_group_bytes,
        .row_group_rows = job->options->row_group_rows,
        .allow = job->options->allow,
        .match = job->options->match,
        .sort_by = job->options->sort_by,
        .row_group_by_size = job->options->row_group_by_size,
        .codec = job->options->codec,
        .unknown_keys = job->options->unknown_keys,
        .key_columns = job->options->key_columns,
        .key_column_count = job->options->key_column_count,
        .skip_witness = job->options->verify < LITH_VERIFY_CONTENT,
        .check_damage = true,
    };
}

static enum lith_code merge_once(struct lith_merge_step *step, const struct lith_job *job,
                                 const struct lith_manifest *manifest, const struct lith_plan *plan,
                                 enum lith_force force, struct lith_err *err)
{
    struct plan_opener opener = {.base = {.open = plan_open}, .folder = job->folder, .plan = plan};
    LITH_AUTO(block) void *rows = NULL;
    struct lith_merge_input *inputs;
    char hash[33];

    *step = (struct lith_merge_step){.journal = step->journal};
    LITH_TRY(lith_job_outputs_init(&step->outputs, job, manifest->pid, manifest->epoch, err));
    step->outputs.opener = &opener.base;
    LITH_TRY(inputs_fill(step, job, plan, &inputs, err));
    step->outputs.journal = step->journal;
    if (step->journal) {
        step->journal->inputs = step->inputs;
        step->journal->input_count = step->input_count;
    }
    LITH_TRY(job_hash(job, manifest->pid, plan, hash, err));
    LITH_TRY(lith_alloc_array(job->work->mem, plan->input_count, sizeof(int64_t), &rows, err));
    struct lith_format_merge merge = {
        .job = job,
        .inputs = inputs,
        .input_count = plan->input_count,
        .opener = &opener.base,
        .pid = manifest->pid,
        .hash = hash,
        .force = force,
        .outputs = &step->outputs.base,
        .rows = rows,
    };
    return merge_and_check(step, &merge, plan, err);
}

enum lith_code lith_merge_step_run(struct lith_merge_step *step, const struct lith_job *job,
                                   const struct lith_manifest *manifest,
                                   const struct lith_plan *plan, struct lith_err *err)
{
    enum lith_code code = merge_once(step, job, manifest, plan, LITH_FORCE_NONE, err);
    void *refuted;

    if (code == LITH_OK || !step->outputs.is_refuted)
        return code;
    /* A source says what is not true, or is damaged where nobody looked who copied it: it would
     * hold up its partition, unnamed. Decoding leaves the lie behind, or names the source. */
    lith_merge_step_done(step);
    LITH_TRY(lith_arena_copy(job->arena, err, sizeof(*err), &refuted, err));
    code = merge_once(step, job, manifest, plan, LITH_FORCE_RECODE, err);
    step->refuted = refuted;
    return code;
}

enum lith_code lith_merge_step_explain(const struct lith_job *job, const struct lith_plan *plan,
                                       struct lith_explain_sums *sums, struct lith_err *err)
{
    struct plan_opener opener = {.base = {.open = plan_open}, .folder = job->folder, .plan = plan};
    struct lith_merge_options options = lith_job_merge_options(job);
    struct lith_merge *merge;
    void *block;

    LITH_TRY(lith_arena_array(job->arena, plan->input_count, sizeof(struct lith_merge_input),
                              &block, err));
    struct lith_merge_input *inputs = block;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct lith_object *object = plan->inputs[i]->object;
        inputs[i] = (struct lith_merge_input){object->name, object->size};
    }
    options.explain = lith_explain_sums_add;
    options.explain_ctx = sums;
    LITH_TRY(
        lith_merge_new(inputs, plan->input_count, &opener.base, &options, job->work, &merge, err));
    enum lith_code code = lith_merge_explain(merge, err);
    lith_merge_free(merge);
    return code;
}

void lith_merge_step_done(struct lith_merge_step *step)
{
    lith_job_outputs_done(&step->outputs);
}
