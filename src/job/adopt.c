/*
 * Giving one partition a manifest, without a job: adopt, list again, fold at once.
 *
 * All footers are read first. A file that says that it is an output of a job, beside an input of
 * it, means that a manifest was lost: naming both would show rows twice. DESIGN.md section 4,
 * Adoption.
 */
#include <string.h>

#include "job/adoption.h"
#include "job/commits.h"
#include "job/events.h"
#include "job/fold.h"
#include "job/look.h"
#include "job/recovery.h"

/* What a look comes to. */
enum step {
    STEP_STOP,  /* the report says why */
    STEP_FOLD,  /* adopted; an adoption that was cut off may have left late files */
    STEP_ADOPT, /* no manifest, or another program's */
};

static enum lith_code left(struct lith_partition_report *report, enum lith_partition_state state,
                           const char *reason)
{
    report->state = state;
    report->reason = reason;
    return LITH_OK;
}

/* Was nothing committed since the adoption? */
static bool is_just_adopted(const struct lith_manifest *m)
{
    return m->log_count && m->log[m->log_count - 1].op == LITH_OP_ADOPT;
}

static enum lith_code step_choose(const struct lith_look *look, const struct lith_job *job,
                                  enum lith_unlisted unlisted, enum step *ret_step,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(&look->view);

    *ret_step = STEP_STOP;
    LITH_TRY(lith_look_report(look, job, report, err));
    if (job->table_format || look->keys.misfit)
        return LITH_OK;
    if (m && !m->foreign) {
        *ret_step = is_just_adopted(m) ? STEP_FOLD : STEP_STOP;
        return left(report, LITH_PARTITION_LEFT, "adopted already");
    }
    if (m && unlisted == LITH_UNLISTED_ASK)
        return left(report, LITH_PARTITION_BLOCKED,
                    "its manifest is another program's: --unlisted live or --unlisted ignore says "
                    "whether files that it does not name hold rows of the partition");
    *ret_step = STEP_ADOPT;
    return LITH_OK;
}

/* Reads the footers of all data files, also of those that a foreign manifest does not name. */
static enum lith_code footers_read(struct lith_look *look, const struct lith_job *job,
                                   enum step step, struct lith_err *err)
{
    struct lith_fact_request request = {.snapshot = &look->view.snapshot, .scope = LITH_FACTS_LATE};
    struct lith_snapshot all;
    size_t read;

    if (step == STEP_ADOPT) {
        LITH_TRY(lith_snapshot_resolve(&look->view.listing, NULL, LITH_SNAPSHOT_OPEN, &look->arena,
                                       &all, err));
        request.snapshot = &all;
        request.scope = LITH_FACTS_ALL;
    }
    return lith_fact_book_fill(&look->book, job, &request, &read, err);
}

/* Looks, and reads what the next step needs. */
static enum lith_code look_take(struct lith_look *look, const struct lith_job *job,
                                enum lith_unlisted unlisted, enum step *ret_step,
                                struct lith_partition_report *report, struct lith_err *err)
{
    *ret_step = STEP_STOP;
    LITH_TRY(lith_look_again(look, job, err));
    LITH_TRY(step_choose(look, job, unlisted, ret_step, report, err));
    if (*ret_step == STEP_STOP)
        return LITH_OK;
    LITH_TRY(footers_read(look, job, *ret_step, err));
    if (*ret_step != STEP_ADOPT || (!look->book.lost_output && !look->book.above.why))
        return LITH_OK;
    *ret_step = STEP_STOP;
    return lith_lost_report(&look->book, job, report, err);
}

/* Names the late files; the report is that of a fresh look. */
static enum lith_code late_fold(struct lith_look *look, const struct lith_job *job,
                                struct lith_partition_report *report, struct lith_err *err)
{
    bool changed = false;

    LITH_TRY(lith_fold_commit(job, look, true, &report->folded, &changed, err));
    if (changed)
        LITH_TRY(lith_look_again(look, job, err));
    return lith_look_report(look, job, report, err);
}

/* A foreign manifest that names what is not there is a state of the partition, not a failure. */
static enum lith_code adopt_locked(struct lith_look *look, const struct lith_job *job,
                                   enum lith_unlisted unlisted,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    enum step step;
    void *text;

    LITH_TRY(look_take(look, job, unlisted, &step, report, err));
    if (step == STEP_STOP)
        return LITH_OK;
    if (step == STEP_FOLD) {
        LITH_TRY(late_fold(look, job, report, err));
        return left(report, LITH_PARTITION_LEFT, "adopted already");
    }
    enum lith_code code = lith_adoption_commit(job, look, unlisted != LITH_UNLISTED_IGNORE, err);
    if (code == LITH_E_INVALID) {
        LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
        return left(report, LITH_PARTITION_BLOCKED, text);
    }
    LITH_TRY(code);
    LITH_TRY(lith_look_again(look, job, err));
    step = STEP_FOLD;
    LITH_TRY(footers_read(look, job, step, err));
    LITH_TRY(late_fold(look, job, report, err));
    return left(report, LITH_PARTITION_CHANGED, "adopted");
}

/* True where there is something to name: the lock is worth taking. */
static bool is_worth_it(const struct lith_look *look, enum step step)
{
    return step == STEP_ADOPT ||
           (step == STEP_FOLD && look->view.snapshot.state_count[LITH_FILE_LATE] > 0);
}

static enum lith_code adopt_run(struct lith_look *look, const struct lith_job *job,
                                enum lith_unlisted unlisted, struct lith_partition_report *report,
                                struct lith_err *err)
{
    enum step step;
    bool recovers = false;
    bool settled = true;

    LITH_TRY(look_take(look, job, unlisted, &step, report, err));
    LITH_TRY(lith_recovery_wanted(job, &recovers, err));
    bool worth = is_worth_it(look, step) || recovers;
    /* A command that was killed may have done it already: what is told must last. */
    if (!worth && lith_job_events_owed(job, &look->view))
        return lith_folder_sync(job->folder, err);
    if (!worth)
        return LITH_OK;
    LITH_TRY(lith_job_lock(job, report, err));
    enum lith_code code = lith_recovery_run(job, report, &settled, err);
    if (code == LITH_OK && settled)
        code = adopt_locked(look, job, unlisted, report, err);
    lith_job_unlock(job, report);
    return code;
}

enum lith_code lith_job_adopt(const struct lith_job *job, enum lith_unlisted unlisted,
                              struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_look look;
    void *text;

    enum lith_code code = lith_look_init(&look, job, err);
    look.listing_only = true;
    if (code == LITH_OK) {
        report->tenant = look.keys.tenant;
        code = adopt_run(&look, job, unlisted, report, err);
    }
    lith_look_done(&look);
    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
        return code;
    LITH_TRY(lith_arena_copy(job->arena, err->text, strlen(err->text), &text, err));
    return left(report, LITH_PARTITION_BLOCKED, text);
}
