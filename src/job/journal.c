/*
 * The journal of a running job.
 */
#include "job/journal.h"

#include <string.h>

#include "job/outputs.h"

void lith_job_journal_init(struct lith_job_journal *journal, const struct lith_job *job,
                           const char *commit_id)
{
    *journal = (struct lith_job_journal){0};
    if (job->options->readers != LITH_READERS_GLOB)
        return;
    journal->job = job;
    journal->commit_id = commit_id;
}

static enum lith_code inputs_fill(struct lith_job_journal *journal, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(journal->job->arena, journal->input_count,
                              sizeof(struct lith_journal_input), &block, err));
    journal->value.inputs = block;
    journal->value.input_count = journal->input_count;
    for (size_t i = 0; i < journal->input_count; i++) {
        const struct lith_entry *input = &journal->inputs[i];
        journal->value.inputs[i] = (struct lith_journal_input){
            .name = input->name, .etag = input->etag, .size = input->size};
    }
    return LITH_OK;
}

static enum lith_code outputs_fill(struct lith_job_journal *journal,
                                   const struct lith_job_outputs *outputs, struct lith_err *err)
{
    struct lith_arena *arena = journal->job->arena;
    void *block;

    LITH_TRY(
        lith_arena_array(arena, outputs->count, sizeof(struct lith_journal_output), &block, err));
    journal->value.outputs = block;
    journal->value.output_count = outputs->count;
    for (size_t i = 0; i < outputs->count; i++) {
        const char *name = outputs->outputs[i]->name;
        const struct lith_entry *entry = &outputs->entries[i];
        LITH_TRY(lith_arena_copy(arena, name, strlen(name), &block, err));
        journal->value.outputs[i] = (struct lith_journal_output){
            .name = block, .size = entry->size, .crc32 = entry->crc32, .is_sealed = entry->has_crc};
    }
    return LITH_OK;
}

enum lith_code lith_job_journal_put(struct lith_job_journal *journal,
                                    const struct lith_job_outputs *outputs, struct lith_err *err)
{
    const struct lith_job *job = journal ? journal->job : NULL;
    struct lith_blob blob;

    if (!job)
        return LITH_OK;
    if (!journal->value.inputs) {
        journal->value.partition = job->folder->path;
        journal->value.job_id = journal->commit_id;
        journal->value.created_at_ns = job->env->now_ns(job->env);
        LITH_TRY(inputs_fill(journal, err));
    }
    LITH_TRY(outputs_fill(journal, outputs, err));
    LITH_TRY(lith_journal_put(job->folder->store, &journal->value, &journal->blob, job->arena,
                              &blob, err));
    journal->blob = blob;
    job->env->step(job->env, LITH_JOB_STEP_JOURNALED);
    return LITH_OK;
}

enum lith_code lith_job_journal_ensure(struct lith_job_journal *journal, struct lith_err *err)
{
    const struct lith_job *job = journal->job;
    struct lith_blob blob;

    if (!job || !journal->blob.etag)
        return LITH_OK;
    enum lith_code code =
        lith_journal_put(job->folder->store, &journal->value, NULL, job->arena, &blob, err);
    if (code == LITH_E_CONFLICT)
        return LITH_OK;
    LITH_TRY(code);
    journal->blob = blob;
    return LITH_OK;
}
