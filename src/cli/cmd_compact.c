/*
 * lithify compact, plan, gc: one pass over a lake.
 */
#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

typedef enum lith_code (*pass_fn)(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                  struct lith_summary *ret_summary, struct lith_err *err);

static int pass_run(struct lith_cli *cli, pass_fn pass, bool is_plan)
{
    struct lith_report report = {.cli = cli, .root = cli->args.operands[0], .is_plan = is_plan};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    cli->meter.counts_partitions = true;
    enum lith_code code = lith_cli_lake_open(cli, report.root, &lake, &err);
    if (code == LITH_OK)
        code = pass(lake, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    return lith_report_end(&report, code, &summary, &err);
}

/* Nobody but the owner of a lake knows who reads it. */
static int explain_readers(const char *root)
{
    lith_print_error("%s: how is this lake read? Choose once, with --readers MODE:", root);
    (void)fputs(
        "  exchange  readers that list directories see each row once; local file systems. The\n"
        "            best choice in principle, but it is not there yet.\n"
        "  manifest  readers of manifests (lithify ls, SQL for DuckDB) see each row once; who\n"
        "            lists directories counts twice until gc. Available now: --readers manifest\n"
        "  glob      readers that list directories, on any store: twice for a moment. Not there "
        "yet.\n",
        stderr);
    return LITH_EXIT_USAGE;
}

int lith_cmd_compact(struct lith_cli *cli)
{
    const char *root = cli->args.operands[0];
    struct lith_lake *lake = NULL;
    struct lith_err err;

    if (!lith_config_text(&cli->config, LITH_OPTION_READERS) && !lith_cli_is_root(root)) {
        /* Open it first: a root that is not there is the better thing to say. */
        if (lith_cli_lake_open(cli, root, &lake, &err) != LITH_OK)
            return lith_cli_fail(cli, &err);
        lith_lake_close(lake);
        return explain_readers(root);
    }
    return pass_run(cli, lith_lake_compact, false);
}

int lith_cmd_plan(struct lith_cli *cli)
{
    return pass_run(cli, lith_lake_plan, true);
}

int lith_cmd_gc(struct lith_cli *cli)
{
    return pass_run(cli, lith_lake_gc, false);
}
