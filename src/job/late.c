/*
 * Late files, and files under names that were used before.
 */
#include "job/late.h"

#include <string.h>

#include "base/checked.h"
#include "base/guard.h"
#include "job/comeback.h"
#include "job/format.h"

static bool is_old(const struct lith_look *look, const struct lith_job *job,
                   const struct lith_object *object)
{
    int64_t until_ns = 0;

    return lith_add_i64(object->mtime_ns, job->options->policy.quiet_for_ns, &until_ns) &&
           look->now_ns >= until_ns;
}

static bool waits(const struct lith_look *look, const struct lith_job *job,
                  const struct lith_snapshot_file *file, bool at_once)
{
    if (!file->object)
        return false;
    if (file->state == LITH_FILE_LATE && !file->object->is_link)
        return at_once || is_old(look, job, file->object);
    /* A condemned name may be deleted at any time; gc frees it once its file is gone. */
    return lith_fact_is_former(file) && !file->condemned && is_old(look, job, file->object);
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

/* What a file under a name that was used before is. */
enum former {
    FORMER_AGAIN,  /* the retired one, written once more */
    FORMER_REPLAY, /* one that was deleted, written once more */
    FORMER_NEW,
    FORMER_LIVE,    /* the live one, written once more */
    FORMER_UNKNOWN, /* not to be told: what is dead stays dead, what is live stays as it is named */
};

static bool same_contents(const struct lith_entry *entry, const struct lith_entry *old)
{
    return old->has_crc && old->crc32 == entry->crc32 && old->size == entry->size &&
           (!old->has_rows || old->rows == entry->rows);
}

static enum former former_of(const struct lith_manifest *m, const struct lith_snapshot_file *file,
                             const struct lith_entry *entry)
{
    enum former former = FORMER_NEW;

    if (file->lost)
        return same_contents(entry, file->lost) ? FORMER_NEW : FORMER_UNKNOWN;
    if (file->state == LITH_FILE_LIVE)
        return same_contents(entry, file->entry) ? FORMER_LIVE : FORMER_UNKNOWN;
    if (file->state == LITH_FILE_RETIRED && same_contents(entry, file->entry))
        return FORMER_AGAIN;
    for (size_t i = 0; i < m->gone_count; i++) {
        const struct lith_entry *gone = &m->gone[i];
        if (gone->size != entry->size || strcmp(gone->name, entry->name) != 0)
            continue;
        if (same_contents(entry, gone))
            return lith_manifest_lost_since(m, gone) ? FORMER_UNKNOWN : FORMER_REPLAY;
        if (!gone->has_crc)
            former = FORMER_UNKNOWN;
    }
    return former;
}

/* Reads it to its end. */
static enum lith_code former_read(struct lith_comeback *comeback,
                                  const struct lith_snapshot_file *file, struct lith_entry *entry,
                                  enum former *ret_former, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = comeback->job;
    bool counts = true;

    *ret_former = FORMER_UNKNOWN;
    if (file->lost)
        LITH_TRY(lith_comeback_ask(comeback, file, &counts, err));
    if (!counts)
        return LITH_OK;
    LITH_TRY(lith_folder_source_open(job->folder, file->object, &source, err));
    LITH_TRY(lith_source_crc32(source, job->work->mem, &entry->crc32, err));
    entry->has_crc = true;
    *ret_former = former_of(&comeback->look->view.manifest, file, entry);
    return LITH_OK;
}

/*
 * Is it still there, as it was listed? The manifest was read behind the list. Where more time lay
 * between them than replays are remembered for, it may not know any more of a file that was merged
 * and deleted meanwhile; what is there after it was read, and it does not know, is late.
 */
static enum lith_code is_there(const struct lith_job *job, const struct lith_object *object,
                               bool *ret_there, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_object found;

    lith_arena_init(&scratch, job->work->mem);
    *ret_there = lith_guard_is_out(LITH_GUARD_LATE_THERE);
    enum lith_code code = lith_folder_head(job->folder, object->name, &scratch, &found, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    *ret_there =
        LITH_GUARD(LATE_THERE, found.size == object->size && strcmp(found.etag, object->etag) == 0);
    return LITH_OK;
}

/* The tables of a fold while they are filled. */
struct tables {
    struct lith_entry *files;
    struct lith_entry *refreshed;
    struct lith_entry *replays;
    struct lith_entry *renewed;
    struct lith_entry *superseded;
};

static enum lith_code tables_make(struct lith_arena *arena, size_t room, struct tables *ret_tables,
                                  struct lith_err *err)
{
    struct lith_entry **tables[] = {&ret_tables->files, &ret_tables->refreshed,
                                    &ret_tables->replays, &ret_tables->renewed};

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        void *block;
        LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_entry), &block, err));
        *tables[i] = block;
    }
    return LITH_OK;
}

/* Adds one file to the fold, whose tables have room. */
static enum lith_code file_fold(struct lith_comeback *comeback,
                                const struct lith_snapshot_file *file, uint64_t rows,
                                const struct tables *tables, struct lith_fold *fold,
                                struct lith_err *err)
{
    enum former former = FORMER_NEW;
    struct lith_entry entry = {
        .name = file->name,
        .etag = file->object->etag,
        .size = file->object->size,
        .rows = rows,
        .has_rows = true,
    };
    bool there = true;

    if (file->state == LITH_FILE_LIVE && !file->entry->has_crc)
        former = FORMER_LIVE; /* nobody has read what its writer has replaced */
    else if (file->state != LITH_FILE_LATE)
        LITH_TRY(former_read(comeback, file, &entry, &former, err));
    else
        LITH_TRY(is_there(comeback->job, file->object, &there, err));
    if (!there)
        return LITH_OK;
    if (former == FORMER_NEW && file->lost)
        lith_comeback_take(comeback, file, tables->superseded, &fold->superseded_count);
    if (former == FORMER_NEW)
        tables->files[fold->file_count++] = entry;
    else if (former == FORMER_AGAIN)
        tables->refreshed[fold->refreshed_count++] = entry;
    else if (former == FORMER_REPLAY)
        tables->replays[fold->replay_count++] = entry;
    else if (former == FORMER_LIVE)
        tables->renewed[fold->renewed_count++] = entry;
    return LITH_OK;
}

enum lith_code lith_late_fold(const struct lith_look *look, const struct lith_job *job,
                              bool at_once, struct lith_arena *arena, struct lith_fold *ret_fold,
                              struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view.snapshot;
    struct lith_fold fold = {0};
    struct lith_comeback comeback;
    struct tables tables;
    size_t room = 0;
    void *block;

    lith_comeback_init(&comeback, look, job, arena);
    for (size_t i = 0; i < snapshot->file_count; i++)
        room += facts_of(look, job, &snapshot->files[i], at_once) != NULL;
    LITH_TRY(tables_make(arena, room, &tables, err));
    LITH_TRY(lith_arena_array(arena, look->view.manifest.lost_count, sizeof(struct lith_entry),
                              &block, err));
    tables.superseded = block;
    fold.superseded = block;
    fold.files = tables.files;
    fold.refreshed = tables.refreshed;
    fold.replays = tables.replays;
    fold.renewed = tables.renewed;
    /* Backwards: of outputs that are back at once the later ones may hold the rows of the others.
     */
    for (size_t i = snapshot->file_count; i-- > 0;) {
        const struct lith_fact *facts = facts_of(look, job, &snapshot->files[i], at_once);
        if (facts)
            LITH_TRY(file_fold(&comeback, &snapshot->files[i], facts->rows, &tables, &fold, err));
    }
    *ret_fold = fold;
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
