/*
 * What the partition above has of this one, by the lists of its outputs.
 *
 * Outputs that its manifest names, live or superseded, while they are there. A list says where to
 * look; the rows say whether it is so.
 */
#include "job/above.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "job/format.h"
#include "job/handed.h"
#include "job/stored_files.h"
#include "lake/output_name.h"
#include "lake/path_keys.h"

/* What its footers are read with. */
struct listing {
    const struct lith_job *job;
    struct lith_above *above;
    const char *child; /* the last part of this partition's path */
    struct lith_codec_context *codecs;
};

/* The folder above, and whether files may be rolled up into it by its path. */
static enum lith_code folder_open(const struct lith_job *job, struct lith_above *above,
                                  struct lith_err *err)
{
    struct lith_path_keys keys;

    LITH_TRY(lith_path_above(job->folder->path, &above->arena, &above->path, err));
    if (!above->path)
        return LITH_OK;
    LITH_TRY(lith_path_keys_parse(above->path, &job->options->path, &above->arena, &keys, err));
    above->has_period = keys.has_period;
    return lith_folder_open(job->folder->store, above->path, &above->folder, err);
}

static enum lith_code view_take(const struct lith_job *job, struct lith_above *above,
                                struct lith_err *err)
{
    enum lith_code code =
        lith_view_take(above->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &above->view, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "what %s may have taken of it is not known", above->path);
    const struct lith_manifest *m = lith_view_manifest(&above->view);
    above->has_manifest = m && !m->foreign;
    if (!above->has_manifest)
        return LITH_OK;
    above->has_taken = m->taken_count > 0;
    above->last_ns = above->has_taken ? m->taken[0].at_ns : m->committed_at_ns;
    for (size_t i = 0; i < m->taken_count; i++) {
        if (m->taken[i].at_ns > above->last_ns)
            above->last_ns = m->taken[i].at_ns;
    }
    return LITH_OK;
}

/* The name without "CHILD/"; NULL: it is of another partition. */
static const char *bare_of(const char *name, const char *child)
{
    size_t length = strlen(child);

    if (strncmp(name, child, length) != 0 || name[length] != '/')
        return NULL;
    return strchr(name + length + 1, '/') ? NULL : name + length + 1;
}

static enum lith_code file_add(struct lith_above *above, const char *name, uint64_t size,
                               const struct lith_object *output, struct lith_err *err)
{
    void *block = above->files;
    void *copy;

    LITH_TRY(lith_arena_copy(&above->arena, name, strlen(name), &copy, err));
    LITH_TRY(lith_array_grow_in(&above->arena, &block, above->count, sizeof(*above->files), err));
    above->files = block;
    above->files[above->count++] =
        (struct lith_above_file){.name = copy, .size = size, .output = output};
    return LITH_OK;
}

static enum lith_code unknown_note(struct lith_above *above, const char *name, struct lith_err *err)
{
    void *copy;

    if (above->unknown)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(&above->arena, name, strlen(name), &copy, err));
    above->unknown = copy;
    return LITH_OK;
}

/* Takes over what an output lists of this partition. */
static enum lith_code output_read(struct listing *l, const struct lith_object *object,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_origin origin = {0};

    lith_arena_init(&scratch, l->job->work->mem);
    LITH_TRY(lith_work_check(l->job->work, err));
    enum lith_code code = lith_folder_source_open(l->above->folder, object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s/%s vanished while it was looked at",
                         l->above->path, object->name);
    LITH_TRY(code);
    code = l->job->options->format->origin(source, l->codecs, &scratch, &origin, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID)
        return unknown_note(l->above, object->name, err);
    LITH_TRY(code);
    for (size_t i = 0; i < origin.input_count; i++) {
        const char *bare = bare_of(origin.inputs[i].name, l->child);
        l->above->has_taken = l->above->has_taken || strchr(origin.inputs[i].name, '/');
        if (bare)
            LITH_TRY(file_add(l->above, bare, origin.inputs[i].size, object, err));
    }
    return LITH_OK;
}

/* An output that the manifest names. A superseded one that is gone was deleted by gc; a live one
 * never is. What has another time may be another file, until a job has read it. */
static enum lith_code named_read(struct listing *l, const struct lith_snapshot_file *file,
                                 struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(&l->above->view);
    bool is_live = file->state == LITH_FILE_LIVE;

    if ((!is_live && file->state != LITH_FILE_RETIRED) ||
        !lith_output_name_is_of(file->name, m->pid))
        return LITH_OK;
    if (file->object && !file->differs)
        return output_read(l, file->object, err);
    return is_live || file->object ? unknown_note(l->above, file->name, err) : LITH_OK;
}

/* Without a manifest above nobody knows whose the outputs are that lie there. */
static enum lith_code unnamed_read(struct listing *l, const struct lith_snapshot_file *file,
                                   struct lith_err *err)
{
    struct lith_output_name ignored;

    return file->object && lith_output_name_parse(file->name, &ignored)
               ? output_read(l, file->object, err)
               : LITH_OK;
}

static int by_name_and_size(const void *a, const void *b)
{
    const struct lith_above_file *left = a;
    const struct lith_above_file *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : (left->size > right->size) - (left->size < right->size);
}

static enum lith_code lists_read(struct listing *l, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &l->above->view.snapshot;

    for (size_t i = 0; i < snapshot->file_count; i++)
        LITH_TRY(l->above->has_manifest ? named_read(l, &snapshot->files[i], err)
                                        : unnamed_read(l, &snapshot->files[i], err));
    if (l->above->count)
        qsort(l->above->files, l->above->count, sizeof(*l->above->files), by_name_and_size);
    return LITH_OK;
}

enum lith_code lith_above_read(const struct lith_job *job, struct lith_above *ret_above,
                               struct lith_err *err)
{
    const char *slash = strrchr(job->folder->path, '/');
    struct listing l = {
        .job = job, .above = ret_above, .child = slash ? slash + 1 : job->folder->path};

    *ret_above = (struct lith_above){0};
    lith_arena_init(&ret_above->arena, job->work->mem);
    /* A folder of several partitions has none above it. */
    if (!job->options->format->origin || job->folder->store->takes_paths)
        return LITH_OK;
    LITH_TRY(folder_open(job, ret_above, err));
    if (!ret_above->folder)
        return LITH_OK;
    enum lith_code code = view_take(job, ret_above, err);
    bool cannot_say = code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED;
    if (!ret_above->has_period && (cannot_say || (code == LITH_OK && !ret_above->has_taken)))
        return LITH_OK;
    LITH_TRY(code);
    LITH_TRY(lith_codec_context_new(job->work->mem, &l.codecs, err));
    code = lists_read(&l, err);
    lith_codec_context_free(l.codecs);
    return code;
}

void lith_above_done(struct lith_above *above)
{
    lith_view_done(&above->view);
    lith_folder_close(above->folder);
    above->folder = NULL;
    lith_arena_done(&above->arena);
}

const struct lith_above_file *lith_above_listers(const struct lith_above *above, const char *name,
                                                 uint64_t size, size_t *ret_count)
{
    const struct lith_above_file key = {.name = name, .size = size};
    const struct lith_above_file *first =
        above->count ? bsearch(&key, above->files, above->count, sizeof(key), by_name_and_size)
                     : NULL;
    const struct lith_above_file *end = above->files + above->count;
    size_t count = 0;

    while (first && first > above->files && by_name_and_size(first - 1, &key) == 0)
        first--;
    while (first && first + count < end && by_name_and_size(first + count, &key) == 0)
        count++;
    *ret_count = count;
    return first;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct lith_object *const *)a;
    uintptr_t right = (uintptr_t) * (const struct lith_object *const *)b;

    return (left > right) - (left < right);
}

/* All that list one of them, each once. */
static enum lith_code outputs_take(const struct lith_above *above,
                                   const struct lith_object *const *objects, size_t count,
                                   struct lith_arena *arena, struct lith_stored_files *ret_stored,
                                   struct lith_err *err)
{
    size_t room = 0, kept = 0, n;
    void *block;

    for (size_t i = 0; i < count; i++) {
        (void)lith_above_listers(above, objects[i]->name, objects[i]->size, &n);
        room += n;
    }
    LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_object *), &block, err));
    const struct lith_object **outputs = block;
    room = 0;
    for (size_t i = 0; i < count; i++) {
        const struct lith_above_file *first =
            lith_above_listers(above, objects[i]->name, objects[i]->size, &n);
        for (size_t k = 0; k < n; k++)
            outputs[room++] = first[k].output;
    }
    if (room)
        qsort(outputs, room, sizeof(*outputs), by_address);
    for (size_t i = 0; i < room; i++) {
        if (kept == 0 || outputs[kept - 1] != outputs[i])
            outputs[kept++] = outputs[i];
    }
    *ret_stored = (struct lith_stored_files){above->folder, outputs, kept};
    return LITH_OK;
}

enum lith_code lith_above_holds(const struct lith_above *above, const struct lith_job *job,
                                const struct lith_object *const *objects, size_t count,
                                bool *ret_holds, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_stored_files part = {job->folder, objects, count};
    struct lith_stored_files whole;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(outputs_take(above, objects, count, &scratch, &whole, err));
    return lith_stored_hold(job, &part, &whole, ret_holds, err);
}

/* A manifest of ours came before anything was taken. *ret_foreign: it is another program's. */
static enum lith_code manifest_ask(const struct lith_job *job, bool *ret_ours, bool *ret_foreign,
                                   struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    *ret_ours = m && !m->foreign;
    *ret_foreign = m && m->foreign;
    return LITH_OK;
}

static enum lith_code doubt_find(const struct lith_above *above,
                                 const struct lith_snapshot *snapshot, struct lith_arena *arena,
                                 struct lith_above_doubt *ret_doubt, struct lith_err *err)
{
    const struct lith_above_file *lister = NULL;
    char *why = NULL;

    for (size_t i = 0; !lister && i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        size_t count;
        if (file->live && file->object)
            lister = lith_above_listers(above, file->name, file->object->size, &count);
    }
    if (lister)
        LITH_TRY(lith_arena_format(arena, &why, err,
                                   "its manifest was lost: %s was rolled up into %s/%s, and is "
                                   "still here",
                                   lister->name, above->path, lister->output->name));
    else if (above->unknown && above->has_taken)
        LITH_TRY(lith_arena_format(arena, &why, err,
                                   "it has no manifest, and what was rolled up into %s is not "
                                   "known: %s there is missing, has another time than the manifest "
                                   "names, or cannot be read",
                                   above->path, above->unknown));
    *ret_doubt = (struct lith_above_doubt){.why = why, .is_lost = lister != NULL};
    return LITH_OK;
}

/* One look. */
static enum lith_code find_once(const struct lith_job *job, const struct lith_snapshot *snapshot,
                                struct lith_arena *arena, struct lith_above_doubt *ret_doubt,
                                struct lith_err *err)
{
    struct lith_above above = {0};
    bool is_ours = false;
    bool is_foreign = false;
    void *copy;

    enum lith_code code = lith_above_read(job, &above, err);
    if (code == LITH_OK)
        code = doubt_find(&above, snapshot, arena, ret_doubt, err);
    lith_above_done(&above);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED) {
        LITH_TRY(lith_arena_copy(arena, err->text, strlen(err->text), &copy, err));
        ret_doubt->why = copy;
        code = LITH_OK;
    }
    if (code != LITH_OK || !ret_doubt->why)
        return code;
    LITH_TRY(manifest_ask(job, &is_ours, &is_foreign, err));
    if (is_ours)
        ret_doubt->why = NULL;
    ret_doubt->todo = !ret_doubt->is_lost ? "put the partition above right first"
                      : is_foreign ? "move the manifest that is there out of the directory, then "
                                     "lithify fsck --repair makes one anew"
                                   : "lithify fsck --repair makes one anew";
    return LITH_OK;
}

enum lith_code lith_above_find(const struct lith_job *job, const struct lith_snapshot *snapshot,
                               struct lith_arena *arena, struct lith_above_doubt *ret_doubt,
                               struct lith_err *err)
{
    enum lith_code code = LITH_E_CONFLICT;

    *ret_doubt = (struct lith_above_doubt){0};
    if (!job->options->has_tiers || snapshot->live_count == 0 ||
        (snapshot->manifest && !snapshot->manifest->foreign))
        return LITH_OK;
    for (unsigned tries = 0; code == LITH_E_CONFLICT && tries < LITH_LOOK_AGAIN_MAX; tries++) {
        *ret_doubt = (struct lith_above_doubt){0};
        code = find_once(job, snapshot, arena, ret_doubt, err);
    }
    return code;
}
