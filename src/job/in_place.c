/*
 * What is in place of a manifest.
 */
#include "job/in_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "job/commits.h"

static const char *const names[] = {LITH_MANIFEST_NAME, LITH_MANIFEST_NAME_HIDDEN};

/* The bytes of the one that is there, in the view's arena. INVALID where both are. */
static enum lith_code bad_get(const struct lith_job *job, struct lith_in_place *place,
                              struct lith_err *err)
{
    struct lith_blob blob;

    for (size_t i = 0; i < 2; i++) {
        enum lith_code code = lith_folder_get(job->folder, names[i], LITH_MANIFEST_BYTES_MAX,
                                              &place->view.arena, &blob, err);
        if (code == LITH_E_NOT_FOUND)
            continue;
        LITH_TRY(code);
        if (place->bad)
            return lith_fail(err, LITH_E_INVALID,
                             "both %s and %s are there, and which of them counts is unknown: "
                             "lithify fsck tells of both; move the wrong one out of the directory "
                             "and run again",
                             names[0], names[1]);
        place->bad = names[i];
        place->view.blob = blob;
    }
    return place->bad ? LITH_OK : lith_fail(err, LITH_E_CONFLICT, "the manifest went away");
}

/* A manifest that cannot be read; it may have been replaced by one that can. */
static enum lith_code bad_take(const struct lith_job *job, struct lith_in_place *place,
                               struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(manifest) struct lith_manifest ignored = {0};
    struct lith_view *view = &place->view;

    lith_arena_init(&scratch, job->work->mem);
    lith_arena_init(&view->arena, job->work->mem);
    LITH_TRY(bad_get(job, place, err));
    if (lith_manifest_parse(view->blob.data, view->blob.bytes, place->bad, &scratch, &ignored,
                            &place->why) != LITH_E_CORRUPT)
        return lith_fail(err, LITH_E_CONFLICT, "%s was replaced", place->bad);
    return lith_folder_list(job->folder, &view->arena, &view->listing, err);
}

enum lith_code lith_in_place_take(const struct lith_job *job, struct lith_in_place *ret_place,
                                  struct lith_err *err)
{
    struct lith_in_place *place = ret_place;
    struct lith_err why;

    *place = (struct lith_in_place){0};
    enum lith_code code = lith_view_take_list_last(job->folder, job->work->mem, &place->view, &why);
    if (code == LITH_E_CORRUPT)
        return bad_take(job, place, err);
    if (code == LITH_E_UNSUPPORTED)
        return lith_fail(err, LITH_E_INVALID, "%.900s", why.text);
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    place->manifest = lith_view_manifest(&place->view);
    if (place->manifest && place->manifest->foreign)
        return lith_fail(err, LITH_E_INVALID,
                         "%s is another program's: lithify adopt --unlisted live|ignore takes it "
                         "over",
                         place->manifest->name);
    return LITH_OK;
}

void lith_in_place_done(struct lith_in_place *place)
{
    lith_view_done(&place->view);
    *place = (struct lith_in_place){0};
}

/* A second try finds it there. */
static enum lith_code bad_keep(const struct lith_job *job, const struct lith_in_place *place,
                               struct lith_err *err)
{
    const struct lith_blob *blob = &place->view.blob;
    char name[64];

    (void)snprintf(name, sizeof(name), "_lithify_manifest_%016" PRIx64 ".bad", blob->hash.high);
    enum lith_code code = lith_folder_put_if(job->folder, name, NULL, blob->data, blob->bytes, err);
    return code == LITH_E_CONFLICT ? LITH_OK : code;
}

enum lith_code lith_in_place_commit(const struct lith_job *job, const struct lith_in_place *place,
                                    struct lith_manifest *next, struct lith_err *err)
{
    if (place->bad) {
        LITH_TRY(bad_keep(job, place, err));
        next->name = place->bad; /* it takes its place */
    }
    return lith_job_commit_over(job, place->manifest, &place->view.blob, next, err);
}

uint64_t lith_in_place_epoch(const struct lith_in_place *place, const char *pid)
{
    const struct lith_listing *listing = &place->view.listing;
    uint64_t epoch = 0;

    for (size_t i = 0; i < listing->object_count; i++) {
        static const char suffix[] = ".parquet";
        char name[LITH_OUTPUT_NAME_BYTES];
        struct lith_output_name parts;
        const char *end = strstr(listing->objects[i].name, suffix);
        size_t bytes = end ? (size_t)(end - listing->objects[i].name) + strlen(suffix) : 0;
        if (bytes == 0 || bytes >= sizeof(name))
            continue;
        memcpy(name, listing->objects[i].name, bytes);
        name[bytes] = '\0';
        if (lith_output_name_parse(name, &parts) && strcmp(parts.pid, pid) == 0 &&
            parts.epoch > epoch)
            epoch = parts.epoch;
    }
    return epoch;
}
