/*
 * Settling what was handed to a roll-up: by the manifest of the partition above, in that order.
 *
 * Locks are taken from below to above, as the roll-up itself takes them. DESIGN.md section 6.6.
 */
#include "job/handed.h"

#include <string.h>

#include "base/guard.h"
#include "job/commits.h"
#include "job/member.h"
#include "lake/commit.h"

enum lith_code lith_path_above(const char *path, struct lith_arena *arena, const char **ret_above,
                               struct lith_err *err)
{
    const char *slash = strrchr(path, '/');
    void *copy = NULL;

    if (*path)
        LITH_TRY(lith_arena_copy(arena, path, slash ? (size_t)(slash - path) : 0, &copy, err));
    *ret_above = copy;
    return LITH_OK;
}

/* Has the partition above taken the files? A commit of a program that was killed is made to last
 * before the files are let go for it. */
static enum lith_code taken_look(const struct lith_job *parent, const char *commit_id,
                                 bool *ret_taken, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    LITH_TRY(lith_view_take_list_last(parent->folder, parent->work->mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    if (!m || m->foreign)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: files of a partition below were handed to it, and it has no manifest "
                         "of Lithify; restore it from a copy",
                         parent->folder->path);
    *ret_taken = LITH_GUARD(TAKEN_LOOK, lith_manifest_has_taken(m, commit_id));
    return *ret_taken ? lith_folder_sync(parent->folder, err) : LITH_OK;
}

/* Under the lock of the partition above: from here on `commit_id` cannot come any more. */
static enum lith_code fence_above(const struct lith_job *parent, const char *commit_id,
                                  bool *ret_taken, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base;
    struct lith_manifest next;
    struct lith_stamp stamp;

    lith_arena_init(&arena, parent->work->mem);
    LITH_TRY(lith_view_take(parent->folder, LITH_SNAPSHOT_OPEN, parent->work->mem, &view, err));
    LITH_TRY(lith_job_base(&view, &base, err));
    *ret_taken = lith_manifest_has_taken(base, commit_id);
    if (*ret_taken || lith_guard_is_out(LITH_GUARD_UNHAND_FENCE))
        return LITH_OK;
    LITH_TRY(lith_job_stamp(parent, &stamp, err));
    LITH_TRY(lith_commit_fence(base, NULL, 0, &stamp, &arena, &next, err));
    return lith_job_commit(parent, &view, &next, err);
}

static enum lith_code give_up(const struct lith_job *job, struct lith_member *parent,
                              const char *commit_id, bool *ret_taken, struct lith_err *err)
{
    enum lith_code code = lith_member_lock(parent, err);

    if (code == LITH_E_CONFLICT)
        return lith_fail(err, LITH_E_CONFLICT, "its files are being rolled up into %s",
                         parent->folder->path);
    LITH_TRY(code);
    LITH_TRY(lith_work_check(job->work, err));
    return fence_above(&parent->job, commit_id, ret_taken, err);
}

/* What became of the roll-up. */
static enum lith_code fate(const struct lith_job *job, const struct lith_handed *handed,
                           bool *ret_taken, struct lith_err *err)
{
    struct lith_partition_report ignored = {0};
    struct lith_member parent = {0};
    const char *above;

    LITH_TRY(lith_path_above(job->folder->path, job->arena, &above, err));
    if (!above || strcmp(above, handed->parent) != 0)
        return lith_fail(
            err, LITH_E_CORRUPT,
            "its files were handed to %s, which is not above it: it was moved; move it "
            "back",
            handed->parent);
    enum lith_code code = lith_member_open(&parent, job, above, err);
    if (code == LITH_OK)
        code = taken_look(&parent.job, handed->commit_id, ret_taken, err);
    if (code == LITH_OK && !*ret_taken)
        code = give_up(job, &parent, handed->commit_id, ret_taken, err);
    lith_member_close(&parent, &ignored);
    return code;
}

enum lith_code lith_handed_settle(const struct lith_job *job, const struct lith_view *view,
                                  bool *ret_changed, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base = lith_view_manifest(view);
    struct lith_manifest next;
    struct lith_stamp stamp;
    bool taken = false;

    lith_arena_init(&arena, job->work->mem);
    *ret_changed = false;
    if (!base || !base->has_handed)
        return LITH_OK;
    LITH_TRY(fate(job, &base->handed, &taken, err));
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    LITH_TRY(taken ? lith_commit_moved(base, base->handed.commit_id, &stamp, &arena, &next, err)
                   : lith_commit_unhand(base, base->handed.commit_id, &stamp, &arena, &next, err));
    LITH_TRY(lith_job_commit(job, view, &next, err));
    *ret_changed = true;
    return LITH_OK;
}

enum lith_code lith_handed_pass(const struct lith_job *job, const struct lith_view *view,
                                struct lith_partition_report *report, bool *ret_changed,
                                struct lith_err *err)
{
    void *text;

    enum lith_code code = lith_handed_settle(job, view, ret_changed, err);
    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
        return code;
    LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = text;
    return LITH_OK;
}

enum lith_code lith_handed_settle_now(const struct lith_job *job, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    bool changed;

    enum lith_code code =
        lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return LITH_OK;
    LITH_TRY(code);
    return lith_handed_settle(job, &view, &changed, err);
}

enum lith_code lith_handed_above(const struct lith_job *job, bool *ret_takes, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(view) struct lith_view view = {0};
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    const char *above;

    lith_arena_init(&scratch, job->work->mem);
    *ret_takes = false;
    LITH_TRY(lith_path_above(job->folder->path, &scratch, &above, err));
    if (!above)
        return LITH_OK;
    LITH_TRY(lith_folder_open(job->folder->store, above, &folder, err));
    LITH_TRY(lith_view_take(folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    const struct lith_manifest *m = lith_view_manifest(&view);
    *ret_takes = m && !m->foreign && m->taken_count > 0;
    return LITH_OK;
}
