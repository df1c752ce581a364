/*
 * The commit that gives a partition its manifest.
 */
#include "job/adoption.h"

#include "job/above.h"
#include "job/commits.h"
#include "job/format.h"

/* A file of ours that is elsewhere by now, as it was read to its end. */
static enum lith_code entry_read(const struct lith_job *job, const struct lith_object *object,
                                 struct lith_arena *arena, struct lith_entry *ret_entry,
                                 struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_codec_context *codecs;
    struct lith_origin origin = {0};

    *ret_entry = (struct lith_entry){.name = object->name,
                                     .etag = object->etag,
                                     .size = object->size,
                                     .has_rows = true,
                                     .has_crc = true};
    LITH_TRY(lith_folder_source_open(job->folder, object, &source, err));
    LITH_TRY(lith_codec_context_new(job->work->mem, &codecs, err));
    enum lith_code code = job->options->format->origin(source, codecs, arena, &origin, err);
    lith_codec_context_free(codecs);
    LITH_TRY(code);
    ret_entry->rows = origin.rows;
    return lith_source_crc32(source, job->work->mem, &ret_entry->crc32, err);
}

/* A list claims a file, and its rows are not all there: it may be another file, or the outputs may
 * be no longer all that it went into. */
static enum lith_code doubtful(const struct lith_above *above, const struct lith_object *object,
                               struct lith_err *err)
{
    return lith_fail(err, LITH_E_INVALID,
                     "its manifest was lost, and %s may have been rolled up: %s/%s lists it, and "
                     "not all of its rows are found above; put the manifest back from a copy, or, "
                     "where the file is new data, give it another name",
                     object->name, above->path,
                     lith_above_lister(above, object->name, object->size)->name);
}

/* What a roll-up has taken already: the manifest that said so was lost. */
static enum lith_code elsewhere_take(const struct lith_job *job, const struct lith_listing *listing,
                                     struct lith_arena *arena, struct lith_above *above,
                                     struct lith_adopt *adopt, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_above_take(job, above, err));
    if (above->count == 0)
        return LITH_OK;
    LITH_TRY(
        lith_arena_array(arena, listing->object_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    for (size_t i = 0; i < listing->object_count; i++) {
        const struct lith_object *object = &listing->objects[i];
        bool holds;
        if (object->is_held || object->is_link ||
            !lith_above_lister(above, object->name, object->size))
            continue;
        LITH_TRY(lith_above_holds(above, job, object, &holds, err));
        if (!holds)
            return doubtful(above, object, err);
        LITH_TRY(entry_read(job, object, arena, &entries[adopt->elsewhere_count++], err));
    }
    adopt->elsewhere = entries;
    return LITH_OK;
}

enum lith_code lith_adoption_commit(const struct lith_job *job, const struct lith_look *look,
                                    bool unlisted_live, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *foreign = lith_view_manifest(&look->view);
    struct lith_above above = {0};
    struct lith_manifest next;
    struct lith_stamp stamp;
    char pid[LITH_PID_TEXT_BYTES];

    lith_arena_init(&arena, job->work->mem);
    lith_pid_draw(job->env, pid);
    struct lith_adopt adopt = {
        .manifest_name = job->options->manifest_name,
        .pid = pid,
        .listing = &look->view.listing,
        .unlisted_live = unlisted_live,
    };
    enum lith_code code =
        foreign ? LITH_OK : elsewhere_take(job, &look->view.listing, &arena, &above, &adopt, err);
    lith_above_done(&above);
    LITH_TRY(code);
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    LITH_TRY(lith_commit_adopt(foreign, &adopt, &stamp, &arena, &next, err));
    return lith_job_commit(job, &look->view, &next, err);
}
