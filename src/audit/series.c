/*
 * Events put into the series, and looked for.
 *
 * An event is put on condition that its name is free. Whether it is there is asked by name first;
 * where its day was merged, the name is retired, or forgotten later, and the merged files have the
 * commit's id.
 */
#include "audit/series.h"

#include <stdlib.h>
#include <string.h>

#include "audit/event_file.h"
#include "lake/lake_file.h"
#include "lake/snapshot.h"

/* An event is a few KiB; its lists may have many names. Beyond this it goes to scratch. */
#define EVENT_MEMORY_BYTES ((size_t)256 << 10)

enum lith_code lith_series_day_go(struct lith_series_day *day, struct lith_series *series,
                                  const struct lith_event_id *id, const struct lith_work *work,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const char *path;
    void *copy;

    lith_arena_init(&scratch, work->mem);
    LITH_TRY(lith_series_folder(id->tenant, id->at_ns, &scratch, &path, err));
    if (day->path && strcmp(day->path, path) == 0)
        return LITH_OK;
    lith_series_day_done(day);
    day->series = series;
    lith_arena_init(&day->arena, work->mem);
    LITH_TRY(lith_arena_copy(&day->arena, path, strlen(path), &copy, err));
    enum lith_code code = lith_folder_open(series->store, path, &day->folder, err);
    if (code != LITH_OK && code != LITH_E_NOT_FOUND)
        return code;
    day->path = copy;
    return LITH_OK;
}

void lith_series_day_done(struct lith_series_day *day)
{
    lith_folder_close(day->folder);
    lith_arena_done(&day->arena);
    *day = (struct lith_series_day){0};
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool texts_have(const char *const *texts, size_t count, const char *text)
{
    return count && bsearch(&text, texts, count, sizeof(text), compare_texts);
}

static void texts_sort(const char **texts, size_t count)
{
    if (count)
        qsort(texts, count, sizeof(*texts), compare_texts);
}

/* Names that the manifest knows of: what was merged away, for as long as it is remembered. */
static enum lith_code names_read(struct lith_series_day *day, const struct lith_manifest *m,
                                 struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(&day->arena, m->retired_count + m->gone_count, sizeof(char *), &block,
                              err));
    day->names = block;
    for (size_t i = 0; i < m->retired_count + m->gone_count; i++) {
        const struct lith_entry *entry =
            i < m->retired_count ? &m->retired[i] : &m->gone[i - m->retired_count];
        LITH_TRY(lith_arena_copy(&day->arena, entry->name, strlen(entry->name), &block, err));
        day->names[day->name_count++] = block;
    }
    texts_sort(day->names, day->name_count);
    return LITH_OK;
}

/* The ids of one file of several events, behind those that are there. */
static enum lith_code ids_add(struct lith_series_day *day, const struct lith_object *object,
                              const struct lith_work *work, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_event *events;
    size_t count;
    void *block;

    LITH_TRY(lith_folder_source_open(day->folder, object, &source, err));
    if (lith_events_read_ids(source, work, &day->arena, &events, &count, err) != LITH_OK)
        return lith_err_prefix(err, "%s", object->name);
    LITH_TRY(lith_arena_array(&day->arena, day->id_count + count, sizeof(char *), &block, err));
    if (day->id_count)
        memcpy(block, day->ids, day->id_count * sizeof(char *));
    day->ids = block;
    for (size_t i = 0; i < count; i++) {
        if (events[i].commit_id)
            day->ids[day->id_count++] = events[i].commit_id;
    }
    return LITH_OK;
}

/* All that the folder says of events that are no files of their own any more. */
static enum lith_code day_read(struct lith_series_day *day, const struct lith_work *work,
                               struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take(day->folder, LITH_SNAPSHOT_OPEN, work->mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    if (m)
        LITH_TRY(names_read(day, m, err));
    for (size_t i = 0; m && i < view.snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view.snapshot.files[i];
        if (file->live && file->object && lith_output_name_is_of(file->name, m->pid))
            LITH_TRY(ids_add(day, file->object, work, err));
    }
    texts_sort(day->ids, day->id_count);
    day->is_read = true;
    return LITH_OK;
}

static enum lith_code day_has(struct lith_series_day *day, const struct lith_event_id *id,
                              const struct lith_work *work, bool *ret_has, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_object object;
    const char *name;

    lith_arena_init(&scratch, work->mem);
    *ret_has = false;
    if (!day->folder)
        return LITH_OK;
    LITH_TRY(lith_event_name(id, &scratch, &name, err));
    enum lith_code code = lith_folder_head(day->folder, name, &scratch, &object, err);
    if (code != LITH_E_NOT_FOUND) {
        *ret_has = code == LITH_OK;
        return code;
    }
    if (!day->is_read)
        LITH_TRY(day_read(day, work, err));
    *ret_has = texts_have(day->names, day->name_count, name) ||
               texts_have(day->ids, day->id_count, id->commit_id);
    return LITH_OK;
}

static enum lith_code failed(const struct lith_series_day *day, enum lith_code code,
                             struct lith_err *err)
{
    return code == LITH_OK ? code
                           : lith_err_prefix(err, "%s/%s", day->series->store->root, day->path);
}

enum lith_code lith_series_day_has(struct lith_series_day *day, const struct lith_event_id *id,
                                   const struct lith_work *work, bool *ret_has,
                                   struct lith_err *err)
{
    return failed(day, day_has(day, id, work, ret_has, err), err);
}

enum lith_code lith_series_day_sync(struct lith_series_day *day, struct lith_err *err)
{
    if (day->is_synced)
        return LITH_OK;
    LITH_TRY(failed(day, lith_folder_sync(day->folder, err), err));
    day->is_synced = true;
    return LITH_OK;
}

static enum lith_code has_mark(struct lith_folder *root, struct lith_arena *arena, bool *ret_has,
                               struct lith_err *err)
{
    struct lith_object object;
    enum lith_code code = lith_folder_head(root, LITH_SERIES_MARK_NAME, arena, &object, err);

    *ret_has = code == LITH_OK;
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

/* What stands in a directory, beside a mark that is just being put; NULL: nothing. */
static const char *other_name(const struct lith_listing *listing)
{
    if (listing->folder_count)
        return listing->folders[0];
    if (listing->other_count)
        return listing->others[0];
    for (size_t i = 0; i < listing->object_count; i++) {
        const char *name = listing->objects[i].name;
        if (strncmp(name, LITH_SERIES_MARK_NAME, strlen(LITH_SERIES_MARK_NAME)) != 0)
            return name;
    }
    return NULL;
}

/* Is it a series, with its mark, or may it become one? INVALID for a directory of other things: a
 * mark would hide them from the lake around it. */
static enum lith_code root_check(struct lith_folder *root, struct lith_arena *arena,
                                 bool *ret_has_mark, struct lith_err *err)
{
    struct lith_listing listing;

    LITH_TRY(has_mark(root, arena, ret_has_mark, err));
    if (*ret_has_mark)
        return LITH_OK;
    LITH_TRY(lith_folder_list(root, arena, &listing, err));
    const char *other = other_name(&listing);
    if (!other)
        return LITH_OK;
    /* Another program may have put the mark, and its events, since the first look. */
    LITH_TRY(has_mark(root, arena, ret_has_mark, err));
    if (*ret_has_mark)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "%s is no audit series: it has %.200s, and no %s; give another directory "
                     "(--audit DIR), or keep no events (--audit none)",
                     root->store->root, other, LITH_SERIES_MARK_NAME);
}

enum lith_code lith_series_find(const struct lith_series *series, const struct lith_work *work,
                                bool *ret_found, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    LITH_AUTO(arena) struct lith_arena scratch;

    lith_arena_init(&scratch, work->mem);
    *ret_found = false;
    enum lith_code code = lith_folder_open(series->store, "", &root, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    return root_check(root, &scratch, ret_found, err);
}

/* The root's mark, so that no lake around it takes events for rows. */
static enum lith_code mark_ensure(const struct lith_series *series, struct lith_arena *arena,
                                  struct lith_err *err)
{
    static const char text[] = "{\"format\": 1}\n";
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    bool has;

    LITH_TRY(lith_folder_open(series->store, "", &root, err));
    LITH_TRY(root_check(root, arena, &has, err));
    if (has)
        return LITH_OK;
    enum lith_code code =
        lith_folder_put_if(root, LITH_SERIES_MARK_NAME, NULL, text, sizeof(text) - 1, err);
    return code == LITH_E_CONFLICT ? LITH_OK : code;
}

/* The folder, and those above it; once in a process, since each of them is synced. */
static enum lith_code day_make(struct lith_series_day *day, struct lith_arena *arena,
                               struct lith_err *err)
{
    struct lith_series *series = day->series;
    uint64_t hash = lith_xxh64(day->path, strlen(day->path));
    _Atomic uint64_t *made = &series->made[hash % LITH_SERIES_MADE_MAX];

    if (day->folder && atomic_load(made) == hash)
        return LITH_OK;
    LITH_TRY(lith_folder_make(series->store, "", err));
    LITH_TRY(mark_ensure(series, arena, err));
    LITH_TRY(lith_folder_make(series->store, day->path, err));
    if (!day->folder)
        LITH_TRY(lith_folder_open(series->store, day->path, &day->folder, err));
    atomic_store(made, hash);
    return LITH_OK;
}

struct event_body {
    struct lith_content base;
    struct lith_spool *spool;
};

static enum lith_code body_write(struct lith_content *base, struct lith_sink *sink,
                                 struct lith_err *err)
{
    const struct event_body *body = (const struct event_body *)base;

    return lith_spool_copy(body->spool, sink, err);
}

/* The event as a file, read back before anybody sees it. */
static enum lith_code spool_fill(struct lith_spool *spool, const struct lith_event *event,
                                 const struct lith_work *work, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_event *read;
    size_t count;

    lith_arena_init(&scratch, work->mem);
    LITH_TRY(lith_events_write(event, 1, &spool->sink, work, err));
    LITH_TRY(lith_events_read(&spool->source, work, &scratch, &read, &count, err));
    if (count != 1 || !lith_event_equal(&read[0], event))
        return lith_fail(err, LITH_E_CORRUPT, "an event is not read back as it was written");
    return LITH_OK;
}

static enum lith_code day_put(struct lith_series_day *day, const struct lith_event_id *id,
                              const struct lith_event *event, const struct lith_work *work,
                              struct lith_err *err)
{
    LITH_AUTO(spool) struct lith_spool spool = {0};
    LITH_AUTO(arena) struct lith_arena scratch;
    struct event_body body = {.base = {.write = body_write}, .spool = &spool};
    const char *name;

    lith_arena_init(&scratch, work->mem);
    lith_spool_init(&spool, work->mem, work->scratch, EVENT_MEMORY_BYTES);
    LITH_TRY(spool_fill(&spool, event, work, err));
    LITH_TRY(day_make(day, &scratch, err));
    LITH_TRY(lith_event_name(id, &scratch, &name, err));
    enum lith_code code = lith_folder_put_content_if(day->folder, name, NULL, &body.base, err);
    return code == LITH_E_CONFLICT ? LITH_OK : code;
}

enum lith_code lith_series_day_put(struct lith_series_day *day, const struct lith_event_id *id,
                                   const struct lith_event *event, const struct lith_work *work,
                                   struct lith_err *err)
{
    return failed(day, day_put(day, id, event, work, err), err);
}
