/*
 * The folder of journals.
 *
 * All tiers are listed, whatever a later version may call them: a journal that nobody looks at
 * would leave rows twice for good.
 */
#include "lake/journal_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"

/* Behind a name while it is put. */
#define TMP_SUFFIX ".tmp"
/* The "tier" of what lies beside the folders of the tiers. */
#define NO_TIER "."

/* What stands where something else should be, as a listing knows it. */
#define FOUND_FILE "a file"
#define FOUND_FOLDER "a directory"
#define FOUND_LINK "a symbolic link"
#define FOUND_OTHER "a symbolic link, a pipe, a socket or a device"

/* The files found so far. */
struct lister {
    struct lith_store *store;
    struct lith_arena *arena;
    struct lith_journal_files files;
};

static enum lith_code tier_path(const char *tier, struct lith_arena *arena, const char **ret_path,
                                struct lith_err *err)
{
    char *path;

    LITH_TRY(lith_arena_format(arena, &path, err, LITH_JOURNAL_FOLDER "/%s", tier));
    *ret_path = path;
    return LITH_OK;
}

/* NULL where it is not there. */
static enum lith_code folder_try(struct lith_store *store, const char *path,
                                 struct lith_folder **ret_folder, struct lith_err *err)
{
    enum lith_code code = lith_folder_open(store, path, ret_folder, err);

    if (code != LITH_E_NOT_FOUND)
        return code;
    *ret_folder = NULL;
    return LITH_OK;
}

/* Bytes of the name without the suffix; 0 where it does not end so. */
static size_t without(const char *name, size_t bytes, const char *suffix)
{
    size_t suffix_bytes = strlen(suffix);

    if (bytes <= suffix_bytes || memcmp(name + bytes - suffix_bytes, suffix, suffix_bytes) != 0)
        return 0;
    return bytes - suffix_bytes;
}

/* What an object of the folder is to journals; a NULL name: nothing. `found` is what it is instead
 * of a file; NULL: it is one. */
static enum lith_code file_make(const struct lith_object *object, const char *found,
                                struct lith_arena *arena, struct lith_journal_file *ret_file,
                                struct lith_err *err)
{
    struct lith_journal_file file = {.size = object->size, .etag = object->etag, .found = found};
    size_t bytes = strlen(object->name);
    size_t base = found ? 0 : without(object->name, bytes, LITH_GONE_SUFFIX);
    void *copy;

    *ret_file = file;
    if (!base && !found)
        base = without(object->name, bytes, TMP_SUFFIX);
    if (without(object->name, base ? base : bytes, ".json") == 0)
        return LITH_OK;
    file.name = object->name;
    if (base) {
        LITH_TRY(lith_arena_copy(arena, object->name, base, &copy, err));
        file.name = copy;
        file.leftover = object->name;
    }
    if (!lith_journal_name_parse(file.name, &file.stem_bytes))
        file.stem_bytes = 0;
    *ret_file = file;
    return LITH_OK;
}

static enum lith_code file_add(struct lister *lister, const char *tier,
                               const struct lith_object *object, const char *found,
                               struct lith_err *err)
{
    void *block = lister->files.files;
    struct lith_journal_file file;

    LITH_TRY(file_make(object, found, lister->arena, &file, err));
    if (!file.name)
        return LITH_OK;
    file.tier = tier;
    LITH_TRY(lith_array_grow_in(lister->arena, &block, lister->files.count, sizeof(file), err));
    lister->files.files = block;
    lister->files.files[lister->files.count++] = file;
    return LITH_OK;
}

/* Names of a listing that are none of files. */
static enum lith_code names_add(struct lister *lister, const char *tier, const char **names,
                                size_t count, const char *found, struct lith_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct lith_object object = {.name = names[i]};
        LITH_TRY(file_add(lister, tier, &object, found, err));
    }
    return LITH_OK;
}

static enum lith_code tier_list(struct lister *lister, const char *tier, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_listing listing;
    const char *path;

    LITH_TRY(tier_path(tier, lister->arena, &path, err));
    LITH_TRY(folder_try(lister->store, path, &folder, err));
    if (!folder)
        return LITH_OK;
    LITH_TRY(lith_folder_list(folder, lister->arena, &listing, err));
    for (size_t i = 0; i < listing.object_count; i++) {
        const struct lith_object *object = &listing.objects[i];
        LITH_TRY(file_add(lister, tier, object, object->is_link ? FOUND_LINK : NULL, err));
    }
    LITH_TRY(names_add(lister, tier, listing.folders, listing.folder_count, FOUND_FOLDER, err));
    return names_add(lister, tier, listing.others, listing.other_count, FOUND_OTHER, err);
}

/* Nobody can tell what journals there were. */
static enum lith_code in_the_way(const char *name, const char *found, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT,
                     "%.200s: expected a directory of journals, found %s: put the directory back, "
                     "or take this away where it was put there by mistake (docs/readers.md)",
                     name, found);
}

static bool is_named_as_journal(const char *name)
{
    size_t ignored;

    return lith_journal_name_parse(name, &ignored);
}

/* Beside the folders of the tiers: what bears a journal's name is one that nobody would look at;
 * what may stand in the place of a tier hides all of it. */
static enum lith_code beside_add(struct lister *lister, const char *name, const char *found,
                                 struct lith_err *err)
{
    const struct lith_object object = {.name = name};
    char path[LITH_ERR_TEXT_BYTES];

    if (is_named_as_journal(name))
        return file_add(lister, NO_TIER, &object, found, err);
    if (strcmp(found, FOUND_OTHER) != 0 && strcmp(name, LITH_JOURNAL_TIER) != 0)
        return LITH_OK;
    (void)snprintf(path, sizeof(path), LITH_JOURNAL_FOLDER "/%s", name);
    return in_the_way(path, found, err);
}

static enum lith_code tiers_list(struct lister *lister, const struct lith_listing *listing,
                                 struct lith_err *err)
{
    for (size_t i = 0; i < listing->folder_count; i++) {
        const char *name = listing->folders[i];
        LITH_TRY(is_named_as_journal(name) ? beside_add(lister, name, FOUND_FOLDER, err)
                                           : tier_list(lister, name, err));
    }
    for (size_t i = 0; i < listing->object_count; i++) {
        const struct lith_object *object = &listing->objects[i];
        LITH_TRY(beside_add(lister, object->name, object->is_link ? FOUND_LINK : FOUND_FILE, err));
    }
    for (size_t i = 0; i < listing->other_count; i++)
        LITH_TRY(beside_add(lister, listing->others[i], FOUND_OTHER, err));
    return LITH_OK;
}

/* There is no such folder; something else may bear its name, as a link to what is not mounted. */
static enum lith_code absence_check(struct lith_store *store, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_listing listing;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(folder_try(store, "", &folder, err));
    if (!folder)
        return LITH_OK;
    LITH_TRY(lith_folder_list(folder, &scratch, &listing, err));
    const struct lith_object *object = lith_listing_find(&listing, LITH_JOURNAL_FOLDER);
    if (object)
        return in_the_way(LITH_JOURNAL_FOLDER, object->is_link ? FOUND_LINK : FOUND_FILE, err);
    for (size_t i = 0; i < listing.other_count; i++) {
        if (strcmp(listing.others[i], LITH_JOURNAL_FOLDER) == 0)
            return in_the_way(LITH_JOURNAL_FOLDER, FOUND_OTHER, err);
    }
    return LITH_OK;
}

static int compare_stems(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    if (a_bytes != b_bytes)
        return a_bytes < b_bytes ? -1 : 1;
    return memcmp(a, b, a_bytes);
}

/* By stem, so that journals of one partition stand together; equal lengths first, since one stem
 * may begin as another one does. */
static int compare_files(const void *a, const void *b)
{
    const struct lith_journal_file *left = a;
    const struct lith_journal_file *right = b;
    int order = compare_stems(left->name, left->stem_bytes, right->name, right->stem_bytes);

    if (order == 0)
        order = strcmp(left->name, right->name);
    return order ? order : strcmp(left->tier, right->tier);
}

enum lith_code lith_journal_files_list(struct lith_store *store, struct lith_arena *arena,
                                       struct lith_journal_files *ret_files, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lister lister = {.store = store, .arena = arena};
    struct lith_listing listing;

    *ret_files = lister.files;
    LITH_TRY(folder_try(store, LITH_JOURNAL_FOLDER, &folder, err));
    if (!folder)
        return absence_check(store, err);
    LITH_TRY(lith_folder_list(folder, arena, &listing, err));
    LITH_TRY(tiers_list(&lister, &listing, err));
    if (lister.files.count)
        qsort(lister.files.files, lister.files.count, sizeof(*lister.files.files), compare_files);
    *ret_files = lister.files;
    return LITH_OK;
}

size_t lith_journal_files_of(const struct lith_journal_files *files, const char *stem,
                             size_t *ret_begin)
{
    size_t bytes = strlen(stem);
    size_t low = 0;
    size_t high = files->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lith_journal_file *file = &files->files[middle];
        if (compare_stems(file->name, file->stem_bytes, stem, bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_begin = low;
    while (high < files->count && files->files[high].stem_bytes == bytes &&
           memcmp(files->files[high].name, stem, bytes) == 0)
        high++;
    return high - low;
}

enum lith_code lith_journal_file_read(struct lith_store *store,
                                      const struct lith_journal_file *file,
                                      struct lith_arena *arena, struct lith_journal_read *ret_read,
                                      struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena text;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_blob blob;
    const char *path;
    void *etag;

    lith_arena_init(&text, arena->mem);
    if (file->found)
        return lith_fail(err, LITH_E_CORRUPT,
                         "expected a file in " LITH_JOURNAL_FOLDER "/" LITH_JOURNAL_TIER
                         ", found %s%s",
                         file->found, strcmp(file->tier, NO_TIER) == 0 ? " beside it" : "");
    LITH_TRY(tier_path(file->tier, &text, &path, err));
    LITH_TRY(lith_folder_open(store, path, &folder, err));
    LITH_TRY(lith_folder_get(folder, file->name, LITH_JOURNAL_BYTES_MAX, &text, &blob, err));
    LITH_TRY(lith_arena_copy(arena, blob.etag, strlen(blob.etag), &etag, err));
    ret_read->object = (struct lith_object){.name = file->name, .etag = etag, .size = blob.bytes};
    return lith_journal_parse(blob.data, blob.bytes, file->tier, file->name, arena,
                              &ret_read->journal, err);
}

/* The folder of the only tier there is, made where it is not there. */
static enum lith_code folder_get(struct lith_store *store, struct lith_arena *arena,
                                 struct lith_folder **ret_folder, struct lith_err *err)
{
    const char *path;

    LITH_TRY(tier_path(LITH_JOURNAL_TIER, arena, &path, err));
    enum lith_code code = lith_folder_open(store, path, ret_folder, err);
    if (code != LITH_E_NOT_FOUND)
        return code;
    LITH_TRY(lith_folder_make(store, path, err));
    return lith_folder_open(store, path, ret_folder, err);
}

static enum lith_code text_put(struct lith_store *store, const char *name,
                               const struct lith_buf *text, const struct lith_blob *expected,
                               struct lith_arena *arena, struct lith_blob *ret_blob,
                               struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_object object;

    LITH_TRY(folder_get(store, arena, &folder, err));
    if (expected && !expected->etag)
        expected = NULL;
    LITH_TRY(lith_folder_put_if(folder, name, expected, text->data, text->bytes, err));
    LITH_TRY(lith_folder_head(folder, name, arena, &object, err));
    *ret_blob = (struct lith_blob){.bytes = text->bytes,
                                   .hash = lith_hash128(text->data, text->bytes, 0),
                                   .etag = object.etag,
                                   .mtime_ns = object.mtime_ns};
    return LITH_OK;
}

enum lith_code lith_journal_put(struct lith_store *store, const struct lith_journal *journal,
                                const struct lith_blob *expected, struct lith_arena *arena,
                                struct lith_blob *ret_blob, struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf text;
    const char *name;

    lith_buf_init(&text, arena->mem, LITH_JOURNAL_BYTES_MAX);
    LITH_TRY(lith_journal_name(journal->partition, journal->job_id, arena, &name, err));
    enum lith_code code = lith_journal_write(journal, &text, err);
    if (code == LITH_E_LIMIT)
        return lith_err_prefix(err, "a journal of %zu inputs (fewer --max-inputs take less)",
                               journal->input_count);
    LITH_TRY(code);
    if (text_put(store, name, &text, expected, arena, ret_blob, err) != LITH_OK)
        return lith_err_prefix(err, "journal in " LITH_JOURNAL_FOLDER "/" LITH_JOURNAL_TIER);
    return LITH_OK;
}

enum lith_code lith_journal_remove(struct lith_store *store, const char *tier,
                                   const struct lith_object *object, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    const char *path;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(tier_path(tier, &scratch, &path, err));
    LITH_TRY(folder_try(store, path, &folder, err));
    if (!folder)
        return LITH_OK;
    enum lith_code code = lith_folder_delete_if(folder, object, err);
    if (code == LITH_E_NOT_FOUND || code == LITH_E_CONFLICT)
        return LITH_OK;
    LITH_TRY(code);
    return lith_folder_deletes_end(folder, err);
}

enum lith_code lith_journal_leftover_remove(struct lith_store *store,
                                            const struct lith_journal_file *file,
                                            struct lith_err *err)
{
    size_t bytes = strlen(file->leftover);
    struct lith_object object = {.name = file->leftover, .etag = file->etag, .size = file->size};

    if (without(file->leftover, bytes, LITH_GONE_SUFFIX))
        object.name = file->name; /* whose removal is gone on with */
    return lith_journal_remove(store, file->tier, &object, err);
}

static enum lith_code head(struct lith_store *store, const char *partition, const char *job_id,
                           struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct lith_object object;
    const char *path;
    const char *name;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(tier_path(LITH_JOURNAL_TIER, &scratch, &path, err));
    LITH_TRY(lith_journal_name(partition, job_id, &scratch, &name, err));
    LITH_TRY(lith_folder_open(store, path, &folder, err));
    return lith_folder_head(folder, name, &scratch, &object, err);
}

bool lith_journal_is_there(struct lith_store *store, const char *partition, const char *job_id)
{
    struct lith_err ignored;

    return head(store, partition, job_id, &ignored) != LITH_E_NOT_FOUND;
}
