/*
 * lithify fsck: what is wrong in a lake, or in one of its partitions; and mending it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

static int fsck_run(struct lith_cli *cli, const char *root, const struct lith_fsck *request)
{
    struct lith_report report = {.cli = cli, .root = root, .is_fsck = true};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    cli->meter.counts_partitions = true;
    enum lith_code code = lith_cli_lake_open(cli, root, &lake, &err);
    if (code == LITH_OK)
        code = lith_lake_fsck(lake, request, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    return lith_report_end(&report, code, &summary, &err);
}

static int restore_run(struct lith_cli *cli, const char *root, const struct lith_fsck *request)
{
    struct lith_report report = {
        .cli = cli, .root = root, .is_dry = request->dry_run, .changed = "restored"};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    enum lith_code code = lith_cli_lake_open(cli, root, &lake, &err);
    if (code == LITH_OK)
        code = lith_lake_restore(lake, request, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    return lith_report_end(&report, code, &summary, &err);
}

/* One pass; *ret_changed: partitions that were, or would be, repaired. */
static int repair_pass(struct lith_cli *cli, const char *root, const struct lith_change *change,
                       uint64_t *ret_changed)
{
    struct lith_report report = {
        .cli = cli, .root = root, .is_dry = change->dry_run, .changed = "repaired"};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    cli->meter.counts_partitions = true;
    enum lith_code code = lith_cli_lake_open(cli, root, &lake, &err);
    if (code == LITH_OK)
        code = lith_lake_repair(lake, change, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    *ret_changed = summary.by_state[LITH_PARTITION_CHANGED];
    return lith_report_end(&report, code, &summary, &err);
}

/* "y" or "yes", and nothing else. */
static bool is_wanted(void)
{
    char answer[8] = "";

    (void)fflush(stdout);
    (void)fprintf(stderr, "Repair? [y/N] ");
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    return strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0;
}

static int repair_run(struct lith_cli *cli, const char *root, struct lith_change *change)
{
    bool asks = !change->dry_run && !cli->args.switches[LITH_SWITCH_YES];
    uint64_t changed;

    if (asks && (cli->json || !lith_print_is_terminal(stdin) || !lith_print_is_terminal(stderr))) {
        lith_print_error("fsck: --repair asks on a terminal; elsewhere give --yes, or --dry-run to "
                         "see what it would do");
        return LITH_EXIT_USAGE;
    }
    change->dry_run = change->dry_run || asks;
    for (;;) {
        int exit_code = repair_pass(cli, root, change, &changed);
        if (!asks || changed == 0)
            return exit_code;
        if (!is_wanted()) {
            (void)printf("nothing was changed\n");
            return LITH_EXIT_BLOCKED;
        }
        change->dry_run = asks = false;
    }
}

/* Which of the ways to change something was asked for; more than one is none. */
static bool switches_check(const struct lith_cli *cli)
{
    const char *const *switches = cli->args.switches;
    bool repairs = switches[LITH_SWITCH_REPAIR] != NULL;
    bool restores = switches[LITH_SWITCH_RESTORE] != NULL;

    if (repairs && restores)
        lith_print_error("fsck: --repair and --restore are two things: one at a time");
    else if (switches[LITH_SWITCH_YES] && !repairs)
        lith_print_error("fsck: --yes goes with --repair");
    else
        return true;
    return false;
}

int lith_cmd_fsck(struct lith_cli *cli)
{
    const char *const *switches = cli->args.switches;
    struct lith_fsck request = {.deep = switches[LITH_SWITCH_DEEP] != NULL,
                                .restore = switches[LITH_SWITCH_RESTORE],
                                .dry_run = switches[LITH_SWITCH_DRY_RUN] != NULL};
    struct lith_err err;
    const char *root;
    const char *below;

    if (!switches_check(cli))
        return LITH_EXIT_USAGE;
    if (lith_cli_root_find(cli, cli->args.operands[0], &root, &below, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (request.restore) {
        request.partition = below;
        return restore_run(cli, root, &request);
    }
    if (*below)
        request.partition = below;
    if (switches[LITH_SWITCH_REPAIR]) {
        struct lith_change change = {.partition = request.partition, .dry_run = request.dry_run};
        return repair_run(cli, root, &change);
    }
    return fsck_run(cli, root, &request);
}
