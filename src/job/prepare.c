/*
 * What comes before a merge: a manifest, names for what came late, a lease.
 */
#include "job/prepare.h"

#include "job/adoption.h"
#include "job/commits.h"
#include "job/fold.h"

/* Adopts where needed and folds; the look is fresh afterwards. */
enum lith_code lith_prepare_manifest(const struct lith_job *job, struct lith_look *look,
                                     uint64_t *folded, struct lith_err *err)
{
    bool adopted = false;
    bool changed = false;

    if (!lith_view_manifest(&look->view)) {
        /* The footers of all files were read, whatever their number; from here on a job's will do.
         */
        if (look->view.snapshot.live_count > job->options->policy.max_inputs)
            lith_fact_book_keep(&look->book, look->plan.inputs, look->plan.input_count);
        LITH_TRY(lith_adoption_commit(job, look, true, err));
        LITH_TRY(lith_look_again(look, job, err));
        adopted = true;
    }
    LITH_TRY(lith_fold_commit(job, look, adopted, folded, &changed, err));
    return changed ? lith_look_again(look, job, err) : LITH_OK;
}

/* A lease that nothing was committed on: the job that took it failed, or was killed. */
static bool is_leased(const struct lith_manifest *manifest)
{
    return manifest->log_count && manifest->log[manifest->log_count - 1].op == LITH_OP_LEASE;
}

static enum lith_code lease_commit(const struct lith_job *job, const struct lith_look *look,
                                   struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_manifest next;
    struct lith_stamp stamp;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    LITH_TRY(lith_commit_lease(lith_view_manifest(&look->view), &stamp, &arena, &next, err));
    return lith_job_commit(job, &look->view, &next, err);
}

/*
 * Raises the epoch: no job begun before this one can commit any more. An unused lease is taken
 * over as it is, so that a job which fails at every sweep does not write a manifest each time;
 * should its former holder still live, only one of the two can replace this very manifest.
 */
enum lith_code lith_prepare_lease(const struct lith_job *job, struct lith_look *look,
                                  struct lith_err *err)
{
    const struct lith_manifest *base;

    LITH_TRY(lith_job_base(&look->view, &base, err));
    if (is_leased(base))
        return LITH_OK;
    LITH_TRY(lease_commit(job, look, err));
    return lith_look_again(look, job, err); /* as large as the commit, which is gone by now */
}

/* Sets a damaged input aside, so that the rest of the partition can go on. */
enum lith_code lith_set_aside(const struct lith_job *job, const struct lith_view *view,
                              const char *name, const char *reason, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_entry *entry = lith_manifest_live(lith_view_manifest(view), name);
    struct lith_quarantine quarantine = {.name = name, .reason = reason};
    struct lith_fold fold = {.quarantine = &quarantine, .quarantine_count = 1};
    struct lith_manifest next;
    struct lith_stamp stamp;

    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    quarantine.etag = entry ? entry->etag : NULL;
    quarantine.since_ns = stamp.at_ns;
    LITH_TRY(lith_commit_fold(lith_view_manifest(view), &fold, &stamp, &arena, &next, err));
    return lith_job_commit(job, view, &next, err);
}
