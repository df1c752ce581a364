/*
 * What keeps a job from being begun: room, and what stands in the way of its commit.
 */
#include "job/hold.h"

#include "job/space.h"
#include "lake/showing.h"

static enum lith_code show_find(const struct lith_job *job, const struct lith_look *look,
                                struct lith_hold *hold, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_manifest_showing showing;
    struct lith_err why;
    char *reason;

    lith_arena_init(&scratch, job->work->mem);
    if (!lith_folder_shows(job->folder))
        return LITH_OK;
    LITH_TRY(lith_manifest_showing_init(&showing, lith_view_manifest(&look->view), &scratch, err));
    enum lith_code code = lith_folder_show_check(job->folder, &showing.base, &why);
    if (code == LITH_OK)
        return LITH_OK;
    if (code != LITH_E_TRANSIENT && code != LITH_E_UNSUPPORTED && code != LITH_E_DENIED) {
        *err = why;
        return code;
    }
    LITH_TRY(lith_arena_format(job->arena, &reason, err, "put off: %s", why.text));
    hold->reason = reason;
    hold->state = code == LITH_E_TRANSIENT ? LITH_PARTITION_PENDING : LITH_PARTITION_BLOCKED;
    return LITH_OK;
}

enum lith_code lith_hold_find(const struct lith_job *job, const struct lith_look *look,
                              struct lith_hold *ret_hold, struct lith_err *err)
{
    *ret_hold = (struct lith_hold){.state = LITH_PARTITION_PENDING};
    if (!lith_look_wants_work(look, job) || look->plan.reason != LITH_PART_DUE)
        return LITH_OK;
    LITH_TRY(lith_space_reason(job, look->plan.input_bytes, &ret_hold->reason, err));
    return ret_hold->reason ? LITH_OK : show_find(job, look, ret_hold, err);
}

void lith_hold_report(const struct lith_hold *hold, struct lith_partition_report *report)
{
    if (!hold->reason)
        return;
    report->state = hold->state;
    report->reason = hold->reason;
}
