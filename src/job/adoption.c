/*
 * The commit that gives a partition its manifest.
 */
#include "job/adoption.h"

#include "job/commits.h"

enum lith_code lith_adoption_commit(const struct lith_job *job, const struct lith_look *look,
                                    bool unlisted_live, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    const struct lith_manifest *foreign = lith_view_manifest(&look->view);
    struct lith_manifest next;
    struct lith_stamp stamp;
    char pid[LITH_PID_TEXT_BYTES];

    lith_arena_init(&arena, job->work->mem);
    lith_pid_draw(job->env, pid);
    struct lith_adopt adopt = {
        .manifest_name = job->options->manifest_name,
        .pid = pid,
        .listing = &look->view.listing,
        .unlisted_live = unlisted_live,
    };
    LITH_TRY(lith_job_stamp(job, &stamp, err));
    LITH_TRY(lith_commit_adopt(foreign, &adopt, &stamp, &arena, &next, err));
    return lith_job_commit(job, &look->view, &next, err);
}
