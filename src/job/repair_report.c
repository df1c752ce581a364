/*
 * The report of a repair.
 */
#include "job/repair_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* `goes`: it leaves the live set, or has left it by itself. */
static enum lith_code file_report(const struct lith_repair_try *t, const struct lith_entry *entry,
                                  bool goes, const char *reason, struct lith_file_report *to,
                                  struct lith_err *err)
{
    void *name;

    LITH_TRY(lith_arena_copy(t->job->arena, entry->name, strlen(entry->name), &name, err));
    *to = (struct lith_file_report){
        .name = name, .bytes = entry->size, .is_input = goes, .reason = reason};
    return LITH_OK;
}

/* "lost: 50 rows", and what may hold some of them. */
static enum lith_code loss_report(const struct lith_repair_try *t, const struct lith_loss *loss,
                                  struct lith_file_report *to, struct lith_err *err)
{
    char *reason;
    void *why;

    if (loss->entry->has_rows)
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err, "lost, with %" PRIu64 " rows",
                                   loss->entry->rows));
    else
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                                   "lost, with all its rows, which were never counted"));
    LITH_TRY(file_report(t, loss->entry, true, reason, to, err));
    if (!loss->why)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(t->job->arena, loss->why, strlen(loss->why), &why, err));
    to->detail = why;
    return LITH_OK;
}

static const char *leaving_text(const struct lith_repair_try *t, const struct lith_entry *entry)
{
    if (entry->etag)
        return "leaves: its rows are in what is live";
    return lith_listing_find(&t->place.view.listing, entry->name)
               ? "was written again: its former rows are in what is live"
               : "vanished: its rows are in what is live";
}

static enum lith_code files_report(const struct lith_repair_try *t,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    const struct lith_restore *commit = &t->commit;
    size_t coming = t->place.manifest ? commit->back_count : 0;
    size_t count = t->file.file_count + coming + commit->out_count + commit->lost_count;
    void *block;

    LITH_TRY(lith_arena_array(t->job->arena, count, sizeof(struct lith_file_report), &block, err));
    struct lith_file_report *to = block;
    report->files = to;
    report->file_count = count;
    for (size_t i = 0; i < commit->lost_count; i++)
        LITH_TRY(loss_report(t, &t->plan.losses[i], to++, err));
    for (size_t i = 0; i < t->file.file_count; i++)
        LITH_TRY(file_report(t, &t->file.files[i], false, "becomes live", to++, err));
    for (size_t i = 0; i < coming; i++)
        LITH_TRY(file_report(t, &commit->back[i], false, "becomes live", to++, err));
    for (size_t i = 0; i < commit->out_count; i++)
        LITH_TRY(
            file_report(t, &commit->out[i], true, leaving_text(t, &commit->out[i]), to++, err));
    return LITH_OK;
}

/* "50 rows", as far as they were ever counted. */
static void lost_rows_text(size_t files, uint64_t counted, size_t uncounted, char *text,
                           size_t bytes)
{
    if (uncounted == 0)
        (void)snprintf(text, bytes, "%" PRIu64 " rows", counted);
    else if (uncounted == files)
        (void)snprintf(text, bytes, "all %s rows, which were never counted",
                       files == 1 ? "its" : "their");
    else
        (void)snprintf(text, bytes,
                       "%" PRIu64 " rows, and all rows of %zu of them, which were never counted",
                       counted, uncounted);
}

static enum lith_code reason_make(const struct lith_repair_try *t,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    const char *word = t->dry_run ? "can be repaired" : "repaired";
    const struct lith_repair_plan *plan = &t->plan;
    size_t uncounted = 0;
    char rows[120];
    char *reason;

    for (size_t i = 0; i < plan->loss_count; i++) {
        report->lost_rows += plan->losses[i].entry->rows;
        uncounted += !plan->losses[i].entry->has_rows;
    }
    lost_rows_text(plan->loss_count, report->lost_rows, uncounted, rows, sizeof(rows));
    report->lost = plan->loss_count;
    if (!t->place.manifest)
        LITH_TRY(
            lith_arena_format(t->job->arena, &reason, err,
                              "%s: a manifest is made anew, of %zu files that are live and %zu "
                              "that were replaced",
                              word, t->rebuild.live_count, t->commit.out_count));
    else if (plan->loss_count == 0)
        LITH_TRY(lith_arena_format(t->job->arena, &reason, err,
                                   "%s: no row is lost, all are in %zu files that become live",
                                   word, plan->coming_count + t->commit.back_count));
    else
        LITH_TRY(lith_arena_format(
            t->job->arena, &reason, err, "%s: %zu file%s lost, with %s%s", word, plan->loss_count,
            plan->loss_count == 1 ? "" : "s", rows,
            plan->coming_count ? "; the rows of others are in files that become live" : ""));
    report->reason = reason;
    return LITH_OK;
}

enum lith_code lith_repair_report(const struct lith_repair_try *t,
                                  struct lith_partition_report *report, struct lith_err *err)
{
    LITH_TRY(files_report(t, report, err));
    return reason_make(t, report, err);
}
