/*
 * Findings, one after the other.
 */
#include "job/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* Names of files have 255 bytes, reasons those of an error. */
#define TEXT_BYTES 2048

enum lith_code lith_findings_add(struct lith_findings *findings, const struct lith_found *found,
                                 struct lith_err *err, const char *format, ...)
{
    struct lith_finding row = {.kind = found->kind,
                               .bytes = found->bytes,
                               .wants_hand = found->wants_hand,
                               .todo = found->todo};
    void *block = findings->rows;
    char text[TEXT_BYTES];
    void *copy;
    va_list list;

    va_start(list, format);
    (void)vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    LITH_TRY(lith_arena_copy(findings->arena, text, strlen(text), &copy, err));
    row.text = copy;
    if (found->file) {
        LITH_TRY(lith_arena_copy(findings->arena, found->file, strlen(found->file), &copy, err));
        row.file = copy;
    }
    LITH_TRY(lith_array_grow_in(findings->arena, &block, findings->count, sizeof(row), err));
    findings->rows = block;
    findings->rows[findings->count++] = row;
    findings->hands += found->wants_hand;
    return LITH_OK;
}

enum lith_code lith_findings_report(const struct lith_findings *findings,
                                    struct lith_partition_report *report, struct lith_err *err)
{
    char *reason;

    report->findings = findings->rows;
    report->finding_count = findings->count;
    report->hands = findings->hands;
    report->state = findings->hands ? LITH_PARTITION_BLOCKED : LITH_PARTITION_LEFT;
    report->reason = findings->count ? "nothing that wants a hand" : "clean";
    if (findings->hands == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_format(findings->arena, &reason, err, "%zu finding%s a hand",
                               findings->hands, findings->hands == 1 ? " wants" : "s want"));
    report->reason = reason;
    return LITH_OK;
}
