/*
 * What a pass over a lake did, told partition by partition: as text, or as JSON.
 */
#ifndef LITH_CLI_REPORT_H
#define LITH_CLI_REPORT_H

#include "cli/cli.h"

/* How many partitions were left alone for one reason; its text without the details. */
struct lith_left {
    char text[96];
    uint64_t count;
};
#define LITH_LEFT_MAX 16

struct lith_report {
    struct lith_cli *cli;
    const char *root;
    bool is_plan; /* states are predictions; each file is shown */
    bool is_gc;
    bool is_fsck;        /* findings are told */
    bool is_dry;         /* gc, rollback, retire: nothing is done; each file is shown */
    const char *changed; /* what the state CHANGED is called */
    bool begun;          /* JSON: the object is open */
    uint64_t shown;      /* partitions printed */
    struct lith_left left[LITH_LEFT_MAX];
    uint64_t event_errors; /* partitions with events that could not be written */
    struct lith_err first; /* a failure to print; code OK: none */
};

/* A line on why there was no partition to look at. */
void lith_report_none(const struct lith_cli *cli);

/* For lith_lake_plan and its kin; ctx is the report. */
void lith_report_partition(void *ctx, const struct lith_partition_report *partition);

/* The summary, or the failure of the whole call; returns the exit code. */
int lith_report_end(struct lith_report *report, enum lith_code code,
                    const struct lith_summary *summary, const struct lith_err *err);

#endif
