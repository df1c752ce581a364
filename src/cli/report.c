/*
 * What a pass did, as text; and its exit code. The JSON form is in report_json.c.
 */
#include "cli/report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/explain.h"
#include "cli/finding.h"
#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report_json.h"

/* So many files in a row with one reason are told by the first and the last of them. */
#define RUN_MIN 8

static const char *path_text(const char *path)
{
    return *path ? path : ".";
}

static void held_print(uint64_t bytes, int64_t until_ns)
{
    if (bytes == 0)
        return;
    (void)printf("; replaced files hold %s until gc", lith_print_size(bytes));
    if (until_ns)
        (void)printf(", all of it may go from %s on", lith_print_time(until_ns));
}

/* Files against files, files taken out, or files named. */
static void change_print(const struct lith_partition_report *p)
{
    if (p->outputs)
        (void)printf("  %" PRIu64 " file%s, %s -> %" PRIu64 " file%s, %s; %" PRIu64 " rows",
                     p->inputs, LITH_PLURAL(p->inputs), lith_print_size(p->input_bytes), p->outputs,
                     LITH_PLURAL(p->outputs), lith_print_size(p->output_bytes), p->rows);
    else if (p->inputs)
        (void)printf("  %" PRIu64 " of %" PRIu64 " files, %s, %" PRIu64 " rows", p->inputs,
                     p->files_before, lith_print_size(p->input_bytes), p->rows);
    else
        (void)printf("  %" PRIu64 " file%s", p->files_after, LITH_PLURAL(p->files_after));
}

/* Nothing but deletes was to be done. */
static bool is_cleaned(const struct lith_partition_report *p)
{
    return p->deleted && p->state == LITH_PARTITION_LEFT;
}

static void counts_print(const struct lith_report *report, const struct lith_partition_report *p)
{
    if (p->state == LITH_PARTITION_COMPACTED && report->is_plan)
        (void)printf("  %" PRIu64 " of %" PRIu64 " files, %s -> %" PRIu64 " file%s", p->inputs,
                     p->files_before, lith_print_size(p->input_bytes), p->outputs,
                     LITH_PLURAL(p->outputs));
    else if (p->state == LITH_PARTITION_COMPACTED)
        (void)printf("  %" PRIu64 " files, %s -> %" PRIu64 " file%s, %s; %" PRIu64 " rows",
                     p->inputs, lith_print_size(p->input_bytes), p->outputs,
                     LITH_PLURAL(p->outputs), lith_print_size(p->output_bytes), p->rows);
    if (p->state == LITH_PARTITION_CHANGED)
        change_print(p);
    if (p->folded)
        (void)printf("; %" PRIu64 " late file%s added to the manifest", p->folded,
                     LITH_PLURAL(p->folded));
    if (p->carried)
        (void)printf("; %" PRIu64 " file%s taken over from the directory before", p->carried,
                     LITH_PLURAL(p->carried));
    if (p->deleted)
        (void)printf("%s%" PRIu64 " file%s %sdeleted, %s", is_cleaned(p) ? "  " : "; ", p->deleted,
                     LITH_PLURAL(p->deleted), report->is_dry ? "to be " : "",
                     lith_print_size(p->deleted_bytes));
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* How many files from the first on have its reason. Few are shown one by one. */
static size_t run_length(const struct lith_file_report *files, size_t count)
{
    size_t length = 1;

    while (length < count && files[length].is_input == files->is_input &&
           same_text(files[length].reason, files->reason) &&
           same_text(files[length].detail, files->detail))
        length++;
    return length < RUN_MIN ? 1 : length;
}

/* What is merged, or becomes live: +; what goes: -. */
static char mark_of(const struct lith_report *report, const struct lith_partition_report *p,
                    const struct lith_file_report *file)
{
    if (file->is_input)
        return report->is_dry || p->state == LITH_PARTITION_CHANGED ? '-' : '+';
    return p->state == LITH_PARTITION_CHANGED && report->is_dry ? '+' : ' ';
}

static void file_print(const struct lith_file_report *file, char mark, size_t columns)
{
    (void)printf("  %c ", mark);
    lith_print_padded(stdout, file->name, columns);
    (void)printf("  %9s  ", lith_print_size(file->bytes));
    lith_print_text(stdout, file->reason ? file->reason : "");
    if (file->detail && *file->detail) {
        (void)printf(": ");
        lith_print_text(stdout, file->detail);
    }
    (void)putchar('\n');
}

/* The first and the last of a run, and what lies between them in one line. */
static void files_print(const struct lith_report *report, const struct lith_partition_report *p)
{
    size_t columns = 0;
    size_t length;

    for (size_t i = 0; i < p->file_count; i++) {
        size_t name = lith_print_columns(p->files[i].name);
        columns = name > columns ? name : columns;
    }
    columns = columns < 60 ? columns : 60;
    for (size_t i = 0; i < p->file_count; i += length) {
        const struct lith_file_report *files = &p->files[i];
        uint64_t bytes = 0;
        length = run_length(files, p->file_count - i);
        char mark = mark_of(report, p, files);
        file_print(files, mark, columns);
        if (length == 1)
            continue;
        for (size_t k = 1; k + 1 < length; k++)
            bytes += files[k].bytes;
        (void)printf("  %c ... %zu more, %s, likewise\n", mark, length - 2, lith_print_size(bytes));
        file_print(&files[length - 1], mark, columns);
    }
}

static const char *state_text(const struct lith_report *report, enum lith_partition_state state)
{
    if (report->is_plan && state == LITH_PARTITION_COMPACTED)
        return "due";
    if (state == LITH_PARTITION_CHANGED)
        return report->changed;
    return lith_partition_state_name(state);
}

/* What nobody needs to read: left alone in a pass that was to change something. */
static bool is_dull(const struct lith_report *report, const struct lith_partition_report *p)
{
    return !report->is_plan && p->state == LITH_PARTITION_LEFT && !p->folded && !p->deleted &&
           !p->more_due && !p->blocked_files && !p->file_count && !p->carried;
}

/* Of what is due the state says it all, but for the details of the reason. */
static void reason_print(const struct lith_partition_report *p)
{
    const char *reason = p->reason ? p->reason : "";
    const char *details = strstr(reason, ": ");

    if (p->state == LITH_PARTITION_COMPACTED || p->state == LITH_PARTITION_CHANGED)
        reason = details ? details + 2 : "";
    if (!*reason || is_cleaned(p))
        return;
    (void)printf("  (");
    lith_print_text(stdout, reason);
    (void)putchar(')');
}

/* What stays in files of its own, and why. */
static void conflicts_print(const struct lith_partition_report *p)
{
    for (size_t i = 0; i < p->conflict_count; i++) {
        (void)printf("    apart: ");
        lith_print_text(stdout, p->conflicts[i]);
        (void)putchar('\n');
    }
}

/* The first tells why; others are likely to say the same. */
static void event_error_print(struct lith_report *report, const struct lith_partition_report *p)
{
    if (!p->event_error)
        return;
    if (report->event_errors++ == 0)
        lith_print_error("%s: audit: %s", path_text(p->path), p->event_error);
}

static void partition_print(struct lith_report *report, const struct lith_partition_report *p)
{
    event_error_print(report, p);
    if (p->stray)
        lith_print_error("%s: %s", path_text(p->path), p->stray);
    if (p->state == LITH_PARTITION_FAILED) {
        lith_print_error("%s: %s", path_text(p->path), p->err ? p->err->text : p->reason);
        return;
    }
    if (report->is_fsck) {
        lith_findings_print(p);
        return;
    }
    if (is_dull(report, p))
        return;
    if (is_cleaned(p))
        (void)printf("%-9s  ", report->is_dry ? "due" : "cleaned");
    else
        (void)printf("%s%-9s  ",
                     report->is_dry && p->state == LITH_PARTITION_CHANGED ? "would be " : "",
                     state_text(report, p->state));
    lith_print_text(stdout, path_text(p->path));
    counts_print(report, p);
    reason_print(p);
    if (report->is_plan)
        held_print(p->held_bytes, 0);
    (void)putchar('\n');
    if (p->refuted)
        lith_print_error("%s: %s; all pages were decoded instead", path_text(p->path),
                         p->refuted->text);
    conflicts_print(p);
    /* What came and went is counted; a dry run, and --json, name it. What is lost is named always.
     */
    bool is_counted = p->state == LITH_PARTITION_CHANGED && (p->inputs || p->outputs) && !p->lost;
    if (!is_counted || report->is_dry)
        files_print(report, p);
    lith_explain_print(p->explanations, p->explanation_count, 4);
    if (p->explanation_count == 0)
        return;
    struct lith_explain_shares shares =
        lith_explain_shares_of(p->explanations, p->explanation_count);
    lith_explain_shares_print(&shares, "chunks", 4);
}

/* The reason up to its details, counted. That of a roll-up says first that it is one. */
static void left_count(struct lith_report *report, const struct lith_partition_report *p)
{
    char text[sizeof(report->left[0].text)];
    size_t bytes = p->reason ? strcspn(p->reason, ":") : 0;

    if (p->is_rollup && bytes && p->reason[bytes])
        bytes += 1 + strcspn(p->reason + bytes + 1, ":");
    if (p->state != LITH_PARTITION_LEFT || bytes == 0 || report->is_gc || report->is_fsck)
        return;
    (void)snprintf(text, sizeof(text), "%.*s", (int)bytes, p->reason);
    for (size_t i = 0; i < LITH_LEFT_MAX; i++) {
        struct lith_left *left = &report->left[i];
        if (left->count && strcmp(left->text, text) != 0)
            continue;
        memcpy(left->text, text, sizeof(text));
        left->count++;
        return;
    }
}

void lith_report_partition(void *ctx, const struct lith_partition_report *partition)
{
    struct lith_report *report = ctx;

    lith_meter_wipe(&report->cli->meter);
    left_count(report, partition);
    if (report->cli->json)
        lith_report_json_partition(report, partition);
    else
        partition_print(report, partition);
    report->shown++;
    lith_meter_partition(&report->cli->meter, partition->input_bytes);
}

void lith_report_none(const struct lith_cli *cli)
{
    const char *glob = lith_config_text(&cli->config, LITH_OPTION_PARTITION);

    if (!glob) {
        (void)printf("no directory at or below ROOT holds *.parquet files\n");
        return;
    }
    (void)printf("no path below ROOT matches --partition ");
    lith_print_text(stdout, glob);
    (void)printf(" as a whole (as tenant_id=acme/* would)\n");
}

/* Why there was nothing to look at, or why partitions were left alone. */
static void why_print(const struct lith_report *report, const struct lith_summary *s)
{
    bool first = true;

    if (s->partitions == 0 && report->is_gc)
        (void)printf("no partition, or none that compact or adopt was run on: nothing here was "
                     "replaced\n");
    else if (s->partitions == 0)
        lith_report_none(report->cli);
    for (size_t i = 0; i < LITH_LEFT_MAX && report->left[i].count; i++) {
        (void)printf("%s%s (%" PRIu64 ")", first ? "left: " : "; ", report->left[i].text,
                     report->left[i].count);
        first = false;
    }
    if (!first)
        (void)printf(report->is_plan || report->changed ? "\n" : "; lithify plan says more\n");
}

static void states_print(const struct lith_report *report, const struct lith_summary *s)
{
    bool first = true;

    for (unsigned state = 0; state < LITH_PARTITION_STATE_COUNT && !report->is_fsck; state++) {
        if (!s->by_state[state] || (report->is_gc && state == LITH_PARTITION_LEFT))
            continue;
        bool would = report->is_dry && state == LITH_PARTITION_CHANGED;
        (void)printf("%s%" PRIu64 " %s%s", first ? "" : ", ", s->by_state[state],
                     would ? "would be " : "",
                     state_text(report, (enum lith_partition_state)state));
        first = false;
    }
    if (report->is_fsck)
        lith_findings_summary_print(s);
    else if (report->is_gc && !s->deleted)
        (void)printf("%snothing to delete", first ? "" : ", ");
    else if (report->is_gc)
        (void)printf("%s%" PRIu64 " file%s %sdeleted, %s", first ? "" : ", ", s->deleted,
                     LITH_PLURAL(s->deleted), report->is_dry ? "to be " : "",
                     lith_print_size(s->deleted_bytes));
    else if (first)
        (void)printf("nothing to do");
}

static void summary_print(const struct lith_report *report, const struct lith_summary *s)
{
    (void)printf("%" PRIu64 " partition%s: ", s->partitions, LITH_PLURAL(s->partitions));
    states_print(report, s);
    if (s->rollups || s->rollups_left)
        (void)printf("; roll-ups: %" PRIu64 " %s, %" PRIu64 " left", s->rollups,
                     report->is_plan ? "due" : "made", s->rollups_left);
    if (s->by_state[LITH_PARTITION_COMPACTED] ||
        (s->by_state[LITH_PARTITION_CHANGED] && s->files_before != s->files_after))
        (void)printf("; %" PRIu64 " files -> %" PRIu64, s->files_before, s->files_after);
    if (s->by_state[LITH_PARTITION_CHANGED] && s->rows)
        (void)printf(", %" PRIu64 " rows", s->rows);
    else if (s->output_bytes)
        (void)printf(", %s read, %s written, %" PRIu64 " rows", lith_print_size(s->input_bytes),
                     lith_print_size(s->output_bytes), s->rows);
    if (s->folded)
        (void)printf("; %" PRIu64 " late file%s added to the manifest", s->folded,
                     LITH_PLURAL(s->folded));
    if (s->blocked_files)
        (void)printf("; %" PRIu64 " file%s kept out", s->blocked_files,
                     LITH_PLURAL(s->blocked_files));
    if (!report->is_fsck)
        held_print(s->held_bytes, s->held_until_ns);
    (void)putchar('\n');
    if (s->events_pending)
        (void)printf("%" PRIu64 " commit%s without an audit event yet: make the audit folder "
                     "writable, or give another (--audit DIR), and run again\n",
                     s->events_pending, LITH_PLURAL(s->events_pending));
    if (s->more_due)
        (void)printf(report->is_gc ? "%" PRIu64 " files more are past their grace: run again, or "
                                     "raise --gc-bytes-max\n"
                                   : "%" PRIu64 " files more are due: run again\n",
                     s->more_due);
    why_print(report, s);
}

/* Of the lake, and of its audit series. */
static uint64_t count_of(const struct lith_summary *s, enum lith_partition_state state)
{
    return s->by_state[state] + s->series_by_state[state];
}

/* A failure counts most; what to try again comes before what needs a hand. */
static int exit_code(const struct lith_report *report, const struct lith_summary *s)
{
    if (count_of(s, LITH_PARTITION_FAILED))
        return LITH_EXIT_FAILED;
    if (count_of(s, LITH_PARTITION_BUSY) || count_of(s, LITH_PARTITION_PENDING) ||
        s->events_pending)
        return LITH_EXIT_AGAIN;
    if (lith_config_switch(&report->cli->config, LITH_OPTION_OK_BLOCKED))
        return LITH_EXIT_DONE;
    bool blocked = count_of(s, LITH_PARTITION_BLOCKED) || s->blocked_files || s->hands || s->strays;
    return blocked ? LITH_EXIT_BLOCKED : LITH_EXIT_DONE;
}

int lith_report_end(struct lith_report *report, enum lith_code code,
                    const struct lith_summary *summary, const struct lith_err *err)
{
    lith_meter_wipe(&report->cli->meter);
    if (report->cli->json)
        lith_report_json_end(report, code == LITH_OK ? summary : NULL, err);
    if (code != LITH_OK)
        return lith_cli_fail(report->cli, err);
    if (!report->cli->json)
        summary_print(report, summary);
    if (report->first.code != LITH_OK)
        return lith_cli_fail(report->cli, &report->first);
    return exit_code(report, summary);
}
