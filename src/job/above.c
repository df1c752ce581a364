/*
 * What the partition above has of this one, by the lists of its outputs.
 *
 * Outputs that are named, live or superseded, while they are there. A list says where to look; the
 * rows say whether it is so.
 */
#include "job/above.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/format.h"
#include "job/handed.h"
#include "job/stored_files.h"
#include "lake/output_name.h"

static enum lith_code view_take(const struct lith_job *job, struct lith_above *above,
                                struct lith_err *err)
{
    LITH_TRY(lith_path_above(job->folder->path, &above->arena, &above->path, err));
    if (!above->path)
        return LITH_OK;
    LITH_TRY(lith_folder_open(job->folder->store, above->path, &above->folder, err));
    enum lith_code code =
        lith_view_take(above->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &above->view, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "%s, which may have taken files of it",
                               *above->path ? above->path : ".");
    const struct lith_manifest *m = lith_view_manifest(&above->view);
    above->takes = m && !m->foreign && m->taken_count > 0;
    for (size_t i = 0; above->takes && i < m->taken_count; i++) {
        if (m->taken[i].at_ns > above->last_ns)
            above->last_ns = m->taken[i].at_ns;
    }
    above->pid = above->takes ? m->pid : NULL;
    return LITH_OK;
}

/* Where paths are those of several partitions at once there is no one above. */
static bool is_asked(const struct lith_job *job)
{
    return job->options->has_tiers && job->options->format->origin &&
           !job->folder->store->takes_paths;
}

enum lith_code lith_above_takes(const struct lith_job *job, bool *ret_takes, struct lith_err *err)
{
    struct lith_above above = {0};
    enum lith_code code = LITH_OK;

    lith_arena_init(&above.arena, job->work->mem);
    if (is_asked(job))
        code = view_take(job, &above, err);
    *ret_takes = above.takes;
    lith_above_done(&above);
    return code;
}

/* The name without "CHILD/"; NULL: it is of another partition. */
static const char *bare_of(const char *name, const char *child)
{
    size_t length = strlen(child);

    if (strncmp(name, child, length) != 0 || name[length] != '/')
        return NULL;
    return strchr(name + length + 1, '/') ? NULL : name + length + 1;
}

static enum lith_code origin_read(const struct lith_above *above, const struct lith_job *job,
                                  const struct lith_object *object,
                                  struct lith_codec_context *codecs, struct lith_arena *arena,
                                  struct lith_origin *ret_origin, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;

    LITH_TRY(lith_work_check(job->work, err));
    enum lith_code code = lith_folder_source_open(above->folder, object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s/%s vanished while it was looked at", above->path,
                         object->name);
    LITH_TRY(code);
    return job->options->format->origin(source, codecs, arena, ret_origin, err);
}

static enum lith_code list_take(struct lith_above *above, const struct lith_job *job,
                                const struct lith_object *object, struct lith_codec_context *codecs,
                                struct lith_err *err)
{
    const char *slash = strrchr(job->folder->path, '/');
    const char *child = slash ? slash + 1 : job->folder->path;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_origin origin = {0};

    lith_arena_init(&scratch, job->work->mem);
    enum lith_code code = origin_read(above, job, object, codecs, &scratch, &origin, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID)
        return LITH_OK;
    LITH_TRY(code);
    for (size_t i = 0; i < origin.input_count; i++) {
        const char *bare = bare_of(origin.inputs[i].name, child);
        void *block = above->files;
        void *copy;
        if (!bare)
            continue;
        LITH_TRY(lith_arena_copy(&above->arena, bare, strlen(bare), &copy, err));
        LITH_TRY(
            lith_array_grow_in(&above->arena, &block, above->count, sizeof(*above->files), err));
        above->files = block;
        above->files[above->count++] =
            (struct lith_above_file){.name = copy, .size = origin.inputs[i].size, .output = object};
    }
    return LITH_OK;
}

static int by_name_and_size(const void *a, const void *b)
{
    const struct lith_above_file *left = a;
    const struct lith_above_file *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : (left->size > right->size) - (left->size < right->size);
}

static enum lith_code lists_take(struct lith_above *above, const struct lith_job *job,
                                 struct lith_codec_context *codecs, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &above->view.snapshot;

    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        bool is_named = file->state == LITH_FILE_LIVE || file->state == LITH_FILE_RETIRED;
        if (is_named && file->object && !file->differs &&
            lith_output_name_is_of(file->name, above->pid))
            LITH_TRY(list_take(above, job, file->object, codecs, err));
    }
    if (above->count)
        qsort(above->files, above->count, sizeof(*above->files), by_name_and_size);
    return LITH_OK;
}

enum lith_code lith_above_take(const struct lith_job *job, struct lith_above *ret_above,
                               struct lith_err *err)
{
    struct lith_codec_context *codecs = NULL;

    *ret_above = (struct lith_above){0};
    lith_arena_init(&ret_above->arena, job->work->mem);
    if (!is_asked(job))
        return LITH_OK;
    LITH_TRY(view_take(job, ret_above, err));
    if (!ret_above->takes)
        return LITH_OK;
    LITH_TRY(lith_codec_context_new(job->work->mem, &codecs, err));
    enum lith_code code = lists_take(ret_above, job, codecs, err);
    lith_codec_context_free(codecs);
    return code;
}

void lith_above_done(struct lith_above *above)
{
    lith_view_done(&above->view);
    lith_folder_close(above->folder);
    above->folder = NULL;
    lith_arena_done(&above->arena);
}

/* Of those that list it; *ret_count: how many follow on it. */
static const struct lith_above_file *listers_find(const struct lith_above *above, const char *name,
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

const struct lith_object *lith_above_lister(const struct lith_above *above, const char *name,
                                            uint64_t size)
{
    size_t count;
    const struct lith_above_file *first = listers_find(above, name, size, &count);

    return first ? first->output : NULL;
}

enum lith_code lith_above_holds(const struct lith_above *above, const struct lith_job *job,
                                const struct lith_object *object, bool *ret_holds,
                                struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    size_t count;
    void *block;

    *ret_holds = false;
    lith_arena_init(&scratch, job->work->mem);
    const struct lith_above_file *first = listers_find(above, object->name, object->size, &count);
    if (!first)
        return LITH_OK;
    LITH_TRY(lith_arena_array(&scratch, count, sizeof(struct lith_object *), &block, err));
    const struct lith_object **outputs = block;
    for (size_t i = 0; i < count; i++)
        outputs[i] = first[i].output;
    struct lith_stored_files part = {job->folder, &object, 1};
    struct lith_stored_files whole = {above->folder, outputs, count};
    enum lith_code code = lith_stored_hold(job, &part, &whole, ret_holds, err);
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED ? LITH_OK : code;
}

/* Is there a manifest by now? It came before anything was taken. */
static enum lith_code has_manifest(const struct lith_job *job, bool *ret_has, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    *ret_has = lith_view_manifest(&view) != NULL;
    return LITH_OK;
}

static enum lith_code live_find(const struct lith_above *above,
                                const struct lith_snapshot *snapshot, struct lith_arena *arena,
                                const char **ret_file, const char **ret_text, struct lith_err *err)
{
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        const struct lith_object *lister =
            file->live && file->object ? lith_above_lister(above, file->name, file->object->size)
                                       : NULL;
        char *output;
        char *text;
        if (!lister)
            continue;
        LITH_TRY(lith_arena_format(arena, &output, err, "%s%s%s", above->path,
                                   *above->path ? "/" : "", lister->name));
        LITH_TRY(lith_arena_format(arena, &text, err, LITH_ABOVE_FORMAT, file->name, output));
        *ret_file = file->name;
        *ret_text = text;
        return LITH_OK;
    }
    return LITH_OK;
}

enum lith_code lith_above_find(const struct lith_job *job, const struct lith_snapshot *snapshot,
                               struct lith_arena *arena, const char **ret_file,
                               const char **ret_text, struct lith_err *err)
{
    struct lith_above above = {0};
    bool has = false;

    *ret_file = NULL;
    *ret_text = NULL;
    if (snapshot->manifest || snapshot->live_count == 0)
        return LITH_OK;
    enum lith_code code = lith_above_take(job, &above, err);
    if (code == LITH_OK)
        code = live_find(&above, snapshot, arena, ret_file, ret_text, err);
    if (code == LITH_OK && *ret_text)
        code = has_manifest(job, &has, err);
    if (code != LITH_OK || has)
        *ret_file = *ret_text = NULL;
    lith_above_done(&above);
    return code;
}
