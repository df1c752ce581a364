/*
 * Rows of a manifest from lineage.
 */
#include "job/kin_entries.h"

static struct lith_entry entry_of(const struct lith_kin_entries *making, size_t at)
{
    const struct lith_kin *kin = &making->lineage->files[at];
    const struct lith_snapshot_file *file = lith_snapshot_find(making->snapshot, kin->name);
    struct lith_entry entry = {.name = kin->name, .size = kin->size, .rows = kin->rows};

    entry.has_rows = kin->has_rows;
    if (file && file->entry && file->entry->size == kin->size)
        entry = *file->entry;
    entry.etag = kin->object ? kin->object->etag : NULL;
    return entry;
}

static enum lith_code entry_read(const struct lith_kin_entries *making, size_t at,
                                 struct lith_entry *entry, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = making->job;
    const struct lith_kin *kin = &making->lineage->files[at];

    *entry = entry_of(making, at);
    if (!kin->object || entry->has_crc)
        return LITH_OK;
    entry->has_crc = true;
    if (making->dry_run)
        return LITH_OK;
    LITH_TRY(lith_work_check(job->work, err));
    LITH_TRY(lith_folder_source_open(job->folder, kin->object, &source, err));
    return lith_source_crc32(source, job->work->mem, &entry->crc32, err);
}

enum lith_code lith_kin_entries_make(const struct lith_kin_entries *making, const size_t *kins,
                                     size_t count, struct lith_entry **ret_entries,
                                     struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(making->arena, count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *entries = block;
    for (size_t i = 0; i < count; i++)
        LITH_TRY(entry_read(making, kins[i], &entries[i], err));
    *ret_entries = entries;
    return LITH_OK;
}
