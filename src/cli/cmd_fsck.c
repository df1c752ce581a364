/*
 * lithify fsck: what is wrong in a lake, or in one of its partitions.
 */
#include "cli/lake_open.h"
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

int lith_cmd_fsck(struct lith_cli *cli)
{
    const char *const *switches = cli->args.switches;
    struct lith_fsck request = {.deep = switches[LITH_SWITCH_DEEP] != NULL,
                                .restore = switches[LITH_SWITCH_RESTORE],
                                .dry_run = switches[LITH_SWITCH_DRY_RUN] != NULL};
    struct lith_err err;
    const char *root;
    const char *below;

    if (lith_cli_root_find(cli, cli->args.operands[0], &root, &below, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (request.restore) {
        request.partition = below;
        return restore_run(cli, root, &request);
    }
    if (*below)
        request.partition = below;
    return fsck_run(cli, root, &request);
}
