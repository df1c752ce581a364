/*
 * lithify compact, plan, gc, adopt: one pass over a lake.
 */
#include <string.h>

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
                                 .is_gc = pass == lith_lake_gc || pass == lith_lake_gc_plan,
                                 .is_dry = pass == lith_lake_gc_plan,
                                 .changed = cli->command->run == lith_cmd_adopt ? "adopted" : NULL};
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
static int explain_readers(const char *root, struct lith_lake *lake)
{
    struct lith_err why;
    bool exchanges = lith_lake_exchange_check(lake, &why) == LITH_OK;

    lith_print_error("%s: how is this lake read? Choose once, with --readers MODE:", root);
    (void)fputs(
        "  exchange  readers that list directories never see a row twice; local file systems.\n"
        "            A query that runs in the moment of a commit may not find files, or pass over\n"
        "            them: docs/readers.md.\n",
        stderr);
    if (exchanges)
        (void)fputs("            Recommended here: --readers exchange\n", stderr);
    else
        lith_print_error("  (not here: %s)", why.text);
    (void)fputs(
        "  manifest  readers of manifests (lithify ls, SQL for DuckDB) see each row once; who\n"
        "            lists directories counts twice until gc: --readers manifest\n"
        "  glob      readers that list directories, on any store: each commit shows rows twice\n"
        "            for a moment, and no grace is kept for readers of manifests.\n",
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

/* A pass that may be the first to commit to the lake. */
static int first_run(struct lith_cli *cli, pass_fn pass)
{
    const char *root = cli->args.operands[0];
    struct lith_lake *lake = NULL;
    bool is_root = false;
    struct lith_err err;

    if (is_whole_check(cli, root, &err) != LITH_OK ||
        lith_cli_is_root(root, &is_root, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (!lith_config_text(&cli->config, LITH_OPTION_READERS) && !is_root) {
        /* Open it first: a root that is not there is the better thing to say. */
        if (lith_cli_lake_open(cli, root, &lake, &err) != LITH_OK)
            return lith_cli_fail(cli, &err);
        int code = explain_readers(root, lake);
        lith_lake_close(lake);
        return code;
    }
    return pass_run(cli, pass);
}

int lith_cmd_compact(struct lith_cli *cli)
{
    return first_run(cli, lith_lake_compact);
}

int lith_cmd_plan(struct lith_cli *cli)
{
    return pass_run(cli, lith_lake_plan);
}

int lith_cmd_gc(struct lith_cli *cli)
{
    bool is_dry = cli->args.switches[LITH_SWITCH_DRY_RUN] != NULL;

    return pass_run(cli, is_dry ? lith_lake_gc_plan : lith_lake_gc);
}

static enum lith_code unlisted_find(const struct lith_cli *cli, enum lith_unlisted *ret_unlisted,
                                    struct lith_err *err)
{
    const char *text = cli->args.switches[LITH_SWITCH_UNLISTED];

    *ret_unlisted = LITH_UNLISTED_ASK;
    if (!text)
        return LITH_OK;
    *ret_unlisted = strcmp(text, "live") == 0 ? LITH_UNLISTED_LIVE : LITH_UNLISTED_IGNORE;
    if (*ret_unlisted == LITH_UNLISTED_LIVE || strcmp(text, "ignore") == 0)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID, "--unlisted: \"%.100s\": expected one of live|ignore",
                     text);
}

static enum lith_code adopt_pass(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                 struct lith_summary *ret_summary, struct lith_err *err)
{
    const struct lith_report *report = ctx;
    enum lith_unlisted unlisted;

    LITH_TRY(unlisted_find(report->cli, &unlisted, err));
    return lith_lake_adopt(lake, unlisted, each, ctx, ret_summary, err);
}

int lith_cmd_adopt(struct lith_cli *cli)
{
    enum lith_unlisted unlisted;
    struct lith_err err;

    if (unlisted_find(cli, &unlisted, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    return first_run(cli, adopt_pass);
}
