/*
 * The commit that names late files.
 */
#include "job/fold.h"

#include "job/commits.h"
#include "job/late.h"
#include "job/path_check.h"
#include "job/set_notes.h"

/* Late files are of sets, too: where all are known, the next looks need no footers for that. */
static enum lith_code fold_sets(const struct lith_job *job, const struct lith_look *look,
                                struct lith_arena *arena, struct lith_fold *fold,
                                struct lith_err *err)
{
    const struct lith_manifest *base = lith_view_manifest(&look->view);
    struct lith_set_notes notes;

    if (!base->has_outcome || base->outcome.writer != LITH_WRITER_VERSION)
        return LITH_OK;
    LITH_TRY(lith_set_notes_take(look, arena, &notes, err));
    LITH_TRY(lith_set_notes_list(&notes, NULL, arena, &fold->sets, err));
    fold->sets.hash = job->options->sets_hash;
    return LITH_OK;
}

enum lith_code lith_fold_commit(const struct lith_job *job, const struct lith_look *look,
                                bool at_once, uint64_t *folded, bool *ret_changed,
                                struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *base;
    struct lith_fold fold;
    struct lith_manifest next;
    struct lith_stamp stamp;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_job_base(&look->view, &base, err));
    LITH_TRY(lith_late_fold(look, job, at_once, &arena, &fold, err));
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    LITH_TRY(lith_late_set_aside(look, stamp.at_ns, &arena, &fold, err));
    LITH_TRY(lith_path_check_note(look, stamp.at_ns, &arena, &fold, err));
    *ret_changed = fold.file_count + fold.refreshed_count + fold.replay_count + fold.renewed_count +
                       fold.quarantine_count + fold.misplaced_count >
                   0;
    if (!*ret_changed)
        return LITH_OK;
    LITH_TRY(fold_sets(job, look, &arena, &fold, err));
    LITH_TRY(lith_commit_fold(base, &fold, &stamp, &arena, &next, err));
    LITH_TRY(lith_job_commit(job, &look->view, &next, err));
    *folded += fold.file_count;
    return LITH_OK;
}
