/*
 * The outputs of a job: the sinks of a merge, and the read-back of each file.
 */
#include "job/outputs.h"

#include "base/array.h"
#include "job/format.h"
#include "job/journal.h"

static enum lith_code room_for_one(struct lith_job_outputs *outputs, struct lith_err *err)
{
    struct lith_mem *mem = outputs->job->work->mem;
    void *block = outputs->outputs;

    LITH_TRY(lith_array_grow(mem, &block, outputs->count, sizeof(*outputs->outputs), err));
    outputs->outputs = block;
    block = outputs->entries;
    LITH_TRY(lith_array_grow(mem, &block, outputs->count, sizeof(*outputs->entries), err));
    outputs->entries = block;
    return LITH_OK;
}

static enum lith_code output_begin(struct lith_merge_outputs *base, size_t index,
                                   struct lith_sink **ret_sink, struct lith_err *err)
{
    struct lith_job_outputs *outputs = (struct lith_job_outputs *)base;
    char name[LITH_OUTPUT_NAME_BYTES];
    struct lith_output_options options = {
        .name = name,
        .like_names = outputs->input_names,
        .like_count = outputs->input_count,
    };

    LITH_ASSERT(index == outputs->count);
    LITH_TRY(room_for_one(outputs, err));
    lith_output_name_make(outputs->job->uuids, outputs->pid, outputs->epoch, name);
    enum lith_code code =
        lith_output_new(outputs->job->folder, &options, &outputs->outputs[index], err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "an input vanished while it was merged");
    LITH_TRY(code);
    outputs->entries[index] = (struct lith_entry){0};
    outputs->count++;
    *ret_sink = outputs->outputs[index]->sink;
    return LITH_OK;
}

/* The inputs, as verify opens them. */
static enum lith_code source_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *err)
{
    struct lith_job_outputs *outputs = ctx;

    return outputs->opener->open(outputs->opener, index, ret_source, err);
}

static const char *source_name(void *ctx, size_t index)
{
    struct lith_job_outputs *outputs = ctx;

    return outputs->input_names[index];
}

static struct lith_verify_files inputs_of(struct lith_job_outputs *outputs)
{
    return (struct lith_verify_files){
        .count = outputs->input_count, .open = source_open, .name = source_name, .ctx = outputs};
}

static struct lith_check check_of(const struct lith_job_outputs *outputs,
                                  const struct lith_verify_files *inputs)
{
    return (struct lith_check){
        .level = outputs->job->options->verify,
        .inputs = inputs,
        .codecs = outputs->codecs,
        .work = outputs->job->work,
    };
}

/* The outputs, by the names under which they can be read before they are published. */
static enum lith_code sealed_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *err)
{
    struct lith_job_outputs *outputs = ctx;
    struct lith_object object = {.name = outputs->outputs[index]->read_name};

    return lith_folder_source_open(outputs->job->folder, &object, ret_source, err);
}

static const char *sealed_name(void *ctx, size_t index)
{
    struct lith_job_outputs *outputs = ctx;

    return outputs->outputs[index]->name;
}

enum lith_code lith_job_outputs_check(struct lith_job_outputs *outputs, struct lith_err *err)
{
    struct lith_verify_files inputs = inputs_of(outputs);
    struct lith_verify_files sealed = {
        .count = outputs->count, .open = sealed_open, .name = sealed_name, .ctx = outputs};
    struct lith_check check = check_of(outputs, &inputs);

    if (!outputs->is_mingled || lith_check_rows(&check, &sealed, err) == LITH_OK)
        return LITH_OK;
    outputs->is_refuted = lith_check_refutes(err);
    return lith_check_failed(outputs->outputs[0]->name, err);
}

/* Reads the sealed output back and checks it against what the merge read. */
static enum lith_code output_verify(struct lith_job_outputs *outputs,
                                    const struct lith_output *output,
                                    const struct lith_merge_file *file, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_object object = {.name = output->read_name};
    struct lith_verify_files inputs = inputs_of(outputs);
    struct lith_check check = check_of(outputs, &inputs);

    LITH_TRY(lith_folder_source_open(outputs->job->folder, &object, &source, err));
    LITH_TRY(outputs->job->options->format->check(&check, source, file, err));
    outputs->job->env->step(outputs->job->env, LITH_JOB_STEP_VERIFIED);
    return LITH_OK;
}

static enum lith_code output_end(struct lith_merge_outputs *base,
                                 const struct lith_merge_file *file, struct lith_err *err)
{
    struct lith_job_outputs *outputs = (struct lith_job_outputs *)base;
    struct lith_output *output = outputs->outputs[file->index];

    if (outputs->job->folder->store->seal_shows)
        LITH_TRY(lith_job_journal_put(outputs->journal, outputs, err));
    LITH_TRY(lith_output_seal(output, err));
    outputs->is_mingled = outputs->is_mingled || file->is_mingled;
    if (outputs->job->options->verify != LITH_VERIFY_OFF &&
        output_verify(outputs, output, file, err) != LITH_OK) {
        outputs->is_refuted = lith_check_refutes(err);
        return lith_check_failed(output->name, err);
    }
    outputs->entries[file->index] = (struct lith_entry){
        .size = output->size,
        .rows = (uint64_t)file->rows,
        .crc32 = output->crc,
        .has_rows = true,
        .has_crc = true,
    };
    outputs->bytes += output->size;
    outputs->rows += (uint64_t)file->rows;
    return LITH_OK;
}

static void row_group_step(struct lith_merge_outputs *base)
{
    struct lith_job_outputs *outputs = (struct lith_job_outputs *)base;

    outputs->job->env->step(outputs->job->env, LITH_JOB_STEP_ROW_GROUP);
}

enum lith_code lith_job_outputs_init(struct lith_job_outputs *outputs, const struct lith_job *job,
                                     const char *pid, uint64_t epoch, struct lith_err *err)
{
    *outputs = (struct lith_job_outputs){
        .base = {.begin = output_begin, .end = output_end, .row_group = row_group_step},
        .job = job,
        .pid = pid,
        .epoch = epoch,
    };
    LITH_TRY(lith_codec_context_new(job->work->mem, &outputs->codecs, err));
    lith_codec_context_for_proofs(outputs->codecs);
    return LITH_OK;
}

enum lith_code lith_job_outputs_publish(struct lith_job_outputs *outputs, struct lith_err *err)
{
    LITH_TRY(lith_job_journal_put(outputs->journal, outputs, err));
    for (size_t i = 0; i < outputs->count; i++) {
        struct lith_object object;
        enum lith_code code =
            lith_output_publish(outputs->outputs[i], outputs->job->arena, &object, err);
        if (code == LITH_E_NOT_FOUND)
            return lith_fail(err, LITH_E_CONFLICT,
                             "another program took this job for dead, and its work away");
        LITH_TRY(code);
        outputs->entries[i].name = object.name;
        outputs->entries[i].etag = object.etag;
    }
    return LITH_OK;
}

void lith_job_outputs_done(struct lith_job_outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        lith_output_free(outputs->outputs[i]);
    lith_free(outputs->outputs);
    lith_free(outputs->entries);
    lith_codec_context_free(outputs->codecs);
    *outputs = (struct lith_job_outputs){0};
}
