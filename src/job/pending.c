/*
 * Journals of one partition, and what its manifest says.
 */
#include "job/pending.h"

#include <stdlib.h>
#include <string.h>

enum lith_code lith_pending_files(const struct lith_job *job, size_t *ret_begin, size_t *ret_count,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const char *stem;

    lith_arena_init(&scratch, job->work->mem);
    *ret_count = 0;
    if (!job->journals || job->journals->count == 0 || job->table_format)
        return LITH_OK;
    LITH_TRY(lith_journal_stem(job->folder->path, &scratch, &stem, err));
    *ret_count = lith_journal_files_of(job->journals, stem, ret_begin);
    return LITH_OK;
}

enum lith_code lith_pending_read(const struct lith_job *job, const struct lith_journal_file *file,
                                 struct lith_pending *ret_pending, struct lith_err *err)
{
    LITH_ASSERT(!file->leftover);
    *ret_pending =
        (struct lith_pending){.tier = file->tier, .read = {.object = {.name = file->name}}};
    return lith_journal_file_read(job->folder->store, file, job->arena, &ret_pending->read, err);
}

static struct lith_output_name output_parts(const struct lith_journal *journal)
{
    struct lith_output_name parts = {0};
    bool is_output = lith_output_name_parse(journal->outputs[0].name, &parts);

    LITH_ASSERT(is_output);
    return parts;
}

uint64_t lith_pending_epoch(const struct lith_pending *pending)
{
    return output_parts(&pending->read.journal).epoch;
}

/* Was it committed? By its id, or because an output of it is known. */
static bool is_committed(const struct lith_manifest *m, const struct lith_journal *journal)
{
    if (lith_manifest_has_commit(m, journal->job_id))
        return true;
    for (size_t i = 0; i < journal->output_count; i++) {
        const char *name = journal->outputs[i].name;
        if (lith_manifest_live(m, name) || lith_manifest_retired(m, name))
            return true;
    }
    return false;
}

const char *lith_pending_judge(struct lith_pending *pending, const struct lith_manifest *manifest)
{
    struct lith_output_name parts = output_parts(&pending->read.journal);

    if (!manifest)
        return "there is no manifest, it was lost";
    if (manifest->foreign)
        return "the manifest is another program's";
    if (strcmp(parts.pid, manifest->pid) != 0)
        return "its job had another manifest than the one that is here";
    if (parts.epoch > manifest->epoch)
        return "the manifest is older than its job";
    pending->is_committed = is_committed(manifest, &pending->read.journal);
    return NULL;
}

static bool is_left(const struct lith_snapshot *snapshot, const struct lith_journal_input *input)
{
    const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, input->name);

    return file && file->state == LITH_FILE_RETIRED && file->object &&
           file->object->size == input->size && strcmp(file->object->etag, input->etag) == 0;
}

static int compare_names(const void *key, const void *name)
{
    return strcmp(key, *(const char *const *)name);
}

static bool is_kept(const char *const *kept, size_t count, const char *name)
{
    return count && bsearch(name, kept, count, sizeof(*kept), compare_names);
}

/* What is live, new or another file by now is the manifest's affair. */
size_t lith_pending_left(const struct lith_pending *pending, const struct lith_snapshot *snapshot,
                         const char *const *kept, size_t kept_count)
{
    const struct lith_journal *journal = &pending->read.journal;
    size_t count = 0;

    for (size_t i = 0; pending->is_committed && i < journal->input_count; i++)
        count += is_left(snapshot, &journal->inputs[i]) &&
                 !is_kept(kept, kept_count, journal->inputs[i].name);
    for (size_t i = 0; !pending->is_committed && i < journal->output_count; i++) {
        const struct lith_snapshot_file *file =
            lith_snapshot_find(snapshot, journal->outputs[i].name);
        count += file && file->object && !is_kept(kept, kept_count, journal->outputs[i].name);
    }
    return count;
}
