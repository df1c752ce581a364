/*
 * Reads a directory once: regular files, links to them, folders, the rest.
 *
 * Links to regular files count as files, since readers that glob open them; links to directories
 * are only named, never followed, so that a loop of links cannot hold a walk.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "store/local_folder.h"

/* Grows on the heap, where it can move; what it came to is copied into the arena. */
struct table {
    void *rows;
    size_t count;
};

struct reading {
    struct lith_local_folder *folder;
    struct lith_arena *arena;
    struct table objects;
    struct table folders;
    struct table others;
};

static enum lith_code table_next(struct table *table, size_t row_bytes, struct lith_mem *mem,
                                 void **ret_row, struct lith_err *err)
{
    if (table->count == LITH_FOLDER_FILES_MAX)
        return lith_fail(err, LITH_E_LIMIT, "more than %u entries in one directory",
                         LITH_FOLDER_FILES_MAX);
    LITH_TRY(lith_array_grow(mem, &table->rows, table->count, row_bytes, err));
    *ret_row = (uint8_t *)table->rows + table->count++ * row_bytes;
    return LITH_OK;
}

static enum lith_code add_name(struct reading *r, struct table *table, const char *name,
                               struct lith_err *err)
{
    void *copy = NULL;
    void *row = NULL;

    LITH_TRY(lith_arena_copy(r->arena, name, strlen(name), &copy, err));
    LITH_TRY(table_next(table, sizeof(const char *), r->arena->mem, &row, err));
    *(const char **)row = copy;
    return LITH_OK;
}

static enum lith_code add_entry(void *ctx, const char *name, struct lith_err *err)
{
    struct reading *r = ctx;
    struct lith_file_info info;
    struct lith_err ignored;
    struct lith_object object;
    void *row = NULL;

    enum lith_code code = lith_file_stat(r->folder->fd, name, false, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK; /* gone between the two calls: as if listed a moment later */
    LITH_TRY(code);
    if (info.is_directory)
        return add_name(r, &r->folders, name, err);
    bool is_link = info.is_symlink;
    if (is_link && lith_file_stat(r->folder->fd, name, true, &info, &ignored) != LITH_OK)
        return add_name(r, &r->others, name, err);
    if (!info.is_file)
        return add_name(r, &r->others, name, err);
    LITH_TRY(lith_local_object(name, &info, is_link, r->arena, &object, err));
    LITH_TRY(table_next(&r->objects, sizeof(object), r->arena->mem, &row, err));
    memcpy(row, &object, sizeof(object));
    return LITH_OK;
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(((const struct lith_object *)a)->name, ((const struct lith_object *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_sort(struct table *table)
{
    if (table->count)
        qsort(table->rows, table->count, sizeof(const char *), compare_names);
}

/* Some file systems show an entry twice when it is renamed while they are read. */
static void objects_sort(struct table *table)
{
    struct lith_object *objects = table->rows;
    size_t kept = 0;

    if (table->count)
        qsort(objects, table->count, sizeof(*objects), compare_objects);
    for (size_t i = 0; i < table->count; i++) {
        if (kept && strcmp(objects[kept - 1].name, objects[i].name) == 0)
            continue;
        objects[kept++] = objects[i];
    }
    table->count = kept;
}

static enum lith_code table_keep(const struct table *table, size_t row_bytes,
                                 struct lith_arena *arena, void **ret_rows, struct lith_err *err)
{
    LITH_TRY(lith_arena_array(arena, table->count, row_bytes, ret_rows, err));
    if (table->count)
        memcpy(*ret_rows, table->rows, table->count * row_bytes);
    return LITH_OK;
}

static enum lith_code listing_make(struct reading *r, struct lith_listing *ret_listing,
                                   struct lith_err *err)
{
    void *rows[3];

    LITH_TRY(lith_dir_list(r->folder->fd, ".", add_entry, r, err));
    objects_sort(&r->objects);
    names_sort(&r->folders);
    names_sort(&r->others);
    LITH_TRY(table_keep(&r->objects, sizeof(struct lith_object), r->arena, &rows[0], err));
    LITH_TRY(table_keep(&r->folders, sizeof(const char *), r->arena, &rows[1], err));
    LITH_TRY(table_keep(&r->others, sizeof(const char *), r->arena, &rows[2], err));
    *ret_listing = (struct lith_listing){.objects = rows[0],
                                         .object_count = r->objects.count,
                                         .folders = rows[1],
                                         .folder_count = r->folders.count,
                                         .others = rows[2],
                                         .other_count = r->others.count};
    return LITH_OK;
}

enum lith_code lith_local_list(struct lith_folder *folder, struct lith_arena *arena,
                               struct lith_listing *ret_listing, struct lith_err *err)
{
    struct reading r = {.folder = lith_local_folder(folder), .arena = arena};
    enum lith_code code = listing_make(&r, ret_listing, err);

    lith_free(r.objects.rows);
    lith_free(r.folders.rows);
    lith_free(r.others.rows);
    return code;
}
