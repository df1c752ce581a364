/*
 * The reader rule as a pure function: every listed and every named file gets its state.
 *
 * live = files + what is listed, is data, and is neither retired, gone nor named like an output
 * of this partition. A file that the manifest does not mention is new data.
 */
#include "lake/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "lake/name_index.h"

#define SUFFIX_TMP ".tmp"
#define ENTRY_NAME offsetof(struct lith_entry, name)

/* The manifest's tables by name. */
struct tables {
    struct lith_name_index files;
    struct lith_name_index retired;
    struct lith_name_index gone;
    struct lith_name_index condemned;
    struct lith_name_index quarantine;
};

static enum lith_code tables_build(const struct lith_manifest *m, struct lith_arena *arena,
                                   struct tables *t, struct lith_err *err)
{
    LITH_TRY(lith_name_index_build(m->files, m->file_count, sizeof(*m->files), ENTRY_NAME, arena,
                                   &t->files, err));
    LITH_TRY(lith_name_index_build(m->retired, m->retired_count, sizeof(*m->retired), ENTRY_NAME,
                                   arena, &t->retired, err));
    LITH_TRY(lith_name_index_build(m->gone, m->gone_count, sizeof(*m->gone), ENTRY_NAME, arena,
                                   &t->gone, err));
    LITH_TRY(lith_name_index_build(m->condemned, m->condemned_count, sizeof(*m->condemned), 0,
                                   arena, &t->condemned, err));
    return lith_name_index_build(m->quarantine, m->quarantine_count, sizeof(*m->quarantine),
                                 offsetof(struct lith_quarantine, name), arena, &t->quarantine,
                                 err);
}

/* The entry of `gone` with that name and size; a name may stand there with several sizes, and with
 * several contents: then one that was never read, since it may be any of them. */
static const struct lith_entry *gone_find(const struct lith_manifest *m, const struct tables *t,
                                          const struct lith_object *object)
{
    const struct lith_entry *found = NULL;
    size_t begin = 0;
    size_t count = lith_name_index_run(&t->gone, object->name, &begin);

    for (size_t i = begin; i < begin + count; i++) {
        const struct lith_entry *entry = &m->gone[t->gone.refs[i].index];
        if (entry->size == object->size && (!found || !entry->has_crc))
            found = entry;
    }
    return found;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t bytes = strlen(name);
    size_t suffix_bytes = strlen(suffix);

    return bytes > suffix_bytes && strcmp(name + bytes - suffix_bytes, suffix) == 0;
}

/* Is it an output of `pid` with this suffix behind it? */
static bool is_our_output_and(const char *suffix, const char *name, const char *pid)
{
    char stem[LITH_OUTPUT_NAME_BYTES];
    size_t bytes = strlen(name);

    if (!pid[0] || !has_suffix(name, suffix) || bytes - strlen(suffix) >= sizeof(stem))
        return false;
    bytes -= strlen(suffix);
    memcpy(stem, name, bytes);
    stem[bytes] = 0;
    return lith_output_name_is_of(stem, pid);
}

static bool is_manifest_name(const char *name)
{
    static const char *const names[] = {LITH_MANIFEST_NAME,
                                        LITH_MANIFEST_NAME_HIDDEN,
                                        LITH_MANIFEST_NAME SUFFIX_TMP,
                                        LITH_MANIFEST_NAME_HIDDEN SUFFIX_TMP,
                                        LITH_EVENTS_NOTE_NAME,
                                        LITH_EVENTS_NOTE_NAME SUFFIX_TMP,
                                        LITH_EVENTS_NOTE_NAME LITH_GONE_SUFFIX};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* An output of another partition was moved here: it is data like any other. */
static bool is_output(const char *name, const char *pid)
{
    struct lith_output_name parts;

    return pid[0] && lith_output_name_parse(name, &parts) &&
           LITH_GUARD(PID, strcmp(parts.pid, pid) == 0);
}

enum lith_file_state lith_file_state_by_name(const char *name, const char *pid)
{
    if (is_manifest_name(name))
        return LITH_FILE_MANIFEST;
    if (lith_name_is_data(name))
        return is_output(name, pid) ? LITH_FILE_ORPHAN : LITH_FILE_LATE;
    if (has_suffix(name, ".parquet" LITH_GONE_SUFFIX) ||
        is_our_output_and(SUFFIX_TMP LITH_GONE_SUFFIX, name, pid))
        return LITH_FILE_GONE_TMP;
    if (is_our_output_and(SUFFIX_TMP, name, pid))
        return LITH_FILE_OUR_TMP;
    return LITH_FILE_OTHER;
}

static bool object_differs(const struct lith_object *object, const struct lith_entry *entry)
{
    return object->size != entry->size || (entry->etag && strcmp(object->etag, entry->etag) != 0);
}

/* What is kept where nobody lists it is nobody's new data: an earlier commit took it from sight,
 * and its manifest was forgotten, or lost. */
static void held_hide(struct lith_snapshot_file *file)
{
    if (file->state == LITH_FILE_LATE && file->object->is_held)
        file->state = LITH_FILE_OTHER;
}

static void file_classify(struct lith_snapshot_file *file, const struct lith_manifest *m,
                          const struct tables *t, enum lith_snapshot_mode mode)
{
    const struct lith_object *object = file->object;
    size_t row = 0;

    file->condemned = lith_name_index_find(&t->condemned, file->name, &row);
    if (lith_name_index_find(&t->files, file->name, &row)) {
        file->state = LITH_FILE_LIVE;
        file->entry = &m->files[row];
        file->live = true;
    } else if (lith_name_index_find(&t->retired, file->name, &row)) {
        file->state = LITH_FILE_RETIRED;
        file->entry = &m->retired[row];
    } else {
        file->state = lith_file_state_by_name(file->name, m->pid);
        if (file->state == LITH_FILE_LATE)
            file->entry = gone_find(m, t, object);
        if (file->state == LITH_FILE_ORPHAN)
            file->lost = lith_manifest_lost(m, file->name, object->size);
        if (file->entry)
            file->state = LITH_FILE_GONE;
        else
            held_hide(file);
        file->live = file->state == LITH_FILE_LATE && mode == LITH_SNAPSHOT_OPEN && !m->foreign;
    }
    file->differs = object && file->entry && file->state != LITH_FILE_GONE && !m->foreign &&
                    object_differs(object, file->entry);
    if (file->live && object && lith_name_index_find(&t->quarantine, file->name, &row)) {
        const struct lith_quarantine *q = &m->quarantine[row];
        if (!q->etag || strcmp(q->etag, object->etag) == 0)
            file->quarantine = q;
    }
}

/* Without a manifest everything that is data counts. */
static void file_classify_alone(struct lith_snapshot_file *file)
{
    file->state = lith_file_state_by_name(file->name, "");
    held_hide(file);
    file->live = file->state == LITH_FILE_LATE;
}

static void snapshot_count(struct lith_snapshot *s, const struct lith_snapshot_file *file)
{
    s->state_count[file->state]++;
    if (file->state == LITH_FILE_LIVE) {
        s->missing_count += !file->object;
        s->differ_count += file->differs;
    }
    if (!file->live)
        return;
    s->live_count++;
    s->live_bytes += file->object ? file->object->size : file->entry->size;
    bool is_output =
        s->manifest && s->manifest->pid[0] && lith_output_name_is_of(file->name, s->manifest->pid);
    if (file->object && !is_output && file->object->mtime_ns > s->newest_ns)
        s->newest_ns = file->object->mtime_ns;
}

/* The listing and the names of `files`, both in order, as one run of distinct names. */
static void names_merge(const struct lith_listing *listing, const struct lith_name_index *named,
                        struct lith_snapshot *s)
{
    size_t listed_at = 0;
    size_t named_at = 0;

    while (listed_at < listing->object_count || named_at < named->count) {
        struct lith_snapshot_file *file = &s->files[s->file_count++];
        int order = listed_at == listing->object_count ? 1
                    : named_at == named->count
                        ? -1
                        : strcmp(listing->objects[listed_at].name, named->refs[named_at].name);
        file->name = order <= 0 ? listing->objects[listed_at].name : named->refs[named_at].name;
        if (order <= 0)
            file->object = &listing->objects[listed_at++];
        if (order >= 0)
            named_at++;
    }
}

enum lith_code lith_snapshot_resolve(const struct lith_listing *listing,
                                     const struct lith_manifest *manifest,
                                     enum lith_snapshot_mode mode, struct lith_arena *arena,
                                     struct lith_snapshot *ret_snapshot, struct lith_err *err)
{
    struct lith_snapshot s = {.mode = mode, .manifest = manifest, .newest_ns = INT64_MIN};
    LITH_AUTO(arena) struct lith_arena scratch;
    struct tables t = {0};
    void *block = NULL;

    lith_arena_init(&scratch, arena->mem);
    if (manifest)
        LITH_TRY(tables_build(manifest, &scratch, &t, err));
    LITH_TRY(lith_arena_array(arena, listing->object_count + t.files.count, sizeof(*s.files),
                              &block, err));
    s.files = block;
    names_merge(listing, &t.files, &s);
    for (size_t i = 0; i < s.file_count; i++) {
        if (manifest)
            file_classify(&s.files[i], manifest, &t, mode);
        else
            file_classify_alone(&s.files[i]);
        snapshot_count(&s, &s.files[i]);
    }
    *ret_snapshot = s;
    return LITH_OK;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct lith_snapshot_file *)a)->name,
                  ((const struct lith_snapshot_file *)b)->name);
}

const struct lith_snapshot_file *lith_snapshot_find(const struct lith_snapshot *snapshot,
                                                    const char *name)
{
    const struct lith_snapshot_file key = {.name = name};

    return snapshot->file_count
               ? bsearch(&key, snapshot->files, snapshot->file_count, sizeof(key), compare_files)
               : NULL;
}

bool lith_listing_shows_entry(const struct lith_listing *listing, const struct lith_entry *entry)
{
    const struct lith_object *object = lith_listing_find(listing, entry->name);

    return (object && !object_differs(object, entry)) ||
           lith_listing_shows_gone(listing, entry->name);
}

bool lith_listing_is_partition(const struct lith_listing *listing)
{
    for (size_t i = 0; i < listing->object_count; i++) {
        const char *name = listing->objects[i].name;
        if (listing->objects[i].is_held)
            continue;
        if (lith_name_is_data(name) || strcmp(name, LITH_MANIFEST_NAME) == 0 ||
            strcmp(name, LITH_MANIFEST_NAME_HIDDEN) == 0 ||
            strcmp(name, LITH_EVENTS_NOTE_NAME) == 0)
            return true;
    }
    return false;
}
