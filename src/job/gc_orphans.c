/*
 * What the orphans of a partition say of themselves.
 */
#include "job/gc_orphans.h"

#include <string.h>

#include "codec/codec.h"
#include "job/below.h"
#include "job/format.h"

/* What one orphan's footer says; `known` stays false where it says nothing that can be trusted. */
static enum lith_code orphan_read(const struct lith_job *job, struct lith_codec_context *codecs,
                                  const struct lith_object *object,
                                  struct lith_orphan_inputs *orphan, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_listed_input *inputs;
    size_t count;
    void *block;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_folder_source_open(job->folder, object, &source, err));
    LITH_TRY(job->options->format->inputs(source, codecs, &scratch, &inputs, &count, err));
    LITH_TRY(lith_arena_array(job->arena, count, sizeof(char *), &block, err));
    const char **names = block;
    LITH_TRY(lith_arena_array(job->arena, count, sizeof(uint64_t), &block, err));
    uint64_t *sizes = block;
    LITH_TRY(lith_arena_array(job->arena, count, sizeof(bool), &block, err));
    bool *is_below = block;
    for (size_t i = 0; i < count; i++) {
        enum lith_below below;
        LITH_TRY(lith_below_look(job, inputs[i].name, inputs[i].size, &below, err));
        is_below[i] = below != LITH_BELOW_UNKNOWN;
        sizes[i] = inputs[i].size;
        LITH_TRY(lith_arena_copy(job->arena, inputs[i].name, strlen(inputs[i].name), &block, err));
        names[i] = block;
    }
    orphan->inputs = names;
    orphan->sizes = sizes;
    orphan->is_below = is_below;
    orphan->input_count = count;
    orphan->known = true;
    return LITH_OK;
}

enum lith_code lith_gc_orphans_read(const struct lith_job *job,
                                    const struct lith_snapshot *snapshot,
                                    struct lith_orphan_inputs **ret_orphans, size_t *ret_count,
                                    struct lith_err *err)
{
    struct lith_codec_context *codecs;
    enum lith_code code = LITH_OK;
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(job->arena, snapshot->state_count[LITH_FILE_ORPHAN],
                              sizeof(struct lith_orphan_inputs), &block, err));
    struct lith_orphan_inputs *orphans = block;
    LITH_TRY(lith_codec_context_new(job->work->mem, &codecs, err));
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (file->state != LITH_FILE_ORPHAN || !file->object)
            continue;
        code = lith_arena_copy(job->arena, file->name, strlen(file->name), &block, err);
        if (code != LITH_OK)
            break;
        orphans[count].name = block;
        code = orphan_read(job, codecs, file->object, &orphans[count], err);
        if (code == LITH_E_NOMEM || code == LITH_E_CANCELLED)
            break;
        bool again = code == LITH_E_IO || code == LITH_E_TRANSIENT || code == LITH_E_DENIED;
        code = LITH_OK; /* not known: it stays */
        if (again)
            code = lith_arena_copy(job->arena, err->text, strlen(err->text), &block, err);
        if (code != LITH_OK)
            break;
        orphans[count].unread = again ? block : NULL;
        count++;
    }
    lith_codec_context_free(codecs);
    *ret_orphans = orphans;
    *ret_count = count;
    return code;
}
