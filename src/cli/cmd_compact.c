/*
 * lithify compact, plan, gc, adopt: one pass over a lake.
 */
#include <string.h>

#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

typedef enum lith_code (*pass_fn)(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                  struct lith_summary *ret_summary, struct lith_err *err);

/* A part of a lake would be taken for a lake of its own, without the keys above it. */
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
    enum lith_code code = is_whole_check(cli, report.root, &err);
    if (code == LITH_OK)
        code = lith_cli_lake_open(cli, report.root, &lake, &err);
    if (code == LITH_OK)
        code = pass(lake, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    return lith_report_end(&report, code, &summary, &err);
}

/* Nobody but the owner of a lake knows who reads it. Five lines. */
static int explain_readers(const char *root, struct lith_lake *lake)
{
    struct lith_err why;
    bool exchanges = lith_lake_exchange_check(lake, &why) == LITH_OK;

    lith_print_error("%s: how is this lake read? Choose once, with --readers MODE "
                     "(docs/readers.md):",
                     root);
    (void)fputs("  exchange  by listing directories: never a row twice; a query in the moment of a "
                "commit may not find files\n            ",
                stderr);
    lith_print_text(stderr, exchanges ? "Recommended here: --readers exchange" : "Not here: ");
    lith_print_text(stderr, exchanges ? "" : why.text);
    (void)fputs(
        "\n  manifest  by manifests (lithify ls, SQL for DuckDB); who lists counts twice until gc\n"
        "  glob      by listing, on any file system: rows twice for a moment at each commit; no "
        "grace, no rollback\n",
        stderr);
    return LITH_EXIT_USAGE;
}

/* A pass that may be the first to commit to the lake. */
static int first_run(struct lith_cli *cli, pass_fn pass)
{
    const char *root = cli->args.operands[0];
    struct lith_lake *lake = NULL;
    bool is_root = false;
    struct lith_err err;

    if (lith_cli_is_root(root, &is_root, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (!lith_config_text(&cli->config, LITH_OPTION_READERS) && !is_root) {
        if (is_whole_check(cli, root, &err) != LITH_OK)
            return lith_cli_fail(cli, &err);
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
