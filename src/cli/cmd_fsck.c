/*
 * lithify fsck: what is wrong in a lake, or in one of its partitions; and mending it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

/* What is asked for: of these two at most one. */
struct asked {
    struct lith_fsck fsck; /* with restore, or a look */
    bool repairs;
};

static enum lith_code pass_run(struct lith_lake *lake, const struct asked *asked,
                               struct lith_report *report, struct lith_summary *ret_summary,
                               struct lith_err *err)
{
    const struct lith_fsck *fsck = &asked->fsck;
    struct lith_change change = {.partition = fsck->partition, .dry_run = fsck->dry_run};

    if (asked->repairs)
        return lith_lake_repair(lake, &change, lith_report_partition, report, ret_summary, err);
    if (fsck->restore)
        return lith_lake_restore(lake, fsck, lith_report_partition, report, ret_summary, err);
    return lith_lake_fsck(lake, fsck, lith_report_partition, report, ret_summary, err);
}

/* One pass; *ret_changed: partitions that were, or would be, changed. */
static int pass_report(struct lith_cli *cli, const char *root, const struct asked *asked,
                       uint64_t *ret_changed)
{
    bool changes = asked->repairs || asked->fsck.restore;
    struct lith_report report = {.cli = cli,
                                 .root = root,
                                 .is_fsck = !changes,
                                 .is_dry = changes && asked->fsck.dry_run,
                                 .changed = asked->repairs ? "repaired"
                                            : changes      ? "restored"
                                                           : NULL};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    cli->meter.counts_partitions = !asked->fsck.restore;
    enum lith_code code = lith_cli_lake_open(cli, root, &lake, &err);
    if (code == LITH_OK)
        code = pass_run(lake, asked, &report, &summary, &err);
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

/* Shows what it would do, and asks, unless it was told already. */
static int run(struct lith_cli *cli, const char *root, struct asked *asked)
{
    bool asks = asked->repairs && !asked->fsck.dry_run && !cli->args.switches[LITH_SWITCH_YES];
    uint64_t changed;

    if (asks && (cli->json || !lith_print_is_terminal(stdin) || !lith_print_is_terminal(stderr))) {
        lith_print_error("fsck: --repair asks on a terminal; elsewhere give --yes, or --dry-run to "
                         "see what it would do");
        return LITH_EXIT_USAGE;
    }
    asked->fsck.dry_run = asked->fsck.dry_run || asks;
    for (;;) {
        int exit_code = pass_report(cli, root, asked, &changed);
        if (!asks || changed == 0)
            return exit_code;
        if (!is_wanted()) {
            (void)printf("nothing was changed\n");
            return LITH_EXIT_BLOCKED;
        }
        asked->fsck.dry_run = asks = false;
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
    struct asked asked = {.fsck = {.deep = switches[LITH_SWITCH_DEEP] != NULL,
                                   .restore = switches[LITH_SWITCH_RESTORE],
                                   .dry_run = switches[LITH_SWITCH_DRY_RUN] != NULL},
                          .repairs = switches[LITH_SWITCH_REPAIR] != NULL};
    struct lith_err err;
    const char *root;
    const char *below;

    if (!switches_check(cli))
        return LITH_EXIT_USAGE;
    if (lith_cli_root_find(cli, cli->args.operands[0], &root, &below, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (*below || asked.fsck.restore)
        asked.fsck.partition = below;
    return run(cli, root, &asked);
}
