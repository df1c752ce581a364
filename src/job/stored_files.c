/*
 * Objects of a folder, as verify opens them.
 */
#include "job/stored_files.h"

#include "codec/codec.h"
#include "job/format.h"

static enum lith_code stored_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *err)
{
    const struct lith_stored_files *stored = ctx;
    const struct lith_object *object = stored->objects[index];
    enum lith_code code = lith_folder_source_open(stored->folder, object, ret_source, err);

    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was read", object->name);
    return code;
}

static const char *stored_name(void *ctx, size_t index)
{
    const struct lith_stored_files *stored = ctx;

    return stored->objects[index]->name;
}

struct lith_verify_files lith_stored_verify_files(struct lith_stored_files *stored)
{
    return (struct lith_verify_files){
        .count = stored->count, .open = stored_open, .name = stored_name, .ctx = stored};
}

enum lith_code lith_stored_hold(const struct lith_job *job, struct lith_stored_files *part,
                                struct lith_stored_files *whole, bool *ret_holds,
                                struct lith_err *err)
{
    struct lith_verify_files files[] = {lith_stored_verify_files(part),
                                        lith_stored_verify_files(whole)};
    struct lith_codec_context *codecs;
    uint64_t seed;

    job->env->random(job->env, &seed, sizeof(seed));
    LITH_TRY(lith_codec_context_new(job->work->mem, &codecs, err));
    lith_codec_context_for_proofs(codecs);
    struct lith_rows_question question = {
        .part = &files[0], .whole = &files[1], .codecs = codecs, .work = job->work, .seed = seed};
    enum lith_code code = job->options->format->holds(&question, ret_holds, err);
    lith_codec_context_free(codecs);
    if (code != LITH_E_INVALID)
        return code;
    *ret_holds = false;
    return LITH_OK;
}
