/*
 * lithify compact, plan, gc: one pass over a lake.
 */
#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

typedef enum lith_code (*pass_fn)(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                  struct lith_summary *ret_summary, struct lith_err *err);

static int pass_run(struct lith_cli *cli, pass_fn pass)
{
    struct lith_report report = {.cli = cli,
                                 .root = cli->args.operands[0],
                                 .is_plan = pass == lith_lake_plan,
                                 .is_gc = pass == lith_lake_gc};
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

/* A part of a lake would become a lake of its own, without the keys above it. */
static enum lith_code is_whole_check(struct lith_cli *cli, const char *given, struct lith_err *err)
{
    const char *root;
    const char *below;

    LITH_TRY(lith_cli_root_find(cli, given, &root, &below, err));
    if (*below)
        return lith_fail(err, LITH_E_INVALID,
                         "%s lies in the lake %s: give the lake, with --partition '%s' "
                         "(one partition) or '%s/*' (all below it)",
                         given, root, below, below);
    return LITH_OK;
}

int lith_cmd_compact(struct lith_cli *cli)
{
    const char *root = cli->args.operands[0];
    struct lith_lake *lake = NULL;
    struct lith_err err;

    if (is_whole_check(cli, root, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (!lith_config_text(&cli->config, LITH_OPTION_READERS) && !lith_cli_is_root(root)) {
        /* Open it first: a root that is not there is the better thing to say. */
        if (lith_cli_lake_open(cli, root, &lake, &err) != LITH_OK)
            return lith_cli_fail(cli, &err);
        lith_lake_close(lake);
        return explain_readers(root);
    }
    return pass_run(cli, lith_lake_compact);
}

int lith_cmd_plan(struct lith_cli *cli)
{
    return pass_run(cli, lith_lake_plan);
}

int lith_cmd_gc(struct lith_cli *cli)
{
    return pass_run(cli, lith_lake_gc);
}
