/*
 * What becomes of each object of a partition whose directory shows its live files alone.
 *
 * New data stays where its writer put it until a commit has said what it is: so a file under a name
 * that was used before is shown until a job has read it, and what is held is never taken for new.
 */
#include "lake/showing.h"

#include <string.h>

#include "lake/snapshot.h"

static struct lith_manifest_showing *of_base(struct lith_showing *base)
{
    return (struct lith_manifest_showing *)base;
}

static bool is_same(const struct lith_object *object, const struct lith_entry *entry)
{
    return object->size == entry->size && (!entry->etag || strcmp(object->etag, entry->etag) == 0);
}

/* Is it the file that the table names? `ret_known`: the table has the name. */
static bool is_named(const struct lith_name_index *index, const struct lith_entry *entries,
                     const struct lith_object *object, bool *ret_known, size_t *ret_row)
{
    *ret_known = lith_name_index_find(index, object->name, ret_row);
    return *ret_known && is_same(object, &entries[*ret_row]);
}

static enum lith_fate data_fate(struct lith_manifest_showing *showing,
                                const struct lith_object *object)
{
    const struct lith_manifest *m = showing->manifest;
    bool is_live;
    bool is_retired;
    size_t row = 0;
    size_t retired_row = 0;

    bool is_that = is_named(&showing->files, m->files, object, &is_live, &row);
    /* What stands under a live name is shown, also if it is another file than the one recorded. */
    if (is_live && (is_that || !object->is_held)) {
        showing->shown[row] = true;
        return LITH_FATE_SHOWN;
    }
    if (is_named(&showing->retired, m->retired, object, &is_retired, &retired_row))
        return LITH_FATE_HELD;
    if (lith_output_name_is_of(object->name, m->pid))
        return LITH_FATE_HELD;
    return object->is_held ? LITH_FATE_DEAD : LITH_FATE_SHOWN;
}

/* How writers call what they are still at, or what is theirs to come back to. */
static bool is_being_written(const char *name)
{
    static const char *const suffixes[] = {".tmp",     ".temp",       ".part",
                                           ".partial", ".inprogress", ".incomplete"};
    size_t bytes = strlen(name);

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t suffix = strlen(suffixes[i]);
        if (bytes > suffix && strcmp(name + bytes - suffix, suffixes[i]) == 0)
            return true;
    }
    /* Hidden files are temporary ones (.part-0.parquet.inprogress.1f, rsync's), but for checksums
     * that Hadoop keeps beside files. */
    return name[0] == '.' && (bytes < 5 || strcmp(name + bytes - 4, ".crc") != 0);
}

static enum lith_fate fate(struct lith_showing *base, const struct lith_object *object)
{
    struct lith_manifest_showing *showing = of_base(base);
    const struct lith_manifest *m = showing->manifest;
    enum lith_file_state state = lith_file_state_by_name(object->name, m ? m->pid : "");
    bool is_data = state == LITH_FILE_LATE || state == LITH_FILE_ORPHAN;

    if (is_data && m)
        return data_fate(showing, object);
    if (object->is_held)
        return LITH_FATE_HELD;
    if (state == LITH_FILE_MANIFEST && strcmp(object->name, LITH_EVENTS_NOTE_NAME) != 0)
        return LITH_FATE_OWN;
    return state == LITH_FILE_OTHER && is_being_written(object->name) ? LITH_FATE_FOREIGN
                                                                      : LITH_FATE_SHOWN;
}

static void begin(struct lith_showing *base)
{
    struct lith_manifest_showing *showing = of_base(base);

    if (showing->manifest && showing->manifest->file_count)
        memset(showing->shown, 0, showing->manifest->file_count * sizeof(*showing->shown));
}

static enum lith_code complete(struct lith_showing *base, struct lith_err *err)
{
    const struct lith_manifest_showing *showing = of_base(base);

    for (size_t i = 0; showing->manifest && i < showing->manifest->file_count; i++) {
        if (!showing->shown[i])
            return lith_fail(err, LITH_E_CORRUPT,
                             "the live file %s is missing: nothing is changed until it is back",
                             showing->manifest->files[i].name);
    }
    return LITH_OK;
}

enum lith_code lith_manifest_showing_init(struct lith_manifest_showing *showing,
                                          const struct lith_manifest *manifest,
                                          struct lith_arena *arena, struct lith_err *err)
{
    void *block;

    *showing = (struct lith_manifest_showing){
        .base = {.begin = begin, .fate = fate, .complete = complete}, .manifest = manifest};
    if (!manifest)
        return LITH_OK;
    LITH_TRY(lith_name_index_build(manifest->files, manifest->file_count, sizeof(*manifest->files),
                                   offsetof(struct lith_entry, name), arena, &showing->files, err));
    LITH_TRY(lith_name_index_build(manifest->retired, manifest->retired_count,
                                   sizeof(*manifest->retired), offsetof(struct lith_entry, name),
                                   arena, &showing->retired, err));
    LITH_TRY(lith_arena_array(arena, manifest->file_count, sizeof(bool), &block, err));
    showing->shown = block;
    return LITH_OK;
}
