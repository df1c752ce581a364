/*
 * A manifest that was lost, as outputs tell by their footers, or what is held by being there.
 */
#include "job/lost.h"

#include "job/below.h"
#include "job/format.h"
#include "lake/output_name.h"

enum lith_code lith_lost_is_beside(const struct lith_job *job,
                                   const struct lith_listed_input *inputs, size_t input_count,
                                   const struct lith_snapshot *snapshot, bool *ret_is,
                                   struct lith_err *err)
{
    *ret_is = false;
    for (size_t i = 0; i < input_count && !*ret_is; i++) {
        const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, inputs[i].name);
        enum lith_below below;
        LITH_TRY(lith_below_look(job, inputs[i].name, inputs[i].size, &below, err));
        *ret_is = below == LITH_BELOW_LIVE ||
                  (file && file->live && file->object && file->object->size == inputs[i].size);
    }
    return LITH_OK;
}

bool lith_lost_is_held(const struct lith_listed_input *inputs, size_t input_count,
                       const struct lith_snapshot *snapshot)
{
    bool is_held = false;

    for (size_t i = 0; i < input_count && !is_held; i++) {
        const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, inputs[i].name);
        is_held =
            file && file->object && file->object->is_held && file->object->size == inputs[i].size;
    }
    return is_held;
}

/* A file that nobody can read shows no row twice; one that is gone is none. What was denied to us
 * alone, others may read. */
static enum lith_code output_ask(const struct lith_job *job, struct lith_codec_context *codecs,
                                 const struct lith_snapshot *snapshot,
                                 const struct lith_object *object, bool *ret_is,
                                 struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_origin origin = {0};

    lith_arena_init(&scratch, job->work->mem);
    enum lith_code code = lith_folder_source_open(job->folder, object, &source, err);
    if (code == LITH_OK)
        code = job->options->format->origin(source, codecs, &scratch, &origin, err);
    *ret_is = code == LITH_E_INVALID;
    if (code == LITH_E_INVALID || code == LITH_E_NOT_FOUND || code == LITH_E_CORRUPT ||
        code == LITH_E_UNSUPPORTED)
        return LITH_OK;
    LITH_TRY(code);
    return lith_lost_is_beside(job, origin.inputs, origin.input_count, snapshot, ret_is, err);
}

enum lith_code lith_lost_find(const struct lith_job *job, const struct lith_snapshot *snapshot,
                              const char **ret_output, struct lith_err *err)
{
    struct lith_codec_context *codecs = NULL;
    struct lith_output_name ignored;
    enum lith_code code = LITH_OK;

    *ret_output = NULL;
    if (snapshot->manifest || !job->options->format->origin)
        return LITH_OK;
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        bool is = false;
        if (!file->live || file->object->is_link || !lith_output_name_parse(file->name, &ignored))
            continue;
        if (!codecs)
            code = lith_codec_context_new(job->work->mem, &codecs, err);
        if (code == LITH_OK)
            code = output_ask(job, codecs, snapshot, file->object, &is, err);
        if (code != LITH_OK || is) {
            *ret_output = is ? file->name : NULL;
            break;
        }
    }
    lith_codec_context_free(codecs);
    return code;
}

size_t lith_lost_held(const struct lith_snapshot *snapshot, uint64_t *ret_bytes)
{
    size_t count = 0;

    *ret_bytes = 0;
    for (size_t i = 0; !snapshot->manifest && i < snapshot->file_count; i++) {
        const struct lith_object *object = snapshot->files[i].object;
        if (!object->is_held || !lith_name_is_data(object->name))
            continue;
        count++;
        *ret_bytes += object->size;
    }
    return count;
}
