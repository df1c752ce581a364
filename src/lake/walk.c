/*
 * The walk over a lake, with a stack of its own instead of recursion.
 *
 * The store never lists links to directories as folders, so the walk ends; a folder that vanishes
 * between its parent's list and its own is not there any more, and not a failure.
 */
#include "lake/walk.h"

#include <string.h>

#include "base/limits.h"
#include "base/work.h"
#include "lake/lake_file.h"
#include "lake/path_keys.h"
#include "lake/snapshot.h"
#include "lake/table_format.h"

/* One folder that is being walked. */
struct level {
    struct lith_arena arena; /* its path and its folders */
    const char *path;
    const char **folders;
    size_t folder_count;
    const char *table_format;
    size_t next; /* folder of the listing */
};

/* What a level's folder was found to be. */
struct look {
    struct lith_folder *folder;
    struct lith_listing listing; /* of a long one nothing stays once it was handed over */
    bool is_partition;
};

struct walk {
    struct lith_store *store;
    struct lith_mem *mem;
    const struct lith_control *control;
    const char *goal; /* the only folder to hand over; NULL: all */
    enum lith_code (*each)(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err);
    void *ctx;
    struct level levels[LITH_WALK_DEPTH_MAX];
    size_t depth;
};

static enum lith_code folders_keep(struct level *level, const struct lith_listing *listing,
                                   struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(&level->arena, listing->folder_count, sizeof(char *), &block, err));
    level->folders = block;
    for (size_t i = 0; i < listing->folder_count; i++) {
        const char *name = listing->folders[i];
        LITH_TRY(lith_arena_copy(&level->arena, name, strlen(name), &block, err));
        level->folders[level->folder_count++] = block;
    }
    return LITH_OK;
}

/* Lists a folder, into the arena; what is below it is kept in the level. */
static enum lith_code folder_look(struct walk *w, struct level *level, struct lith_arena *arena,
                                  struct look *look, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *inner = NULL;
    const struct lith_listing *listing = &look->listing;
    struct lith_listing metadata;
    char *path = NULL;
    bool has_metadata = false;

    LITH_TRY(lith_folder_open(w->store, level->path, &look->folder, err));
    LITH_TRY(lith_folder_list(look->folder, arena, &look->listing, err));
    for (size_t i = 0; i < listing->folder_count; i++)
        has_metadata = has_metadata || strcmp(listing->folders[i], "metadata") == 0;
    if (has_metadata) {
        LITH_TRY(lith_arena_format(arena, &path, err, "%s%smetadata", level->path,
                                   level->path[0] ? "/" : ""));
        LITH_TRY(lith_folder_open(w->store, path, &inner, err));
        LITH_TRY(lith_folder_list(inner, arena, &metadata, err));
    }
    if (*level->path && lith_listing_find(listing, LITH_SERIES_MARK_NAME))
        return LITH_OK;
    const char *marker = lith_table_format_marker(listing, has_metadata ? &metadata : NULL);
    /* A lake within this one has its own readers mode and policy: they are not this run's. */
    if (!marker && *level->path && lith_listing_find(listing, LITH_LAKE_FILE_NAME))
        marker = LITH_LAKE_FILE_NAME;
    if (marker)
        level->table_format = marker;
    look->is_partition = lith_listing_is_partition(listing);
    return folders_keep(level, listing, err);
}

/* Is the folder the one that was asked for, or above it? */
static bool leads_to(const char *parent, const char *name, const char *goal)
{
    size_t parent_bytes = strlen(parent);
    size_t name_bytes = strlen(name);

    if (!goal)
        return true;
    if (parent_bytes) {
        if (strncmp(goal, parent, parent_bytes) != 0 || goal[parent_bytes] != '/')
            return false;
        goal += parent_bytes + 1;
    }
    return strncmp(goal, name, name_bytes) == 0 &&
           (goal[name_bytes] == '/' || goal[name_bytes] == '\0');
}

static enum lith_code hand_over(struct walk *w, const struct lith_walk_stop *stop,
                                struct lith_err *err)
{
    if (w->goal && strcmp(w->goal, stop->path) != 0)
        return LITH_OK;
    return w->each(w->ctx, stop, err);
}

/* What cannot be looked at on the way to the goal is not the goal's absence. */
static enum lith_code failed_hand_over(struct walk *w, const struct lith_walk_stop *stop,
                                       struct lith_err *err)
{
    if (!w->goal || strcmp(w->goal, stop->path) == 0)
        return w->each(w->ctx, stop, err);
    *err = *stop->failed;
    return lith_err_prefix(err, "%s", stop->path);
}

/* Hands over what could not be listed. What it came to is given up, so that others have the room.
 */
static enum lith_code failure_hand_over(struct walk *w, struct level *level, const char *parent,
                                        const char *name, const struct lith_err *failed,
                                        struct lith_err *err)
{
    char *path = NULL;

    level->folder_count = 0;
    lith_arena_done(&level->arena);
    LITH_TRY(
        lith_arena_format(&level->arena, &path, err, "%s%s%s", parent, parent[0] ? "/" : "", name));
    level->path = path;
    struct lith_walk_stop stop = {.path = path, .failed = failed};
    return failed_hand_over(w, &stop, err);
}

/* Looks at one more folder and hands it over; pushes it so that what is below it follows. */
static enum lith_code folder_enter(struct walk *w, const char *parent, const char *name,
                                   const char *table_format, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    struct look look = {0};
    struct lith_err failed;
    char *path = NULL;

    lith_arena_init(&arena, w->mem);
    if (w->depth == LITH_WALK_DEPTH_MAX) {
        struct lith_walk_stop deep = {.path = parent, .failed = &failed};
        (void)!lith_fail(&failed, LITH_E_LIMIT, "it has folders more than %u deep, not walked",
                         LITH_WALK_DEPTH_MAX);
        return failed_hand_over(w, &deep, err);
    }
    struct level *level = &w->levels[w->depth++];
    *level = (struct level){.table_format = table_format};
    lith_arena_init(&level->arena, w->mem);
    LITH_TRY(
        lith_arena_format(&level->arena, &path, err, "%s%s%s", parent, parent[0] ? "/" : "", name));
    level->path = path;
    enum lith_code code = folder_look(w, level, &arena, &look, &failed);
    folder = look.folder;
    if (code == LITH_E_NOT_FOUND && w->depth > 1) {
        level->folder_count = 0;
        return LITH_OK;
    }
    if (code == LITH_E_NOMEM || (code != LITH_OK && w->depth == 1)) {
        *err = failed;
        return code;
    }
    if (code != LITH_OK) {
        lith_arena_done(&arena); /* a list too long for the memory */
        return failure_hand_over(w, level, parent, name, &failed, err);
    }
    struct lith_walk_stop stop = {.path = path,
                                  .is_partition = true,
                                  .table_format = level->table_format,
                                  .folder = look.folder,
                                  .listing = &look.listing};
    return look.is_partition ? hand_over(w, &stop, err) : LITH_OK;
}

static enum lith_code walk_run(struct walk *w, struct lith_err *err)
{
    LITH_TRY(folder_enter(w, "", "", NULL, err));
    while (w->depth) {
        struct level *level = &w->levels[w->depth - 1];
        if (w->control && w->control->cancel && *w->control->cancel)
            return lith_fail(err, LITH_E_CANCELLED, "stopped on request");
        if (level->next == level->folder_count) {
            lith_arena_done(&level->arena);
            w->depth--;
            continue;
        }
        const char *name = level->folders[level->next++];
        if (lith_path_part_walks(name) && leads_to(level->path, name, w->goal))
            LITH_TRY(folder_enter(w, level->path, name, level->table_format, err));
    }
    return LITH_OK;
}

enum lith_code lith_lake_walk_to(
    struct lith_store *store, const char *path, const struct lith_control *control,
    enum lith_code (*each)(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err),
    void *ctx, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;

    LITH_TRY(lith_alloc_array(store->mem, 1, sizeof(struct walk), &block, err));
    struct walk *w = block;
    w->store = store;
    w->mem = store->mem;
    w->control = control;
    w->goal = path;
    w->each = each;
    w->ctx = ctx;
    enum lith_code code = walk_run(w, err);
    while (w->depth)
        lith_arena_done(&w->levels[--w->depth].arena);
    return code;
}

enum lith_code lith_lake_walk(struct lith_store *store, const struct lith_control *control,
                              enum lith_code (*each)(void *ctx, const struct lith_walk_stop *stop,
                                                     struct lith_err *err),
                              void *ctx, struct lith_err *err)
{
    return lith_lake_walk_to(store, NULL, control, each, ctx, err);
}
