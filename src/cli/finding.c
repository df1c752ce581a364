/*
 * What fsck found, as text and as JSON.
 */
#include "cli/finding.h"

#include <inttypes.h>

#include "cli/print.h"

/* "! PATH/FILE: missing: TEXT. To do: TODO" */
static void finding_print(const char *path, const struct lith_finding *finding)
{
    (void)printf("%c ", finding->wants_hand ? '!' : ' ');
    lith_print_text(stdout, *path ? path : finding->file ? "" : ".");
    if (finding->file) {
        (void)fputs(*path ? "/" : "", stdout);
        lith_print_text(stdout, finding->file);
    }
    (void)printf(": %s: ", finding->kind);
    lith_print_text(stdout, finding->text);
    if (finding->todo) {
        (void)printf(". To do: ");
        lith_print_text(stdout, finding->todo);
    }
    (void)putchar('\n');
}

void lith_findings_print(const struct lith_partition_report *partition)
{
    for (size_t i = 0; i < partition->finding_count; i++)
        finding_print(partition->path, &partition->findings[i]);
}

void lith_findings_summary_print(const struct lith_summary *s)
{
    uint64_t told = s->findings - s->hands;
    uint64_t failed = s->by_state[LITH_PARTITION_FAILED];
    uint64_t busy = s->by_state[LITH_PARTITION_BUSY] + s->by_state[LITH_PARTITION_PENDING];

    if (s->hands)
        (void)printf("%" PRIu64 " finding%s a hand", s->hands, s->hands == 1 ? " wants" : "s want");
    else
        (void)printf("%s", failed || busy ? "no finding wants a hand" : "clean");
    if (told)
        (void)printf(", %" PRIu64 " %s only told", told, told == 1 ? "is" : "are");
    if (failed)
        (void)printf(", %" PRIu64 " could not be looked at", failed);
    if (busy)
        (void)printf(", %" PRIu64 " changed all the while", busy);
}

static struct lith_json *text_or_null(const char *text)
{
    return text ? lith_json_text(text) : lith_json_null();
}

static struct lith_json *finding_make(const struct lith_finding *finding)
{
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set(object, "kind", lith_json_text(finding->kind));

    if (ok && finding->file)
        ok = lith_json_set_path(object, "file", finding->file);
    else if (ok)
        ok = lith_json_set(object, "file", lith_json_null());
    ok = ok && lith_json_set(object, "bytes", lith_json_u64(finding->bytes)) &&
         lith_json_set(object, "wants_hand", lith_json_bool(finding->wants_hand)) &&
         lith_json_set(object, "text", text_or_null(finding->text)) &&
         lith_json_set(object, "todo", text_or_null(finding->todo));
    if (!ok)
        lith_json_free(object);
    return ok ? object : NULL;
}

struct lith_json *lith_findings_json(const struct lith_partition_report *partition)
{
    struct lith_json *findings = lith_json_array();

    for (size_t i = 0; findings && i < partition->finding_count; i++) {
        if (!lith_json_push(findings, finding_make(&partition->findings[i]))) {
            lith_json_free(findings);
            return NULL;
        }
    }
    return findings;
}
