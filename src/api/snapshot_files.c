/*
 * The public reader rule: the live files of a partition or of a lake.
 */
#include <stdlib.h>
#include <string.h>

#include "api/lake_state.h"
#include "base/array.h"
#include "base/guard.h"
#include "base/limits.h"
#include "job/above.h"
#include "job/handed.h"
#include "job/lost.h"
#include "lake/lake_file.h"
#include "lake/snapshot.h"
#include "lake/walk.h"

struct file {
    const char *path;
    uint64_t bytes;
    bool handed; /* to a roll-up: live as long as the partition above has not taken it */
};

/* A partition of a lake with tiers, as it was read. */
struct part {
    const char *path;
    const char *above;        /* NULL: the root has none */
    struct lith_hash128 hash; /* of the manifest */
    bool has_manifest;
    const char *handed_to; /* a commit of the partition above; NULL: nothing is */
    bool is_below;         /* the partition above is read, too, after this one */
    bool is_known;         /* by its manifest: */
    bool is_taken;         /* it has that commit */
    bool is_moving;        /* it has some such commit */
    size_t begin;          /* of its files */
    size_t end;
};

struct lith_snapshot_files {
    struct lith_budget budget;
    struct lith_arena arena;
    struct file *files;
    size_t count;
    struct part *parts;
    size_t part_count;
    struct lith_lake *lake;
    enum lith_snapshot_mode mode;
    bool has_tiers; /* as the lake's file said last */
};

static enum lith_code file_add(struct lith_snapshot_files *files, const char *folder,
                               const struct lith_snapshot_file *from, bool handed,
                               struct lith_err *err)
{
    char *path;

    if (!from->object)
        return lith_fail(
            err, LITH_E_CORRUPT,
            "%s%s%s is in the manifest but not there: its rows are missing until it is back",
            folder, *folder ? "/" : "", from->name);
    void *block = files->files;
    LITH_TRY(lith_array_grow(&files->budget.mem, &block, files->count, sizeof(*files->files), err));
    files->files = block;
    LITH_TRY(lith_arena_format(&files->arena, &path, err, "%s%s%s", folder, *folder ? "/" : "",
                               from->name));
    files->files[files->count++] =
        (struct file){.path = path, .bytes = from->object->size, .handed = handed};
    return LITH_OK;
}

static enum lith_code text_keep(struct lith_snapshot_files *files, const char *text,
                                const char **ret_text, struct lith_err *err)
{
    void *copy = NULL;

    LITH_TRY(lith_arena_copy(&files->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

/* The partitions directly below, which come behind it and were read before it, hear of their fate.
 */
static void below_note(struct lith_snapshot_files *files, const struct part *part,
                       const struct lith_manifest *m)
{
    size_t bytes = strlen(part->path);

    for (size_t i = (size_t)(part - files->parts) + 1; i < files->part_count; i++) {
        struct part *at = &files->parts[i];
        if (bytes && (strncmp(at->path, part->path, bytes) != 0 || at->path[bytes] != '/'))
            return;
        if (!at->above || strcmp(at->above, part->path) != 0)
            continue;
        at->is_below = true;
        at->is_known = m != NULL;
        at->is_moving = m && m->taken_count;
        at->is_taken = m && at->handed_to && lith_manifest_has_taken(m, at->handed_to);
    }
}

static enum lith_code part_note(struct lith_snapshot_files *files, const struct lith_view *view,
                                struct part *part, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(view);

    part->has_manifest = m != NULL;
    part->hash = view->blob.hash;
    below_note(files, part, m);
    return m && m->has_handed ? text_keep(files, m->handed.commit_id, &part->handed_to, err)
                              : LITH_OK;
}

/* Where a manifest was lost, rows would count twice: a list of them is none. */
static enum lith_code lost_check(struct lith_snapshot_files *files, struct lith_folder *folder,
                                 const struct lith_view *view, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_job_options options = files->lake->job;
    const char *output;
    struct lith_above_doubt doubt;

    lith_arena_init(&scratch, &files->budget.mem);
    options.has_tiers = files->has_tiers; /* the lake may have them since it was opened */
    struct lith_job job = {
        .folder = folder,
        .options = &options,
        .work = &files->budget.work,
        .arena = &scratch,
    };
    LITH_TRY(lith_lost_find(&job, &view->snapshot, &output, err));
    if (output)
        return lith_fail(err, LITH_E_CORRUPT, LITH_LOST_FORMAT, output);
    LITH_TRY(lith_above_find(&job, &view->snapshot, &scratch, &doubt, err));
    return doubt.why ? lith_fail(err, LITH_E_CORRUPT, "%s; %s", doubt.why, doubt.todo) : LITH_OK;
}

/* Adds the live files of one partition. `listing` was taken just now; NULL: none was. `part` may be
 * NULL, too. */
static enum lith_code folder_add(struct lith_snapshot_files *files, struct lith_folder *folder,
                                 const struct lith_listing *listing, struct part *part,
                                 struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    const char *path = folder->path;

    enum lith_code code =
        lith_view_take_listed(folder, listing, files->mode, &files->budget.mem, &view, err);
    if (code == LITH_OK)
        code = lost_check(files, folder, &view, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "%s", *path ? path : ".");
    const struct lith_manifest *m = lith_view_manifest(&view);
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view.snapshot.files[i];
        bool handed = m && lith_manifest_is_handed(m, file->name);
        if (file->live)
            LITH_TRY(file_add(files, path, file, handed, err));
    }
    return part ? part_note(files, &view, part, err) : LITH_OK;
}

static enum lith_code partition_add(struct lith_snapshot_files *files, struct part *part,
                                    struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;

    LITH_TRY(lith_folder_open(files->lake->front, part->path, &folder, err));
    return folder_add(files, folder, NULL, part, err);
}

static enum lith_code stop_take(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    struct lith_snapshot_files *files = ctx;

    if (!lith_sweep_selects(&files->lake->sweep, stop->path))
        return LITH_OK;
    if (stop->failed) {
        *err = *stop->failed;
        return err->code;
    }
    return stop->is_partition ? folder_add(files, stop->folder, stop->listing, NULL, err) : LITH_OK;
}

static enum lith_code part_add(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    struct lith_snapshot_files *files = ctx;
    void *block = files->parts;

    if (!lith_sweep_selects(&files->lake->sweep, stop->path))
        return LITH_OK;
    if (stop->failed) {
        *err = *stop->failed;
        return err->code;
    }
    if (!stop->is_partition)
        return LITH_OK;
    LITH_TRY(
        lith_array_grow(&files->budget.mem, &block, files->part_count, sizeof(*files->parts), err));
    files->parts = block;
    struct part *part = &files->parts[files->part_count];
    *part = (struct part){0};
    LITH_TRY(text_keep(files, stop->path, &part->path, err));
    LITH_TRY(lith_path_above(stop->path, &files->arena, &part->above, err));
    files->part_count++;
    return LITH_OK;
}

/* Has the partition above taken what this one handed to it? Read after this one. */
static enum lith_code is_taken(struct lith_snapshot_files *files, const struct part *part,
                               bool *ret_taken, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_folder_open(files->lake->front, part->above ? part->above : "", &folder, err));
    LITH_TRY(lith_view_take_list_last(folder, &files->budget.mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    if (!m)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: its files are handed to the partition above, which has no manifest",
                         part->path);
    *ret_taken = lith_manifest_has_taken(m, part->handed_to);
    return LITH_OK;
}

/* Is the manifest still the one that was read? */
static enum lith_code is_same(struct lith_snapshot_files *files, const struct part *part,
                              bool *ret_same, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_folder_open(files->lake->front, part->path, &folder, err));
    LITH_TRY(lith_view_take_list_last(folder, &files->budget.mem, &view, err));
    *ret_same = part->has_manifest == (lith_view_manifest(&view) != NULL) &&
                lith_hash128_equal(part->hash, view.blob.hash);
    return LITH_OK;
}

/* Below before above: then what a partition above has taken is gone from below, or known to be. */
static enum lith_code parts_read(struct lith_snapshot_files *files, struct lith_err *err)
{
    for (size_t i = files->part_count; i > 0; i--) {
        struct part *part = &files->parts[i - 1];
        part->begin = files->count;
        LITH_TRY(lith_work_check(&files->budget.work, err));
        LITH_TRY(partition_add(files, part, err));
        part->end = files->count;
    }
    for (size_t i = 0; i < files->part_count; i++) {
        struct part *part = &files->parts[i];
        if (part->handed_to && !part->is_known)
            LITH_TRY(is_taken(files, part, &part->is_taken, err));
    }
    return LITH_OK;
}

/* A folder that the walk has not found to be a partition: has it become one, and taken something?
 */
static enum lith_code is_still_empty(struct lith_snapshot_files *files, const char *path,
                                     bool *ret_empty, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_folder_open(files->lake->front, path, &folder, err));
    LITH_TRY(lith_view_take_list_last(folder, &files->budget.mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    *ret_empty = !m || m->taken_count == 0;
    return LITH_OK;
}

/* Is there, above a partition of the walk, a folder that was none? Siblings ask once: `last` is
 * the folder that was asked for last. */
static enum lith_code above_check(struct lith_snapshot_files *files, const struct part *part,
                                  const char **last, bool *ret_same, struct lith_err *err)
{
    if (part->is_below || !part->above || (*last && strcmp(*last, part->above) == 0) ||
        !lith_sweep_selects(&files->lake->sweep, part->above))
        return LITH_OK;
    *last = part->above;
    return is_still_empty(files, part->above, ret_same, err);
}

/* Did a partition change below one that has ever taken something? Then rows may have moved up
 * between the two reads. Or into a folder that was no partition before. */
static enum lith_code parts_check(struct lith_snapshot_files *files, bool *ret_same,
                                  struct lith_err *err)
{
    const char *last = NULL;

    *ret_same = true;
    for (size_t i = 0; *ret_same && i < files->part_count; i++) {
        const struct part *part = &files->parts[i];
        if (part->is_moving && !lith_guard_is_out(LITH_GUARD_TIERS_SECOND_LOOK))
            LITH_TRY(is_same(files, part, ret_same, err));
        else if (!lith_guard_is_out(LITH_GUARD_TIERS_NEW_DAY))
            LITH_TRY(above_check(files, part, &last, ret_same, err));
    }
    return LITH_OK;
}

/* In the order of the walk, without what was taken. */
static enum lith_code parts_list(struct lith_snapshot_files *files, struct lith_err *err)
{
    size_t count = 0;
    void *block;

    LITH_TRY(
        lith_alloc_array(&files->budget.mem, files->count, sizeof(*files->files), &block, err));
    struct file *ordered = block;
    for (size_t i = 0; i < files->part_count; i++) {
        const struct part *part = &files->parts[i];
        for (size_t j = part->begin; j < part->end; j++) {
            if (!files->files[j].handed || !part->is_taken)
                ordered[count++] = files->files[j];
        }
    }
    lith_free(files->files);
    files->files = ordered;
    files->count = count;
    return LITH_OK;
}

/* A lake with tiers: DESIGN.md section 6.6, the rule of readers. */
static enum lith_code tiers_take(struct lith_snapshot_files *files, struct lith_err *err)
{
    for (unsigned tries = 0; tries < LITH_LOOK_AGAIN_MAX; tries++) {
        bool same;
        files->count = files->part_count = 0;
        LITH_TRY(lith_lake_walk(files->lake->front, &files->budget.control, part_add, files, err));
        LITH_TRY(parts_read(files, err));
        LITH_TRY(parts_check(files, &same, err));
        if (same)
            return parts_list(files, err);
    }
    return lith_fail(err, LITH_E_TRANSIENT,
                     "files are being rolled up all the time; try again in a moment");
}

static enum lith_code tiers_ask(struct lith_snapshot_files *files, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_lake_file file = {0};

    lith_arena_init(&scratch, files->lake->arena.mem);
    enum lith_code code = lith_lake_file_read(files->lake->store, &scratch, &file, err);
    if (code != LITH_E_NOT_FOUND)
        LITH_TRY(code);
    files->has_tiers = file.has_tiers;
    return LITH_OK;
}

/* The first roll-up of a lake may begin while it is read: the lake says so before that. */
static enum lith_code lake_take(struct lith_snapshot_files *files, struct lith_err *err)
{
    LITH_TRY(tiers_ask(files, err));
    if (files->has_tiers)
        return tiers_take(files, err);
    LITH_TRY(lith_lake_walk(files->lake->front, &files->budget.control, stop_take, files, err));
    LITH_TRY(tiers_ask(files, err));
    return files->has_tiers ? tiers_take(files, err) : LITH_OK;
}

/* One partition: its own rows, without those that the one above has by now. */
static enum lith_code one_take(struct lith_snapshot_files *files, const char *path,
                               struct lith_err *err)
{
    void *block = NULL;

    LITH_TRY(lith_array_grow(&files->budget.mem, &block, 0, sizeof(*files->parts), err));
    files->parts = block;
    files->parts[0] = (struct part){0};
    LITH_TRY(text_keep(files, path, &files->parts[0].path, err));
    LITH_TRY(lith_path_above(path, &files->arena, &files->parts[0].above, err));
    files->part_count = 1;
    LITH_TRY(tiers_ask(files, err));
    LITH_TRY(parts_read(files, err));
    return parts_list(files, err);
}

enum lith_code lith_snapshot_files_open(struct lith_lake *lake, const char *partition, bool strict,
                                        struct lith_snapshot_files **ret_files,
                                        struct lith_err *err)
{
    enum lith_code code;
    void *block;

    LITH_TRY(lith_alloc_array(lith_mem_root(), 1, sizeof(struct lith_snapshot_files), &block, err));
    struct lith_snapshot_files *files = block;
    lith_arena_init(&files->arena, &files->budget.mem);
    files->lake = lake;
    files->mode = strict ? LITH_SNAPSHOT_STRICT : LITH_SNAPSHOT_OPEN;
    code = lith_budget_init(&files->budget, &lake->budget.control, err);
    if (code == LITH_OK)
        code = partition ? one_take(files, partition, err) : lake_take(files, err);
    if (code != LITH_OK) {
        lith_snapshot_files_close(files);
        return code;
    }
    *ret_files = files;
    return LITH_OK;
}

size_t lith_snapshot_files_count(const struct lith_snapshot_files *files)
{
    return files->count;
}

const char *lith_snapshot_files_path(const struct lith_snapshot_files *files, size_t index)
{
    LITH_ASSERT(index < files->count);
    return files->files[index].path;
}

uint64_t lith_snapshot_files_bytes(const struct lith_snapshot_files *files, size_t index)
{
    LITH_ASSERT(index < files->count);
    return files->files[index].bytes;
}

void lith_snapshot_files_close(struct lith_snapshot_files *files)
{
    if (!files)
        return;
    lith_free(files->files);
    lith_free(files->parts);
    lith_arena_done(&files->arena);
    lith_free(files);
}
