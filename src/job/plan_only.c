/*
 * Looking at one partition without touching it: the dry run.
 */
#include "job/hold.h"
#include "job/look.h"
#include "job/merge_step.h"
#include "job/recovery.h"

/* How the columns of a due partition would be merged. */
static enum lith_code explain(const struct lith_look *look, const struct lith_job *job,
                              struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_explain_sums sums;

    lith_explain_sums_init(&sums, job->arena);
    LITH_TRY(lith_merge_step_explain(job, &look->plan, &sums, err));
    return lith_explain_sums_list(&sums, &report->explanations, &report->explanation_count, err);
}

enum lith_code lith_job_plan(const struct lith_job *job, struct lith_partition_report *report,
                             struct lith_err *err)
{
    struct lith_look look;
    struct lith_hold hold = {0};
    bool recovers = false;

    enum lith_code code = lith_look_init(&look, job, err);
    look.all_files = true;
    if (code == LITH_OK)
        code = lith_look_first(&look, job, report, err);
    if (code == LITH_OK)
        code = lith_recovery_wanted(job, &recovers, err);
    bool due = code == LITH_OK && report->state != LITH_PARTITION_BLOCKED && !recovers &&
               look.plan.reason == LITH_PART_DUE;
    if (code == LITH_OK && recovers)
        code = lith_recovery_foresee(job, report, err);
    if (due)
        code = lith_hold_find(job, &look, &hold, err);
    if (hold.reason && hold.state == LITH_PARTITION_BLOCKED)
        report->state = LITH_PARTITION_BLOCKED;
    if (hold.reason)
        report->reason = hold.reason;
    if (due && code == LITH_OK && !hold.reason) {
        report->state = LITH_PARTITION_COMPACTED;
        report->inputs = look.plan.input_count;
        report->outputs = look.plan.output_count;
        report->input_bytes = look.plan.input_bytes;
        report->files_after = report->files_before - report->inputs + report->outputs;
        if (job->options->explain)
            code = explain(&look, job, report, err);
    }
    lith_look_done(&look);
    return code;
}
