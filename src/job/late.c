/*
 * Late files, and files that bear a retired name.
 */
#include "job/late.h"

#include <string.h>

#include "base/checked.h"

static bool is_old(const struct lith_look *look, const struct lith_job *job,
                   const struct lith_object *object)
{
    int64_t until_ns = 0;

    return lith_add_i64(object->mtime_ns, job->options->policy.quiet_for_ns, &until_ns) &&
           look->now_ns >= until_ns;
}

/* A name and size that were deleted as superseded: a writer's replay, which stays dead. */
static bool is_replay(const struct lith_look *look, const struct lith_object *object)
{
    const struct lith_manifest *m = &look->view.manifest;

    for (size_t i = 0; i < m->gone_count; i++) {
        if (m->gone[i].size == object->size && strcmp(m->gone[i].name, object->name) == 0)
            return true;
    }
    return false;
}

static bool waits(const struct lith_look *look, const struct lith_job *job,
                  const struct lith_snapshot_file *file, bool at_once)
{
    if (!file->object)
        return false;
    if (file->state == LITH_FILE_LATE && !file->object->is_link)
        return at_once || is_old(look, job, file->object);
    return lith_fact_is_replaced(file) && is_old(look, job, file->object) &&
           !is_replay(look, file->object);
}

bool lith_late_waits(const struct lith_look *look, const struct lith_job *job)
{
    if (!lith_view_manifest(&look->view) || look->view.manifest.foreign)
        return false;
    for (size_t i = 0; i < look->view.snapshot.file_count; i++) {
        if (waits(look, job, &look->view.snapshot.files[i], false))
            return true;
    }
    return false;
}

/* The facts that let a file be named, or NULL. */
static const struct lith_fact *facts_of(const struct lith_look *look, const struct lith_job *job,
                                        const struct lith_snapshot_file *file, bool at_once)
{
    if (!waits(look, job, file, at_once))
        return NULL;
    const struct lith_fact *facts = lith_fact_book_find(&look->book, file->object);
    return facts && facts->has_rows ? facts : NULL;
}

bool lith_late_foldable(const struct lith_look *look, const struct lith_job *job)
{
    if (!lith_late_waits(look, job))
        return false;
    for (size_t i = 0; i < look->view.snapshot.file_count; i++) {
        if (facts_of(look, job, &look->view.snapshot.files[i], false))
            return true;
    }
    return false;
}

/* Reads a file that bears a retired name: the same contents as before? */
static enum lith_code replaced_read(const struct lith_job *job,
                                    const struct lith_snapshot_file *file, struct lith_entry *entry,
                                    bool *ret_same, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_entry *old = file->entry;

    LITH_TRY(lith_folder_source_open(job->folder, file->object, &source, err));
    LITH_TRY(lith_source_crc32(source, job->work->mem, &entry->crc32, err));
    entry->has_crc = true;
    *ret_same = old->has_crc && old->has_rows && old->crc32 == entry->crc32 &&
                old->rows == entry->rows && old->size == entry->size;
    return LITH_OK;
}

enum lith_code lith_late_fold(const struct lith_look *look, const struct lith_job *job,
                              bool at_once, struct lith_arena *arena, struct lith_fold *ret_fold,
                              struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view.snapshot;
    void *blocks[2];
    size_t folded = 0;
    size_t refreshed = 0;
    size_t room = 0;

    for (size_t i = 0; i < snapshot->file_count; i++)
        room += facts_of(look, job, &snapshot->files[i], at_once) != NULL;
    for (size_t i = 0; i < 2; i++)
        LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_entry), &blocks[i], err));
    struct lith_entry *files = blocks[0];
    struct lith_entry *same = blocks[1];
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        const struct lith_fact *facts = facts_of(look, job, file, at_once);
        bool is_same = false;
        if (!facts)
            continue;
        struct lith_entry entry = {
            .name = file->name,
            .etag = file->object->etag,
            .size = file->object->size,
            .rows = facts->rows,
            .has_rows = true,
        };
        if (lith_fact_is_replaced(file))
            LITH_TRY(replaced_read(job, file, &entry, &is_same, err));
        if (is_same)
            same[refreshed++] = entry;
        else
            files[folded++] = entry;
    }
    *ret_fold = (struct lith_fold){
        .files = files, .file_count = folded, .refreshed = same, .refreshed_count = refreshed};
    return LITH_OK;
}

/* The reason of a live file that is broken for good and not set aside yet, or NULL. */
static const char *broken_for_good(const struct lith_look *look,
                                   const struct lith_snapshot_file *file)
{
    if (file->state != LITH_FILE_LIVE || !file->object || file->differs || file->quarantine)
        return NULL;
    const struct lith_fact *facts = lith_fact_book_find(&look->book, file->object);
    return facts && facts->blocked_for_good ? facts->blocked : NULL;
}

enum lith_code lith_late_set_aside(const struct lith_look *look, int64_t now_ns,
                                   struct lith_arena *arena, struct lith_fold *fold,
                                   struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view.snapshot;
    void *block;
    size_t room = 0;
    size_t count = 0;

    for (size_t i = 0; i < snapshot->file_count; i++)
        room += broken_for_good(look, &snapshot->files[i]) != NULL;
    LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_quarantine), &block, err));
    struct lith_quarantine *rows = block;
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        const char *reason = broken_for_good(look, file);
        if (!reason)
            continue;
        rows[count++] = (struct lith_quarantine){
            .name = file->name,
            .etag = file->object->etag,
            .reason = reason,
            .since_ns = now_ns,
        };
    }
    fold->quarantine = rows;
    fold->quarantine_count = count;
    return LITH_OK;
}
