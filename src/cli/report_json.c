/*
 * What a pass did, as JSON.
 */
#include "cli/report_json.h"

#include "cli/explain.h"
#include "cli/finding.h"
#include "cli/print.h"

static struct lith_json *text_or_null(const char *text)
{
    return text && *text ? lith_json_text(text) : lith_json_null();
}

static struct lith_json *time_or_null(int64_t ns)
{
    return ns ? lith_json_text(lith_print_time(ns)) : lith_json_null();
}

static struct lith_json *files_make(const struct lith_partition_report *p)
{
    struct lith_json *files = lith_json_array();

    for (size_t i = 0; files && i < p->file_count; i++) {
        struct lith_json *file = lith_json_object();
        bool ok = file && lith_json_set_path(file, "name", p->files[i].name) &&
                  lith_json_set(file, "bytes", lith_json_u64(p->files[i].bytes)) &&
                  lith_json_set(file, "is_input", lith_json_bool(p->files[i].is_input)) &&
                  lith_json_set(file, "reason", text_or_null(p->files[i].reason)) &&
                  lith_json_set(file, "detail", text_or_null(p->files[i].detail));
        if (!lith_json_push(files, file) || !ok) {
            lith_json_free(files);
            return NULL;
        }
    }
    return files;
}

static struct lith_json *conflicts_make(const struct lith_partition_report *p)
{
    struct lith_json *conflicts = lith_json_array();

    for (size_t i = 0; conflicts && i < p->conflict_count; i++) {
        if (!lith_json_push(conflicts, lith_json_text(p->conflicts[i]))) {
            lith_json_free(conflicts);
            return NULL;
        }
    }
    return conflicts;
}

static struct lith_json *explained_make(const struct lith_partition_report *p)
{
    struct lith_json *explained = lith_json_array();

    for (size_t i = 0; explained && i < p->explanation_count; i++) {
        if (!lith_json_push(explained, lith_explain_json(&p->explanations[i]))) {
            lith_json_free(explained);
            return NULL;
        }
    }
    return explained;
}

struct count {
    const char *name;
    uint64_t value;
};

static bool counts_set(struct lith_json *object, const struct count *counts, size_t count)
{
    bool ok = true;

    for (size_t i = 0; i < count; i++)
        ok &= lith_json_set(object, counts[i].name, lith_json_u64(counts[i].value));
    return ok;
}

static bool partition_fill(const struct lith_report *report, struct lith_json *object,
                           const struct lith_partition_report *p)
{
    const struct count counts[] = {
        {"files_before", p->files_before},
        {"files_after", p->files_after},
        {"inputs", p->inputs},
        {"outputs", p->outputs},
        {"input_bytes", p->input_bytes},
        {"output_bytes", p->output_bytes},
        {"rows", p->rows},
        {"folded", p->folded},
        {"more_due", p->more_due},
        {"blocked_files", p->blocked_files},
        {"deleted", p->deleted},
        {"deleted_bytes", p->deleted_bytes},
        {"held_bytes", p->held_bytes},
        {"lost", p->lost},
        {"lost_rows", p->lost_rows},
        {"carried", p->carried},
        {"events", p->events},
        {"events_pending", p->events_pending},
    };

    return lith_json_set_path(object, "path", p->path) &&
           lith_json_set(object, "tenant", text_or_null(p->tenant)) &&
           lith_json_set(object, "rollup", lith_json_bool(p->is_rollup)) &&
           lith_json_set(object, "state", lith_json_text(lith_partition_state_name(p->state))) &&
           lith_json_set(object, "reason", text_or_null(p->reason)) &&
           counts_set(object, counts, sizeof(counts) / sizeof(counts[0])) &&
           lith_json_set(object, "held_until", time_or_null(p->held_until_ns)) &&
           lith_json_set(object, "error", text_or_null(p->err ? p->err->text : NULL)) &&
           lith_json_set(object, "refuted", text_or_null(p->refuted ? p->refuted->text : NULL)) &&
           lith_json_set(object, "event_error", text_or_null(p->event_error)) &&
           lith_json_set(object, "stray", text_or_null(p->stray)) &&
           lith_json_set(object, "conflicts", conflicts_make(p)) &&
           lith_json_set(object, "files", files_make(p)) &&
           (!report->is_fsck || lith_json_set(object, "findings", lith_findings_json(p))) &&
           (p->explanation_count == 0 || lith_json_set(object, "explained", explained_make(p)));
}

static void out_of_memory(struct lith_report *report)
{
    if (report->first.code == LITH_OK)
        (void)!lith_fail(&report->first, LITH_E_NOMEM, "out of memory for JSON");
}

static void value_print(struct lith_report *report, const struct lith_json *json)
{
    struct lith_err err;

    if (lith_print_json(json, 0, &err) != LITH_OK && report->first.code == LITH_OK)
        report->first = err;
}

/* {"format":1,"command":...,"root":...,"partitions":[ */
static void begin(struct lith_report *report)
{
    LITH_AUTO(json) struct lith_json *command = lith_json_text(report->cli->command->name);
    LITH_AUTO(json) struct lith_json *root = lith_json_text(report->root);

    if (report->begun)
        return;
    report->begun = true;
    if (!command || !root) {
        out_of_memory(report);
        return;
    }
    (void)fputs("{\"format\":1,\"command\":", stdout);
    value_print(report, command);
    (void)fputs(",\"root\":", stdout);
    value_print(report, root);
    (void)printf(",\"dry_run\":%s,\"partitions\":[",
                 report->is_plan || report->is_dry ? "true" : "false");
}

void lith_report_json_partition(struct lith_report *report, const struct lith_partition_report *p)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    begin(report);
    if (!object || !partition_fill(report, object, p)) {
        out_of_memory(report);
        return;
    }
    (void)fputs(report->shown ? ",\n" : "\n", stdout);
    value_print(report, object);
}

/* Day partitions of the audit series by state. */
static struct lith_json *series_make(const struct lith_summary *s)
{
    struct lith_json *series = lith_json_object();
    bool ok = series != NULL;

    for (unsigned state = 0; ok && state < LITH_PARTITION_STATE_COUNT; state++)
        ok = lith_json_set(series, lith_partition_state_name((enum lith_partition_state)state),
                           lith_json_u64(s->series_by_state[state]));
    if (!ok)
        lith_json_free(series);
    return ok ? series : NULL;
}

static bool summary_fill(const struct lith_report *report, struct lith_json *object,
                         const struct lith_summary *s)
{
    const struct count counts[] = {
        {"files_before", s->files_before},
        {"files_after", s->files_after},
        {"input_bytes", s->input_bytes},
        {"output_bytes", s->output_bytes},
        {"rows", s->rows},
        {"folded", s->folded},
        {"more_due", s->more_due},
        {"blocked_files", s->blocked_files},
        {"deleted", s->deleted},
        {"deleted_bytes", s->deleted_bytes},
        {"held_bytes", s->held_bytes},
        {"lost", s->lost},
        {"lost_rows", s->lost_rows},
        {"carried", s->carried},
        {"strays", s->strays},
        {"events", s->events},
        {"events_pending", s->events_pending},
        {"rollups", s->rollups},
        {"rollups_left", s->rollups_left},
    };
    bool ok = lith_json_set(object, "partitions", lith_json_u64(s->partitions));

    for (unsigned state = 0; state < LITH_PARTITION_STATE_COUNT; state++)
        ok &= lith_json_set(object, lith_partition_state_name((enum lith_partition_state)state),
                            lith_json_u64(s->by_state[state]));
    ok &= lith_json_set(object, "audit_series", series_make(s));
    if (report->is_fsck)
        ok &= lith_json_set(object, "findings", lith_json_u64(s->findings)) &&
              lith_json_set(object, "hands", lith_json_u64(s->hands));
    return ok && counts_set(object, counts, sizeof(counts) / sizeof(counts[0])) &&
           lith_json_set(object, "held_until", time_or_null(s->held_until_ns));
}

void lith_report_json_end(struct lith_report *report, const struct lith_summary *summary,
                          const struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    begin(report);
    bool ok = object &&
              (summary ? summary_fill(report, object, summary) : lith_json_set_error(object, err));
    if (!ok) {
        out_of_memory(report);
        return;
    }
    (void)fputs(summary ? "\n],\"summary\":" : "\n],\"error\":", stdout);
    value_print(report, object);
    (void)fputs("}\n", stdout);
}
